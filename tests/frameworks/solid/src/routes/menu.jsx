import { Title } from "@solidjs/meta";
import { Menu } from "../../shared/pages.jsx";
import { Link } from "../link.jsx";

export default function Page() {
  return (
    <>
      <Title>What we sell today</Title>
      <Menu Link={Link} />
    </>
  );
}
