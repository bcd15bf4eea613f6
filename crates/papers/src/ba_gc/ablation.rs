//! Contribution of each part of BA-GC: its buffer, merges that include dirty pages (BA-BM), and victim selection that
//! considers them (BA-VBS).

use super::normalised::{Measure, evidence, short};
use super::runs::{Group, Runs};
use super::schemes::{
    BA_BM, BA_GC, BLOCK_LRU, CHEAPEST, FAB, PAGE_LRU, PAGE_LRU_BA_BM, THREE_REGION, WORKLOADS,
};
use super::times::execution_s;
use crate::error::ReproduceError;
use crate::figure::Figure;
use crate::reproduction::Section;

/// Scheme, scheme to compare it with, and the part that differs.
const STEPS: [(&str, &str, &str); 8] = [
    (BLOCK_LRU, FAB, "LRU order of blocks for most pages first"),
    (THREE_REGION, BLOCK_LRU, "three regions"),
    (BA_BM, THREE_REGION, "BA-BM"),
    (BA_GC, BA_BM, "BA-VBS, with BA-BM"),
    (CHEAPEST, THREE_REGION, "cheapest victims, without BA-BM"),
    (BA_GC, THREE_REGION, "BA-BM and BA-VBS"),
    (PAGE_LRU_BA_BM, PAGE_LRU, "BA-BM below an LRU list of pages"),
    (PAGE_LRU_BA_BM, BA_GC, "the same against BA-GC"),
];

const SHOWN: [&str; 7] = [FAB, BLOCK_LRU, THREE_REGION, CHEAPEST, BA_BM, BA_GC, PAGE_LRU_BA_BM];

/// Execution time, part by part.
pub(super) fn ablation(runs: &Runs) -> Result<Section, ReproduceError> {
    let mut section = Section::default();
    let times = Measure { runs, group: Group::Main, of: execution_s };
    for (scheme, base, what) in STEPS {
        let why = || runs.why_not(Group::Main, scheme);
        let named = format!("{what}: execution time, mean");
        section.rows.push(evidence(&named, "%", times.mean_change(scheme, base), 2, why));
        for workload in WORKLOADS {
            let named = format!("{what}: {}", short(workload));
            let change = times.change(workload, scheme, base);
            section.rows.push(evidence(&named, "%", change, 2, why));
        }
    }
    section.notes.push(
        "fab; block-lru and three-region are that buffer over FAST; cheapest takes the victim whose merge costs least; \
         ba-bm takes dirty pages along, of the oldest log block; ba-gc does both. page-lru-ba-bm is ba-bm below an LRU list \
         of pages, which leaves more for merges to take: an eviction does not clean the whole block"
            .into(),
    );
    section.notes.extend(verdict(&times));
    let title = "What the parts of BA-GC contribute: execution time";
    let label = "I/O execution time, FAB = 1";
    section.plots.push(times.plot("ablation.svg", title, label, &SHOWN)?);
    Ok(section)
}

/// Conclusion on the parts, which the paper does not measure separately.
fn verdict(times: &Measure<'_>) -> Option<String> {
    let gain =
        |scheme, base| times.mean_change(scheme, base).map(|change| Figure::number(change, 1));
    let (regions, merges) = gain(THREE_REGION, BLOCK_LRU).zip(gain(BA_BM, THREE_REGION))?;
    let victims = gain(BA_GC, BA_BM)?;
    let changes = WORKLOADS.iter().filter_map(|workload| times.change(workload, BA_GC, BA_BM));
    let worst = Figure::number(changes.reduce(f64::max)?, 1);
    Some(format!(
        "of BA-GC's parts it is BA-BM that counts: {merges} % of the execution time on average. Three regions for an LRU \
         list of blocks give {regions} %, BA-VBS beside BA-BM {victims} % ({worst} % where it does worst). The paper does \
         not measure them apart"
    ))
}
