#!/usr/bin/env python3
"""Counts how often each generic function of this project is compiled into a program, and fails above the budget.

    scripts/instances.py [PROGRAM] [--write]      default: target/debug/ftlkit

`tests/instances.txt` is the budget: a number and a function per line; functions that it does not name may have DEFAULT
instances. It is of builds with one unit of code per crate, as `.ci/run` makes them; with more, units have copies of small
functions. A function that is compiled more often needs a reason in ns (docs/design.md), and then a larger number there.
--write lowers or raises the budget to what the program has. Needs `nm`, which comes with the linker.
"""

import argparse
import collections
import pathlib
import re
import subprocess
import sys

DEFAULT = 24
BUDGET = pathlib.Path(__file__).parent.parent / "tests/instances.txt"


def instances(program):
    """Number of instances of each function whose path or type is of this project, by its name without its types' arguments."""
    done = subprocess.run(["nm", "--demangle", program], capture_output=True, text=True, check=True)
    counts = collections.Counter()
    for line in done.stdout.splitlines():
        found = re.match(r"[0-9a-f]+ [tTwW] (.*ftlkit_.*?)(::h[0-9a-f]{16})?( \[clone .*)?$", line)
        # Closures and destructors are counted with what they belong to.
        if found and not re.search(r"\{\{|drop_in_place|core::|alloc::", found[1]):
            counts[found[1]] += 1
    return counts


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("program", nargs="?", default="target/debug/ftlkit")
    options.add_argument("--write", action="store_true", help="make the budget what the program has")
    asked = options.parse_args()
    counts = instances(asked.program)
    if not any("::Scheme>::run" in name for name in counts):
        sys.exit(f"{asked.program}: no symbols of schemes; build it without `strip`")
    many = {name: count for name, count in counts.items() if count > DEFAULT}
    if asked.write:
        lines = [f"{count} {name}\n" for name, count in sorted(many.items(), key=lambda of: (-of[1], of[0]))]
        BUDGET.write_text("".join(lines), encoding="utf-8")
    budget = dict(reversed(line.split(" ", 1)) for line in BUDGET.read_text(encoding="utf-8").splitlines())
    # What is inlined, and so has no instance of its own, differs a little between compilers.
    beyond = {name: count for name, count in many.items() if count > 1.1 * int(budget.get(name, DEFAULT))}
    for name, count in sorted(beyond.items()):
        print(f"{count} instances, {budget.get(name, DEFAULT)} in the budget: {name}")
    total = sum(count for count in counts.values() if count > 1)
    print(f"{total} instances of {sum(count > 1 for count in counts.values())} functions, {len(beyond)} beyond the budget")
    return 1 if beyond else 0


if __name__ == "__main__":
    sys.exit(main())
