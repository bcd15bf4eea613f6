//! An array that outlives its scheme. It keeps the content of flash after a power cut, even one in a mount that never
//! returns a scheme.

use crate::watched::Inspect;

use flash::{
    BlockId, Cause, DueBlock, DynFlash, Flash, FlashError, Geometry, Layer, Lpn, Ns, Oob,
    Operation, Part, Ppn, Probe, Worked,
};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// A handle on an array. Clones are handles on the same array.
#[derive(Debug)]
pub struct Shared<F> {
    array: Rc<RefCell<F>>,
    cut: Rc<Cell<Option<Operation>>>,
    geometry: Geometry,
    part: Part,
}

impl<F> Clone for Shared<F> {
    fn clone(&self) -> Self {
        Self {
            array: Rc::clone(&self.array),
            cut: Rc::clone(&self.cut),
            geometry: self.geometry,
            part: self.part.clone(),
        }
    }
}

impl<F: Flash> Shared<F> {
    /// Shares an array.
    pub fn new(array: F) -> Self {
        let (geometry, part) = (*array.geometry(), array.part().clone());
        Self { array: Rc::new(RefCell::new(array)), cut: Rc::default(), geometry, part }
    }

    /// The changing operation in which the power failed, if it did.
    pub fn cut_operation(&self) -> Option<Operation> {
        self.cut.get()
    }

    fn note<T>(&self, operation: Operation, done: Result<T, FlashError>) -> Result<T, FlashError> {
        if matches!(done, Err(FlashError::PowerOff)) && self.cut.get().is_none() {
            self.cut.set(Some(operation));
        }
        done
    }

    /// Gives access to the array.
    pub fn with<T>(&self, what: impl FnOnce(&mut F) -> T) -> T {
        what(&mut self.array.borrow_mut())
    }
}

/// Below an [`AnyArray`](flash::AnyArray). It is not forked: a fork would be a handle on the same array.
impl<F: Probe + std::fmt::Debug + 'static> DynFlash for Shared<F> {}

impl<F: Flash> Flash for Shared<F> {
    fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    fn part(&self) -> &Part {
        &self.part
    }

    fn read(&mut self, ppn: Ppn, data: Option<&mut [u8]>, cause: Cause) -> Result<Oob, FlashError> {
        self.array.borrow_mut().read(ppn, data, cause)
    }

    fn read_part(
        &mut self,
        ppn: Ppn,
        offset: usize,
        data: &mut [u8],
        cause: Cause,
    ) -> Result<Oob, FlashError> {
        self.array.borrow_mut().read_part(ppn, offset, data, cause)
    }

    fn read_oob(&mut self, ppn: Ppn, cause: Cause) -> Result<Oob, FlashError> {
        self.array.borrow_mut().read_oob(ppn, cause)
    }

    fn program(
        &mut self,
        ppn: Ppn,
        oob: Oob,
        data: Option<&[u8]>,
        cause: Cause,
    ) -> Result<(), FlashError> {
        let done = self.array.borrow_mut().program(ppn, oob, data, cause);
        self.note(Operation::Program, done)
    }

    fn copy(&mut self, from: Ppn, to: Ppn, seq: u64, cause: Cause) -> Result<Oob, FlashError> {
        let done = self.array.borrow_mut().copy(from, to, seq, cause);
        self.note(Operation::Copy, done)
    }

    fn copy_run(
        &mut self,
        from: &[Ppn],
        to: Ppn,
        seq: u64,
        cause: Cause,
        lpns: &mut [Lpn],
    ) -> Result<(), (usize, FlashError)> {
        let done = self.array.borrow_mut().copy_run(from, to, seq, cause, lpns);
        self.note(Operation::Copy, done.map_err(|(_, error)| error)).ok();
        done
    }

    fn erase(&mut self, block: BlockId, cause: Cause) -> Result<(), FlashError> {
        let done = self.array.borrow_mut().erase(block, cause);
        self.note(Operation::Erase, done)
    }

    fn is_bad(&self, block: BlockId) -> bool {
        self.array.borrow().is_bad(block)
    }

    fn mark_bad(&mut self, block: BlockId) -> Result<(), FlashError> {
        self.array.borrow_mut().mark_bad(block)
    }

    fn is_slc(&self, block: BlockId) -> bool {
        self.array.borrow().is_slc(block)
    }

    fn set_slc(&mut self, block: BlockId, slc: bool) -> Result<(), FlashError> {
        self.array.borrow_mut().set_slc(block, slc)
    }

    fn erase_count(&self, block: BlockId) -> u32 {
        self.array.borrow().erase_count(block)
    }
}

impl<F: Probe> Probe for Shared<F> {
    fn keeps_user_bytes(&self) -> bool {
        self.array.borrow().keeps_user_bytes()
    }

    fn longest_erase_ns(&self) -> Ns {
        self.array.borrow().longest_erase_ns()
    }

    fn peek_lpn(&self, ppn: Ppn) -> Option<Lpn> {
        self.array.borrow().peek_lpn(ppn)
    }

    fn prefetch(&self, ppn: Ppn) {
        self.array.borrow().prefetch(ppn);
    }

    fn has_bit_errors(&self) -> bool {
        self.array.borrow().has_bit_errors()
    }

    fn corrected_bits(&self) -> u64 {
        self.array.borrow().corrected_bits()
    }

    fn due_block(&mut self) -> Option<DueBlock> {
        self.array.borrow_mut().due_block()
    }

    fn next_due_ns(&self) -> Ns {
        self.array.borrow().next_due_ns()
    }

    fn end_turn(&mut self, block: BlockId, moved: bool) {
        self.array.borrow_mut().end_turn(block, moved);
    }

    fn worked(&self) -> Worked {
        self.array.borrow().worked()
    }
}

impl<F: Inspect> Inspect for Shared<F> {
    fn next_page(&self, block: BlockId) -> u32 {
        self.array.borrow().next_page(block)
    }

    /// Another handle on the same array.
    fn fork(&self) -> Box<dyn Inspect> {
        Box::new(Self::clone(self))
    }
}

/// A shared array of one scheme: a copy of the scheme has an array of its own.
#[derive(Debug)]
pub(crate) struct Own<F>(pub(crate) Shared<F>);

impl<F: Probe> Layer for Own<F> {
    flash::layer_on!(self, self.0, Shared<F>);
}

impl<F: Inspect + Clone> Inspect for Own<F> {
    fn next_page(&self, block: BlockId) -> u32 {
        self.0.next_page(block)
    }

    fn fork(&self) -> Box<dyn Inspect> {
        Box::new(Self(Shared::new(self.0.with(|array| array.clone()))))
    }
}
