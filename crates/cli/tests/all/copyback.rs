//! `ftlkit copyback`.

use crate::common::{Scratch, ftlkit, words};

#[test]
fn every_path_on_the_part_of_the_study() {
    let text = words("copyback").ok();
    for said in ["ddt-mlc: t_R 75", "dgcb + cache", "17.92", "from 4 pages on", "to the nanosecond"]
    {
        assert!(text.contains(said), "`{said}` is not in: {text}");
    }
    let json = words("copyback --planes 2 --pages 16 --path gcb --cache --json").json();
    let rows = json["rows"].as_array().expect("a list");
    assert_eq!(rows.len(), 1);
    assert!(rows[0]["channel_use"].as_f64().expect("a share") > 0.6);
    assert_eq!(rows[0]["engine_ns"], rows[0]["transaction_ns"]);
    assert_eq!(json["interface"]["t_rc_ns"], 25);
    // 75.295 + 8 × (216.02 + 44.16 + 1300.345) µs: Eq. 11 with 192 bit errors per page.
    let json = words("copyback --pages 8 --path dgcb --cache off --errors 192 --json").json();
    assert_eq!(json["rows"][0]["transaction_ns"], 75_295 + 8 * 1_560_525);
    let rate = words("copyback --pages 8 --path dgcb --cache off --error-rate 100 --json").json();
    assert_eq!(json["rows"], rate["rows"]);
}

#[test]
fn rows_as_csv_and_files() {
    let csv = words("copyback --csv --pages 1,128").ok();
    assert!(csv.starts_with("path,cache_program,planes,"), "{csv}");
    assert_eq!(csv.lines().count(), 1 + 7 * 2);
    let out = Scratch::new("copyback");
    let dir = out.at("results");
    words(&format!("copyback --quiet --out {dir}")).ok();
    for file in ["copyback.csv", "throughput.svg", "collection.svg", "channel_use.svg"] {
        let text = std::fs::read_to_string(format!("{dir}/{file}")).expect(file);
        assert!(text.contains("dgcb"), "{file}");
    }
}

#[test]
fn any_part_on_a_bus_in_a_timing_mode() {
    let text = words("copyback --part toshiba-slc --mode 4 --planes 4").ok();
    assert!(text.contains("toshiba-slc: t_R 25") && text.contains("t_CCS 200"), "{text}");
    let given = words("copyback --part toshiba-slc --t-rc 30 --t-wc 40 --json").json();
    assert_eq!(
        (&given["interface"]["t_rc_ns"], &given["interface"]["t_wc_ns"]),
        (&30.into(), &40.into())
    );
    let scratch = Scratch::new("copyback-part");
    let file = scratch.file("quick.toml", "base = 'ddt-mlc'\nt_prog_ns = '200us'");
    let text = ftlkit(["copyback", "--part-file", &file]).ok();
    assert!(text.contains("t_PROG 200"), "{text}");
}

#[test]
fn messages_of_the_control_unit() {
    let text = words("copyback --messages --messages-only --pages 2 --errors 3").ok();
    let at = |name: &str| text.find(name).unwrap_or_else(|| panic!("`{name}` is not in: {text}"));
    let order = [
        "READ_INIT",
        "READ_START",
        "PROG_INIT",
        "READ_END",
        "DDT_BEGIN",
        "DDT_DONE",
        "ERR_RETRANSMIT",
        "PROG_START",
        "PROG_END",
    ];
    assert!(order.map(at).is_sorted(), "{text}");
    assert!(text.contains("DIN_READY") && text.contains("Eq. 13:"), "{text}");
    assert!(!text.contains("GRANT"), "{text}");
    // At the study's cycle, the pins of mode 4 do not hold data long enough.
    assert!(text.contains("warning: direct transfers cannot work at a cycle of 25 ns"), "{text}");
    let text = words("copyback --messages --t-rwc 35 --prog-init read-end").ok();
    assert!(text.contains("GRANT") && !text.contains("warning"), "{text}");
    let total = text.lines().last().expect("the times");
    let times: Vec<&str> = total.split(" µs").filter_map(|part| part.rsplit(' ').next()).collect();
    assert_eq!(times[0], times[1], "{total}");
}

#[test]
fn windows_and_waveform() {
    let text = words("copyback --windows").ok();
    assert!(text.contains("DVW ns") && text.lines().count() >= 10, "{text}");
    let scratch = Scratch::new("copyback-vcd");
    let vcd = scratch.at("ddt.vcd");
    ftlkit(["copyback", "--waveform", &vcd])
        .refused(&["cannot work at a cycle of 25 ns", "a cycle of 35 ns works: --t-rwc 35"]);
    assert!(!std::path::Path::new(&vcd).exists());
    ftlkit(["copyback", "--t-rc", "35", "--waveform", &vcd, "-q"]).ok();
    let text = std::fs::read_to_string(&vcd).expect("the waveform");
    assert!(text.contains("$timescale") && text.contains("W0_RE_n"), "{text}");
}

#[test]
fn a_host_on_the_other_ways() {
    let line = "copyback --host-load --path gcb,dgcb --cache off --load 50,65 --requests 20000";
    let text = words(line).ok();
    for said in ["8 ways", "none", "gcb", "dgcb", "pages/s"] {
        assert!(text.contains(said), "`{said}` is not in: {text}");
    }
    assert_eq!(text, words(line).ok(), "same seed, same output");
    let json = words(&format!("{line} --json")).json();
    let points = json["points"].as_array().expect("a list");
    // Per load: no collection, and two paths with and without pace.
    assert_eq!(points.len(), 2 * (1 + 2 * 2));
    let mean = |path: &str| {
        let of_it = |point: &&serde_json::Value| {
            point["collection"] == path
                && point["load_percent"] == 65
                && point["paced_pages_per_second"].is_null()
        };
        let point = points.iter().find(of_it).expect(path);
        point["read_ns"]["mean"].as_f64().expect("a time")
    };
    assert!(mean("none") < mean("dgcb") && mean("dgcb") < 0.8 * mean("gcb"), "{points:?}");
    let csv = words(&format!("{line} --csv --policy read-first,round-robin --pace 200")).ok();
    assert_eq!(csv.lines().count(), 1 + 2 * 2 * 3);
    let out = Scratch::new("copyback-host");
    let dir = out.at("results");
    words(&format!("{line} --quiet --out {dir}")).ok();
    assert!(std::path::Path::new(&dir).join("host_load_read_p99.9_fifo_unpaced.svg").exists());
}
