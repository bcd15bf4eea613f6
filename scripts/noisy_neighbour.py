#!/usr/bin/env python3
"""What does a noisy neighbour do to a tenant of an SSD, and what does arbitration between their queues give back?

    cargo build --release && python3 scripts/noisy_neighbour.py [--slots N] [--requests N] [--markdown] [--svg FILE]

Two tenants, each on half of the space: the victim reads 4 KiB at random with few outstanding, its neighbour writes at random with
many. The victim runs alone, beside the neighbour with round robin, with weights, and as an urgent queue. Prints a row a
setting of the victim's completions: from submission to end, so waiting in its queue counts. Draws their percentiles where `--svg`
is given. Exit code 1 where a run fails, or a job loses a request.
"""

import argparse
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from ssd_tails import PERCENTILES, count, milliseconds, plot

HEAD = ["ms", "mean", *PERCENTILES, "max", "in queue, mean", "reads/s", "neighbour: writes/s", "mean", "p99.9"]


def settings(options):
    """Name, class of the victim, whether the neighbour is there, and arbitration."""
    weights = f"weighted:{options.weights}"
    return [
        ("alone", None, False, None),
        ("round robin", None, True, "round-robin"),
        (f"weights {options.weights}", "high", True, weights),
        ("urgent", "urgent", True, weights),
    ]


def command(options, setting):
    """The command of one setting."""
    _, rank, beside, arbitration = setting
    rank = f",class={rank}" if rank else ""
    reads = f"set.write_share=0,set.size=4k,requests={options.requests}"
    jobs = [f"name=victim,workload=uniform,{reads},size=50%,iodepth={options.depth}{rank}"]
    if beside:
        # More writes than the victim's reads leave time for: --exitall ends them.
        low = ",class=low" if rank else ""
        writes = f"set.write_share=1,set.size={options.neighbour_size},requests={100 * options.requests}"
        jobs.append(f"name=neighbour,workload=uniform,{writes},offset=50%,iodepth={options.neighbour_depth}{low}")
    words = [
        *[options.ftlkit, "compare", "--part", options.part, "--bus-cycle", options.bus_cycle, "--capacity", options.capacity],
        *["--channels", str(options.channels), "--ways", str(options.ways), "--precondition", options.precondition],
        *["--schemes", options.scheme, "--interface", options.interface, "--command-slots", str(options.slots)],
        *["--seed", str(options.seed), "--exitall", *(word for job in jobs for word in ("--job", job))],
    ]
    return [*words, "--arbitration", arbitration] if arbitration else words


def run(options, setting):
    """The jobs' reports under one setting."""
    words = [*command(options, setting), "--quiet", "--json"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0 or not done.stdout:
        sys.exit(f"{' '.join(words)}: exit code {done.returncode}\n{done.stderr}")
    jobs = json.loads(done.stdout)["schemes"][0]["jobs"]
    if any(job["requests_taken"] != job["requests"] for job in jobs):
        sys.exit(f"{' '.join(words)}: requests are missing")
    return jobs


def cells(name, jobs):
    """A row of the table."""
    victim, *others = jobs
    times = [victim["completion_ns"][key] for key in ("mean", *PERCENTILES, "max")] + [victim["wait_ns"]["mean"]]
    row = [name, *(milliseconds(ns) for ns in times), f"{victim['requests_per_second']:,.0f}"]
    for job in others:
        row += [f"{job['requests_per_second']:,.0f}", *(milliseconds(job["completion_ns"][key]) for key in ("mean", "p99.9"))]
    return row + ["–"] * (len(HEAD) - len(row))


def table(rows, markdown):
    """The table for a page or for a terminal."""
    if markdown:
        lines = [HEAD, ["---"] + ["---:"] * (len(HEAD) - 1), *rows]
        return "\n".join(f"| {' | '.join(line)} |" for line in lines)
    widths = [max(len(line[i]) for line in [HEAD, *rows]) for i in range(len(HEAD))]
    return "\n".join("  ".join(f"{cell:>{width}}" for cell, width in zip(line, widths)) for line in [HEAD, *rows])


def main():
    """Runs all settings, prints and draws."""
    parser = argparse.ArgumentParser(description="Completions of a tenant alone, and beside a noisy neighbour.")
    parser.add_argument("--scheme", default="page-level+share=0.875", help="with its settings [%(default)s]")
    parser.add_argument("--part", default="evaluation-slc", help="part of the catalogue [%(default)s]")
    parser.add_argument("--bus-cycle", default="5ns", help="[%(default)s]")
    parser.add_argument("--capacity", default="2GiB", help="raw [%(default)s]")
    parser.add_argument("--channels", type=count, default=4, metavar="N", help="[%(default)s]")
    parser.add_argument("--ways", type=count, default=2, metavar="N", help="[%(default)s]")
    parser.add_argument("--interface", default="nvme:gen4x4", help="[%(default)s]")
    parser.add_argument("--precondition", default="full+age=0.3", help="[%(default)s]")
    parser.add_argument("--slots", type=count, default=32, metavar="N", help="commands in the controller [%(default)s]")
    parser.add_argument("--weights", default="8:4:1", help="of high, medium and low queues [%(default)s]")
    parser.add_argument("--depth", type=count, default=4, metavar="N", help="of the victim's queue [%(default)s]")
    parser.add_argument("--neighbour-depth", type=count, default=256, metavar="N", help="[%(default)s]")
    parser.add_argument("--neighbour-size", default="16k", help="of its writes [%(default)s]")
    parser.add_argument("--requests", type=count, default=50_000, metavar="N", help="reads of the victim [%(default)s]")
    parser.add_argument("--seed", type=count, default=1, metavar="N", help="[%(default)s]")
    parser.add_argument("--ftlkit", default="target/release/ftlkit", metavar="FILE", help="the command [%(default)s]")
    parser.add_argument("--markdown", action="store_true", help="print the table in Markdown")
    parser.add_argument("--svg", metavar="FILE", help="draw the percentiles of the victim")
    options = parser.parse_args()

    wanted = settings(options)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = list(pool.map(lambda setting: run(options, setting), wanted))
    print(table([cells(setting[0], jobs) for setting, jobs in zip(wanted, found)], options.markdown))
    print(f"\nOne of the runs: {' '.join(['ftlkit', *command(options, wanted[2])[1:]])}")
    if options.svg:
        beside = f"beside {options.neighbour_depth} writes of {options.neighbour_size}, {options.slots} command slots"
        titles = ("Completion of a tenant's reads beside a noisy neighbour", f"{options.depth} reads of 4 KiB, {beside}")
        series = [(setting[0], jobs[0]["completion_ns"]) for setting, jobs in zip(wanted, found)]
        with open(options.svg, "w", encoding="utf-8") as file:
            file.write(plot(titles, "percentile of the tenant's requests", series))


if __name__ == "__main__":
    main()
