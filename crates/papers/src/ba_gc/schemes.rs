//! Which schemes are run, by the labels under which they are reported, and under which workloads.

/// Labels and texts of the schemes on FAST: the paper's three, what BA-GC is made of, block LRU (which is
/// three-region without regions), and page LRU, also with BA-BM.
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

/// How many of them, from the first on, are in the paper's figures.
pub(super) const PAPERS: usize = 3;

pub(super) const FAB: &str = "fab";
pub(super) const BPLRU: &str = "bplru";
pub(super) const BA_GC: &str = "ba-gc";
/// BA-GC's buffer alone.
pub(super) const THREE_REGION: &str = "three-region";
/// BA-GC without BA-VBS: its buffer, and merges that take dirty pages from it.
pub(super) const BA_BM: &str = "ba-bm";
/// Its buffer, and victims by the cost of their merge, without regard to the buffer.
pub(super) const CHEAPEST: &str = "cheapest";
pub(super) const BLOCK_LRU: &str = "block-lru";
pub(super) const PAGE_LRU: &str = "page-lru";
pub(super) const PAGE_LRU_BA_BM: &str = "page-lru-ba-bm";

/// The workloads of §6.1 by the name of their stand-in, in the order of its text.
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

/// The schemes of Figs 5 to 7 by their labels, in the paper's order.
pub(super) const SCHEMES: [&str; PAPERS] = [FAB, BPLRU, BA_GC];

/// Sizes of the buffer in Fig. 7, MiB.
pub(super) const BUFFER_MIB: [u64; 6] = [1, 2, 4, 8, 16, 32];

/// Fixed sizes of the initial and the to-be-updated region, percent.
pub(super) const REGIONS: [(u8, u8); 7] =
    [(10, 10), (10, 40), (10, 80), (25, 25), (25, 50), (50, 25), (80, 10)];

/// Page-mapped schemes that BA-BM goes over, and their settings.
pub(super) const PAGE_MAPPED: [(&str, &str); 3] = [
    ("page-level", "+share=0.85+frontiers=shared"),
    ("fsr", "+frontiers=shared"),
    ("lazy-rtgc", ""),
];

/// Their workloads.
pub(super) const PAGE_MAPPED_WORKLOADS: [&str; 3] = [POSTMARK, TIOBENCH, DESKTOP];

/// Buffers above page-mapped schemes.
pub(super) const PAGE_MAPPED_BUFFERS: [&str; 2] = ["lru", "three-region"];

/// FTLs of the table of buffers, their settings, and whether they can take dirty pages along.
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

/// Its buffers.
pub(super) const BUFFERS: [&str; 6] = ["none", "lru", "cflru", "fab", "bplru", "three-region"];

/// A scheme with a buffer of so many MiB: label and text.
pub(super) fn sized((label, text): &(&str, &str), mib: u64) -> (String, String) {
    (format!("{label}-{mib}MiB"), format!("{text}+buffer_size={mib}MiB"))
}

/// The paper's schemes with every size.
pub(super) fn every_size() -> impl Iterator<Item = (String, String)> {
    let of = |mib| ON_FAST[..PAPERS].iter().map(move |scheme| sized(scheme, mib));
    BUFFER_MIB.into_iter().flat_map(of)
}

/// The same scheme, where nothing is flushed because it is old.
pub(super) fn ageless((label, text): (String, String)) -> (String, String) {
    (label, format!("{text}+buffer_age=0s"))
}

/// BA-GC with regions of a fixed size, likewise.
pub(super) fn fixed((initial, updated): (u8, u8)) -> (String, String) {
    (
        format!("{initial}:{updated}"),
        format!("ba-gc+log_blocks=128+buffer_regions={initial}%:{updated}%"),
    )
}

/// A scheme below a buffer, likewise.
pub(super) fn buffered(name: &str, settings: &str, buffer: &str, aware: bool) -> (String, String) {
    let (label, set) = if aware { ("/aware", "+aware") } else { ("", "") };
    (format!("{name}/{buffer}{label}"), format!("{name}{settings}+buffer={buffer}{set}"))
}

/// A scheme of the table below every buffer, and where it can also with merges that know of it.
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
