//! Stand-ins for the six workloads on which buffer-aware garbage collection was evaluated: IOzone, Bonnie++,
//! Postmark, Tiobench and two desktop PCs, traced on Windows XP over NTFS.
//!
//! The traces are not public. What the paper says of them is held by tests, in pages of 2 KiB and a buffer of
//! 16 MiB (8,192 pages): the share of written pages that is in the buffer already.
//!
//! | | paper: write hits | here | in order | mean size | written, to | arrive at |
//! | --- | --- | --- | --- | --- | --- | --- |
//! | `ba-gc-iozone` | high, much is rewritten shortly | 40 % | 66 % | 22 KiB | 2.0 GiB, 0.7 GiB | 15 MiB/s |
//! | `ba-gc-bonnie` | high; collection 20 % of the time | 43 % | 73 % | 7.5 KiB | 1.5 GiB, 0.3 GiB | 6.6 MiB/s |
//! | `ba-gc-postmark` | 3.1 % | 3.1 % | 6 % | 7.6 KiB | 1.4 GiB, 0.5 GiB | 3.7 MiB/s |
//! | `ba-gc-tiobench` | 4.4 % | 4.4 % | 61 % | 10 KiB | 1.5 GiB, 0.75 GiB | 17 MiB/s |
//! | `ba-gc-desktop-1` | high | 49 % | 37 % | 6.3 KiB | 1.2 GiB, 0.3 GiB | 0.5 MiB/s |
//! | `ba-gc-desktop-2` | high | 34 % | 54 % | 7.9 KiB | 1.5 GiB, 0.7 GiB | 0.7 MiB/s |
//!
//! Hits are those of LRU lists of pages; lists of logical blocks of 64 pages differ by 1.3 points at most. In
//! order is the share of the bytes that go on where one of the 16 requests before ended. What high means the
//! paper does not say: the figures in these lines are choices.
//!
//! All are writes: the paper filters reads out before its buffers. Sizes of the programs' files are absolute,
//! so that a buffer of 16 MiB does the same on any volume of 608 MiB or more; below that they shrink with it.
//! The volume is the first part of the space (see `volume`), programs begin at once and go on for ever. The
//! names begin with `ba-gc-` because `iozone` and `postmark` stand in for the traces of
//! another paper: those have its printed numbers of reads and writes, one sector a request, on FAT.
//!
//! Arrivals: a program's writes come in bursts at the pace of the traced machine's device, by default 32
//! MiB/s and 0.1 ms a request, with the pauses of the program between them, so that dirty data grows as old
//! as on such a machine. A single slow chip falls behind the benchmarks; the paper's measure is the time that
//! operations take, without waiting.

pub(crate) mod bonnie;
mod bursts;
pub(crate) mod desktop;
pub(crate) mod iozone;
pub(crate) mod postmark;
mod script;
mod stand_in;
pub(crate) mod tiobench;
mod volume;
