import { Link } from "react-router";
import { Menu } from "../../shared/pages.jsx";

export const meta = () => [{ title: "What we sell today" }];

export default function Page() {
  return <Menu Link={Link} />;
}
