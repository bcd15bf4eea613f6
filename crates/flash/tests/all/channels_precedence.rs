//! Precedence on a die, worked by hand. The host goes before collection, up to a limit, unless collection is
//! urgent. Reads suspend an erase or a program.

use ftlkit_flash::channels::{
    Channels, Class, Command, Completion, DieAddress, Pages, Policy, Precedence, Request, Suspend,
    Suspensions, Timing, Topology,
};
use ftlkit_flash::parts;

const TOPOLOGY: Topology = Topology {
    channels: 1,
    ways: 2,
    dies: 1,
    planes: 1,
    blocks_per_plane: 16,
    pages_per_block: 64,
    paired_blocks: true,
};

/// A command with an address takes 70 ns, with a row address 50 ns, a page 1,000 ns, a spare area 40 ns.
fn timing() -> Timing {
    Timing {
        transfer_bytes: 100,
        oob_bytes: 4,
        t_wc_ns: 10,
        t_rc_ns: 10,
        t_adl_ns: 5,
        t_rr_ns: 2,
        t_wb_ns: 3,
        t_r_ns: 500,
        t_r_oob_ns: 400,
        t_prog_ns: 3000,
        t_cbsy_ns: 30,
        t_bers_ns: 9000,
        ecc_ns: 7,
        ..Timing::of(&parts::DDT_MLC).unwrap()
    }
}

/// Times of a read, a program and an erase alone.
const READ: u64 = 70 + 3 + 500 + 2 + 1000 + 7;
const PROGRAM: u64 = 70 + 5 + 1000 + 3 + 3000;
const ERASE: u64 = 50 + 3 + 9000;

fn channels(host_first: u32, suspend: Suspend) -> Channels {
    let mut channels = Channels::new(TOPOLOGY, timing(), Policy::Fifo).unwrap();
    channels.set_precedence(Precedence { host_first, suspend });
    channels
}

fn request(arrival_ns: u64, tag: u64, command: Command, page: u32) -> Request {
    let (die, pages) = (DieAddress::default(), Pages::one(tag as u32, page));
    Request { arrival_ns, tag, die, command, pages, repair_ns: 0 }
}

fn submit(channels: &mut Channels, class: Class, arrival_ns: u64, tag: u64, command: Command) {
    channels.submit_as(&request(arrival_ns, tag, command, 0), class).unwrap();
}

const fn collection(order: u64) -> Class {
    Class::Collection { order }
}

/// Tags in order of completion.
fn order(channels: &mut Channels) -> Vec<u64> {
    core::iter::from_fn(|| channels.next_completion()).map(|done| done.tag).collect()
}

fn done(channels: &mut Channels) -> Vec<(u64, u64)> {
    let all = core::iter::from_fn(|| channels.next_completion());
    all.map(|Completion { tag, done_ns, .. }| (tag, done_ns)).collect()
}

#[test]
fn a_spare_area_has_a_read_and_a_transfer_of_its_own() {
    let mut channels = channels(0, Suspend::Never);
    submit(&mut channels, Class::Read, 0, 1, Command::ReadOob);
    assert_eq!(done(&mut channels), [(1, 70 + 3 + 400 + 2 + 40 + 7)]);
    assert_eq!(channels.bus_use(0).unwrap().data_out_ns, 40);
}

#[test]
fn the_host_goes_before_collection_that_has_not_begun() {
    use Command::{Erase, Program, Read};
    for (host_first, expected) in [(0, [1, 2, 3, 4, 5]), (16, [1, 4, 5, 2, 3])] {
        let mut channels = channels(host_first, Suspend::Never);
        submit(&mut channels, collection(1), 0, 1, Erase);
        submit(&mut channels, collection(1), 0, 2, Program);
        submit(&mut channels, collection(1), 0, 3, Program);
        // The erase has begun; the waiting operation after it gives way.
        assert_eq!(channels.next_completion_until(100), None);
        submit(&mut channels, Class::Read, 100, 4, Read);
        submit(&mut channels, Class::Write, 100, 5, Program);
        let done = done(&mut channels);
        assert_eq!(done.iter().map(|(tag, _)| *tag).collect::<Vec<_>>(), expected);
        if host_first > 0 {
            assert_eq!(done[..2], [(1, ERASE), (4, ERASE + READ)]);
        }
        assert_eq!(channels.suspensions(), Suspensions::default());
    }
}

#[test]
fn so_many_of_the_host_go_before_one_that_waits_and_no_more() {
    let mut channels = channels(2, Suspend::Never);
    submit(&mut channels, collection(1), 0, 0, Command::Erase);
    assert_eq!(channels.next_completion_until(60), None);
    for tag in 1..=3 {
        submit(&mut channels, collection(1), 60, tag, Command::Program);
    }
    for tag in 4..=9 {
        submit(&mut channels, Class::Write, 60, tag, Command::Program);
    }
    assert_eq!(order(&mut channels), [0, 4, 5, 1, 6, 7, 2, 8, 9, 3]);
}

#[test]
fn what_is_urgent_goes_before_writes_and_not_before_reads() {
    let mut channels = channels(16, Suspend::Never);
    submit(&mut channels, collection(1), 0, 0, Command::Erase);
    assert_eq!(channels.next_completion_until(60), None);
    submit(&mut channels, collection(3), 60, 1, Command::Program);
    submit(&mut channels, collection(4), 60, 2, Command::Program);
    channels.urge(3);
    submit(&mut channels, Class::Write, 60, 3, Command::Program);
    submit(&mut channels, Class::Read, 60, 4, Command::Read);
    assert_eq!(order(&mut channels), [0, 4, 1, 3, 2]);
}

#[test]
fn a_read_and_the_program_of_what_it_left_in_the_registers_are_not_parted() {
    let mut channels = channels(16, Suspend::Never);
    let class = collection(1);
    channels.submit_as(&request(0, 1, Command::CopyRead, 0), class).unwrap();
    channels.submit_as(&request(0, 2, Command::CopyProgram, 0), class).unwrap();
    channels.submit_as(&request(0, 3, Command::CopyRead, 0), class).unwrap();
    channels.submit_as(&request(0, 4, Command::CopyProgram, 0), class).unwrap();
    assert_eq!(channels.next_completion_until(100), None);
    submit(&mut channels, Class::Read, 100, 5, Command::Read);
    assert_eq!(order(&mut channels), [1, 2, 5, 3, 4]);
}

#[test]
fn data_come_in_beside_a_cache_program_only_where_nothing_went_between() {
    let last = |host: bool| {
        let mut channels = channels(16, Suspend::Never);
        let class = collection(1);
        channels.submit_as(&request(0, 1, Command::CacheProgram, 0), class).unwrap();
        let second = Request { tag: 9, ..request(0, 1, Command::Program, 1) };
        channels.submit_as(&second, class).unwrap();
        if host {
            assert_eq!(channels.next_completion_until(100), None);
            submit(&mut channels, Class::Write, 100, 2, Command::Erase);
        }
        done(&mut channels)
    };
    // The second page's data come in while the cells program the first.
    assert_eq!(last(false).last(), Some(&(9, PROGRAM + 3000)));
    assert_eq!(last(true), [(1, PROGRAM), (2, PROGRAM + ERASE), (9, 2 * PROGRAM + ERASE)]);
}

#[test]
fn a_read_suspends_an_erase_which_goes_on_behind_it() {
    let mut channels = channels(16, Suspend::Erases { erase_ns: 100 });
    submit(&mut channels, collection(1), 0, 1, Command::Erase);
    assert_eq!(channels.next_completion_until(1000), None);
    submit(&mut channels, Class::Read, 1000, 2, Command::Read);
    // The die takes the read 100 ns after its arrival. When the data are out, the erase gets the time that it
    // has left.
    let out = 1000 + 100 + READ - 7;
    let left = ERASE - 1000;
    assert_eq!(done(&mut channels), [(2, out + 7), (1, out + left)]);
    let delay_ns = out + left - ERASE;
    assert_eq!(channels.suspensions(), Suspensions { erases: 1, programs: 0, delay_ns });
    assert_eq!(channels.last_done_ns(), out + left);
    assert_eq!(channels.outstanding(), 0);
}

#[test]
fn what_was_suspended_often_enough_goes_on() {
    for (host_first, expected) in [(1, [2, 1, 3, 4]), (2, [2, 3, 1, 4]), (3, [2, 3, 4, 1])] {
        let mut channels = channels(host_first, Suspend::Erases { erase_ns: 100 });
        submit(&mut channels, collection(1), 0, 1, Command::Erase);
        assert_eq!(channels.next_completion_until(1000), None);
        for tag in 2..=4 {
            submit(&mut channels, Class::Read, 1000, tag, Command::Read);
        }
        assert_eq!(order(&mut channels), expected, "{host_first}");
        assert_eq!(channels.suspensions().erases, 1);
    }
}

#[test]
fn only_what_can_be_suspended_and_what_is_long_enough_is() {
    use Command::{Erase, Program};
    let both = Suspend::ErasesAndPrograms { erase_ns: 100, program_ns: 50 };
    let erases = Suspend::Erases { erase_ns: 100 };
    for (suspend, command, arrival_ns, suspended) in [
        (erases, Erase, 8000, true),
        (erases, Program, 2000, false),
        (both, Program, 2000, true),
        (both, Erase, 8000, true),
        // It ends before the read could begin.
        (both, Program, PROGRAM - 50, false),
        (both, Program, PROGRAM - 51, true),
        (Suspend::Never, Erase, 8000, false),
    ] {
        let mut channels = channels(16, suspend);
        submit(&mut channels, Class::Write, 0, 1, command);
        assert_eq!(channels.next_completion_until(arrival_ns), None);
        submit(&mut channels, Class::Read, arrival_ns, 2, Command::Read);
        let seen = channels.suspensions();
        assert_eq!(seen.erases + seen.programs, u64::from(suspended), "{suspend:?} {command:?}");
        assert_eq!(order(&mut channels), if suspended { [2, 1] } else { [1, 2] });
    }
}

#[test]
fn a_write_that_has_not_begun_gives_way_to_a_read_that_suspends() {
    for (suspend, expected) in
        [(Suspend::Never, [1, 2, 3]), (Suspend::Erases { erase_ns: 100 }, [3, 1, 2])]
    {
        let mut channels = channels(16, suspend);
        submit(&mut channels, collection(1), 0, 1, Command::Erase);
        assert_eq!(channels.next_completion_until(1000), None);
        submit(&mut channels, Class::Write, 1000, 2, Command::Program);
        submit(&mut channels, Class::Read, 1500, 3, Command::Read);
        assert_eq!(order(&mut channels), expected);
    }
}
