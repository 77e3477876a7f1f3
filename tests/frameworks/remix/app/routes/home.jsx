import { Link } from "react-router";
import { Home } from "../../shared/pages.jsx";
import Shop from "../../shared/Shop.jsx";

export const meta = () => [
  { title: "Bread from Tern Street" },
  { name: "description", content: "A small bakery that bakes slowly." },
];

export default function Page() {
  return (
    <Home Link={Link}>
      <Shop />
    </Home>
  );
}
