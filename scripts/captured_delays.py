#!/usr/bin/env python3
"""The captured traces: the smallest proved delay with queueing, beside the p99.9 and the longest completion of a run.

    cargo build --release && scripts/captured_delays.py

Prints a Markdown table: a row per trace and scheme. Proved: for any workload whose page tasks come as in the trace, in any window of
time (`ftlkit bounds --arrivals`). Measured: completions of the requests of one run from a full and aged array (`ftlkit compare
--precondition full+age=1`).
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path


def run(binary, *arguments):
    done = subprocess.run([binary, *arguments], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        sys.exit(f"{' '.join(arguments)}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def time(ns):
    if ns is None:
        return "–"
    return f"{ns / 1e9:.3f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--binary", default="target/release/ftlkit")
    parser.add_argument("--part", default="evaluation-slc")
    parser.add_argument("--schemes", default="lazy-rtgc,rftl,lazy-rtgc-on-demand")
    asked = parser.parse_args()
    traces = [trace["name"] for trace in run(asked.binary, "list", "traces", "--json")["traces"]]
    print(f"| trace | scheme | proved D, s | p99.9, s | longest, s | D / longest |\n|---|---|---:|---:|---:|---:|")
    exceeded = 0
    for trace in traces:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "trace.csv"
            subprocess.run([asked.binary, "trace", "convert", trace, file, "--quiet"], check=True, stdout=subprocess.DEVNULL)
            common = ["--part", asked.part, "--schemes", asked.schemes, "--capacity", "1GiB", "--json"]
            proved = run(asked.binary, "bounds", "--arrivals", str(file), *common)["parts"][0]["schemes"]
            share = ["--share", "own", "--precondition", "full+age=1", "-q"]
            measured = run(asked.binary, "compare", str(file), *common, *share)["schemes"]
        # A scheme that cannot hold the data did not run.
        by_name = {found["name"]: found["request_completion_ns"] for found in measured}
        for bound in proved:
            completion = by_name.get(bound["scheme"], {"p99.9": None, "max": None})
            delay, longest = bound["delay_ns"], completion["max"]
            both = delay is not None and longest is not None
            exceeded += both and longest > delay
            ratio = f"{delay / longest:.2f}" if both else "–"
            row = [trace, bound["scheme"], time(delay), time(completion["p99.9"]), time(longest), ratio]
            print("| " + " | ".join(row) + " |")
    print(f"\n{exceeded} longer than proved", file=sys.stderr)
    sys.exit(1 if exceeded else 0)


if __name__ == "__main__":
    main()
