//! The loop on real schemes with few blocks; expected times computed by hand.

use super::*;
use crate::error::Requests;
use crate::measures::Measures;
use crate::medium::{array_of, levelled};
use crate::observer::Unobserved;
use crate::report::SchemeReport;
use crate::setup::Setup;
use bounds::copyback::{CopySettings, Waits};
use flash::faults::{BitErrorModel, Tearable};
use flash::{CopyPath, Flash, Geometry, Lpn, Part, Serial, WearLevel, parts};
use ftl::{BufferPolicy, BufferSettings, Guarantee, SchemeConfig, TaskKind, registry};
use std::sync::atomic::{AtomicBool, Ordering};
use workload::{Op, WorkloadError};

const READ: u64 = 29_000;
const PROGRAM: u64 = 220_900;
const ERASE: u64 = 2_000_000;

fn part() -> Part {
    Part { pages_per_block: 4, ..parts::EVALUATION_SLC.clone() }
}

fn geometry() -> Geometry {
    Geometry::new(6, 4, 2048).unwrap()
}

fn setup() -> Setup {
    Setup { seed: 1, replay: String::from("again"), ..Setup::new(part(), geometry(), 1) }
}

/// Page requests as (arrival, operation, page). Writes to [`FORCED`] and above are forced writes to page − `FORCED`.
struct Script(Vec<(u64, Op, u64)>);

const FORCED: u64 = 1000;

impl Source for Script {
    fn fill(&mut self, out: &mut Vec<Request>, max: usize) -> Result<usize, WorkloadError> {
        let now = self.0.len().min(max);
        out.extend(self.0.drain(..now).map(|(arrival_ns, op, page)| {
            let length = if op == Op::Flush { 0 } else { 2048 };
            let (fua, offset) = (page >= FORCED, page % FORCED * 2048);
            Request { arrival_ns, offset, length, device: 0, op, fua, stream: 0, response_ns: None }
        }));
        Ok(now)
    }

    fn has_arrivals(&self) -> bool {
        true
    }
}

struct Run {
    script: Vec<(u64, Op, u64)>,
    timed: bool,
    promised: Option<Guarantee>,
    setup: Setup,
}

impl Run {
    fn new(timed: bool, script: Vec<(u64, Op, u64)>) -> Self {
        Self { script, timed, promised: None, setup: setup() }
    }

    fn of(self, scheme: &SchemeConfig) -> SchemeReport {
        let array = levelled(scheme, Serial::new(array_of(&self.setup).unwrap()));
        let (part, geometry) = (&self.setup.part, &self.setup.geometry);
        let mut plan = registry::plan(scheme, part, geometry, geometry.blocks()).unwrap();
        plan.guarantee = self.promised.unwrap_or(plan.guarantee);
        let scheme = registry::format_planned(scheme, &plan, array).unwrap();
        self.on(scheme)
    }

    fn on(self, scheme: Box<AnyScheme>) -> SchemeReport {
        let setup = self.setup;
        let mut device = Device::new(scheme, self.timed);
        device.replay(&setup, "test", Box::new(Script(self.script)), &Unobserved).unwrap();
        device.empty_buffer("test").unwrap();
        device.report(&setup, "test")
    }
}

fn run(scheme: SchemeConfig, timed: bool, script: Vec<(u64, Op, u64)>) -> SchemeReport {
    Run::new(timed, script).of(&scheme)
}

fn scheme(name: &str) -> SchemeConfig {
    SchemeConfig::preset(registry::by_name(name).unwrap())
}

#[test]
fn completion_counts_the_queue_and_response_does_not() {
    // The second request arrives during the first program; the third after both.
    let script = vec![(0, Op::Write, 0), (100_000, Op::Write, 1), (1_000_000, Op::Read, 0)];
    let report = run(scheme("fsr"), true, script.clone());
    assert_eq!(report.completion_ns.max, 2 * PROGRAM - 100_000);
    assert_eq!(report.response_ns.max, PROGRAM);
    assert_eq!(report.elapsed_ns, 1_000_000 + READ);
    assert_eq!(report.completion_ns.mean, (PROGRAM + 2 * PROGRAM - 100_000 + READ) as f64 / 3.0);
    let closed = run(scheme("fsr"), false, script);
    assert_eq!(closed.elapsed_ns, 2 * PROGRAM + READ);
    assert_eq!(closed.completion_ns.max, PROGRAM);
}

/// Stops a run once it reports finished requests.
struct StopSoon(AtomicBool);

impl Observer for StopSoon {
    fn progress(&self, _: &str, _: Phase, done: u64, _: Option<u64>) {
        self.0.fetch_or(done > 0, Ordering::Relaxed);
    }

    fn stop(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Requests taken, completed and refused.
fn requests(report: &SchemeReport) -> [u64; 3] {
    [report.requests_taken, report.requests, report.requests_refused]
}

#[test]
fn every_request_that_was_taken_is_accounted_for() {
    let script: Vec<_> = (0..2000)
        .map(|at| match at % 5 {
            0 => (0, Op::Read, at % 7),
            1 => (0, Op::Trim, at % 7),
            2 => (0, Op::Flush, 0),
            3 => (0, Op::Write, FORCED + at % 7),
            _ => (0, Op::Write, at % 7),
        })
        .collect();
    for name in ["fsr", "lazy-rtgc", "nftl"] {
        let taken = |scheme| requests(&run(scheme, false, script.clone()));
        assert_eq!([taken(scheme(name)), taken(buffered(name))], [[2000, 2000, 0]; 2], "{name}");
    }
    let setup = setup();
    let array = levelled(&scheme("fsr"), Serial::new(array_of(&setup).unwrap()));
    let mut device = Device::new(registry::format(&scheme("fsr"), array).unwrap(), false);
    let stop = StopSoon(AtomicBool::new(false));
    device.replay(&setup, "test", Box::new(Script(script)), &stop).unwrap();
    let report = device.report(&setup, "test");
    assert_eq!(requests(&report), [REQUESTS as u64, REQUESTS as u64, 0]);
    assert!(report.warnings.iter().any(|warning| warning.contains("interrupted")));
}

#[test]
fn a_refused_request_ends_the_run_and_all_are_told() {
    // The fourth write is to a page that the scheme does not have; the fifth does not begin.
    let script = [0, 1, 2, 999, 3].map(|page| (0, Op::Write, page)).into();
    let setup = setup();
    let array = levelled(&scheme("fsr"), Serial::new(array_of(&setup).unwrap()));
    let mut device = Device::new(registry::format(&scheme("fsr"), array).unwrap(), false);
    let error = device.replay(&setup, "test", Box::new(Script(script)), &Unobserved).unwrap_err();
    let RunError::Scheme { requests: Some(told), .. } = &error else { panic!("{error:?}") };
    assert_eq!(**told, Requests { taken: 5, completed: 3, refused: 1 });
    let text = error.to_string();
    assert!(
        text.ends_with(
            "(page task 3 of the workload; of 5 requests taken 3 completed and 1 refused, 1 had not ended)"
        ),
        "{text}"
    );
}

#[test]
fn amplification_energy_and_the_first_collection_are_those_of_the_operations() {
    // Six blocks of four pages: 21 writes of page 0 leave no victim with a valid page.
    let script = (0..21).map(|_| (0, Op::Write, 0)).collect();
    let report = run(scheme("fsr"), false, script);
    // The first collection precedes the write that would need the sixth block: the 21st.
    assert_eq!((report.collection.first_at_task, report.collection.victims), (Some(20), 1));
    assert_eq!((report.waf, report.copies, report.erases), (Some(1.0), 0, 1));
    let pj = 21 * part().program_pj() + part().erase_pj();
    assert_eq!(report.energy_nj, pj as f64 / 1000.0);
    assert_eq!(report.step_ns.max, ERASE);
    assert_eq!(report.response_ns.max, PROGRAM + ERASE);
    assert_eq!(report.erases_per_block, (0, 1.0 / 6.0, 1));
}

#[test]
fn copies_amplify() {
    // Fill the logical space in order, then overwrite the first page of each block but the last.
    let logical = 18u64;
    let mut script: Vec<_> = (0..logical).map(|page| (0, Op::Write, page)).collect();
    script.extend([0, 4, 8, 12].map(|page| (0, Op::Write, page)));
    let report = run(scheme("fsr"), false, script);
    // 18 + 2 writes fill five blocks; the 21st takes a victim with three valid pages.
    assert_eq!(report.copies, 3 * report.collection.victims);
    assert!(report.copies > 0);
    assert_eq!(report.waf, Some((22 + report.copies) as f64 / 22.0));
    let split: f64 = report.waf_by_cause.iter().map(|(_, share)| share).sum();
    assert!((split - report.waf.unwrap()).abs() < 1e-12);
}

#[test]
fn idle_time_is_used_behind_a_write_and_only_where_an_erase_fits() {
    let idle = SchemeConfig { idle_collection: true, ..scheme("lazy-rtgc") };
    // Four writes of one page fill a block; after the fifth, it has no valid pages.
    let script = |gap: u64, between: Option<Op>| {
        let mut at = 0;
        let mut script: Vec<_> = (0..5).map(|_| (0, Op::Write, 0)).collect();
        at += 5 * PROGRAM;
        if let Some(op) = between {
            script.push((at, op, 0));
            at += READ;
        }
        script.push((at + gap, Op::Read, 0));
        script
    };
    assert_eq!(run(idle.clone(), true, script(ERASE, None)).collection.idle, 1);
    assert_eq!(run(idle.clone(), true, script(ERASE, Some(Op::Flush))).collection.idle, 1);
    assert_eq!(run(idle.clone(), true, script(ERASE, Some(Op::Read))).collection.idle, 1);
    assert_eq!(run(idle.clone(), true, script(ERASE - 1, None)).collection.idle, 0);
    assert_eq!(run(idle, false, script(ERASE, None)).collection.idle, 0);
}

#[test]
fn idle_time_is_used_once_per_write_however_long_it_is_idle() {
    // `lazy-rtgc` itself counts its steps per write; `fsr` collects whenever it is told to.
    for name in ["lazy-rtgc", "fsr"] {
        let idle = SchemeConfig { idle_collection: true, ..scheme(name) };
        // Nine writes of one page leave two blocks without valid pages; each gap has room for both erases.
        let collected = |between: Op| {
            let mut script: Vec<_> = (0..9).map(|_| (0, Op::Write, 0)).collect();
            let gaps = [(1, between), (2, Op::Read), (3, Op::Read)];
            script.extend(gaps.map(|(second, op)| (second * 1_000_000_000, op, 0)));
            run(idle.clone(), true, script).collection.idle
        };
        assert_eq!(collected(Op::Read), 1, "{name}: no write came between the gaps");
        assert_eq!(collected(Op::Flush), 1, "{name}: a flush is no write");
        assert_eq!(collected(Op::Write), 2, "{name}: one before the write and one behind it");
    }
}

/// A write buffer of two pages.
fn buffered(name: &str) -> SchemeConfig {
    let buffer = BufferSettings {
        policy: Some(Some(BufferPolicy::LRU)),
        bytes: Some(4096),
        ram_ns: Some(500),
        ..BufferSettings::default()
    };
    SchemeConfig { buffer, ..scheme(name) }
}

#[test]
fn a_buffer_answers_in_ram_time_and_what_is_left_in_it_is_written_at_the_end() {
    let script = vec![(0, Op::Write, 0), (0, Op::Write, 1), (0, Op::Write, 0), (0, Op::Read, 1)];
    let report = run(buffered("fsr"), false, script);
    assert_eq!((report.response_ns.max, report.response_ns.mean), (500, 500.0));
    let buffer = report.buffer.unwrap();
    assert_eq!((buffer.write_hits, buffer.write_misses, buffer.read_hits), (1, 2, 1));
    assert_eq!((buffer.flushed, buffer.at_end), (0, 2));
    assert_eq!(report.elapsed_ns, 4 * 500 + 2 * PROGRAM);
    // The host wrote three pages, the scheme two.
    assert_eq!(report.waf, Some(2.0 / 3.0));
    assert_eq!(report.violations, 0);
}

#[test]
fn a_full_buffer_evicts_and_forced_writes_and_flushes_reach_flash() {
    let script = vec![
        (0, Op::Write, 0),
        (0, Op::Write, 1),
        (0, Op::Write, 2),
        (0, Op::Write, FORCED + 3),
        (0, Op::Flush, 0),
    ];
    let report = run(buffered("fsr"), false, script);
    let buffer = report.buffer.unwrap();
    assert_eq!((buffer.evicted, buffer.through, buffer.flushed, buffer.at_end), (1, 1, 2, 0));
    assert_eq!(report.response_ns.max, 500 + PROGRAM);
    assert_eq!(report.request_response_ns.max, 2 * PROGRAM);
    assert_eq!((buffer.longest_flush_ns, buffer.longest_age_flush_ns), (2 * PROGRAM, 0));
    assert_eq!(report.elapsed_ns, 4 * 500 + 4 * PROGRAM);
}

#[test]
fn dirty_pages_are_written_when_they_are_due_and_whoever_comes_then_waits() {
    let second = 1_000_000_000;
    // The first write is due 30 s after its arrival; the read arrives while it is programmed.
    let script = vec![
        (second, Op::Write, 0),
        (31 * second + PROGRAM / 2, Op::Read, 0),
        (32 * second, Op::Write, 1),
    ];
    let report = run(buffered("fsr"), true, script);
    let buffer = report.buffer.unwrap();
    assert_eq!((buffer.aged, buffer.at_end, buffer.read_hits), (1, 1, 1));
    assert_eq!(report.completion_ns.max, PROGRAM / 2 + 500);
    assert_eq!(report.response_ns.max, 500);
    // Both pages are due when the reads arrive. They are written one at a time, and the reads wait for both.
    let script = vec![
        (second, Op::Write, 0),
        (second, Op::Write, 1),
        (31 * second, Op::Read, 0),
        (31 * second, Op::Read, 1),
        (31 * second, Op::Read, 1),
    ];
    let report = run(buffered("fsr"), true, script);
    let buffer = report.buffer.unwrap();
    assert_eq!((buffer.aged, buffer.longest_age_flush_ns), (2, PROGRAM));
    assert_eq!(report.completion_ns.max, 2 * PROGRAM + 3 * 500);
    // Without arrival times, the device's own clock decides.
    let writes = (0..200_000).map(|page| (0, Op::Write, page % 3)).collect();
    let report = run(buffered("fsr"), false, writes);
    assert_eq!(report.buffer.unwrap().aged, 0);
    let reads = (0..1_100_000).map(|_| (0, Op::Read, 1));
    let closed = [(0, Op::Write, 1), (0, Op::Write, 2), (0, Op::Write, 3)].into_iter().chain(reads);
    let report = run(buffered("fsr"), false, closed.collect());
    assert_eq!(report.buffer.unwrap().aged, 2);
}

#[test]
fn collection_that_only_flushes_drive_is_told() {
    let script = (0..60).flat_map(|page| [(0, Op::Write, page % 2), (0, Op::Flush, 0)]).collect();
    let report = run(buffered("fsr"), false, script);
    assert!(report.erases > 0 && report.step_ns.max == 0, "{report:?}");
    assert!(report.collection.first_at_task.is_some_and(|task| task > 0), "{report:?}");
    assert!(report.collection.why.starts_with("first at page task"), "{}", report.collection.why);
}

#[test]
fn forced_writes_are_promised_where_they_write_their_page_only_and_nowhere_else() {
    let forced = |pages: u64| (0..60).map(|at| (0, Op::Write, FORCED + at % pages)).collect();
    for (name, violations) in [("nftl", 0), ("lazy-rtgc", 0)] {
        assert_eq!(run(scheme(name), false, forced(4)).violations, violations, "{name}");
        assert_eq!(run(buffered(name), false, forced(4)).violations, violations, "{name}");
    }
    let promised = Guarantee { response_ns: Some(PROGRAM - 1), ..Guarantee::default() };
    let violations = |forced_apart| {
        let promised = Some(Guarantee { forced_apart, ..promised });
        Run { promised, ..Run::new(false, forced(4)) }.of(&scheme("fsr")).violations
    };
    assert_eq!((violations(false), violations(true)), (60, 0));
}

#[test]
fn a_broken_promise_is_counted_and_shown() {
    let promised = Guarantee {
        write_ns: Some(PROGRAM),
        step_ns: Some(ERASE - 1),
        response_ns: Some(PROGRAM + ERASE - 1),
        ..Guarantee::default()
    };
    let script = (0..21).map(|_| (0, Op::Write, 0)).collect();
    let liar = Run { promised: Some(promised), ..Run::new(false, script) };
    let report = liar.of(&scheme("fsr"));
    assert_eq!(report.violations, 1);
    let first = report.first_violation.unwrap();
    assert_eq!((first.task, first.lpn, first.replay.as_str()), (20, 0, "again"));
    assert_eq!((first.bound.as_str(), first.promised, first.seen), ("step", ERASE - 1, ERASE));
}

/// `ddt-mlc` with blocks of four pages, as a scheme sees it on its channel.
fn behind_channel(settings: CopySettings) -> Part {
    let part = parts::by_name("ddt-mlc").unwrap();
    settings.part(&Part { pages_per_block: 4, ..part.clone() }, Waits::STUDY).unwrap()
}

/// Writes that fill 18 logical pages, then cause victims with three valid pages, the most possible.
fn worst_victims() -> Vec<(u64, Op, u64)> {
    let fill = (0..18).map(|page| (0, Op::Write, page));
    fill.chain([0, 4, 8, 12].map(|page| (0, Op::Write, page))).collect()
}

#[test]
fn copies_that_cost_more_than_is_promised_break_the_promise() {
    let by = |path, ways, most_corrected_bytes| {
        behind_channel(CopySettings { path, ways, most_corrected_bytes, ..CopySettings::PLAIN })
    };
    let run = |part: &Part, promised: &Part, wrong_bits: u32| {
        let geometry = Geometry::new(6, 4, part.page_bytes).unwrap();
        let model = BitErrorModel::Fixed { bits_per_page: wrong_bits, ecc_bits_per_kib: 24 };
        let setup = Setup {
            bit_errors: (wrong_bits > 0).then_some(model),
            ..Setup::new(part.clone(), geometry, 1)
        };
        let plan = registry::plan(&scheme("fsr"), promised, &geometry, 6).unwrap();
        let script = worst_victims()
            .into_iter()
            .map(|(at, op, page)| (at, op, page * u64::from(part.page_bytes) / 2048))
            .collect();
        Run { promised: Some(plan.guarantee), setup, ..Run::new(false, script) }.of(&scheme("fsr"))
    };
    let told = |report: &SchemeReport| {
        let first = report.first_violation.as_ref().unwrap();
        (first.bound.clone(), first.seen - first.promised)
    };
    let (lcb, icb) = (by(CopyPath::Lcb, 1, 0), by(CopyPath::Icb, 1, 0));
    assert_eq!(run(&lcb, &lcb, 0).violations, 0);
    let broken = run(&lcb, &icb, 0);
    assert!(broken.violations > 0 && broken.copies > 0);
    assert_eq!(told(&broken), ("step".into(), lcb.t_copies_ns(3) - icb.t_copies_ns(3)));
    // Eight corrected bytes per page, which the bound does not include.
    let counted = by(CopyPath::Icb, 1, 8);
    assert_eq!(run(&counted, &counted, 8).violations, 0);
    let broken = run(&icb, &icb, 8);
    let sent = broken.bit_errors.as_ref().unwrap().corrected_bytes_sent_again;
    assert_eq!(sent, 8 * broken.copies);
    assert_eq!(told(&broken), ("step".into(), counted.t_copies_ns(3) - icb.t_copies_ns(3)));
    // Copies between devices, with a bound for copies within one.
    let gcb = by(CopyPath::Gcb, 2, 0);
    let broken = run(&gcb, &icb, 0);
    let paths: Vec<(String, u64)> = broken
        .copies_by_path
        .iter()
        .flatten()
        .map(|count| (count.path.clone(), count.copies))
        .collect();
    assert_eq!(paths.iter().map(|(_, copies)| copies).sum::<u64>(), broken.copies);
    assert!(broken.violations > 0 && paths[1].0 == "gcb" && paths[1].1 > 0, "{paths:?}");
}

#[test]
fn energy_is_that_of_the_arrays_times_on_every_plane() {
    let sheet = Part { pages_per_block: 4, ..parts::by_name("ddt-mlc").unwrap().clone() };
    let part = behind_channel(CopySettings { planes: 2, ..CopySettings::PLAIN });
    let setup = Setup {
        operation_pj: crate::setup::operation_pj(&sheet, 2),
        ..Setup::new(part.clone(), Geometry::new(6, 4, part.page_bytes).unwrap(), 1)
    };
    let report = Run { setup, ..Run::new(false, vec![(0, Op::Write, 0)]) }.of(&scheme("fsr"));
    assert_eq!(report.energy_nj, 2.0 * sheet.program_pj() as f64 / 1000.0);
    assert_eq!(report.response_ns.max, part.t_prog_ns);
}

/// One request after the other, each of so many pages from page 0 on.
fn run_of_pages(scheme: &SchemeConfig, fua: bool, pages: &[u64]) -> SchemeReport {
    let setup = setup();
    let array = levelled(scheme, Serial::new(array_of(&setup).unwrap()));
    let mut device = Device::new(registry::format(scheme, array).unwrap(), false);
    let one = Request {
        arrival_ns: 0,
        offset: 0,
        length: 0,
        device: 0,
        op: Op::Write,
        fua,
        stream: 0,
        response_ns: None,
    };
    let requests: Vec<_> =
        pages.iter().map(|pages| Request { length: pages * 2048, ..one }).collect();
    device.run_requests(&requests, &mut Cutter::new(2048), &mut Vec::new()).unwrap();
    device.report(&setup, "test")
}

#[test]
fn energy_per_task_is_that_of_a_page_not_of_a_request() {
    let report = run_of_pages(&scheme("fsr"), false, &[3, 1, 4]);
    assert_eq!((report.requests, report.tasks), (3, 8));
    let page_nj = part().program_pj() as f64 / 1000.0;
    assert!((report.energy_nj - 8.0 * page_nj).abs() < 1e-9 * page_nj);
    assert!((report.energy_nj_per_task - page_nj).abs() < 1e-9 * page_nj, "{report:?}");
}

#[test]
fn a_forced_request_reaches_flash_with_all_its_pages() {
    let report = run_of_pages(&buffered("fsr"), true, &[3]);
    let buffer = report.buffer.unwrap();
    assert_eq!((buffer.through, buffer.at_end), (3, 0));
    assert_eq!(report.request_response_ns.max, 3 * (500 + PROGRAM));
}

#[test]
fn an_uncorrectable_page_is_told_to_the_host_and_the_run_goes_on() {
    let model = BitErrorModel::Fixed { bits_per_page: 1, ecc_bits_per_kib: 24 };
    let setup = Setup { bit_errors: Some(model), ..setup() };
    let script = vec![(0, Op::Read, 0), (0, Op::Read, 1), (0, Op::Read, 1), (0, Op::Read, 2)];
    let array = WearLevel::off(Serial::new(array_of(&setup).unwrap()));
    let mut scheme = registry::format(&scheme("fsr"), array).unwrap();
    (0..3).for_each(|lpn| scheme.write(Lpn(lpn), None).unwrap());
    // Page 1 is made unreadable before the run.
    let spoilt = (0..scheme.flash().geometry().pages())
        .map(flash::Ppn)
        .find(|ppn| scheme.flash().peek_lpn(*ppn) == Some(Lpn(1)));
    scheme.flash_mut().serial_mut().unwrap().inner_mut().spoil(spoilt.unwrap()).unwrap();
    let report = Run { setup, ..Run::new(false, script) }.on(scheme);
    let errors = report.bit_errors.as_ref().unwrap();
    assert_eq!((report.tasks, report.busy_ns), (4, 4 * READ));
    assert_eq!((errors.corrected_bits, errors.uncorrectable_host_reads), (2, 2));
    assert_eq!((errors.uncorrectable_reads, errors.lost_pages), (2, 0));
    let said = report.warnings.iter().find(|warning| warning.contains("ECC corrects")).unwrap();
    assert!(said.contains("2 host reads returned an error"), "{said}");
}

/// Counting equal requests together changes no figure.
#[test]
fn what_is_counted_together_is_as_if_counted_one_by_one() {
    let setup = Setup::new(part(), Geometry::new(64, 4, 2048).unwrap(), 1);
    let writes = 100;
    let script: Vec<_> = (0..writes).map(|page| (0, Op::Write, page)).collect();
    let report = Run { setup, ..Run::new(false, script) }.of(&scheme("fsr"));
    let mut one_by_one = Measures::new(0, Arrivals::Closed);
    for done in 1..=writes {
        let (kind, service_ns) = (TaskKind::Write, PROGRAM);
        one_by_one.task(&TaskSample { kind, service_ns, step_ns: 0, completion_ns: PROGRAM });
        one_by_one.request(PROGRAM, PROGRAM);
        one_by_one.tick(done * PROGRAM, 64 * 4 - done);
    }
    let mut expected = SchemeReport::default();
    one_by_one.finish(&mut expected);
    let expected = expected.series;
    assert!(expected.free_pages.len() > 50, "{} points", expected.free_pages.len());
    assert_eq!(report.series.free_pages, expected.free_pages);
    assert_eq!(report.series.throughput, expected.throughput);
    assert_eq!((report.tasks, report.requests), (writes, writes));

    // Equal reads, long enough for intervals with several of them. Then writes of page 0 until collection exceeds the
    // bound: the violation must name the right request.
    let reads = (0..20_000).map(|_| (0, Op::Read, 0));
    let writes = (0..200).map(|_| (0, Op::Write, 0));
    let script = [(0, Op::Write, 0)].into_iter().chain(reads).chain(writes).collect();
    let promised = Guarantee { response_ns: Some(PROGRAM), ..Guarantee::default() };
    let run = Run { promised: Some(promised), ..Run::new(false, script) };
    let first = run.of(&scheme("fsr")).first_violation.unwrap();
    assert!(first.task > 20_000 && first.request == first.task, "{first:?}");
}
