//! Page writes that run together because each is a program and nothing else: the same as one by one.

use crate::bench::{Failing, preset};
use flash::faults::{BitErrors, ProgramEraseFailure};
use flash::parts::EVALUATION_SLC;
use flash::{
    AnyArray, Array, Cause, Flash, Geometry, Lpn, Part, Ppn, Probe, Serial, Store, WearLevel,
};
use ftlkit_ftl::buffer::BufferPolicy;
use ftlkit_ftl::{
    AnyScheme, Asks, Done, FrontierSharing, HostClock, PLACEMENT_POLICIES, PageTask, SchemeConfig,
    TaskKind, VictimKind, registry,
};
use proptest::prelude::*;

const BLOCKS: u32 = 24;
const PAGES_PER_BLOCK: u32 = 40;
/// As many as fit beside a map on flash.
const LOGICAL_PAGES: u32 = 430;

fn part() -> Part {
    Part { pages_per_block: PAGES_PER_BLOCK, page_bytes: 8, ..EVALUATION_SLC.clone() }
}

fn array() -> Array {
    let geometry = Geometry::new(BLOCKS, PAGES_PER_BLOCK, 8).unwrap();
    Array::new(geometry, part(), Store::Metadata)
}

/// The array in serial time, on which writes run together.
fn together() -> AnyArray {
    AnyArray::new(WearLevel::off(Serial::new(BitErrors::none(array()))))
}

/// The same operations and times, on an array of which programs might fail: each write alone.
fn alone() -> AnyArray {
    AnyArray::new(Failing::new(ProgramEraseFailure::new(array(), 1)))
}

fn configs() -> Vec<SchemeConfig> {
    let of = |name, change: &dyn Fn(&mut SchemeConfig)| {
        let mut config = preset(name);
        config.logical_pages = Some(LOGICAL_PAGES);
        change(&mut config);
        config
    };
    let victim = |kind| move |config: &mut SchemeConfig| config.victim = Some(kind);
    vec![
        of("page-level", &|_| {}),
        of("page-level", &|config| config.frontiers = Some(FrontierSharing::Shared)),
        of("page-level", &|config| {
            config.frontiers = Some(FrontierSharing::Shared);
            config.refill = Some(2);
        }),
        of("page-level", &|config| config.spare_blocks = 2),
        of("page-level", &|config| config.dynamic_wear = Some(false)),
        of("page-level", &|config| {
            let sepbit = PLACEMENT_POLICIES.iter().find(|policy| policy.name == "sepbit");
            config.placement = Some(sepbit.unwrap().kind(&[]).unwrap());
        }),
        of("page-level", &|config| {
            config.buffer.policy = Some(Some(BufferPolicy::LRU));
            config.buffer.bytes = Some(24 * 8);
        }),
        of("page-level", &victim(VictimKind::COST_BENEFIT)),
        of("page-level", &victim(VictimKind::FIFO)),
        of("fsr", &victim(VictimKind::COST_AGE_TIMES)),
        of("2lgc", &|_| {}),
        of("lazy-rtgc", &|_| {}),
        of("dftl", &|_| {}),
        of("fast", &|_| {}),
    ]
}

/// All that a host, a report or a later mount can see.
fn seen(scheme: &mut AnyScheme) -> impl PartialEq + std::fmt::Debug + use<> {
    let pages = scheme.flash().geometry().pages();
    let of_array: Vec<_> =
        (0..pages).map(|page| scheme.flash_mut().read_oob(Ppn(page), Cause::Host)).collect();
    let erases: Vec<u32> =
        (0..BLOCKS).map(|block| scheme.flash().erase_count(flash::BlockId(block))).collect();
    let counts = match scheme.flash().serial() {
        Some(array) => *array.counts(),
        None => *scheme.flash().downcast_ref::<Failing>().unwrap().counts(),
    };
    let told = scheme.telemetry();
    let told = (counts, told.collections.clone(), told.victim_work, scheme.free_pages());
    (of_array, erases, format!("{told:?}"), format!("{:?}", scheme.inspect()))
}

/// A piece of work of a number: mostly writes, of few pages again and again.
fn piece((kind, lpn): (u8, u32)) -> PageTask {
    let page = |kind| PageTask::page(kind, lpn);
    match kind {
        0..90 => page(TaskKind::Write),
        90..93 => PageTask { lpn: lpn % 5, ..page(TaskKind::Write) },
        93 => PageTask { forced: true, ..page(TaskKind::Write) },
        94..97 => page(TaskKind::Read),
        97..99 => page(TaskKind::Trim),
        _ => PageTask { asks: Asks::Flush, lpn: 0, ..page(TaskKind::Read) },
    }
}

/// Runs work in batches of these lengths; results of the pieces, and the first error with its place.
fn ran(
    scheme: &mut AnyScheme,
    work: &[PageTask],
    lengths: &[usize],
) -> (Vec<String>, HostClock, Option<(usize, String)>) {
    let (mut clock, mut all, mut from) = (HostClock::default(), Vec::new(), 0);
    for length in lengths.iter().cycle() {
        let to = work.len().min(from + length);
        let mut done = vec![Done::default(); to - from];
        let ended = scheme.run(work, from..to, &mut clock, &mut done);
        let complete = ended.as_ref().map_or_else(|(at, _)| *at, |()| to - from);
        all.extend(done[..complete].iter().map(|done| format!("{done:?}")));
        if let Err((at, error)) = ended {
            return (all, clock, Some((from + at, error.to_string())));
        }
        from = to;
        if from == work.len() {
            break;
        }
    }
    (all, clock, None)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn together_is_as_one_by_one(
        at in 0..configs().len(),
        pieces in prop::collection::vec((0..100_u8, 0..LOGICAL_PAGES), 1..4000),
        lengths in prop::collection::vec(1..200_usize, 1..6),
        beyond in prop::option::weighted(0.2, 0..4000_usize),
    ) {
        let config = &configs()[at];
        let mut work: Vec<PageTask> = pieces.into_iter().map(piece).collect();
        if let Some(at) = beyond && at < work.len() {
            work[at] = PageTask::page(TaskKind::Write, u32::MAX - 7);
        }
        let mut both = [together(), alone()].map(|array| {
            let mut scheme = registry::format(config, array).unwrap();
            let (done, clock, error) = ran(&mut *scheme, &work, &lengths);
            let clock = (clock.now_ns, clock.idle);
            (done, clock, error, scheme.flash().worked(), seen(&mut *scheme), scheme)
        });
        let [(.., one), (.., other)] = &mut both;
        prop_assert_eq!(one.state(), other.state());
        let [one, other] = both;
        prop_assert_eq!(one.0, other.0);
        prop_assert_eq!((one.1, one.2, one.3), (other.1, other.2, other.3));
        prop_assert_eq!(one.4, other.4);
    }
}

/// Else the test above would compare nothing.
#[test]
fn writes_of_collectors_of_whole_blocks_run_together_where_nothing_can_fail() {
    let work: Vec<PageTask> = (0..60).map(|lpn| PageTask::page(TaskKind::Write, lpn % 7)).collect();
    let written = |name: &str, array: AnyArray| {
        let mut scheme = registry::format(&preset(name), array).unwrap();
        // The first page opens a block.
        scheme.write(Lpn(9), None).unwrap();
        let most = scheme.plain_writes().min(work.len());
        scheme.write_plain(&work[..most], &work)
    };
    for name in ["page-level", "fsr", "2lgc"] {
        assert!(written(name, together()) > 1, "{name}");
        assert_eq!(written(name, alone()), 0, "{name}");
    }
    // Each write of these has a step of its own, or a map to look up.
    for name in ["lazy-rtgc", "dftl", "fast"] {
        assert_eq!(written(name, together()), 0, "{name}");
    }
}
