//! The future of a run: its requests are replayed once before, on a scheme that only notes what is written.
//!
//! What is written, and in which order, must not depend on the scheme: no write buffer, one page task after the other, and a
//! precondition of a length that is given (`config/foreseen.rs` checks that).

use super::device::Device;
use super::error::RunError;
use super::medium::array_without_errors;
use super::observer::{Observer, Phase};
use super::prepare::prepare;
use super::setup::Setup;
use flash::{AnyArray, Lpn};
use ftl::{
    Background, CollectionLog, Ftl, FtlError, Future, FutureNotes, Guarantee, Ram, SchemeConfig,
    Telemetry,
};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use workload::Source;

/// Notes writes and trims, and does nothing else.
#[derive(Clone, Debug)]
struct Noting {
    flash: AnyArray,
    logical_pages: u32,
    log: CollectionLog,
    /// Shared with whoever runs it.
    notes: Rc<RefCell<FutureNotes>>,
}

impl Ftl for Noting {
    type Flash = AnyArray;

    fn flash(&self) -> &AnyArray {
        &self.flash
    }

    fn flash_mut(&mut self) -> &mut AnyArray {
        &mut self.flash
    }

    fn into_flash(self: Box<Self>) -> AnyArray {
        self.flash
    }

    fn logical_pages(&self) -> u32 {
        self.logical_pages
    }

    fn write(&mut self, lpn: Lpn, _data: Option<&[u8]>) -> Result<(), FtlError> {
        self.check(lpn)?;
        self.notes.borrow_mut().write(lpn);
        Ok(())
    }

    fn read(&mut self, lpn: Lpn, data: Option<&mut [u8]>) -> Result<bool, FtlError> {
        self.check(lpn)?;
        if let Some(data) = data {
            data.fill(0);
        }
        Ok(false)
    }

    fn trim(&mut self, lpn: Lpn) -> Result<(), FtlError> {
        self.check(lpn)?;
        self.notes.borrow_mut().trim(lpn);
        Ok(())
    }

    fn free_pages(&self) -> u64 {
        0
    }

    fn telemetry(&self) -> Telemetry<'_> {
        Telemetry::new(Guarantee::default(), Ram::default(), &self.log)
    }

    fn restart_telemetry(&mut self) {}
}

impl Background for Noting {}

/// Tells nothing, but stops when the run's own observer does.
struct Quiet<'a>(&'a dyn Observer);

impl Observer for Quiet<'_> {
    fn progress(&self, _label: &str, _phase: Phase, _done: u64, _total: Option<u64>) {}

    fn stop(&self) -> bool {
        self.0.stop()
    }
}

/// The future of the run that `setup` and `source` describe, from the format on.
///
/// # Errors
/// [`RunError::Setup`] if it is too long; errors of the workload; [`RunError::Stopped`].
pub fn foresee(
    setup: &Setup,
    scheme: &SchemeConfig,
    logical_pages: u32,
    source: Box<dyn Source>,
    observer: &dyn Observer,
) -> Result<Arc<Future>, RunError> {
    let refuse = |reason: String| {
        let setting = "placement";
        RunError::Setup(FtlError::Config { scheme: scheme.preset.name, setting, reason })
    };
    let label = "replay for the oracle";
    let notes = Rc::new(RefCell::new(FutureNotes::new(logical_pages)));
    let mut noting: Box<ftl::AnyScheme> = Box::new(Noting {
        flash: array_without_errors(setup.geometry, setup.part.clone()).into(),
        logical_pages,
        log: CollectionLog::new(setup.geometry.pages_per_block(), 0),
        notes: Rc::clone(&notes),
    });
    prepare(&mut *noting, setup, label, &Quiet(observer))?;
    let mut device = Device::new(noting, false);
    device.replay(setup, label, source, &Quiet(observer))?;
    if observer.stop() {
        return Err(RunError::Stopped);
    }
    drop(device);
    let most = Future::MOST_WRITES;
    let future = Rc::into_inner(notes).and_then(|notes| notes.into_inner().finish());
    let too_long =
        || refuse(format!("`oracle` can look at most {most} page writes ahead; set `requests`"));
    future.map(Arc::new).ok_or_else(too_long)
}
