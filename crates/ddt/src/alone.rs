//! A collection by itself on a channel, run by events.

use crate::copier::{Copier, EraseAt, Loads, Step};
use crate::way::{Way, channels_timing};
use bounds::copyback::{CopyTimings, CopybackError};
use flash::Ns;
use flash::channels::{
    Addressing, BusUse, Channels, ChannelsError, Grant, GrantObserver, Policy, RequestError,
    Topology,
};

/// What a collection by itself took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alone<W> {
    /// From the first command to the end of the last program, ns.
    pub copies_ns: Ns,
    /// When the last page had left the source, ns after the first command.
    pub source_free_ns: Ns,
    /// To the end of both the last program and the erase, if there was one, ns.
    pub end_ns: Ns,
    /// What it took of the bus.
    pub bus: BusUse,
    /// Who saw the grants.
    pub watch: W,
}

/// Why copies cannot be run.
#[derive(Debug, thiserror::Error)]
pub enum CopyRunError {
    /// The copies have no times.
    #[error(transparent)]
    Copyback(#[from] CopybackError),
    /// The channels cannot be.
    #[error(transparent)]
    Channels(#[from] ChannelsError),
    /// An operation is refused.
    #[error(transparent)]
    Request(#[from] RequestError),
}

/// Operations of a collection: how many, in transactions of how many, and what becomes of the victim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CopyJob {
    /// Operations in all: valid pages / planes.
    pub operations: u32,
    /// Operations of a transaction; the last transaction has what is left.
    pub transaction: u32,
    /// The erase, if any.
    pub erase: Option<EraseAt>,
    /// When the destination of a direct transfer is addressed.
    pub addressing: Addressing,
}

impl CopyJob {
    /// One transaction, without the erase, in the order of the printed equations.
    pub const fn transaction(operations: u32) -> Self {
        let addressing = Addressing::AfterRead;
        Self { operations, transaction: operations, erase: None, addressing }
    }

    /// So many operations in such transactions, and the erase after the last program.
    pub const fn whole(operations: u32, transaction: u32) -> Self {
        let addressing = Addressing::AfterRead;
        Self { operations, transaction, erase: Some(EraseAt::End), addressing }
    }
}

/// Runs a collection on a channel that has nothing else to do.
///
/// # Errors
/// Figures outside their ranges.
pub fn alone(
    timings: &CopyTimings,
    way: Way,
    collection: CopyJob,
) -> Result<Alone<()>, CopyRunError> {
    watched(timings, way, collection)
}

/// The same, with a log of every grant.
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
