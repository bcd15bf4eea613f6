//! The observer: a layer of the array that writes down every operation and every event.

use crate::channel_log::ChannelLog;
use flash::faults::PowerCut;
use flash::{
    Array, BlockId, Cause, DynFlash, Event, Flash, FlashError, Item, Lpn, Ns, Oob, Operation, Ppn,
    Probe, Serial, copy_one_by_one,
};
use std::cell::RefCell;
use std::rc::Rc;

/// The array below the observer: serial time, and a power that can fail.
pub(crate) type Medium = PowerCut<Serial<Array>>;

/// Something that the observer saw.
#[derive(Clone, Debug)]
pub(crate) enum Seen {
    Operation(SeenOperation),
    Event { name: &'static str, caption: &'static str, values: Vec<(&'static str, Item)> },
}

/// An operation of the array.
#[derive(Clone, Debug)]
pub(crate) struct SeenOperation {
    pub(crate) operation: Operation,
    pub(crate) cause: Cause,
    /// Source of a copy.
    pub(crate) from: Option<Ppn>,
    /// Page of the operation; of an erase, the first page of the block.
    pub(crate) page: Ppn,
    pub(crate) oob: Option<Oob>,
    /// Version in the bytes of a program, if they carry one.
    pub(crate) version: Option<u64>,
    pub(crate) ns: Ns,
    pub(crate) outcome: Outcome,
    /// Its number among those that take time on channels.
    pub(crate) timed: Option<usize>,
}

/// How an operation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// As asked.
    Done,
    /// The page read is erased: there is nothing to read. It takes no time.
    Erased,
    /// The page read holds more bit errors than ECC corrects: its program, or an erase of its block, was cut.
    Unreadable,
    /// The power failed in it.
    Cut,
    /// The part reported a failure.
    Failed,
}

/// What has been seen since it was last taken, and the array once its scheme is gone.
#[derive(Debug, Default)]
pub(crate) struct Tape {
    pub(crate) seen: Vec<Seen>,
    /// The array, of a scheme that was dropped: a mount that fails gives none back.
    pub(crate) left: Option<Medium>,
    /// What the operations do on channels, once these have clocks.
    pub(crate) channels: Option<ChannelLog>,
}

/// Passes on every call, and writes operations and events to a tape that outlives it.
#[derive(Debug)]
pub(crate) struct Recorder {
    /// Always there, until the recorder is dropped.
    medium: Option<Medium>,
    tape: Rc<RefCell<Tape>>,
}

/// Bytes at the begin of a page that say which write of which logical page it is.
pub(crate) const MARK_BYTES: usize = 12;

/// The bytes of a write: its version and logical page.
pub(crate) fn page_of(version: u64, lpn: u32, bytes: usize) -> Vec<u8> {
    let mut page = vec![0; bytes];
    page[..8].copy_from_slice(&version.to_le_bytes());
    page[8..MARK_BYTES].copy_from_slice(&lpn.to_le_bytes());
    page
}

/// The version in bytes of [`page_of`].
fn version_of(page: &[u8]) -> Option<u64> {
    Some(u64::from_le_bytes(page.get(..8)?.try_into().ok()?))
}

impl Recorder {
    pub(crate) fn new(medium: Medium, tape: &Rc<RefCell<Tape>>) -> Self {
        Self { medium: Some(medium), tape: Rc::clone(tape) }
    }

    pub(crate) fn medium_mut(&mut self) -> &mut Medium {
        self.medium.as_mut().expect("only a drop takes the array")
    }

    /// Runs an operation, and writes it down unless the power was off.
    fn record<T>(
        &mut self,
        operation: SeenOperation,
        run: impl FnOnce(&mut Medium) -> Result<T, FlashError>,
        oob_of: impl FnOnce(&T) -> Option<Oob>,
    ) -> Result<T, FlashError> {
        let medium = self.medium_mut();
        let was_off = medium.is_off();
        let before = medium.worked().busy_ns;
        let result = run(medium);
        let ns = medium.worked().busy_ns - before;
        let outcome = match &result {
            Ok(_) => Outcome::Done,
            Err(FlashError::Erased(_)) => Outcome::Erased,
            Err(FlashError::Uncorrectable(_)) => Outcome::Unreadable,
            Err(FlashError::PowerOff) => Outcome::Cut,
            Err(_) => Outcome::Failed,
        };
        if !was_off {
            let oob = result.as_ref().ok().and_then(oob_of).or(operation.oob);
            let mut seen = SeenOperation { oob, ns, outcome, ..operation };
            let tape = &mut *self.tape.borrow_mut();
            if let (Some(log), Outcome::Done | Outcome::Unreadable | Outcome::Failed) =
                (&mut tape.channels, outcome)
            {
                let places = (seen.page, seen.from);
                let step = seen.cause.is_step();
                seen.timed = Some(log.ask(seen.operation, places, step, Flash::geometry(self)));
            }
            tape.seen.push(Seen::Operation(seen));
        }
        result
    }
}

fn operation(operation: Operation, page: Ppn, cause: Cause) -> SeenOperation {
    let outcome = Outcome::Done;
    SeenOperation {
        operation,
        cause,
        from: None,
        page,
        oob: None,
        version: None,
        ns: 0,
        outcome,
        timed: None,
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        self.tape.borrow_mut().left = self.medium.take();
    }
}

impl DynFlash for Recorder {}

impl flash::Layer for Recorder {
    type Inner = Medium;

    fn inner(&self) -> &Medium {
        self.medium.as_ref().expect("only a drop takes the array")
    }

    fn inner_mut(&mut self) -> &mut Medium {
        self.medium_mut()
    }

    fn read(&mut self, ppn: Ppn, data: Option<&mut [u8]>, cause: Cause) -> Result<Oob, FlashError> {
        let what = operation(Operation::Read, ppn, cause);
        self.record(what, |medium| Flash::read(medium, ppn, data, cause), |oob| Some(*oob))
    }

    fn read_part(
        &mut self,
        ppn: Ppn,
        offset: usize,
        data: &mut [u8],
        cause: Cause,
    ) -> Result<Oob, FlashError> {
        let what = operation(Operation::Read, ppn, cause);
        self.record(
            what,
            |medium| Flash::read_part(medium, ppn, offset, data, cause),
            |oob| Some(*oob),
        )
    }

    fn read_oob(&mut self, ppn: Ppn, cause: Cause) -> Result<Oob, FlashError> {
        let what = operation(Operation::ReadOob, ppn, cause);
        self.record(what, |medium| Flash::read_oob(medium, ppn, cause), |oob| Some(*oob))
    }

    fn program(
        &mut self,
        ppn: Ppn,
        oob: Oob,
        data: Option<&[u8]>,
        cause: Cause,
    ) -> Result<(), FlashError> {
        let version = data.and_then(version_of);
        let what = operation(Operation::Program, ppn, cause);
        let what = SeenOperation { oob: Some(oob), version, ..what };
        self.record(what, |medium| Flash::program(medium, ppn, oob, data, cause), |()| None)
    }

    fn copy(&mut self, from: Ppn, to: Ppn, seq: u64, cause: Cause) -> Result<Oob, FlashError> {
        let what = operation(Operation::Copy, to, cause);
        let what = SeenOperation { from: Some(from), ..what };
        self.record(what, |medium| Flash::copy(medium, from, to, seq, cause), |oob| Some(*oob))
    }

    fn copy_run(
        &mut self,
        from: &[Ppn],
        to: Ppn,
        seq: u64,
        cause: Cause,
        lpns: &mut [Lpn],
    ) -> Result<(), (usize, FlashError)> {
        copy_one_by_one(from, to, lpns, |from, to| Flash::copy(self, from, to, seq, cause))
    }

    fn erase(&mut self, block: BlockId, cause: Cause) -> Result<(), FlashError> {
        let first = Flash::geometry(self).ppn(block, 0);
        let what = operation(Operation::Erase, first, cause);
        self.record(what, |medium| Flash::erase(medium, block, cause), |()| None)
    }

    fn event(&mut self, event: &Event<'_>) {
        let Event { name, caption, values } = *event;
        let seen = Seen::Event { name, caption, values: values.to_vec() };
        self.tape.borrow_mut().seen.push(seen);
    }
}
