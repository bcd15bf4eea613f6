//! Operations on different planes of a die that run as one.

use crate::common::TIMING;
use ftlkit_flash::channels::{
    Channels, Class, Command, Completion, DieAddress, Grant, MultiPlane, PageAddress, Pages,
    PlaneCount, PlaneRule, Policy, Precedence, Repeats, Request, Suspend, Timing, Topology,
};
use ftlkit_flash::{PageTimes, SlcMode};
use proptest::prelude::*;
use std::collections::HashMap;

use Command::{CopyProgram, Erase, Program, Read, ReadOob};

const TOPOLOGY: Topology = Topology {
    channels: 1,
    ways: 2,
    dies: 1,
    planes: 4,
    blocks_per_plane: 8,
    pages_per_block: 16,
    paired_blocks: false,
};

const ANY: MultiPlane = MultiPlane { rule: PlaneRule::SamePage, independent_reads: false };

type Logged = Channels<Vec<Grant>>;

fn channels(rules: MultiPlane) -> Logged {
    timed(TIMING, rules)
}

fn timed(timing: Timing, rules: MultiPlane) -> Logged {
    let mut channels = Channels::watched(TOPOLOGY, timing, Policy::Fifo, Vec::new()).unwrap();
    channels.set_multi_plane(Some(rules));
    channels
}

fn request(arrival_ns: u64, tag: u64, command: Command, (block, page): (u32, u32)) -> Request {
    let die = DieAddress::default();
    Request { arrival_ns, tag, die, command, pages: Pages::one(block, page), repair_ns: 0 }
}

fn run(channels: &mut Logged, requests: &[Request]) -> Vec<(u64, u64)> {
    requests.iter().for_each(|request| channels.submit(request).unwrap());
    all(channels).iter().map(|done| (done.tag, done.done_ns)).collect()
}

fn all(channels: &mut Logged) -> Vec<Completion> {
    core::iter::from_fn(|| channels.next_completion()).collect()
}

/// Completion times of operations at 0 on these pages.
fn times(rules: MultiPlane, command: Command, pages: &[(u32, u32)]) -> Vec<(u64, u64)> {
    let requests: Vec<_> =
        (0..).zip(pages).map(|(tag, page)| request(0, tag, command, *page)).collect();
    run(&mut channels(rules), &requests)
}

#[test]
fn programs_of_one_page_number_run_as_one() {
    // 70 + 5 + 1,000; tWB 3 + tDBSY 20; the same again; tWB 3, tPROG.
    let together = 1075 + 23 + 1075 + 3 + 3000;
    assert_eq!(times(ANY, Program, &[(4, 7), (13, 7)]), [(0, together), (1, together)]);
    // Blocks 4 and 13 are at places 1 and 3 of their planes; 4 and 5 both at place 1.
    let paired = MultiPlane { rule: PlaneRule::SamePlace, ..ANY };
    assert_eq!(times(paired, Program, &[(4, 7), (5, 7)]), [(0, together), (1, together)]);
    let apart = [(0, 1075 + 3003), (1, 2 * (1075 + 3003))];
    assert_eq!(times(paired, Program, &[(4, 7), (13, 7)]), apart);
    // Another page, the same plane, another class.
    assert_eq!(times(ANY, Program, &[(4, 7), (13, 8)]), apart);
    assert_eq!(times(ANY, Program, &[(4, 7), (8, 7)]), apart);
    let mut channels = channels(ANY);
    channels.submit(&request(0, 0, Program, (4, 7))).unwrap();
    let class = Class::Collection { order: 3 };
    channels.submit_as(&request(0, 1, Program, (13, 7)), class).unwrap();
    let done: Vec<_> = all(&mut channels).iter().map(|done| (done.tag, done.done_ns)).collect();
    assert_eq!(done, apart);
}

#[test]
fn reads_complete_with_the_data_of_their_plane() {
    // Commands 70, 23, 70; tWB, tR, tRR; data, and of the second plane the selection before it; ECC 7.
    let first = 70 + 23 + 70 + 3 + 500 + 2 + 1000;
    let second = first + 70 + 4 + 1000;
    let both = [(0, first + 7), (1, second + 7)];
    assert_eq!(times(ANY, Read, &[(4, 7), (13, 7)]), both);
    let one = 70 + 3 + 500 + 2 + 1000;
    let apart = [(0, one + 7), (1, 2 * one + 7)];
    assert_eq!(times(ANY, Read, &[(4, 7), (13, 8)]), apart);
    let independent = MultiPlane { independent_reads: true, ..ANY };
    assert_eq!(times(independent, Read, &[(4, 7), (13, 8)]), both);
    assert_eq!(times(independent, Program, &[(4, 7), (13, 8)]).last(), Some(&(1, 2 * 4078)));
}

/// Times by page: independent reads take as long as the slowest page among them.
#[test]
fn the_slowest_page_counts() {
    let t_r_by_page_ns = PageTimes::of(&[100, 500]);
    let timing = Timing { t_r_by_page_ns, ..TIMING };
    let mut channels = timed(timing, MultiPlane { independent_reads: true, ..ANY });
    let slow = request(0, 0, Read, (4, 7));
    let fast = request(0, 1, Read, (13, 6));
    let first = 70 + 23 + 70 + 3 + 500 + 2 + 1000 + 7;
    let done = run(&mut channels, &[slow, fast]);
    assert_eq!(done, [(0, first), (1, first + 1074)]);
}

#[test]
fn erases_take_any_page_number_and_spare_areas_are_read_together() {
    let erased = 50 + 23 + 50 + 3 + 9000;
    assert_eq!(times(ANY, Erase, &[(4, 0), (13, 5)]), [(0, erased), (1, erased)]);
    // Four bytes of 10 ns.
    let first = 70 + 23 + 70 + 3 + 400 + 2 + 40;
    let out = [(0, first + 7), (1, first + 70 + 4 + 40 + 7)];
    assert_eq!(times(ANY, ReadOob, &[(4, 1), (5, 1)]), out);
}

/// An operation joins over others, but not over one of its own plane.
#[test]
fn the_order_of_a_plane_is_kept() {
    let program = |tag, block, page| request(0, tag, Program, (block, page));
    let mut channels = channels(ANY);
    // Plane 1 has page 3 before page 2, so that its page 2 must wait; plane 2 and plane 3 join.
    let requests =
        [program(0, 4, 2), program(1, 5, 3), program(2, 9, 2), program(3, 6, 2), program(4, 7, 2)];
    let done = run(&mut channels, &requests);
    let order: Vec<_> = done.iter().map(|(tag, _)| *tag).collect();
    assert_eq!(order, [0, 3, 4, 1, 2]);
    let three = 3 * 1075 + 2 * 23 + 3003;
    assert_eq!(done[..3], [(0, three), (3, three), (4, three)]);
    let count = PlaneCount { operations: 3, pages: 5 };
    assert_eq!(channels.plane_counts().programs, count);
}

#[test]
fn operations_that_come_later_or_need_the_register_run_alone() {
    let mut late = channels(ANY);
    let requests = [request(0, 0, Program, (4, 7)), request(1, 1, Program, (13, 7))];
    assert_eq!(run(&mut late, &requests), [(0, 4078), (1, 2 * 4078)]);
    // A copy-back, and a read with a retry.
    let mut copies = channels(ANY);
    let requests = [
        request(0, 0, Read, (4, 7)),
        request(0, 1, CopyProgram, (8, 7)),
        request(0, 2, Read, (5, 7)),
    ];
    run(&mut copies, &requests);
    assert_eq!(copies.plane_counts().reads, PlaneCount { operations: 2, pages: 2 });
    let mut retried = channels(ANY);
    retried.submit(&request(0, 0, Read, (4, 7))).unwrap();
    let repeats = Repeats { reads: 1, soft: false };
    retried.submit_repeated(&request(0, 1, Read, (5, 7)), Class::Write, repeats).unwrap();
    assert_eq!(all(&mut retried).len(), 2);
    assert_eq!(retried.plane_counts().reads, PlaneCount { operations: 2, pages: 2 });
}

/// Reads suspend a program of two planes past its end: both of its pages complete later.
#[test]
fn a_read_suspends_all_planes() {
    let mut channels = channels(ANY);
    let suspend = Suspend::ErasesAndPrograms { erase_ns: 40, program_ns: 20 };
    channels.set_precedence(Precedence { host_first: 4, suspend });
    channels.submit(&request(0, 0, Program, (4, 7))).unwrap();
    channels.submit(&request(0, 1, Program, (13, 7))).unwrap();
    assert_eq!(channels.next_completion_until(2500), None);
    for tag in [2, 3, 4] {
        channels.submit_as(&request(2500, tag, Read, (6, tag as u32)), Class::Read).unwrap();
    }
    let done: Vec<_> = all(&mut channels).iter().map(|done| (done.tag, done.done_ns)).collect();
    // Suspended at 2,500 within 20 ns; each read takes 1,575 ns; 2,676 ns of the program were left.
    let read = |number: u64| 2520 + number * 1575;
    let out = read(3);
    let left = 5176 - 2500;
    assert!(read(2) > 5176);
    let reads = [(2, read(1) + 7), (3, read(2) + 7), (4, out + 7)];
    assert_eq!(done[..3], reads);
    assert_eq!(done[3..], [(0, out + left), (1, out + left)]);
    assert_eq!(channels.suspensions().programs, 1);
}

/// Each operation that joins counts as one that has gone before waiting collection.
#[test]
fn those_that_join_go_before_collection_too() {
    let order = |first: (u32, u32)| {
        let mut channels = channels(ANY);
        channels.set_precedence(Precedence { host_first: 2, suspend: Suspend::Never });
        channels.submit(&request(0, 0, Erase, (4, 0))).unwrap();
        assert_eq!(channels.next_completion_until(60), None);
        let class = Class::Collection { order: 1 };
        channels.submit_as(&request(60, 1, Program, (8, 1)), class).unwrap();
        for (tag, page) in [(2, first), (3, (13, 7)), (4, (12, 3))] {
            channels.submit(&request(60, tag, Program, page)).unwrap();
        }
        all(&mut channels).iter().map(|done| done.tag).collect::<Vec<_>>()
    };
    // Two on two planes, then collection; or one and one of the same plane.
    assert_eq!(order((6, 7)), [0, 2, 3, 1, 4]);
    assert_eq!(order((5, 7)), [0, 2, 3, 1, 4]);
}

#[test]
fn blocks_in_another_mode_do_not_join() {
    let slc = SlcMode { t_r_ns: 100, t_prog_ns: 900, t_bers_ns: 2000 };
    let mut channels = timed(Timing { slc: Some(slc), ..TIMING }, ANY);
    let first = request(0, 0, Program, (4, 7));
    let second = request(0, 1, Program, (13, 7));
    let second = Request { pages: second.pages.in_slc(true), ..second };
    assert_eq!(run(&mut channels, &[first, second]), [(0, 4078), (1, 4078 + 1075 + 903)]);
}

/// As submitting the multi-plane operation itself.
#[test]
fn a_joined_operation_takes_the_time_of_one_that_was_submitted() {
    for command in [Program, Erase, Read, ReadOob] {
        for planes in 1..=4 {
            let pages: Vec<_> = (0..planes).map(|plane| (8 + plane, 3)).collect();
            let joined = times(ANY, command, &pages);
            let mut whole = channels(ANY);
            let list: Vec<_> = pages
                .iter()
                .map(|(block, page)| PageAddress { block: *block, page: *page })
                .collect();
            let pages = Pages::of(&list).unwrap();
            let request = Request { pages, ..request(0, 0, command, (8, 3)) };
            assert_eq!(run(&mut whole, &[request])[0].1, joined.last().unwrap().1);
        }
    }
}

proptest! {
    #![proptest_config(crate::common::cases(1500))]

    /// Any load: each operation completes once, those of one plane begin in the order of submission, a die's cells and
    /// its bus do one thing at a time, and what begins together on a die obeys the rules.
    #[test]
    fn every_schedule(
        load in prop::collection::vec((0u64..3000, 0u16..2, 0u8..4, 0u32..32, 0u32..3), 1..80),
        independent_reads in any::<bool>(),
        places in any::<bool>(),
        (status, open) in any::<(bool, bool)>(),
    ) {
        let rule = if places { PlaneRule::SamePlace } else { PlaneRule::SamePage };
        let timing = Timing { status, ..TIMING };
        let mut channels = timed(timing, MultiPlane { rule, independent_reads });
        let mut arrival_ns = 0;
        let mut requests = Vec::new();
        for (gap, way, kind, block, page) in load {
            arrival_ns += if gap % 2 == 0 { 0 } else { gap };
            let command = [Read, Program, Erase, ReadOob][usize::from(kind)];
            let die = DieAddress { channel: 0, way, die: 0 };
            let tag = requests.len() as u64;
            requests.push(Request { die, ..request(arrival_ns, tag, command, (block, page)) });
        }
        let mut completions = Vec::new();
        for request in &requests {
            while open && let Some(done) = channels.next_completion_until(request.arrival_ns) {
                completions.push(done);
            }
            channels.submit(request).unwrap();
        }
        completions.extend(all(&mut channels));
        prop_assert_eq!(channels.outstanding(), 0);
        prop_assert_eq!(completions.len(), requests.len());
        let mut granted = vec![None; requests.len()];
        for done in &completions {
            let of = &requests[done.tag as usize];
            prop_assert!(granted[done.tag as usize].replace(done.granted_ns).is_none());
            prop_assert!(done.granted_ns >= of.arrival_ns);
            prop_assert!(done.done_ns >= done.granted_ns + channels.alone_ns(of.command, 1));
        }
        let mut together: HashMap<(DieAddress, Option<u64>), Vec<&Request>> = HashMap::new();
        for (request, granted) in requests.iter().zip(&granted) {
            together.entry((request.die, *granted)).or_default().push(request);
        }
        for joined in together.values() {
            let addresses = joined.iter().map(|request| request.pages.as_slice()[0]);
            let addresses: Vec<_> = addresses.collect();
            let first = addresses[0];
            let free = independent_reads && joined[0].command.is_read();
            for (at, address) in addresses.iter().enumerate() {
                prop_assert_eq!(joined[at].command, joined[0].command);
                let planes = addresses[..at].iter().filter(|other| other.block % 4 == address.block % 4);
                prop_assert_eq!(planes.count(), 0, "one plane twice");
                let same_page = joined[0].command == Erase || address.page == first.page;
                let same_place = !places || address.block / 4 == first.block / 4;
                prop_assert!(free || same_page && same_place, "{:?} with {:?}", address, first);
            }
        }
        let mut last = HashMap::new();
        for (request, granted) in requests.iter().zip(granted) {
            let plane = request.pages.as_slice()[0].block % 4;
            let granted = granted.unwrap();
            let before = last.insert((request.die, plane), granted).unwrap_or(0);
            prop_assert!(before <= granted, "order of a plane");
        }
        let mut free: HashMap<DieAddress, u64> = HashMap::new();
        let mut bus = 0;
        for grant in channels.watch() {
            prop_assert!(grant.begin_ns >= bus);
            bus = grant.end_ns;
            let cells = free.entry(grant.die).or_default();
            prop_assert!(grant.begin_ns >= *cells, "a tenure while the cells work");
            *cells = grant.array_end_ns.max(*cells);
        }
        let counts = channels.plane_counts();
        let counts = [counts.reads, counts.programs, counts.erases];
        prop_assert_eq!(counts.iter().map(|count| count.pages).sum::<u64>(), requests.len() as u64);
        let operations: u64 =
            (0..2).map(|way| channels.way_use(0, way).unwrap().operations).sum();
        prop_assert_eq!(operations, requests.len() as u64);
    }
}
