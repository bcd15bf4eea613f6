//! Closed forms for the ways of copying pages: time of a collection's copies, and channel time.
//!
//! | path | from → to | over the channel, per page |
//! | --- | --- | --- |
//! | ICB, internal copy-back | a plane → the same plane | out, to be checked; corrected bytes in |
//! | LCB, local copy-back | a device → the same device | out, in |
//! | GCB, global copy-back | a device → another on the channel | out, in |
//! | DGCB, GCB by direct data transfer | a device → another on the channel | once for both; corrected bytes in |
//!
//! Time of a transaction of N operations, each of one page per plane:
//! ```text
//! ICB, LCB:            N × (read, check, load, program)          one device: nothing overlaps
//! GCB:    F = t_SR + t_ECC   D = t_SP_SET + t_DI     read of i+1 from the confirmation of i on
//! DGCB:   F = t_SR_EXC.D     D = t_SP_SET + t_DIO    read of i+1 as above; transfer when i is programmed
//!         no cache program:  F + (N−1)·(D + max(t_PROG, F)) + D + t_PROG
//!         cache program:     F + D + (N−1)·max(t_PROG, F + D) + t_PROG
//! ```
//!
//! Formulas: [`Stages`] has Eqs 1–13 as printed, for one plane and for several.
//! [`Copyback`] has the forms above.
//! They equal Eqs 9–13 if a program hides the next read ([`Copyback::reads_hidden`]), and stay correct if not
//! (SLC programs, slow buses).
//! LCB has no equation in the source: (t_SR + t_SP)·N follows from its Fig. 4(b).
//!
//! Parameters: [`CopyTimings`] (ns, bytes, cycles; ranges there), planes 1 to 4, corrected bytes per page 0
//! to [`CopyTimings::most_corrected_bytes`], pages per transaction.
//!
//! Errors: [`CopybackError`]; nothing saturates within the ranges of [`CopyTimings::validate`].
//!
//! Deviations and errata of the source:
//! - It prints no t_SR_SET, t_SP_SET or t_DI_EC. They are counted from ONFI cycles ([`Stages`],
//!   [`Waits::STUDY`]).
//! - Planes are selected one after another, each with its own commands, t_DBSY and t_CCS, and each plane's
//!   transfer includes t_DL. The source says only "except for the length of data transfer time" (§V).
//! - Eqs 11 and 13 put t_SP_SET after the first read, but in Fig. 9 `PROG_INIT` goes out while the source
//!   reads. [`Copyback::early_prog_init_gain_ns`] is the difference, once per transaction.
//! - §III.A lets the erase begin when the last page has left the source; Fig. 12 adds it after the last
//!   program. [`Copyback::collection_ns`] is the latter, [`Copyback::collection_early_erase_ns`] the former.
//! - §VI.B states that DGCB beats ICB for every transaction. For one operation, with or without cache
//!   program, it is slower by t_DL per plane.
//! - The source states that GCB with cache program beats ICB for every transaction. For one operation it is
//!   slower by t_DI.
//! - The source states that GCB trails ICB below 8 pages (one plane) and 32 (two), and elsewhere up to 8 and
//!   16. Eqs 9 and 10 cross at N > t_SR / (t_SR − t_DI): GCB is ahead from 4 pages, and from 14.
//! - The source states that without cache program corrections cost every transaction the same throughput, at
//!   most 2.71 % and 4.86 %. The loss grows with the transaction: 2.71 % is one page on one plane (2.83 % at
//!   128), 4.86 % the longest transaction on two (4.65 % at 2 pages). No t_DI_EC gives both, and the two with
//!   cache program, closer than 0.04 of a point at one N. As maxima over all N, one of 226 to 228 ns per byte
//!   gives all four within 0.1.
//! - A copy gets a new sequence number in its OOB area, and the collector reads the LPN there. No path is
//!   charged for either, though ICB and DGCB would have to send those bytes, and an unchecked copy never
//!   brings the LPN out.
//! - The control unit refuses a page beyond its ECC before the first message. The handling of the
//!   destination's full register is not modelled. Wrong bits are drawn over user bytes.
//! - Table II's study has no energy; the channel's cycles ([`ChannelTime`]) are what a path adds to the
//!   array's.
//!
//! Source: Jeong and Song, "A technique to improve garbage collection performance for NAND flash-based
//! storage systems", IEEE Trans. Consumer Electronics 58(2), 2012, §§III, V, VI; Open NAND Flash Interface
//! 2.1 for commands.

mod channel;
mod collection;
mod device;
mod drawn;
mod error;
mod stages;
mod timings;
mod transaction;

pub use channel::ChannelTime;
pub use device::CopySettings;
pub use error::CopybackError;
pub use flash::CopyPath;
pub use stages::Stages;
pub use timings::{CopyTimings, Waits};
pub use transaction::Copyback;
