//! Refresh and read reclaim: all page-mapped schemes, on arrays that name any written block as due.

use crate::{passed_and_worn_out, passes, scheme};
use flash::{AnyArray, Cause, DueBlock, Flash, Lpn, Operation, Store};
use ftl::registry::{self, REGISTRY, by_name};
use ftl::{Done, FtlError, HostClock, PageTask, Refreshed, SchemeConfig, TaskKind};
use ftlkit_testkit::bench::{bench_for, bench_of, bench_of_mut};
use ftlkit_testkit::conformance::{
    Case, Faults, accepted, logical_pages, page_mapped, spread, variants, with_idle,
};
use ftlkit_testkit::operations::Pattern;
use ftlkit_testkit::power_cut;
use ftlkit_testkit::shape::{SHAPES, Shape};

/// Bytes per page of a shape.
const PAGE_BYTES: usize = 32;

fn refreshing(scheme: SchemeConfig) -> SchemeConfig {
    SchemeConfig { refresh: true, ..scheme }
}

/// Contents, bounds and accounts of every variant, with a step after each page task.
#[test]
fn every_page_mapped_scheme_conforms() {
    for preset in page_mapped() {
        let mut passed = 0;
        for variant in variants(preset).into_iter().map(refreshing) {
            let shapes = accepted(&variant, &SHAPES[1..], 0);
            for (seed, pattern) in
                [(3, Pattern::HotCold), (4, Pattern::FillThenOverwrite), (5, Pattern::TrimStorm)]
            {
                let Some(shape) = shapes.get(seed as usize % shapes.len().max(1)) else { continue };
                passes(&Case::new(variant.clone(), *shape, pattern, seed, 1200));
                passed += 1;
            }
        }
        println!("{}: {passed} cases passed", preset.name);
        assert!(passed >= 9, "{}", preset.name);
    }
}

/// Writes spread over several units, with both kinds of frontiers.
#[test]
fn spread_schemes_conform() {
    let mut passed = 0;
    for preset in page_mapped() {
        for counts in [[2, 1, 1, 1], [2, 2, 1, 1]] {
            let variant = refreshing(spread(with_idle(preset), counts, "cwdp"));
            let shapes = accepted(&variant, &[Shape::new(48, 8, 8), Shape::new(60, 16, 8)], 0);
            for (shape, seed) in shapes.iter().zip(1..) {
                passes(&Case::new(variant.clone(), *shape, Pattern::HotCold, seed, 3000));
                passed += 1;
            }
        }
    }
    assert!(passed >= 12, "{passed}");
}

#[test]
fn failing_programs_and_erases_lose_nothing() {
    for preset in page_mapped() {
        let cases = (0..3).map(|seed| {
            let scheme = SchemeConfig { spare_blocks: 24, ..refreshing(with_idle(preset)) };
            let shapes = accepted(&scheme, &[Shape::new(40, 8, 8), Shape::new(60, 16, 8)], 0);
            let case = Case::new(scheme, shapes[0], Pattern::HotCold, seed, 2000);
            let faults = Faults { programs_per_million: 400, erases_per_million: 500 };
            Case { faults, ..case }
        });
        let [passed, worn_out] = passed_and_worn_out(cases);
        println!("{}: {passed} passed, {worn_out} wore out", preset.name);
        assert!(passed > 0, "{}", preset.name);
    }
}

/// The power cut at every operation, those of refreshes included, and in the mounts that follow; and again and again.
#[test]
fn power_cuts_lose_nothing() {
    for (name, everywhere) in
        [("page-level", true), ("fsr", false), ("lazy-rtgc", true), ("2lgc", false)]
    {
        let scheme = refreshing(with_idle(by_name(name).unwrap()));
        let shapes = accepted(&scheme, &SHAPES[1..], 0);
        let shape = shapes.iter().min_by_key(|shape| shape.blocks * shape.pages_per_block).unwrap();
        let case = power_cut::Case::new(scheme, *shape, Pattern::HotCold, 1);
        for seed in 1..6 {
            let long = power_cut::Case { operations: 400, seed, ..case.clone() };
            let cuts = power_cut::storm(&long, 9).unwrap_or_else(|failed| panic!("{failed}"));
            assert!(cuts > 20, "{long}: {cuts}");
        }
        if everywhere {
            let short = power_cut::Case { operations: 70, go_on: 30, ..case };
            let tally = power_cut::every_cut(&short).unwrap_or_else(|failed| panic!("{failed}"));
            assert!(tally.cuts > 120 && tally.lost == 0, "{short}: {tally:?}");
        }
    }
}

/// A full block of valid pages is moved page by page and erased, for its own cause; the data are as before.
#[test]
fn a_block_is_moved_and_erased_for_its_cause() {
    for name in ["page-level", "fsr", "lazy-rtgc"] {
        for cause in [Cause::Refresh, Cause::ReadReclaim] {
            let shape = Shape::new(24, 8, 8);
            let config = refreshing(scheme(name));
            let bench = bench_for(&config, shape.array(Store::All, &[]));
            let mut scheme = registry::format(&config, AnyArray::new(bench)).unwrap();
            let page = |lpn: u32| vec![lpn as u8; PAGE_BYTES];
            (0..20).for_each(|lpn| scheme.write(Lpn(lpn), Some(&page(lpn))).unwrap());
            let block = {
                let flash = bench_of(&*scheme);
                flash.geometry().block_of(flash.inner().place(Lpn(3)).unwrap())
            };
            bench_of_mut(&mut *scheme).inner_mut().name_due(DueBlock { block, cause });
            for moved in 1..=8 {
                let step = scheme.refresh_step().unwrap().unwrap();
                assert_eq!((step.did, step.collected), (Refreshed::Moved, false), "{name}");
                let copied = bench_of(&*scheme).counts().get(Operation::Copy, cause);
                assert_eq!(copied, moved, "{name}");
            }
            assert_eq!(bench_of(&*scheme).inner().block(block).valid, 0);
            assert_eq!(scheme.refresh_step().unwrap().unwrap().did, Refreshed::Done);
            assert_eq!(bench_of(&*scheme).counts().get(Operation::Erase, cause), 1, "{name}");
            assert_eq!(bench_of(&*scheme).erase_count(block), 1, "{name}");
            for lpn in 0..20 {
                let mut data = page(99);
                assert!(scheme.read(Lpn(lpn), Some(&mut data)).unwrap());
                assert_eq!(data, page(lpn), "{name}");
            }
        }
    }
}

/// A block that is being written waits; one that was named and erased since is no longer due.
#[test]
fn a_block_that_is_being_written_waits() {
    let config = refreshing(scheme("page-level"));
    let bench = bench_for(&config, Shape::new(24, 8, 8).array(Store::All, &[]));
    let mut scheme = registry::format(&config, AnyArray::new(bench)).unwrap();
    scheme.write(Lpn(0), Some(&[1; PAGE_BYTES])).unwrap();
    let block = {
        let flash = bench_of(&*scheme);
        flash.geometry().block_of(flash.inner().place(Lpn(0)).unwrap())
    };
    let due = DueBlock { block, cause: Cause::Refresh };
    bench_of_mut(&mut *scheme).inner_mut().name_due(due);
    assert_eq!(scheme.refresh_step().unwrap().unwrap().did, Refreshed::Later);
    assert_eq!(bench_of(&*scheme).counts().total(Operation::Copy), 0);
}

/// A read collects nothing. The step of a refresh that follows it does where few pages are free, and the task's result says so.
#[test]
fn a_task_tells_of_the_collection_of_its_refresh() {
    let config = refreshing(scheme("page-level"));
    let bench = bench_for(&config, Shape::new(24, 8, 8).array(Store::All, &[]));
    let mut scheme = registry::format(&config, AnyArray::new(bench)).unwrap();
    let pages = scheme.logical_pages();
    (0..pages).for_each(|lpn| scheme.write(Lpn(lpn), None).unwrap());
    bench_of_mut(&mut *scheme).inner_mut().name_blocks();
    let mut clock = HostClock { refreshes: true, ..HostClock::default() };
    let (mut moves, mut collections) = (0, 0);
    for lpn in (0..pages).cycle().take(600) {
        let counts = |scheme: &ftl::AnyScheme| {
            let counts = bench_of(scheme).counts();
            let moved = counts.get(Operation::Copy, Cause::Refresh)
                + counts.get(Operation::Copy, Cause::ReadReclaim);
            [moved, counts.get(Operation::Erase, Cause::Collection)]
        };
        let [moved, erased] = counts(&*scheme);
        let mut done = [Done::default()];
        let read = [PageTask::page(TaskKind::Read, lpn)];
        scheme.run(&read, 0..1, &mut clock, &mut done).unwrap();
        let after = counts(&*scheme);
        assert_eq!(done[0].notes.collected, after[1] > erased, "read {lpn}");
        moves += after[0] - moved;
        collections += after[1] - erased;
    }
    assert!(moves > 100 && collections > 10, "{moves} moved, {collections} collected");
}

/// All other schemes refuse the setting, and say which one and why.
#[test]
fn schemes_without_refresh_refuse_it() {
    let shape = Shape::new(60, 16, 8);
    for preset in REGISTRY {
        let able = page_mapped().contains(preset);
        let plain = SchemeConfig::preset(preset);
        assert!(logical_pages(&plain, &shape, 0).is_ok(), "{}", preset.name);
        match logical_pages(&refreshing(plain), &shape, 0) {
            Ok(_) => assert!(able, "{}", preset.name),
            Err(FtlError::Config { scheme, setting, reason }) => {
                assert!(!able, "{}: {reason}", preset.name);
                assert_eq!((scheme, setting), (preset.name, "refresh"));
                assert!(reason.contains("page-level"), "{reason}");
            }
            Err(error) => panic!("{}: {error}", preset.name),
        }
    }
}

/// The bound of a step grows by a copy and the collection of a write, and by no more; the space stays the same.
#[test]
fn bounds_grow_by_a_step() {
    let shape = Shape::new(60, 16, 8);
    for preset in page_mapped() {
        let plain = crate::plan(&SchemeConfig::preset(preset), &shape);
        let with = crate::plan(&refreshing(SchemeConfig::preset(preset)), &shape);
        let part = shape.part();
        let step_ns = plain.guarantee.step_ns.unwrap() + bounds::moves::move_ns(&part);
        assert_eq!(with.guarantee.refresh_ns, Some(step_ns), "{}", preset.name);
        assert_eq!(with.guarantee.step_ns.unwrap(), plain.guarantee.step_ns.unwrap() + step_ns);
        let response_ns = plain.guarantee.response_ns.unwrap() + step_ns;
        assert_eq!(with.guarantee.response_ns, Some(response_ns), "{}", preset.name);
        assert_eq!(with.guarantee.real_time, plain.guarantee.real_time);
        assert_eq!(with.logical_pages, plain.logical_pages);
    }
}
