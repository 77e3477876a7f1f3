import { Home } from "../shared/pages.jsx";
import Shop from "../shared/Shop.jsx";
import { Link } from "./link.jsx";

export default function Page() {
  return (
    <Home Link={Link}>
      <Shop />
    </Home>
  );
}
