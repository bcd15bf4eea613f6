//! Tests of the worst cases on arrays of a few blocks.

use super::cells::part;
use super::drive::{Device, RunSpec};
use super::paper::PAGES_PER_BLOCK;
use super::table_6::counted;
use super::*;
use crate::observer::Unwatched;
use crate::settings::Settings;
use crate::verdict::Verdict;
use cells::Ran;
use ftl::{SchemeConfig, registry};
use workload::WorkloadSpec;

const REQUESTS: u64 = 60_000;

/// Random reads and writes of single pages on `blocks` logical blocks.
fn run(scheme: &'static str, pages_per_block: u32, blocks: u32) -> Ran {
    let of = |scheme| SchemeConfig::preset(registry::by_name(scheme).unwrap());
    let device = Device::smallest(&of("gftl"), &part(pages_per_block), blocks).unwrap();
    let workload = WorkloadSpec::builtin("uniform").with("write_share", 0.7).limited(REQUESTS);
    let config = device.config(&of(scheme));
    let asked = RunSpec { workload, seed: 1, keep_queue: false, counts_live: false };
    let measured = device.run(&config, &asked, &Unwatched).unwrap();
    Ran { cell: Cell::gftl(Load::Synthetic, pages_per_block), device, measured }
}

#[test]
fn worst_write_and_read_are_exact_at_both_utilisations() {
    for (pages_per_block, read_ns) in PAGES_PER_BLOCK.into_iter().zip([425, 825, 1_625]) {
        for blocks in [12, 24] {
            let ran = run("gftl", pages_per_block, blocks);
            let name = format!("π = {pages_per_block}, {blocks} blocks");
            assert_eq!(ran.measured.write.longest_ns, 300_000, "{name}");
            assert_eq!(ran.measured.read.longest_ns, read_ns * 1_000, "{name}");
            assert_eq!(ran.measured.late, 0, "{name}");
            assert_eq!(ran.measured.requests(), REQUESTS);
            assert!(ran.measured.victims > 0 && ran.measured.queue_pages_most > 0, "{name}");
        }
    }
}

#[test]
fn energy_of_the_requests_is_that_of_the_array() {
    let ran = run("gftl", 16, 12);
    let (read, write) = counted(&ran);
    let (reads, writes) = (ran.measured.read.response.count, ran.measured.write.response.count);
    let sum = read.with_step * reads as f64 + write.with_step * writes as f64;
    let all = ran.measured.energy_pj as f64 / 1e3;
    assert!((sum / all - 1.0).abs() < 1e-9, "{sum} of {all}");
}

#[test]
fn nftl_has_writes_beyond_the_period_and_gftl_none() {
    let nftl = run("nftl", 32, 12);
    let period = bounds::gftl::period_ns(&nftl.device.part);
    assert!(nftl.measured.write.response.most > 3 * period && nftl.measured.late > 0);
}

#[test]
fn the_smallest_device_is_the_smallest() {
    for scheme in ["gftl", "gftl-threshold", "gftl-priority"] {
        let preset = &SchemeConfig::preset(registry::by_name(scheme).unwrap());
        let device = Device::smallest(preset, &part(32), 100).unwrap();
        let (config, blocks) = (device.config(preset), device.geometry.blocks());
        let fewer = flash::Geometry::new(blocks - 1, 32, 2048).unwrap();
        assert!(registry::plan(&config, &device.part, &fewer, blocks - 1).is_err(), "{scheme}");
    }
}

#[test]
fn sections_of_closed_forms_need_no_runs() {
    let only = ["table-1", "table-3", "fig-6"].map(String::from).to_vec();
    let settings = Settings { only, ..Settings::default() };
    assert!(needed(&["table-1", "table-3", "fig-6"]).is_empty());
    let found = PAPER.reproduce(&settings, &Unwatched).unwrap();
    assert_eq!((found.sections.len(), found.runs.len()), (3, 0));
    let rows = || found.sections.iter().flat_map(|section| &section.rows);
    assert!(
        rows()
            .all(|row| matches!(row.verdict, Verdict::Equal | Verdict::Evidence | Verdict::Input))
    );
    assert!(crate::files::svg(&found.sections[2].plots[0]).unwrap().contains("</svg>"));
}

#[test]
fn every_run_is_made_once() {
    let ids: Vec<&str> = PAPER.sections().iter().map(|(id, _)| *id).collect();
    let all = needed(&ids);
    assert!(all.iter().enumerate().all(|(at, cell)| !all[..at].contains(cell)));
    let unnamed: Vec<&str> = ids.into_iter().filter(|id| !DATA.section[*id].named_only).collect();
    let all = needed(&unnamed);
    // At 100 % with several folds and with one at a time, and at 50 %.
    assert_eq!(all.iter().filter(|cell| cell.scheme == "nftl").count(), 9);
    assert_eq!(all.iter().filter(|cell| cell.scheme == "gftl-threshold").count(), 9);
}
