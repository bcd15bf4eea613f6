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
    /// Number of reads (§V).
    pub(super) reads: u64,
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

/// The values of π in Table V.
pub(super) const PAGES_PER_BLOCK: [u32; 3] = [16, 32, 64];

/// Utilisations of Table V, percent.
pub(super) const UTILISATIONS: [u32; 2] = [50, 100];

/// The sequence format → andrew → postmark → iozone.
pub(super) const SYNTHETIC: Trace = Trace {
    name: "synthetic",
    workload: "gftl-synthetic",
    flash_bytes: 136_000_000,
    reads: 27_841,
    rows: [
        TableV {
            write: times("244", "300", "116"),
            read: times("231", "425", "119"),
            wear: ["0.43", "3.29"],
            overhead: "16",
            read_at_50: None,
        },
        TableV {
            write: times("217", "300", "133"),
            read: times("428", "825", "239"),
            wear: ["1.11", "8.17"],
            overhead: "14",
            read_at_50: None,
        },
        TableV {
            write: times("212", "300", "136"),
            read: times("789", "1625", "474"),
            wear: ["3.05", "14.2"],
            overhead: "14",
            read_at_50: None,
        },
    ],
};

/// Format followed by the consumer benchmark.
pub(super) const CONSUMER: Trace = Trace {
    name: "consumer",
    workload: "consumer",
    flash_bytes: 260_000_000,
    reads: 76_479,
    rows: [
        TableV {
            write: times("299", "300", "11"),
            read: times("237", "425", "115"),
            wear: ["0.00", "0.01"],
            overhead: "16",
            read_at_50: Some(times("237", "115", "425")),
        },
        TableV {
            write: times("299", "300", "13"),
            read: times("437", "825", "231"),
            wear: ["0.01", "0.02"],
            overhead: "13",
            read_at_50: Some(times("237", "425", "115")),
        },
        TableV {
            write: times("299", "300", "14"),
            read: times("836", "1625", "462"),
            wear: ["0.01", "0.02"],
            overhead: "12",
            read_at_50: None,
        },
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
pub(super) const START_UP_MS: &str = "13.6";
pub(super) const SHUTDOWN_MS: &str = "163";
pub(super) const AFTER_CUT_S: &str = "1.84";

/// §VIII: execution time of the collection tasks G1 and G2, and period of the tasks T1 and T2.
pub(super) const COLLECTION_MS: &str = "22";
pub(super) const TASK_PERIOD_MS: &str = "20";

/// §VII: a threshold of 80 % of the collection queue, and its effect on the energy in consumer, percent.
pub(super) const THRESHOLD_PERCENT: u8 = 80;
pub(super) const THRESHOLD_WRITES: &str = "-4";
pub(super) const THRESHOLD_READS: &str = "1.4";
