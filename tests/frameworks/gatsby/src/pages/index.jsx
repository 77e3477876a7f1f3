import Shop from "../../shared/Shop.jsx";
import Layout, { Link, head } from "../layout.jsx";
import { Home } from "../../shared/pages.jsx";

export const Head = head("Bread from Tern Street");

export default function Page() {
  return (
    <Layout>
      <Home Link={Link}>
        <Shop />
      </Home>
    </Layout>
  );
}
