//! Bit errors, the ECC that corrects them, and copies that pass them on.

use super::bit_error_model::{Age, codeword_bits, codewords};
use super::carried::Carried;
use super::forward::forward;
use super::{BitErrorModel, FaultError, Tearable};
use crate::interface::copy_one_by_one;
use crate::{BlockId, Cause, CopyPath, Flash, FlashError, Lpn, Oob, Ppn};
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

    /// Counts a read of a page if it has run.
    fn count_read<T>(&mut self, ppn: Ppn, result: &Result<T, FlashError>) {
        if let Err(error) = result
            && !error.failed_at_medium()
        {
            return;
        }
        if let Some(reads) = self.reads.get_mut(ppn.0 as usize) {
            *reads = reads.saturating_add(1);
        }
        self.uncorrectable_reads += u64::from(matches!(result, Err(FlashError::Uncorrectable(_))));
    }

    /// Reads a page through ECC: where that fails, `read` finds the page spoilt.
    fn through_ecc<F: Tearable>(
        &mut self,
        inner: &mut F,
        ppn: Ppn,
        read: impl FnOnce(&mut F) -> Result<Oob, FlashError>,
    ) -> Result<Oob, FlashError> {
        let (mut all, mut worst) = (0, 0);
        if inner.geometry().contains(ppn) {
            self.each_codeword(inner, ppn, |_, bits| {
                all += bits;
                worst = bits.max(worst);
            });
        }
        if worst > u64::from(self.model.ecc_bits_per_kib()) {
            match inner.spoil(ppn) {
                // An erased page holds no bits: `read` refuses it in its own words.
                Ok(()) | Err(FlashError::Erased(_)) => {}
                Err(error) => return Err(error),
            }
        }
        let result = read(inner);
        self.count_read(ppn, &result);
        if result.is_ok() {
            self.corrected_bits += all;
        }
        result
    }

    /// A page without errors of others, and not yet read.
    fn programmed(&mut self, ppn: Ppn) {
        if let Some(reads) = self.reads.get_mut(ppn.0 as usize) {
            *reads = 0;
        }
        self.carried.clear(ppn.0..ppn.0 + 1);
    }

    fn copy<F: Tearable>(
        &mut self,
        inner: &mut F,
        [from, to]: [Ppn; 2],
        seq: u64,
        cause: Cause,
    ) -> Result<Oob, FlashError> {
        if is_unchecked(inner, from, to) {
            return self.copy_unchecked(inner, [from, to], seq, cause);
        }
        let oob = self.through_ecc(inner, from, |inner| inner.copy(from, to, seq, cause))?;
        self.programmed(to);
        Ok(oob)
    }

    /// Copies a page with all that is wrong in it.
    fn copy_unchecked<F: Tearable>(
        &mut self,
        inner: &mut F,
        [from, to]: [Ppn; 2],
        seq: u64,
        cause: Cause,
    ) -> Result<Oob, FlashError> {
        let result = inner.copy(from, to, seq, cause);
        if result.is_ok() {
            self.programmed(to);
            self.take_over(inner, from, to);
        }
        self.count_read(from, &result);
        result
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

/// Whether the part copies from one page to another without a look at what it copies.
fn is_unchecked<F: Flash>(inner: &F, from: Ppn, to: Ppn) -> bool {
    let block_of = |ppn| inner.geometry().block_of(ppn);
    inner.part().copies.as_ref().is_some_and(|copies| {
        copies.between(block_of(from), block_of(to)).path == CopyPath::IcbUnchecked
    })
}

impl<F: Tearable> Flash for BitErrors<F> {
    forward!(geometry part keeps_user_bytes is_bad mark_bad erase_count peek_lpn);

    #[inline]
    fn read(&mut self, ppn: Ppn, data: &mut [u8], cause: Cause) -> Result<Oob, FlashError> {
        let Some(errors) = &mut self.errors else { return self.inner.read(ppn, data, cause) };
        self.inner.geometry().check_payload(data.len())?;
        errors.through_ecc(&mut self.inner, ppn, |inner| inner.read(ppn, data, cause))
    }

    #[inline]
    fn read_part(
        &mut self,
        ppn: Ppn,
        offset: usize,
        data: &mut [u8],
        cause: Cause,
    ) -> Result<Oob, FlashError> {
        let inner = &mut self.inner;
        let Some(errors) = &mut self.errors else {
            return inner.read_part(ppn, offset, data, cause);
        };
        let (expected, found) = (inner.geometry().page_bytes(), offset.saturating_add(data.len()));
        if found > expected as usize {
            return Err(FlashError::PayloadLength { expected, found });
        }
        errors.through_ecc(inner, ppn, |inner| inner.read_part(ppn, offset, data, cause))
    }

    #[inline]
    fn read_oob(&mut self, ppn: Ppn, cause: Cause) -> Result<Oob, FlashError> {
        let Some(errors) = &mut self.errors else { return self.inner.read_oob(ppn, cause) };
        errors.through_ecc(&mut self.inner, ppn, |inner| inner.read_oob(ppn, cause))
    }

    #[inline(always)]
    fn program(&mut self, ppn: Ppn, oob: Oob, data: &[u8], cause: Cause) -> Result<(), FlashError> {
        self.inner.program(ppn, oob, data, cause)?;
        if let Some(errors) = &mut self.errors {
            errors.programmed(ppn);
        }
        Ok(())
    }

    #[inline(always)]
    fn copy(&mut self, from: Ppn, to: Ppn, seq: u64, cause: Cause) -> Result<Oob, FlashError> {
        match &mut self.errors {
            None => self.inner.copy(from, to, seq, cause),
            Some(errors) => errors.copy(&mut self.inner, [from, to], seq, cause),
        }
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
            Some(_) => copy_one_by_one(self, from, to, seq, cause, lpns),
        }
    }

    #[inline]
    fn erase(&mut self, block: BlockId, cause: Cause) -> Result<(), FlashError> {
        self.inner.erase(block, cause)?;
        if let Some(errors) = &mut self.errors {
            let geometry = self.inner.geometry();
            let first = geometry.ppn(block, 0).0;
            errors.carried.clear(first..first + geometry.pages_per_block());
        }
        Ok(())
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
    forward!(waste half_erase spoil);
}
