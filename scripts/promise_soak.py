#!/usr/bin/env python3
"""Every built-in workload, at least so many page tasks each: does lazy-rtgc keep its bound, and how far from
it does page-level stray?

    cargo build --release && python3 scripts/promise_soak.py [TASKS [WORKLOAD ...]]

TASKS is 50,000,000 unless given. Prints a row a workload; exit code 1 where a promise was broken or fewer page tasks were run than asked for.
"""

import json
import math
import subprocess
import sys

FTLKIT = "target/release/ftlkit"
SCHEMES = "lazy-rtgc,page-level"


def compare(workload, requests):
    """The schemes' reports for this many requests."""
    command = [FTLKIT, "compare", workload, "--schemes", SCHEMES, "--requests", str(requests), "--loops", "0"]
    run = subprocess.run([*command, "--json", "--quiet"], capture_output=True, text=True, check=False)
    if run.returncode not in (0, 1):
        sys.exit(f"{' '.join(command)}: exit code {run.returncode}\n{run.stderr}")
    return json.loads(run.stdout)["schemes"]


def requests_for(workload, tasks):
    """Requests that make at least this many page tasks, judged by a short run."""
    probe = compare(workload, 20_000)[0]
    return math.ceil(tasks / (probe["tasks"] / probe["requests"]) * 1.05)


def main():
    tasks = int(sys.argv[1].replace(",", "")) if len(sys.argv) > 1 else 50_000_000
    listed = json.loads(subprocess.run([FTLKIT, "list", "workloads", "--json"], capture_output=True, check=True).stdout)
    names = sys.argv[2:] or [workload["name"] for workload in listed["workloads"]]
    print(f"{'workload':24}{'page tasks':>14}{'violations':>12}{'lazy-rtgc µs':>14}{'bound µs':>10}{'page-level µs':>15}")
    broken = False
    for name in names:
        lazy, page_level = compare(name, requests_for(name, tasks))
        worst = lazy["response_ns"]["max"]
        broken |= lazy["violations"] > 0 or page_level["violations"] > 0
        broken |= worst > lazy["bound_ns"] or lazy["tasks"] < tasks
        print(
            f"{name:24}{lazy['tasks']:>14,}{lazy['violations']:>12}{worst / 1000:>14,.1f}"
            f"{lazy['bound_ns'] / 1000:>10,.1f}{page_level['response_ns']['max'] / 1000:>15,.1f}",
            flush=True,
        )
    sys.exit(1 if broken else 0)


if __name__ == "__main__":
    main()
