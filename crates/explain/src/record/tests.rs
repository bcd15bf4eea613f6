//! A recording on an SSD beside the run of the same experiment, and the rules of buses and dies.

use crate::record::record_scene;
use crate::recording::{Recording, What};
use crate::scene::Settings;
use flash::Ns;
use lab::config::Experiment;
use lab::run::Unobserved;
use lab::run::report::SchemeReport;
use lab::run_one;

/// Channels, dies of each, and queue depth.
const SHAPES: [[u32; 3]; 5] = [[1, 1, 1], [1, 2, 4], [2, 2, 1], [2, 2, 4], [4, 1, 16]];
const SCHEMES: [&str; 8] = [
    "page-level",
    "page-level exclusive",
    "lazy-rtgc",
    "2lgc",
    "fast",
    "fast exclusive",
    "nftl",
    "dftl",
];

/// A scheme; behind a space the scope in which collection blocks the host.
fn recorded(scheme: &str, [channels, dies, depth]: [u32; 3]) -> (Recording, SchemeReport) {
    let (scheme, collection) = scheme.split_once(' ').unwrap_or((scheme, "per-die"));
    let experiment = Experiment {
        collection: Some(collection.parse().unwrap()),
        schemes: vec![scheme.parse().unwrap()],
        workload: "zipf".parse().unwrap(),
        channels: Some(channels),
        dies: Some(dies),
        queue_depth: Some(depth),
        ..Experiment::default()
    };
    let settings = Settings {
        experiment,
        workload_given: true,
        blocks: None,
        pages_per_block: None,
        requests: Some(150),
        power_cuts: Vec::new(),
    };
    let scene = settings.resolve().unwrap_or_else(|error| panic!("{scheme}: {error}"));
    let recording = record_scene(&scene).unwrap_or_else(|error| panic!("{scheme}: {error}"));
    (recording, run_one(&scene.resolved, 0, &Unobserved).unwrap())
}

fn each(test: impl Fn(&str, &Recording, &SchemeReport)) {
    for scheme in SCHEMES {
        for shape in SHAPES {
            let (recording, report) = recorded(scheme, shape);
            test(&format!("{scheme} {shape:?}"), &recording, &report);
        }
    }
}

#[test]
fn it_is_the_run_of_the_same_experiment() {
    each(|name, recording, report| {
        let measured = || recording.frames[recording.header.first + 1..].iter();
        let count = |wanted: &str| {
            let is = |what: &What| matches!(what, What::Operation { op, .. } if *op == wanted);
            measured().filter(|frame| is(&frame.what)).count() as u64
        };
        assert_eq!([count("copy"), count("erase")], [report.copies, report.erases], "{name}");
        let responses: Vec<Ns> = measured()
            .filter_map(|frame| match frame.what {
                What::TaskEnd { service_ns, step_ns, .. } => Some(service_ns + step_ns),
                _ => None,
            })
            .collect();
        let exceeded =
            measured().filter(|frame| matches!(frame.what, What::TaskEnd { exceeded: true, .. }));
        assert_eq!(exceeded.count() as u64, report.violations, "{name}");
        let told = &report.response_ns;
        assert_eq!(responses.len() as u64, report.tasks, "{name}");
        assert_eq!(responses.iter().max(), Some(&told.max), "{name}");
        let mean = responses.iter().sum::<Ns>() as f64 / responses.len() as f64;
        assert!((mean - told.mean).abs() < 1e-6 * mean, "{name}: {mean} ns, not {}", told.mean);
        let last_ns = measured().flat_map(|frame| &frame.spans).map(|span| span.to_ns).max();
        let elapsed_ns = report.elapsed_ns;
        assert!(last_ns.unwrap() >= elapsed_ns, "{name}: {last_ns:?} of {elapsed_ns}");
    });
}

#[test]
fn a_bus_and_a_die_do_one_thing_at_a_time() {
    each(|name, recording, _| {
        let ssd = recording.header.ssd.unwrap();
        let lanes = (ssd.channels * (1 + ssd.dies_per_channel)) as usize;
        let mut busy: Vec<Vec<(Ns, Ns)>> = vec![Vec::new(); lanes];
        for frame in &recording.frames[recording.header.first + 1..] {
            for span in &frame.spans {
                assert!(span.from_ns < span.to_ns, "{name}");
                busy[span.lane as usize].push((span.from_ns, span.to_ns));
            }
            let What::Operation { op, block, page, .. } = frame.what else { continue };
            // Command, cells, data; a copy is a read and a program.
            let (least, cells) = if op == "copy" { (5, 2) } else { (2, 1) };
            assert!(frame.spans.len() >= least, "{name}: {op} {page:?} {:?}", frame.spans);
            let of_cells = frame.spans.iter().filter(|span| span.lane >= ssd.channels);
            let dies: Vec<u32> = of_cells.map(|span| span.lane - ssd.channels).collect();
            assert_eq!(dies.len(), cells, "{name}: {op}");
            let die = block % ssd.channels * ssd.dies_per_channel
                + block / ssd.channels % ssd.dies_per_channel;
            let aside = frame.caption.contains("until its copy is done");
            assert!(aside || dies.last() == Some(&die), "{name}: {op} in block {block}");
        }
        for mut spans in busy {
            spans.sort_unstable();
            assert!(spans.is_sorted_by(|one, next| one.1 <= next.0), "{name}: {spans:?}");
        }
    });
}

/// A page task is done with the last operation of its own: so each operation has the times of the command that was its.
#[test]
fn a_page_task_ends_with_its_last_operation() {
    each(|name, recording, _| {
        if recording.header.ssd.unwrap().queue_depth == 1 {
            return;
        }
        let mut last_ns = None;
        for frame in &recording.frames[recording.header.first + 1..] {
            match frame.what {
                What::Task { .. } => last_ns = None,
                What::Operation { step: false, .. } => last_ns = last_ns.max(Some(frame.at_ns)),
                What::TaskEnd { .. } => {
                    assert_eq!(frame.at_ns, last_ns.unwrap_or(frame.at_ns), "{name}");
                }
                _ => {}
            }
        }
    });
}

/// With one page task at a time nothing overlaps it, and its frames tell when its operations ran.
#[test]
fn operations_run_within_their_page_task_if_it_is_alone() {
    for scheme in SCHEMES {
        let (recording, _) = recorded(scheme, [2, 2, 1]);
        let mut begun_ns = 0;
        for frame in &recording.frames[recording.header.first + 1..] {
            match frame.what {
                What::Task { .. } => {
                    assert!(frame.at_ns >= begun_ns, "{scheme}");
                    begun_ns = frame.at_ns;
                }
                What::TaskEnd { service_ns, step_ns, .. } => {
                    assert_eq!(frame.at_ns, begun_ns + service_ns + step_ns, "{scheme}");
                    begun_ns = frame.at_ns;
                }
                What::Operation { .. } => {
                    assert!(frame.spans.iter().all(|span| span.from_ns >= begun_ns), "{scheme}");
                    assert!(frame.caption.contains("; on die"), "{scheme}: {}", frame.caption);
                }
                _ => {}
            }
        }
    }
}
