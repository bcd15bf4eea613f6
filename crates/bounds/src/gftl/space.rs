//! Space condition: how long does the write queue get, and how many logical blocks can an array export
//! besides it?
//!
//! The answer holds for any order of requests.

use super::queue::queue_blocks;
use super::start_up::image_pages;
use super::steps::{CollectionRam, Steps, paper_steps, whole_steps};
use crate::error::BoundError;
use flash::Part;

/// Rule for the number of blocks of the write queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum QueueBound {
    /// ⌈L/π⌉ with L = ⌈N(κ+1)/2⌉ as printed: enough for the order 0, 1, …, N−1, 0, 1, … only.
    Printed,
    /// [`proven_queue_blocks`] with collection of data blocks in queue order.
    Fifo,
    /// [`proven_queue_blocks`] with the dirtiest block first, unless one has waited for [`aged_wait`]
    /// collections.
    Aged,
}

impl QueueBound {
    /// Collections that a queued block may wait for, in addition to one per block queued before it.
    fn extra_wait(self, blocks: u32) -> u32 {
        match self {
            Self::Printed | Self::Fifo => 0,
            Self::Aged => aged_wait(blocks),
        }
    }

    fn queue_blocks(self, part: &Part, blocks: u32, steps: Steps) -> u64 {
        match self {
            Self::Printed => queue_blocks(part, blocks, paper_steps(part)).max(1),
            Self::Fifo | Self::Aged => {
                proven_queue_blocks(part.pages_per_block, blocks, steps, self.extra_wait(blocks))
            }
        }
    }
}

/// ⌈N/8⌉: collections after which a waiting block has precedence over dirtier ones.
pub fn aged_wait(blocks: u32) -> u32 {
    blocks.div_ceil(8)
}

/// K = κ + H: most steps of one block's collection.
///
/// The H steps beyond κ program the pages that are in RAM alone when the old block is erased ([`Steps::after`]).
pub fn collection_steps(steps: Steps) -> u64 {
    u64::from(steps.total()) + u64::from(steps.after)
}

/// Division of the usable blocks of an array.
///
/// # The condition
/// One step runs after every page task while a data block is queued or under collection, or a queue block is
/// obsolete.
/// Obsolete queue blocks are erased, one per step, before the next data block is selected. Let
///
/// - K = κ + H, the steps per collection ([`collection_steps`]), of which the last H program the h pages that are in
///   RAM alone when the old block is erased ([`Steps::held`]; one of each if RAM takes writes in the read and erase
///   states alone),
/// - W further collections that a queued block may wait for (0 if blocks are collected in queue order),
/// - U = ⌈(X + π)/(π − 1)⌉ blocks, X = (N + W + 2)·K + h + 1.
///
/// Then the write queue never occupies more than U blocks, whatever the order of the requests.
///
/// # Proof
/// A page of the queue is live until a newer version is written to the queue or its block's collection ends.
///
/// 1. Life. A page is written to the queue only while its data block waits in the collection queue, enters
///    it, or is itself being collected. In the last case the block enters again, after at most N − 1 others.
///    So the page is dead when at most N + W collections have ended after the one in progress. That takes at
///    most (N + W)·K + β + 1 + H steps of data blocks, because a collection whose pages are being programmed has
///    at most β + 1 + H steps left.
/// 2. What is left. Take any moment t, and go back at most K steps to the last selection of a data block. At
///    that moment no obsolete queue block was left, because these go first. So every block that the queue
///    occupies at t holds a page written in the last D = (N + W + 1)·K + β + 1 + H steps of data blocks. Pages
///    taken in RAM before that and programmed in it are at most those of one collection: α of its read phase and h
///    after it (each step after the erase takes at most one page and programs at least one). The task at t has written its page, and its step is still to run. D + α + h + 1 = X.
/// 3. Erases. Steps that erase queue blocks lie between those D steps and admit pages too, one per task. Let
///    E of them erase blocks that existed at the beginning of that time, E ≤ U, and F others. The pages
///    written meanwhile touch at most ⌈(X + E + F)/π⌉ + 1 blocks, of which F are erased again. So at most ⌈(X
///    + U)/π⌉ + 1 are occupied, and that is at most U exactly if U ≥ (X + π)/(π − 1).
///
/// Reads run steps and write no page; trims only kill pages; a step in idle time only gains.
///
/// After a power cut, blocks are queued in the order of their oldest page in the write queue.
/// This preserves step 1: every block ahead of a page's block was already queued when the page was written.
/// The cut loses the steps of the collection in progress, fewer than K, and the page that was being written.
/// The mount compensates for them with one whole collection before it serves.
///
/// # Why not the paper's L
/// L = ⌈N(κ+1)/2⌉ pages is derived for the order 0, 1, …, N−1, 0, 1, …, in which pages die at all ages.
/// A host may instead write again and again to the block that was queued last.
/// Then (almost) every page lives through the whole cycle, about N·κ requests: twice as long.
/// L also does not count the erases of the queue's own blocks. With them the queue occupies about N·κ/(π−1)
/// blocks.
///
/// # Besides the queue
/// - N data blocks,
/// - one block that receives the pages of a collected block before that is erased,
/// - the blocks in which a shutdown keeps the maps.
///
/// Torn pages cost nothing more (see above).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Space {
    /// N: logical blocks.
    pub logical_blocks: u32,
    /// U: most blocks of the write queue, including the open one.
    pub queue_blocks: u32,
    /// Blocks that hold the maps after a shutdown.
    pub area_blocks: u32,
    /// α and β.
    pub steps: Steps,
}

impl Space {
    /// Total blocks, including the one that a collection writes to.
    pub fn blocks(&self) -> u64 {
        u64::from(self.logical_blocks)
            + u64::from(self.queue_blocks)
            + u64::from(self.area_blocks)
            + 1
    }
}

/// U = ⌈((N + W + 2)·K + h + 1 + π)/(π − 1)⌉, derived in [`Space`].
pub fn proven_queue_blocks(
    pages_per_block: u32,
    blocks: u32,
    steps: Steps,
    extra_wait: u32,
) -> u64 {
    let pages = u64::from(pages_per_block.max(2));
    let waits = u64::from(blocks) + u64::from(extra_wait) + 2;
    (waits * collection_steps(steps) + u64::from(steps.held) + 1 + pages).div_ceil(pages - 1)
}

/// The division with the most logical blocks.
///
/// # Errors
/// - [`BoundError::OperationLongerThanErase`] if a page operation does not fit into a step;
/// - [`BoundError::TooFewBlocks`] if no logical block is left.
pub fn space(
    part: &Part,
    blocks: u32,
    bound: QueueBound,
    ram: CollectionRam,
) -> Result<Space, BoundError> {
    let steps = whole_steps(part, ram)?;
    let needs = |logical| divide(part, logical, steps, bound).map(|space| space.blocks());
    let fits = |logical| needs(logical).is_some_and(|all| all <= blocks.into());
    if !fits(1) {
        let least = needs(1).and_then(|all| u32::try_from(all).ok()).unwrap_or(u32::MAX);
        let pages_per_block = part.pages_per_block;
        return Err(BoundError::TooFewBlocks { blocks, pages_per_block, least });
    }
    let (mut most, mut beyond) = (1, blocks);
    while beyond - most > 1 {
        let middle = most + (beyond - most) / 2;
        if fits(middle) { most = middle } else { beyond = middle }
    }
    divide(part, most, steps, bound).ok_or(too_many(part, blocks))
}

/// The division for this number of logical pages, at most π per logical block.
///
/// # Errors
/// As [`space`]; [`BoundError::LogicalPages`], with the largest that works.
pub fn space_for(
    part: &Part,
    blocks: u32,
    bound: QueueBound,
    ram: CollectionRam,
    logical_pages: u32,
) -> Result<Space, BoundError> {
    let most = space(part, blocks, bound, ram)?;
    let pages_per_block = part.pages_per_block;
    let largest = most.logical_blocks.saturating_mul(pages_per_block);
    if !(1..=largest).contains(&logical_pages) {
        return Err(BoundError::LogicalPages { logical_pages, blocks, pages_per_block, largest });
    }
    let logical = logical_pages.div_ceil(pages_per_block);
    divide(part, logical, most.steps, bound).ok_or(too_many(part, blocks))
}

fn too_many(part: &Part, blocks: u32) -> BoundError {
    BoundError::TooManyPages { blocks, pages_per_block: part.pages_per_block }
}

/// `None` if the numbers overflow.
fn divide(part: &Part, logical_blocks: u32, steps: Steps, bound: QueueBound) -> Option<Space> {
    let pages = u64::from(part.pages_per_block.max(1));
    let queue = bound.queue_blocks(part, logical_blocks, steps);
    // One page more marks the image as out of date after a mount.
    let area = (image_pages(part, logical_blocks, queue.checked_mul(pages)?) + 1).div_ceil(pages);
    Some(Space {
        logical_blocks,
        queue_blocks: u32::try_from(queue).ok()?,
        area_blocks: u32::try_from(area).ok()?,
        steps,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;
    use flash::parts::{EVALUATION_SLC, SAMSUNG_LARGE_BLOCK};

    use CollectionRam::States;

    fn both(blocks: u32) -> [(u32, CollectionRam); 2] {
        [(blocks, States), (blocks, CollectionRam::Collection)]
    }

    #[test]
    fn the_largest_division_fits_and_the_next_does_not() {
        for bound in [QueueBound::Printed, QueueBound::Fifo, QueueBound::Aged] {
            for (blocks, ram) in [20, 100, 1024, 8192, 262_144].into_iter().flat_map(both) {
                let space = space(&EVALUATION_SLC, blocks, bound, ram).unwrap();
                assert!(space.blocks() <= blocks.into());
                let next = divide(&EVALUATION_SLC, space.logical_blocks + 1, space.steps, bound);
                assert!(next.unwrap().blocks() > blocks.into(), "{bound:?} {blocks}");
            }
        }
    }

    #[test]
    fn the_bound_solves_its_own_condition_and_no_smaller_number_does() {
        for pages in 2..80u32 {
            for blocks in [1, 2, 7, 1000] {
                let write = pages.div_ceil(5);
                let steps =
                    Steps { read: 2, write, held: write + 1, after: (write + 1).div_ceil(5) };
                let queue = proven_queue_blocks(pages, blocks, steps, 0);
                let x = (u64::from(blocks) + 2) * collection_steps(steps) + u64::from(write) + 2;
                let holds = |queue: u64| (x + queue).div_ceil(pages.into()) < queue;
                assert!(holds(queue) && !holds(queue - 1), "π {pages} N {blocks}");
            }
        }
    }

    #[test]
    fn share_of_the_large_block_part() {
        // The bound is about twice the paper's 10.9 % (κ = 13), with the paper's errata in κ corrected.
        let part = Part { pages_per_block: 64, ..SAMSUNG_LARGE_BLOCK.clone() };
        let steps = whole_steps(&part, States).unwrap();
        assert_eq!(collection_steps(steps), 16);
        let queue = proven_queue_blocks(64, 8192, steps, 0);
        assert_eq!(queue, 2083);
        assert_eq!(queue_blocks(&part, 8192, paper_steps(&part)), 896);
        // RAM in every state: 12 pages held; each step programs 6, while a task brings one more.
        let all = whole_steps(&part, CollectionRam::Collection).unwrap();
        assert_eq!((all.held, all.after, collection_steps(all)), (12, 3, 18));
        assert_eq!(proven_queue_blocks(64, 8192, all, 0), 2343);
    }

    #[test]
    fn what_cannot_be_divided_is_said() {
        let few = space(&EVALUATION_SLC, 5, QueueBound::Fifo, States).unwrap_err();
        let BoundError::TooFewBlocks { least, .. } = few else { panic!("{few:?}") };
        assert_eq!(
            space(&EVALUATION_SLC, least, QueueBound::Fifo, States).unwrap().logical_blocks,
            1
        );
        let most =
            space(&EVALUATION_SLC, 100, QueueBound::Fifo, States).unwrap().logical_blocks * 64;
        assert!(space_for(&EVALUATION_SLC, 100, QueueBound::Fifo, States, most).is_ok());
        let error =
            space_for(&EVALUATION_SLC, 100, QueueBound::Fifo, States, most + 1).unwrap_err();
        assert!(error.to_string().contains(&most.to_string()), "{error}");
        let slow = Part { t_prog_ns: 3_000_000, ..EVALUATION_SLC.clone() };
        let error = space(&slow, 100, QueueBound::Fifo, States).unwrap_err();
        assert!(error.to_string().contains("page program"), "{error}");
    }
}
