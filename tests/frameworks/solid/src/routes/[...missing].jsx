import { Title } from "@solidjs/meta";
import { Missing } from "../../shared/pages.jsx";
import { Link } from "../link.jsx";

export default function Page() {
  return (
    <>
      <Title>We have no such page</Title>
      <Missing Link={Link} />
    </>
  );
}
