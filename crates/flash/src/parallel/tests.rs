use super::*;
use crate::address::{BlockId, Geometry, Lpn, Ppn};
use crate::array::{Array, Store};
use crate::channels::{Command, Grant, Suspend};
use crate::copies::{Copies, CopyPath, CopyTimes};
use crate::interface::Flash;
use crate::oob::Oob;
use crate::operation::Cause;
use crate::part::Part;
use crate::parts;
use alloc::vec;
use proptest::prelude::*;

const PAGES: u32 = 8;

fn topology(channels: u16, ways: u16, planes: u16) -> Topology {
    let (dies, blocks_per_plane) = (1, 4);
    let paired_blocks = true;
    Topology {
        channels,
        ways,
        dies,
        planes,
        blocks_per_plane,
        pages_per_block: PAGES,
        paired_blocks,
    }
}

fn copies(near: CopyPath, far: CopyPath, cache_program: bool) -> Copies {
    let times =
        |path| CopyTimes { path, cache_program, fetch_ns: 1, load_ns: 1, prog_ns: 1, repair_ns: 0 };
    Copies { ways: 1, near: times(near), far: times(far), most_corrected_bytes: 0 }
}

type Logged = Parallel<Array, Vec<Grant>>;

fn array(topology: Topology, ganged: bool, copies: Option<Copies>) -> Logged {
    striped(topology, ganged, copies, Stripes::default())
}

/// An array whose blocks are these stripes of blocks of the channels.
fn striped(topology: Topology, ganged: bool, copies: Option<Copies>, stripes: Stripes) -> Logged {
    let blocks = topology.blocks() as u32 / u32::from(if ganged { topology.planes } else { 1 });
    let pages_per_block = PAGES * stripes.blocks;
    let geometry = Geometry::new(blocks / stripes.blocks, pages_per_block, 8192).unwrap();
    let part = Part { pages_per_block, copies, ..parts::DDT_MLC.clone() };
    let timing = Timing::of(&part).unwrap();
    let array = Array::new(geometry, part, Store::Metadata);
    Parallel::make(array, topology, timing, Policy::Fifo, (ganged, stripes), Vec::new()).unwrap()
}

fn program(flash: &mut Logged, page: u32) {
    flash.program(Ppn(page), Oob::data(Lpn(page), 1), None, Cause::Host).unwrap();
}

/// Fills a block to the end, with one task per page.
fn fill(flash: &mut Logged, block: u32) {
    for page in block * PAGES..(block + 1) * PAGES {
        flash.begin(0, flash.now_ns());
        program(flash, page);
        flash.end();
    }
    while flash.next_done().is_some() {}
}

fn alone(flash: &Logged, command: Command) -> Ns {
    flash.channels().alone_ns(command, flash.ganged.into())
}

#[test]
fn one_at_a_time_takes_what_it_takes_alone() {
    for (planes, ganged) in [(1, false), (2, false), (2, true)] {
        let mut flash = array(topology(2, 2, planes), ganged, None);
        let mut now = 0;
        for (at, command) in
            [Command::Program, Command::Read, Command::Erase].into_iter().enumerate()
        {
            flash.begin(at as u64, now + 50);
            match command {
                Command::Program => program(&mut flash, 0),
                Command::Read => {
                    flash.read(Ppn(0), None, Cause::Host).unwrap();
                }
                _ => flash.erase(BlockId(0), Cause::Host).unwrap(),
            }
            flash.end();
            let done = flash.next_done().unwrap();
            let expected = Done {
                tag: at as u64,
                begun_ns: now + 50,
                done_ns: now + 50 + alone(&flash, command),
            };
            assert_eq!(done, expected, "{command:?} on {planes}, {ganged}");
            now = done.done_ns;
        }
        assert_eq!(flash.next_done(), None);
        assert_eq!(flash.outstanding(), 0);
    }
}

#[test]
fn dies_work_side_by_side_and_a_die_by_itself_does_not() {
    let mut flash = array(topology(2, 1, 1), false, None);
    for block in [0, 1] {
        flash.begin(block, 0);
        program(&mut flash, block as u32 * PAGES);
        flash.end();
    }
    flash.begin(2, 0);
    program(&mut flash, 1);
    flash.end();
    let one = alone(&flash, Command::Program);
    let all: Vec<Ns> = core::iter::from_fn(|| flash.next_done()).map(|done| done.done_ns).collect();
    assert_eq!(all, [one, one, 2 * one]);
}

#[test]
fn operations_of_a_task_follow_each_other_and_a_step_goes_beside_them() {
    let mut flash = array(topology(4, 1, 1), false, None);
    fill(&mut flash, 0);
    fill(&mut flash, 1);
    let begun = flash.now_ns();
    flash.begin(7, begun);
    // On two dies, one after the other; the erase of the step on a third, at once.
    flash.read(Ppn(0), None, Cause::Translation).unwrap();
    flash.read(Ppn(PAGES), None, Cause::Host).unwrap();
    flash.erase(BlockId(2), Cause::Collection).unwrap();
    flash.end();
    let done = flash.next_done().unwrap();
    assert_eq!(done.done_ns - begun, 2 * alone(&flash, Command::Read));
    assert_eq!(flash.next_done(), None);
    assert_eq!(flash.now_ns() - begun, alone(&flash, Command::Erase));
}

/// What the host waits for is urgent, up to the task that it is of.
#[test]
fn a_copy_for_the_host_behind_one_of_collection_makes_that_urgent() {
    for step_first in [true, false] {
        let mut flash = array(topology(4, 1, 1), false, None);
        flash.set_precedence(Precedence { host_first: 4, ..Precedence::default() });
        fill(&mut flash, 0);
        fill(&mut flash, 1);
        let causes = [Cause::Collection, Cause::FoldOnWrite];
        for (block, page) in [(0, 0), (1, 1)] {
            flash.begin(page.into(), flash.now_ns());
            let cause = causes[usize::from((page == 0) != step_first)];
            flash.copy(Ppn(block * PAGES), Ppn(2 * PAGES + page), 2, cause).unwrap();
            flash.end();
            assert_eq!(flash.channels().urgent() > 0, step_first && page == 1);
        }
        while flash.next_done().is_some() {}
        assert_eq!(flash.outstanding(), 0);
    }
}

#[test]
fn the_array_is_asked_when_the_processor_has_worked() {
    let mut flash = array(topology(2, 1, 1), false, None);
    flash.begin(1, 10);
    program(&mut flash, 0);
    flash.end_after(500);
    let done = flash.next_done().unwrap();
    let one = alone(&flash, Command::Program);
    assert_eq!((done.begun_ns, done.done_ns), (10, 510 + one));
    // A task without operations is done when the processor is.
    flash.begin(2, 1000 + one);
    flash.end_after(70);
    assert_eq!(flash.next_done().unwrap().done_ns, 1070 + one);
}

#[test]
fn a_collection_that_does_not_yield_comes_before_its_task() {
    for yields in [true, false] {
        let mut flash = array(topology(4, 1, 1), false, None);
        fill(&mut flash, 0);
        flash.set_yields(yields);
        let begun = flash.now_ns();
        flash.begin(1, begun);
        // A copy from die 0 to die 1 and the erase after it; the host's page goes to die 2.
        flash.copy(Ppn(0), Ppn(PAGES), 1, Cause::Collection).unwrap();
        flash.erase(BlockId(0), Cause::Collection).unwrap();
        program(&mut flash, 2 * PAGES);
        flash.end();
        assert!(flash.is_collecting());
        let [read, write, erase] =
            [Command::Read, Command::Program, Command::Erase].map(|command| alone(&flash, command));
        let done = flash.next_done().unwrap();
        let collected = if yields { 0 } else { read + write + erase };
        assert_eq!(done.done_ns - begun, collected + write, "{yields}");
        assert_eq!(flash.is_collecting(), yields);
        assert_eq!(flash.next_done(), None);
        assert!(!flash.is_collecting());
        assert_eq!(flash.page_commands(), u64::from(PAGES) + 3);
    }
}

#[test]
fn filling_takes_no_time_and_is_counted() {
    let mut flash = array(topology(2, 1, 1), false, None);
    flash.set_timed(false);
    program(&mut flash, 0);
    flash.copy(Ppn(0), Ppn(PAGES), 1, Cause::Collection).unwrap();
    flash.erase(BlockId(0), Cause::Collection).unwrap();
    assert_eq!((flash.outstanding(), flash.now_ns(), flash.page_commands()), (0, 0, 0));
    assert_eq!(flash.counts().total(crate::Operation::Copy), 1);
    flash.set_timed(true);
    flash.begin(3, 0);
    flash.read(Ppn(PAGES), None, Cause::Host).unwrap();
    flash.end();
    assert_eq!(flash.next_done().unwrap().done_ns, alone(&flash, Command::Read));
}

#[test]
fn a_task_that_asks_for_nothing_is_done_when_it_begins() {
    let mut flash = array(topology(1, 1, 1), false, None);
    flash.begin(1, 0);
    program(&mut flash, 0);
    flash.end();
    flash.begin(2, 5);
    flash.end();
    let one = alone(&flash, Command::Program);
    assert_eq!(flash.next_done_until(4), None);
    assert_eq!(flash.next_done_until(5), Some(Done { tag: 2, begun_ns: 5, done_ns: 5 }));
    assert_eq!(flash.next_done_until(one - 1), None);
    assert_eq!(flash.next_done_until(one), Some(Done { tag: 1, begun_ns: 0, done_ns: one }));
}

/// Copies a block to an erased one and erases it. Returns the grants of that, and its time.
fn collect(mut flash: Logged, from: u32, to: u32) -> (Vec<Grant>, Ns) {
    fill(&mut flash, from);
    let begun = flash.now_ns();
    flash.channels.watch_mut().clear();
    flash.begin(0, begun);
    let pages: Vec<Ppn> = (from * PAGES..(from + 1) * PAGES).map(Ppn).collect();
    let mut lpns = vec![Lpn(0); PAGES as usize];
    flash.copy_run(&pages, Ppn(to * PAGES), 2, Cause::Collection, &mut lpns).unwrap();
    flash.erase(BlockId(from), Cause::Collection).unwrap();
    flash.end();
    while flash.next_done().is_some() {}
    assert_eq!(flash.outstanding(), 0);
    let took = flash.now_ns() - begun;
    let grants = flash.channels.watch().clone();
    let (erase, copies) = grants.split_last().unwrap();
    let programmed = copies.iter().map(|grant| grant.array_end_ns).max().unwrap();
    assert!(erase.begin_ns >= programmed, "erased before the last copy is programmed");
    (grants, took)
}

#[test]
fn copies_by_every_path_take_what_its_stages_take() {
    let n = Ns::from(PAGES);
    let command = |path: CopyPath, cache, to| {
        let flash = array(topology(1, 2, 1), false, Some(copies(path, path, cache)));
        let one = |command| alone(&flash, command);
        let (read, program, erase) =
            (one(Command::Read), one(Command::Program), one(Command::Erase));
        let stages = (read, program, one(Command::CopyRead), one(Command::CopyProgram), erase);
        (collect(flash, 0, to).1, stages)
    };
    // Block 2 is on block 0's die: nothing overlaps.
    let (took, (read, _, _, copy, erase)) = command(CopyPath::Icb, false, 2);
    assert_eq!(took, n * (read + copy) + erase);
    let (took, (_, _, quiet, copy, erase)) = command(CopyPath::IcbUnchecked, false, 2);
    assert_eq!(took, n * (quiet + copy) + erase);
    // All pages are read before the first is programmed, because a die works in order of arrival.
    let (took, (read, program, _, _, erase)) = command(CopyPath::Lcb, false, 2);
    assert_eq!(took, n * (read + program) + erase);
    // Between two dies reads overlap programs.
    let (took, (read, program, _, _, erase)) = command(CopyPath::Gcb, false, 1);
    assert!(took >= read + n * program + erase, "{took}");
    assert!(took < n * (read + program) + erase, "{took}");
    let (cached, _) = command(CopyPath::Gcb, true, 1);
    assert!(cached < took - (n - 2) * 200_000, "{cached} with the data in hidden, {took} without");
    let (direct, _) = command(CopyPath::Dgcb, false, 1);
    assert!(direct < took, "{direct} {took}");
}

#[test]
fn a_path_that_the_places_do_not_allow_goes_through_the_controller() {
    let data_in = |copies, topology, to| {
        let (grants, _) = collect(array(topology, false, Some(copies)), 0, to);
        grants.iter().filter(|grant| grant.segment == crate::channels::Segment::DataIn).count()
    };
    let icb = copies(CopyPath::Icb, CopyPath::Dgcb, false);
    assert_eq!(data_in(icb, topology(1, 2, 2), 4), 0, "the same plane");
    assert_eq!(data_in(icb, topology(1, 2, 2), 2), PAGES as usize, "the other plane of the die");
    assert_eq!(data_in(icb, topology(1, 2, 2), 1), 0, "another die of the channel");
    assert_eq!(data_in(icb, topology(2, 2, 2), 1), PAGES as usize, "another channel");
    let swapped = copies(CopyPath::Dgcb, CopyPath::Icb, false);
    assert_eq!(data_in(swapped, topology(1, 2, 2), 4), PAGES as usize, "no transfer within a die");
    assert_eq!(data_in(swapped, topology(1, 2, 2), 1), PAGES as usize, "no register of two dies");
}

#[test]
fn what_waits_is_told() {
    let mut flash = array(topology(1, 1, 1), false, None);
    fill(&mut flash, 0);
    flash.begin(0, flash.now_ns());
    flash.copy(Ppn(0), Ppn(PAGES), 1, Cause::Collection).unwrap();
    flash.erase(BlockId(0), Cause::Collection).unwrap();
    flash.end();
    let told = alloc::format!("{}", flash.waiting());
    for part in [
        "3 operations pending, 3 of them for collection; 1 commands on the channels",
        "read of block 0 for collection is on its die, 1 commands left",
        "program of block 1 for collection waits for 1 others",
        "erase of block 0 for collection waits for 1 others",
    ] {
        assert!(told.contains(part), "{part}\n{told}");
    }
    assert!(flash.next_done_until(flash.now_ns()).is_some(), "the task, which waits for nothing");
    assert_eq!(flash.step_until(Ns::MAX), (true, None));
    let told = alloc::format!("{}", flash.waiting());
    for part in [
        "2 operations pending, 2 of them for collection; 1 commands on the channels",
        "program of block 1 for collection is on its die, 1 commands left",
    ] {
        assert!(told.contains(part), "{part}\n{told}");
    }
    assert!(!told.contains("read of"), "{told}");
}

#[test]
fn a_task_that_begins_with_a_copy_begins_on_the_channel_of_its_source() {
    let mut flash = array(topology(2, 1, 1), false, None);
    fill(&mut flash, 1);
    flash.begin(0, flash.now_ns());
    flash.copy(Ppn(PAGES), Ppn(0), 1, Cause::Collection).unwrap();
    assert_eq!(flash.channel_of_task(), Some(1));
    flash.end();
    while flash.next_done().is_some() {}
}

/// A copy for which a task waits: its read is the host's, so it goes before collection.
#[test]
fn the_read_of_a_tasks_own_copy_goes_before_collection() {
    let mut flash = array(topology(1, 1, 1), false, None);
    flash.set_precedence(Precedence { host_first: 16, suspend: Suspend::Never });
    (0..2).for_each(|block| fill(&mut flash, block));
    flash.begin(0, flash.now_ns());
    for page in 0..2 {
        flash.copy(Ppn(page), Ppn(2 * PAGES + page), 1, Cause::Collection).unwrap();
    }
    flash.end();
    let begun_ns = flash.now_ns();
    flash.begin(1, begun_ns);
    flash.copy(Ppn(PAGES), Ppn(3 * PAGES), 2, Cause::Host).unwrap();
    flash.end();
    assert_eq!(flash.next_done().map(|done| done.tag), Some(0), "a task without a wait");
    let done = flash.next_done().expect("the copy");
    let alone_ns = alone(&flash, Command::Read) + alone(&flash, Command::Program);
    assert_eq!((done.tag, done.done_ns - begun_ns), (1, alone_ns));
    while flash.step_until(Ns::MAX).0 {}
    assert!(flash.contents.wrong.is_empty(), "{:?}", flash.contents.wrong);
}

#[test]
fn a_read_behind_an_erase_is_not_sent_to_the_source_of_an_earlier_copy() {
    let mut flash = array(topology(2, 1, 1), false, None);
    flash.set_precedence(Precedence { host_first: 16, suspend: Suspend::Never });
    fill(&mut flash, 0);
    flash.begin(0, flash.now_ns());
    flash.copy(Ppn(0), Ppn(PAGES), 1, Cause::Collection).unwrap();
    flash.erase(BlockId(1), Cause::Collection).unwrap();
    flash.program(Ppn(PAGES), Oob::data(Lpn(1), 2), None, Cause::Host).unwrap();
    flash.end();
    flash.begin(1, flash.now_ns());
    flash.read(Ppn(PAGES), None, Cause::Host).unwrap();
    flash.end();
    while flash.next_done().is_some() {}
    assert!(flash.contents.wrong.is_empty(), "{:?}", flash.contents.wrong);
    assert_eq!((flash.contents.redirected, flash.outstanding()), (0, 0));
}

#[test]
fn a_read_of_a_page_that_is_being_copied_finds_it_where_it_still_is() {
    let mut flash = array(topology(2, 1, 1), false, None);
    flash.set_precedence(Precedence { host_first: 16, suspend: Suspend::Never });
    fill(&mut flash, 0);
    flash.begin(0, flash.now_ns());
    flash.copy(Ppn(0), Ppn(PAGES), 1, Cause::Collection).unwrap();
    flash.end();
    flash.begin(1, flash.now_ns());
    flash.read(Ppn(PAGES), None, Cause::Host).unwrap();
    flash.end();
    while flash.next_done().is_some() {}
    assert!(flash.contents.wrong.is_empty(), "{:?}", flash.contents.wrong);
    assert_eq!((flash.contents.redirected, flash.outstanding()), (1, 0));
}

#[test]
fn shapes_that_do_not_fit_are_refused() {
    let part = Part { pages_per_block: PAGES, ..parts::DDT_MLC.clone() };
    let timing = Timing::of(&part).unwrap();
    for (blocks, pages, ganged, fits) in [
        (8, PAGES, false, true),
        (9, PAGES, false, false),
        (5, PAGES, true, false),
        (4, 9, true, false),
    ] {
        let geometry = Geometry::new(blocks, pages, 8192).unwrap();
        let array = Array::new(geometry, part.clone(), Store::Metadata);
        let made = Parallel::new(array, topology(1, 1, 2), timing, Policy::Fifo, ganged);
        assert_eq!(made.is_ok(), fits, "{blocks} {pages} {ganged}");
    }
}

proptest! {
    #![proptest_config(crate::properties::config())]

    /// Holds for any order of tasks and completions, and any precedence. Each block is programmed in order.
    /// Every read finds the version that was current when it was issued. Every operation completes. A second
    /// run gives the same.
    #[test]
    fn dies_see_the_rules_kept(
        steps in proptest::collection::vec((0u8..8, 0u32..8, 0u32..8, 0u64..3_000_000), 1..60),
        (channels, ways, planes, ganged) in (1u16..3, 1u16..3, 1u16..3, any::<bool>()),
        (near, far) in (0usize..3, 3usize..5),
        cache in any::<bool>(),
        (host_first, suspended, yields) in (0usize..4, 0usize..3, any::<bool>()),
        blocks in proptest::sample::select(vec![1, 2, 4]),
        groups in 1u32..3,
    ) {
        let paths = Some(copies(CopyPath::ALL[near], CopyPath::ALL[far], cache));
        let run = || {
            let topology = topology(channels, ways, planes);
            // The smallest array has one block, in one group.
            let all = topology.blocks() as u32 / u32::from(if ganged { planes } else { 1 });
            let stripes = Stripes { blocks, groups: groups.min(all / blocks) };
            let mut flash = striped(topology, ganged, paths, stripes);
            let (erase_ns, program_ns) = (30_000, 20_000);
            let suspend = [
                Suspend::Never,
                Suspend::Erases { erase_ns },
                Suspend::ErasesAndPrograms { erase_ns, program_ns },
            ][suspended];
            let host_first = [0, 1, 3, 100][host_first];
            flash.set_precedence(Precedence { host_first, suspend });
            flash.set_yields(yields);
            let (mut dones, mut now) = (Vec::new(), 0);
            for (tag, (what, a, b, gap)) in steps.iter().enumerate() {
                now = (now + gap).max(flash.now_ns());
                dones.extend(core::iter::from_fn(|| flash.next_done_until(now)));
                flash.begin(tag as u64, now);
                random(&mut flash, *what, *a, *b);
                flash.end();
            }
            dones.extend(core::iter::from_fn(|| flash.next_done()));
            (flash, dones)
        };
        let (flash, dones) = run();
        prop_assert_eq!(flash.outstanding(), 0);
        prop_assert_eq!(dones.len(), steps.len());
        prop_assert!(dones.is_sorted_by_key(|done| done.done_ns));
        prop_assert!(flash.contents.wrong.is_empty(), "{:?}", flash.contents.wrong);
        let (again, same) = run();
        prop_assert_eq!(dones, same);
        prop_assert_eq!(flash.channels.watch(), again.channels.watch());
    }
}

/// Pages of a stripe go to the dies in turns, and its blocks are erased side by side.
#[test]
fn the_blocks_of_a_stripe_work_side_by_side() {
    let mut flash = striped(topology(2, 2, 1), false, None, Stripes { blocks: 4, groups: 1 });
    assert_eq!((flash.geometry().blocks(), flash.geometry().pages_per_block()), (4, 4 * PAGES));
    let all: Vec<u32> = (0..8).map(|page| flash.striped_page(Ppn(4 * PAGES + page)).0).collect();
    let at = |block: u32, page: u32| block * PAGES + page;
    let by_hand = [at(4, 0), at(5, 0), at(6, 0), at(7, 0), at(4, 1), at(5, 1), at(6, 1), at(7, 1)];
    assert_eq!(all, by_hand);
    for page in 0..4 {
        flash.begin(page, 0);
        program(&mut flash, page as u32);
        flash.end();
    }
    // Two dies share a channel, which carries one page at a time.
    let one = alone(&flash, Command::Program);
    let ends: Vec<Ns> =
        core::iter::from_fn(|| flash.next_done()).map(|done| done.done_ns).collect();
    assert!(ends[..2] == [one, one] && ends[2] == ends[3] && ends[3] < 2 * one, "{ends:?}");
    for cause in [Cause::Host, Cause::Collection] {
        let begun = flash.now_ns();
        flash.begin(9, begun);
        flash.erase(BlockId(0), cause).unwrap();
        flash.end();
        while flash.next_done().is_some() {}
        let took = flash.now_ns() - begun;
        let one = alone(&flash, Command::Erase);
        assert!((one..one + one / 10).contains(&took), "{took} for {cause:?}");
    }
    assert_eq!(flash.counts().total(crate::operation::Operation::Erase), 2);
    assert!(flash.contents.wrong.is_empty());
}

/// Each group has dies of its own, and each block of the channels is in one stripe.
#[test]
fn groups_of_stripes_share_no_die() {
    let stripes = Stripes { blocks: 2, groups: 2 };
    let members = |block| [0, 1].map(|member| stripes.member(BlockId(block), member).0);
    // Four dies: 0 and 2 are of group 0.
    assert_eq!([0, 1, 2, 3].map(members), [[0, 2], [1, 3], [4, 6], [5, 7]]);
    for (channels, ways, blocks, groups) in [(4, 2, 4, 2), (4, 1, 2, 4), (2, 4, 3, 2), (3, 2, 6, 3)]
    {
        let (dies, stripes) = (channels * ways, Stripes { blocks, groups });
        let array = groups * dies;
        let mut seen = alloc::vec![0; (array * blocks) as usize];
        for block in 0..array {
            for member in 0..blocks {
                let BlockId(at) = stripes.member(BlockId(block), member);
                seen[at as usize] += 1;
                assert_eq!(at % dies % groups, block % groups, "{stripes:?}: block {block}");
            }
        }
        assert!(seen.iter().all(|times| *times == 1), "{stripes:?}: {seen:?}");
    }
}

#[test]
fn a_stripe_that_divides_no_block_is_refused() {
    let topology = topology(2, 1, 1);
    let part = Part { pages_per_block: PAGES, ..parts::DDT_MLC.clone() };
    let timing = Timing::of(&part).unwrap();
    for (blocks, groups) in [(0, 1), (3, 1), (16, 1), (1, 0), (1, 3)] {
        let stripes = Stripes { blocks, groups };
        let array =
            Array::new(Geometry::new(2, PAGES, 8192).unwrap(), part.clone(), Store::Metadata);
        let made = Parallel::striped(array, topology, timing, Policy::Fifo, false, stripes);
        let told = alloc::format!("{}", made.map(|_| ()).unwrap_err());
        assert!(told.contains("do not divide"), "{stripes:?}: {told}");
    }
}

/// Issues one operation that the array allows, if any.
fn random(flash: &mut Logged, what: u8, a: u32, b: u32) {
    let (blocks, all) = (flash.geometry().blocks(), flash.geometry().pages_per_block());
    let (from, to) = (a % blocks, b % blocks);
    let next = flash.inner.next_page(BlockId(to));
    let first = Ppn(from * all);
    match what {
        0 | 1 if next < all => program(flash, to * all + next),
        2 if flash.inner.next_page(BlockId(from)) > 0 => {
            let page = Ppn(first.0 + b % flash.inner.next_page(BlockId(from)));
            match b {
                0..6 => flash.read(page, None, Cause::Host).unwrap(),
                _ => flash.read_oob(page, Cause::Host).unwrap(),
            };
        }
        3 | 4 if from != to => {
            let pages = flash.inner.next_page(BlockId(from)).min(all - next);
            let pages: Vec<Ppn> = (first.0..first.0 + pages).map(Ppn).collect();
            let mut lpns = vec![Lpn(0); pages.len()];
            let to = Ppn(to * all + next);
            flash.copy_run(&pages, to, 1, Cause::Collection, &mut lpns).unwrap();
        }
        5 => flash.erase(BlockId(from), Cause::Collection).unwrap(),
        // A task that collects, continues, and collects again the block it wrote to.
        6 | 7 if from != to => {
            for what in [3, 0, 2, 3, 5, 0] {
                let (a, b) = if what == 2 { (b, a) } else { (a, b) };
                random(flash, what, a, b);
            }
            random(flash, 3, b, a);
        }
        _ => {}
    }
}
