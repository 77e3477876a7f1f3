import { Nav } from "../shared/pages.jsx";
import { Link } from "./link.jsx";

export const metadata = { title: "Bread from Tern Street", description: "A small bakery that bakes slowly." };

export default function Layout({ children }) {
  return (
    <html lang="en">
      <body>
        <Nav Link={Link} />
        {children}
      </body>
    </html>
  );
}
