//! When two states of a scheme are held to be the same: where all that its decisions look at is, up to
//! names.

use crate::driver::Bench;
use crate::history::{History, Written};
use crate::operations::Operation;
use crate::watched::Inspect;
use flash::{BlockId, Flash, Lpn, PageKind};
use ftl::Scheme;

/// A state as far as the future depends on it.
pub type Key = Box<[u64]>;

/// What of a state its future depends on.
pub trait Projection<F: Flash>: Clone {
    /// The state. `stepped`: a collection step ran since the last write, where that matters.
    fn key<S: Scheme<Flash = Bench<F>>>(&self, scheme: &S, stepped: bool) -> Key;

    /// Logical pages of one kind are interchangeable.
    fn kind(&self, flash: &Bench<F>, lpn: Lpn) -> u64;

    /// An operation is about to be done; what [`Projection::done`] is to know of that.
    fn asked(&self, _flash: &mut Bench<F>, _operation: Operation) -> u64 {
        0
    }

    /// The operation was done.
    fn done(&self, _flash: &mut Bench<F>, _operation: Operation, _asked: u64) {}
}

/// The sorted list, over all blocks, of (pages programmed, valid pages, victim under way, bad): for
/// page-mapped schemes (see [`crate::exhaustive`]).
#[derive(Clone, Copy, Debug)]
pub struct ByBlocks;

/// A block's part of a projection.
fn describe<F: Inspect>(flash: &Bench<F>, block: BlockId) -> u64 {
    let view = flash.inner().block(block);
    let flag = |on: bool, bit: u32| u64::from(on) << bit;
    u64::from(flash.next_page(block)) << 32
        | u64::from(view.valid) << 2
        | flag(view.victim, 1)
        | flag(flash.is_bad(block), 0)
}

impl<F: Inspect> Projection<F> for ByBlocks {
    fn key<S: Scheme<Flash = Bench<F>>>(&self, scheme: &S, stepped: bool) -> Key {
        let flash = scheme.flash();
        let mut key: Vec<u64> =
            (0..flash.geometry().blocks()).map(|block| describe(flash, BlockId(block))).collect();
        key.sort_unstable();
        key.push(stepped.into());
        key.into()
    }

    /// By the description of the block that the page is in; all that are nowhere are of one kind.
    fn kind(&self, flash: &Bench<F>, lpn: Lpn) -> u64 {
        match flash.inner().place(lpn) {
            None => u64::MAX,
            Some(ppn) => describe(flash, flash.geometry().block_of(ppn)),
        }
    }
}

/// Where every page is, in which order blocks were opened and became full or empty, what the collection under way has done
/// and what is held in RAM; logical blocks (or translation pages' worth of pages) may change names. Finer
/// than most schemes need, and so slower, but no scheme of the registry is known to look at more.
#[derive(Clone, Copy, Debug)]
pub struct ByHistory {
    /// Logical pages that belong together: those of a logical block, or of a translation page.
    pub group_pages: u32,
    /// The order in which pages were asked for matters: a cache of the map goes by it.
    pub by_access: bool,
}

impl ByHistory {
    /// Groups from here on are not renamed: there would be too many ways to.
    const MOST_GROUPS: u32 = 4;

    fn encode<S>(&self, scheme: &S, names: &[u32]) -> Vec<u64>
    where
        S: Scheme<Flash = Bench<History<flash::Array>>>,
    {
        let flash = scheme.flash();
        let history = flash.inner().inner();
        let name = |lpn: u32| {
            let group = (lpn / self.group_pages) as usize;
            u64::from(names[group] * self.group_pages + lpn % self.group_pages)
        };
        let of_page = |written: Written| match written.kind {
            PageKind::Data => name(written.number) << 2,
            PageKind::Translation => {
                u64::from(names.get(written.number as usize).copied().unwrap_or(written.number))
                    << 2
                    | 1
            }
            PageKind::Other => 2,
        };
        let geometry = flash.geometry();
        let blocks = || (0..geometry.blocks()).map(BlockId);
        let ranks = |when: fn(&crate::history::Past) -> u64| {
            let mut all: Vec<u64> = blocks().map(|block| when(&history.past(block))).collect();
            all.push(0);
            all.sort_unstable();
            all.dedup();
            move |block| all.binary_search(&when(&history.past(block))).unwrap_or(0) as u64
        };
        let opened = ranks(|past| past.opened);
        let (filled, emptied) = (ranks(|past| past.filled), ranks(|past| past.emptied));
        let mut described: Vec<Vec<u64>> = blocks()
            .filter(|block| history.next_page(*block) > 0)
            .map(|block| {
                let past = history.past(block);
                let mut words = vec![
                    u64::from(history.next_page(block)) << 1 | u64::from(past.by_step),
                    opened(block) << 32 | filled(block) << 16 | emptied(block),
                ];
                for page in 0..history.next_page(block) {
                    let ppn = geometry.ppn(block, page);
                    let Some(written) = history.written(ppn) else { continue };
                    // Of an old version only the logical block matters.
                    let old = Written { number: written.number / self.group_pages, ..written };
                    words.push(match (history.is_newest(ppn), written.kind) {
                        (true, _) => of_page(written) << 1 | 1,
                        (false, PageKind::Data) => u64::from(names[old.number as usize]) << 3,
                        (false, _) => of_page(written) << 1,
                    });
                }
                words
            })
            .collect();
        described.sort_unstable();
        let mut key = Vec::with_capacity(64);
        for words in described {
            key.push(u64::MAX);
            key.extend(words);
        }
        key.push(u64::MAX - 1);
        key.extend(
            history
                .steps()
                .iter()
                .map(|(operation, written)| (*operation as u64) << 48 | of_page(*written)),
        );
        for set in [history.held(), history.trimmed()] {
            key.push(u64::MAX - 2);
            let from = key.len();
            key.extend(set.iter().map(|lpn| name(*lpn)));
            key[from..].sort_unstable();
        }
        if self.by_access {
            key.push(u64::MAX - 3);
            key.extend(history.accessed().iter().map(|lpn| name(*lpn)));
            key.push(u64::MAX - 4);
            let mapped = |lpn: &u32| history.is_mapped(Lpn(*lpn), lpn / self.group_pages);
            let from = key.len();
            key.extend((0..scheme.logical_pages()).filter(mapped).map(name));
            key[from..].sort_unstable();
        }
        key
    }
}

impl Projection<History<flash::Array>> for ByHistory {
    fn key<S>(&self, scheme: &S, stepped: bool) -> Key
    where
        S: Scheme<Flash = Bench<History<flash::Array>>>,
    {
        let groups = scheme.logical_pages().div_ceil(self.group_pages);
        let mut names: Vec<u32> = (0..groups).collect();
        let mut least = self.encode(scheme, &names);
        // A last group that is shorter than the others keeps its name.
        let whole = scheme.logical_pages() / self.group_pages;
        if whole <= Self::MOST_GROUPS {
            while next_permutation(&mut names[..whole as usize]) {
                least = least.min(self.encode(scheme, &names));
            }
        }
        least.push(stepped.into());
        least.into()
    }

    fn kind(&self, _flash: &Bench<History<flash::Array>>, lpn: Lpn) -> u64 {
        lpn.0.into()
    }

    fn asked(&self, flash: &mut Bench<History<flash::Array>>, operation: Operation) -> u64 {
        let history = flash.inner_mut().inner_mut();
        if let Operation::Write(lpn) | Operation::Read(lpn) | Operation::Trim(lpn) = operation {
            history.asked(Lpn(lpn));
        }
        history.clock()
    }

    fn done(&self, flash: &mut Bench<History<flash::Array>>, operation: Operation, asked: u64) {
        let history = flash.inner_mut().inner_mut();
        match operation {
            Operation::Write(lpn) => history.acknowledged(Lpn(lpn), asked),
            Operation::Trim(lpn) => history.trim(Lpn(lpn)),
            _ => {}
        }
    }
}

/// The next permutation in lexicographic order; false, and the first again, behind the last.
fn next_permutation(items: &mut [u32]) -> bool {
    let Some(at) = (1..items.len()).rev().find(|at| items[at - 1] < items[*at]) else {
        items.reverse();
        return false;
    };
    let larger = (at..items.len()).rev().find(|larger| items[*larger] > items[at - 1]);
    items.swap(at - 1, larger.unwrap_or(at));
    items[at..].reverse();
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_permutations_in_order() {
        let mut items = [0, 1, 2];
        let mut all = vec![items];
        while next_permutation(&mut items) {
            all.push(items);
        }
        let expected = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
        assert_eq!((all, items), (expected.to_vec(), [0, 1, 2]));
    }
}
