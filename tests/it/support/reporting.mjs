// Looks at a page as several readers, whose addresses a proxy would tell: `node reporting.mjs ADDRESS READER…`. Prints what
// their browsers sent to `/_latimer/unknown` until they left.

import { createRequire } from "node:module";

const puppeteer = createRequire(`${process.env.NODE_PATH}/`)("puppeteer-core");
const [address, ...readers] = process.argv.slice(2);
const browser = await puppeteer.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking"],
});
// Until each request has its answer and no other has come for a while.
const answered = async (sent) => {
  let before;
  do {
    before = sent.length;
    await new Promise((resolve) => setTimeout(resolve, 500));
  } while (sent.length > before || sent.some((request) => !request.response() && !request.failure()));
};
const seen = { told: [], requests: [], cookies: false, errors: [], text: "" };
try {
  for (const reader of readers) {
    const context = await browser.createBrowserContext();
    const page = await context.newPage();
    await page.setExtraHTTPHeaders({ "X-Forwarded-For": reader });
    const sent = [];
    page.on("request", (request) => request.url().endsWith("/_latimer/unknown") && sent.push(request));
    page.on("pageerror", (error) => seen.errors.push(String(error)));
    await page.goto(address);
    await page.waitForFunction(() => document.querySelectorAll("p").length > 8);
    seen.text = await page.evaluate(() => document.body.innerText);
    // A page that is left tells what it has not told yet; this one comes back, and more is put in.
    const leave = () => page.evaluate(() => dispatchEvent(new Event("pagehide")));
    await leave();
    await answered(sent);
    await page.evaluate(() => document.getElementById("root").append(document.createElement("hr"), "Later news"));
    await leave();
    await answered(sent);
    await page.goto("about:blank");
    seen.told.push(sent.flatMap((request) => JSON.parse(request.postData()).texts));
    seen.requests.push(sent.length);
    seen.cookies ||= sent.some((request) => "cookie" in request.headers());
    await context.close();
  }
  console.log(JSON.stringify(seen));
} finally {
  await browser.close();
}
