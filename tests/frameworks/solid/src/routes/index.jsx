import { Meta, Title } from "@solidjs/meta";
import { Home } from "../../shared/pages.jsx";
import { Link } from "../link.jsx";
import Shop from "../shop.jsx";

export default function Page() {
  return (
    <>
      <Title>Bread from Tern Street</Title>
      <Meta name="description" content="A small bakery that bakes slowly." />
      <Home Link={Link}>
        <Shop />
      </Home>
    </>
  );
}
