//! Huge pages for large allocations.
//!
//! With pages of 4 KiB, random accesses to a map of many megabytes nearly always miss the translation look-aside
//! buffer. With pages of 2 MiB they do not. Linux provides huge pages on request.

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::Write;

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

/// Ends the process with an error: without memory there is no way on, and the default is to abort with a backtrace.
#[cold]
fn out_of_memory(bytes: usize) -> ! {
    // Neither allocates nor unwinds.
    let mut digits = [0; 20];
    let (mut at, mut rest) = (digits.len(), bytes);
    while rest > 0 || at == digits.len() {
        at -= 1;
        digits[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    let mut stderr = std::io::stderr();
    for text in [
        &b"error: out of memory: "[..],
        &digits[at..],
        b" bytes more cannot be had: take a \
smaller array, fewer --schemes or threads (RAYON_NUM_THREADS=1), or of a trace fewer --requests\n",
    ] {
        let _ = stderr.write_all(text);
    }
    end()
}

/// Ends the process at once: what is done at an orderly end could need memory, or what other threads still use.
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "the C library's exit is a foreign call")]
fn end() -> ! {
    // SAFETY: it takes a number, and does not return.
    unsafe { libc::_exit(1) }
}

#[cfg(not(target_os = "linux"))]
fn end() -> ! {
    std::process::exit(1)
}

/// True if the system would give so much memory in one piece. None of it is touched.
#[expect(unsafe_code, reason = "the trait of allocators is unsafe")]
pub(crate) fn gives(bytes: u64) -> bool {
    let layout = usize::try_from(bytes).ok().filter(|bytes| *bytes > 0);
    let layout = layout.and_then(|bytes| Layout::from_size_align(bytes, 1).ok());
    let Some(layout) = layout else { return bytes == 0 };
    // SAFETY: the size is above 0; what was allocated is released with its layout.
    unsafe {
        let address = System.alloc(layout);
        if !address.is_null() {
            System.dealloc(address, layout);
        }
        !address.is_null()
    }
}

/// Where the address space is limited (`ulimit -v`), threads that allocate share one arena: the C library else reserves 64 MiB
/// for each while there is room, and keeps it.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "limits and the C library's options are foreign calls")]
pub(crate) fn reserve_little() {
    let mut limit = libc::rlimit { rlim_cur: libc::RLIM_INFINITY, rlim_max: libc::RLIM_INFINITY };
    // SAFETY: the first call fills the struct that it is given; the second takes numbers.
    unsafe {
        if libc::getrlimit(libc::RLIMIT_AS, &raw mut limit) == 0
            && limit.rlim_cur != libc::RLIM_INFINITY
        {
            libc::mallopt(libc::M_ARENA_MAX, 1);
            tell_of_signal_stacks();
        }
    }
}

/// A thread that starts takes a stack for signals. Without memory for it the standard library panics, which needs memory as
/// well and would abort the process.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn tell_of_signal_stacks() {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        // Told by its place in that library: the text would take memory.
        if panic.location().is_some_and(|at| at.file().ends_with("stack_overflow.rs")) {
            out_of_memory(libc::SIGSTKSZ);
        }
        before(panic);
    }));
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn reserve_little() {}

#[expect(unsafe_code, reason = "the trait of allocators is unsafe")]
// SAFETY: every call goes to the system's allocator. Its layout is a function of the caller's, the same for the
// allocation and its release. `realloc` is the trait's own, made of these two.
unsafe impl GlobalAlloc for HugePages {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller guarantees a size above 0.
        let address = unsafe { System.alloc(aligned(layout)) };
        if address.is_null() {
            out_of_memory(layout.size());
        }
        advise(address, layout.size());
        address
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if layout.size() < LARGE {
            // SAFETY: the caller guarantees a size above 0.
            let address = unsafe { System.alloc_zeroed(layout) };
            if address.is_null() {
                out_of_memory(layout.size());
            }
            return address;
        }
        // SAFETY: as above; not `alloc_zeroed`, because the advice must precede the first access to the pages.
        unsafe {
            let address = self.alloc(layout);
            address.write_bytes(0, layout.size());
            address
        }
    }

    unsafe fn dealloc(&self, address: *mut u8, layout: Layout) {
        // SAFETY: `address` came from `alloc` with this layout.
        unsafe { System.dealloc(address, aligned(layout)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_can_be_had_is_given() {
        assert!(gives(0) && gives(1 << 20));
        assert!(!gives(1 << 60) && !gives(u64::MAX));
    }

    /// In a process of its own: this test again, told so.
    #[expect(unsafe_code, reason = "allocates as a program does")]
    #[test]
    fn what_cannot_be_had_ends_the_process_with_an_error() {
        const ASKED: &str = "FTLKIT_TEST_ALLOCATES";
        if std::env::var_os(ASKED).is_some() {
            // SAFETY: the size is above 0; nothing is used.
            unsafe { HugePages.alloc(Layout::from_size_align(1 << 60, 8).unwrap()) };
            return;
        }
        let name = "allocator::tests::what_cannot_be_had_ends_the_process_with_an_error";
        let mut again = std::process::Command::new(std::env::current_exe().unwrap());
        let ended = again.args(["--exact", name, "--nocapture"]).env(ASKED, "1").output().unwrap();
        let told = String::from_utf8_lossy(&ended.stderr);
        assert_eq!(ended.status.code(), Some(1), "{told}");
        assert!(told.contains("error: out of memory: 1152921504606846976 bytes"), "{told}");
    }
}
