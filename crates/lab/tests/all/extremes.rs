//! Times, addresses, lengths and counts at the ends of their ranges, in every format: read, scaled, looped and run, serially
//! and on an SSD. Each is a run or an error: no panic, and no figure above its bound.

use ftlkit_lab::config::Experiment;
use ftlkit_lab::run::Unobserved;
use ftlkit_lab::run_one;
use std::fmt::Write;
use std::path::PathBuf;
use workload::{LATEST_NS, Source, TraceOptions, formats, open};

const VALUES: [u64; 8] = [0, 1, 1 << 31, 1 << 32, 1 << 53, 1 << 62, 1 << 63, u64::MAX];

/// A decimal of this number of the smallest units, of which the larger one has `unit`.
fn decimal(value: u64, unit: u64) -> String {
    format!("{}.{:0width$}", value / unit, value % unit, width = unit.ilog10() as usize)
}

/// The bytes of one record with a time, an address and a length, in the units of the format; `None` if it cannot hold them.
type Record = fn(u64, u64, u64) -> Option<Vec<u8>>;

fn text(line: String) -> Option<Vec<u8>> {
    Some((line + "\n").into_bytes())
}

/// Numbers of 32 and of 64 bits, one after the other; `None` if one does not fit.
fn numbers(fields: &[(u64, usize)], big_endian: bool) -> Option<Vec<u8>> {
    let mut record = Vec::new();
    for &(value, size) in fields {
        if size < 8 && value >> (8 * size) > 0 {
            return None;
        }
        let bytes = value.to_le_bytes();
        match big_endian {
            true => record.extend(bytes[..size].iter().rev()),
            false => record.extend(&bytes[..size]),
        }
    }
    Some(record)
}

/// Each format: a header, bytes of a unit of its addresses and of its lengths, and its records.
const FORMATS: [(&str, &str, [u64; 2], Record); 18] = [
    ("csv", "arrival_ns,op,offset_bytes,length_bytes\n", [1, 1], |t, o, l| {
        text(format!("{t},write,{o},{l}"))
    }),
    ("msr", "", [1, 1], |t, o, l| text(format!("{t},h,0,Write,{o},{l},100"))),
    ("spc", "", [512, 1], |t, o, l| text(format!("0,{o},{l},W,{}", decimal(t, 1_000_000_000)))),
    ("alibaba", "", [1, 1], |t, o, l| text(format!("1,W,{o},{l},{t}"))),
    ("tencent", "", [512, 512], |t, o, l| text(format!("{t},{o},{l},1,7"))),
    ("systor17", "", [1, 1], |t, o, l| {
        text(format!("{},0.5,W,3,{o},{l}", decimal(t, 1_000_000_000)))
    }),
    ("disksim", "", [512, 512], |t, o, l| text(format!("{} 0 {o} {l} 0", decimal(t, 1_000_000)))),
    ("ssdsim", "", [512, 512], |t, o, l| text(format!("{t} 0 {o} {l} 0"))),
    ("mqsim", "", [512, 512], |t, o, l| text(format!("{t} 0 {o} {l} 0"))),
    ("fiu", "", [512, 512], |t, o, l| text(format!("{t} 2 a {o} {l} W 6 0 88b9"))),
    ("blkparse", "", [512, 512], |t, o, l| {
        text(format!("8,0 0 1 {} 1 Q W {o} + {l} [a]", decimal(t, 1_000_000_000)))
    }),
    ("fio", "fio version 3 iolog\n", [1, 1], |t, o, l| text(format!("{t} f write {o} {l}"))),
    ("diskmon", "", [512, 512], |t, o, l| {
        text(format!("0\t{}\t0.1\t0\tWrite\t{o}\t{l}", decimal(t, 1_000_000_000)))
    }),
    ("cloudphysics", "version,time,op,size,lbn\n", [512, 1], |t, o, l| {
        text(format!("1,{t},2a,{l},{o}"))
    }),
    ("oraclegeneral", "", [512, 1], |t, o, l| numbers(&[(t, 4), (o, 8), (l, 4), (0, 8)], false)),
    ("vscsi", "", [512, 1], |t, o, l| {
        numbers(&[(1, 4), (l, 4), (1, 4), (0x2a, 2), (0x103, 2), (o, 8), (t, 8)], false)
    }),
    ("srt", "", [512, 1], |t, o, l| {
        let fields = [52, 0x1_0001, t, 0, 5, 9, l, o, 0, 0, 0, 0, 0];
        numbers(&fields.map(|value| (value, 4)), true)
    }),
    ("blktrace", "", [512, 1], |t, o, l| {
        let head = [(0x6561_7407, 4), (1, 4), (t, 8), (o, 8), (l, 4)];
        // A queued write.
        let tail = [(1 << 17 | 1, 4), (1, 4), (8 << 20, 4), (0, 4), (0, 2), (0, 2)];
        numbers(&[&head[..], &tail].concat(), false)
    }),
];

const MACHINES: [&str; 2] =
    ["capacity = \"8MiB\"\n", "capacity = \"1GiB\"\npart = \"ddt-mlc\"\nchannels = 2\n"];
const REPLAYS: [&str; 6] = [
    "",
    "loops = 3",
    "loops = 500",
    "time_scale = 1000000.0",
    "time_scale = 0.000001",
    "time_scale = 1000000.0\nloops = 20",
];

/// Runs the trace or is refused; true if it ran.
fn ran(toml: &str) -> Result<bool, String> {
    let experiment = Experiment::from_toml(toml, "test").map_err(|error| error.to_string())?;
    let Ok(resolved) = experiment.resolve() else { return Ok(false) };
    let report = run_one(&resolved, 0, &Unobserved).map_err(|error| error.to_string())?;
    let elapsed_ns = report.elapsed_ns;
    let mut wrong = String::new();
    let longest = [&report.request_completion_ns, &report.completion_ns, &report.response_ns]
        .map(|of| of.max);
    if longest.iter().any(|max| *max > elapsed_ns) {
        let _ = write!(wrong, "{longest:?} ns above {elapsed_ns} elapsed; ");
    }
    let ssd = report.ssd.iter().flat_map(|ssd| {
        [
            ssd.channel_use,
            ssd.die_use,
            ssd.processor_share,
            ssd.busiest_core_share,
            ssd.link_use.unwrap_or(0.0),
        ]
    });
    let shares: Vec<f64> = ssd.chain([report.busy_share]).collect();
    if shares.iter().any(|share| !(0.0..=1.0 + 1e-9).contains(share)) {
        let _ = write!(wrong, "shares {shares:?}; ");
    }
    // Clocks go on to twice the latest arrival that there is.
    if elapsed_ns > 2 * LATEST_NS {
        let _ = write!(wrong, "{elapsed_ns} ns elapsed");
    }
    if wrong.is_empty() { Ok(true) } else { Err(wrong) }
}

/// A folder that is removed with its contents.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("ftlkit-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn extremes_of_every_format_are_runs_or_errors() {
    let folder = Folder::new("extremes");
    assert_eq!(FORMATS.len(), formats::FORMATS.len(), "a format has no records above");
    let (mut runs, mut refused, mut faults) = (0, 0, Vec::new());
    for (at, (format, header, [lba, size], record)) in FORMATS.into_iter().enumerate() {
        for n in 0..9 * VALUES.len() {
            let (value, field, row) = (VALUES[n / 9], n % 3, n / 3 % 3);
            let mut rows = [1, 2, 3, 4].map(|row| [10 * row, row * 4096 / lba, 4096 / size]);
            rows[row][field] = value;
            let records: Option<Vec<_>> = rows.iter().map(|[t, o, l]| record(*t, *o, *l)).collect();
            let Some(records) = records else { continue };
            let path = folder.0.join(format!("{n}.{format}"));
            std::fs::write(&path, [header.as_bytes(), &records.concat()].concat()).unwrap();
            let op = if format == "oraclegeneral" { "assume_op = \"write\"\n" } else { "" };
            let options = format!("format = \"{format}\"\n{op}");
            let read: TraceOptions = toml::from_str(&options).unwrap();
            let mut requests = Vec::new();
            let done = open(&path, &read).and_then(|mut reader| {
                while reader.fill(&mut requests, 100)? > 0 {}
                Ok(())
            });
            for r in &requests {
                let sound = r.offset.checked_add(r.length).is_some() && r.arrival_ns <= LATEST_NS;
                assert!(sound, "{format}: {rows:?}: {r:?}");
            }
            if done.is_err() {
                refused += 1;
                continue;
            }
            // Each file meets one of the replays on each machine.
            for (machine, which) in MACHINES.iter().zip([0, 3]) {
                let replay = REPLAYS[(n / 3 + at + which) % REPLAYS.len()];
                let toml = format!(
                    "{machine}schemes = [\"page-level\"]\nprecondition = \"none\"\n[workload]\ntrace = \"{}\"\naddresses = \
                     \"wrap\"\n{replay}\n[workload.options]\n{options}",
                    path.display()
                );
                match ran(&toml) {
                    Ok(true) => runs += 1,
                    Ok(false) => refused += 1,
                    Err(fault) => {
                        faults.push(format!("{format} {rows:?}, {replay:?}, {machine:?}: {fault}"))
                    }
                }
            }
        }
    }
    println!("{runs} runs, {refused} refused");
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
    assert!(runs > 1000 && refused > 300, "{runs} runs, {refused} refused");
}

#[test]
fn extremes_of_counts_are_runs_or_errors() {
    let folder = Folder::new("counts");
    let path = folder.0.join("week.csv");
    let rows = (0..9).map(|n| format!("{},write,{},4096\n", n * 86_400_000_000_000_u64, n * 4096));
    let rows: String = rows.collect();
    std::fs::write(&path, format!("arrival_ns,op,offset_bytes,length_bytes\n{rows}")).unwrap();
    for count in VALUES {
        for scale in ["1.0", "1000000.0", "0.000001", "0.0", "-1.0", "1e300", "nan", "inf"] {
            for key in ["loops", "requests"] {
                let endless = if key == "requests" { "loops = 0\n" } else { "" };
                let toml = format!(
                    "capacity = \"8MiB\"\nschemes = [\"page-level\"]\n[workload]\ntrace = \"{}\"\n{endless}{key} = \
                     \"{count}\"\ntime_scale = {scale}\n",
                    path.display()
                );
                // Longer ones are not run here: whether they can be is what is tested.
                let resolved = Experiment::from_toml(&toml, "test").and_then(Experiment::resolve);
                if count == 1 && scale == "1.0" {
                    resolved.unwrap();
                } else if count == 0
                    || count > 1 << 40
                    || scale.parse().is_ok_and(|scale: f64| !(1e-6..=1e6).contains(&scale))
                {
                    assert!(resolved.is_err(), "{toml}");
                }
            }
        }
    }
}
