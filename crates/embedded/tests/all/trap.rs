//! The tests' allocator: it counts what a thread has, and traps where nothing may be taken or given back.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

pub(crate) struct Trapping;

#[global_allocator]
static ALLOCATOR: Trapping = Trapping;

thread_local! {
    static TRAPS: Cell<bool> = const { Cell::new(false) };
    static TRAPPED: Cell<u64> = const { Cell::new(0) };
    static LIVE: Cell<isize> = const { Cell::new(0) };
    static MOST: Cell<isize> = const { Cell::new(0) };
}

fn note(bytes: isize) {
    if TRAPS.get() {
        TRAPPED.set(TRAPPED.get() + 1);
    }
    LIVE.set(LIVE.get() + bytes);
    MOST.set(MOST.get().max(LIVE.get()));
}

// SAFETY: the system's allocator, with counts beside it.
unsafe impl GlobalAlloc for Trapping {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note(layout.size() as isize);
        // SAFETY: as the caller says.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        note(-(layout.size() as isize));
        // SAFETY: as the caller says.
        unsafe { System.dealloc(memory, layout) }
    }
}

/// Runs `work`, and returns how often it took memory or gave some back.
pub(crate) fn taken_by<T>(work: impl FnOnce() -> T) -> (T, u64) {
    TRAPPED.set(0);
    TRAPS.set(true);
    let done = work();
    TRAPS.set(false);
    (done, TRAPPED.get())
}

/// Runs `work`, and returns the most bytes that it had at once, beyond those before.
pub(crate) fn most_of<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = LIVE.get();
    MOST.set(before);
    let done = work();
    (done, (MOST.get() - before) as usize)
}

#[test]
fn the_trap_sees_what_is_taken() {
    let (kept, taken) = taken_by(|| vec![1u8; 100]);
    assert_eq!(taken, 1);
    assert_eq!(taken_by(|| drop(kept)).1, 1);
    assert_eq!(taken_by(|| 1 + 1), (2, 0));
    let (_, most) = most_of(|| drop(vec![0u8; 5000]));
    assert!(most >= 5000, "{most}");
}
