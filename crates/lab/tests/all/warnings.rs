//! Each warning of a run, in runs where it must stand and in runs where it must not.

use ftlkit_lab::compare;
use ftlkit_lab::config::Experiment;
use ftlkit_lab::report::SchemeReport;
use ftlkit_lab::run::Unobserved;

fn run(text: &str) -> SchemeReport {
    let resolved = Experiment::from_toml(text, "test").unwrap_or_else(|e| panic!("{text}: {e}"));
    let resolved = resolved.resolve().unwrap_or_else(|e| panic!("{text}: {e}"));
    let mut found = compare(&resolved, &Unobserved).unwrap();
    assert!(found.failures.is_empty(), "{text}: {:?}", found.failures);
    found.report.schemes.remove(0)
}

/// A trace of one-page requests at these times, to pages below 5,000.
fn trace(name: &str, count: u64, arrival_ns: impl Fn(u64) -> u64) -> String {
    let lines = (0..count)
        .map(|n| format!("{},write,{},2048\n", arrival_ns(n), n * n * 31 % 5000 * 2048))
        .collect::<String>();
    let path = std::env::temp_dir().join(format!("ftlkit-warn-{}-{name}.csv", std::process::id()));
    std::fs::write(&path, format!("arrival_ns,op,offset_bytes,length_bytes\n{lines}")).unwrap();
    path.display().to_string()
}

#[test]
fn each_warning_stands_where_it_was_measured_and_nowhere_else() {
    const MS: u64 = 1_000_000;
    let flood = trace("flood", 4000, |n| n * 50_000);
    let spread = trace("spread", 4000, |n| n * 20 * MS);
    // 200 at once, each 4 s; also at the end.
    let bursts = trace("bursts", 4000, |n| n / 200 * 4000 * MS);
    let aging = "2lgc+buffer=cflru+buffer_size=256KiB+buffer_age=5ms";
    // One request, a pause of 10 s, and all others at once: work is left, but of one burst.
    let one_burst = trace("one-burst", 4000, |n| n.min(1) * 10_000 * MS);
    // One of 600 is 30 days late in a file whose order is kept.
    let stray =
        trace("stray", 600, |n| n * 2 * MS + if n == 100 { 30 * 86_400_000 * MS } else { 0 });
    // Short for the queue depth.
    let short = trace("short", 600, |n| n * 100_000);
    let of = |rest: &str| {
        let small = if rest.contains("capacity") { "" } else { "capacity = '32MiB'\n" };
        run(&format!("{small}{rest}"))
    };
    let built = |scheme: &str, load: &str, rest: &str| {
        format!("schemes = ['{scheme}']\nworkload = {{ name = {load} }}\n{rest}")
    };
    let traced = |scheme: &str, path: &str, rest: &str| {
        format!("schemes = ['{scheme}']\nworkload = {{ trace = '{path}' }}\n{rest}")
    };
    let from =
        |load: &str, state: &str| built("page-level", load, &format!("precondition = '{state}'"));
    let aged = "precondition = 'full+age=1'";
    let ssd = "part = 'ddt-mlc'\nchannels = 1\ncapacity = '128MiB'\nprecondition = 'full+age=1'";
    let one = "part = 'ddt-mlc'\nchannels = 1\nqueue_depth = 1\ncapacity = '128MiB'\nprecondition = 'full+age=1'";
    let wide = |depth: u32| {
        format!(
            "part = 'ddt-mlc'\nchannels = 2\nways = 2\nqueue_depth = {depth}\ncapacity = '256MiB'\n\
             precondition = 'full+age=1'"
        )
    };
    // Words, experiments that must have them, experiments that must not.
    let broken = trace("broken", 4000, |n| n * 20 * MS);
    let text =
        std::fs::read_to_string(&broken).unwrap().replace("\n60000000,write,", "\n60000000,wrote,");
    std::fs::write(&broken, text).unwrap();
    let skip = "options = { on_bad_line = 'skip' }";
    let skipped =
        |path: &str| format!("schemes = ['page-level']\nworkload = {{ trace = '{path}', {skip} }}");
    let table: [(&str, Vec<String>, Vec<String>); 18] = [
        (
            "1 of 4,000 records was skipped, since it could not be read: ",
            vec![skipped(&broken)],
            vec![skipped(&spread)],
        ),
        (
            "collection never ran",
            vec![
                built("page-level", "'uniform', requests = 500", ""),
                built("lazy-rtgc", "'uniform', requests = 500", ""),
            ],
            vec![
                built("page-level", "'uniform', requests = 60000", ""),
                built("bast", "'uniform', requests = 500", aged),
                // The victim was selected before the run; its work is of the run.
                built("lazy-rtgc", "'uniform', requests = 20", aged),
            ],
        ),
        (
            "idle collection never ran: no request arrived after a gap",
            vec![built("fsr+idle", "'uniform', requests = 2000", aged)],
            vec![
                traced("fsr+idle", &spread, aged),
                built("fsr", "'uniform', requests = 2000", aged),
            ],
        ),
        (
            "idle collection never ran: the longest gap behind a write was",
            vec![traced("fsr+idle", &trace("close", 4000, |n| n * MS), "")],
            vec![
                traced("fsr+idle", &spread, aged),
                traced("2lgc+idle", &spread, aged),
                traced("lazy-rtgc+idle", &spread, aged),
                traced("gftl+idle", &spread, aged),
                traced("lazy-rtgc-on-demand+idle", &spread, one),
            ],
        ),
        (
            "idle collection never ran: in ",
            vec![traced("2lgc+idle", &trace("few", 40, |n| n * 20 * MS), "")],
            vec![traced("2lgc+idle", &spread, aged), traced("2lgc+idle", &spread, ssd)],
        ),
        (
            "cannot keep up",
            vec![
                traced("page-level", &flood, aged),
                traced("page-level", &flood, ssd),
                traced("page-level", &flood, one),
                traced("page-level", &short, aged),
                traced("page-level", &short, &wide(8)),
                traced("page-level", &short, &wide(32)),
                traced("page-level", &short, &wide(64)),
                traced("page-level", &short, &wide(1000)),
                // What is old in the buffer is written before requests that have arrived are taken.
                traced(aging, &flood, ssd),
                traced(aging, &flood, aged),
            ],
            vec![
                traced("page-level", &spread, aged),
                traced("page-level", &bursts, aged),
                traced("page-level", &bursts, ssd),
                traced("page-level", &bursts, one),
                traced("page-level", &one_burst, aged),
                built("page-level", "'uniform', requests = 4000", aged),
                built("page-level", "'uniform', requests = 800", ssd),
                built("page-level", "'uniform', requests = 1000", &wide(64)),
                traced("page-level", &stray, aged),
                traced("page-level", &stray, ssd),
                traced("page-level", &stray, one),
            ],
        ),
        (
            "499 requests are out of time order: 499 of them wait behind request 101, whose time is 720.0 h later",
            vec![
                traced("page-level", &stray, aged),
                traced("page-level", &stray, ssd),
                traced("page-level", &stray, one),
            ],
            vec![
                traced("page-level", &flood, aged),
                traced("page-level", &spread, ssd),
                traced("page-level", &stray, "precondition = 'full+age=1'\ntiming = 'closed'"),
            ],
        ),
        (
            "too short to judge whether WAF has settled",
            vec![built("page-level", "'uniform', requests = 6000", "")],
            vec![
                built("page-level", "'uniform', requests = 500", ""),
                built("page-level", "'uniform', requests = 60000", ""),
            ],
        ),
        (
            "WAF has not settled: over the last 5 rounds",
            vec![from("'switched', requests = 14000", "full")],
            vec![
                from("'switched', requests = 14000", "full+steady"),
                from("'uniform', requests = 14000", "full"),
            ],
        ),
        (
            "WAF varies along the run, though it had settled before: over the last 5 rounds",
            vec![from("'switched', requests = 14000", "full+steady")],
            vec![
                from("'switched', requests = 14000", "full"),
                from("'uniform', requests = 14000", "full+steady"),
            ],
        ),
        (
            "WAF did not settle within 16 times",
            vec![from(
                "'switched', requests = 4000, parameters = { first = 'sequential' }",
                "full+steady",
            )],
            vec![from("'uniform', requests = 4000", "full+steady")],
        ),
        (
            "pages named a stream without a handle",
            vec![built("page-level+placement=stream:2", "'lsm', requests = 2000", aged)],
            vec![built("page-level+placement=stream", "'lsm', requests = 2000", aged)],
        ),
        (
            "requests were refused, most of them for",
            vec![built("zns", "'uniform', requests = 2000", "precondition = 'none'")],
            vec![built("zns", "'host-log', requests = 2000", "precondition = 'none'")],
        ),
        (
            "reads were of pages that were trimmed or never written",
            vec![built(
                "page-level",
                "'uniform', requests = 2000, parameters = { write_share = 0.5, trim_share = 0.2 }",
                "precondition = 'full'",
            )],
            vec![
                built(
                    "page-level",
                    "'uniform', requests = 2000, parameters = { write_share = 0.5 }",
                    "precondition = 'none'",
                ),
                built(
                    "page-level",
                    "'uniform', requests = 2000, parameters = { write_share = 0.5 }",
                    "precondition = 'full'",
                ),
            ],
        ),
        (
            "reads were of pages never written",
            vec![built(
                "page-level",
                "'uniform', requests = 2000, parameters = { write_share = 0.5 }",
                "precondition = 'none'",
            )],
            vec![built(
                "page-level",
                "'uniform', requests = 2000, parameters = { write_share = 0.5 }",
                "precondition = 'full'",
            )],
        ),
        (
            "page tasks are trims",
            vec![built(
                "page-level",
                "'uniform', requests = 2000, parameters = { trim_share = 0.5 }",
                "",
            )],
            vec![built(
                "page-level",
                "'uniform', requests = 2000, parameters = { trim_share = 0.1 }",
                "",
            )],
        ),
        (
            "no request named a stream",
            vec![built("page-level+placement=stream", "'uniform', requests = 2000", "")],
            vec![built("page-level+placement=stream", "'three-streams', requests = 2000", "")],
        ),
        (
            "more bit errors than ECC corrects",
            vec![built(
                "page-level",
                "'uniform', requests = 2000, parameters = { write_share = 0.5 }",
                "precondition = 'full'\nbit_errors = 'wear:850000000,0,0+ecc=8'",
            )],
            vec![built(
                "page-level",
                "'uniform', requests = 2000, parameters = { write_share = 0.5 }",
                "precondition = 'full'\nbit_errors = 'wear:1000000,0,0+ecc=8'",
            )],
        ),
    ];
    let mut wrong = Vec::new();
    for (words, with, without) in &table {
        let each = with.iter().map(|text| (text, true));
        for (text, must) in each.chain(without.iter().map(|text| (text, false))) {
            let scheme = of(text);
            let stands = scheme.warnings.iter().any(|warning| warning.contains(words));
            if stands != must {
                wrong.push(format!("{stands}: `{words}` of\n{text}\n{:?}", scheme.warnings));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
