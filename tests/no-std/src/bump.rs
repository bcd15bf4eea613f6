//! Bump allocator that never frees memory: sufficient to build, and to run once.

use core::alloc::{GlobalAlloc, Layout};
use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicUsize, Ordering};

const BYTES: usize = 16 << 20;

#[repr(align(64))]
pub(crate) struct Bump {
    arena: UnsafeCell<[u8; BYTES]>,
    used: AtomicUsize,
}

// SAFETY: the arena is handed out only in disjoint parts, each reserved atomically through `used`.
unsafe impl Sync for Bump {}

impl Bump {
    pub(crate) const fn new() -> Self {
        Self { arena: UnsafeCell::new([0; BYTES]), used: AtomicUsize::new(0) }
    }
}

// SAFETY: the result is null or an exclusive part of the arena with the requested alignment.
unsafe impl GlobalAlloc for Bump {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let base = self.arena.get().cast::<u8>();
        let place = |used: usize| {
            let gap = (base as usize + used).wrapping_neg() & (layout.align() - 1);
            used.checked_add(gap)?.checked_add(layout.size()).filter(|end| *end <= BYTES)
        };
        match self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, place) {
            // SAFETY: `place` has checked that the part ends within the arena.
            Ok(before) => place(before)
                .map_or(core::ptr::null_mut(), |end| unsafe { base.add(end - layout.size()) }),
            Err(_) => core::ptr::null_mut(),
        }
    }

    unsafe fn dealloc(&self, _: *mut u8, _: Layout) {}
}
