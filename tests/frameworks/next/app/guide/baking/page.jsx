import { Baking } from "../../../shared/pages.jsx";
import { Link } from "../../link.jsx";

export const metadata = { title: "How to bake at home" };

export default function Page() {
  return <Baking Link={Link} />;
}
