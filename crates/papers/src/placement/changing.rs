//! SepBIT's order of the placements on loads whose pages change their lifetimes: what is hot moves on.

use super::loads::{Load, Moves};
use super::measure::{
    Cell, FILL, FULL, OTHERS, QUICK, Shape, VICTIMS, failures, measure_all, waf_of,
};
use super::ssd_iq::placement;
use crate::matrix::{Cell as Field, Matrix};
use crate::observer::ReproductionObserver;
use crate::settings::{Scale, Settings};
use crate::sheet::{Outcome, Sheet};
use ftl::VictimKind;

pub(super) static LOADS: [Load; 2] = [Load::Zones, Load::Zipf(1.0)];

/// Smoothly through the space in 4 passes.
pub(super) const DRIFT: Moves = Moves { every: 4, by: 1 };

/// Placements of SepBIT's order, and who stands there beside it.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    ["oracle", "sepbit"].into_iter().chain(OTHERS).chain(["none"])
}

/// Golden section of the space: what was hot is not hot again soon.
const JUMP: u32 = 382;

/// How the places move, in thousandths of the logical pages: not at all, smoothly once through the space in 16, 4 and 1 passes, and
/// by jumps.
const MOVES: [(&str, Moves); 6] = [
    ("stays", Moves { every: 0, by: 0 }),
    ("drifts, 16", Moves { every: 16, by: 1 }),
    ("drifts, 4", DRIFT),
    ("drifts, 1", Moves { every: 1, by: 1 }),
    ("jumps, 1", Moves { every: 1000, by: JUMP }),
    ("jumps, 1/4", Moves { every: 250, by: JUMP }),
];

/// Where a placement of the order stands: how far it is above those that the paper has behind it, %. The order holds where no
/// figure is above 0.
const STEPS: [&str; 3] =
    ["oracle against sepbit", "sepbit against the best of six", "worst of six against none"];

pub(super) fn changing(
    settings: &Settings,
    watch: &dyn ReproductionObserver,
    to: &mut Sheet,
) -> Outcome {
    let shape = if settings.scale == Scale::Quick { QUICK } else { FULL };
    changing_on(shape, settings.seed, watch, to)
}

fn changing_on(
    shape: Shape,
    seed: u64,
    watch: &dyn ReproductionObserver,
    to: &mut Sheet,
) -> Outcome {
    let names: Vec<&str> = names().collect();
    let lines: Vec<(&str, VictimKind)> =
        VICTIMS.iter().flat_map(|victim| names.iter().map(|name| (*name, *victim))).collect();
    let columns = MOVES.map(|of| of.0);
    let cells: Vec<Cell> = LOADS
        .iter()
        .flat_map(|load| MOVES.map(|(_, moves)| Load::Moving(load, moves)))
        .flat_map(|load| {
            let of = move |(name, victim): &(&str, VictimKind)| {
                let (placement, victim) = (placement(name), *victim);
                Cell { shape, fill: FILL, load, placement, victim, seed }
            };
            lines.iter().map(of).collect::<Vec<_>>()
        })
        .collect();
    let measured = measure_all(&cells, watch, Cell::measure);
    let mut kept = 0;
    for (at, load) in LOADS.iter().enumerate() {
        let waf = |line: usize, column: usize| {
            let ((name, victim), moves) = (lines[line], MOVES[column].1);
            waf_of((&cells, &measured), (Load::Moving(&LOADS[at], moves), name, victim))
        };
        let heads: Vec<String> =
            lines.iter().map(|(name, victim)| format!("{name}, {victim}")).collect();
        let title = format!("{}: pages programmed per host page", load.name());
        to.matrices.push(Matrix::of(&title, &heads, &columns, |line, column| {
            Field::ours(waf(line, column), 3)
        }));
        let steps = |victim: usize, column: usize| -> Option<[f64; 3]> {
            let of = |name: usize| waf(victim * names.len() + name, column);
            let six = (2..names.len() - 1).map(of).collect::<Option<Vec<_>>>()?;
            let least = six.iter().copied().fold(f64::MAX, f64::min);
            let most = six.iter().copied().fold(f64::MIN, f64::max);
            let [oracle, sepbit, none] = [of(0)?, of(1)?, of(names.len() - 1)?];
            let over = |value: f64, base: f64| (value / base - 1.0) * 100.0;
            Some([over(oracle, sepbit), over(sepbit, least), over(most, none)])
        };
        let heads: Vec<String> = VICTIMS
            .iter()
            .flat_map(|victim| STEPS.map(|step| format!("{step}, {victim}")))
            .collect();
        let title = format!("{}: above the next of the order, %", load.name());
        to.matrices.push(Matrix::of(&title, &heads, &columns, |line, column| {
            let steps = steps(line / STEPS.len(), column);
            Field::ours(steps.map(|of| of[line % STEPS.len()]), 1)
        }));
        let all =
            (0..VICTIMS.len()).flat_map(|victim| (0..MOVES.len()).map(move |at| (victim, at)));
        let holds = |(victim, column): &(usize, usize)| {
            steps(*victim, *column).is_some_and(|of| of.iter().all(|over| *over <= 0.0))
        };
        kept += all.filter(holds).count();
    }
    to.say("kept", kept).say("cases", LOADS.len() * VICTIMS.len() * MOVES.len());
    to.notes.extend(failures(&cells, &measured, |cell| {
        format!("{}, {}", cell.load.name(), cell.placement)
    }));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observer::Unwatched;
    use crate::placement::DATA;
    use crate::testing::filled;

    /// Every cell has a value; where places jump often, no placement knows what is hot, but the oracle does.
    #[test]
    fn who_separates_by_the_past_loses_where_it_does_not_last() {
        let shape = Shape { blocks: 128, pages_per_block: 32, device_writes: 8 };
        let section = filled(&DATA, "changing", |to| changing_on(shape, 1, &Unwatched, to));
        assert_eq!(section.matrices.len(), 2 * LOADS.len());
        let zones = &section.matrices[0];
        let waf = |name: &str, column: usize| -> f64 {
            let line = zones.rows.iter().find(|(of, _)| of == name).unwrap();
            line.1[column].text().parse().unwrap()
        };
        assert!(zones.rows.iter().all(|(name, _)| (0..MOVES.len()).all(|at| waf(name, at) >= 1.0)));
        let gain = |name: &str, column| waf("none, greedy", column) / waf(name, column);
        let last = MOVES.len() - 1;
        assert!(gain("dac, greedy", 0) > gain("dac, greedy", last));
        assert!(gain("oracle, greedy", last) > 1.0);
    }
}
