//! Time on channels: many dies behind few buses, by events.
//!
//! [`Channels`] schedules; it knows nothing of what pages hold. A caller submits operations, each for one die
//! with the time at which it arrives, and takes completions back in order of time:
//!
//! ```
//! use ftlkit_flash::channels::{Channels, Command, DieAddress, Pages, Policy, Request, Timing, Topology};
//! use ftlkit_flash::parts;
//!
//! let topology = Topology {
//!     channels: 8,
//!     ways: 4,
//!     dies: 1,
//!     planes: 2,
//!     blocks_per_plane: 2048,
//!     pages_per_block: 128,
//!     paired_blocks: true,
//! };
//! let timing = Timing::of(&parts::DDT_MLC)?;
//! let mut channels = Channels::new(topology, timing, Policy::Fifo)?;
//! let die = DieAddress { channel: 0, way: 1, die: 0 };
//! let (command, pages) = (Command::Read, Pages::one(6, 0));
//! channels.submit(&Request { arrival_ns: 0, tag: 7, die, command, pages, repair_ns: 0 })?;
//! let done = channels.next_completion().unwrap();
//! // Seven cycles of 25 ns, tWB, tR, tRR, and 8,640 bytes of 25 ns.
//! assert_eq!((done.tag, done.done_ns), (7, 175 + 100 + 75_000 + 20 + 216_000));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # How to drive it
//! - **Queue depth** (closed loop): submit as many as the depth; for each completion submit the next, with an
//!   arrival at the completion's time or later.
//! - **Arrivals** (open loop): before a request that arrives at `t` is submitted, take completions with
//!   [`Channels::next_completion_until`] `(t)` until there are none.
//! - **Transactions** (copies): submit what depends on a completion when it is delivered. Of requests that arrive
//!   at once the one submitted first is first.
//!
//! An arrival may lie in the future, never before [`Channels::now_ns`]. Operations of one die and [`Class`] are done in the
//! order in which they are submitted: one that may be done at once waits behind one that arrives later. What goes before
//! what of two classes, and what a read suspends, is told by [`Precedence`].
//!
//! # What it does
//! ```text
//! an operation is a script of tenures of its channel's bus, and what its die is busy with after each
//! a die asks for the bus (REQ): for the first tenure of its next operation
//!     once that has arrived and its interface is free, and (but within a run of cache programs) its cells are;
//!     for a later one, once what followed the last is over
//! the arbiter of a channel grants the bus (GRANT) when it is free and a die asks, by its policy
//! the last tenure of an operation fixes when it is done
//! a completion is delivered once no bus can be granted before it
//! ```
//!
//! | operation | tenures of the bus, with what follows |
//! | --- | --- |
//! | read | command and address; tWB + tR + tRR; data out; ECC |
//! | read of the spare area | the same, with its own tR and its bytes alone |
//! | cache read | as a read with, before data out, one cycle; tWB + tCBSY + tRR; the next page's tR beside data out |
//! | program | command, address, tADL, data in; tWB + tPROG |
//! | cache program | the same; the next data in beside tPROG, from tCBSY after its beginning |
//! | copy-read | as a read, without data out and ECC |
//! | copy-program | command, address, tADL, corrected bytes; tWB + tPROG |
//! | direct transfer | source: command and address; tWB + tR + tRR. Destination: command, address, tADL. Then both: a page of data, tDL. Destination: ECC; corrected bytes, confirm; tWB + tPROG |
//! | erase | command and row address; tWB + tBERS |
//!
//! A direct transfer ([`Channels::submit_direct`]) is a read of one die and a program (or cache program) of another
//! die of the channel that share the tenure of the data: it is granted once both are ready. On several planes the command, with data in where there are, is given for each plane, tWB + tDBSY apart (the
//! bus is free meanwhile); data out of every plane but the first begin with the choice of it (seven cycles and tCCS).
//! Programs and erases end with a status read where [`Timing::status`] says so.
//!
//! # State and cost
//! A die has at most one request for the bus, and buses do not touch each other: so the event queue is an array
//! with one time a die, and one next grant a channel above it. A grant costs O(channels + dies a channel), in
//! arrays of a few cache lines; only completions, of which few are known and not delivered, are in a heap.
//! Operations wait in lists through one slab that is reused: nothing is allocated below the largest number
//! outstanding so far ([`Channels::reserve`]).
//!
//! Order is fixed for equal times: grants by channel, requests for one bus by policy, completions by submission.
//!
//! # Invariants
//! A bus has one tenure at a time; a die's cells do one operation at a time; within a die nothing but a run of
//! cache operations crosses the bus while its cells work; bus time is that of the scripts, no more and no less;
//! no operation is done sooner than it would be alone. Asserted by `tests/all/channels_properties.rs`; timelines worked by hand
//! are in `tests/all/channels_timelines.rs`.
//!
//! # Errors
//! [`RequestError`]: addresses, the rules of multi-plane operations (one block of a plane, the same page, where
//! [`Topology::paired_blocks`] the same place) and of cache reads, and arrivals that are too late.
//!
//! # Deviations
//! A program or erase that ends with a status read is not suspended, nor one of a run of cache programs but the last.
//! What a [`Grant`] tells of the cells is what was to be when the bus was granted. ONFI allows a cache program to be followed by another
//! only in the same block; here another may be asked for, and waits until the cells are free. A copy-program
//! keeps tADL also where no corrected byte follows, as Eq. 9 of the source does.
//!
//! # Source
//! ONFI 2.1 (January 2009): commands, address cycles, timing modes. Jaehyeong Jeong and Yong Ho Song, A Technique
//! to Improve Garbage Collection Performance for NAND Flash-based Storage Systems, IEEE Transactions on Consumer
//! Electronics: way arbiter, interleaving, cache program, Eqs 1, 2 and 5 to 8.

mod arbiter;
mod die;
mod direct;
mod engine;
mod precedence;
mod report;
mod request;
mod rules;
mod script;
mod timing;
mod topology;
mod turns;
mod usage;

pub use arbiter::{Ask, Policy, choose};
pub use engine::{Channels, ChannelsError};
pub(crate) use precedence::QUEUES;
pub use precedence::{Class, Precedence, Suspend, Suspensions};
pub use request::{Addressing, Command, Completion, PageAddress, Pages, Request};
pub use rules::RequestError;
pub use script::Segment;
pub use timing::{Timing, TimingError};
pub use topology::{DieAddress, MAX_PLANES, Topology, TopologyError};
pub use usage::{BusUse, DieUse, Grant, GrantObserver, share_ppm};
