"""translate-toolkit on the pages whose paths come in, one a line: html2po, a translation of every text, po2html.

Writes a line of JSON for each page: seconds of processor and of wall time for each of the two conversions, or null for
a page that it cannot convert. Both go over a PO file in memory, as the commands go over one on the disk; starting
Python and filling in translations are not counted.
"""

import io
import json
import sys
import time

from translate.convert import html2po, po2html
from translate.storage import po


def timed(work):
    cpu, wall = time.process_time(), time.perf_counter()
    result = work()
    return result, [time.process_time() - cpu, time.perf_counter() - wall]


def extract(page):
    catalogue = io.BytesIO()
    html2po.converthtml(io.BytesIO(page), catalogue, None)
    return catalogue.getvalue()


def fill(catalogue):
    store = po.pofile(io.BytesIO(catalogue))
    for unit in store.units:
        if unit.istranslatable():
            unit.target = "\u27e6" + unit.source + "\u27e7"
    return bytes(store)


def merge(catalogue, page):
    localized = io.BytesIO()
    po2html.converthtml(io.BytesIO(catalogue), localized, io.BytesIO(page))
    return localized.getvalue()


for path in sys.stdin:
    with open(path.rstrip("\n"), "rb") as file:
        page = file.read()
    try:
        catalogue, extracted = timed(lambda: extract(page))
        translated = fill(catalogue)
        _, merged = timed(lambda: merge(translated, page))
        print(json.dumps(extracted + merged), flush=True)
    except Exception as error:
        print(f"{path.rstrip()}: {error!r}", file=sys.stderr)
        print("null", flush=True)
