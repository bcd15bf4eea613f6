//! Zones on flash: what is acknowledged is read, through power cuts at every operation and failures, within the bounds.

use flash::faults::{PowerCut, ProgramEraseFailure};
use flash::{AnyArray, Array, Cause, Flash, FlashError, Lpn, Operation, Probe, Serial, Store};
use ftl::{
    Allocation, AllocationOrder, AnyScheme, FtlError, Refusal, SchemeConfig, ZoneAction, ZoneState,
    registry,
};
use ftlkit_testkit::shape::Shape;
use ftlkit_testkit::shared::Shared;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

type Zoned = Box<AnyScheme>;
type Cuttable = PowerCut<ProgramEraseFailure<Array>>;

/// `zns` with zones of so many blocks on so many dies, limits of 3 open and 4 active zones.
fn config(shape: &Shape, blocks: u32, dies: u16, spare_blocks: u32) -> SchemeConfig {
    let block_bytes = shape.geometry().page_bytes() * shape.pages_per_block;
    SchemeConfig {
        zone_bytes: Some(u64::from(blocks * block_bytes)),
        max_open: Some(3),
        max_active: Some(4),
        allocation: Allocation::new([dies, 1, 1, 1], AllocationOrder::default()),
        spare_blocks,
        ..SchemeConfig::preset(registry::by_name("zns").unwrap())
    }
}

/// A command that the power cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cut {
    Write(usize, u64),
    Reset(usize),
    Finish(usize),
}

/// What the host knows: the versions of each zone's pages, in their order, and whether the zone is full.
#[derive(Clone, Debug)]
struct Host {
    zones: Vec<(Vec<u64>, bool)>,
    zone_pages: u32,
    page_bytes: usize,
    version: u64,
    random: Pcg64,
}

impl Host {
    fn new(scheme: &Zoned, seed: u64) -> Self {
        let shape = scheme.zones().unwrap();
        assert_eq!(shape.zones * shape.pages, scheme.logical_pages());
        Self {
            zones: vec![(Vec::new(), false); shape.zones as usize],
            zone_pages: shape.pages,
            page_bytes: scheme.flash().geometry().page_bytes() as usize,
            version: 0,
            random: Pcg64::seed_from_u64(seed),
        }
    }

    fn lpn(&self, zone: usize, page: usize) -> Lpn {
        Lpn(zone as u32 * self.zone_pages + page as u32)
    }

    fn wrote(&mut self, zone: usize, version: u64) {
        let (pages, full) = &mut self.zones[zone];
        pages.push(version);
        *full = pages.len() == self.zone_pages as usize;
    }

    /// Runs a random command. An error is that of the power, with the command.
    fn step(&mut self, scheme: &mut Zoned) -> Result<(), Cut> {
        let zone = self.random.random_range(0..self.zones.len());
        let first = self.lpn(zone, 0);
        let (written, full) = (self.zones[zone].0.len(), self.zones[zone].1);
        match self.random.random_range(0..20) {
            choice @ 0..14 => {
                self.version += 1;
                let version = self.version;
                let mut bytes = vec![0; self.page_bytes];
                bytes[..8].copy_from_slice(&version.to_le_bytes());
                let next = self.lpn(zone, written);
                let result = if choice < 3 {
                    scheme.append(first, Some(&bytes)).map(|lpn| assert_eq!(lpn, next))
                } else if full {
                    scheme.write(first, Some(&bytes))
                } else {
                    scheme.write(next, Some(&bytes))
                };
                scheme.end_command();
                match result {
                    Ok(()) => {
                        assert!(!full, "a full zone took a write");
                        self.wrote(zone, version);
                    }
                    Err(FtlError::Refused(Refusal::ZoneFull)) => assert!(full),
                    Err(FtlError::Refused(Refusal::TooManyActive)) => {
                        let active = |(pages, full): &&(Vec<u64>, bool)| !pages.is_empty() && !full;
                        assert!(written == 0, "an active zone was refused");
                        assert!(self.zones.iter().filter(active).count() <= 4);
                    }
                    Err(FtlError::Refused(Refusal::TooManyOpen)) => {}
                    Err(FtlError::Flash(FlashError::PowerOff)) => {
                        return Err(Cut::Write(zone, version));
                    }
                    Err(error) => panic!("{error}"),
                }
            }
            14 | 15 => {
                let wrong = self.random.random_range(0..self.zone_pages as usize);
                if wrong != written {
                    let refused = scheme.write(self.lpn(zone, wrong), None);
                    scheme.end_command();
                    let expected = if full { Refusal::ZoneFull } else { Refusal::InvalidWrite };
                    assert_eq!(refused, Err(FtlError::Refused(expected)));
                }
            }
            16 => match scheme.manage(first, ZoneAction::Reset) {
                Ok(()) => self.zones[zone] = (Vec::new(), false),
                Err(FtlError::Flash(FlashError::PowerOff)) => return Err(Cut::Reset(zone)),
                Err(error) => panic!("{error}"),
            },
            17 if self.random.random_bool(0.3) => match scheme.manage(first, ZoneAction::Finish) {
                Ok(()) => self.zones[zone].1 = true,
                Err(FtlError::Flash(FlashError::PowerOff)) => return Err(Cut::Finish(zone)),
                Err(error) => panic!("{error}"),
            },
            18 => drop(scheme.manage(first, ZoneAction::Open)),
            19 => drop(scheme.manage(first, ZoneAction::Close)),
            _ => {}
        }
        Ok(())
    }

    /// Version of a page; `None` if it is not written.
    fn read(&self, scheme: &mut Zoned, lpn: Lpn) -> Result<Option<u64>, FtlError> {
        let mut bytes = vec![1; self.page_bytes];
        let present = scheme.read(lpn, Some(&mut bytes))?;
        let version = u64::from_le_bytes(bytes[..8].try_into().unwrap());
        assert!(present || version == 0, "a page that is not written is not zero");
        Ok(present.then_some(version))
    }

    /// Compares all pages and the states of all zones. Of the zone of a cut command, what may be is taken over.
    fn check(&mut self, scheme: &mut Zoned, cut: Option<Cut>, torn: bool) {
        for zone in 0..self.zones.len() {
            let of_cut = cut.filter(|cut| match cut {
                Cut::Write(of, _) | Cut::Reset(of) | Cut::Finish(of) => *of == zone,
            });
            if let Some(Cut::Reset(_)) = of_cut
                && self.read(scheme, self.lpn(zone, 0)).ok() == Some(None)
            {
                self.zones[zone] = (Vec::new(), false);
            }
            for page in 0..self.zone_pages as usize {
                let expected = self.zones[zone].0.get(page).copied();
                match self.read(scheme, self.lpn(zone, page)) {
                    Ok(found) => {
                        let told = "is not the version that was acknowledged";
                        assert_eq!(found, expected, "zone {zone}, page {page} {told}; {cut:?}");
                    }
                    // Found torn by an earlier check.
                    Err(FtlError::Flash(FlashError::Uncorrectable(_))) if expected == Some(0) => {}
                    Err(FtlError::Flash(FlashError::Uncorrectable(_))) => {
                        let next = page == self.zones[zone].0.len();
                        assert!(
                            torn && next && of_cut.is_some(),
                            "zone {zone}, page {page}; {cut:?}"
                        );
                        self.zones[zone].0.push(0);
                        self.zones[zone].1 = true;
                        break;
                    }
                    Err(error) => panic!("{error}"),
                }
            }
        }
        let states = scheme.telemetry().zones.unwrap().states;
        if cut.is_some() {
            // The cut zone alone may be full or not: whether it is shows in the count.
            let full = self.zones.iter().filter(|zone| zone.1).count() as u32;
            if let Some(Cut::Finish(zone) | Cut::Write(zone, _) | Cut::Reset(zone)) = cut
                && states[ZoneState::Full as usize] == full + 1
            {
                assert!(!self.zones[zone].1);
                self.zones[zone].1 = true;
            }
        }
        let count = |is: fn(&(Vec<u64>, bool)) -> bool| {
            self.zones.iter().filter(|zone| is(zone)).count() as u32
        };
        let of = |state: ZoneState| states[state as usize];
        assert_eq!(of(ZoneState::Full), count(|(_, full)| *full), "{cut:?}");
        assert_eq!(of(ZoneState::Closed), count(|(pages, full)| !full && !pages.is_empty()));
        assert_eq!(of(ZoneState::Empty), count(|(pages, full)| !full && pages.is_empty()));
    }
}

fn array(shape: &Shape) -> Shared<Cuttable> {
    Shared::new(PowerCut::new(ProgramEraseFailure::new(shape.array(Store::All, &[]), 1)))
}

const STEPS: usize = 250;

/// Runs random commands with the power cut at this operation, mounts (with a cut in the mount, too), goes on and mounts
/// again. Returns the changes until the cut, and whether one of the commands was cut.
fn cut_at(shape: &Shape, config: &SchemeConfig, seed: u64, after: u64, torn: bool) -> (u64, bool) {
    let flash = array(shape);
    let mut scheme = registry::format(config, AnyArray::new(flash.clone())).unwrap();
    let begun = flash.with(|flash| {
        flash.cut_after(after, torn);
        flash.changes()
    });
    let mut host = Host::new(&scheme, seed);
    let cut = (0..STEPS).find_map(|_| host.step(&mut scheme).err());
    let left = flash.with(|flash| flash.clone());
    let changes = left.changes() - begun;
    for mount_cut in 0..4 {
        for mount_torn in [false, true] {
            let flash = Shared::new(left.clone());
            flash.with(|flash| {
                flash.restore();
                flash.cut_after(mount_cut, mount_torn);
            });
            if let Err(error) = registry::mount(config, AnyArray::new(flash.clone())) {
                assert_eq!(error, FtlError::Flash(FlashError::PowerOff));
            }
            flash.with(|flash| flash.restore());
            let mut scheme = registry::mount(config, AnyArray::new(flash.clone())).unwrap();
            let mut host = host.clone();
            host.check(&mut scheme, cut, torn);
            for _ in 0..STEPS / 4 {
                host.step(&mut scheme).unwrap();
            }
            let mut scheme = registry::mount(config, AnyArray::new(flash)).unwrap();
            host.check(&mut scheme, None, false);
        }
    }
    (changes, cut.is_some())
}

#[test]
fn a_power_cut_at_every_operation_loses_nothing_that_was_acknowledged() {
    let mut cuts = 0;
    let shape = Shape::new(14, 4, 8);
    for (blocks, dies) in [(1, 1), (2, 2), (3, 2), (4, 4)] {
        let config = config(&shape, blocks, dies, 0);
        for seed in 0..3 {
            let (changes, cut) = cut_at(&shape, &config, seed, u64::MAX, false);
            assert!(changes > 50 && !cut, "{changes}");
            for after in 0..changes {
                for torn in [false, true] {
                    let (ran, cut) = cut_at(&shape, &config, seed, after, torn);
                    assert!(cut && ran == after);
                    cuts += 1;
                }
            }
        }
    }
    println!("{cuts} cuts");
}

/// What a write, a read and a reset take, and what is programmed and erased, is what the plan says.
#[test]
fn bounds_are_kept_and_write_amplification_is_one() {
    let shape = Shape::new(14, 4, 8);
    for (blocks, dies) in [(1, 1), (3, 2)] {
        let config = config(&shape, blocks, dies, 0);
        let flash = AnyArray::new(Serial::new(shape.array(Store::All, &[])));
        let mut scheme = registry::format(&config, flash).unwrap();
        let part = shape.part();
        let bound = scheme.telemetry().guarantee;
        let reset_ns = u64::from(blocks) * part.t_bers_ns;
        assert_eq!(bound.write_ns, Some(part.t_prog_ns));
        assert_eq!(bound.response_ns, Some(reset_ns.max(part.t_prog_ns)));
        let mut host = Host::new(&scheme, 7);
        let (mut longest, mut before) = (0, scheme.flash().worked().busy_ns);
        for _ in 0..5000 {
            host.step(&mut scheme).unwrap();
            let now = scheme.flash().worked().busy_ns;
            longest = longest.max(now - before);
            before = now;
        }
        assert_eq!(longest, reset_ns.max(part.t_prog_ns), "the bound is met, and kept");
        let serial = scheme.flash().downcast_ref::<Serial<Array>>().unwrap();
        let counts = *serial.counts();
        let log = scheme.telemetry().zones.unwrap().log;
        assert_eq!(counts.get(Operation::Program, Cause::Host), log.written + log.appended);
        assert_eq!(counts.get(Operation::Program, Cause::Translation), log.finishes);
        assert_eq!(counts.total(Operation::Copy), 0);
        assert_eq!(counts.total(Operation::Erase), counts.get(Operation::Erase, Cause::Host));
        assert!(log.written > 500 && log.appended > 100 && log.resets > 20, "{log:?}");
        assert!(log.explicit_opens > 0 && log.implicit_closes > 0 && log.most_open == 3);
        // Free pages add up: what is not programmed since its erase, less what full zones gave up.
        let free: u64 = scheme.free_pages();
        let written: usize = host.zones.iter().map(|(pages, _)| pages.len()).sum();
        assert!(free + written as u64 <= u64::from(shape.blocks * shape.pages_per_block));
    }
}

/// Runs until zones are lost: what was acknowledged can be read, and what is refused has a reason.
#[test]
fn failed_programs_and_erases_lose_nothing_and_cost_spare_blocks_first() {
    let (mut seen, mut with_spare) = ([0; Refusal::ALL.len()], 0);
    let (mut zones_gone, mut read_only) = (0, 0);
    for seed in 0..60 {
        let spare_blocks = seed as u32 % 4;
        let (blocks, dies) = [(1, 1), (2, 2), (3, 2)][seed as usize % 3];
        let shape = Shape::new(12 + spare_blocks, 4, 8);
        let config = config(&shape, blocks, dies, spare_blocks);
        let mut array = ProgramEraseFailure::new(shape.array(Store::All, &[]), seed);
        array.fail_programs(4000);
        array.fail_erases(4000);
        let flash = Shared::new(array);
        let mut scheme = registry::format(&config, AnyArray::new(flash.clone())).unwrap();
        let mut random = Pcg64::seed_from_u64(seed);
        let mut host = Host::new(&scheme, seed);
        let (mut lost, mut faults) = (vec![false; host.zones.len()], 0);
        for step in 0..4000u64 {
            let zone = random.random_range(0..host.zones.len());
            let first = host.lpn(zone, 0);
            let written = host.zones[zone].0.len();
            if random.random_range(0..10) == 0 {
                match scheme.manage(first, ZoneAction::Reset) {
                    Ok(()) => host.zones[zone] = (Vec::new(), false),
                    Err(FtlError::Refused(refusal)) => {
                        assert_eq!(refusal, Refusal::InvalidTransition);
                        assert!(lost[zone], "a zone that works was not reset");
                    }
                    Err(error) => panic!("seed {seed}: {error}"),
                }
                let offline =
                    scheme.read(first, None) == Err(FtlError::Refused(Refusal::ZoneOffline));
                lost[zone] |= offline;
            } else if !host.zones[zone].1 {
                let mut bytes = vec![0; host.page_bytes];
                bytes[..8].copy_from_slice(&(step + 1).to_le_bytes());
                let result = scheme.write(host.lpn(zone, written), Some(&bytes));
                scheme.end_command();
                match result {
                    Ok(()) => host.wrote(zone, step + 1),
                    Err(FtlError::Refused(refusal)) => {
                        seen[refusal as usize] += 1;
                        let zones = scheme.telemetry().zones.unwrap();
                        let state = zones.states;
                        if refusal == Refusal::WriteFault {
                            host.zones[zone].1 = true;
                            faults += 1;
                        }
                        // No other command makes a zone read only.
                        let replaced = faults - u64::from(state[ZoneState::ReadOnly as usize]);
                        assert_eq!(zones.log.finished_by_controller, replaced, "seed {seed}");
                        lost[zone] |=
                            matches!(refusal, Refusal::ZoneReadOnly | Refusal::ZoneOffline)
                                || refusal == Refusal::WriteFault
                                    && state[ZoneState::ReadOnly as usize] > 0;
                    }
                    Err(error) => panic!("seed {seed}: {error}"),
                }
            }
            if step % 64 == 0 {
                for (zone, (pages, _)) in host.zones.iter().enumerate() {
                    for (page, version) in pages.iter().enumerate() {
                        let found = host.read(&mut scheme, host.lpn(zone, page));
                        assert_eq!(
                            found,
                            Ok(Some(*version)),
                            "seed {seed}, zone {zone}, page {page}"
                        );
                    }
                }
            }
        }
        let state = scheme.telemetry().zones.unwrap();
        read_only += state.states[ZoneState::ReadOnly as usize];
        let gone =
            state.states[ZoneState::ReadOnly as usize] + state.states[ZoneState::Offline as usize];
        zones_gone += gone;
        let retired = scheme.telemetry().collections.retired_blocks;
        with_spare += u32::from(retired > spare_blocks);
        // The next mount reads the same.
        let shape_of = scheme.zones().unwrap();
        let mut scheme = registry::mount(&config, AnyArray::new(flash)).unwrap();
        assert_eq!(scheme.zones(), Some(shape_of));
        for (zone, (pages, _)) in host.zones.iter().enumerate() {
            for (page, version) in pages.iter().enumerate() {
                let found = host.read(&mut scheme, host.lpn(zone, page));
                assert_eq!(
                    found,
                    Ok(Some(*version)),
                    "seed {seed}, zone {zone}, page {page}, after a mount"
                );
            }
        }
    }
    for refusal in [Refusal::WriteFault, Refusal::ZoneOffline] {
        assert!(seen[refusal as usize] > 0, "{refusal} was never seen");
    }
    assert!(
        with_spare > 0 && zones_gone > 60 && read_only > 10,
        "the failures are to use up the spare blocks: {zones_gone}, {read_only} read only"
    );
}

#[test]
fn a_refused_page_refuses_the_rest_of_its_command() {
    let shape = Shape::new(14, 4, 8);
    let config = config(&shape, 2, 1, 0);
    let flash = AnyArray::new(shape.array(Store::All, &[]));
    let mut scheme = registry::format(&config, flash).unwrap();
    for page in 0..2 {
        scheme.write(Lpn(page), None).unwrap();
    }
    scheme.end_command();
    // A write of the first four pages: page 2 would be at the write pointer.
    for page in 0..4 {
        assert_eq!(scheme.write(Lpn(page), None), Err(FtlError::Refused(Refusal::InvalidWrite)));
    }
    scheme.end_command();
    scheme.write(Lpn(2), None).unwrap();
    // An append of six pages to the five that are left.
    for following in (0..6).rev() {
        let refused = Err(FtlError::Refused(Refusal::ZoneBoundary));
        assert_eq!(scheme.append(Lpn(following), None), refused);
    }
    scheme.end_command();
    for following in (0..5).rev() {
        assert_eq!(scheme.append(Lpn(following), None), Ok(Lpn(7 - following)));
    }
}

#[test]
fn pages_behind_the_mark_of_a_finish_were_never_written() {
    let shape = Shape::new(4, 4, 8);
    let config = config(&shape, 2, 2, 0);
    let flash = Shared::new(shape.array(Store::All, &[]));
    let mut scheme: Zoned = registry::format(&config, AnyArray::new(flash.clone())).unwrap();
    for page in 0..3 {
        scheme.write(Lpn(page), None).unwrap();
    }
    scheme.end_command();
    scheme.manage(Lpn(0), ZoneAction::Finish).unwrap();
    let written =
        |scheme: &mut Zoned| [0, 2, 3, 4, 7].map(|page| scheme.read(Lpn(page), None).unwrap());
    assert_eq!(written(&mut scheme), [true, true, false, false, false]);
    let mut scheme = registry::mount(&config, AnyArray::new(flash)).unwrap();
    assert_eq!(written(&mut scheme), [true, true, false, false, false]);
    scheme.manage(Lpn(0), ZoneAction::Reset).unwrap();
    assert_eq!(scheme.telemetry().zones.unwrap().log.unwritten, 5);
}

#[test]
fn a_block_in_which_two_marks_of_a_finish_fail_is_lost_once() {
    let shape = Shape::new(5, 4, 8);
    let config = config(&shape, 1, 1, 1);
    let mut failing = ProgramEraseFailure::new(shape.array(Store::All, &[]), 1);
    failing.fail_programs(1_000_000);
    let flash = Shared::new(failing);
    let mut scheme: Zoned = registry::format(&config, AnyArray::new(flash.clone())).unwrap();
    scheme.manage(Lpn(0), ZoneAction::Finish).unwrap();
    let log = scheme.telemetry().zones.unwrap().log;
    assert_eq!((flash.with(|array| array.failed_programs()), log.finishes), (4, 1));
    flash.with(|array| array.fail_programs(0));
    scheme.manage(Lpn(0), ZoneAction::Reset).unwrap();
    // The spare block replaces it.
    let states = scheme.telemetry().zones.unwrap().states;
    assert_eq!(states[ZoneState::Empty as usize], 4);
    for page in 0..4 {
        scheme.write(Lpn(page), None).unwrap();
    }
    scheme.end_command();
    // For a second one there is none.
    flash.with(|array| array.fail_programs(1_000_000));
    scheme.manage(Lpn(4), ZoneAction::Finish).unwrap();
    flash.with(|array| array.fail_programs(0));
    scheme.manage(Lpn(4), ZoneAction::Reset).unwrap();
    assert_eq!(scheme.telemetry().zones.unwrap().states[ZoneState::Offline as usize], 1);
}

#[test]
fn what_cannot_work_is_refused_before_it_starts() {
    let shape = Shape::new(14, 4, 8);
    let plain = config(&shape, 1, 1, 0);
    let error = |config: &SchemeConfig| {
        registry::plan(config, &shape.part(), &shape.geometry(), 14).unwrap_err().to_string()
    };
    for (config, said) in [
        (
            SchemeConfig { zone_bytes: Some(100), ..plain.clone() },
            "a multiple of a block, 128 bytes",
        ),
        (
            SchemeConfig { zone_bytes: Some(15 * 128), ..plain.clone() },
            "takes 15 blocks; there are 14",
        ),
        (SchemeConfig { max_open: Some(5), ..plain.clone() }, "1 to `max_active`, 4"),
        (SchemeConfig { max_open: Some(0), ..plain.clone() }, "max_open is 0"),
        (SchemeConfig { max_active: Some(0), ..plain.clone() }, "max_active is 0"),
        (SchemeConfig { logical_pages: Some(3), ..plain.clone() }, "exports 3 pages"),
        (SchemeConfig { refresh: true, ..plain.clone() }, "refresh is not possible"),
        (
            SchemeConfig {
                buffer: ftl::BufferSettings {
                    policy: Some(Some(ftl::BufferPolicy::LRU)),
                    ..ftl::BufferSettings::default()
                },
                ..plain.clone()
            },
            "buffer is not possible",
        ),
    ] {
        let told = error(&config);
        assert!(told.contains(said), "{told}");
    }
    let page_level = SchemeConfig {
        zone_bytes: Some(128),
        ..SchemeConfig::preset(registry::by_name("page-level").unwrap())
    };
    assert!(error(&page_level).contains("zone is no setting of `page-level`"));
    // Fewer active zones than are partly written.
    let flash = Shared::new(shape.array(Store::All, &[]));
    let mut scheme = registry::format(&plain, AnyArray::new(flash.clone())).unwrap();
    (0..4).for_each(|zone| scheme.write(Lpn(zone * 4), None).unwrap());
    let fewer = SchemeConfig { max_open: Some(1), max_active: Some(3), ..plain };
    let refused = registry::mount(&fewer, AnyArray::new(flash)).err().unwrap().to_string();
    assert!(refused.contains("max_active is 3, and 4 zones are partly written"), "{refused}");
}
