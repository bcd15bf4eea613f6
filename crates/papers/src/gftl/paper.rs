//! Printed figures of the paper: Tables IV, V and VI, §VI and §VII.

/// Row of Table IV.
#[derive(Clone, Copy, Debug)]
pub(super) struct Benchmark {
    pub(super) name: &'static str,
    pub(super) reads: u64,
    pub(super) writes: u64,
    /// First and last sector.
    pub(super) sectors: (u64, u64),
}

const fn benchmark(
    name: &'static str,
    reads: u64,
    writes: u64,
    first: u64,
    last: u64,
) -> Benchmark {
    Benchmark { name, reads, writes, sectors: (first, last) }
}

/// Table IV, with the names of the built-in workloads.
pub(super) const TABLE_IV: [Benchmark; 6] = [
    benchmark("format", 15, 36, 0, 533),
    benchmark("andrew", 2, 3_126, 1, 2_867),
    benchmark("postmark", 412, 21_153, 2, 10_000),
    benchmark("postmark-long", 23_694, 1_238_135, 1, 65_543),
    benchmark("iozone", 3_713, 3_089_393, 1, 65_588),
    benchmark("consumer", 76_749, 125_596, 1, 125_060),
];

/// Trace of Table V.
#[derive(Clone, Copy, Debug)]
pub(super) struct Trace {
    /// Name in the paper.
    pub(super) name: &'static str,
    /// Name of the built-in workload.
    pub(super) workload: &'static str,
    /// Flash size at 100 % utilisation, bytes (§V).
    pub(super) flash_bytes: u64,
    /// Rows of Table V for π = 16, 32, 64.
    pub(super) rows: [TableV; 3],
}

/// Row of Table V as printed: the same at 50 % and 100 % except for the wear index. Times in µs.
#[derive(Clone, Copy, Debug)]
pub(super) struct TableV {
    pub(super) write: Times,
    pub(super) read: Times,
    /// Wear index at 50 % and 100 % utilisation.
    pub(super) wear: [&'static str; 2],
    /// Overhead Δ, percent.
    pub(super) overhead: &'static str,
    /// Printed values at 50 % if they differ from `read`.
    pub(super) read_at_50: Option<Times>,
}

/// Mean, maximum and standard deviation, µs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Times {
    pub(super) mean: &'static str,
    pub(super) max: &'static str,
    pub(super) sigma: &'static str,
}

const fn times(mean: &'static str, max: &'static str, sigma: &'static str) -> Times {
    Times { mean, max, sigma }
}

const fn row(
    write: Times,
    read: Times,
    wear: [&'static str; 2],
    overhead: &'static str,
    read_at_50: Option<Times>,
) -> TableV {
    TableV { write, read, wear, overhead, read_at_50 }
}

/// The values of π in Table V.
pub(super) const PAGES_PER_BLOCK: [u32; 3] = [16, 32, 64];

/// Utilisations of Table V, percent.
pub(super) const UTILISATIONS: [u32; 2] = [50, 100];

/// The sequence format → andrew → postmark → iozone.
pub(super) const SYNTHETIC: Trace = Trace {
    name: "synthetic",
    workload: "gftl-synthetic",
    flash_bytes: 136_000_000,
    rows: [
        row(times("244", "300", "116"), times("231", "425", "119"), ["0.43", "3.29"], "16", None),
        row(times("217", "300", "133"), times("428", "825", "239"), ["1.11", "8.17"], "14", None),
        row(times("212", "300", "136"), times("789", "1625", "474"), ["3.05", "14.2"], "14", None),
    ],
};

/// Format followed by the consumer benchmark.
pub(super) const CONSUMER: Trace = Trace {
    name: "consumer",
    workload: "consumer",
    flash_bytes: 260_000_000,
    rows: [
        row(
            times("299", "300", "11"),
            times("237", "425", "115"),
            ["0.00", "0.01"],
            "16",
            Some(times("237", "115", "425")),
        ),
        row(
            times("299", "300", "13"),
            times("437", "825", "231"),
            ["0.01", "0.02"],
            "13",
            Some(times("237", "425", "115")),
        ),
        row(times("299", "300", "14"), times("836", "1625", "462"), ["0.01", "0.02"], "12", None),
    ],
};

/// Column of Table VI: energy per access, nJ.
#[derive(Clone, Copy, Debug)]
pub(super) struct TableVi {
    pub(super) trace: &'static Trace,
    pub(super) pages_per_block: u32,
    pub(super) read_nj: &'static str,
    pub(super) write_nj: &'static str,
}

pub(super) const TABLE_VI: [TableVi; 4] = [
    TableVi { trace: &SYNTHETIC, pages_per_block: 32, read_nj: "14565", write_nj: "43993" },
    TableVi { trace: &SYNTHETIC, pages_per_block: 64, read_nj: "35363", write_nj: "48090" },
    TableVi { trace: &CONSUMER, pages_per_block: 32, read_nj: "7952", write_nj: "10195" },
    TableVi { trace: &CONSUMER, pages_per_block: 64, read_nj: "10289", write_nj: "14612" },
];

/// Start-up example of §VI: 1 GiB of 2 KiB pages. The printed times result with 64 pages per block.
pub(super) const START_UP_BYTES: u64 = 1 << 30;
pub(super) const START_UP_PAGES_PER_BLOCK: u32 = 64;

/// §VII: a threshold of 80 % of the collection queue.
pub(super) const THRESHOLD_PERCENT: u8 = 80;
