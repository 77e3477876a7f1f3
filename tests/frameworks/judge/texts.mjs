// Writes a PO file for a pseudo-locale: `node texts.mjs FILE.po LOCALE`, every text of FILE.po decorated as the pseudo
// engine would, for the texts that stand on no page.

import { readFileSync } from "node:fs";
import { decorate } from "./words.mjs";

// What stands in braces is a name.
const decorated = (text, locale) =>
  text
    .split(/(\{\w+\})/)
    .map((part, at) => (at % 2 || !part.trim() ? part : decorate(part, locale)))
    .join("");

const [file, locale] = process.argv.slice(2);
const texts = [...readFileSync(file, "utf8").matchAll(/^msgid "(.+)"$/gm)].map(([, text]) => text);
console.log(`msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\nLanguage: ${locale}\\n"\n`);
for (const text of texts) console.log(`msgid "${text}"\nmsgstr "${decorated(text, locale)}"\n`);
