//! Properties of every schedule, for any shape, timing, policy and load.

use ftlkit_flash::PageTimes;
use ftlkit_flash::channels::{
    Addressing, Channels, Command, Completion, DieAddress, Grant, PageAddress, Pages, Policy,
    Request, Segment, Timing, Topology,
};
use proptest::prelude::*;
use std::collections::{BTreeMap, HashMap};

/// A schedule and its inputs.
struct Schedule {
    topology: Topology,
    timing: Timing,
    policy: Policy,
    requests: Vec<Request>,
    completions: Vec<Completion>,
    channels: Channels<Vec<Grant>>,
}

fn topologies() -> impl Strategy<Value = Topology> {
    (1u16..4, 1u16..5, 1u16..3, 1u16..=4).prop_map(|(channels, ways, dies, planes)| Topology {
        channels,
        ways,
        dies,
        planes,
        blocks_per_plane: 4,
        pages_per_block: 8,
        paired_blocks: false,
    })
}

/// Times by page in a third of the cases.
fn kinds(draw: u64, times: &[u64]) -> PageTimes {
    if draw.is_multiple_of(3) { PageTimes::of(times) } else { PageTimes::ALIKE }
}

fn timings() -> impl Strategy<Value = Timing> {
    let bus = (1u32..60, 1u64..20, 1u64..20, 0u64..30, 0u64..30);
    let cells = (0u64..40, 0u64..60, 1u64..800, 60u64..3000, 1u64..6000);
    (bus, cells, 0u64..200, any::<bool>()).prop_map(|(bus, cells, ecc_ns, status)| Timing {
        transfer_bytes: bus.0,
        oob_bytes: bus.0 / 4,
        column_cycles: 2,
        row_cycles: 3,
        t_wc_ns: bus.1,
        t_rc_ns: bus.2,
        bus_mts: if bus.3 % 3 == 0 { 700 * bus.0 } else { 0 },
        t_adl_ns: bus.3,
        t_whr_ns: bus.4,
        t_rr_ns: bus.3 / 2,
        t_wb_ns: bus.4 / 2,
        t_ccs_ns: bus.4,
        t_dbsy_ns: cells.0,
        t_cbsy_ns: cells.1,
        t_dl_ns: bus.3,
        direct_cycle_ns: bus.3 / 2,
        t_r_ns: cells.2,
        t_r_by_page_ns: kinds(cells.0, &[cells.2.div_ceil(3), cells.2]),
        t_r_oob_ns: cells.2 / 2 + 1,
        t_prog_ns: cells.3,
        t_prog_by_page_ns: kinds(cells.1, &[0, cells.3 / 2, cells.3]),
        t_bers_ns: cells.4,
        slc: None,
        ecc_ns,
        status,
    })
}

/// Runs of operations, each as numbers: time since the run before, die, planes, kind, block and length of the
/// run.
type Load = Vec<(u64, u16, u16, u8, u32, u32)>;

fn loads() -> impl Strategy<Value = Load> {
    let run = (0u64..3000, any::<u16>(), 1u16..=4, 0u8..7, 0u32..4, 1u32..5);
    prop::collection::vec(run, 1..60)
}

fn requests(topology: &Topology, load: &Load) -> Vec<Request> {
    let mut requests = Vec::new();
    let mut arrival_ns = 0;
    for &(gap, die, planes, kind, place, length) in load {
        // A third of the gaps are 0: arrivals at the same time.
        arrival_ns += if gap % 3 == 0 { 0 } else { gap };
        let die = DieAddress {
            channel: die % topology.channels,
            way: die / 16 % topology.ways,
            die: die / 256 % topology.dies,
        };
        let planes = planes.min(topology.planes);
        for page in 0..length {
            let last = page + 1 == length;
            let mut push = |command, repair_ns| {
                let at = |plane| PageAddress {
                    block: place * u32::from(topology.planes) + u32::from(plane),
                    page,
                };
                let pages: Vec<_> = (0..planes).map(at).collect();
                let (pages, tag) = (Pages::of(&pages).unwrap(), requests.len() as u64);
                requests.push(Request { arrival_ns, tag, die, command, pages, repair_ns });
            };
            match (kind, last) {
                (0, _) | (1, true) => push(Command::Read, 0),
                (1, false) => push(Command::CacheRead, 0),
                (2, _) | (3, true) => push(Command::Program, 0),
                (3, false) => push(Command::CacheProgram, 0),
                (4, _) => {
                    push(Command::Read, 0);
                    push(Command::CopyProgram, gap % 50);
                }
                (5, _) => push(Command::Erase, 0),
                _ => {
                    push(Command::Read, 0);
                    // The next way of the channel; if there is only one way, the operation becomes a copy.
                    let (mut to, mut command) = (die, Command::CopyProgram);
                    if topology.ways > 1 {
                        to.way = (to.way + 1) % topology.ways;
                        let cached = !last && gap % 2 == 0;
                        command = if cached { Command::CacheProgram } else { Command::Program };
                    }
                    push(command, gap % 50);
                    requests.last_mut().unwrap().die = to;
                }
            }
        }
    }
    requests
}

/// True if this request and the next are the sides of a direct transfer. They are a read and a program with the
/// same arrival and channel, on different dies.
fn is_source(requests: &[Request], at: usize) -> bool {
    let Some([source, destination]) = requests.get(at..at + 2) else { return false };
    let programs = matches!(destination.command, Command::Program | Command::CacheProgram);
    let (from, to) = (source.die, destination.die);
    source.command == Command::Read
        && programs
        && source.arrival_ns == destination.arrival_ns
        && (from.channel == to.channel && from != to)
        && source.pages.planes() == destination.pages.planes()
        && (at == 0 || requests[at - 1].command != Command::CacheRead)
}

/// Submits each request when it arrives (or all at the beginning) and takes all completions.
fn run(topology: Topology, timing: Timing, policy: Policy, load: &Load, open: bool) -> Schedule {
    let requests = requests(&topology, load);
    let mut channels = Channels::watched(topology, timing, policy, Vec::new()).unwrap();
    let mut completions = Vec::new();
    let mut at = 0;
    while let Some(request) = requests.get(at) {
        while open && let Some(done) = channels.next_completion_until(request.arrival_ns) {
            completions.push(done);
        }
        if is_source(&requests, at) {
            let orders = [Addressing::DuringRead, Addressing::AfterRead];
            channels.submit_direct(request, &requests[at + 1], orders[at % 2]).unwrap();
            at += 1;
        } else {
            channels.submit(request).unwrap();
        }
        at += 1;
    }
    completions.extend(core::iter::from_fn(|| channels.next_completion()));
    Schedule { topology, timing, policy, requests, completions, channels }
}

impl Schedule {
    fn log(&self) -> &[Grant] {
        self.channels.watch()
    }

    /// Buses: one tenure at a time, and never idle while a die asks.
    fn buses(&self) {
        let mut last: HashMap<u16, &Grant> = HashMap::new();
        for grant in self.log() {
            let before = last.insert(grant.die.channel, grant);
            let free = before.map_or(0, |grant| grant.end_ns);
            assert_eq!(grant.begin_ns, free.max(grant.asked_ns), "idle or overlapping: {grant:?}");
            assert!(grant.end_ns > grant.begin_ns);
            let waited_too = before.filter(|before| grant.asked_ns <= before.begin_ns);
            if let Some(before) = waited_too.filter(|_| self.policy == Policy::Fifo) {
                assert!(before.asked_ns <= grant.asked_ns, "{grant:?} asked before {before:?}");
            }
        }
    }

    /// While a read asks, no other operation of its channel is granted the bus.
    fn reads_are_first(&self) {
        let read = |grant: &Grant| self.requests[grant.tag as usize].command.is_read();
        for (at, grant) in self.log().iter().enumerate().filter(|(_, grant)| !read(grant)) {
            let later = self.log()[at + 1..].iter();
            for other in later.filter(|other| other.die.channel == grant.die.channel && read(other))
            {
                assert!(other.asked_ns > grant.begin_ns, "{grant:?} before {other:?}");
            }
        }
    }

    /// Dies: one cell operation at a time, with bus tenures during it only within runs of cache operations.
    fn dies(&self) {
        let mut dies: BTreeMap<DieAddress, Vec<Grant>> = BTreeMap::new();
        for grant in self.log() {
            dies.entry(grant.die).or_default().push(*grant);
            if grant.segment == Segment::Direct {
                // The source's register is busy, too.
                let tag = grant.tag - 1;
                let die = self.requests[tag as usize].die;
                let sent = Grant { tag, die, array_begin_ns: 0, array_end_ns: 0, ..*grant };
                dies.entry(die).or_default().push(sent);
            }
        }
        for log in dies.values() {
            let (mut free, mut bus_free) = (0, 0);
            for (at, grant) in log.iter().enumerate() {
                let caches = |grant: &Grant| {
                    let command = self.requests[grant.tag as usize].command;
                    matches!(command, Command::CacheProgram | Command::CacheRead)
                };
                assert!(grant.begin_ns >= bus_free, "two tenures of one die: {grant:?}");
                bus_free = grant.end_ns;
                if grant.begin_ns < free {
                    let beside = log[..at].iter().rev().find(|g| g.array_end_ns > grant.begin_ns);
                    assert!(beside.is_some_and(caches), "{grant:?}");
                }
                if grant.array_end_ns > grant.array_begin_ns {
                    assert!(grant.array_begin_ns >= free, "cells overlap: {grant:?}");
                    assert!(grant.array_begin_ns >= grant.end_ns);
                    free = grant.array_end_ns;
                }
                assert!(at == 0 || grant.tag >= log[at - 1].tag, "order within the die");
            }
        }
    }

    /// Completions: each request once, in order of time, no sooner than it would be alone.
    fn completions(&self) {
        let mut seen = vec![false; self.requests.len()];
        let mut last = 0;
        for done in &self.completions {
            assert!(!std::mem::replace(&mut seen[done.tag as usize], true));
            assert!(done.done_ns >= last && done.done_ns >= done.released_ns);
            last = done.done_ns;
            let request = &self.requests[done.tag as usize];
            assert!(done.granted_ns >= request.arrival_ns);
            let planes = request.pages.planes();
            let tag = done.tag as usize;
            let goes_on = tag > 0 && self.requests[tag - 1].command == Command::CacheRead;
            // Reading of the next page has begun before; its data still must come out.
            let alone = if goes_on {
                planes as u64 * self.timing.t_do_ns() + self.timing.ecc_ns
            } else {
                let (timing, page) = (&self.timing, request.pages.as_slice()[0].page);
                let shorter = match request.command {
                    Command::Erase | Command::ReadOob => 0,
                    command if command.is_read() => timing.t_r_ns - timing.t_r_of_ns(page, false),
                    _ => timing.t_prog_ns - timing.t_prog_of_ns(page, false),
                };
                self.channels.alone_ns(request.command, planes) - shorter + request.repair_ns
            };
            assert!(done.done_ns >= request.arrival_ns + alone, "{done:?} before {alone}");
        }
        assert!(seen.iter().all(|seen| *seen));
        assert_eq!(self.channels.outstanding(), 0);
        assert_eq!(self.channels.last_done_ns(), last);
    }

    /// Bus time is conserved: by request, by direction, by way and by channel.
    fn bus_time(&self) {
        let (mut bus, mut data_in, mut data_out) = (0, 0, 0);
        let (mut saved_in, mut saved_out) = (0, 0);
        for (tag, request) in self.requests.iter().enumerate() {
            let planes = request.pages.planes() as u64;
            bus += self.channels.bus_ns(request.command, planes as usize) + request.repair_ns;
            if tag > 0 && self.requests[tag - 1].command == Command::CacheRead {
                // One cycle instead of command and address for each plane (a cache read has that cycle anyway).
                bus -= 7 * planes * self.timing.t_wc_ns;
                let ends = request.command == Command::Read;
                bus += if ends { self.timing.t_wc_ns } else { 0 };
            }
            let programs = matches!(request.command, Command::Program | Command::CacheProgram);
            data_in += request.repair_ns;
            if is_source(&self.requests, tag) {
                // One transfer instead of two.
                let (out, into) = (self.timing.t_do_ns(), self.timing.t_di_ns());
                let direct = self.timing.t_dio_ns();
                saved_in += planes * into;
                saved_out += planes * out;
                data_in += planes * direct;
                bus += planes * direct;
            }
            data_in += if programs { planes * self.timing.t_di_ns() } else { 0 };
            data_out += if request.command.is_read() { planes * self.timing.t_do_ns() } else { 0 };
        }
        bus -= saved_in + saved_out;
        data_in -= saved_in;
        data_out -= saved_out;
        let tenures: u64 = self.log().iter().map(|grant| grant.end_ns - grant.begin_ns).sum();
        let uses =
            (0..self.topology.channels).map(|channel| self.channels.bus_use(channel).unwrap());
        let uses: Vec<_> = uses.collect();
        let sum =
            |part: fn(&ftlkit_flash::channels::BusUse) -> u64| uses.iter().map(part).sum::<u64>();
        assert_eq!((sum(|u| u.busy_ns()), tenures), (bus, bus));
        assert_eq!((sum(|u| u.data_in_ns), sum(|u| u.data_out_ns)), (data_in, data_out));
        assert_eq!(sum(|u| u.grants), self.log().len() as u64);
        let (mut ways, mut array, mut operations) = (0, 0, 0);
        for channel in 0..self.topology.channels {
            for way in 0..self.topology.ways {
                let usage = self.channels.way_use(channel, way).unwrap();
                ways += usage.bus.busy_ns();
                array += usage.array_ns;
                operations += usage.operations;
            }
        }
        let cells = |grant: &Grant| grant.array_end_ns - grant.array_begin_ns;
        assert_eq!(array, self.log().iter().map(cells).sum::<u64>());
        assert_eq!((ways, operations), (bus, self.requests.len() as u64));
        let statuses = self.log().iter().filter(|grant| grant.segment == Segment::Status).count();
        assert_eq!(
            statuses > 0,
            self.timing.status
                && self
                    .requests
                    .iter()
                    .any(|r| !r.command.is_read() && r.command != Command::CacheProgram)
        );
    }
}

proptest! {
    #![proptest_config(crate::common::cases(1500))]

    #[test]
    fn every_schedule(
        topology in topologies(),
        timing in timings(),
        policy in prop::sample::select(&Policy::ALL[..]),
        load in loads(),
    ) {
        let schedule = run(topology, timing, policy, &load, true);
        schedule.buses();
        schedule.dies();
        schedule.completions();
        schedule.bus_time();
        if policy == Policy::ReadFirst {
            schedule.reads_are_first();
        }
    }

    /// Two runs give the same schedule, whether requests are submitted as they arrive or all beforehand.
    #[test]
    fn determinism(
        topology in topologies(),
        timing in timings(),
        policy in prop::sample::select(&Policy::ALL[..]),
        load in loads(),
    ) {
        let schedules = [true, true, false].map(|open| run(topology, timing, policy, &load, open));
        for other in &schedules[1..] {
            prop_assert_eq!(schedules[0].log(), other.log());
            prop_assert_eq!(&schedules[0].completions, &other.completions);
        }
    }
}
