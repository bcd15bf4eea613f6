//! How long each placement needs until its write amplification is that of the new distribution, when it switches.

use super::loads::{Load, Writes};
use super::measure::{
    Device, FILL, FULL, QUICK, Shape, VICTIMS, failures, measure_all, pairs, value, waf,
};
use crate::chip::chip;
use crate::matrix::{Cell as Field, Matrix};
use crate::observer::ReproductionObserver;
use crate::reproduction::CurvesFile;
use crate::settings::{Scale, Settings};
use crate::sheet::{Outcome, Sheet};
use flash::Lpn;
use ftl::{FtlError, Future, FutureNotes, PlacementKind, VictimKind};
use std::fmt::Write as _;
use std::sync::Arc;

/// A load, and the one to which it switches.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Switch {
    name: &'static str,
    first: Load,
    then: Load,
    /// True if other pages are hot then.
    elsewhere: bool,
}

const SWITCHES: [Switch; 4] = [
    Switch {
        name: "zones, then elsewhere",
        first: Load::Zones,
        then: Load::Zones,
        elsewhere: true,
    },
    Switch {
        name: "Zipf 1, then elsewhere",
        first: Load::Zipf(1.0),
        then: Load::Zipf(1.0),
        elsewhere: true,
    },
    Switch {
        name: "uniform, then zones",
        first: Load::Uniform,
        then: Load::Zones,
        elsewhere: false,
    },
    Switch {
        name: "zones, then uniform",
        first: Load::Zones,
        then: Load::Uniform,
        elsewhere: false,
    },
];

/// Points per device write.
const POINTS: usize = 4;
/// Points over which write amplification is taken.
const WINDOW: usize = 2;
/// Windows in a row that must be near the steady state.
const IN_A_ROW: usize = 5;
/// Device writes at the end over which the steady state is taken.
const STEADY: usize = 4;
/// How near, as a share of the steady state.
const NEAR: f64 = 0.05;

/// Device writes before and after the switch.
#[derive(Clone, Copy, Debug)]
struct Times {
    before: u64,
    after: u64,
}

const TIMES: Times = Times { before: 12, after: 20 };

#[derive(Clone, Copy, Debug, PartialEq)]
struct Run {
    switch: Switch,
    placement: PlacementKind,
    victim: VictimKind,
}

/// Write amplification from the switch on.
#[derive(Clone, Debug, PartialEq)]
struct Adapted {
    /// At each point, of the writes since the last one.
    points: Vec<f64>,
    /// Of the last device writes.
    steady: f64,
    /// Device writes from the switch until it is near that; `None` if it never is for long enough.
    after: Option<f64>,
}

impl Adapted {
    /// From write amplification between points.
    fn of(points: Vec<f64>) -> Self {
        let mean = |of: &[f64]| of.iter().sum::<f64>() / of.len() as f64;
        let steady = mean(&points[points.len() - STEADY * POINTS..]);
        let near: Vec<bool> = points
            .windows(WINDOW)
            .map(|window| (mean(window) / steady - 1.0).abs() <= NEAR)
            .collect();
        let first = near.windows(IN_A_ROW).position(|row| row.iter().all(|near| *near));
        let after = first.map(|first| (first + WINDOW) as f64 / POINTS as f64);
        Self { points, steady, after }
    }
}

/// The writes before the switch, and those after it.
fn writes(switch: Switch, pages: u32, seed: u64) -> [Writes; 2] {
    let then = switch.then.writes(pages, seed ^ 0x5377);
    [switch.first.writes(pages, seed), if switch.elsewhere { then.elsewhere() } else { then }]
}

impl Run {
    fn measure(&self, shape: Shape, times: Times, seed: u64) -> Result<Adapted, FtlError> {
        let Shape { blocks, pages_per_block, .. } = shape;
        let pages = u64::from(blocks) * u64::from(pages_per_block);
        let logical_pages = (pages * u64::from(FILL) / 100) as u32;
        let [mut first, mut then] = writes(self.switch, logical_pages, seed);
        let future =
            self.future(logical_pages, [times.before, times.after].map(|of| of * pages), seed);
        let device = Device { blocks, pages_per_block, logical_pages };
        let mut scheme = device.scheme(self.placement, self.victim, future)?;
        for lpn in 0..logical_pages {
            scheme.write(Lpn(lpn), None)?;
        }
        for _ in 0..times.before * pages {
            scheme.write(Lpn(first.next()), None)?;
        }
        let mut points = Vec::new();
        for point in 0..times.after * POINTS as u64 {
            let start = *chip(scheme.flash()).counts();
            let to = |point: u64| point * pages / POINTS as u64;
            for _ in to(point)..to(point + 1) {
                scheme.write(Lpn(then.next()), None)?;
            }
            points.push(waf(&chip(scheme.flash()).counts().since(&start)));
        }
        Ok(Adapted::of(points))
    }

    /// The future of the run, for a placement that needs it.
    fn future(&self, logical_pages: u32, counts: [u64; 2], seed: u64) -> Option<Arc<Future>> {
        if !self.placement.needs_future() {
            return None;
        }
        let mut notes = FutureNotes::new(logical_pages);
        (0..logical_pages).for_each(|lpn| notes.write(Lpn(lpn)));
        for (mut load, count) in writes(self.switch, logical_pages, seed).into_iter().zip(counts) {
            (0..count).for_each(|_| notes.write(Lpn(load.next())));
        }
        notes.finish().map(Arc::new)
    }
}

pub(super) fn adaptation(
    settings: &Settings,
    watch: &dyn ReproductionObserver,
    to: &mut Sheet,
) -> Outcome {
    let shape = if settings.scale == Scale::Quick { QUICK } else { FULL };
    adaptation_on(shape, TIMES, settings.seed, watch, to)
}

fn adaptation_on(
    shape: Shape,
    times: Times,
    seed: u64,
    watch: &dyn ReproductionObserver,
    to: &mut Sheet,
) -> Outcome {
    let pairs = pairs(&VICTIMS);
    let of =
        |switch: Switch| pairs.iter().map(move |(placement, victim)| (switch, *placement, *victim));
    let runs: Vec<Run> = SWITCHES
        .into_iter()
        .flat_map(of)
        .map(|(switch, placement, victim)| Run { switch, placement, victim })
        .collect();
    let measured = measure_all(&runs, watch, |run| run.measure(shape, times, seed));
    let lines: Vec<String> =
        pairs.iter().map(|(placement, victim)| format!("{placement}, {victim}")).collect();
    let columns = SWITCHES.map(|switch| switch.name);
    let of = |line: usize, column: usize| value(&measured[column * pairs.len() + line]);
    to.matrices.push(Matrix::of(
        "device writes from the switch until write amplification is within 5 % of the new steady state",
        &lines,
        &columns,
        |line, column| Field::ours(of(line, column).and_then(|of| of.after), 2),
    ));
    to.matrices.push(Matrix::of(
        "write amplification of the new steady state",
        &lines,
        &columns,
        |line, column| Field::ours(of(line, column).map(|of| of.steady), 3),
    ));
    to.matrices.push(Matrix::of(
        "write amplification of the first device write after the switch",
        &lines,
        &columns,
        |line, column| {
            let first = of(line, column).map(|of| of.points[..POINTS].iter().sum::<f64>());
            Field::ours(first.map(|sum| sum / POINTS as f64), 3)
        },
    ));
    let mut csv = String::from("switch,placement,victim,device_writes_since,waf\n");
    for (run, measured) in runs.iter().zip(&measured) {
        let points = value(measured).map_or(&[][..], |of| &of.points[..]);
        for (at, waf) in (1..).zip(points) {
            let (switch, since) = (run.switch.name, f64::from(at) / POINTS as f64);
            // Names have a comma. Writing to a text cannot fail.
            let _ = writeln!(csv, "\"{switch}\",{},{},{since},{waf}", run.placement, run.victim);
        }
    }
    to.curves.push(CurvesFile { name: "placement-adaptation.csv".into(), csv });
    to.notes.push(format!(
        "`page-level` on {} blocks of {} pages, {FILL} % exported; filled, {} device writes of the first load, then {} of the \
         second. Adapted: the first of {IN_A_ROW} windows in a row, of half a device write in steps of a quarter, whose write \
         amplification is within 5 % of that of the last {STEADY} device writes; so 0.50 is at once. `elsewhere`: each place moves \
         on by half of the space. A dash: not for so long",
        shape.blocks, shape.pages_per_block, times.before, times.after
    ));
    to.notes.extend(failures(&runs, &measured, |run| {
        format!("{}, {}, {}", run.switch.name, run.placement, run.victim)
    }));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observer::Unwatched;
    use crate::placement::DATA;
    use crate::testing::filled;

    #[test]
    fn it_has_adapted_once_it_stays_near() {
        let of = |head: &[f64]| {
            let mut points = head.to_vec();
            points.resize(head.len() + STEADY * POINTS, 2.0);
            Adapted::of(points).after
        };
        assert_eq!(of(&[]), Some(0.5));
        assert_eq!(of(&[2.09]), Some(0.5));
        // Windows of two points: the first without a point of 3 begins behind it.
        assert_eq!(of(&[3.0, 3.0, 3.0]), Some(1.25));
        // A short visit is not enough.
        assert_eq!(of(&[2.0, 2.0, 2.0, 2.0, 2.0, 3.0]), Some(2.0));
        assert_eq!(of(&[2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 3.0]), Some(0.5));
        let swinging = (0..40).map(|at| if at % 4 < 2 { 1.5 } else { 2.5 }).collect();
        assert_eq!(Adapted::of(swinging).after, None);
    }

    /// The writes before the switch are those of the first load, those behind it of the second.
    #[test]
    fn a_switch_moves_what_is_hot() {
        let share = |writes: &mut Writes, from: u32| {
            (0..5000).filter(|_| (from..from + 100).contains(&writes.next())).count() / 50
        };
        let [mut first, mut then] = writes(SWITCHES[0], 1000, 3);
        assert!(share(&mut first, 0) > 85 && share(&mut then, 0) < 5);
        assert!(share(&mut then, 500) > 85);
        let [_, mut uniform] = writes(SWITCHES[3], 1000, 3);
        assert!((7..14).contains(&share(&mut uniform, 0)));
    }

    /// Every run has a value on a small array, and what does not separate pages needs no time for other hot ones.
    #[test]
    fn who_separates_nothing_has_adapted_at_once() {
        let shape = Shape { blocks: 128, pages_per_block: 32, device_writes: 0 };
        let section = filled(&DATA, "adaptation", |to| {
            adaptation_on(shape, Times { before: 4, after: 8 }, 1, &Unwatched, to)
        });
        let [after, steady, first] = &section.matrices[..] else { panic!("three matrices") };
        assert_eq!(after.rows.len(), pairs(&VICTIMS).len());
        let number = |matrix: &Matrix, line: usize, column: usize| -> f64 {
            matrix.rows[line].1[column].text().parse().unwrap_or(f64::NAN)
        };
        for line in 0..after.rows.len() {
            let name = &after.rows[line].0;
            for column in 0..SWITCHES.len() {
                let waf = [steady, first].map(|matrix| number(matrix, line, column));
                assert!(waf.iter().all(|waf| (1.0..8.0).contains(waf)), "{name}: {waf:?}");
            }
        }
        let none = after.rows.iter().position(|(name, _)| name == "none, greedy").unwrap();
        assert!(number(after, none, 0) <= 1.5, "{}", number(after, none, 0));
        let points = section.curves[0].csv.lines().count() - 1;
        assert_eq!(points, after.rows.len() * SWITCHES.len() * 8 * POINTS);
    }
}
