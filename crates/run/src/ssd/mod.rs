//! SSD with several channels: parallel operations, several outstanding requests, a host interface.
//!
//! ```text
//! a request arrives, and fewer than `queue_depth` are outstanding:
//!   a write's data cross the link; its page tasks are ready after the transfer, a read's at once
//! the controller takes page tasks in the order in which they become ready, one at a time per core:
//!   the scheme decides at once; its processor time passes before its operations reach the array
//!   exclusive collection: no task is taken during a collection that does not yield
//! a request's last page task is done on the array: a read's data cross the link, a write has ended
//! ```
//!
//! With several submission queues ([`HostQueues`]) a request waits in one of them until the controller fetches it, in the
//! order of the arbitration; it is taken from then on.
//!
//! With one outstanding request, each page task begins after everything before it has ended, including collection
//! steps. No operation then waits for another task's operation, and all of a task take no longer than each alone, one after
//! the other. The scheme's bounds are checked; they count copies between devices as runs, of which channels may hide a little
//! less, so that what is proved of an SSD takes each copy alone (docs/promises.md). With more outstanding requests, tasks
//! wait for each other's operations, and there is no bound.

mod controller;
mod device;
mod feeder;
mod jobs;
mod link;
mod queue;
mod refresh;
mod report;
mod requests;
mod run;
mod state;
#[cfg(test)]
mod tests;
mod windows;

pub use crate::front_end::{
    Arbitration, CollectionPlace, CoreSettings, CoreSharing, CpuWork, HostInterface, HostQueues,
    JobQueues, LinkTimes, MOST_QUEUES, Mechanism, NO_LIMIT, Packets, SsdSetup,
};
pub use feeder::Feeder;
pub(crate) use run::run_scheme;
pub use state::{SsdDevice, array};
