//! Prints the time per request of all or the named built-in workloads:
//! `cargo run --release -p ftlkit-workload --example generator_speed [NAME…]`.

use ftlkit_workload::{BUILTIN, Op, Space, WorkloadError, WorkloadSpec};
use std::time::{Duration, Instant};

/// CPU time of this thread if the system reports it (so that other programs do not count), else elapsed time.
fn processor_time(since: Instant) -> Duration {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let ns = stat.and_then(|stat| stat.split_whitespace().next()?.parse().ok());
    ns.map_or_else(|| since.elapsed(), Duration::from_nanos)
}

fn main() -> Result<(), WorkloadError> {
    let space = Space { bytes: 32 << 30, page_bytes: 4096, pages_per_block: 256 };
    let named: Vec<String> = std::env::args().skip(1).collect();
    let begin = Instant::now();
    println!("{:<22} {:>12} {:>12}", "workload", "requests", "ns/request");
    for info in
        BUILTIN.iter().filter(|info| named.is_empty() || named.iter().any(|n| n == info.name))
    {
        let mut spec = WorkloadSpec::builtin(info.name).limited(20_000_000);
        spec.replay_mut().loops = 0;
        let facts = spec.check(space)?;
        let mut source = spec.open(space, 1, &facts)?;
        let mut batch = Vec::with_capacity(4096);
        let (mut requests, mut sum) = (0u64, 0u64);
        let start = processor_time(begin);
        while source.fill(&mut batch, 4096)? > 0 {
            requests += batch.len() as u64;
            // Uses the batch, so that the compiler cannot remove its generation.
            let look = |sum: u64, request: &ftlkit_workload::Request| {
                sum.wrapping_add(request.offset ^ u64::from(request.op == Op::Read))
            };
            sum = batch.iter().fold(sum, look);
            batch.clear();
        }
        let ns = (processor_time(begin) - start).as_nanos() as f64 / requests as f64;
        println!("{:<22} {requests:>12} {ns:>12.2}   (checksum {sum:016x})", info.name);
    }
    Ok(())
}
