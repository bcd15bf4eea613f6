//! Options of an SSD: channels, their use by the host, the controller's processor.

use clap::Args;
use flash::channels::Policy;
use ftl::AllocationOrder;
use sim::config::{Cpu, Duration, Experiment, PlaneUse, SuspendChoice, Word};
use sim::ssd::{Arbitration, CollectionPlace, CoreSharing, CpuWork, HostInterface};

/// Channels and dies of an SSD, and what runs on them first.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "SSD")]
pub(super) struct BoardArgs {
    /// Channels of an SSD, 1 to 256, each with --ways devices of --dies dies: operations of different dies overlap,
    /// and several requests are outstanding [default: one channel, on which one operation runs at a time; other SSD
    /// options are then refused]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=256))]
    channels: Option<u32>,

    /// Dies per device, 1 to 16, that work independently [default: 1]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=16))]
    dies: Option<u32>,

    /// How the planes of a die (--planes) work: ganged (together: an array page is one page of each), own (each has writes
    /// of its own; operations on several that wait for the die run as one, if their page number is the same),
    /// own:same-place (blocks at the same place of their planes, too), own:single (one plane at a time) [default: ganged]
    #[arg(long, value_name = "HOW")]
    plane_use: Option<Word<PlaneUse>>,

    /// Allocation order: how consecutive writes go to channels (c), ways (w), dies (d) and planes (p, no effect if they
    /// work together); the first letter changes with every write [default: cwdp]
    #[arg(long, value_name = "ORDER")]
    allocation: Option<Word<AllocationOrder>>,

    /// Host operations that precede each waiting collection operation of the same die, 0 (none: all in the order in
    /// which they were issued) to 1000000; collection that a write waits for always goes first [default: 16, with
    /// --collection exclusive 0]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    host_first: Option<u32>,

    /// Operations that a host read suspends, of the host and of collection: none, erase, or program (and erases); the read then goes
    /// before the writes that wait for the die. The part must have the time from the suspend command to the read,
    /// t_erase_suspend_ns and t_program_suspend_ns, as mqsim-mlc does, or set it, as with --set
    /// part.t_erase_suspend_ns=100us [default: none]
    #[arg(long, value_name = "WHAT")]
    suspend: Option<Word<SuspendChoice>>,

    /// Arbiter that grants a channel's bus to its dies: fifo, round-robin or read-first [default: fifo]
    #[arg(long, value_name = "POLICY")]
    arbiter: Option<Word<Policy>>,

    /// Read and write cycle of the buses, such as 5ns, for a part that has none: its tR and tPROG then
    /// include the transfer
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    bus_cycle: Option<Duration>,
}

impl BoardArgs {
    /// True if any of these options was given.
    pub(super) fn is_given(&self) -> bool {
        let Self { channels, dies, plane_use, allocation, host_first, suspend, arbiter, bus_cycle } =
            self;
        channels.is_some()
            || dies.is_some()
            || plane_use.is_some()
            || allocation.is_some()
            || host_first.is_some()
            || suspend.is_some()
            || arbiter.is_some()
            || bus_cycle.is_some()
    }

    pub(super) fn apply(&self, experiment: &mut Experiment) {
        experiment.channels = self.channels.or(experiment.channels);
        experiment.dies = self.dies.or(experiment.dies);
        experiment.plane_use = self.plane_use.or(experiment.plane_use);
        experiment.allocation = self.allocation.or(experiment.allocation);
        experiment.host_first = self.host_first.or(experiment.host_first);
        experiment.suspend = self.suspend.or(experiment.suspend);
        experiment.arbiter = self.arbiter.or(experiment.arbiter);
        experiment.bus_cycle = self.bus_cycle.or(experiment.bus_cycle);
    }
}

/// SSD settings of an experiment except ways and planes.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "SSD")]
pub(super) struct SsdArgs {
    #[command(flatten)]
    board: BoardArgs,

    /// Submission queues, 1 to 128: requests go to them in turns, and each holds --queue-depth; of --job: queues of each job
    /// that sets none [default: 1]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=128))]
    queues: Option<u32>,

    /// Choice among queues with requests, as in NVMe: round-robin, or weighted:HIGH:MEDIUM:LOW (commands per round of queues
    /// of each class, 1 to 256; urgent queues first); +burst=N takes N commands of a queue at a time (1, 2, 4, … 64, none)
    /// [default: round-robin]
    #[arg(long, value_name = "HOW")]
    arbitration: Option<Word<Arbitration>>,

    /// Commands that the controller works on at a time, 1 to 65536; others wait in their queues [default: no limit]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    command_slots: Option<u32>,

    /// Outstanding requests, 1 to 65536: always this many without arrival times or with --closed, else at most
    /// [default: 32, or the interface's limit]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    queue_depth: Option<u32>,

    /// Link to the host: none (transfers take no time), sata2 (300 MB/s, 32 commands), nvme:gen3x4, nvme:gen4x4 or
    /// nvme:gen5x4 (PCI Express, both directions at once; +payload=128B|256B|512B per packet, +latency=TIME before each
    /// command; `ftlkit list interfaces`), or user bytes per second and outstanding commands, such as 600MB/s:32
    /// [default: none]
    #[arg(long, value_name = "NAME|RATE:DEPTH", allow_hyphen_values = true)]
    interface: Option<Word<Option<HostInterface>>>,

    /// Processor that does the firmware's work: none (takes no time), arm7 (87.5 MHz, 10 cycles per
    /// entry read, 4 per entry written), or clock and cycles, such as 200MHz:6:3; on an SSD also of several cores, such as
    /// 4x500MHz:10:4; without --channels it selects victims alone [default: none]
    #[arg(long, value_name = "NAME|[N×]CLOCK:READ:WRITE", allow_hyphen_values = true)]
    cpu: Option<Word<Option<Cpu>>>,

    /// Firmware work that takes time: all (entries of lookups, map updates, moved pages and victim selection) or victims
    /// (victim selection alone, as in the 2LGC paper) [default: all]
    #[arg(long, value_name = "WORK")]
    cpu_work: Option<Word<CpuWork>>,

    /// Core that does the work of a task: shared (the first that is free) or pinned (channel c belongs to core c mod N)
    /// [default: shared]
    #[arg(long, value_name = "HOW")]
    cpu_sharing: Option<Word<CoreSharing>>,

    /// Processor cycles per request, 0 to 1000000, to fetch and complete it, besides its table entries [default: 0]
    #[arg(long, value_name = "CYCLES", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    cpu_command: Option<u32>,

    /// Dies that collection blocks for the host: per-die (those that it works on) or exclusive (all: the controller does
    /// nothing else until a victim is collected; no effect on schemes that collect in steps, with tasks
    /// in between: 2lgc, lazy-rtgc, gftl, gftl-priority, rftl) [default: per-die]
    #[arg(long, value_name = "WHERE")]
    collection: Option<Word<CollectionPlace>>,

    /// Length of the windows in which page commands are counted, 1ms to 1h [default: 100ms]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    window: Option<Duration>,
}

impl SsdArgs {
    pub(super) fn apply(&self, experiment: &mut Experiment) {
        self.board.apply(experiment);
        experiment.queue_depth = self.queue_depth.or(experiment.queue_depth);
        experiment.queues = self.queues.or(experiment.queues);
        experiment.arbitration = self.arbitration.or(experiment.arbitration);
        experiment.command_slots = self.command_slots.or(experiment.command_slots);
        experiment.interface = self.interface.or(experiment.interface);
        experiment.cpu = self.cpu.unwrap_or(experiment.cpu);
        experiment.cpu_work = self.cpu_work.or(experiment.cpu_work);
        experiment.cpu_sharing = self.cpu_sharing.or(experiment.cpu_sharing);
        experiment.cpu_command = self.cpu_command.or(experiment.cpu_command);
        experiment.collection = self.collection.or(experiment.collection);
        experiment.window = self.window.or(experiment.window);
    }
}
