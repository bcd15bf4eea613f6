//! SSDs with one request at a time: no page task takes longer than its operations alone, one after the other, and no run is
//! longer than is proved with queueing.

use ::run::levelled;
use flash::faults::BitErrors;
use flash::parallel::Parallel;
use flash::{AnyArray, Array, Lpn, Ns, Operation, Serial, SerialArray, Store};
use ftl::registry;
use ftlkit_lab::choose::{Choice, Question, Verdict, named_schemes};
use ftlkit_lab::config::{Experiment, PartTable, Resolved};
use ftlkit_lab::run::Unobserved;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// Part, and settings that it needs on an SSD.
const PARTS: [(&str, &str); 3] =
    [("ddt-mlc", ""), ("mqsim-cxl-tlc", ""), ("evaluation-slc", "bus_cycle = '5ns'")];
/// Channels, ways, dies.
const SHAPES: [[u32; 3]; 4] = [[1, 1, 1], [1, 4, 1], [2, 2, 1], [4, 1, 2]];
const SCHEMES: [&str; 12] = [
    "lazy-rtgc",
    "lazy-rtgc-on-demand",
    "rftl",
    "gftl",
    "gftl-priority",
    "2lgc+share=0.6",
    "page-level+share=0.6",
    "fsr+share=0.6",
    "dftl+share=0.6",
    "nftl",
    "bast",
    "fast",
];

fn settings((part, more): (&str, &str), [channels, ways, dies]: [u32; 3]) -> String {
    format!(
        "part = '{part}'\nchannels = {channels}\nways = {ways}\ndies = {dies}\nqueue_depth = 1\n{more}\n"
    )
}

/// Times of page tasks: on channels, of their operations alone, and in serial time.
fn each_way(resolved: &Resolved, tasks: u32, each: &mut impl FnMut([Ns; 3])) {
    let (ssd, scheme) = (resolved.ssd.as_ref().unwrap(), &resolved.schemes[0]);
    let array =
        || BitErrors::none(Array::new(resolved.geometry, scheme.part.clone(), Store::Metadata));
    let parallel =
        Parallel::new(array(), ssd.topology, ssd.timing, ssd.policy, ssd.ganged).unwrap();
    let [mut channels, mut serial] = [
        AnyArray::new(levelled(&scheme.config, parallel)),
        AnyArray::new(levelled(&scheme.config, Serial::new(array()))),
    ]
    .map(|array| registry::format(&scheme.config, array).unwrap());
    let on = channels.flash_mut().parallel_mut().unwrap();
    on.set_precedence(ssd.precedence);
    let pages = scheme.plan.logical_pages;
    let part = &scheme.part;
    let copies = part.copies.unwrap();
    let mut copy_ns = copies.near.run_ns(1, 0);
    if copies.ways > 1 {
        copy_ns = copy_ns.max(copies.far.run_ns(1, 0));
    }
    let alone_ns = |of: &SerialArray| {
        let count = |op| of.counts().total(op);
        count(Operation::Read) * part.t_r_ns
            + count(Operation::ReadOob) * part.first_read_oob_ns()
            + count(Operation::Program) * part.t_prog_ns
            + count(Operation::Erase) * part.t_bers_ns
            + count(Operation::Copy) * copy_ns
    };
    let mut random = Pcg64::seed_from_u64(5);
    for task in 0..tasks {
        // All pages once, then some of them again and again, with reads and trims between.
        let lpn = Lpn(match task < pages {
            true => task,
            false => random.random_range(0..if task % 3 == 0 { pages } else { pages / 8 + 1 }),
        });
        let what = if task < pages { 0 } else { random.random_range(0..10) };
        let on = channels.flash_mut().parallel_mut().unwrap();
        let begun_ns = on.channels().now_ns();
        on.begin(u64::from(task), begun_ns);
        let of_serial = |of: &SerialArray| [alone_ns(of), of.busy_ns()];
        let before = of_serial(serial.flash().serial().unwrap());
        for of in [&mut channels, &mut serial] {
            match what {
                0..7 => of.write(lpn, None).unwrap(),
                7..9 => drop(of.read(lpn, None).unwrap()),
                _ => of.trim(lpn).unwrap(),
            }
        }
        let on = channels.flash_mut().parallel_mut().unwrap();
        on.end();
        while on.step_until(Ns::MAX).0 {}
        let took_ns = on.channels().last_done_ns().saturating_sub(begun_ns);
        let after = of_serial(serial.flash().serial().unwrap());
        each([took_ns, after[0] - before[0], after[1] - before[1]]);
    }
}

#[test]
fn a_page_task_alone_on_an_ssd_takes_no_longer_than_its_operations_alone() {
    let (mut tasks, mut equal, mut beyond_serial) = (0u64, 0u64, 0u64);
    for part in PARTS {
        for shape in SHAPES {
            for scheme in SCHEMES {
                let blocks = 16 * shape.iter().product::<u32>();
                let Some(found) = flash::parts::by_name(part.0) else { panic!("{part:?}") };
                let block = u64::from(found.pages_per_block) * u64::from(found.page_bytes);
                let text = format!(
                    "{}capacity = {}\nschemes = ['{scheme}']\nworkload = 'uniform'\ndefault_share = 'own'",
                    settings(part, shape),
                    block * u64::from(blocks)
                );
                // Some schemes have too few blocks there.
                let Ok(resolved) = Experiment::from_toml(&text, "test").unwrap().resolve() else {
                    continue;
                };
                let most = 3 * resolved.schemes[0].plan.logical_pages.min(2000);
                let mut at = 0;
                let experiment = Experiment::from_toml(&text, "test").unwrap();
                let added = experiment.sketch(None).unwrap().added().unwrap();
                let is_one = shape.iter().product::<u32>() == 1;
                each_way(&resolved, most, &mut |[took_ns, alone_ns, serial_ns]| {
                    let told = format!("{scheme} on {part:?} {shape:?}, task {at}: {took_ns} ns");
                    assert!(took_ns <= alone_ns, "{told}, {alone_ns} alone");
                    assert!(
                        alone_ns <= added.of(serial_ns),
                        "{told}, {alone_ns} alone, {serial_ns}"
                    );
                    assert!(took_ns <= serial_ns || !is_one, "{told}, {serial_ns} in serial time");
                    at += 1;
                    equal += u64::from(took_ns == alone_ns);
                    beyond_serial += u64::from(took_ns > serial_ns);
                });
                tasks += at;
            }
        }
    }
    println!(
        "{tasks} page tasks, none longer than its operations alone, {equal} as long; {beyond_serial} longer than in serial time"
    );
    assert!(tasks > 750_000 && equal > tasks / 2, "{tasks} {equal}");
    // Serial time counts the copies of a victim as a run, of which channels hide a little less beside other work.
    assert!(beyond_serial > 0);
}

/// A burst of requests of several pages, as large and as often as a bucket lets them come; also reads, trims and pages in part.
fn trace(name: &str, burst: u64, gap_ns: u64) -> std::path::PathBuf {
    let mut text = String::from("arrival_ns,op,offset_bytes,length_bytes\n");
    let mut random = Pcg64::seed_from_u64(burst);
    for n in 0..1000_u64 {
        let at_ns = n / burst * gap_ns;
        let page =
            if n % 3 == 0 { random.random_range(0..700) } else { random.random_range(0..40) };
        let (op, offset, length) = match n % 23 {
            5 => ("read", page * 4096, 16_384),
            11 => ("trim", page * 4096, 32_768),
            17 => ("write", page * 4096 + 512, 9000),
            _ => ("write", page * 4096, [4096, 8192, 65_536][n as usize % 3]),
        };
        text.push_str(&format!("{at_ns},{op},{offset},{length}\n"));
    }
    let path =
        std::env::temp_dir().join(format!("ftlkit-ssd-queueing-{name}-{}.csv", std::process::id()));
    std::fs::write(&path, text).unwrap();
    path
}

fn chosen(trace: &std::path::Path, part: &str, settings: &str, schemes: &[&str]) -> Vec<Choice> {
    let text =
        format!("capacity = '256MiB'\nworkload = {{ trace = '{}' }}\n{settings}", trace.display());
    let schemes: Vec<String> = schemes.iter().map(|of| (*of).to_owned()).collect();
    let experiment = Experiment::from_toml(&text, "test").unwrap();
    let asked = Question {
        experiment: Experiment { part: None, ..experiment },
        deadlines: "100s".parse().unwrap(),
        parts: vec![PartTable::named(part)],
        schemes: named_schemes(&schemes).unwrap(),
        shares: Vec::new(),
        exported: None,
    };
    asked.answer(&Unobserved).unwrap()
}

#[test]
fn no_request_on_an_ssd_takes_longer_than_is_proved_with_queueing() {
    let bursts = [("long", 500, 90_000_000_000), ("short", 7, 2_000_000_000)];
    let (mut proved, mut nearest) = (0, (0.0, String::new()));
    for (name, burst, gap_ns) in bursts {
        let trace = trace(name, burst, gap_ns);
        for part in PARTS {
            for shape in [[1, 1, 1], [2, 2, 1]] {
                for interface in ["none", "nvme:gen3x4+latency=20us"] {
                    let settings = format!("{}interface = '{interface}'", settings(part, shape));
                    for choice in chosen(&trace, part.0, &settings, &SCHEMES) {
                        let told = format!(
                            "{} on {part:?} {shape:?}, {interface}, {name} bursts",
                            choice.scheme
                        );
                        assert_ne!(
                            choice.why.as_deref(),
                            Some("A BOUND WAS EXCEEDED"),
                            "{told}: {choice:?}"
                        );
                        let (Some(bound), Some(longest)) = (choice.queued_ns, choice.longest_ns)
                        else {
                            continue;
                        };
                        assert!(choice.verdict <= Verdict::Proved, "{told}: {choice:?}");
                        assert!(longest <= bound, "{told}: {longest} ns of {bound}");
                        proved += 1;
                        let part_of = longest as f64 / bound as f64;
                        if part_of > nearest.0 {
                            nearest = (part_of, told);
                        }
                    }
                }
            }
        }
        std::fs::remove_file(trace).unwrap();
    }
    println!("{proved} proved rows, none exceeded; nearest {:.3}: {}", nearest.0, nearest.1);
    assert!(proved >= 250 && nearest.0 > 0.5, "{proved} {nearest:?}");
}

#[test]
fn what_is_not_derived_of_an_ssd_is_measured_only() {
    let trace = trace("refused", 7, 2_000_000_000);
    let part = PARTS[0];
    let first = |scheme: &str, more: &str| {
        let settings = format!("channels = 2\nways = 2\n{more}");
        chosen(&trace, part.0, &settings, &[scheme]).remove(0)
    };
    let plain = first("lazy-rtgc", "queue_depth = 1");
    assert_eq!(plain.verdict, Verdict::ProvedWithQueueing, "{plain:?}");
    for (scheme, more) in [
        ("lazy-rtgc", ""),
        ("lazy-rtgc", "queue_depth = 2"),
        ("lazy-rtgc", "queue_depth = 1\nplanes = 2"),
        ("lazy-rtgc", "queue_depth = 1\nplanes = 2\nplane_use = 'own'"),
        ("lazy-rtgc", "queue_depth = 1\nqueues = 2"),
        ("lazy-rtgc", "queue_depth = 1\ncpu = 'arm7'"),
        ("lazy-rtgc+idle", "queue_depth = 1"),
        ("lazy-rtgc+buffer=lru+buffer_age=0", "queue_depth = 1"),
        ("page-level", "queue_depth = 1\nfdp = 'ruhs=2'"),
        ("lazy-rtgc", "queue_depth = 1\nbit_errors = 'wear:1,0,0+ecc=72'"),
    ] {
        let choice = first(scheme, more);
        assert_eq!(choice.queued_ns, None, "{scheme} {more}: {choice:?}");
        let proved = if scheme.ends_with("+idle") { Verdict::Proved } else { Verdict::Measured };
        assert_eq!(choice.verdict, proved, "{scheme} {more}: {choice:?}");
    }
    std::fs::remove_file(trace).unwrap();
}
