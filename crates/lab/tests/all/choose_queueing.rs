//! A search proves delays with queueing only where its bounds cover all that takes time.

use ftlkit_lab::choose::{Choice, Question, Verdict, named_schemes};
use ftlkit_lab::config::{Experiment, PartTable};
use ftlkit_lab::run::Unobserved;

/// Page writes, four at once.
fn trace() -> std::path::PathBuf {
    let mut text = String::from("arrival_ns,op,offset_bytes,length_bytes\n");
    for n in 0..4000_u64 {
        text.push_str(&format!("{},write,{},2048\n", n / 4 * 40_000_000, n * 37 % 1000 * 2048));
    }
    let path =
        std::env::temp_dir().join(format!("ftlkit-choose-queueing-{}.csv", std::process::id()));
    std::fs::write(&path, text).unwrap();
    path
}

#[test]
fn what_no_bound_covers_is_not_proved_with_queueing() {
    let trace = trace();
    let first = |scheme: &str, more: &str| -> Choice {
        let text =
            format!("capacity = '8MiB'\nworkload = {{ trace = '{}' }}\n{more}", trace.display());
        let asked = Question {
            experiment: Experiment::from_toml(&text, "test").unwrap(),
            deadlines: "30ms".parse().unwrap(),
            parts: vec![PartTable::named("evaluation-slc")],
            schemes: named_schemes(&[scheme.into()]).unwrap(),
            shares: Vec::new(),
            exported: None,
        };
        asked.answer(&Unobserved).unwrap().remove(0)
    };
    let plain = first("lazy-rtgc", "");
    assert_eq!(plain.verdict, Verdict::ProvedWithQueueing, "{plain:?}");
    assert!(plain.queued_ns >= plain.longest_ns && plain.queued_ns <= Some(30_000_000));
    for (scheme, more) in [
        ("lazy-rtgc+idle", ""),
        ("lazy-rtgc", "cpu = 'arm7'"),
        ("lazy-rtgc", "timing = 'closed'"),
        ("lazy-rtgc", "bit_errors = 'wear:1,0,0+ecc=72'"),
        ("lazy-rtgc", "refresh = 'age=30d'"),
    ] {
        let choice = first(scheme, more);
        assert_eq!(choice.queued_ns, None, "{scheme} {more}: {choice:?}");
        assert!(choice.verdict > Verdict::ProvedWithQueueing, "{scheme} {more}: {choice:?}");
        assert!(choice.verdict < Verdict::Impossible, "{scheme} {more}: {choice:?}");
    }
    std::fs::remove_file(trace).unwrap();
}

/// Parts with the same times but other pages have other arrivals.
#[test]
fn each_size_of_page_has_a_proof_of_its_own() {
    let path = std::env::temp_dir().join(format!("ftlkit-choose-pages-{}.csv", std::process::id()));
    let lines: String = (0..50).map(|n| format!("{},write,0,4096\n", n * 40_000_000_u64)).collect();
    std::fs::write(&path, format!("arrival_ns,op,offset_bytes,length_bytes\n{lines}")).unwrap();
    let text = format!("capacity = '8MiB'\nworkload = {{ trace = '{}' }}", path.display());
    let small = PartTable::named("evaluation-slc");
    let mut large = small.clone();
    large.set("page_bytes", "4096").unwrap();
    let asked = Question {
        experiment: Experiment::from_toml(&text, "test").unwrap(),
        deadlines: "30ms".parse().unwrap(),
        parts: vec![small, large],
        schemes: named_schemes(&["lazy-rtgc".into()]).unwrap(),
        shares: Vec::new(),
        exported: None,
    };
    let choices = asked.answer(&Unobserved).unwrap();
    let mut delays: Vec<_> = choices.iter().map(|choice| choice.queued_ns).collect();
    delays.sort_unstable();
    assert_eq!(delays, [Some(2_220_900), Some(2 * 2_220_900)], "{choices:?}");
    std::fs::remove_file(path).unwrap();
}

/// Requests that are alike are counted together, but not without their length.
#[test]
fn no_request_misses_a_deadline_of_another_length() {
    for more in ["", "channels = 2\nways = 2\npart = 'ddt-mlc'\nqueue_depth = 4"] {
        let text = format!(
            "capacity = '64MiB'\nworkload = {{ name = 'uniform', requests = 3000, parameters = {{ size = '8KiB' }} }}\n{more}"
        );
        let experiment = Experiment::from_toml(&text, "test").unwrap();
        let part = if more.is_empty() { "micron-mlc" } else { "ddt-mlc" };
        let verdict = |deadlines: &str| {
            let asked = Question {
                experiment: Experiment { part: None, ..experiment.clone() },
                deadlines: deadlines.parse().unwrap(),
                parts: vec![PartTable::named(part)],
                schemes: named_schemes(&["page-level+share=0.5".into()]).unwrap(),
                shares: Vec::new(),
                exported: None,
            };
            asked.answer(&Unobserved).unwrap().remove(0).verdict
        };
        for kept in ["..8191:1ns,100s", "8193..:1ns,100s", "reads:8KiB..8KiB:1ns,100s"] {
            assert!(verdict(kept) <= Verdict::Measured, "{kept} {more}");
        }
        assert_eq!(verdict("8KiB..8KiB:1ns,100s"), Verdict::Missed, "{more}");
    }
}
