//! Prints what a request costs, for every built-in workload: `cargo run --release --example generator_speed`.

use ftlkit_workload::{BUILTIN, Op, Space, WorkloadError, WorkloadSpec};
use std::time::Instant;

fn main() -> Result<(), WorkloadError> {
    let space = Space { bytes: 32 << 30, page_bytes: 4096, pages_per_block: 256 };
    println!("{:<22} {:>12} {:>12}", "workload", "requests", "ns/request");
    for info in BUILTIN {
        let mut spec = WorkloadSpec::builtin(info.name).limited(20_000_000);
        spec.replay_mut().loops = 0;
        let facts = spec.check(space)?;
        let mut source = spec.open(space, 1, &facts)?;
        let mut batch = Vec::with_capacity(4096);
        let (mut requests, mut sum) = (0u64, 0u64);
        let start = Instant::now();
        while source.fill(&mut batch, 4096)? > 0 {
            requests += batch.len() as u64;
            // Look at the batch, so that it has to be made.
            sum = batch.iter().fold(sum, |sum, request| {
                sum.wrapping_add(request.offset ^ u64::from(request.op == Op::Read))
            });
            batch.clear();
        }
        let ns = start.elapsed().as_nanos() as f64 / requests as f64;
        println!("{:<22} {requests:>12} {ns:>12.2}   (checksum {sum:016x})", info.name);
    }
    Ok(())
}
