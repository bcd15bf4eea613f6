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
