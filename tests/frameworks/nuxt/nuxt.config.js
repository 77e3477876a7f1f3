export default defineNuxtConfig({
  compatibilityDate: "2026-01-01",
  telemetry: false,
  app: { head: { htmlAttrs: { lang: "en" } } },
  // The page for addresses that lead nowhere.
  nitro: { prerender: { crawlLinks: true, routes: ["/"] } },
});
