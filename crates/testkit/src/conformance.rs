//! The conformance suite: random and adversarial operations on any scheme of the registry, on an array that stores
//! data, checked against the reference model.
//!
//! Each task is checked for three things: the data read; service, collection step and response against the bounds;
//! and that no page is copied or erased wrongly. Some checks run at intervals: valid pages of victims, free pages
//! against the array, and the collection log against itself and the array. All logical pages are read at the end and
//! after each mount.

use crate::buffers;
use crate::checks::{Failure, Worst};
use crate::driver::Medium;
use crate::operations::{Operation, Pattern};
use crate::run::{End, Run};
use crate::shape::Shape;
use crate::shared::Shared;
use crate::watched::Inspect;
use flash::faults::{ProgramEraseFailure, Tearable};
use flash::{BlockId, Store, WearRule};
use ftl::{
    Allocation, BufferPolicy, BufferSettings, CmtEviction, CmtPolicy, CollectionRam, Enqueue,
    FrontierSharing, FtlError, Layout, PlacementKind, Preset, RftlTrigger, SchemeConfig, SlcSize,
    VictimKind, WhenFull, WriteQueue, registry,
};
use std::fmt;

/// Failure rates of the part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    /// Failed programs and copies per million.
    pub programs_per_million: u32,
    /// Failed erases per million.
    pub erases_per_million: u32,
}

/// One test, with all that is needed to repeat it.
#[derive(Clone, Debug)]
pub struct Case {
    /// The scheme.
    pub scheme: SchemeConfig,
    /// The array.
    pub shape: Shape,
    /// Factory bad blocks.
    pub bad: Vec<u32>,
    /// Failures of the part.
    pub faults: Faults,
    /// Pattern of operations.
    pub pattern: Pattern,
    /// Seed of the operations and of the failures.
    pub seed: u64,
    /// Number of operations.
    pub operations: usize,
}

impl Case {
    /// A case on a sound array.
    pub fn new(
        scheme: SchemeConfig,
        shape: Shape,
        pattern: Pattern,
        seed: u64,
        operations: usize,
    ) -> Self {
        Self {
            scheme,
            shape,
            bad: Vec::new(),
            faults: Faults::default(),
            pattern,
            seed,
            operations,
        }
    }

    fn medium(&self) -> Medium {
        if self.faults == Faults::default() { Medium::Sound } else { Medium::Failing }
    }

    /// Logical pages that the scheme exports on this array.
    ///
    /// # Errors
    /// The scheme's error if it refuses the array.
    pub fn logical_pages(&self) -> Result<u32, FtlError> {
        logical_pages(&self.scheme, &self.shape, self.bad.len() as u32)
    }
}

/// Logical pages that a scheme exports on an array with `bad` bad blocks.
///
/// # Errors
/// The scheme's error if it refuses the array.
pub fn logical_pages(scheme: &SchemeConfig, shape: &Shape, bad: u32) -> Result<u32, FtlError> {
    registry::plan(scheme, &shape.part(), &shape.geometry(), shape.blocks - bad)
        .map(|plan| plan.logical_pages)
}

/// The shapes on which the scheme can work with this many bad blocks.
///
/// # Panics
/// If it refuses a shape without naming the fault of the configuration.
pub fn accepted(scheme: &SchemeConfig, shapes: &[Shape], bad: u32) -> Vec<Shape> {
    let accepts = |shape: &&Shape| match logical_pages(scheme, shape, bad) {
        Ok(_) => true,
        Err(FtlError::Config { scheme: name, reason, .. }) => {
            assert!(
                name == scheme.preset.name && !reason.is_empty(),
                "{name} on {shape}: {reason}"
            );
            false
        }
        Err(error) => panic!("{} on {shape}: {error}", Described(scheme)),
    };
    shapes.iter().filter(accepts).copied().collect()
}

/// The scheme with its writes spread over these numbers of channels, ways, dies and planes.
///
/// # Panics
/// If `order` is no allocation order.
pub fn spread(scheme: SchemeConfig, counts: [u16; 4], order: &str) -> SchemeConfig {
    let order = order.parse().expect("an order of allocation");
    SchemeConfig { allocation: Allocation::new(counts, order), ..scheme }
}

/// Presets that [`spread`] affects: those that map all pages in RAM.
pub fn page_mapped() -> Vec<&'static Preset> {
    let shape = Shape::new(48, 8, 8);
    let is_page_mapped = |preset: &&'static Preset| {
        let scheme = SchemeConfig::preset(preset);
        registry::plan(&scheme, &shape.part(), &shape.geometry(), shape.blocks)
            .is_ok_and(|plan| matches!(plan.layout, Layout::PageMapped(_)))
    };
    registry::REGISTRY.iter().copied().filter(is_page_mapped).collect()
}

/// The preset with collection in idle time, if it supports that.
pub fn with_idle(preset: &'static Preset) -> SchemeConfig {
    let idle_collection = preset.settings.contains(&"idle");
    SchemeConfig { idle_collection, ..SchemeConfig::preset(preset) }
}

/// The preset itself, and variants with other values for each of its settings.
///
/// # Panics
/// If the preset has a setting that is unknown here.
pub fn variants(preset: &'static Preset) -> Vec<SchemeConfig> {
    let plain = SchemeConfig::preset(preset);
    let mut variants = vec![plain.clone()];
    let rules = [WearRule::Gap(1), WearRule::BlockErasingTable { threshold: 2, set_bits: 1 }];
    let levelled = rules.map(|rule| SchemeConfig { static_wear: Some(rule), ..plain.clone() });
    variants.extend(levelled);
    for setting in preset.settings {
        match *setting {
            "victim" => {
                // A preset's own policy is among them, so one variant equals the preset.
                let with = |victim| SchemeConfig { victim: Some(victim), ..plain.clone() };
                variants.extend(VictimKind::each(3).map(with));
            }
            "idle" => variants.push(SchemeConfig { idle_collection: true, ..plain.clone() }),
            "cmt" => {
                let sizes = [64, 256].map(Some);
                variants.extend(sizes.map(|cmt_bytes| SchemeConfig { cmt_bytes, ..plain.clone() }));
            }
            "cmt_policy" => {
                let cmt_policy = Some(CmtPolicy::SegmentedLru);
                variants.push(SchemeConfig { cmt_policy, ..plain.clone() });
            }
            "cmt_evict" => {
                // With the scheme's own table, and with one that evicts all the time.
                let ways = [CmtEviction::Page, CmtEviction::Reads, CmtEviction::Mapping].map(Some);
                let with = |(cmt_eviction, cmt_bytes)| SchemeConfig {
                    cmt_eviction,
                    cmt_bytes,
                    ..plain.clone()
                };
                let each = ways.into_iter().flat_map(|way| [(way, None), (way, Some(64))]);
                variants.extend(each.map(with));
            }
            "merge" => {
                // Also with a table from which entries are evicted all the time.
                let with =
                    |cmt_bytes| SchemeConfig { merges_map: true, cmt_bytes, ..plain.clone() };
                variants.extend([None, Some(64)].map(with));
            }
            "one_pool" => {
                // Also with a table from which entries are evicted all the time.
                let with = |cmt_bytes| SchemeConfig { one_pool: true, cmt_bytes, ..plain.clone() };
                variants.extend([None, Some(64)].map(with));
            }
            "threshold" => {
                let percents = [0, 50, 100].map(Some);
                let with = |queue_threshold_percent| SchemeConfig {
                    queue_threshold_percent,
                    ..plain.clone()
                };
                variants.extend(percents.map(with));
            }
            "folds" => {
                let counts = [2, 5].map(Some);
                variants.extend(counts.map(|folds| SchemeConfig { folds, ..plain.clone() }));
            }
            "log_blocks" => {
                let counts = [1, 2, 3].map(Some);
                variants
                    .extend(counts.map(|log_blocks| SchemeConfig { log_blocks, ..plain.clone() }));
            }
            "superblock" => {
                let sizes = [1, 2, 32].map(Some);
                variants
                    .extend(sizes.map(|superblock| SchemeConfig { superblock, ..plain.clone() }));
            }
            "alpha" => {
                // With the victims and the dirty pages that it is about.
                let buffer = BufferSettings {
                    policy: Some(Some(BufferPolicy::THREE_REGION)),
                    aware: Some(true),
                    ..BufferSettings::default()
                };
                let victim = Some(VictimKind::GREEDY);
                let with = |alpha_thousandths| SchemeConfig {
                    alpha_thousandths,
                    buffer,
                    victim,
                    ..plain.clone()
                };
                variants.extend([0, 1_000_000].map(Some).map(with));
            }
            "frontiers" => {
                let both = [FrontierSharing::Split, FrontierSharing::Shared].map(Some);
                variants.extend(both.map(|frontiers| SchemeConfig { frontiers, ..plain.clone() }));
            }
            "refill" => {
                let frontiers = Some(FrontierSharing::Shared);
                let with = |refill| SchemeConfig { refill, frontiers, ..plain.clone() };
                variants.extend([1, 2].map(Some).map(with));
            }
            "placement" => {
                let with = |kind: PlacementKind| {
                    let own = kind.policy().victims.iter().copied().map(Some);
                    let with = |victim: Option<VictimKind>| SchemeConfig {
                        placement: Some(kind),
                        victim: victim.or(plain.victim),
                        ..plain.clone()
                    };
                    [None].into_iter().chain(own).map(with).collect::<Vec<_>>()
                };
                // One page-mapped scheme is tried with each; of the others, those of the first papers show that they take any.
                let some = ["none", "split", "dac", "sepbit"];
                let tried = |kind: &PlacementKind| {
                    plain.preset.name == "page-level" || some.contains(&kind.policy().name)
                };
                variants.extend(PlacementKind::each().filter(tried).flat_map(with));
            }
            "slc" => {
                let sizes = [SlcSize::Static(150_000), SlcSize::Static(400_000), SlcSize::Dynamic];
                let with = |slc| SchemeConfig { slc: Some(slc), ..plain.clone() };
                variants.extend(sizes.map(with));
            }
            "slc_full" => {
                let sizes = [SlcSize::Static(200_000), SlcSize::Dynamic].map(Some);
                let slc_full = Some(WhenFull::Fold);
                variants.extend(sizes.map(|slc| SchemeConfig { slc, slc_full, ..plain.clone() }));
            }
            "aware" => {
                let aware = BufferSettings {
                    policy: Some(Some(BufferPolicy::LRU)),
                    aware: Some(true),
                    ..BufferSettings::default()
                };
                variants.push(SchemeConfig { buffer: aware, ..plain.clone() });
            }
            "queue" => {
                // The length printed in its paper is too short, as the search shows.
                let write_queue = Some(WriteQueue::Proven);
                variants.push(SchemeConfig { write_queue, ..plain.clone() });
            }
            "ram" => {
                let collection_ram = Some(CollectionRam::Collection);
                variants.push(SchemeConfig { collection_ram, ..plain.clone() });
            }
            "enqueue" => {
                let enqueue = Some(Enqueue::Overflow);
                variants.push(SchemeConfig { enqueue, ..plain.clone() });
                let collection_ram = Some(CollectionRam::Collection);
                variants.push(SchemeConfig { enqueue, collection_ram, ..plain.clone() });
            }
            "trigger" => {
                let all = [RftlTrigger::PrimaryFull, RftlTrigger::Pages(3), RftlTrigger::Late];
                let all = all.map(Some);
                variants.extend(all.map(|trigger| SchemeConfig { trigger, ..plain.clone() }));
            }
            other => panic!("no variant of `{other}` of {}: add one here", preset.name),
        }
    }
    variants
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", Described(&self.scheme))?;
        write!(f, " on {}, bad {:?}, {:?}", self.shape, self.bad, self.faults)?;
        write!(f, ", {:?} seed {} x {}", self.pattern, self.seed, self.operations)
    }
}

/// Displays a scheme's configuration on one line.
pub struct Described<'a>(pub &'a SchemeConfig);

impl fmt::Display for Described<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SchemeConfig {
            preset,
            victim,
            logical_pages,
            idle_collection,
            cmt_bytes,
            cmt_policy,
            cmt_eviction,
            merges_map,
            one_pool,
            queue_threshold_percent,
            write_queue,
            collection_ram,
            enqueue,
            folds,
            zone_bytes,
            max_open,
            max_active,
            trigger,
            log_blocks,
            superblock,
            alpha_thousandths,
            frontiers,
            refill,
            placement,
            future: _,
            slc,
            slc_full,
            buffer,
            spare_blocks,
            allocation,
            reclaim_groups,
            processor,
            static_wear,
            dynamic_wear,
            refresh,
            seed,
        } = self.0;
        write!(f, "{}", preset.name)?;
        let set = [
            ("victim", victim.map(|victim| victim.to_string())),
            ("logical pages", logical_pages.map(|pages| pages.to_string())),
            ("idle", idle_collection.then(String::new)),
            ("refresh", refresh.then(String::new)),
            ("cmt bytes", cmt_bytes.map(|bytes| bytes.to_string())),
            ("cmt policy", cmt_policy.map(|policy| format!("{policy:?}"))),
            ("cmt evict", cmt_eviction.map(|eviction| format!("{eviction:?}"))),
            ("merge", merges_map.then(String::new)),
            ("one pool", one_pool.then(String::new)),
            ("threshold %", queue_threshold_percent.map(|percent| percent.to_string())),
            ("queue", write_queue.map(|queue| format!("{queue:?}"))),
            ("ram", collection_ram.map(|ram| format!("{ram:?}"))),
            ("enqueue", enqueue.map(|moment| format!("{moment:?}"))),
            ("folds", folds.map(|folds| folds.to_string())),
            ("zone bytes", zone_bytes.map(|bytes| bytes.to_string())),
            ("max open", max_open.map(|zones| zones.to_string())),
            ("max active", max_active.map(|zones| zones.to_string())),
            ("trigger", trigger.map(|trigger| format!("{trigger:?}"))),
            ("log blocks", log_blocks.map(|blocks| blocks.to_string())),
            ("superblock", superblock.map(|blocks| blocks.to_string())),
            ("alpha", alpha_thousandths.map(|alpha| format!("{alpha} thousandths"))),
            ("refill", refill.map(|blocks| blocks.to_string())),
            ("frontiers", frontiers.map(|frontiers| format!("{frontiers:?}"))),
            ("placement", placement.map(|placement| placement.to_string())),
            ("slc", slc.map(|size| format!("{size:?}"))),
            ("slc full", slc_full.map(|full| full.to_string())),
            ("", (*allocation != Allocation::default()).then(|| format!("{allocation:?}"))),
            ("reclaim groups", reclaim_groups.then(String::new)),
            ("", static_wear.map(|rule| format!("{rule:?}"))),
            ("dynamic wear", dynamic_wear.map(|on| on.to_string())),
            ("", processor.map(|processor| format!("{processor:?}"))),
            ("", (*buffer != BufferSettings::default()).then(|| buffers::described(buffer))),
        ];
        for (name, value) in set {
            if let Some(value) = value {
                write!(f, " {name} {value}")?;
            }
        }
        write!(f, " spare {spare_blocks} seed {seed}")
    }
}

/// Reason why a case did not pass.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Verdict {
    /// The scheme refuses the array: an error in the configuration, not a failed test.
    #[error("refused: {0}")]
    Refused(FtlError),
    /// A write found no room after grown bad blocks had used up all spare ones. The test ended early but did not
    /// fail.
    #[error("{case}: operation {at}: no room, no spare block is left")]
    WornOut {
        /// The case, for repetition.
        case: String,
        /// Index of the operation.
        at: usize,
    },
    /// The test failed.
    #[error("{case}: operation {at}: {failure}")]
    Failed {
        /// The case, for repetition.
        case: String,
        /// Index of the operation.
        at: usize,
        /// The fault.
        failure: Box<Failure>,
    },
}

/// Runs one case.
///
/// # Errors
/// The verdict, if the case did not pass.
pub fn conform(case: &Case) -> Result<Worst, Verdict> {
    conform_on(case, &|case| case.shape.array(Store::All, &case.bad))
}

/// Runs one case on another array, of which `array` makes an erased one of the case's shape with its bad blocks.
///
/// # Errors
/// The verdict, if the case did not pass.
pub fn conform_on<A: Inspect + Tearable + Clone>(
    case: &Case,
    array: &dyn Fn(&Case) -> A,
) -> Result<Worst, Verdict> {
    let logical_pages = case.logical_pages().map_err(Verdict::Refused)?;
    let mut operations: Vec<Operation> = case
        .pattern
        .sequence(logical_pages, case.shape.pages_per_block, case.seed)
        .take(case.operations)
        .collect();
    operations.push(Operation::Remount);
    let run = Run::new(case.scheme.clone(), logical_pages, operations, case.medium())
        .accounts_every((case.shape.blocks as usize / 4).max(61));
    let array = array(case);
    if case.medium() == Medium::Sound {
        return drive(case, run, Shared::new(array));
    }
    let mut array = ProgramEraseFailure::new(array, case.seed);
    array.fail_programs(case.faults.programs_per_million);
    array.fail_erases(case.faults.erases_per_million);
    drive(case, run, Shared::new(array))
}

fn drive<F: Inspect>(case: &Case, mut run: Run, array: Shared<F>) -> Result<Worst, Verdict> {
    let failed = |run: &Run, failure| Verdict::Failed {
        case: case.to_string(),
        at: run.at(),
        failure: Box::new(failure),
    };
    match run.go(array.clone()) {
        Ok(End::Finished) => {
            check_bad(case, &array).map_err(|failure| failed(&run, failure))?;
            Ok(*run.worst())
        }
        Ok(End::PowerOff) => {
            Err(failed(&run, Failure::Account("the power failed, though nothing cuts it".into())))
        }
        Err(Failure::Scheme { error: FtlError::Full { .. }, .. })
            if bad_blocks(&array) > case.bad.len() as u32
                && bad_blocks(&array) >= case.scheme.spare_blocks =>
        {
            Err(Verdict::WornOut { case: case.to_string(), at: run.at() })
        }
        Err(failure) => Err(failed(&run, failure)),
    }
}

fn bad_blocks(array: &dyn Inspect) -> u32 {
    (0..array.geometry().blocks()).filter(|block| array.is_bad(BlockId(*block))).count() as u32
}

/// Checks that factory bad blocks were not used.
fn check_bad(case: &Case, array: &dyn Inspect) -> Result<(), Failure> {
    let used = |block: &&u32| {
        array.next_page(BlockId(**block)) > 0 || array.erase_count(BlockId(**block)) > 0
    };
    match case.bad.iter().find(used) {
        Some(block) => {
            Err(Failure::Account(format!("block {block} is bad from the factory but was used")))
        }
        None => Ok(()),
    }
}
