import { createRoot } from "react-dom/client";
import { BrowserRouter, Link, Route, Routes } from "react-router-dom";
import { Baking, Home, Menu, Missing, Nav } from "../shared/pages.jsx";
import Shop from "../shared/Shop.jsx";

createRoot(document.getElementById("root")).render(
  <BrowserRouter>
    <Nav Link={Link} />
    <Routes>
      <Route
        path="/"
        element={
          <Home Link={Link}>
            <Shop />
          </Home>
        }
      />
      <Route path="/menu" element={<Menu Link={Link} />} />
      <Route path="/guide/baking" element={<Baking Link={Link} />} />
      <Route path="*" element={<Missing Link={Link} />} />
    </Routes>
  </BrowserRouter>,
);
