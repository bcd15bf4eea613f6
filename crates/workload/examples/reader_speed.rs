//! Measures the records per second of the readers on one core:
//! `cargo run --release -p ftlkit-workload --example reader_speed [-- RECORDS]`.

use std::io::Write;
use std::path::Path;
use std::time::Instant;

use ftlkit_workload::formats::{find, written};
use ftlkit_workload::{OnBadLine, Request, Source, TraceInfo, TraceOptions, convert, open};
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64;

/// Writes `records` requests as csv.
fn write_csv(path: &Path, records: u64) -> std::io::Result<()> {
    let mut rng = Pcg64::seed_from_u64(1);
    let mut out = std::io::BufWriter::new(std::fs::File::create(path)?);
    writeln!(out, "arrival_ns,device,op,fua,offset_bytes,length_bytes,response_ns")?;
    let mut arrival_ns = 0_u64;
    for _ in 0..records {
        let random = rng.next_u64();
        arrival_ns += random % 200_000;
        let op = if random >> 32 & 3 == 0 { "read" } else { "write" };
        let (device, offset) = (random >> 34 & 7, (random >> 37) % (1 << 26) * 4096);
        let length = ((random >> 20 & 15) + 1) * 4096;
        writeln!(out, "{arrival_ns},{device},{op},0,{offset},{length},")?;
    }
    out.flush()
}

/// CPU seconds of this thread if the system reports them (Linux), else elapsed seconds.
///
/// CPU time excludes other programs on the same core.
fn seconds(start: Instant) -> f64 {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let on_cpu = told.and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    on_cpu.map_or_else(|| start.elapsed().as_secs_f64(), |ns| ns / 1e9)
}

/// Seconds to read the whole file, and the number of its requests.
fn read(path: &Path, start: Instant) -> Result<(f64, u64), ftlkit_workload::WorkloadError> {
    let options = TraceOptions { on_bad_line: OnBadLine::Stop, ..TraceOptions::default() };
    let begin = seconds(start);
    let mut reader = open(path, &options)?;
    let mut batch: Vec<Request> = Vec::with_capacity(8192);
    let (mut requests, mut sum) = (0, 0_u64);
    while reader.fill(&mut batch, 8192)? > 0 {
        requests += batch.len() as u64;
        sum = batch.iter().fold(sum, |sum, r| sum.wrapping_add(r.offset ^ r.arrival_ns));
        batch.clear();
    }
    std::hint::black_box(sum);
    Ok((seconds(start) - begin, requests))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let records = match std::env::args().nth(1) {
        Some(n) => n.parse().map_err(|_| format!("a number of records, not `{n}`"))?,
        None => 4_000_000,
    };
    let folder = std::env::temp_dir().join(format!("ftlkit-reader-speed-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let csv = folder.join("speed.csv");
    write_csv(&csv, records)?;
    let start = Instant::now();
    let plain = TraceOptions::default;
    let targets = written().map(|(target, _)| (target, target.name.to_owned()));
    let packed = find("csv").map(|target| (target, "csv.gz".to_owned()));
    println!(
        "{:<8} {:>12} {:>8} {:>14} {:>8}",
        "format", "records", "CPU s", "M records/s", "MB/s"
    );
    for (target, name) in targets.chain(packed) {
        let path = folder.join(format!("converted.{name}"));
        convert(open(&csv, &plain())?, &path, target, true, |_| true)?;
        let mut best = (f64::INFINITY, 0);
        for _ in 0..5 {
            let run = read(&path, start)?;
            best = if run.0 < best.0 { run } else { best };
        }
        let bytes = std::fs::metadata(&path)?.len() as f64;
        let (s, requests) = best;
        let rate = requests as f64 / s / 1e6;
        println!("{name:<8} {requests:>12} {s:>8.3} {rate:>14.2} {:>8.0}", bytes / s / 1e6);
    }
    let begin = seconds(start);
    let info = TraceInfo::gather(open(&csv, &plain())?, |_| true)?;
    let rate = info.counts.requests as f64 / (seconds(start) - begin) / 1e6;
    println!("trace info of the csv: {rate:.2} M records/s");
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}
