//! Reclaim groups: each stream's pages stay in its group, whatever is collected, cut or fails, and every group is held to its
//! bound.

use crate::placement::{passes_on_little_space, smallest};
use crate::{passed_and_worn_out, passes, plan, scheme};
use flash::{AnyArray, Array, Cause, Flash, Item, Lpn, Ppn, Serial, Store};
use ftl::placement::stream::{STREAM, STREAM_INITIAL};
use ftl::{
    BlockUse, BufferPolicy, BufferSettings, FtlError, Place, PlacementKind, SchemeConfig,
    StreamLog, VictimKind, registry,
};
use ftlkit_testkit::bench::AnyScheme;
use ftlkit_testkit::conformance::{Case, Faults, logical_pages, spread};
use ftlkit_testkit::operations::Pattern;
use ftlkit_testkit::power_cut::{self, every_cut, storm};
use ftlkit_testkit::shape::Shape;
use ftlkit_testkit::suite::all_pass;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

fn grouped(placement: PlacementKind, groups: u16) -> SchemeConfig {
    let config = SchemeConfig { placement: Some(placement), ..scheme("page-level") };
    // Groups are in the order of their numbers, whatever the order of turns.
    let counts = if groups == 4 { [2, 2, 1, 1] } else { [groups, 1, 1, 1] };
    SchemeConfig { reclaim_groups: true, ..spread(config, counts, "wcdp") }
}

/// Both isolations, with few handles in two or three groups; some streams of the suites have no handle.
fn settings() -> impl Iterator<Item = SchemeConfig> {
    [(2, 2), (2, 3), (3, 2), (1, 4)].into_iter().flat_map(|(handles, groups)| {
        let kinds = [&STREAM, &STREAM_INITIAL].map(|policy| policy.kind(&[handles]).unwrap());
        kinds.map(|kind| grouped(kind, groups))
    })
}

/// Collection runs all the time, groups are overfull now and then, and no free block is to spare.
#[test]
fn the_smallest_spare_space_is_enough() {
    let mut passed = 0;
    for plain in settings() {
        for scheme in [plain.clone(), SchemeConfig { spare_blocks: 2, ..plain }] {
            passed += passes_on_little_space(&scheme, 2500);
        }
    }
    println!("{passed} cases passed");
    assert!(passed > 300, "{passed}");
}

#[test]
fn any_victim_policy_works_in_groups() {
    for victim in VictimKind::each(3) {
        for plain in settings().take(4) {
            let scheme = SchemeConfig { victim: Some(victim), ..plain };
            for idle_collection in [false, true] {
                let scheme = SchemeConfig { idle_collection, ..scheme.clone() };
                let shape = smallest(&scheme, 8, 4);
                for pattern in [Pattern::HotCold, Pattern::Uniform, Pattern::Interleaved] {
                    passes(&Case::new(scheme.clone(), shape, pattern, 2, 2500));
                }
            }
        }
    }
}

#[test]
fn failing_blocks_lose_nothing() {
    for scheme in settings() {
        let scheme = SchemeConfig { spare_blocks: 8, ..scheme };
        let faults = Faults { programs_per_million: 1000, erases_per_million: 1000 };
        let cases = (1..=8).map(|seed| Case {
            faults,
            ..Case::new(scheme.clone(), Shape::new(44, 16, 8), Pattern::HotCold, seed, 3000)
        });
        // Where spare blocks are left.
        assert_eq!(passed_and_worn_out(cases), [8, 0]);
    }
}

#[test]
fn cuts_lose_nothing() {
    let patterns = [Pattern::Uniform, Pattern::HotCold, Pattern::TrimStorm];
    let cases: Vec<_> = settings()
        .flat_map(|scheme| {
            let shape = smallest(&scheme, 6, 2);
            let shape = Shape::new(shape.blocks + 2, 6, 2);
            patterns.into_iter().flat_map(move |pattern| {
                let scheme = scheme.clone();
                (1..=6).map(move |seed| {
                    let plain = power_cut::Case::new(scheme.clone(), shape, pattern, seed);
                    power_cut::Case { operations: 400, ..plain }
                })
            })
        })
        .collect();
    all_pass(&cases, &|case| storm(case, 30)).unwrap_or_else(|failed| panic!("{failed}"));
    let every: Vec<_> = settings()
        .map(|scheme| {
            let shape = smallest(&scheme, 4, 1);
            power_cut::Case {
                operations: 120,
                ..power_cut::Case::new(scheme, shape, Pattern::HotCold, 1)
            }
        })
        .collect();
    let cuts = |case: &power_cut::Case| every_cut(case).map(|tally| tally.cuts + tally.mount_cuts);
    all_pass(&every, &cuts).unwrap_or_else(|failed| panic!("{failed}"));
}

/// Nothing is promised of a victim's valid pages but that it gains one.
#[test]
fn a_victim_may_hold_all_pages_but_one() {
    let config = |reclaim_groups| {
        let config = SchemeConfig { reclaim_groups, ..grouped(STREAM.kind(&[2]).unwrap(), 2) };
        SchemeConfig { logical_pages: Some(300), ..config }
    };
    let of = |config: &SchemeConfig| plan(config, &Shape::new(64, 16, 8)).guarantee.victim_valid;
    assert_eq!(of(&config(true)), Some(15));
    assert!(of(&config(false)) < Some(15));
    // A placement that follows no streams has no use of groups.
    let split = PlacementKind::each().find(|kind| kind.policy().name == "sepbit");
    let with = |reclaim_groups| SchemeConfig { placement: split, ..config(reclaim_groups) };
    assert_eq!((with(true).groups(), config(true).groups()), (None, Some(2)));
    assert_eq!(of(&with(true)), of(&with(false)));
}

/// Number of pages on the array, old versions too, that lie in another group than that of their stream.
fn misplaced(
    ftl: &mut AnyScheme,
    stream_of: &[u8],
    [handles, groups]: [u32; 2],
    shape: &Shape,
) -> u32 {
    let geometry = shape.geometry();
    let flash = ftl.flash_mut();
    let oobs = (0..geometry.pages())
        .filter_map(|ppn| Some((Ppn(ppn), flash.read_oob(Ppn(ppn), Cause::Mount).ok()?)));
    let in_another = oobs.filter(|(ppn, oob)| {
        let stream = u32::from(stream_of[oob.lpn.0 as usize]);
        geometry.block_of(*ppn).0 % groups != stream / handles
    });
    in_another.count() as u32
}

/// Valid pages of each group by the map are those that the scheme counts.
fn valid_of_groups(ftl: &AnyScheme, groups: u32, shape: &Shape) -> Vec<u64> {
    let state = ftl.inspect();
    let geometry = shape.geometry();
    let mut by_map = vec![0; groups as usize];
    for place in state.map {
        if let Place::Flash(ppn) = place {
            by_map[(geometry.block_of(ppn).0 % groups) as usize] += 1;
        }
    }
    let list = state.lists.into_iter().find(|list| list.name == "valid pages of groups").unwrap();
    let of = |item: &Item| match item {
        Item::Count(count) => *count,
        _ => panic!("{item:?}"),
    };
    assert_eq!(list.items.iter().map(of).collect::<Vec<_>>(), by_map);
    by_map
}

/// Free blocks of each group.
fn free_of_groups(ftl: &AnyScheme, groups: usize) -> Vec<u32> {
    let list = ftl.inspect().lists.into_iter().find(|list| list.name == "free blocks").unwrap();
    let mut free = vec![0; groups];
    for item in list.items {
        match item {
            Item::Block(block) => free[block.0 as usize % groups] += 1,
            _ => panic!("{item:?}"),
        }
    }
    free
}

/// Full blocks with an invalid page.
fn gaining(ftl: &AnyScheme, shape: &Shape) -> Vec<u32> {
    let state = ftl.inspect();
    let mut valid = vec![0; shape.blocks as usize];
    for place in state.map {
        if let Place::Flash(ppn) = place {
            valid[shape.geometry().block_of(ppn).0 as usize] += 1;
        }
    }
    let full = |block: &u32| state.blocks[*block as usize].role == BlockUse::FULL;
    let gains = |block: &u32| valid[*block as usize] < shape.pages_per_block;
    (0..shape.blocks).filter(full).filter(gains).collect()
}

fn log(ftl: &AnyScheme) -> StreamLog {
    ftl.telemetry().streams.unwrap().clone()
}

/// Each page has one stream for life, and the groups equal shares. Then no page leaves its group, in copies, idle time
/// and mounts.
#[test]
fn pages_stay_in_the_group_of_their_stream() {
    for (handles, groups) in [(2u32, 3u32), (3, 2)] {
        for policy in [&STREAM, &STREAM_INITIAL] {
            let shape = Shape::new(96, 8, 8);
            let logical = 45 * 8;
            let kind = policy.kind(&[handles as u16]).unwrap();
            let idle_collection = true;
            let config = grouped(kind, groups as u16);
            let config = SchemeConfig { logical_pages: Some(logical), idle_collection, ..config };
            let array = AnyArray::new(Serial::new(shape.array(Store::Metadata, &[])));
            let mut ftl = registry::format(&config, array).unwrap();
            let stream_of: Vec<u8> = (0..logical).map(|lpn| (lpn % 6) as u8).collect();
            let mut random = Pcg64::seed_from_u64(4146);
            let mut written = [0u64; 6];
            let mut moved = 0;
            for round in 0..4 {
                for write in 0..8 * logical {
                    let lpn = random.random_range(0..logical);
                    let stream = stream_of[lpn as usize];
                    // Stream 6 has no handle: its pages are with those of stream 0.
                    ftl.name_stream(if stream == 0 && write % 2 == 0 { 6 } else { stream });
                    ftl.write(Lpn(lpn), None).unwrap();
                    written[usize::from(stream)] += 1;
                    if write % 97 == 0 {
                        ftl.idle().unwrap();
                    }
                }
                assert_eq!(
                    misplaced(&mut *ftl, &stream_of, [handles, groups], &shape),
                    0,
                    "{kind}, round {round}"
                );
                valid_of_groups(&*ftl, groups, &shape);
                let log = log(&*ftl);
                assert_eq!(log.groups, groups as usize);
                let each: Vec<_> = log.handles.iter().map(|handle| handle.written).collect();
                assert_eq!(each, written, "{kind}, round {round}");
                assert!(
                    log.handles.iter().all(|handle| handle.displaced == 0 && handle.opened > 0)
                );
                written = [0; 6];
                moved += log.moved();
                ftl = registry::mount(&config, ftl.into_flash()).unwrap();
            }
            assert!(moved > 500, "{kind}: {moved}");
        }
    }
}

/// A group that holds more than fits gives its writes to the others, which is counted; nothing is refused.
#[test]
fn an_overfull_group_gives_its_writes_to_others() {
    let shape = Shape::new(48, 8, 8);
    let logical = 30 * 8;
    for policy in [&STREAM, &STREAM_INITIAL] {
        let config = grouped(policy.kind(&[2]).unwrap(), 2);
        let config = SchemeConfig { logical_pages: Some(logical), ..config };
        let array = AnyArray::new(Serial::new(shape.array(Store::Metadata, &[])));
        let mut ftl = registry::format(&config, array).unwrap();
        let mut random = Pcg64::seed_from_u64(7);
        // All pages are of the second group, which has 24 blocks: fewer than 30.
        for write in 0..20 * logical {
            let lpn = if write < logical { write } else { random.random_range(0..logical) };
            ftl.name_stream(2 + (lpn % 2) as u8);
            ftl.write(Lpn(lpn), None).unwrap();
            let free = free_of_groups(&*ftl, 2);
            assert!(free.iter().all(|free| *free > 0), "write {write}: {free:?}");
        }
        let log = log(&*ftl);
        let of = |handle: usize| log.handles[handle];
        assert_eq!([of(0).written, of(1).written], [0, 0]);
        assert_eq!(of(2).written + of(3).written, u64::from(20 * logical));
        // Half-way between the share of 120 pages and the blocks that are neither open nor kept free.
        let limit = if policy.name == "stream" { 144 } else { 140 };
        assert_eq!(valid_of_groups(&*ftl, 2, &shape), [u64::from(logical) - limit, limit]);
        let displaced = of(2).displaced + of(3).displaced;
        assert!(displaced > u64::from(logical), "{displaced}: {log:?}");
        // Blocks of the first group were opened for them, in their class.
        assert!(of(0).opened + of(1).opened > 0, "{log:?}");
        let counts = *ftl.flash().downcast_ref::<Serial<Array>>().unwrap().counts();
        let by_cause = [Cause::Host, Cause::Collection].map(|cause| counts.pages_programmed(cause));
        assert_eq!([log.written(), log.moved()], by_cause);
        for lpn in (0..logical).map(Lpn) {
            assert!(ftl.read(lpn, None).unwrap(), "{lpn}");
        }
    }
}

/// One group's hot pages cost the other group nothing: it copies what it copies alone.
#[test]
fn groups_do_not_disturb_each_other() {
    let shape = Shape::new(64, 16, 8);
    let logical = 2 * 24 * 16;
    let moved = |other: bool| {
        let config = grouped(STREAM.kind(&[1]).unwrap(), 2);
        let config = SchemeConfig { logical_pages: Some(logical), ..config };
        let array = AnyArray::new(Serial::new(shape.array(Store::Metadata, &[])));
        let mut ftl = registry::format(&config, array).unwrap();
        let [mut first, mut second] = [1, 2].map(Pcg64::seed_from_u64);
        for _ in 0..30 * logical {
            ftl.name_stream(0);
            ftl.write(Lpn(first.random_range(0..logical / 2)), None).unwrap();
            if other {
                ftl.name_stream(1);
                ftl.write(Lpn(logical / 2 + second.random_range(0..logical / 2)), None).unwrap();
            }
        }
        let log = log(&*ftl);
        [log.handles[0].moved, log.handles[1].moved]
    };
    let ([alone, none], [beside, its]) = (moved(false), moved(true));
    assert_eq!((alone, none), (beside, 0));
    assert!(its > 1000, "{its}");
}

/// A fill fills one group after the other. As the host overwrites pages with streams of their own, they move to their groups, on an
/// array as full as can be.
#[test]
fn pages_of_a_full_array_change_to_the_group_of_their_stream() {
    let shape = Shape::new(64, 8, 8);
    for policy in [&STREAM, &STREAM_INITIAL] {
        let config = grouped(policy.kind(&[1]).unwrap(), 3);
        let logical = logical_pages(&config, &shape, 0).unwrap() / 10 * 9 / 3 * 3;
        let config = SchemeConfig { logical_pages: Some(logical), ..config };
        let array = AnyArray::new(Serial::new(shape.array(Store::Metadata, &[])));
        let mut ftl = registry::format(&config, array).unwrap();
        (0..logical).for_each(|lpn| ftl.write(Lpn(lpn), None).unwrap());
        let stream_of: Vec<u8> = (0..logical).map(|lpn| (lpn % 3) as u8).collect();
        let mut random = Pcg64::seed_from_u64(3);
        let mut displaced = Vec::new();
        for _ in 0..4 {
            ftl.restart_telemetry();
            for _ in 0..4 * logical {
                let lpn = random.random_range(0..logical);
                ftl.name_stream(stream_of[lpn as usize]);
                ftl.write(Lpn(lpn), None).unwrap();
            }
            displaced.push(log(&*ftl).handles.iter().map(|handle| handle.displaced).sum::<u64>());
        }
        assert_eq!(valid_of_groups(&*ftl, 3, &shape), [u64::from(logical / 3); 3], "{displaced:?}");
        assert_eq!(displaced[3], 0, "{displaced:?}");
    }
}

/// An array that was written without groups, or in others, is mounted and written on, and the other way round. The mount collects
/// in each group until a block is free, if that is possible.
#[test]
fn an_array_written_without_groups_goes_on_in_groups() {
    let shape = Shape::new(24, 8, 8);
    let mut restored = 0;
    for handles in [1, 2] {
        let kind = STREAM.kind(&[handles]).unwrap();
        let logical = logical_pages(&grouped(kind, 3), &shape, 0).unwrap();
        let plain = SchemeConfig { logical_pages: Some(logical), ..scheme("page-level") };
        let all = [plain.clone(), SchemeConfig { placement: Some(kind), ..plain }]
            .into_iter()
            .chain([2, 3].map(|groups| grouped(kind, groups)))
            .map(|config| SchemeConfig { logical_pages: Some(logical), ..config });
        let all: Vec<_> = all.collect();
        for (seed, from) in (0..40).flat_map(|seed| all.iter().map(move |from| (seed, from))) {
            for to in &all {
                let array = AnyArray::new(Serial::new(shape.array(Store::Metadata, &[])));
                let mut ftl = registry::format(from, array).unwrap();
                let mut random = Pcg64::seed_from_u64(seed);
                for round in 0..3 {
                    for write in 0..3 * logical + seed as u32 {
                        let lpn = random.random_range(0..logical);
                        ftl.name_stream((random.random_range(0..7u32) * (write / 50) % 7) as u8);
                        let written = ftl.write(Lpn(lpn), None);
                        written.unwrap_or_else(|error| {
                            panic!("{error}: seed {seed}, round {round}, write {write}, {from:?} {to:?}")
                        });
                    }
                    let config = if round == 0 { to } else { from };
                    ftl = registry::mount(config, ftl.into_flash()).unwrap();
                    if let Some(groups) = config.groups() {
                        let free = free_of_groups(&*ftl, groups as usize);
                        let gaining = gaining(&*ftl, &shape);
                        restored += free.iter().filter(|free| **free == 1).count();
                        let stuck = |(group, free): (u32, &u32)| {
                            *free == 0 && gaining.iter().any(|block| block % groups == group)
                        };
                        assert!(!(0..).zip(&free).any(stuck), "{free:?}, {gaining:?}");
                    }
                }
            }
        }
    }
    assert!(restored > 100, "{restored}");
}

/// Pages that collection programs from a write buffer are counted with the stream of their write.
#[test]
fn pages_from_a_buffer_are_of_their_stream() {
    let shape = Shape::new(48, 16, 8);
    let config =
        SchemeConfig { placement: Some(STREAM.kind(&[2]).unwrap()), ..scheme("page-level") };
    let buffer = BufferSettings {
        policy: Some(Some(BufferPolicy::LRU)),
        aware: Some(true),
        ..BufferSettings::default()
    };
    let logical = 36 * 16;
    let config = SchemeConfig { logical_pages: Some(logical), buffer, ..config };
    let array = AnyArray::new(Serial::new(shape.array(Store::Metadata, &[])));
    let mut ftl = registry::format(&config, array).unwrap();
    let mut random = Pcg64::seed_from_u64(11);
    let mut written = [0u64; 2];
    for _ in 0..20 * logical {
        // Few are of the stream of writes without one.
        let lpn =
            if random.random_range(0..300) == 0 { 0 } else { random.random_range(1..logical) };
        let stream = u8::from(lpn > 0);
        ftl.name_stream(stream);
        ftl.write(Lpn(lpn), None).unwrap();
        written[usize::from(stream)] += 1;
    }
    ftl.flush().unwrap();
    let telemetry = ftl.telemetry();
    let (_, buffered) = telemetry.buffer.unwrap();
    assert!(buffered.collected > 100, "{buffered:?}");
    let log = telemetry.streams.unwrap();
    // Overwrites within the buffer are no writes below it.
    let each: Vec<_> = log.handles.iter().map(|handle| handle.written).collect();
    assert!(each[0] <= written[0] && each[1] <= written[1], "{each:?} {written:?}");
    assert!(buffered.collected > written[0] && each[1] > written[1] / 2, "{each:?} {written:?}");
}

/// Two groups of ten blocks of four pages, of which the first was written by hand: nine blocks of valid pages, and the tenth with
/// these pages, those of LPN 0 to 3 newer than the ones before. Mounted, and the two groups' free blocks.
fn mounted(tenth: &[u32]) -> (Box<AnyScheme>, Vec<u32>) {
    let config = grouped(STREAM.kind(&[2]).unwrap(), 2);
    let mut array = Array::new(
        flash::Geometry::new(20, 4, 32).unwrap(),
        Shape::new(20, 4, 1).part(),
        Store::Metadata,
    );
    let nine = (0..9).map(|block| (0..4).map(|page| 4 * block + page).collect::<Vec<u32>>());
    for (number, lpns) in (1..).zip(nine.chain([tenth.to_vec()])) {
        for (page, lpn) in (0..).zip(lpns) {
            let ppn = Ppn((number as u32 - 1) * 2 * 4 + page);
            array.program(ppn, flash::Oob::data(Lpn(lpn), number), None, Cause::Host).unwrap();
        }
    }
    let ftl = registry::mount(&config, AnyArray::new(Serial::new(array))).unwrap();
    let free = free_of_groups(&*ftl, 2);
    (ftl, free)
}

/// A mount frees a block of a group that has none: within the group while a victim's copies fit there, else in another.
#[test]
fn a_mount_restores_a_free_block() {
    // The copies of block 0 fit into the open block; those of a full group go to the other.
    let (ftl, free) = mounted(&[0, 1, 2]);
    assert_eq!(
        (free, valid_of_groups(&*ftl, 2, &Shape::new(20, 4, 1))),
        (vec![1, 10], vec![36, 0])
    );
    let (ftl, free) = mounted(&[0, 1, 2, 36]);
    assert_eq!((free, valid_of_groups(&*ftl, 2, &Shape::new(20, 4, 1))), (vec![1, 9], vec![36, 1]));
}

/// The host does not write to the last free block of a group, nor to its open blocks while none is free.
#[test]
fn what_collection_needs_is_not_written_to() {
    for (tenth, free) in [(&[][..], 1), (&[36, 37][..], 0)] {
        let (mut ftl, before) = mounted(tenth);
        assert_eq!(before, [free, 10]);
        ftl.name_stream(0);
        // It is held by the full group, so that its limit does not keep it out.
        ftl.write(Lpn(5), None).unwrap();
        assert_eq!(log(&*ftl).handles[0].displaced, 1, "{tenth:?}");
        let valid = valid_of_groups(&*ftl, 2, &Shape::new(20, 4, 1));
        assert_eq!((free_of_groups(&*ftl, 2), valid[1]), (vec![free, 9], 1), "{tenth:?}");
    }
}

#[test]
fn groups_without_room_for_their_open_blocks_are_refused() {
    let config = grouped(STREAM.kind(&[3]).unwrap(), 4);
    let error = logical_pages(&config, &Shape::new(18, 16, 8), 0).unwrap_err();
    assert!(matches!(error, FtlError::Config { setting: "placement", .. }), "{error}");
    assert!(error.to_string().contains("at least 19"), "{error}");
    logical_pages(&config, &Shape::new(19, 16, 8), 0).unwrap();
    let refreshed = SchemeConfig { refresh: true, ..config };
    let error = logical_pages(&refreshed, &Shape::new(40, 16, 8), 0).unwrap_err().to_string();
    assert!(error.contains("the room of a refresh"), "{error}");
}
