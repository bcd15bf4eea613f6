//! The checks can fail: schemes that are spoilt in one way each, and what is said of them.

use flash::{Cause, Flash, Lpn, Serial, Store};
use ftl::registry::{self, Visitor, by_name};
use ftl::{CollectionLog, FtlError, Guarantee, Ram, Scheme, SchemeConfig};
use ftlkit_testkit::checks::Failure;
use ftlkit_testkit::driver::{Bench, Driver, Medium, Stop};
use ftlkit_testkit::exhaustive::{Refutation, Search, explore};
use ftlkit_testkit::model::{Mismatch, Model};
use ftlkit_testkit::operations::Pattern;
use ftlkit_testkit::shape::Shape;
use ftlkit_testkit::watched::Watched;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    None,
    /// Every hundredth write is acknowledged but not done.
    LostWrite,
    /// Two neighbours are mixed up by reads.
    MixedUp,
    /// A trim does nothing.
    NoTrim,
    /// Free pages are one too many.
    FreePages,
    /// A step is promised in half the time that it takes.
    Step,
    /// One valid page less is promised of victims.
    Victim,
    /// A read does a collection's work.
    ReadsCollect,
}

#[derive(Clone)]
struct Spoilt<S> {
    scheme: S,
    fault: Fault,
    writes: u64,
}

type TestBench = Bench<flash::Array>;

impl<S: Scheme<Flash = TestBench>> Scheme for Spoilt<S> {
    type Flash = TestBench;

    fn flash(&self) -> &TestBench {
        self.scheme.flash()
    }
    fn flash_mut(&mut self) -> &mut TestBench {
        self.scheme.flash_mut()
    }
    fn into_flash(self) -> TestBench {
        self.scheme.into_flash()
    }
    fn logical_pages(&self) -> u32 {
        self.scheme.logical_pages()
    }
    fn write(&mut self, lpn: Lpn, data: &[u8]) -> Result<(), FtlError> {
        self.writes += 1;
        if self.fault == Fault::LostWrite && self.writes.is_multiple_of(100) {
            return Ok(());
        }
        self.scheme.write(lpn, data)
    }
    fn read(&mut self, lpn: Lpn, data: &mut [u8]) -> Result<bool, FtlError> {
        if self.fault == Fault::ReadsCollect {
            let written = (0..self.flash().geometry().pages()).map(flash::Ppn);
            for ppn in written {
                if self.flash_mut().read(ppn, &mut [], Cause::Collection).is_ok() {
                    break;
                }
            }
        }
        let mixed_up = self.fault == Fault::MixedUp && lpn.0 < 2;
        self.scheme.read(if mixed_up { Lpn(lpn.0 ^ 1) } else { lpn }, data)
    }
    fn trim(&mut self, lpn: Lpn) -> Result<(), FtlError> {
        if self.fault == Fault::NoTrim { Ok(()) } else { self.scheme.trim(lpn) }
    }
    fn flush(&mut self) -> Result<(), FtlError> {
        self.scheme.flush()
    }
    fn idle(&mut self) -> Result<bool, FtlError> {
        self.scheme.idle()
    }
    fn free_pages(&self) -> u64 {
        self.scheme.free_pages() + u64::from(self.fault == Fault::FreePages)
    }
    fn guarantee(&self) -> Guarantee {
        let mut promised = self.scheme.guarantee();
        match self.fault {
            Fault::Step => promised.step_ns = promised.step_ns.map(|ns| ns / 2),
            Fault::Victim => promised.victim_valid = promised.victim_valid.map(|valid| valid - 1),
            _ => {}
        }
        promised
    }
    fn ram(&self) -> Ram {
        self.scheme.ram()
    }
    fn heap_bytes(&self) -> usize {
        self.scheme.heap_bytes()
    }
    fn collections(&self) -> &CollectionLog {
        self.scheme.collections()
    }
    fn restart_collections(&mut self) {
        self.scheme.restart_collections();
    }
}

const SHAPE: Shape = Shape::new(5, 8, 3);

fn spoil<V: Visitor<TestBench>>(visitor: V) -> V::Output {
    let config = SchemeConfig::preset(by_name("lazy-rtgc").unwrap());
    let bench = Serial::new(Watched::new(SHAPE.array(Store::All, &[])));
    registry::format(&config, bench, visitor).unwrap()
}

struct Drive(Fault, Pattern);

impl Visitor<TestBench> for Drive {
    type Output = Result<(), Failure>;

    fn visit<S: Scheme<Flash = TestBench> + Clone>(self, scheme: S) -> Self::Output {
        let mut model = Model::new(scheme.logical_pages());
        let operations =
            self.1.sequence(scheme.logical_pages(), SHAPE.pages_per_block, 3).take(3000);
        let scheme = Spoilt { scheme, fault: self.0, writes: 0 };
        let mut driver = Driver::new(scheme, &mut model, Medium::Sound)?;
        for operation in operations {
            match driver.apply(operation) {
                Ok(()) => driver.check_accounts()?,
                Err(Stop::Failed(failure)) => return Err(failure),
                Err(Stop::PowerOff) => unreachable!("nothing cuts the power"),
            }
        }
        Ok(())
    }
}

fn drive(fault: Fault) -> Result<(), Failure> {
    spoil(Drive(fault, Pattern::Uniform))
}

#[test]
fn every_fault_is_told() {
    assert_eq!(drive(Fault::None), Ok(()));
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
    let response = drive(Fault::ReadsCollect);
    assert!(response.is_err(), "a read that does a collection's work goes unseen");
    let victim = spoil(Drive(Fault::Victim, Pattern::SpreadInvalidation));
    assert!(matches!(victim, Err(Failure::Promise { what: "valid pages", .. })), "{victim:?}");
}

struct Explore(Fault);

impl Visitor<TestBench> for Explore {
    type Output = Result<(), Refutation>;

    fn visit<S: Scheme<Flash = TestBench> + Clone>(self, scheme: S) -> Self::Output {
        explore(Spoilt { scheme, fault: self.0, writes: 0 }, Search::default()).map(|_| ())
    }
}

/// The search tells what it looks at; contents are not among it.
#[test]
fn the_search_tells_broken_promises() {
    assert!(spoil(Explore(Fault::None)).is_ok());
    for fault in [Fault::FreePages, Fault::Step, Fault::Victim, Fault::NoTrim] {
        let refuted = spoil(Explore(fault));
        assert!(matches!(refuted, Err(Refutation::Broken { .. })), "{fault:?}: {refuted:?}");
    }
}
