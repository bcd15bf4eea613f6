//! Write amplification of every placement on synthetic loads, beside the oracle's.

use super::changing::{DRIFT, LOADS, names};
use super::loads::Load;
use super::measure::{
    Cell, FILL, FULL, OTHERS, QUICK, Shape, VICTIMS, failures, measure_all, pairs, value, waf_of,
};
use super::ssd_iq::placement;
use crate::matrix::{Cell as Field, Matrix};
use crate::observer::ReproductionObserver;
use crate::reproduction::CurvesFile;
use crate::row::Row;
use crate::settings::{Scale, Settings};
use crate::sheet::{Outcome, Sheet};
use crate::verdict::{Reason, Verdict};
use ftl::{PlacementKind, VictimKind};

/// Victim policies of the table.
const ALL_VICTIMS: [VictimKind; 3] = [VICTIMS[0], VICTIMS[1], VictimKind::MDC];

pub(super) fn waf(
    settings: &Settings,
    watch: &dyn ReproductionObserver,
    to: &mut Sheet,
) -> Outcome {
    let shape = if settings.scale == Scale::Quick { QUICK } else { FULL };
    waf_on(shape, settings.seed, watch, to)
}

fn waf_on(shape: Shape, seed: u64, watch: &dyn ReproductionObserver, to: &mut Sheet) -> Outcome {
    let pairs = pairs(&ALL_VICTIMS);
    let cells: Vec<Cell> = Load::ALL
        .into_iter()
        .flat_map(|load| {
            let of = |(placement, victim): &(PlacementKind, VictimKind)| {
                let (placement, victim) = (*placement, *victim);
                Cell { shape, fill: FILL, load, placement, victim, seed }
            };
            pairs.iter().map(of).collect::<Vec<_>>()
        })
        .chain(LOADS.iter().flat_map(|load| {
            let load = Load::Moving(load, DRIFT);
            let of = move |victim| {
                let with = move |name| Cell {
                    shape,
                    fill: FILL,
                    load,
                    placement: placement(name),
                    victim,
                    seed,
                };
                names().map(with)
            };
            VICTIMS.into_iter().flat_map(of)
        }))
        .collect();
    let measured = measure_all(&cells, watch, Cell::measure);
    let waf = |load: Load, name: &str, victim: VictimKind| {
        waf_of((&cells, &measured), (load, name, victim))
    };
    let order = |load: Load, victim: VictimKind| {
        let known: Vec<(&str, Option<f64>)> =
            names().map(|name| (name, waf(load, name, victim))).collect();
        let what = format!("{}, {victim}: order of placements", load.name());
        let order: [&[&str]; 4] = [&["oracle"], &["sepbit"], &OTHERS, &["none"]];
        Row::order(&what, &order, &known)
    };
    let moving = LOADS.iter().map(|load| Load::Moving(load, DRIFT));
    let moving = moving.flat_map(|load| VICTIMS.map(|victim| order(load, victim)));
    let moving: Vec<Row> = moving.collect();
    let kept = moving.iter().filter(|row| row.verdict == Verdict::Equal).count();
    let why = format!(
        "FAST 2022 (Exp#1) has sums over volumes of cloud block storage, whose lifetimes change; here they are drawn from one \
         distribution. Where what is hot moves, below, the order holds in {kept} of {}",
        moving.len()
    );
    let is_reading = kept == moving.len();
    let why = if is_reading { Reason::Reading(why) } else { Reason::Open(why) };
    for load in Load::ALL.into_iter().filter(|load| *load != Load::Uniform) {
        to.rows.extend(VICTIMS.map(|victim| order(load, victim).because(why.clone())));
    }
    to.rows.extend(moving);
    let columns: Vec<String> = Load::ALL.map(Load::name).into();
    let lines: Vec<String> =
        pairs.iter().map(|(placement, victim)| format!("{placement}, {victim}")).collect();
    let of_line = |line: usize, column: usize| {
        let (placement, victim) = pairs[line];
        waf(Load::ALL[column], placement.policy().name, victim)
    };
    to.matrices.push(Matrix::of(
        "pages programmed per host page",
        &lines,
        &columns,
        |line, column| Field::ours(of_line(line, column), 3),
    ));
    let least = |column: usize| {
        let of =
            ALL_VICTIMS.into_iter().filter_map(|victim| waf(Load::ALL[column], "oracle", victim));
        of.reduce(f64::min)
    };
    to.matrices.push(Matrix::of(
        "above the oracle with its best victim policy, %",
        &lines,
        &columns,
        |line, column| {
            let gap = of_line(line, column).zip(least(column));
            Field::ours(gap.map(|(waf, least)| (waf / least - 1.0) * 100.0), 1)
        },
    ));
    let mut csv = String::from("load,placement,victim,blocks,pages_per_block,fill_percent,waf\n");
    for (cell, measured) in cells.iter().zip(&measured) {
        let waf = value(measured).map_or_else(String::new, f64::to_string);
        let Shape { blocks, pages_per_block, .. } = shape;
        let (load, placement, victim) = (cell.load.name(), cell.placement, cell.victim);
        csv.push_str(&format!(
            "{load},{placement},{victim},{blocks},{pages_per_block},{FILL},{waf}\n"
        ));
    }
    to.curves.push(CurvesFile { name: "placement-waf.csv".into(), csv });
    to.notes.push(format!(
        "`page-level` on {} blocks of {} pages, {FILL} % exported; filled, then written {} times over at one page per write, the \
         last fifth measured. The oracle knows when each page becomes invalid",
        shape.blocks, shape.pages_per_block, shape.device_writes
    ));
    to.notes.extend(failures(&cells, &measured, |cell| cell.placement.to_string()));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observer::Unwatched;
    use crate::placement::DATA;
    use crate::testing::filled;

    /// On a small array: every cell has a value, none is below 1, and no placement is below the oracle on a skewed load.
    #[test]
    fn no_placement_beats_the_oracle() {
        let shape = Shape { blocks: 128, pages_per_block: 32, device_writes: 8 };
        let section = filled(&DATA, "waf", |to| waf_on(shape, 1, &Unwatched, to));
        let csv = &section.curves[0].csv;
        let mut seen = 0;
        let mut of_zones: Vec<(String, f64)> = Vec::new();
        for line in csv.lines().skip(1) {
            let fields: Vec<&str> = line.split(',').collect();
            let waf: f64 = fields[6].parse().unwrap_or_else(|_| panic!("{line}"));
            assert!((1.0..10.0).contains(&waf), "{line}");
            if fields[0] == "zones" && fields[2] == "cost-benefit" {
                of_zones.push((fields[1].into(), waf));
            }
            seen += 1;
        }
        let moving = LOADS.len() * VICTIMS.len() * names().count();
        assert_eq!(seen, Load::ALL.len() * pairs(&ALL_VICTIMS).len() + moving);
        assert_eq!(pairs(&ALL_VICTIMS).len(), 3 * ftl::PLACEMENT_POLICIES.len() + 4);
        let (_, oracle) = of_zones.iter().find(|(name, _)| name == "oracle").unwrap();
        assert!(of_zones.iter().all(|(_, waf)| waf >= oracle), "{of_zones:?}");
        assert_eq!(section.rows.len(), 8 + LOADS.len() * VICTIMS.len());
    }
}
