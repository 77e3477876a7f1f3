"""Counts facts that a translation changes: `facts.py LATIMER LOCALE COUNT SEED ENGINE [MODELS]`, with `es` or `pt`.

COUNT English sentences are made, each with a date, time, price, phone number, postal address, measure, version or weekday, and
translated by `latimer render` as one page. A sentence may stay in English; one that is translated has to say its fact, in one
of the ways that stand here. Ends with 1 and names the sentences where one does not.

With `hostile` as ENGINE, this file itself is the engine: it changes every tenth digit, drops words and takes `am` for a verb.
"""

import html
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

MONTHS = "January February March April May June July August September October November December".split()
DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
WORDS = {
    "es": {
        "months": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre".split(),
        "days": "lunes martes miércoles jueves viernes sábado domingo".split(),
        "am": r"a\. ?m\b|am\b|de la mañana|de la madrugada",
        "pm": r"p\. ?m\b|pm\b|de la tarde|de la noche",
        "units": {"kg": "kilogramo", "km": "kilómetro", "cm": "centímetro", "GB": "gigabyte", "ml": "mililitro"},
        "dollar": "dólar",
        "verb": "soy|estoy",
    },
    "pt": {
        "months": "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro".split(),
        "days": "segunda terça quarta quinta sexta sábado domingo".split(),
        "am": r"a\. ?m\b|am\b|da manhã|da madrugada",
        "pm": r"p\. ?m\b|pm\b|da tarde|da noite",
        "units": {"kg": "quilo", "km": "quil[óô]metro", "cm": "centímetro", "GB": "gigabyte", "ml": "mililitro"},
        "dollar": "dólar",
        "verb": "sou|estou",
    },
}
SENTENCES = {
    "date": ["The market opens on {} this year.", "Orders placed before {} arrive in time.", "The festival begins on {} in town."],
    "time": ["The shop opens at {} every day.", "Breakfast is served until {} in the garden.", "Doors close at {} sharp."],
    "price": ["A ticket costs {} for adults.", "The old book sold for {} last year.", "You save {} on each order."],
    "phone": ["Call us at {} before you come.", "Our number is {} for all questions.", "Send a message to {} at night."],
    "address": ["Visit our shop at {} this week.", "We moved to {} in the spring.", "Send letters to {} please."],
    "measure": ["The box weighs about {} when full.", "Keep {} of free space there.", "The river is {} from the house."],
    "version": ["It was added in version {} of the program.", "Install {} or newer.", "A bug was fixed in {} last month."],
    "weekday": ["The library is closed on {} in winter.", "New bread arrives every {} morning.", "We meet on {} after work."],
}


def bare(text):
    """A text without separators of digits."""
    return re.sub(r"[.,\s\xa0\u202f]", "", text)


def date(chance, words):
    month, day = chance.randrange(12), chance.randint(1, 28)
    year = chance.choice([None, chance.randint(1990, 2030)])
    fact = f"{MONTHS[month]} {day}" + (f", {year}" if year else "")
    names = [words["months"][month], MONTHS[month].lower()]
    return fact, lambda text: (
        re.search(rf"\b{day}[ºo]?\b", text)
        and any(name in text.lower() for name in names)
        and (not year or str(year) in text)
    )


def time(chance, words):
    hour, minute, half = chance.randint(1, 12), chance.choice([0, 0, 15, 30, 45]), chance.choice(["am", "pm"])
    minutes = f":{minute:02}" if minute or chance.random() < 0.5 else ""
    fact = f"{hour}{minutes}" + chance.choice(["{0}", " {0}", " {1}.m."]).format(half, half[0])
    of_day = hour % 12 + (12 if half == "pm" else 0)
    said = rf"(?::|h|\.| h ){minute:02}" if minute else r"(?:(?::|h|\.)00)?"

    def is_said(text):
        text = text.lower().replace("\xa0", " ").replace("\u202f", " ")
        if re.search(rf"(?<!\d)0?{of_day}{said}(?!\d)(?!\s?(?:{words['verb']}))", text) and (of_day >= 12 or half == "am"):
            return True
        return re.search(rf"(?<!\d)0?{hour}{said}", text) and re.search(words[half], text)

    return fact, is_said


def price(chance, words):
    amount = chance.choice([f"{chance.randint(1, 9999):,}", f"{chance.uniform(1, 200):.2f}"])
    return f"${amount}", lambda text: bare(amount) in bare(text) and ("$" in text or words["dollar"] in text.lower())


def phone(chance, _):
    fact = chance.choice(["+1 {0} 555 {1}", "({0}) 555-{1}", "0117 496 {1}"]).format(
        chance.randint(200, 999), chance.randint(1000, 9999)
    )
    return fact, lambda text: fact in text


def address(chance, _):
    name = chance.choice(["Bay View Street", "Main Avenue", "North Oak Road", "Harbor Lane", "Mill Pond Blvd"])
    street, code = f"{chance.randint(1, 999)} {name}", chance.randint(10000, 99999)
    town = chance.choice(["Portland, OR", "Austin, TX", "Boston, MA", "Denver, CO"])
    return f"{street}, {town} {code}", lambda text: street in text and f"{town[-2:]} {code}" in text


def measure(chance, words):
    amount, unit = chance.choice([str(chance.randint(2, 500)), f"{chance.uniform(1, 50):.1f}"]), chance.choice(list(words["units"]))
    named = rf"\b{unit}\b|{words['units'][unit]}"
    return f"{amount} {unit}", lambda text: bare(amount) in bare(text) and re.search(named, text)


def version(chance, _):
    number = f"{chance.randint(1, 20)}.{chance.randint(0, 30)}.{chance.randint(0, 9)}"
    return chance.choice(["", "v"]) + number, lambda text: number in text


def weekday(chance, words):
    day = chance.randrange(7)
    return DAYS[day], lambda text: words["days"][day] in text.lower() or DAYS[day].lower() in text.lower()


KINDS = [date, time, price, phone, address, measure, version, weekday]


def be_hostile():
    """Answers as an engine that spoils facts."""
    chance, digits = random.Random(7), 0
    known = {"the": "el", "a": "un", "shop": "tienda", "every": "cada", "day": "día", "in": "en", "at": "a las", "is": "es", "am": "soy"}
    for line in sys.stdin:
        ask = json.loads(line)
        text = ""
        for sign in ask["text"]:
            digits += sign.isdigit()
            text += str((int(sign) + 1) % 10) if sign.isdigit() and digits % 10 == 0 else sign
        words = text.split(" ")
        if len(words) > 3 and chance.random() < 0.7:
            del words[chance.randrange(len(words))]
        text = re.sub(r"(\d) ?am\b", r"\1soy", " ".join(known.get(word.lower(), word) for word in words))
        print(json.dumps({"id": ask["id"], "text": text}), flush=True)


def main():
    latimer, locale, count, seed, engine = sys.argv[1:6]
    chance, words = random.Random(int(seed)), WORDS[locale]
    sentences = []
    for _ in range(int(count)):
        kind = chance.choice(KINDS)
        fact, is_said = kind(chance, words)
        sentences.append((chance.choice(SENTENCES[kind.__name__]).format(fact), is_said))
    body = "\n".join(f"<p>{html.escape(text, quote=False)}</p>" for text, _ in sentences)
    page = f'<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>Facts</title><body>\n{body}\n</body></html>'
    engine = f"command:{sys.executable} {pathlib.Path(__file__).absolute()} hostile" if engine == "hostile" else engine
    models = ["--models", pathlib.Path(sys.argv[6]).absolute()] if len(sys.argv) > 6 else []
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/in.html", "w", encoding="utf-8") as file:
            file.write(page)
        command = [pathlib.Path(latimer).absolute(), "render", "--engine", engine, *models, "--from", "en", "--to", locale, "in.html", "out.html"]
        done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
        if done.returncode not in (0, 6):
            sys.exit((done.stdout + done.stderr).decode())
        with open(f"{folder}/out.html", encoding="utf-8") as file:
            made = [html.unescape(text) for text in re.findall(r"<p[^>]*>(.*?)</p>", file.read(), re.DOTALL)]
    if len(made) != len(sentences):
        sys.exit(f"{len(made)} of {len(sentences)} sentences came back")
    wrong = [(source, text) for (source, is_said), text in zip(sentences, made) if text != source and not is_said(text)]
    for source, text in wrong:
        print(f"{source}\n  {text}")
    stayed = sum(source == text for (source, _), text in zip(sentences, made))
    print(f"{len(wrong)} of {len(sentences)} sentences say another fact; {stayed} stayed in English")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    be_hostile() if sys.argv[1:] == ["hostile"] else main()
