//! Times by page, synchronous buses and one-shot programming: bounds hold, and both clocks agree.

use crate::common::case::{Case, Load};
use ftl::registry::REGISTRY;
use ftlkit_lab::report::SchemeReport;
use ftlkit_lab::run::Unobserved;
use ftlkit_lab::run_one;

/// Small blocks, so that a short run collects; 48 is a multiple of all kinds of page.
fn run(
    part: &str,
    scheme: &str,
    load: &'static str,
    more: &[(&'static str, &str)],
) -> Option<SchemeReport> {
    let mut options = vec![
        ("--part", part.to_owned()),
        ("--set", "part.pages_per_block=48".to_owned()),
        ("--capacity", "192MiB".to_owned()),
        ("--loops", "0".to_owned()),
        ("--schemes", scheme.to_owned()),
    ];
    options.extend(more.iter().map(|(option, value)| (*option, (*value).to_owned())));
    let resolved =
        Case { load: Load::Builtin(load), options }.experiment().unwrap().resolve().ok()?;
    Some(run_one(&resolved, 0, &Unobserved).unwrap())
}

#[test]
fn bounds_take_the_longest_times_and_are_kept() {
    let serial = [("--requests", "3000"), ("--precondition", "full+age=1")];
    let ssd = [&serial[..], &[("--channels", "1"), ("--queue-depth", "1")]].concat();
    let mut bounds = 0;
    for part in ["femu-qlc", "zn540-tlc", "mqsim-cxl-tlc", "conzone-qlc", "znand-slc"] {
        for scheme in REGISTRY {
            for (more, load) in [(&serial[..], "random-adversary"), (&ssd, "uniform")] {
                let Some(found) = run(part, scheme.name, load, more) else { continue };
                let what = format!("{} on {part} under {load}", scheme.name);
                assert_eq!(found.violations, 0, "{what}: {:?}", found.first_violation);
                if let Some(bound_ns) = found.bound_ns {
                    assert!(found.response_ns.max <= bound_ns, "{what}");
                    bounds += 1;
                }
            }
        }
    }
    println!("{bounds} runs within their bounds");
    assert!(bounds > 30, "{bounds}");
}

/// Writes to an empty array, one at a time: the mean over the kinds of page, the same on both clocks.
#[test]
fn serial_and_channel_time_agree_page_by_page() {
    for part in ["femu-qlc", "zn540-tlc", "conzone-qlc", "bics-tlc", "mqsim-mlc", "znand-slc"] {
        let writes =
            [("--requests", "960"), ("--precondition", "none"), ("--set", "write_share=1")];
        let reads = [("--requests", "960"), ("--precondition", "full"), ("--set", "write_share=0")];
        for load in [writes, reads] {
            let ssd = [&load[..], &[("--channels", "1"), ("--queue-depth", "1")]].concat();
            let serial = run(part, "page-level", "uniform", &load).unwrap();
            let ssd = run(part, "page-level", "uniform", &ssd).unwrap();
            assert_eq!(serial.response_ns, ssd.response_ns, "{part}: {:?}", load[1]);
            // Pages differ, but where the part says that they are alike.
            let alike = serial.response_ns.mean == serial.response_ns.max as f64;
            let always = ["mqsim-mlc", "znand-slc"].contains(&part);
            let one_shot = ["zn540-tlc", "conzone-qlc", "bics-tlc"].contains(&part);
            assert_eq!(alike, always || one_shot && load == reads, "{part}");
        }
    }
}

#[test]
fn a_faster_bus_shortens_transfers_alone() {
    let mean = |bus| {
        let load = [("--requests", "500"), ("--precondition", "full"), ("--set", "write_share=0")];
        let more = [&load[..], &[("--bus", bus)]].concat();
        run("mqsim-mlc", "page-level", "uniform", &more).unwrap().response_ns.max
    };
    // 8640 bytes: 25,946, 10,800 and 5,400 ns.
    let [slow, middle, fast] = ["333MT/s", "800MT/s", "1600MT/s"].map(mean);
    assert_eq!((slow - middle, middle - fast), (25_946 - 10_800, 5_400));
}
