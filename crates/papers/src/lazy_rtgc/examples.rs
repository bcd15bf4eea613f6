//! Worked examples of Figs 1 and 2; the second one is simulated.

use crate::chip::chip;
use crate::row::Row;
use crate::sheet::{Outcome, Sheet};
use bounds::lazy_rtgc;
use flash::parts::EVALUATION_SLC;
use flash::{Cause, Geometry, Lpn, Operation, Part, Store, US};
use ftl::{AnyScheme, FtlError, SchemeConfig};
use lab::run::plain_array;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// Fig. 1: the duration of a collection depends on λ, the victim's valid pages.
pub(super) fn fig_1(to: &mut Sheet) -> Outcome {
    // The example uses 220 µs, the evaluation 220.9 µs.
    let part = Part { t_prog_ns: 220 * US, ..EVALUATION_SLC.clone() };
    for (valid, collection, response) in [(12, "4988", "5208"), (2, "2498", "2718")] {
        let ours = lazy_rtgc::collection_ns(&part, valid);
        let us = |ns: u64| ns as f64 / 1e3;
        let what = format!("e_G of a victim with λ = {valid}");
        to.rows.push(Row::exact(&what, "µs", collection, us(ours)));
        let what = format!("R of the write behind it, λ = {valid}");
        let with_write = lazy_rtgc::task_response_ns(part.t_prog_ns, [ours]);
        to.rows.push(Row::exact(&what, "µs", response, us(with_write)));
    }
    Ok(())
}

/// α and pages per block in Fig. 2.
const FIG_2_ALPHA: u64 = 2;
const FIG_2_PAGES: u32 = 8;
/// Valid pages λ of the victim in Fig. 2.
const FIG_2_VALID: usize = 4;

/// Fig. 2: runs `lazy-rtgc` until it selects a victim with four valid pages, then the tasks of the figure.
pub(super) fn fig_2(to: &mut Sheet) -> Outcome {
    match run_fig_2(1) {
        Ok(Some(tasks)) => to.rows.extend(rows(&tasks)),
        Ok(None) => to.rows.push(Row::missing(
            "the example",
            "",
            None,
            "no victim with four valid pages was taken",
        )),
        Err(error) => {
            to.rows.push(Row::missing("the example", "", None, error));
        }
    }
    Ok(())
}

/// Work of one task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Done {
    copies: u64,
    erases: u64,
    response_ns: u64,
    /// Change in the number of free pages, including the page that the task itself wrote.
    gained: i64,
}

fn rows(tasks: &[Done; 4]) -> Vec<Row> {
    let [w3, r4, w5, w6] = tasks;
    let count = |what: &str, printed: &str, ours: u64| Row::exact(what, "", printed, ours as f64);
    let slowest = tasks.iter().map(|done| done.response_ns).max().unwrap_or_default();
    let part = fig_2_part();
    let bound = lazy_rtgc::response_ns(&part);
    vec![
        count("T_w3: pages copied by G₀", "2", w3.copies),
        count("T_r4: steps behind a read", "0", r4.copies + r4.erases),
        count("T_w5: pages copied by G₁", "2", w5.copies),
        count("T_w6: blocks erased by G₂", "1", w6.erases),
        count("T_w6: pages copied", "0", w6.copies),
        Row::exact("w of G₂ (reclaimed pages)", "pages", "-4", -(w6.gained as f64 + 1.0 - 4.0)),
        Row::evidence("longest response of the four tasks", "µs", slowest as f64 / 1e3, 1),
        Row::evidence("its bound t_wr + t_er", "µs", bound as f64 / 1e3, 1),
    ]
}

/// The evaluation's part with small blocks, and an erase as long as two copies.
fn fig_2_part() -> Part {
    let part = EVALUATION_SLC.clone();
    Part { pages_per_block: FIG_2_PAGES, t_bers_ns: FIG_2_ALPHA * part.t_copy_ns(), ..part }
}

fn run_fig_2(seed: u64) -> Result<Option<[Done; 4]>, FtlError> {
    let part = fig_2_part();
    let geometry = Geometry::new(16, FIG_2_PAGES, part.page_bytes).map_err(|error| {
        FtlError::Config { scheme: "lazy-rtgc", setting: "geometry", reason: error.to_string() }
    })?;
    let preset = ftl::registry::by_name("lazy-rtgc")?;
    let array = plain_array(geometry, part, Store::Metadata);
    let mut scheme = ftl::registry::format(&SchemeConfig::preset(preset), array)?;
    let pages = scheme.logical_pages();
    let mut random = Pcg64::seed_from_u64(seed);
    for lpn in 0..pages {
        scheme.write(Lpn(lpn), None)?;
    }
    let taken = |scheme: &Chip| scheme.telemetry().collections.victim_valid[FIG_2_VALID];
    for _ in 0..100_000 {
        let lpn = Lpn(random.random_range(0..pages));
        let before = taken(&*scheme);
        let w3 = task(&mut *scheme, &|scheme| scheme.write(lpn, None))?;
        if taken(&*scheme) == before {
            continue;
        }
        // The page just written is not in the victim, so these tasks do not disturb the collection.
        let r4 = task(&mut *scheme, &|scheme| scheme.read(lpn, None).map(|_| ()))?;
        let w5 = task(&mut *scheme, &|scheme| scheme.write(lpn, None))?;
        let w6 = task(&mut *scheme, &|scheme| scheme.write(lpn, None))?;
        return Ok(Some([w3, r4, w5, w6]));
    }
    Ok(None)
}

type Chip = AnyScheme;

fn task(
    scheme: &mut Chip,
    run: &dyn Fn(&mut Chip) -> Result<(), FtlError>,
) -> Result<Done, FtlError> {
    let (counts, busy, free) =
        (*chip(scheme.flash()).counts(), chip(scheme.flash()).busy_ns(), scheme.free_pages());
    run(scheme)?;
    let done = chip(scheme.flash()).counts().since(&counts);
    Ok(Done {
        copies: done.get(Operation::Copy, Cause::Collection),
        erases: done.get(Operation::Erase, Cause::Collection),
        response_ns: chip(scheme.flash()).busy_ns() - busy,
        gained: scheme.free_pages() as i64 - free as i64,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lazy_rtgc::DATA;
    use crate::testing::filled;
    use crate::verdict::Verdict;

    #[test]
    fn the_examples_come_out_as_printed() {
        for section in [filled(&DATA, "fig-1", fig_1), filled(&DATA, "fig-2", fig_2)] {
            for row in &section.rows {
                assert!(matches!(row.verdict, Verdict::Equal | Verdict::Evidence), "{row:?}");
            }
            assert!(section.rows.iter().any(|row| row.verdict == Verdict::Equal));
        }
    }
}
