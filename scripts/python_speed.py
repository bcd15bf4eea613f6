#!/usr/bin/env python3
"""Is `compare` from Python as fast as the command?

    scripts/test python && target/venv/bin/python scripts/python_speed.py [--pairs N] [--command FILE]

Runs one experiment by the command and from a Python process in turns, each with its start-up, and prints the ratio of each pair and
the median. Command and package must be of one profile: `scripts/test python` builds both for development (opt-level 2);
`cargo build --release` and `pip install ./crates/python` for release. Exit code 1 where the reports differ.
"""

import argparse
import statistics
import subprocess
import sys
import time

SCRIPT = "import ftlkit; print(ftlkit.compare({workload!r}, schemes={schemes!r}, capacity={capacity!r}).to_json())"


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
    printed, ratios = {}, []
    for pair in range(options.pairs):
        seconds = {}
        for who in sorted(words, reverse=pair % 2 == 1):
            started = time.monotonic()
            printed[who] = subprocess.run(words[who], capture_output=True, check=True).stdout
            seconds[who] = time.monotonic() - started
        ratios.append(seconds["python"] / seconds["command"])
        print(f"command {seconds['command']:.2f} s, python {seconds['python']:.2f} s, ratio {ratios[-1]:.3f}")
    print(f"median ratio {statistics.median(ratios):.3f} of {len(ratios)} pairs")
    if printed["command"] != printed["python"]:
        print("the reports DIFFER")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
