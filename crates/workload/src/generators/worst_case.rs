//! Write orders that drive a collector to its bound: two from papers, one against a queue, and a random one.
//!
//! For orders against cached maps see [`super::map_misses`].
//! All write whole pages of whole blocks: N blocks of π pages, M = N·π pages.

use crate::error::WorkloadError;
use crate::generators::generated::{Access, Pattern};
use crate::generators::generator::{Build, Built, BuiltinInfo};
use crate::generators::scramble::Scramble;
use crate::request::Op;

/// GFTL's order: blocks 0, 1, …, N−1, 0, 1, …, each time another page of the block.
///
/// Its write queue fills with pages of which no two belong to one block.
pub(crate) static GFTL: BuiltinInfo = BuiltinInfo {
    name: "gftl-worst-case",
    summary: "writes to logical blocks 0, 1, …, N-1, 0, 1, …, each time to the next page of the block",
    source: "S. Choudhuri and T. Givargis, Deterministic Service Guarantees for NAND Flash using Partial Block \
             Cleaning, CODES+ISSS 2008, §IV.D and Fig. 6",
    build: |request| build(request, |all| BlockByBlock::new(all.blocks, all.pages / all.blocks)),
    ..BuiltinInfo::PLAIN
};

/// Order against GFTL's collection queue: the block written last waits longest.
///
/// Round-robin passes fill all blocks at the same time, so block N−1 is queued after all others.
/// Writes to it before its turn go to the write queue. Each pass is followed by half a pass of such writes.
/// These half passes alternate between two kinds:
///
/// - To block N−1 alone, whose pages supersede each other in the queue.
/// - To blocks N−1, N−2, …, each page once, so that the queue holds only valid pages.
///
/// Half a pass, N·π/2 writes, lasts longer than a queue of N blocks if cleaning one takes κ ≤ π/2 steps.
pub(crate) static GFTL_QUEUE: BuiltinInfo = BuiltinInfo {
    name: "gftl-queue-worst-case",
    summary: "fills all blocks at once, then writes again and again to the block queued last, or to the last ones \
              in turn",
    source: "against the length of the write queue, S. Choudhuri and T. Givargis, Deterministic Service Guarantees \
             for NAND Flash using Partial Block Cleaning, CODES+ISSS 2008, §IV.D",
    build: |request| build(request, |all| QueueTail::new(all.blocks, all.pages / all.blocks)),
    ..BuiltinInfo::PLAIN
};

/// Order that keeps the valid pages of all victims equal.
///
/// A pass writes every page once.
/// Pass k takes the order of pass k−1 as a table of N rows of π pages and reads it by columns.
/// Each block that pass k−1 filled loses one page in every N writes.
/// All blocks thus lose pages at the same rate, and no victim is ever much better than the mean.
/// Pass 0 fills the device in order; pass 1 writes page 0 of every block, then page 1 of every block, and so
/// on.
/// After k such passes, position i of M is i·π^k mod (M−1), and the last page stays last.
/// A pass needs one addition per write.
pub(crate) static LAZY_RTGC: BuiltinInfo = BuiltinInfo {
    name: "lazy-rtgc-worst-case",
    summary: "passes over the space that take a page of every block in turn, in the order in which they were written",
    source: "the order that meets the bound of valid pages in a victim, Q. Zhang et al., Lazy-RTGC, ACM TODAES \
             20(3):43, 2015, Theorem 4.3",
    build: |request| build(request, |all| Transposed::new(all.blocks, all.pages / all.blocks)),
    ..BuiltinInfo::PLAIN
};

/// Every page once per pass, in another random order each time.
pub(crate) static RANDOM: BuiltinInfo = BuiltinInfo {
    name: "random-adversary",
    summary: "passes over the space that write every page once, each in another random order",
    source: "random permutations: as the order of lazy-rtgc-worst-case, without its structure",
    build: |request| build(request, |all| Shuffled::new(all.pages, request.seed)),
    ..BuiltinInfo::PLAIN
};

/// Default number of passes: one fills, three overwrite.
const PASSES: u64 = 4;

struct Blocks {
    page_bytes: u64,
    blocks: u64,
    pages: u64,
}

impl Blocks {
    fn of(request: &Build<'_>) -> Result<Self, WorkloadError> {
        let pages_per_block = u64::from(request.space.pages_per_block);
        let blocks = request.space.pages() / pages_per_block;
        if blocks == 0 {
            return Err(WorkloadError::Unfit(format!(
                "workload `{}` needs a logical space of at least one block, {pages_per_block} pages; there are {}",
                request.info.name,
                request.space.pages()
            )));
        }
        Ok(Self {
            page_bytes: u64::from(request.space.page_bytes),
            blocks,
            pages: blocks * pages_per_block,
        })
    }
}

/// Workload from an order of the pages of whole blocks.
fn build<O: Order + 'static>(
    request: &Build<'_>,
    order: impl FnOnce(&Blocks) -> O,
) -> Result<Built, WorkloadError> {
    let blocks = Blocks::of(request)?;
    let requests = request.requests.unwrap_or(PASSES.saturating_mul(blocks.pages));
    let pattern = Written { order: order(&blocks), page_bytes: blocks.page_bytes };
    let mut built = request.paced_for(pattern, blocks.pages * blocks.page_bytes, requests);
    let rest = request.space.pages() - blocks.pages;
    if rest > 0 {
        built.notes.push(format!(
            "the last {rest} pages of the space make up no whole block and are not written"
        ));
    }
    Ok(built)
}

trait Order: Send {
    fn next_page(&mut self) -> u64;
}

struct Written<O> {
    order: O,
    page_bytes: u64,
}

impl<O: Order> Pattern for Written<O> {
    #[inline]
    fn next(&mut self) -> Access {
        Access::plain(Op::Write, self.order.next_page() * self.page_bytes, self.page_bytes)
    }
}

struct BlockByBlock {
    block: u64,
    page: u64,
    blocks: u64,
    pages: u64,
}

impl BlockByBlock {
    fn new(blocks: u64, pages: u64) -> Self {
        Self { block: 0, page: 0, blocks, pages }
    }
}

impl Order for BlockByBlock {
    #[inline]
    fn next_page(&mut self) -> u64 {
        let page = self.block * self.pages + self.page;
        self.block += 1;
        if self.block == self.blocks {
            self.block = 0;
            self.page = (self.page + 1) % self.pages;
        }
        page
    }
}

struct QueueTail {
    fill: BlockByBlock,
    /// Writes so far in this pass and the half pass after it.
    position: u64,
    /// True if the half pass goes to the last block alone.
    alone: bool,
}

impl QueueTail {
    fn new(blocks: u64, pages: u64) -> Self {
        Self { fill: BlockByBlock::new(blocks, pages), position: 0, alone: true }
    }
}

impl Order for QueueTail {
    #[inline]
    fn next_page(&mut self) -> u64 {
        let (blocks, pages) = (self.fill.blocks, self.fill.pages);
        let all = blocks * pages;
        let position = self.position;
        if position < all {
            self.position += 1;
            return self.fill.next_page();
        }
        let behind = position - all;
        let back = if self.alone { 0 } else { behind / pages };
        let page = (blocks - 1 - back) * pages + behind % pages;
        self.position += 1;
        if behind + 1 >= all / 2 {
            self.position = 0;
            self.alone = !self.alone;
        }
        page
    }
}

struct Transposed {
    pages: u64,
    /// π modulo M−1.
    stride: u64,
    /// π^k modulo M−1.
    step: u64,
    position: u64,
    page: u64,
}

impl Transposed {
    fn new(blocks: u64, pages_per_block: u64) -> Self {
        let pages = blocks * pages_per_block;
        let last = (pages - 1).max(1);
        Self { pages, stride: pages_per_block % last, step: 1 % last, position: 0, page: 0 }
    }
}

impl Order for Transposed {
    #[inline]
    fn next_page(&mut self) -> u64 {
        let last = self.pages - 1;
        if self.position == last {
            self.position = 0;
            self.page = 0;
            self.step =
                (u128::from(self.step) * u128::from(self.stride) % u128::from(last.max(1))) as u64;
            return last;
        }
        let page = self.page;
        self.position += 1;
        self.page += self.step;
        if self.page >= last {
            self.page -= last;
        }
        page
    }
}

struct Shuffled {
    pages: u64,
    seed: u64,
    position: u64,
    scramble: Scramble,
}

impl Shuffled {
    fn new(pages: u64, seed: u64) -> Self {
        Self { pages, seed, position: 0, scramble: Scramble::new(pages, seed) }
    }
}

impl Order for Shuffled {
    #[inline]
    fn next_page(&mut self) -> u64 {
        let page = self.scramble.apply(self.position);
        self.position += 1;
        if self.position == self.pages {
            self.position = 0;
            self.seed = self.seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
            self.scramble = Scramble::new(self.pages, self.seed);
        }
        page
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_pass_reads_the_one_before_by_columns() {
        for (blocks, pages_per_block) in
            [(1, 1), (1, 8), (8, 1), (2, 2), (4, 4), (5, 3), (7, 16), (100, 64)]
        {
            let m = blocks * pages_per_block;
            let mut order = Transposed::new(blocks, pages_per_block);
            let mut pass = |_| (0..m).map(|_| order.next_page()).collect::<Vec<_>>();
            let mut before = pass(0);
            assert_eq!(before, (0..m).collect::<Vec<_>>(), "the first pass fills in order");
            for k in 1..6 {
                let now = pass(k);
                let columns = (0..pages_per_block)
                    .flat_map(|column| (0..blocks).map(move |row| row * pages_per_block + column));
                let expected: Vec<_> = columns.map(|position| before[position as usize]).collect();
                assert_eq!(now, expected, "{blocks} blocks of {pages_per_block}, pass {k}");
                before = now;
            }
        }
    }

    #[test]
    fn gftl_writes_every_page_once_a_pass_and_no_block_twice_in_a_round() {
        let mut order = BlockByBlock::new(6, 4);
        let pass: Vec<_> = (0..24).map(|_| order.next_page()).collect();
        assert_eq!(pass[..7], [0, 4, 8, 12, 16, 20, 1]);
        let mut sorted = pass.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..24).collect::<Vec<_>>());
        assert_eq!((0..24).map(|_| order.next_page()).collect::<Vec<_>>(), pass);
    }

    #[test]
    fn the_queue_is_filled_and_its_tail_written_again() {
        let mut order = QueueTail::new(6, 4);
        let mut take = |count: usize| (0..count).map(|_| order.next_page()).collect::<Vec<_>>();
        let mut pass = take(24);
        assert_eq!(pass[..7], [0, 4, 8, 12, 16, 20, 1]);
        pass.sort_unstable();
        assert_eq!(pass, (0..24).collect::<Vec<_>>());
        assert_eq!(take(12), [20, 21, 22, 23].repeat(3));
        take(24);
        assert_eq!(take(12), [20, 21, 22, 23, 16, 17, 18, 19, 12, 13, 14, 15]);
        assert_eq!(take(2), [0, 4]);
        let mut smallest = QueueTail::new(1, 1);
        assert!((0..9).all(|_| smallest.next_page() == 0));
    }

    #[test]
    fn random_passes_write_every_page_once_and_differ() {
        let mut order = Shuffled::new(1000, 5);
        let mut pass = || (0..1000).map(|_| order.next_page()).collect::<Vec<_>>();
        let (first, second) = (pass(), pass());
        assert_ne!(first, second);
        for mut pages in [first, second] {
            pages.sort_unstable();
            assert_eq!(pages, (0..1000).collect::<Vec<_>>());
        }
    }
}
