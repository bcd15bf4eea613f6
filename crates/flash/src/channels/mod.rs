//! Time on channels: many dies behind few buses, simulated by events.
//!
//! [`Channels`] schedules operations and ignores page contents. A caller submits operations, each for one die
//! and with its arrival time. It takes completions back in order of time:
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
//! - **Queue depth** (closed loop): submit as many requests as the depth. For each completion submit the next
//!   request, with an arrival at the completion's time or later.
//! - **Arrivals** (open loop): before you submit a request that arrives at `t`, take completions with
//!   [`Channels::next_completion_until`] `(t)` until there are none.
//! - **Transactions** (copies): submit dependent operations when the completion is delivered. Of requests that
//!   arrive at the same time, the one submitted first goes first.
//!
//! An arrival may lie in the future, but never before [`Channels::now_ns`]. Operations of one die and [`Class`]
//! run in the order of submission. An operation that could run at once waits behind one that arrives later.
//! [`Precedence`] sets which class goes first and what a read suspends.
//!
//! # What it does
//! ```text
//! an operation is a script of tenures of its channel's bus, with the time that its die is busy after each
//! a die asks for the bus (REQ):
//!     for the first tenure of its next operation, once that has arrived and the die's interface is free;
//!         its cells must be free too, except within a run of cache programs
//!     for a later tenure, once the busy time after the previous tenure is over
//! the arbiter of a channel grants the bus (GRANT) by its policy when the bus is free and a die asks
//! the last tenure of an operation fixes its completion time
//! a completion is delivered once no bus can be granted before it
//! ```
//!
//! | operation | tenures of the bus, each with the busy time after it |
//! | --- | --- |
//! | read | command and address; tWB + tR + tRR; data out; ECC |
//! | read of the spare area | the same, with its own tR and its bytes alone |
//! | cache read | as a read with, before data out, one cycle; tWB + tCBSY + tRR; the next page's tR during data out |
//! | program | command, address, tADL, data in; tWB + tPROG |
//! | cache program | the same; the next data in during tPROG, from tCBSY after its beginning |
//! | copy-read | as a read, without data out and ECC |
//! | copy-program | command, address, tADL, corrected bytes; tWB + tPROG |
//! | direct transfer | source: command and address; tWB + tR + tRR. Destination: command, address, tADL. Then both: a page of data, tDL. Destination: ECC; corrected bytes, confirm; tWB + tPROG |
//! | erase | command and row address; tWB + tBERS |
//!
//! A direct transfer ([`Channels::submit_direct`]) is a read of one die and a program (or cache program) of
//! another die of the channel. They share the tenure of the data, which is granted once both are ready.
//!
//! A read may be repeated ([`Channels::submit_repeated`]): the steps of a read retry. Each begins when the data of the one
//! before are out and decoded and the voltages are set. The die takes nothing else in between; the bus does.
//!
//! A multi-plane operation repeats the command (with its data in, if any) for each plane, tWB + tDBSY apart.
//! The bus is free in between. Data out of every plane but the first begin with the selection of the plane
//! (seven cycles and tCCS). Programs and erases end with a status read if [`Timing::status`] is set.
//!
//! Requests of one plane each become multi-plane operations on the die with [`Channels::set_multi_plane`].
//!
//! # State and cost
//! A die has at most one request for the bus, and buses are independent. So the event queue is, for each channel, the requests
//! of its dies in order, and above it one next grant per channel. A grant costs O(channels + dies per channel), in arrays
//! of a few cache lines. Known completions are in lanes, one per kind of operation: grants are given in order of time, and
//! operations of a kind take the same time after their last one, so their completions become known in order.
//! Operations wait in lists through one slab that is reused. Lists grow with the largest number outstanding so far, known
//! completions to twice that; [`Channels::reserve`] makes room for both.
//!
//! The order is fixed for equal times: grants by channel, requests for one bus by policy, completions by
//! submission.
//!
//! # Invariants
//! - A bus has one tenure at a time, and a die's cells do one operation at a time.
//! - While a die's cells work, only a run of cache operations crosses the bus for that die.
//! - Bus time is exactly that of the scripts.
//! - No operation completes sooner than it would alone.
//!
//! `tests/all/channels_properties.rs` asserts them; `tests/all/channels_timelines.rs` has timelines worked by
//! hand.
//!
//! # Errors
//! [`RequestError`] covers addresses, the rules of multi-plane operations and of cache reads, and late
//! arrivals. Multi-plane operations take one block per plane and the same page; if [`Topology::paired_blocks`]
//! is set, also the same place in the plane.
//!
//! # Deviations
//! - A program or erase that ends with a status read is not suspended. In a run of cache programs only the last
//!   program is suspended.
//! - The cell times of a [`Grant`] are those planned when the bus was granted.
//! - ONFI allows a cache program to be followed by another only in the same block. Here a program of another
//!   block may be submitted, and waits until the cells are free.
//! - A copy-program keeps tADL even if no corrected byte follows, as Eq. 9 of the source does.
//!
//! # Source
//! ONFI 2.1 (January 2009): commands, address cycles, timing modes. Jaehyeong Jeong and Yong Ho Song, A
//! Technique to Improve Garbage Collection Performance for NAND Flash-based Storage Systems, IEEE Transactions
//! on Consumer Electronics: way arbiter, interleaving, cache program, Eqs 1, 2 and 5 to 8.

mod arbiter;
mod asks;
mod die;
mod direct;
mod done;
mod engine;
mod grants;
mod joining;
mod plain;
#[cfg(test)]
mod plain_tests;
mod planes;
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
pub use planes::{MultiPlane, PlaneCount, PlaneCounts, PlaneRule};
pub(crate) use precedence::QUEUES;
pub use precedence::{Class, Precedence, Suspend, Suspensions};
pub use request::{
    Addressing, Command, Completion, PageAddress, Pages, RepeatTimes, Repeats, Request,
};
pub use rules::RequestError;
pub use script::Segment;
pub use timing::{Timing, TimingError, data_ns};
pub use topology::{DieAddress, MAX_PLANES, Topology, TopologyError};
pub(crate) use topology::{Place, Places};
pub use usage::{BusUse, DieUse, Grant, GrantObserver, Sent, share_ppm};
