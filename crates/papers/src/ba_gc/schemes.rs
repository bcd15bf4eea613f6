//! Schemes with their labels in reports, and workloads.

/// Labels and settings of the schemes on FAST: the paper's three, the parts of BA-GC, block LRU (three-region without
/// regions), and page LRU without and with BA-BM.
pub(super) const ON_FAST: [(&str, &str); 9] = [
    (FAB, "fast+log_blocks=128+buffer=fab"),
    (BPLRU, "fast+log_blocks=128+buffer=bplru"),
    (BA_GC, "ba-gc+log_blocks=128"),
    (THREE_REGION, "fast+log_blocks=128+buffer=three-region"),
    (BA_BM, "fast+log_blocks=128+buffer=three-region+aware"),
    (CHEAPEST, "fast+log_blocks=128+buffer=three-region+victim=greedy"),
    (BLOCK_LRU, "fast+log_blocks=128+buffer=lru+buffer_unit=block"),
    (PAGE_LRU, "fast+log_blocks=128+buffer=lru"),
    (PAGE_LRU_BA_BM, "fast+log_blocks=128+buffer=lru+aware"),
];

/// Number of schemes in the paper's figures: the first entries of [`ON_FAST`].
pub(super) const PAPERS: usize = 3;

pub(super) const FAB: &str = "fab";
pub(super) const BPLRU: &str = "bplru";
pub(super) const BA_GC: &str = "ba-gc";
/// BA-GC's buffer only.
pub(super) const THREE_REGION: &str = "three-region";
/// BA-GC without BA-VBS: its buffer, and merges that include dirty pages.
pub(super) const BA_BM: &str = "ba-bm";
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

/// Label and settings of BA-GC with regions of fixed size.
pub(super) fn fixed((initial, updated): (u8, u8)) -> (String, String) {
    (
        format!("{initial}:{updated}"),
        format!("ba-gc+log_blocks=128+buffer_regions={initial}%:{updated}%"),
    )
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
