//! Bit errors, the ECC that corrects them, and copies that pass them on.

use super::bit_error_model::{Age, BitErrorModel, codeword_bits, codewords};
use super::carried::Carried;
use super::error::FaultError;
use super::tearable::{Tearable, tear_inner};
use crate::address::{Lpn, Ppn};
use crate::copies::CopyPath;
use crate::error::FlashError;
use crate::interface::{Flash, copy_one_by_one};
use crate::oob::Oob;
use crate::operation::Cause;
use alloc::{boxed::Box, vec, vec::Vec};

/// Gives pages bit errors by a [`BitErrorModel`] and corrects them at each read, or fails the read.
///
/// A page that once exceeds the ECC in any codeword stays uncorrectable until its block is erased; a page within
/// it reads as it was written. The OOB shares its page's fate.
///
/// A copy goes through the same ECC as a read and writes a page without errors, unless the part's copies
/// ([`Part::copies`](crate::Part::copies)) take it by [`CopyPath::IcbUnchecked`]. Then the source's wrong bits,
/// however many, are in the copy from then on, besides its own; the page is uncorrectable when it is next read
/// through ECC, if they are too many. The part itself refuses no page for its bits; what was found uncorrectable
/// before is refused all the same, for nobody copies a page that is known to be lost. A copy that fails or is cut
/// above this wrapper has been read through ECC.
///
/// State: 4 bytes a page where reads bring errors; 4 more and 2 a codeword where pages carry errors of others.
/// Switched off ([`BitErrors::none`]): none, and no work but to find it so.
#[derive(Clone, Debug)]
pub struct BitErrors<F> {
    inner: F,
    errors: Option<Box<Errors>>,
}

impl<F: Tearable> BitErrors<F> {
    /// Pages already in `inner` count as never read, and carry no errors of other pages. A model that draws does
    /// so from `seed`.
    ///
    /// # Errors
    /// A figure of the model that is outside its range.
    pub fn new(inner: F, model: impl Into<BitErrorModel>, seed: u64) -> Result<Self, FaultError> {
        let (model, geometry) = (model.into(), *inner.geometry());
        model.validate(&geometry)?;
        let counted = if model.grows_with_reads() { geometry.pages() } else { 0 };
        let codewords = codewords(geometry.page_bytes());
        let errors = Errors {
            model,
            seed,
            reads: vec![0; counted as usize],
            carried: Carried::new(&geometry, codewords),
            taken_over: vec![0; codewords as usize],
            corrected_bits: 0,
            uncorrectable_reads: 0,
            propagated_bits: 0,
        };
        Ok(Self { inner, errors: Some(Box::new(errors)) })
    }

    /// No errors: passes everything on.
    pub fn none(inner: F) -> Self {
        Self { inner, errors: None }
    }

    /// How many bits are wrong and how many are corrected, if any are.
    pub fn model(&self) -> Option<&BitErrorModel> {
        self.errors.as_ref().map(|errors| &errors.model)
    }

    /// Reads and copies that found their page uncorrectable so far.
    pub fn uncorrectable_reads(&self) -> u64 {
        self.errors.as_ref().map_or(0, |errors| errors.uncorrectable_reads)
    }

    /// Wrong bits that copies took over so far: those of the source, its own and what it carried, at each copy.
    pub fn propagated_bits(&self) -> u64 {
        self.errors.as_ref().map_or(0, |errors| errors.propagated_bits)
    }

    /// The wrapped array.
    pub fn inner(&self) -> &F {
        &self.inner
    }

    /// The wrapped array, to be changed.
    pub fn inner_mut(&mut self) -> &mut F {
        &mut self.inner
    }

    /// The wrapped array itself.
    pub fn into_inner(self) -> F {
        self.inner
    }
}

/// The errors where there are any.
#[derive(Clone, Debug)]
struct Errors {
    model: BitErrorModel,
    seed: u64,
    /// Reads of each page since its program; empty where they bring no errors.
    reads: Vec<u32>,
    carried: Carried,
    /// What a copy takes over while it is made, a number a codeword.
    taken_over: Vec<u16>,
    corrected_bits: u64,
    uncorrectable_reads: u64,
    propagated_bits: u64,
}

impl Errors {
    /// Wrong bits of each codeword of a page that is read once more: its own, and those that it carries.
    fn each_codeword<F: Flash>(&self, inner: &F, ppn: Ppn, mut each: impl FnMut(usize, u64)) {
        let geometry = inner.geometry();
        let erases = inner.erase_count(geometry.block_of(ppn));
        let reads = self.reads.get(ppn.0 as usize).map_or(0, |reads| reads.saturating_add(1));
        let carried = self.carried.of(ppn);
        let age = Age { ppn, erases, reads };
        self.model.each_codeword(self.seed, geometry.page_bytes(), age, |at, own| {
            each(at, own + carried.get(at).map_or(0, |bits| u64::from(*bits)));
        });
    }

    /// Bits that ECC corrects if the page is read now; where they are too many the page is spoilt, so that the
    /// read finds it so.
    #[inline(never)]
    fn before_read<F: Tearable>(&mut self, inner: &mut F, ppn: Ppn) -> Result<u64, FlashError> {
        let (mut all, mut worst) = (0, 0);
        if inner.geometry().contains(ppn) {
            self.each_codeword(inner, ppn, |_, bits| {
                all += bits;
                worst = bits.max(worst);
            });
        }
        if worst > u64::from(self.model.ecc_bits_per_kib()) {
            match inner.spoil(ppn) {
                // An erased page holds no bits: the read is refused in its own words.
                Ok(()) | Err(FlashError::Erased(_)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(all)
    }

    /// Counts a read of a page, if it has run, and what was corrected in it.
    #[inline(never)]
    fn after_read(&mut self, ppn: Ppn, corrected: u64, error: Option<FlashError>) {
        match error {
            None => self.corrected_bits += corrected,
            Some(FlashError::Uncorrectable(_)) => self.uncorrectable_reads += 1,
            Some(error) if error.failed_at_medium() => {}
            Some(_) => return,
        }
        if let Some(reads) = self.reads.get_mut(ppn.0 as usize) {
            *reads = reads.saturating_add(1);
        }
    }

    /// A page without errors of others, and not yet read.
    fn programmed(&mut self, ppn: Ppn) {
        if let Some(reads) = self.reads.get_mut(ppn.0 as usize) {
            *reads = 0;
        }
        self.carried.clear(ppn);
    }

    /// What is wrong in a page goes over to its copy, unless it was corrected on the way.
    #[inline(never)]
    fn after_copy<F: Flash>(
        &mut self,
        inner: &F,
        [from, to]: [Ppn; 2],
        corrected: Option<u64>,
        error: Option<FlashError>,
    ) {
        if error.is_none() {
            self.programmed(to);
            if corrected.is_none() {
                self.take_over(inner, from, to);
            }
        }
        self.after_read(from, corrected.unwrap_or(0), error);
    }

    fn take_over<F: Flash>(&mut self, inner: &F, from: Ppn, to: Ppn) {
        let page_bytes = inner.geometry().page_bytes();
        let mut taken_over = core::mem::take(&mut self.taken_over);
        let mut all = 0;
        self.each_codeword(inner, from, |at, bits| {
            // No more bits are wrong than there are: 8,192 at most.
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

/// Why it failed: by value, for a result of which a reference is kept must lie in memory, errors or none.
#[inline(always)]
fn error_of<T>(result: &Result<T, FlashError>) -> Option<FlashError> {
    result.as_ref().err().copied()
}

/// Whether the part copies from one page to another without a look at what it copies.
fn is_unchecked<F: Flash>(inner: &F, from: Ppn, to: Ppn) -> bool {
    let block_of = |ppn| inner.geometry().block_of(ppn);
    inner.part().copies.as_ref().is_some_and(|copies| {
        copies.between(block_of(from), block_of(to)).path == CopyPath::IcbUnchecked
    })
}

impl<F: Tearable> crate::layer::Layer for BitErrors<F> {
    type Inner = F;

    #[inline]
    fn inner(&self) -> &F {
        &self.inner
    }

    #[inline]
    fn inner_mut(&mut self) -> &mut F {
        &mut self.inner
    }

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
    fn copy(&mut self, from: Ppn, to: Ppn, seq: u64, cause: Cause) -> Result<Oob, FlashError> {
        let (inner, errors) = (&mut self.inner, &mut self.errors);
        let Some(errors) = errors else { return inner.copy(from, to, seq, cause) };
        // Nothing is corrected in a copy that nobody checks.
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
