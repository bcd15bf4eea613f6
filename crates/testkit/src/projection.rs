//! Equality of states in a search: two states are equal if all data that decisions use are equal up to renaming.

use crate::bench::{AnyScheme, Bench, bench_of, next_page};
use crate::history::{History, Past, Written};
use crate::operations::Operation;
use crate::watched::Inspect;
use flash::{BlockId, Flash, Lpn, PageKind, Ppn};

/// The part of a state on which its future depends.
pub type Key = Box<[u8]>;

/// A projection of states to keys.
pub trait Projection {
    /// The key of a state. `stepped`: a collection step ran since the last write, if that matters.
    fn key(&self, scheme: &AnyScheme, stepped: bool) -> Key;

    /// The kind of a logical page. Pages of one kind are interchangeable.
    fn kind(&self, flash: &Bench, lpn: Lpn) -> u64;

    /// Called before an operation. The result is passed to [`Projection::done`].
    fn asked(&self, _flash: &mut Bench, _operation: Operation) -> u64 {
        0
    }

    /// Called after the operation.
    fn done(&self, _flash: &mut Bench, _operation: Operation, _asked: u64) {}
}

/// For page-mapped schemes: the sorted list, over all blocks of each device, of (pages programmed, valid pages,
/// victim in progress, bad, class that it is open for). See [`crate::exhaustive`].
#[derive(Clone, Copy, Debug)]
pub struct ByBlocks;

/// As [`ByBlocks`], per unit of the writes in turns, counted from the unit that was written last: with plain turns, states that
/// differ only in which unit has its turn go on alike.
///
/// If several equal victims lie in different units, the choice among them matters, but this key does not show it. So
/// a search by it is thorough, but no proof.
#[derive(Clone, Copy, Debug)]
pub struct ByUnits {
    /// Number of units: block b belongs to unit b modulo this.
    pub units: u32,
}

/// Number of devices that share the array.
fn devices(flash: &Bench) -> u32 {
    flash.part().copies.map_or(1, |copies| copies.ways)
}

/// A block's part of a key, with its device or unit as one of `devices`, counted from `first`.
fn describe(flash: &Bench, block: BlockId, devices: u32, first: u32) -> u64 {
    let view = flash.inner().block(block);
    let flag = |on: bool, bit: u32| u64::from(on) << bit;
    let written = next_page(flash, block);
    let is_open = written < flash.geometry().pages_per_block();
    u64::from((block.0 + devices - first) % devices) << 48
        | u64::from(written) << 32
        | u64::from(if is_open { view.class } else { 0 }) << 29
        | u64::from(view.valid) << 2
        | flag(view.victim, 1)
        | flag(flash.is_bad(block), 0)
}

/// The descriptions of all blocks in an order that does not depend on their numbers, followed by `besides`.
fn key_of(flash: &Bench, devices: u32, first: u32, besides: [u64; 2]) -> Key {
    let blocks = (0..flash.geometry().blocks()).map(BlockId);
    let mut key = Vec::with_capacity(flash.geometry().blocks() as usize + besides.len());
    key.extend(blocks.map(|block| describe(flash, block, devices, first)));
    key.sort_unstable();
    key.extend(besides);
    bytes_of(key.iter().map(|word| word.to_le_bytes()))
}

/// The words one after the other. A search spends much of its time on keys: one allocation each.
fn bytes_of<const N: usize>(words: impl ExactSizeIterator<Item = [u8; N]>) -> Key {
    let mut key = Vec::with_capacity(words.len() * N);
    words.for_each(|word| key.extend_from_slice(&word));
    key.into_boxed_slice()
}

/// The description of the block that holds the page. All unmapped pages are of one kind.
fn kind_of(flash: &Bench, devices: u32, lpn: Lpn) -> u64 {
    let block = |ppn| flash.geometry().block_of(ppn);
    flash.inner().place(lpn).map_or(u64::MAX, |ppn| describe(flash, block(ppn), devices, 0))
}

/// All that the scheme itself says that its next operations depend on ([`ftl::Ftl::state`]): finer than [`ByHistory`], and
/// a proof where [`crate::exhaustive::Search::check_projection`] passes on the same array.
#[derive(Clone, Copy, Debug)]
pub struct ByState;

impl Projection for ByState {
    fn key(&self, scheme: &AnyScheme, stepped: bool) -> Key {
        let mut words = scheme.state().expect("a scheme that tells its state");
        words.push(stepped.into());
        bytes_of(words.iter().map(|word| word.to_le_bytes()))
    }

    fn kind(&self, _flash: &Bench, lpn: Lpn) -> u64 {
        lpn.0.into()
    }
}

impl Projection for ByBlocks {
    fn key(&self, scheme: &AnyScheme, stepped: bool) -> Key {
        let flash = bench_of(scheme);
        key_of(flash, devices(flash), 0, [stepped.into(), 0])
    }

    fn kind(&self, flash: &Bench, lpn: Lpn) -> u64 {
        kind_of(flash, devices(flash), lpn)
    }
}

impl Projection for ByUnits {
    fn key(&self, scheme: &AnyScheme, stepped: bool) -> Key {
        let last = bench_of(scheme).inner().last_programmed();
        let first = last.map_or(0, |block| block.0 % self.units);
        key_of(bench_of(scheme), self.units, first, [stepped.into(), last.is_some().into()])
    }

    fn kind(&self, flash: &Bench, lpn: Lpn) -> u64 {
        kind_of(flash, self.units, lpn)
    }
}

/// The place of every page, and the order in which blocks were opened and became full or empty. The work of the
/// collection in progress and the content of RAM count too. Logical blocks (or the page groups of translation pages)
/// may be renamed.
///
/// No argument shows that a scheme uses nothing else; a test does. A search of all states is a proof if
/// [`crate::exhaustive::Search::check_projection`] passes on the same array. Otherwise it is only a thorough search.
#[derive(Clone, Copy, Debug)]
pub struct ByHistory {
    /// Logical pages that belong together: those of a logical block.
    pub group_pages: u32,
}

impl ByHistory {
    /// Most groups that are renamed; with more there would be too many permutations.
    const MOST_GROUPS: u32 = 4;

    fn encode(&self, scheme: &AnyScheme, names: &[u32]) -> Vec<u16> {
        let history: &History = bench_of(scheme).inner().below();
        let names = Names { of_groups: names, group_pages: self.group_pages };
        let mut key = Vec::with_capacity(64);
        for words in describe_blocks(history, &names) {
            key.push(u16::MAX);
            key.extend(words);
        }
        key.push(u16::MAX - 1);
        for (operation, written) in history.steps() {
            key.extend([*operation as u16, names.of_page(*written)]);
        }
        key.push(u16::MAX - 2);
        extend_sorted(&mut key, history.held().map(|lpn| names.of_lpn(lpn)));
        key.push(u16::MAX - 2);
        extend_sorted(&mut key, history.trimmed().map(|lpn| names.of_lpn(lpn)));
        key
    }
}

/// A renaming of page groups.
struct Names<'n> {
    of_groups: &'n [u32],
    group_pages: u32,
}

impl Names<'_> {
    fn of_lpn(&self, lpn: u32) -> u16 {
        let group = self.of_groups[(lpn / self.group_pages) as usize];
        (group * self.group_pages + lpn % self.group_pages) as u16
    }

    /// Names that differ between kinds of pages.
    fn of_page(&self, written: Written) -> u16 {
        match written.kind {
            PageKind::Data => self.of_lpn(written.number) << 2,
            PageKind::Translation => {
                let of_group = self.of_groups.get(written.number as usize);
                (of_group.map_or(written.number, |name| *name) as u16) << 2 | 1
            }
            PageKind::Other => 2,
        }
    }
}

fn extend_sorted(key: &mut Vec<u16>, words: impl Iterator<Item = u16>) {
    let from = key.len();
    key.extend(words);
    key[from..].sort_unstable();
}

/// The place of each block by a time; 0 where that is 0.
fn ranks(history: &History, when: fn(&Past) -> u64) -> Vec<u16> {
    let time = |block| when(&history.past(block));
    let times: Vec<u64> = (0..history.geometry().blocks()).map(BlockId).map(time).collect();
    let mut all = times.clone();
    all.push(0);
    all.sort_unstable();
    all.dedup();
    times.iter().map(|time| all.partition_point(|other| other < time) as u16).collect()
}

/// The group (plus 1) that all pages of a block belong to, old versions included; 0 if there are several.
fn owner(history: &History, names: &Names<'_>, block: BlockId) -> u16 {
    let first = history.geometry().ppn(block, 0).0;
    let mut groups = (first..first + history.next_page(block)).map(|ppn| {
        let written = history.written(Ppn(ppn))?;
        let group = (written.number / names.group_pages) as usize;
        (written.kind == PageKind::Data).then(|| names.of_groups[group] as u16 + 1)
    });
    let group = groups.next().flatten();
    if groups.all(|other| other == group) { group.unwrap_or(0) } else { 0 }
}

/// The descriptions of all written blocks, in an order that does not depend on their numbers.
fn describe_blocks(history: &History, names: &Names<'_>) -> Vec<Vec<u16>> {
    let geometry = history.geometry();
    let opened = ranks(history, |past| past.opened);
    let filled = ranks(history, |past| past.filled);
    let emptied = ranks(history, |past| past.emptied);
    let mut described: Vec<Vec<u16>> = (0..geometry.blocks())
        .filter(|block| history.next_page(BlockId(*block)) > 0)
        .map(|at| {
            let (block, at) = (BlockId(at), at as usize);
            let past = history.past(block);
            let by_step = u16::from(past.by_step) + 4 * u16::from(past.filled_by_step);
            let mut words =
                vec![by_step, owner(history, names, block), opened[at], filled[at], emptied[at]];
            words.extend((0..history.next_page(block)).map(|page| {
                let ppn = geometry.ppn(block, page);
                match history.written(ppn) {
                    Some(written) if history.is_newest(ppn) => names.of_page(written) + 1,
                    // Old versions are interchangeable.
                    _ => 0,
                }
            }));
            words
        })
        .collect();
    described.sort_unstable();
    described
}

impl Projection for ByHistory {
    fn key(&self, scheme: &AnyScheme, stepped: bool) -> Key {
        let groups = scheme.logical_pages().div_ceil(self.group_pages);
        let mut names: Vec<u32> = (0..groups).collect();
        let mut least = self.encode(scheme, &names);
        // A shorter last group keeps its name.
        let whole = scheme.logical_pages() / self.group_pages;
        if whole <= Self::MOST_GROUPS {
            while next_permutation(&mut names[..whole as usize]) {
                least = least.min(self.encode(scheme, &names));
            }
        }
        least.push(stepped.into());
        bytes_of(least.iter().map(|word| word.to_le_bytes()))
    }

    fn kind(&self, _flash: &Bench, lpn: Lpn) -> u64 {
        lpn.0.into()
    }

    fn asked(&self, flash: &mut Bench, _operation: Operation) -> u64 {
        let history: &mut History = flash.inner_mut().below_mut();
        history.clock()
    }

    fn done(&self, flash: &mut Bench, operation: Operation, asked: u64) {
        let history: &mut History = flash.inner_mut().below_mut();
        match operation {
            Operation::Write(lpn) => history.acknowledged(Lpn(lpn), asked),
            Operation::Trim(lpn) => history.trim(Lpn(lpn)),
            _ => {}
        }
    }
}

/// Makes the next permutation in lexicographic order. After the last one it returns false and restarts with the
/// first.
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
