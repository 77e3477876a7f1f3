// A browser that loads nothing but the pages of a test: $CHROMIUM, driven by the puppeteer-core that stands in the
// folder $NODE_PATH.

import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const modules = process.env.NODE_PATH ?? join(here, "../../../target/test-browser/node_modules");

/// What stands in the folder of packages.
export const required = createRequire(`${modules}/`);

/// Starts it. With a port, every host under `.test` is the server that listens there.
export function launch({ port, args = [] } = {}) {
  const hosts = port
    ? [
        "--disable-features=HttpsUpgrades,HttpsFirstBalancedModeAutoEnable",
        `--host-resolver-rules=MAP *.test 127.0.0.1:${port}`,
      ]
    : [];
  return required("puppeteer-core").launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking", ...hosts, ...args],
  });
}
