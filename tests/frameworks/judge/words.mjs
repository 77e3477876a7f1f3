// Which words of a page are in the pseudo-locale: what `pipeline/src/engines/pseudo.rs` does to letters, backwards.

const lower = "áƀçðéƒğĥîĵķļɱñöþʠŕšţûṽŵẋýž";
const upper = "ÅƁÇÐÉƑĞĤÎĴĶĻṀÑÖÞǪŔŠŢÛṼŴẊÝŽ";
const arabic = "ابچدعفگهيجكلمنوپقرستؤڤثخىز";

const plain = new Map();
for (const alphabet of [lower, upper, arabic]) {
  [...alphabet].forEach((letter, place) => plain.set(letter, String.fromCharCode(97 + place)));
}

// What the pseudo engine would write, without the words that make a text longer.
export function decorate(text, locale) {
  const [small, large] = locale.startsWith("ar") ? [arabic, arabic] : [lower, upper];
  const change = (letter) => {
    const place = letter.toLowerCase().charCodeAt(0) - 97;
    return [...(letter === letter.toLowerCase() ? small : large)][place];
  };
  return `⟦${text.replace(/[a-z]/gi, change)}⟧`;
}

// The words of texts, in small letters: those that are plain, and those that are decorated, as they were before.
function count(texts) {
  const counted = { plain: new Map(), decorated: new Map() };
  for (const word of texts.flatMap((text) => text.match(/[\p{L}\p{M}]+/gu) ?? [])) {
    const isDecorated = !/[a-z]/i.test(word);
    const source = isDecorated ? [...word].map((letter) => plain.get(letter) ?? letter).join("") : word.toLowerCase();
    const words = isDecorated ? counted.decorated : counted.plain;
    words.set(source, (words.get(source) ?? 0) + 1);
  }
  return counted;
}

// How many of the words that the source shows a localized page shows decorated. Words that are plain count first, so
// that those which make a text longer hide none; plain words that the source does not have count as not translated.
export function score(source, localized) {
  const [wanted, seen] = [count(source).plain, count(localized)];
  const outcome = { all: 0, translated: 0, plain: [], missing: [] };
  for (const [word, times] of wanted) {
    const left = times - Math.min(times, seen.plain.get(word) ?? 0);
    const translated = Math.min(left, seen.decorated.get(word) ?? 0);
    outcome.all += times;
    outcome.translated += translated;
    if (translated < left) outcome.missing.push(word);
  }
  for (const [word, times] of seen.plain) {
    outcome.all += Math.max(0, times - (wanted.get(word) ?? 0));
    outcome.plain.push(word);
  }
  return outcome;
}
