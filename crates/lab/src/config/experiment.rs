//! Experiments as users write them.

use super::axis::Axes;
use super::bit_errors::BitErrorSettings;
use super::bus_rate::BusRate;
use super::error::ConfigError;
use super::fdp::FdpSettings;
use super::interface_notation::MOST_DEPTH;
use super::notation::{Word, named};
use super::part::PartChoice;
use super::planes::PlaneUse;
use super::precondition_notation::PreconditionChoice;
use super::processor::{Cpu, MOST_CYCLES};
use super::read_retry::ReadRetrySettings;
use super::refresh::{ReadReclaim, RefreshSettings};
use super::scheme::SchemeChoice;
use super::setting::{Field, Group, SettingOf, is_never, is_unset, settings};
use super::share::{DefaultShare, Exported, PartialPages, SpaceRule};
use super::suspend::SuspendChoice;
use super::text_or_table::TextOrTable;
use super::through_text::value_of;
use super::workload::WorkloadChoice;
use ::run::ssd::{Arbitration, CollectionPlace, CoreSharing, CpuWork, HostInterface, MOST_QUEUES};
use ::workload::quantity::{Bytes, Duration};
use flash::channels::Policy;
use ftl::{AllocationOrder, FrontierSharing};
use serde::{Deserialize, Serialize, Serializer};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

settings! {
    /// An experiment: schemes, device and workload. Every field has a default.
    ///
    /// Paths in an experiment's file are relative to that file; those of [`Experiment::from_toml`] to the process's directory.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    #[serde(deny_unknown_fields, default)]
    Experiment

    fields {
        /// The program that wrote it, with its version.
        #[serde(skip_serializing_if = "Option::is_none")]
        written_by: Option<String> = None,
    }

    "is_unset" Device {
        /// Raw capacity, such as 4GiB [default: to fit a trace, which takes 85 % of the default share of it; 1GiB for a built-in
        /// workload]
        capacity alias "capacity_bytes": Option<Bytes> = None, { value: "SIZE" }

        /// What each scheme exports at least, such as 4GiB, instead of --capacity: the array is the smallest that does. `trace`:
        /// so much that the trace takes 85 % of it, whatever the share. A sweep over `share` or `op` of a trace has this, unless
        /// a capacity is given, so that the data stay and the device varies [default: none]
        exported: Option<Word<Exported>> = None, { value: "SIZE" }
    }
    "is_never" Device {
        /// Share of the array that schemes without `+share` export, or the most that they can if that is less (with a map on
        /// flash and no `+cmt`: with a cache of no more RAM than the map); `own`: the most that each can [default: 0.875]
        default_share: Word<DefaultShare> = Word::default(), { value: "SHARE", option: "share" }

        /// Pages that a built-in workload addresses: all that each scheme has exported, or the smallest space of the list, so
        /// that all get the same requests (exported, smallest) [default: exported]
        space: Word<SpaceRule> = Word::default(), { value: "RULE" }

        /// Pages that a request writes in part: charged (read first, so that the other bytes are kept) or free
        /// [default: charged]
        partial: Word<PartialPages> = Word::default(), { value: "HOW" }
    }
    "is_never" Replay {
        /// Seed of all random draws; the same seed gives the same output [default: 1]
        seed: u64 = 1, { value: "N", has_own_option: true }
    }
    "is_unset" Ssd {
        /// Channels of an SSD, 1 to 256, each with --ways devices of --dies dies: operations of different dies overlap,
        /// and several requests are outstanding [default: one channel, on which one operation runs at a time; other SSD
        /// options are then refused]
        channels: Option<u32> = None, { value: "N", range: Some(1..=256), of_device: true }
    }
    "is_unset" Channel {
        /// Devices per channel, 1 to 64, for a part with bus cycles: block b is on device b mod N [default: 1]
        ways: u32 = 1, { value: "N", range: Some(1..=64), of_device: true }

        /// Planes of a die, 1 to 4, for a part with bus cycles. Each operation uses them together, and an array page spans all
        /// of them, unless --plane-use of an SSD says otherwise [default: 1]
        planes: u32 = 1, { value: "N", range: Some(1..=4), of_device: true }
    }
    "is_unset" Ssd {
        /// Dies per device, 1 to 16, that work independently [default: 1]
        dies: Option<u32> = None, { value: "N", range: Some(1..=16), needs_ssd: true, of_device: true }

        /// How the planes of a die (--planes) work: ganged (together: an array page is one page of each), own (each has writes
        /// of its own; operations on several that wait for the die run as one, if their page number is the same),
        /// own:same-place (blocks at the same place of their planes, too), own:single (one plane at a time) [default: ganged]
        plane_use: Option<Word<PlaneUse>> = None, { value: "HOW", needs_ssd: true, of_device: true }

        /// Allocation order: how consecutive writes go to channels (c), ways (w), dies (d) and planes (p, no effect if they
        /// work together); the first letter changes with every write [default: cwdp]
        allocation: Option<Word<AllocationOrder>> = None, { value: "ORDER", needs_ssd: true, of_device: true }

        /// Outstanding requests, 1 to 65536: always this many without arrival times or with --closed, else at most
        /// [default: 32, or the interface's limit]
        queue_depth: Option<u32> = None, { value: "N", range: Some(1..=MOST_DEPTH), needs_ssd: true }

        /// Submission queues, 1 to 128: requests go to them in turns, and each holds --queue-depth; of --job: queues of each job
        /// that sets none [default: 1]
        queues: Option<u32> = None, { value: "N", range: Some(1..=MOST_QUEUES), needs_ssd: true }

        /// Choice among queues with requests, as in NVMe: round-robin, or weighted:HIGH:MEDIUM:LOW (commands per round of queues
        /// of each class, 1 to 256; urgent queues first); +burst=N takes N commands of a queue at a time (1, 2, 4, … 64, none)
        /// [default: round-robin]
        arbitration: Option<Word<Arbitration>> = None, { value: "HOW", needs_ssd: true }

        /// Commands that the controller works on at a time, 1 to 65536; others wait in their queues [default: no limit]
        command_slots: Option<u32> = None, { value: "N", range: Some(1..=MOST_DEPTH), needs_ssd: true }

        /// Link to the host: none (transfers take no time), sata2 (300 MB/s, 32 commands), nvme:gen3x4, nvme:gen4x4 or
        /// nvme:gen5x4 (PCI Express, both directions at once; +payload=128B|256B|512B per packet, +latency=TIME before each
        /// command; `ftlkit list interfaces`), or user bytes per second and outstanding commands, such as 600MB/s:32
        /// [default: none]
        interface: Option<Word<Option<HostInterface>>> = None, { value: "NAME|RATE:DEPTH", needs_ssd: true }

        /// Processor that does the firmware's work: none (takes no time), arm7 (87.5 MHz, 10 cycles per
        /// entry read, 4 per entry written), or clock and cycles, such as 200MHz:6:3; on an SSD also of several cores, such as
        /// 4x500MHz:10:4; without --channels it selects victims alone [default: none]
        cpu: Word<Option<Cpu>> = Word::default(), { value: "NAME|[N×]CLOCK:READ:WRITE" }

        /// Firmware work that takes time: all (entries of lookups, map updates, moved pages and victim selection) or victims
        /// (victim selection alone, as in the 2LGC paper) [default: all]
        cpu_work: Option<Word<CpuWork>> = None, { value: "WORK" }

        /// Core that does the work of a task: shared (the first that is free) or pinned (channel c belongs to core c mod N)
        /// [default: shared]
        cpu_sharing: Option<Word<CoreSharing>> = None, { value: "HOW" }

        /// Processor cycles per request, 0 to 1000000, to fetch and complete it, besides its table entries [default: 0]
        cpu_command: Option<u32> = None, { value: "CYCLES", range: Some(0..=MOST_CYCLES) }

        /// Dies that collection blocks for the host: per-die (those that it works on) or exclusive (all: the controller does
        /// nothing else until a victim is collected; no effect on schemes that collect in steps, with tasks
        /// in between: 2lgc, lazy-rtgc, gftl, gftl-priority, rftl) [default: per-die]
        collection: Option<Word<CollectionPlace>> = None, { value: "WHERE", needs_ssd: true }

        /// Host operations that precede each waiting collection operation of the same die, 0 (none: all in the order in
        /// which they were issued) to 1000000; collection that a write waits for always goes first [default: 16, with
        /// --collection exclusive 0]
        host_first: Option<u32> = None, {
            value: "N", range: Some(0..=1_000_000), needs_ssd: true, of_device: true,
        }

        /// Operations that a host read suspends, of the host and of collection: none, erase, or program (and erases); the read
        /// then goes before the writes that wait for the die. The part must have the time from the suspend command to the read,
        /// t_erase_suspend_ns and t_program_suspend_ns, as mqsim-mlc does, or set it, as with --set
        /// part.t_erase_suspend_ns=100us [default: none]
        suspend: Option<Word<SuspendChoice>> = None, { value: "WHAT", needs_ssd: true, of_device: true }

        /// Arbiter that grants a channel's bus to its dies: fifo, round-robin or read-first [default: fifo]
        arbiter: Option<Word<Policy>> = None, { value: "POLICY", needs_ssd: true, of_device: true }

        /// Length of the windows in which page commands are counted, 1ms to 1h [default: 100ms]
        window: Option<Duration> = None, { value: "TIME", needs_ssd: true }

        /// Read and write cycle of the buses, 1ns to 100us, such as 5ns, for a part that has none: its tR and tPROG then
        /// include the transfer
        bus_cycle: Option<Duration> = None, { value: "TIME", needs_ssd: true, of_device: true }
    }
    "is_unset" Channel {
        /// Synchronous bus (NV-DDR2, NV-DDR3, Toggle) instead of the part's own, in transfers of one byte, 1MT/s to
        /// 100000MT/s, such as 1600MT/s; a transfer is rounded up to 1 ns once, commands and addresses take 25 ns per cycle
        /// (ONFI's tCAD) [default: the part's own bus]
        bus: Option<Word<BusRate>> = None, { value: "RATE", of_device: true }

        /// Cycle of direct transfers between devices (copy path dgcb), such as 25ns [default: the shortest at which the
        /// pins of the part's ONFI mode latch]
        t_rwc: Option<Duration> = None, { value: "TIME" }

        /// Bit errors per page, such as 8; or wear:BASE,PER_ERASE,PER_READ in errors per 10^12 bits, such as
        /// wear:1000000,2000,10; or tlc-72-layer, or power:E,A,K,B,M,N,G,P,Q. Then +cycles=N (P/E cycles at the start),
        /// +age=TIME (of the data at the start), +ecc=BITS (per 1 KiB, instead of the part's) [default: off]
        bit_errors: Word<BitErrorSettings> = Word::default(), { value: "ERRORS" }

        /// Read retry: bit errors per 1 KiB up to which each step reads a page, such as 90,120 or 90-210:20, or none. Then
        /// +soft=BITS,READS,TIME (last step), +decode=TIME (each read), +set=TIME (before each step),
        /// +until=CYCLES,AGE,READS (of a block, to which bounds hold; otherwise they include all steps) [default: off]
        read_retry: Word<ReadRetrySettings> = Word::default(), { value: "STEPS" }
    }
    "is_unset" Refresh {
        /// Rewrite the pages of a block when the oldest is as old as this, age=TIME of 1 s or more, such as age=30d; when a read
        /// of any of them finds as many bit errors in 1 KiB, errors=BITS, such as errors=60; or both, age=30d+errors=60. One
        /// page with each page task, and in idle time; for page-level, fsr, lazy-rtgc and 2lgc [default: off]
        refresh: Word<RefreshSettings> = Word::default(), { value: "LIMITS" }

        /// Move the pages of a block likewise when it has been read as often since its erase, copies and repeated reads
        /// included: 1 to 4294967295 page reads, such as 100k [default: off]
        read_reclaim: Word<ReadReclaim> = Word::default(), { value: "READS" }
    }
    "is_unset" Placement {
        /// Flexible data placement: streams of the host's requests are placement handles, and blocks are written, collected
        /// and erased as reclaim units. A list of ruhs=N (handles, 1 to 15; stream 0 is handle 0), ru=SIZE (reclaim unit, in
        /// blocks across the dies of an SSD), groups=N (reclaim groups with dies of their own; stream S is handle S mod ruhs of
        /// group S div ruhs), isolation=initially (moved pages of all handles share units) or persistently (they stay with
        /// their handle). Schemes without `+placement` get it; for page-level and fsr [default of each: 8, a block on each
        /// die, 1, initially; default: no FDP]
        fdp: Option<Word<FdpSettings>> = None, { value: "LIST" }
    }
    "is_never" Precondition {
        /// Precondition before the measured run: full (sequential fill of each scheme's logical space), footprint (of the
        /// space that all schemes export) or none; +age=N adds N times as many random overwrites; +sequential=SHARE makes
        /// that share of them sequential, as in full+age=1+sequential=50%; +workload=N goes on with the
        /// workload itself until it has written N times the pages that it can address; +collecting until each scheme's
        /// first collection, from which on it is measured, as in full+collecting; +steady until write amplification has
        /// settled (SNIA PTS: five rounds within 20 %, of a tenth of the exported space each) [default: full]
        precondition: PreconditionChoice = PreconditionChoice::default(), { value: "FILL" }
    }
    "is_never" Replay {
        /// Clock that issues requests: trace (their arrival times, if they have any) or closed (each when one before it is done)
        /// [default: trace]
        timing: Timing = Timing::default(), { option: "closed", has_own_option: true }
    }
    "is_unset" Deadline {
        /// Deadline of every request from its arrival to its completion, queueing included, such as 3ms: late requests are
        /// counted (without arrival times: from its issue)
        deadline: Option<Duration> = None, { value: "TIME", needs_unit: true }
    }

    fields {
        /// Directory for CSV series and plots.
        #[serde(skip_serializing_if = "Option::is_none", serialize_with = "lossy")]
        out: Option<PathBuf> = None,
        /// File with the part's data sheet, instead of `part`.
        #[serde(skip_serializing_if = "Option::is_none", serialize_with = "lossy")]
        part_file: Option<PathBuf> = None,
        /// Part: a name of the catalogue or a data sheet. Default: `evaluation-slc`.
        #[serde(skip_serializing_if = "Option::is_none")]
        part: Option<PartChoice> = None,
        /// What a sweep varies; empty for one comparison.
        #[serde(skip_serializing_if = "Axes::is_empty")]
        sweep: Axes = Axes::default(),
        /// Schemes, in the order of the report.
        schemes: Vec<SchemeChoice> =
            vec![scheme("page-level", None), scheme("2lgc", SPLIT), scheme("lazy-rtgc", SPLIT)],
        /// Workload.
        workload: WorkloadChoice = TextOrTable(workload::WorkloadSpec::trace(DEFAULT_TRACE)),
        /// SHA-256 of traces by their paths, as written; a file with another content is refused.
        #[serde(skip_serializing_if = "BTreeMap::is_empty")]
        sha256: BTreeMap<String, String> = BTreeMap::new(),
    }
}

/// A setting of an [`Experiment`].
pub type Setting = SettingOf<Experiment>;

impl Setting {
    /// The setting of this key.
    pub fn by_key(key: &str) -> Option<&'static Self> {
        Self::ALL.iter().find(|setting| setting.key == key)
    }

    /// The setting of this option of the command, without dashes.
    pub fn by_option(option: &str) -> Option<&'static Self> {
        Self::ALL.iter().find(|setting| setting.option() == option)
    }
}

impl Experiment {
    /// Checks that each number is in its range.
    ///
    /// # Errors
    /// The first setting that is not, with its range.
    pub(super) fn check_ranges(&self) -> Result<(), ConfigError> {
        let mut faults = Setting::ALL.iter().filter_map(|setting| {
            let reason = setting.fault(self)?;
            Some(ConfigError::setting(setting.key, reason))
        });
        faults.next().map_or(Ok(()), Err)
    }
}

impl Field for Timing {
    fn read(&mut self, text: &str) -> Result<(), String> {
        *self =
            named("clock of requests", text, &[("trace", Self::Trace), ("closed", Self::Closed)])?;
        Ok(())
    }

    fn text(&self) -> Option<String> {
        (*self == Self::Closed).then(|| "closed".to_owned())
    }

    fn unset(&mut self) {
        *self = Self::default();
    }
}

/// A path as text; what is not Unicode is replaced.
fn lossy<S: Serializer>(path: &Option<PathBuf>, to: S) -> Result<S::Ok, S::Error> {
    path.as_ref().map(|path| path.to_string_lossy()).serialize(to)
}

/// Clock that issues requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Timing {
    /// The workload's arrival times, if it has any; requests queue behind slow ones.
    #[default]
    Trace,
    /// Each request is issued when the previous one completes; on an SSD, when one outstanding request completes.
    Closed,
}

/// The captured trace of an experiment that names no workload.
const DEFAULT_TRACE: &str = "postgres-pgbench";

/// `page-level` keeps copies apart from host writes; beside it the others do, too: the same space, and about the same WAF.
const SPLIT: Option<Word<FrontierSharing>> = Some(Word(FrontierSharing::Split));

fn scheme(name: &str, frontiers: Option<Word<FrontierSharing>>) -> SchemeChoice {
    TextOrTable(super::scheme_settings::SchemeTable {
        name: name.into(),
        frontiers,
        ..Default::default()
    })
}

impl Experiment {
    /// Reads an experiment from TOML; `place` names the text in errors.
    ///
    /// # Errors
    /// [`ConfigError::Toml`] with the place and a valid alternative.
    pub fn from_toml(text: &str, place: &str) -> Result<Self, ConfigError> {
        toml::from_str(text).map_err(|error| ConfigError::toml(place, text, &error))
    }

    /// Reads an experiment from a table of its keys; `place` names the table in errors.
    ///
    /// # Errors
    /// As [`Experiment::from_toml`], without a line.
    pub fn from_table(table: toml::Table, place: &str) -> Result<Self, ConfigError> {
        value_of(&table).map_err(|message| ConfigError::unplaced(place, &message))
    }

    /// Reads an experiment file, whose paths are relative to it.
    ///
    /// # Errors
    /// As [`Experiment::from_toml`]; [`ConfigError::Io`] if the file cannot be read; a trace with another content than the
    /// file says.
    pub fn from_file(path: &Path) -> Result<Self, ConfigError> {
        let bytes =
            std::fs::read(path).map_err(|source| ConfigError::Io { path: path.into(), source })?;
        let place = path.display().to_string();
        let unusable = |what: &str| {
            let reason = format!(
                "{what}; an experiment is a TOML file, as printed by `ftlkit compare --dry-run` (for a trace use \
                 `ftlkit compare`)"
            );
            ConfigError::Setting { setting: place.clone(), reason }
        };
        let text = String::from_utf8(bytes).map_err(|_| unusable("is not text"))?;
        if text.trim().is_empty() {
            return Err(unusable("is empty"));
        }
        let mut experiment = Self::from_toml(&text, &place)?;
        experiment.enter(path.parent().unwrap_or(Path::new("")))?;
        Ok(experiment)
    }

    /// The experiment as TOML, which [`Experiment::from_toml`] reads back.
    ///
    /// # Errors
    /// If a path is not Unicode.
    pub fn to_toml(&self) -> Result<String, ConfigError> {
        let traces = self.workload.0.paths();
        let mut paths = traces.into_iter().chain(&self.out).chain(&self.part_file);
        if let Some(path) = paths.find(|path| path.to_str().is_none()) {
            let reason = format!("{} is not Unicode, as TOML must be", path.display());
            return Err(ConfigError::setting("experiment", reason));
        }
        toml::to_string(self).map_err(|error| ConfigError::setting("experiment", error.to_string()))
    }
}
