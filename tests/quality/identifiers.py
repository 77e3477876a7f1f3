"""Counts identifiers that a translation changes: `identifiers.py LATIMER COUNT SEED ENGINE`.

COUNT English sentences are made, each with a dotted name, a name in camel or snake case, an option, a path, a command or a call.
A hundred more have the forms of sentences in real manuals. All are translated by `latimer render` as one page. A sentence may
stay in English; one that is translated has its identifiers. Ends with 1 and names the sentences where one differs.

With `hostile` as ENGINE, this file itself is the engine: it changes every word that it gets.
"""

import html
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

NOUNS = "user file name list path value config parser request session index buffer token cache node field image report".split()
VERBS = "get set load save parse build find open read write update remove create check send merge".split()
TYPES = "Error Parser List Map View Handler Client Reader Builder Manager Response Factory".split()
MODULES = "os sys json numpy pandas django requests collections typing asyncio logging urllib".split()
SENTENCES = [
    "The {} function returns a list of all names.",
    "Use {} to read the settings of your project.",
    "If {} is missing, the program stops with an error.",
    "You can pass {} when you start the server.",
    "We added {} in the last release.",
    "The default value of {} is empty.",
    "See {} for the details, or ask a friend.",
    "Do not change {} while the server is running.",
    "It calls {}, waits for the answer and goes on.",
    "Most people need {} only once (see below).",
    "When it is done, {} tells you the result.",
    "Both {} and the old way work today.",
]
# The form of sentences in manuals of Python packages, Rust crates, Java and JavaScript libraries, Debian and web servers.
MANUALS = [
    ("{0} is an alias of {1} and is kept for old code.", "dotted dotted"),
    ("Returns a new {0} with the fields of the old one.", "camel"),
    ("Raises {0} if the file cannot be read.", "camel"),
    ("Set {0} to a number between one and ten.", "snake"),
    ("The {0} attribute was renamed to {1} last year.", "snake snake"),
    ("Run it with {0} to see what would happen.", "option"),
    ("With {0}, or its long form {1}, nothing is written.", "option option"),
    ("The file {0} holds the settings of every user.", "path"),
    ("Copy {0} to {1} before you begin.", "path path"),
    ("After that, {0} installs what is missing.", "command"),
    ("Call {0} first, then {1} to close it.", "call call"),
    ("As of today, {0} no longer accepts {1}.", "call option"),
    ("{0} implements {1} for all types of numbers.", "camel camel"),
    ("Import {0} at the top of the module.", "dotted"),
    ("This is the same as {0}, but faster.", "call"),
    ("The {0} key (see {1}) takes a list of words.", "snake path"),
    ("“{0}” is what the server says in that case.", "camel"),
    ("Unlike {0}, it keeps the order of the words.", "dotted"),
    ("Each {0}: its name, its size and its owner.", "camel"),
    ("Type {0}; the answer is printed at once.", "command"),
]


def camel(chance):
    verb, noun = chance.choice(VERBS), chance.choice(NOUNS).title()
    return chance.choice([verb + noun, verb + noun + "s", noun + chance.choice(TYPES), noun + "By" + chance.choice(NOUNS).title()])


def snake(chance):
    parts = [chance.choice(VERBS), chance.choice(NOUNS), chance.choice(NOUNS)]
    name = "_".join(parts[: chance.choice([2, 3])])
    return chance.choice([name, name, name.upper(), "_" + name, f"__{parts[0]}__"])


def dotted(chance):
    module, noun, verb = chance.choice(MODULES), chance.choice(NOUNS), chance.choice(VERBS)
    return chance.choice([f"{module}.{noun}", f"{module}.{noun}.{verb}_{noun}", f"{module}.{noun.title()}{chance.choice(TYPES)}", f"std::{noun}::{noun.title()}"])


def option(chance):
    verb, noun = chance.choice(VERBS), chance.choice(NOUNS)
    return chance.choice([f"--{verb}", f"--{verb}-{noun}", f"--no-{noun}", f"--{noun}={verb}", f"-{verb[0]}"])


def path(chance):
    noun, other = chance.choice(NOUNS), chance.choice(NOUNS)
    return chance.choice([f"/etc/{noun}/{other}.conf", f"/usr/share/{noun}", f"src/{noun}/{other}.rs", f"~/.{noun}rc", f"{noun}.{chance.choice(['py', 'toml', 'json', 'html', 'yaml'])}", f"./{noun}.sh"])


def command(chance):
    return chance.choice(["pip install", "npm run", "cargo build", "git commit", "git push", "docker run", "apt-get update", "systemctl restart", "kubectl apply", "brew install"])


def call(chance):
    verb, noun = chance.choice(VERBS), chance.choice(NOUNS)
    return chance.choice([f"{verb}()", f"{verb}_{noun}()", f"{chance.choice(MODULES)}.{verb}()", f"{noun.title()}::new()", f"{verb}{noun.title()}()"])


KINDS = [camel, snake, dotted, option, path, command, call]


def corpus(count, chance):
    """Sentences, each with its identifiers."""
    made = []
    for _ in range(count):
        name = chance.choice(KINDS)(chance)
        made.append((chance.choice(SENTENCES).format(name), [name]))
    kinds = {kind.__name__: kind for kind in KINDS}
    for at in range(100):
        form, wanted = MANUALS[at % len(MANUALS)]
        names = [kinds[kind](chance) for kind in wanted.split()]
        made.append((form.format(*names), names))
    return made


def changed(word):
    """A word of the same kind that is another one."""
    return word[:-1] + ("a" if word[-1] != "a" else "o")


def be_hostile():
    """Answers as an engine that changes each word outside of tags; a marker such as XC1 is none."""
    for line in sys.stdin:
        ask = json.loads(line)
        parts = re.split(r"(<[^>]*>|&\w+;)", ask["text"])
        text = "".join(part if part[:1] in "<&" else re.sub(r"(?<![A-Za-z0-9])[A-Za-z]+(?![A-Za-z0-9])", lambda found: changed(found[0]), part) for part in parts)
        print(json.dumps({"id": ask["id"], "text": text}), flush=True)


def translated(latimer, texts, engine):
    """The texts as `latimer render` publishes them."""
    body = "\n".join(f"<p>{html.escape(text, quote=False)}</p>" for text in texts)
    page = f'<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>Names</title><body>\n{body}\n</body></html>'
    if engine == "hostile":
        engine = f"command:{sys.executable} {pathlib.Path(__file__).absolute()} hostile"
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "in.html").write_text(page, encoding="utf-8")
        command = [pathlib.Path(latimer).absolute(), "render", "--engine", engine, "--from", "en", "--to", "es", "in.html", "out.html"]
        done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
        if done.returncode not in (0, 6):
            sys.exit((done.stdout + done.stderr).decode())
        page = pathlib.Path(folder, "out.html").read_text(encoding="utf-8")
    made = [html.unescape(re.sub(r"<[^>]*>", "", text)) for text in re.findall(r"<p[^>]*>(.*?)</p>", page, re.DOTALL)]
    if len(made) != len(texts):
        sys.exit(f"{len(made)} of {len(texts)} texts came back")
    return made


def has(text, name):
    """The name is in the text as a whole word."""
    return re.search(rf"(?<![A-Za-z0-9_-]){re.escape(name)}(?![A-Za-z0-9_-])", text)


def main():
    if sys.argv[1:] == ["hostile"]:
        return be_hostile()
    latimer, count, seed, engine = sys.argv[1:5]
    sentences = corpus(int(count), random.Random(int(seed)))
    made = translated(latimer, [source for source, _ in sentences], engine)
    wrong = [(source, text) for (source, names), text in zip(sentences, made) if not all(has(text, name) for name in names)]
    for source, text in wrong:
        print(f"{source}\n  {text}")
    stayed = sum(source == text for (source, _), text in zip(sentences, made))
    print(f"{len(wrong)} of {len(sentences)} sentences have another identifier; {stayed} stayed in English")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
