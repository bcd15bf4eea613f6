//! A search: what is pruned misses, what is kept is gone on with, and what is stopped is told.

use ftlkit_lab::choose::{Choice, Deadlines, Question, Verdict, named_schemes, tables};
use ftlkit_lab::compare;
use ftlkit_lab::config::{Bytes, Experiment, PartTable, TextOrTable};
use ftlkit_lab::run::Unobserved;
use ftlkit_lab::sweep::{Kept, Limits, Watch};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A trace of bursts of page writes, a file of this test alone.
struct Trace(PathBuf);

impl Trace {
    fn new(name: &str, burst: u64) -> Self {
        let mut text = String::from("arrival_ns,op,offset_bytes,length_bytes\n");
        for n in 0..4000_u64 {
            let op = if n % 5 == 4 { "read" } else { "write" };
            let page = n * 37 % 1000 * 2048;
            text.push_str(&format!("{},{op},{page},2048\n", n / burst * 40_000_000));
        }
        let name = format!("ftlkit-choose-{name}-{}.csv", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, text).unwrap();
        Self(path)
    }
}

impl Drop for Trace {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

const EXPORTED: u64 = 6 << 20;

fn asked(workload: &str, deadline: &str, schemes: &str, more: &str) -> Question {
    let text = format!("workload = {workload}\nprecondition = 'full+age=1'\n{more}");
    let schemes: Vec<String> = schemes.split(',').map(str::to_owned).collect();
    Question {
        experiment: Experiment::from_toml(&text, "test").unwrap(),
        deadlines: deadline.parse().unwrap(),
        parts: ["evaluation-slc", "toshiba-tlc"].map(PartTable::named).into(),
        schemes: named_schemes(&schemes).unwrap(),
        shares: vec![0.7],
        exported: Some(EXPORTED),
    }
}

fn of_trace(trace: &Path, deadline: &str, schemes: &str) -> Question {
    asked(&format!("{{ trace = '{}' }}", trace.display()), deadline, schemes, "")
}

fn answer(asked: &Question) -> Vec<Choice> {
    asked.answer(&Unobserved).unwrap()
}

fn text(choices: &[Choice]) -> String {
    serde_json::to_string(choices).unwrap()
}

/// The run that was not made misses by what was said, at least.
#[test]
fn what_is_pruned_would_miss() {
    let trace = Trace::new("pruned", 8);
    let schemes = "page-level,lazy-rtgc,rftl,nftl,fast,bast,superblock,dftl,2lgc,gftl,ba-gc,lazy-rtgc-on-demand";
    let asked = of_trace(&trace.0, "1400us", schemes);
    let choices = answer(&asked);
    let mut pruned = 0;
    for choice in &choices {
        let is_pruned = choice.is_pruned();
        assert_eq!(is_pruned, choice.least_ns > 1_400_000 && choice.verdict == Verdict::Missed);
        if !is_pruned {
            continue;
        }
        assert!(choice.longest_ns.is_none() && choice.run_from.is_none(), "{choice:?}");
        assert!(!choice.volatile && choice.scheme != "ba-gc", "its writes go to RAM: {choice:?}");
        let mut experiment = asked.experiment.clone();
        let scheme = asked.schemes.iter().find(|of| of.label() == choice.scheme).unwrap();
        let mut scheme = scheme.clone();
        scheme.logical_share = choice.share_tried;
        experiment.schemes = vec![TextOrTable(scheme)];
        experiment.part = Some(TextOrTable(PartTable::named(&choice.part)));
        experiment.capacity = Some(Bytes::new(choice.raw_bytes));
        experiment.precondition = "none".parse().unwrap();
        let found = compare(&experiment.resolve().unwrap(), &Unobserved).unwrap();
        let longest_ns = found.report.schemes[0].request_completion_ns.max;
        assert!(longest_ns >= choice.least_ns, "{longest_ns}: {choice:?}");
        pruned += 1;
    }
    assert!(pruned >= 8, "{pruned}");
    // What is known of them is a lower limit, which would put them before those that ran.
    let missed = choices.iter().filter(|choice| choice.verdict == Verdict::Missed);
    assert!(missed.map(Choice::is_pruned).is_sorted());
    // Six or seven writes of a burst at 220.9 µs each.
    let least = |choice: &&Choice| choice.part == "evaluation-slc" && choice.scheme == "lazy-rtgc";
    assert_eq!(choices.iter().find(least).unwrap().least_ns, 7 * 220_900);
    // Reads may be served at once, a percentile leaves the bursts out, and so does a limit of requests.
    for deadline in ["reads:1400us", "p50=1400us"] {
        let choices = answer(&of_trace(&trace.0, deadline, "lazy-rtgc"));
        assert!(!choices.iter().any(Choice::is_pruned));
    }
    let mut fewer = of_trace(&trace.0, "1400us", "lazy-rtgc");
    fewer.experiment.workload.0.replay_mut().requests = Some(4);
    assert!(answer(&fewer).iter().all(|choice| choice.least_ns == 0));
}

/// Ends the search after so many runs.
struct After {
    runs: usize,
    ended: AtomicUsize,
    kept: AtomicUsize,
}

impl After {
    fn runs(runs: usize) -> Self {
        Self { runs, ended: AtomicUsize::new(0), kept: AtomicUsize::new(0) }
    }
}

impl Watch for After {
    fn at(&self, _: usize, share: f64) {
        assert!((0.0..=1.0).contains(&share), "{share}");
    }

    fn ended(&self, _: usize, kept: bool) {
        self.ended.fetch_add(1, Ordering::SeqCst);
        self.kept.fetch_add(usize::from(kept), Ordering::SeqCst);
    }

    fn stop(&self) -> bool {
        self.ended.load(Ordering::SeqCst) >= self.runs
    }
}

/// Stopped while the trace is read for its curve: what is known of a part of it proves nothing.
#[test]
fn a_part_of_a_trace_proves_nothing() {
    let trace = Trace::new("part", 4);
    let asked = of_trace(&trace.0, "30ms", "page-level,lazy-rtgc");
    let search = asked.plan(&|| true).unwrap();
    let limits = Limits { threads: 1, bytes: None };
    let found = search.run(None, limits, &After::runs(0)).unwrap();
    assert!(found.iter().any(|of| of.verdict == Verdict::NotRun));
    assert!(found.iter().all(|of| of.queued_ns.is_none()), "{}", text(&found));
}

#[test]
fn a_stopped_search_tells_what_is_known_and_the_next_goes_on() {
    let trace = Trace::new("stopped", 4);
    let asked = of_trace(&trace.0, "30ms", "page-level,gftl,rftl,lazy-rtgc");
    let whole = answer(&asked);
    let folder = std::env::temp_dir().join(format!("ftlkit-choose-kept-{}", std::process::id()));
    let kept = Kept::new(&folder.join("runs")).unwrap();
    let go = |watch: &After, threads, kept| {
        let search = asked.plan(&|| false).unwrap();
        search.run(kept, Limits { threads, bytes: None }, watch).unwrap()
    };
    let stopped = After::runs(3);
    let found = go(&stopped, 1, Some(&kept));
    let count = |verdict| found.iter().filter(|choice| choice.verdict == verdict).count();
    assert_eq!(found.iter().filter(|choice| choice.run_from.is_some()).count(), 3);
    assert!(count(Verdict::NotRun) > 0 && found.len() == whole.len());
    // What is proved is known without a run, and comes first.
    let proved = whole.iter().filter(|of| of.verdict == Verdict::ProvedWithQueueing).count();
    assert_eq!(count(Verdict::ProvedWithQueueing), proved);
    assert!(proved > 1 && found[0].verdict == Verdict::ProvedWithQueueing);
    // What is proved is run first.
    let run_proved = found.iter().filter(|of| of.run_from.is_some());
    let run_proved = run_proved.filter(|of| of.verdict == Verdict::ProvedWithQueueing).count();
    assert_eq!(run_proved, proved.min(3));
    let left = found.iter().filter(|of| of.run_from.is_none() && of.verdict != Verdict::Impossible);
    let left = left.filter(|of| of.verdict != Verdict::Missed).count();
    assert!(tables::not_run(&found).starts_with(&format!("INTERRUPTED: {left} combinations")));
    let on = After::runs(usize::MAX);
    assert_eq!(text(&go(&on, 3, Some(&kept))), text(&whole));
    assert_eq!(on.kept.into_inner(), 3);
    // Another deadline is another question.
    let other = of_trace(&trace.0, "31ms", "lazy-rtgc");
    let watch = After::runs(usize::MAX);
    let search = other.plan(&|| false).unwrap();
    search.run(Some(&kept), Limits { threads: 1, bytes: None }, &watch).unwrap();
    assert_eq!(watch.kept.into_inner(), 0);
    assert_eq!(text(&go(&After::runs(usize::MAX), 1, None)), text(&whole));
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn each_kind_of_deadline_is_judged_by_its_own_requests() {
    let trace = Trace::new("kinds", 5);
    let first = |deadline: &str| {
        let mut asked = of_trace(&trace.0, deadline, "page-level+share=0.6");
        asked.parts.truncate(1);
        answer(&asked).remove(0)
    };
    let all = first("200ms");
    let longest = all.longest_ns.unwrap();
    let late = first(&format!("{}ns", longest - 1));
    assert_eq!((late.verdict, late.over_ns), (Verdict::Missed, Some(1)), "{late:?}");
    assert_eq!(late.run_from.as_deref(), Some("full+age=1"), "{late:?}");
    // The same at a percentile that leaves out the longest.
    let percentile = first(&format!("p90={}ns", longest - 1));
    assert!(
        percentile.verdict < Verdict::Missed && percentile.late_share > Some(0.0),
        "{percentile:?}"
    );
    let percentile = first("p99.9=300us");
    assert_eq!((percentile.verdict, percentile.over_ns), (Verdict::Missed, None), "{percentile:?}");
    assert!(percentile.late_share > Some(0.001));
    // A read waits for the four writes before it.
    let reads = first("writes:1s,reads:200us");
    assert_eq!((reads.verdict, reads.missed.as_deref()), (Verdict::Missed, Some("reads:200us")));
    assert_eq!(reads.run_from.as_deref(), Some("none"), "an empty array is enough to miss it");
    assert!(first("writes:200ms,reads:1s").verdict < Verdict::Missed);
}

/// What has missed goes on for some time, so that it is told by how much, and no longer.
#[test]
fn a_long_run_ends_once_it_has_missed() {
    let workload = "{ name = 'uniform', requests = 150000 }";
    let mut asked = asked(workload, "225us", "page-level+share=0.6", "");
    asked.parts.truncate(1);
    let choices = answer(&asked);
    let [choice] = &choices[..] else { panic!("{choices:?}") };
    assert!(choice.verdict == Verdict::Missed && choice.ended_early, "{choice:?}");
    let table = tables::missed(&[choice]).text(None);
    assert!(table.contains("≥ "), "{table}");
    asked.deadlines = Deadlines::each(1_000_000_000);
    assert!(!answer(&asked)[0].ended_early);
}

#[test]
fn nothing_is_proved_of_an_ssd() {
    let trace = Trace::new("ssd", 4);
    let workload = format!("{{ trace = '{}' }}", trace.0.display());
    let more = "channels = 2";
    let mut asked = asked(&workload, "1s", "lazy-rtgc,page-level", more);
    // The first has no bus, which is told in its rows.
    asked.parts[1] = PartTable::named("ddt-mlc");
    let choices = answer(&asked);
    assert!(choices.iter().any(|choice| choice.verdict == Verdict::Measured), "{choices:?}");
    let bus = "bus_cycle";
    let told = |of: &Choice| of.why.as_deref().is_some_and(|why| why.contains(bus));
    assert!(choices.iter().all(|of| (of.part == "evaluation-slc") == told(of)), "{choices:?}");
    for choice in &choices {
        assert!(choice.verdict >= Verdict::Measured, "{choice:?}");
        assert_eq!((choice.queued_ns, choice.page_write_ns, choice.least_ns), (None, None, 0));
        assert!(choice.exported_bytes >= EXPORTED || choice.verdict == Verdict::Impossible);
    }
    assert!(choices.iter().any(|choice| choice.device_writes > Some(0.0)));
}

#[test]
fn one_row_is_recommended_with_its_reason() {
    let trace = Trace::new("recommended", 4);
    let choices = answer(&of_trace(&trace.0, "30ms", "lazy-rtgc,rftl,gftl,page-level"));
    let best = tables::recommended(choices.iter()).unwrap();
    let proved: Vec<&Choice> =
        choices.iter().filter(|of| of.verdict == Verdict::ProvedWithQueueing).collect();
    // The others may lose writes that were completed: the one is not chosen among them.
    let durable: Vec<_> = proved.iter().filter(|of| !of.volatile).collect();
    assert!(durable.len() > 1 && durable.len() < proved.len(), "{}", proved.len());
    let most = durable.iter().map(|of| of.logical_share).fold(0.0, f64::max);
    let said = format!("at {:.1} %: of the {} that are proved", most * 100.0, durable.len());
    assert!(best.contains(&said), "{best}");
    assert!(best.contains("whose completed writes are durable") && !best.contains('†'), "{best}");
    assert_eq!(tables::recommended([].into_iter()), None);
    let missed = answer(&of_trace(&trace.0, "1us", "lazy-rtgc"));
    assert_eq!(tables::recommended(missed.iter()), None);
}
