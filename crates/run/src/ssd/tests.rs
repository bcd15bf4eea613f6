//! The loop on small arrays; expected times computed by hand.

use super::*;
use crate::medium::{array_of, levelled};
use crate::observer::Unobserved;
use crate::report::SchemeReport;
use crate::run_scheme;
use crate::script::{PAGE, Script};
use crate::setup::Setup;
use crate::sink::{Sink, ToSink};
use crate::ssd::{CoreSettings, CoreSharing, CpuWork};
use bounds::copyback::CopySettings;
use flash::channels::{Channels, Command, Policy, Precedence, Timing, Topology};
use flash::parallel::{Parallel, Stripes};
use flash::{CopyPath, Geometry, Part, parts};
use ftl::{
    Allocation, AllocationOrder, BufferPolicy, BufferSettings, Processor, SchemeConfig, VictimKind,
    registry,
};
use workload::Op;

const PAGES: u32 = 8;
const BLOCKS: u32 = 64;

/// Pages that the workload addresses.
const SPACE: u32 = 120;

fn part() -> Part {
    Part { pages_per_block: PAGES, ..parts::DDT_MLC.clone() }
}

fn ssd(channels: u16, ways: u16, queue_depth: u32) -> SsdSetup {
    SsdSetup {
        topology: Topology {
            channels,
            ways,
            dies: 1,
            planes: 1,
            blocks_per_plane: BLOCKS / u32::from(channels * ways),
            pages_per_block: PAGES,
            paired_blocks: true,
        },
        timing: Timing::of(&part()).unwrap(),
        policy: Policy::Fifo,
        ganged: false,
        stripes: Stripes::default(),
        multi_plane: None,
        queue_depth,
        host: None,
        interface: None,
        collection: CollectionPlace::default(),
        cores: CoreSettings::ONE,
        precedence: Precedence::default(),
        window_ns: 1_000_000,
    }
}

/// The part as a scheme sees it: its times include transfers.
fn seen(units: u32) -> Part {
    let settings = CopySettings { path: CopyPath::Gcb, ways: units, ..CopySettings::PLAIN };
    let timing = Timing::of(&part()).unwrap();
    settings.part(&part(), (&timing).into()).unwrap()
}

/// Time of a command on an idle array.
fn alone(command: Command) -> u64 {
    let SsdSetup { topology, timing, policy, .. } = ssd(1, 1, 1);
    Channels::new(topology, timing, policy).unwrap().alone_ns(command, 1)
}

fn scheme(name: &str, ssd: &SsdSetup) -> SchemeConfig {
    let Topology { channels, ways, .. } = ssd.topology;
    SchemeConfig {
        allocation: Allocation::new([channels, ways, 1, 1], AllocationOrder::default()),
        logical_pages: Some(SPACE),
        ..SchemeConfig::preset(registry::by_name(name).unwrap())
    }
}

fn run_timed(
    scheme: &SchemeConfig,
    ssd: SsdSetup,
    timed: bool,
    script: Vec<(u64, Op, u64, u64)>,
) -> SchemeReport {
    let units = u32::from(ssd.topology.channels * ssd.topology.ways);
    run_promised(scheme, ssd, seen(units), timed, script)
}

/// Same run with the scheme's bounds computed from another part than the array's.
fn run_promised(
    scheme: &SchemeConfig,
    ssd: SsdSetup,
    part: Part,
    timed: bool,
    script: Vec<(u64, Op, u64, u64)>,
) -> SchemeReport {
    let geometry = Geometry::new(BLOCKS, PAGES, 8192).unwrap();
    let setup = Setup { ssd: Some(ssd), seed: 1, ..Setup::new(part, geometry, SPACE) };
    run_scheme(&setup, scheme, "test", Box::new(Script(script, timed)), &Unobserved).unwrap()
}

fn run(name: &str, ssd: SsdSetup, script: Vec<(u64, Op, u64, u64)>) -> SchemeReport {
    run_timed(&scheme(name, &ssd), ssd, false, script)
}

/// Writes of single pages across the whole space.
fn random_writes(count: u64) -> Vec<(u64, Op, u64, u64)> {
    (0..count).map(|at| (0, Op::Write, at * at * 7919 % 113, 1)).collect()
}

#[test]
fn one_request_takes_what_its_command_takes() {
    let script = vec![(0, Op::Read, 3, 1), (0, Op::Write, 5, 1)];
    let report = run("page-level", ssd(2, 2, 1), script);
    assert_eq!(report.elapsed_ns, alone(Command::Read) + alone(Command::Program));
    assert_eq!(report.read_response_ns.max, alone(Command::Read));
    assert_eq!(report.completion_ns.max, alone(Command::Program));
    let ssd = report.ssd.unwrap();
    assert_eq!((ssd.page_commands, ssd.queue_depth), (2, 1));
    assert_eq!(ssd.longest_stall_ns, alone(Command::Program));
}

#[test]
fn requests_side_by_side_go_as_fast_as_dies_let_them() {
    // The fill was sequential, so consecutive pages are on consecutive dies.
    let script: Vec<_> = (0..192).map(|page| (0, Op::Read, page % 96, 1)).collect();
    let one = run("page-level", ssd(4, 2, 1), script.clone());
    let eight = run("page-level", ssd(4, 2, 8), script);
    assert_eq!(one.elapsed_ns, 192 * alone(Command::Read));
    // Two of the eight dies share each channel, so the bus is the bottleneck.
    let bus_ns = 192 / 4 * (alone(Command::Read) - part().t_r_ns);
    assert!(eight.elapsed_ns >= bus_ns && eight.elapsed_ns < bus_ns + bus_ns / 4);
    let ssd = eight.ssd.unwrap();
    assert!(ssd.channel_use > 0.8 && ssd.channel_use <= 1.0, "{ssd:?}");
    assert!(ssd.longest_stall_ns < 2 * alone(Command::Read));
}

#[test]
fn writes_in_turn_use_every_die() {
    let script: Vec<_> = (0..64).map(|page| (0, Op::Write, page, 1)).collect();
    let report = run("page-level", ssd(4, 2, 64), script);
    // Eight pages per die, one after the other; the two ways of a channel wait for each other's transfers.
    let each_ns = alone(Command::Program);
    assert!(report.elapsed_ns >= 8 * part().t_prog_ns && report.elapsed_ns < 9 * each_ns);
}

#[test]
fn no_more_is_outstanding_than_the_depth() {
    // All arrive at once: with depth 2 they run in pairs.
    let script: Vec<_> = (0..8).map(|page| (0, Op::Read, page, 1)).collect();
    let setup = ssd(8, 1, 2);
    let report = run_timed(&scheme("page-level", &setup), setup, true, script);
    assert_eq!(report.elapsed_ns, 4 * alone(Command::Read));
    assert_eq!(report.request_completion_ns.max, 4 * alone(Command::Read));
    assert_eq!(report.request_response_ns.max, alone(Command::Read));
}

#[test]
fn arrivals_are_waited_for() {
    let late = 50_000_000;
    let script = vec![(0, Op::Read, 0, 1), (late, Op::Read, 1, 1)];
    let setup = ssd(2, 1, 4);
    let report = run_timed(&scheme("page-level", &setup), setup, true, script);
    assert_eq!(report.elapsed_ns, late + alone(Command::Read));
    assert_eq!(report.completion_ns.max, alone(Command::Read));
    // Nothing was outstanding in between, so that time is no stall.
    assert_eq!(report.ssd.unwrap().longest_stall_ns, alone(Command::Read));
}

#[test]
fn the_link_carries_one_request_at_a_time() {
    let transfer = HostInterface::SATA2.transfer_ns(PAGE);
    let sata = |depth| SsdSetup { interface: Some(HostInterface::SATA2), ..ssd(8, 2, depth) };
    let write = run("page-level", sata(1), vec![(0, Op::Write, 0, 1)]);
    assert_eq!(write.elapsed_ns, transfer + alone(Command::Program));
    let read = run("page-level", sata(1), vec![(0, Op::Read, 0, 1)]);
    assert_eq!(read.elapsed_ns, alone(Command::Read) + transfer);
    let both = run("page-level", sata(2), vec![(0, Op::Write, 0, 2), (0, Op::Write, 2, 2)]);
    assert_eq!(both.elapsed_ns, 4 * transfer + alone(Command::Program));
    let many: Vec<_> = (0..150).map(|page| (0, Op::Read, page % SPACE as u64, 1)).collect();
    let many = run("page-level", sata(32), many);
    assert!(many.elapsed_ns >= 150 * transfer);
    assert!(many.ssd.unwrap().link_use.unwrap() <= 1.0);
}

#[test]
fn a_collection_that_does_not_yield_keeps_the_host_waiting() {
    let setup = SsdSetup { collection: CollectionPlace::Exclusive, ..ssd(4, 2, 8) };
    let config = SchemeConfig {
        victim: Some(VictimKind::greedy_scan(4)),
        logical_pages: Some(330),
        ..scheme("page-level", &setup)
    };
    let report = run_timed(&config, setup, false, random_writes(4000));
    let ssd = report.ssd.unwrap();
    assert!(report.collection.victims > 100);
    assert!(ssd.longest_collection_ns >= part().t_bers_ns);
    // Earlier operations of the array continue during the collection.
    assert!(ssd.longest_stall_ns >= part().t_bers_ns);
    assert_eq!(ssd.page_commands, 4000 + 2 * report.copies);
    assert!(report.bound_ns.is_none());
}

#[test]
fn a_promise_is_checked_where_one_task_is_alone() {
    let setup = ssd(4, 2, 1);
    let report = run_timed(&scheme("lazy-rtgc", &setup), setup, false, random_writes(3000));
    assert!(report.copies + report.erases > 100);
    assert_eq!(report.violations, 0);
    assert!(report.bound_ns.is_some() && report.real_time);
}

/// Pages per block that every scheme takes, and pages that are written in blocks of these.
const LONG: u32 = 64;
const WIDE: u64 = 960;

/// The setup of a run in such blocks, and one scheme of it.
fn long(name: &str, ssd: Option<SsdSetup>, processor: Option<Processor>) -> (Setup, SchemeConfig) {
    let topology = |of: Topology| Topology { pages_per_block: LONG, ..of };
    // An erase of 8 copies.
    let fast = Part { pages_per_block: LONG, t_prog_ns: 300_000, ..part() };
    let timing = Timing::of(&fast).unwrap();
    let ssd = ssd.map(|ssd| SsdSetup { topology: topology(ssd.topology), timing, ..ssd });
    let settings = CopySettings { path: CopyPath::Gcb, ways: 4, ..CopySettings::PLAIN };
    let part = settings.part(&fast, (&timing).into()).unwrap();
    let geometry = Geometry::new(BLOCKS, LONG, 8192).unwrap();
    let none = crate::ssd::tests::ssd(1, 1, 1);
    let config = scheme(name, ssd.as_ref().unwrap_or(&none));
    let config = SchemeConfig { processor, logical_pages: Some(WIDE as u32), ..config };
    (Setup { ssd, ..Setup::new(part, geometry, WIDE as u32) }, config)
}

/// `rftl` on two dies, one request at a time; a step of it may still run when the next request comes.
fn rftl(cpu: Option<Processor>) -> SchemeReport {
    let cores = CoreSettings { work: CpuWork::All, ..CoreSettings::ONE };
    let (setup, config) = long("rftl", Some(SsdSetup { cores, ..ssd(1, 2, 1) }), cpu);
    let setup = Setup { deadline_ns: Some(4_500_000), ..setup };
    let writes = (0..12_000).map(|n| (0, Op::Write, n * n * 7919 % WIDE, 1)).collect();
    let script = Box::new(Script(writes, false));
    run_scheme(&setup, &config, "test", script, &Unobserved).unwrap()
}

#[test]
fn a_completion_has_a_bound_of_its_own_with_the_step_before_it() {
    let report = rftl(None);
    let (bound, ssd) = (report.bound_ns.unwrap(), report.ssd.as_ref().unwrap());
    let [most, seen] = [ssd.completion_bound_ns, ssd.bounded_completion_ns].map(Option::unwrap);
    assert_eq!(report.violations, 0);
    assert!(report.response_ns.max <= bound && report.bounded_response_ns.is_none());
    assert!(report.completion_ns.max > bound && seen == report.completion_ns.max && seen <= most);
    // A request of one page was late because of that wait.
    let late = report.request_deadline.as_ref().unwrap();
    assert!(late.late_requests > 10 && late.late_by_queueing_requests == late.late_requests);
    let text = late.explanation(&report).unwrap();
    assert!(text.contains("had to wait") && !text.contains("without any wait"), "{text}");
}

#[test]
fn a_bound_leaves_out_the_processors_work_and_its_shares_are_of_all_its_time() {
    let slow = Processor { clock_khz: 1000, read_cycles: 10, write_cycles: 10 };
    let [free, slow] = [rftl(None), rftl(Some(slow))];
    let (bound, compared) = (slow.bound_ns.unwrap(), slow.bounded_response_ns.unwrap());
    assert_eq!((slow.violations, slow.left_out()), (0, vec!["the processor's work"]));
    assert!(compared <= bound && slow.response_ns.max > bound, "{compared} {bound}");
    // The step is what it is without a processor.
    assert_eq!(slow.step_ns.max, free.step_ns.max);

    // All of it is written out at the end, after the last request.
    let cores = CoreSettings { work: CpuWork::All, ..CoreSettings::ONE };
    let setup = SsdSetup { cores, ..ssd(2, 2, 8) };
    let buffer = BufferSettings {
        policy: Some(Some(BufferPolicy::LRU)),
        bytes: Some(200 * PAGE),
        ..BufferSettings::default()
    };
    let processor = Some(Processor { clock_khz: 10, read_cycles: 10, write_cycles: 10 });
    let config = SchemeConfig { processor, buffer, ..scheme("page-level", &setup) };
    let ssd = run_timed(&config, setup, false, random_writes(200)).ssd.unwrap();
    let shares = [ssd.processor_share, ssd.busiest_core_share];
    assert!(shares.iter().all(|share| (0.5..=1.0).contains(share)), "{shares:?}");
}

/// WAF is of the pages that the host wrote, whatever a scheme, a buffer or levelling does with them.
#[test]
fn every_scheme_has_a_waf_per_page_of_the_host() {
    // Half of all writes are of one page.
    let script = || (0..WRITES).map(|n| (0, Op::Write, n * n * 7919 % WIDE * (n % 2), 1)).collect();
    const WRITES: u64 = 8000;
    let buffers = [None, Some(BufferPolicy::BPLRU)];
    for (preset, policy) in
        registry::REGISTRY.iter().flat_map(|preset| buffers.map(|buffer| (*preset, buffer)))
    {
        for board in [None, Some(ssd(2, 2, 1)), Some(ssd(2, 2, 8))] {
            let name = format!("{} {policy:?} {}", preset.name, board.is_some());
            let buffer = BufferSettings {
                policy: policy.map(Some),
                bytes: policy.map(|_| 2 * u64::from(LONG) * PAGE),
                ..BufferSettings::default()
            };
            let (setup, config) = long(preset.name, board, None);
            let config = SchemeConfig { buffer, ..config };
            let source = Box::new(Script(script(), false));
            let report = run_scheme(&setup, &config, "test", source, &Unobserved).unwrap();
            let programs: u64 = report.counts.iter().map(|of| of.programs + of.copies).sum();
            assert_eq!(report.waf, Some(programs as f64 / WRITES as f64), "{name}");
            let causes: f64 = report.waf_by_cause.iter().map(|(_, waf)| waf).sum();
            assert!(
                (causes - report.waf.unwrap()).abs() < 1e-9,
                "{name}: {:?}",
                report.waf_by_cause
            );
            let steady = &report.steady;
            assert_eq!(
                steady.writes_per_capacity,
                WRITES as f64 / f64::from(BLOCKS * LONG),
                "{name}"
            );
            // As many rounds as the host wrote, of at least a tenth of what is exported.
            assert!(steady.rounds <= 10 * WRITES / WIDE, "{name}: {steady:?}");
        }
    }
}

#[test]
fn a_promise_that_is_not_kept_is_told() {
    let setup = ssd(4, 2, 1);
    // An erase of the array takes 3 ms, but runs in parallel with the write unless both are on the same die.
    let part = Part { t_bers_ns: 2_100_000, ..seen(8) };
    let lazy = scheme("lazy-rtgc", &setup);
    let report = run_promised(&lazy, setup, part, false, random_writes(3000));
    assert!(report.violations > 0 && report.violations < 3000);
    let first = report.first_violation.unwrap();
    assert!(first.bound == "response" && first.seen > first.promised, "{first:?}");
}

#[test]
fn what_is_done_between_tasks_is_not_theirs() {
    let setup = ssd(4, 2, 1);
    let buffer = BufferSettings {
        policy: Some(Some(BufferPolicy::LRU)),
        bytes: Some(64 * PAGE),
        age_ns: Some(20_000_000),
        ..BufferSettings::default()
    };
    let script = |every_ns| {
        let writes = random_writes(1500).into_iter().zip(0u64..);
        writes.map(|((_, op, page, pages), at)| (at * every_ns, op, page, pages)).collect()
    };
    let config = SchemeConfig { buffer, idle_collection: true, ..scheme("lazy-rtgc", &setup) };
    let report = run_timed(&config, setup.clone(), true, script(10_000_000));
    assert!(report.buffer.unwrap().aged > 100);
    assert_eq!(report.violations, 0);
    let config = SchemeConfig { idle_collection: true, ..scheme("2lgc", &setup) };
    let report = run_timed(&config, setup, true, script(30_000_000));
    assert!(report.collection.idle > 10, "{}", report.collection.why);
    assert_eq!(report.violations, 0);
}

#[test]
fn the_processor_works_on_one_thing_at_a_time() {
    let setup = ssd(4, 2, 8);
    let slow = Processor { clock_khz: 1000, read_cycles: 10, write_cycles: 10 };
    let with = |processor| SchemeConfig {
        victim: Some(VictimKind::greedy_scan(2)),
        logical_pages: Some(330),
        processor,
        ..scheme("page-level", &setup)
    };
    let free = run_timed(&with(None), setup.clone(), false, random_writes(2000));
    let slow = run_timed(&with(Some(slow)), setup.clone(), false, random_writes(2000));
    let work = slow.victim_work.unwrap();
    assert_eq!(slow.ssd.as_ref().unwrap().processor_ns, work.entries * 10_000);
    assert_eq!(work.processor_ns, Some(work.entries * 10_000));
    assert_eq!(free.ssd.unwrap().processor_ns, 0);
    assert_eq!(free.copies, slow.copies);
    assert!(slow.elapsed_ns >= work.entries * 10_000 && slow.elapsed_ns > free.elapsed_ns);
}

/// Reads of written pages on slow cores that do all work: cycles of 1 µs.
fn on_cores(count: u32, sharing: CoreSharing, command_cycles: u32) -> SchemeReport {
    let cores = CoreSettings { count, sharing, work: CpuWork::All, command_cycles };
    let setup = SsdSetup { cores, ..ssd(4, 2, 8) };
    let slow = Processor { clock_khz: 1000, read_cycles: 1000, write_cycles: 100 };
    let config = SchemeConfig { processor: Some(slow), ..scheme("page-level", &setup) };
    let writes = (0..64u64).map(|page| (0, Op::Write, page, 1));
    let reads = (0..64u64).map(|page| (0, Op::Read, page, 1));
    run_timed(&config, setup, false, writes.chain(reads).collect())
}

#[test]
fn all_work_of_the_firmware_is_charged() {
    let report = on_cores(1, CoreSharing::Shared, 7);
    let ssd = report.ssd.as_ref().unwrap();
    // Per read a lookup; per write a lookup, the old location and the new one; 7 cycles per request.
    let (reads, writes) = (64 + 64 * 2, 64);
    assert_eq!(ssd.map_ns, (reads * 1000 + writes * 100) * 1000);
    assert_eq!((ssd.commands_ns, ssd.moves_ns), (128 * 7 * 1000, 0));
    assert_eq!(Some(ssd.victims_ns), report.victim_work.unwrap().processor_ns);
    assert_eq!(ssd.processor_ns, ssd.map_ns + ssd.commands_ns + ssd.victims_ns);
    // The core works all the time but for the last read.
    assert!(report.elapsed_ns >= ssd.processor_ns);
    assert_eq!(ssd.busiest().0, "processor");
}

#[test]
fn moved_pages_are_charged() {
    let cores = CoreSettings { work: CpuWork::All, ..CoreSettings::ONE };
    let setup = SsdSetup { cores, ..ssd(4, 2, 8) };
    let slow = Processor { clock_khz: 1000, read_cycles: 10, write_cycles: 3 };
    for name in ["page-level", "fast"] {
        let processor = Some(slow);
        let config = SchemeConfig { processor, logical_pages: Some(330), ..scheme(name, &setup) };
        let report = run_timed(&config, setup.clone(), false, random_writes(2000));
        let ssd = report.ssd.as_ref().unwrap();
        let others = report.counts.iter().filter(|of| of.cause != "host");
        let moved: u64 = others.map(|of| of.programs + of.copies).sum();
        assert!(moved > 100, "{name}: {moved}");
        assert_eq!(ssd.moves_ns, moved * 13_000, "{name}");
    }
}

#[test]
fn several_cores_share_the_work() {
    let elapsed = |count, sharing| on_cores(count, sharing, 0).elapsed_ns as f64;
    let one = elapsed(1, CoreSharing::Shared);
    let two = elapsed(2, CoreSharing::Shared);
    let four = elapsed(4, CoreSharing::Shared);
    assert!((1.9..2.05).contains(&(one / two)), "{one} {two}");
    assert!((3.6..4.1).contains(&(one / four)), "{one} {four}");
    // Pages in order lie on the channels in turns: as good as shared. Five cores for four channels: one has nothing.
    let pinned = on_cores(5, CoreSharing::Pinned, 0);
    let ssd = pinned.ssd.as_ref().unwrap();
    assert!((pinned.elapsed_ns as f64 / four - 1.0).abs() < 0.1);
    assert!((ssd.busiest_core_share * 4.0 / (ssd.processor_share * 5.0) - 1.0).abs() < 0.05);
}

#[test]
fn buffered_writes_end_without_the_array_and_are_counted() {
    let setup = ssd(2, 2, 4);
    let buffer = BufferSettings {
        policy: Some(Some(BufferPolicy::LRU)),
        bytes: Some(16 * PAGE),
        ..BufferSettings::default()
    };
    let config = SchemeConfig { buffer, ..scheme("page-level", &setup) };
    let report = run_timed(&config, setup, false, vec![(0, Op::Write, 3, 1), (0, Op::Flush, 0, 0)]);
    assert_eq!((report.requests, report.tasks), (2, 1));
    assert_eq!(report.buffer.unwrap().longest_flush_ns, alone(Command::Program));
    assert_eq!(report.elapsed_ns, alone(Command::Program));
    assert_eq!(report.completion_ns.p50, Some(0));
}

#[test]
fn a_run_is_the_same_each_time() {
    let setup = ssd(4, 2, 16);
    let report = |_| {
        let config = scheme("page-level", &setup);
        let script = random_writes(1500);
        serde_json::to_string(&run_timed(&config, setup.clone(), false, script)).unwrap()
    };
    assert_eq!(report(0), report(1));
}

/// Always has more to do: at a time that is due, or in idle time.
#[derive(Clone, Debug)]
struct Restless {
    due: bool,
}

impl Sink for Restless {
    fn idle(&mut self) -> bool {
        !self.due
    }

    fn due_ns(&self) -> u64 {
        if self.due { 7 } else { u64::MAX }
    }
}

#[test]
fn background_work_that_never_ends_is_an_error_with_its_reason() {
    for due in [false, true] {
        let ssd = ssd(1, 1, 1);
        let geometry = Geometry::new(BLOCKS, PAGES, 8192).unwrap();
        let array = array_of(&Setup::new(part(), geometry, SPACE)).unwrap();
        let array = Parallel::new(array, ssd.topology, ssd.timing, ssd.policy, false).unwrap();
        let flash = levelled(&scheme("page-level", &ssd), array).into();
        let restless = ToSink::new(flash, SPACE, Restless { due });
        let mut device = SsdDevice::new(Box::new(restless), &ssd, None, true);
        let script = Script(vec![(0, Op::Write, 0, 1), (1 << 40, Op::Write, 0, 1)], true);
        let mut feeder = Feeder::new(Box::new(script), u64::MAX);
        let error = device.replay(&mut feeder, "restless", None, &Unobserved).unwrap_err();
        let at = if due { "at 7 ns had" } else { "at 0 ns had" };
        let said = error.to_string();
        assert!(said.starts_with(&format!("restless: {} calls ", BLOCKS * PAGES + 1)), "{said}");
        assert!(said.contains(at) && said.contains("a bug in the scheme"), "{said}");
    }
}

#[test]
fn a_request_that_starts_at_once_goes_as_through_the_queue() {
    let mut random = 1u64;
    let mut draw = |below: u64| {
        random = random * 48_271 % 0x7fff_ffff;
        random % below
    };
    let processor = Processor { read_cycles: 9000, ..Processor::ARM7 };
    let names = ["page-level", "2lgc", "lazy-rtgc"].map(|name| (name, None));
    let cases = names.into_iter().chain([("2lgc", Some(processor))]);
    for ((name, processor), place) in
        cases.flat_map(|case| CollectionPlace::ALL.map(|place| (case, place)))
    {
        for timed in [false, true] {
            let mut at_ns = 0;
            let mut script = Vec::new();
            for _ in 0..3000 {
                // Several arrive together, some while others are under way, some later.
                at_ns += [0, 0, 40_000, 400_000, 9_000_000][draw(5) as usize];
                let op = [Op::Write, Op::Write, Op::Write, Op::Read, Op::Trim][draw(5) as usize];
                script.push((at_ns, op, draw(100), 1 + draw(12) / 11 * draw(8)));
            }
            let ssd = SsdSetup { collection: place, ..ssd(2, 2, 4) };
            let config = scheme(name, &ssd);
            let geometry = Geometry::new(BLOCKS, PAGES, 8192).unwrap();
            let setup = Setup::new(seen(4), geometry, SPACE);
            let reports = [true, false].map(|may_start| {
                let array = array_of(&setup).unwrap();
                let array =
                    Parallel::new(array, ssd.topology, ssd.timing, ssd.policy, false).unwrap();
                let made = registry::format(&config, levelled(&config, array)).unwrap();
                let mut device = SsdDevice::new(made, &ssd, processor, timed);
                assert!(device.is_plain);
                device.is_plain = may_start;
                let mut feeder = Feeder::new(Box::new(Script(script.clone(), timed)), u64::MAX);
                device.replay(&mut feeder, name, None, &Unobserved).unwrap();
                device.finish(name).unwrap();
                device.account.close(name).unwrap();
                let elapsed_ns = device.now_ns;
                format!("{:?}", device.report(elapsed_ns, &setup, name))
            });
            assert!(reports[0] == reports[1], "{name}, {place:?}, timed {timed}");
        }
    }
}
