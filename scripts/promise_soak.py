#!/usr/bin/env python3
"""Does every real-time scheme keep its bound, under every built-in workload, the worst-case orders included?

    cargo build --release && python3 scripts/promise_soak.py [--tasks N] [--schemes A,B] [--part P] [WORKLOAD ...]

Each scheme is run alone, so that its whole logical space is used, for at least N page tasks (20,000,000 unless
given) of each workload, on 1 GiB that was written full before. Prints a row a run and a row a scheme. Exit code 1
where a promise was broken, a response was beyond the bound, or a run did too little to tell: fewer page tasks than
asked for, or a worst-case order without collection.
"""

import argparse
import json
import math
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

FTLKIT = "target/release/ftlkit"
# Requests of the first run, which tells how many page tasks a request makes, and how often to try.
PROBE_REQUESTS = 20_000
TRIES = 8


def ftlkit(*arguments):
    """What the command prints as JSON; a broken promise (exit code 1) is in it."""
    command = [FTLKIT, *arguments, "--json"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode not in (0, 1) or not run.stdout:
        sys.exit(f"{' '.join(command)}: exit code {run.returncode}\n{run.stderr}")
    return json.loads(run.stdout)


def real_time_schemes(part):
    """Names of the schemes that promise in real time on this part."""
    schemes = ftlkit("bounds", "--part", part)["parts"][0]["schemes"]
    return [row["scheme"] for row in schemes if row.get("real_time")]


def compare(scheme, workload, part, requests):
    """The scheme's report for this many requests."""
    limits = ["--requests", str(requests), "--loops", "0", "--part", part, "--quiet"]
    return ftlkit("compare", workload, "--schemes", scheme, *limits)["schemes"][0]


def soak(scheme, workload, part, tasks):
    """The report of at least so many page tasks, and what is wrong with it."""
    requests, report = PROBE_REQUESTS, {"tasks": 0}
    # Page tasks a request are not the same throughout a workload.
    for _ in range(TRIES):
        report = compare(scheme, workload, part, requests)
        if report["tasks"] >= tasks:
            break
        requests = math.ceil(requests * tasks / report["tasks"] * 1.05)
    worst, bound = report["response_ns"]["max"], report["bound_ns"]
    faults = []
    if report["violations"]:
        faults.append(f"{report['violations']} violations, the first: {report['first_violation']}")
    if bound is None or worst > bound:
        faults.append(f"response {worst} ns, bound {bound} ns")
    if report["tasks"] < tasks:
        faults.append(f"only {report['tasks']:,} page tasks")
    if workload.endswith(("-worst-case", "-adversary")) and report["collection"]["victims"] == 0:
        faults.append("collection never ran")
    return report, faults


def print_row(scheme, workload, tasks, violations, worst_ns, bound_ns):
    """One line of figures."""
    bound = "none" if bound_ns is None else f"{bound_ns / 1000:,.1f}"
    print(f"{scheme:22} {workload:24}{tasks:>16,}{violations:>12,}{worst_ns / 1000:>14,.1f}{bound:>12}", flush=True)


def main():
    """Runs all, two at a time on two processors."""
    parser = argparse.ArgumentParser(description="Hold real-time schemes to their bounds, at length.")
    parser.add_argument("--tasks", type=lambda text: int(text.replace(",", "")), default=20_000_000, metavar="N")
    parser.add_argument("--schemes", help="names with `,` between them [default: all real-time ones]")
    parser.add_argument("--part", default="evaluation-slc", help="part of the catalogue")
    parser.add_argument("workloads", nargs="*", metavar="WORKLOAD")
    options = parser.parse_args()
    schemes = options.schemes.split(",") if options.schemes else real_time_schemes(options.part)
    workloads = options.workloads or [row["name"] for row in ftlkit("list", "workloads")["workloads"]]
    if not schemes or options.tasks < 1:
        sys.exit("nothing to run: no scheme promises in real time on this part, or N is below 1")

    print(f"{'scheme':22} {'workload':24}{'page tasks':>16}{'violations':>12}{'worst µs':>14}{'bound µs':>12}")
    broken, totals = [], {scheme: [] for scheme in schemes}
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        runs = [(scheme, workload) for scheme in schemes for workload in workloads]
        results = pool.map(lambda run: soak(*run, options.part, options.tasks), runs)
        for (scheme, workload), (report, faults) in zip(runs, results):
            totals[scheme].append(report)
            row = (report["tasks"], report["violations"], report["response_ns"]["max"], report["bound_ns"])
            print_row(scheme, workload, *row)
            broken += [f"{scheme}, {workload}: {fault}" for fault in faults]

    print()
    for scheme, reports in totals.items():
        sums = [sum(report[key] for report in reports) for key in ("tasks", "violations")]
        worst = max(report["response_ns"]["max"] for report in reports)
        print_row(scheme, f"all {len(reports)}", *sums, worst, reports[0]["bound_ns"])
    sys.exit("\n".join(broken) if broken else 0)


if __name__ == "__main__":
    main()
