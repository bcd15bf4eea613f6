//! Options of the channel of an array, or of each channel of an SSD; shared by `compare` and `bounds`.

use clap::Args;
use sim::config::{
    BitErrorSettings, BusRate, Duration, Experiment, ReadReclaim, ReadRetrySettings,
    RefreshSettings, Word,
};

/// Devices, planes and bus.
#[derive(Clone, Copy, Debug, Default, Args)]
#[command(next_help_heading = "Channel")]
pub(super) struct DieArgs {
    /// Devices per channel, 1 to 64, for a part with bus cycles: block b is on device
    /// b mod N [default: 1]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=64))]
    pub(super) ways: Option<u32>,

    /// Planes of a die, 1 to 4, for a part with bus cycles. Each operation uses them together, and an array page spans all of
    /// them, unless --plane-use of an SSD says otherwise [default: 1]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=4))]
    pub(super) planes: Option<u32>,

    /// Synchronous bus (NV-DDR2, NV-DDR3, Toggle) instead of the part's own, in transfers of one byte, 1MT/s to
    /// 100000MT/s, such as 1600MT/s; a transfer is rounded up to 1 ns once, commands and addresses take 25 ns per cycle
    /// (ONFI's tCAD) [default: the part's own bus]
    #[arg(long, value_name = "RATE", allow_hyphen_values = true)]
    pub(super) bus: Option<Word<BusRate>>,
}

/// Devices, planes and bit errors.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Channel")]
pub(super) struct ChannelArgs {
    #[command(flatten)]
    pub(super) dies: DieArgs,

    /// Bit errors per page, such as 8; or wear:BASE,PER_ERASE,PER_READ in errors per 10^12 bits, such as
    /// wear:1000000,2000,10; or tlc-72-layer, or power:E,A,K,B,M,N,G,P,Q. Then +cycles=N (P/E cycles at the start),
    /// +age=TIME (of the data at the start), +ecc=BITS (per 1 KiB, instead of the part's) [default: off]
    #[arg(long, value_name = "ERRORS", allow_hyphen_values = true)]
    pub(super) bit_errors: Option<Word<BitErrorSettings>>,

    /// Read retry: bit errors per 1 KiB up to which each step reads a page, such as 90,120 or 90-210:20, or none. Then
    /// +soft=BITS,READS,TIME (last step), +decode=TIME (each read), +set=TIME (before each step),
    /// +until=CYCLES,AGE,READS (of a block, to which bounds hold; otherwise they include all steps) [default: off]
    #[arg(long, value_name = "STEPS", allow_hyphen_values = true)]
    pub(super) read_retry: Option<Word<ReadRetrySettings>>,

    /// Cycle of direct transfers between devices (copy path dgcb), such as 25ns [default: the shortest at which the
    /// pins of the part's ONFI mode latch]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub(super) t_rwc: Option<Duration>,
}

impl DieArgs {
    /// True if any of these options was given.
    pub(super) fn is_given(&self) -> bool {
        self.ways.is_some() || self.planes.is_some() || self.bus.is_some()
    }

    pub(super) fn apply(&self, experiment: &mut Experiment) {
        experiment.ways = self.ways.unwrap_or(experiment.ways);
        experiment.planes = self.planes.unwrap_or(experiment.planes);
        experiment.bus = self.bus.or(experiment.bus);
    }
}

impl ChannelArgs {
    /// True if any of these options was given.
    pub(super) fn is_given(&self) -> bool {
        self.dies.is_given()
            || self.bit_errors.is_some()
            || self.read_retry.is_some()
            || self.t_rwc.is_some()
    }
}

/// Refresh and read reclaim of an array.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Refresh")]
pub(super) struct RefreshArgs {
    /// Rewrite the pages of a block when the oldest is as old as this, age=TIME of 1 s or more, such as age=30d; when a read
    /// of any of them finds as many bit errors in 1 KiB, errors=BITS, such as errors=60; or both, age=30d+errors=60. One
    /// page with each page task, and in idle time; for page-level, fsr, lazy-rtgc and 2lgc [default: off]
    #[arg(long, value_name = "LIMITS", allow_hyphen_values = true)]
    pub(super) refresh: Option<Word<RefreshSettings>>,

    /// Move the pages of a block likewise when it has been read as often since its erase, copies and repeated reads
    /// included: 1 to 4294967295 page reads, such as 100k [default: off]
    #[arg(long, value_name = "READS", allow_hyphen_values = true)]
    pub(super) read_reclaim: Option<Word<ReadReclaim>>,
}
