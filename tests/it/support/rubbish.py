"""An engine that answers some texts with rubbish: `rubbish.py MODE EVERY` spoils about one text in EVERY."""

import json
import re
import sys
import threading

mode, every = sys.argv[1], int(sys.argv[2])
out = sys.stdout.buffer


def good(text):
    """The same words with capitals, whether a text comes whole or sentence by sentence."""
    return re.sub(r"(?<![\w&@./-])[a-z]{3,}(?![\w;@./-])", lambda match: match[0].capitalize(), text)


def say(line):
    out.write(line + b"\n")
    out.flush()


def answer(number, text):
    say(json.dumps({"id": number, "text": text}).encode())


SPOILT = {
    "good": good,
    "drops_codes": lambda text: good(re.sub(r"</?[gx][^>]*>", "", text)),
    "doubles_codes": lambda text: good(re.sub(r"(<g[^>]*>.*</g>|<x[^>]*/>)", r"\1\1", text)),
    "script": lambda text: good(text) + "<script>alert(1)</script>",
    "entity": lambda text: "&lt;",
    "empty": lambda text: "",
    "long": lambda text: "word " * 20_000,
    "nul": lambda text: good(text) + "\0",
}

for line in sys.stdin:
    ask = json.loads(line)
    number, text = ask["id"], ask["text"]
    if sum(text.encode()) % every:
        answer(number, good(text))
    elif mode in SPOILT:
        answer(number, SPOILT[mode](text))
    elif mode == "not_utf8":
        say(b'{"id": %d, "text": "caf\xe9"}' % number)
    elif mode == "twice":
        answer(number, good(text))
        answer(number, "the second answer")
    elif mode == "hangs":
        threading.Event().wait()
    elif mode == "dies":
        sys.exit(1)
    else:
        assert mode == "missing", mode
