//! An SSD of several channels: operations side by side, requests several at a time, a host interface.
//!
//! ```text
//! a request is there, and fewer than `queue_depth` are outstanding:
//!   a write's data cross the link; its page tasks are ready when all are in, a read's at once
//! the controller takes page tasks in the order in which they are ready, one after the other:
//!   the scheme decides at once; its processor time passes before the array is asked
//!   where collection is exclusive no task is taken while a collection that does not yield is under way
//! a request's last page task is done on the array: a read's data cross the link, a write has ended
//! ```
//!
//! With one request outstanding at a time each page task begins when everything before it has ended, its collection
//! steps too: then no operation waits for another task's, an operation takes no longer than in serial time, and what
//! the scheme promises is checked. With more, tasks wait for each other's operations, and nothing is promised.

mod device;
mod feeder;
mod interface;
mod link;
mod queue;
mod report;
mod run;
pub(crate) mod setup;
#[cfg(test)]
mod tests;
mod windows;

pub(crate) use device::SsdDevice;
pub(crate) use feeder::Feeder;
pub use interface::HostInterface;
pub(crate) use run::run_scheme;
pub use setup::{CollectionPlace, SsdSetup};
