import Layout, { Link, head } from "../layout.jsx";
import { Menu } from "../../shared/pages.jsx";

export const Head = head("What we sell today");

export default function Page() {
  return (
    <Layout>
      <Menu Link={Link} />
    </Layout>
  );
}
