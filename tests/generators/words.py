"""An engine for the judge of searches: a few real words of each language, and every other word in the letters of that
language, so that no word of the source is left. Japanese has no spaces between words."""

import json
import re
import sys

LANGUAGES = ("es", "de", "ar", "ja")
# Real words that the judge types.
WORDS = {
    "page": ("página", "Seite", "صفحة", "頁面"),
    "pages": ("páginas", "Seiten", "صفحات", "頁面"),
    "language": ("idioma", "Sprache", "لغة", "言語"),
    "languages": ("idiomas", "Sprachen", "لغات", "言語"),
    "server": ("servidor", "Dienstrechner", "خادم", "サーバー"),
    "budget": ("presupuesto", "Haushaltsgröße", "ميزانية", "予算"),
    "glossary": ("glosario", "Wörterverzeichnis", "معجم", "用語集"),
    "deployment": ("despliegue", "Bereitstellung", "إصدار", "配備"),
}
LETTERS = "abcdefghijklmnopqrstuvwxyz"
ALPHABETS = {
    "es": "ábçdéfghíjklmñópqrstúvwxyz",
    "de": "äbcdefghijklmnöpqrßtüvwxyz",
    "ar": "ابجدهفغحيجكلمنوبقرستوفوكيز",
    "ja": "アブクドエフグハイジカルムノオプキラソトウヴワザヤゼ",
}
CODE = re.compile(r"(<g id=\"\d+\">|</g>|<x id=\"\d+\"/>|&\w+;|\{[^}]*\}|https?://\S+)")


def word(match, language):
    text = match.group()
    known = WORDS.get(text.lower())
    if known:
        return known[LANGUAGES.index(language)]
    return text.lower().translate(str.maketrans(LETTERS, ALPHABETS[language]))


def say(text, language):
    pieces = CODE.split(text)
    for index in range(0, len(pieces), 2):
        pieces[index] = re.sub(r"[A-Za-z]+", lambda match: word(match, language), pieces[index])
        if language == "ja":
            # A particle stands between many words, and no space.
            pieces[index] = re.sub(r"(?<=[^\x00-\x7f]) (?=[^\x00-\x7f])", "の", pieces[index])
    return "".join(pieces)


for line in sys.stdin:
    ask = json.loads(line)
    print(json.dumps({"id": ask["id"], "text": say(ask["text"], ask["to"][:2])}), flush=True)
