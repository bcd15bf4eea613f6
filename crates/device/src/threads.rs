//! What the system is told of a thread. Where it cannot be told, the thread works as any other.

/// Has the calling thread run where no other thread wants to.
pub(crate) fn yield_to_others() {
    // On Linux this is of the thread, elsewhere of the process.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::nice(19);
}

/// Has sleeps of the calling thread end in time, instead of up to 50 µs later so that wake-ups can be joined.
pub(crate) fn wake_in_time() {
    #[cfg(target_os = "linux")]
    let _ = rustix::thread::set_current_timer_slack(core::num::NonZeroU64::new(1));
}
