#!/usr/bin/env python3
"""Installs the files of a release into clean roots without a compiler, and runs the command and the Python package there.

    scripts/install_release.py [DIR] [--suite NAME]...      default: target/release-files, bookworm and bullseye

First the wheel in a fresh virtual environment of this machine, with nothing else on PATH. Then, as root with debootstrap
(Debian: apt-get install debootstrap), in a Debian of each suite: the .deb by dpkg, the tarball in /usr/local, the wheel by pip
where the suite's Python is 3.10 or newer. All must print the same report. What cannot be done is counted as skipped.
"""

import argparse
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
COMPILERS = ("cc", "gcc", "clang", "rustc", "ld")
IN_PYTHON = "import ftlkit; print(ftlkit.compare().to_json())"
#: The command, by its path, and what lies beside it in a folder `share/`.
BESIDE = ("man/man1/ftlkit-compare.1", "bash-completion/completions/ftlkit", "doc/ftlkit/third-party-licences.txt")


class Checks:
    def __init__(self):
        self.passed, self.failed, self.skipped, self.report = 0, 0, 0, None

    def run(self, what, words, **options):
        """Runs a command; its output, or nothing if it failed, which is counted. Tells its time."""
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, **options)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        self.say(what, done.returncode == 0, f"{time.monotonic() - start:.1f} s, {used:.1f} s of processor time", done.stderr)
        return done.stdout if done.returncode == 0 else None

    def say(self, what, so, figures="", error=""):
        self.passed, self.failed = self.passed + so, self.failed + (not so)
        print(f"{'ok' if so else 'FAILED'}: {what}" + f" ({figures})" * bool(figures) + f"\n{error}" * (not so), flush=True)

    def skip(self, what):
        self.skipped += 1
        print(f"SKIPPED: {what}", flush=True)

    def same(self, what, words, **options):
        """A report: that of every other build and place."""
        if printed := self.run(what, words, **options):
            self.report = self.report or printed
            self.say(f"{what}: the same report as the others", printed == self.report and '"page-level"' in printed)

    def beside(self, what, share):
        lacks = [name for name in BESIDE if not any((share / (name + end)).exists() for end in ("", ".gz"))]
        self.say(f"{what}: manual pages, completions, licences", not lacks, error=str(lacks))


def of_venv(checks, wheel, scratch):
    folder = scratch / "venv"
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    clean = {"PATH": f"{folder}/bin", "HOME": str(scratch), "COLUMNS": "100"}
    checks.run("wheel in a fresh environment: pip install", [folder / "bin/pip", "install", "--no-index", wheel], env=clean, cwd=scratch)
    checks.same("wheel: ftlkit compare", [folder / "bin/ftlkit", "compare", "--json"], env=clean, cwd=scratch)
    checks.same("wheel: ftlkit.compare()", [folder / "bin/python", "-c", IN_PYTHON], env=clean, cwd=scratch)
    checks.beside("wheel", folder / "share")


def root_of(suite):
    """A Debian of a suite, made once; nothing if it cannot be."""
    kept = ROOT / "target/release-roots" / suite
    if not kept.exists():
        made = kept.with_suffix(".new")
        shutil.rmtree(made, ignore_errors=True)
        made.parent.mkdir(parents=True, exist_ok=True)
        words = ["debootstrap", "--variant=minbase", "--include=python3-venv", suite, made]
        if subprocess.run([str(word) for word in words], stdout=subprocess.DEVNULL, check=False).returncode:
            return None
        made.rename(kept)
    return kept


def of_suite(checks, suite, files, scratch):
    kept = root_of(suite)
    if not kept:
        return checks.skip(f"{suite}: debootstrap cannot make it; its reason is above")
    root = scratch / suite
    subprocess.run(["cp", "-a", "--reflink=auto", str(kept), str(root)], check=True)
    for file in files.values():
        shutil.copy(file, root / "root")

    def inside(*words):
        return ["env", "-i", "PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root", "chroot", root, *words]

    there = [name for name in COMPILERS if list(root.glob(f"usr/bin/{name}"))]
    checks.say(f"{suite} has no compiler", not there, error=str(there))
    if "deb" in files:
        checks.run(f"{suite}: dpkg -i", inside("dpkg", "-i", f"/root/{files['deb'].name}"))
        checks.same(f"{suite}, .deb: ftlkit compare", inside("/usr/bin/ftlkit", "compare", "--json"))
        checks.beside(f"{suite}, .deb", root / "usr/share")
        checks.run(f"{suite}: dpkg -r", inside("dpkg", "-r", "ftlkit"))
        checks.say(f"{suite}, .deb: gone", not (root / "usr/bin/ftlkit").exists())
    unpack = ("tar", "-xzf", f"/root/{files['tarball'].name}", "-C", "/usr/local", "--strip-components=1", "--no-same-owner")
    checks.run(f"{suite}: tar", inside(*unpack))
    checks.same(f"{suite}, tarball: ftlkit compare", inside("ftlkit", "compare", "--json"))
    checks.beside(f"{suite}, tarball", root / "usr/local/share")
    if subprocess.run(inside("python3", "-c", "import sys; sys.exit(sys.version_info < (3, 10))"), check=False).returncode:
        return checks.skip(f"{suite}, wheel: its Python is older than 3.10")
    checks.run(f"{suite}: venv", inside("python3", "-m", "venv", "/root/venv"))
    checks.run(f"{suite}: pip install", inside("/root/venv/bin/pip", "install", "--no-index", f"/root/{files['wheel'].name}"))
    checks.same(f"{suite}, wheel: ftlkit compare", inside("/root/venv/bin/ftlkit", "compare", "--json"))
    checks.same(f"{suite}, wheel: ftlkit.compare()", inside("/root/venv/bin/python", "-c", IN_PYTHON))
    return None


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder", nargs="?", type=pathlib.Path, default=ROOT / "target/release-files")
    options.add_argument("--suite", action="append", help="a Debian to install into")
    asked = options.parse_args()
    checks = Checks()
    patterns = {"wheel": "*.whl", "deb": "*.deb", "tarball": "ftlkit-*-linux.tar.gz"}
    found = {name: sorted(asked.folder.resolve().glob(pattern)) for name, pattern in patterns.items()}
    files = {name: of[0] for name, of in found.items() if of}
    if not {"wheel", "tarball"} <= files.keys():
        sys.exit(f"{asked.folder}: no wheel and tarball; scripts/release makes them")
    checks.run("sha256sum", ["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=asked.folder)
    if auditwheel := shutil.which("auditwheel", path=f"{ROOT}/target/release-venv/bin"):
        found = re.search(r'platform tag:\s+"(\S+)"', checks.run("auditwheel", [auditwheel, "show", files["wheel"]]) or "")
        checks.say("auditwheel finds the tag of its name", bool(found) and found[1] in files["wheel"].name, error=str(found))
    with tempfile.TemporaryDirectory(dir=ROOT / "target") as folder:
        of_venv(checks, files["wheel"], pathlib.Path(folder))
        for suite in asked.suite or ["bookworm", "bullseye"]:
            if os.geteuid() or not shutil.which("debootstrap"):
                checks.skip(f"{suite}: needs root and debootstrap (Debian: apt-get install debootstrap)")
            else:
                of_suite(checks, suite, files, pathlib.Path(folder))
    print(f"{checks.passed} passed, {checks.failed} failed, {checks.skipped} skipped")
    return 1 if checks.failed else 0


if __name__ == "__main__":
    sys.exit(main())
