import { Title } from "@solidjs/meta";
import { Baking } from "../../../shared/pages.jsx";
import { Link } from "../../link.jsx";

export default function Page() {
  return (
    <>
      <Title>How to bake at home</Title>
      <Baking Link={Link} />
    </>
  );
}
