//! Tests of `nftl` and `rftl`: the bounds are reached, programs and erases may fail between power cuts, and writes
//! end only when more blocks are bad than were spare.

use flash::faults::{PowerCut, ProgramEraseFailure};
use flash::parts::EVALUATION_SLC;
use flash::{AnyArray, Array, BlockId, Flash, Lpn, Store};
use ftl::registry::{by_name, format, plan};
use ftl::{FtlError, RftlTrigger, SchemeConfig};
use ftlkit_testkit::bench::{bench, bench_of};
use ftlkit_testkit::checks::Failure;
use ftlkit_testkit::conformance::{Case, Described, conform, logical_pages};
use ftlkit_testkit::driver::Medium;
use ftlkit_testkit::operations::Pattern;
use ftlkit_testkit::run::{End, Run};
use ftlkit_testkit::shape::Shape;
use ftlkit_testkit::shared::Shared;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

fn scheme(name: &str, spare_blocks: u32) -> SchemeConfig {
    SchemeConfig { spare_blocks, ..SchemeConfig::preset(by_name(name).unwrap()) }
}

const TRIGGERS: [RftlTrigger; 2] = [RftlTrigger::PrimaryFull, RftlTrigger::Late];

/// `nftl`, and `rftl` with both triggers.
fn both(spare_blocks: u32) -> Vec<SchemeConfig> {
    let rftl = TRIGGERS
        .map(|trigger| SchemeConfig { trigger: Some(trigger), ..scheme("rftl", spare_blocks) });
    [scheme("nftl", spare_blocks)].into_iter().chain(rftl).collect()
}

#[test]
fn rftl_promises_what_its_paper_prints() {
    let geometry = EVALUATION_SLC.geometry(1 << 30).unwrap();
    let config = scheme("rftl", 0);
    let plan = plan(&config, &EVALUATION_SLC, &geometry, geometry.blocks()).unwrap();
    assert_eq!(plan.guarantee.response_ns, Some(2_249_900));
    assert_eq!(plan.guarantee.victim_valid, Some(64));
    assert_eq!(plan.logical_pages, geometry.blocks() / 3 * 64);
}

#[test]
fn rftl_refuses_blocks_too_small_for_its_steps_and_names_the_part() {
    for shape in [Shape::new(9, 64, 1), Shape::new(9, 8, 3), Shape::new(9, 64, 0)] {
        match logical_pages(&scheme("rftl", 0), &shape, 0) {
            Err(FtlError::Config { setting, .. }) => assert_eq!(setting, "part"),
            other => panic!("{shape}: {other:?}"),
        }
    }
}

/// Writes page 0, then the other pages of its logical block, then page 1 until the replacement block is full. Page 0
/// is then found last, and the next write folds with every page to copy.
#[test]
fn nftl_reaches_its_bounds() {
    let shape = Shape::new(6, 16, 8);
    let mut scheme = format(&scheme("nftl", 0), bench(shape.array(Store::Metadata, &[]))).unwrap();
    let pages_per_block = shape.pages_per_block;
    let versions = (0..pages_per_block).chain((0..pages_per_block).map(|_| 1));
    versions.for_each(|lpn| scheme.write(Lpn(lpn), None).unwrap());
    let promised = scheme.telemetry().guarantee;
    let before = bench_of(&*scheme).busy_ns();
    assert!(scheme.read(Lpn(0), None).unwrap());
    let read = bench_of(&*scheme).busy_ns();
    assert_eq!(Some(read - before), promised.read_ns);
    scheme.write(Lpn(2), None).unwrap();
    assert_eq!(Some(bench_of(&*scheme).busy_in_steps_ns()), promised.step_ns);
    assert_eq!(Some(bench_of(&*scheme).busy_ns() - read), promised.response_ns);
}

#[test]
fn rftl_reaches_its_bounds() {
    for trigger in TRIGGERS.map(Some) {
        let config = SchemeConfig { trigger, ..scheme("rftl", 0) };
        let shape = Shape::new(6, 16, 8);
        let plan = plan(&config, &shape.part(), &shape.geometry(), shape.blocks).unwrap();
        let case = Case::new(config, shape, Pattern::Uniform, 1, 10_000);
        let worst = conform(&case).unwrap_or_else(|verdict| panic!("{verdict}"));
        assert_eq!(Some(worst.read_ns), plan.guarantee.read_ns);
        assert_eq!(Some(worst.response_ns), plan.guarantee.response_ns);
    }
}

/// Victims taken by the end of each of these writes.
fn begun(trigger: RftlTrigger, writes: impl Iterator<Item = u32>) -> Vec<u64> {
    let config = SchemeConfig { trigger: Some(trigger), ..scheme("rftl", 0) };
    let shape = Shape::new(3, 16, 8);
    let mut scheme = format(&config, bench(shape.array(Store::Metadata, &[]))).unwrap();
    let write = |lpn| {
        scheme.write(Lpn(lpn), None).unwrap();
        scheme.telemetry().collections.started
    };
    writes.map(write).collect()
}

/// π = 16, α = 8, k = 2: `late` begins when the buffer holds 14 pages.
#[test]
fn rftl_begins_with_the_first_write_beyond_the_primary_or_as_late_as_its_bound_allows() {
    let fill_and_rewrite = || (0..16).chain([0; 14]);
    let first = |begun: Vec<u64>| begun.iter().position(|victims| *victims > 0);
    assert_eq!(first(begun(RftlTrigger::PrimaryFull, fill_and_rewrite())), Some(16));
    assert_eq!(first(begun(RftlTrigger::Pages(5), fill_and_rewrite())), Some(20));
    assert_eq!(first(begun(RftlTrigger::Late, fill_and_rewrite())), Some(29));
    for pages in [0, 15] {
        let config = SchemeConfig { trigger: Some(RftlTrigger::Pages(pages)), ..scheme("rftl", 0) };
        match logical_pages(&config, &Shape::new(3, 16, 8), 0) {
            Err(FtlError::Config { setting, .. }) => assert_eq!(setting, "trigger"),
            other => panic!("{other:?}"),
        }
    }
    // From then on `primary-full` always collects: two steps of copies, an erase, a step of drained pages, an erase. So
    // two blocks are victims in five writes.
    let random = (0..16).chain((0..160).map(|at| at * 7 % 16));
    assert_eq!(begun(RftlTrigger::PrimaryFull, random).last(), Some(&(160 / 5 * 2)));
}

#[test]
fn failures_between_power_cuts_lose_nothing() {
    for config in both(15) {
        let (mut cuts, mut full) = (0, 0);
        // This trigger programs and erases several times as much per write, and as many more fail.
        let often = config.trigger == Some(RftlTrigger::PrimaryFull);
        let most = if often { 250 } else { 700 };
        for seed in 0..300 {
            let shape = [Shape::new(24, 8, 8), Shape::new(36, 16, 16)][seed as usize % 2];
            let pages = logical_pages(&config, &shape, 0).unwrap();
            let pattern = Pattern::ALL[seed as usize % Pattern::ALL.len()];
            let operations = pattern.sequence(pages, shape.pages_per_block, seed).take(most);
            let mut run = Run::new(config.clone(), pages, operations.collect(), Medium::Failing);
            let mut random = Pcg64::seed_from_u64(seed);
            let mut failing = ProgramEraseFailure::new(shape.array(Store::All, &[]), seed);
            failing.fail_programs(4000);
            failing.fail_erases(2000);
            let array = Shared::new(PowerCut::new(failing));
            loop {
                array.with(|array| {
                    array.restore();
                    array.cut_after(random.random_range(0..80), random.random_bool(0.5));
                });
                match run.go(array.clone()) {
                    Ok(End::Finished) => break,
                    Ok(End::PowerOff) => cuts += 1,
                    Err(Failure::Scheme { error: FtlError::Full { .. }, .. }) => {
                        full += 1;
                        break;
                    }
                    Err(failure) => {
                        panic!("{} {shape} {pattern:?} seed {seed}: {failure}", Described(&config))
                    }
                }
            }
        }
        assert!(cuts > 3000 && full < 30, "{}: {cuts} cuts, {full} full", Described(&config));
    }
}

fn write_until_full(config: &SchemeConfig, array: ProgramEraseFailure<Array>, seed: u64) {
    let mut scheme = format(config, AnyArray::new(array)).unwrap();
    let mut random = Pcg64::seed_from_u64(seed);
    let pages = scheme.logical_pages();
    let error = (0..200_000)
        .find_map(|_| scheme.write(Lpn(random.random_range(0..pages)), None).err())
        .expect("every block fails in the end");
    assert!(matches!(error, FtlError::Full { .. }), "{error}");
    let flash = scheme.flash();
    let blocks = (0..flash.geometry().blocks()).map(BlockId);
    let bad = blocks.filter(|block| flash.is_bad(*block)).count() as u32;
    // The block beyond the spare ones may have failed without an erase so far.
    assert!(bad >= config.spare_blocks, "{error}, though only {bad} blocks are bad");
}

#[test]
fn writes_end_only_when_spare_blocks_do() {
    for config in both(0) {
        for seed in 0..60 {
            for (shape, spare_blocks) in
                [(Shape::new(28, 8, 8), 12), (Shape::new(13, 16, 8), 1), (Shape::new(9, 8, 8), 0)]
            {
                let mut array = ProgramEraseFailure::new(shape.array(Store::Metadata, &[]), seed);
                array.fail_programs(800);
                array.fail_erases(1000);
                write_until_full(&SchemeConfig { spare_blocks, ..config.clone() }, array, seed);
            }
        }
    }
}
