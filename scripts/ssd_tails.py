#!/usr/bin/env python3
"""How long do reads and writes of an SSD wait, by how collection shares the dies with the host?

    cargo build --release && python3 scripts/ssd_tails.py [--scheme S] [--part P] [--mix N] [--depth N] [--requests N] \\
        [--markdown] [--svg FILE]

One load of random reads and writes, run once for each setting: collection that keeps the host from all dies; from the dies
that it works on, first come, first served; the host's operations first; the same with erases, and with erases and programs,
suspended by reads. Prints a row a setting, of page completions: from when the page's request is there to when the page
is done. Draws the percentiles of the reads where `--svg` is given. Exit code 1 where a run fails, or loses a request.

The times to suspend an erase (100 µs) and a program (50 µs) are assumptions of this script: the default part gives
none. `--erase-suspend` and `--program-suspend` set others.
"""

import argparse
import json
import math
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

SETTINGS = [
    ("exclusive", ["--collection", "exclusive"]),
    ("per die, FIFO", ["--host-first", "0"]),
    ("per die, host first (default)", []),
    ("+ suspend erases", ["--suspend", "erase"]),
    ("+ suspend programs, too", ["--suspend", "program"]),
]
PERCENTILES = ["p50", "p90", "p99", "p99.9", "p99.99"]
# Dashes and marker of each line: told apart without colours.
STYLES = [("2 3", "cross"), ("8 4", "square"), ("", "disc"), ("10 3 2 3", "triangle"), ("5 3", "ring")]


def ftlkit(command, setting):
    """The scheme's report under one setting."""
    command = [*command, *setting, "--quiet", "--json"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode != 0 or not run.stdout:
        sys.exit(f"{' '.join(command)}: exit code {run.returncode}\n{run.stderr}")
    report = json.loads(run.stdout)["schemes"][0]
    if report["requests_taken"] != report["requests"] + report["requests_refused"] or report["requests_refused"]:
        sys.exit(f"{' '.join(command)}: requests are missing")
    return report


def base_command(options):
    """What all runs have in common."""
    bus = [] if options.bus_cycle == "none" else ["--bus-cycle", options.bus_cycle]
    return [
        *[options.ftlkit, "compare", "randrw", "--set", f"rwmixread={options.mix}", "--set", f"bs={options.size}"],
        *["--part", options.part, *bus, "--capacity", options.capacity],
        *["--channels", str(options.channels), "--ways", str(options.ways), "--precondition", options.precondition],
        *["--requests", str(options.requests), "--queue-depth", str(options.depth), "--schemes", options.scheme],
        *["--set", f"part.t_erase_suspend_ns={options.erase_suspend}"],
        *["--set", f"part.t_program_suspend_ns={options.program_suspend}", "--seed", str(options.seed)],
    ]


def milliseconds(ns):
    """In three digits."""
    if ns is None:
        return "–"
    ms = ns / 1e6
    return f"{ms:,.{max(0, 2 - math.floor(math.log10(ms)))}f}" if 0 < ms < 1000 else f"{ms:,.0f}"


def cells(name, report):
    """A row of the table."""
    reads, writes, ssd = report["read_completion_ns"], report["write_completion_ns"], report["ssd"]
    times = [reads[key] for key in ("mean", *PERCENTILES, "max")]
    times += [writes[key] for key in ("mean", "p99", "p99.9", "max")]
    suspended = f"{ssd['suspended_erases']:,} + {ssd['suspended_programs']:,}"
    row = [milliseconds(ns) for ns in [*times, ssd["longest_stall_ns"]]]
    return [name, *row, f"{ssd['host_pages_per_second']:,.0f}", suspended, f"{report['waf']:.2f}"]


HEAD = ["ms", *(f"read {name}" for name in ("mean", *PERCENTILES, "max"))]
HEAD += [*(f"write {name}" for name in ("mean", "p99", "p99.9", "max")), "longest stall"]
HEAD += ["host pages/s", "erases + programs suspended", "WAF"]


def markdown(rows):
    """The table for a page."""
    lines = [HEAD, ["---"] + ["---:"] * (len(HEAD) - 1), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def text(rows):
    """The table for a terminal, turned: a row a figure."""
    columns = [HEAD, *rows]
    widths = [max(map(len, column)) for column in columns]
    lines = zip(*columns)
    return "\n".join("  ".join(f"{cell:{'<' if i == 0 else '>'}{widths[i]}}" for i, cell in enumerate(line)) for line in lines)


def marker(kind, x, y):
    """A sign at a place."""
    return {
        "cross": f'<path d="M{x - 4:.1f} {y - 4:.1f}l8 8m0 -8l-8 8"/>',
        "square": f'<rect x="{x - 4:.1f}" y="{y - 4:.1f}" width="8" height="8" fill="#fff"/>',
        "disc": f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4.5" fill="#000"/>',
        "triangle": f'<path d="M{x:.1f} {y - 5:.1f}l5 9h-10z" fill="#fff"/>',
        "ring": f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4.5" fill="#fff"/>',
    }[kind]


def plot(titles, across, series):
    """Completion at each percentile, a line a pair of a name and a summary of completions."""
    left, right, top, bottom = 80, 690, 48, 384
    shown = [[(i, times[key]) for i, key in enumerate(PERCENTILES)] for _, times in series]
    shown = [[(i, ns / 1e6) for i, ns in line if ns] for line in shown]
    values = [ms for line in shown for _, ms in line]
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    at_x = [left + 40 + i * (right - left - 80) / (len(PERCENTILES) - 1) for i in range(len(PERCENTILES))]

    def at_y(ms):
        return bottom - (math.log10(ms) - low) / (high - low) * (bottom - top)

    out = [
        '<svg xmlns="http://www.w3.org/2000/svg" width="720" height="560" viewBox="0 0 720 560" '
        'font-family="sans-serif" font-size="13">',
        '<rect width="720" height="560" fill="#fff"/>',
        f'<text x="{left}" y="20" font-size="15">{titles[0]}</text>',
        f'<text x="{left}" y="38">{titles[1]}</text>',
    ]
    grid, names = [], []
    for decade in range(low, high + 1):
        y = at_y(10.0**decade)
        grid.append(f'<path d="M{left} {y:.1f}H{right}" stroke="#999"/>')
        names.append(f'<text x="{left - 8}" y="{y + 4:.1f}" text-anchor="end">{10.0**decade:g}</text>')
        steps = [at_y(step * 10.0**decade) for step in range(2, 10)] if decade < high else []
        grid += [f'<path d="M{left} {y:.1f}H{right}" stroke="#e4e4e4"/>' for y in steps]
    for x, name in zip(at_x, PERCENTILES):
        grid.append(f'<path d="M{x:.1f} {bottom}v5" stroke="#000"/>')
        names.append(f'<text x="{x:.1f}" y="{bottom + 20}" text-anchor="middle">{name[1:]}</text>')
    out += [*grid, f'<rect x="{left}" y="{top}" width="{right - left}" height="{bottom - top}" fill="none" stroke="#000"/>']
    out += [*names, f'<text x="{(left + right) / 2}" y="{bottom + 40}" text-anchor="middle">{across}</text>']
    middle = (top + bottom) / 2
    out.append(f'<text transform="translate(24 {middle}) rotate(-90)" text-anchor="middle">completion, ms (logarithmic)</text>')
    for row, ((name, _), line, (dashes, sign)) in enumerate(zip(series, shown, STYLES)):
        points = [(at_x[i], at_y(ms)) for i, ms in line]
        key_y = bottom + 66 + row * 20
        lines = [points, [(left, key_y), (left + 60, key_y)]]
        out.append('<g fill="none" stroke="#000" stroke-width="1.5">')
        for path in lines:
            through = " ".join(f"{x:.1f},{y:.1f}" for x, y in path)
            out.append(f'<polyline points="{through}" stroke-dasharray="{dashes or "none"}"/>')
        out += [marker(sign, x, y) for x, y in [*points, (left + 30, key_y)]]
        out.append(f'</g><text x="{left + 74}" y="{key_y + 4}">{name}</text>')
    return "\n".join([*out, "</svg>", ""])


def count(words):
    """A number, in which `,` may stand."""
    return int(words.replace(",", ""))


def main():
    """Runs all settings, prints and draws."""
    parser = argparse.ArgumentParser(description="Completions of reads and writes by how collection shares the dies.")
    parser.add_argument("--scheme", default="page-level+share=0.875", help="with its settings [%(default)s]")
    parser.add_argument("--part", default="evaluation-slc", help="part of the catalogue [%(default)s]")
    parser.add_argument("--bus-cycle", default="5ns", help="`none` for a part that gives its own [%(default)s]")
    parser.add_argument("--capacity", default="4GiB", help="raw [%(default)s]")
    parser.add_argument("--channels", type=count, default=4, metavar="N", help="[%(default)s]")
    parser.add_argument("--ways", type=count, default=2, metavar="N", help="[%(default)s]")
    parser.add_argument("--precondition", default="full+age=0.3", help="[%(default)s]")
    parser.add_argument("--mix", type=count, default=70, metavar="N", help="reads of 100 requests [%(default)s]")
    parser.add_argument("--size", default="4k", help="of a request [%(default)s]")
    parser.add_argument("--depth", type=count, default=32, metavar="N", help="requests outstanding [%(default)s]")
    parser.add_argument("--requests", type=count, default=400_000, metavar="N", help="[%(default)s]")
    parser.add_argument("--erase-suspend", default="100us", help="assumed [%(default)s]")
    parser.add_argument("--program-suspend", default="50us", help="assumed [%(default)s]")
    parser.add_argument("--seed", type=count, default=1, metavar="N", help="[%(default)s]")
    parser.add_argument("--ftlkit", default="target/release/ftlkit", metavar="FILE", help="the command [%(default)s]")
    parser.add_argument("--markdown", action="store_true", help="print the table in Markdown")
    parser.add_argument("--svg", metavar="FILE", help="draw the percentiles of the reads")
    options = parser.parse_args()

    command = base_command(options)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = pool.map(lambda setting: ftlkit(command, setting[1]), SETTINGS)
        reports = [(name, report) for (name, _), report in zip(SETTINGS, found)]
    rows = [cells(name, report) for name, report in reports]
    assumed = f"Assumed: {options.erase_suspend} to suspend an erase, {options.program_suspend} a program."
    print(markdown(rows) if options.markdown else text(rows))
    print(f"\n{assumed} All runs: {' '.join(['ftlkit', *command[1:]])}")
    if options.svg:
        load = f"{options.scheme} on {options.part}, {options.mix} % reads, {options.depth} outstanding"
        reads = [(name, report["read_completion_ns"]) for name, report in reports]
        titles = ("Completion of page reads beside collection", load)
        with open(options.svg, "w", encoding="utf-8") as file:
            file.write(plot(titles, "percentile of page reads", reads))


if __name__ == "__main__":
    main()
