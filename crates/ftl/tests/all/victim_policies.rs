//! Every victim policy below `page-level`: the number of victims that a write may wait for, and the logged
//! work.

use crate::bench::preset;
use flash::parts::EVALUATION_SLC;
use flash::{AnyArray, Array, Geometry, Lpn, Part, Store};
use ftlkit_ftl::registry::{self, REGISTRY};
use ftlkit_ftl::{PLACEMENT_POLICIES, SchemeConfig, VICTIM_POLICIES, VictimKind, VictimWork};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::collections::BTreeSet;

/// Figures of one run.
struct RunFigures {
    kind: VictimKind,
    /// Most victims of one write, and the number of writes with any.
    most: u64,
    collections: u64,
    victims: u64,
    step_ns: Option<u64>,
}

fn see(kind: VictimKind) -> RunFigures {
    let geometry = Geometry::new(64, 16, EVALUATION_SLC.page_bytes).unwrap();
    let array = Array::new(geometry, EVALUATION_SLC.clone(), Store::Metadata);
    let logical_pages = Some(64 * 16 * 4 / 5);
    let config = SchemeConfig { victim: Some(kind), logical_pages, ..preset("page-level") };
    let mut scheme = registry::format(&config, AnyArray::new(array)).unwrap();
    let pages = scheme.logical_pages();
    let mut random = Pcg64::seed_from_u64(7);
    (0..pages).for_each(|lpn| scheme.write(Lpn(lpn), None).unwrap());
    scheme.restart_telemetry();
    assert_eq!(scheme.telemetry().victim_work, Some(VictimWork::default()), "{kind}");
    let (mut most, mut collections) = (0, 0);
    for _ in 0..20_000 {
        let before = scheme.telemetry().collections.finished;
        scheme.write(Lpn(random.random_range(0..pages)), None).unwrap();
        let victims = scheme.telemetry().collections.finished - before;
        most = victims.max(most);
        collections += u64::from(victims > 0);
    }
    let told = scheme.telemetry();
    let work = told.victim_work.unwrap();
    assert!(work.filled.writes > 0 && work.chosen.reads > 0, "{kind}: {work:?}");
    let (victims, step_ns) = (told.collections.finished, told.guarantee.step_ns);
    RunFigures { kind, most, collections, victims, step_ns }
}

#[test]
fn a_write_waits_for_one_choice_of_victims() {
    let (fifo, greedy) = (see(VictimKind::FIFO), see(VictimKind::GREEDY));
    assert!(greedy.step_ns < fifo.step_ns);
    for seen in VictimKind::each(3).chain([VictimKind::greedy_scan(7)]).map(see) {
        let at_once = u64::from(seen.kind.victims_at_once());
        if seen.kind.policy().name.starts_with("2r-") {
            // As many as gain a block together.
            assert!(seen.most > 1 && seen.most <= at_once, "{}: {}", seen.kind, seen.most);
            continue;
        }
        assert_eq!(seen.most, at_once, "{}", seen.kind);
        // All victims of a selection are collected in the same write.
        assert_eq!(seen.victims, seen.collections * at_once, "{}", seen.kind);
        // Greedy takes the best victim first. Each of the other victims of a selection is only known to gain
        // a page.
        let known = ["greedy", "two-level-list", "greedy-scan", "first-fit", "yaffs2"];
        let bounded = u64::from(known.contains(&seen.kind.policy().name));
        let steps = |best: Option<u64>| Some(best? * bounded + fifo.step_ns? * (at_once - bounded));
        assert_eq!(seen.step_ns, steps(greedy.step_ns), "{}", seen.kind);
    }
}

#[test]
fn a_plan_counts_the_ram_of_the_policy() {
    let geometry = Geometry::new(96, 16, EVALUATION_SLC.page_bytes).unwrap();
    let part = Part { pages_per_block: 16, ..EVALUATION_SLC.clone() };
    let mut sizes = BTreeSet::new();
    for preset in REGISTRY {
        let kinds = VictimKind::each(3).chain([VictimKind::greedy_scan(1)]).map(Some);
        let has_victims = preset.settings.contains(&"victim");
        for victim in kinds.filter(|_| has_victims).chain([None]) {
            let config = SchemeConfig { victim, ..SchemeConfig::preset(preset) };
            let Ok(plan) = registry::plan(&config, &part, &geometry, 96) else { continue };
            let array = Array::new(geometry, part.clone(), Store::Metadata);
            let scheme = registry::format(&config, AnyArray::new(array)).unwrap();
            assert_eq!(scheme.telemetry().ram, plan.ram, "{} {victim:?}", preset.name);
            if preset.name == "page-level" {
                sizes.insert(plan.ram.victims);
            }
        }
    }
    // The policies differ in RAM; not all have that of greedy.
    assert!(sizes.len() >= 5, "{sizes:?}");
}

/// A policy that is implemented but not listed could not be selected.
#[test]
fn every_file_that_declares_a_policy_is_listed() {
    let declared = crate::declared_in("src/victims", ": VictimPolicy = ");
    assert_eq!(declared, VICTIM_POLICIES.len());
}

#[test]
fn every_file_that_declares_a_placement_is_listed() {
    let declared = crate::declared_in("src/placement", ": PlacementPolicy = ");
    assert_eq!(declared, PLACEMENT_POLICIES.len());
}
