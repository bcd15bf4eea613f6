//! Schemes with their labels in reports, and workloads.

use workload::WorkloadSpec;

/// Labels and settings of the schemes on FAST: the paper's three, the parts of BA-GC, the same with a buffer that
/// evicts pages, BA-GC with P(U) = 0 everywhere, block LRU (three-region without regions), and page LRU without and
/// with BA-BM.
pub(super) const ON_FAST: [(&str, &str); 14] = [
    (FAB, "fast+log_blocks=128+buffer=fab"),
    (BPLRU, "fast+log_blocks=128+buffer=bplru"),
    (BA_GC, "ba-gc+log_blocks=128"),
    (THREE_REGION, "fast+log_blocks=128+buffer=three-region"),
    (BA_BM, "fast+log_blocks=128+buffer=three-region+aware"),
    (PAGES, "fast+log_blocks=128+buffer=three-region+buffer_unit=page"),
    (PAGES_BA_BM, "fast+log_blocks=128+buffer=three-region+buffer_unit=page+aware"),
    (PAGES_BA_GC, "ba-gc+log_blocks=128+buffer_unit=page"),
    (FAB_CLEAN_FIRST, "fast+log_blocks=128+buffer=fab+buffer_clean=first"),
    (UNLIKELY, "ba-gc+log_blocks=128+buffer_updates=0%:0%:0%"),
    (CHEAPEST, "fast+log_blocks=128+buffer=three-region+victim=greedy"),
    (BLOCK_LRU, "fast+log_blocks=128+buffer=lru+buffer_unit=block"),
    (PAGE_LRU, "fast+log_blocks=128+buffer=lru"),
    (PAGE_LRU_BA_BM, "fast+log_blocks=128+buffer=lru+aware"),
];

/// Number of schemes in the paper's figures: the first entries of [`ON_FAST`].
pub(super) const PAPERS: usize = 3;

/// Number of schemes with the parts of BA-GC, by blocks, and by blocks and pages: the first entries of [`ON_FAST`].
pub(super) const PARTS: usize = 5;
pub(super) const PARTS_BY_PAGES: usize = 8;

pub(super) const FAB: &str = "fab";
pub(super) const BPLRU: &str = "bplru";
pub(super) const BA_GC: &str = "ba-gc";
/// BA-GC's buffer only.
pub(super) const THREE_REGION: &str = "three-region";
/// BA-GC without BA-VBS: its buffer, and merges that include dirty pages.
pub(super) const BA_BM: &str = "ba-bm";
/// BA-GC's buffer by pages, with BA-BM, and with BA-BM and BA-VBS.
pub(super) const PAGES: &str = "pages";
pub(super) const PAGES_BA_BM: &str = "pages-ba-bm";
pub(super) const PAGES_BA_GC: &str = "pages-ba-gc";
/// FAB that evicts blocks without a dirty page first.
pub(super) const FAB_CLEAN_FIRST: &str = "fab-clean-first";
/// BA-GC with P(U) = 0 in all regions.
pub(super) const UNLIKELY: &str = "ba-gc-p-0";
/// BA-GC's buffer, and victims by merge cost, unaware of the buffer.
pub(super) const CHEAPEST: &str = "cheapest";
pub(super) const BLOCK_LRU: &str = "block-lru";
pub(super) const PAGE_LRU: &str = "page-lru";
pub(super) const PAGE_LRU_BA_BM: &str = "page-lru-ba-bm";

/// Stand-ins for the workloads of §6.1, in the order of the text.
pub(super) const WORKLOADS: [&str; 6] = [
    "ba-gc-iozone",
    "ba-gc-bonnie",
    "ba-gc-postmark",
    "ba-gc-tiobench",
    "ba-gc-desktop-1",
    "ba-gc-desktop-2",
];

/// Tiobench with a third of its bytes written at random, where its script writes a sixteenth; the write hit ratio is
/// the same.
pub(super) const TIOBENCH_THIRD: &str = "ba-gc-tiobench, a third at random";

/// The workload of this name.
pub(super) fn workload(name: &str) -> WorkloadSpec {
    match name {
        TIOBENCH_THIRD => WorkloadSpec::builtin(TIOBENCH)
            .with("random", 32_768)
            .with("commit", "512KiB")
            .limited(157_696),
        name => WorkloadSpec::builtin(name),
    }
}

pub(super) const IOZONE: &str = WORKLOADS[0];
pub(super) const BONNIE: &str = WORKLOADS[1];
pub(super) const POSTMARK: &str = WORKLOADS[2];
pub(super) const TIOBENCH: &str = WORKLOADS[3];
pub(super) const DESKTOP: &str = WORKLOADS[4];

/// Labels of the schemes in Figs 5 to 7, in the paper's order.
pub(super) const SCHEMES: [&str; PAPERS] = [FAB, BPLRU, BA_GC];

/// Buffer sizes of Fig. 7, MiB.
pub(super) const BUFFER_MIB: [u64; 6] = [1, 2, 4, 8, 16, 32];

/// Fixed sizes of the initial and the to-be-updated region, percent of the buffer.
pub(super) const REGIONS: [(u8, u8); 7] =
    [(10, 10), (10, 40), (10, 80), (25, 25), (25, 50), (50, 25), (80, 10)];

/// Limits of the regions where they adapt, percent of the buffer; the default of `buffer_regions` is 5 and 10.
pub(super) const LIMITS: [(u8, u8); 3] = [(5, 49), (20, 40), (1, 10)];

/// P(U) of the three regions, percent; those of §6.1 first.
pub(super) const UPDATES: [[u8; 3]; 5] =
    [[30, 100, 0], [0, 0, 0], [0, 100, 0], [50, 50, 50], [100, 100, 100]];

/// α; 1.125 is §6.1's.
pub(super) const ALPHAS: [&str; 5] = ["0", "1.125", "4", "16", "73"];

/// Regions of fixed size under which the parameters are varied besides those that adapt.
pub(super) const WIDE: (u8, u8) = (25, 50);

/// Numbers of log blocks; 128 is §6.2's.
pub(super) const LOG_BLOCKS: [u32; 4] = [32, 64, 128, 256];

/// Page-mapped schemes combined with BA-BM, with their settings.
pub(super) const PAGE_MAPPED: [(&str, &str); 3] = [
    ("page-level", "+share=0.85+frontiers=shared"),
    ("fsr", "+frontiers=shared"),
    ("lazy-rtgc", ""),
];

/// Workloads of the page-mapped schemes.
pub(super) const PAGE_MAPPED_WORKLOADS: [&str; 3] = [POSTMARK, TIOBENCH, DESKTOP];

/// Buffers of the page-mapped schemes.
pub(super) const PAGE_MAPPED_BUFFERS: [&str; 2] = ["lru", "three-region"];

/// FTLs of the buffer comparison: name, settings, and support for taking dirty pages along.
pub(super) const FTLS: [(&str, &str, bool); 8] = [
    ("page-level", "+share=0.85+frontiers=shared", true),
    ("lazy-rtgc", "", true),
    ("dftl", "+share=0.85+frontiers=shared", false),
    ("gftl", "", false),
    ("nftl", "", false),
    ("bast", "", true),
    ("fast", "", true),
    ("superblock", "", false),
];

/// Buffers of the buffer comparison.
pub(super) const BUFFERS: [&str; 6] = ["none", "lru", "cflru", "fab", "bplru", "three-region"];

/// Label and settings of a scheme with a buffer of `mib` MiB.
pub(super) fn sized((label, text): &(&str, &str), mib: u64) -> (String, String) {
    (format!("{label}-{mib}MiB"), format!("{text}+buffer_size={mib}MiB"))
}

/// The paper's schemes with all buffer sizes.
pub(super) fn every_size() -> impl Iterator<Item = (String, String)> {
    let of = |mib| ON_FAST[..PAPERS].iter().map(move |scheme| sized(scheme, mib));
    BUFFER_MIB.into_iter().flat_map(of)
}

/// The same scheme without flush by age.
pub(super) fn ageless((label, text): (String, String)) -> (String, String) {
    (label, format!("{text}+buffer_age=0s"))
}

/// The same scheme with data that ages by the arrival times of requests. A scheme without a buffer has none.
pub(super) fn by_arrival((label, text): (String, String)) -> (String, String) {
    let clock = if text.ends_with("buffer=none") { "" } else { "+buffer_clock=arrival" };
    (label, format!("{text}{clock}"))
}

/// Label and settings of BA-GC with regions of fixed size.
pub(super) fn fixed((initial, updated): (u8, u8)) -> (String, String) {
    (
        format!("{initial}:{updated}"),
        format!("ba-gc+log_blocks=128+buffer_regions={initial}%:{updated}%"),
    )
}

/// Label and settings of BA-GC with regions that adapt between these limits.
pub(super) fn limited((least, most): (u8, u8)) -> (String, String) {
    (
        format!("adaptive:{least}:{most}"),
        format!("ba-gc+log_blocks=128+buffer_regions=adaptive:{least}%:{most}%"),
    )
}

/// Settings of the regions in the parameter study, with their name in labels.
pub(super) fn study_regions() -> [(&'static str, String); 2] {
    let (initial, updated) = WIDE;
    [("adaptive", String::new()), ("wide", format!("+buffer_regions={initial}%:{updated}%"))]
}

/// Label of BA-GC with these P(U), and with this α.
pub(super) fn updates_label(regions: &str, updates: [u8; 3]) -> String {
    let [initial, updated, evicted] = updates;
    format!("{regions}/P={initial}:{updated}:{evicted}")
}

/// As [`updates_label`], of α.
pub(super) fn alpha_label(regions: &str, alpha: &str) -> String {
    format!("{regions}/alpha={alpha}")
}

/// BA-GC with each P(U) and each α, each with both kinds of regions.
pub(super) fn parameters() -> Vec<(String, String)> {
    let of = |(name, regions): &(&str, String)| {
        let base = format!("ba-gc+log_blocks=128{regions}");
        let updates = UPDATES.map(|updates| {
            let [initial, updated, evicted] = updates;
            let set = format!("+buffer_updates={initial}%:{updated}%:{evicted}%");
            (updates_label(name, updates), format!("{base}{set}"))
        });
        let alphas =
            ALPHAS.map(|alpha| (alpha_label(name, alpha), format!("{base}+alpha={alpha}")));
        updates.into_iter().chain(alphas).collect::<Vec<_>>()
    };
    study_regions().iter().flat_map(of).collect()
}

/// Label of a scheme with this many log blocks.
pub(super) fn logged_label(scheme: &str, blocks: u32) -> String {
    format!("{scheme}-{blocks}")
}

/// The paper's schemes with each number of log blocks.
pub(super) fn every_log() -> impl Iterator<Item = (String, String)> {
    let of = |blocks: u32| {
        ON_FAST[..PAPERS].iter().map(move |(label, text)| {
            let text = text.replace("log_blocks=128", &format!("log_blocks={blocks}"));
            (logged_label(label, blocks), text)
        })
    };
    LOG_BLOCKS.into_iter().flat_map(of)
}

/// Label and settings of a scheme below a buffer.
pub(super) fn buffered(name: &str, settings: &str, buffer: &str, aware: bool) -> (String, String) {
    let (label, set) = if aware { ("/aware", "+aware") } else { ("", "") };
    (format!("{name}/{buffer}{label}"), format!("{name}{settings}+buffer={buffer}{set}"))
}

/// A scheme below every buffer; if supported, also with buffer-aware merges.
pub(super) fn under_every_buffer(
    (name, settings, can_be_aware): &(&str, &str, bool),
) -> Vec<(String, String)> {
    let mut all: Vec<_> =
        BUFFERS.iter().map(|buffer| buffered(name, settings, buffer, false)).collect();
    if *can_be_aware {
        all.push(buffered(name, settings, THREE_REGION, true));
    }
    all
}
