import { component$ } from "@builder.io/qwik";
import { Baking } from "../../../../shared/pages.jsx";
import { Link } from "../../../link";

export const head = { title: "How to bake at home" };

export default component$(() => <Baking Link={Link} />);
