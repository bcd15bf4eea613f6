//! Options of the channel of an array, or of each channel of an SSD; shared by `compare` and `bounds`.

use clap::Args;
use sim::config::{BitErrorSettings, BusRate, Duration, Word};

/// Devices, planes and bit errors.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Channel")]
pub(super) struct ChannelArgs {
    /// Devices per channel, 1 to 64, for a part with bus cycles: block b is on device
    /// b mod N [default: 1]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=64))]
    pub(super) ways: Option<u32>,

    /// Planes that each operation uses together, 1 to 4, for a part with bus cycles: an array page spans all of
    /// them [default: 1]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=4))]
    pub(super) planes: Option<u32>,

    /// Synchronous bus (NV-DDR2, NV-DDR3, Toggle) instead of the part's own, in transfers of one byte, 1MT/s to
    /// 100000MT/s, such as 1600MT/s; a transfer is rounded up to 1 ns once, commands and addresses take 25 ns per cycle
    /// (ONFI's tCAD) [default: the part's own bus]
    #[arg(long, value_name = "RATE", allow_hyphen_values = true)]
    pub(super) bus: Option<Word<BusRate>>,

    /// Bit errors per page, such as 8; or wear:BASE,PER_ERASE,PER_READ in errors per 10^12 bits, such as
    /// wear:1000000,2000,10; +ecc=BITS overrides the part's ECC strength per 1 KiB [default: off]
    #[arg(long, value_name = "ERRORS", allow_hyphen_values = true)]
    pub(super) bit_errors: Option<Word<BitErrorSettings>>,

    /// Cycle of direct transfers between devices (copy path dgcb), such as 25ns [default: the shortest at which the
    /// pins of the part's ONFI mode latch]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub(super) t_rwc: Option<Duration>,
}

impl ChannelArgs {
    /// True if any of these options was given.
    pub(super) fn is_given(&self) -> bool {
        self.ways.is_some()
            || self.planes.is_some()
            || self.bus.is_some()
            || self.bit_errors.is_some()
            || self.t_rwc.is_some()
    }
}
