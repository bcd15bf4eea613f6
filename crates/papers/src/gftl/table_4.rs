//! Table IV: characteristics of the benchmarks, counted in the generated requests.

use super::paper::{CONSUMER, TABLE_IV};
use crate::observer::ReproductionObserver;
use crate::settings::Settings;
use crate::sheet::{Outcome, Sheet};
use flash::parts::SAMSUNG_LARGE_BLOCK;
use workload::{Op, Space, WorkloadError, WorkloadSpec};

/// Reads, writes and sector range of a workload.
#[derive(Clone, Copy, Debug)]
struct Counted {
    reads: u64,
    writes: u64,
    first: u64,
    last: u64,
}

/// Requests read at a time.
const BATCH: usize = 4096;

/// Counts the requests of a workload; `None` if stopped.
fn count(
    name: &str,
    seed: u64,
    watch: &dyn ReproductionObserver,
) -> Result<Option<Counted>, WorkloadError> {
    let part = &SAMSUNG_LARGE_BLOCK;
    let (page_bytes, pages_per_block) = (part.page_bytes, part.pages_per_block);
    let space = Space { bytes: CONSUMER.flash_bytes, page_bytes, pages_per_block };
    let workload = WorkloadSpec::builtin(name);
    let facts = workload.check(space)?;
    let mut source = workload.open(space, seed, &facts)?;
    let mut counted = Counted { reads: 0, writes: 0, first: u64::MAX, last: 0 };
    let mut requests = Vec::with_capacity(BATCH);
    while source.fill(&mut requests, BATCH)? > 0 {
        if watch.stop() {
            return Ok(None);
        }
        for request in requests.drain(..) {
            match request.op {
                Op::Read => counted.reads += 1,
                _ => counted.writes += 1,
            }
            let sector = request.offset / u64::from(page_bytes);
            counted.first = counted.first.min(sector);
            counted.last = counted.last.max(sector);
        }
    }
    Ok(Some(counted))
}

/// Table IV, and the totals of §V.
pub(super) fn table_4(
    settings: &Settings,
    watch: &dyn ReproductionObserver,
    to: &mut Sheet,
) -> Outcome {
    let mut synthetic = (0, 0);
    for benchmark in &TABLE_IV {
        match count(benchmark.name, settings.seed, watch) {
            Ok(Some(counted)) => {
                if benchmark.name != CONSUMER.workload {
                    synthetic = (synthetic.0 + counted.reads, synthetic.1 + counted.writes);
                }
                to.say("benchmark", benchmark.name);
                for (key, printed, ours) in [
                    ("reads", benchmark.reads, counted.reads),
                    ("writes", benchmark.writes, counted.writes),
                    ("first", benchmark.sectors.0, counted.first),
                    ("last", benchmark.sectors.1, counted.last),
                ] {
                    to.say("printed", printed).put(key, ours);
                }
            }
            Ok(None) => to.missing(benchmark.name, "stopped"),
            Err(error) => to.missing(benchmark.name, error),
        }
    }
    to.put("synthetic-reads", synthetic.0 as f64);
    to.put("synthetic-writes", synthetic.1 as f64 / 1e6);
    to.put("consumer-reads", TABLE_IV[TABLE_IV.len() - 1].reads);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observer::Unwatched;

    #[test]
    fn the_generators_have_the_printed_counts_and_ranges() {
        for benchmark in TABLE_IV.iter().filter(|benchmark| benchmark.writes < 200_000) {
            let counted = count(benchmark.name, 1, &Unwatched).unwrap().unwrap();
            let printed = (benchmark.reads, benchmark.writes, benchmark.sectors);
            let counted = (counted.reads, counted.writes, (counted.first, counted.last));
            assert_eq!(counted, printed, "{}", benchmark.name);
        }
    }
}
