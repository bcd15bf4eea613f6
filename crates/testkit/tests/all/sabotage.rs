//! Tests of the checks themselves: schemes with one fault each, and the failures reported for them.

use crate::scheme;
use flash::{AnyArray, Cause, Flash, Lpn, Ns, Store};
use ftl::{Background, BufferPolicy, Ftl, FtlError, SchemeConfig, Telemetry, registry};
use ftlkit_testkit::bench::{AnyScheme, array_of, bench};
use ftlkit_testkit::buffers::small;
use ftlkit_testkit::checks::Failure;
use ftlkit_testkit::driver::{Driver, Medium, Stop};
use ftlkit_testkit::exhaustive::{Refutation, Search, explore};
use ftlkit_testkit::model::{Mismatch, Model};
use ftlkit_testkit::operations::{Operation, Pattern};
use ftlkit_testkit::projection::ByBlocks;
use ftlkit_testkit::run::durable_after;
use ftlkit_testkit::shape::Shape;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    None,
    /// Every hundredth write is acknowledged but not executed.
    LostWrite,
    /// Reads swap two neighbouring pages.
    MixedUp,
    /// A trim does nothing.
    NoTrim,
    /// One free page too many is reported.
    FreePages,
    /// The bound of a step is half the time that it takes.
    Step,
    /// The bound on victims is one valid page too low.
    Victim,
    /// A read does the work of a collection.
    ReadsCollect,
    /// No fault: every third write stays in RAM until the next flush, and the scheme is declared volatile.
    Held,
    /// As `Held`, but not declared volatile.
    HeldInSecret,
    /// As `Held`, but a flush drops the writes that it acknowledges.
    FlushForgets,
    /// As `Held`, but a flush writes the older version of a page that is held twice.
    FlushesOlder,
    /// A flush does nothing, although the write buffer has dirty pages.
    FlushIsNone,
    /// A forced write is executed as an ordinary one.
    ForceIsNone,
    /// The clock stands still: no page gets old enough to be written.
    AgeIsNone,
}

impl Fault {
    fn holds(self) -> bool {
        use Fault::{FlushForgets, FlushesOlder, Held, HeldInSecret};
        matches!(self, Held | HeldInSecret | FlushForgets | FlushesOlder)
    }
}

struct Spoilt {
    scheme: Box<AnyScheme>,
    fault: Fault,
    writes: u64,
    /// Writes in RAM, oldest first.
    held: Vec<(Lpn, Option<Vec<u8>>)>,
}

impl Clone for Spoilt {
    fn clone(&self) -> Self {
        let Self { scheme, fault, writes, held } = self;
        Self { scheme: scheme.fork(), fault: *fault, writes: *writes, held: held.clone() }
    }
}

impl Ftl for Spoilt {
    type Flash = AnyArray;

    fn flash(&self) -> &AnyArray {
        self.scheme.flash()
    }
    fn flash_mut(&mut self) -> &mut AnyArray {
        self.scheme.flash_mut()
    }
    fn into_flash(self: Box<Self>) -> AnyArray {
        self.scheme.into_flash()
    }
    fn logical_pages(&self) -> u32 {
        self.scheme.logical_pages()
    }
    fn write(&mut self, lpn: Lpn, data: Option<&[u8]>) -> Result<(), FtlError> {
        self.writes += 1;
        if self.fault == Fault::LostWrite && self.writes.is_multiple_of(100) {
            return Ok(());
        }
        if self.fault.holds() {
            if self.writes.is_multiple_of(3) {
                if self.fault != Fault::FlushesOlder {
                    self.held.retain(|(held, _)| *held != lpn);
                }
                self.held.push((lpn, data.map(<[u8]>::to_vec)));
                return Ok(());
            }
            self.held.retain(|(held, _)| *held != lpn);
        }
        self.scheme.write(lpn, data)
    }
    fn read(&mut self, lpn: Lpn, data: Option<&mut [u8]>) -> Result<bool, FtlError> {
        if self.fault == Fault::ReadsCollect {
            let pages = (0..self.flash().geometry().pages()).map(flash::Ppn);
            for ppn in pages.chain((0..40).map(|_| flash::Ppn(0))) {
                let _ = self.flash_mut().read(ppn, None, Cause::Collection);
            }
        }
        if let Some((_, held)) = self.held.iter().rev().find(|(held, _)| *held == lpn) {
            if let (Some(data), Some(held)) = (data, held) {
                data.copy_from_slice(held);
            }
            return Ok(true);
        }
        let mixed_up = self.fault == Fault::MixedUp && lpn.0 < 2;
        self.scheme.read(if mixed_up { Lpn(lpn.0 ^ 1) } else { lpn }, data)
    }
    fn trim(&mut self, lpn: Lpn) -> Result<(), FtlError> {
        self.held.retain(|(held, _)| *held != lpn);
        if self.fault == Fault::NoTrim { Ok(()) } else { self.scheme.trim(lpn) }
    }
    fn flush(&mut self) -> Result<(), FtlError> {
        let held = std::mem::take(&mut self.held);
        for (at, (lpn, data)) in held.iter().enumerate() {
            let older = held[..at].iter().any(|(held, _)| held == lpn);
            match self.fault {
                Fault::FlushForgets => {}
                Fault::FlushesOlder if older => {}
                _ => self.scheme.write(*lpn, data.as_deref())?,
            }
        }
        if self.fault == Fault::FlushIsNone { Ok(()) } else { self.scheme.flush() }
    }
    fn write_through(&mut self, lpn: Lpn, data: Option<&[u8]>) -> Result<(), FtlError> {
        match self.fault {
            Fault::ForceIsNone => self.scheme.write(lpn, data),
            fault if fault.holds() => {
                self.write(lpn, data)?;
                self.flush()
            }
            _ => {
                self.writes += 1;
                self.scheme.write_through(lpn, data)
            }
        }
    }
    fn free_pages(&self) -> u64 {
        self.scheme.free_pages() + u64::from(self.fault == Fault::FreePages)
    }
    fn telemetry(&self) -> Telemetry<'_> {
        let mut telemetry = self.scheme.telemetry();
        let promised = &mut telemetry.guarantee;
        promised.volatile |= self.fault.holds() && self.fault != Fault::HeldInSecret;
        // A forced write loses no held page: all of them are written then.
        promised.forced_apart |= promised.volatile && self.fault.holds();
        match self.fault {
            Fault::Step => promised.step_ns = promised.step_ns.map(|ns| ns / 2),
            Fault::Victim => promised.victim_valid = promised.victim_valid.map(|valid| valid - 1),
            _ => {}
        }
        // Without this the buffer's log would reveal faults that the lost data must reveal.
        telemetry.buffer = None;
        telemetry
    }
    fn restart_telemetry(&mut self) {
        self.scheme.restart_telemetry();
    }
}

impl Background for Spoilt {
    fn due_ns(&self) -> Ns {
        if self.fault == Fault::AgeIsNone { Ns::MAX } else { self.scheme.due_ns() }
    }
    fn advance(&mut self, now_ns: Ns) -> Result<(), FtlError> {
        if self.fault == Fault::AgeIsNone { Ok(()) } else { self.scheme.advance(now_ns) }
    }
    fn idle(&mut self) -> Result<bool, FtlError> {
        self.scheme.idle()
    }
    fn idle_ns(&self) -> Ns {
        self.scheme.idle_ns()
    }
}

const SHAPE: Shape = Shape::new(5, 8, 3);

fn spoilt(config: &SchemeConfig, fault: Fault) -> Box<AnyScheme> {
    let scheme = registry::format(config, bench(SHAPE.array(Store::All, &[]))).unwrap();
    Box::new(Spoilt { scheme, fault, writes: 0, held: Vec::new() })
}

fn bare() -> SchemeConfig {
    scheme("lazy-rtgc")
}

fn buffered() -> SchemeConfig {
    SchemeConfig { buffer: small(BufferPolicy::LRU, None, &SHAPE), ..bare() }
}

fn drive_by(fault: Fault, pattern: Pattern) -> Result<(), Failure> {
    let scheme = spoilt(&bare(), fault);
    let pages = scheme.logical_pages();
    let mut model = Model::new(pages);
    let mut driver = Driver::new(scheme, &mut model, Medium::Sound)?;
    for operation in pattern.sequence(pages, SHAPE.pages_per_block, 3).take(3000) {
        match driver.apply(operation) {
            Ok(()) => driver.check_accounts()?,
            Err(Stop::Failed(failure)) => return Err(failure),
            Err(Stop::PowerOff) => unreachable!("nothing cuts the power"),
        }
    }
    Ok(())
}

fn drive(fault: Fault) -> Result<(), Failure> {
    drive_by(fault, Pattern::Uniform)
}

#[test]
fn every_fault_is_told() {
    assert_eq!(drive(Fault::None), Ok(()));
    assert_eq!(drive(Fault::Held), Ok(()));
    let in_secret = drive(Fault::HeldInSecret);
    assert!(matches!(in_secret, Err(Failure::Account(_))), "{in_secret:?}");
    assert!(drive(Fault::FlushForgets).is_err());
    assert!(drive(Fault::FlushesOlder).is_err());
    assert!(matches!(drive(Fault::LostWrite), Err(Failure::Account(_))));
    let mixed_up = drive(Fault::MixedUp);
    assert!(matches!(
        mixed_up,
        Err(Failure::Content(Mismatch::OtherPage { .. } | Mismatch::Version { .. }))
    ));
    assert!(matches!(drive(Fault::NoTrim), Err(Failure::Content(Mismatch::Version { .. }))));
    assert!(matches!(drive(Fault::FreePages), Err(Failure::Account(_))));
    assert!(matches!(
        drive(Fault::Step),
        Err(Failure::Promise { what: "collection step (ns)", .. })
    ));
    assert!(matches!(
        drive(Fault::ReadsCollect),
        Err(Failure::Promise { what: "collection step (ns)", .. })
    ));
    let victim = drive_by(Fault::Victim, Pattern::SpreadInvalidation);
    assert!(matches!(victim, Err(Failure::Promise { what: "valid pages", .. })), "{victim:?}");
}

/// Runs these operations on a scheme with this configuration, then cuts the power, mounts and reads everything.
/// Returns the number of pages whose newest write was lost as permitted.
fn pull_the_plug(
    config: &SchemeConfig,
    fault: Fault,
    operations: &[Operation],
) -> Result<u64, Stop> {
    let scheme = spoilt(config, fault);
    let mut model = Model::new(scheme.logical_pages());
    model.durable_after(durable_after(config, &SHAPE.array(Store::All, &[])));
    let mut driver = Driver::new(scheme, &mut model, Medium::Sound)?;
    operations.iter().try_for_each(|operation| driver.apply(*operation))?;
    let array = array_of(driver.into_scheme());
    model.power_failed();
    model.mounted();
    let scheme = registry::mount(config, bench(array)).unwrap();
    Driver::new(scheme, &mut model, Medium::Sound)?.read_all()?;
    Ok(model.lost())
}

/// No account shows the loss of a page that was not observed on flash. Only the model shows that a flushed write, or
/// one declared durable, is lost.
#[test]
fn what_was_flushed_must_survive_the_plug_and_what_was_not_may_be_lost() {
    use Operation::{Flush, Write};
    // The third and the sixth write are held.
    let flushed = [Write(1), Write(2), Write(7), Flush];
    let twice = [Write(1), Write(2), Write(7), Write(4), Write(5), Write(7), Flush];
    let unflushed = &flushed[..3];
    let after = |fault, operations: &[Operation]| pull_the_plug(&bare(), fault, operations);
    for (operations, loses) in [(&flushed[..], 0), (&twice, 0), (unflushed, 1)] {
        assert_eq!(after(Fault::None, operations).unwrap(), 0);
        assert_eq!(after(Fault::Held, operations).unwrap(), loses);
    }
    assert!(lost(after(Fault::HeldInSecret, unflushed)));
    assert!(after(Fault::HeldInSecret, &flushed).is_ok());
    assert!(lost(after(Fault::FlushForgets, &flushed)));
    // Here the older version is observed on flash when the flush returns.
    assert!(matches!(after(Fault::FlushesOlder, &twice), Err(Stop::Failed(Failure::Account(_)))));
}

fn lost(came: Result<u64, Stop>) -> bool {
    matches!(came, Err(Stop::Failed(Failure::Content(Mismatch::Version { .. }))))
}

/// A write buffer that neglects a task that makes pages durable, which the losses after a power cut reveal. Permitted
/// losses are not reported.
#[test]
fn a_buffer_must_flush_when_it_is_told_to_or_when_it_is_time() {
    use Operation::{Flush, Read, Shutdown, Write, WriteThrough};
    let after = |fault, operations: &[Operation]| pull_the_plug(&buffered(), fault, operations);
    assert_eq!(after(Fault::None, &[Write(1), Write(2), Write(1)]).unwrap(), 2);
    // The clock advances by one second per operation on average.
    let mut old = vec![Write(1)];
    old.extend([Read(2); 200]);
    let told: [(Fault, &[Operation]); 4] = [
        (Fault::FlushIsNone, &[Write(1), Flush]),
        (Fault::FlushIsNone, &[Write(1), Shutdown]),
        (Fault::ForceIsNone, &[Write(1), WriteThrough(1)]),
        (Fault::AgeIsNone, &old),
    ];
    for (fault, operations) in told {
        assert_eq!(after(Fault::None, operations).unwrap(), 0, "{operations:?}");
        match after(fault, operations) {
            // Work that is due after a flush is reported before the power cut.
            Err(Stop::Failed(Failure::Account(_))) => assert_eq!(fault, Fault::FlushIsNone),
            came => assert!(lost(came), "{fault:?}"),
        }
    }
}

/// The same in workloads of the suites: each fault is found in some of them, and none is reported without a fault.
#[test]
fn neglectful_buffers_are_told_in_random_workloads() {
    let faults = [Fault::None, Fault::FlushIsNone, Fault::ForceIsNone, Fault::AgeIsNone];
    let (mut told, mut may_be_gone) = ([0; 4], 0);
    for seed in 0..40 {
        let operations = Pattern::HotCold.sequence(20, SHAPE.pages_per_block, seed);
        let operations: Vec<_> = operations.take(100).collect();
        for (fault, told) in faults.into_iter().zip(&mut told) {
            match pull_the_plug(&buffered(), fault, &operations) {
                Ok(lost) => may_be_gone += lost,
                Err(Stop::Failed(_)) => *told += 1,
                Err(Stop::PowerOff) => unreachable!("nothing cuts the power"),
            }
        }
    }
    println!("told {told:?} times of 40, {may_be_gone} pages were gone that may be");
    assert_eq!(told[0], 0);
    assert!(told[1..].iter().all(|told| *told > 2), "{told:?}");
    assert!(may_be_gone > 40);
}

/// The search reports the properties that it checks; page contents are not among them.
#[test]
fn the_search_tells_broken_promises() {
    let searched = |fault| explore(spoilt(&bare(), fault), Search::default(), &ByBlocks);
    assert!(searched(Fault::None).is_ok());
    for fault in [Fault::FreePages, Fault::Step, Fault::Victim, Fault::NoTrim] {
        let refuted = searched(fault);
        assert!(matches!(refuted, Err(Refutation::Broken { .. })), "{fault:?}: {refuted:?}");
    }
}
