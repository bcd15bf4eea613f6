//! Placement: to which of several open blocks (classes) a host write or a copy goes.
//!
//! # Room
//! With k classes up to Fk blocks are open, F the number of units, and F + 1 more are kept free when collection
//! starts. Plans keep that many blocks more than with split frontiers, so a full block always gains a page.
//!
//! *Collection never runs out of free blocks.* Let f blocks be free and K be kept: one, and one more while there are spare
//! blocks. A class opens a free block while f > K. Otherwise its page goes to an open block of any class. The last K
//! blocks are touched only if no block is open at all.
//!
//! Before a victim is taken f ≥ 1. It has at most π − 1 valid pages. As long as f > K, its copies leave K. After that they
//! fill open blocks; if none is open they open one, which has room for all that are left. So at most one of the K blocks
//! is opened, and the erase of the victim gives one back: f ≥ min(f before, K) afterwards.
//!
//! A host write opens one of the K blocks only if no block is open and f ≤ K. Suppose that f ≥ K before each write. At
//! f ≤ K a victim was taken just before. Fewer than π copies fill no whole block, and no block is open. So the copies opened
//! none, and the erase made f ≥ K + 1: a contradiction. So f ≥ K after the write, too, and one victim per write suffices, as
//! with split frontiers ([`WholeBlock`](crate::page_mapped::WholeBlock)).
//!
//! # Mount
//! Every page carries the class of its block, so a mount knows the classes of all blocks and continues those that were
//! open. It forgets times: [`PlacementPolicy::after_mount`] says what a policy makes of that.

mod dac;
mod eti;
mod fadac;
mod future;
mod interface;
mod midas;
mod multilog;
mod oracle;
mod origin;
mod placing;
mod policy;
mod sepbit;
mod sfs;
pub mod stream;
mod two_regions;
mod warcip;

pub use future::{Future, FutureNotes};
pub use interface::{CollectedBlock, PlacedCopy, PlacedWrite, Placement};
pub(crate) use placing::Placing;
pub use policy::{ByState, Classes, PlacedSpace, PlacementKind, PlacementPolicy, Places, Times};

/// All policies of this crate, in the order in which they are listed. Configurations, test suites and the
/// documentation use this list.
pub static PLACEMENT_POLICIES: &[&PlacementPolicy] = &[
    &origin::NONE,
    &origin::SPLIT,
    &two_regions::POLICY,
    &dac::POLICY,
    &multilog::POLICY,
    &sfs::POLICY,
    &eti::POLICY,
    &fadac::POLICY,
    &warcip::POLICY,
    &sepbit::POLICY,
    &midas::POLICY,
    &stream::STREAM,
    &stream::STREAM_INITIAL,
    &oracle::POLICY,
];

impl PlacementKind {
    /// Each policy with its defaults; without those that need the future of a run, of which a scheme alone knows nothing.
    pub fn each() -> impl Iterator<Item = Self> {
        let all = PLACEMENT_POLICIES.iter().filter_map(|policy| policy.kind(&[]));
        all.filter(|kind| !kind.needs_future())
    }
}
