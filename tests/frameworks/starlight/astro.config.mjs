import react from "@astrojs/react";
import starlight from "@astrojs/starlight";

export default {
  site: "https://example.com",
  integrations: [
    starlight({
      title: "Tern Street Bakery",
      sidebar: [
        { label: "Home", link: "/" },
        { label: "Menu", link: "/menu/" },
        { label: "Baking guide", link: "/guide/baking/" },
      ],
    }),
    react(),
  ],
};
