import { Link } from "gatsby";
import { Nav } from "../shared/pages.jsx";

export { Link };

export const head = (title) => () => (
  <>
    <title>{title}</title>
    <meta name="description" content="A small bakery that bakes slowly." />
  </>
);

export default function Layout({ children }) {
  return (
    <>
      <Nav Link={Link} />
      {children}
    </>
  );
}
