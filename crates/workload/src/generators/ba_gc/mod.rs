//! Stand-ins for the six workloads of the evaluation of buffer-aware garbage collection.
//!
//! They are IOzone, Bonnie++, Postmark, Tiobench and two desktop PCs, traced on Windows XP over NTFS.
//!
//! The traces are not public. Tests check the paper's statements about them, in pages of 2 KiB and a buffer
//! of 16 MiB (8,192 pages).
//! The measure is the write hit ratio: the share of written pages that are already in the buffer.
//!
//! | | paper: write hits | here | in order | mean size | written, distinct | arrival rate |
//! | --- | --- | --- | --- | --- | --- | --- |
//! | `ba-gc-iozone` | high, much is soon rewritten | 40 % | 66 % | 22 KiB | 2.0 GiB, 0.7 GiB | 15 MiB/s |
//! | `ba-gc-bonnie` | high; collection 20 % of the time | 43 % | 73 % | 7.5 KiB | 1.5 GiB, 0.3 GiB | 6.6 MiB/s |
//! | `ba-gc-postmark` | 3.1 % | 3.1 % | 6 % | 7.6 KiB | 1.4 GiB, 0.5 GiB | 3.7 MiB/s |
//! | `ba-gc-tiobench` | 4.4 % | 4.4 % | 87 % | 26 KiB | 1.1 GiB, 0.75 GiB | 16 MiB/s |
//! | `ba-gc-desktop-1` | high | 49 % | 37 % | 6.3 KiB | 1.2 GiB, 0.3 GiB | 0.5 MiB/s |
//! | `ba-gc-desktop-2` | high | 34 % | 54 % | 7.9 KiB | 1.5 GiB, 0.7 GiB | 0.7 MiB/s |
//!
//! Hits are those of LRU lists of pages; lists of logical blocks of 64 pages differ by at most 1.3 points.
//! "In order" is the share of the bytes that continue at the end of one of the 16 previous requests.
//! The paper does not quantify "high": the figures in these lines are choices.
//!
//! All requests are writes, because the paper filters reads out before its buffers.
//! File sizes of the programs are absolute, so a buffer of 16 MiB behaves the same on any volume of at least
//! 608 MiB.
//! On smaller volumes the files shrink with the volume.
//! The volume is the first part of the space (see `volume`). Programs begin at once and run without end.
//!
//! The names begin with `ba-gc-` because `iozone` and `postmark` stand in for the traces of another paper.
//! Those have its printed numbers of reads and writes, one sector per request, on FAT.
//!
//! Arrivals: a program's writes come in bursts at the rate of the traced machine's device, with the program's
//! pauses between them.
//! The default rate is 32 MiB/s plus 0.1 ms per request. Dirty data thus ages as on such a machine.
//! A single slow chip falls behind the benchmarks; the paper measures the time of operations without waiting.

pub(crate) mod bonnie;
mod bursts;
pub(crate) mod desktop;
pub(crate) mod iozone;
pub(crate) mod postmark;
mod script;
mod stand_in;
pub(crate) mod tiobench;
mod volume;
