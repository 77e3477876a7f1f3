import { MetaProvider } from "@solidjs/meta";
import { Router } from "@solidjs/router";
import { FileRoutes } from "@solidjs/start/router";
import { Suspense } from "solid-js";
import { Link } from "./link.jsx";
import { Nav } from "../shared/pages.jsx";

export default function App() {
  return (
    <Router
      root={(props) => (
        <MetaProvider>
          <Nav Link={Link} />
          <Suspense>{props.children}</Suspense>
        </MetaProvider>
      )}
    >
      <FileRoutes />
    </Router>
  );
}
