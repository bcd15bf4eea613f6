//! The window check for ONFI's asynchronous timing modes: numbers for Fig. 10 of Jeong and Song.

use crate::ddt::control::{ControlUnit, Cost, Transaction};
use flash::channels::{Addressing, Policy, Timing, TimingError};
use flash::parts::DDT_MLC;
use flash::pins::{Interface, PinTiming, Refusal, Windows, windows};

fn mode(mode: u8) -> Interface {
    Interface::of_mode(&DDT_MLC, mode).expect("a mode")
}

/// Cycle, DVW, DRW, tDL, then the shortest working cycle and its DVW.
fn row(from: u8, to: u8) -> (u64, u64, u64, u64, u64, u64) {
    let check = windows(&mode(from), &mode(to));
    let works = check.working().expect("some cycle works");
    let asked = check.asked;
    (asked.t_rwc_ns, asked.dvw_ns(), asked.drw_ns(), asked.t_dl_ns, works.t_rwc_ns, works.dvw_ns())
}

/// Calculated by hand. DVW = end of valid data − tREA; DRW = tDS + tDH; tDL = tREA + tDS − tWP. Valid data end at
/// tRWC − tREH + tRHOH in mode 0. In modes 4 and 5 below 30 ns they end at tRWC + tRLOH, otherwise at tRWC.
#[test]
fn no_mode_works_at_its_own_shortest_cycle() {
    assert_eq!(row(0, 0), (100, 70 - 40, 40 + 20, 40 + 40 - 50, 130, 60));
    assert_eq!(row(1, 1), (50, 50 - 30, 20 + 10, 30 + 20 - 25, 60, 30));
    assert_eq!(row(2, 2), (35, 35 - 25, 15 + 5, 25 + 15 - 17, 45, 20));
    assert_eq!(row(3, 3), (30, 30 - 20, 10 + 5, 20 + 10 - 15, 35, 15));
    assert_eq!(row(4, 4), (25, 30 - 20, 10 + 5, 20 + 10 - 12, 35, 15));
    assert_eq!(row(5, 5), (20, 25 - 16, 7 + 5, 16 + 7 - 10, 23, 12));
    for each in 0..=5 {
        let check = windows(&mode(each), &mode(each));
        assert!(matches!(check.refusal, Some(Refusal::Narrow { .. })), "mode {each}");
    }
    let refused = windows(&mode(4), &mode(4)).refusal.expect("refused");
    assert_eq!(
        refused.to_string(),
        "data are valid for 10 ns of a cycle (DVW: 20 to 30 ns after RE# low), and the destination requires 15 ns \
         (DRW: tDS 10 + tDH 5)"
    );
}

/// A fast source with a slow destination and the reverse: the cycle is that of the slower device.
#[test]
fn a_source_and_a_destination_in_modes_of_their_own() {
    assert_eq!(row(5, 4), (25, 30 - 16, 15, 16 + 10 - 12, 26, 15));
    assert_eq!(row(4, 5), (25, 10, 12, 20 + 7 - 10, 27, 12));
    assert_eq!(row(5, 0), (100, 84, 60, 16 + 40 - 50, 100, 84));
    assert_eq!(row(0, 5), (100, 30, 12, 40 + 7 - 10, 100, 30));
    assert_eq!(row(5, 3), (30, 30 - 16, 15, 16 + 10 - 15, 31, 15));
}

/// For all pairs of modes: the accepted cycle holds at the pins, and a cycle shorter by 1 ns does not.
#[test]
fn the_proposed_cycle_is_the_shortest() {
    for (from, to) in (0..=5).flat_map(|from| (0..=5).map(move |to| (from, to))) {
        let (source, destination) = (mode(from), mode(to));
        let check = windows(&source, &destination);
        let works = check.working().expect("some cycle works");
        let pins = (source.pins, destination.pins);
        assert_eq!(works.t_dl_ns + pins.1.t_wp_ns, pins.0.t_rea_ns + pins.1.t_ds_ns);
        assert!(works.dvw_ns() >= works.drw_ns());
        let (before, after) = works.margins_ns(works.t_dl_ns);
        assert!(before >= 0 && after >= 0, "{from} to {to}");
        assert!(works.re_low_ns >= pins.0.t_rp_ns);
        assert!(works.t_rwc_ns - works.re_low_ns >= pins.0.t_reh_ns);
        let longest = works.longest_skew_ns().expect("some skew");
        assert!(works.margins_ns(longest).1 == 0 && works.margins_ns(longest + 1).1 < 0);
        for shorter in check.asked.t_rwc_ns..works.t_rwc_ns {
            let at = |t_rc_ns| windows(&Interface { t_rc_ns, ..source }, &destination);
            assert!(at(shorter).refusal.is_some(), "{from} to {to} at {shorter}");
        }
    }
}

/// The paper's parameters: 25 ns cycles and a skew of 20 ns. A cycle of 25 ns requires the pins of mode 5. A skew of
/// 20 ns belongs to parts with tREA 20 ns and tDS = tWP, which need a longer cycle.
#[test]
fn the_study() {
    let timing = Timing::of(&DDT_MLC).expect("a part with bus cycles");
    let pins = |mode| Interface::of_timing(&timing, mode).expect("a mode");
    assert!(windows(&pins(4), &pins(4)).refusal.is_some());
    let check = windows(&pins(5), &pins(5));
    assert_eq!((check.refusal, check.widened), (None, None));
    let found = check.asked;
    assert_eq!((found.t_rwc_ns, found.dvw_ns(), found.drw_ns()), (25, 14, 12));
    assert_eq!((found.t_dl_ns, found.longest_skew_ns()), (13, Some(15)));
    assert_eq!(found.margins_ns(timing.t_dl_ns), (7, -5), "20 ns is too late for a 25 ns cycle");
    let table = PinTiming { t_ds_ns: 12, ..PinTiming::of_mode(4).expect("a mode") };
    let of = Interface { pins: table, t_rc_ns: 25, t_wc_ns: 25 };
    assert_eq!(windows(&of, &of).asked.t_dl_ns, 20);
}

#[test]
fn what_a_wider_cycle_costs() {
    let timing = Timing::with_mode(&DDT_MLC, 4).expect("a mode");
    let unit = ControlUnit { timing, ways: 2, policy: Policy::Fifo };
    let wrong = [0; 128];
    let transaction = Transaction {
        source: 0,
        destination: 1,
        planes: 1,
        cache_program: false,
        addressing: Addressing::AfterRead,
        wrong_bytes: &wrong,
        most_wrong_bytes: 192,
    };
    let check = windows(&mode(4), &mode(4));
    let cost = Cost::of(&check, &unit, &transaction).expect("a transaction").expect("a cost");
    assert_eq!(cost.page_ns, 8640 * 10);
    assert_eq!(cost.widened_ns - cost.asked_ns, 128 * 8640 * 10);
    let asked = 75_295 + 128 * (216_018 + 345 + 1_300_000);
    assert_eq!((cost.asked_ns, cost.added_ppm()), (asked, 128 * 86_400 * 1_000_000 / asked));
    let works = windows(&mode(5), &mode(0));
    assert_eq!(Cost::of(&works, &unit, &transaction), Ok(None));
    // With cache program, only the first page's transfer is not hidden.
    let cached = Transaction { cache_program: true, ..transaction };
    let cost = Cost::of(&check, &unit, &cached).expect("a transaction").expect("a cost");
    assert_eq!(cost.widened_ns - cost.asked_ns, 8640 * 10);
}

/// If tREA + tDS is shorter than tWP, the skew is 0 and WE# goes high later than the data require.
#[test]
fn no_skew_is_negative() {
    let pins = PinTiming::of_mode(5).expect("a mode");
    let quick = PinTiming { t_rea_ns: 1, t_ds_ns: 1, t_dh_ns: 1, t_wp_ns: 10, ..pins };
    let of = |t_rc_ns| Interface { pins: quick, t_rc_ns, t_wc_ns: 10 };
    let check = windows(&of(20), &of(20));
    assert_eq!((check.asked.t_dl_ns, check.asked.latch_ns(), check.refusal), (0, 10, None));
    let slow = PinTiming { t_wp_ns: 26, ..quick };
    let late = Interface { pins: slow, t_rc_ns: 17, t_wc_ns: 17 };
    let check = windows(&late, &late);
    assert_eq!(check.refusal, Some(Refusal::Late { latch_ns: 26, missing_ns: 5 }));
    assert_eq!(check.working().map(|works: Windows| works.t_rwc_ns), Some(22));
    let never = PinTiming { t_rhoh_ns: 0, t_rloh_ns: 0, t_ds_ns: 2_000, ..pins };
    let of = Interface { pins: never, t_rc_ns: 20, t_wc_ns: 20 };
    assert!(windows(&of, &of).working().is_none());
}

#[test]
fn modes_that_there_are_not() {
    assert_eq!(Interface::of_mode(&DDT_MLC, 6), Err(TimingError::Mode(6)));
    assert_eq!(PinTiming::of_mode(7), Err(TimingError::Mode(7)));
}

/// The pulses of every mode fit in its cycles.
#[test]
fn pulses_fit_in_cycles() {
    for each in 0..=5 {
        let Interface { pins, t_rc_ns, t_wc_ns } = mode(each);
        assert!(pins.t_rp_ns + pins.t_reh_ns <= t_rc_ns, "mode {each}");
        assert!(pins.t_wp_ns + pins.t_wh_ns <= t_wc_ns, "mode {each}");
        assert!(pins.t_rea_ns <= pins.t_cea_ns && pins.t_cs_ns <= t_wc_ns, "mode {each}");
    }
}
