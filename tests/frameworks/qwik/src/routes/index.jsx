import { component$ } from "@builder.io/qwik";
import { Home } from "../../shared/pages.jsx";
import Shop from "../components/shop";
import { Link } from "../link";

export const head = {
  title: "Bread from Tern Street",
  meta: [{ name: "description", content: "A small bakery that bakes slowly." }],
};

export default component$(() => (
  <Home Link={Link}>
    <Shop />
  </Home>
));
