//! The allocator of the caller's memory: first fit, blocks that are free in the order of their addresses, neighbours joined.
//!
//! It serves a format or a mount, which take some tens of blocks of memory and give most of what they needed in between back. What
//! they keep is at the front, so that the rest can be told to the caller.

use core::alloc::Layout;
use core::ptr::{self, NonNull};

/// All sizes are multiples of it, so that what is between two blocks can hold a [`Free`].
const GRAIN: usize = 16;

/// A free block, in its own memory.
struct Free {
    bytes: usize,
    next: *mut Free,
}

/// Memory from `base` on.
#[derive(Debug)]
pub struct Arena {
    base: usize,
    end: usize,
    /// What is beyond was never used, or was given back.
    top: usize,
    peak: usize,
    free: *mut Free,
}

impl Arena {
    /// An arena of `bytes` bytes.
    ///
    /// # Safety
    /// The memory is the arena's alone for as long as it is used.
    pub unsafe fn new(memory: *mut u8, bytes: usize) -> Self {
        let base = (memory as usize).next_multiple_of(GRAIN);
        let end = (memory as usize).saturating_add(bytes);
        Self { base, end: end.max(base), top: base, peak: base, free: ptr::null_mut() }
    }

    /// Bytes in use, from the front of the memory on: what is behind them is free.
    pub fn used(&self) -> usize {
        self.top - self.base
    }

    /// The most of it so far.
    pub fn peak(&self) -> usize {
        self.peak - self.base
    }

    /// True if this is memory of the arena.
    pub fn has(&self, memory: *const u8) -> bool {
        (self.base..self.end).contains(&(memory as usize))
    }

    fn size(layout: Layout) -> usize {
        layout.size().max(GRAIN).next_multiple_of(GRAIN)
    }

    /// Takes memory; null if there is none.
    pub fn take(&mut self, layout: Layout) -> *mut u8 {
        let (size, align) = (Self::size(layout), layout.align().max(GRAIN));
        let mut before: *mut Free = ptr::null_mut();
        let mut at = self.free;
        while let Some(found) = NonNull::new(at) {
            // SAFETY: free blocks are within the memory, aligned to the grain, and nobody else's.
            let Free { bytes, next } = unsafe { found.as_ptr().read() };
            let start = at as usize;
            let from = start.checked_next_multiple_of(align);
            let ends = from.and_then(|from| from.checked_add(size));
            if let (Some(from), Some(end)) = (from, ends)
                && end <= start + bytes
            {
                self.unlink(before, next);
                self.put(start, from - start);
                self.put(end, start + bytes - end);
                return from as *mut u8;
            }
            (before, at) = (at, next);
        }
        let from = self.top.checked_next_multiple_of(align);
        let end = from.and_then(|from| from.checked_add(size)).filter(|end| *end <= self.end);
        let (Some(from), Some(end)) = (from, end) else { return ptr::null_mut() };
        let gap = (self.top, from - self.top);
        self.top = end;
        self.peak = self.peak.max(end);
        self.put(gap.0, gap.1);
        from as *mut u8
    }

    /// Gives memory back.
    ///
    /// # Safety
    /// It was taken here with this layout, and is not used any more.
    pub unsafe fn give_back(&mut self, memory: *mut u8, layout: Layout) {
        self.put(memory as usize, Self::size(layout));
    }

    /// Takes more memory at the same place, if nothing is behind it.
    ///
    /// # Safety
    /// As [`Arena::give_back`].
    pub unsafe fn grow(&mut self, memory: *mut u8, layout: Layout, bytes: usize) -> bool {
        let start = memory as usize;
        let more = bytes.max(GRAIN).next_multiple_of(GRAIN);
        if start + Self::size(layout) != self.top || more > self.end - start {
            return false;
        }
        self.top = start + more;
        self.peak = self.peak.max(self.top);
        self.trim();
        true
    }

    fn unlink(&mut self, before: *mut Free, next: *mut Free) {
        match NonNull::new(before) {
            None => self.free = next,
            // SAFETY: a free block of the list.
            Some(before) => unsafe { (*before.as_ptr()).next = next },
        }
    }

    /// Puts a block into the list, joined with its neighbours.
    fn put(&mut self, start: usize, bytes: usize) {
        if bytes == 0 {
            return;
        }
        let mut before: *mut Free = ptr::null_mut();
        let mut next = self.free;
        while !next.is_null() && (next as usize) < start {
            // SAFETY: a free block of the list.
            (before, next) = (next, unsafe { (*next).next });
        }
        let mut block = Free { bytes, next };
        if !next.is_null() && next as usize == start + bytes {
            // SAFETY: a free block of the list.
            let joined = unsafe { next.read() };
            block = Free { bytes: bytes + joined.bytes, next: joined.next };
        }
        // SAFETY: `before` is null or a free block of the list.
        let touches = unsafe { before.as_ref() }
            .is_some_and(|before| ptr::from_ref(before) as usize + before.bytes == start);
        if touches {
            // SAFETY: as above, and it is not null.
            unsafe {
                (*before).bytes += block.bytes;
                (*before).next = block.next;
            }
        } else {
            let at = start as *mut Free;
            // SAFETY: the block is free memory of the arena of at least a grain, aligned to it.
            unsafe { at.write(block) };
            self.unlink(before, at);
        }
        self.trim();
    }

    /// Gives the last block up if it is free.
    fn trim(&mut self) {
        let mut before: *mut Free = ptr::null_mut();
        let mut at = self.free;
        while let Some(found) = NonNull::new(at) {
            // SAFETY: a free block of the list.
            let Free { bytes, next } = unsafe { found.as_ptr().read() };
            if next.is_null() {
                if at as usize + bytes == self.top {
                    self.top = at as usize;
                    self.unlink(before, ptr::null_mut());
                }
                return;
            }
            (before, at) = (at, next);
        }
    }
}

#[cfg(test)]
mod tests {
    extern crate std;

    use super::*;
    use alloc::vec;
    use alloc::vec::Vec;

    fn layout(bytes: usize, align: usize) -> Layout {
        Layout::from_size_align(bytes, align).expect("a layout")
    }

    #[test]
    fn what_is_given_back_is_taken_again_and_the_end_shrinks() {
        let mut memory = vec![0u8; 4096];
        // SAFETY: the memory outlives the arena and is not used otherwise.
        let mut arena = unsafe { Arena::new(memory.as_mut_ptr(), memory.len()) };
        let [a, b, c] = [100, 200, 300].map(|bytes| arena.take(layout(bytes, 8)));
        assert_eq!(arena.used(), 112 + 208 + 304);
        // SAFETY: taken above, with this layout.
        unsafe { arena.give_back(b, layout(200, 8)) };
        let d = arena.take(layout(64, 64));
        assert!(d > a && d < c && (d as usize).is_multiple_of(64));
        // SAFETY: as above.
        unsafe {
            arena.give_back(c, layout(300, 8));
            arena.give_back(d, layout(64, 64));
        }
        assert_eq!(arena.used(), 112);
        // SAFETY: as above.
        unsafe { arena.give_back(a, layout(100, 8)) };
        assert_eq!((arena.used(), arena.free.is_null()), (0, true));
        assert!(arena.take(layout(5000, 8)).is_null());
        assert!(!arena.take(layout(4000, 8)).is_null());
    }

    /// Random blocks, each filled with its number: none overlaps another, and all memory comes back.
    #[test]
    fn blocks_never_overlap() {
        let mut memory = vec![0u8; 1 << 16];
        // SAFETY: the memory outlives the arena and is not used otherwise.
        let mut arena = unsafe { Arena::new(memory.as_mut_ptr(), memory.len()) };
        let mut random = 1u64;
        let mut next = |below: u64| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (random >> 33) % below
        };
        let mut taken: Vec<(*mut u8, Layout, u8)> = Vec::new();
        let mut refused = 0;
        for round in 0..20_000u32 {
            if next(5) < 3 {
                let wanted = layout(1 + next(3000) as usize, 1 << next(8));
                let block = arena.take(wanted);
                if block.is_null() {
                    refused += 1;
                    continue;
                }
                assert!((block as usize).is_multiple_of(wanted.align()));
                // SAFETY: the arena gave so many bytes.
                unsafe { block.write_bytes(round as u8, wanted.size()) };
                taken.push((block, wanted, round as u8));
            } else if !taken.is_empty() {
                let at = next(taken.len() as u64) as usize;
                let (block, mut layout_of, fill) = taken.swap_remove(at);
                // SAFETY: as above.
                let bytes = unsafe { core::slice::from_raw_parts(block, layout_of.size()) };
                assert!(bytes.iter().all(|byte| *byte == fill), "round {round}");
                let larger = layout_of.size() + 50;
                // SAFETY: it was taken here with this layout.
                unsafe {
                    if arena.grow(block, layout_of, larger) {
                        layout_of = layout(larger, layout_of.align());
                    }
                    arena.give_back(block, layout_of);
                }
            }
        }
        assert!(refused > 100, "the arena was never full");
        // SAFETY: as above.
        taken.into_iter().for_each(|(block, layout, _)| unsafe { arena.give_back(block, layout) });
        assert_eq!((arena.used(), arena.free.is_null()), (0, true));
    }
}
