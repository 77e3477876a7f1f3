import { index, route } from "@react-router/dev/routes";

export default [index("routes/home.jsx"), route("menu", "routes/menu.jsx"), route("guide/baking", "routes/baking.jsx")];
