import { component$, Slot } from "@builder.io/qwik";
import { Nav } from "../../shared/pages.jsx";
import { Link } from "../link";

export default component$(() => (
  <>
    <Nav Link={Link} />
    <Slot />
  </>
));
