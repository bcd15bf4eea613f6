#!/usr/bin/env python3
"""Measures `ftlkit serve` with fio (nbd engine) over a Unix socket.

  throughput  4 KiB random reads and writes at depth 32 without latency, beside nbdkit's memory plugin: rounds of
              both, one after the other and in turns, so that other load of the machine meets both.
  record      the same of ftlkit alone, with and without `--record FILE.csv.gz`; and what the recording thread takes of the
              processor time of server and client, which the placing of threads on cores does not change as it does IOPS.
  latency     4 KiB random reads and writes at depth 1 with `--latency real`: fio's mean and p99.9 beside the model's; and
              nbdkit's memory plugin at depth 1, which has no latency to model: how late this machine's own wake-ups are.
  durable     4 KiB random writes at depth 1 on an image on a disk (--disk), with `--durable process` and `machine`, without
              flushes and with one after every 32 writes, of --schemes; beside nbdkit's file plugin and, with --before OTHER,
              another build of ftlkit, in turns.

`durable` runs only if it is named. Needs fio with the nbd engine and nbdkit (Debian: fio, nbdkit), and a build with `--features zstd`.
Usage: scripts/serve_speed.py [--ftlkit target/release/ftlkit] [--rounds 5] [--seconds 4] [throughput] [record] [latency] [durable]
Exits with 1 if a figure is outside what docs/device.md states.
"""

import argparse
import contextlib
import json
import os
import pathlib
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

LEAST_SHARE = 0.60
MOST_RECORDING = 0.05
MOST_LATE_US = 50.0
MOST_LATE_SHARE = 0.05
SIZE_MIB = 224


def fio(socket, mode, depth, seconds, more=()):
    """Runs fio; returns the figures of its reads or writes."""
    command = [
        "fio", "--name=job", "--ioengine=nbd", f"--uri=nbd+unix:///?socket={socket}", f"--rw={mode}",
        "--bs=4k" if mode.startswith("rand") else "--bs=1M", f"--size={SIZE_MIB}M", f"--iodepth={depth}",
        "--randseed=1", "--percentile_list=99.9", "--output-format=json", *more,
    ]
    if mode.startswith("rand"):
        command += ["--time_based", f"--runtime={seconds}", "--norandommap"]
    # fio leaves a state file where it runs.
    ran = subprocess.run(command, capture_output=True, text=True, cwd=socket.parent)
    if ran.returncode != 0:
        sys.exit(f"{' '.join(command)}: {ran.stderr or ran.stdout}")
    # Notes may come before the figures.
    job = json.loads(ran.stdout[ran.stdout.index("{"):])["jobs"][0]
    processor_us = (job["usr_cpu"] + job["sys_cpu"]) / 100 * job["job_runtime"] * 1000
    return {**job["read" if mode.endswith("read") else "write"], "processor_us": processor_us}


def wait_for(socket, process):
    for _ in range(1000):
        if socket.exists():
            return
        if process.poll() is not None:
            sys.exit(f"{process.args[0]} ended: {process.stderr.read() if process.stderr else ''}")
        time.sleep(0.01)
    sys.exit(f"{process.args[0]} does not listen")


class Served:
    """A server; its output is in `said`, once it has ended."""

    def __init__(self, said, pid):
        self.said, self.pid = said, pid

    def processor_us(self):
        """Processor time so far of the threads of each name, us."""
        took = {}
        for thread in pathlib.Path(f"/proc/{self.pid}/task").iterdir():
            # What it ran, in ns, without the steps of a clock tick.
            ran = int((thread / "schedstat").read_text(encoding="ascii").split()[0]) / 1000
            name = (thread / "comm").read_text(encoding="utf-8").strip()
            took[name] = took.get(name, 0) + ran
        return took


@contextlib.contextmanager
def server(command, socket):
    """A server, which ends with the context."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    said = []
    try:
        wait_for(socket, process)
        yield Served(said, process.pid)
    finally:
        process.send_signal(signal.SIGTERM)
        said.append(process.communicate()[0])
        socket.unlink(missing_ok=True)


def fill(places, seconds):
    for place in places.values():
        fio(place, "write", 4, seconds)


def side_by_side(places, rounds, seconds, each=lambda name, seen: None):
    """Runs fio at depth 32 on two servers in turns; gives the median share of the first in the second, of each mode. `each` is told
    of every run."""
    for mode in ["randread", "randwrite"]:
        found = {name: [] for name in places}
        for round in range(rounds):
            order = list(places) if round % 2 == 0 else list(reversed(places))
            for name in order:
                seen = fio(places[name], mode, 32, seconds)
                found[name].append(seen["iops"])
                each(name, seen)
        shares = [a / b for a, b in zip(*found.values())]
        share = statistics.median(shares)
        medians = "  ".join(f"{name} {statistics.median(iops):8.0f} IOPS" for name, iops in found.items())
        print(f"{mode:9}  depth 32  {medians}  median share {share:.0%} "
              f"({min(shares):.0%} to {max(shares):.0%} in {rounds} rounds)", flush=True)
        yield mode, share


def memory_plugin(socket):
    return server(["nbdkit", "--foreground", "--unix", str(socket), "memory", f"{SIZE_MIB}M"], socket)


def throughput(ftlkit, folder, rounds, seconds):
    ours, theirs = folder / "ftlkit.sock", folder / "nbdkit.sock"
    serve = [ftlkit, "serve", "--capacity", "256MiB", "--socket", str(ours)]
    with server(serve, ours), memory_plugin(theirs):
        places = {"ftlkit": ours, "nbdkit memory": theirs}
        fill(places, seconds)
        shares = dict(side_by_side(places, rounds, seconds))
    few = [mode for mode, share in shares.items() if share < LEAST_SHARE]
    for mode in few:
        print(f"{mode:9}  NOT {LEAST_SHARE:.0%}")
    return not few


def record(ftlkit, folder, rounds, seconds):
    recorded, plain = folder / "recorded.sock", folder / "plain.sock"
    serve = [ftlkit, "serve", "--capacity", "256MiB", "--socket"]
    recording = ["--record", str(folder / "asked.csv.gz")]
    met = True
    with server([*serve, str(recorded), *recording], recorded) as first, server([*serve, str(plain)], plain):
        places = {"recorded": recorded, "not recorded": plain}
        fill(places, seconds)
        asked, client_us = 0, 0.0

        def each(name, seen):
            nonlocal asked, client_us
            if name == "recorded":
                asked += seen["total_ios"]
                client_us += seen["processor_us"]

        runs = side_by_side(places, rounds, seconds, each)
        while True:
            asked, client_us = 0, 0.0
            before = first.processor_us()
            if (done := next(runs, None)) is None:
                return met
            took = {name: us - before.get(name, 0) for name, us in first.processor_us().items()}
            all_us = (sum(took.values()) + client_us) / asked
            share = took["record"] / asked / all_us
            met &= share <= MOST_RECORDING
            print(f"{done[0]:9}  recording takes {took['record'] / asked:.2f} of the {all_us:.2f} µs of processor time per request, "
                  f"client's included: {share:.1%}{'' if share <= MOST_RECORDING else f', NOT {MOST_RECORDING:.0%}'}", flush=True)


def latency(ftlkit, folder, _rounds, seconds):
    socket, image = folder / "real.sock", folder / "real.img"
    made = [ftlkit, "serve", "--image", str(image), "--create", "--capacity", "256MiB", "--socket", str(socket)]
    with server(made, socket):
        fio(socket, "write", 4, seconds)
    met = True
    theirs = folder / "nbdkit.sock"
    with memory_plugin(theirs):
        for mode in ["randread", "randwrite"]:
            seen = fio(theirs, mode, 1, seconds)["clat_ns"]
            print(f"{mode:9}  depth 1   nbdkit memory, no model: mean {seen['mean'] / 1000:.1f} µs, "
                  f"p99.9 {seen['percentile']['99.900000'] / 1000:.1f} µs", flush=True)
    for mode in ["randread", "randwrite"]:
        serve = [ftlkit, "serve", "--image", str(image), "--socket", str(socket), "--latency", "real", "--json"]
        with server(serve, socket) as served:
            seen = fio(socket, mode, 1, 4 * seconds)["clat_ns"]
        model = json.loads(served.said[0])["device"]["request_response_ns"]
        for what, fios, models in [
            ("mean", seen["mean"], model["mean"]),
            ("p99.9", seen["percentile"]["99.900000"], model["p99.9"]),
        ]:
            late = (fios - models) / 1000
            within = abs(late) <= max(MOST_LATE_US, MOST_LATE_SHARE * models / 1000)
            met &= within
            print(f"{mode:9}  depth 1   {what:5}  fio {fios / 1000:8.1f} µs  model {models / 1000:8.1f} µs  "
                  f"{late:+.1f} µs, {late * 1000 / models:+.1%}{'' if within else '  NOT within 50 µs or 5 %'}", flush=True)
    return met


def written(serve, socket, seconds):
    """Writes per second at depth 1 without flushes, and with one after every 32 writes."""
    size = f"--size={SIZE_MIB - 32}M"
    with server(serve, socket):
        fio(socket, "write", 4, seconds, [size])
        return [fio(socket, "randwrite", 1, seconds, [size, more])["iops"] for more in ["--fsync=0", "--fsync=32"]]


def durable(ftlkit, _folder, rounds, seconds):
    programs = {"": ftlkit} | ({"before: ": str(pathlib.Path(OPTIONS.before).resolve())} if OPTIONS.before else {})
    kinds = [f"{name}{what}" for name in programs for what in ["process", "machine"]]
    for scheme in OPTIONS.schemes.split(","):
        found = {kind: [] for kind in [*kinds, "nbdkit file"]}
        for _ in range(rounds):
            for kind in found:
                with tempfile.TemporaryDirectory(dir=OPTIONS.disk) as folder:
                    socket, image = pathlib.Path(folder, "s"), pathlib.Path(folder, "device.img")
                    if kind == "nbdkit file":
                        with open(image, "wb") as file:
                            file.truncate(SIZE_MIB << 20)
                        serve = ["nbdkit", "--foreground", "--unix", str(socket), "file", str(image)]
                    else:
                        name = kind.removesuffix("process").removesuffix("machine")
                        serve = [programs[name], "serve", "--image", str(image), "--create", "--capacity", "256MiB", "--scheme", scheme,
                                 "--durable", kind.removeprefix(name), "--socket", str(socket)]
                    found[kind].append(written(serve, socket, seconds))
        for kind, rates in found.items():
            without, every = (statistics.median(rate) for rate in zip(*rates))
            print(f"{scheme:20}  {kind:15}  writes/s without flushes {without:8.0f}, with a flush every 32 {every:8.0f}", flush=True)
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ftlkit", default="target/release/ftlkit")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=4)
    parser.add_argument("--schemes", default="page-level,lazy-rtgc,bast,fast,nftl,dftl,gftl", help="of `durable`")
    parser.add_argument("--before", help="another ftlkit, of `durable`")
    parser.add_argument("--disk", default=".", help="folder on a disk, of `durable`")
    parts = {"throughput": throughput, "record": record, "latency": latency, "durable": durable}
    parser.add_argument("what", nargs="*", choices=[*parts, []], default=[])
    global OPTIONS
    OPTIONS = options = parser.parse_args()
    for tool in ["fio", "nbdkit"]:
        if shutil.which(tool) is None:
            sys.exit(f"{tool} is missing (Debian: apt-get install {tool})")
    ftlkit = str(pathlib.Path(options.ftlkit).resolve())
    shared = "/dev/shm" if os.path.isdir("/dev/shm") else None
    met = True
    for part in options.what or ["throughput", "record", "latency"]:
        with tempfile.TemporaryDirectory(dir=shared) as folder:
            met &= parts[part](ftlkit, pathlib.Path(folder), options.rounds, options.seconds)
    sys.exit(0 if met else 1)


if __name__ == "__main__":
    main()
