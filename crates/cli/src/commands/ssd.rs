//! Options of an SSD: channels, how the host uses them, the controller's processor.

use clap::Args;
use flash::channels::Policy;
use ftl::{AllocationOrder, Processor};
use sim::config::{Duration, Experiment, SuspendChoice, Word};
use sim::ssd::{CollectionPlace, HostInterface};

/// What an experiment takes besides ways and planes.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "SSD")]
pub(super) struct SsdArgs {
    /// Channels, 1 to 256, each with --ways devices of --dies dies: operations of different dies run side by side,
    /// several requests at a time [default: one channel, on which one operation runs at a time; other options of
    /// SSDs but --cpu are then refused]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=256))]
    channels: Option<u32>,

    /// Dies of a device, 1 to 16, that work each on its own [default: 1]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=16))]
    dies: Option<u32>,

    /// In which order consecutive writes go to channels (c), ways (w), dies (d) and planes (p, of no effect: they work
    /// as one): the first changes with every write [default: cwdp]
    #[arg(long, value_name = "ORDER")]
    allocation: Option<Word<AllocationOrder>>,

    /// Requests outstanding at once, 1 to 65536: always so many without arrival times or with --closed, else at most
    /// [default: 32, or as many as the interface carries]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    queue_depth: Option<u32>,

    /// Link to the host: none (data are there at once), sata2 (300 MB/s, 32 commands), or user bytes a second and
    /// commands outstanding, such as 600MB/s:32 [default: none]
    #[arg(long, value_name = "NAME|RATE:DEPTH", allow_hyphen_values = true)]
    interface: Option<Word<Option<HostInterface>>>,

    /// The controller's processor, which takes time to choose victims: none (no time), arm7 (87.5 MHz, 10 cycles an
    /// entry read, 4 an entry written), or clock and cycles, such as 200MHz:6:3; in serial time too [default: none]
    #[arg(long, value_name = "NAME|CLOCK:READ:WRITE", allow_hyphen_values = true)]
    cpu: Option<Word<Option<Processor>>>,

    /// What collection keeps the host from: per-die (the dies that it works on) or exclusive (all: the controller does
    /// nothing else until a victim is collected; of no effect on schemes that collect in steps and let tasks in
    /// between: 2lgc, lazy-rtgc, gftl, gftl-priority, rftl) [default: per-die]
    #[arg(long, value_name = "WHERE")]
    collection: Option<Word<CollectionPlace>>,

    /// Operations of the host that go before one of collection that waits for the same die, 0 (none: all in the order in
    /// which they were asked for) to 1000000; what a write waits for is collected first all the same [default: 16, with
    /// --collection exclusive 0]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    host_first: Option<u32>,

    /// What a read of the host suspends, whoever asked for it: none, erase, or program (erases, too); the read then goes
    /// before the writes that wait for the die. The part must give the time from the suspend command to the read,
    /// t_erase_suspend_ns and t_program_suspend_ns: none of the catalogue does, so set them, as with --set
    /// part.t_erase_suspend_ns=100us [default: none]
    #[arg(long, value_name = "WHAT")]
    suspend: Option<Word<SuspendChoice>>,

    /// Which die a channel's bus is granted to: fifo, round-robin or read-first [default: fifo]
    #[arg(long, value_name = "POLICY")]
    arbiter: Option<Word<Policy>>,

    /// Length of the windows in which page commands are counted, 1ms to 1h [default: 100ms]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    window: Option<Duration>,

    /// Read and write cycle of the buses, such as 5ns, for a part that gives none: its tR and tPROG are then read as
    /// including the transfer
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    bus_cycle: Option<Duration>,
}

impl SsdArgs {
    pub(super) fn apply(&self, experiment: &mut Experiment) {
        experiment.channels = self.channels.or(experiment.channels);
        experiment.dies = self.dies.or(experiment.dies);
        experiment.allocation = self.allocation.or(experiment.allocation);
        experiment.queue_depth = self.queue_depth.or(experiment.queue_depth);
        experiment.interface = self.interface.or(experiment.interface);
        experiment.cpu = self.cpu.unwrap_or(experiment.cpu);
        experiment.collection = self.collection.or(experiment.collection);
        experiment.host_first = self.host_first.or(experiment.host_first);
        experiment.suspend = self.suspend.or(experiment.suspend);
        experiment.arbiter = self.arbiter.or(experiment.arbiter);
        experiment.window = self.window.or(experiment.window);
        experiment.bus_cycle = self.bus_cycle.or(experiment.bus_cycle);
    }
}
