#!/usr/bin/env python3
"""The golden corpus: do two builds of the `ftlkit` command behave the same, byte for byte?

    scripts/corpus.py BINARY                     compare with the recorded hashes, tests/corpus/hashes.txt
    scripts/corpus.py NEW --against OLD          run both, and show what differs, as a diff
    scripts/corpus.py BINARY --write             record; only builds whose behaviour is right

A case is one or more commands in a folder of its own. Its hash is of their exit codes, standard output, standard error, and all
files that they leave. Cases: scripts/corpus_cases.py, scripts/corpus_random.py (500 drawn experiments) and
scripts/corpus_kept.py (block devices). Each has groups; --only and --without take names, groups and tags with wildcards. Tags:

    full    needs a feature that a small build may lack: Parquet, pages, PDF and PNG, TLS, zstd, papers, manual pages
    slow    papers: more than half of the time of all

Nothing of the machine reaches a hash. The commands get no HOME, locale, terminal or standard input. Replaced in what they
print and write, since it differs from build to build or from machine to machine:

    <dir>       the case's folder
    <version>   version and commit of the binary, in whatever it writes
    <build>     identity of the program in kept runs of a sweep: a hash of its sources
    <room>      room that a sparse image takes on the disk, which is the file system's own matter
    progress: … lines on standard error are left out
    <time>      estimate of a sweep's --dry-run, and how long a server of `serve --json` was up

Left out: `bench`, which measures the machine; `reproduce --out`, whose clock.txt does; serve's --latency, --watch, --metrics
and --record, which tell time.
"""

import argparse
import difflib
import hashlib
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.parse
from concurrent.futures import ThreadPoolExecutor, as_completed
from fnmatch import fnmatchcase
from pathlib import Path

import corpus_cases
import corpus_kept
import corpus_random

CORPUS = Path(__file__).resolve().parent.parent / "tests" / "corpus"
HASHES = CORPUS / "hashes.txt"
INPUTS = CORPUS / "inputs"
# A command that runs longer hangs: the slowest takes some minutes on a busy machine.
LONGEST_SECONDS = 1800


class Broken(Exception):
    """A case that could not be run to its end; its outcome says nothing."""


class Binary:
    """A build of the command."""

    def __init__(self, path):
        found = shutil.which(path)
        if not found:
            sys.exit(f"{path}: no such program")
        self.path = os.path.abspath(found)
        told = subprocess.run([self.path, "--version"], capture_output=True, check=False)
        if told.returncode != 0 or not told.stdout.startswith(b"ftlkit "):
            sys.exit(f"{path} --version: exit code {told.returncode}: {(told.stderr or told.stdout).decode()}")
        # 0.1.0 (0123456789ab), the commit only in a checkout; reports have the version alone.
        self.version = told.stdout.strip().removeprefix(b"ftlkit ")
        number = re.escape(self.version.split()[0])
        self.number = re.compile(rb"(?<![\d.])" + number + rb"(?!\d|\.\d)")

    def help_pages(self):
        """Names of all commands and subcommands with a page of help, found in the pages of those above them."""

        def below(words):
            page = subprocess.run([self.path, *words, "-h"], capture_output=True, text=True, check=False).stdout
            _, _, commands = page.partition("\nCommands:\n")
            for name in re.findall(r"^  ([a-z][a-z-]*)", commands.partition("\n\n")[0], re.MULTILINE):
                if name != "help":
                    yield [*words, name]
                    yield from below([*words, name])

        return [[], *below([])]


class Run:
    """A case that is being run: its folder, and what its commands told."""

    def __init__(self, binary, folder, case, threads=None):
        self.binary, self.folder, self.case = binary, folder, case
        self.parts = {}
        self.step = 0
        self.environment = {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C", "TZ": "UTC", "TMPDIR": str(folder)}
        if threads:
            self.environment["RAYON_NUM_THREADS"] = str(threads)

    def start(self, words, **options):
        """A process of the binary, in the case's folder."""
        # Help begins with the name that a program was called by.
        return subprocess.Popen(
            ["ftlkit", *words],
            executable=self.binary.path,
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            **options,
        )

    def ended(self, words, code, out, err):
        """Keeps what a process told at its end."""
        if code < 0 or code == 101:
            raise Broken(
                f"{shown(words)} ended by {'a panic' if code == 101 else signal.Signals(-code).name}: {err.decode()[-300:]}"
            )
        self.step += 1
        self.keep("exit", b"%d\n" % code)
        self.keep("stdout", out)
        # Lines of progress depend on how fast the machine is.
        lines = err.splitlines(keepends=True)
        self.keep("stderr", b"".join(line for line in lines if not line.startswith(b"progress: ")))

    def keep(self, name, data):
        """Keeps one part of the outcome; an empty one is as none."""
        if data:
            self.parts[f"{self.step}.{name}"] = self.normal(data)

    def command(self, line):
        """Runs a line: words, perhaps `< FILE`, perhaps `> FILE`."""
        words = shlex.split(line)
        to = words.pop() if len(words) > 1 and words[-2] == ">" else None
        words = words[:-1] if to else words
        source = None
        if len(words) > 1 and words[-2] == "<":
            source = (self.folder / words[-1]).read_bytes()
            words = words[:-2]
        stdin = subprocess.DEVNULL if source is None else subprocess.PIPE
        process = self.start(words, stdin=stdin)
        try:
            out, err = process.communicate(source, timeout=LONGEST_SECONDS)
        except subprocess.TimeoutExpired as late:
            process.kill()
            process.communicate()
            raise Broken(f"{shown(words)} ran for more than {LONGEST_SECONDS} s") from late
        if to:
            (self.folder / to).write_bytes(out)
            out = b""
        self.ended(words, process.returncode, out, err)

    def files(self, inputs):
        """Keeps all files that the case left but its unchanged inputs."""
        for path in sorted(self.folder.rglob("*")):
            name = path.relative_to(self.folder).as_posix()
            # Tables are Parquet, too, where a build can write it.
            if path.is_file() and ("full" in self.case.groups or not name.endswith(".parquet")):
                data = path.read_bytes()
                if inputs.get(name) != data:
                    self.parts[f"files/{name}"] = self.normal(data)

    def normal(self, data):
        """The bytes without what differs from build to build and from machine to machine."""
        for folder in {str(self.folder), os.path.realpath(self.folder)}:
            data = data.replace(folder.encode(), b"<dir>").replace(urllib.parse.quote(folder, safe="").encode(), b"<dir>")
        if data.startswith(b"PAR1"):
            # Binary: what replaces the version has its length.
            data = data.replace(self.binary.version, b"0" * len(self.binary.version))
            return self.binary.number.sub(lambda found: b"0" * len(found[0]), data)
        data = data.replace(self.binary.version, b"<version>")
        data = self.binary.number.sub(b"<version>", data)
        data = re.sub(rb'^\{"build":"[^"]*"', b'{"build":"<build>"', data)
        data = re.sub(rb'"allocated_bytes": \d+', b'"allocated_bytes": "<room>"', data)
        data = re.sub(rb"of which \S+ take room", b"of which <room> take room", data)
        return re.sub(rb"^time         about .+ with", b"time         about <time> with", data, flags=re.MULTILINE)


def run(binary, case, threads=None):
    """The parts of a case's outcome, and the seconds that it took."""
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="corpus-") as folder:
        folder = Path(folder)
        inputs = {name: (INPUTS / name).read_bytes() for name in case.inputs}
        inputs.update(case.texts)
        for name, data in inputs.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(data)
        ran = Run(binary, folder, case, threads)
        try:
            for step in case.steps:
                if callable(step):
                    step(ran)
                else:
                    ran.command(step)
            ran.files(inputs)
        except (Broken, OSError, subprocess.SubprocessError) as error:
            return {"broken": f"{error}\n".encode()}, time.monotonic() - begun
        return ran.parts, time.monotonic() - begun


def digest(parts):
    """Hash of an outcome."""
    hashed = hashlib.sha256()
    for name, data in sorted(parts.items()):
        hashed.update(f"{name} {hashlib.sha256(data).hexdigest()}\n".encode())
    return hashed.hexdigest()[:16]


def shown(words):
    """A command as a shell takes it."""
    return shlex.join(["ftlkit", *words])


def lines(data):
    """Lines to show: long ones are divided where something ends in them."""
    text = data.decode("utf-8", "backslashreplace")
    divided = (re.sub(r"(?<=[,;>{}])", "\n", line) if len(line) > 240 else line for line in text.splitlines())
    return [piece for line in divided for piece in line.split("\n")]


def difference(old, new, most):
    """A diff of two outcomes, of `most` lines at most."""
    told = []
    for name in sorted(old.keys() | new.keys()):
        before, after = old.get(name), new.get(name)
        if before == after:
            continue
        if before is None or after is None:
            told.append(f"{'-' if after is None else '+'} {name}: {len(before or after)} bytes, on this side alone")
            continue
        a, b = lines(before), lines(after)
        same = next((at for at, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
        first = max(0, same - 3)
        # What follows the first difference is cut: to diff two long files takes minutes.
        a, b = a[first : same + 400], b[first : same + 400]
        body = list(difflib.unified_diff(a, b, f"old {name}, from line {first + 1}", f"new {name}", lineterm="", n=2))
        told += body or [f"{name}: {len(before)} and {len(after)} bytes that differ in their ends of lines alone"]
    rest = len(told) - most
    return told[:most] + ([f"… {rest} more lines (--lines N)"] if rest > 0 else [])


def read_hashes():
    """The recorded hashes by name."""
    if not HASHES.exists():
        return {}
    return dict(line.split() for line in HASHES.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#"))


def write_hashes(hashes):
    """Records hashes, a line a case."""
    body = "".join(f"{name} {value}\n" for name, value in sorted(hashes.items()))
    HASHES.write_text(
        "# Written by `scripts/corpus.py BINARY --write`: name of a case, hash of its outcome.\n" + body, encoding="utf-8"
    )


def keep(folder, name, parts):
    """Writes an outcome below a folder, as it is hashed."""
    for part, data in parts.items():
        path = Path(folder) / name / part
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def chosen(name, groups, options):
    """Whether options choose a case; None if they leave it out by --without."""
    labels = {name, *groups}

    def fits(patterns):
        return any(fnmatchcase(label, pattern) for pattern in patterns for label in labels)

    if options.only and not fits(options.only):
        return False
    return None if fits(options.without) else True


def arguments():
    """The options."""
    head, _, rest = __doc__.partition("\n")
    parser = argparse.ArgumentParser(description=head, epilog=rest, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", metavar="BINARY", help="the ftlkit command under test")
    parser.add_argument(
        "--write",
        action="store_true",
        help="record: each case runs twice, the second time with one thread, and must be the same",
    )
    parser.add_argument(
        "--against", metavar="OTHER", help="compare with this binary, not with the hashes, and show differences"
    )
    parser.add_argument(
        "--only",
        metavar="GLOB",
        action="append",
        default=[],
        help="cases or groups to run, such as ssd or 'serial/*'; may be repeated",
    )
    parser.add_argument(
        "--without", metavar="GLOB", action="append", default=[], help="cases, groups or tags to skip, such as slow or full"
    )
    parser.add_argument(
        "--keep", metavar="DIR", help="keep the outcomes here, as they are hashed (of --against: in old and new)"
    )
    parser.add_argument("--limit", metavar="N", type=int, default=20, help="differing cases to show [default: 20]")
    parser.add_argument("--lines", metavar="N", type=int, default=40, help="lines of a diff [default: 40]")
    parser.add_argument("--jobs", metavar="N", type=int, default=os.cpu_count(), help="cases at once [default: the cores]")
    parser.add_argument("--list", action="store_true", help="print names, groups and commands; run nothing")
    parser.add_argument("--times", metavar="N", type=int, default=0, help="print the N slowest cases")
    parser.add_argument(
        "--make-inputs", action="store_true", help="make images and the sweep of tests/corpus/inputs anew, with this binary"
    )
    options = parser.parse_args()
    if options.write and options.against:
        parser.error("--write records one binary; --against compares two")
    return options


def check(case, binary, other, options, recorded):
    """Runs a case; tells whether it passed, what is wrong with it, and its hash."""
    parts, seconds = run(binary, case)
    wrong = parts.get("broken", b"").decode().splitlines()
    value = digest(parts)
    if options.keep:
        keep(Path(options.keep) / ("new" if other else ""), case.name, parts)
    if other:
        old, more = run(other, case)
        seconds += more
        if options.keep:
            keep(Path(options.keep) / "old", case.name, old)
        wrong = wrong or difference(old, parts, options.lines)
    elif options.write:
        again, more = run(binary, case, threads=1)
        seconds += more
        wrong = wrong or difference(parts, again, options.lines)
    elif not wrong and recorded.get(case.name) != value:
        wrong = ["is not recorded"] if case.name not in recorded else [f"{value}, recorded: {recorded[case.name]}"]
    return wrong, value, seconds


def main():
    """Runs the corpus; exit code 1 on a difference."""
    options = arguments()
    binary = Binary(options.binary)
    if options.make_inputs:
        return corpus_kept.make_inputs(binary, INPUTS, run)
    other = Binary(options.against) if options.against else None
    cases = [*corpus_cases.cases(binary, CORPUS), *corpus_random.cases(), *corpus_kept.cases(INPUTS)]
    names = [case.name for case in cases]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        sys.exit(f"two cases have one name: {sorted(twice)}")
    choice = {case.name: chosen(case.name, case.groups, options) for case in cases}
    todo = [case for case in cases if choice[case.name]]
    if options.list:
        for case in todo:
            print(f"{case.name}  [{' '.join(sorted(case.groups))}]  {case.told()}")
        return 0
    recorded = read_hashes()
    skipped = sum(choice[name] is None for name in names)
    failed, found, times = [], {}, []
    # The slowest first, so that no core waits for one of them at the end.
    todo.sort(key=lambda case: "slow" not in case.groups)
    with ThreadPoolExecutor(max(1, options.jobs)) as pool:
        running = {pool.submit(check, case, binary, other, options, recorded): case for case in todo}
        for done in as_completed(running):
            case = running[done]
            wrong, found[case.name], seconds = done.result()
            times.append((seconds, case.name))
            if wrong:
                failed.append(case.name)
                if len(failed) <= options.limit:
                    print(f"DIFFERS {case.name}: {case.told()}", *wrong, sep="\n    ", flush=True)
    if not other:
        # Of a case that is gone only the name is known; it may be of a feature that is left out.
        gone = [name for name in recorded if name not in choice and chosen(name, corpus_cases.groups_of(name), options)]
        if not options.write:
            for name in gone[: options.limit]:
                print(f"GONE {name}: it is recorded, and there is no such case any more")
            failed += gone
        elif not failed:
            left = {name: value for name, value in read_hashes().items() if name not in gone}
            write_hashes({**left, **found})
    for seconds, name in sorted(times, reverse=True)[: options.times]:
        print(f"{seconds:8.2f} s  {name}")
    if len(failed) > options.limit:
        print(f"… {len(failed) - options.limit} more (--limit N)")
    if failed and not options.write:
        one = f"{shlex.quote(options.binary)} --against OLD --only {shlex.quote(failed[0])}"
        print(f"what differs in one: scripts/corpus.py {one}")
    if failed and options.write:
        print("nothing is recorded: some cases are not the same each time")
    print(f"{len(todo) - len(set(failed) & set(found))} passed, {len(failed)} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
