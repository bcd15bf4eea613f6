//! Figures of SSD-iq's simulator, on its array and loads.

use super::loads::Load;
use super::measure::{Cell, Shape, measure_all};
use crate::observer::ReproductionObserver;
use crate::row::Row;
use crate::settings::Settings;
use crate::sheet::{Outcome, Sheet};
use crate::verdict::Reason;
use ftl::{PLACEMENT_POLICIES, PlacementKind, VictimKind};

/// 2 GiB in blocks of 512 pages of 4 KiB, measured from the 20th to the 25th device write.
const SHAPE: Shape = Shape { blocks: 1024, pages_per_block: 512, device_writes: 25 };

/// Tolerance, percent.
const NEAR: f64 = 3.0;

/// Its name of a collection, with our placement and victim policy.
const COLLECTIONS: [(&str, &str, VictimKind); 4] = [
    ("greedy", "none", VictimKind::GREEDY),
    ("2R, greedy regions", "2r", VictimKind::TWO_REGIONS_GREEDY),
    ("2R, FIFO regions", "2r", VictimKind::TWO_REGIONS_FIFO),
    ("greedy, selective 2R", "split", VictimKind::GREEDY),
];

/// Load, fill in percent, and what its simulator reports for each collection.
const PRINTED: [(Load, u32, [&str; 4]); 3] = [
    (Load::Uniform, 80, ["2.682", "2.686", "2.698", "2.688"]),
    (Load::Zones, 80, ["3.543", "2.971", "1.959", "3.188"]),
    (Load::Uniform, 90, ["5.135", "5.156", "5.174", "5.157"]),
];

/// The policy of this name with its defaults.
pub(super) fn placement(name: &str) -> PlacementKind {
    let policy = PLACEMENT_POLICIES.iter().find(|policy| policy.name == name);
    policy.and_then(|policy| policy.kind(&[])).expect("a policy of the list")
}

pub(super) fn ssd_iq(
    settings: &Settings,
    watch: &dyn ReproductionObserver,
    to: &mut Sheet,
) -> Outcome {
    let mut asked = Vec::new();
    for (load, fill, printed) in PRINTED {
        for ((name, place, victim), printed) in COLLECTIONS.into_iter().zip(printed) {
            let (placement, seed) = (placement(place), settings.seed);
            let cell = Cell { shape: SHAPE, fill, load, placement, victim, seed };
            let what = format!("{}, fill {fill} %: {name}", load.name());
            asked.push((what, format!("placement={place}+victim={victim}"), printed, cell));
        }
    }
    let cells: Vec<Cell> = asked.iter().map(|(.., cell)| *cell).collect();
    let measured = measure_all(&cells, watch, Cell::measure);
    let row = |((what, scheme, printed, _), measured): ((String, String, &str, Cell), _)| {
        let row = match measured {
            Some(Ok(waf)) => Row::measured(&what, "", printed, waf, NEAR).because(Reason::Open(
                "it compacts victims in place, several at once, and keeps no swap block".into(),
            )),
            Some(Err(why)) => Row::missing(&what, "", Some(printed), why),
            None => {
                let why = Reason::MissingDetail("stopped before".into());
                Row::incomparable(&what, "", Some(printed), None, why)
            }
        };
        row.noting(&format!("page-level+{scheme}"))
    };
    to.rows.extend(asked.into_iter().zip(measured).map(row));
    Ok(())
}
