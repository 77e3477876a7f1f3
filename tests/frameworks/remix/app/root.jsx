import { Link, Links, Meta, Outlet, Scripts, ScrollRestoration } from "react-router";
import { Missing, Nav } from "../shared/pages.jsx";

export function Layout({ children }) {
  return (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <Meta />
        <Links />
      </head>
      <body>
        <Nav Link={Link} />
        {children}
        <ScrollRestoration />
        <Scripts />
      </body>
    </html>
  );
}

export default function Root() {
  return <Outlet />;
}

export function ErrorBoundary() {
  return <Missing Link={Link} />;
}
