//! Dependencies between the operations of each block.

use super::operations::{ChannelWork, NONE, Operation, Operations};
use crate::address::{BlockId, Geometry, Ppn};
use crate::channels::{Class, QUEUES};
use crate::prefetch::prefetch;
use alloc::vec::Vec;

/// Dependencies between the operations of each block.
#[derive(Clone, Debug)]
pub(super) struct Order {
    blocks: Vec<Block>,
    /// True if operations of different classes may pass each other, except on the same block.
    classes: bool,
}

/// State of one block's operations: a cache line.
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
}

impl Order {
    pub(super) fn new(blocks: u32) -> Self {
        Self { blocks: alloc::vec![Block::IDLE; blocks as usize], classes: false }
    }

    /// Lets operations of different classes pass each other from here on, except on the same block.
    pub(super) fn keep_classes(&mut self) {
        self.classes = true;
    }

    #[inline]
    fn block(&mut self, block: BlockId) -> &mut Block {
        &mut self.blocks[block.0 as usize]
    }

    /// Prefetches the state of a block.
    #[inline]
    pub(super) fn prefetch(&self, block: BlockId) {
        prefetch(&self.blocks, block.0 as usize);
    }

    /// Number of blocks on which an otherwise ready operation conflicts with outstanding operations of another
    /// class, and whether any of those are collection. The operation is released once for each block.
    #[inline]
    pub(super) fn conflicts(&mut self, operation: &Operation, slot: u32) -> (u32, bool) {
        let (mut waits, mut collected) = (0, false);
        if self.classes && !operation.aside {
            let queue = operation.class().queue();
            for (block, changes) in operation.work.blocks() {
                let block = self.block(block);
                let counts = if changes { &block.counts } else { &block.changes };
                let mut others = (0..QUEUES).filter(|other| *other != queue && counts[*other] > 0);
                if let Some(last) = others.next_back() {
                    block.waits = slot;
                    waits += 1;
                    collected |= last == Class::COLLECTION;
                }
            }
        }
        (waits, collected)
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
            self.block(operation.work.sides().0.block).erases += 1;
        }
    }

    /// Records the program of a page being copied into the block.
    #[inline]
    pub(super) fn arriving(&mut self, operations: &mut Operations, slot: u32, block: BlockId) {
        if self.classes {
            let [first, last] = &mut self.block(block).arriving;
            match core::mem::replace(last, slot) {
                NONE => *first = slot,
                before => operations.get_mut(before).behind = slot,
            }
        }
    }

    /// Page at which the host can read `ppn` regardless of its block's other operations. That is `ppn` itself
    /// if it is programmed. During its copy it is the source page, if the source's block has no outstanding
    /// programs. `None` if the page is not programmed anywhere yet, or its location is uncertain.
    #[inline]
    pub(super) fn readable_at(
        &self,
        operations: &Operations,
        geometry: &Geometry,
        ppn: Ppn,
    ) -> Option<Ppn> {
        if !self.classes {
            return None;
        }
        let (id, page) = geometry.split(ppn);
        let block = &self.blocks[id.0 as usize];
        if block.erases > 0 {
            return None;
        }
        // The outstanding programs are the block's last ones.
        if block.programs == 0 || page + block.programs < block.next {
            return Some(ppn);
        }
        let mut slot = block.arriving[0];
        while slot != NONE {
            let operation = operations.get(slot);
            if operation.work.programs() == Some((id, page)) {
                let from = Ppn(operation.from);
                let source = &self.blocks[geometry.block_of(from).0 as usize];
                return Some(from).filter(|_| source.programs == 0);
            }
            slot = operation.behind;
        }
        None
    }

    /// Records a host read at a page's current location. The erase of that block waits for it as for a copy.
    #[inline]
    pub(super) fn reading(&mut self, operations: &mut Operations, block: BlockId) {
        let block = self.block(block);
        match block.erase {
            NONE => block.copies += 1,
            erase => operations.get_mut(erase).waits += 1,
        }
    }

    /// Records that an operation is done. Returns the operations that waited for this.
    #[inline]
    pub(super) fn done(&mut self, operation: &Operation) -> [u32; 2] {
        let mut released = [NONE; 2];
        if !self.classes || operation.aside {
            return released;
        }
        if let Some((block, _)) = operation.work.programs() {
            let block = self.block(block);
            block.programs -= 1;
            if operation.from != NONE {
                block.arriving[0] = operation.behind;
                if operation.behind == NONE {
                    block.arriving[1] = NONE;
                }
            }
        } else if operation.work.is_erase() {
            self.block(operation.work.sides().0.block).erases -= 1;
        }
        let queue = operation.class().queue();
        for (released, (block, changes)) in released.iter_mut().zip(operation.work.blocks()) {
            let block = self.block(block);
            block.counts[queue] -= 1;
            block.changes[queue] -= u32::from(changes);
            // It checks again whether it has to wait.
            if block.counts[queue] == 0 || changes && block.changes[queue] == 0 {
                *released = core::mem::replace(&mut block.waits, NONE);
            }
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
            let before = self.block(block).held;
            if before != NONE {
                let before = operations.get_mut(before);
                before.next[usize::from(before.work.sides().0.block != block)] = slot;
                waits += 1;
                collected |= before.is_collection();
            }
        }
        let copies = if work.is_erase() { self.erase(operations, slot) } else { 0 };
        (waits + copies, collected)
    }

    /// Makes an erase wait for the copies out of its block, and returns their number.
    fn erase(&mut self, operations: &mut Operations, slot: u32) -> u32 {
        let block = operations.get(slot).work.sides().0.block;
        let block = self.block(block);
        let waits = core::mem::take(&mut block.copies);
        if waits == 0 {
            return 0;
        }
        if block.erase == NONE {
            block.erase = slot;
            return waits;
        }
        let mut last = block.erase;
        while operations.get(last).erase != NONE {
            last = operations.get(last).erase;
        }
        operations.get_mut(last).erase = slot;
        waits
    }

    /// Makes later operations of its blocks wait for this operation, which has to wait itself.
    pub(super) fn hold(&mut self, work: &ChannelWork, slot: u32) {
        work.blocks().for_each(|(block, _)| self.block(block).held = slot);
    }

    /// Records that the operation is submitted. Returns the operations that waited for this.
    #[inline]
    pub(super) fn leave(&mut self, operation: &Operation, slot: u32) -> [u32; 2] {
        let classes = self.classes;
        let queue = operation.class().queue();
        for (block, changes) in operation.work.blocks() {
            let block = self.block(block);
            if classes {
                block.counts[queue] += 1;
                block.changes[queue] += u32::from(changes);
            }
            if block.held == slot {
                block.held = NONE;
            }
            if block.erase == slot {
                block.erase = operation.erase;
            }
        }
        operation.next
    }

    /// Records a page being copied out of the block.
    #[inline]
    pub(super) fn copying(&mut self, block: BlockId) {
        self.block(block).copies += 1;
    }

    /// Records that such a copy is done. Returns the erase that waits for it.
    #[inline]
    pub(super) fn copied(&mut self, block: u32) -> u32 {
        let block = self.block(BlockId(block));
        if block.erase == NONE {
            block.copies -= 1;
        }
        block.erase
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.blocks.capacity() * size_of::<Block>()
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
