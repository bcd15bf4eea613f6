//! Placement policies: room for their open blocks, power cuts, what a mount finds again, refusals, write amplification.
//! The other suites run every policy as a setting of the schemes that have it.

use crate::{passed_and_worn_out, passes, scheme};
use flash::{AnyArray, Array, Cause, Counts, Flash, Lpn, Ppn, Serial, Store};
use ftl::placement::Places;
use ftl::{
    FrontierSharing, FtlError, FutureNotes, PlacementKind, SchemeConfig, SlcSize, VictimKind,
    registry,
};
use ftlkit_testkit::bench::AnyScheme;
use ftlkit_testkit::conformance::{Case, Faults, logical_pages, spread};
use ftlkit_testkit::operations::{Operation, Pattern};
use ftlkit_testkit::power_cut::{self, storm};
use ftlkit_testkit::shape::Shape;
use ftlkit_testkit::suite::all_pass;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

fn placed(name: &str, placement: PlacementKind) -> SchemeConfig {
    SchemeConfig { placement: Some(placement), ..scheme(name) }
}

/// Placements with a state, with the default victim policy and with those that are their other half.
fn settings() -> impl Iterator<Item = (PlacementKind, SchemeConfig)> {
    by_state().flat_map(|kind| {
        let own = kind.policy().victims.iter().copied().map(Some);
        let with = move |victim| (kind, SchemeConfig { victim, ..placed("page-level", kind) });
        [None].into_iter().chain(own).map(with)
    })
}

/// Policies with a state.
fn by_state() -> impl Iterator<Item = PlacementKind> {
    PlacementKind::each().filter(|kind| matches!(kind.policy().places, Places::ByState(_)))
}

fn kind(name: &str) -> PlacementKind {
    PlacementKind::each().find(|kind| kind.policy().name == name).unwrap()
}

/// All patterns on the smallest arrays, and on slightly larger ones; returns the number of cases.
pub(crate) fn passes_on_little_space(scheme: &SchemeConfig, operations: usize) -> u32 {
    let mut passed = 0;
    for (pages, buffered) in [(4, 1), (5, 2), (16, 8)] {
        let least = smallest(scheme, pages, buffered);
        for shape in [least, Shape::new(least.blocks + 3, pages, buffered)] {
            for pattern in Pattern::ALL {
                passes(&Case::new(scheme.clone(), shape, pattern, 1, operations));
                passed += 1;
            }
        }
    }
    passed
}

/// The smallest array of these blocks that the scheme accepts; it refuses the one before by name.
pub(crate) fn smallest(scheme: &SchemeConfig, pages: u32, buffered: u32) -> Shape {
    let shape = |blocks| Shape::new(blocks, pages, buffered);
    let accepts = |blocks: &u32| logical_pages(scheme, &shape(*blocks), 0).is_ok();
    let blocks = (3..100).find(accepts).unwrap();
    let refused = logical_pages(scheme, &shape(blocks - 1), 0).unwrap_err();
    assert!(matches!(refused, FtlError::Config { setting: "placement", .. }), "{refused}");
    shape(blocks)
}

/// All logical pages that the plan allows, on the smallest array: collection runs all the time, each policy opens what it
/// may, and no free block is to spare.
#[test]
fn the_smallest_spare_space_is_enough() {
    let mut passed = 0;
    for (_, plain) in settings() {
        for units in [[1, 1, 1, 1], [2, 1, 1, 1], [1, 1, 2, 2]] {
            let plain = plain.clone();
            for scheme in [plain.clone(), SchemeConfig { spare_blocks: 2, ..plain }] {
                passed += passes_on_little_space(&spread(scheme, units, "cwdp"), 1500);
            }
        }
    }
    println!("{passed} cases passed");
    assert!(passed > 100, "{passed}");
}

#[test]
fn a_share_that_leaves_no_room_for_open_blocks_is_refused() {
    let shape = Shape::new(40, 16, 8);
    for kind in by_state() {
        let most = logical_pages(&placed("page-level", kind), &shape, 0).unwrap();
        // Open blocks of all classes, and two free ones more than the swap block's.
        let classes = kind.classes().count as u32;
        assert_eq!(most, (40 - 1 - (classes + 1)) * 16 - 1, "{kind}");
        let more = SchemeConfig { logical_pages: Some(most + 1), ..placed("page-level", kind) };
        let error = logical_pages(&more, &shape, 0).unwrap_err().to_string();
        assert!(error.contains(&format!("`placement={kind}`")), "{error}");
    }
}

/// The bound on a victim's valid pages follows from the full blocks of the table in `docs/placement.md`.
#[test]
fn bounds_count_the_full_blocks_of_the_table() {
    let (blocks, pages, logical_pages) = (64, 16, 500);
    let part = flash::Part { pages_per_block: pages, ..flash::parts::EVALUATION_SLC.clone() };
    let geometry = flash::Geometry::new(blocks, pages, part.page_bytes).unwrap();
    for (units, counts) in [(1, [1, 1, 1, 1]), (3, [3, 1, 1, 1])] {
        let mut seen = Vec::new();
        for policy in ftl::PLACEMENT_POLICIES {
            let kind = policy.kind(&[]).unwrap();
            let config = spread(placed("page-level", kind), counts, "cwdp");
            let config = SchemeConfig { logical_pages: Some(logical_pages), ..config };
            let plan = registry::plan(&config, &part, &geometry, blocks).unwrap();
            let classes = kind.classes().count as u32;
            let full = match policy.name {
                "none" => blocks - (2 * units - 1),
                "split" | "2r" => blocks - (3 * units - 1),
                _ => blocks - units * (classes + 1) - 1,
            };
            let expected = (logical_pages / full).min(pages - 1);
            assert_eq!(plan.guarantee.victim_valid, Some(expected), "{kind}, {units} units");
            seen.push(expected);
        }
        seen.dedup();
        assert!(seen.len() > 1, "{seen:?}");
    }
}

#[test]
fn cuts_in_storms_lose_nothing() {
    let patterns = [Pattern::Uniform, Pattern::HotCold, Pattern::TrimStorm];
    let of = |(scheme, units)| {
        let scheme = spread(scheme, units, "cwdp");
        let shape = smallest(&scheme, 6, 2);
        let shape = Shape::new(shape.blocks + 2, 6, 2);
        patterns.into_iter().flat_map(move |pattern| {
            let scheme = scheme.clone();
            (1..=6).map(move |seed| {
                let plain = power_cut::Case::new(scheme.clone(), shape, pattern, seed);
                power_cut::Case { operations: 400, ..plain }
            })
        })
    };
    let each = settings()
        .flat_map(|(_, scheme)| [[1, 1, 1, 1], [2, 1, 1, 1]].map(|units| (scheme.clone(), units)));
    let cases: Vec<_> = each.flat_map(of).collect();
    all_pass(&cases, &|case| storm(case, 30)).unwrap_or_else(|failed| panic!("{failed}"));
}

#[test]
fn failing_blocks_lose_nothing() {
    for (kind, scheme) in settings() {
        let scheme = SchemeConfig { spare_blocks: 8, ..scheme };
        let faults = Faults { programs_per_million: 1000, erases_per_million: 1000 };
        let cases = (1..=6).map(|seed| Case {
            faults,
            ..Case::new(scheme.clone(), Shape::new(40, 16, 8), Pattern::HotCold, seed, 3000)
        });
        let [passed, worn_out] = passed_and_worn_out(cases);
        assert!(passed > 0, "{kind}: {passed} passed, {worn_out} worn out");
    }
}

/// Class in the sequence number of the newest page of a logical page.
fn class_of(scheme: &mut AnyScheme, lpn: Lpn, pages: u32) -> u64 {
    let flash = scheme.flash_mut();
    let oobs = (0..pages).filter_map(|ppn| flash.read_oob(Ppn(ppn), Cause::Mount).ok());
    let seq = oobs.filter(|oob| oob.lpn == lpn).map(|oob| oob.seq);
    let seq = seq.max_by_key(|seq| seq & ((1 << 52) - 1)).unwrap();
    seq >> 55 & 1 | (seq >> 52 & 3) << 1
}

/// A page of DAC climbs a region with each write, before a mount and after it.
#[test]
fn a_mount_finds_the_classes_of_blocks_again() {
    let (shape, scheme) = (Shape::new(24, 8, 8), placed("page-level", kind("dac")));
    let array = || AnyArray::new(Serial::new(shape.array(Store::Metadata, &[])));
    let mut ftl = registry::format(&scheme, array()).unwrap();
    for region in 0..8 {
        ftl.write(Lpn(3), None).unwrap();
        assert_eq!(class_of(&mut *ftl, Lpn(3), 24 * 8), region.min(5));
        if region % 3 == 1 {
            ftl = registry::mount(&scheme, ftl.into_flash()).unwrap();
        }
    }
}

#[test]
fn what_has_no_proof_is_refused() {
    let shape = Shape::new(48, 16, 8);
    let refused = |scheme: &SchemeConfig, part: &str| {
        let error = logical_pages(scheme, &shape, 0).unwrap_err();
        assert!(matches!(error, FtlError::Config { setting: "placement", .. }), "{error}");
        assert!(error.to_string().contains(part), "{error}");
    };
    for kind in PlacementKind::each() {
        for name in ["2lgc", "lazy-rtgc", "dftl", "gftl"] {
            refused(&placed(name, kind), "`page-level` and `fsr` have it");
        }
        let frontiers = Some(FrontierSharing::Split);
        let both = SchemeConfig { frontiers, ..placed("page-level", kind) };
        refused(&both, "leave out one of them");
    }
    for kind in by_state().chain([kind("2r")]) {
        let slc = Some(SlcSize::Dynamic);
        refused(&SchemeConfig { slc, ..placed("page-level", kind) }, "leave out `slc`");
    }
}

/// Where pages go is a preference: a future that is of another run, or ends early, costs no data, at no cut of the power. Without
/// one the scheme is refused.
#[test]
fn a_wrong_future_loses_nothing() {
    let oracle = ftl::PLACEMENT_POLICIES.iter().find(|policy| policy.name == "oracle").unwrap();
    let plain = placed("page-level", oracle.kind(&[]).unwrap());
    let mut notes = FutureNotes::new(40);
    let mut random = Pcg64::seed_from_u64(5);
    (0..150).for_each(|_| notes.write(Lpn(random.random_range(0..40))));
    let future = notes.finish().map(std::sync::Arc::new);
    let known = SchemeConfig { future, ..plain.clone() };
    let shape = smallest(&known, 6, 2);
    let cases: Vec<_> = [Pattern::Uniform, Pattern::HotCold, Pattern::TrimStorm]
        .into_iter()
        .map(|pattern| {
            let shape = Shape::new(shape.blocks + 2, 6, 2);
            let case = power_cut::Case::new(known.clone(), shape, pattern, 3);
            power_cut::Case { operations: 400, ..case }
        })
        .collect();
    all_pass(&cases, &|case| storm(case, 30)).unwrap_or_else(|failed| panic!("{failed}"));
    passes(&Case::new(known, shape, Pattern::HotCold, 1, 1500));
    let array = AnyArray::new(Serial::new(shape.array(Store::Metadata, &[])));
    let refused = registry::format(&plain, array).err().unwrap();
    assert!(refused.to_string().contains("`oracle` needs the future"), "{refused}");
}

/// `none` and `split` are the settings of `frontiers`, operation for operation.
#[test]
fn placement_by_origin_is_as_frontiers() {
    for (name, frontiers) in [("none", FrontierSharing::Shared), ("split", FrontierSharing::Split)]
    {
        let frontiers = SchemeConfig { frontiers: Some(frontiers), ..scheme("page-level") };
        let of = |config: &SchemeConfig| zones(config, Shape::new(64, 32, 8), 4).0;
        assert_eq!(of(&placed("page-level", kind(name))), of(&frontiers), "{name}");
    }
}

fn counts(scheme: &AnyScheme) -> Counts {
    *scheme.flash().downcast_ref::<Serial<Array>>().unwrap().counts()
}

/// Counts of the last fifth of so many device writes, and write amplification: 90 % of the space gets 10 % of the writes.
fn zones(config: &SchemeConfig, shape: Shape, device_writes: u32) -> (Counts, f64) {
    let logical_pages = shape.geometry().pages() / 10 * 8;
    let config = SchemeConfig { logical_pages: Some(logical_pages), ..config.clone() };
    let array = Serial::new(shape.array(Store::Metadata, &[]));
    let mut scheme = registry::format(&config, AnyArray::new(array)).unwrap();
    let mut random = Pcg64::seed_from_u64(2012);
    (0..logical_pages).for_each(|lpn| scheme.write(Lpn(lpn), None).unwrap());
    let hot = logical_pages / 10;
    let all = u64::from(shape.geometry().pages()) * u64::from(device_writes);
    let mut before = counts(&*scheme);
    for write in 0..all {
        if write == all / 5 * 4 {
            before = counts(&*scheme);
        }
        let in_hot = random.random_range(0..10) > 0;
        let lpn = if in_hot { 0..hot } else { hot..logical_pages };
        scheme.write(Lpn(random.random_range(lpn)), None).unwrap();
    }
    let done = counts(&*scheme).since(&before);
    let host = done.pages_programmed(Cause::Host);
    let waf = (host + done.pages_programmed(Cause::Collection)) as f64 / host as f64;
    (done, waf)
}

/// What a policy is for: it separates hot from cold.
#[test]
fn policies_separate_hot_from_cold() {
    let of = |victim| {
        move |name| {
            let config = SchemeConfig { victim: Some(victim), ..placed("page-level", kind(name)) };
            zones(&config, Shape::new(512, 64, 8), 20).1
        }
    };
    let [none, split, dac, sepbit] = ["none", "split", "dac", "sepbit"].map(of(VictimKind::GREEDY));
    println!("none {none:.3}, split {split:.3}, dac {dac:.3}, sepbit {sepbit:.3}");
    assert!(split < none * 0.95 && dac < split && sepbit < split * 0.95);
    let others = ["multilog", "sfs", "eti", "fadac", "warcip"].map(of(VictimKind::COST_BENEFIT));
    println!("multilog, sfs, eti, fadac, warcip: {others:.3?}");
    assert!(others.iter().all(|waf| *waf < none * 0.65), "{others:.3?}");
    let regions = of(VictimKind::TWO_REGIONS_GREEDY)("2r");
    let queue = of(VictimKind::TWO_REGIONS_FIFO)("2r");
    println!("2r: greedy regions {regions:.3}, FIFO regions {queue:.3}");
    assert!(regions < split * 0.98 && queue < split * 0.75);
    // With victims of its own against `split` with the same policy for the rest.
    let midas = [VictimKind::MIDAS_GREEDY, VictimKind::MIDAS_COST_BENEFIT]
        .map(|of_victim| of(of_victim)("midas"));
    let without = [split, of(VictimKind::COST_BENEFIT)("split")];
    println!("midas {midas:.3?}, split {without:.3?}");
    assert!(midas[0] < without[0] * 0.7 && midas[1] < without[1] * 0.95);
}

/// WAF of each device write, of loads in turn: 90 % of the writes go to a tenth of the space, from that tenth on; or all
/// anywhere. Each with the device writes that it goes on for.
fn waf_by_device_write(
    config: &SchemeConfig,
    shape: Shape,
    loads: &[(Option<u32>, u32)],
) -> Vec<f64> {
    let pages = shape.geometry().pages();
    let logical_pages = pages / 10 * 8;
    let config = SchemeConfig { logical_pages: Some(logical_pages), ..config.clone() };
    let array = Serial::new(shape.array(Store::Metadata, &[]));
    let mut scheme = registry::format(&config, AnyArray::new(array)).unwrap();
    let mut random = Pcg64::seed_from_u64(2024);
    (0..logical_pages).for_each(|lpn| scheme.write(Lpn(lpn), None).unwrap());
    let tenth = logical_pages / 10;
    let loads = loads.iter().flat_map(|(hot, times)| (0..*times).map(|_| *hot));
    let device_write = |hot: Option<u32>| {
        let before = counts(&*scheme);
        for _ in 0..pages {
            let hot = hot.filter(|_| random.random_range(0..10) > 0);
            let lpns = hot.map_or(0..logical_pages, |at| at * tenth..(at + 1) * tenth);
            scheme.write(Lpn(random.random_range(lpns)), None).unwrap();
        }
        let done = counts(&*scheme).since(&before);
        1.0 + done.pages_programmed(Cause::Collection) as f64 / f64::from(pages)
    };
    loads.map(device_write).collect()
}

/// Its model sees that other pages are hot, or none: afterwards it is as good as if that had been so from the start.
#[test]
fn midas_follows_what_changes() {
    let shape = Shape::new(512, 64, 8);
    let last = |of: &[f64]| of[of.len() - 3..].iter().sum::<f64>() / 3.0;
    let of = |name, victim, loads: &[(Option<u32>, u32)]| {
        let config = SchemeConfig { victim: Some(victim), ..placed("page-level", kind(name)) };
        waf_by_device_write(&config, shape, loads)
    };
    for victim in kind("midas").policy().victims.iter().copied() {
        let seen = of("midas", victim, &[(Some(0), 14), (Some(6), 14)]);
        let [before, behind] = [last(&seen[..14]), last(&seen)];
        println!("{victim}: {before:.3}, then {:.3}, {behind:.3} in the end", seen[14]);
        assert!(seen[14] > before * 1.15 && (behind / before - 1.0).abs() < 0.05, "{seen:.3?}");
        let uniform = of("midas", victim, &[(Some(0), 14), (None, 14)]);
        let without = of("split", VictimKind::GREEDY, &[(None, 8)]);
        println!("{victim}: uniform {:.3}, split {:.3}", last(&uniform), last(&without));
        assert!(last(&uniform) < last(&without) * 1.12, "{uniform:.3?}");
    }
}

/// Groups have sizes soon with epochs of one device write, and then the power goes at every operation.
#[test]
fn sized_groups_survive_power_cuts() {
    let midas = kind("midas").policy();
    let shape = Shape::new(60, 4, 4);
    let mut cuts = 0;
    for victim in midas.victims.iter().copied().map(Some) {
        let placement = midas.kind(&[1]);
        let scheme = SchemeConfig { victim, placement, ..scheme("page-level") };
        let share = logical_pages(&scheme, &shape, 0).unwrap();
        let case = power_cut::Case {
            operations: 1200,
            ..power_cut::Case::new(scheme.clone(), shape, Pattern::FillThenOverwrite, 3)
        };
        let array = AnyArray::new(Serial::new(shape.array(Store::Metadata, &[])));
        let mut ftl = registry::format(&scheme, array).unwrap();
        let mut sized = 0;
        let written = case.pattern.sequence(share, shape.pages_per_block, case.seed);
        for operation in written.take(case.operations) {
            if let Operation::Write(lpn) = operation {
                ftl.write(Lpn(lpn % share), None).unwrap();
                let lists = ftl.inspect().lists;
                sized += usize::from(lists.iter().any(|list| list.name == "group 1"));
            }
        }
        println!("{sized} writes with sized groups");
        assert!(sized > 100, "{sized}");
        cuts += power_cut::every_cut(&case).unwrap_or_else(|failed| panic!("{failed:?}")).cuts;
    }
    println!("{cuts} cuts");
}

/// The same on the array of SSD-iq's table: 2 GiB in blocks of 512 pages of 4 KiB, after 20 device writes.
#[test]
#[ignore = "half a minute; for the figures of docs/placement.md"]
fn zones_on_the_array_of_ssd_iq() {
    let shape = Shape::new(1024, 512, 8);
    for kind in PlacementKind::each() {
        let each = [VictimKind::GREEDY, VictimKind::COST_BENEFIT, VictimKind::SECOND_CHANCE];
        for victim in each.iter().chain(kind.policy().victims).copied() {
            let scheme = SchemeConfig { victim: Some(victim), ..placed("page-level", kind) };
            println!("{kind}, {victim}: {:.3}", zones(&scheme, shape, 25).1);
        }
    }
}

/// Streams whose pages are on flash, by block, and the class of each block.
fn streams_by_block(
    scheme: &mut AnyScheme,
    stream_of: &[u8],
    shape: &Shape,
) -> Vec<(std::collections::BTreeSet<u8>, u64)> {
    let pages = shape.geometry().pages_per_block();
    let blocks = shape.geometry().blocks();
    let flash = scheme.flash_mut();
    let of = |block: u32| {
        let ppns = block * pages..(block + 1) * pages;
        let oobs = ppns.filter_map(|ppn| flash.read_oob(Ppn(ppn), Cause::Mount).ok());
        let oobs: Vec<_> = oobs.collect();
        let class = oobs.first().map(|oob| {
            let seq = oob.seq;
            seq >> 55 & 1 | (seq >> 52 & 3) << 1 | (seq >> 51 & 1) << 3
        });
        class.map(|class| (oobs.iter().map(|oob| stream_of[oob.lpn.0 as usize]).collect(), class))
    };
    (0..blocks).filter_map(of).collect()
}

/// Each page has one stream for life. With free blocks to spare no block mixes streams, except those of shared copies;
/// a mount goes on with that.
#[test]
fn streams_stay_apart() {
    let shape = Shape::new(96, 8, 8);
    for (name, handles) in [("stream", 12), ("stream-initial", 12), ("stream", 3)] {
        let policy = kind(name).policy();
        let placement = policy.kind(&[handles]).unwrap();
        let logical = 40 * 8;
        let scheme =
            SchemeConfig { logical_pages: Some(logical), ..placed("page-level", placement) };
        let array = AnyArray::new(Serial::new(shape.array(Store::Metadata, &[])));
        let mut ftl = registry::format(&scheme, array).unwrap();
        let stream_of: Vec<u8> = (0..logical).map(|lpn| (lpn * 7 % 13 % 12) as u8).collect();
        let handle = |stream: u8| if u16::from(stream) < handles { u64::from(stream) } else { 0 };
        let mut random = Pcg64::seed_from_u64(4146);
        for round in 0..4 {
            for _ in 0..8 * logical {
                let lpn = random.random_range(0..logical);
                ftl.name_stream(stream_of[lpn as usize]);
                ftl.write(Lpn(lpn), None).unwrap();
            }
            let log = ftl.telemetry().streams.unwrap().clone();
            let displaced: u64 = log.handles.iter().map(|handle| handle.displaced).sum();
            assert_eq!((log.written(), displaced), (u64::from(8 * logical), 0), "{placement}");
            let mut copies = 0;
            for (streams, class) in streams_by_block(&mut *ftl, &stream_of, &shape) {
                let shared = name == "stream-initial" && class == u64::from(handles);
                copies += u64::from(shared);
                assert!(
                    shared || streams.iter().all(|stream| handle(*stream) == class),
                    "{placement}, round {round}: {streams:?} in a block of class {class}"
                );
            }
            assert!(name == "stream" || copies > 0, "{placement}: nothing was collected");
            ftl = registry::mount(&scheme, ftl.into_flash()).unwrap();
        }
    }
}

/// The log counts what the array did.
#[test]
fn the_log_of_streams_is_that_of_the_array() {
    for kind in PlacementKind::each().filter(|kind| kind.handles().is_some()) {
        let shape = Shape::new(64, 16, 8);
        let scheme = SchemeConfig { logical_pages: Some(600), ..placed("page-level", kind) };
        let array = AnyArray::new(Serial::new(shape.array(Store::Metadata, &[])));
        let mut ftl = registry::format(&scheme, array).unwrap();
        let mut random = Pcg64::seed_from_u64(1);
        for _ in 0..6000 {
            let lpn = random.random_range(0..600);
            ftl.name_stream((lpn % 3) as u8 * 4);
            ftl.write(Lpn(lpn), None).unwrap();
        }
        let counts = counts(&*ftl);
        let log = ftl.telemetry().streams.unwrap();
        let by_cause = [Cause::Host, Cause::Collection].map(|cause| counts.pages_programmed(cause));
        assert_eq!([log.written(), log.moved()], by_cause, "{kind}");
        assert_eq!(log.collected, counts.total(flash::Operation::Erase), "{kind}");
        // Stream 8 has no handle: its pages are a third, as are those of stream 0, with which they are counted.
        assert!((1900..2100).contains(&log.invalid), "{kind}: {log:?}");
        assert_eq!(log.handles[0].written + log.handles[4].written, 6000, "{kind}");
        assert!(log.collected_valid <= log.collected && log.collected_valid > 0, "{kind}");
    }
}

/// A stream whose pages are all trimmed costs no copies when its blocks are collected.
#[test]
fn trims_of_a_range_release_the_blocks_of_its_stream() {
    let shape = Shape::new(64, 16, 8);
    let scheme = SchemeConfig { logical_pages: Some(640), ..placed("page-level", kind("stream")) };
    let array = AnyArray::new(Serial::new(shape.array(Store::Metadata, &[])));
    let mut ftl = registry::format(&scheme, array).unwrap();
    let write = |ftl: &mut AnyScheme, lpn: u32| {
        ftl.name_stream(1 + (lpn / 320) as u8);
        ftl.write(Lpn(lpn), None).unwrap();
    };
    // The two streams come mixed, and one of them is trimmed and written again, over and over.
    for _ in 0..20 {
        (0..320).for_each(|at| [at, 320 + at].into_iter().for_each(|lpn| write(&mut *ftl, lpn)));
        (320..640).for_each(|lpn| ftl.trim(Lpn(lpn)).unwrap());
    }
    let log = ftl.telemetry().streams.unwrap();
    assert_eq!([log.moved(), log.collected_valid], [0, 0], "{log:?}");
    assert!(log.collected > 300, "{log:?}");
}
