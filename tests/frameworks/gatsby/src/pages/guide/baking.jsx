import Layout, { Link, head } from "../../layout.jsx";
import { Baking } from "../../../shared/pages.jsx";

export const Head = head("How to bake at home");

export default function Page() {
  return (
    <Layout>
      <Baking Link={Link} />
    </Layout>
  );
}
