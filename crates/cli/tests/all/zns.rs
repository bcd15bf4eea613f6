//! Zones: traces with their commands, a host's log on them, and who refuses them.

use crate::common::{Scratch, ftlkit, words};
use serde_json::Value;
use std::collections::BTreeMap;

/// Zones of two blocks of 64 pages of 2 KiB: 256 KiB.
const TRACE: &str = "op,offset_bytes,length_bytes
write,0,4096
append,0,8192
write,0,4096
write,1000,4096
open,262144,262144
append,262144,4096
close,262144,262144
finish,262144,262144
append,262144,4096
append,266240,4096
write,258048,8192
trim,0,4096
trim,0,262144
read,0,4096
write,0,2048
flush,0,0
";

fn refusals(scheme: &Value) -> BTreeMap<String, u64> {
    let each = scheme["refusals"].as_array().into_iter().flatten();
    let of =
        |row: &Value| (row["reason"].as_str().unwrap().into(), row["requests"].as_u64().unwrap());
    each.map(of).collect()
}

#[test]
fn a_trace_holds_every_command_and_every_refusal_has_its_reason() {
    let scratch = Scratch::new("zns-trace");
    let trace = scratch.path().join("zones.csv");
    std::fs::write(&trace, TRACE).unwrap();
    let trace = trace.to_str().unwrap();
    let line = format!(
        "compare {trace} --schemes zns+zone=256KiB,page-level --capacity 64MiB --precondition none --addresses exact"
    );
    let json = words(&format!("{line} --json")).json();
    let of = |scheme: usize, key: &str| json["schemes"][scheme][key].as_u64().unwrap();
    for scheme in [0, 1] {
        let (taken, done) = (of(scheme, "requests_taken"), of(scheme, "requests"));
        assert_eq!((taken, taken), (16, done + of(scheme, "requests_refused")));
    }
    let zns = &json["schemes"][0];
    let expected = [
        // At page 0, when the write pointer is at page 6.
        ("zone-invalid-write", 1),
        ("part-of-a-page", 1),
        // After the finish.
        ("zone-is-full", 1),
        // An append, and a trim.
        ("part-of-a-zone", 2),
        ("zone-boundary", 1),
    ];
    assert_eq!(refusals(zns), expected.map(|(reason, count)| (reason.to_owned(), count)).into());
    let zones = &zns["zones"];
    let figures =
        ["zones", "pages", "written", "appended", "resets", "finishes", "explicit_opens", "full"];
    assert_eq!(figures.map(|key| zones[key].as_u64().unwrap()), [224, 128, 3, 6, 1, 1, 1, 1]);
    assert_eq!(
        (zones["implicitly_opened"].as_u64(), zones["empty"].as_u64()),
        (Some(1), Some(222))
    );
    // Nine pages, and the mark of the finish.
    assert_eq!(zns["waf"].as_f64(), Some(10.0 / 9.0));
    assert_eq!(refusals(&json["schemes"][1]), [("no-zones".to_owned(), 7)].into());
    let text = words(&line).ok();
    assert!(text.contains("zone-is-full 1"), "{text}");
    let details = words(&format!("{line} --details")).ok();
    for said in ["refused: zone-boundary", "224 of 128 pages", "222 empty, 1 open, 1 full"] {
        assert!(details.contains(said), "`{said}` is not in: {details}");
    }
    // `trace convert` keeps every command.
    let again = scratch.path().join("again.csv");
    words(&format!("trace convert {trace} {}", again.to_str().unwrap())).ok();
    let converted = std::fs::read_to_string(&again).unwrap();
    for op in ["append", "open", "close", "finish"] {
        let count =
            |text: &str| text.lines().filter(|line| line.split(',').any(|word| word == op)).count();
        assert_eq!(count(&converted), count(TRACE), "{op}");
    }
    ftlkit([
        "trace",
        "convert",
        trace,
        scratch.path().join("log.fio").to_str().unwrap(),
        "--to",
        "fio",
        "--allow-loss",
    ])
    .ok();
}

#[test]
fn a_log_of_the_host_runs_on_zones_and_elsewhere_and_tells_both_write_amplifications() {
    let line =
        "compare host-log --capacity 64MiB --requests 150000 --precondition none --set data=0.8";
    let json = words(&format!("{line} --schemes zns,page-level --json")).json();
    let of = |scheme: usize, key: &str| json["schemes"][scheme]["host_log"][key].as_f64().unwrap();
    assert_eq!(of(0, "host_waf"), of(1, "host_waf"), "the same requests");
    assert!(of(0, "host_waf") > 1.5, "{}", of(0, "host_waf"));
    assert_eq!(of(0, "total_waf"), of(0, "host_waf"), "the device adds nothing");
    assert!(of(1, "total_waf") > of(1, "host_waf") * 1.02, "a log on a log");
    let zns = &json["schemes"][0];
    assert_eq!((zns["waf"].as_f64(), zns["copies"].as_u64()), (Some(1.0), Some(0)));
    assert_eq!((zns["requests_refused"].as_u64(), zns["violations"].as_u64()), (Some(0), Some(0)));
    assert_eq!(
        zns["erases"].as_u64(),
        zns["zones"]["resets"].as_u64(),
        "an erase per reset of a block"
    );
    // Appends are written to the same places.
    let appended = words(&format!("{line} --schemes zns --set log=append --json")).json();
    let appended = &appended["schemes"][0];
    assert_eq!(appended["host_log"], zns["host_log"]);
    assert_eq!(appended["zones"]["appended"], zns["zones"]["written"]);
    // On dies side by side, with requests outstanding.
    let ssd = words(
        "compare host-log --part znand-slc --channels 2 --dies 2 --capacity 256MiB --requests 60000 --precondition none \
         --set zone=4MiB --queue-depth 16 --schemes zns --json",
    )
    .json();
    let ssd = &ssd["schemes"][0];
    assert_eq!((ssd["requests"].as_u64(), ssd["waf"].as_f64()), (Some(60000), Some(1.0)));
    assert_eq!(ssd["zones"]["blocks"].as_u64(), Some(4));
    // A bound is checked at queue depth 1.
    let alone = words(
        "compare host-log --part znand-slc --channels 2 --dies 2 --capacity 256MiB --requests 60000 --precondition full \
         --set zone=4MiB --queue-depth 1 --schemes zns --json",
    )
    .json();
    assert_eq!(alone["schemes"][0]["violations"].as_u64(), Some(0));
}

/// Requests of a job that are refused are in no time, rate or share.
#[test]
fn refused_requests_of_a_job_are_told_apart() {
    let line = "compare --part znand-slc --channels 2 --ways 2 --set part.pages_per_block=64 --capacity 256MiB --requests 4000 \
        --job workload=host-log,size=50%,set.zone=1MiB --job workload=uniform,name=any --schemes zns --precondition none";
    let json = words(&format!("{line} --json")).json();
    let scheme = &json["schemes"][0];
    let of = |job: usize, key: &str| scheme["jobs"][job][key].as_u64().expect("a number");
    for job in [0, 1] {
        assert_eq!(of(job, "requests_taken"), of(job, "requests") + of(job, "requests_refused"));
    }
    assert_eq!(of(0, "requests_refused"), 0);
    assert!(of(1, "requests_refused") > 1000, "{scheme}");
    assert_eq!(scheme["requests_refused"].as_u64(), Some(of(1, "requests_refused")));
    let shares: f64 = [0, 1]
        .iter()
        .map(|job| scheme["jobs"][job]["share_of_page_writes"].as_f64().expect("a share"))
        .sum();
    assert!((0.99..1.01).contains(&shares), "{shares}");
    assert!(words(line).ok().contains("refused"));
}

#[test]
fn what_writes_any_page_refuses_zones_and_says_why() {
    // A workload that writes anywhere is refused request by request, and the account is whole.
    let json = words(
        "compare uniform --schemes zns --capacity 64MiB --requests 5000 --precondition none --json",
    )
    .json();
    let scheme = &json["schemes"][0];
    assert_eq!(scheme["requests_taken"].as_u64(), Some(5000));
    let refused: u64 = refusals(scheme).values().sum();
    assert_eq!(scheme["requests_refused"].as_u64(), Some(refused));
    assert_eq!(scheme["requests"].as_u64(), Some(5000 - refused));
    assert!(refusals(scheme).contains_key("zone-invalid-write"), "{scheme}");
    // Where nothing is done, the report says what would be.
    let full = words("compare uniform --schemes zns --capacity 64MiB --requests 500").ok();
    assert!(full.contains("every request was refused, most of them for `zone-is-full`"), "{full}");
    // The host counts what it asks for: with requests refused it has no WAF.
    let json = words(
        "compare host-log --schemes zns+max_active=1 --capacity 64MiB --requests 50000 --precondition none --json",
    )
    .json();
    let scheme = &json["schemes"][0];
    assert!(refusals(scheme).contains_key("too-many-active-zones"), "{scheme}");
    assert!(scheme["host_log"]["application_pages"].as_u64() > Some(0));
    assert!(scheme["host_log"]["host_waf"].is_null() && scheme["host_log"]["total_waf"].is_null());
}
