//! Prefetch hints. Memory latency dominates most simulations, and the next requests are known ahead.

/// Prefetches the cache line of `slice[index]`, if that exists. This affects speed only.
#[inline(always)]
pub fn prefetch<T>(slice: &[T], index: usize) {
    if let Some(item) = slice.get(index) {
        line(core::ptr::from_ref(item).cast());
    }
}

/// Prefetches an entry of `slots` that is taken from the list `free` some turns later.
#[inline(always)]
pub(crate) fn next_free<T>(slots: &[T], free: &[u32]) {
    /// Turns: time for an access to the next cache.
    const TURNS: usize = 6;
    if let Some(entry) = free.len().checked_sub(TURNS).and_then(|at| free.get(at)) {
        prefetch(slots, *entry as usize);
    }
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
#[expect(unsafe_code, reason = "the prefetch instruction is reached through an intrinsic")]
fn line(address: *const u8) {
    use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    // SAFETY: SSE is part of x86-64, and a prefetch never faults, whatever the address.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(address.cast()) }
}

#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
fn line(_address: *const u8) {}
