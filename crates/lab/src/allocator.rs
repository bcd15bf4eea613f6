//! Huge pages for large allocations.
//!
//! With pages of 4 KiB, random accesses to a map of many megabytes nearly always miss the translation look-aside
//! buffer. With pages of 2 MiB they do not. Linux provides huge pages on request.

use std::alloc::{GlobalAlloc, Layout, System};

/// The system's allocator; requests huge pages for allocations that span several.
#[derive(Debug)]
pub struct HugePages;

const HUGE_PAGE: usize = 2 << 20;

/// Smallest size worth aligning to huge pages.
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
        // SAFETY: the range was just allocated, is aligned to huge pages, and is ours. The advice changes
        // only which pages back it, and its failure does not matter.
        unsafe { libc::madvise(address.cast(), size, libc::MADV_HUGEPAGE) };
    }
}

#[cfg(not(target_os = "linux"))]
fn advise(_address: *mut u8, _size: usize) {}

#[expect(unsafe_code, reason = "the trait of allocators is unsafe")]
// SAFETY: every call goes to the system's allocator. Its layout is a function of the caller's, the same for the
// allocation and its release. `realloc` is the trait's own, made of these two.
unsafe impl GlobalAlloc for HugePages {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller guarantees a size above 0.
        let address = unsafe { System.alloc(aligned(layout)) };
        advise(address, layout.size());
        address
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if layout.size() < LARGE {
            // SAFETY: the caller guarantees a size above 0.
            return unsafe { System.alloc_zeroed(layout) };
        }
        // SAFETY: as above; not `alloc_zeroed`, because the advice must precede the first access to the pages.
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
