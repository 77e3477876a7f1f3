module.exports = {
  title: "Tern Street Bakery",
  tagline: "Bread that takes its time",
  url: "https://example.com",
  baseUrl: "/",
  presets: [["classic", { blog: false, docs: { path: "shared/pages", routeBasePath: "/" } }]],
  themeConfig: {
    navbar: {
      title: "Tern Street Bakery",
      items: [
        { to: "/", label: "Home" },
        { to: "/menu", label: "Menu" },
        { to: "/guide/baking", label: "Baking guide" },
      ],
    },
    footer: { copyright: "Baked with patience on Tern Street" },
  },
};
