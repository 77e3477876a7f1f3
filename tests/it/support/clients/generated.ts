// Four calls by a client that openapi-generator made (typescript-fetch): address and token are the arguments.
import { Configuration, LocalesApi, RunsApi, SitesApi } from "./generated/index";

declare const process: { argv: string[] };

const [address, token] = process.argv.slice(2);
const configuration = new Configuration({ basePath: address, accessToken: token });

async function main() {
  const siteId = "site";
  const sites = await new SitesApi(configuration).sitesList({ limit: 5 });
  const site = await new SitesApi(configuration).sitesGet({ siteId });
  const crawlTranslateRequest = { targetLangs: ["es"] };
  const run = await new RunsApi(configuration).sitesCrawlTranslateTrigger({ siteId, crawlTranslateRequest });
  const order = { siteId, targetLang: "es", serveRequest: { enabled: true } };
  const served = await new LocalesApi(configuration).sitesLocalesServe(order);
  console.log(JSON.stringify([sites.total, site.sourceLocale, run.crawlId.length, served.servingStatus]));
}

main();
