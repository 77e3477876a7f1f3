"""Measures translated markup on pages that people translated: `manuals.py ENGLISH THEIRS LATIMER ENGINE LOCALE [MODELS]`.
ENGINE is `fx`, `apertium`, or a pivot such as `fx:pt:apertium`. Needs sacrebleu and beautifulsoup4 from PyPI.

ENGLISH and THEIRS are folders of a manual in two languages with the same pages, such as `html/en-US` and `html/pt-BR` of
Debian's package debian-handbook, or those of aptitude-doc-en and aptitude-doc-es. Their blocks with inline markup are
aligned by their place on the page (where both pages have the same shape), written as one HTML page, translated by
`latimer build`, and compared with what people wrote: the text as a whole, the words inside of tags in paragraphs, titles
and cells, the tags, and what is code. The same texts without any markup tell what the engine can do at all; the run of
its words that is most like people's words inside of a tag tells what the best placement of that tag could reach.
"""

import html
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import sacrebleu
from bs4 import BeautifulSoup, Comment, NavigableString

INLINE = {"a", "b", "code", "em", "i", "span", "strong", "tt", "kbd"}
CODE = {"code", "tt", "kbd"}
# Tags of which the best placement is looked for, which takes time.
SAMPLE = 500


def kind(tag):
    """What a block is: a paragraph, a title, or a cell of a table or list; nothing for what is no block of text."""
    classes = set(tag.get("class") or [])
    if "title" in classes or re.fullmatch("h[1-6]", tag.name):
        return "titles"
    if tag.name in ("dt", "td", "th"):
        return "cells"
    return "paragraphs" if tag.name != "div" or "para" in classes else None


def blocks(page):
    """The texts of a page, in order: what has no other blocks inside."""
    soup = BeautifulSoup(page.read_text("utf-8"), "html.parser")
    names = ["div", "p", "dt", "dd", "li", "td", "th", "h1", "h2", "h3", "h4", "h5", "h6"]
    for navigation in soup.find_all(class_=["docnav", "navheader", "navfooter", "toc"]):
        navigation.decompose()
    found = [tag for tag in soup.find_all(names) if kind(tag) and not tag.find([*names, "ul", "ol", "dl", "pre", "table"])]
    for tag in found:
        for anchor in tag.find_all("a"):
            if not anchor.get_text(strip=True):
                anchor.decompose()
    return found


def plain(tag):
    return re.sub(r"\s+", " ", tag.get_text()).strip()


def inline(tag):
    return [inner for inner in tag.find_all(True) if inner.name in INLINE]


def write(tag, numbers):
    """A block as HTML in which each inline element has a number and no other attribute."""
    parts = []
    for child in tag.children:
        if isinstance(child, Comment):
            continue
        if isinstance(child, NavigableString):
            parts.append(html.escape(re.sub(r"\s+", " ", str(child)), quote=False))
        elif child.name in INLINE:
            numbers.append(child)
            number = len(numbers) - 1
            parts.append(f'<{child.name} data-n="{number}">{write(child, numbers)}</{child.name}>')
        else:
            parts.append(write(child, numbers))
    return "".join(parts)


def aligned(ours, theirs):
    """Pairs of blocks with the same tags, of which people translated the words."""
    seen = set()
    for page in sorted(ours.glob("*.html")):
        other = theirs / page.name
        if not other.exists():
            continue
        english, translated = blocks(page), blocks(other)
        if [tag.name for tag in english] != [tag.name for tag in translated]:
            continue
        for one, two in zip(english, translated):
            names = [[inner.name for inner in inline(tag)] for tag in (one, two)]
            words = len(plain(one).split())
            if not names[0] or sorted(names[0]) != sorted(names[1]) or not 4 <= words <= 80:
                continue
            if plain(one) == plain(two) or plain(one) in seen:
                continue
            seen.add(plain(one))
            yield one, two


CONFIGURATION = """[[site]]
id = "s"
source = "source"
source_locale = "en"
locales = ["{locale}"]
engine = "{engine}"
min_translated = 0.0
{pivot}
[engine.fx]
kind = "fx"
models = "{models}"
"""
PIVOT = '[engine.both]\nkind = "pivot"\nvia = "{1}"\nengines = ["{0}", "{2}"]'


def render(latimer, engine, locale, texts, models):
    """Translates texts of blocks, each with its element, as one page; returns each block's element."""
    body = "\n".join(f'<{name} id="b{index}">{text}</{name}>' for index, (name, text) in enumerate(texts))
    page = f'<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>Blocks</title><body>\n{body}\n</body></html>'
    names = engine.split(":")
    pivot = PIVOT.format(*names) if len(names) == 3 else ""
    with tempfile.TemporaryDirectory() as folder:
        site = pathlib.Path(folder)
        (site / "source").mkdir()
        (site / "source" / "index.html").write_text(page, "utf-8")
        wanted = {"locale": locale, "engine": "both" if pivot else engine, "pivot": pivot, "models": models}
        (site / "latimer.toml").write_text(CONFIGURATION.format(**wanted))
        done = subprocess.run([latimer, "build", "--quiet", "-c", site], capture_output=True, check=False)
        if done.returncode not in (0, 6):
            sys.exit((done.stdout + done.stderr).decode())
        soup = BeautifulSoup((site / "dist" / "s" / locale / "index.html").read_text("utf-8"), "html.parser")
        return [soup.find(id=f"b{index}") for index in range(len(texts))]


def spans(ours, numbers, theirs):
    """The words inside of tags that are no code, ours beside people's; of equal tags in the order of the source."""
    left = inline(theirs)
    for number, tag in enumerate(numbers):
        same = [inner for inner in left if inner.name == tag.name and inner.get("class") == tag.get("class")]
        if tag.get("href"):
            same = [inner for inner in same if inner.get("href") == tag.get("href")] or same
        if not same:
            continue
        left.remove(same[0])
        mine = ours.find(attrs={"data-n": str(number)})
        is_code = tag.name in CODE or tag.find_parent(list(CODE)) is not None
        yield is_code, plain(mine) if mine else "", plain(same[0]), plain(tag), plain(ours)


def likest(text, wanted):
    """The run of words of a text that is most like these words."""
    words, most = text.split(), len(wanted.split()) + 3
    runs = [" ".join(words[start:end]) for start in range(len(words)) for end in range(start + 1, start + most)]
    runs = [run.strip('.,;:()"“”') for run in runs]
    return max(runs, key=lambda run: sacrebleu.sentence_chrf(run, [wanted]).score, default="")


def main():
    ours, theirs = map(pathlib.Path, sys.argv[1:3])
    latimer, engine, locale = sys.argv[3:6]
    models = pathlib.Path(sys.argv[6] if len(sys.argv) > 6 else "models").resolve()
    pairs = list(aligned(ours, theirs))
    names = ["h2" if kind(one) == "titles" else "p" for one, _ in pairs]
    texts, numbers = [], []
    for one, _ in pairs:
        numbers.append([])
        texts.append(write(one, numbers[-1]).strip())
    marked = render(latimer, engine, locale, list(zip(names, texts)), models)
    words = [html.escape(plain(one), quote=False) for one, _ in pairs]
    bare = render(latimer, engine, locale, list(zip(names, words)), models)
    references = [plain(two) for _, two in pairs]
    report = {"engine": engine, "locale": locale, "blocks": len(pairs), "tags": sum(map(len, numbers))}
    for name, found in (("marked", marked), ("bare", bare)):
        said = [plain(tag) for tag in found]
        report[name] = {
            "chrF": round(sacrebleu.corpus_chrf(said, [references]).score, 2),
            "BLEU": round(sacrebleu.corpus_bleu(said, [references]).score, 2),
        }
    inside = [
        (kind(one), *found)
        for ours, known, (one, two) in zip(marked, numbers, pairs)
        for found in spans(ours, known, two)
    ]
    chrf = lambda said, people: round(sacrebleu.corpus_chrf(list(said), [list(people)]).score, 2)
    report["spans"] = {}
    for where in ("paragraphs", "titles", "cells"):
        for name, wanted in ((where, (True, False)), (f"{where}_without_code", (False,))):
            chosen = [found[2:5] for found in inside if found[0] == where and found[1] in wanted]
            if chosen:
                ours, people, source = zip(*chosen)
                report["spans"][name] = {
                    "number": len(ours),
                    "chrF": chrf(ours, people),
                    "chrF_untranslated": chrf(source, people),
                }
    chosen = [(plain(found), people) for (one, _), found, people in zip(pairs, bare, references) if kind(one) == "titles"]
    said, people = zip(*[(ours.lower(), theirs.lower()) for ours, theirs in chosen])
    report["titles"] = {"number": len(said), "chrF_case_ignored": chrf(said, people)}
    words = [found[2:] for found in inside if not found[1]]
    ours, people, _, said = zip(*random.Random(1).sample(words, min(SAMPLE, len(words))))
    best = [likest(text, wanted) for text, wanted in zip(said, people)]
    report["placement"] = {"sample": len(people), "chrF": chrf(ours, people), "chrF_best": chrf(best, people)}
    tree = lambda tags: sorted((tag.name, tag.get("data-n")) for tag in tags)
    kept = [tree(inline(ours)) == sorted((tag.name, str(n)) for n, tag in enumerate(known)) for ours, known in zip(marked, numbers)]
    report["tags_kept"] = sum(kept) / len(kept)
    code = [
        (ours.find(attrs={"data-n": str(number)}), tag)
        for ours, known in zip(marked, numbers)
        for number, tag in enumerate(known)
        if tag.name in CODE
    ]
    report["code"] = len(code)
    report["code_unchanged"] = sum(found is not None and plain(found) == plain(tag) for found, tag in code) / max(len(code), 1)
    print(json.dumps(report, indent=1))
    if "--show" in sys.argv:
        for (one, two), ours in list(zip(pairs, marked))[:: max(len(pairs) // 25, 1)]:
            print("EN", one.decode_contents().strip()[:400], "\nUS", ours.decode_contents()[:400], "\nTH", two.decode_contents().strip()[:400], "\n")


main()
