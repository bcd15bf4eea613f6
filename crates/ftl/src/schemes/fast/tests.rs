//! The worked examples of the paper on buffer-aware collection, and the merge kinds that writes cause.

use super::definition::{self, Cost, Source, each_page};
use super::{FastLogs, PRESET};
use crate::dirty_pages::{DirtyPages, NoBuffer, Probability};
use crate::interface::Ftl;
use crate::layout::{Layout, LogBlockLayout, LogVictim};
use crate::log_block::LogBlock;
use crate::log_block::stamp::{Clock, Role};
use crate::preset::{SchemeConfig, Setup, Start};
use crate::registry;
use crate::telemetry::MergeKind;
use crate::victims::VictimKind;
use alloc::boxed::Box;
use alloc::{borrow::Cow, collections::BTreeMap, collections::BTreeSet, vec, vec::Vec};
use flash::{
    Array, BlockId, Cause, Counts, Flash, Geometry, Lpn, Oob, Operation, Part, Serial, Store,
    parts::EVALUATION_SLC,
};

mod lost;
mod through_registry;

const PAGE_BYTES: u32 = 8;

type Fast = LogBlock<Serial<Array>, FastLogs>;

/// The paper's part (25, 200 and 2000 µs) with blocks of four pages, as in its figures.
fn part() -> Part {
    Part {
        name: Cow::Borrowed("figures"),
        page_bytes: PAGE_BYTES,
        pages_per_block: 4,
        t_r_ns: 25_000,
        t_prog_ns: 200_000,
        t_bers_ns: 2_000_000,
        ..EVALUATION_SLC.clone()
    }
}

fn array(blocks: u32) -> Serial<Array> {
    let geometry = Geometry::new(blocks, 4, PAGE_BYTES).unwrap();
    Serial::new(Array::new(geometry, part(), Store::All))
}

fn start(flash: Serial<Array>, start: Start, victim: Option<VictimKind>) -> Fast {
    let geometry = *flash.geometry();
    let plain = SchemeConfig::preset(&PRESET);
    let config = SchemeConfig { logical_pages: Some(8), log_blocks: Some(2), victim, ..plain };
    let plan = registry::plan(&config, &part(), &geometry, geometry.blocks()).unwrap();
    let victim = victim.map_or(LogVictim::RoundRobin, |_| LogVictim::LeastCost);
    let saved_ns = bounds::ba_gc::saved_ns(&part(), None);
    let logs = FastLogs::new(&geometry, 8, 2, victim, saved_ns);
    LogBlock::new(&Setup { config: &config, plan: &plan, start }, flash, logs).unwrap()
}

fn bytes(lpn: u32, version: u8) -> [u8; PAGE_BYTES as usize] {
    [lpn as u8, version, 0, 0, 0, 0, 0, 0]
}

/// Data blocks B0 (p0 to p3) and B1 (p4 to p7), and log blocks with these pages, as a mount finds them.
fn figure(log_blocks: &[[u32; 4]], victim: Option<VictimKind>) -> Fast {
    start(figure_array(log_blocks), Start::Mount, victim)
}

fn figure_array(log_blocks: &[[u32; 4]]) -> Serial<Array> {
    let mut flash = array(8);
    let mut clock = Clock::default();
    let data = [[0, 1, 2, 3], [4, 5, 6, 7]].map(|pages| (Role::Data, pages));
    let logs = log_blocks.iter().map(|pages| (Role::Random, *pages));
    for ((role, pages), block) in data.into_iter().chain(logs).zip(0..) {
        let seq = clock.open(role);
        for (lpn, page) in pages.into_iter().zip(0..) {
            let ppn = flash.geometry().ppn(BlockId(block), page);
            let version = u8::from(role == Role::Random);
            flash
                .program(ppn, Oob::data(Lpn(lpn), seq), Some(&bytes(lpn, version)), Cause::Host)
                .unwrap();
            if role == Role::Random {
                clock.tick();
            }
        }
    }
    flash
}

/// A write buffer of dirty pages, all with one version.
struct Buffer(BTreeMap<u32, (Vec<u8>, Probability)>);

impl Buffer {
    fn of(pages: &[(u32, Probability)]) -> Self {
        let dirty = |(lpn, update): &(u32, Probability)| (*lpn, (bytes(*lpn, 2).to_vec(), *update));
        Self(pages.iter().map(dirty).collect())
    }
}

impl DirtyPages for Buffer {
    fn newest(&self, lpn: Lpn) -> Option<Option<&[u8]>> {
        self.0.get(&lpn.0).map(|(bytes, _)| Some(&bytes[..]))
    }

    fn written(&mut self, lpn: Lpn) {
        assert!(self.0.remove(&lpn.0).is_some(), "{lpn} is written but not dirty");
    }

    fn moved(&mut self, lpns: &[Lpn]) {
        let in_vain = lpns.iter().find(|lpn| self.0.contains_key(&lpn.0));
        assert_eq!(in_vain, None, "moved in vain");
    }

    fn update_probability(&self, lpn: Lpn) -> Probability {
        self.0[&lpn.0].1
    }
}

/// M(L), or F(L) and B(L): the pages that a merge of this log block takes from flash and from the buffer.
fn sets(fast: &Fast, at: usize, buffer: &dyn DirtyPages) -> [BTreeSet<u32>; 2] {
    let mut sets = [BTreeSet::new(), BTreeSet::new()];
    for logical in definition::associated(&fast.logs.random, &fast.core, at) {
        each_page(&fast.core, logical, buffer, |lpn, source| {
            sets[usize::from(source == Source::Buffer)].insert(lpn.0);
        });
    }
    sets
}

fn operations(counts: &Counts) -> [u64; 3] {
    [Operation::Copy, Operation::Program, Operation::Erase]
        .map(|op| counts.get(op, Cause::FullMerge))
}

const FIGURE_1: [[u32; 4]; 1] = [[0, 1, 6, 7]];

#[test]
fn figure_1_without_a_buffer_moves_all_pages() {
    let mut fast = figure(&FIGURE_1, None);
    assert_eq!(sets(&fast, 0, &NoBuffer), [(0..8).collect(), BTreeSet::new()]);
    fast.logs.random.collect(&mut fast.core, &mut None, &mut NoBuffer).unwrap();
    assert_eq!(operations(fast.flash().counts()), [8, 0, 3]);
    assert_eq!(fast.telemetry().collections.merges, [0, 0, 2]);
}

#[test]
fn figure_1_takes_p2_and_p4_from_the_buffer() {
    let mut fast = figure(&FIGURE_1, None);
    let mut buffer = Buffer::of(&[(2, Probability::NEVER), (4, Probability::NEVER)]);
    let [flash, dirty] = sets(&fast, 0, &buffer);
    assert_eq!(flash, BTreeSet::from([0, 1, 3, 5, 6, 7]));
    assert_eq!(dirty, BTreeSet::from([2, 4]));
    fast.logs.random.collect(&mut fast.core, &mut None, &mut buffer).unwrap();
    assert!(buffer.0.is_empty(), "p2 and p4 are clean");
    assert_eq!(operations(fast.flash().counts()), [6, 2, 3]);
    let mut page = [0; PAGE_BYTES as usize];
    for (lpn, version) in [(0, 1), (1, 1), (2, 2), (3, 0), (4, 2), (5, 0), (6, 1), (7, 1)] {
        assert!(fast.read(Lpn(lpn), Some(&mut page)).unwrap());
        assert_eq!(page, bytes(lpn, version), "p{lpn}");
    }
    // A mount finds the same version.
    let mut fast = start(Box::new(fast).into_flash(), Start::Mount, None);
    assert!(fast.read(Lpn(4), Some(&mut page)).unwrap());
    assert_eq!(page, bytes(4, 2));
}

/// Fig. 3: p1, p2 and p3 are hot, p6 and p7 are cold.
fn figure_3(victim: Option<VictimKind>) -> (Fast, Buffer) {
    let (hot, cold) = (Probability::ALWAYS, Probability::NEVER);
    let buffer = Buffer::of(&[(1, hot), (2, hot), (3, hot), (6, cold), (7, cold)]);
    (figure(&[[0, 1, 2, 3], [4, 5, 6, 7]], victim), buffer)
}

#[test]
fn figure_3_costs_are_those_of_the_paper() {
    let (fast, buffer) = figure_3(Some(VictimKind::GREEDY));
    let (c_ff, c_bf, c_p, c_e) = (225_000, 200_000, 200_000, 2_000_000);
    // 1 + α = 2.125.
    let benefit = c_p * 2125 / 1000;
    let cost = |at| definition::cost(&fast.logs.random, &fast.core, at, &buffer);
    let expected = [
        Cost { merge_ns: c_ff + 3 * c_bf, erase_ns: 2 * c_e, benefit_ns: 0 },
        Cost { merge_ns: 2 * c_ff + 2 * c_bf, erase_ns: 2 * c_e, benefit_ns: 2 * benefit },
    ];
    assert_eq!([cost(0), cost(1)], expected);
    // By the merge cost alone L0 would be the victim.
    assert!(expected[0].merge_ns < expected[1].merge_ns);
}

#[test]
fn figure_3_takes_l1_with_regard_to_the_buffer_and_l0_without() {
    for (victim, cleaned) in [(None, [1, 2, 3].as_slice()), (Some(VictimKind::GREEDY), &[6, 7])] {
        let (mut fast, mut buffer) = figure_3(victim);
        fast.logs.random.collect(&mut fast.core, &mut None, &mut buffer).unwrap();
        let dirty = |lpn: &&u32| buffer.0.contains_key(lpn);
        assert_eq!(cleaned.iter().filter(dirty).count(), 0, "{victim:?}");
        assert_eq!(buffer.0.len(), 5 - cleaned.len());
    }
}

/// L0 is cheaper to merge by 25 µs; L1 has a benefit of 12·(1 + α) µs at P(U) = 0.97.
#[test]
fn alpha_decides_between_a_cheap_merge_and_a_benefit() {
    let (hot, rarely) = (Probability::ALWAYS, Probability::thousandths(970));
    let pages = [(1, hot), (2, hot), (3, hot), (6, rarely), (7, rarely)];
    for (alpha, cleaned) in [(None, [6, 7].as_slice()), (Some(0), &[1, 2, 3])] {
        let mut buffer = Buffer::of(&pages);
        let mut fast = figure(&[[0, 1, 2, 3], [4, 5, 6, 7]], Some(VictimKind::GREEDY));
        fast.logs.random.saved_ns = bounds::ba_gc::saved_ns(&part(), alpha);
        fast.logs.random.collect(&mut fast.core, &mut None, &mut buffer).unwrap();
        let dirty = |lpn: &&u32| buffer.0.contains_key(lpn);
        assert_eq!(cleaned.iter().filter(dirty).count(), 0, "{alpha:?}");
        assert_eq!(buffer.0.len(), 5 - cleaned.len(), "{alpha:?}");
    }
}

#[test]
fn alpha_comes_from_the_settings() {
    let geometry = *array(8).geometry();
    let plan = |alpha_thousandths| {
        let plain = SchemeConfig::preset(registry::by_name("ba-gc").unwrap());
        let config = SchemeConfig { log_blocks: Some(2), alpha_thousandths, ..plain };
        registry::plan(&config, &part(), &geometry, geometry.blocks())
    };
    let saved = |alpha| match plan(alpha).unwrap().layout {
        Layout::LogBlock(LogBlockLayout::Fast { saved_ns, .. }) => saved_ns,
        other => panic!("{other:?}"),
    };
    assert_eq!([None, Some(1125), Some(0)].map(saved), [425_000, 425_000, 200_000]);
    assert!(plan(Some(1_000_000)).is_ok());
    let error = alloc::format!("{}", plan(Some(1_000_001)).unwrap_err());
    assert!(error.contains("alpha") && error.contains("at most 1000"), "{error}");
}

#[test]
fn a_probability_between_takes_its_share_of_the_benefit() {
    let (fast, _) = figure_3(Some(VictimKind::GREEDY));
    let initial = Probability::thousandths(300);
    let buffer = Buffer::of(&[(6, initial), (7, Probability::NEVER)]);
    let cost = definition::cost(&fast.logs.random, &fast.core, 1, &buffer);
    assert_eq!(cost.benefit_ns, 425_000 * 17 / 10);
}

/// A merge programs a buffered page that is not on flash at its place, and counts it as written.
#[test]
fn a_page_that_only_the_buffer_holds_is_merged_too() {
    let mut fast = start(array(8), Start::Format, None);
    for lpn in [0, 1, 1, 1, 1] {
        fast.write(Lpn(lpn), Some(&bytes(lpn, 0))).unwrap();
    }
    let mut buffer = Buffer::of(&[(3, Probability::NEVER)]);
    fast.logs.random.collect(&mut fast.core, &mut None, &mut buffer).unwrap();
    // p2 does not exist: its place is padded.
    assert_eq!(operations(fast.flash().counts()), [2, 2, 2]);
    let mut page = [0; PAGE_BYTES as usize];
    let present = [0, 1, 2, 3].map(|lpn| fast.read(Lpn(lpn), Some(&mut page)).unwrap());
    assert_eq!(present, [true, true, false, true]);
    assert_eq!((page, fast.core.present(0)), (bytes(3, 2), 3));
}

fn merges_after(lpns: &[u32]) -> [u64; MergeKind::ALL.len()] {
    let mut fast = start(array(8), Start::Format, None);
    for lpn in (0..8).chain(lpns.iter().copied()) {
        fast.write(Lpn(lpn), None).unwrap();
    }
    fast.telemetry().collections.merges
}

#[test]
fn kinds_of_merges() {
    // In order and complete: the switch happens when the next sequential log block is opened.
    assert_eq!(merges_after(&[0, 1, 2, 3]), [0, 0, 0]);
    assert_eq!(merges_after(&[0, 1, 2, 3, 4]), [1, 0, 0]);
    // Interrupted by the start of another sequential log block, or out of order.
    assert_eq!(merges_after(&[0, 1, 4]), [0, 1, 0]);
    assert_eq!(merges_after(&[0, 1, 3]), [0, 1, 0]);
    // Two random log blocks are full of pages of both logical blocks.
    assert_eq!(merges_after(&[1, 5, 2, 6, 3, 7, 1, 5]), [0, 0, 0]);
    assert_eq!(merges_after(&[1, 5, 2, 6, 3, 7, 1, 5, 1]), [0, 0, 2]);
}

#[test]
fn pages_go_in_place_while_they_come_in_order() {
    let mut fast = start(array(8), Start::Format, None);
    for lpn in [0, 1, 2, 3, 4, 6, 5] {
        fast.write(Lpn(lpn), None).unwrap();
    }
    let block = |fast: &Fast, lpn| fast.core.place(Lpn(lpn)).unwrap();
    let first = block(&fast, 0).0;
    assert_eq!([1, 2, 3].map(|lpn| block(&fast, lpn).0 - first), [1, 2, 3]);
    let second = block(&fast, 4).0;
    assert_eq!(block(&fast, 5).0, second + 1);
    // p6 was written before p5, so it is in a log block and not at its place.
    assert_eq!(vec![block(&fast, 6).0 % 4], [0]);
    assert_ne!(block(&fast, 6).0, second + 2);
}
