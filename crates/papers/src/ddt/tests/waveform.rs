//! Parses back the Value Change Dump of a direct transfer. The dump equals the waveform, meets ONFI's times, and a
//! device that observes only its pins receives the correct page.

use crate::ddt::control::{
    Change, ControlUnit, Drawing, Event, Level, Signal, Transaction, Waveform, WaveformError,
};
use crate::ddt::{messages, waveform};
use flash::channels::{Addressing, Policy, Timing};
use flash::parts::DDT_MLC;
use flash::pins::{Interface, PinTiming, Refusal, windows};
use std::collections::BTreeMap;
use vcd::{Command, Parser, ScopeItem, Value};

const SOURCE_ROW: u32 = 0x0012_3456;
const DESTINATION_ROW: u32 = 0x00AB_CDEF;
const PLANE_ROWS: u32 = 1 << 7;

/// Pins of a timing mode with the shortest cycle that works. The study uses 25 ns cycles with the pins of mode 5.
struct Scene {
    pins: PinTiming,
    timing: Timing,
    planes: u8,
    addressing: Addressing,
    wrong: Vec<u32>,
    data_cycles: Option<u32>,
}

impl Scene {
    fn of_mode(mode: u8, planes: u8, wrong: &[u32]) -> Self {
        let of = Interface::of_mode(&DDT_MLC, mode).expect("a mode");
        let works = windows(&of, &of).working().expect("some cycle");
        let timing = works.applied_to(&Timing::with_mode(&DDT_MLC, mode).expect("a mode"));
        let addressing = Addressing::DuringRead;
        Self { pins: of.pins, timing, planes, addressing, wrong: wrong.to_vec(), data_cycles: None }
    }

    fn study(wrong: &[u32]) -> Self {
        let timing = Timing { t_ccs_ns: 130, ..Timing::of(&DDT_MLC).expect("bus cycles") };
        let of = Interface::of_timing(&timing, 5).expect("a mode");
        let timing = windows(&of, &of).working().expect("25 ns work").applied_to(&timing);
        Self { timing, pins: of.pins, ..Self::of_mode(5, 1, wrong) }
    }

    fn transaction(&self) -> Transaction<'_> {
        Transaction {
            source: 0,
            destination: 1,
            planes: self.planes,
            cache_program: false,
            addressing: self.addressing,
            wrong_bytes: &self.wrong,
            most_wrong_bytes: 192,
        }
    }

    fn log(&self) -> Vec<Event> {
        let unit = ControlUnit { timing: self.timing, ways: 2, policy: Policy::Fifo };
        let mut log = Vec::new();
        unit.run(&self.transaction(), &[], &mut log).expect("a transaction");
        log
    }

    fn draw(&self) -> Result<Waveform, WaveformError> {
        let drawing = Drawing {
            source: self.pins,
            destination: self.pins,
            source_row: SOURCE_ROW,
            destination_row: DESTINATION_ROW,
            plane_rows: PLANE_ROWS,
            data_cycles: self.data_cycles,
        };
        Waveform::of(&self.log(), &self.timing, &self.transaction(), &drawing)
    }

    fn waveform(&self) -> Waveform {
        self.draw().expect("a waveform")
    }
}

fn vcd_of(waveform: &Waveform) -> Vec<u8> {
    let mut bytes = Vec::new();
    waveform::write_vcd(waveform, "one page", &mut bytes).expect("memory can be written");
    bytes
}

/// Changes of a dump by wire name, and its last time.
fn parse(bytes: &[u8]) -> (Vec<(u64, String, Vec<Value>)>, u64) {
    let mut parser = Parser::new(bytes);
    let header = parser.parse_header().expect("a header");
    assert_eq!(header.timescale, Some((1, vcd::TimescaleUnit::NS)));
    let scope = header.find_scope(&["channel"]).expect("the channel");
    let names: BTreeMap<_, String> = scope
        .items
        .iter()
        .filter_map(|item| match item {
            ScopeItem::Var(var) => Some((var.code, var.reference.clone())),
            _ => None,
        })
        .collect();
    let (mut changes, mut time) = (Vec::new(), 0);
    for command in parser {
        match command.expect("a command") {
            Command::Timestamp(at) => {
                assert!(at >= time, "times go on");
                time = at;
            }
            Command::ChangeScalar(code, value) => {
                changes.push((time, names[&code].clone(), vec![value]));
            }
            Command::ChangeVector(code, values) => {
                changes.push((time, names[&code].clone(), values.iter().collect()));
            }
            other => panic!("{other:?}"),
        }
    }
    (changes, time)
}

fn level(values: &[Value]) -> Level {
    match values {
        [Value::V0] => Level::Low,
        [Value::V1] => Level::High,
        values if values.iter().all(|value| *value == Value::Z) => Level::Floating,
        values if values.contains(&Value::X) => Level::Unknown,
        values => Level::Byte(
            values.iter().fold(0, |byte, value| byte << 1 | u8::from(*value == Value::V1)),
        ),
    }
}

/// Changes of signals in a dump.
fn read_back(bytes: &[u8]) -> Vec<Change> {
    let signals = |way| [Signal::Ce(way), Signal::Re(way), Signal::We(way), Signal::Rb(way)];
    let all =
        signals(0).into_iter().chain(signals(1)).chain([Signal::Cle, Signal::Ale, Signal::Io]);
    let by_name: BTreeMap<String, Signal> =
        all.map(|signal| (waveform::name(signal), signal)).collect();
    let (changes, _) = parse(bytes);
    changes
        .iter()
        .filter(|change| change.1 != "left_out")
        .map(|(at_ns, name, values)| Change {
            at_ns: *at_ns,
            signal: by_name[name],
            level: level(values),
        })
        .collect()
}

#[test]
fn what_is_written_is_read_back() {
    for wrong in [0, 3] {
        let waveform = Scene::study(&[wrong]).waveform();
        let bytes = vcd_of(&waveform);
        assert_eq!(read_back(&bytes), waveform.changes);
        assert_eq!(parse(&bytes).1, waveform.end_ns);
        assert!(waveform.left_out.is_empty());
    }
}

/// Current level of each signal, with the time of its last change.
#[derive(Default)]
struct Pins {
    at: BTreeMap<Signal, (u64, Option<Level>)>,
}

impl Pins {
    fn level(&self, signal: Signal) -> Option<Level> {
        self.at.get(&signal).and_then(|at| at.1)
    }

    fn since(&self, signal: Signal) -> u64 {
        self.at.get(&signal).map_or(0, |at| at.0)
    }

    fn is_low(&self, signal: Signal) -> bool {
        self.level(signal) == Some(Level::Low)
    }
}

/// Byte latched at a rising edge of WE#.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Latched {
    Command(u8),
    Address(u8),
    Data(u8),
}

/// Checks all ONFI times at the pins of both devices; returns the bytes that each has latched, with their times.
fn check_times(scene: &Scene, changes: &[Change]) -> [Vec<(u64, Latched)>; 2] {
    let (p, t) = (&scene.pins, &scene.timing);
    let mut pins = Pins::default();
    let mut latched = [Vec::new(), Vec::new()];
    // Last rising edge of WE# per way.
    let mut rose: BTreeMap<(u16, Signal), u64> = BTreeMap::new();
    let mut ready = [None, None];
    for change in changes {
        let (at, before) = (change.at_ns, pins.since(change.signal));
        match (change.signal, change.level) {
            (Signal::We(way), Level::Low) if at > 0 => {
                assert!(before == 0 || at - before >= p.t_wh_ns, "tWH at {at}");
                assert!(pins.is_low(Signal::Ce(way)), "a write of a selected device at {at}");
            }
            (Signal::We(way), Level::High) if at > 0 => {
                assert!(at - before >= p.t_wp_ns, "tWP at {at}");
                assert!(at - pins.since(Signal::Ce(way)) >= p.t_cs_ns, "tCS at {at}");
                assert_eq!(pins.level(Signal::Re(way)), Some(Level::High), "RE# at {at}");
                let Some(Level::Byte(byte)) = pins.level(Signal::Io) else {
                    panic!("no byte to latch at {at}");
                };
                assert!(at - pins.since(Signal::Io) >= p.t_ds_ns, "tDS at {at}");
                let high = |signal| pins.level(signal) == Some(Level::High);
                let what = match (high(Signal::Cle), high(Signal::Ale)) {
                    (true, false) => {
                        assert!(at - pins.since(Signal::Cle) >= p.t_cls_ns, "tCLS at {at}");
                        Latched::Command(byte)
                    }
                    (false, true) => {
                        assert!(at - pins.since(Signal::Ale) >= p.t_als_ns, "tALS at {at}");
                        Latched::Address(byte)
                    }
                    (false, false) => Latched::Data(byte),
                    both => panic!("CLE and ALE {both:?} at {at}"),
                };
                let list: &mut Vec<(u64, Latched)> = &mut latched[usize::from(way)];
                if let (Latched::Data(_), Some((last, Latched::Address(_)))) = (what, list.last()) {
                    // tADL follows the address after 80h, tCCS the column after 85h.
                    assert!(at - last >= t.t_adl_ns.min(t.t_ccs_ns), "tADL or tCCS at {at}");
                }
                list.push((at, what));
                rose.insert((way, Signal::We(way)), at);
            }
            (Signal::Io, _) if at > 0 => {
                for way in [0, 1] {
                    if let Some(rose) = rose.get(&(way, Signal::We(way))) {
                        assert!(at - rose >= p.t_dh_ns, "tDH at {at}");
                    }
                }
            }
            (Signal::Cle | Signal::Ale, Level::Low) if at > 0 => {
                let last = rose.values().max().copied().unwrap_or(0);
                assert!(at - last >= p.t_clh_ns.min(p.t_alh_ns), "tCLH or tALH at {at}");
            }
            (Signal::Ce(way), Level::High) if at > 0 => {
                let last = rose.get(&(way, Signal::We(way))).copied().unwrap_or(0);
                assert!(at - last >= p.t_ch_ns, "tCH at {at}");
            }
            (Signal::Re(way), Level::Low) if at > 0 => {
                assert!(before == 0 || at - before >= p.t_reh_ns, "tREH at {at}");
                assert!(pins.is_low(Signal::Ce(way)), "a read of a selected device at {at}");
                let early = at - pins.since(Signal::Ce(way));
                assert!(early + p.t_rea_ns >= p.t_cea_ns, "tCEA at {at}");
                assert_eq!(pins.level(Signal::Rb(way)), Some(Level::High), "ready at {at}");
                assert!(
                    ready[usize::from(way)].is_some_and(|since| at - since >= t.t_rr_ns),
                    "tRR at {at}"
                );
            }
            (Signal::Re(_), Level::High) if at > 0 => {
                assert!(at - before >= p.t_rp_ns, "tRP at {at}")
            }
            (Signal::Rb(way), Level::Low) => {
                let last = rose.get(&(way, Signal::We(way))).copied().unwrap_or(0);
                assert!(at - last <= t.t_wb_ns, "tWB at {at}");
            }
            (Signal::Rb(way), Level::High) if at > 0 => ready[usize::from(way)] = Some(at),
            _ => {}
        }
        pins.at.insert(change.signal, (at, Some(change.level)));
    }
    latched
}

fn address(row: u32) -> Vec<Latched> {
    [0, 0, row as u8, (row >> 8) as u8, (row >> 16) as u8].map(Latched::Address).to_vec()
}

/// Interprets the commands of a destination plane by plane; returns the content of its registers.
fn registers(latched: &[(u64, Latched)], planes: u8, bytes: usize) -> Vec<Vec<u8>> {
    let mut rest = latched.iter().map(|(_, latched)| *latched).peekable();
    let mut registers = Vec::new();
    for plane in 0..planes {
        assert_eq!(rest.next(), Some(Latched::Command(0x80)));
        let row = DESTINATION_ROW + u32::from(plane) * PLANE_ROWS;
        assert_eq!(rest.by_ref().take(5).collect::<Vec<_>>(), address(row));
        let mut register = Vec::new();
        let data = |latched: &Latched| matches!(latched, Latched::Data(_));
        while let Some(Latched::Data(byte)) = rest.next_if(data) {
            register.push(byte);
        }
        assert_eq!(register.len(), bytes);
        while rest.next_if_eq(&Latched::Command(0x85)).is_some() {
            let taken: Vec<Latched> = rest.by_ref().take(3).collect();
            let &[Latched::Address(low), Latched::Address(high), Latched::Data(byte)] = &taken[..]
            else {
                panic!("{taken:?}");
            };
            register[usize::from(low) | usize::from(high) << 8] = byte;
        }
        let confirm = if plane + 1 == planes { 0x10 } else { 0x11 };
        assert_eq!(rest.next(), Some(Latched::Command(confirm)));
        registers.push(register);
    }
    assert_eq!(rest.next(), None);
    registers
}

/// Every mode at its shortest working cycle, with and without errors, on one and two planes.
#[test]
fn pins_keep_their_times_and_the_page_arrives() {
    for mode in 0..=5 {
        for (planes, wrong) in [(1, vec![0]), (1, vec![192]), (2, vec![7, 1])] {
            let scene = Scene::of_mode(mode, planes, &wrong);
            let waveform = scene.waveform();
            let [source, destination] = check_times(&scene, &read_back(&vcd_of(&waveform)));
            let bytes = scene.timing.transfer_bytes;
            let registers = registers(&destination, planes, bytes as usize);
            for (plane, register) in registers.iter().enumerate() {
                let row = SOURCE_ROW + plane as u32 * PLANE_ROWS;
                for (column, byte) in register.iter().enumerate() {
                    assert_eq!(*byte, Waveform::byte_at(row, column as u32), "{mode}: {column}");
                }
            }
            let mut commands = source.iter().map(|(_, latched)| *latched);
            for plane in 0..planes {
                assert_eq!(commands.next(), Some(Latched::Command(0x00)));
                let row = SOURCE_ROW + u32::from(plane) * PLANE_ROWS;
                assert_eq!(commands.by_ref().take(5).collect::<Vec<_>>(), address(row));
                let confirm = if plane + 1 == planes { 0x30 } else { 0x32 };
                assert_eq!(commands.next(), Some(Latched::Command(confirm)));
            }
        }
    }
}

/// The bytes in error cross the bus before they are corrected.
#[test]
fn wrong_bytes_cross_the_bus_first() {
    let scene = Scene::study(&[192]);
    let [_, destination] = check_times(&scene, &scene.waveform().changes);
    let bytes = scene.timing.transfer_bytes;
    let crossed = destination[6..].iter().filter_map(|(_, latched)| match latched {
        Latched::Data(byte) => Some(*byte),
        _ => None,
    });
    let right = |column| Waveform::byte_at(SOURCE_ROW, column);
    let wrong: Vec<u32> = crossed
        .take(bytes as usize)
        .zip(0..)
        .filter(|(byte, column)| *byte != right(*column))
        .map(|(_, column)| column)
        .collect();
    assert_eq!(wrong, Waveform::wrong_columns(192, bytes).collect::<Vec<_>>());
    assert_eq!(wrong.len(), 192);
}

#[test]
fn data_cycles_can_be_left_out() {
    let all = Scene::study(&[2]).waveform();
    let scene = Scene { data_cycles: Some(9), ..Scene::study(&[2]) };
    let few = scene.waveform();
    assert!(few.changes.len() < 200 && all.changes.len() > 50_000, "{}", few.changes.len());
    assert_eq!(few.end_ns, all.end_ns);
    // Five cycles at the beginning, four at the end.
    let begin = few
        .changes
        .iter()
        .find(|change| change.signal == Signal::Re(0) && change.level == Level::Low);
    let begin = begin.expect("RE#").at_ns;
    assert_eq!(few.left_out, [(begin + 5 * 25, begin + 8_636 * 25)]);
    let [_, destination] = check_times(&scene, &read_back(&vcd_of(&few)));
    let data = destination.iter().filter(|(_, latched)| matches!(latched, Latched::Data(_)));
    assert_eq!(data.count(), 9 + 2);
    let (changes, _) = parse(&vcd_of(&few));
    let marks: Vec<(u64, Level)> = changes
        .iter()
        .filter(|change| change.1 == "left_out")
        .map(|change| (change.0, level(&change.2)))
        .collect();
    let (from, to) = few.left_out[0];
    assert_eq!(marks, [(0, Level::Low), (from, Level::High), (to, Level::Low)]);
}

#[test]
fn what_cannot_be_latched_is_not_drawn() {
    let study = Scene::study(&[0]);
    let mode_4 = Scene { pins: PinTiming::of_mode(4).expect("a mode"), ..Scene::study(&[0]) };
    assert!(matches!(
        mode_4.draw(),
        Err(WaveformError::Windows(Refusal::Narrow { dvw_ns: 10, drw_ns: 15, .. }))
    ));
    let late = Timing { t_dl_ns: 20, ..study.timing };
    let error = Scene { timing: late, ..Scene::study(&[0]) }.draw().expect_err("too late");
    assert_eq!(error, WaveformError::Skew { found: 20, least: 13, most: 15 });
    let fast = Timing { t_wc_ns: 12, t_rc_ns: 25, ..study.timing };
    let error = Scene { timing: fast, ..Scene::study(&[0]) }.draw().expect_err("too fast");
    assert_eq!(error, WaveformError::Cycle { kind: "write", way: 0, found: 12, least: 17 });
    let fast = Timing { t_rc_ns: 16, ..study.timing };
    let error = Scene { timing: fast, ..Scene::study(&[0]) }.draw().expect_err("too fast");
    assert_eq!(error, WaveformError::Cycle { kind: "read", way: 0, found: 16, least: 17 });
}

#[test]
fn the_log_as_text() {
    let found = messages::render(&Scene::study(&[2]).log(), messages::Detail::Messages);
    let expected = concat!(
        "            ns  from         to         event           what\n",
        "             0  DDT-M     →  DDT-S0     READ_INIT       operation 0\n",
        "           275  DDT-S0    →  DDT-M      READ_START      operation 0\n",
        "           275  DDT-M     →  DDT-S1     PROG_INIT       operation 0, plane 0\n",
        "           495  DDT-S1    →  DDT-M      DIN_READY       operation 0, plane 0\n",
        "        75,295  DDT-S0    →  DDT-M      READ_END        operation 0\n",
        "        75,295  DDT-M     →  DDT-S0     DDT_BEGIN       operation 0, plane 0\n",
        "        75,295  DDT-M     →  DDT-S1     DDT_BEGIN       operation 0, plane 0\n",
        "       291,308  DDT-S0    →  DDT-M      DDT_DONE        operation 0, plane 0\n",
        "       291,308  DDT-S1    →  DDT-M      DDT_DONE        operation 0, plane 0\n",
        "       291,308  DDT-M     →  DDT-S1     ERR_RETRANSMIT  operation 0, plane 0\n",
        "       291,768  DDT-M     →  DDT-S1     PROG_START      operation 0\n",
        "     1,591,893  DDT-S1    →  DDT-M      PROG_END        operation 0\n",
    );
    assert_eq!(found, expected);
    let all = messages::render(&Scene::study(&[0]).log(), messages::Detail::All);
    for line in [
        "             0  W0        →  arbiter    REQ             read command\n",
        "             0  arbiter   →  W0         GRANT           read command, to 175\n",
        "           275  W0                      R/B# low        busy\n",
        "       291,308  ECC       →  DDT-M      checked         operation 0, plane 0, no error\n",
        "        75,295  arbiter   →  W1         GRANT           direct transfer, to 291,308, listens\n",
    ] {
        assert!(all.contains(line), "{line}{all}");
    }
    assert!(!all.contains("ERR_RETRANSMIT"));
}
