"""Cases of the golden corpus (scripts/corpus.py) that are commands: tests/corpus/cases.txt, pages of help, and faulty files."""

import re
from fnmatch import fnmatchcase

# Tags by the names of cases.
TAGS = {
    # Of features that a small build may lack: groups that need one, and pages of help that tell of one.
    "full": [
        *["html/*", "parquet/*", "pdf/*", "papers/*", "copyback/*", "errors/copyback*", "man/*", "zstd/*", "completions/*", "*-full"],
        *["help/ftlkit", "help/compare", "help/run", "help/sweep", "help/choose", "help/fit", "help/serve", "help/explain"],
        *["help/reproduce", "help/copyback", "help/man", "help/trace-convert"],
    ],
    "slow": ["papers/all-*"],
}
NO_REQUESTS = "arrival_ns,op,offset_bytes,length_bytes\n"
SOME_REQUESTS = NO_REQUESTS + "".join(f"{at * 1000},write,{at * 4096},4096\n" for at in range(20))
FAULTY_TRACES = {
    "empty": ("e.csv", ""),
    "prose": ("e.txt", "It was a dark and stormy night.\n"),
    "header": ("e.csv", NO_REQUESTS),
    "noise": ("e.bin", bytes((at * 2_654_435_761 % 2**32) >> 24 for at in range(4000))),
    "cut": ("e.csv", SOME_REQUESTS + "30000,write,4096,"),
    "word": ("e.csv", SOME_REQUESTS + "5,write,soon,4096\n"),
    "op": ("e.csv", SOME_REQUESTS + "5,rite,0,4096\n"),
    "column": ("e.csv", SOME_REQUESTS.replace("offset_bytes", "offset")),
    "gz": ("e.csv.gz", bytes([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 0x4B, 0x4C])),
    "five": ("e.txt", "0 0 8 8 1\n10 0 16 8 0\n"),
    "zero-length": ("e.csv", SOME_REQUESTS + "5,write,0,0\n"),
    "negative": ("e.csv", SOME_REQUESTS + "5,write,-4096,4096\n"),
    "huge": ("e.csv", SOME_REQUESTS + "5,write,18446744073709551615,4096\n"),
    "order": ("e.csv", SOME_REQUESTS + "5,write,0,4096\n"),
}
FAULTY_EXPERIMENTS = {
    "key": "seed = 3\nschemas = ['fsr']\n",
    "type": "seed = 'one'\n",
    "syntax": "seed = \n",
    "table": "[workload]\nname = 'uniform'\nrequest = 5\n",
    "part": "[part]\npage_bytes = 4096\n",
    "part-type": "schemes = ['fsr']\n\n[part]\nbase = 'toshiba-slc'\nt_prog_ns = 'soon'\n",
    "scheme": "capacity = '16MiB'\nschemes = [\n  'page-level',\n  'fsl',\n]\n",
    "scheme-key": "schemes = [{ name = 'fsr', cmt_byts = 4096 }]\n",
    "workload": "workload = 'unifrom'\n",
    "parameter": "[workload]\nname = 'zipf'\n[workload.parameters]\ntheta = 'hot'\n",
    "channels": "part = 'ddt-mlc'\nchannels = 0\n",
    "duplicate": "seed = 1\nseed = 2\n",
    "empty": " \n",
    "binary": b"\xff\xfe\x00\x01",
    "sweep": "workload = 'uniform'\n[sweep]\nshare = 'some'\n",
    "trace": "schemes = ['fsr']\n[workload]\ntrace = 'none.csv'\n",
    "sha256": "schemes = ['fsr']\nworkload = 't.csv'\n[sha256]\n't.csv' = 'ab'\n",
    "job": "part = 'ddt-mlc'\nchannels = 2\n[[workload.jobs]]\nworkload = 'uniform'\nnme = 'a'\n",
    "unicode": "# ä, ö: the mark stands where it should\nschemes = ['fsr'] # ö\nsede = 4\n",
}
FAULTY_PARTS = {
    "type": "page_bytes = 4096\npages_per_block = 'x'\n",
    "zero": "base = 'toshiba-slc'\nt_prog_ns = 0\n",
    "time": "page_bytes = 4096\nt_r_ns = 'soon'\n",
    "base": "base = 'toshiba-scl'\n",
}
FAULTY_TASKS = {
    "operation": "[[tasks]]\nname = 'a'\noperation = 'wrote'\nperiod = '1ms'\n",
    "unit": "[[tasks]]\nname = 'a'\noperation = 'write'\nperiod = 'soon'\n",
    "none": "requests = 5\n",
}
FAULTY_POINTS = {
    "column": "fil,waf\n1,3\n",
    "value": "fill,waf\n1,high\n",
    "below": "fill,waf\n1,0.5\n",
    "workload": "workload,waf\nzip,3\n",
    "none": "fill,waf\n",
}


class Case:
    """Commands in a folder of its own, with the files that they begin with: inputs by name, texts by name and content."""

    def __init__(self, name, steps, inputs=(), texts=None):
        self.name, self.steps, self.inputs = name, steps, inputs
        self.texts = {file: text.encode() if isinstance(text, str) else text for file, text in (texts or {}).items()}
        self.groups = groups_of(name)

    def told(self):
        """The commands, for people."""
        return " && ".join(step.__doc__ if callable(step) else f"ftlkit {step}" for step in self.steps)


def groups_of(name):
    """Groups and tags of a case of this name."""
    return {name.split("/")[0]} | {tag for tag, names in TAGS.items() if any(fnmatchcase(name, fits) for fits in names)}


class Inputs:
    """Files of tests/corpus/inputs."""

    def __init__(self, folder):
        self.folder = folder
        self.names = {path.name for path in folder.iterdir()} if folder.is_dir() else set()

    def named_by(self, steps, texts):
        """Those that commands name, or texts, or experiments among them."""
        found, todo = set(), [*steps, *(text for text in texts.values() if isinstance(text, str))]
        while todo:
            words = set(re.findall(r"[\w.-]+", todo.pop()))
            # A trace in several files is named without their numbers.
            new = (words | {f"{word}.0" for word in words}) & self.names - found - set(texts)
            found |= new
            todo += [(self.folder / name).read_text(encoding="utf-8") for name in new if name.endswith(".toml")]
        return sorted(found)


def plain(text):
    """A text as part of a case's name."""
    return re.sub(r"[^\w.+-]+", "-", text).strip("-")


def of_file(text):
    """Name and commands of each case of cases.txt."""
    words, lists = {}, {}
    prefix, template = "", "…"

    def filled(text, item=None):
        for name, value in ({**words, **(item or {})}).items():
            text = text.replace(f"{{{name}}}", value)
        return text

    for line in re.sub(r"\n[ \t]+", " ", re.sub(r"^#.*\n", "", text, flags=re.MULTILINE)).splitlines():
        if found := re.match(r"(\w+) = (.+)", line):
            words[found[1]] = filled(found[2])
        elif found := re.match(r"(\w+) : (.+)", line):
            lists[found[1]] = found[2].split()
        elif found := re.match(r"\[(\S+)\] ?(.*)", line):
            prefix, template = found[1], filled(found[2]) or "…"
        elif line:
            name, _, rest = line.partition(" ")
            listed = re.search(r"\{(\w+)\}", name)
            for value in lists[listed[1]] if listed else [""]:
                item = {listed[1]: value} if listed else None
                command = template.replace("…", filled(rest, item)) if "…" in template else f"{template} {filled(rest, item)}"
                full = prefix + plain(filled(name.lstrip("*"), item))
                steps = [step.strip() for step in command.split("&&")]
                if not name.startswith("*"):
                    yield full, steps
                    continue
                yield f"{full}-json", [f"{steps[0]} --json"]
                yield f"{full}-table", steps
                yield f"{full}-details", [f"{steps[0]} --details"]
                yield f"{full}-file", [f"{steps[0]} --dry-run > e.toml", "run e.toml --json --quiet"]


def of_help(binary):
    """A case for each page of help that the binary names, short and long."""
    for words in binary.help_pages():
        yield f"help/{'-'.join(words) or 'ftlkit'}", [" ".join([*words, form]) for form in ("-h", "--help")]


def of_faulty_files():
    """Name, commands and files of what is wrong with a file."""
    for name, (file, text) in FAULTY_TRACES.items():
        yield f"errors/trace-{name}", [f"trace info {file}", f"compare {file} --schemes fsr --capacity 16MiB"], {file: text}
    for kind, texts, steps in (
        ("experiment", FAULTY_EXPERIMENTS, ["run e.toml"]),
        ("part", FAULTY_PARTS, ["compare --part-file e.toml", "bounds --part-file e.toml"]),
        ("tasks", FAULTY_TASKS, ["bounds --tasks e.toml", "compare --tasks e.toml"]),
        ("points", FAULTY_POINTS, ["fit e.csv"]),
    ):
        for name, text in texts.items():
            yield f"errors/{kind}-{name}", steps, {"e.csv" if kind == "points" else "e.toml": text}


def cases(binary, corpus):
    """All of them; `corpus` is the folder tests/corpus."""
    inputs = Inputs(corpus / "inputs")
    listed = [*of_file((corpus / "cases.txt").read_text(encoding="utf-8")), *of_help(binary)]
    for name, steps, texts in [*((name, steps, {}) for name, steps in listed), *of_faulty_files()]:
        yield Case(name, steps, inputs.named_by(steps, texts), texts)
