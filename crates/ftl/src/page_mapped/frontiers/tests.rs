//! Tests of frontiers against a plain model.

use super::*;
use alloc::collections::{BTreeMap, BTreeSet};
use proptest::prelude::*;

const PAGES: u32 = 3;

/// Plain model: the open blocks of each unit by class, its free blocks, and the next turns.
struct Model {
    turns: Vec<u32>,
    planes: u32,
    split: bool,
    near: bool,
    kept: usize,
    /// Classes of the host, and all of them, if a placement chooses among them.
    placed: Option<(usize, usize)>,
    /// Class of the next host page, and of the next copy.
    aim: [usize; 2],
    /// Place of the next turn, by class.
    at: [usize; CLASSES],
    open: BTreeMap<(u32, usize), (u32, u32)>,
    free: BTreeMap<u32, BTreeSet<u32>>,
}

impl Model {
    fn is_open(&self, unit: u32, class: usize) -> bool {
        self.open.contains_key(&(unit, class))
    }

    /// True if the page goes to an open block when it is the unit's turn.
    fn goes_on(&self, purpose: Purpose, unit: u32, class: usize) -> bool {
        self.is_open(self.level(purpose, unit, class), class)
    }

    fn free(&self, unit: u32) -> usize {
        self.free.get(&unit).map_or(0, BTreeSet::len)
    }

    /// The open block with the fewest pages among the planes of a unit's die; of equal ones the unit itself, then
    /// the one whose turn comes first. The unit itself where it opens a block beside those just opened.
    fn level(&self, purpose: Purpose, unit: u32, class: usize) -> u32 {
        if self.split && self.near && purpose != Purpose::Host {
            return unit;
        }
        let dies = self.turns.len() as u32 / self.planes;
        let of_die = self.turns.iter().filter(|other| *other % dies == unit % dies);
        let open = of_die.filter_map(|unit| Some((self.open.get(&(*unit, class))?.1, *unit)));
        let mut open: Vec<_> = open.collect();
        open.sort_by_key(|(pages, other)| (*pages, *other != unit));
        match open.first() {
            None => unit,
            Some((0 | 1, _)) if !self.is_open(unit, class) && self.free(unit) > 0 => unit,
            Some((_, other)) => *other,
        }
    }

    /// Unit and class of the next page, by the table in the module's header, and the unit whose turn it is.
    fn next(&self, purpose: Purpose) -> Option<(u32, usize, u32)> {
        let (turn, class) = self.in_turns(purpose)?;
        Some((self.level(purpose, turn, class), class, turn))
    }

    fn in_turns(&self, purpose: Purpose) -> Option<(u32, usize)> {
        let units = self.turns.len();
        let class = self.aim[usize::from(self.split && purpose != Purpose::Host)];
        let start = match purpose {
            Purpose::CopiesOf(_) if self.split && !self.near => self.at[class],
            Purpose::CopiesOf(victim) if self.split => {
                let unit = victim.0 % units as u32;
                self.turns.iter().position(|turn| *turn == unit)?
            }
            _ => self.at[class],
        };
        let places = || (0..units).map(|step| self.turns[(start + step) % units]);
        let all: usize = self.free.values().map(BTreeSet::len).sum();
        let spared = all > self.kept;
        let first = |class: usize, fits: &dyn Fn(u32) -> bool| {
            places().find(|unit| fits(*unit)).map(|unit| (unit, class))
        };
        if let Some((hosts, count)) = self.placed {
            let others = (hosts..count).chain(0..hosts).filter(|other| *other != class);
            return first(class, &|unit| {
                self.goes_on(purpose, unit, class) || spared && self.free(unit) > 0
            })
            .or_else(|| {
                let mut others = others;
                others.find_map(|other| first(other, &|unit| self.goes_on(purpose, unit, other)))
            })
            .or_else(|| first(class, &|unit| self.free(unit) > 0));
        }
        if !self.split {
            return first(0, &|unit| self.goes_on(purpose, unit, 0) || self.free(unit) > 0);
        }
        match purpose {
            Purpose::Host => {
                first(0, &|unit| self.goes_on(purpose, unit, 0) || spared && self.free(unit) > 0)
                    .or_else(|| first(1, &|unit| self.goes_on(purpose, unit, 1)))
                    .or_else(|| first(0, &|unit| self.free(unit) > 0))
            }
            Purpose::CopiesOf(_) => {
                first(1, &|unit| self.goes_on(purpose, unit, 1) || self.free(unit) > 0)
                    .or_else(|| first(0, &|unit| self.goes_on(purpose, unit, 0)))
            }
        }
    }
}

proptest! {
    #![proptest_config(crate::properties::config())]

    #[test]
    fn agrees_with_a_table_of_units(
        counts in prop_oneof![1 => Just([1u16; 4]), 3 => [1u16..4, 1u16..3, 1u16..3, 1u16..3]],
        order in proptest::sample::select(vec!["cwdp", "pdwc", "wcpd", "dpcw"]),
        (split, near) in any::<(bool, bool)>(),
        kept in 1usize..3,
        // Split frontiers that share all room, or a placement in so many classes, the host's first.
        fills_up in any::<bool>(),
        placed in proptest::option::of((1usize..=8, 2usize..=8)),
        steps in proptest::collection::vec((0u8..9, 0u32..48, [0usize..8, 0usize..8]), 0..400),
    ) {
        let geometry = Geometry::new(48, PAGES, 32).unwrap();
        let allocation = Allocation::new(counts, order.parse().unwrap());
        let units = allocation.units();
        let sharing = if split { FrontierSharing::Split } else { FrontierSharing::Shared };
        let mut frontiers = Frontiers::new(&allocation, sharing);
        frontiers.keep(kept);
        if near {
            frontiers.copy_near();
        }
        let placed = placed.filter(|_| split).map(|(hosts, count)| (hosts.min(count), count));
        let apart_from = match (placed, split && fills_up) {
            (Some((hosts, count)), _) => {
                frontiers.place(hosts, count);
                0
            }
            (None, true) => {
                frontiers.fill_up();
                2
            }
            (None, false) => 1,
        };
        let mut model = Model {
            turns: allocation.turns(),
            planes: allocation.planes().into(),
            split,
            near,
            kept,
            placed,
            aim: [0, usize::from(split)],
            at: [0; CLASSES],
            open: BTreeMap::new(),
            free: BTreeMap::new(),
        };
        let mut erased: BTreeSet<u32> = (0..48).collect();
        let (mut last, mut last_block) = ((0, 0), None);
        for (what, block, [write, copy]) in steps {
            if what == 0 && erased.remove(&block) {
                frontiers.add_free(BlockId(block), 0);
                model.free.entry(block % units).or_default().insert(block);
                continue;
            }
            let purpose = if what > 5 { Purpose::CopiesOf(BlockId(block)) } else { Purpose::Host };
            if let Some((hosts, count)) = placed {
                model.aim = [write % hosts, copy % count];
                frontiers.aim_writes(write % hosts);
                frontiers.aim_copies(copy % count);
            }
            let destination = frontiers.destination(purpose);
            let advance = match frontiers.current(purpose) {
                Some(frontier) => Some(Advance { frontier, opened: false }),
                None => frontiers.choose(&geometry, purpose),
            };
            let next = model.next(purpose);
            let Some((unit, class, turn)) = next else {
                prop_assert_eq!((destination, advance), (None, None));
                continue;
            };
            let opened = !model.is_open(unit, class);
            if opened {
                let block = model.free.get_mut(&unit).unwrap().pop_first().unwrap();
                model.open.insert((unit, class), (block, 0));
            }
            let (block, page) = model.open[&(unit, class)];
            prop_assert_eq!(destination, Some(BlockId(block)));
            let Some(Advance { frontier, opened: told }) = advance else { panic!("no frontier") };
            prop_assert_eq!(frontiers.chosen(), Some(frontier));
            prop_assert_eq!(told, opened);
            let at = geometry.ppn(BlockId(block), page).0;
            prop_assert_eq!((frontier.block.0, frontier.next), (block, at));
            // Numbers and pages follow the order of programs; a number belongs to one block.
            let (number, of_class) = number_and_class(frontiers.seq_for(&frontier));
            prop_assert_eq!(of_class, class);
            prop_assert!((number, page) > last, "{:?} behind {last:?}", (number, page));
            prop_assert_eq!(number == last.0, last_block == Some(block) && !opened);
            (last, last_block) = ((number, page), Some(block));
            let copies = split && purpose != Purpose::Host;
            let by_turn = !copies || !near;
            let most = if by_turn && units > 1 { 1 } else { PAGES - page };
            prop_assert_eq!(frontiers.room_of_turn(&frontier), most);
            if what == 1 {
                prop_assert_eq!(frontiers.abandon(), Some(frontier));
                model.open.remove(&(unit, class));
            } else {
                let full = page + most == PAGES;
                prop_assert_eq!(frontiers.programmed(most), full.then_some(BlockId(block)));
                last.1 = page + most - 1;
                if full {
                    model.open.remove(&(unit, class));
                } else {
                    model.open.insert((unit, class), (block, page + most));
                }
            }
            if by_turn {
                let place = model.turns.iter().position(|unit| *unit == turn).unwrap();
                model.at[model.aim[usize::from(copies)]] = (place + 1) % model.turns.len();
            }
            let room = model.open.iter().filter(|((_, class), _)| *class >= apart_from);
            let room: u32 = room.map(|(_, (_, next))| PAGES - next).sum();
            prop_assert_eq!(frontiers.collection_room(), u64::from(room));
        }
        prop_assert_eq!(frontiers.open().count(), model.open.len());
        let mut free: Vec<u32> = frontiers.free().map(|block| block.0).collect();
        free.sort_unstable();
        let mut expected: Vec<u32> = model.free.values().flatten().copied().collect();
        expected.sort_unstable();
        prop_assert_eq!(frontiers.free_blocks(), expected.len());
        prop_assert_eq!(free, expected);
    }
}

/// With reclaim groups: the open block of a page in its group, or why another is taken, from the table in the module of groups.
fn in_groups(
    model: &Model,
    groups: u32,
    group: u32,
    class: usize,
    (hosts, count): (usize, usize),
) -> Option<(u32, usize)> {
    let mut each = (0..groups).map(|step| (group + step) % groups);
    let found = each.clone().find_map(|at| {
        if model.is_open(at, class) || model.free(at) > model.kept {
            return Some((at, class));
        }
        let mut others = (hosts..count).chain(0..hosts);
        let other = others.find(|other| model.is_open(at, *other));
        let own = at == group && model.free(at) > 0;
        other.or_else(|| own.then_some(class)).map(|class| (at, class))
    });
    found.or_else(|| each.find(|at| model.free(*at) > 0).map(|at| (at, class)))
}

proptest! {
    #![proptest_config(crate::properties::config())]

    #[test]
    fn pages_stay_in_their_group_while_it_has_room(
        groups in 2u16..5,
        (hosts, count) in (1usize..=8, 2usize..=8),
        kept in 1usize..3,
        steps in proptest::collection::vec((0u8..9, 0u32..24, 0u32..4, [0usize..8, 0usize..8]), 0..300),
    ) {
        let geometry = Geometry::new(24, PAGES, 32).unwrap();
        let hosts = hosts.min(count);
        let allocation = Allocation::new([groups, 1, 1, 1], "cwdp".parse().unwrap());
        let mut frontiers = Frontiers::new(&allocation, FrontierSharing::Split);
        frontiers.place(hosts, count);
        frontiers.keep(kept);
        frontiers.bind_to_groups();
        let groups = u32::from(groups);
        let mut model = Model {
            turns: allocation.turns(),
            planes: 1,
            split: true,
            near: true,
            kept,
            placed: Some((hosts, count)),
            aim: [0, 0],
            at: [0; CLASSES],
            open: BTreeMap::new(),
            free: BTreeMap::new(),
        };
        let mut erased: BTreeSet<u32> = (0..24).collect();
        for (what, block, group, [write, copy]) in steps {
            if what < 2 && erased.remove(&block) {
                frontiers.add_free(BlockId(block), 0);
                model.free.entry(block % groups).or_default().insert(block);
                continue;
            }
            let (write, copy, named) = (write % hosts, copy % count, group % groups);
            let copies = what > 5;
            let purpose = if copies { Purpose::CopiesOf(BlockId(block)) } else { Purpose::Host };
            frontiers.aim_writes(write);
            frontiers.aim_copies(copy);
            frontiers.aim_group(named as usize);
            let (class, group) = if copies { (copy, block % groups) } else { (write, named) };
            let expected = in_groups(&model, groups, group, class, (hosts, count));
            let advance = match frontiers.current(purpose) {
                Some(frontier) => Some(Advance { frontier, opened: false }),
                None => frontiers.choose(&geometry, purpose),
            };
            let Some((at, of)) = expected else {
                prop_assert_eq!(advance, None);
                continue;
            };
            let opened = !model.is_open(at, of);
            if opened {
                let block = model.free.get_mut(&at).unwrap().pop_first().unwrap();
                model.open.insert((at, of), (block, 0));
            }
            let (block, page) = model.open[&(at, of)];
            let Some(Advance { frontier, opened: told }) = advance else { panic!("no frontier") };
            prop_assert_eq!((frontier.block.0, told), (block, opened));
            prop_assert_eq!(frontiers.chosen_class(), of);
            // A host page ends its turn; copies of a run go to one block.
            let room = if copies { PAGES - page } else { 1 };
            prop_assert_eq!(frontiers.room_of_turn(&frontier), room);
            if !copies {
                prop_assert_eq!(frontiers.has_hit_aim(named as usize), (at, of) == (named, write));
            }
            frontiers.programmed(1);
            match page + 1 == PAGES {
                true => model.open.remove(&(at, of)),
                false => model.open.insert((at, of), (block, page + 1)),
            };
            for group in 0..groups {
                let open = model.open.iter().filter(|((of, _), _)| *of == group);
                let room: u32 = open.map(|(_, (_, next))| PAGES - next).sum();
                prop_assert_eq!(frontiers.open_room_of(group as usize), u64::from(room));
                prop_assert_eq!(frontiers.free_of(group as usize), model.free(group));
            }
        }
    }
}

fn two_classes() -> (Geometry, Frontiers) {
    let geometry = Geometry::new(6, PAGES, 32).unwrap();
    (geometry, Frontiers::new(&Allocation::default(), FrontierSharing::Split))
}

proptest! {
    #![proptest_config(crate::properties::config())]

    /// Also where blocks wait that a mount found half written, and with planes that are units.
    #[test]
    fn what_is_told_at_once_is_what_would_be_chosen(
        counts in prop_oneof![Just([1u16; 4]), [1u16..5, 1u16..4, 1u16..2, 1u16..3]],
        (split, fills_up, near) in any::<(bool, bool, bool)>(),
        steps in proptest::collection::vec((0u8..12, 0u32..48, 0usize..3), 0..400),
    ) {
        let geometry = Geometry::new(48, PAGES, 32).unwrap();
        let sharing = if split { FrontierSharing::Split } else { FrontierSharing::Shared };
        let allocation = Allocation::new(counts, "cwdp".parse().unwrap());
        let mut frontiers = Frontiers::new(&allocation, sharing);
        if split && fills_up {
            frontiers.fill_up();
        }
        if near {
            frontiers.copy_near();
        }
        let mut erased: BTreeSet<u32> = (0..48).collect();
        for (what, block, class) in steps {
            let first = geometry.ppn(BlockId(block), 0).0;
            match what {
                0 if erased.remove(&block) => frontiers.add_free(BlockId(block), 0),
                1 if erased.remove(&block) => {
                    let (next, end) = (first + PAGES - 2, first + PAGES);
                    let class = (class < 2).then_some(class);
                    frontiers.reopen(Frontier { block: BlockId(block), next, end }, class);
                }
                _ => {
                    let purpose =
                        if what > 7 { Purpose::CopiesOf(BlockId(block)) } else { Purpose::Host };
                    let mut other = frontiers.clone();
                    let chosen = other.choose(&geometry, purpose);
                    match frontiers.current(purpose) {
                        Some(frontier) => {
                            prop_assert_eq!(Some(Advance { frontier, opened: false }), chosen);
                        }
                        None => _ = frontiers.choose(&geometry, purpose),
                    }
                    let how = |of: &Frontiers| (of.at, of.for_copies, alloc::format!("{:?}", of.chosen));
                    prop_assert_eq!(how(&frontiers), how(&other));
                    // A page that could not be read is not programmed, and leaves the turn as it is.
                    if chosen.is_some() {
                        let pages = u32::from(what < 11);
                        let full = frontiers.programmed(pages);
                        prop_assert_eq!(full, other.programmed(pages));
                        prop_assert_eq!(frontiers.at, other.at);
                        erased.extend(full.map(|block| block.0));
                    }
                }
            }
        }
    }
}

#[test]
fn an_erased_block_that_is_opened_again_has_a_new_number() {
    let (geometry, mut frontiers) = two_classes();
    let mut numbers = Vec::new();
    for _ in 0..2 {
        frontiers.add_free(BlockId(2), 0);
        let Advance { frontier, .. } = frontiers.choose(&geometry, Purpose::Host).unwrap();
        numbers.push(frontiers.seq_for(&frontier));
        assert_eq!(frontiers.room_of_turn(&frontier), 3);
        assert_eq!(frontiers.programmed(0), None);
        assert_eq!(frontiers.programmed(2), None);
        assert_eq!(frontiers.programmed(1), Some(BlockId(2)));
    }
    assert_eq!(numbers, [1, 2]);
    assert_eq!(frontiers.choose(&geometry, Purpose::Host), None);
}

/// Blocks of all units are full in the same round. While more blocks are free than are kept, each unit then opens
/// one, so that consecutive pages still go to all dies.
#[test]
fn units_whose_blocks_fill_together_each_open_the_next_one() {
    const UNITS: u32 = 4;
    let geometry = Geometry::new(2 * UNITS + 1, PAGES, 32).unwrap();
    let allocation = Allocation::new([UNITS as u16, 1, 1, 1], "cwdp".parse().unwrap());
    let mut frontiers = Frontiers::new(&allocation, FrontierSharing::Split);
    (0..2 * UNITS + 1).for_each(|block| frontiers.add_free(BlockId(block), 0));
    for page in 0..2 * UNITS * PAGES {
        if frontiers.current(Purpose::Host).is_none() {
            frontiers.choose(&geometry, Purpose::Host).unwrap();
        }
        let frontier = frontiers.chosen().unwrap();
        assert_eq!(frontier.block.0 % UNITS, page % UNITS, "page {page}");
        frontiers.programmed(1);
    }
    assert_eq!(frontiers.free_blocks(), 1);
}

/// If more partly written blocks are found than can be open, all of them are filled before a free block is
/// opened.
#[test]
fn blocks_that_wait_are_written_before_free_ones() {
    let (geometry, mut frontiers) = two_classes();
    let frontier = |block: u32| {
        let next = geometry.ppn(BlockId(block), 2).0;
        Frontier { block: BlockId(block), next, end: next + 1 }
    };
    frontiers.reopen(frontier(0), Some(HOST));
    frontiers.reopen(frontier(1), Some(HOST));
    frontiers.reopen(frontier(2), None);
    frontiers.reopen(frontier(3), None);
    frontiers.add_free(BlockId(4), 0);
    frontiers.add_free(BlockId(5), 0);
    assert_eq!((frontiers.open().count(), frontiers.collection_room()), (4, 1));
    frontiers.go_on_behind(7, BlockId(0));
    let mut written = Vec::new();
    for _ in 0..4 {
        if frontiers.current(Purpose::Host).is_none() {
            frontiers.choose(&geometry, Purpose::Host).unwrap();
        }
        let frontier = frontiers.chosen().unwrap();
        written.push((frontier.block.0, frontiers.seq_for(&frontier)));
        frontiers.programmed(1);
    }
    // The block of the page programmed last keeps its number.
    assert_eq!(written, [(0, 7), (1, 8), (3, 9), (4, 10)]);
}

#[test]
fn a_unit_and_an_open_block_take_as_much_as_the_header_says() {
    assert_eq!([size_of::<FreeBlocks>(), size_of::<Option<Frontier>>()], [32, 16]);
}

#[test]
fn classes_come_back_from_sequence_numbers() {
    for (class, bits) in CLASS_BITS.into_iter().enumerate() {
        let seq = 12_345 | bits;
        assert_eq!(number_and_class(seq), (12_345, class));
        assert_eq!(number_and_class(seq | 1 << SLC_BIT), (12_345, class));
        assert!(seq <= flash::Oob::MAX_SEQ);
    }
    // As arrays with two classes have it, and those with eight.
    assert_eq!(
        [1_usize, 2, 4, 8].map(|class| CLASS_BITS[class]),
        [1 << 55, 1 << 52, 1 << 53, 1 << 51]
    );
}

/// A class opens a block while more are free than are kept; then pages go to open blocks of other classes, of copies
/// first; the last blocks are opened when none is open.
#[test]
fn classes_of_a_placement_share_what_is_left() {
    let (geometry, mut frontiers) = two_classes();
    frontiers.place(2, 4);
    frontiers.keep(1);
    (0..4).for_each(|block| frontiers.add_free(BlockId(block), 0));
    let mut go = |class: usize, purpose: Purpose| {
        frontiers.aim_writes(class);
        frontiers.aim_copies(class);
        if frontiers.current(purpose).is_none() {
            frontiers.choose(&geometry, purpose)?;
        }
        let frontier = frontiers.chosen().unwrap();
        let (_, of_block) = number_and_class(frontiers.seq_for(&frontier));
        assert_eq!(of_block, frontiers.chosen_class());
        frontiers.programmed(1);
        Some((frontier.block.0, of_block))
    };
    let copies = Purpose::CopiesOf(BlockId(5));
    assert_eq!(go(1, Purpose::Host), Some((0, 1)));
    assert_eq!(go(3, copies), Some((1, 3)));
    assert_eq!(go(0, copies), Some((2, 0)));
    // One is free, which is kept.
    assert_eq!(go(2, copies), Some((1, 3)));
    assert_eq!(go(2, copies), Some((1, 3)));
    assert_eq!(go(2, copies), Some((2, 0)));
    assert_eq!(go(3, copies), Some((2, 0)));
    assert_eq!(go(0, Purpose::Host), Some((0, 1)));
    assert_eq!(go(0, Purpose::Host), Some((0, 1)));
    // None is open.
    assert_eq!(go(2, copies), Some((3, 2)));
    assert_eq!(go(0, Purpose::Host), Some((3, 2)));
    assert_eq!(go(0, Purpose::Host), Some((3, 2)));
    assert_eq!(go(0, Purpose::Host), None);
}

#[test]
fn blocks_that_were_free_before_a_placement_are_found_behind_it() {
    let geometry = Geometry::new(8, PAGES, 32).unwrap();
    let allocation = Allocation::new([2, 1, 1, 1], "cwdp".parse().unwrap());
    let mut frontiers = Frontiers::new(&allocation, FrontierSharing::Split);
    frontiers.add_free(BlockId(1), 0);
    frontiers.place(1, 2);
    let advance = frontiers.choose(&geometry, Purpose::Host);
    assert_eq!(advance.map(|advance| advance.frontier.block), Some(BlockId(1)));
}

#[test]
fn a_block_that_waits_is_found_when_no_other_is_open() {
    let geometry = Geometry::new(8, PAGES, 32).unwrap();
    let allocation = Allocation::new([2, 1, 1, 1], "cwdp".parse().unwrap());
    let mut frontiers = Frontiers::new(&allocation, FrontierSharing::Shared);
    for block in [1, 3] {
        let first = block * PAGES;
        let frontier = Frontier { block: BlockId(block), next: first + 1, end: first + PAGES };
        let open = frontiers.reopen(frontier, Some(0));
        assert_eq!(open, (block == 1).then_some(0));
    }
    let mut found = Vec::new();
    while let Some(Advance { frontier, opened }) = frontiers.choose(&geometry, Purpose::Host) {
        assert!(!opened);
        found.push((frontier.block.0, frontier.next));
        frontiers.programmed(1);
    }
    assert_eq!(found, [(1, 4), (1, 5), (3, 10), (3, 11)]);
}
