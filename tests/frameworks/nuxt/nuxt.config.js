export default defineNuxtConfig({
  compatibilityDate: "2026-01-01",
  telemetry: false,
  // `shared` means something of its own to Nuxt.
  dir: { shared: "none" },
  app: { head: { htmlAttrs: { lang: "en" } } },
  // The page for addresses that lead nowhere.
  nitro: { prerender: { crawlLinks: true, routes: ["/"] } },
});
