#!/usr/bin/env python3
"""What does a run of a sweep cost on a Dask cluster, beside the run itself?

    scripts/test python && target/venv/bin/python scripts/cluster_cost.py [--runs N] [--workers N]

Makes a sweep of many short runs three times: on this machine without Dask, on a LocalCluster of processes, and again on the
cluster with all runs kept. Prints the time of each, the client's processor time, and the bytes of a task, an outcome, a kept run
and a table's row. Exit code 1 where the tables differ.
"""

import argparse
import pickle
import resource
import sys
import tempfile
import time
from pathlib import Path

import ftlkit
from distributed import Client, LocalCluster


def study(runs, requests):
    """A sweep of so many runs."""
    return {
        "workload": {"name": "uniform", "requests": requests},
        "capacity": "8MiB",
        "schemes": ["page-level"],
        "sweep": {"seed": f"1..{runs}"},
    }


def processor_s():
    """Processor time of this process, all threads."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def timed(work):
    """Time and the client's processor time of some work, s."""
    started, used = time.monotonic(), processor_s()
    work()
    return time.monotonic() - started, processor_s() - used


def main():
    """Measures and prints."""
    parser = argparse.ArgumentParser(description="Cost of a run on a Dask cluster, beside the run itself.")
    parser.add_argument("--runs", type=int, default=2000, metavar="N", help="[%(default)s]")
    parser.add_argument("--requests", type=int, default=2000, metavar="N", help="of each run [%(default)s]")
    parser.add_argument("--workers", type=int, default=2, metavar="N", help="processes of one thread [%(default)s]")
    options = parser.parse_args()
    keys = study(options.runs, options.requests)

    plan_s, _ = timed(lambda: ftlkit._sweep.planned(keys, None, {}))
    plan = ftlkit._sweep.planned(keys, None, {})[0]
    task = plan.task(0)
    outcome = ftlkit._ftlkit.measure(task[0], {})
    alone = min(timed(lambda: ftlkit._ftlkit.measure(task[0], {}))[0] for _ in range(20))
    with tempfile.TemporaryDirectory() as folder:
        here, there = Path(folder) / "here", Path(folder) / "there"
        local_s, _ = timed(lambda: ftlkit.sweep(keys, out=here, threads=options.workers))
        with (
            LocalCluster(n_workers=options.workers, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
            Client(cluster) as client,
        ):
            dask_s, client_s = timed(lambda: ftlkit.sweep(keys, out=there, client=client))
            again_s, _ = timed(lambda: ftlkit.sweep(keys, out=there, client=client))
        same = all((here / name).read_bytes() == (there / name).read_bytes() for name in ("runs.csv", "runs.parquet"))
        kept = [path.stat().st_size for path in (there / "runs").glob("*.json")]
        row = (there / "runs.parquet").stat().st_size / options.runs
    runs = options.runs
    print(f"{runs} runs of {options.requests} requests, {options.workers} workers of one thread")
    for what, value in [
        ("one run alone", f"{alone * 1e3:.2f} ms"),
        ("planning", f"{plan_s / runs * 1e3:.3f} ms per run"),
        ("this machine, no Dask", f"{local_s:.1f} s, {runs / local_s:.0f} runs/s"),
        ("Dask", f"{dask_s:.1f} s, {runs / dask_s:.0f} runs/s"),
        ("client's processor time", f"{client_s / runs * 1e3:.2f} ms per run"),
        ("all kept", f"{again_s:.1f} s, {again_s / runs * 1e3:.2f} ms per run"),
        ("task", f"{len(pickle.dumps(task))} bytes"),
        ("outcome", f"{len(outcome)} bytes"),
        ("kept run", f"{sum(kept) / len(kept):.0f} bytes"),
        ("row of runs.parquet", f"{row:.0f} bytes"),
        ("client's memory", f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB"),
        ("tables", "the same bytes" if same else "DIFFER"),
    ]:
        print(f"{what:<24} {value}")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
