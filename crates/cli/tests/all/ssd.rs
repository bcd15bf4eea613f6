//! `compare` and `run` on an SSD with several channels.

use crate::common::{Scratch, ftlkit, unwrapped, words};
use serde_json::Value;

const SSD: &str = "compare uniform --part ddt-mlc --channels 2 --ways 2 --capacity 256MiB --requests 4000 \
    --set write_share=1 --seed 7 --schemes page-level,page-level+victim=greedy-scan --cpu arm7 --interface sata2";

#[test]
fn an_ssd_is_told_of_in_every_form() {
    let scratch = Scratch::new("ssd");
    let out = scratch.at("results");
    let text = unwrapped(&words(&format!("{SSD} --details --out {out}")).ok());
    for said in [
        "2 channels × 2 ways × 1 die",
        "4,000 requests, 32 outstanding (no arrival times)",
        "interface sata2 of 300 MB/s; processor arm7, 87.5 MHz",
        "there is no bound",
        "no bound at",
        "page commands",
        "minimum per window",
        "longest stall",
        "link use",
        "processor use",
        "entries touched",
        "Page commands: page reads and programs",
    ] {
        assert!(text.contains(said), "`{said}` is not in: {text}");
    }
    for absent in ["mean without collection", "longest collection pause", "longest response"] {
        assert!(!text.contains(absent), "`{absent}` is in: {text}");
    }
    let read = |name: &str| std::fs::read_to_string(format!("{out}/{name}")).expect(name);
    let report: Value = serde_json::from_str(&read("report.json")).expect("JSON");
    assert_eq!(report["configuration"]["ssd"]["blocks_per_plane"], 64);
    assert_eq!(report["configuration"]["processor"]["clock_khz"], 87_500);
    for scheme in report["schemes"].as_array().expect("a list") {
        let ssd = &scheme["ssd"];
        assert!(ssd["page_commands"].as_u64() >= Some(4000), "{ssd}");
        for share in ["channel_use", "die_use", "link_use"] {
            let share = ssd[share].as_f64().expect("a share");
            assert!(share > 0.0 && share <= 1.0, "{ssd}");
        }
        assert!(scheme["bound_ns"].is_null());
        assert!(scheme["victim_work"]["processor_ns"].as_u64() > Some(0), "{scheme}");
    }
    let windows = read("windows.csv");
    assert!(windows.starts_with("scheme,time_ns,length_ns,page_commands,"), "{windows}");
    assert!(windows.lines().count() > 4, "{windows}");
    assert!(read("page_commands.svg").contains("page commands per second"));
}

#[test]
fn cores_are_charged_and_the_busiest_resource_is_named() {
    let run = |cpu: &str| {
        let line = "compare uniform --part ddt-mlc --channels 2 --ways 2 --capacity 256MiB --requests 4000 \
                    --set write_share=0 --precondition full --schemes page-level";
        words(&format!("{line} {cpu}"))
    };
    let slow = unwrapped(&run("--details --cpu 20kHz:10:4").ok());
    assert!(slow.contains("processor 100 %") && slow.contains("for the map"), "{slow}");
    let fast = run("--cpu 4x1GHz:10:4 --cpu-sharing pinned --cpu-command 10 --json").json();
    let ssd = &fast["schemes"][0]["ssd"];
    assert_eq!(ssd["cores"], 4);
    // 4,000 lookups of 10 cycles, and 10 cycles for each of as many requests, at 1 ns.
    assert_eq!((ssd["map_ns"].as_u64(), ssd["commands_ns"].as_u64()), (Some(40_000), Some(40_000)));
    let none = unwrapped(&run("--details").ok());
    assert!(!none.contains("busiest") && !none.contains("processor use"), "{none}");
    run("--cpu 0x1GHz:10:4").refused(&["the number of cores must be 1 to 256"]);
    run("--cpu arm7 --cpu-sharing pinned").refused(&["cpu_sharing: has no effect on one core"]);
}

#[test]
fn one_task_at_a_time_keeps_promises_and_a_file_gives_the_same() {
    let scratch = Scratch::new("ssd-file");
    let line = "compare uniform --part ddt-mlc --channels 2 --ways 2 --queue-depth 1 --capacity 256MiB \
                --requests 2000 --schemes lazy-rtgc,fsr+copy=dgcb --window 50ms --allocation wcdp";
    let direct = words(&format!("{line} --json")).json();
    for scheme in direct["schemes"].as_array().expect("a list") {
        assert_eq!(scheme["violations"], 0);
        assert!(scheme["response_ns"]["max"].as_u64() <= scheme["bound_ns"].as_u64(), "{scheme}");
    }
    let file = scratch.file("ssd.toml", words(&format!("{line} --dry-run")).ok());
    let again = ftlkit(["run", &file, "--json"]).json();
    assert_eq!(again["schemes"], direct["schemes"]);
}

#[test]
fn jobs_run_at_once_and_each_is_reported() {
    let scratch = Scratch::new("ssd-jobs");
    let trace = scratch.file(
        "t.csv",
        "arrival_ns,op,offset_bytes,length_bytes\n0,write,0,8192\n1000,read,0,8192\n9000000,write,8192,100\n",
    );
    let jobs = format!(
        "--job name=reader,workload=uniform,set.write_share=0,requests=3000,iodepth=4,class=high,size=25% \
         --job name=writer,workload=uniform,set.write_share=1,iodepth=32,queues=2,requests=2000 --job \
         name=replay,trace={trace},class=low,size=25%"
    );
    let line = format!(
        "compare --part ddt-mlc --channels 4 --ways 2 --capacity 256MiB --schemes page-level --command-slots 16 \
         --arbitration weighted:8:4:1+burst=2 --interface nvme:gen4x4 {jobs}"
    );
    let out = scratch.path().join("out").display().to_string();
    let json = words(&format!("{line} --json --out {out} --quiet")).json();
    let scheme = &json["schemes"][0];
    let of = |job: usize, key: &str| scheme["jobs"][job][key].as_u64().expect("a number");
    let all = [0, 1, 2].map(|job| of(job, "requests_taken"));
    assert_eq!((all, [0, 1, 2].map(|job| of(job, "requests"))), ([3000, 2000, 3], [3000, 2000, 3]));
    assert_eq!(scheme["requests_taken"], 5003);
    assert!(
        std::fs::read_to_string(format!("{out}/job_completion_ccdf.csv"))
            .expect("a file")
            .contains(",writer,")
    );
    assert!(
        std::fs::read_to_string(format!("{out}/summary.csv"))
            .expect("a file")
            .contains("jobs.reader.requests,")
    );
    let text = words(&line).ok();
    for said in
        ["job          reader: uniform, 3,000 requests", "writer 2 medium queues of 32", "99.9 %"]
    {
        assert!(text.contains(said), "{said}: {text}");
    }
    let file = scratch.file("jobs.toml", words(&format!("{line} --dry-run")).ok());
    assert_eq!(ftlkit(["run", &file, "--json"]).json()["schemes"], json["schemes"]);
    let again = ftlkit(["run", &format!("{out}/experiment.toml"), "--json"]).json();
    assert_eq!(again["schemes"], json["schemes"]);
}

#[test]
fn a_processor_takes_time_on_one_channel_too() {
    let time = |cpu: &str| {
        let schemes = "--schemes page-level+victim=greedy-scan";
        let line =
            format!("compare uniform --capacity 16MiB --requests 5000 {schemes} {cpu} --json");
        let report = words(&line).json();
        let scheme = &report["schemes"][0];
        assert_eq!(scheme["victim_work"]["processor_ns"].is_null(), cpu.is_empty());
        assert!(scheme["ssd"].is_null());
        scheme["elapsed_ns"].as_u64().expect("a time")
    };
    assert!(time("--cpu arm7") > time(""));
}
