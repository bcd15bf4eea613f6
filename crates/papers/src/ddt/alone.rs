//! Event-driven run of one collection on an otherwise idle channel.

use crate::ddt::copier::{Copier, EraseAt, Loads, Step};
use crate::ddt::way::{Way, channels_timing};
use bounds::copyback::{CopyTimings, CopybackError};
use flash::Ns;
use flash::channels::{
    Addressing, BusUse, Channels, ChannelsError, Grant, GrantObserver, Policy, RequestError,
    Topology,
};

/// Result of one collection on an otherwise idle channel.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Alone<W> {
    /// Time from the first command to the end of the last program, ns.
    pub copies_ns: Ns,
    /// Time at which the last page left the source, in ns after the first command.
    pub source_free_ns: Ns,
    /// Time to the end of the last operation: last program or erase, whichever is later, ns.
    pub end_ns: Ns,
    /// Bus use of the collection.
    pub bus: BusUse,
    /// The observer of the grants.
    pub watch: W,
}

/// Reasons why copies cannot be run.
#[derive(Debug, thiserror::Error)]
pub enum CopyRunError {
    /// The copy times are invalid.
    #[error(transparent)]
    Copyback(#[from] CopybackError),
    /// The channel configuration is invalid.
    #[error(transparent)]
    Channels(#[from] ChannelsError),
    /// The channel refused an operation.
    #[error(transparent)]
    Request(#[from] RequestError),
}

/// Size of a collection, its split into transactions, and the erase of its victim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CopyJob {
    /// Total operations: valid pages / planes.
    pub operations: u32,
    /// Operations per transaction; the last transaction has the remainder.
    pub transaction: u32,
    /// Time of the erase; `None`: no erase.
    pub erase: Option<EraseAt>,
    /// Time at which the destination of a direct transfer receives its address.
    pub addressing: Addressing,
}

impl CopyJob {
    /// One transaction without erase, in the order of the paper's equations.
    pub const fn transaction(operations: u32) -> Self {
        let addressing = Addressing::AfterRead;
        Self { operations, transaction: operations, erase: None, addressing }
    }

    /// `operations` operations in transactions of `transaction` each, then the erase after the last program.
    pub const fn whole(operations: u32, transaction: u32) -> Self {
        let addressing = Addressing::AfterRead;
        Self { operations, transaction, erase: Some(EraseAt::End), addressing }
    }
}

/// Runs a collection on an otherwise idle channel.
///
/// # Errors
/// Parameters outside their ranges.
pub fn alone(
    timings: &CopyTimings,
    way: Way,
    collection: CopyJob,
) -> Result<Alone<()>, CopyRunError> {
    watched(timings, way, collection)
}

/// As [`alone`], with a log of every grant.
///
/// # Errors
/// As [`alone`].
pub fn logged(
    timings: &CopyTimings,
    way: Way,
    collection: CopyJob,
) -> Result<Alone<Vec<Grant>>, CopyRunError> {
    watched(timings, way, collection)
}

fn watched<W: GrantObserver + Default>(
    timings: &CopyTimings,
    way: Way,
    collection: CopyJob,
) -> Result<Alone<W>, CopyRunError> {
    let mut copier = Copier::new(way, timings, collection.addressing)?;
    let topology: Topology = copier.topology(2);
    let timing = channels_timing(timings);
    let mut channels = Channels::watched(topology, timing, Policy::Fifo, Loads::<W>::default())?;
    let mut left = collection.operations;
    let (mut copies_ns, mut end_ns, mut erasing) = (0, 0, false);
    let next = |left: &mut u32| {
        let now = collection.transaction.clamp(1, (*left).max(1)).min(*left);
        *left -= now;
        now
    };
    match next(&mut left) {
        0 if collection.erase.is_some() => copier.erase(&mut channels, 0)?,
        0 => {}
        operations => copier.begin(&mut channels, 0, operations)?,
    }
    while let Some(done) = copier.next_until(&mut channels, Ns::MAX)? {
        end_ns = done.done_ns;
        let step = copier.done(&mut channels, &done)?;
        let erase_now = match step {
            Step::SourceFree => collection.erase == Some(EraseAt::SourceFree) && left == 0,
            Step::Over if left > 0 => {
                let operations = next(&mut left);
                copier.begin(&mut channels, done.done_ns, operations)?;
                false
            }
            Step::Over => {
                copies_ns = done.done_ns;
                collection.erase.is_some() && !erasing
            }
            Step::GoesOn | Step::Erased => false,
        };
        if erase_now {
            erasing = true;
            copier.erase(&mut channels, done.done_ns)?;
        }
    }
    let bus = channels.bus_use(0).unwrap_or_default();
    let source_free_ns = copier.source_free_ns();
    let watch = std::mem::take(&mut channels.watch_mut().watch);
    Ok(Alone { copies_ns, source_free_ns, end_ns, bus, watch })
}
