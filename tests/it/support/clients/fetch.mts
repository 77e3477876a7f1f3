// Four calls by openapi-fetch with the types that openapi-typescript made: address and token are the arguments.
import createClient from "openapi-fetch";
import type { paths } from "./schema.d.ts";

declare const process: { argv: string[] };
declare const console: { log(text: string): void };

const [address, token] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl: address!, headers: { Authorization: `Bearer ${token}` } });
const path = { siteId: "site" };
const sites = await client.GET("/api/sites", { params: { query: { limit: 5 } } });
const site = await client.GET("/api/sites/{siteId}", { params: { path } });
const order = { targetLangs: ["es"] };
const run = await client.POST("/api/sites/{siteId}/crawl-translate", { params: { path }, body: order });
const served = await client.POST("/api/sites/{siteId}/locales/{targetLang}/serve", {
  params: { path: { ...path, targetLang: "es" } },
  body: { enabled: true },
});
// The type of the answer is the document's: a word that it does not have would not compile.
const status: "inactive" | "disabled" | "needs_domain" | "ready" | "serving" | "degraded" = served.data!.servingStatus;
console.log(JSON.stringify([sites.data!.total, site.data!.sourceLocale, run.data!.crawlId.length, status]));
