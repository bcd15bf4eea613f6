#!/usr/bin/env python3
"""Measures `ftlkit serve` with fio (nbd engine) over a Unix socket.

  throughput  4 KiB random reads and writes at depth 32 without latency, beside nbdkit's memory plugin: rounds of
              both, one after the other and in turns, so that other load of the machine meets both.
  record      the same of ftlkit alone, with and without `--record FILE.csv.zst`; and the processor time of the server per
              request in both, which other load of the machine disturbs less.
  latency     4 KiB random reads and writes at depth 1 with `--latency real`: fio's mean and p99.9 beside the model's; and
              nbdkit's memory plugin at depth 1, which has no latency to model: how late this machine's own wake-ups are.
  durable     4 KiB random writes at depth 1 on an image on a disk (--disk), with `--durable process` and `machine`, without
              flushes and with one after every 32 writes, of --schemes.

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
LEAST_RECORDED = 0.95
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
    return json.loads(ran.stdout[ran.stdout.index("{"):])["jobs"][0]["read" if mode.endswith("read") else "write"]


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
        """Processor time so far, us."""
        with open(f"/proc/{self.pid}/stat", encoding="utf-8") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) * 1e6 / os.sysconf("SC_CLK_TCK")


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


def side_by_side(places, least, rounds, seconds, servers=()):
    """Runs fio at depth 32 on two servers in turns. Tells whether the first has its least share of the second. Of `servers`,
    in the same order, prints the processor time per request, too."""
    met = True
    for place in places.values():
        fio(place, "write", 4, seconds)
    for mode in ["randread", "randwrite"]:
        found = {name: [] for name in places}
        took = {name: [] for name in places}
        processes = dict(zip(places, servers))
        for round in range(rounds):
            order = list(places) if round % 2 == 0 else list(reversed(places))
            for name in order:
                before_us = processes[name].processor_us() if servers else 0
                seen = fio(places[name], mode, 32, seconds)
                found[name].append(seen["iops"])
                if servers:
                    took[name].append((processes[name].processor_us() - before_us) / seen["total_ios"])
        shares = [a / b for a, b in zip(*found.values())]
        share = statistics.median(shares)
        met &= share >= least
        medians = "  ".join(f"{name} {statistics.median(iops):8.0f} IOPS" for name, iops in found.items())
        print(f"{mode:9}  depth 32  {medians}  median share {share:.0%} "
              f"({min(shares):.0%} to {max(shares):.0%} in {rounds} rounds){'' if share >= least else f', NOT {least:.0%}'}", flush=True)
        if servers:
            medians = "  ".join(f"{name} {statistics.median(us):.2f} µs" for name, us in took.items())
            print(f"{mode:9}  server's processor time per request: {medians}", flush=True)
    return met


def memory_plugin(socket):
    return server(["nbdkit", "--foreground", "--unix", str(socket), "memory", f"{SIZE_MIB}M"], socket)


def throughput(ftlkit, folder, rounds, seconds):
    ours, theirs = folder / "ftlkit.sock", folder / "nbdkit.sock"
    serve = [ftlkit, "serve", "--capacity", "256MiB", "--socket", str(ours)]
    with server(serve, ours), memory_plugin(theirs):
        return side_by_side({"ftlkit": ours, "nbdkit memory": theirs}, LEAST_SHARE, rounds, seconds)


def record(ftlkit, folder, rounds, seconds):
    recorded, plain = folder / "recorded.sock", folder / "plain.sock"
    serve = [ftlkit, "serve", "--capacity", "256MiB", "--socket"]
    recording = ["--record", str(folder / "asked.csv.zst")]
    with server([*serve, str(recorded), *recording], recorded) as first, server([*serve, str(plain)], plain) as second:
        places = {"recorded": recorded, "not recorded": plain}
        return side_by_side(places, LEAST_RECORDED, rounds, seconds, [first, second])


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


def durable(ftlkit, _folder, _rounds, seconds):
    for scheme in OPTIONS.schemes.split(","):
        for what in ["process", "machine"]:
            with tempfile.TemporaryDirectory(dir=OPTIONS.disk) as folder:
                socket, image = pathlib.Path(folder, "s"), pathlib.Path(folder, "device.img")
                serve = [ftlkit, "serve", "--image", str(image), "--create", "--capacity", "256MiB", "--scheme", scheme,
                         "--durable", what, "--socket", str(socket)]
                with server(serve, socket):
                    fio(socket, "write", 4, seconds, [f"--size={SIZE_MIB - 32}M"])
                    found = []
                    for more in ["--fsync=0", "--fsync=32"]:
                        seen = fio(socket, "randwrite", 1, seconds, [f"--size={SIZE_MIB - 32}M", more])
                        found.append(f"{seen['iops']:8.0f}")
                print(f"{scheme:20}  {what:7}  writes/s without flushes {found[0]}, with a flush every 32 {found[1]}", flush=True)
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ftlkit", default="target/release/ftlkit")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=4)
    parser.add_argument("--schemes", default="page-level,lazy-rtgc,bast,fast,nftl,dftl,gftl", help="of `durable`")
    parser.add_argument("--disk", default=".", help="folder on a disk, of `durable`")
    parts = {"throughput": throughput, "record": record, "latency": latency, "durable": durable}
    parser.add_argument("what", nargs="*", choices=[*parts, []], default=[])
    global OPTIONS
    OPTIONS = options = parser.parse_args()
    for tool in ["fio"] if options.what == ["durable"] else ["fio", "nbdkit"]:
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
