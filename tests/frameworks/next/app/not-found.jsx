import { Missing } from "../shared/pages.jsx";
import { Link } from "./link.jsx";

export default function Page() {
  return <Missing Link={Link} />;
}
