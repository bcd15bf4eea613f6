//! An array that is watched: where every logical page is, which pages are valid, which blocks are being
//! collected, told from the operations alone. A scheme's own account is checked against it.

use flash::faults::{PowerCut, ProgramEraseFailure, Tearable};
use flash::{
    Array, BlockId, Cause, Flash, FlashError, Geometry, Lpn, Oob, PageKind, Part, Ppn, Serial,
};

const NONE: u32 = u32::MAX;

/// An array whose blocks' fill can be looked at from outside.
pub trait Inspect: Flash {
    /// The next page of the block that may be programmed; π where none may be before an erase.
    fn next_page(&self, block: BlockId) -> u32;
}

impl Inspect for Array {
    fn next_page(&self, block: BlockId) -> u32 {
        Array::next_page(self, block)
    }
}

impl<F: Inspect> Inspect for Serial<F> {
    fn next_page(&self, block: BlockId) -> u32 {
        self.inner().next_page(block)
    }
}

impl<F: Inspect + Tearable> Inspect for PowerCut<F> {
    fn next_page(&self, block: BlockId) -> u32 {
        self.inner().next_page(block)
    }
}

impl<F: Inspect + Tearable> Inspect for ProgramEraseFailure<F> {
    fn next_page(&self, block: BlockId) -> u32 {
        self.inner().next_page(block)
    }
}

/// A block as its operations show it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlockView {
    /// Pages that hold the newest version of a logical page that was not trimmed.
    pub valid: u32,
    /// Collection has read, copied from or erased it, and it is not erased yet.
    pub victim: bool,
}

/// Passes every operation on and keeps account of it.
#[derive(Clone, Debug)]
pub struct Watched<F> {
    inner: F,
    /// Where each logical page is.
    map: Vec<u32>,
    /// Whose newest version each physical page holds.
    holds: Vec<u32>,
    blocks: Vec<BlockView>,
    /// Victims by valid pages when first touched.
    victim_valid: Vec<u64>,
    breach: Option<String>,
}

impl<F: Flash> Watched<F> {
    /// Watches an array that is erased, or about to be mounted: where pages are that were written before
    /// is told by host reads.
    pub fn new(inner: F) -> Self {
        let geometry = *inner.geometry();
        Self {
            map: vec![NONE; geometry.pages() as usize],
            holds: vec![NONE; geometry.pages() as usize],
            blocks: vec![BlockView::default(); geometry.blocks() as usize],
            victim_valid: vec![0; geometry.pages_per_block() as usize + 1],
            breach: None,
            inner,
        }
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

    /// A trim was acknowledged: the page's last version is not valid any more.
    pub fn trimmed(&mut self, lpn: Lpn) {
        self.unmap(lpn);
    }

    /// Where a logical page is, if it is anywhere.
    pub fn place(&self, lpn: Lpn) -> Option<Ppn> {
        self.map.get(lpn.0 as usize).filter(|ppn| **ppn != NONE).map(|ppn| Ppn(*ppn))
    }

    /// A block as it is now.
    pub fn block(&self, block: BlockId) -> BlockView {
        self.blocks[block.0 as usize]
    }

    /// Victims by valid pages when collection first touched them.
    pub fn victim_valid(&self) -> &[u64] {
        &self.victim_valid
    }

    /// What was done that may never be done, if anything.
    pub fn take_breach(&mut self) -> Option<String> {
        self.breach.take()
    }

    fn unmap(&mut self, lpn: Lpn) {
        let Some(place) = self.map.get_mut(lpn.0 as usize) else { return };
        let ppn = std::mem::replace(place, NONE);
        if ppn != NONE {
            self.holds[ppn as usize] = NONE;
            let block = self.inner.geometry().block_of(Ppn(ppn));
            self.blocks[block.0 as usize].valid -= 1;
        }
    }

    fn put(&mut self, lpn: Lpn, ppn: Ppn) {
        self.unmap(lpn);
        let block = self.inner.geometry().block_of(ppn);
        self.map[lpn.0 as usize] = ppn.0;
        self.holds[ppn.0 as usize] = lpn.0;
        self.blocks[block.0 as usize].valid += 1;
    }

    fn programmed(&mut self, ppn: Ppn, oob: Oob) {
        if oob.kind == PageKind::Data {
            self.put(oob.lpn, ppn);
        }
    }

    fn copied(&mut self, from: Ppn, to: Ppn, oob: Oob, cause: Cause) {
        let block = self.inner.geometry().block_of(from);
        self.collected(block, cause);
        let place = self.place(oob.lpn);
        if oob.kind == PageKind::Data && place.is_some_and(|place| place != from) {
            self.breach.get_or_insert(format!(
                "{from} was copied for {} but the newest version is at {place:?}",
                oob.lpn
            ));
        }
        self.programmed(to, oob);
    }

    fn collected(&mut self, block: BlockId, cause: Cause) {
        if !matches!(cause, Cause::Collection | Cause::Merge) {
            return;
        }
        let view = &mut self.blocks[block.0 as usize];
        if !view.victim {
            view.victim = true;
            self.victim_valid[view.valid as usize] += 1;
        }
    }

    fn saw_read(&mut self, ppn: Ppn, oob: Oob, cause: Cause) {
        match cause {
            Cause::Host if oob.kind == PageKind::Data => {
                match self.place(oob.lpn) {
                    None => self.put(oob.lpn, ppn),
                    Some(place) if place == ppn => {}
                    Some(place) => {
                        self.breach.get_or_insert(format!("a host read went to {ppn}, an old version of {}: the newest is at {place}", oob.lpn));
                    }
                }
            }
            _ => {
                let block = self.inner.geometry().block_of(ppn);
                self.collected(block, cause);
            }
        }
    }
}

impl<F: Flash> Flash for Watched<F> {
    fn geometry(&self) -> &Geometry {
        self.inner.geometry()
    }

    fn part(&self) -> &Part {
        self.inner.part()
    }

    fn read(&mut self, ppn: Ppn, data: &mut [u8], cause: Cause) -> Result<Oob, FlashError> {
        let oob = self.inner.read(ppn, data, cause)?;
        self.saw_read(ppn, oob, cause);
        Ok(oob)
    }

    fn read_part(
        &mut self,
        ppn: Ppn,
        offset: usize,
        data: &mut [u8],
        cause: Cause,
    ) -> Result<Oob, FlashError> {
        let oob = self.inner.read_part(ppn, offset, data, cause)?;
        self.saw_read(ppn, oob, cause);
        Ok(oob)
    }

    fn keeps_user_bytes(&self) -> bool {
        self.inner.keeps_user_bytes()
    }

    fn read_oob(&mut self, ppn: Ppn, cause: Cause) -> Result<Oob, FlashError> {
        let oob = self.inner.read_oob(ppn, cause)?;
        self.saw_read(ppn, oob, cause);
        Ok(oob)
    }

    fn program(&mut self, ppn: Ppn, oob: Oob, data: &[u8], cause: Cause) -> Result<(), FlashError> {
        self.inner.program(ppn, oob, data, cause)?;
        self.programmed(ppn, oob);
        Ok(())
    }

    fn copy(&mut self, from: Ppn, to: Ppn, seq: u64, cause: Cause) -> Result<Oob, FlashError> {
        let oob = self.inner.copy(from, to, seq, cause)?;
        self.copied(from, to, oob, cause);
        Ok(oob)
    }

    fn copy_run(
        &mut self,
        from: &[Ppn],
        to: Ppn,
        seq: u64,
        cause: Cause,
        lpns: &mut [Lpn],
    ) -> Result<(), (usize, FlashError)> {
        let result = self.inner.copy_run(from, to, seq, cause, lpns);
        let copied = result.map_or_else(|(copied, _)| copied, |()| from.len());
        for (at, from) in from[..copied].iter().enumerate() {
            let to = Ppn(to.0 + at as u32);
            // Where the power failed in the middle nothing can be read, nor does the account go on.
            if let Ok(oob) = self.inner.read_oob(to, cause) {
                self.copied(*from, to, oob, cause);
            }
        }
        result
    }

    fn erase(&mut self, block: BlockId, cause: Cause) -> Result<(), FlashError> {
        self.inner.erase(block, cause)?;
        self.collected(block, cause);
        let view = std::mem::take(&mut self.blocks[block.0 as usize]);
        if view.valid != 0 {
            self.breach
                .get_or_insert(format!("{block} was erased with {} valid pages", view.valid));
        }
        let geometry = *self.inner.geometry();
        for page in 0..geometry.pages_per_block() {
            let lpn =
                std::mem::replace(&mut self.holds[geometry.ppn(block, page).0 as usize], NONE);
            if lpn != NONE {
                self.map[lpn as usize] = NONE;
            }
        }
        Ok(())
    }

    fn is_bad(&self, block: BlockId) -> bool {
        self.inner.is_bad(block)
    }

    fn mark_bad(&mut self, block: BlockId) -> Result<(), FlashError> {
        self.inner.mark_bad(block)
    }

    fn erase_count(&self, block: BlockId) -> u32 {
        self.inner.erase_count(block)
    }

    fn peek_lpn(&self, ppn: Ppn) -> Option<Lpn> {
        self.inner.peek_lpn(ppn)
    }
}

impl<F: Inspect> Inspect for Watched<F> {
    fn next_page(&self, block: BlockId) -> u32 {
        self.inner.next_page(block)
    }
}
