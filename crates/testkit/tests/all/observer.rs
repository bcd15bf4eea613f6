//! What schemes tell an observer: events of their decisions, and their state between two tasks. The suites compare the
//! state with the model and the array, and events with operations; here every scheme must tell something at all.

use crate::scheme;
use flash::faults::{PowerCut, ProgramEraseFailure};
use flash::{AnyArray, FlashError, Store};
use ftl::{BlockUse, FtlError, Place, Preset, SchemeConfig, SlcSize, WhenFull, registry};
use ftlkit_testkit::bench::{AnyScheme, bench_for, bench_of};
use ftlkit_testkit::buffers::{buffered, every_buffer};
use ftlkit_testkit::checks::Failure;
use ftlkit_testkit::conformance::{accepted, logical_pages};
use ftlkit_testkit::driver::{Driver, Medium, Stop};
use ftlkit_testkit::model::Model;
use ftlkit_testkit::operations::Pattern;
use ftlkit_testkit::run::durable_after;
use ftlkit_testkit::shape::{SLC_SHAPES, Shape, shapes_for};
use ftlkit_testkit::shared::Shared;
use ftlkit_testkit::watched::Inspect;
use std::collections::BTreeSet;

/// Operations of a run.
const OPERATIONS: usize = 700;

/// Operations between two power cuts.
const BETWEEN_CUTS: usize = 53;

/// Names that runs told: events, roles of blocks, and lists that held something.
#[derive(Default)]
struct Seen {
    events: BTreeSet<&'static str>,
    roles: BTreeSet<&'static str>,
    lists: BTreeSet<&'static str>,
    in_ram: bool,
}

impl Seen {
    /// Runs a pattern on a sound array.
    fn run(&mut self, config: &SchemeConfig, shape: &Shape, pattern: Pattern) {
        let array = Shared::new(shape.array(Store::All, &[]));
        self.go(config, shape, pattern, Medium::Sound, &array, |_, _| {});
    }

    /// As [`Seen::run`], with the power cut again and again.
    fn run_with_cuts(&mut self, config: &SchemeConfig, shape: &Shape, pattern: Pattern) {
        let array = Shared::new(PowerCut::new(shape.array(Store::All, &[])));
        self.go(config, shape, pattern, Medium::Sound, &array, |array, at| {
            if array.is_off() {
                array.restore();
            } else if at % BETWEEN_CUTS == 0 {
                array.cut_after((at / BETWEEN_CUTS % 9) as u64, at % 2 == 0);
            }
        });
    }

    /// Runs a pattern, and compares the state after every operation and every mount. `before` changes the array before each
    /// operation, and after the power failed.
    fn go<F: Inspect>(
        &mut self,
        config: &SchemeConfig,
        shape: &Shape,
        pattern: Pattern,
        medium: Medium,
        array: &Shared<F>,
        before: impl Fn(&mut F, usize),
    ) where
        Shared<F>: Inspect + Clone,
    {
        let pages = logical_pages(config, shape, 0).unwrap();
        let mut model = Model::new(pages);
        model.durable_after(durable_after(config, array));
        let operations: Vec<_> =
            pattern.sequence(pages, shape.pages_per_block, 5).take(OPERATIONS).collect();
        let what = |at: usize| {
            let buffer = config.buffer.policy.flatten().map(|policy| policy.name);
            format!("{} {buffer:?} {shape:?} {pattern:?} {at}", config.preset.name)
        };
        let bench = bench_for(config, array.clone());
        let mut scheme = registry::format(config, AnyArray::new(bench)).unwrap();
        let mut at = 0;
        loop {
            let mut driver = Driver::new(scheme, &mut model, medium).unwrap();
            self.look(&driver, &what(at));
            let mut failed = false;
            while let Some(operation) = operations.get(at) {
                at += 1;
                array.with(|array| before(array, at));
                match driver.apply(*operation) {
                    Ok(()) => {}
                    Err(Stop::PowerOff) => failed = true,
                    // Torn and failed pages may leave no room for a write.
                    Err(Stop::Failed(Failure::Scheme { error: FtlError::Full { .. }, .. })) => {
                        return;
                    }
                    Err(Stop::Failed(failure)) => panic!("{} {operation:?}: {failure}", what(at)),
                }
                if failed || operation.remounts() {
                    break;
                }
                self.look(&driver, &what(at));
            }
            self.note_events(driver.scheme());
            drop(driver);
            if at == operations.len() {
                return;
            }
            if failed {
                model.power_failed();
                array.with(|array| before(array, at));
            }
            model.mounted();
            let bench = bench_for(config, array.clone());
            scheme = match registry::mount(config, AnyArray::new(bench)) {
                // The next cut came within the mount.
                Err(FtlError::Flash(FlashError::PowerOff)) => return,
                mounted => mounted.unwrap_or_else(|error| panic!("{}: {error}", what(at))),
            };
        }
    }

    fn look(&mut self, driver: &Driver<'_>, what: &str) {
        driver.check_state().unwrap_or_else(|failure| panic!("{what}: {failure}"));
        let state = driver.scheme().inspect();
        self.roles.extend(state.blocks.iter().map(|block| block.role));
        let held = state.lists.iter().filter(|list| !list.items.is_empty());
        self.lists.extend(held.map(|list| list.name));
        self.in_ram |= state.map.contains(&Place::Ram);
        self.note_events(driver.scheme());
    }

    fn note_events(&mut self, scheme: &AnyScheme) {
        self.events.extend(bench_of(scheme).inner().events().keys());
    }

    #[track_caller]
    fn must_tell(&self, of: &str, [events, roles, lists]: [&[&str]; 3]) {
        let all = [
            ("event", events, &self.events),
            ("role", roles, &self.roles),
            ("list", lists, &self.lists),
        ];
        for (kind, wanted, told) in all {
            for name in wanted {
                assert!(told.contains(name), "{of}: no {kind} `{name}` in {told:?}");
            }
        }
    }
}

/// Events, roles and lists that a scheme must tell.
fn told_by(name: &str) -> [&'static [&'static str]; 3] {
    const PAGE_MAPPED: [&[&str]; 3] = [
        &["victim"],
        &[BlockUse::FREE, BlockUse::FRONTIER, BlockUse::FULL],
        &["free pages", "threshold", "frontiers", "free blocks", "candidates"],
    ];
    const IN_STEPS: [&[&str]; 3] = [
        &["victim", "collection-step"],
        &[BlockUse::FREE, BlockUse::FRONTIER, BlockUse::FULL, BlockUse::VICTIM],
        &["free pages", "threshold", "frontiers", "free blocks", "candidates", "victim"],
    ];
    const LOG_BLOCKS: &[&str] =
        &["block-opened", "switch-merge", "partial-merge", "full-merge", "merge-end"];
    const GFTL: [&[&str]; 3] = [
        &[
            "block-opened",
            "block-queued",
            "victim",
            "collection-step",
            "page-held",
            "data-block-replaced",
            "obsolete-block",
        ],
        &[BlockUse::FREE, BlockUse::DATA, BlockUse::VICTIM, BlockUse::WRITE_QUEUE, BlockUse::IMAGE],
        &["collection", "collection queue", "write queue", "pages in RAM", "free blocks"],
    ];
    match name {
        "page-level" | "fsr" => PAGE_MAPPED,
        "lazy-rtgc" => IN_STEPS,
        "2lgc" => [
            IN_STEPS[0],
            IN_STEPS[1],
            &["free pages", "frontiers", "free blocks", "candidate list", "full blocks", "victim"],
        ],
        "nftl" => [
            &["block-opened", "fold", "fold-end"],
            &[BlockUse::FREE, BlockUse::DATA, BlockUse::REPLACEMENT],
            &["replacement blocks", "free blocks"],
        ],
        "gftl" | "gftl-priority" | "gftl-threshold" => GFTL,
        "rftl" => [
            &["victim", "collection-step", "roles-changed"],
            &[BlockUse::DATA, BlockUse::BUFFER, BlockUse::REPLACEMENT, BlockUse::VICTIM],
            &["copying", "draining"],
        ],
        "dftl" => [
            &["victim", "cmt-hit", "cmt-miss", "cmt-eviction", "map-write-back"],
            &[BlockUse::FREE, BlockUse::FRONTIER, BlockUse::FULL, BlockUse::TRANSLATION],
            &["CMT", "dirty entries", "GTD", "candidates", "translation frontiers"],
        ],
        "lazy-rtgc-on-demand" => [
            &["victim", "collection-step", "cmt-hit", "cmt-miss", "map-write-back"],
            &[BlockUse::FRONTIER, BlockUse::FULL, BlockUse::VICTIM, BlockUse::TRANSLATION],
            &["CMT", "dirty entries", "GTD", "candidates", "translation frontiers", "victim"],
        ],
        "bast" => [
            LOG_BLOCKS,
            &[BlockUse::FREE, BlockUse::DATA, BlockUse::LOG],
            &["log blocks", "log map", "free blocks"],
        ],
        "fast" => [
            LOG_BLOCKS,
            &[BlockUse::FREE, BlockUse::DATA, BlockUse::LOG, BlockUse::SEQUENTIAL_LOG],
            &["log blocks", "sequential log block", "log map", "free blocks"],
        ],
        "ba-gc" => [
            &[
                "block-opened",
                "full-merge",
                "merge-end",
                "log-block-merged",
                "page-from-buffer",
                "buffer-write",
                "buffer-unit",
                "buffer-eviction",
            ],
            &[BlockUse::FREE, BlockUse::DATA, BlockUse::LOG],
            &["log blocks", "associated logical blocks", "to-be-evicted region", "dirty pages"],
        ],
        "superblock" => [
            &["block-opened", "superblock-chosen", "victim"],
            &[BlockUse::FREE, BlockUse::FRONTIER, BlockUse::DATA],
            &["frontiers", "candidates", "free blocks"],
        ],
        other => panic!("`{other}` is not in this table: name what it must tell"),
    }
}

/// Accepted shapes on which a run takes little time.
fn small_shapes(config: &SchemeConfig) -> Vec<Shape> {
    let shapes = accepted(config, shapes_for(config), 0);
    let small: Vec<Shape> = shapes.into_iter().filter(|shape| shape.blocks <= 64).collect();
    assert!(small.len() > 1, "{}: {small:?}", config.preset.name);
    small
}

fn tells(preset: &'static Preset) {
    let config = SchemeConfig::preset(preset);
    let mut seen = Seen::default();
    for shape in small_shapes(&config) {
        Pattern::ALL.into_iter().for_each(|pattern| seen.run(&config, &shape, pattern));
    }
    seen.must_tell(preset.name, told_by(preset.name));
}

of_each_scheme! { every_scheme: tells }

fn tells_of_mounts(preset: &'static Preset) {
    let config = SchemeConfig::preset(preset);
    let mut seen = Seen::default();
    for shape in small_shapes(&config) {
        for pattern in [Pattern::Uniform, Pattern::HotCold, Pattern::Sequential] {
            seen.run_with_cuts(&config, &shape, pattern);
        }
    }
    let found = ["found-open-block", "found-block"];
    assert!(found.iter().any(|name| seen.events.contains(name)), "{:?}", seen.events);
    assert!(seen.events.contains("found-torn-page"), "{:?}", seen.events);
}

of_each_scheme! { mounts: tells_of_mounts }

#[test]
fn every_buffer_of_every_scheme_tells_where_its_pages_are() {
    let mut seen = Seen::default();
    for preset in registry::REGISTRY {
        let shape = small_shapes(&SchemeConfig::preset(preset))[0];
        for buffer in every_buffer(preset, &shape) {
            let config = buffered(preset, buffer);
            if !accepted(&config, &[shape], 0).is_empty() {
                seen.run(&config, &shape, Pattern::Uniform);
                seen.run_with_cuts(&config, &shape, Pattern::HotCold);
            }
        }
    }
    assert!(seen.in_ram);
    let events = [
        "buffer-write",
        "buffer-read",
        "buffer-eviction",
        "buffer-unit",
        "buffer-age",
        "buffer-flush",
        "buffer-padding",
        "buffer-through",
        "page-from-buffer",
    ];
    let lists = [
        "dirty pages",
        "write buffer",
        "clean window",
        "dirty window",
        "working region",
        "to-be-evicted region",
        "initial region",
        "to-be-updated region",
    ];
    seen.must_tell("buffers", [&events, &[], &lists]);
}

#[test]
fn an_slc_cache_tells_its_blocks_and_folds() {
    let mut seen = Seen::default();
    for full in [WhenFull::Direct, WhenFull::Fold] {
        for size in [SlcSize::Static(350_000), SlcSize::Dynamic] {
            let (slc, slc_full) = (Some(size), Some(full));
            let config = SchemeConfig { slc, slc_full, ..scheme("page-level") };
            for shape in accepted(&config, SLC_SHAPES, 0) {
                seen.run(&config, &shape, Pattern::Uniform);
                seen.run_with_cuts(&config, &shape, Pattern::HotCold);
            }
        }
    }
    let events = ["slc-block", "slc-fold", "slc-cache-full"];
    seen.must_tell("slc", [&events, &[BlockUse::SLC], &["SLC frontiers", "SLC blocks to fold"]]);
}

#[test]
fn blocks_that_go_bad_are_told() {
    for preset in registry::REGISTRY {
        let config = SchemeConfig { spare_blocks: 4, ..SchemeConfig::preset(preset) };
        let mut seen = Seen::default();
        for shape in
            accepted(&config, shapes_for(&config), 0).iter().filter(|shape| shape.blocks <= 64)
        {
            let mut failing = ProgramEraseFailure::new(shape.array(Store::All, &[]), 3);
            failing.fail_programs(8_000);
            failing.fail_erases(8_000);
            let array = Shared::new(failing);
            seen.go(&config, shape, Pattern::FillThenOverwrite, Medium::Failing, &array, |_, _| {});
        }
        seen.must_tell(preset.name, [&["retired-block"], &[BlockUse::BAD], &[]]);
    }
}

#[test]
fn every_victim_policy_tells_its_candidates() {
    for victim in ftl::VictimKind::each(3) {
        let config = SchemeConfig { victim: Some(victim), ..scheme("page-level") };
        let mut seen = Seen::default();
        let shape = small_shapes(&config)[0];
        seen.run(&config, &shape, Pattern::Uniform);
        let lists = ["candidates", "window", "full blocks", "very dirty"];
        assert!(lists.iter().any(|list| seen.lists.contains(list)), "{victim}: {:?}", seen.lists);
    }
}
