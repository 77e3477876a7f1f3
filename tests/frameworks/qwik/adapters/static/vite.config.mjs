import { staticAdapter } from "@builder.io/qwik-city/adapters/static/vite";
import { extendConfig } from "@builder.io/qwik-city/vite";
import base from "../../vite.config.mjs";
export default extendConfig(base, () => ({
  build: { ssr: true, rollupOptions: { input: ["@qwik-city-plan"] } },
  plugins: [staticAdapter({ origin: "https://bakery.example.com" })],
}));
