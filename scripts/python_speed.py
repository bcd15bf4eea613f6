#!/usr/bin/env python3
"""Is `compare` from Python as fast as the command?

    scripts/test python && target/venv/bin/python scripts/python_speed.py [--pairs N] [--command FILE]

Runs one experiment by the command and from a Python process in turns, each with its start-up, and prints their times, those of the
processor, and the medians of their ratios. Command and package must be of one profile: `scripts/test python` builds both for development (opt-level 2);
`cargo build --release` and `pip install ./crates/python` for release. Exit code 1 where the reports differ.
"""

import argparse
import resource
import statistics
import subprocess
import sys
import time

SCRIPT = "import ftlkit; print(ftlkit.compare({workload!r}, schemes={schemes!r}, capacity={capacity!r}).to_json())"


def children_s():
    """Processor time of all children that have ended, s."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main():
    """Measures and prints."""
    parser = argparse.ArgumentParser(description="Time of a comparison from Python over that of the command.")
    parser.add_argument("--pairs", type=int, default=9, metavar="N", help="[%(default)s]")
    parser.add_argument("--workload", default="financial-like", help="[%(default)s]")
    parser.add_argument("--schemes", default="page-level,lazy-rtgc", help="[%(default)s]")
    parser.add_argument("--capacity", default="1GiB", help="[%(default)s]")
    parser.add_argument("--command", default="target/debug/ftlkit", metavar="FILE", help="the command [%(default)s]")
    options = parser.parse_args()
    settings = [options.workload, "--schemes", options.schemes, "--capacity", options.capacity]
    words = {
        "command": [options.command, "compare", *settings, "--json", "--quiet"],
        "python": [sys.executable, "-c", SCRIPT.format(**vars(options))],
    }
    printed, ratios, used_ratios = {}, [], []
    for pair in range(options.pairs):
        seconds, used = {}, {}
        for who in sorted(words, reverse=pair % 2 == 1):
            started, before = time.monotonic(), children_s()
            printed[who] = subprocess.run(words[who], capture_output=True, check=True).stdout
            seconds[who], used[who] = time.monotonic() - started, children_s() - before
        ratios.append(seconds["python"] / seconds["command"])
        used_ratios.append(used["python"] / used["command"])
        times = ", ".join(f"{who} {seconds[who]:.2f} s ({used[who]:.2f} s of processor)" for who in words)
        print(f"{times}: ratio {ratios[-1]:.3f} ({used_ratios[-1]:.3f})", flush=True)
    medians = [statistics.median(of) for of in (ratios, used_ratios)]
    print(f"median ratio of {options.pairs} pairs: time {medians[0]:.3f}, processor {medians[1]:.3f}")
    if printed["command"] != printed["python"]:
        print("the reports DIFFER")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
