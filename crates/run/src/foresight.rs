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
use super::sink::{Sink, ToSink};
use flash::Lpn;
use ftl::{FtlError, Future, FutureNotes, SchemeConfig};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use workload::Source;

/// Shared with whoever runs the scheme.
type Notes = Rc<RefCell<FutureNotes>>;

impl Sink for Notes {
    fn write(&mut self, lpn: Lpn) {
        self.borrow_mut().write(lpn);
    }

    fn trim(&mut self, lpn: Lpn) {
        self.borrow_mut().trim(lpn);
    }
}

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
    let notes: Notes = Rc::new(RefCell::new(FutureNotes::new(logical_pages)));
    let flash = array_without_errors(setup.geometry, setup.part.clone()).into();
    let mut noting: Box<ftl::AnyScheme> =
        Box::new(ToSink::new(flash, logical_pages, Rc::clone(&notes)));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observer::Unobserved;
    use crate::precondition::{Fill, Preconditioning};
    use crate::script::{PAGE, Script};
    use flash::{Geometry, Part, parts};
    use workload::Op;

    #[test]
    fn overwrites_and_trims_end_what_was_written() {
        let geometry = Geometry::new(8, 8, PAGE as u32).unwrap();
        let part = Part { pages_per_block: 8, ..parts::DDT_MLC.clone() };
        let empty = Preconditioning { fill: Fill::None, ..Preconditioning::default() };
        let setup = Setup { precondition: empty, ..Setup::new(part, geometry, 16) };
        let scheme = SchemeConfig::preset(ftl::registry::by_name("page-level").unwrap());
        let order = [(Op::Write, 3), (Op::Write, 5), (Op::Read, 3), (Op::Write, 3), (Op::Trim, 5)];
        let order = order.into_iter().chain([(Op::Write, 4), (Op::Write, 5)]);
        let script = Script(order.map(|(op, page)| (0, op, page, 1)).collect(), false);
        let future = foresee(&setup, &scheme, 16, Box::new(script), &Unobserved).unwrap();
        let lifespans: Vec<_> = (0..6).map(|write| future.lifespan(write)).collect();
        // The second write is trimmed behind the third, and its page written again by the fifth.
        let never = Some(Future::NEVER);
        assert_eq!(lifespans, [Some(2), Some(2), never, never, never, None]);
    }
}
