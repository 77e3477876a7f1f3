import { Menu } from "../../shared/pages.jsx";
import { Link } from "../link.jsx";

export const metadata = { title: "What we sell today" };

export default function Page() {
  return <Menu Link={Link} />;
}
