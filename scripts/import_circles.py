#!/usr/bin/env python3
"""Fails when source files of a crate, or folders beside each other, import each other in a circle.

An import of a file is any path that begins with `crate::`, `super::`, `self::` or a module the file declares, in
a `use` or in code. Comments, strings, tests and `mod x;` itself do not count. A folder imports what its files
import; a file and a folder of one name are one.
"""

import re
import sys
from pathlib import Path

SKIPPED = re.compile(r'//[^\n]*|pub\(in [^)]*\)|/\*.*?\*/|r#"(?:.|\n)*?"#|b?"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])\'', re.S)
TEST = re.compile(r"#\[cfg\(test\)\]\s*(?:#\[[^\]]*\]\s*)*")
USE = re.compile(r"\buse\s+([^;]+);")
DECLARED = re.compile(r"\bmod\s+(\w+)\s*;")
PATH = re.compile(r"(?<![\w:$])(?:::)?\w+(?:::\w+)+")


def without_tests(text):
    """The text without each item that `#[cfg(test)]` opens."""
    while found := TEST.search(text):
        end, depth = found.end(), 0
        while end < len(text):
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
            if depth == 0 and text[end - 1] in ";}":
                break
        text = text[: found.start()] + text[end:]
    return text


def spread(tree):
    """The paths of a `use` tree: `a::{b, c::d}` is `a::b` and `a::c::d`."""
    head, brace, rest = tree.partition("{")
    if not brace:
        return [re.sub(r"\s+as\s+\w+", "", tree).strip()]
    parts, depth, start = [], 0, 0
    inner = rest[: rest.rindex("}")] + ","
    for at, letter in enumerate(inner):
        depth += {"{": 1, "}": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            parts.append(inner[start:at].strip())
            start = at + 1
    return [head.strip() + path for part in parts if part for path in spread(part)]


def modules(src):
    """Every file of a crate that is no test, by its module path."""
    found = {}
    for file in src.rglob("*.rs"):
        parts = list(file.relative_to(src).with_suffix("").parts)
        if "tests" in parts:
            continue
        if parts[-1] in ("mod", "lib", "main"):
            parts.pop()
        found[tuple(parts)] = file
    return found


def imports(module, text, files):
    """The modules that one file imports."""
    text = without_tests(SKIPPED.sub(" ", text))
    declared = set(DECLARED.findall(text))
    paths = [path for tree in USE.findall(text) for path in spread(tree)]
    paths += [path for path in PATH.findall(USE.sub(" ", text))]
    for path in paths:
        parts = path.split("::")
        if parts[0] == "crate":
            at = parts[1:]
        elif parts[0] in ("self", "super"):
            up = 0
            while parts[up] == "super":
                up += 1
            at = list(module[: len(module) - up]) + parts[up + (parts[0] == "self") :]
        elif parts[0] in declared:
            at = list(module) + parts
        else:
            continue
        while tuple(at) not in files:
            at.pop()
        if tuple(at) != module:
            yield tuple(at)


def circles(graph):
    """The strongly connected groups of more than one module."""
    reached = {}
    for start in graph:
        seen, open_ = set(), [start]
        while open_:
            for to in graph[open_.pop()] - seen:
                seen.add(to)
                open_.append(to)
        reached[start] = seen
    groups = {frozenset(b for b in reached[a] if a in reached[b]) for a in graph if a in reached[a]}
    return sorted(groups, key=sorted)


def folders(graph):
    """For each folder: which of what lies in it (files, folders) imports which."""
    found = {}
    for module, imported in graph.items():
        for other in imported:
            common = 0
            while common < min(len(module), len(other)) and module[common] == other[common]:
                common += 1
            if common < min(len(module), len(other)):
                within = found.setdefault(module[:common], {})
                within.setdefault(module[common], set()).add(other[common])
                within.setdefault(other[common], set())
    return found


def main():
    failed = 0
    for src in sorted(Path(__file__).parent.parent.glob("crates/*/src")):
        files = modules(src)
        graph = {module: set(imports(module, file.read_text(), files)) for module, file in files.items()}
        for group in circles(graph):
            failed += 1
            print(f"{src.parent.name}: {len(group)} files import each other in a circle:")
            for a in sorted(group):
                to = ", ".join(str(files[b].relative_to(src)) for b in sorted(graph[a] & group))
                print(f"  {files[a].relative_to(src)} -> {to}")
        for folder, within in folders(graph).items():
            for group in circles(within):
                failed += 1
                print(f"{src.parent.name}: in {'/'.join(folder) or 'src'}, {', '.join(sorted(group))} import each other in a circle:")
                for a in sorted(group):
                    for module, imported in sorted(graph.items()):
                        other = sorted(b for b in imported if b[: len(folder)] == folder and b[len(folder) :] and b[len(folder)] in group - {a})
                        if module[: len(folder) + 1] == (*folder, a) and other:
                            print(f"  {files[module].relative_to(src)} -> {', '.join(str(files[b].relative_to(src)) for b in other)}")
    print(f"{failed} import circles")
    return 1 if failed else 0


sys.exit(main())
