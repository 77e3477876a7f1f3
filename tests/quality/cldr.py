"""Writes `fixtures/values/cldr.tsv`: dates, times, ranges and numbers of English as Babel writes them in other languages.

Needs Babel 2.19.0, which has the data of CLDR 49, as icu_datetime_data and icu_decimal_data 2.4.0 have. Run it as

    python3 tests/quality/cldr.py >fixtures/values/cldr.tsv

A row has the language, the kind, the English text and the expected one. Differences that say nothing of the data are made equal:

- Babel groups numbers of four digits in every language; CLDR waits for five in some (`minimumGroupingDigits`).
- Babel takes the digits of the language in dates; Latimer takes 0 to 9 unless `digits = "native"`.
- Latimer writes U+00A0 where CLDR has U+202F before the half of the day, which fewer fonts have.
- CLDR has two patterns for a long date. They differ in Hindi alone: `5 मार्च 2026` among its lengths, `5 मार्च, 2026` among its
  fields, which icu_datetime and so Latimer take.
- A text that begins with a capital in English keeps one, as in a cell of a table. Units stay as the source has them.
"""

import datetime
import sys

import babel
from babel import Locale, core
from babel.dates import format_date, format_skeleton, format_time
from babel.numbers import format_decimal, format_percent

LOCALES = "ar de es es_MX fa fr hi it ja pl pt_BR ru".split()
# Languages whose `minimumGroupingDigits` is 2 in CLDR 49.
GROUP_FROM_FIVE = {"es", "it", "pl"}
MONTHS = "January February March April May June July August September October November December".split()


def begun(text):
    return text[:1].upper() + text[1:]


def on(month, day, year=2026):
    return datetime.date(year, month, day)


def dates(locale):
    for date in (on(3, 5), on(11, 21, 1999), on(12, 1, 2024)):
        english = f"{MONTHS[date.month - 1]} {date.day}, {date.year}"
        yield "date", english, begun(format_skeleton("yMMMMd", date, locale=locale))
    for date in (on(1, 31), on(8, 9)):
        english = f"{MONTHS[date.month - 1]} {date.day}"
        yield "day", english, begun(format_skeleton("MMMMd", date, locale=locale))
    for date in (on(4, 7), on(11, 30)):
        yield "short-day", f"{MONTHS[date.month - 1][:3]} {date.day}", begun(format_skeleton("MMMd", date, locale=locale))
    for date in (on(2, 1), on(10, 1, 2019)):
        english = f"{MONTHS[date.month - 1]} {date.year}"
        yield "month", english, begun(format_skeleton("yMMMM", date, locale=locale))
    for date in (on(3, 4), on(3, 8)):
        yield "weekday", format(date, "%A"), begun(format_date(date, "EEEE", locale))


def clock(hour, minute):
    return datetime.time(hour, minute)


def short(time, locale):
    return format_time(time, "short", locale=locale).replace("\u202f", "\xa0")


def times(locale):
    for time in (clock(9, 5), clock(17, 30), clock(0, 15), clock(12, 0)):
        yield "time", f"{(time.hour - 1) % 12 + 1}:{time.minute:02} {'am' if time.hour < 12 else 'pm'}", short(time, locale)
    for first, last in ((clock(9, 0), clock(18, 0)), (clock(10, 30), clock(12, 45))):
        parts = [f"{(time.hour - 1) % 12 + 1}:{time.minute:02} {'a.m.' if time.hour < 12 else 'p.m.'}" for time in (first, last)]
        yield "range", " – ".join(parts), f"{short(first, locale)} – {short(last, locale)}"


def decimal(number, locale):
    grouped = number >= 10_000 or locale not in GROUP_FROM_FIVE
    return format_decimal(number, None, locale, group_separator=grouped, numbering_system="latn")


def numbers(locale):
    for number, english in ((1500, "1,500"), (15000, "15,000"), (1234567.5, "1,234,567.5"), (2.75, "2.75"), (500, "500")):
        yield "measure", f"{english} km", f"{decimal(number, locale)} km"
    yield "measures", "2.5–3.5 kg", f"{decimal(2.5, locale)}–{decimal(3.5, locale)} kg"
    for number, english in ((12.5, "12.5%"), (50, "50%"), (1250, "1,250%")):
        pattern = Locale.parse(locale).percent_formats[None].pattern.replace("##0", "##0.###")
        grouped = number < 1000 or locale not in GROUP_FROM_FIVE
        written = format_percent(number / 100, pattern, locale, group_separator=grouped, numbering_system="latn")
        yield "percentage", english, written


def main():
    if babel.__version__ != "2.19.0" or core.get_cldr_version() != "49":
        sys.exit(f"Babel 2.19.0 with CLDR 49 is needed; this is {babel.__version__}")
    print(f"# Made by tests/quality/cldr.py with Babel {babel.__version__} (CLDR {core.get_cldr_version()}).")
    for locale in LOCALES:
        tag = locale.replace("_", "-")
        for kind, english, expected in (*dates(locale), *times(locale), *numbers(locale)):
            print(f"{tag}\t{kind}\t{english}\t{in_latin(expected)}")


def in_latin(text):
    """A text with the digits 0 to 9; Babel has dates in those of the language only."""
    return "".join(str(int(sign)) if sign.isdecimal() else sign for sign in text)


if __name__ == "__main__":
    main()
