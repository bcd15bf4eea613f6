//! Threads for runs at once, where the system may refuse them (`ulimit -u`, `ulimit -v`).

use crate::allocator;
use crate::fault::Fault;
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread::Builder;

/// Makes the threads on which this process runs schemes at once: one per core, or as `RAYON_NUM_THREADS` says. Where the
/// system does not give all of them, there is none beside this one, which must then be the one that starts all runs. Call it once, on the main
/// thread, before any run.
///
/// # Errors
/// [`Fault::internal`] if threads that could be had a moment ago are refused.
pub fn set_up() -> Result<(), Fault> {
    allocator::reserve_little();
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    let asked = std::env::var("RAYON_NUM_THREADS").ok().and_then(|text| text.parse().ok());
    let wanted = asked.filter(|count| *count > 0).unwrap_or_else(cores);
    // Rayon makes all of its threads or panics, and tries once. With as many as can be had, nothing would be left for runs.
    let pool = match at_once(wanted) == wanted {
        true => rayon::ThreadPoolBuilder::new().num_threads(wanted),
        false => rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread(),
    };
    pool.build_global().map_err(|error| Fault::internal(format!("threads: {error}")))
}

/// Stack of a thread, bytes.
const STACK: u64 = 2 << 20;

/// Memory that all stacks must leave, bytes: for what threads and runs take.
const SPARE: u64 = 64 << 20;

/// How many threads, of those wanted, there can be at once beside this one.
fn at_once(wanted: usize) -> usize {
    // To try it out would take the memory that is then missed.
    if !allocator::gives(STACK.saturating_mul(wanted as u64).saturating_add(SPARE)) {
        return 0;
    }
    let gate = std::sync::Arc::new((Mutex::new(false), Condvar::new()));
    let thread = |_| {
        let gate = gate.clone();
        let wait = move || {
            let (is_open, bell) = &*gate;
            let is_open = is_open.lock().unwrap_or_else(PoisonError::into_inner);
            drop(bell.wait_while(is_open, |is_open| !*is_open));
        };
        Builder::new().spawn(wait).ok()
    };
    let threads: Vec<_> = (0..wanted).map_while(thread).collect();
    *gate.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
    gate.1.notify_all();
    // Joined, they are no longer counted.
    threads.into_iter().filter_map(|thread| thread.join().ok()).count()
}

#[cfg(test)]
mod tests {
    #[test]
    fn threads_that_can_be_had_are_counted() {
        assert_eq!([0, 1, 3].map(super::at_once), [0, 1, 3]);
    }
}
