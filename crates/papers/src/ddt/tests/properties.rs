//! Invariants of every transaction, whatever else competes for the bus.

use crate::ddt::control::{
    Background, BackgroundKind, ControlUnit, Cycles, Event, EventKind, Job, Message, Outcome,
    PagePosition, Party, Transaction,
};
use flash::channels::{Addressing, Policy, Timing};
use flash::parts::DDT_MLC;
use proptest::prelude::*;
use std::collections::BTreeMap;

#[derive(Clone, Debug)]
struct Case {
    unit: ControlUnit,
    source: u16,
    destination: u16,
    planes: u8,
    cache_program: bool,
    addressing: Addressing,
    wrong_bytes: Vec<u32>,
    background: Vec<Background>,
}

impl Case {
    fn transaction(&self) -> Transaction<'_> {
        Transaction {
            source: self.source,
            destination: self.destination,
            planes: self.planes,
            cache_program: self.cache_program,
            addressing: self.addressing,
            wrong_bytes: &self.wrong_bytes,
            most_wrong_bytes: 192,
        }
    }

    fn wrong(&self, place: PagePosition) -> u32 {
        let first = place.operation as usize * usize::from(self.planes);
        self.wrong_bytes[first + usize::from(place.plane)]
    }

    fn run(&self) -> (Outcome, Vec<Event>) {
        let mut log = Vec::new();
        let outcome = self.unit.run(&self.transaction(), &self.background, &mut log);
        (outcome.expect("a transaction that can be done"), log)
    }
}

/// Small pages and short times, so that many events coincide.
fn timings() -> impl Strategy<Value = Timing> {
    let bus = (1..400_u32, 1..40_u64, 1..40_u64, 0..30_u64, any::<bool>());
    let waits = (0..60_u64, 0..60_u64, 0..60_u64, 0..200_u64);
    let cells = (1..3_000_u64, 200..20_000_u64, 0..200_u64);
    (bus, waits, cells).prop_map(|(bus, waits, cells)| Timing {
        transfer_bytes: bus.0,
        t_rc_ns: bus.1,
        t_wc_ns: bus.2,
        t_dl_ns: bus.3,
        direct_cycle_ns: bus.3 / 2,
        status: bus.4,
        t_adl_ns: waits.0,
        t_wb_ns: waits.1,
        t_rr_ns: waits.2,
        t_dbsy_ns: waits.3,
        t_r_ns: cells.0,
        t_prog_ns: cells.1,
        t_cbsy_ns: cells.2,
        ecc_ns: cells.2 / 3,
        t_bers_ns: 3 * cells.1,
        ..Timing::of(&DDT_MLC).expect("a part with bus cycles")
    })
}

fn cases() -> impl Strategy<Value = Case> {
    let shape = (3..6_u16, 0..5_u16, 1..5_u16, 1..5_u8, any::<bool>(), any::<bool>(), 0..3_usize);
    let page = prop_oneof![3 => Just(0), 1 => 1..=192_u32];
    let pages = proptest::collection::vec(page, 4..28);
    let request = (0..60_000_u64, any::<u16>(), 0..3_usize);
    let requests = proptest::collection::vec(request, 0..20);
    (timings(), shape, pages, requests).prop_map(|(timing, shape, pages, requests)| {
        let (ways, source, apart, planes, cache_program, early, policy) = shape;
        let source = source % ways;
        let destination = (source + 1 + apart % (ways - 1)) % ways;
        let others: Vec<u16> =
            (0..ways).filter(|way| *way != source && *way != destination).collect();
        let whole = pages.len() - pages.len() % usize::from(planes);
        let most = timing.transfer_bytes;
        Case {
            unit: ControlUnit { timing, ways, policy: Policy::ALL[policy] },
            source,
            destination,
            planes,
            cache_program,
            addressing: if early { Addressing::DuringRead } else { Addressing::AfterRead },
            wrong_bytes: pages[..whole].iter().map(|&wrong| wrong.min(most)).collect(),
            background: requests
                .iter()
                .enumerate()
                .map(|(tag, &(arrival_ns, way, work))| Background {
                    arrival_ns,
                    way: others[usize::from(way) % others.len()],
                    tag: tag as u64,
                    work: [BackgroundKind::Read, BackgroundKind::Program, BackgroundKind::Erase]
                        [work],
                })
                .collect(),
        }
    })
}

/// Log positions of each message of a page. DDT_BEGIN and DDT_DONE are keyed by the receiving or sending slave.
fn messages(log: &[Event]) -> BTreeMap<(Message, PagePosition, u16), Vec<usize>> {
    let mut found: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    for (index, event) in log.iter().enumerate() {
        if let EventKind::Message { message, from, to, place } = event.kind {
            let way = match (from, to) {
                (Party::Master, Party::Slave(way)) => {
                    assert!(!message.to_master(), "{message} is the master's to send");
                    way
                }
                (Party::Slave(way), Party::Master) => {
                    assert!(message.to_master(), "{message} is a slave's to send");
                    way
                }
                _ => panic!("{message} goes from {from} to {to}"),
            };
            found.entry((message, place, way)).or_default().push(index);
        }
    }
    found
}

/// Checks the order and the number of the messages.
fn check_messages(case: &Case, log: &[Event]) {
    let messages = messages(log);
    let at = |message, place, way| -> usize {
        match messages.get(&(message, place, way)).map(Vec::as_slice) {
            Some(&[index]) => index,
            found => panic!("{message} of {place:?} with way {way}: {found:?}"),
        }
    };
    let (from, to) = (case.source, case.destination);
    for operation in 0..case.transaction().operations() {
        let whole = PagePosition { operation, plane: 0 };
        let read_end = at(Message::ReadEnd, whole, from);
        assert!(at(Message::ReadInit, whole, from) < at(Message::ReadStart, whole, from));
        assert!(at(Message::ReadStart, whole, from) < read_end);
        let prog_start = at(Message::ProgStart, whole, to);
        assert!(prog_start < at(Message::ProgEnd, whole, to));
        for plane in 0..case.planes {
            let place = PagePosition { operation, plane };
            let begins = [from, to].map(|way| at(Message::DdtBegin, place, way));
            assert_eq!(log[begins[0]].at_ns, log[begins[1]].at_ns, "to both at once");
            let din_ready = at(Message::DinReady, place, to);
            assert!(at(Message::ProgInit, place, to) < din_ready);
            assert!(read_end < begins[0] && din_ready < begins[0]);
            let done = [from, to].map(|way| at(Message::DdtDone, place, way));
            let done = done[0].max(done[1]);
            assert!(begins[1] < done && done < prog_start);
            let errors = messages.get(&(Message::ErrRetransmit, place, to));
            assert_eq!(errors.map_or(0, Vec::len), usize::from(case.wrong(place) > 0));
            if let Some(&[error]) = errors.map(Vec::as_slice) {
                assert!(done < error && error < prog_start);
                check_corrected(case, log, place, error);
            }
        }
        if operation > 0 {
            let before = PagePosition { operation: operation - 1, plane: 0 };
            let next = at(Message::ReadInit, whole, from);
            assert!(at(Message::ProgStart, before, to) < next);
            assert!(next < at(Message::ProgEnd, before, to), "beside the program before");
        }
    }
    let pages = case.wrong_bytes.len();
    let wrong = case.wrong_bytes.iter().filter(|&&wrong| wrong > 0).count();
    let operations = pages / usize::from(case.planes);
    let total: usize = messages.values().map(Vec::len).sum();
    assert_eq!(total, 5 * operations + 6 * pages + wrong, "no message more than these");
}

/// Corrected bytes are sent after ERR_RETRANSMIT and before the confirm command or the next plane's command.
fn check_corrected(case: &Case, log: &[Event], place: PagePosition, error: usize) {
    let granted = |index: usize, wanted: fn(Cycles) -> bool| match log[index].kind {
        EventKind::Grant { job: Job::Copy(of), cycles, end_ns, .. } if wanted(cycles) => {
            Some((of, end_ns))
        }
        _ => None,
    };
    let sent = (error..log.len())
        .find_map(|index| {
            granted(index, |cycles| matches!(cycles, Cycles::Corrections { .. }))
                .filter(|(of, _)| *of == place)
                .map(|(_, end_ns)| (index, end_ns))
        })
        .expect("corrected bytes are sent");
    let Event { kind: EventKind::Grant { cycles, way, .. }, .. } = log[sent.0] else {
        panic!("a grant")
    };
    assert_eq!(cycles, Cycles::Corrections { bytes: case.wrong(place) });
    assert_eq!(way, case.destination);
    let confirm = (sent.0..log.len())
        .find(|&index| {
            granted(index, |cycles| matches!(cycles, Cycles::Confirm { .. } | Cycles::NextPlane))
                .is_some()
        })
        .expect("a confirm command");
    assert!(sent.1 <= log[confirm].at_ns);
}

/// Checks that the bus has one owner at a time, that every REQ is granted once, and that every grant had a REQ.
fn check_bus(case: &Case, outcome: &Outcome, log: &[Event]) {
    let mut free_ns = 0;
    let mut bus_ns = 0;
    let mut open: BTreeMap<u16, (Job, Cycles, u64)> = BTreeMap::new();
    let mut driven = None;
    for event in log {
        match event.kind {
            EventKind::Request { way, job, cycles } => {
                let before = open.insert(way, (job, cycles, event.at_ns));
                assert_eq!(before, None, "a way asks for one tenure at a time");
            }
            EventKind::Grant { way, job, cycles, asked_ns, end_ns, listens } => {
                let asked = open.remove(&way).expect("asked for");
                assert_eq!((asked.0, asked.1, asked.2), (job, cycles, asked_ns));
                assert_eq!(end_ns - event.at_ns, cycles.bus_ns(&case.unit.timing));
                if listens {
                    assert_eq!(driven, Some((event.at_ns, end_ns)), "with the source's");
                    assert_eq!(way, case.destination);
                    continue;
                }
                assert!(free_ns <= event.at_ns, "the bus is free");
                free_ns = end_ns;
                driven = Some((event.at_ns, end_ns));
                if matches!(job, Job::Copy(_)) {
                    bus_ns += end_ns - event.at_ns;
                }
            }
            _ => {}
        }
    }
    assert!(open.is_empty(), "every REQ is granted: {open:?}");
    assert_eq!(bus_ns, outcome.bus_ns);
    assert!(log.is_sorted_by_key(|event| event.at_ns));
}

/// Checks that no way is granted the bus while its device is busy. R/B# goes high early for a cache program, as its
/// register is free.
fn check_busy(log: &[Event]) {
    let mut busy: BTreeMap<u16, bool> = BTreeMap::new();
    for event in log {
        match event.kind {
            EventKind::Busy { way } => {
                assert!(!busy.insert(way, true).unwrap_or(false), "busy twice");
            }
            EventKind::Ready { way } => assert_eq!(busy.insert(way, false), Some(true)),
            EventKind::Grant { way, .. } => assert!(!busy.get(&way).copied().unwrap_or(false)),
            _ => {}
        }
    }
    assert!(busy.values().all(|busy| !busy), "all are ready in the end");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn transactions_beside_other_requests(case in cases()) {
        let (outcome, log) = case.run();
        check_messages(&case, &log);
        check_bus(&case, &outcome, &log);
        check_busy(&log);
        let done = log.iter().filter(|event| matches!(event.kind, EventKind::Done { .. })).count();
        prop_assert_eq!(done, case.background.len());
        for (request, done_ns) in case.background.iter().zip(&outcome.background_done_ns) {
            let t = &case.unit.timing;
            let least = match request.work {
                BackgroundKind::Read => t.t_r_ns + t.t_do_ns(),
                BackgroundKind::Program => t.t_di_ns() + t.t_prog_ns,
                BackgroundKind::Erase => t.t_bers_ns,
            };
            prop_assert!(request.arrival_ns + least < *done_ns);
        }
        prop_assert_eq!(&case.run(), &(outcome.clone(), log), "the same again");
        let alone = Case { background: Vec::new(), ..case.clone() }.run().0;
        prop_assert_eq!(alone.bus_ns, outcome.bus_ns);
        prop_assert!(case.cache_program || alone.total_ns <= outcome.total_ns, "never sooner than alone");
    }
}
