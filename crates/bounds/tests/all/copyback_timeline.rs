//! Closed forms of copying against a timeline that walks through every page stage by stage.
//!
//! It keeps the time at which each of source, destination, bus and cache register is free.

use flash::parts::DDT_MLC;
use ftlkit_bounds::copyback::{CopyPath, CopyTimings, Copyback, CopybackError, Waits};

/// Result of a walk through a transaction.
#[derive(Debug, PartialEq, Eq)]
struct Walk {
    end_ns: u64,
    source_free_ns: u64,
    bus_ns: u64,
}

/// One bus: every user waits for it, and its occupied time is summed.
#[derive(Default)]
struct Bus {
    free_at: u64,
    taken: u64,
}

impl Bus {
    fn take(&mut self, from: u64, ns: u64) -> u64 {
        self.free_at = self.free_at.max(from) + ns;
        self.taken += ns;
        self.free_at
    }
}

struct Walker {
    t: CopyTimings,
    planes: u64,
    /// Corrected bytes per page, in copy order.
    corrected: Vec<u32>,
    bus: Bus,
}

impl Walker {
    fn full_command(&self) -> u64 {
        (2 + u64::from(self.t.waits.column_cycles + self.t.waits.row_cycles)) * self.t.t_wc_ns
    }

    /// Read commands on every plane, then read busy. Returns the time when the registers are full.
    fn read(&mut self, mut at: u64) -> u64 {
        for plane in 0..self.planes {
            if plane > 0 {
                at += self.t.waits.t_wb_ns + self.t.waits.t_dbsy_ns;
            }
            let cycles = self.full_command();
            at = self.bus.take(at, cycles);
        }
        at + self.t.waits.t_wb_ns + self.t.t_r_ns + self.t.waits.t_rr_ns
    }

    fn select_plane(&mut self, at: u64) -> u64 {
        let cycles = self.full_command();
        self.bus.take(at, cycles) + self.t.waits.t_ccs_ns
    }

    fn out(&mut self, mut at: u64) -> u64 {
        for plane in 0..self.planes {
            if plane > 0 {
                at = self.select_plane(at);
            }
            at = self.bus.take(at, self.t.moved_bytes() * self.t.t_rc_ns);
        }
        at
    }

    fn corrections(&mut self, mut at: u64, page: u64) -> u64 {
        for _ in 0..self.corrected[page as usize] {
            let column = (1 + u64::from(self.t.waits.column_cycles)) * self.t.t_wc_ns;
            at = self.bus.take(at, column) + self.t.waits.t_ccs_ns;
            at = self.bus.take(at, self.t.t_wc_ns);
        }
        at
    }

    /// Program commands, data and confirmations on every plane.
    ///
    /// Returns the time when the die becomes busy, and the time when the last page left the source.
    fn load(&mut self, mut at: u64, path: CopyPath, operation: u32) -> (u64, u64) {
        let first_page = u64::from(operation) * self.planes;
        let mut left = at;
        for plane in 0..self.planes {
            if plane > 0 {
                at += self.t.waits.t_wb_ns + self.t.waits.t_dbsy_ns;
            }
            let init = self.full_command() - self.t.t_wc_ns;
            at = self.bus.take(at, init) + self.t.waits.t_adl_ns;
            match path {
                CopyPath::Icb => at = self.corrections(at, first_page + plane),
                CopyPath::IcbUnchecked => {}
                CopyPath::Lcb | CopyPath::Gcb => {
                    at = self.bus.take(at, self.t.moved_bytes() * self.t.t_wc_ns);
                }
                CopyPath::Dgcb => {
                    if plane > 0 {
                        at = self.select_plane(at);
                    }
                    let cycle = self.t.t_rc_ns.max(self.t.t_wc_ns);
                    let ns = self.t.moved_bytes() * cycle + self.t.waits.t_dl_ns;
                    left = self.bus.take(at, ns);
                    at = self.corrections(left + self.t.waits.t_ecc_ns, first_page + plane);
                }
            }
            at = self.bus.take(at, self.t.t_wc_ns);
        }
        (at + self.t.waits.t_wb_ns, left)
    }

    fn walk(mut self, path: CopyPath, cache: bool, operations: u32) -> Walk {
        let one_device = !path.between_devices();
        let (mut confirmed, mut started, mut programmed, mut source_free) = (0, 0, 0, 0);
        for operation in 0..operations {
            let read = self.read(if one_device { programmed } else { confirmed });
            let fetched = match path {
                CopyPath::Dgcb | CopyPath::IcbUnchecked => read,
                _ => {
                    source_free = self.out(read);
                    source_free + self.t.waits.t_ecc_ns
                }
            };
            let register_free = if cache { started } else { programmed };
            let (at, left) = self.load(fetched.max(register_free), path, operation);
            if path == CopyPath::Dgcb {
                source_free = left;
            }
            confirmed = at;
            started = programmed.max(confirmed);
            programmed = started + self.t.t_prog_ns;
        }
        let source_free_ns = if one_device { programmed } else { source_free };
        Walk { end_ns: programmed, source_free_ns, bus_ns: self.bus.taken }
    }
}

fn check(t: CopyTimings, planes: u32, percents: &[u32], operations: impl Iterator<Item = u32>) {
    let counts: Vec<u32> = operations.collect();
    for path in CopyPath::ALL {
        for cache in [false, true] {
            for &percent in percents {
                let corrected = t.corrected_bytes_at(percent);
                let way = Copyback::new(t, path, cache, planes)
                    .and_then(|way| way.with_corrected_bytes(corrected))
                    .expect("in range");
                for &n in &counts {
                    let bus = Bus::default();
                    let corrected = vec![corrected; (n * planes) as usize];
                    assert_eq!(way.drawn_ns(&corrected), way.transaction_ns(n * planes));
                    let walker = Walker { t, planes: planes.into(), corrected, bus };
                    // Cache program has no effect on a copy within one device.
                    let walk = walker.walk(path, cache && path.between_devices(), n);
                    let pages = n * planes;
                    let form = Walk {
                        end_ns: way.transaction_ns(pages).expect("a transaction"),
                        source_free_ns: way.source_free_ns(pages).expect("a transaction"),
                        bus_ns: way.channel_time(pages).expect("a transaction").total_ns(),
                    };
                    assert_eq!(form, walk, "{path} cache {cache} {planes} planes {n} {t:?}");
                    if way.reads_hidden() && t.waits.t_ecc_ns == 0 {
                        assert_eq!(way.printed_ns(pages), Ok(walk.end_ns), "{path} {cache} {n}");
                    }
                }
            }
        }
    }
}

#[test]
fn every_transaction_size_cache_setting_plane_count_and_error_rate_of_the_study() {
    let t = CopyTimings::of_part(&DDT_MLC, Waits::STUDY).expect("a part with bus cycles");
    let percents: Vec<u32> = (0..=100).step_by(20).collect();
    check(t, 1, &percents, 1..=128);
    check(t, 2, &percents, 1..=128);
    check(t, 2, &(0..=100).collect::<Vec<_>>(), [1, 2, 3, 128].into_iter());
}

#[test]
fn parts_whose_programs_do_not_hide_the_next_read() {
    let study = CopyTimings::of_part(&DDT_MLC, Waits::STUDY).expect("a part with bus cycles");
    let mut beyond = 0;
    for t_prog_ns in [1, 40_000, 200_000, 500_000, 700_000, 2_000_000] {
        for (t_r_ns, t_rc_ns, t_wc_ns) in [(25_000, 25, 25), (60_000, 100, 45), (900_000, 20, 50)] {
            for (t_ecc_ns, planes) in [(0, 1), (30_000, 1), (7, 2), (0, 4)] {
                let waits = Waits { t_ecc_ns, ..Waits::STUDY };
                let t = CopyTimings { t_prog_ns, t_r_ns, t_rc_ns, t_wc_ns, waits, ..study };
                check(t, planes, &[0, 50, 100], 1..=9);
                let gcb = Copyback::new(t, CopyPath::Gcb, true, planes).expect("in range");
                beyond += u32::from(!gcb.reads_hidden());
            }
        }
    }
    assert!(beyond > 30, "only {beyond} parts lie outside Eqs 10 to 13");
}

#[test]
fn pages_with_different_errors() {
    let study = CopyTimings::of_part(&DDT_MLC, Waits::STUDY).expect("a part with bus cycles");
    for t_prog_ns in [200_000, 450_000, 1_300_000] {
        let t = CopyTimings { t_prog_ns, ..study };
        for (path, cache, planes, n) in CopyPath::ALL.into_iter().flat_map(|path| {
            [(path, false, 1, 37), (path, true, 1, 37), (path, false, 2, 21), (path, true, 2, 21)]
        }) {
            let corrected: Vec<u32> = (0..n * planes).map(|page| page * page * 31 % 193).collect();
            let way = Copyback::new(t, path, cache, planes).expect("in range");
            let bus = Bus::default();
            let walker = Walker { t, planes: planes.into(), corrected: corrected.clone(), bus };
            let walk = walker.walk(path, cache && path.between_devices(), n);
            assert_eq!(way.drawn_ns(&corrected), Ok(walk.end_ns), "{path} {cache} {planes}");
            let uncorrectable = CopybackError::Uncorrectable { found: 193, most: 192 };
            assert_eq!(way.drawn_ns(&[193; 2]), Err(uncorrectable));
        }
        let way = Copyback::new(t, CopyPath::Dgcb, true, 2).expect("in range");
        assert!(way.drawn_ns(&[]).is_err() && way.drawn_ns(&[0; 3]).is_err());
    }
}
