use super::*;
use proptest::prelude::*;

fn sample(kind: TaskKind, service_ns: u64, step_ns: u64) -> TaskSample {
    TaskSample { kind, service_ns, step_ns, completion_ns: service_ns.saturating_add(step_ns) }
}

fn reported(measures: Measures) -> SchemeReport {
    let mut report = SchemeReport::default();
    measures.finish(&mut report);
    report
}

fn measured(arrivals: Arrivals, samples: &[TaskSample]) -> SchemeReport {
    let mut measures = Measures::new(0, arrivals);
    for s in samples {
        measures.task(s);
    }
    reported(measures)
}

/// Nearest rank ⌈q·n⌉ of sorted data, in integers.
fn exact(sorted: &[u64], one_in: usize) -> Option<u64> {
    let allowed = one_in == 2 && !sorted.is_empty() || sorted.len() >= one_in;
    allowed.then(|| sorted[(sorted.len() * (one_in - 1)).div_ceil(one_in) - 1])
}

fn check(summary: &Summary, values: &[u64]) -> Result<(), TestCaseError> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    prop_assert_eq!(summary.count, sorted.len() as u64);
    prop_assert_eq!(summary.max, sorted.last().copied().unwrap_or(0));
    let sum: u128 = sorted.iter().map(|&v| u128::from(v)).sum();
    let mean = if sorted.is_empty() { 0.0 } else { sum as f64 / sorted.len() as f64 };
    prop_assert_eq!(summary.mean, mean);
    for (one_in, told) in [
        (2, summary.p50),
        (10, summary.p90),
        (100, summary.p99),
        (1_000, summary.p99_9),
        (10_000, summary.p99_99),
        (100_000, summary.p99_999),
        (1_000_000, summary.p99_9999),
    ] {
        let exact = exact(&sorted, one_in);
        prop_assert_eq!(told.is_some(), exact.is_some(), "1 in {}", one_in);
        if let (Some(told), Some(exact)) = (told, exact) {
            prop_assert!(told >= exact && told <= summary.max);
            // Times beyond 146 years share one bucket.
            let near = told - exact <= exact / 1000 || exact >= 1 << 62;
            prop_assert!(near, "1 in {}: {} of {}", one_in, told, exact);
        }
    }
    Ok(())
}

fn any_time() -> impl Strategy<Value = u64> {
    prop_oneof![
        4 => prop::sample::select(vec![0, 20_000, 220_900, 720_900, 2_220_900]),
        2 => 0..5_000_000u64,
        1 => any::<u64>(),
        1 => Just(u64::MAX),
    ]
}

proptest! {
    #[test]
    fn summaries_are_those_of_the_sorted_data(
        tasks in prop::collection::vec((any_time(), any_time(), 0..3usize, any_time()), 0..3_000),
        timed: bool,
    ) {
        let arrivals = if timed { Arrivals::Timed } else { Arrivals::Closed };
        let samples: Vec<_> = tasks
            .iter()
            .map(|&(service_ns, step_ns, kind, completion_ns)| TaskSample {
                kind: TaskKind::ALL[kind], service_ns, step_ns, completion_ns,
            })
            .collect();
        let m = measured(arrivals, &samples);
        let response = |s: &TaskSample| s.service_ns.saturating_add(s.step_ns);
        let of = |kind: TaskKind| -> Vec<u64> {
            samples.iter().filter(|s| s.kind == kind).map(response).collect()
        };
        let all: Vec<u64> = samples.iter().map(response).collect();
        let completions: Vec<u64> = samples.iter().map(|s| s.completion_ns).collect();
        check(&m.service_ns, &samples.iter().map(|s| s.service_ns).collect::<Vec<_>>())?;
        check(&m.step_ns, &samples.iter().map(|s| s.step_ns).collect::<Vec<_>>())?;
        check(&m.response_ns, &all)?;
        check(&m.read_response_ns, &of(TaskKind::Read))?;
        check(&m.write_response_ns, &of(TaskKind::Write))?;
        check(&m.completion_ns, if timed { &completions } else { &all })?;
        prop_assert_eq!(m.read_tasks + m.write_tasks + m.trim_tasks, m.tasks);
        prop_assert_eq!(m.trim_tasks, of(TaskKind::Trim).len() as u64);

        // The CCDF falls, ends at 0 at the maximum, and each share is that of the data.
        for &(ns, share) in &m.series.response_ccdf {
            let beyond = all.iter().filter(|&&r| r > ns).count() as f64 / all.len() as f64;
            prop_assert_eq!(share, beyond);
        }
        prop_assert!(m.series.response_ccdf.is_sorted_by(|a, b| a.0 < b.0 && a.1 > b.1));
        if let Some(&last) = m.series.response_ccdf.last() {
            prop_assert_eq!(last, (m.response_ns.max, 0.0));
        }
    }
}

#[test]
fn percentiles_up_to_six_nines_appear_with_the_sample() {
    let mut measures = Measures::new(0, Arrivals::Closed);
    for n in 0..1_000_000u64 {
        measures.task(&sample(TaskKind::Write, 220_900, if n == 77 { 2_000_000 } else { 0 }));
    }
    let m = reported(measures);
    assert_eq!(m.response_ns.max, 2_220_900);
    let p = m.response_ns.p99_9999.unwrap();
    assert!((220_900..=220_900 + 220).contains(&p), "one in a million lies beyond it: {p}");
    assert_eq!(m.response_ns.mean, 220_902.0);

    let few = measured(Arrivals::Closed, &vec![sample(TaskKind::Read, 1, 0); 999]);
    assert!(few.response_ns.p99.is_some() && few.response_ns.p99_9.is_none());
}

#[test]
fn no_tasks_only_reads_only_writes() {
    let none = measured(Arrivals::Timed, &[]);
    assert_eq!((none.tasks, none.requests, none.response_ns.count), (0, 0, 0));
    assert!(none.response_ns.p50.is_none() && none.series.response_ccdf.is_empty());
    assert!(none.series.free_pages.is_empty());

    let reads = measured(Arrivals::Timed, &[sample(TaskKind::Read, 20_000, 0); 10]);
    assert_eq!((reads.read_tasks, reads.write_tasks), (10, 0));
    assert_eq!((reads.read_response_ns.max, reads.write_response_ns.count), (20_000, 0));
    assert_eq!(reads.series.response_ccdf, [(20_000, 0.0)]);

    let writes = measured(Arrivals::Timed, &[sample(TaskKind::Write, 200_000, 5)]);
    assert_eq!((writes.read_response_ns.count, writes.write_response_ns.p50), (0, Some(200_005)));
}

#[test]
fn requests_and_ticks_reach_the_report() {
    let mut measures = Measures::new(500, Arrivals::Timed);
    for n in 1..=100u64 {
        measures.task(&sample(TaskKind::Write, 1_000_000, 0));
        measures.task(&sample(TaskKind::Write, 1_000_000, 0));
        measures.request(2_000_000, 2_000_000 * n);
        measures.tick(500 + 2_000_000 * n, 1_000 - n);
    }
    let mut report = SchemeReport { name: "x".into(), waf: Some(1.5), ..SchemeReport::default() };
    measures.finish(&mut report);
    assert_eq!((report.tasks, report.requests), (200, 100));
    assert_eq!(report.request_response_ns.max, 2_000_000);
    assert_eq!(report.request_completion_ns.max, 200_000_000);
    assert_eq!(report.collection.least_free_pages, 900);
    assert_eq!((report.name.as_str(), report.waf), ("x", Some(1.5)), "the rest is left alone");
    let rates = &report.series.throughput;
    assert!(rates.len() > 2 && rates.iter().all(|p| (p.1 - 1_000.0).abs() < 100.0), "{rates:?}");
}

/// A request that is one page task is the task and the request, whether it waited or not.
#[test]
fn a_whole_request_is_a_task_and_a_request() {
    let (mut whole, mut apart) =
        (Measures::new(0, Arrivals::Timed), Measures::new(0, Arrivals::Timed));
    for n in 0..5000u64 {
        let kind = TaskKind::ALL[(n % 3) as usize];
        // Each time twice in a row of a kind.
        let service_ns = (n / 6) * (n / 6) * 7 % 700_001;
        let completion_ns = service_ns + if n % 4 == 0 { n % 90 } else { 0 };
        let step_ns = u64::from(n % 11 == 0) * n;
        let sample = TaskSample { kind, service_ns, step_ns, completion_ns };
        whole.whole_request(&sample);
        apart.task(&sample);
        apart.request(completion_ns, completion_ns);
        assert_eq!(whole.totals(), apart.totals(), "after {n}");
    }
    let told = |measures| serde_json::to_value(reported(measures)).expect("a report is written");
    assert_eq!(told(whole), told(apart));
}
