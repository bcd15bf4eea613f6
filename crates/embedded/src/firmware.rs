//! The program's allocator and panic handler, for the static library.
//!
//! The allocator serves from the arena of the format, mount or shutdown that is under way, and from nothing at all other times: an
//! allocation then fails, and giving back does nothing. This arena's address is the one global value of the library.

use crate::arena::Arena;
use core::alloc::{GlobalAlloc, Layout};
use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering};

struct FromArena;

#[global_allocator]
static ALLOCATOR: FromArena = FromArena;

static UNDER_WAY: AtomicPtr<Arena> = AtomicPtr::new(ptr::null_mut());

fn arena() -> *mut Arena {
    UNDER_WAY.load(Ordering::Acquire)
}

// SAFETY: memory comes from an arena, which gives out disjoint blocks, or there is none.
unsafe impl GlobalAlloc for FromArena {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the arena lives until `with` ends, which alone uses it meanwhile.
        unsafe { arena().as_mut() }.map_or(ptr::null_mut(), |arena| arena.take(layout))
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as above. What was taken from another arena is not within this one.
        if let Some(arena) = unsafe { arena().as_mut() }
            && arena.has(memory)
        {
            // SAFETY: the caller gives back what it took.
            unsafe { arena.give_back(memory, layout) }
        }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        // SAFETY: as above.
        if let Some(arena) = unsafe { arena().as_mut() }
            && arena.has(memory)
            // SAFETY: the caller took it with this layout.
            && unsafe { arena.grow(memory, layout, bytes) }
        {
            return memory;
        }
        // SAFETY: the caller made sure that the layout is one.
        let wanted = unsafe { Layout::from_size_align_unchecked(bytes, layout.align()) };
        // SAFETY: as above.
        let new = unsafe { self.alloc(wanted) };
        if !new.is_null() {
            // SAFETY: both are of at least so many bytes, and disjoint.
            unsafe {
                ptr::copy_nonoverlapping(memory, new, layout.size().min(bytes));
                self.dealloc(memory, layout);
            }
        }
        new
    }
}

/// Runs `work` with its memory from an arena; `None` if another runs.
pub(crate) fn with<T>(from: &mut Arena, work: impl FnOnce() -> T) -> Option<T> {
    if !arena().is_null() {
        return None;
    }
    UNDER_WAY.store(from, Ordering::Release);
    let done = work();
    UNDER_WAY.store(ptr::null_mut(), Ordering::Release);
    Some(done)
}

unsafe extern "C" {
    fn abort() -> !;
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    // SAFETY: the C library's, or the program's own.
    unsafe { abort() }
}

/// Unwinding is not linked: a panic aborts. The precompiled `core` of hosted targets names this symbol.
#[unsafe(no_mangle)]
extern "C" fn rust_eh_personality() {}
