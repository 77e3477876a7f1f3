"""An engine as a file says: `moody.py MOOD`. Each text comes back between quills while the file says `well`; it ends at
the first text after so many as a number there says; any other word ends it at once."""

import json
import sys

mood = open(sys.argv[1]).read().strip()
left = sys.maxsize if mood == "well" else int(mood) if mood.isdigit() else 0

for line in sys.stdin:
    if left == 0:
        sys.exit(1)
    left -= 1
    ask = json.loads(line)
    print(json.dumps({"id": ask["id"], "text": "«" + ask["text"] + "»"}), flush=True)
