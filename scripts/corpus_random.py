"""500 drawn experiments of the golden corpus (scripts/corpus.py).

Experiment N is drawn by a generator with a seed of its own, of `random()` alone, which is the same in every version of Python,
from the lists below, which nothing may be added to: a change of a list draws other experiments. More experiments take other
numbers. Most can run; the others show how they are refused.
"""

import random

from corpus_cases import Case

COUNT = 500
SEED = 20_000_000

# Parts: bytes of a page, whether they have a bus of their own, whether times depend on the page, and an SLC mode.
PARTS = {
    "evaluation-slc": (2048, False, False, 0),
    "toshiba-slc": (4096, False, False, 0),
    "spansion-slc": (2048, False, False, 0),
    "samsung-large-block": (2048, False, False, 0),
    "k9wbg08u1m": (2048, False, False, 0),
    "samsung-mlc-512m": (2048, False, False, 0),
    "micron-mlc": (8192, False, False, 0),
    "ddt-mlc": (8192, True, False, 0),
    "mqsim-mlc": (8192, True, False, 0),
    "znand-slc": (4096, True, False, 0),
    "mqsim-cxl-tlc": (16384, True, False, 3),
    "femu-qlc": (16384, True, True, 0),
    "zn540-tlc": (32768, True, True, 0),
}
SCHEMES = """
    page-level page-level page-level fsr fsr lazy-rtgc lazy-rtgc 2lgc 2lgc nftl gftl gftl-threshold gftl-priority rftl
    dftl dftl lazy-rtgc-on-demand bast fast fast ba-gc superblock
""".split()
VICTIMS = """
    greedy greedy-scan greedy-scan:3 cost-benefit mdc two-level-list two-level-list:30% fifo second-chance
    second-chance:40%:10% first-fit:12 random choices:5 windowed-greedy:9 2r-greedy:4 2r-fifo midas-greedy
    midas-cost-benefit
""".split()
PLACEMENTS = """
    none split 2r dac multilog sfs eti fadac warcip sepbit midas midas:2 stream:2 stream-initial:2 oracle
""".split()
BUFFERS = ["lru", "cflru", "fab", "bplru", "three-region"]
WORKLOADS = {
    "uniform": [],
    "zipf": ["theta=0.7", "theta=1.2", "scatter=no"],
    "pareto": ["h=0.1", "h=0.35"],
    "hot-cold": ["hot_space=0.1,hot_requests=0.9", "hot_space=0.3", "scatter=no"],
    "nested-zones": ["zones=20/80", "zones=10/60:20/70"],
    "beta": ["alpha=2,beta=5", "alpha=0.5"],
    "fio-zipf": ["theta=0.9", "hash=no"],
    "sequential": [],
    "mixed": ["sequential_share=0.8", "streams=4", "positions=own"],
    "randrw": ["rwmixread=20", "bssplit=4k/60:16k/40", "bs=2k", "random_distribution=zipf:1.1"],
    "three-streams": ["sequential_space=0.6", "jumper=zipf:0.9"],
    "flash-cache": ["region=512KiB", "region=1MiB,small_space=0.2"],
    "lsm": ["ratio=4,table=256KiB", "l0_tables=2,table=128KiB"],
    "switched": ["first=uniform,then=sequential", "at=0.3"],
    "financial-like": [],
    "websearch-like": [],
    "random-adversary": [],
    "map-miss-worst-case": [],
    "lazy-rtgc-worst-case": [],
    "gftl-worst-case": [],
    "ba-gc-desktop-1": [],
    "ba-gc-postmark": [],
    "write-bursts": ["burst=1MiB,period=0.5", "burst=4MiB,period=2"],
}
# Those with the parameters of mixed requests of one size.
SIZED = ["uniform", "zipf", "pareto", "hot-cold", "nested-zones", "beta", "fio-zipf", "mixed"]
TRACES = ["postgres-pgbench", "maildir", "sqlite-wal", "leveldb", "git-history", "rust-build"]
PRECONDITIONS = """
    full full+age=0.3 full+age=1 full+age=0.5+sequential=40% footprint footprint+age=0.5 none full+workload=0.3
    full+collecting
""".split()


class Draw:
    """Draws from one seed."""

    def __init__(self, number):
        self.random = random.Random(SEED + number).random

    def pick(self, values):
        """One of a list."""
        return values[int(self.random() * len(values))]

    def chance(self, share):
        """True in this share of the draws."""
        return self.random() < share

    def between(self, least, most):
        """A whole number, both ends included."""
        return least + int(self.random() * (most - least + 1))


def scheme(draw, board, part):
    """A scheme with settings of its own."""
    name = draw.pick(SCHEMES)
    if part == "femu-qlc" and (name.startswith(("gftl", "lazy")) or name == "rftl") and draw.chance(0.9):
        # Its pages take longer than its blocks: there is no step.
        name = "page-level"
    settings = []
    page_mapped = name in ("page-level", "fsr")
    if page_mapped and draw.chance(0.4):
        settings.append(f"victim={draw.pick(VICTIMS)}")
    elif name in ("2lgc", "fast", "ba-gc") and draw.chance(0.3):
        some = ["greedy", "fifo", "greedy", "two-level-list"] if name == "2lgc" else ["greedy", "fifo"]
        settings.append(f"victim={draw.pick(some)}")
    elif name == "lazy-rtgc" and draw.chance(0.3):
        settings.append(f"victim={draw.pick(['greedy', 'greedy-scan:1', 'two-level-list', 'first-fit:40'])}")
    if page_mapped and draw.chance(0.35):
        settings.append(f"placement={draw.pick(PLACEMENTS[:-1] if board else PLACEMENTS)}")
    elif name in ("page-level", "fsr", "lazy-rtgc", "2lgc", "dftl") and draw.chance(0.2):
        settings.append(f"frontiers={draw.pick(['split', 'shared'])}")
    if page_mapped and PARTS[part][3] and draw.chance(0.6):
        settings = [text for text in settings if not text.startswith("placement")]
        settings.append(f"slc={draw.pick(['static:10%', 'static:25%', 'dynamic'])}")
        if draw.chance(0.5):
            settings.append("slc_full=fold")
    if name in ("dftl", "lazy-rtgc-on-demand") and draw.chance(0.6):
        settings.append(f"cmt={draw.pick(['4KiB', '16KiB', '64KiB'])}")
        if draw.chance(0.5):
            settings.append(f"cmt_policy={draw.pick(['lru', 'slru'])}")
        if name == "dftl" and draw.chance(0.5):
            settings.append(f"cmt_evict={draw.pick(['page', 'reads', 'mapping'])}")
    if name.startswith("gftl"):
        settings += [text for text in ("queue=printed", "ram=collection", "enqueue=overflow") if draw.chance(0.25)]
        if name == "gftl-threshold" and draw.chance(0.5):
            settings.append(f"threshold={draw.pick(['20%', '60%', '90%'])}")
    if name == "nftl" and draw.chance(0.5):
        settings.append(f"folds={draw.between(1, 5)}")
    if name == "rftl" and draw.chance(0.5):
        settings.append("trigger=primary-full")
    if name in ("bast", "fast", "ba-gc", "superblock") and draw.chance(0.6):
        settings.append(f"log_blocks={draw.between(2, 9)}")
    idles = name in ("page-level", "fsr", "lazy-rtgc", "2lgc", "gftl", "dftl") and not any("slc" in text for text in settings)
    if idles and draw.chance(0.15):
        settings.append("idle")
    if draw.chance(0.3):
        roomy = name in ("page-level", "fsr", "2lgc", "dftl", "nftl", "fast", "bast", "superblock", "ba-gc")
        few, many = (
            ["share=0.3", "share=0.4", "share=0.5"],
            ["share=0.5", "share=0.6", "share=0.7", "share=0.8", "op=30%", "share=0.9"],
        )
        settings.append(draw.pick(many if roomy else few))
    if name != "ba-gc" and draw.chance(0.2):
        buffer = draw.pick(BUFFERS)
        settings += [f"buffer={buffer}", f"buffer_size={draw.pick(['512KiB', '1MiB', '2MiB'])}"]
        if draw.chance(0.3) and buffer not in ("fab", "bplru"):
            settings.append(f"buffer_unit={draw.pick(['page', 'block'])}")
        if draw.chance(0.3):
            settings.append(f"buffer_age={draw.pick(['50ms', '1s', '0'])}")
        if draw.chance(0.2):
            settings.append("buffer_reads")
        if draw.chance(0.3) and name in ("page-level", "fsr", "lazy-rtgc", "fast", "bast"):
            settings.append("aware")
    if draw.chance(0.1):
        settings.append(draw.pick(["wear=gap:3", "wear=bet:2", "wear=bet:3:2"]))
    if draw.chance(0.1):
        settings.append(f"spare={draw.between(1, 4)}")
    if draw.chance(0.05):
        settings.append("dynamic_wear=false")
    if PARTS[part][1] and draw.chance(0.15):
        settings.append(f"copy={draw.pick(['lcb', 'lcb', 'icb', 'icb', 'icb-unchecked', 'gcb', 'dgcb'])}")
    return "+".join([name, *settings])


def load(draw, words):
    """A workload and its parameters."""
    if draw.chance(0.12):
        if draw.chance(0.2):
            words += ["--scale-arrivals", draw.pick(["0.2", "3"])]
        words += ["--closed"] if draw.chance(0.15) else []
        return [*words, draw.pick(TRACES)]
    name = draw.pick(list(WORKLOADS))
    words += [name]
    if WORKLOADS[name] and draw.chance(0.6):
        words += ["--set", draw.pick(WORKLOADS[name])]
    if name in SIZED:
        for share, parameter in (
            (0.6, f"write_share={draw.pick(['0.1', '0.3', '0.5', '0.8', '1'])}"),
            (0.15, "trim_share=0.05"),
        ):
            if draw.chance(share):
                words += ["--set", parameter]
        if draw.chance(0.3):
            words += ["--set", f"size={draw.pick(['512', '3k', '4k', '16k', '40k'])}"]
            if draw.chance(0.4):
                words += ["--set", f"align={draw.pick(['512', '4k'])}"]
        if draw.chance(0.15):
            words += ["--set", f"footprint={draw.pick(['0.2', '0.6'])}"]
    if not name.startswith(("write", "ba-gc")) and draw.chance(0.3):
        words += ["--set", f"rate={draw.pick(['50', '400', '2000', '9000'])}"]
        words += ["--set", "arrivals=poisson"] if draw.chance(0.4) else []
        words += ["--closed"] if draw.chance(0.1) else []
    return words


def channel(draw, words, part, board):
    """Devices, bit errors, refresh."""
    _, has_bus, by_page, _ = PARTS[part]
    if has_bus and draw.chance(0.5 if board else 0.3):
        words += ["--ways", draw.pick(["2", "2", "3", "4"])]
    if has_bus and draw.chance(0.2):
        words += ["--planes", "2"]
        if board:
            words += ["--plane-use", draw.pick(["ganged", "own", "own:same-place", "own:single"])]
    if has_bus and draw.chance(0.15):
        law = draw.pick(["3+ecc=24", "wear:100000,20000,1000+ecc=60", "tlc-72-layer+cycles=1500+age=60d+ecc=72"])
        words += ["--bit-errors", law]
        if draw.chance(0.6) and not by_page and law != "3+ecc=24":
            words += ["--read-retry", draw.pick(["90-210:20", "90,150+decode=10us", "100-300:50+soft=400,3,80us+set=1us"])]
    return words


def ssd(draw, words, part):
    """Channels, and how the controller works."""
    words += ["--channels", draw.pick(["1", "2", "2", "4", "4"])]
    if not PARTS[part][1]:
        words += ["--bus-cycle", draw.pick(["2ns", "5ns"])]
    drawn = {}
    for share, option, values in (
        (0.2, "--dies", ["2"]),
        (0.15, "--allocation", ["wcdp", "dwcp", "pcwd"]),
        (0.6, "--queue-depth", ["1", "1", "4", "16", "100"]),
        (0.25, "--interface", ["sata2", "nvme:gen3x4", "nvme:gen4x4", "400MB/s:64"]),
        (0.2, "--cpu", ["arm7", "2xarm7", "4x300MHz:10:4"]),
        (0.15, "--cpu-command", ["500"]),
        (0.2, "--collection", ["exclusive", "per-die"]),
        (0.2, "--host-first", ["0", "3", "64"]),
        (0.15, "--queues", ["2", "4"]),
        (0.15, "--command-slots", ["2", "8"]),
        (0.2, "--arbiter", ["round-robin", "read-first"]),
        (0.15, "--window", ["5ms", "50ms"]),
        (0.15, "--suspend", ["erase", "program"]),
    ):
        value = draw.pick(values)
        if draw.chance(share):
            drawn[option] = value
    # What has no effect is refused; a few of such cases are enough.
    if "--cpu-command" in drawn:
        drawn.setdefault("--cpu", "arm7")
    if "--suspend" in drawn and draw.chance(0.9):
        drawn["--collection"], drawn["--host-first"], drawn["--queue-depth"] = "per-die", "8", "16"
    if "--queues" in drawn and draw.chance(0.9):
        drawn.pop("--interface", None)
    words += [word for option in drawn.items() for word in option]
    return [*words, "--set", "part.t_erase_suspend_ns=90us,part.t_program_suspend_ns=40us"] if "--suspend" in drawn else words


def rare(draw, words, part, schemes):
    """Refresh, read reclaim and placement by hints: for some schemes."""
    names = {scheme.split("+")[0] for scheme in schemes}
    fits = names <= {"page-level", "fsr", "lazy-rtgc", "2lgc"}
    if draw.chance(0.25 if fits else 0.01):
        limits = ["--refresh age=1s", "--read-reclaim 60", "--refresh age=2s --read-reclaim 100"]
        return [*words, *draw.pick(limits).split()]
    hints = draw.pick(["ruhs=2", "ruhs=3,isolation=persistently", "ruhs=1,groups=2"])
    plain = names <= {"page-level", "fsr"} and not PARTS[part][2] and "--bit-errors" not in words
    return [*words, "--fdp", hints] if draw.chance(0.2 if plain else 0.01) else words


def zones(draw):
    """A host that writes zones."""
    zone = draw.pick(["128KiB", "256KiB", "512KiB"])
    words = ["compare", "host-log", "--capacity", draw.pick(["8MiB", "16MiB", "32MiB"])]
    words += ["--precondition", draw.pick(["none", "none", "full"]), "--set", f"zone={zone}"]
    words += ["--set", f"data={draw.pick(['0.4', '0.6', '0.7'])}", "--set", f"theta={draw.pick(['0', '0.8', '1.1'])}"]
    words += ["--set", f"log={draw.pick(['write', 'append'])}", "--set", f"streams={draw.between(1, 2)}"]
    limits = draw.pick(["", "+max_active=4", "+max_open=2+max_active=5", "+spare=2"])
    return [*words, "--schemes", f"zns+zone={zone}{limits}", "--requests", str(draw.between(10, 60) * 100)]


def experiment(number):
    """The command of one experiment."""
    draw = Draw(number)
    if draw.chance(0.04):
        return [*zones(draw), "--seed", str(number), "--json"]
    board = draw.chance(0.4)
    with_bus = [name for name, (_, has_bus, _, _) in PARTS.items() if has_bus]
    part = draw.pick(with_bus if board and draw.chance(0.8) else list(PARTS))
    words = ["compare", "--part", part]
    pages = 48 if PARTS[part][3] else draw.pick([16, 32, 32, 64])
    words += ["--set", f"part.pages_per_block={pages}"]
    words = load(draw, words)
    blocks = draw.between(60, 200) if not board else draw.between(16, 40) * 16
    capacity = f"{blocks * pages * PARTS[part][0] // 1024}KiB"
    if words[-1] not in TRACES:
        words += ["--capacity", capacity]
    elif draw.chance(0.4):
        words += ["--capacity", capacity, "--addresses", "wrap"]
    words += ["--requests", str(draw.between(5, 80) * 100)]
    words = channel(draw, words, part, board)
    words = ssd(draw, words, part) if board else words
    if draw.chance(0.3):
        words += ["--share", draw.pick(["0.6", "0.7", "0.8", "own"])]
    if draw.chance(0.8):
        words += ["--precondition", draw.pick(PRECONDITIONS)]
    for share, option in (
        (0.1, ["--partial", "free"]),
        (0.1, ["--space", "smallest"]),
        (0.15, ["--deadline", draw.pick(["1ms", "5ms", "40ms"])]),
        (0.1, ["--loops", "2"]),
        (0.08, ["--margin", "tPROG=1.5"]),
    ):
        words += option if draw.chance(share) else []
    schemes = [scheme(draw, board, part) for _ in range(draw.pick([1, 1, 2]))]
    words = rare(draw, words, part, schemes)
    return [*words, "--schemes", ",".join(dict.fromkeys(schemes)), "--seed", str(number), "--json"]


def cases():
    """All of them."""
    return [Case(f"random/{number:03}", [" ".join(experiment(number))]) for number in range(COUNT)]
