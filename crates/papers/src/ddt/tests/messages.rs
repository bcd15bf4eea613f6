//! The message sequence of Fig. 9 of Jeong and Song: sender, receiver and time of each message.

use crate::ddt::control::{
    Background, BackgroundKind, ControlError, ControlUnit, Cycles, Event, EventKind, Message,
    Party, Transaction,
};
use flash::channels::{Addressing, Policy, Timing};
use flash::parts::DDT_MLC;

/// Timing of the study, with tCCS 130 ns and tDBSY 500 ns as in the closed forms.
fn unit() -> ControlUnit {
    let timing = Timing {
        t_ccs_ns: 130,
        t_dbsy_ns: 500,
        ..Timing::of(&DDT_MLC).expect("a part with bus cycles")
    };
    ControlUnit { timing, ways: 4, policy: Policy::Fifo }
}

fn pages(
    addressing: Addressing,
    cache_program: bool,
    planes: u8,
    wrong: &[u32],
) -> Transaction<'_> {
    Transaction {
        source: 0,
        destination: 1,
        planes,
        cache_program,
        addressing,
        wrong_bytes: wrong,
        most_wrong_bytes: 192,
    }
}

fn log(of: &Transaction<'_>) -> Vec<Event> {
    let mut log = Vec::new();
    unit().run(of, &[], &mut log).expect("a transaction");
    log
}

/// Time, message, sender and receiver (`0` or `1` for a slave, `M` for the master), operation and plane.
type Sent = (u64, Message, char, char, u32, u8);

fn sent(log: &[Event]) -> Vec<Sent> {
    let letter = |party| match party {
        Party::Master => 'M',
        Party::Slave(way) => char::from(b'0' + way as u8),
    };
    log.iter()
        .filter_map(|event| match event.kind {
            EventKind::Message { message, from, to, place } => {
                let (from, to) = (letter(from), letter(to));
                Some((event.at_ns, message, from, to, place.operation, place.plane))
            }
            _ => None,
        })
        .collect()
}

use Message::*;

#[test]
fn one_page_without_an_error() {
    let found = sent(&log(&pages(Addressing::DuringRead, false, 1, &[0])));
    // 7 cycles of 25 ns and tWB; tR and tRR; 6 cycles and tADL; 8,640 cycles and tDL; one cycle, tWB and tPROG.
    let (start, end) = (175 + 100, 175 + 100 + 75_000 + 20);
    let (ready, done) = (start + 150 + 70, end + 216_020);
    assert_eq!(
        found,
        [
            (0, ReadInit, 'M', '0', 0, 0),
            (start, ReadStart, '0', 'M', 0, 0),
            (start, ProgInit, 'M', '1', 0, 0),
            (ready, DinReady, '1', 'M', 0, 0),
            (end, ReadEnd, '0', 'M', 0, 0),
            (end, DdtBegin, 'M', '0', 0, 0),
            (end, DdtBegin, 'M', '1', 0, 0),
            (done, DdtDone, '0', 'M', 0, 0),
            (done, DdtDone, '1', 'M', 0, 0),
            (done, ProgStart, 'M', '1', 0, 0),
            (done + 125 + 1_300_000, ProgEnd, '1', 'M', 0, 0),
        ]
    );
}

#[test]
fn two_pages_the_first_with_an_error() {
    let found = sent(&log(&pages(Addressing::DuringRead, false, 1, &[2, 0])));
    let (start, end) = (275, 75_295);
    let done = end + 216_020;
    let corrected = done + 2 * (4 * 25 + 130);
    let busy = corrected + 125;
    let programmed = busy + 1_300_000;
    let addressed = programmed + 220;
    let second = addressed + 216_020;
    assert_eq!(
        found,
        [
            (0, ReadInit, 'M', '0', 0, 0),
            (start, ReadStart, '0', 'M', 0, 0),
            (start, ProgInit, 'M', '1', 0, 0),
            (start + 220, DinReady, '1', 'M', 0, 0),
            (end, ReadEnd, '0', 'M', 0, 0),
            (end, DdtBegin, 'M', '0', 0, 0),
            (end, DdtBegin, 'M', '1', 0, 0),
            (done, DdtDone, '0', 'M', 0, 0),
            (done, DdtDone, '1', 'M', 0, 0),
            (done, ErrRetransmit, 'M', '1', 0, 0),
            (corrected, ProgStart, 'M', '1', 0, 0),
            // The next read overlaps the program; its PROG_INIT waits in the slave until the program ends.
            (busy, ReadInit, 'M', '0', 1, 0),
            (busy + 275, ReadStart, '0', 'M', 1, 0),
            (busy + 275, ProgInit, 'M', '1', 1, 0),
            (busy + 75_295, ReadEnd, '0', 'M', 1, 0),
            (programmed, ProgEnd, '1', 'M', 0, 0),
            (addressed, DinReady, '1', 'M', 1, 0),
            (addressed, DdtBegin, 'M', '0', 1, 0),
            (addressed, DdtBegin, 'M', '1', 1, 0),
            (second, DdtDone, '0', 'M', 1, 0),
            (second, DdtDone, '1', 'M', 1, 0),
            (second, ProgStart, 'M', '1', 1, 0),
            (second + 125 + 1_300_000, ProgEnd, '1', 'M', 1, 0),
        ]
    );
}

/// As in Eqs 11 and 13, PROG_INIT waits for READ_END. With cache program, the next page is loaded during the previous
/// program.
#[test]
fn cache_program_in_the_order_of_the_equations() {
    let found = sent(&log(&pages(Addressing::AfterRead, true, 1, &[0, 0])));
    let order: Vec<(Message, u32)> = found.iter().map(|sent| (sent.1, sent.4)).collect();
    let first = [
        (ReadInit, 0),
        (ReadStart, 0),
        (ReadEnd, 0),
        (ProgInit, 0),
        (DinReady, 0),
        (DdtBegin, 0),
        (DdtBegin, 0),
        (DdtDone, 0),
        (DdtDone, 0),
        (ProgStart, 0),
        (ReadInit, 1),
        (ReadStart, 1),
        (ReadEnd, 1),
        (ProgInit, 1),
        (DinReady, 1),
        (DdtBegin, 1),
        (DdtBegin, 1),
        (DdtDone, 1),
        (DdtDone, 1),
        (ProgStart, 1),
        (ProgEnd, 0),
        (ProgEnd, 1),
    ];
    assert_eq!(order, first);
}

#[test]
fn two_planes_one_with_an_error() {
    let log = log(&pages(Addressing::AfterRead, false, 2, &[0, 5]));
    let order: Vec<(Message, u8)> = sent(&log).iter().map(|sent| (sent.1, sent.5)).collect();
    let expected = [
        (ReadInit, 0),
        (ReadStart, 0),
        (ReadEnd, 0),
        (ProgInit, 0),
        (DinReady, 0),
        (DdtBegin, 0),
        (DdtBegin, 0),
        (DdtDone, 0),
        (DdtDone, 0),
        (ProgInit, 1),
        (DinReady, 1),
        (DdtBegin, 1),
        (DdtBegin, 1),
        (DdtDone, 1),
        (DdtDone, 1),
        (ErrRetransmit, 1),
        (ProgStart, 0),
        (ProgEnd, 0),
    ];
    assert_eq!(order, expected);
    let granted: Vec<Cycles> = log
        .iter()
        .filter_map(|event| match event.kind {
            EventKind::Grant { cycles, listens: false, .. } => Some(cycles),
            _ => None,
        })
        .collect();
    let cycles = [
        Cycles::Read { last: false },
        Cycles::Read { last: true },
        Cycles::ProgramAddress,
        Cycles::Direct { choose: false },
        Cycles::NextPlane,
        Cycles::ProgramAddress,
        Cycles::Direct { choose: true },
        Cycles::Corrections { bytes: 5 },
        Cycles::Confirm { cached: false },
    ];
    assert_eq!(granted, cycles);
}

/// The data out of a host read on a third device holds the bus and delays the transfer.
#[test]
fn another_way_competes_for_the_bus() {
    let of = pages(Addressing::AfterRead, false, 1, &[0]);
    let alone = unit().run(&of, &[], &mut ()).expect("a transaction");
    // The host's data are ready just before the page of the transaction.
    let host = Background { arrival_ns: 175, way: 3, tag: 77, work: BackgroundKind::Read };
    let mut log = Vec::new();
    let beside = unit().run(&of, &[host], &mut log).expect("a transaction");
    assert_eq!(beside.bus_ns, alone.bus_ns);
    let granted: Vec<(u16, Cycles, u64, u64)> = log
        .iter()
        .filter_map(|event| match event.kind {
            EventKind::Grant { way, cycles, asked_ns, listens: false, .. } => {
                Some((way, cycles, asked_ns, event.at_ns))
            }
            _ => None,
        })
        .collect();
    let ready = 175 + 175 + 75_120;
    let transferred = 75_295 + 220 + 216_020;
    assert_eq!(
        granted,
        [
            (0, Cycles::Read { last: true }, 0, 0),
            (3, Cycles::Read { last: true }, 175, 175),
            (1, Cycles::ProgramAddress, 75_295, 75_295),
            (3, Cycles::DataOut, ready, 75_515.max(ready)),
            (0, Cycles::Direct { choose: false }, 75_515, 75_515 + 216_000),
            (1, Cycles::Confirm { cached: false }, transferred + 216_000, transferred + 216_000),
        ]
    );
    assert_eq!(beside.background_done_ns, [75_515 + 216_000]);
    assert_eq!(beside.total_ns, alone.total_ns + 216_000);
    assert!(log.iter().any(|event| event.kind == EventKind::Done { way: 3, tag: 77 }));
}

#[test]
fn a_status_read_ends_a_program() {
    let mut unit = unit();
    unit.timing.status = true;
    let of = pages(Addressing::AfterRead, true, 1, &[0, 0]);
    let with = unit.run(&of, &[], &mut ()).expect("a transaction").total_ns;
    let without = self::unit().run(&of, &[], &mut ()).expect("a transaction").total_ns;
    assert_eq!(with, without + 25 + 60 + 25, "of the last program alone: the first is cached");
}

#[test]
fn what_cannot_be_done_is_refused() {
    let run = |of: &Transaction<'_>, background: &[Background]| {
        let mut log: Vec<Event> = Vec::new();
        let error = unit().run(of, background, &mut log).expect_err("refused");
        assert!(log.is_empty(), "nothing has happened");
        error
    };
    let good = pages(Addressing::AfterRead, false, 2, &[0, 0]);
    let pages = |wrong_bytes| Transaction { wrong_bytes, ..good };
    assert_eq!(run(&Transaction { source: 1, ..good }, &[]), ControlError::OneWay(1));
    let role = "destination";
    let error = run(&Transaction { destination: 4, ..good }, &[]);
    assert_eq!(error, ControlError::NoSuchWay { role, way: 4, ways: 4 });
    assert_eq!(error.to_string(), "destination is on way 4, but the channel has ways 0 to 3");
    assert_eq!(run(&Transaction { planes: 0, ..good }, &[]), ControlError::Planes(0));
    assert_eq!(run(&Transaction { planes: 9, ..good }, &[]), ControlError::Planes(9));
    assert_eq!(run(&pages(&[]), &[]), ControlError::Pages { pages: 0, planes: 2 });
    assert_eq!(run(&pages(&[0; 3]), &[]), ControlError::Pages { pages: 3, planes: 2 });
    let error = run(&pages(&[192, 193]), &[]);
    assert_eq!(error, ControlError::Uncorrectable { page: 1, found: 193, most: 192 });
    let host = Background { arrival_ns: 0, way: 1, tag: 5, work: BackgroundKind::Erase };
    assert_eq!(run(&good, &[host]), ControlError::TakesPart { way: 1, tag: 5 });
    assert!(matches!(
        run(&good, &[Background { way: 9, ..host }]),
        ControlError::NoSuchWay { way: 9, .. }
    ));
    let late = Background { way: 2, arrival_ns: Background::LATEST_NS + 1, ..host };
    assert!(matches!(run(&good, &[late]), ControlError::Arrival { tag: 5, .. }));
    for ways in [0, 1, 65] {
        let unit = ControlUnit { ways, ..unit() };
        assert_eq!(unit.run(&good, &[], &mut ()), Err(ControlError::Ways(ways)));
    }
    let mut unit = unit();
    unit.timing.t_wc_ns = 0;
    assert!(matches!(unit.run(&good, &[], &mut ()), Err(ControlError::Timing(_))));
}
