//! Huge pages for large allocations.
//!
//! A map of many megabytes that is accessed at random misses the translation look-aside buffer on nearly
//! every access where pages are 4 KiB; with 2 MiB pages it does not. Linux gives them to those who ask.

use std::alloc::{GlobalAlloc, Layout, System};

/// The system's allocator, which asks for huge pages where an allocation spans several.
pub(crate) struct HugePages;

const HUGE_PAGE: usize = 2 << 20;

/// From this size on it is worth aligning to huge pages.
const LARGE: usize = 2 * HUGE_PAGE;

fn aligned(layout: Layout) -> Layout {
    if layout.size() < LARGE {
        return layout;
    }
    layout.align_to(HUGE_PAGE).unwrap_or(layout)
}

#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "advice to the kernel is a foreign call")]
fn advise(address: *mut u8, size: usize) {
    if size >= LARGE && !address.is_null() {
        // SAFETY: the range was just allocated, aligned to huge pages, and is ours; the advice changes
        // nothing but which pages back it, and its failure does not matter.
        unsafe { libc::madvise(address.cast(), size, libc::MADV_HUGEPAGE) };
    }
}

#[cfg(not(target_os = "linux"))]
fn advise(_address: *mut u8, _size: usize) {}

#[expect(unsafe_code, reason = "the trait of allocators is unsafe")]
// SAFETY: every call goes to the system's allocator with a layout that is a function of the caller's, the
// same for the allocation and its release. `realloc` is the trait's own, made of these two.
unsafe impl GlobalAlloc for HugePages {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise (a size above 0) is passed on.
        let address = unsafe { System.alloc(aligned(layout)) };
        advise(address, layout.size());
        address
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if layout.size() < LARGE {
            // SAFETY: the caller's promise is passed on.
            return unsafe { System.alloc_zeroed(layout) };
        }
        // SAFETY: as above; the advice must come before the pages are touched, hence not `alloc_zeroed`.
        unsafe {
            let address = self.alloc(layout);
            if !address.is_null() {
                address.write_bytes(0, layout.size());
            }
            address
        }
    }

    unsafe fn dealloc(&self, address: *mut u8, layout: Layout) {
        // SAFETY: `address` came from `alloc` with this layout.
        unsafe { System.dealloc(address, aligned(layout)) }
    }
}
