"""Cases of the golden corpus (scripts/corpus.py) on what is kept between runs: flash images and sweeps.

Those of an older build are in tests/corpus/inputs/kept.tar.xz, made by `corpus.py BINARY --make-inputs` once: made anew by a
later build they would say nothing of whether it reads what older ones wrote.
"""

import functools
import io
import json
import lzma
import os
import random
import re
import signal
import socket
import struct
import subprocess
import tarfile
import time

from corpus_cases import Case

# What an older build left, packed together since images of the same work have most of their bytes in common.
KEPT = "kept.tar.xz"
# Schemes on a part with the smallest pages and blocks; each image has 16 blocks of 32 pages of 512 bytes.
SCHEMES = [
    *["page-level", "fsr", "lazy-rtgc", "2lgc", "nftl", "gftl", "gftl-threshold", "gftl-priority", "rftl", "dftl"],
    *["lazy-rtgc-on-demand", "bast", "fast", "ba-gc", "superblock", "page-level+placement=dac"],
    "page-level+buffer=lru+buffer_size=16KiB",
]
# Of these there is an image, too, whose server was killed.
KILLED = ["page-level", "lazy-rtgc", "gftl", "dftl", "fast", "page-level+buffer=lru+buffer_size=16KiB"]
DEVICE = "--part samsung-small-block --capacity 256KiB"
CHANNELS = "--part ddt-mlc --capacity 16MiB --channels 2 --ways 2 --scheme page-level"
SWEEP = (
    "sweep uniform --capacity 4MiB --requests 500 --precondition full+age=0.5 --schemes page-level,lazy-rtgc "
    "--vary victim=greedy,two-level-list --vary share=0.5,0.6 --seed 1,2"
)
READ, WRITE, FLUSH, TRIM, ZEROES = 0, 1, 3, 4, 6
SECTOR = 512
# How a kept run begins.
BUILD = rb'^\{"build":"[^"]*"'
PATIENCE_SECONDS = 60


class Server:
    """`ftlkit serve` in a case's folder, and a client of it that has one request outstanding."""

    def __init__(self, run, line):
        self.run, self.words = run, ["serve", *line.split(), "--socket", "s"]
        self.process = run.start(self.words, stdin=subprocess.DEVNULL)

    def open(self):
        """Opens the first export."""
        self.stream = self.connected()
        self.exactly(18)
        # Fixed newstyle, no zeroes; the oldest option opens an export, and tells its size.
        self.stream.sendall(struct.pack(">I8sII", 3, b"IHAVEOPT", 1, 0))
        self.bytes, _ = struct.unpack(">QH", self.exactly(10))

    def connected(self):
        """A stream to the server, once it listens."""
        end = time.monotonic() + PATIENCE_SECONDS
        # The path of a socket is short; that of a folder need not be.
        folder = os.open(self.run.folder, os.O_RDONLY)
        short = f"/proc/self/fd/{folder}/s"
        try:
            while self.process.poll() is None and time.monotonic() < end:
                stream = socket.socket(socket.AF_UNIX)
                stream.settimeout(PATIENCE_SECONDS)
                try:
                    stream.connect(short if os.path.exists(short) else str(self.run.folder / "s"))
                    return stream
                except OSError:
                    stream.close()
                    time.sleep(0.005)
        finally:
            os.close(folder)
        raise OSError("the server does not listen")

    def exactly(self, count):
        """So many bytes."""
        data = bytearray()
        while len(data) < count:
            more = self.stream.recv(count - len(data))
            if not more:
                raise OSError("the server has closed the connection")
            data += more
        return bytes(data)

    def ask(self, command, offset=0, length=0, data=b"", fua=False):
        """The error of a request, and the bytes of a read."""
        self.stream.sendall(struct.pack(">IHHQQI", 0x25609513, int(fua), command, 7, offset, length) + data)
        _, error, _ = struct.unpack(">IIQ", self.exactly(16))
        return error, self.exactly(length) if command == READ and not error else b""

    def read_all(self):
        """All bytes; where a read fails, its error."""
        piece = 64 * SECTOR
        read = (self.ask(READ, at, min(piece, self.bytes - at)) for at in range(0, self.bytes, piece))
        return b"".join(b"error %d\n" % error if error else data for error, data in read)

    def work(self, requests, seed):
        """Requests of all kinds, drawn from a seed; returns the errors among their answers."""
        draw = random.Random(seed).random
        sectors = self.bytes // SECTOR
        errors = []
        for number in range(requests):
            length = min(1 + int(draw() * 12), sectors)
            # Half of them go to an eighth of the space.
            span = sectors // 8 if draw() < 0.5 else sectors
            first = int(draw() * max(1, span - length))
            kind = draw()
            command = WRITE if kind < 0.8 else TRIM if kind < 0.86 else ZEROES if kind < 0.9 else FLUSH if kind < 0.93 else READ
            # Bytes that a compressed image keeps in little room, and that tell where and when they were written.
            data = b"".join(
                struct.pack("<HHHH", sector, number, sector, number) * 64 for sector in range(first, first + length)
            )
            fua = command == WRITE and draw() < 0.1
            where = (0, 0) if command == FLUSH else (first * SECTOR, length * SECTOR)
            error, _ = self.ask(command, *where, data if command == WRITE else b"", fua)
            if error:
                errors.append(f"request {number}: error {error}\n")
        return "".join(errors).encode()

    def end(self):
        """Ends it in order, and keeps what it told."""
        self.stream.sendall(struct.pack(">IHHQQI", 0x25609513, 0, 2, 7, 0, 0))
        self.stream.close()
        self.process.send_signal(signal.SIGTERM)
        out, err = self.process.communicate(timeout=PATIENCE_SECONDS)
        # All other times are modelled.
        out = re.sub(rb'"elapsed_ns": \d+', b'"elapsed_ns": "<time>"', out)
        self.run.ended(self.words, self.process.returncode, out, err)

    def kill(self):
        """Ends it as a crash does."""
        self.process.kill()
        self.process.communicate()
        self.stream.close()
        (self.run.folder / "s").unlink()


def used(line, then, kill=False):
    """A step: a server with these options, and what a client does; what that returns is kept."""

    def step(run):
        server = Server(run, line)
        try:
            server.open()
            told = then(server)
            server.kill() if kill else server.end()
        except (OSError, subprocess.TimeoutExpired) as error:
            server.process.kill()
            _, said = server.process.communicate()
            raise OSError(f"{error}: {said.decode()}") from error
        run.keep("client", told)

    step.__doc__ = f"ftlkit serve {line} --socket s (with a client)"
    return step


@functools.cache
def kept(folder):
    """Name and content of each file in the archive of this folder."""
    with lzma.open(folder / KEPT) as packed, tarfile.open(fileobj=packed) as archive:
        return {member.name: archive.extractfile(member).read() for member in archive.getmembers()}


def image(name, data):
    """A step that puts an image into the folder."""

    def step(run):
        (run.folder / "d.img").write_bytes(data)

    step.__doc__ = f"({name} of {KEPT} as d.img)"
    return step


def sweep(files):
    """A step that puts the results of a sweep into the folder."""

    def step(run):
        for name, data in files.items():
            path = run.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)

    step.__doc__ = f"(out of {KEPT})"
    return step


def timeless(run):
    """(times of arrival taken out of asked.csv)"""
    path = run.folder / "asked.csv"
    path.write_bytes(re.sub(rb"^\d+", b"<time>", path.read_bytes(), flags=re.MULTILINE))


def adopt(run):
    """(its kept runs made those of this build)"""
    # A build knows its own runs by a hash of its sources: the one that it writes into a run of another sweep.
    run.command("sweep uniform --capacity 4MiB --requests 1 --schemes fsr --vary seed=1 --out other --quiet > told")
    (of_this,) = (run.folder / "other" / "runs").iterdir()
    build = json.loads(of_this.read_bytes())["build"]
    for kept in (run.folder / "out" / "runs").iterdir():
        kept.write_bytes(re.sub(BUILD, b'{"build":"%s"' % build.encode(), kept.read_bytes()))


LOOK = ["image info d.img", "image info d.img --json", "image check d.img", "image check d.img --json", "image dump d.img"]


def name_of(scheme):
    """A scheme's text as part of a file's name."""
    return scheme.replace("+", "-").replace("=", "-")


def cases(inputs):
    """All of them."""
    old = kept(inputs)
    for file in sorted(name for name in old if name.endswith(".img")):
        name, put = file.removesuffix(".img"), image(file, old[file])
        read, work = used("--image d.img", Server.read_all), used("--image d.img --json", lambda server: server.work(60, 3))
        yield Case(
            f"image/of-old-{name}", [put, *LOOK, "image dump d.img --page 40", "image dump d.img --block 3", read, *LOOK[::2]]
        )
        yield Case(f"image/goes-on-{name}", [put, work, used("--image d.img", Server.read_all), *LOOK[1::2]])
    for scheme in SCHEMES:
        make = f"--image d.img --create {DEVICE} --scheme {scheme}"
        steps = [used(make, lambda server: server.work(250, 1)), *LOOK, used("--image d.img", Server.read_all)]
        yield Case(f"image/new-{name_of(scheme)}", steps)
        steps = [used(make, lambda server: server.work(250, 2), kill=True), used("--image d.img", Server.read_all), *LOOK[::2]]
        yield Case(f"image/killed-{name_of(scheme)}", steps)
    make = f"--image d.img --create {CHANNELS}"
    yield Case(
        "image/new-channels",
        [used(make, lambda server: server.work(120, 1)), *LOOK[:3], used("--image d.img", Server.read_all)],
    )

    def both(server):
        return server.work(300, 4) + server.read_all()

    yield Case("image/memory", [used(f"{DEVICE} --scheme lazy-rtgc", both), used(f"{DEVICE} --scheme fast --json", both)])
    yield Case(
        "image/memory-channels",
        [used(CHANNELS, lambda server: server.work(200, 4)), used(f"{CHANNELS} --json", Server.read_all)],
    )
    for name, faults in {
        "programs": "program_failures=4000+seed=3",
        "erases": "erase_failures=30000",
        "endurance": "endurance=6",
        "bad-blocks": "bad_blocks=2+seed=5",
        "bits": "bit_errors=wear:2000000,100000,1000+ecc=40+cycles=100",
    }.items():
        line = f"{DEVICE} --scheme page-level+spare=4 --faults {faults}"
        yield Case(f"image/faults-{name}", [used(line, both), used(f"{line} --json", both)])
    record = used(
        f"{DEVICE} --scheme page-level+placement=stream:3 --export a:stream=2 --record asked.csv",
        lambda server: server.work(40, 5),
    )
    yield Case("image/record", [record, timeless])
    board = (
        "--part ddt-mlc --capacity 32MiB --channels 2 --dies 2 --allocation dwcp --seed 3 --arbiter read-first --host-first 4"
    )
    yield Case("image/board", [used(f"--image d.img --create {board}", lambda server: server.work(60, 6)), *LOOK[:2]])
    exports = used(f"{DEVICE} --export a --export b:ro", lambda server: server.work(5, 1))
    yield Case("image/exports", [exports, used(f"{DEVICE} --read-only", lambda server: server.work(5, 1))])
    other = ["serve --image d.img --socket s --capacity 1MiB", "serve --image d.img --socket s --scheme fsr"]
    yield Case("image/other-device", [image("page-level.img", old["page-level.img"]), *other])
    put = sweep({name: data for name, data in old.items() if name.startswith("out/")})
    again = f"{SWEEP} --out out --quiet"
    yield Case("sweep/of-old", [put, again, "sweep out/experiment.toml --csv --quiet"])
    # One figure of a kept run was changed by hand: the tables must have it.
    yield Case("sweep/of-old-adopted", [put, adopt, again])
    yield Case("sweep/of-old-more", [put, adopt, again.replace("share=0.5,0.6", "share=0.5,0.6,0.7")])


def make_inputs(binary, folder, run):
    """Makes the images and the sweep with this binary."""
    files = {}

    def made(steps, names):
        def keep(ran):
            for pattern, name in names.items():
                for path in ran.folder.glob(pattern):
                    files[name or path.relative_to(ran.folder).as_posix()] = path.read_bytes()

        parts, _ = run(binary, Case("image/made", [*steps, keep]))
        if "broken" in parts:
            raise SystemExit(parts["broken"].decode())

    for killed, schemes in ((False, SCHEMES), (True, KILLED)):
        for scheme in schemes:
            work = used(f"--image d.img --create {DEVICE} --scheme {scheme}", lambda server: server.work(150, 9), kill=killed)
            made([work], {"d.img": f"{name_of(scheme)}{'-killed' if killed else ''}.img"})
    made([used(f"--image d.img --create {CHANNELS}", lambda server: server.work(30, 9))], {"d.img": "channels.img"})
    made([f"{SWEEP} --out out --quiet"], {"out/experiment.toml": "", "out/runs/*.json": ""})
    runs = sorted(name for name in files if name.startswith("out/runs/"))
    for name in runs[::2]:
        # As if it had been interrupted.
        del files[name]
    changed = re.sub(rb'"erases":\d+', b'"erases":987654', files[runs[1]], count=1)
    if changed == files[runs[1]]:
        raise SystemExit("a kept run has no figure to change")
    files[runs[1]] = changed
    for name in runs[1::2]:
        # Of no build: whichever is tested makes them anew, unless it is made to take them for its own.
        files[name] = re.sub(BUILD, b'{"build":"none"', files[name])
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name, data in sorted(files.items()):
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    (folder / KEPT).write_bytes(lzma.compress(packed.getvalue(), preset=9 | lzma.PRESET_EXTREME))
    return 0
