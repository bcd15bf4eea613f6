//! An array that records what a scheme can know: the content of each page, the order in which blocks became full or
//! lost their last page, the work of the step in progress, and the pages held in RAM.
//!
//! It distinguishes states that the array alone does not ([`crate::projection::ByHistory`]).

use crate::watched::Inspect;
use flash::{Array, BlockId, Cause, Flash, FlashError, Lpn, Oob, Operation, PageKind, Ppn};
use std::collections::{BTreeMap, BTreeSet};

/// Content that a page was programmed with since the erase of its block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Written {
    /// Data, translation or other.
    pub kind: PageKind,
    /// Number of the page among those of its kind.
    pub number: u32,
}

/// Times of events in a block, counted in programs of the array; 0 if not since its erase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Past {
    /// Program of its first page.
    pub opened: u64,
    /// Program of its last page.
    pub filled: u64,
    /// Invalidation of its last valid page.
    pub emptied: u64,
    /// True if a step programmed its first page.
    pub by_step: bool,
    /// True if a step filled it with a page that the host had not written since the block was opened.
    pub filled_by_step: bool,
    /// Sequence number of its first page.
    pub seq: u64,
}

/// Passes on every operation and records it.
#[derive(Clone, Debug)]
pub struct History {
    inner: Array,
    pages: Vec<Option<Written>>,
    blocks: Vec<Past>,
    /// Newest pages in each block, of all kinds.
    valid: Vec<u32>,
    /// Physical page of the newest version of each page, and the time of its program.
    newest: BTreeMap<(PageKind, u32), (Ppn, u64)>,
    steps: Vec<(Operation, Written)>,
    /// Logical pages held in RAM, with the clock when their write was acknowledged.
    held: BTreeMap<u32, u64>,
    trimmed: BTreeSet<u32>,
    clock: u64,
}

impl History {
    /// Records an erased array from now on.
    pub fn new(inner: Array) -> Self {
        let geometry = *inner.geometry();
        Self {
            inner,
            pages: vec![None; geometry.pages() as usize],
            blocks: vec![Past::default(); geometry.blocks() as usize],
            valid: vec![0; geometry.blocks() as usize],
            newest: BTreeMap::new(),
            steps: Vec::new(),
            held: BTreeMap::new(),
            trimmed: BTreeSet::new(),
            clock: 0,
        }
    }

    /// Content that a page was programmed with; `None` if it is erased.
    pub fn written(&self, ppn: Ppn) -> Option<Written> {
        self.pages[ppn.0 as usize]
    }

    /// True if the page holds the newest version on flash.
    pub fn is_newest(&self, ppn: Ppn) -> bool {
        self.written(ppn).is_some_and(|written| self.place(written) == Some(ppn))
    }

    /// Times of events in the block.
    pub fn past(&self, block: BlockId) -> Past {
        self.blocks[block.0 as usize]
    }

    /// Operations of collection since its last erase.
    pub fn steps(&self) -> &[(Operation, Written)] {
        &self.steps
    }

    /// Logical pages whose newest version is in RAM.
    pub fn held(&self) -> impl Iterator<Item = u32> {
        self.held.keys().copied()
    }

    /// Logical pages trimmed and not written since.
    pub fn trimmed(&self) -> impl Iterator<Item = u32> {
        self.trimmed.iter().copied()
    }

    /// A logical page of the data block that a step opened last: of the one that was collected last, or is
    /// about to be.
    pub fn moved_last(&self) -> Option<Lpn> {
        let geometry = self.inner.geometry();
        let moved = (0..geometry.blocks()).filter(|block| self.blocks[*block as usize].by_step);
        let last = moved.max_by_key(|block| self.blocks[*block as usize].opened)?;
        let data = self.written(geometry.ppn(BlockId(last), 0))?;
        (data.kind == PageKind::Data).then_some(Lpn(data.number))
    }

    /// Number of programs so far.
    pub fn clock(&self) -> u64 {
        self.clock
    }

    /// A write was acknowledged that began at this [`History::clock`]: it is held in RAM where nothing was
    /// programmed for it since.
    pub fn acknowledged(&mut self, lpn: Lpn, since: u64) {
        self.trimmed.remove(&lpn.0);
        let newest = self.newest.get(&(PageKind::Data, lpn.0));
        if newest.is_none_or(|(_, when)| *when <= since) {
            self.held.insert(lpn.0, self.clock);
        }
    }

    /// Records an acknowledged trim.
    pub fn trim(&mut self, lpn: Lpn) {
        self.held.remove(&lpn.0);
        self.trimmed.insert(lpn.0);
    }

    fn place(&self, written: Written) -> Option<Ppn> {
        self.newest.get(&(written.kind, written.number)).map(|(ppn, _)| *ppn)
    }

    fn step(&mut self, operation: Operation, oob: Oob, cause: Cause) {
        if cause.is_step() {
            self.steps.push((operation, Written { kind: oob.kind, number: oob.lpn.0 }));
        }
    }

    fn copied(&mut self, to: Ppn, oob: Oob, cause: Cause) {
        self.programmed(to, oob, cause);
        self.step(Operation::Copy, oob, cause);
    }

    fn programmed(&mut self, ppn: Ppn, oob: Oob, cause: Cause) {
        self.clock += 1;
        let geometry = *self.inner.geometry();
        let block = geometry.block_of(ppn);
        if let Some((old, _)) = self.newest.insert((oob.kind, oob.lpn.0), (ppn, self.clock)) {
            let old = geometry.block_of(old).0 as usize;
            self.valid[old] -= 1;
            if self.valid[old] == 0 {
                self.blocks[old].emptied = self.clock;
            }
        }
        let data = oob.kind == PageKind::Data;
        let held = if data { self.held.remove(&oob.lpn.0) } else { None };
        self.valid[block.0 as usize] += 1;
        self.pages[ppn.0 as usize] = Some(Written { kind: oob.kind, number: oob.lpn.0 });
        let past = &mut self.blocks[block.0 as usize];
        past.emptied = 0;
        if ppn == geometry.ppn(block, 0) {
            past.opened = self.clock;
            past.by_step = cause.is_step();
            past.seq = oob.seq;
        }
        if ppn == geometry.ppn(block, geometry.pages_per_block() - 1) {
            past.filled = self.clock;
            past.filled_by_step = cause.is_step() && held.is_none_or(|when| when < past.opened);
        }
    }
}

impl flash::Layer for History {
    flash::layer_on!(self, self.inner, Array);

    fn read(&mut self, ppn: Ppn, data: Option<&mut [u8]>, cause: Cause) -> Result<Oob, FlashError> {
        let oob = self.inner.read(ppn, data, cause)?;
        self.step(Operation::Read, oob, cause);
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
        self.step(Operation::Read, oob, cause);
        Ok(oob)
    }

    fn read_oob(&mut self, ppn: Ppn, cause: Cause) -> Result<Oob, FlashError> {
        let oob = self.inner.read_oob(ppn, cause)?;
        self.step(Operation::ReadOob, oob, cause);
        Ok(oob)
    }

    fn program(
        &mut self,
        ppn: Ppn,
        oob: Oob,
        data: Option<&[u8]>,
        cause: Cause,
    ) -> Result<(), FlashError> {
        self.inner.program(ppn, oob, data, cause)?;
        self.programmed(ppn, oob, cause);
        self.step(Operation::Program, oob, cause);
        Ok(())
    }

    fn copy(&mut self, from: Ppn, to: Ppn, seq: u64, cause: Cause) -> Result<Oob, FlashError> {
        let oob = self.inner.copy(from, to, seq, cause)?;
        self.copied(to, oob, cause);
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
        for to in (to.0..).take(copied).map(Ppn) {
            let oob = self.inner.read_oob(to, cause).expect("a copied page can be read");
            self.copied(to, oob, cause);
        }
        result
    }

    fn erase(&mut self, block: BlockId, cause: Cause) -> Result<(), FlashError> {
        self.inner.erase(block, cause)?;
        let geometry = *self.inner.geometry();
        for page in 0..geometry.pages_per_block() {
            let ppn = geometry.ppn(block, page);
            if let Some(written) = self.pages[ppn.0 as usize].take()
                && self.place(written) == Some(ppn)
            {
                self.newest.remove(&(written.kind, written.number));
            }
        }
        self.valid[block.0 as usize] = 0;
        self.blocks[block.0 as usize] = Past::default();
        if cause.is_step() {
            self.steps.clear();
        }
        Ok(())
    }
}

impl Inspect for History {
    fn next_page(&self, block: BlockId) -> u32 {
        self.inner.next_page(block)
    }

    fn fork(&self) -> Box<dyn Inspect> {
        Box::new(self.clone())
    }
}
