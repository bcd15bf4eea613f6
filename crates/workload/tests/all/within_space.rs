//! No request of a built-in workload exceeds the space, for any space and any parameters.

use crate::common::cases;
use ftlkit_workload::{BUILTIN, Kind, ParameterInfo, Space, WorkloadSpec};
use proptest::prelude::*;

fn spaces() -> impl Strategy<Value = Space> {
    (1u64..5000, 0u64..4096, prop::sample::select(vec![512u32, 2048, 4096, 16384]), 1u32..257)
        .prop_map(|(pages, rest, page_bytes, pages_per_block)| Space {
            bytes: pages * u64::from(page_bytes) + rest % u64::from(page_bytes),
            page_bytes,
            pages_per_block,
        })
}

fn value(info: &'static ParameterInfo) -> BoxedStrategy<String> {
    let text = |values: &[&str]| {
        prop::sample::select(values.iter().map(|&v| v.to_owned()).collect::<Vec<_>>()).boxed()
    };
    match (info.name, info.kind) {
        ("bssplit", _) => text(&["none", "512/50:4k/50", "4k/:8k/:16k/", "1k/100,3000/20:4k/80"]),
        ("zones", _) => text(&["10/90:10/90", "50/50", "0/0", "1/99:1/99:1/99", "100/100"]),
        ("first" | "then", _) => text(&[
            "lsm+ratio=2",
            "sequential",
            "switched",
            "zipf+theta=1+scatter=no",
            "flash-cache+region=64k",
            "iozone",
        ]),
        ("random_distribution" | "jumper", _) => text(&[
            "uniform",
            "zipf",
            "zipf:0.9",
            "pareto:0.3",
            "hotcold:10/90",
            "zoned:50/10:50/90",
        ]),
        ("mixes", _) => text(&["100/0", "50", "0/30/70"]),
        ("block_sizes", _) => text(&["512", "4k/512", "3000/128k"]),
        (_, Kind::Share) => (0u32..=100).prop_map(|percent| format!("{percent}%")).boxed(),
        (_, Kind::Number { min, max }) => (min..=max).prop_map(|value| value.to_string()).boxed(),
        (_, Kind::Count { min, max }) => {
            (min..=max.min(min + 40)).prop_map(|value| value.to_string()).boxed()
        }
        (_, Kind::Bytes) => prop_oneof![1u64..20_000, Just(4096), Just(u64::MAX)]
            .prop_map(|v| v.to_string())
            .boxed(),
        (_, Kind::Choice(words)) => text(words),
        (_, Kind::Text(form)) => panic!("{}: no values for {form}", info.name),
    }
}

fn specs() -> impl Strategy<Value = WorkloadSpec> {
    prop::sample::select((0..BUILTIN.len()).collect::<Vec<_>>()).prop_flat_map(|index| {
        let info = &BUILTIN[index];
        let given: Vec<_> = info
            .all_parameters()
            .map(|p| (Just(p.name), prop::option::weighted(0.4, value(p))))
            .collect();
        (given, 1u64..3000, 0u64..4).prop_map(|(given, requests, loops)| {
            let mut spec = WorkloadSpec::builtin(info.name).limited(requests);
            spec.replay_mut().loops = loops;
            given
                .into_iter()
                .filter_map(|(name, value)| Some((name, value?)))
                .fold(spec, |spec, (n, v)| spec.with(n, v))
        })
    })
}

proptest! {
    #![proptest_config(cases(2000))]

    #[test]
    fn no_request_lies_beyond_the_space(space in spaces(), spec in specs(), seed: u64) {
        // A workload that does not fit must be refused.
        let Ok(facts) = spec.check(space) else { return Ok(()) };
        prop_assert!(facts.footprint_bytes <= space.bytes);
        let mut source = spec.open(space, seed, &facts).unwrap();
        let mut out = Vec::new();
        while source.fill(&mut out, 777).unwrap() > 0 {}
        prop_assert_eq!(out.len() as u64, facts.requests);
        prop_assert!(out.is_sorted_by_key(|request| request.arrival_ns));
        for request in out {
            prop_assert!(request.length > 0);
            let end = request.offset.checked_add(request.length);
            prop_assert!(end.is_some_and(|end| end <= facts.footprint_bytes), "{:?}", request);
        }
    }
}

#[test]
fn every_workload_fits_a_common_space_and_a_small_one_with_its_defaults_or_says_what_would() {
    let common = Space { bytes: 1 << 30, page_bytes: 4096, pages_per_block: 256 };
    let tiny = Space { bytes: 1 << 16, page_bytes: 4096, pages_per_block: 4 };
    for info in BUILTIN {
        let facts = WorkloadSpec::builtin(info.name).check(common).unwrap();
        assert!(facts.requests > 0 && !facts.origin.is_empty(), "{}", info.name);
        assert_eq!(facts.parameters.len(), info.all_parameters().count());
        if let Err(error) = WorkloadSpec::builtin(info.name).check(tiny) {
            let error = error.to_string();
            assert!(
                error.contains("must be such that") && error.contains("fit"),
                "{}: {error}",
                info.name
            );
        }
    }
}
