//! Requests that the channels refuse, with their messages; open and closed loops.

use ftlkit_flash::channels::{
    Addressing, Channels, Command, DieAddress, PageAddress, Pages, Policy, Request, RequestError,
    Timing, TimingError, Topology,
};
use ftlkit_flash::{BlockId, parts};

use Command::{CacheRead, CopyProgram, Erase, Program, Read};

const TOPOLOGY: Topology = Topology {
    channels: 2,
    ways: 3,
    dies: 2,
    planes: 4,
    blocks_per_plane: 8,
    pages_per_block: 16,
    paired_blocks: true,
};

fn channels(paired_blocks: bool) -> Channels {
    let topology = Topology { paired_blocks, ..TOPOLOGY };
    Channels::new(topology, Timing::of(&parts::DDT_MLC).unwrap(), Policy::Fifo).unwrap()
}

fn request(command: Command, pages: &[(u32, u32)]) -> Request {
    let pages: Vec<_> = pages.iter().map(|&(block, page)| PageAddress { block, page }).collect();
    let pages = Pages::of(&pages).unwrap();
    Request { arrival_ns: 0, tag: 0, die: DieAddress::default(), command, pages, repair_ns: 0 }
}

/// Submits all requests, of which only the last may be refused. Returns its refusal.
fn refusal(channels: &mut Channels, requests: &[Request]) -> Option<String> {
    let (last, before) = requests.split_last().unwrap();
    before.iter().for_each(|request| channels.submit(request).unwrap());
    let outstanding = channels.outstanding();
    let error = channels.submit(last).err()?;
    assert_eq!(channels.outstanding(), outstanding, "nothing has changed");
    Some(error.to_string())
}

#[test]
fn addresses() {
    let refused = |requests: &[Request]| refusal(&mut channels(true), requests);
    for (page, fits) in [((31, 15), true), ((32, 0), false), ((0, 16), false)] {
        let error = refused(&[request(Program, &[page])]);
        assert_eq!(error.is_none(), fits, "{error:?}");
    }
    assert_eq!(
        refused(&[request(Program, &[(32, 3)])]).unwrap(),
        "block 32 page 3 is beyond the die's 32 blocks of 16 pages"
    );
    assert_eq!(refused(&[request(Erase, &[(31, 99)])]), None, "an erase has no page");
    let die = DieAddress { channel: 1, way: 3, die: 0 };
    let error = refused(&[Request { die, ..request(Read, &[(0, 0)]) }]).unwrap();
    assert_eq!(error, "channel 1 way 3 die 0 is beyond the 2 channels of 3 ways of 2 dies");
    assert!(Pages::of(&[]).is_none() && Pages::of(&[PageAddress::default(); 5]).is_none());
}

#[test]
fn planes() {
    let refused =
        |paired, command, pages: &[_]| refusal(&mut channels(paired), &[request(command, pages)]);
    assert_eq!(refused(true, Program, &[(4, 2), (5, 2), (6, 2), (7, 2)]), None);
    assert_eq!(refused(true, Program, &[(7, 2), (4, 2)]), None, "in any order");
    for command in [Read, Program, Erase] {
        let error = refused(false, command, &[(4, 2), (5, 2), (9, 2)]).unwrap();
        assert!(error.starts_with("blocks 5 and 9 are both on plane 1"), "{error}");
        let error = refused(true, command, &[(4, 2), (9, 2)]).unwrap();
        assert!(error.contains("same place of their planes (1 and 2)"), "{error}");
        assert_eq!(refused(false, command, &[(4, 2), (9, 2)]), None);
    }
    let error = refused(true, Program, &[(4, 2), (5, 3)]).unwrap();
    assert!(error.starts_with("pages 2 and 3 in one multi-plane operation"), "{error}");
    assert_eq!(refused(true, Erase, &[(4, 2), (5, 3)]), None);
}

#[test]
fn runs_of_cache_reads() {
    let refused = |requests: &[Request]| refusal(&mut channels(true), requests);
    let first = request(CacheRead, &[(0, 4)]);
    assert_eq!(refused(&[first, request(Read, &[(0, 5)])]), None);
    assert_eq!(refused(&[first, request(CacheRead, &[(0, 5)]), request(Read, &[(0, 6)])]), None);
    for broken in [
        request(Read, &[(0, 6)]),
        request(Read, &[(1, 5)]),
        request(Read, &[(0, 5), (1, 5)]),
        request(Program, &[(0, 5)]),
    ] {
        let error = refused(&[first, broken]).unwrap();
        assert!(error.contains("follows a cache read of block 0 page 4"), "{error}");
    }
    let error = refused(&[request(CacheRead, &[(3, 15)])]).unwrap();
    assert!(error.contains("page 15, the last of block 3"), "{error}");
}

#[test]
fn registers_of_copies() {
    let refused = |requests: &[Request]| refusal(&mut channels(true), requests);
    let copy = request(CopyProgram, &[(4, 0)]);
    assert_eq!(refused(&[request(Read, &[(8, 3)]), copy]), None);
    for before in [request(Read, &[(5, 3)]), request(Read, &[(4, 3), (5, 3)])] {
        assert!(refused(&[before, copy]).unwrap().contains("on the same planes"));
    }
    assert!(refused(&[copy]).unwrap().contains("must be the next request"));
    assert!(refused(&[request(Read, &[(8, 3)]), copy, copy]).is_some());
    let repair = Request { repair_ns: 1, ..request(Program, &[(0, 0)]) };
    assert!(refused(&[repair]).unwrap().starts_with("repair_ns is for a copy-program or"));
}

#[test]
fn direct_transfers() {
    let at = |way, request| Request { die: DieAddress { channel: 0, way, die: 0 }, ..request };
    let refused = |source, destination| {
        let mut channels = channels(true);
        let error = channels.submit_direct(&source, &destination, Addressing::AfterRead).err()?;
        assert_eq!(channels.outstanding(), 0, "nothing has changed");
        Some(error.to_string())
    };
    let source = at(0, request(Read, &[(0, 0)]));
    let destination = at(1, request(Program, &[(4, 7)]));
    assert_eq!(refused(source, destination), None);
    assert_eq!(refused(source, Request { repair_ns: 9, ..destination }), None);
    let other = DieAddress { channel: 1, way: 1, die: 0 };
    for (source, destination, why) in [
        (source, Request { die: other, ..destination }, "two dies of one channel"),
        (source, at(0, destination), "two dies: within one, read and copy-program"),
        (source, at(1, request(Program, &[(4, 7), (5, 7)])), "as many planes"),
        (source, at(1, request(Erase, &[(4, 7)])), "by a program or a cache-program"),
        (at(0, request(CacheRead, &[(0, 0)])), destination, "by a read"),
        (source, at(1, request(Program, &[(32, 7)])), "beyond the die's"),
    ] {
        assert!(refused(source, destination).unwrap().contains(why), "{why}");
    }
    let mut channels = channels(true);
    channels.submit(&at(0, request(CacheRead, &[(0, 0)]))).unwrap();
    let next = at(0, request(Read, &[(0, 1)]));
    let refused = channels.submit_direct(&next, &destination, Addressing::DuringRead);
    assert!(refused.unwrap_err().to_string().contains("end the run before"));
}

#[test]
fn late_arrivals() {
    let mut channels = channels(true);
    let read = |arrival_ns| Request { arrival_ns, ..request(Read, &[(0, 0)]) };
    channels.submit(&read(500)).unwrap();
    assert_eq!(channels.next_completion_until(500), None);
    channels.submit(&read(0)).unwrap();
    let done = channels.next_completion().unwrap();
    assert_eq!(done.done_ns, 500 + 291_295);
    let now_ns = channels.now_ns();
    assert_eq!(now_ns, done.done_ns);
    let late = RequestError::Late { arrival_ns: now_ns - 1, now_ns };
    assert_eq!(channels.submit(&read(now_ns - 1)), Err(late));
    channels.submit(&read(now_ns)).unwrap();
    assert!(channels.submit(&read(u64::MAX)).is_err());
}

#[test]
fn parts_and_modes() {
    let error = Timing::of(&parts::MICRON_MLC).unwrap_err();
    assert_eq!(error, TimingError::NoBusCycles("micron-mlc".into()));
    let fast = Timing::with_mode(&parts::MICRON_MLC, 5).unwrap();
    assert_eq!((fast.t_wc_ns, fast.t_do_ns()), (20, 8640 * 20));
    assert_eq!(Timing::with_mode(&parts::MICRON_MLC, 6), Err(TimingError::Mode(6)));
    assert_eq!(Timing::of(&parts::DDT_MLC), Timing::with_mode(&parts::DDT_MLC, 4));
    let zero = Timing { t_rc_ns: 0, ..fast };
    assert_eq!(zero.validate().unwrap_err().to_string(), "t_rc_ns must be 1 to 1000000, not 0");
    assert!(Topology { planes: 5, ..TOPOLOGY }.validate().is_err());
    assert!(Topology { blocks_per_plane: 1 << 30, ..TOPOLOGY }.validate().is_err());
}

#[test]
fn blocks_are_spread_and_found_again() {
    let mut seen = std::collections::BTreeSet::new();
    for block in 0..TOPOLOGY.blocks() as u32 {
        let (die, own) = TOPOLOGY.place(BlockId(block)).unwrap();
        assert_eq!(TOPOLOGY.block_at(die, own), Some(BlockId(block)));
        assert!(seen.insert((die, own)));
        if block < 12 {
            assert_eq!(own, 0, "the first blocks are on dies of their own");
        }
    }
    assert_eq!(TOPOLOGY.place(BlockId(TOPOLOGY.blocks() as u32)), None);
    assert_eq!(TOPOLOGY.block_at(DieAddress { channel: 2, way: 0, die: 0 }, 0), None);
    assert_eq!(TOPOLOGY.block_at(DieAddress::default(), 32), None);
}
