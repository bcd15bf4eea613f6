//! Every setting of an experiment reaches the run: another value gives other figures. A setting that is read, checked and
//! reported, but not handed on, fails here.

use ftlkit_lab::config::{Experiment, Setting};
use ftlkit_lab::run::Unobserved;
use ftlkit_lab::run_one;

/// An SSD on which the host and collection compete for dies.
const SSD: &str = "part = 'mqsim-mlc'\ncapacity = '1GiB'\nchannels = 2\ndies = 2\nschemes = ['page-level']\n\
    precondition = 'full+age=0.3'";
const ARRAY: &str =
    "capacity = '64MiB'\nschemes = ['page-level+frontiers=shared']\nprecondition = 'full+age=0.3'";
const LOAD: &str =
    "workload = { name = 'uniform', requests = 2000, parameters = { write_share = '0.7' } }";
const TIMED: &str = "workload = { name = 'uniform', requests = 2000, parameters = { write_share = '0.7', rate = '2000' } }";
const JOBS: &str = "[workload]\n[[workload.jobs]]\nname = 'a'\nclass = 'high'\n\
    workload = { name = 'uniform', requests = 1500, parameters = { write_share = '0.3' } }\n\
    [[workload.jobs]]\nname = 'b'\nclass = 'low'\n\
    workload = { name = 'uniform', requests = 1500, parameters = { write_share = '0.9' } }";

/// Key, two values, and what is beside it; other lines of the same key replace those of the device.
const CASES: [(&str, [&str; 2], [&str; 3]); 37] = [
    ("capacity", ["'64MiB'", "'128MiB'"], [ARRAY, "", LOAD]),
    ("exported", ["'40MiB'", "'60MiB'"], [ARRAY, "capacity = ", LOAD]),
    ("default_share", ["'0.8'", "'0.9'"], [ARRAY, "", LOAD]),
    (
        "space",
        ["'exported'", "'smallest'"],
        [ARRAY, "schemes = ['page-level+share=0.9', 'page-level+share=0.5']", LOAD],
    ),
    (
        "partial",
        ["'charged'", "'free'"],
        [
            ARRAY,
            "",
            "workload = { name = 'uniform', requests = 2000, parameters = { size = '512' } }",
        ],
    ),
    ("seed", ["1", "2"], [ARRAY, "", LOAD]),
    ("channels", ["2", "4"], [SSD, "", LOAD]),
    ("ways", ["1", "2"], [SSD, "", LOAD]),
    ("planes", ["1", "2"], [SSD, "", LOAD]),
    ("dies", ["1", "2"], [SSD, "", LOAD]),
    ("plane_use", ["'ganged'", "'own'"], [SSD, "planes = 2", LOAD]),
    ("allocation", ["'cwdp'", "'dwcp'"], [SSD, "queue_depth = 2", LOAD]),
    ("queue_depth", ["1", "8"], [SSD, "", LOAD]),
    ("queues", ["1", "4"], [SSD, "arbitration = 'weighted:8:4:1'\nqueue_depth = 4", JOBS]),
    ("arbitration", ["'weighted:2:2:1'", "'weighted:16:4:1'"], [SSD, "command_slots = 4", JOBS]),
    ("command_slots", ["2", "8"], [SSD, "arbitration = 'weighted:8:4:1'", JOBS]),
    ("interface", ["'none'", "'sata2'"], [SSD, "", LOAD]),
    ("cpu", ["'none'", "'arm7'"], [SSD, "", LOAD]),
    ("cpu_work", ["'all'", "'victims'"], [SSD, "cpu = 'arm7'", LOAD]),
    ("cpu_sharing", ["'shared'", "'pinned'"], [SSD, "cpu = '2x50MHz:10:4'", LOAD]),
    ("cpu_command", ["0", "5000"], [SSD, "cpu = 'arm7'", LOAD]),
    ("collection", ["'per-die'", "'exclusive'"], [SSD, "host_first = 0", LOAD]),
    ("host_first", ["0", "1000"], [SSD, "", LOAD]),
    ("suspend", ["'none'", "'program'"], [SSD, "", LOAD]),
    ("arbiter", ["'fifo'", "'read-first'"], [SSD, "channels = 1", LOAD]),
    ("window", ["'2ms'", "'1s'"], [SSD, "", LOAD]),
    ("bus_cycle", ["'2ns'", "'10ns'"], [SSD, "part = 'evaluation-slc'", LOAD]),
    ("bus", ["'100MT/s'", "'1600MT/s'"], [SSD, "", LOAD]),
    (
        "t_rwc",
        ["'25ns'", "'100ns'"],
        [SSD, "part = 'ddt-mlc'\nways = 2\nschemes = ['page-level+copy=dgcb']", LOAD],
    ),
    (
        "bit_errors",
        ["'tlc-72-layer+ecc=72'", "'tlc-72-layer+cycles=2000+age=60d+ecc=72'"],
        [ARRAY, "read_retry = '80-200:20'", LOAD],
    ),
    (
        "read_retry",
        ["'80-200:20'", "'80-200:60'"],
        [ARRAY, "bit_errors = 'tlc-72-layer+cycles=2000+age=60d+ecc=72'", LOAD],
    ),
    (
        "refresh",
        ["'age=30d'", "'age=90d'"],
        [
            ARRAY,
            "bit_errors = 'tlc-72-layer+cycles=500+age=60d+ecc=72'\nread_retry = '80-200:20'",
            LOAD,
        ],
    ),
    ("read_reclaim", ["5", "1000000"], [ARRAY, "capacity = '8MiB'\nprecondition = 'full'", LOAD]),
    ("fdp", ["'ruhs=2'", "'ruhs=2,ru=256KiB'"], [ARRAY, "", LOAD]),
    ("precondition", ["'full'", "'full+age=1'"], [ARRAY, "", LOAD]),
    ("timing", ["'trace'", "'closed'"], [ARRAY, "", TIMED]),
    ("deadline", ["'1ms'", "'50ms'"], [ARRAY, "", TIMED]),
];

/// The experiment, of whose lines a later one of a key is taken.
fn text(key: &str, value: &str, [device, more, load]: [&str; 3]) -> String {
    let mut lines: Vec<(&str, &str)> = Vec::new();
    for line in device.lines().chain(more.lines()) {
        let (key, value) = line.split_once('=').unwrap();
        let (key, value) = (key.trim(), value.trim());
        lines.retain(|(other, _)| *other != key);
        lines.push((key, value));
    }
    lines.retain(|(other, value)| *other != key && !value.is_empty());
    lines.push((key, value));
    let lines = lines.iter().map(|(key, value)| format!("{key} = {value}\n"));
    lines.collect::<String>() + load
}

/// What was counted and measured of each scheme, without what repeats settings.
fn figures(text: &str) -> Vec<String> {
    let resolved = Experiment::from_toml(text, "test").and_then(|experiment| experiment.resolve());
    let resolved = resolved.unwrap_or_else(|error| panic!("{error}\n{text}"));
    let measured = |at| {
        let report = run_one(&resolved, at, &Unobserved);
        let report = report.unwrap_or_else(|error| panic!("{error}\n{text}"));
        let times = (&report.request_completion_ns, &report.response_ns, report.elapsed_ns);
        let counts = (report.copies, report.erases, &report.counts, &report.series);
        let late = report.request_deadline.as_ref().map(|deadline| deadline.late_requests);
        let busiest = report.ssd.as_ref().map(|ssd| ssd.window_most_per_second);
        format!("{times:?} {counts:?} {late:?} {busiest:?}")
    };
    (0..resolved.schemes.len()).map(measured).collect()
}

#[test]
fn another_value_of_a_setting_gives_other_figures() {
    let mut without: Vec<&str> = Setting::ALL.iter().map(|setting| setting.key).collect();
    without.retain(|key| !CASES.iter().any(|(of, ..)| of == key));
    assert!(without.is_empty(), "no case of {without:?}");
    for (key, values, beside) in CASES {
        let [one, other] = values.map(|value| figures(&text(key, value, beside)));
        assert!(one != other, "{key}: {values:?} give the same");
    }
}

/// In serial time, without bit errors and refresh, a run takes as much longer as its processor takes to select victims.
#[test]
fn a_processor_alone_delays_serial_tasks_by_what_it_works() {
    let run = |cpu: &str| {
        let text = format!(
            "schemes = ['page-level', '2lgc']\ncapacity = '8MiB'\nprecondition = 'full'\nseed = 3\ncpu = '{cpu}'\n\
             workload = {{ name = 'uniform', requests = 3000, parameters = {{ write_share = 0.9 }} }}\n"
        );
        let resolved = Experiment::from_toml(&text, "test").unwrap().resolve().unwrap();
        [0, 1].map(|at| run_one(&resolved, at, &Unobserved).unwrap())
    };
    for (without, with) in run("none").iter().zip(&run("arm7")) {
        let worked_ns = with.victim_work.as_ref().and_then(|work| work.processor_ns).unwrap();
        assert!(worked_ns > 0 && without.erases == with.erases);
        // Each victim's work is rounded up to a ns by itself.
        let longer_ns = with.elapsed_ns - without.elapsed_ns;
        let victims = with.collection.victims;
        assert!((worked_ns..=worked_ns + victims).contains(&longer_ns), "{longer_ns} {worked_ns}");
    }
}
