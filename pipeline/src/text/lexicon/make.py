#!/usr/bin/python3
"""Writes `words.tsv`: names of months, days, times of the day, numbers, units and currencies in many languages.

The source is the Unicode CLDR as ICU has it (Unicode licence). Needs PyICU (Debian's python3-icu).
A row has the language, the kind, the key, and the forms with `|` between them. Run it as

    /usr/bin/python3 pipeline/src/text/lexicon/make.py >pipeline/src/text/lexicon/words.tsv
"""

import re

import icu

LANGUAGES = """ar bg bn ca cs cy da de el en es et eu fa fi fr ga gl gu he hi hr hu hy id is it ja ka kk kn ko lt lv mk
ml mr ms nb nl nn pa pl pt pt-PT ro ru sk sl sq sr sv sw ta te th tr uk ur uz vi zh zh-Hant""".split()
UNITS = """kilogram gram milligram pound ounce kilometer meter centimeter millimeter mile foot inch yard celsius
fahrenheit liter milliliter gallon byte kilobyte megabyte gigabyte terabyte watt kilowatt kilowatt-hour volt
megahertz gigahertz kilocalorie kilojoule kilometer-per-hour mile-per-hour square-meter square-foot""".split()
CURRENCIES = "USD EUR GBP JPY CNY INR CHF CAD AUD BRL MXN KRW RUB PLN SEK".split()
NUMBERS = [*range(0, 21), 30, 40, 50, 60, 70, 80, 90, 100]
SHOWN = [1, 2, 3, 5, 11, 21, 1.5]


def words(text):
    """A form without its number, marks of direction and white space around it."""
    text = re.sub(r"[\u200e\u200f\u061c\u202f\u00a0]", " ", text)
    text = re.sub(r"[\d٠-٩۰-۹०-९০-৯]+([.,٫][\d٠-٩۰-۹०-९০-৯]+)?", " ", text)
    return re.sub(r"\s+", " ", text).strip().lower()


def months(locale):
    for number in range(12):
        yield f"month\t{number + 1}", [
            names[number]
            for context in (icu.DateFormatSymbols.FORMAT, icu.DateFormatSymbols.STANDALONE)
            for names in [icu.DateFormatSymbols(locale).getMonths(context, icu.DateFormatSymbols.WIDE)]
        ]
        yield f"short-month\t{number + 1}", [
            names[number].rstrip(".")
            for context in (icu.DateFormatSymbols.FORMAT, icu.DateFormatSymbols.STANDALONE)
            for names in [icu.DateFormatSymbols(locale).getMonths(context, icu.DateFormatSymbols.ABBREVIATED)]
        ]


def days(locale):
    symbols = icu.DateFormatSymbols(locale)
    for number in range(7):
        for kind, width in (("day", symbols.WIDE), ("short-day", symbols.ABBREVIATED)):
            contexts = (symbols.FORMAT, symbols.STANDALONE)
            yield f"{kind}\t{number}", [
                symbols.getWeekdays(context, width)[number + 1].rstrip(".") for context in contexts
            ]


def times(locale):
    periods = {"am": set(), "pm": set()}
    for hour in range(24):
        half = "am" if hour < 12 else "pm"
        for pattern in ("a", "aaaaa", "B", "BBBB"):
            form = icu.SimpleDateFormat(pattern, locale)
            form.setTimeZone(icu.TimeZone.getGMT())
            periods[half].add(form.format(float(hour * 3600)))
    for half, forms in periods.items():
        yield f"{half}\t-", sorted(forms)


def numbers(locale):
    form = icu.RuleBasedNumberFormat(icu.URBNFRuleSetTag.SPELLOUT, locale)
    names = [form.getRuleSetName(index) for index in range(form.getNumberOfRuleSetNames())]
    for kind, shown, part in (("number", NUMBERS, "cardinal|numbering$"), ("ordinal", range(1, 13), "ordinal")):
        sets = [name for name in names if re.search(f"%spellout-({part})", name) and "financial" not in name]
        for number in shown:
            forms = []
            for name in sets:
                form.setDefaultRuleSet(name)
                forms.append(form.format(number).replace("\u00ad", ""))
            yield f"{kind}\t{number}", forms


def scales(locale):
    long, short = icu.Notation.compactLong(), icu.Notation.compactShort()
    for exponent, notation in ((exponent, notation) for notation in (long, short) for exponent in range(3, 15)):
        form = icu.NumberFormatter.withLocale(locale).notation(notation)
        forms = {}
        for first in (1, 2, 5, 20, 50, 200):
            text = form.formatDouble(float(first * 10**exponent))
            digits = [character for character in text if icu.Char.isdigit(character)]
            power = len(str(first * 10**exponent)) - len(digits)
            name = words(text).rstrip(".").lstrip(", ")
            if digits and (len(name) > 1 or notation is long):
                forms.setdefault(power, []).append(name)
        for power, found in forms.items():
            yield f"scale\t{power}", found


def units(locale):
    for unit in UNITS:
        forms = []
        for width in (icu.UNumberUnitWidth.FULL_NAME, icu.UNumberUnitWidth.SHORT, icu.UNumberUnitWidth.NARROW):
            form = icu.NumberFormatter.withLocale(locale).unit(icu.MeasureUnit.forIdentifier(unit)).unitWidth(width)
            forms += [words(form.formatDouble(number)).rstrip(".") for number in SHOWN]
        yield f"unit\t{unit}", forms


def currencies(locale):
    for code in CURRENCIES:
        forms = []
        for width in (icu.UNumberUnitWidth.FULL_NAME, icu.UNumberUnitWidth.SHORT, icu.UNumberUnitWidth.NARROW):
            form = icu.NumberFormatter.withLocale(locale).unit(icu.CurrencyUnit(code)).unitWidth(width)
            forms += [words(form.formatDouble(number)).rstrip(".") for number in SHOWN]
        yield f"currency\t{code}", forms


def main():
    for language in LANGUAGES:
        locale = icu.Locale.forLanguageTag(language)
        rows = {}
        for part in (months, days, times, numbers, scales, units, currencies):
            for key, forms in part(locale):
                known = rows.setdefault(key, [])
                for form in sorted(forms, key=len) if key.startswith(("scale", "unit")) else forms:
                    form = form.lower() if "month" in key else words(form)
                    # A longer form that begins with another one is found with it.
                    if form and not any(form.startswith(shorter) and len(shorter) > 4 for shorter in known):
                        known.append(form)
        for key, forms in rows.items():
            if forms:
                print(f"{language}\t{key}\t{'|'.join(dict.fromkeys(forms))}")


main()
