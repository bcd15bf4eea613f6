//! Bit errors, the ECC that corrects them, and copies that propagate them.

use super::aging::Aging;
use super::bit_error_model::{Age, AgeLimit, BitErrorModel, codeword_bits, codewords};
use super::carried::Carried;
use super::error::FaultError;
use super::read_retry::ReadRetry;
use super::refresh::{Refresh, RefreshCounts, RefreshLimits};
use super::tearable::{Tearable, tear_inner};
use crate::address::{BlockId, Lpn, Ppn};
use crate::copies::CopyPath;
use crate::due::DueBlock;
use crate::error::FlashError;
use crate::interface::{Flash, copy_one_by_one};
use crate::oob::Oob;
use crate::operation::Cause;
use crate::retries::Retries;
use crate::time::Ns;
use alloc::{boxed::Box, vec, vec::Vec};

/// Gives pages bit errors by a [`BitErrorModel`], and corrects them at each read or fails the read.
///
/// A page that exceeds the ECC in any codeword is read again by the steps of a [`ReadRetry`], if there are any. A page
/// that no step reads stays uncorrectable until its block is erased. A page within the ECC reads as it was written. The OOB fails together with its page.
///
/// A copy goes through the same ECC as a read and writes a page without errors. The exception is a copy by
/// [`CopyPath::IcbUnchecked`], if the part has that path ([`Part::copies`](crate::Part::copies)). From then on
/// the copy carries all bit errors of the source in addition to its own. If they are too many, the next read
/// through ECC finds the page uncorrectable. The part itself refuses no page for its bit errors. A page that
/// was already found uncorrectable is refused all the same, because nobody copies a page known to be lost. If a
/// wrapper above fails or cuts a copy, the source has been read through ECC.
///
/// State: 4 bytes per page if reads bring errors, and 4 per page and per block if errors grow with retention time. If pages carry errors of others, 4 more per page, and 2 per
/// codeword of each page that carries any. With limits of a refresh, 24 per block. Switched off ([`BitErrors::none`]): no state, and one branch per
/// operation.
#[derive(Clone, Debug)]
pub struct BitErrors<F> {
    inner: F,
    errors: Option<Box<Errors>>,
}

impl<F: Tearable> BitErrors<F> {
    /// Wraps `inner`, whose pages count as never read and carry no errors of other pages. A model that draws
    /// does so from `seed`.
    ///
    /// # Errors
    /// A figure of the model outside its range.
    pub fn new(inner: F, model: impl Into<BitErrorModel>, seed: u64) -> Result<Self, FaultError> {
        let (model, geometry) = (model.into(), *inner.geometry());
        model.validate(&geometry)?;
        let counted = if model.grows_with_reads() { geometry.pages() } else { 0 };
        let codewords = codewords(geometry.page_bytes());
        let errors = Errors {
            model,
            seed,
            reads: vec![0; counted as usize],
            aging: model.aged().map(|model| Aging::new(*model, &geometry)),
            retry: ReadRetry::default(),
            retried: Vec::new(),
            retries: Retries::default(),
            refresh: None,
            stated: None,
            reads_beyond: 0,
            carried: Carried::new(&geometry, codewords),
            taken_over: vec![0; codewords as usize],
            corrected_bits: 0,
            uncorrectable_reads: 0,
            propagated_bits: 0,
        };
        Ok(Self { inner, errors: Some(Box::new(errors)) })
    }

    /// Adds a read retry, of which nothing has run, and the limit up to which its bounds are stated.
    ///
    /// # Errors
    /// [`FaultError::RetryLimit`].
    pub fn with_retry(
        mut self,
        retry: &ReadRetry,
        stated: Option<AgeLimit>,
    ) -> Result<Self, FaultError> {
        if let Some(errors) = &mut self.errors {
            retry.validate(errors.model.ecc_bits_per_kib())?;
            errors.retried = vec![0; retry.limits.len() + 3];
            errors.retry = retry.clone();
            errors.stated = stated;
        }
        Ok(self)
    }

    /// Adds limits from which on blocks are due ([`Probe::due_block`](crate::Probe::due_block)). The age of data at the
    /// start is that of the model.
    pub fn with_refresh(mut self, limits: RefreshLimits) -> Self {
        if let Some(errors) = &mut self.errors
            && !limits.are_off()
        {
            let initial_s = errors.model.aged().map_or(0, |model| model.age_s);
            errors.refresh = Some(Refresh::new(limits, self.inner.geometry(), initial_s));
        }
        self
    }

    /// Wraps `inner` without bit errors: forwards every call.
    pub fn none(inner: F) -> Self {
        Self { inner, errors: None }
    }

    /// The bit error model, if there is one.
    pub fn model(&self) -> Option<&BitErrorModel> {
        self.errors.as_ref().map(|errors| &errors.model)
    }

    /// Reads and copies so far by the steps that they took: none, 1, 2 and so on, then soft decoding, then those that
    /// no step read. Empty without a read retry.
    pub fn retried_reads(&self) -> &[u64] {
        self.errors.as_ref().map_or(&[], |errors| &errors.retried)
    }

    /// Blocks that were due so far; `None` without limits.
    pub fn refresh_counts(&self) -> Option<RefreshCounts> {
        self.errors.as_ref()?.refresh.as_ref().map(Refresh::counts)
    }

    /// Reads of a block since its erase, if limits are set ([`BitErrors::with_refresh`]).
    pub fn block_reads(&self, block: BlockId) -> Option<u32> {
        self.errors.as_ref()?.refresh.as_ref().map(|refresh| refresh.reads(block))
    }

    /// Reads and copies so far of pages older, more worn or more often read than the limit of the bounds.
    pub fn reads_beyond(&self) -> u64 {
        self.errors.as_ref().map_or(0, |errors| errors.reads_beyond)
    }

    /// Reads and copies so far that found their page uncorrectable.
    pub fn uncorrectable_reads(&self) -> u64 {
        self.errors.as_ref().map_or(0, |errors| errors.uncorrectable_reads)
    }

    /// Bit errors that copies took over so far: at each copy the source's own errors and those it carried.
    pub fn propagated_bits(&self) -> u64 {
        self.errors.as_ref().map_or(0, |errors| errors.propagated_bits)
    }

    unwraps!(F);
}

/// State of the bit errors, if they are switched on.
#[derive(Clone, Debug)]
struct Errors {
    model: BitErrorModel,
    seed: u64,
    /// Reads of each page since its program; empty if reads bring no errors.
    reads: Vec<u32>,
    /// Ages of pages, for a model that grows with them.
    aging: Option<Aging>,
    retry: ReadRetry,
    /// Reads by steps.
    retried: Vec<u64>,
    /// Steps so far.
    retries: Retries,
    /// Blocks that are due, if there are limits.
    refresh: Option<Refresh>,
    /// Limit up to which bounds are stated, and reads of pages beyond it.
    stated: Option<AgeLimit>,
    reads_beyond: u64,
    carried: Carried,
    /// Buffer for the errors that a copy takes over: one count per codeword.
    taken_over: Vec<u16>,
    corrected_bits: u64,
    uncorrectable_reads: u64,
    propagated_bits: u64,
}

impl Errors {
    /// Bit errors of each codeword of a page at its next read: its own errors and those it carries.
    fn each_codeword<F: Flash>(&mut self, inner: &F, ppn: Ppn, mut each: impl FnMut(usize, u64)) {
        let geometry = inner.geometry();
        let erases = inner.erase_count(geometry.block_of(ppn));
        let reads = self.reads.get(ppn.0 as usize).map_or(0, |reads| reads.saturating_add(1));
        let rate = self.aging.as_mut().map_or(0.0, |aging| aging.rate(ppn, erases));
        let carried = self.carried.of(ppn);
        let age = Age { ppn, erases, reads, rate };
        self.model.each_codeword(self.seed, geometry.page_bytes(), age, |at, own| {
            each(at, own + carried.get(at).map_or(0, |bits| u64::from(*bits)));
        });
    }

    /// Bits that ECC corrects if the page is read now. If a codeword has too many errors, the page is spoilt,
    /// so that the read finds it uncorrectable.
    #[inline(never)]
    fn before_read<F: Tearable>(
        &mut self,
        inner: &mut F,
        ppn: Ppn,
    ) -> Result<Corrected, FlashError> {
        let (mut all, mut within, mut worst) = (0, 0, 0);
        let ecc = self.model.ecc_bits_per_kib();
        let erases = inner.erase_count(inner.geometry().block_of(ppn));
        if let (Some(limit), Some(aging)) = (&self.stated, &self.aging) {
            self.reads_beyond += u64::from(aging.is_beyond(limit, ppn, erases));
        }
        if inner.geometry().contains(ppn) {
            self.each_codeword(inner, ppn, |_, bits| {
                all += bits;
                within += bits.min(ecc.into());
                worst = bits.max(worst);
            });
        }
        let (retries, reads) = self.retry.of(worst, ecc);
        if !reads {
            match inner.spoil(ppn) {
                // An erased page holds no bits; the read itself refuses it.
                Ok(()) | Err(FlashError::Erased(_)) => {}
                Err(error) => return Err(error),
            }
        }
        // What a step reads has as many bit errors as the ECC corrects, at most.
        let bits = if retries.is_none() { all } else { within };
        Ok(Corrected { bits, worst, retries })
    }

    /// Counts a read of a page and its corrected bits, if the read has run.
    #[inline(never)]
    fn after_read(&mut self, ppn: Ppn, corrected: Corrected, error: Option<FlashError>) {
        let mut retries = corrected.retries;
        match error {
            None => self.corrected_bits += corrected.bits,
            Some(FlashError::Uncorrectable(_)) => {
                self.uncorrectable_reads += 1;
                retries = self.retry.all();
            }
            Some(error) if error.failed_at_medium() => {}
            Some(_) => return,
        }
        self.count(retries, matches!(error, Some(FlashError::Uncorrectable(_))));
        self.count_reads(ppn, 1 + retries.steps as u32 + retries.soft as u32, corrected.worst);
    }

    /// Counts reads of a page, its first and its repeated ones. Its worst codeword has these bit errors.
    fn count_reads(&mut self, ppn: Ppn, times: u32, worst: u64) {
        if let Some(aging) = &mut self.aging {
            aging.read(ppn, times);
        }
        if let Some(refresh) = &mut self.refresh {
            refresh.read(ppn, times, worst);
        }
        if let Some(reads) = self.reads.get_mut(ppn.0 as usize) {
            *reads = reads.saturating_add(1);
        }
    }

    /// Counts a read by its steps.
    fn count(&mut self, retries: Retries, failed: bool) {
        let steps = self.retry.limits.len();
        let at = match (failed, retries.soft) {
            (true, _) => steps + 2,
            (false, 0) => retries.steps as usize,
            (false, _) => steps + 1,
        };
        if let Some(reads) = self.retried.get_mut(at) {
            *reads += 1;
        }
        self.retries.steps += retries.steps;
        self.retries.soft += retries.soft;
    }

    /// Resets a programmed page: no reads, no errors of other pages.
    fn programmed(&mut self, ppn: Ppn) {
        if let Some(reads) = self.reads.get_mut(ppn.0 as usize) {
            *reads = 0;
        }
        if let Some(aging) = &mut self.aging {
            aging.programmed(ppn);
        }
        if let Some(refresh) = &mut self.refresh {
            refresh.programmed(ppn);
        }
        self.carried.clear(ppn);
    }

    fn erased(&mut self, block: BlockId) {
        if let Some(aging) = &mut self.aging {
            aging.erased(block.0);
        }
        if let Some(refresh) = &mut self.refresh {
            refresh.erased(block);
        }
    }

    fn set_now_ns(&mut self, now_ns: Ns) {
        if let Some(aging) = &mut self.aging {
            aging.set_now_ns(now_ns);
        }
        if let Some(refresh) = &mut self.refresh {
            refresh.set_now_ns(now_ns);
        }
    }

    /// Gives the copy the source's bit errors, unless the controller corrected them on the way.
    #[inline(never)]
    fn after_copy<F: Flash>(
        &mut self,
        inner: &F,
        [from, to]: [Ppn; 2],
        corrected: Option<Corrected>,
        error: Option<FlashError>,
    ) {
        if error.is_none() {
            self.programmed(to);
            if corrected.is_none() {
                self.take_over(inner, from, to);
            }
        }
        match corrected {
            Some(corrected) => self.after_read(from, corrected, error),
            None => self.after_unchecked(from, error),
        }
    }

    /// Counts a read without ECC, if it has run.
    fn after_unchecked(&mut self, ppn: Ppn, error: Option<FlashError>) {
        match error {
            Some(FlashError::Uncorrectable(_)) => self.uncorrectable_reads += 1,
            Some(error) if !error.failed_at_medium() => return,
            _ => {}
        }
        self.count_reads(ppn, 1, 0);
    }

    fn take_over<F: Flash>(&mut self, inner: &F, from: Ppn, to: Ppn) {
        let page_bytes = inner.geometry().page_bytes();
        let mut taken_over = core::mem::take(&mut self.taken_over);
        let mut all = 0;
        self.each_codeword(inner, from, |at, bits| {
            // Limited to the bits of the codeword: at most 8,192.
            let bits = bits.min(codeword_bits(page_bytes, at));
            taken_over[at] = bits as u16;
            all += bits;
        });
        if all > 0 {
            self.carried.keep(to, &taken_over);
            self.propagated_bits += all;
        }
        self.taken_over = taken_over;
    }
}

/// What ECC corrects in a read, and the steps that the read takes.
#[derive(Clone, Copy, Debug)]
struct Corrected {
    bits: u64,
    /// Bit errors of the codeword with most.
    worst: u64,
    retries: Retries,
}

/// Copies the error out. A borrowed result would have to lie in memory, even without bit errors.
#[inline(always)]
fn error_of<T>(result: &Result<T, FlashError>) -> Option<FlashError> {
    result.as_ref().err().copied()
}

/// True if the part copies from one page to another without a check.
fn is_unchecked<F: Flash>(inner: &F, from: Ppn, to: Ppn) -> bool {
    let block_of = |ppn| inner.geometry().block_of(ppn);
    inner.part().copies.as_ref().is_some_and(|copies| {
        copies.between(block_of(from), block_of(to)).path == CopyPath::IcbUnchecked
    })
}

impl<F: Tearable> crate::layer::Layer for BitErrors<F> {
    layer_on!(self, self.inner, F);

    #[inline(always)]
    fn read(&mut self, ppn: Ppn, data: Option<&mut [u8]>, cause: Cause) -> Result<Oob, FlashError> {
        let (inner, errors) = (&mut self.inner, &mut self.errors);
        let Some(errors) = errors else { return inner.read(ppn, data, cause) };
        inner.geometry().check_payload(data.as_deref())?;
        let corrected = errors.before_read(inner, ppn)?;
        let result = inner.read(ppn, data, cause);
        errors.after_read(ppn, corrected, error_of(&result));
        result
    }

    #[inline(always)]
    fn read_data(
        &mut self,
        ppn: Ppn,
        data: Option<&mut [u8]>,
        cause: Cause,
    ) -> Result<(), FlashError> {
        match self.errors {
            None => self.inner.read_data(ppn, data, cause),
            Some(_) => crate::layer::Layer::read(self, ppn, data, cause).map(|_| ()),
        }
    }

    #[inline]
    fn read_part(
        &mut self,
        ppn: Ppn,
        offset: usize,
        data: &mut [u8],
        cause: Cause,
    ) -> Result<Oob, FlashError> {
        let (inner, errors) = (&mut self.inner, &mut self.errors);
        let Some(errors) = errors else { return inner.read_part(ppn, offset, data, cause) };
        let corrected = errors.before_read(inner, ppn)?;
        let result = inner.read_part(ppn, offset, data, cause);
        errors.after_read(ppn, corrected, error_of(&result));
        result
    }

    #[inline(always)]
    fn read_oob(&mut self, ppn: Ppn, cause: Cause) -> Result<Oob, FlashError> {
        let (inner, errors) = (&mut self.inner, &mut self.errors);
        let Some(errors) = errors else { return inner.read_oob(ppn, cause) };
        let corrected = errors.before_read(inner, ppn)?;
        let result = inner.read_oob(ppn, cause);
        errors.after_read(ppn, corrected, error_of(&result));
        result
    }

    #[inline(always)]
    fn program(
        &mut self,
        ppn: Ppn,
        oob: Oob,
        data: Option<&[u8]>,
        cause: Cause,
    ) -> Result<(), FlashError> {
        self.inner.program(ppn, oob, data, cause)?;
        if let Some(errors) = &mut self.errors {
            errors.programmed(ppn);
        }
        Ok(())
    }

    #[inline(always)]
    fn program_plain(&mut self, to: Ppn, lpns: &[Lpn], seq: u64, cause: Cause) -> usize {
        match self.errors {
            None => self.inner.program_plain(to, lpns, seq, cause),
            Some(_) => 0,
        }
    }

    #[inline(always)]
    fn copy(&mut self, from: Ppn, to: Ppn, seq: u64, cause: Cause) -> Result<Oob, FlashError> {
        let (inner, errors) = (&mut self.inner, &mut self.errors);
        let Some(errors) = errors else { return inner.copy(from, to, seq, cause) };
        // An unchecked copy corrects nothing.
        let checked = !is_unchecked(inner, from, to);
        let corrected = if checked { Some(errors.before_read(inner, from)?) } else { None };
        let result = inner.copy(from, to, seq, cause);
        errors.after_copy(inner, [from, to], corrected, error_of(&result));
        result
    }

    #[inline]
    fn copy_run(
        &mut self,
        from: &[Ppn],
        to: Ppn,
        seq: u64,
        cause: Cause,
        lpns: &mut [Lpn],
    ) -> Result<(), (usize, FlashError)> {
        match &self.errors {
            None => self.inner.copy_run(from, to, seq, cause, lpns),
            Some(_) => copy_one_by_one(from, to, lpns, |from, to| {
                crate::layer::Layer::copy(self, from, to, seq, cause)
            }),
        }
    }

    #[inline]
    fn erase(&mut self, block: BlockId, cause: Cause) -> Result<(), FlashError> {
        self.inner.erase(block, cause)?;
        if let Some(errors) = &mut self.errors {
            errors.erased(block);
        }
        Ok(())
    }

    #[inline]
    fn retries(&self) -> Retries {
        match &self.errors {
            None => self.inner.retries(),
            Some(errors) => errors.retries,
        }
    }

    #[inline]
    fn set_now_ns(&mut self, now_ns: Ns) {
        if let Some(errors) = &mut self.errors {
            errors.set_now_ns(now_ns);
        }
        self.inner.set_now_ns(now_ns);
    }

    fn due_block(&mut self) -> Option<DueBlock> {
        match self.errors.as_mut().and_then(|errors| errors.refresh.as_mut()) {
            None => self.inner.due_block(),
            Some(refresh) => refresh.due_block(),
        }
    }

    fn next_due_ns(&self) -> Ns {
        match self.errors.as_ref().and_then(|errors| errors.refresh.as_ref()) {
            None => self.inner.next_due_ns(),
            Some(refresh) => refresh.next_due_ns(),
        }
    }

    fn end_turn(&mut self, block: BlockId, moved: bool) {
        match self.errors.as_mut().and_then(|errors| errors.refresh.as_mut()) {
            None => self.inner.end_turn(block, moved),
            Some(refresh) => refresh.end_turn(block, moved),
        }
    }

    #[inline]
    fn has_bit_errors(&self) -> bool {
        self.errors.is_some() || self.inner.has_bit_errors()
    }

    #[inline]
    fn corrected_bits(&self) -> u64 {
        let own = self.errors.as_ref().map_or(0, |errors| errors.corrected_bits);
        own + self.inner.corrected_bits()
    }
}

impl<F: Tearable> Tearable for BitErrors<F> {
    tear_inner!();
}
