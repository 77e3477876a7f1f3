"""An engine as a file says: `moody.py MOOD`. Each text comes back behind a mark while the file says `well`; it ends at
the first text after so many as a number there says, or answers no more where `wait` follows; any other word ends it at
once."""

import json
import sys
import time

mood = open(sys.argv[1]).read().strip()
waits = mood.endswith("wait")
mood = mood.removesuffix("wait").strip()
left = sys.maxsize if mood == "well" else int(mood) if mood.isdigit() else 0

for line in sys.stdin:
    if left == 0 and waits:
        time.sleep(600)
    if left == 0:
        sys.exit(1)
    left -= 1
    ask = json.loads(line)
    print(json.dumps({"id": ask["id"], "text": "¡" + ask["text"]}), flush=True)
