import { Link } from "react-router";
import { Baking } from "../../shared/pages.jsx";

export const meta = () => [{ title: "How to bake at home" }];

export default function Page() {
  return <Baking Link={Link} />;
}
