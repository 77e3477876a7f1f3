import Layout, { Link, head } from "../layout.jsx";
import { Missing } from "../../shared/pages.jsx";

export const Head = head("We have no such page");

export default function Page() {
  return (
    <Layout>
      <Missing Link={Link} />
    </Layout>
  );
}
