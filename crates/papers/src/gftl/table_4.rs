//! Table IV: characteristics of the benchmarks, counted in the generated requests.

use super::paper::{Benchmark, CONSUMER, SYNTHETIC, TABLE_IV};
use crate::observer::ReproductionObserver;
use crate::row::Row;
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
        let rows = match count(benchmark.name, settings.seed, watch) {
            Ok(Some(counted)) => {
                if benchmark.name != CONSUMER.workload {
                    synthetic = (synthetic.0 + counted.reads, synthetic.1 + counted.writes);
                }
                benchmark_rows(benchmark, &counted)
            }
            Ok(None) => vec![Row::missing(benchmark.name, "", None, "stopped")],
            Err(error) => {
                vec![Row::missing(benchmark.name, "", None, error)]
            }
        };
        to.rows.extend(rows);
    }
    let reads = SYNTHETIC.reads.to_string();
    let (what, sum) = ("synthetic: reads (§V)", "the table's reads before consumer are 27,836");
    to.rows.push(
        Row::measured(what, "requests", &reads, synthetic.0 as f64, 1.0).as_input().noting(sum),
    );
    let millions = synthetic.1 as f64 / 1e6;
    let what = "synthetic: writes (§V)";
    to.rows.push(Row::measured(what, "million requests", "4.3", millions, 3.0).as_input());
    let reads = CONSUMER.reads.to_string();
    let swapped = "two digits changed places: Table IV has 76,749, which the generator makes";
    let table = TABLE_IV[TABLE_IV.len() - 1].reads as f64;
    to.rows.push(
        Row::exact("consumer: reads (§V)", "requests", &reads, table).as_input().noting(swapped),
    );
    Ok(())
}

fn benchmark_rows(benchmark: &Benchmark, counted: &Counted) -> Vec<Row> {
    let row = |what: &str, unit: &str, printed: u64, ours: u64| {
        let what = format!("{}: {what}", benchmark.name);
        Row::exact(&what, unit, &printed.to_string(), ours as f64).as_input()
    };
    vec![
        row("reads", "requests", benchmark.reads, counted.reads),
        row("writes", "requests", benchmark.writes, counted.writes),
        row("first sector", "", benchmark.sectors.0, counted.first),
        row("last sector", "", benchmark.sectors.1, counted.last),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observer::Unwatched;
    use crate::verdict::Verdict;

    #[test]
    fn the_generators_have_the_printed_counts_and_ranges() {
        for benchmark in TABLE_IV.iter().filter(|benchmark| benchmark.writes < 200_000) {
            let counted = count(benchmark.name, 1, &Unwatched).unwrap().unwrap();
            for row in benchmark_rows(benchmark, &counted) {
                assert_eq!(row.verdict, Verdict::Input, "{}", row.what);
                assert_eq!(row.paper.unwrap().value(), row.ours.unwrap().value(), "{}", row.what);
            }
        }
    }
}
