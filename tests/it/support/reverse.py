"""An engine that reverses the words of each text and the order of its inline codes, and keeps them well nested."""

import json
import re
import sys

CODE = re.compile(r'(<g id="\d+">|</g>|<x id="\d+"/>)')


def reverse(text):
    turned, opened = [], []
    for piece in CODE.split(text):
        if piece.startswith("<g "):
            opened.append(piece)
            turned.append("</g>")
        elif piece == "</g>":
            turned.append(opened.pop())
        elif piece.startswith("<x "):
            turned.append(piece)
        else:
            turned.append(" ".join(reversed(piece.split(" "))))
    return "".join(reversed(turned))


for line in sys.stdin:
    ask = json.loads(line)
    print(json.dumps({"id": ask["id"], "text": reverse(ask["text"])}), flush=True)
