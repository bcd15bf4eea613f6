//! The array of a run, and its counts besides operations and time: copies by path, bit errors.

use super::error::RunError;
use super::setup::Setup;
use crate::report::{BitErrorReport, CopyCount, RefreshReport, RetriedReads, RetryReport};
use flash::faults::{BitErrorModel, BitErrors, RefreshCounts};
use flash::{
    AnyArray, Array, BlockId, Cause, CopyPath, Counts, Flash, Geometry, Ns, ParallelArray, Part,
    Probe, Retries, Serial, SerialArray, Store, WearLevel, wear_level,
};
use ftl::SchemeConfig;

/// The array of a run: in serial time, or on channels.
enum Clocked<'a> {
    Serial(&'a SerialArray),
    Parallel(&'a ParallelArray),
}

impl<'a> Clocked<'a> {
    fn of(array: &'a AnyArray) -> Self {
        let parallel = || array.parallel().map(Self::Parallel);
        let clocked = array.serial().map(Self::Serial).or_else(parallel);
        clocked.expect("a run makes its array itself, of one of these two types")
    }
}

/// Calls a method that both arrays have.
macro_rules! of_either {
    ($flash:expr, $array:ident => $call:expr) => {
        match Clocked::of($flash) {
            Clocked::Serial($array) => $call,
            Clocked::Parallel($array) => $call,
        }
    };
}

/// Operations of a run's array so far.
pub fn counts(flash: &AnyArray) -> &Counts {
    of_either!(flash, array => (**array).counts())
}

/// Busy time of the array, if it counts it.
pub(crate) fn busy_ns(flash: &AnyArray) -> Option<Ns> {
    match Clocked::of(flash) {
        Clocked::Serial(array) => Some((**array).busy_ns()),
        Clocked::Parallel(_) => None,
    }
}

/// Copies that used a path.
fn copies_by(flash: &AnyArray, path: CopyPath) -> u64 {
    of_either!(flash, array => (**array).copies_by(path))
}

/// Corrected bytes that copies transferred again.
fn bytes_sent_again(flash: &AnyArray) -> u64 {
    of_either!(flash, array => (**array).bytes_sent_again())
}

/// The array below the clock.
fn errors(flash: &AnyArray) -> &BitErrors<Array> {
    of_either!(flash, array => (**array).inner())
}

/// RAM that wear levelling needs in a controller, bytes.
pub(crate) fn wear_ram_bytes(flash: &AnyArray) -> u64 {
    let rule = of_either!(flash, array => array.rule());
    rule.map_or(0, |rule| wear_level::ram_bytes(rule, flash.geometry().blocks()))
}

/// Erases of every physical block so far.
pub(crate) fn erases(flash: &AnyArray) -> Vec<u32> {
    let array = errors(flash);
    (0..array.geometry().blocks()).map(|block| array.erase_count(BlockId(block))).collect()
}

/// Adds the scheme's wear levelling to an array.
pub fn levelled<F: Probe>(scheme: &SchemeConfig, array: F) -> WearLevel<F> {
    WearLevel::new(array, scheme.static_wear, scheme.allocation.units(), scheme.seed)
}

/// An array without bit errors or wear levelling that stores no user bytes.
pub fn array_without_errors(geometry: Geometry, part: Part) -> SerialArray {
    plain_array(geometry, part, Store::Metadata)
}

/// An array without bit errors or wear levelling.
pub fn plain_array(geometry: Geometry, part: Part, store: Store) -> SerialArray {
    WearLevel::off(Serial::new(BitErrors::none(Array::new(geometry, part, store))))
}

/// The array of a scheme's run, without a clock.
pub(crate) fn array_of(setup: &Setup) -> Result<BitErrors<Array>, RunError> {
    let array = Array::new(setup.geometry, setup.part.clone(), Store::Metadata);
    let model = match setup.bit_errors {
        None if setup.refresh.are_off() => return Ok(BitErrors::none(array)),
        // Ages and reads are counted where bit errors are.
        None => BitErrorModel::Fixed { bits_per_page: 0, ecc_bits_per_kib: 1 },
        Some(model) => model,
    };
    let errors = BitErrors::new(array, model, setup.seed)?;
    Ok(errors.with_retry(&setup.retry, setup.stated)?.with_refresh(setup.refresh))
}

/// Counts of the array so far, besides operations.
#[derive(Clone, Debug, Default)]
pub(crate) struct Medium {
    copies_by: [u64; CopyPath::ALL.len()],
    corrected_bits: u64,
    bytes_sent_again: u64,
    propagated_bits: u64,
    uncorrectable_reads: u64,
    retries: Retries,
    retried_reads: Vec<u64>,
    reads_beyond: u64,
    refresh: Option<RefreshCounts>,
}

impl Medium {
    pub(super) fn of(flash: &AnyArray) -> Self {
        let errors = errors(flash);
        Self {
            copies_by: CopyPath::ALL.map(|path| copies_by(flash, path)),
            corrected_bits: flash.corrected_bits(),
            bytes_sent_again: bytes_sent_again(flash),
            propagated_bits: errors.propagated_bits(),
            uncorrectable_reads: errors.uncorrectable_reads(),
            retries: flash.retries(),
            retried_reads: errors.retried_reads().to_vec(),
            reads_beyond: errors.reads_beyond(),
            refresh: errors.refresh_counts(),
        }
    }

    /// The counts since `before`.
    pub(super) fn since(&self, before: &Self) -> Self {
        let mut copies_by = self.copies_by;
        copies_by.iter_mut().zip(before.copies_by).for_each(|(now, before)| *now -= before);
        let mut retried_reads = self.retried_reads.clone();
        let counts = retried_reads.iter_mut().zip(&before.retried_reads);
        counts.for_each(|(now, before)| *now -= before);
        Self {
            copies_by,
            corrected_bits: self.corrected_bits - before.corrected_bits,
            bytes_sent_again: self.bytes_sent_again - before.bytes_sent_again,
            propagated_bits: self.propagated_bits - before.propagated_bits,
            uncorrectable_reads: self.uncorrectable_reads - before.uncorrectable_reads,
            retries: self.retries.since(&before.retries),
            retried_reads,
            reads_beyond: self.reads_beyond - before.reads_beyond,
            refresh: self.refresh.zip(before.refresh).map(|(now, before)| RefreshCounts {
                refresh: now.refresh - before.refresh,
                reclaim: now.reclaim - before.reclaim,
                waiting: now.waiting,
            }),
        }
    }

    /// Copies by path, for the paths that this part's copies may take.
    pub(super) fn copies(&self, part: &Part) -> Option<Vec<CopyCount>> {
        let copies = part.copies.as_ref()?;
        let far = (copies.ways > 1).then_some(copies.far.path);
        let counted = |path: &CopyPath| self.copies_by[*path as usize] > 0;
        // If the locations of two blocks do not allow a path, their copies take another one.
        let possible = |path: &CopyPath| *path == copies.near.path || Some(*path) == far;
        let paths = CopyPath::ALL.into_iter().filter(|path| possible(path) || counted(path));
        let count = |path: CopyPath| CopyCount {
            path: path.name().into(),
            copies: self.copies_by[path as usize],
        };
        Some(paths.map(count).collect())
    }

    /// Bit errors, if the array may have any.
    pub(super) fn bit_errors(
        &self,
        setup: &Setup,
        uncorrectable_host_reads: u64,
        [lost_pages, lost_pages_before]: [u64; 2],
    ) -> Option<BitErrorReport> {
        setup.bit_errors.map(|_| BitErrorReport {
            corrected_bits: self.corrected_bits,
            corrected_bytes_sent_again: self.bytes_sent_again,
            propagated_bits: self.propagated_bits,
            uncorrectable_reads: self.uncorrectable_reads,
            uncorrectable_host_reads,
            lost_pages,
            lost_pages_before,
            retry: (!setup.retry.is_off()).then(|| self.retry(setup)),
        })
    }

    /// Refresh and read reclaim, if there are limits.
    pub(super) fn refresh(&self, counts: &Counts) -> Option<RefreshReport> {
        self.refresh.map(|of| RefreshReport {
            refresh_due_blocks: of.refresh,
            reclaim_due_blocks: of.reclaim,
            waiting_blocks: of.waiting,
            refreshed_pages: counts.pages_programmed(Cause::Refresh),
            reclaimed_pages: counts.pages_programmed(Cause::ReadReclaim),
        })
    }

    /// Reads by the steps that they took.
    fn retry(&self, setup: &Setup) -> RetryReport {
        let steps = setup.retry.limits.len();
        let named = |(at, reads): (usize, &u64)| RetriedReads {
            steps: match at {
                at if at <= steps => at.to_string(),
                at if at == steps + 1 => "soft".into(),
                _ => "failed".into(),
            },
            reads: *reads,
        };
        let possible = |(at, _): &(usize, &u64)| *at != steps + 1 || setup.retry.soft.is_some();
        let all = self.retried_reads.iter().enumerate();
        RetryReport {
            reads_by_steps: all.filter(possible).map(named).collect(),
            steps: self.retries.steps,
            soft_decodings: self.retries.soft,
            repeated_reads: self.repeated_reads(&setup.part),
            bound_cycles: setup.stated.map(|stated| stated.cycles),
            bound_age_s: setup.stated.map(|stated| stated.age_s),
            bound_block_reads: setup.stated.map(|stated| stated.reads),
            reads_beyond_bound: self.reads_beyond,
        }
    }

    /// Reads that repeated others.
    pub(super) fn repeated_reads(&self, part: &Part) -> u64 {
        part.retry.map_or(0, |times| times.reads(&self.retries))
    }
}

/// Heap bytes of the array, for memory accounting.
pub fn array_heap_bytes(flash: &AnyArray) -> usize {
    errors(flash).inner().heap_bytes()
}
