//! Ways of copying pages, in closed form: what a collection's copies take, and what they take of the channel.
//!
//! | path | from → to | over the channel, a page |
//! | --- | --- | --- |
//! | ICB, internal copy-back | a plane → the same plane | out, to be checked; corrected bytes in |
//! | LCB, local copy-back | a device → the same device | out, in |
//! | GCB, global copy-back | a device → another of the channel | out, in |
//! | DGCB, GCB by direct data transfer | a device → another of the channel | once for both; corrected bytes in |
//!
//! What it does, for a transaction of N operations, each of a page a plane:
//! ```text
//! ICB, LCB:            N × (read, check, load, program)          one device: nothing overlaps
//! GCB:    F = t_SR + t_ECC   D = t_SP_SET + t_DI     read of i+1 from the confirmation of i on
//! DGCB:   F = t_SR_EXC.D     D = t_SP_SET + t_DIO    read of i+1 as above; transfer when i is programmed
//!         no cache program:  F + (N−1)·(D + max(t_PROG, F)) + D + t_PROG
//!         cache program:     F + D + (N−1)·max(t_PROG, F + D) + t_PROG
//! ```
//!
//! Formulas: [`Stages`] has Eqs 1–13 as printed, on one plane and on several; [`Copyback`] the forms above,
//! which are Eqs 9–13 where a program hides the next read ([`Copyback::reads_hidden`]) and remain right where
//! it does not (programs of SLC, slow buses). LCB has no equation in the source: (t_SR + t_SP)·N follows from
//! its Fig. 4(b).
//!
//! Parameters: [`CopyTimings`] (ns, bytes, cycles; ranges there), planes 1 to 4, corrected bytes a page 0 to
//! [`CopyTimings::most_corrected_bytes`], pages a transaction.
//!
//! Errors: [`CopybackError`]; nothing saturates within the ranges of [`CopyTimings::validate`].
//!
//! Deviations and what the source gets wrong:
//! - It prints no t_SR_SET, t_SP_SET or t_DI_EC: they are counted from ONFI cycles ([`Stages`], [`Waits::STUDY`]).
//! - Planes are selected one after another, each with commands, t_DBSY and t_CCS of its own, and t_DL falls due
//!   in each plane's transfer; the source says "except for the length of data transfer time" only (§V).
//! - Eqs 11 and 13 put t_SP_SET after the first read; by its Fig. 9 `PROG_INIT` goes out while the source reads.
//!   [`Copyback::early_prog_init_gain_ns`] is the difference, once a transaction.
//! - §III.A lets the erase begin when the last page has left the source; Fig. 12 adds it after the last program.
//!   [`Copyback::collection_ns`] is the latter, [`Copyback::collection_early_erase_ns`] the former.
//! - DGCB is said to beat ICB for every transaction (§VI.B); for one operation, cache program or not, it is
//!   behind by t_DL a plane. GCB with cache program is said to beat ICB for every transaction; for one operation it is
//!   behind by t_DI.
//! - GCB is said to trail ICB below 8 pages (one plane) and 32 (two), and elsewhere to 8 and to 16; Eqs 9 and 10
//!   cross at N > t_SR / (t_SR − t_DI): ahead from 4 pages, and from 14.
//! - Loss of throughput to corrections without cache program is said to be the same for every transaction, at
//!   most 2.71 % and 4.86 %. It grows with the transaction: 2.71 % is one page of one plane (2.83 % at 128), 4.86 %
//!   the longest transaction of two (4.65 % at 2 pages). No t_DI_EC brings both, and
//!   the two with cache program, nearer than 0.04 of a point at one N; as maxima over all N, one of 226 to 228 ns a byte
//!   brings all four within 0.1.
//! - A copy gets a new sequence number in its OOB, and the collector reads the LPN there: no path is charged for either,
//!   though ICB and DGCB would have to send those bytes, and an unchecked copy never brings the LPN out.
//! - The control unit refuses a page beyond its ECC before the first message: what it would have to do with the
//!   destination's full register is not modelled. Wrong bits are drawn over user bytes.
//! - Table II's study has no energy; the channel's cycles ([`ChannelTime`]) are what a path adds to the array's.
//!
//! Source: Jeong and Song, "A technique to improve garbage collection performance for NAND flash-based storage
//! systems", IEEE Trans. Consumer Electronics 58(2), 2012, §§III, V, VI; Open NAND Flash Interface 2.1 for commands.

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
