//! Every victim policy below `page-level`: how many victims a write may have to wait for, and that work is told.

use flash::parts::EVALUATION_SLC;
use flash::{Array, Geometry, Lpn, Store};
use ftlkit_ftl::registry::{self, Visitor, by_name};
use ftlkit_ftl::{Scheme, SchemeConfig, VictimKind, VictimWork};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

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
    let fifo = see(VictimKind::Fifo);
    for seen in VictimKind::each(3).chain([VictimKind::GreedyScan(7)]).map(see) {
        let at_once = u64::from(seen.kind.victims_at_once());
        assert_eq!(seen.most, at_once, "{}", seen.kind);
        // All of a choice are collected behind the same write.
        assert_eq!(seen.victims, seen.collections * at_once, "{}", seen.kind);
        if seen.kind != VictimKind::Greedy {
            assert_eq!(seen.step_ns, fifo.step_ns.map(|ns| ns * at_once), "{}", seen.kind);
        }
    }
}
