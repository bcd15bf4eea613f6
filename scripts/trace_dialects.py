#!/usr/bin/env python3
"""Traces in drawn dialects, read by `ftlkit trace convert` and by a reader of their own here, request by request.

    scripts/trace_dialects.py target/debug/ftlkit [--files 2400] [--seed 1] [--only csv] [--keep DIR]

A dialect is a format with separators, case, operation words, order of columns, units, further columns, quotes, line ends and
compression. The reader is of this script alone: it knows a file by its bytes, the format and the options of the command line.
Requests that differ are a silent difference, whatever a note says, and so is a file that one of both refuses; each is printed
with the seed that makes it again. Exit code 1 if there is any.
"""

import argparse
import bz2
import collections
import csv
import gzip
import io
import lzma
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

S = 1_000_000_000
Request = collections.namedtuple("Request", "arrival device op fua offset length response stream", defaults=(0, None, 0))


# --- What is asked: requests, before they become a file ---


def requests(rng, *, grain=512, tick=1, ops=("read", "write"), devices=1, most=40, begin=0, backwards=True):
    """Requests at multiples of `tick` ns and of `grain` bytes."""
    now, end, found = begin, 0, []
    for _ in range(rng.randint(1, most)):
        now += rng.choice((0, 1, rng.randrange(1000), rng.randrange(10**6))) * tick
        arrival = now
        if backwards and rng.random() < 0.05:
            arrival = max(begin, now - rng.randrange(5000) * tick)
        op = rng.choice(ops)
        offset = end if rng.random() < 0.2 else rng.randrange(1 << rng.randint(1, 31)) * grain
        length = rng.randint(1, 256) * grain
        if op == "flush":
            offset = length = 0
        else:
            end = offset + length
        found.append(Request(arrival, rng.randrange(devices), op, 0, offset, length))
    return found


# --- How it is packed, and how lines end ---


def zstd_frames(data, rng):
    """Frames of stored blocks, as any writer may make them."""
    out, at = b"", 0
    while at < len(data) or not out:
        part = data[at : at + rng.randint(1, 60_000)]
        at += len(part)
        # One segment with a content size of 4 bytes; one raw block, the last.
        out += b"\x28\xb5\x2f\xfd" + bytes([0b10100000]) + struct.pack("<I", len(part))
        out += struct.pack("<I", len(part) << 3 | 1)[:3] + part
    return out


def packed(data, rng):
    kind = rng.choice(("", "", "", "gz", "gz", "zst", "zst", "xz", "bz2"))
    if kind == "gz":
        at = rng.randrange(len(data) + 1)
        members = (data[:at], data[at:]) if rng.random() < 0.3 else (data,)
        data = b"".join(map(gzip.compress, members)) + b"\0" * rng.choice((0, 0, 512, 1000))
    elif kind == "zst":
        program = shutil.which("zstd")
        if program and rng.random() < 0.5:
            level = f"-{rng.randint(1, 9)}"
            data = subprocess.run([program, "-qc", level], input=data, stdout=subprocess.PIPE, check=True).stdout
        else:
            data = zstd_frames(data, rng)
    elif kind:
        data = {"xz": lzma, "bz2": bz2}[kind].compress(data)
    return data, kind


def unpacked(data):
    if data[:2] == b"\x1f\x8b":
        return gzip.decompress(data)
    if data[:6] == b"\xfd7zXZ\0":
        return lzma.decompress(data)
    if data[:3] == b"BZh":
        return bz2.decompress(data)
    if data[:4] == b"\x28\xb5\x2f\xfd":
        # Stored frames are read here; others by the program that made them.
        out, at = b"", 0
        while at < len(data) and data[at + 4] == 0b10100000:
            block = int.from_bytes(data[at + 9 : at + 12], "little")
            size = block >> 3
            if block & 7 != 1:
                break
            out += data[at + 12 : at + 12 + size]
            at += 12 + size
        if at == len(data):
            return out
        return subprocess.run(["zstd", "-dqc"], input=data, stdout=subprocess.PIPE, check=True).stdout
    return data


def joined(rng, lines, comments=True):
    """Lines as text: ends, empty lines, comments."""
    end = rng.choice(("\n", "\n", "\r\n"))
    out = []
    for line in lines:
        if comments and rng.random() < 0.02:
            out.append(rng.choice(("", "# a comment", "   ")))
        out.append(line)
    text = end.join(out) + (end if rng.random() < 0.8 else "")
    return (b"\xef\xbb\xbf" if rng.random() < 0.05 else b"") + text.encode()


def lines_of(data):
    text = data.decode()
    text = text[1:] if text.startswith("\ufeff") else text
    lines = [line.rstrip("\r") for line in text.split("\n")]
    return [line for line in lines if line.strip() and not line.startswith("#")]


# --- What readers do with times ---


def ns(text, unit):
    """A decimal in a unit of so many ns, cut down to ns."""
    return int(Fraction(text.replace(",", ".")) * unit)


def spread(found):
    """Times in whole seconds, spread evenly over each run of equal ones."""
    out, at = [], 0
    while at < len(found):
        end = at
        while end < len(found) and found[end].arrival == found[at].arrival:
            end += 1
        out += [r._replace(arrival=r.arrival + n * S // (end - at)) for n, r in enumerate(found[at:end])]
        at = end
    return out


def based(found, timed=True):
    """As all requests are compared: since the first, devices in the order of their appearance, without empty ones."""
    found = [r for r in found if r.length or r.op == "flush"]
    numbers = {}
    out = []
    for r in found:
        device = numbers.setdefault(r.device, len(numbers))
        arrival = max(0, r.arrival - found[0].arrival) if timed else 0
        out.append(r._replace(arrival=arrival, device=device))
    return out


def decimal(rng, value, unit):
    """A time in ns as a number in this unit, with what decimals it takes or more."""
    whole, rest = divmod(value, unit)
    digits = len(str(unit)) - 1
    text = f"{rest:0{digits}d}" if digits else ""
    if rng.random() < 0.5:
        text = text.rstrip("0")
    return f"{whole}.{text}" if text else str(whole)


# --- Formats: each writes a file and options, and reads both ---

FORMATS = {}


def fmt(one):
    FORMATS[one.__name__.lower()] = one
    return one


def word(rng, text):
    return rng.choice((text, text.lower(), text.upper(), text.title()))


@fmt
class Msr:
    def write(rng):
        found = requests(rng, grain=rng.choice((1, 512, 4096)), tick=100, devices=4, begin=128_166_372_003_061_629 * 100)
        hosts = [rng.choice(("hm", "usr", "src1")) for _ in range(4)]
        comma = rng.choice((",", ",", ", "))
        rows = [
            comma.join((str(r.arrival // 100), hosts[r.device], str(r.device), word(rng, r.op.title()), str(r.offset), str(r.length), str(rng.choice((0, rng.randrange(10**6))))))
            for r in found
        ]
        return joined(rng, rows), []

    def read(data, _):
        for line in lines_of(data):
            time, host, disk, op, offset, length, response = (cell.strip() for cell in line.split(","))
            yield Request(int(time) * 100, (host, int(disk)), op.lower(), 0, int(offset), int(length), int(response) * 100 or None)


@fmt
class Spc:
    def write(rng):
        comma, more = rng.choice((",", ",", ", ")), rng.choice(("", ",", ",9,x", ", 1"))
        rows = [
            comma.join((str(r.device), str(r.offset // 512), str(r.length), word(rng, r.op[0]), decimal(rng, r.arrival, S))) + more
            for r in requests(rng, devices=5, begin=rng.choice((0, 25 * S // 1000)))
        ]
        return joined(rng, rows), []

    def read(data, _):
        for line in lines_of(data):
            asu, lba, size, op, time = (cell.strip() for cell in line.split(",")[:5])
            yield Request(ns(time, S), asu, {"r": "read", "w": "write"}[op.lower()], 0, int(lba) * 512, int(size))


@fmt
class Alibaba:
    def write(rng):
        rows = [
            f"{r.device},{word(rng, r.op[0])},{r.offset},{r.length},{r.arrival // 1000}"
            for r in requests(rng, grain=rng.choice((512, 4096)), tick=1000, devices=9, begin=1_577_808_144_360_767_000)
        ]
        return joined(rng, rows), []

    def read(data, _):
        for line in lines_of(data):
            device, op, offset, length, time = line.split(",")
            yield Request(int(time) * 1000, device, {"r": "read", "w": "write"}[op.lower()], 0, int(offset), int(length))


@fmt
class Tencent:
    def write(rng):
        rows = [
            f"{r.arrival // S},{r.offset // 512},{r.length // 512},{int(r.op == 'write')},{1063 + r.device}"
            for r in requests(rng, tick=rng.choice((10_000_000, S)), devices=9, begin=1_538_323_200 * S)
        ]
        return joined(rng, rows), []

    def read(data, _):
        found = []
        for line in lines_of(data):
            time, offset, size, kind, volume = map(int, line.split(","))
            found.append(Request(time * S, volume, ("read", "write")[kind], 0, offset * 512, size * 512))
        return spread(found)


@fmt
class Systor17:
    def write(rng):
        rows = ["Timestamp,Response,IOType,LUN,Offset,Size"] if rng.random() < 0.7 else []
        for r in requests(rng, devices=3, begin=1_455_592_511 * S):
            response = decimal(rng, rng.randrange(10**9), S) if rng.random() < 0.8 else ""
            kind = "" if rng.random() < 0.1 else word(rng, r.op[0])
            rows.append(f"{decimal(rng, r.arrival, S)},{response},{kind},{r.device},{r.offset},{r.length}")
        rows.append(f"{1_455_592_600},,R,0,0,512")
        return joined(rng, rows), []

    def read(data, _):
        for line in lines_of(data):
            if line.startswith("Timestamp"):
                continue
            time, response, op, lun, offset, size = line.split(",")
            if op:
                response = ns(response, S) if response else None
                yield Request(ns(time, S), lun, {"r": "read", "w": "write"}[op.lower()], 0, int(offset), int(size), response)


class Columns:
    """Five columns between blanks: the name of the file, or an option, says which format it is."""

    unit, read_is = 1, 1

    @classmethod
    def write(cls, rng):
        blank = rng.choice((" ", "  ", "\t", " \t "))
        found = requests(rng, devices=3, begin=rng.choice((0, 10**15)))
        options, unit = [], 512
        if rng.random() < 0.2:
            options, unit = ["--lba-unit", "bytes", "--size-unit", "bytes"], 1
        rows = []
        for r in found:
            time = decimal(rng, r.arrival, cls.unit) if cls.unit > 1 else str(r.arrival)
            flag = cls.flag(rng, r.op)
            row = blank.join((time, str(r.device), str(r.offset // unit), str(r.length // unit), flag))
            rows.append(rng.choice(("", "", " ")) + row + rng.choice(("", "", " ")))
        return joined(rng, rows), options

    def flag(rng, op):
        return "1" if op == "read" else "0"

    @classmethod
    def read(cls, data, options):
        unit = 1 if "--lba-unit" in options else 512
        for line in lines_of(data):
            time, device, offset, count, flag = line.split()
            op = "read" if int(flag, 16) & 1 else "write"
            yield Request(ns(time, cls.unit), device, op, 0, int(offset) * unit, int(count) * unit)


@fmt
class DiskSim(Columns):
    unit = 1_000_000

    def flag(rng, op):
        return f"{rng.choice((0, 2, 16)) + (op == 'read'):x}"


@fmt
class SsdSim(Columns):
    pass


@fmt
class MqSim(Columns):
    pass


@fmt
class Fiu:
    def write(rng):
        process = ("syslogd", "a b c", "kjournald", "8 8 W")
        rows = [
            f"{r.arrival} {rng.randrange(9999)} {rng.choice(process)} {r.offset // 512} {r.length // 512} {word(rng, r.op[0])} {6 + r.device} {r.device} {rng.getrandbits(128):032x}"
            for r in requests(rng, devices=3)
        ]
        return joined(rng, rows), []

    def read(data, _):
        for line in lines_of(data):
            cells = line.split()
            lba, size, op, major, minor = cells[-6:-1]
            yield Request(int(cells[0]), (major, minor), {"r": "read", "w": "write"}[op.lower()], 0, int(lba) * 512, int(size) * 512)


@fmt
class Blkparse:
    def write(rng):
        wide, rows = rng.random() < 0.6, []
        action = rng.choice("QQD")
        for n, r in enumerate(requests(rng, ops=("read", "write", "trim"), devices=2)):
            flags = rng.choice({"read": ("R", "RA", "RM", "RS"), "write": ("W", "WS", "WFS", "FWS", "FWFSM", "WB", "WSM"), "trim": ("D", "DS")}[r.op])
            time, dev, pid = decimal(rng, r.arrival, S), f"{8 + r.device},{16 * r.device}", rng.randrange(9999)
            for act in (action, "G", "C") if rng.random() < 0.5 else (action,):
                tail = f"{flags} {r.offset // 512} + {r.length // 512} [{rng.choice(('fio', 'a b', '0', 'kworker/0:1'))}]"
                head = f"{dev:>5} {n % 8:>4} {n:>8} {time:>14} {pid:>5}  {act}  " if wide else f"{dev} 0 {n} {time} {pid} {act} "
                rows.append(("  " if wide else "") + head + tail)
        if rng.random() < 0.4:
            rows += ["CPU0 (8,0):", " Reads Queued:           1,        4KiB", "", "Total (8,0):", "Throughput (R/W): 1KiB/s / 2KiB/s"]
        return joined(rng, rows, comments=False), ["--action", "D"] if action == "D" and rng.random() < 0.5 else []

    def read(data, _):
        events = []
        for line in lines_of(data):
            cells = line.split()
            if re.fullmatch(r"\d+,\d+", cells[0]) and "+" in cells:
                events.append(cells)
        action = next(a for a in "QDC" if any(cells[5] == a for cells in events))
        for dev, _, _, time, _, act, flags, sector, _, count, *_ in events:
            if act != action:
                continue
            op = {"R": "read", "W": "write", "D": "trim"}[flags.lstrip("F")[0]]
            r = Request(ns(time, S), dev, op, 0, int(sector) * 512, int(count) * 512)
            if flags[0] == "F":
                yield r._replace(op="flush", offset=0, length=0)
            rest = flags.lstrip("F")[1:]
            yield r._replace(fua=int(rest[:1] == "F" or ("B" in rest and op == "write")))


@fmt
class Fio:
    def write(rng):
        version = rng.choice((2, 3))
        found = requests(rng, grain=rng.choice((1, 512)), tick=1000 if version == 3 else 1_000_000, ops=("read", "write", "trim", "flush"), devices=3, backwards=False)
        names = ["/dev/sda", "/dev/nvme0n1", "log.0.0"]
        rows, now = [f"fio version {version} iolog"], 0
        for r in found:
            at = f"{r.arrival // 1000} " if version == 3 else ""
            name = names[r.device]
            if version == 2 and (r.arrival != now or len(rows) == 1):
                rows.append(f"{name} wait {r.arrival // 1_000_000} 0")
                now = r.arrival
            if rng.random() < 0.1:
                rows.append(f"{at}{name} {rng.choice(('add', 'open', 'close'))}")
            action = rng.choice(("sync", "datasync")) if r.op == "flush" else r.op
            tail = rng.choice(("", " 0 0")) if r.op == "flush" else f" {r.offset} {r.length}"
            rows.append(f"{at}{name} {action}{tail}")
        return joined(rng, rows, comments=False), []

    def read(data, _):
        first, *lines = lines_of(data)
        now = 0
        for line in lines:
            cells = line.split()
            if first.split()[2] == "3":
                now = int(cells.pop(0)) * 1000
            name, action, *rest = cells
            if action == "wait":
                now = int(rest[0]) * 1_000_000
            elif action in ("sync", "datasync"):
                yield Request(now, name, "flush", 0, 0, 0)
            elif action in ("read", "write", "trim"):
                yield Request(now, name, action, 0, int(rest[0]), int(rest[1]))


@fmt
class DiskMon:
    def write(rng):
        clock, grain = rng.choice(("", "24", "12")), rng.choice((1, S))
        rows = []
        for n, r in enumerate(requests(rng, tick=1_000_000, devices=2, backwards=False)):
            time = decimal(rng, r.arrival, S)
            if clock:
                second, rest = r.arrival // S + 3600, r.arrival // grain * grain % S
                hour = second // 3600
                fraction = f".{rest:09d}".rstrip("0") if rest else ""
                half = "" if clock == "24" else (" AM", " PM")[hour >= 12]
                hour = hour if clock == "24" else (hour + 11) % 12 + 1
                time = f"{hour}:{second // 60 % 60:02d}:{second % 60:02d}{fraction}{half}"
            cells = (n, time, "0.00012", r.device, word(rng, r.op.title()), r.offset // 512, r.length // 512)
            rows.append("\t".join(map(str, cells)))
        return joined(rng, rows), []

    def read(data, _):
        found, run = [], []
        for line in lines_of(data):
            _, time, _, disk, op, sector, count = line.split("\t")
            whole = False
            if ":" in time:
                hour, minute, rest = time.split(":")
                second, _, half = rest.partition(" ")
                hour = int(hour) % 12 + 12 * (half == "PM") if half else int(hour)
                arrival, whole = (hour * 60 + int(minute)) * 60 * S + ns(second, S), "." not in second
            else:
                arrival = ns(time, S)
            r = Request(arrival, disk, op.lower(), 0, int(sector) * 512, int(count) * 512)
            if run and (not whole or run[0].arrival != arrival):
                found += spread(run)
                run = []
            if whole:
                run.append(r)
            else:
                found.append(r)
        return found + spread(run)


@fmt
class CloudPhysics:
    def write(rng):
        code = {"read": ("8", "28", "0x28", "88", "a8", "A8"), "write": ("a", "2a", "0x2A", "8a", "2e"), "flush": ("35", "91")}
        rows = [word(rng, "version,time,op,size,lbn").replace("Version", "version").lower()]
        for r in requests(rng, tick=rng.choice((S // 4, S)), ops=tuple(code)):
            rows.append(f"1,{r.arrival // S},{rng.choice(code[r.op])},{r.length},{r.offset // 512}")
            if rng.random() < 0.05:
                rows.append(f"1,{r.arrival // S},12,36,0")
        return joined(rng, rows), []

    def read(data, _):
        found = []
        for line in lines_of(data)[1:]:
            _, time, code, size, lbn = line.split(",")
            code = int(code, 16)
            op = {0x35: "flush", 0x91: "flush", 0x12: None}.get(code, "read" if code & 0xF == 8 else "write")
            if op:
                found.append(Request(int(time) * S, 0, op, 0, int(lbn) * 512 * (op != "flush"), int(size) * (op != "flush")))
        return spread(found)


@fmt
class OracleGeneral:
    def write(rng):
        rows = [struct.pack("<IQIq", r.arrival // S, r.offset // 512, r.length, rng.choice((-1, 5))) for r in requests(rng, tick=S // 2)]
        return b"".join(rows), ["--assume-op", rng.choice(("read", "write"))]

    def read(data, options):
        rows = (struct.unpack_from("<IQIq", data, at) for at in range(0, len(data), 24))
        return spread([Request(time * S, 0, options[1], 0, id * 512, size) for time, id, size, _ in rows])


@fmt
class Vscsi:
    def write(rng):
        version, code = rng.choice((1, 2)), {"read": (0x08, 0x28, 0x88), "write": (0x0A, 0x2A, 0x8A), "flush": (0x35,)}
        rows = []
        for n, r in enumerate(requests(rng, tick=1000, ops=tuple(code))):
            cmd, lbn, ts = rng.choice(code[r.op]), r.offset // 512, r.arrival // 1000
            if version == 1:
                rows.append(struct.pack("<IIIHHQQ", n, r.length, 1, cmd, 0x0103, lbn, ts))
            else:
                rows.append(struct.pack("<HHIIIQQQ", cmd, 0x0203, n, r.length, 1, lbn, ts, rng.randrange(10**6)))
        return b"".join(rows), []

    def read(data, _):
        one = data[15] == 1 and len(data) % 32 == 0 and all(data[at + 15] == 1 for at in range(0, len(data), 32))
        for at in range(0, len(data), 32 if one else 40):
            if one:
                (_, length, _, cmd, _, lbn, ts), response = struct.unpack_from("<IIIHHQQ", data, at), None
            else:
                cmd, _, _, length, _, lbn, ts, response = struct.unpack_from("<HHIIIQQQ", data, at)
                response *= 1000
            op = "flush" if cmd == 0x35 else "read" if cmd & 0xF == 8 else "write"
            some = op != "flush"
            yield Request(ts * 1000, 0, op, 0, lbn * 512 * some, length * some, response)


@fmt
class Srt:
    def write(rng):
        header = b'tracedate\t= "Fri Apr 18 00:00:00 1992";\n\x0c' if rng.random() < 0.5 else b""
        rows = []
        for r in requests(rng, tick=1000, devices=3):
            time, flags = r.arrival // 1000, rng.choice((0, 2)) + (r.op == "read")
            fields = (time // 10**6, time % 10**6, 5, rng.choice((0, 700)), r.length, r.offset // 512, r.device, 0, 0, flags, 0)
            extra = rng.choice((0, 1))
            rows.append(struct.pack(">13I", 52 + 4 * extra, 0x10001, *fields) + b"\0" * 4 * extra)
        return header + b"".join(rows), []

    def read(data, _):
        at = data.find(b"\x0c") + 1 if data.startswith(b"tracedate") else 0
        while at < len(data):
            size, _, s, us, _, stop, length, sector, device, _, _, flags, _ = struct.unpack_from(">13I", data, at)
            yield Request(s * S + us * 1000, device, "read" if flags & 1 else "write", 0, sector * 512, length, stop * 1000 or None)
            at += size


# Tables: names of columns, and what a unit at their end is worth.
TIME = ("arrival", "arrival_time", "time", "timestamp", "ts", "start_time", "submit_time", "issue_time")
BYTES_AT = ("offset", "off", "address", "addr", "position", "pos", "start_offset")
SECTOR_AT = ("lba", "sector", "start_lba", "start_sector", "block", "blkno")
BYTES = ("length", "len", "size", "bytes", "nbytes", "io_size", "request_size", "transfer_size")
SECTORS = ("sectors", "nsectors", "num_sectors", "nr_sectors", "sector_count", "blocks", "block_count")
OPERATION = ("op", "operation", "opcode", "type", "iotype", "io_type", "rw", "cmd", "command", "request_type")
DEVICE = ("device", "dev", "disk", "volume", "lun", "asu", "device_id", "disk_number")
TIMES = {"ns": 1, "nsec": 1, "us": 10**3, "usec": 10**3, "ms": 10**6, "msec": 10**6, "s": S, "sec": S, "seconds": S}
PLACES = {"b": 1, "bytes": 1, "sector": 512, "sectors": 512, "kib": 1024}
OPS = {
    "read": ("read", "r", "rd", "0"),
    "write": ("write", "w", "wr", "1"),
    "trim": ("trim", "t", "d", "discard", "unmap"),
    "flush": ("flush", "f", "sync", "fsync"),
    "write-zeroes": ("write-zeroes", "wz", "write_zeroes"),
}


@fmt
class Csv:
    def write(rng):
        sep = rng.choice((",", ",", ",", ";", ";", "\t", " ", ", ", " , ", "; ", "   "))
        blanks = not sep.strip() and sep != "\t"
        numbers, is_write = rng.random() < 0.1, rng.random() < 0.1
        ops = ("read", "write") if numbers or is_write else rng.choice((("read", "write"), tuple(OPS)))
        options, columns = [], {}
        # Time: a unit in the name, by option, or by the size of a date.
        unit, begin, digits = rng.choice(("ns", "us", "ms", "s", "nsec", "usec", "sec", "seconds")), 0, False
        timed = rng.random() < 0.9
        name = rng.choice(TIME)
        kind = rng.random()
        if not timed:
            pass
        elif kind < 0.15:
            options += ["--time-unit", unit := rng.choice(("ns", "us", "ms", "s"))]
        elif kind < 0.4:
            digits = True
            unit, begin = rng.choice((("s", 0), ("s", 1_700_000_000 * S), ("ms", 1_700_000_000 * S), ("us", 1_700_000_000 * S), ("ns", 1_700_000_000 * S), ("tick", 128_166_372_003_061_629 * 100)))
        else:
            name = Csv.with_unit(rng, name, unit, blanks)
        worth = {"tick": 100, **TIMES}[unit]
        tick = worth if digits and begin and unit != "s" else rng.choice((1, 100, 1000))
        found = requests(rng, grain=1024, tick=tick, ops=ops, devices=3, begin=begin)
        if begin and found[0].arrival < begin:
            found = [r._replace(arrival=max(r.arrival, begin)) for r in found]
        comma = rng.random() < 0.1 and "," not in sep

        def time(value, worth):
            text = decimal(rng, value, worth) if worth > 1 else str(value)
            return text.replace(".", ",") if comma else text

        if timed:
            columns[name] = lambda r: time(r.arrival, worth)

        # Places: a unit in the name, by option, or the usual one of the name.
        def place(names, sector_names, option, take):
            usual = rng.choice((1, 512))
            name = rng.choice(names if usual == 1 else sector_names)
            unit, kind = usual, rng.random()
            if kind < 0.2:
                unit = rng.choice((1, 512, 1024))
                options.extend((option, {1: "bytes", 512: "sectors", 1024: "1KiB"}[unit]))
            elif kind < 0.6 and name not in SECTORS:
                text = rng.choice(tuple(PLACES))
                unit, name = PLACES[text], Csv.with_unit(rng, name, text, blanks)
            columns[name] = lambda r: str(take(r) // unit)

        place(BYTES_AT, SECTOR_AT, "--lba-unit", lambda r: r.offset)
        place(BYTES, SECTORS[1:], "--size-unit", lambda r: r.length)
        if is_write:
            flags = rng.choice((("0", "1"), ("false", "true"), ("False", "True")))
            columns["is_write"] = lambda r: flags[r.op == "write"]
        else:
            few = rng.random() < 0.5
            chosen = {op: words[3] if numbers else rng.choice(words[:3]) for op, words in OPS.items() if op in ops}
            case = rng.choice((str.lower, str.upper, str.title, str))
            columns[rng.choice(OPERATION)] = lambda r: case(chosen[r.op]) if few or numbers else word(rng, rng.choice(OPS[r.op][:3]))
        if rng.random() < 0.4:
            devices = rng.choice((("0", "1", "2"), ("sda", "sdb", "nvme0n1")))
            columns[rng.choice(DEVICE)] = lambda r: devices[r.device]
        if rng.random() < 0.2:
            columns["fua"] = lambda r: str(rng.randrange(2))
        if rng.random() < 0.2:
            columns["stream"] = lambda r: str(rng.randrange(256)) if blanks or rng.random() < 0.8 else ""
        if rng.random() < 0.3:
            shown = rng.choice(("ns", "us", "ms", "s"))
            response = Csv.with_unit(rng, rng.choice(("latency", "response", "response_time", "lat")), shown, blanks)
            columns[response] = lambda r: time(rng.randrange(10**8), TIMES[shown]) if blanks or rng.random() < 0.8 else ""
        quotes = rng.choice(("none", "none", "needed", "all", "header", "mixed"))
        other = ["x", "7", "-1", "3.5", "a/b", "ärger", '5"']
        if quotes not in ("none", "header"):
            other += [f"a{sep.strip() or ' '}b", "two words", 'he said "x"', ""]
        for name in rng.sample(("pid", "comment", "cpu", "hostname", "user", "queue_depth", "latency", "note", "id"), rng.choice((0, 0, 1, 2, 3))):
            columns.setdefault(name, lambda r: rng.choice(other))
        names = list(columns)
        rng.shuffle(names)
        case = rng.choice((str, str.lower, str.upper, str.title))
        sep_of = sep.strip() or sep[0]

        def cell(text, kind):
            force = kind == "all" or kind == "mixed" and rng.random() < 0.5
            hurts = kind != "none" and (sep_of in text or "\t" in text or text.startswith('"') or blanks and (not text or " " in text))
            return '"' + text.replace('"', '""') + '"' if force or hurts else text

        head = {"needed": "none", "header": "all"}.get(quotes, quotes)
        body = {"header": "none"}.get(quotes, quotes)
        trailing = sep_of if rng.random() < 0.05 and not blanks else ""
        rows = [sep.join(cell(case(name), head) for name in names) + trailing]
        rows += [sep.join(cell(columns[name](r), body) for name in names) + trailing for r in found]
        return joined(rng, rows), [*options, "--format", "csv"] if rng.random() < 0.1 else options

    def with_unit(rng, name, unit, blanks):
        forms = ("{}_{}", "{}-{}", "{}({})", "{}[{}]") + (() if blanks else ("{} ({})", "{} [{}]", "{} {}"))
        return rng.choice(forms).format(name, unit)

    def read(data, options):
        given = dict(zip(options[::2], options[1::2]))
        first, *lines = lines_of(data)
        bare = re.sub(r'"[^"]*"', "", first)
        sep = next((sep for sep in ",;\t" if sep in bare), " ")
        rows = [Csv.cells(line, sep) for line in (first, *lines)]
        header, used, seen = rows[0], {}, set()
        for at, text in enumerate(header):
            name = "_".join(re.findall(r"[^\W_]+", text.lower()))
            base, _, unit = name.rpartition("_")
            what = Csv.column(name, None) or (Csv.column(base, unit) if base else None)
            if what and what[0] not in seen:
                seen.add(what[0])
                used[at] = what
        below = [row for row in rows[1:]]
        for row in below:
            fields = {"op": "read", "arrival": 0, "device": 0}
            for at, (what, unit) in used.items():
                text = row[at]
                if what == "arrival":
                    if unit is None:
                        unit = TIMES[given["--time-unit"]] if "--time-unit" in given else Csv.date([row[at] for row in below])
                    fields[what] = ns(text, unit)
                elif what in ("offset", "length"):
                    option = given.get("--lba-unit" if what == "offset" else "--size-unit")
                    name = "_".join(re.findall(r"[^\W_]+", header[at].lower()))
                    if unit is None:
                        unit = {"bytes": 1, "sectors": 512, "1KiB": 1024}[option] if option else (512 if name in SECTOR_AT + SECTORS else 1)
                    fields[what] = int(text) * unit
                elif what == "op" and unit == "is_write":
                    fields[what] = "write" if text.lower() in ("1", "true") else "read"
                elif what == "op":
                    fields[what] = next(op for op, words in OPS.items() if text.lower() in words)
                elif what == "response":
                    fields[what] = ns(text, unit) if text else None
                elif what == "device":
                    fields[what] = text
                else:
                    fields[what] = int(text or 0)
            yield Request(**{"fua": 0, **fields})

    def cells(line, sep):
        """The values of a line: quotes as in RFC 4180, blanks around values cut off."""
        out, at = [], 0
        while True:
            while at < len(line) and line[at] in (" \t" if sep != "\t" else " "):
                at += 1
            if sep == " " and at == len(line):
                return out
            if line[at : at + 1] == '"':
                text, at = "", at + 1
                while at < len(line):
                    if line[at] == '"' and line[at + 1 : at + 2] == '"':
                        text, at = text + '"', at + 2
                    elif line[at] == '"':
                        at += 1
                        break
                    else:
                        text, at = text + line[at], at + 1
            else:
                end = at
                while end < len(line) and line[end] not in (sep if sep != " " else " \t"):
                    end += 1
                text, at = line[at:end].strip(), end
            out.append(text)
            if sep != " ":
                at = line.find(sep, at)
                if at < 0:
                    return out
                at += 1

    def column(base, unit):
        """What a column tells, and its unit: None where the name says none."""
        if base in TIME and (unit is None or unit in TIMES):
            return "arrival", TIMES.get(unit)
        if base in BYTES_AT + SECTOR_AT and (unit is None or unit in PLACES):
            return "offset", PLACES.get(unit)
        if base in BYTES + SECTORS and (unit is None or unit in PLACES):
            return "length", PLACES.get(unit)
        if base in ("latency", "lat", "response", "response_time") and unit in TIMES:
            return "response", TIMES[unit]
        if unit is None and base in OPERATION + ("is_write",):
            return "op", base
        if unit is None and base in DEVICE:
            return "device", None
        if unit is None and base in ("fua", "stream"):
            return base, None
        return None

    def date(texts):
        """A time without a unit is in s, unless all are as large as a date in a smaller unit."""
        size = min(len(re.match(r"\d*", text).group()) for text in texts)
        return 1 if size >= 19 else 100 if size == 18 else 10**3 if size >= 16 else 10**6 if size >= 13 else S


# --- Both readings ---


def theirs(text):
    """What `trace convert` wrote, in ftlkit's own table."""
    table = list(csv.DictReader(io.StringIO(text)))
    for row in table:
        response = row["response_ns"]
        yield Request(
            int(row.get("arrival_ns") or 0), row["device"], row["op"], int(row["fua"]), int(row["offset_bytes"]),
            int(row["length_bytes"]), int(response) if response else None, int(row["stream"]),
        )


def checked(case):
    program, folder, name, seed, keep = case
    rng = random.Random(f"{name} {seed}")
    how = FORMATS[name]
    data, options = how.write(rng)
    data, kind = packed(data, rng)
    named = rng.random() < 0.5 or not issubclass(how, Columns)
    ending = f".{name}" if named else ".txt"
    if not named or name == "oraclegeneral" and rng.random() < 0.5:
        options = [*options, "--format", name]
    path = os.path.join(folder, f"{name}-{seed}{ending}{'.' + kind if kind else ''}")
    if name in ("csv", "msr", "fio", "spc") and rng.random() < 0.5:
        path = os.path.join(folder, f"{name}-{seed}.trace")
    with open(path, "wb") as file:
        file.write(data)
    out = path + ".out.csv"
    done = subprocess.run([program, "trace", "convert", "-q", path, out, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    told = None
    try:
        ours = list(how.read(unpacked(data), options))
        if done.returncode:
            told = f"refused: {done.stderr.strip()}"
        else:
            with open(out) as file:
                text = file.read()
            timed = text.startswith("arrival_ns")
            ours, found = based(ours, timed), based(theirs(text), timed)
            if ours != found:
                at = next((at for at, pair in enumerate(zip(ours, found)) if pair[0] != pair[1]), min(len(ours), len(found)))
                told = f"{len(ours)} requests here, {len(found)} there; the first that differs, {at}:\n  here  {ours[at:at + 1]}\n  there {found[at:at + 1]}"
    except Exception as error:
        told = f"not read here: {error!r}; there: exit code {done.returncode}"
    for file in (path, out):
        if os.path.exists(file) and not (told and keep):
            os.remove(file)
    return told and f"{name}, seed {seed}, options {' '.join(options)}, {path}: {told}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="ftlkit")
    parser.add_argument("--files", type=int, default=2400, help="number of files [2400]")
    parser.add_argument("--seed", type=int, default=1, help="seed of the first [1]")
    parser.add_argument("--only", choices=sorted(FORMATS), help="this format alone")
    parser.add_argument("--keep", metavar="DIR", help="keep files that are read differently")
    args = parser.parse_args()
    # Tables have most dialects: they are every other file.
    names = [args.only] if args.only else [of for name in sorted(FORMATS) if name != "csv" for of in ("csv", name)]
    with tempfile.TemporaryDirectory() as folder:
        place = args.keep or folder
        os.makedirs(place, exist_ok=True)
        cases = [(args.program, place, names[n % len(names)], args.seed + n, args.keep) for n in range(args.files)]
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            found = [told for told in pool.map(checked, cases) if told]
    for told in found:
        print(told)
    counts = collections.Counter(name for _, _, name, _, _ in cases)
    print(f"{len(cases)} files of {len(counts)} formats, {counts['csv']} of them tables: {len(found)} silent differences")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
