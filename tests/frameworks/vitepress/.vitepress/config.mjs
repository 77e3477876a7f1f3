export default {
  title: "Tern Street Bakery",
  description: "A small bakery that bakes slowly.",
  srcDir: "shared/pages",
  themeConfig: {
    nav: [
      { text: "Home", link: "/" },
      { text: "Menu", link: "/menu" },
      { text: "Baking guide", link: "/guide/baking" },
    ],
    sidebar: [
      {
        text: "The bakery",
        items: [
          { text: "Start", link: "/" },
          { text: "What we sell", link: "/menu" },
          { text: "Bake at home", link: "/guide/baking" },
        ],
      },
    ],
    footer: { message: "Baked with patience on Tern Street" },
  },
};
