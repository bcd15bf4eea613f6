//! The control unit of a channel that copies pages by direct data transfer (DDT), with its messages and signals.
//!
//! What it does:
//! ```text
//! channel controller: a way arbiter, a controller a way with a DDT slave (DDT-S), one DDT master (DDT-M)
//! a way controller asks the arbiter for the bus (REQ) for its cycles, is granted it (GRANT), gives it back
//! DDT-M: READ_INIT to the source; on READ_START (or on READ_END) PROG_INIT to the destination
//!        on both READ_END and DIN_READY: DDT_BEGIN to both at once
//!        on both DDT_DONE: the ECC engine's verdict; bytes were wrong: ERR_RETRANSMIT, corrected bytes
//!        another plane: PROG_INIT, and on as from DIN_READY; else PROG_START
//!        the destination is busy: the next READ_INIT, beside the program
//! ```
//!
//! [`ControlUnit::run`] carries out a [`Transaction`], with requests of other ways ([`Background`]) that compete for
//! the bus, and lets a [`EventObserver`] see every [`Event`]. [`windows`](flash::pins::windows) checks whether what a source drives can be latched
//! by a destination, and [`Waveform`] draws a log as the signals of the channel.
//!
//! ```
//! use flash::channels::{Addressing, Policy, Timing};
//! use ftlkit_ddt::control::{ControlUnit, Event, Transaction};
//! use flash::parts;
//!
//! let unit = ControlUnit { timing: Timing::of(&parts::DDT_MLC)?, ways: 2, policy: Policy::Fifo };
//! let transaction = Transaction {
//!     source: 0,
//!     destination: 1,
//!     planes: 1,
//!     cache_program: true,
//!     addressing: Addressing::AfterRead,
//!     wrong_bytes: &[0, 3],
//!     most_wrong_bytes: 192,
//! };
//! let mut log: Vec<Event> = Vec::new();
//! let outcome = unit.run(&transaction, &[], &mut log)?;
//! // Eq. 13 of the source: the second page's corrected bytes cross the bus while the first is programmed.
//! assert_eq!(outcome.total_ns, 75_295 + 216_365 + 2 * 1_300_000);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # State and cost
//! A queue of events in order of time, of equal times in order of cause; one request for the bus a way. An event costs
//! O(log events outstanding), a grant O(ways).
//!
//! # Invariants
//! DDT_BEGIN is sent once READ_END and DIN_READY of its page are there; slaves send to the master alone; the bus has
//! one owner at a time; every REQ is granted; corrected bytes are sent before the confirm command. Asserted by
//! `tests/suite/properties.rs`. Without competition a transaction takes what Eqs 11 and 13 of the source say, to
//! the nanosecond: `tests/suite/closed_forms.rs`.
//!
//! # Errors
//! [`ControlError`]; [`Refusal`](flash::pins::Refusal) where the windows do not fit; [`WaveformError`].
//!
//! # Deviations
//! - A message takes no time.
//! - The source's messages do not tell the master that the program is busy; here it sees R/B# of the destination, and
//!   the next READ_INIT goes out then, tWB after the confirm command, as Eqs 11 and 13 count.
//! - No message tells it that corrected bytes have been sent; here the ECC engine, out of which they come, does.
//! - On several planes, of which the source says nothing, READ_INIT, PROG_START and their answers are about all
//!   planes; PROG_INIT, DIN_READY, DDT_BEGIN, DDT_DONE and ERR_RETRANSMIT about one.
//! - The arbiter holds the two requests of a direct transfer for one: the source drives the bus, the destination
//!   listens.
//! - Reads, programs and erases of other ways are done by the same controllers; copies through the controller's buffer
//!   need no master and are those of [`channels`](flash::channels).
//! - The turn-around of the bus after data out (tRHW, tCHZ) is not counted, as it is not in the source.
//!
//! # Source
//! Jaehyeong Jeong and Yong Ho Song, A Technique to Improve Garbage Collection Performance for NAND Flash-based
//! Storage Systems, IEEE Transactions on Consumer Electronics 58(2), 2012, §IV: Fig. 8, Table I, Figs 9 and 10. ONFI
//! 2.1 (January 2009): commands, asynchronous timing modes.

mod cost;
mod cycles;
mod event;
mod master;
mod message;
mod signals;
mod transaction;
mod unit;
mod waveform;
mod way;

pub use cost::Cost;
pub use cycles::Cycles;
pub use event::{Event, EventKind, EventObserver, Job};
pub use message::{Message, PagePosition, Party};
pub use signals::{Change, Level, Signal};
pub use transaction::{Background, BackgroundKind, ControlError, MAX_PAGES, Transaction};
pub use unit::{ControlUnit, Outcome};
pub use waveform::{Drawing, Waveform, WaveformError};
