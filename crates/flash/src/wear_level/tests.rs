use super::*;
use crate::address::Geometry;
use crate::array::{Array, Store};
use crate::copies::{Copies, CopyPath, CopyTimes};
use crate::faults::random::SplitMix64;
use crate::faults::{PowerCut, ProgramEraseFailure};
use crate::oob::PageKind;
use crate::operation::Operation;
use crate::parts;
use crate::serial::Serial;
use alloc::{vec, vec::Vec};
use proptest::prelude::*;

const PAGES: u32 = 4;
const BYTES: u32 = 8;

fn array(blocks: u32) -> Array {
    let geometry = Geometry::new(blocks, PAGES, BYTES).unwrap();
    let part = Part { pages_per_block: PAGES, ..parts::EVALUATION_SLC.clone() };
    Array::new(geometry, part, Store::All)
}

fn content(version: u64) -> [u8; BYTES as usize] {
    version.to_le_bytes()
}

/// Sequence number and version of each page of a block.
type Pages = Vec<(u64, u64)>;

/// Blocks as the scheme has written them.
#[derive(Clone, Debug)]
struct Model {
    blocks: Vec<Pages>,
    clock: u64,
}

impl Model {
    fn new(blocks: u32) -> Self {
        Self { blocks: vec![Pages::new(); blocks as usize], clock: 0 }
    }

    fn oob(&self, block: u32, page: usize) -> Oob {
        let (seq, version) = self.blocks[block as usize][page];
        Oob::data(Lpn(version as u32 % 1000), seq)
    }

    /// Programs the next page of a block, if it has one. One in three begins a new sequence number.
    fn program<F: Probe>(&mut self, flash: &mut F, block: u32) -> Result<(), FlashError> {
        let page = self.blocks[block as usize].len() as u32;
        if page == PAGES {
            return Ok(());
        }
        self.clock += 1;
        let version = self.clock;
        let before = self.blocks[block as usize].last().filter(|_| !version.is_multiple_of(3));
        let seq = before.map_or(version, |(seq, _)| *seq);
        let oob = Oob::data(Lpn(version as u32 % 1000), seq);
        let ppn = flash.geometry().ppn(BlockId(block), page);
        flash.program(ppn, oob, Some(&content(version)), Cause::Host)?;
        self.blocks[block as usize].push((seq, version));
        Ok(())
    }

    fn erase<F: Probe>(&mut self, flash: &mut F, block: u32) -> Result<(), FlashError> {
        self.blocks[block as usize].clear();
        flash.erase(BlockId(block), Cause::Collection)
    }

    /// Copies all of a block to an erased one.
    fn copy<F: Probe>(&mut self, flash: &mut F, from: u32, to: u32) -> Result<(), FlashError> {
        let count = self.blocks[from as usize].len();
        if from == to || count == 0 || !self.blocks[to as usize].is_empty() {
            return Ok(());
        }
        self.clock += 1;
        let geometry = *flash.geometry();
        let pages: Vec<Ppn> =
            (0..count as u32).map(|page| geometry.ppn(BlockId(from), page)).collect();
        let mut lpns = vec![Lpn(0); count];
        let to_first = geometry.ppn(BlockId(to), 0);
        flash
            .copy_run(&pages, to_first, self.clock, Cause::Collection, &mut lpns)
            .map_err(|(_, error)| error)?;
        let copied = self.blocks[from as usize].iter().map(|(_, version)| (self.clock, *version));
        self.blocks[to as usize] = copied.collect();
        Ok(())
    }

    /// Checks that all pages read as written, and that erased pages are erased.
    fn check<F: Probe>(&self, flash: &mut F) {
        let geometry = *flash.geometry();
        for (block, pages) in (0..).zip(&self.blocks) {
            if flash.is_bad(BlockId(block)) {
                continue;
            }
            for page in 0..PAGES {
                let ppn = geometry.ppn(BlockId(block), page);
                let mut data = [0; BYTES as usize];
                let read = flash.read(ppn, Some(&mut data), Cause::Host);
                match pages.get(page as usize) {
                    Some((_, version)) => {
                        assert_eq!(read, Ok(self.oob(block, page as usize)), "{ppn}");
                        assert_eq!(data, content(*version), "{ppn}");
                    }
                    None => assert_eq!(read, Err(FlashError::Erased(ppn))),
                }
            }
        }
    }
}

/// Writes some blocks once and the others over and over. Returns the least and the most erases of a block, and
/// the swaps.
fn hot_and_cold(rule: Option<WearRule>, units: u32, rounds: u32) -> ([u32; 2], u64) {
    const BLOCKS: u32 = 24;
    const COLD: u32 = 16;
    let mut flash = WearLevel::new(array(BLOCKS), rule, units, 7);
    let mut model = Model::new(BLOCKS);
    for block in 0..BLOCKS {
        (0..PAGES).for_each(|_| model.program(&mut flash, block).unwrap());
    }
    for round in 0..rounds {
        let block = COLD + round % (BLOCKS - COLD);
        model.erase(&mut flash, block).unwrap();
        (0..PAGES).for_each(|_| model.program(&mut flash, block).unwrap());
    }
    model.check(&mut flash);
    let erases = (0..BLOCKS).map(|block| flash.inner.erase_count(BlockId(block)));
    ([erases.clone().min().unwrap(), erases.max().unwrap()], flash.swaps())
}

#[test]
fn wear_spreads_over_cold_blocks_and_does_not_where_nothing_levels_it() {
    let gap = |erases| Some(WearRule::Gap(erases));
    let bet = |threshold, set_bits| Some(WearRule::BlockErasingTable { threshold, set_bits });
    assert_eq!(hot_and_cold(None, 1, 8000), ([0, 1000], 0));
    for (units, erases) in [(1, 1), (1, 5), (1, 40), (2, 5), (4, 12)] {
        let ([least, most], swaps) = hot_and_cold(gap(erases), units, 8000);
        assert!(most - least <= erases + 2, "{units} units, gap {erases}: {least} to {most}");
        assert!(swaps > 0 && swaps < 8000 && least > 300);
    }
    for (threshold, set_bits, spread) in [(4, 0, 60), (16, 0, 160), (4, 1, 80), (16, 2, 260)] {
        let ([least, most], swaps) = hot_and_cold(bet(threshold, set_bits), 1, 8000);
        assert!(
            most - least <= spread,
            "bet {threshold}:{set_bits}: {least} to {most}, {swaps} swaps"
        );
        assert!(swaps > 0 && swaps <= 8000 / u64::from(threshold) * (1 << set_bits) + 24);
    }
}

fn any_rule() -> impl Strategy<Value = WearRule> {
    prop_oneof![
        (1..6u32).prop_map(WearRule::Gap),
        (1..6u32, 0..3u8)
            .prop_map(|(threshold, set_bits)| WearRule::BlockErasingTable { threshold, set_bits }),
    ]
}

/// Programs, copies and erases, mostly of few blocks.
fn any_steps() -> impl Strategy<Value = Vec<(u8, u32, u32)>> {
    proptest::collection::vec((0u8..8, 0u32..11, 0u32..11), 0..300)
}

fn step<F: Probe>(
    model: &mut Model,
    flash: &mut F,
    (what, one, other): (u8, u32, u32),
) -> Result<(), FlashError> {
    match what {
        0..=3 => model.program(flash, one),
        4 => model.copy(flash, one, other),
        _ => model.erase(flash, one % 4),
    }
}

proptest! {
    #![proptest_config(crate::properties::config())]

    #[test]
    fn contents_survive_and_places_are_a_permutation(
        steps in any_steps(), rule in any_rule(), units in 1u32..4, seed: u64,
    ) {
        let mut flash = WearLevel::new(array(11), Some(rule), units, seed);
        let mut model = Model::new(11);
        for next in steps {
            step(&mut model, &mut flash, next).unwrap();
        }
        model.check(&mut flash);
        let mut physical: Vec<BlockId> = (0..11).map(|block| flash.physical(BlockId(block))).collect();
        for (block, physical) in (0..).zip(&physical) {
            prop_assert_eq!(physical.0 % units, block % units);
        }
        physical.sort();
        prop_assert_eq!(physical, (0..11).map(BlockId).collect::<Vec<_>>());
    }

    /// The power fails anywhere. After `recover` every written block exists once: complete, or without its torn
    /// page. Nothing else exists.
    #[test]
    fn a_cut_leaves_everything_once(
        steps in any_steps(), rule in any_rule(), units in 1u32..4, after in 0u64..400, torn: bool,
        again in 0u64..4,
    ) {
        let mut flash = WearLevel::new(PowerCut::new(array(11)), Some(rule), units, 1);
        flash.cut_after(after, torn);
        let mut model = Model::new(11);
        let mut before = model.clone();
        for next in steps {
            before = model.clone();
            if step(&mut model, &mut flash, next).is_err() {
                break;
            }
        }
        if !flash.is_off() {
            return Ok(());
        }
        flash.restore();
        flash.cut_after(again, torn);
        while flash.recover().is_err() {
            flash.restore();
        }
        flash.restore();
        flash.recover().unwrap();
        let found = found(&mut flash);
        let contents = |model: &Model| {
            let all = model.blocks.iter().filter(|pages| !pages.is_empty());
            let mut all: Vec<_> = all.cloned().collect();
            all.sort();
            all
        };
        let (least, most) = (contents(&model), contents(&before));
        for block in &least {
            prop_assert!(found.contains(block), "{block:?} is gone");
        }
        for pages in &found {
            // The target of the copy in progress is new.
            let new = pages.iter().any(|(seq, _)| *seq > before.clock);
            let is_begun = |of: &Pages| of.starts_with(pages);
            prop_assert!(new || most.iter().chain(&least).any(is_begun), "{pages:?}");
        }
        let mut seqs: Vec<u64> = found.iter().map(|pages| pages[0].0).collect();
        seqs.dedup();
        prop_assert_eq!(seqs.len(), found.len(), "twice");
    }
}

/// Readable pages of every block that has any, sorted.
fn found<F: Probe>(flash: &mut F) -> Vec<Pages> {
    let geometry = *flash.geometry();
    let mut found = Vec::new();
    for block in (0..geometry.blocks()).map(BlockId) {
        let mut of_block = Pages::new();
        for page in 0..PAGES {
            let mut data = [0; BYTES as usize];
            if let Ok(oob) = flash.read(geometry.ppn(block, page), Some(&mut data), Cause::Mount) {
                of_block.push((oob.seq, u64::from_le_bytes(data)));
            }
        }
        if !of_block.is_empty() {
            found.push(of_block);
        }
    }
    found.sort();
    found
}

/// Two blocks, the first cold. The second is erased until the first is moved there.
fn cold_and_hot<F: Probe>(inner: F) -> (WearLevel<F>, Model) {
    let mut flash = WearLevel::new(inner, Some(WearRule::Gap(2)), 1, 1);
    let mut model = Model::new(2);
    (0..3).for_each(|_| model.program(&mut flash, 0).unwrap());
    (0..2).for_each(|_| model.erase(&mut flash, 1).unwrap());
    (flash, model)
}

#[test]
fn a_swap_takes_as_many_copies_as_there_are_pages_and_an_erase() {
    let times = |path, fetch_ns| CopyTimes {
        path,
        cache_program: false,
        fetch_ns,
        load_ns: 3,
        prog_ns: 50,
        repair_ns: 0,
    };
    let (near, far) = (times(CopyPath::Lcb, 9), times(CopyPath::Dgcb, 2));
    let copies = Copies { ways: 1, near, far, most_corrected_bytes: 0 };
    for copies in [None, Some(copies)] {
        let geometry = Geometry::new(2, PAGES, BYTES).unwrap();
        let part = Part { pages_per_block: PAGES, copies, ..parts::EVALUATION_SLC.clone() };
        let bound = swap_ns(&part);
        let (mut flash, mut model) =
            cold_and_hot(Serial::new(Array::new(geometry, part.clone(), Store::All)));
        // The block that is being written moves, and is continued in its new location.
        model.program(&mut flash, 0).unwrap();
        let before = flash.busy_in_steps_ns();
        model.erase(&mut flash, 1).unwrap();
        assert_eq!((flash.swaps(), flash.physical(BlockId(0))), (1, BlockId(1)));
        assert_eq!(flash.busy_in_steps_ns() - before, part.t_bers_ns + bound);
        assert_eq!(flash.longest_erase_ns(), part.t_bers_ns + bound);
        let counts = flash.counts();
        assert_eq!(counts.get(Operation::Copy, Cause::WearLevel), PAGES.into());
        assert_eq!(counts.get(Operation::Erase, Cause::WearLevel), 1);
        model.check(&mut flash);
    }
}

#[test]
fn an_unreadable_page_keeps_its_block_where_it_is() {
    for unreadable in [0, 2] {
        let (mut flash, mut model) = cold_and_hot(array(2));
        flash.inner.spoil(Ppn(unreadable)).unwrap();
        for _ in 0..3 {
            model.erase(&mut flash, 1).unwrap();
        }
        assert_eq!((flash.swaps(), flash.given_up()), (0, 1));
        let lost = flash.read(Ppn(unreadable), None, Cause::Host);
        assert_eq!(lost, Err(FlashError::Uncorrectable(Ppn(unreadable))));
        assert!(flash.read(Ppn(1), None, Cause::Host).is_ok());
        // It can be moved again after its erase.
        model.erase(&mut flash, 0).unwrap();
        (0..4).for_each(|_| model.program(&mut flash, 0).unwrap());
        (0..3).for_each(|_| model.erase(&mut flash, 1).unwrap());
        assert_eq!(flash.swaps(), 1);
        model.check(&mut flash);
    }
}

#[test]
fn what_fails_in_a_swap_is_told_as_a_failed_erase_of_the_block_asked_for() {
    let (mut flash, model) = cold_and_hot(ProgramEraseFailure::new(array(2), 1));
    flash.fail_program_after(1);
    assert_eq!(
        flash.erase(BlockId(1), Cause::Collection),
        Err(FlashError::EraseFailed(BlockId(1)))
    );
    assert_eq!(flash.physical(BlockId(1)), BlockId(1));
    flash.mark_bad(BlockId(1)).unwrap();
    model.check(&mut flash);

    let (mut flash, model) = cold_and_hot(ProgramEraseFailure::new(array(2), 1));
    flash.fail_erase_after(1);
    assert_eq!(
        flash.erase(BlockId(1), Cause::Collection),
        Err(FlashError::EraseFailed(BlockId(1)))
    );
    assert_eq!(flash.physical(BlockId(1)), BlockId(0), "its place is taken");
    flash.mark_bad(BlockId(1)).unwrap();
    assert!(flash.is_bad(BlockId(1)) && flash.inner.is_bad(BlockId(0)));
    assert!(!flash.is_bad(BlockId(0)));
    model.check(&mut flash);
}

#[test]
fn nothing_is_moved_to_a_block_that_may_be_marked_bad_or_for_a_mount() {
    let (mut flash, _) = cold_and_hot(ProgramEraseFailure::new(array(2), 1));
    flash.fail_program_after(0);
    let failed = flash.program(Ppn(PAGES), Oob::data(Lpn(5), 9), None, Cause::Host);
    assert_eq!(failed, Err(FlashError::ProgramFailed(Ppn(PAGES))));
    flash.erase(BlockId(1), Cause::Collection).unwrap();
    flash.erase(BlockId(1), Cause::Mount).unwrap();
    assert_eq!(flash.swaps(), 0);
    flash.erase(BlockId(1), Cause::Collection).unwrap();
    assert_eq!(flash.swaps(), 1);
}

#[test]
fn records_of_a_scheme_stay_where_they_are_and_pages_keep_their_numbers() {
    let other = |seq| Oob { kind: PageKind::Other, ..Oob::data(Lpn(0), seq) };
    let own = [Oob::data(Lpn(0), 1), Oob::data(Lpn(1), 2)];
    for (oobs, moved) in [([other(1), other(1)], false), (own, true)] {
        let mut flash = WearLevel::new(array(2), Some(WearRule::Gap(1)), 1, 1);
        for (page, oob) in (0..).zip(oobs) {
            flash.program(Ppn(page), oob, None, Cause::Host).unwrap();
        }
        (0..9).for_each(|_| flash.erase(BlockId(1), Cause::Collection).unwrap());
        assert_eq!((flash.swaps() > 0, flash.given_up()), (moved, 0));
        for (page, oob) in (0..).zip(oobs) {
            assert_eq!(flash.read_oob(Ppn(page), Cause::Host), Ok(oob));
        }
    }
}

#[test]
fn errors_name_the_blocks_that_were_asked_for() {
    let (mut flash, mut model) = cold_and_hot(array(2));
    model.erase(&mut flash, 1).unwrap();
    assert_eq!(flash.physical(BlockId(0)), BlockId(1));
    let next = FlashError::ProgramOrder { ppn: Ppn(0), next: 3 };
    assert_eq!(flash.program(Ppn(0), Oob::data(Lpn(0), 1), None, Cause::Host), Err(next));
    let erased = PAGES + 1;
    assert_eq!(flash.read(Ppn(erased), None, Cause::Host), Err(FlashError::Erased(Ppn(erased))));
    let beyond = FlashError::NoSuchPage(Ppn(2 * PAGES));
    assert_eq!(flash.read_oob(Ppn(2 * PAGES), Cause::Host), Err(beyond));
    let beyond = FlashError::NoSuchBlock(BlockId(2));
    assert_eq!(flash.erase(BlockId(2), Cause::Host), Err(beyond));
    flash.mark_bad(BlockId(1)).unwrap();
    assert_eq!(flash.erase(BlockId(1), Cause::Host), Err(FlashError::BadBlock(BlockId(1))));
}

/// Copies that are cut, erased or complete, in any number of blocks. Which one recovery keeps does not depend
/// on their locations.
#[test]
fn of_two_copies_the_one_with_more_pages_is_kept_then_the_one_on_the_worn_block() {
    for (copied, worn, kept) in [(2, 1, 0), (3, 1, 1), (3, 0, 0)] {
        let mut inner = array(3);
        inner.erase(BlockId(worn), Cause::Host).unwrap();
        for (block, pages) in [(0, 3), (1, copied)] {
            for page in 0..pages {
                let ppn = Ppn(block * PAGES + page);
                inner.program(ppn, Oob::data(Lpn(page), 5), None, Cause::Host).unwrap();
            }
        }
        inner.program(Ppn(2 * PAGES), Oob::data(Lpn(9), 5), None, Cause::Host).unwrap();
        let mut flash = WearLevel::new(inner, Some(WearRule::Gap(1)), 1, 1);
        flash.recover().unwrap();
        let first = |block| Ppn(block * PAGES);
        let is_there = |block| flash.inner.next_page(BlockId(block)) > 0;
        assert_eq!((is_there(0), is_there(1), is_there(2)), (kept == 0, kept == 1, true));
        assert!(flash.read_oob(first(kept), Cause::Host).is_ok());
    }
}

#[test]
fn off_passes_everything_on() {
    let mut random = SplitMix64::new(3);
    let (mut plain, mut off) = (array(5), WearLevel::off(array(5)));
    let (mut model, mut other) = (Model::new(5), Model::new(5));
    for _ in 0..2000 {
        let next = (random.below(8) as u8, random.below(5) as u32, random.below(5) as u32);
        assert_eq!(step(&mut model, &mut plain, next), step(&mut other, &mut off, next));
    }
    other.check(&mut off);
    assert_eq!((off.rule(), off.swaps(), off.heap_bytes()), (None, 0, 0));
}
