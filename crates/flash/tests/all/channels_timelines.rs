//! Timelines worked by hand, to the nanosecond.

use crate::common::TIMING;
use ftlkit_flash::channels::{
    Addressing, Channels, Command, Completion, DieAddress, Grant, PageAddress, Pages, Policy,
    Request, Segment, Timing, Topology,
};
use ftlkit_flash::{PageTimes, SlcMode, parts};

use Command::{CacheProgram, CacheRead, CopyProgram, CopyRead, Erase, Program, Read};

const TOPOLOGY: Topology = Topology {
    channels: 2,
    ways: 4,
    dies: 2,
    planes: 2,
    blocks_per_plane: 64,
    pages_per_block: 256,
    paired_blocks: true,
};

type Logged = Channels<Vec<Grant>>;

fn channels(timing: Timing, policy: Policy) -> Logged {
    Channels::watched(TOPOLOGY, timing, policy, Vec::new()).unwrap()
}

fn request(arrival_ns: u64, tag: u64, way: u16, command: Command, pages: Pages) -> Request {
    let die = DieAddress { channel: 0, way, die: 0 };
    Request { arrival_ns, tag, die, command, pages, repair_ns: 0 }
}

/// The pages of both planes.
fn pair(block: u32, page: u32) -> Pages {
    Pages::of(&[PageAddress { block, page }, PageAddress { block: block + 1, page }]).unwrap()
}

fn run(channels: &mut Logged, requests: &[Request]) -> Vec<Completion> {
    requests.iter().for_each(|request| channels.submit(request).unwrap());
    core::iter::from_fn(|| channels.next_completion()).collect()
}

/// (tag, completion time) in order of delivery.
fn done(completions: &[Completion]) -> Vec<(u64, u64)> {
    completions.iter().map(|done| (done.tag, done.done_ns)).collect()
}

/// (tag, from, to) of each tenure of the bus.
fn tenures(channels: &Logged) -> Vec<(u64, u64, u64)> {
    channels.watch().iter().map(|g| (g.tag, g.begin_ns, g.end_ns)).collect()
}

/// (tag, from, to) of each cell operation.
fn cells(channels: &Logged) -> Vec<(u64, u64, u64)> {
    let works = channels.watch().iter().filter(|g| g.array_end_ns > g.array_begin_ns);
    works.map(|g| (g.tag, g.array_begin_ns, g.array_end_ns)).collect()
}

#[test]
fn one_page() {
    for (command, bus, array, end) in [
        (Read, vec![(1, 100, 170), (1, 675, 1675)], (1, 173, 673), 1682),
        (Program, vec![(1, 100, 1175)], (1, 1178, 4178), 4178),
        (Erase, vec![(1, 100, 150)], (1, 153, 9153), 9153),
    ] {
        let mut channels = channels(TIMING, Policy::Fifo);
        let completions = run(&mut channels, &[request(100, 1, 0, command, Pages::one(5, 9))]);
        assert_eq!(tenures(&channels), bus, "{}", command.name());
        assert_eq!(cells(&channels), [array]);
        assert_eq!(done(&completions), [(1, end)]);
        assert_eq!(completions[0].granted_ns, 100);
        assert_eq!(completions[0].released_ns, bus.last().unwrap().2);
        assert_eq!(channels.alone_ns(command, 1), end - 100);
    }
}

#[test]
fn two_planes() {
    // Read: two commands 23 ns apart; then the second plane is selected (70 + 4) before its data.
    let mut two = channels(TIMING, Policy::Fifo);
    let completions = run(&mut two, &[request(0, 1, 0, Read, pair(4, 9))]);
    assert_eq!(tenures(&two), [(1, 0, 70), (1, 93, 163), (1, 668, 1668), (1, 1668, 2742)]);
    assert_eq!(cells(&two), [(1, 166, 666)]);
    assert_eq!(done(&completions), [(1, 2749)]);

    let mut two = channels(TIMING, Policy::Fifo);
    let completions = run(&mut two, &[request(0, 1, 0, Program, pair(4, 9))]);
    assert_eq!(tenures(&two), [(1, 0, 1075), (1, 1098, 2173)]);
    assert_eq!(cells(&two), [(1, 2176, 5176)]);
    assert_eq!(done(&completions), [(1, 5176)]);

    let mut two = channels(TIMING, Policy::Fifo);
    let completions = run(&mut two, &[request(0, 1, 0, Erase, pair(4, 9))]);
    assert_eq!(tenures(&two), [(1, 0, 50), (1, 73, 123)]);
    assert_eq!(done(&completions), [(1, 9126)]);

    // Another way has the bus during tDBSY.
    let mut two = channels(TIMING, Policy::Fifo);
    let others = [request(0, 1, 0, Erase, pair(4, 9)), request(55, 2, 1, Erase, Pages::one(0, 0))];
    run(&mut two, &others);
    assert_eq!(tenures(&two), [(1, 0, 50), (2, 55, 105), (1, 105, 155)]);
}

#[test]
fn two_ways_interleave() {
    let mut ways = channels(TIMING, Policy::Fifo);
    let programs = [
        request(0, 1, 0, Program, Pages::one(0, 0)),
        request(0, 2, 1, Program, Pages::one(0, 0)),
        request(0, 3, 0, Program, Pages::one(0, 1)),
    ];
    let completions = run(&mut ways, &programs);
    assert_eq!(tenures(&ways), [(1, 0, 1075), (2, 1075, 2150), (3, 4078, 5153)]);
    assert_eq!(done(&completions), [(1, 4078), (2, 5153), (3, 8156)]);

    let mut ways = channels(TIMING, Policy::Fifo);
    let reads =
        [request(0, 1, 0, Read, Pages::one(0, 0)), request(0, 2, 1, Read, Pages::one(0, 0))];
    let completions = run(&mut ways, &reads);
    let bus = [(1, 0, 70), (2, 70, 140), (1, 575, 1575), (2, 1575, 2575)];
    assert_eq!(tenures(&ways), bus);
    assert_eq!(done(&completions), [(1, 1582), (2, 2582)]);
    let usage = ways.bus_use(0).unwrap();
    assert_eq!((usage.busy_ns(), usage.data_out_ns, usage.command_ns), (2140, 2000, 140));
    // The second waited 70 ns for its command and from 645 to 1575 for its data.
    assert_eq!((usage.grants, usage.waited_ns), (4, 70 + 930));
    assert_eq!(ways.way_use(0, 1).unwrap().array_ns, 500);
    assert_eq!(ways.way_use(0, 2).unwrap().array_ns, 0);
    assert_eq!(ways.bus_use(1).unwrap().busy_ns(), 0);
    assert!(ways.bus_use(2).is_none() && ways.way_use(0, 4).is_none());
    assert_eq!(ways.last_done_ns(), 2582);
}

#[test]
fn dies_of_a_way_work_apart() {
    let mut dies = channels(TIMING, Policy::Fifo);
    let mut other = request(0, 2, 0, Erase, Pages::one(0, 0));
    other.die.die = 1;
    let completions = run(&mut dies, &[request(0, 1, 0, Erase, Pages::one(0, 0)), other]);
    assert_eq!(done(&completions), [(1, 9053), (2, 9103)]);
    assert_eq!(dies.way_use(0, 0).unwrap().array_ns, 18_000);
    assert_eq!(dies.die_use(other.die).unwrap().array_ns, 9000);
}

#[test]
fn cache_program_pipeline() {
    let mut cache = channels(TIMING, Policy::Fifo);
    let run_of = [
        request(0, 1, 0, CacheProgram, Pages::one(0, 0)),
        request(0, 2, 0, CacheProgram, Pages::one(0, 1)),
        request(0, 3, 0, Program, Pages::one(0, 2)),
        request(0, 4, 0, Read, Pages::one(0, 0)),
    ];
    let completions = run(&mut cache, &run_of);
    // Data may come in from 30 ns after the cells have begun with the page before.
    let bus = [(1, 0, 1075), (2, 1108, 2183), (3, 4108, 5183), (4, 10_078, 10_148)];
    assert_eq!(tenures(&cache)[..4], bus);
    let array = [(1, 1078, 4078), (2, 4078, 7078), (3, 7078, 10_078), (4, 10_151, 10_651)];
    assert_eq!(cells(&cache), array);
    assert_eq!(done(&completions)[..3], [(1, 4078), (2, 7078), (3, 10_078)]);

    // No overlap with a program of another block, or if the number of planes changes from one to two.
    for next in [Pages::one(2, 0), Pages::one(1, 0), pair(0, 1)] {
        let mut cache = channels(TIMING, Policy::Fifo);
        let first = request(0, 1, 0, CacheProgram, Pages::one(0, 0));
        run(&mut cache, &[first, request(0, 2, 0, Program, next)]);
        assert_eq!(cache.watch()[1].begin_ns, 4078);
    }

    // Two planes: the data in of each pair overlap the programs of the pair before.
    let mut cache = channels(TIMING, Policy::Fifo);
    let run_of =
        [request(0, 1, 0, CacheProgram, pair(0, 0)), request(0, 2, 0, Program, pair(0, 1))];
    let completions = run(&mut cache, &run_of);
    let bus = [(1, 0, 1075), (1, 1098, 2173), (2, 2206, 3281), (2, 3304, 4379)];
    assert_eq!(tenures(&cache), bus);
    assert_eq!(done(&completions), [(1, 5176), (2, 8176)]);
}

#[test]
fn cache_read_pipeline() {
    let mut cache = channels(TIMING, Policy::Fifo);
    let run_of = [
        request(0, 1, 0, CacheRead, Pages::one(0, 0)),
        request(0, 2, 0, CacheRead, Pages::one(0, 1)),
        request(0, 3, 0, Read, Pages::one(0, 2)),
        request(0, 4, 0, Erase, Pages::one(0, 0)),
    ];
    let completions = run(&mut cache, &run_of);
    let bus = [
        (1, 0, 70),
        (1, 573, 583),
        (1, 618, 1618),
        (2, 1618, 1628),
        (2, 1663, 2663),
        (3, 2663, 2673),
        (3, 2708, 3708),
        (4, 3708, 3758),
    ];
    assert_eq!(tenures(&cache), bus);
    let array = [(1, 73, 573), (1, 616, 1116), (2, 1661, 2161), (4, 3761, 12_761)];
    assert_eq!(cells(&cache), array);
    assert_eq!(done(&completions), [(1, 1625), (2, 2670), (3, 3715), (4, 12_761)]);
}

#[test]
fn status_and_repair() {
    let mut status = channels(Timing { status: true, ..TIMING }, Policy::Fifo);
    let completions = run(&mut status, &[request(0, 1, 0, Program, Pages::one(0, 0))]);
    assert_eq!(done(&completions), [(1, 4078 + 10 + 6 + 10)]);
    assert_eq!(status.watch()[1].segment, Segment::Status);

    let mut copy = channels(TIMING, Policy::Fifo);
    let program = Request { repair_ns: 40, ..request(0, 2, 0, CopyProgram, Pages::one(2, 0)) };
    let completions = run(&mut copy, &[request(0, 1, 0, Read, Pages::one(0, 0)), program]);
    assert_eq!(tenures(&copy)[2], (2, 1575, 1575 + 70 + 5 + 40));
    assert_eq!(done(&completions)[1], (2, 1690 + 3 + 3000));
    assert_eq!(copy.bus_use(0).unwrap().data_in_ns, 40);
}

#[test]
fn copy_back_without_data_out() {
    let mut copy = channels(TIMING, Policy::Fifo);
    let read = request(0, 1, 0, CopyRead, Pages::one(0, 0));
    let completions = run(&mut copy, &[read, request(0, 2, 0, CopyProgram, Pages::one(2, 0))]);
    assert_eq!(tenures(&copy), [(1, 0, 70), (2, 575, 575 + 75)]);
    assert_eq!(done(&completions), [(1, 575), (2, 650 + 3 + 3000)]);
    assert_eq!(copy.bus_use(0).unwrap().data_out_ns, 0);
    assert_eq!(copy.alone_ns(CopyRead, 1), 575);
}

#[test]
fn direct_transfers() {
    let direct = |addressing, from, to| {
        let mut channels = channels(TIMING, Policy::Fifo);
        let source = request(0, 1, 0, Read, from);
        let destination = Request { repair_ns: 8, ..request(0, 2, 1, Program, to) };
        channels.submit_direct(&source, &destination, addressing).unwrap();
        let completions = run(&mut channels, &[request(0, 3, 0, Erase, from)]);
        (tenures(&channels), done(&completions))
    };
    // Addressed (60 + 5) when the page is ready at 575; 1,000 + 1 for data; 7 for ECC; the confirm with 8 for
    // corrected bytes. The source is erased once its data are out.
    let (bus, done) = direct(Addressing::AfterRead, Pages::one(0, 0), Pages::one(1, 0));
    let tenures = [(1, 0, 70), (2, 575, 640), (2, 640, 1641), (3, 1641, 1691), (2, 1691, 1709)];
    assert_eq!(bus, tenures);
    assert_eq!(done, [(1, 1648), (2, 1709 + 3 + 3000), (3, 1694 + 9000)]);
    // Addressed during tR.
    let (bus, _) = direct(Addressing::DuringRead, Pages::one(0, 0), Pages::one(1, 0));
    let tenures = [(1, 0, 70), (2, 70, 135), (2, 575, 1576), (3, 1576, 1626), (2, 1626, 1644)];
    assert_eq!(bus, tenures);
    // Two planes, also for the erase: 11h and tDBSY between them, and 74 ns to select the source's second
    // plane.
    let (bus, done) = direct(Addressing::AfterRead, pair(0, 0), pair(2, 0));
    let first = [(1, 0, 70), (1, 93, 163), (2, 668, 733), (2, 733, 1734), (2, 1734, 1744)];
    let second = [(2, 1767, 1832), (2, 1832, 2907), (3, 2907, 2957), (2, 2957, 2975)];
    let second = [&second[..], &[(3, 2980, 3030)]].concat();
    assert_eq!(bus, [&first[..], &second[..]].concat());
    assert_eq!(done[..2], [(1, 2914), (2, 5978)]);
}

#[test]
fn direct_transfers_take_what_the_closed_forms_say() {
    // Jeong and Song, Eqs 3, 11 and 13. The source of page k + 1 is read while page k is programmed.
    let timing = Timing::of(&parts::DDT_MLC).unwrap();
    let (t_r, t_prog, repair_ns) = (75_000, 1_300_000, 25 * 200);
    assert_eq!(timing.t_dio_ns(), 216_000 + 20);
    for (pages, planes) in (1..=256u32).flat_map(|pages| [(pages, 1), (pages, 2)]) {
        // On two planes the transfer includes the selection of the source's second plane.
        let (n, p) = (u64::from(pages), planes as u64);
        let between = (p - 1) * (100 + 1000);
        let choice = if planes == 2 { 7 * 25 + 200 } else { 0 };
        let sr_set = p * 7 * 25 + between + 100 + 20;
        let sp_set = p * (7 * 25 + 70) + between + 100;
        let t_dio = choice + p * timing.t_dio_ns() + repair_ns;
        let plain = sr_set + t_r + (t_dio + sp_set + t_prog) * n;
        let cached = sr_set + t_r + t_dio + sp_set + t_prog * n;
        for (cache, expected) in [(false, plain), (true, cached)] {
            let mut channels = channels(timing, Policy::Fifo);
            for page in 0..pages {
                let cached = cache && page + 1 < pages;
                let command = if cached { CacheProgram } else { Program };
                let source = request(0, 0, 0, Read, pages_on(planes, 0, page));
                let destination = request(0, 1, 1, command, pages_on(planes, 0, page));
                let destination = Request { repair_ns, ..destination };
                channels.submit_direct(&source, &destination, Addressing::AfterRead).unwrap();
            }
            while channels.next_completion().is_some() {}
            assert_eq!(channels.last_done_ns(), expected, "cache {cache}, {n} × {planes}");
        }
    }
}

#[test]
fn arbiters() {
    let mixed = [
        request(0, 1, 0, Program, Pages::one(0, 0)),
        request(0, 2, 2, Program, Pages::one(0, 0)),
        request(0, 3, 1, Read, Pages::one(0, 0)),
        request(0, 4, 3, Erase, Pages::one(0, 0)),
    ];
    let order = |policy| {
        let mut channels = channels(TIMING, policy);
        run(&mut channels, &mixed);
        tenures(&channels)
    };
    let fifo = [(1, 0, 1075), (2, 1075, 2150), (3, 2150, 2220), (4, 2220, 2270), (3, 2725, 3725)];
    assert_eq!(order(Policy::Fifo), fifo);
    let turns = [(1, 0, 1075), (3, 1075, 1145), (2, 1145, 2220), (4, 2220, 2270), (3, 2270, 3270)];
    assert_eq!(order(Policy::RoundRobin), turns);
    // The read's data are ready at 575, before the second program and the erase have been granted the bus.
    let reads = [(3, 0, 70), (1, 70, 1145), (3, 1145, 2145), (2, 2145, 3220), (4, 3220, 3270)];
    assert_eq!(order(Policy::ReadFirst), reads);
}

/// A page on one plane or on both.
fn pages_on(planes: usize, block: u32, page: u32) -> Pages {
    if planes == 2 { pair(block, page) } else { Pages::one(block, page) }
}

#[test]
fn copies_take_what_the_closed_forms_say() {
    // Jeong and Song, Eqs 1, 2, 5 to 10 and 12, for the part of their Table II.
    let timing = Timing::of(&parts::DDT_MLC).unwrap();
    let (t_r, t_prog, t_do) = (75_000, 1_300_000, 216_000);
    assert_eq!((timing.t_do_ns(), timing.t_di_ns()), (t_do, t_do));
    let each = || (1..=256u32).flat_map(|pages| [(pages, 1), (pages, 2)]);
    for (pages, planes) in each() {
        // On two planes everything but tR and tPROG occurs twice, with tDBSY between the commands. The second
        // plane is selected before its data out.
        let p = planes as u64;
        let between = (p - 1) * (100 + 1000);
        let choice = if planes == 2 { 7 * 25 + 200 } else { 0 };
        let sr_set = p * 7 * 25 + between + 100 + 20 + choice;
        let sp_set = p * (7 * 25 + 70) + between + 100;
        let (t_sr, t_sp) = (sr_set + t_r + p * t_do, sp_set + p * t_do + t_prog);
        let read = |tag, at, page| request(at, tag, 0, Read, pages_on(planes, 0, page));
        let n = u64::from(pages);
        let mut icb = channels(timing, Policy::Fifo);
        let mut copies = Vec::new();
        for page in 0..pages {
            copies.push(read(0, 0, page));
            let to = request(0, 1, 0, CopyProgram, pages_on(planes, 2, page));
            copies.push(Request { repair_ns: 75, ..to });
        }
        run(&mut icb, &copies);
        assert_eq!(icb.last_done_ns(), (t_sr + t_sp - p * t_do + 75) * n, "ICB, {n} × {planes}");

        for (cache, expected) in
            [(false, t_sr + t_sp * n), (true, t_sr + sp_set + p * t_do + t_prog * n)]
        {
            let mut gcb = channels(timing, Policy::Fifo);
            // Even tags read, odd ones program. Page k is read while page k − 1 is programmed.
            let ahead = |gcb: &mut Logged, at, page: u32| {
                if page < pages {
                    gcb.submit(&read(2 * u64::from(page), at, page)).unwrap();
                }
            };
            ahead(&mut gcb, 0, 0);
            while let Some(done) = gcb.next_completion() {
                let page = (done.tag / 2) as u32;
                if done.command != Read {
                    ahead(&mut gcb, done.done_ns, page + 2);
                    continue;
                }
                let last = page + 1 == pages;
                let command = if cache && !last { CacheProgram } else { Program };
                let to = request(done.done_ns, done.tag + 1, 1, command, pages_on(planes, 0, page));
                gcb.submit(&to).unwrap();
                if page == 0 {
                    ahead(&mut gcb, done.done_ns, 1);
                }
            }
            assert_eq!(gcb.last_done_ns(), expected, "GCB, cache {cache}, {n} × {planes}");
        }
    }
}

/// tR 300, 400, 500 and one-shot programming: three pages per word line.
const BY_PAGE: Timing = Timing {
    t_r_by_page_ns: PageTimes::of(&[300, 400, 500]),
    t_prog_by_page_ns: PageTimes::of(&[0, 0, 3000]),
    slc: Some(SlcMode { t_r_ns: 100, t_prog_ns: 700, t_bers_ns: 8000 }),
    ..TIMING
};

#[test]
fn cells_take_the_time_of_their_page() {
    for (page, read, program) in [(0, 300, 0), (1, 400, 0), (2, 500, 3000), (3, 300, 0)] {
        let pages = Pages::one(5, page);
        let mut cells = channels(BY_PAGE, Policy::Fifo);
        let requests = [request(0, 1, 0, Program, pages), request(10_000, 2, 0, Read, pages)];
        let completions = run(&mut cells, &requests);
        let programmed = 70 + 5 + 1000 + 3 + program;
        let read = 10_000 + 70 + 3 + read + 2 + 1000 + 7;
        assert_eq!(done(&completions), [(1, programmed), (2, read)], "page {page}");
    }
    // Copies within the die, and erases, too.
    let mut cells = channels(BY_PAGE, Policy::Fifo);
    let copy = [
        request(0, 1, 0, CopyRead, Pages::one(5, 1)),
        request(0, 2, 0, CopyProgram, Pages::one(7, 3)),
        request(0, 3, 0, Erase, Pages::one(5, 0)),
    ];
    let completions = run(&mut cells, &copy);
    let (read, programmed) = (70 + 3 + 400 + 2, 70 + 5 + 3);
    let erased = read + programmed + 50 + 3 + 9000;
    assert_eq!(done(&completions), [(1, read), (2, read + programmed), (3, erased)]);
}

#[test]
fn a_cache_read_takes_the_next_pages_time() {
    // Page 0 (300), then page 1 (400) behind the data of page 0, then page 2 (500) behind those of page 1.
    let mut cells = channels(BY_PAGE, Policy::Fifo);
    let reads = [
        request(0, 1, 0, CacheRead, Pages::one(5, 0)),
        request(0, 2, 0, CacheRead, Pages::one(5, 1)),
        request(0, 3, 0, Read, Pages::one(5, 2)),
    ];
    run(&mut cells, &reads);
    let works: Vec<u64> =
        self::cells(&cells).iter().map(|(_, begin_ns, end_ns)| end_ns - begin_ns).collect();
    assert_eq!(works, [300, 400, 500]);
}

#[test]
fn blocks_in_slc_mode_have_times_of_their_own() {
    let pages = Pages::one(5, 2).in_slc(true);
    let mut cells = channels(BY_PAGE, Policy::Fifo);
    let requests = [
        request(0, 1, 0, Program, pages),
        request(10_000, 2, 0, Read, pages),
        request(20_000, 3, 0, Erase, pages),
    ];
    let completions = run(&mut cells, &requests);
    let ends = [(1, 1078 + 700), (2, 10_000 + 73 + 100 + 1009), (3, 20_000 + 53 + 8000)];
    assert_eq!(done(&completions), ends);
}

#[test]
fn a_synchronous_bus_is_rounded_once_per_transfer() {
    // 100 bytes at 1600 MT/s: 62.5 ns; at 333 MT/s: 300.3 ns. Commands and addresses keep their cycle.
    for (bus_mts, data_ns) in [(1600, 63), (333, 301), (1000, 100), (100_000, 1)] {
        let timing = Timing { bus_mts, ..TIMING };
        assert_eq!((timing.t_do_ns(), timing.t_di_ns()), (data_ns, data_ns), "{bus_mts}");
        let mut bus = channels(timing, Policy::Fifo);
        let completions = run(&mut bus, &[request(0, 1, 0, Read, Pages::one(5, 9))]);
        assert_eq!(done(&completions), [(1, 70 + 3 + 500 + 2 + data_ns + 7)]);
    }
    assert_eq!(Timing { bus_mts: 1600, ..TIMING }.t_do_oob_ns(), 3, "4 bytes: 2.5 ns");
}
