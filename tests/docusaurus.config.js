// The site that tests/corpus makes of this repository's documents, as a page in React's output.
module.exports = {
  title: "Latimer",
  url: "https://example.com",
  baseUrl: "/",
  onBrokenLinks: "ignore",
  markdown: { format: "md", hooks: { onBrokenMarkdownLinks: "ignore", onBrokenMarkdownImages: "ignore" } },
  plugins: [["@docusaurus/plugin-content-docs", { routeBasePath: "/" }]],
  themes: ["@docusaurus/theme-classic"],
};
