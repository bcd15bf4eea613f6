//! The control unit of a channel that copies pages by direct data transfer (DDT), with its messages and signals.
//!
//! Operation:
//! ```text
//! channel controller: a way arbiter, one controller per way with a DDT slave (DDT-S), one DDT master (DDT-M)
//! way controller: requests the bus from the arbiter (REQ) for its cycles, receives GRANT, releases the bus
//! DDT-M: READ_INIT to the source; on READ_START (or on READ_END) PROG_INIT to the destination
//!        on both READ_END and DIN_READY: DDT_BEGIN to both at once
//!        on both DDT_DONE: the ECC engine's verdict; if bytes are in error: ERR_RETRANSMIT, corrected bytes
//!        another plane: PROG_INIT, and on as from DIN_READY; else PROG_START
//!        the destination is busy: the next READ_INIT, overlapping the program
//! ```
//!
//! [`ControlUnit::run`] executes a [`Transaction`]. Requests of other ways ([`Background`]) compete for the bus. An
//! [`EventObserver`] receives every [`Event`]. [`windows`](flash::pins::windows) checks that the destination can
//! latch the data that the source drives. [`Waveform`] draws a log as the signals of the channel.
//!
//! ```
//! use flash::channels::{Addressing, Policy, Timing};
//! use ftlkit_papers::ddt::control::{ControlUnit, Event, Transaction};
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
//! State: an event queue ordered by time, then by cause, and at most one bus request per way. With n pending events,
//! each event and each grant costs O(ways + log n).
//!
//! # Invariants
//! - DDT_BEGIN follows both READ_END and DIN_READY of its page.
//! - Slaves send messages to the master only.
//! - The bus has at most one owner; the arbiter grants every REQ.
//! - Corrected bytes are sent before the confirm command.
//!
//! `ddt/tests/properties.rs` asserts these. If a program hides the next read and t_ECC is 0, a transaction without
//! competition takes the time of Eqs 11 and 13 of the paper. `ddt/tests/closed_forms.rs` checks this to the nanosecond.
//!
//! # Errors
//! [`ControlError`]; [`Refusal`](flash::pins::Refusal) if the windows do not fit; [`WaveformError`].
//!
//! # Deviations
//! - Messages take no time.
//! - The paper has no message that reports the program's busy time to the master. Here the master sees R/B# of the
//!   destination. It sends the next READ_INIT when R/B# goes low, tWB after the confirm command, as Eqs 11 and 13
//!   assume.
//! - No message reports that corrected bytes have been sent. Here the ECC engine, which supplies them, reports it.
//! - The paper does not describe several planes. Here READ_INIT, PROG_START and their answers concern all planes.
//!   PROG_INIT, DIN_READY, DDT_BEGIN, DDT_DONE and ERR_RETRANSMIT concern one plane.
//! - The arbiter treats the two requests of a direct transfer as one: the source drives the bus, the destination
//!   listens.
//! - The same controllers execute reads, programs and erases of other ways. Copies through the controller's buffer
//!   need no master; see [`channels`](flash::channels).
//! - The bus turnaround after data out (tRHW, tCHZ) is not counted, as in the paper.
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
