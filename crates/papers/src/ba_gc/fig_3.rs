//! Fig. 3: victim selection between two log blocks, one with hot pages in the buffer, the other with cold ones.

use super::example::{Merged, Origin, Task, fast_below, image, merge, part, told, words};
use crate::row::Row;
use crate::sheet::{Outcome, Sheet};
use bounds::ba_gc::{self, Sets};
use flash::Part;
use ftl::{BufferPolicy, FtlError, Regions, SchemeConfig, VictimKind};

/// Tasks that put eight pages into the buffer, five of them dirty. p1, p2 and p3 are updated there, so they are in
/// the to-be-updated region. p6 and p7 are not; the later reads push them into the to-be-evicted region.
const TASKS: [Task; 11] = [
    Task::Write(6),
    Task::Write(7),
    Task::Write(1),
    Task::Write(1),
    Task::Write(2),
    Task::Write(2),
    Task::Write(3),
    Task::Write(3),
    Task::Read(0),
    Task::Read(4),
    Task::Read(5),
];

/// Updates that fill L0 with pages of B0 and L1 with pages of B1. p1 and p5 are written twice, since FAST never
/// writes the first page of a block to these log blocks.
const UPDATES: [u32; 8] = [1, 2, 3, 1, 5, 6, 7, 5];

/// |A|, |F| and |B| of both log blocks, with P(U) = 1 for hot pages and 0 for cold ones (`dirty_again` in thousandths).
const L0: Sets = Sets { blocks: 1, from_flash: 1, from_buffer: 3, dirty_again: 3000 };
const L1: Sets = Sets { blocks: 1, from_flash: 2, from_buffer: 2, dirty_again: 0 };

const WHY: &str = "the scheme does not do as the figure says";

/// Merges chosen by the two victim policies.
struct Merges {
    /// Victim by round robin.
    oldest: Merged,
    /// Victim with the least Δ.
    least_cost: Merged,
}

pub(super) fn fig_3(to: &mut Sheet) -> Outcome {
    to.rows = closed_forms(&part());
    to.rows.extend(match run() {
        Ok(seen) => seen.rows(&part()),
        Err(error) => {
            vec![Row::missing("the example", "", None, error)]
        }
    });
    Ok(())
}

fn config(victim: VictimKind) -> Result<SchemeConfig, FtlError> {
    let mut config = fast_below(BufferPolicy::THREE_REGION, 2, true)?;
    config.buffer.reads = Some(true);
    config.buffer.regions = Some(Regions::Fixed { initial: 25, updated: 50 });
    Ok(SchemeConfig { victim: Some(victim), ..config })
}

fn run() -> Result<Merges, FtlError> {
    let run = |victim| merge(&config(victim)?, image(2, &UPDATES)?, &TASKS);
    Ok(Merges { oldest: run(VictimKind::FIFO)?, least_cost: run(VictimKind::GREEDY)? })
}

fn us(ns: i64) -> f64 {
    ns as f64 / 1e3
}

/// The figure's costs; the paper prints their terms as multiples.
fn closed_forms(part: &Part) -> Vec<Row> {
    let ff = ba_gc::from_flash_ns(part) as i64;
    let bf = ba_gc::from_buffer_ns(part, 0) as i64;
    let with_alpha = part.t_prog_ns as f64 * (1.0 + ba_gc::alpha(part).as_f64());
    let row = |what: &str, printed_ns: f64, ours: i64| {
        Row::exact(what, "µs", &format!("{:.1}", printed_ns / 1e3), us(ours))
    };
    let merge = |sets| ba_gc::merge_ns(part, sets, 0) as i64;
    let benefit = |sets| ba_gc::benefit_ns(part, sets) as i64;
    let cost = |sets| Row::evidence("", "µs", us(ba_gc::cost_ns(part, sets, 0)), 1);
    let named = |what: &str, row: Row| Row { what: what.into(), ..row };
    vec![
        row("δ_merge(L0) = 1·C_ff + 3·C_bf", (ff + 3 * bf) as f64, merge(&L0)),
        row("δ_merge(L1) = 2·C_ff + 2·C_bf", (2 * ff + 2 * bf) as f64, merge(&L1)),
        row("δ_benefit(L0)", 0.0, benefit(&L0)),
        row("δ_benefit(L1) = 2·C_p·(1 + α)", 2.0 * with_alpha, benefit(&L1)),
        named("Δ(L0) (Eq. 7)", cost(&L0)),
        named("Δ(L1) (Eq. 7)", cost(&L1)),
    ]
}

impl Merges {
    fn rows(&self, part: &Part) -> Vec<Row> {
        let Self { oldest, least_cost } = self;
        let spent =
            |sets: &Sets| (ba_gc::merge_ns(part, sets, 0) + ba_gc::erase_ns(part, sets)) as f64;
        let time = |what: &str, sets: &Sets, merged: &Merged| {
            let by_equations = format!("{:.1} by Eqs. 4 and 7", spent(sets) / 1e3);
            Row::evidence(what, "µs", merged.ns as f64 / 1e3, 1).noting(&by_equations)
        };
        let cleaned = |merged: &Merged| merged.of(&[Origin::Buffer]);
        vec![
            words("victim by δ_merge alone, without BA-VBS", "L0", cheaper(part), WHY),
            told("the log block that FAST's round robin takes, the older one", victim(oldest)),
            words("victim with BA-VBS", "L1", victim(least_cost), WHY),
            words("taken from the buffer with L0", "p1, p2, p3", &cleaned(oldest), WHY),
            words("taken from the buffer with L1", "p6, p7", &cleaned(least_cost), WHY),
            time("time of the merge of L0, δ_merge + δ_erase, measured", &L0, oldest),
            time("time of the merge of L1, δ_merge + δ_erase, measured", &L1, least_cost),
        ]
    }
}

/// The log block with the lower merge cost, without benefits.
fn cheaper(part: &Part) -> &'static str {
    let merge = |sets| ba_gc::merge_ns(part, sets, 0);
    if merge(&L0) < merge(&L1) { "L0" } else { "L1" }
}

/// The merged log block: L0 if p0 was moved, L1 if p4 was.
fn victim(merged: &Merged) -> &'static str {
    match [0, 4].map(|first| merged.moved.contains_key(&first)) {
        [true, false] => "L0",
        [false, true] => "L1",
        _ => "another",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::Verdict;

    #[test]
    fn costs_and_victims_are_those_of_the_figure() {
        let rows = fig_3().rows;
        assert_eq!(rows.len(), 13);
        for row in &rows {
            assert!(matches!(row.verdict, Verdict::Equal | Verdict::Evidence), "{row:?}");
        }
        let ours: Vec<f64> =
            rows[..6].iter().filter_map(|row| row.ours.as_ref()?.value()).collect();
        assert_eq!(ours, [825.0, 850.0, 0.0, 850.0, 4825.0, 4000.0]);
    }

    #[test]
    fn both_victims_cost_what_the_equations_say() {
        let Merges { oldest, least_cost } = run().unwrap();
        assert_eq!((oldest.copies, oldest.programs, oldest.erases), (1, 3, 2));
        assert_eq!((least_cost.copies, least_cost.programs, least_cost.erases), (2, 2, 2));
        assert_eq!((oldest.misplaced, least_cost.misplaced), (0, 0));
        // The five dirty pages minus those that the merge wrote.
        assert_eq!((oldest.written_later, least_cost.written_later), (2, 3));
    }
}
