#!/usr/bin/env python3
"""Prints the licences of all that a build of the command or of the Python package is made of: crates, Rust's library, zig's unwinder.

    scripts/licences.py > third-party-licences.txt

The crates are those of `cargo metadata`, with all features, for this machine; what only tests and build scripts use is left out.
Texts are those of the packages. A text that several crates have stands there once.
"""

import collections
import html
import importlib.util
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SHIPPED = {"ftlkit": ["full"], "ftlkit-python": ["full"]}
TEXT = re.compile(r"(licen[cs]e|copying|copyright|notice|unlicense)", re.IGNORECASE)


def output(*words):
    return subprocess.run(words, capture_output=True, text=True, check=True, cwd=ROOT).stdout


def crates():
    """The packages of the dependencies that are compiled into what is shipped, by name."""
    target = re.search(r"host: (.*)", output("rustc", "-vV"))[1]
    features = ",".join(f"{crate}/{feature}" for crate, names in SHIPPED.items() for feature in names)
    words = ["--format-version", "1", "--locked", "--filter-platform", target, "--features", features]
    found = json.loads(output("cargo", "metadata", *words))
    packages = {package["id"]: package for package in found["packages"]}
    nodes = {node["id"]: node for node in found["resolve"]["nodes"]}
    left, seen = [identity for identity, package in packages.items() if package["name"] in SHIPPED], set()
    while left:
        if (identity := left.pop()) not in seen:
            seen.add(identity)
            deps = nodes[identity]["deps"]
            left += [of["pkg"] for of in deps if any(kind["kind"] is None for kind in of["dep_kinds"])]
    theirs = [packages[identity] for identity in seen if packages[identity]["source"]]
    return sorted(theirs, key=lambda package: (package["name"], package["version"]))


def texts(folder):
    """The licence texts in a folder of a package."""
    files = sorted(path for path in folder.iterdir() if path.is_file() and TEXT.match(path.name))
    return [path.read_text(encoding="utf-8", errors="replace").strip() for path in files]


def rust_library():
    """Licences of Rust's library, which is linked into every program; the toolchain brings them as a page."""
    page = pathlib.Path(output("rustc", "--print", "sysroot").strip(), "share/doc/rust/COPYRIGHT-library.html")
    if not page.exists():
        sys.exit(f"{page} is missing: rustup's toolchains have it; set RUSTUP_TOOLCHAIN to one")
    text = html.unescape(re.sub(r"<(style|head)>.*?</\1>|<[^>]*>", "", page.read_text(encoding="utf-8"), flags=re.DOTALL))
    return re.sub(r"\n\s*\n+", "\n\n", text).strip()


def main():
    by_text = collections.defaultdict(list)
    rows = []
    for package in crates():
        name = f"{package['name']} {package['version']}"
        if not package["license"] and not package["license_file"]:
            sys.exit(f"{name} names no licence")
        rows.append(f"{name}  {package['license'] or package['license_file']}  {package['repository'] or ''}".rstrip())
        # One that brings no text is of a licence that this project's own files have; else its text has to be found.
        own = texts(pathlib.Path(package["manifest_path"]).parent)
        if not own and "Apache-2.0" not in (package["license"] or ""):
            sys.exit(f"{name} is of {package['license']} and brings no text")
        for text in own or [(ROOT / "LICENSE-APACHE").read_text(encoding="utf-8").strip()]:
            by_text[" ".join(text.split())].append((name, text))
    sections = [(", ".join(dict.fromkeys(name for name, _ in of)), of[0][1]) for of in by_text.values()]
    sections.append(("Rust's standard library", rust_library()))
    if zig := importlib.util.find_spec("ziglang"):
        for name, file in (("zig's runtime", "LICENSE"), ("libunwind, linked by zig", "lib/libunwind/LICENSE.TXT")):
            text = pathlib.Path(zig.submodule_search_locations[0], file).read_text(encoding="utf-8").strip()
            sections.append((name, text))
    print(f"What ftlkit is built of: {len(rows)} crates.\n", *rows, sep="\n")
    for names, text in sections:
        print(f"\n{'=' * 80}\n{names}\n{'=' * 80}\n\n{text}")


if __name__ == "__main__":
    main()
