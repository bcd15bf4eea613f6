#!/usr/bin/env python3
"""Does `ftlkit serve` lose anything that a client was told is durable, when the server is killed at random?

    cargo build --release && python3 scripts/crash_test.py --kills 200 --scheme all [--level ext4|block] [--ftlkit PATH]

Each round starts the server on the same flash image, checks everything, writes, and kills the server (SIGKILL) at a random
moment after a random number of answers. Every tenth kill comes while the server mounts. Nothing here has a time limit.

--level ext4  the device is mounted: nbdfuse, a loop device, ext4. A program writes numbered records into slots of a file, and
              small files as a mail server does (written, renamed, deleted), with fsync after each. After each kill
              the file system must mount, and hold every record whose fsync returned. In the end e2fsck must find nothing.
              Needs root, /dev/fuse, loop devices, nbdfuse (Debian: libnbd-bin), mkfs.ext4 (e2fsprogs).
--level block a client of the protocol keeps eight requests outstanding: writes of whole and of parts of pages, FUA, flushes.
              After each kill every sector must hold a version as new as the last durable one. Of a scheme that keeps no
              write in RAM, every write that was answered is durable. Needs nothing but Python.

Prints a line for each scheme: kills, records, lost, corrupt. Exit code 1 if anything was lost or corrupt, or if a start or a
mount failed. The image of a scheme that failed is kept.
"""

import argparse
import hashlib
import json
import os
import random
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor

SECTOR = 512


class Failed(Exception):
    """A start or a mount that failed, or a check that found something."""


def run(*command, check=True):
    """What a command printed; its failure is an error."""
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    if check and ran.returncode != 0:
        raise Failed(f"{' '.join(command)}: exit code {ran.returncode}: {ran.stdout}{ran.stderr}")
    return ran


def is_mounted(folder):
    """True if something is mounted on it, sound or not."""
    with open("/proc/mounts", encoding="utf-8") as mounts:
        return any(line.split()[1] == folder for line in mounts)


class Server:
    """`ftlkit serve` on an image."""

    def __init__(self, ftlkit, folder, scheme, capacity):
        self.socket = os.path.join(folder, "socket")
        self.log = os.path.join(folder, "server.log")
        command = [ftlkit, "serve", "--image", os.path.join(folder, "device.img"), "--socket", self.socket, "--json"]
        if not os.path.exists(os.path.join(folder, "device.img")):
            command += ["--create", "--capacity", capacity, "--scheme", scheme]
        if os.path.exists(self.socket):
            os.remove(self.socket)
        with open(self.log, "w", encoding="utf-8") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log)

    def wait(self):
        """Waits until it listens."""
        while self.process.poll() is None:
            try:
                with socket.socket(socket.AF_UNIX) as probe:
                    probe.connect(self.socket)
                    return
            except OSError:
                time.sleep(0.002)
        with open(self.log, encoding="utf-8") as log:
            raise Failed(f"the server did not start (exit code {self.process.poll()}): {log.read()}")

    def listens(self):
        """True once it has mounted and listens."""
        return os.path.exists(self.socket)

    def kill(self):
        """Ends it by SIGKILL."""
        self.process.kill()
        self.process.wait()

    def was_killed(self):
        """It ended by the kill, not by itself before."""
        if self.process.returncode != -signal.SIGKILL:
            with open(self.log, encoding="utf-8") as log:
                raise Failed(f"the server ended by itself with code {self.process.returncode}: {log.read()}")

    def stop(self):
        """Ends it by SIGTERM: it must end well."""
        self.process.send_signal(signal.SIGTERM)
        if self.process.wait() != 0:
            with open(self.log, encoding="utf-8") as log:
                raise Failed(f"the server ended with code {self.process.returncode}: {log.read()}")


def record(number, place, size):
    """The bytes of a record: number, place, and bytes that follow from both, with a digest."""
    head = struct.pack("<QQ", number, place)
    body = hashlib.shake_128(head).digest(size - 32)
    return head + body + hashlib.md5(head + body).digest()


def read_record(data, place):
    """The number in a record; 0 of zeros; None if it is no record of this place."""
    if not any(data):
        return 0
    number, found = struct.unpack("<QQ", data[:16])
    return number if found == place and data == record(number, place, len(data)) else None


class Counts:
    """What a run of one scheme found."""

    def __init__(self):
        self.kills = self.mount_kills = self.records = self.lost = self.corrupt = 0
        self.first = None

    def note(self, kind, text):
        """Counts a lost or a corrupt record, and keeps the first."""
        setattr(self, kind, getattr(self, kind) + 1)
        self.first = self.first or f"{kind}: {text}, after {self.kills} kills"


class Kill:
    """Kills the server a moment after so many answers."""

    def __init__(self, server, answers, pause):
        self.answers = answers
        self.timer = threading.Timer(pause, server.process.kill)

    def answered(self):
        """Counts an answer."""
        self.answers -= 1
        if self.answers == 0:
            self.timer.start()

    def came(self):
        """Whether it came before the client's work ended."""
        if self.answers > 0:
            return False
        self.timer.join()
        return True


class Client:
    """A client of the protocol, for one export, with requests outstanding."""

    def __init__(self, path):
        self.stream = socket.socket(socket.AF_UNIX)
        self.stream.connect(path)
        self.exactly(18)
        # Fixed newstyle, no zeroes; the oldest option gives size and flags.
        self.stream.sendall(struct.pack(">I8sII", 3, b"IHAVEOPT", 1, 0))
        self.bytes, _ = struct.unpack(">QH", self.exactly(10))

    def exactly(self, count):
        """So many bytes."""
        data = bytearray()
        while len(data) < count:
            more = self.stream.recv(count - len(data))
            if not more:
                raise ConnectionError("the server is gone")
            data += more
        return bytes(data)

    def send(self, cookie, command, offset, length, data=b"", fua=False):
        """Sends a request: 0 read, 1 write, 3 flush."""
        head = struct.pack(">IHHQQI", 0x25609513, int(fua), command, cookie, offset, length)
        self.stream.sendall(head + data)

    def reply(self):
        """The cookie of the next reply, which must be a success."""
        _, error, cookie = struct.unpack(">IIQ", self.exactly(16))
        if error:
            raise Failed(f"the server answered a request with error {error}")
        return cookie

    def read(self, offset, length):
        """Bytes, with nothing else outstanding."""
        self.send(0, 0, offset, length)
        self.reply()
        return self.exactly(length)


class Block:
    """Sectors of the device, each a record, written by a client of the protocol."""

    OUTSTANDING = 8
    ended = None  # The error that ended the work.

    def __init__(self, folder, volatile, randoms):
        self.folder, self.randoms, self.volatile = folder, randoms, volatile
        self.number = 0
        self.durable = {}  # Sector: the oldest version that it may hold.
        self.maybe = {}  # Sector: versions sent since.

    def begin(self, server, counts):
        """Checks every sector."""
        self.client = Client(server.socket)
        span = 1 << 20
        for first in range(0, self.client.bytes, span):
            data = self.client.read(first, min(span, self.client.bytes - first))
            for at in range(0, len(data), SECTOR):
                self.check((first + at) // SECTOR, data[at : at + SECTOR], counts)
        self.maybe.clear()

    def check(self, sector, data, counts):
        """Checks one sector; what is found is known from here on."""
        found, least = read_record(data, sector), self.durable.get(sector, 0)
        sent = self.maybe.get(sector, [])
        if found is None:
            counts.note("corrupt", f"sector {sector} holds {data[:32].hex()}")
        elif found != least and (found < least or found not in sent):
            counts.note("lost", f"sector {sector} holds version {found}, not {least} or a later one of {sent}")
        self.durable[sector] = found or 0

    def work(self, counts, kill):
        """Writes until the server is gone."""
        # A request and what it makes durable: version by sector, or, for a flush, all that were answered before it.
        outstanding, answered, cookie = {}, {}, 0
        try:
            while True:
                while len(outstanding) < self.OUTSTANDING:
                    cookie += 1
                    outstanding[cookie] = self.ask(cookie, dict(answered))
                versions, forced = outstanding.pop(self.client.reply())
                kill.answered()
                for sector, version in versions.items():
                    if forced or not self.volatile:
                        self.durable[sector] = max(self.durable.get(sector, 0), version)
                        counts.records += 1
                        if answered.get(sector) == version:
                            del answered[sector]
                    else:
                        answered[sector] = version
        except OSError as error:
            self.ended = str(error)
        finally:
            self.client.stream.close()

    def ask(self, cookie, answered):
        """Sends a request; returns the versions that it makes durable, and whether it does by itself."""
        kind = self.randoms.random()
        if kind < 0.05:
            self.client.send(cookie, 3, 0, 0)
            return answered, True
        sectors = self.client.bytes // SECTOR
        # Half of the writes go to a tenth of the device.
        first = self.randoms.randrange(sectors // 10 if kind < 0.5 else sectors)
        count = min(self.randoms.choice([1, 3, 4, 8, 8, 8, 32]), sectors - first)
        self.number += 1
        versions = {first + at: self.number for at in range(count)}
        for sector, version in versions.items():
            self.maybe.setdefault(sector, []).append(version)
        data = b"".join(record(self.number, sector, SECTOR) for sector in versions)
        fua = kind > 0.9
        self.client.send(cookie, 1, first * SECTOR, len(data), data, fua)
        return versions, fua

    def end(self):
        """Nothing is left behind."""

    def last(self, server):
        """The client is gone before the server ends."""
        self.client.stream.close()


class Ext4:
    """Records in files of ext4 on a loop device on nbdfuse."""

    SLOTS, FILES = 4096, 200
    ended = None  # The error that ended the work.

    def __init__(self, folder, volatile, randoms):
        # What is checked here was synced.
        del volatile
        self.folder, self.randoms = folder, randoms
        self.fuse, self.mount = os.path.join(folder, "fuse"), os.path.join(folder, "mnt")
        os.makedirs(self.fuse)
        os.makedirs(self.mount)
        self.loop = self.helper = self.mounted = None
        self.formatted = False
        self.number = 0
        self.slots, self.slot_sent = {}, {}
        self.files = {}  # Number: True if it must be there, False if it must not, None if it may.

    def attach(self, server):
        """The device as a loop device."""
        uri = f"nbd+unix:///?socket={server.socket}"
        self.helper = subprocess.Popen(["nbdfuse", self.fuse, uri], stderr=subprocess.DEVNULL)
        file = os.path.join(self.fuse, "nbd")
        while not os.path.exists(file):
            if self.helper.poll() is not None:
                raise Failed("nbdfuse did not start")
            time.sleep(0.005)
        # Without a cache of its own: what ext4 writes is a request at once.
        self.loop = run("losetup", "--find", "--show", "--direct-io=on", file).stdout.strip()

    def detach(self):
        """Takes all of it down, whatever state it is in."""
        if self.mounted:
            while run("umount", self.mount, check=False).returncode != 0:
                time.sleep(0.05)
            self.mounted = False
        if self.loop:
            run("losetup", "--detach", self.loop, check=False)
            self.loop = None
        if self.helper:
            # The kernel lets go of the loop device a little later.
            while is_mounted(self.fuse):
                if run("umount", self.fuse, check=False).returncode != 0:
                    time.sleep(0.02)
            self.helper.wait()
            self.helper = None

    def begin(self, server, counts):
        """Mounts the file system, and checks every record."""
        self.attach(server)
        if not self.formatted:
            run("mkfs.ext4", "-q", self.loop)
            self.formatted = True
        # Of two that read the same loop device, one would see the other's cache.
        run("mount", "-t", "ext4", self.loop, self.mount)
        self.mounted = True
        self.check(counts)

    def check(self, counts):
        """Checks every record; what is found is known from here on."""
        path = os.path.join(self.mount, "slots")
        data = b""
        if os.path.exists(path):
            with open(path, "rb") as file:
                data = file.read()
        for slot in range(self.SLOTS):
            bytes_ = data[slot * SECTOR : (slot + 1) * SECTOR]
            found = read_record(bytes_, slot) if len(bytes_) in (0, SECTOR) else None
            expected = [self.slots.get(slot, 0), self.slot_sent.get(slot)]
            if found is None:
                counts.note("corrupt", f"slot {slot} holds {bytes_[:32].hex()}")
            elif found not in expected:
                counts.note("lost", f"slot {slot} holds version {found}, not one of {expected}")
            self.slots[slot] = found or 0
        self.slot_sent.clear()
        there = set(os.listdir(self.mount))
        for number, must in list(self.files.items()):
            name = f"mail-{number}"
            if name not in there:
                if must:
                    counts.note("lost", f"file {name} is not there")
                del self.files[number]
                continue
            with open(os.path.join(self.mount, name), "rb") as file:
                good = read_record(file.read(), number) == number
            if must is False:
                counts.note("lost", f"the deletion of {name}")
            elif not good:
                counts.note("corrupt", f"file {name}")
            self.files[number] = True

    def work(self, counts, kill):
        """Writes until the device is gone."""
        try:
            folder = os.open(self.mount, os.O_RDONLY)
            slots = os.open(os.path.join(self.mount, "slots"), os.O_RDWR | os.O_CREAT)
        except OSError as error:
            self.ended = str(error)
            return
        try:
            os.fsync(folder)
            while True:
                self.number += 1
                if self.number % 8:
                    slot = self.randoms.randrange(self.SLOTS)
                    self.slot_sent[slot] = self.number
                    os.pwrite(slots, record(self.number, slot, SECTOR), slot * SECTOR)
                    os.fsync(slots)
                    self.slots[slot] = self.slot_sent.pop(slot)
                else:
                    self.mail(folder)
                counts.records += 1
                kill.answered()
        except OSError as error:
            self.ended = str(error)
        finally:
            for file in (slots, folder):
                try:
                    os.close(file)
                except OSError:
                    pass

    def mail(self, folder):
        """A new file under a temporary name, renamed; and the oldest deleted."""
        number = self.number
        name = os.path.join(self.mount, f"mail-{number}")
        file = os.open(name + ".new", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        try:
            os.write(file, record(number, number, self.randoms.randrange(64, 20_000)))
            os.fsync(file)
        finally:
            os.close(file)
        self.files[number] = None
        os.rename(name + ".new", name)
        there = [file for file, must in self.files.items() if must]
        oldest = min(there) if len(there) > self.FILES else None
        if oldest is not None:
            self.files[oldest] = None
            os.remove(os.path.join(self.mount, f"mail-{oldest}"))
        os.fsync(folder)
        self.files[number] = True
        if oldest is not None:
            self.files[oldest] = False

    def end(self):
        """Takes the device down."""
        self.detach()

    def last(self, server):
        """The file system is sound: e2fsck finds nothing."""
        del server
        run("umount", self.mount)
        self.mounted = False
        checked = run("e2fsck", "-f", "-n", self.loop, check=False)
        self.detach()
        if checked.returncode != 0:
            raise Failed(f"e2fsck: {checked.stdout}{checked.stderr}")


LEVELS = {"ext4": Ext4, "block": Block}


def crash(scheme, args):
    """One scheme: what was found, and what failed."""
    folder = tempfile.mkdtemp(prefix="ftlkit-crash-", dir=args.folder)
    randoms = random.Random(f"{args.seed} {scheme}")
    counts, level = Counts(), LEVELS[args.level](folder, is_volatile(scheme, args.ftlkit), randoms)
    server, failed = None, None
    try:
        while True:
            server = Server(args.ftlkit, folder, scheme, args.capacity)
            if counts.kills and counts.kills % 10 == 9 and counts.kills < args.kills:
                # At its start: most of these kills come before it listens, while it mounts.
                time.sleep(randoms.uniform(0, 0.06))
                listens = server.listens()
                server.kill()
                server.was_killed()
                counts.kills += 1
                counts.mount_kills += not listens
                continue
            server.wait()
            level.begin(server, counts)
            if counts.kills >= args.kills:
                break
            kill = Kill(server, randoms.randint(1, args.answers), randoms.uniform(0, 0.002))
            level.work(counts, kill)
            if not kill.came():
                raise Failed(f"the client's work ended before the kill: {level.ended}")
            server.kill()
            server.was_killed()
            level.end()
            counts.kills += 1
        level.last(server)
        server.stop()
    except Failed as error:
        failed = str(error)
        server.kill()
        try:
            level.end()
        except Failed as error:
            failed += f"; then {error}"
    if failed or counts.lost or counts.corrupt:
        return counts, f"{failed or counts.first}; seed {args.seed}, its image is in {folder}"
    shutil.rmtree(folder)
    return counts, None


def is_volatile(scheme, ftlkit):
    """True if the scheme keeps writes in RAM until a flush: below a write buffer, or by itself (GFTL's, during collection)."""
    bounds = json.loads(run(ftlkit, "bounds", "--part", "evaluation-slc", "--json").stdout)["parts"][0]["schemes"]
    name = scheme.split("+")[0]
    return "buffer=" in scheme or any(row["scheme"] == name and row.get("volatile") for row in bounds)


def every_scheme(ftlkit):
    """All schemes but those of zones, which `serve` refuses, those with a placement of pages, and one with a write buffer,
    which keeps its promise by flushes."""
    listed = json.loads(run(ftlkit, "list", "schemes", "--json").stdout)["schemes"]
    has_zones = [any(setting["key"] == "zone" for setting in scheme["settings"]) for scheme in listed]
    names = [scheme["name"] for scheme, zones in zip(listed, has_zones) if not zones]
    return names + ["page-level+placement=dac", "fsr+placement=sepbit", "page-level+buffer=lru+buffer_size=1MiB"]


def main():
    """Runs all schemes and prints a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=200, help="kills of each scheme [%(default)s]")
    parser.add_argument("--scheme", default="all", help="schemes with commas between them, or all [%(default)s]")
    parser.add_argument("--level", choices=LEVELS, default="ext4", help="what writes [%(default)s]")
    parser.add_argument("--answers", type=int, default=1000, help="most answers, or records on ext4, until a kill [%(default)s]")
    parser.add_argument("--capacity", default="64MiB", help="of the array [%(default)s]")
    parser.add_argument("--seed", type=int, default=1, help="of places and times; a run depends on the machine, too [%(default)s]")
    parser.add_argument("--jobs", type=int, default=1, help="schemes at once [%(default)s]")
    parser.add_argument("--folder", help="folder for images [the system's temporary folder]")
    parser.add_argument("--ftlkit", default="target/release/ftlkit", help="the command [%(default)s]")
    args = parser.parse_args()
    if args.level == "ext4":
        missing = [of for of in ("nbdfuse", "losetup", "mkfs.ext4") if not shutil.which(of)]
        if missing or os.geteuid() != 0 or not os.path.exists("/dev/fuse"):
            sys.exit(f"--level ext4 needs root, /dev/fuse and {', '.join(missing) or 'loop devices'}; --level block needs neither")
    schemes = every_scheme(args.ftlkit) if args.scheme == "all" else args.scheme.split(",")
    print(f"{'scheme':42} {'kills':>6} {'records':>9} {'lost':>5} {'corrupt':>8}", flush=True)
    bad = 0
    with ThreadPoolExecutor(args.jobs) as pool:
        for scheme, (counts, failed) in zip(schemes, pool.map(lambda scheme: crash(scheme, args), schemes)):
            print(f"{scheme:42} {counts.kills:6} {counts.records:9} {counts.lost:5} {counts.corrupt:8}", flush=True)
            if failed:
                bad += 1
                print(f"  FAILED {failed}", flush=True)
    print(f"{bad} of {len(schemes)} schemes failed")
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
