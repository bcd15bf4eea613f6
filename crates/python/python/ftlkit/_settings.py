"""Settings of an experiment as keyword arguments. Generated from their declarations: CONTRIBUTING.md says how."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, SupportsIndex, TypedDict, Union

#: A text as the command takes it, or a number, or a table of an experiment's file.
Value = Union[str, float, Mapping[str, Any], None]
Whole = Union[str, SupportsIndex, None]


class Settings(TypedDict, total=False):
    """Keys of an experiment's file besides workload, schemes and `out`. Options that the docs name are keys without dashes."""

    part: Any
    """A name of the catalogue (`ftlkit.parts()`), a `Part`, or a table of a data sheet."""
    part_file: str | os.PathLike[str] | None
    """File with the part's data sheet, instead of `part`."""
    capacity: Value
    """Raw capacity, such as 4GiB [default: to fit a trace, which takes 85 % of the default share of it; 1GiB for a built-in
    workload]"""
    exported: Value
    """What each scheme exports at least, such as 4GiB, instead of --capacity: the array is the smallest that does. `trace`:
    so much that the trace takes 85 % of it, whatever the share. A sweep over `share` or `op` of a trace has this, unless
    a capacity is given, so that the data stay and the device varies [default: none]"""
    default_share: Value
    """Share of the array that schemes without `+share` export, or the most that they can if that is less (with a map on
    flash and no `+cmt`: with a cache of no more RAM than the map); `own`: the most that each can [default: 0.875]"""
    space: Value
    """Pages that a built-in workload addresses: all that each scheme has exported, or the smallest space of the list, so
    that all get the same requests (exported, smallest) [default: exported]"""
    partial: Value
    """Pages that a request writes in part: charged (read first, so that the other bytes are kept) or free
    [default: charged]"""
    seed: Value
    """Seed of all random draws; the same seed gives the same output [default: 1]"""
    channels: Whole
    """Channels of an SSD, 1 to 256, each with --ways devices of --dies dies: operations of different dies overlap,
    and several requests are outstanding [default: one channel, on which one operation runs at a time; other SSD
    options are then refused]"""
    ways: Whole
    """Devices per channel, 1 to 64, for a part with bus cycles: block b is on device b mod N [default: 1]"""
    planes: Whole
    """Planes of a die, 1 to 4, for a part with bus cycles. Each operation uses them together, and an array page spans all
    of them, unless --plane-use of an SSD says otherwise [default: 1]"""
    dies: Whole
    """Dies per device, 1 to 16, that work independently [default: 1]"""
    plane_use: Value
    """How the planes of a die (--planes) work: ganged (together: an array page is one page of each), own (each has writes
    of its own; operations on several that wait for the die run as one, if their page number is the same),
    own:same-place (blocks at the same place of their planes, too), own:single (one plane at a time) [default: ganged]"""
    allocation: Value
    """Allocation order: how consecutive writes go to channels (c), ways (w), dies (d) and planes (p, no effect if they
    work together); the first letter changes with every write [default: cwdp]"""
    queue_depth: Whole
    """Outstanding requests, 1 to 65536: always this many without arrival times or with --closed, else at most
    [default: 32, or the interface's limit]"""
    queues: Whole
    """Submission queues, 1 to 128: requests go to them in turns, and each holds --queue-depth; of --job: queues of each job
    that sets none [default: 1]"""
    arbitration: Value
    """Choice among queues with requests, as in NVMe: round-robin, or weighted:HIGH:MEDIUM:LOW (commands per round of queues
    of each class, 1 to 256; urgent queues first); +burst=N takes N commands of a queue at a time (1, 2, 4, … 64, none)
    [default: round-robin]"""
    command_slots: Whole
    """Commands that the controller works on at a time, 1 to 65536; others wait in their queues [default: no limit]"""
    interface: Value
    """Link to the host: none (transfers take no time), sata2 (300 MB/s, 32 commands), nvme:gen3x4, nvme:gen4x4 or
    nvme:gen5x4 (PCI Express, both directions at once; +payload=128B|256B|512B per packet, +latency=TIME before each
    command; `ftlkit list interfaces`), or user bytes per second and outstanding commands, such as 600MB/s:32
    [default: none]"""
    cpu: Value
    """Processor that does the firmware's work: none (takes no time), arm7 (87.5 MHz, 10 cycles per
    entry read, 4 per entry written), or clock and cycles, such as 200MHz:6:3; on an SSD also of several cores, such as
    4x500MHz:10:4; without --channels it selects victims alone [default: none]"""
    cpu_work: Value
    """Firmware work that takes time: all (entries of lookups, map updates, moved pages and victim selection) or victims
    (victim selection alone, as in the 2LGC paper) [default: all]"""
    cpu_sharing: Value
    """Core that does the work of a task: shared (the first that is free) or pinned (channel c belongs to core c mod N)
    [default: shared]"""
    cpu_command: Whole
    """Processor cycles per request, 0 to 1000000, to fetch and complete it, besides its table entries [default: 0]"""
    collection: Value
    """Dies that collection blocks for the host: per-die (those that it works on) or exclusive (all: the controller does
    nothing else until a victim is collected; no effect on schemes that collect in steps, with tasks
    in between: 2lgc, lazy-rtgc, gftl, gftl-priority, rftl) [default: per-die]"""
    host_first: Whole
    """Host operations that precede each waiting collection operation of the same die, 0 (none: all in the order in
    which they were issued) to 1000000; collection that a write waits for always goes first [default: 16, with
    --collection exclusive 0]"""
    suspend: Value
    """Operations that a host read suspends, of the host and of collection: none, erase, or program (and erases); the read
    then goes before the writes that wait for the die. The part must have the time from the suspend command to the read,
    t_erase_suspend_ns and t_program_suspend_ns, as mqsim-mlc does, or set it, as with --set
    part.t_erase_suspend_ns=100us [default: none]"""
    arbiter: Value
    """Arbiter that grants a channel's bus to its dies: fifo, round-robin or read-first [default: fifo]"""
    window: Value
    """Length of the windows in which page commands are counted, 1ms to 1h [default: 100ms]"""
    bus_cycle: Value
    """Read and write cycle of the buses, 1ns to 100us, such as 5ns, for a part that has none: its tR and tPROG then
    include the transfer"""
    bus: Value
    """Synchronous bus (NV-DDR2, NV-DDR3, Toggle) instead of the part's own, in transfers of one byte, 1MT/s to
    100000MT/s, such as 1600MT/s; a transfer is rounded up to 1 ns once, commands and addresses take 25 ns per cycle
    (ONFI's tCAD) [default: the part's own bus]"""
    t_rwc: Value
    """Cycle of direct transfers between devices (copy path dgcb), such as 25ns [default: the shortest at which the
    pins of the part's ONFI mode latch]"""
    bit_errors: Value
    """Bit errors per page, such as 8; or wear:BASE,PER_ERASE,PER_READ in errors per 10^12 bits, such as
    wear:1000000,2000,10; or tlc-72-layer, or power:E,A,K,B,M,N,G,P,Q. Then +cycles=N (P/E cycles at the start),
    +age=TIME (of the data at the start), +ecc=BITS (per 1 KiB, instead of the part's) [default: off]"""
    read_retry: Value
    """Read retry: bit errors per 1 KiB up to which each step reads a page, such as 90,120 or 90-210:20, or none. Then
    +soft=BITS,READS,TIME (last step), +decode=TIME (each read), +set=TIME (before each step),
    +until=CYCLES,AGE,READS (of a block, to which bounds hold; otherwise they include all steps) [default: off]"""
    refresh: Value
    """Rewrite the pages of a block when the oldest is as old as this, age=TIME of 1 s or more, such as age=30d; when a read
    of any of them finds as many bit errors in 1 KiB, errors=BITS, such as errors=60; or both, age=30d+errors=60. One
    page with each page task, and in idle time; for page-level, fsr, lazy-rtgc and 2lgc [default: off]"""
    read_reclaim: Value
    """Move the pages of a block likewise when it has been read as often since its erase, copies and repeated reads
    included: 1 to 4294967295 page reads, such as 100k [default: off]"""
    fdp: Value
    """Flexible data placement: streams of the host's requests are placement handles, and blocks are written, collected
    and erased as reclaim units. A list of ruhs=N (handles, 1 to 15; stream 0 is handle 0), ru=SIZE (reclaim unit, in
    blocks across the dies of an SSD), groups=N (reclaim groups with dies of their own; stream S is handle S mod ruhs of
    group S div ruhs), isolation=initially (moved pages of all handles share units) or persistently (they stay with
    their handle). Schemes without `+placement` get it; for page-level and fsr [default of each: 8, a block on each
    die, 1, initially; default: no FDP]"""
    precondition: Value
    """Precondition before the measured run: full (sequential fill of each scheme's logical space), footprint (of the
    space that all schemes export) or none; +age=N adds N times as many random overwrites; +sequential=SHARE makes
    that share of them sequential, as in full+age=1+sequential=50%; +workload=N goes on with the
    workload itself until it has written N times the pages that it can address; +collecting until each scheme's
    first collection, from which on it is measured, as in full+collecting; +steady until write amplification has
    settled (SNIA PTS: five rounds within 20 %, of a tenth of the exported space each) [default: full]"""
    timing: Value
    """Clock that issues requests: trace (their arrival times, if they have any) or closed (each when one before it is done)
    [default: trace]"""
    deadline: Value
    """Deadline of every request from its arrival to its completion, queueing included, such as 3ms: late requests are
    counted (without arrival times: from its issue)"""
