import { component$ } from "@builder.io/qwik";
import { Menu } from "../../../shared/pages.jsx";
import { Link } from "../../link";

export const head = { title: "What we sell today" };

export default component$(() => <Menu Link={Link} />);
