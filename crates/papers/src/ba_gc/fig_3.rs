//! Fig. 3: victim selection between two log blocks, one with hot pages in the buffer, the other with cold ones.

use super::example::{Merged, Origin, Task, fast_below, image, merge, part};
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

/// Merges chosen by the two victim policies.
struct Merges {
    /// Victim by round robin.
    oldest: Merged,
    /// Victim with the least Δ.
    least_cost: Merged,
}

pub(super) fn fig_3(to: &mut Sheet) -> Outcome {
    let part = part();
    closed_forms(&part, to);
    match run() {
        Ok(seen) => seen.put(&part, to),
        Err(error) => to.missing("the example", error),
    }
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

/// The figure's costs.
fn closed_forms(part: &Part, to: &mut Sheet) {
    let merge = |sets| ba_gc::merge_ns(part, sets, 0) as i64;
    let benefit = |sets| ba_gc::benefit_ns(part, sets) as i64;
    for (key, ours) in [
        ("merge-0", merge(&L0)),
        ("merge-1", merge(&L1)),
        ("benefit-0", benefit(&L0)),
        ("benefit-1", benefit(&L1)),
        ("cost-0", ba_gc::cost_ns(part, &L0, 0)),
        ("cost-1", ba_gc::cost_ns(part, &L1, 0)),
    ] {
        to.put(key, ours as f64 / 1e3);
    }
}

impl Merges {
    fn put(&self, part: &Part, to: &mut Sheet) {
        let Self { oldest, least_cost } = self;
        to.put("cheaper", cheaper(part));
        to.put("oldest", victim(oldest));
        to.put("least-cost", victim(least_cost));
        to.put("with-0", oldest.of(&[Origin::Buffer]));
        to.put("with-1", least_cost.of(&[Origin::Buffer]));
        for (key, sets, merged) in [("time-0", &L0, oldest), ("time-1", &L1, least_cost)] {
            let spent = ba_gc::merge_ns(part, sets, 0) + ba_gc::erase_ns(part, sets);
            to.say("spent", spent as f64 / 1e3).put(key, merged.ns as f64 / 1e3);
        }
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
        let rows = crate::testing::rows(super::super::PAPER, &["fig-3"]);
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
