//! Dependencies between the operations of each block.

use super::operations::{ChannelWork, NONE, Operation, Operations};
use crate::address::BlockId;
use crate::channels::{Class, QUEUES};
use crate::prefetch::prefetch;
use alloc::vec::Vec;

/// Dependencies between the operations of each block.
///
/// Most blocks have none, or only reads of the host. So a block takes one word, and a busy one an entry besides.
#[derive(Clone, Debug)]
pub(super) struct Order {
    /// Copies out of an idle block that are not done; with [`BUSY`], the entry of a busy one.
    blocks: Vec<u32>,
    busy: Vec<Block>,
    free: Vec<u32>,
    /// True if operations of different classes may pass each other, except on the same block.
    classes: bool,
}

/// Bit of a busy block. An entry, and a count of operations, takes less than 31 bits: each is 64 bytes.
const BUSY: u32 = 1 << 31;

/// State of a busy block's operations: a cache line.
///
/// Submitted operations of different classes may pass each other. So the submitted operations of a block that
/// change it are all of one class, and no reads of another class are outstanding beside them.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Block {
    /// The last operation that is not submitted.
    held: u32,
    /// Copies out of the block that are not done, since its last erase was issued.
    copies: u32,
    /// The first erase that waits for earlier copies. While it exists, every copy that completes is one of
    /// those: copies issued after the erase cannot reach the die before it.
    erase: u32,
    /// Operations submitted and not done, by class, and the programs and erases among them.
    counts: [u32; QUEUES],
    changes: [u32; QUEUES],
    /// The operation that waits until those of other classes are done.
    waits: u32,
    /// Programs of the block that are not done, and the page after the last one issued.
    programs: u32,
    next: u32,
    /// Erases of the block that are not done. Until then the same pages may be in progress twice.
    erases: u32,
    /// Programs of copies into the block that are not done, in order: the first and the last.
    arriving: [u32; 2],
}

impl Block {
    const IDLE: Self = Self {
        held: NONE,
        copies: 0,
        erase: NONE,
        counts: [0; QUEUES],
        changes: [0; QUEUES],
        waits: NONE,
        programs: 0,
        next: 0,
        erases: 0,
        arriving: [NONE; 2],
    };

    /// `None` if no outstanding operation of another class is in the way of one that changes the block, or reads it;
    /// otherwise whether collection is among them.
    #[inline]
    fn in_the_way(&self, queue: usize, changes: bool) -> Option<bool> {
        let counts = if changes { &self.counts } else { &self.changes };
        let others = counts.iter().sum::<u32>() > counts[queue];
        others.then(|| queue != Class::COLLECTION && counts[Class::COLLECTION] > 0)
    }

    /// Records that an operation is submitted; with classes, its queue and whether it changes the block.
    #[inline]
    fn submitted(&mut self, operation: &Operation, slot: u32, of: Option<(usize, bool)>) {
        if let Some((queue, changes)) = of {
            self.counts[queue] += 1;
            self.changes[queue] += u32::from(changes);
        }
        if self.held == slot {
            self.held = NONE;
        }
        if self.erase == slot {
            self.erase = operation.behind;
        }
    }

    /// Puts the program of a copy into it behind the others.
    #[inline]
    fn arrives(&mut self, operations: &mut Operations, slot: u32) {
        let [first, last] = &mut self.arriving;
        match core::mem::replace(last, slot) {
            NONE => *first = slot,
            before => operations.get_mut(before).behind = slot,
        }
    }

    /// Records that the program of an operation is done.
    #[inline]
    fn programmed(&mut self, operation: &Operation) {
        self.programs -= 1;
        if operation.work.source().is_some() {
            self.arriving[0] = operation.behind;
            if operation.behind == NONE {
                self.arriving[1] = NONE;
            }
        }
    }

    /// Records that an operation is done. Returns the one that waited for this, which checks again whether it has to wait.
    #[inline]
    fn done(&mut self, queue: usize, changes: bool) -> u32 {
        self.counts[queue] -= 1;
        self.changes[queue] -= u32::from(changes);
        if self.counts[queue] == 0 || changes && self.changes[queue] == 0 {
            return core::mem::replace(&mut self.waits, NONE);
        }
        NONE
    }

    /// True if nothing but its copies is left.
    #[inline]
    fn is_idle(&self) -> bool {
        let [reads, writes, collection] = self.counts;
        reads | writes | collection | self.programs | self.erases == 0
            && self.held & self.erase & self.waits & self.arriving[0] == NONE
    }
}

/// Outstanding operations of other classes that are in the way of one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct InTheWay {
    /// Blocks that have any.
    pub(super) blocks: u32,
    /// True if some belong to collection.
    pub(super) collected: bool,
}

impl Order {
    pub(super) fn new(blocks: u32) -> Self {
        let blocks = alloc::vec![0; blocks as usize];
        Self { blocks, busy: Vec::new(), free: Vec::new(), classes: false }
    }

    /// Lets operations of different classes pass each other from here on, except on the same block.
    pub(super) fn keep_classes(&mut self) {
        self.classes = true;
    }

    /// The entry of a block, if it is busy.
    #[inline(always)]
    fn busy(&self, block: BlockId) -> Option<&Block> {
        let state = self.blocks[block.0 as usize];
        (state >= BUSY).then(|| &self.busy[(state & !BUSY) as usize])
    }

    #[inline]
    fn busy_mut(&mut self, block: BlockId) -> Option<&mut Block> {
        let state = self.blocks[block.0 as usize];
        (state >= BUSY).then(|| &mut self.busy[(state & !BUSY) as usize])
    }

    /// The entry of a block, which is busy from here on.
    #[inline(always)]
    fn block(&mut self, block: BlockId) -> &mut Block {
        let mut state = self.blocks[block.0 as usize];
        if state < BUSY {
            state = self.occupy(block);
        }
        &mut self.busy[(state & !BUSY) as usize]
    }

    /// Gives an idle block an entry, and returns its new word.
    #[inline(never)]
    fn occupy(&mut self, block: BlockId) -> u32 {
        let entry = self.free.pop().unwrap_or_else(|| {
            self.busy.push(Block::IDLE);
            (self.busy.len() - 1) as u32
        });
        let state = &mut self.blocks[block.0 as usize];
        self.busy[entry as usize] = Block { copies: *state, ..Block::IDLE };
        *state = entry | BUSY;
        *state
    }

    /// Frees the entry of a block that is no longer busy.
    #[inline]
    fn settle(&mut self, block: BlockId) {
        if self.busy(block).is_some_and(Block::is_idle) {
            self.vacate(block);
        }
    }

    /// Frees the entry of a busy block.
    #[inline(never)]
    fn vacate(&mut self, block: BlockId) {
        let state = &mut self.blocks[block.0 as usize];
        let entry = *state & !BUSY;
        *state = self.busy[entry as usize].copies;
        self.free.push(entry);
    }

    /// Prefetches the state of a block.
    #[inline]
    pub(super) fn prefetch(&self, block: BlockId) {
        prefetch(&self.blocks, block.0 as usize);
    }

    /// Submits an operation that waits for nothing more, and returns those that waited for this. `Err`, and it is not
    /// submitted, if outstanding operations of another class are in its way; each such block releases it once.
    #[inline]
    pub(super) fn submit(
        &mut self,
        operation: &Operation,
        slot: u32,
    ) -> Result<[u32; 2], InTheWay> {
        let queue = operation.queue();
        if operation.work.is_single() {
            let [(id, _), _] = operation.work.places;
            let (classes, changes) = (self.classes, !operation.work.is_read());
            let block = self.block(id);
            if classes && let Some(collected) = block.in_the_way(queue, changes) {
                block.waits = slot;
                return Err(InTheWay { blocks: 1, collected });
            }
            block.submitted(operation, slot, classes.then_some((queue, changes)));
            if !classes {
                self.settle(id);
            }
            return Ok(operation.next);
        }
        self.submit_two(operation, slot, queue)
    }

    /// The same for an operation of two commands.
    #[inline(never)]
    fn submit_two(
        &mut self,
        operation: &Operation,
        slot: u32,
        queue: usize,
    ) -> Result<[u32; 2], InTheWay> {
        let mut found = InTheWay::default();
        if self.classes {
            for (block, changes) in operation.work.blocks() {
                let Some(block) = self.busy_mut(block) else { continue };
                if let Some(collected) = block.in_the_way(queue, changes) {
                    block.waits = slot;
                    found.blocks += 1;
                    found.collected |= collected;
                }
            }
        }
        if found.blocks > 0 {
            return Err(found);
        }
        for (id, changes) in operation.work.blocks() {
            let of = self.classes.then_some((queue, changes));
            self.block(id).submitted(operation, slot, of);
            if !self.classes {
                self.settle(id);
            }
        }
        Ok(operation.next)
    }

    /// Records that an operation is issued.
    #[inline]
    pub(super) fn asked(&mut self, operation: &Operation) {
        if !self.classes {
            return;
        }
        if let Some((block, page)) = operation.work.programs() {
            let block = self.block(block);
            block.programs += 1;
            block.next = page + 1;
        } else if operation.work.is_erase() {
            self.block(operation.work.first().block).erases += 1;
        }
    }

    /// Records the program of a page being copied into the block.
    #[inline]
    pub(super) fn arriving(&mut self, operations: &mut Operations, slot: u32, block: BlockId) {
        if self.classes {
            self.block(block).arrives(operations, slot);
        }
    }

    /// Block and page at which the host can read a page regardless of its block's other operations. That is the page
    /// itself if it is programmed. During its copy it is the source page, if the source's block has no outstanding
    /// programs. `None` if the page is not programmed anywhere yet, or its location is uncertain.
    #[inline]
    pub(super) fn readable_at(
        &self,
        operations: &Operations,
        (id, page): (BlockId, u32),
    ) -> Option<(BlockId, u32)> {
        if !self.classes {
            return None;
        }
        match self.busy(id) {
            None => Some((id, page)),
            Some(block) => self.readable_in(block, operations, (id, page)),
        }
    }

    /// The same of a page of a busy block.
    #[inline(never)]
    fn readable_in(
        &self,
        block: &Block,
        operations: &Operations,
        (id, page): (BlockId, u32),
    ) -> Option<(BlockId, u32)> {
        if block.erases > 0 {
            return None;
        }
        // The outstanding programs are the block's last ones.
        if block.programs == 0 || page + block.programs < block.next {
            return Some((id, page));
        }
        let mut slot = block.arriving[0];
        while slot != NONE {
            let operation = operations.get(slot);
            if operation.work.programs() == Some((id, page)) {
                let (from, page) = operation.work.source()?;
                let programs = self.busy(from).map_or(0, |source| source.programs);
                return (programs == 0).then_some((from, page));
            }
            slot = operation.behind;
        }
        None
    }

    /// Records a host read at a page's current location. The erase of that block waits for it as for a copy.
    #[inline(always)]
    pub(super) fn reading(&mut self, operations: &mut Operations, block: BlockId) {
        match self.busy(block).map_or(NONE, |block| block.erase) {
            NONE => self.copying(block),
            erase => operations.get_mut(erase).waits += 1,
        }
    }

    /// Records a page being copied out of a block, and lets its read reach its die, for this class. Returns false, and does
    /// nothing, if an operation of the block is in its way.
    #[inline(always)]
    pub(super) fn copy_now(&mut self, id: BlockId, queue: usize) -> bool {
        if !self.classes {
            let held = self.busy(id).is_some_and(|block| block.held != NONE);
            if !held {
                self.copying(id);
            }
            return !held;
        }
        let block = self.block(id);
        if block.held != NONE || block.in_the_way(queue, false).is_some() {
            return false;
        }
        block.copies += 1;
        block.counts[queue] += 1;
        true
    }

    /// Enters the program of a copy through the controller, which waits for its read. Returns whether it also waits for
    /// collection.
    #[inline(always)]
    pub(super) fn enter_copied(&mut self, operations: &mut Operations, slot: u32) -> bool {
        let operation = operations.get_mut(slot);
        let [(id, page), _] = operation.work.places;
        let classes = self.classes;
        let block = self.block(id);
        let before = core::mem::replace(&mut block.held, slot);
        operation.waits = 1 + u32::from(before != NONE);
        if classes {
            block.programs += 1;
            block.next = page + 1;
            block.arrives(operations, slot);
        }
        if before == NONE {
            return false;
        }
        let before = operations.get_mut(before);
        before.next[usize::from(before.work.places[0].0 != id)] = slot;
        before.step
    }

    /// Records that a read let through by [`Order::copy_now`] is done. Returns the operation that waited for this.
    #[inline]
    pub(super) fn read_done(&mut self, id: BlockId, queue: usize) -> u32 {
        if !self.classes {
            return NONE;
        }
        let block = self.block(id);
        let released = block.done(queue, false);
        if block.is_idle() {
            self.vacate(id);
        }
        released
    }

    /// Records that an operation is done. Returns the operations that waited for this.
    #[inline]
    pub(super) fn done(&mut self, operation: &Operation) -> [u32; 2] {
        let mut released = [NONE; 2];
        if !self.classes || operation.aside {
            return released;
        }
        let queue = operation.queue();
        let work = &operation.work;
        if work.is_single() {
            let [(id, _), _] = work.places;
            let block = self.block(id);
            if work.first().programs() {
                block.programmed(operation);
            } else if work.is_erase() {
                block.erases -= 1;
            }
            released[0] = block.done(queue, !work.is_read());
            if block.is_idle() {
                self.vacate(id);
            }
            return released;
        }
        if let Some((block, _)) = work.programs() {
            self.block(block).programmed(operation);
        }
        for (released, (id, changes)) in released.iter_mut().zip(work.blocks()) {
            *released = self.block(id).done(queue, changes);
            self.settle(id);
        }
        released
    }

    /// Puts an operation behind those of its blocks that are not submitted. Returns the number it waits for,
    /// and whether any of them is collection.
    #[inline]
    pub(super) fn enter(&mut self, operations: &mut Operations, slot: u32) -> (u32, bool) {
        let work = operations.get(slot).work;
        let (mut waits, mut collected) = (0, false);
        for (block, _) in work.blocks() {
            let before = self.busy(block).map_or(NONE, |block| block.held);
            if before != NONE {
                let before = operations.get_mut(before);
                before.next[usize::from(before.work.first().block != block)] = slot;
                waits += 1;
                collected |= before.step;
            }
        }
        let copies = if work.is_erase() { self.erase(operations, slot) } else { 0 };
        (waits + copies, collected)
    }

    /// Makes an erase wait for the copies out of its block, and returns their number.
    fn erase(&mut self, operations: &mut Operations, slot: u32) -> u32 {
        let id = operations.get(slot).work.first().block;
        let block = self.block(id);
        let waits = core::mem::take(&mut block.copies);
        if waits == 0 {
            self.settle(id);
            return 0;
        }
        if block.erase == NONE {
            block.erase = slot;
            return waits;
        }
        let mut last = block.erase;
        while operations.get(last).behind != NONE {
            last = operations.get(last).behind;
        }
        operations.get_mut(last).behind = slot;
        waits
    }

    /// Makes later operations of its blocks wait for this operation, which has to wait itself.
    pub(super) fn hold(&mut self, work: &ChannelWork, slot: u32) {
        work.blocks().for_each(|(block, _)| self.block(block).held = slot);
    }

    /// Records a page being copied out of the block.
    #[inline]
    pub(super) fn copying(&mut self, block: BlockId) {
        match self.busy_mut(block) {
            Some(block) => block.copies += 1,
            None => self.blocks[block.0 as usize] += 1,
        }
    }

    /// Records that such a copy is done. Returns the erase that waits for it.
    #[inline]
    pub(super) fn copied(&mut self, block: BlockId) -> u32 {
        match self.busy_mut(block) {
            Some(&mut Block { erase, .. }) if erase != NONE => erase,
            Some(block) => {
                block.copies -= 1;
                NONE
            }
            None => {
                self.blocks[block.0 as usize] -= 1;
                NONE
            }
        }
    }

    pub(super) fn heap_bytes(&self) -> usize {
        (self.blocks.capacity() + self.free.capacity()) * size_of::<u32>()
            + self.busy.capacity() * size_of::<Block>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_takes_a_cache_line() {
        assert_eq!(size_of::<Block>(), 64);
    }
}
