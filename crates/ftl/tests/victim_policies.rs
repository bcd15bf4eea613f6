//! Every victim policy below `page-level`: how many victims a write may have to wait for, and that work is told.

use flash::parts::EVALUATION_SLC;
use flash::{Array, Geometry, Lpn, Part, Store};
use ftlkit_ftl::registry::{self, REGISTRY, Visitor, by_name};
use ftlkit_ftl::{Ram, Scheme, SchemeConfig, VictimKind, VictimWork};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::collections::BTreeSet;

/// What was seen of one run.
struct Seen {
    kind: VictimKind,
    /// Most victims behind one write, and how many writes had any.
    most: u64,
    collections: u64,
    victims: u64,
    step_ns: Option<u64>,
}

struct Overwrite(VictimKind);

impl Visitor<Array> for Overwrite {
    type Output = Seen;

    fn visit<S: Scheme<Flash = Array> + Clone>(self, mut scheme: S) -> Seen {
        let Self(kind) = self;
        let pages = scheme.logical_pages();
        let mut random = Pcg64::seed_from_u64(7);
        (0..pages).for_each(|lpn| scheme.write(Lpn(lpn), &[]).unwrap());
        scheme.restart_collections();
        assert_eq!(scheme.victim_work(), Some(VictimWork::default()), "{kind}");
        let (mut most, mut collections) = (0, 0);
        for _ in 0..20_000 {
            let before = scheme.collections().finished;
            scheme.write(Lpn(random.random_range(0..pages)), &[]).unwrap();
            let victims = scheme.collections().finished - before;
            most = victims.max(most);
            collections += u64::from(victims > 0);
        }
        let work = scheme.victim_work().unwrap();
        assert!(work.filled.writes > 0 && work.chosen.reads > 0, "{kind}: {work:?}");
        let step_ns = scheme.guarantee().step_ns;
        Seen { kind, most, collections, victims: scheme.collections().finished, step_ns }
    }
}

fn see(kind: VictimKind) -> Seen {
    let geometry = Geometry::new(64, 16, EVALUATION_SLC.page_bytes).unwrap();
    let array = Array::new(geometry, EVALUATION_SLC.clone(), Store::Metadata);
    let config = SchemeConfig {
        victim: Some(kind),
        logical_pages: Some(64 * 16 * 4 / 5),
        ..SchemeConfig::preset(by_name("page-level").unwrap())
    };
    registry::format(&config, array, Overwrite(kind)).unwrap()
}

#[test]
fn a_write_waits_for_one_choice_of_victims() {
    let (fifo, greedy) = (see(VictimKind::Fifo), see(VictimKind::Greedy));
    assert!(greedy.step_ns < fifo.step_ns);
    for seen in VictimKind::each(3).chain([VictimKind::GreedyScan(7)]).map(see) {
        let at_once = u64::from(seen.kind.victims_at_once());
        assert_eq!(seen.most, at_once, "{}", seen.kind);
        // All of a choice are collected behind the same write.
        assert_eq!(seen.victims, seen.collections * at_once, "{}", seen.kind);
        // Greedy is known to take the best first; of the others of a choice it is only known that each gains a page.
        let bounded = match seen.kind {
            VictimKind::Greedy | VictimKind::TwoLevelList | VictimKind::GreedyScan(_) => 1,
            _ => 0,
        };
        let steps = |best: Option<u64>| Some(best? * bounded + fifo.step_ns? * (at_once - bounded));
        assert_eq!(seen.step_ns, steps(greedy.step_ns), "{}", seen.kind);
    }
}

/// RAM and time of a scheme that was just formatted, beside its plan.
struct Fresh;

impl Visitor<Array> for Fresh {
    type Output = Ram;

    fn visit<S: Scheme<Flash = Array> + Clone>(self, scheme: S) -> Ram {
        scheme.ram()
    }
}

#[test]
fn a_plan_counts_the_ram_of_the_policy() {
    let geometry = Geometry::new(96, 16, EVALUATION_SLC.page_bytes).unwrap();
    let part = Part { pages_per_block: 16, ..EVALUATION_SLC.clone() };
    let mut sizes = BTreeSet::new();
    for preset in REGISTRY {
        let kinds = VictimKind::each(3).chain([VictimKind::GreedyScan(1)]).map(Some);
        let has_victims = preset.settings.contains(&"victim");
        for victim in kinds.filter(|_| has_victims).chain([None]) {
            let config = SchemeConfig { victim, ..SchemeConfig::preset(preset) };
            let Ok(plan) = registry::plan(&config, &part, &geometry, 96) else { continue };
            let array = Array::new(geometry, part.clone(), Store::Metadata);
            let ram = registry::format(&config, array, Fresh).unwrap();
            assert_eq!(ram, plan.ram, "{} {victim:?}", preset.name);
            if preset.name == "page-level" {
                sizes.insert(plan.ram.victims);
            }
        }
    }
    // Not greedy's for all.
    assert!(sizes.len() >= 5, "{sizes:?}");
}
