//! `2lgc`, and the two-level list with `lazy-rtgc`: against the reference model and the array's account, with power
//! cuts, and by a search of all states.

use crate::{guarantee, passes, plan, scheme};
use flash::Store;
use ftl::registry::by_name;
use ftl::{BufferPolicy, BufferSettings, SchemeConfig, VictimKind};
use ftlkit_testkit::conformance::{Case, accepted, variants};
use ftlkit_testkit::depth::in_turns;
use ftlkit_testkit::exhaustive::{Search, prove};
use ftlkit_testkit::operations::Pattern;
use ftlkit_testkit::power_cut::{self, every_cut};
use ftlkit_testkit::shape::{CHANNEL_SHAPES, SHAPES, Shape};

/// The largest logical space and smaller ones, for which the bounds are shorter than a whole block.
fn shares(config: &SchemeConfig, shape: &Shape) -> Vec<SchemeConfig> {
    let all = plan(config, shape).logical_pages;
    let shares = [all, all * 4 / 5, all / 2, all / 6];
    let with = |pages: u32| SchemeConfig { logical_pages: Some(pages.max(1)), ..config.clone() };
    shares.map(with).to_vec()
}

#[test]
fn keeps_its_promise_at_every_share() {
    let (mut passed, mut tight) = (0, 0);
    for idle_collection in [false, true] {
        for variant in variants(by_name("2lgc").unwrap()) {
            let variant = SchemeConfig { idle_collection, ..variant };
            for shape in accepted(&variant, SHAPES, 0) {
                for config in shares(&variant, &shape) {
                    let promised = guarantee(&config, &shape).response_ns;
                    let mut worst = 0;
                    for pattern in in_turns(Pattern::ALL, 2, passed) {
                        let seen = passes(&Case::new(config.clone(), shape, pattern, 3, 1500));
                        worst = worst.max(seen.response_ns);
                        passed += 1;
                    }
                    tight += u32::from(promised == Some(worst));
                }
            }
        }
    }
    println!("{passed} cases passed, {tight} of them reached their bound");
    assert!(tight > 100, "{tight}");
}

#[test]
fn on_channels_and_below_a_buffer() {
    let buffer = BufferSettings {
        policy: Some(Some(BufferPolicy::LRU)),
        aware: Some(true),
        ..BufferSettings::default()
    };
    for config in [scheme("2lgc"), SchemeConfig { buffer, ..scheme("2lgc") }] {
        for shape in accepted(&config, CHANNEL_SHAPES, 0) {
            for config in shares(&config, &shape) {
                for pattern in Pattern::ALL {
                    passes(&Case::new(config.clone(), shape, pattern, 5, 1200));
                }
            }
        }
    }
}

/// Power cuts at every operation, those of idle collection and of the garbage list included.
#[test]
fn survives_every_cut() {
    for (victim, idle_collection) in [
        (None, false),
        (None, true),
        (Some(VictimKind::GREEDY), true),
        (Some(VictimKind::FIFO), true),
    ] {
        for pattern in [Pattern::FillThenOverwrite, Pattern::HotCold, Pattern::Interleaved] {
            let shape = Shape::new(7, 6, 8);
            let scheme = SchemeConfig { victim, idle_collection, ..scheme("2lgc") };
            let case = power_cut::Case {
                operations: 200,
                ..power_cut::Case::new(scheme, shape, pattern, 1)
            };
            let tally = every_cut(&case).unwrap_or_else(|verdict| panic!("{verdict}"));
            println!("{idle_collection} {pattern:?}: {tally:?}");
        }
    }
}

/// With greedy victims, two states of one description continue alike, so the search covers all states.
#[test]
fn no_sequence_of_requests_breaks_it() {
    for shape in [
        Shape::new(3, 4, 1),
        Shape::new(4, 3, 1),
        Shape::new(4, 6, 2),
        Shape::new(5, 5, 1),
        Shape::new(5, 8, 2),
    ] {
        let greedy = SchemeConfig { victim: Some(VictimKind::GREEDY), ..scheme("2lgc") };
        for config in shares(&greedy, &shape) {
            let plan = plan(&config, &shape);
            let array = shape.array(Store::Metadata, &[]);
            let in_a_row = 4 * shape.pages_per_block;
            let search = Search { writes_in_a_row: in_a_row, ..Search::default() };
            let proof = prove(&config, array, search)
                .unwrap_or_else(|refutation| panic!("{shape}: {refutation}"));
            println!("{shape}, {} pages: {proof}", plan.logical_pages);
            assert!(proof.whole);
            // The bound on victims is reached, not only kept.
            assert_eq!(Some(proof.worst.victim_valid), plan.guarantee.victim_valid, "{shape}");
        }
    }
}

#[test]
fn the_projection_tells_its_states_apart() {
    for shape in [Shape::new(3, 4, 1), Shape::new(4, 3, 1)] {
        let config = SchemeConfig { victim: Some(VictimKind::GREEDY), ..scheme("2lgc") };
        let search = Search { check_projection: true, ..Search::default() };
        prove(&config, shape.array(Store::Metadata, &[]), search)
            .unwrap_or_else(|refutation| panic!("{shape}: {refutation}"));
    }
}

/// Steps stay within one erase time with every logical space. That includes small ones, with which a list may hold
/// fuller blocks than any victim of greedy.
#[test]
fn lazy_rtgc_keeps_its_promise_with_lists_and_with_a_search() {
    for victim in [VictimKind::TWO_LEVEL_LIST, VictimKind::greedy_scan(1)] {
        let config = SchemeConfig { victim: Some(victim), ..scheme("lazy-rtgc") };
        let mut listed = 0;
        for shape in accepted(&config, SHAPES, 0) {
            for config in shares(&config, &shape) {
                let greedy = SchemeConfig { victim: None, ..config.clone() };
                let [plan, greedy] = [&config, &greedy].map(|config| plan(config, &shape));
                assert_eq!(plan.logical_pages, greedy.logical_pages);
                assert!(plan.threshold_pages <= shape.pages_per_block);
                assert!(plan.guarantee.real_time);
                listed += u32::from(plan.guarantee.victim_valid > greedy.guarantee.victim_valid);
                for pattern in Pattern::ALL {
                    passes(&Case::new(config.clone(), shape, pattern, 9, 2000));
                }
            }
        }
        assert_eq!(listed > 0, victim == VictimKind::TWO_LEVEL_LIST);
    }
    // A search of all states, with a policy that looks for the best victim.
    for shape in [Shape::new(4, 6, 2), Shape::new(5, 5, 1)] {
        let victim = Some(VictimKind::greedy_scan(1));
        let config = SchemeConfig { victim, ..scheme("lazy-rtgc") };
        let array = shape.array(Store::Metadata, &[]);
        let writes_in_a_row = 4 * shape.pages_per_block;
        prove(&config, array, Search { writes_in_a_row, ..Search::default() })
            .unwrap_or_else(|refutation| panic!("{shape}: {refutation}"));
    }
}
