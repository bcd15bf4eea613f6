//! The event-driven control unit against the closed forms and against the channel engine.

use crate::ddt::control::{ControlUnit, Transaction};
use bounds::copyback::{CopyPath, CopyTimings, Copyback, Waits};
use flash::channels::{
    Addressing, Channels, Command, DieAddress, Grant, PageAddress, Pages, Policy, Request, Segment,
    Timing, Topology,
};
use flash::parts::DDT_MLC;

fn study() -> CopyTimings {
    CopyTimings::of_part(&DDT_MLC, Waits::STUDY).expect("a part with bus cycles")
}

/// Timing that matches the closed forms.
fn timing(t: &CopyTimings) -> Timing {
    let w = &t.waits;
    Timing {
        transfer_bytes: t.moved_bytes() as u32,
        column_cycles: w.column_cycles,
        row_cycles: w.row_cycles,
        t_wc_ns: t.t_wc_ns,
        t_rc_ns: t.t_rc_ns,
        t_adl_ns: w.t_adl_ns,
        t_rr_ns: w.t_rr_ns,
        t_wb_ns: w.t_wb_ns,
        t_ccs_ns: w.t_ccs_ns,
        t_dbsy_ns: w.t_dbsy_ns,
        // The closed forms assume that the cache register is free at once.
        t_cbsy_ns: 0,
        t_dl_ns: w.t_dl_ns,
        direct_cycle_ns: w.direct_cycle_ns,
        t_r_ns: t.t_r_ns,
        t_prog_ns: t.t_prog_ns,
        t_bers_ns: t.t_bers_ns,
        ecc_ns: w.t_ecc_ns,
        status: false,
        ..Timing::of(&DDT_MLC).expect("a part with bus cycles")
    }
}

fn transaction(
    planes: u32,
    cache_program: bool,
    addressing: Addressing,
    wrong: &[u32],
) -> Transaction<'_> {
    Transaction {
        source: 0,
        destination: 1,
        planes: planes as u8,
        cache_program,
        addressing,
        wrong_bytes: wrong,
        most_wrong_bytes: 192,
    }
}

fn total_ns(t: &CopyTimings, transaction: &Transaction<'_>) -> u64 {
    let unit = ControlUnit { timing: timing(t), ways: 2, policy: Policy::Fifo };
    unit.run(transaction, &[], &mut ()).expect("a transaction").total_ns
}

const SETTINGS: [(u32, bool); 8] =
    [(1, false), (1, true), (2, false), (2, true), (3, false), (3, true), (4, false), (4, true)];

/// Eqs 11 and 13 at every transaction size and every 10 % of errors. Slow buses and fast cells, where a program does
/// not hide the next read, follow the extended closed forms.
#[test]
fn every_transaction_takes_what_the_equations_say() {
    let study = study();
    let slc = CopyTimings { t_prog_ns: 200_000, ..study };
    let fast = CopyTimings { t_prog_ns: 60_000, ..study };
    let checked = CopyTimings { waits: Waits { t_ecc_ns: 7_000, ..Waits::STUDY }, ..study };
    for (t, percents) in [
        (study, (0..=100).step_by(10).collect::<Vec<u32>>()),
        (slc, vec![0, 100]),
        (fast, vec![0, 100]),
        (checked, vec![0, 100]),
    ] {
        for (planes, cache) in SETTINGS {
            for &percent in &percents {
                let wrong = t.corrected_bytes_at(percent);
                let form = Copyback::new(t, CopyPath::Dgcb, cache, planes)
                    .and_then(|form| form.with_corrected_bytes(wrong))
                    .expect("in range");
                // The first ones show each overlap of a step with the next; the last, that nothing accumulates.
                for n in (1..=32_u32).chain([63, 64, 65, 127, 128]) {
                    let pages = vec![wrong; (n * planes) as usize];
                    let found =
                        total_ns(&t, &transaction(planes, cache, Addressing::AfterRead, &pages));
                    let said = form.transaction_ns(n * planes).expect("a transaction");
                    assert_eq!(found, said, "{n} × {planes} pages, cache {cache}, {percent} %");
                    if form.reads_hidden() && t.waits.t_ecc_ns == 0 {
                        assert_eq!(Ok(found), form.printed_ns(n * planes), "as printed");
                    }
                }
            }
        }
    }
}

/// Every whole percentage of errors at a few transaction sizes.
#[test]
fn every_error_rate() {
    let t = study();
    for (planes, cache) in SETTINGS {
        for percent in 0..=100 {
            let wrong = t.corrected_bytes_at(percent);
            let form = Copyback::new(t, CopyPath::Dgcb, cache, planes)
                .and_then(|form| form.with_corrected_bytes(wrong))
                .expect("in range");
            for n in [1, 2, 3, 16, 127, 128] {
                let pages = vec![wrong; (n * planes) as usize];
                let of = transaction(planes, cache, Addressing::AfterRead, &pages);
                assert_eq!(Ok(total_ns(&t, &of)), form.transaction_ns(n * planes));
            }
        }
    }
}

/// Deterministic random number generator.
struct Draws(u64);

impl Draws {
    fn below(&mut self, limit: u32) -> u32 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % u64::from(limit)) as u32
    }
}

#[test]
fn pages_with_errors_of_their_own() {
    let mut draws = Draws(20);
    for round in 0..400 {
        let t_prog_ns = [1_300_000, 200_000, 60_000][round % 3];
        let t = CopyTimings { t_prog_ns, ..study() };
        let (planes, cache) = SETTINGS[draws.below(8) as usize];
        let n = 1 + draws.below(128);
        let pages: Vec<u32> =
            (0..n * planes).map(|_| draws.below(4) / 3 * draws.below(193)).collect();
        let form = Copyback::new(t, CopyPath::Dgcb, cache, planes).expect("in range");
        let of = transaction(planes, cache, Addressing::AfterRead, &pages);
        assert_eq!(Ok(total_ns(&t, &of)), form.drawn_ns(&pages));
    }
}

/// The order of Fig. 9: PROG_INIT during the first read saves time.
#[test]
fn addressing_during_the_read() {
    let t = study();
    for (planes, cache) in SETTINGS {
        let form = Copyback::new(t, CopyPath::Dgcb, cache, planes).expect("in range");
        assert!(form.reads_hidden());
        for n in [1, 2, 3, 64, 128] {
            let pages = vec![0; (n * planes) as usize];
            let found = total_ns(&t, &transaction(planes, cache, Addressing::DuringRead, &pages));
            let said = form.transaction_ns(n * planes).expect("a transaction");
            assert_eq!(found, said - form.early_prog_init_gain_ns(), "{n} × {planes}, {cache}");
        }
    }
}

/// Runs the same transaction in the channel engine. Each further direct transfer is submitted when the previous
/// program has begun.
fn engine_ns(t: &CopyTimings, of: &Transaction<'_>) -> u64 {
    let timing = timing(t);
    let topology = Topology {
        channels: 1,
        ways: 2,
        dies: 1,
        planes: of.planes.into(),
        blocks_per_plane: 16,
        pages_per_block: 128,
        paired_blocks: true,
    };
    let mut channels =
        Channels::watched(topology, timing, Policy::Fifo, Vec::<Grant>::new()).expect("in range");
    let repair_ns = (2 + u64::from(t.waits.column_cycles)) * t.t_wc_ns + t.waits.t_ccs_ns;
    let mut arrival_ns = 0;
    for (n, wrong) in of.wrong_bytes.chunks(of.planes.into()).enumerate() {
        let pages: Vec<PageAddress> = (0..u32::from(of.planes))
            .map(|plane| PageAddress { block: plane, page: n as u32 })
            .collect();
        let last = n + 1 == of.operations() as usize;
        let program =
            if of.cache_program && !last { Command::CacheProgram } else { Command::Program };
        let request = |way, command, wrong: u32| Request {
            arrival_ns,
            tag: n as u64,
            die: DieAddress { channel: 0, way, die: 0 },
            command,
            pages: Pages::of(&pages).expect("some planes"),
            repair_ns: u64::from(wrong) * repair_ns,
        };
        let (source, destination) =
            (request(0, Command::Read, 0), request(1, program, wrong.iter().sum()));
        channels.submit_direct(&source, &destination, of.addressing).expect("a direct transfer");
        // When the source is done, the confirm command has been granted; the program may still be running.
        let out = std::iter::from_fn(|| channels.next_completion())
            .find(|done| done.die.way == 0)
            .expect("the source's completion");
        assert_eq!(out.tag, n as u64);
        assert!(
            channels.next_completion_until(out.done_ns + 1).is_none_or(|done| done.die.way == 1)
        );
        let confirm = channels.watch().last().expect("the confirm command");
        assert_eq!((confirm.tag, confirm.segment), (n as u64, Segment::Command));
        arrival_ns = confirm.end_ns + timing.t_wb_ns;
    }
    channels.last_done_ns()
}

#[test]
fn the_channels_engine_takes_as_long() {
    for t_prog_ns in [1_300_000, 200_000, 60_000] {
        let t = CopyTimings { t_prog_ns, ..study() };
        for addressing in [Addressing::AfterRead, Addressing::DuringRead] {
            for ((planes, cache), percent) in SETTINGS.into_iter().flat_map(|s| [(s, 0), (s, 100)])
            {
                let wrong = t.corrected_bytes_at(percent);
                for n in [1, 2, 3, 8, 127, 128] {
                    let pages = vec![wrong; (n * planes) as usize];
                    let of = transaction(planes, cache, addressing, &pages);
                    let (unit, engine) = (total_ns(&t, &of), engine_ns(&t, &of));
                    assert_eq!(
                        unit, engine,
                        "{addressing:?}, {n} × {planes}, {cache}, {percent} %"
                    );
                }
            }
        }
    }
}
