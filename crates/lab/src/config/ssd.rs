//! SSD settings of an experiment: channels, their use by the host, the controller's processor.

use super::channel::Channel;
use super::cores::cores_line;
use super::error::ConfigError;
use super::experiment::{Experiment, Setting};
use super::interface_notation::{MOST_DEPTH, interface_line};
use super::notation::{Notation, Word, named};
use super::planes::PlaneUse;
use super::queues::{queues_json, queues_line};
use super::suspend::SuspendChoice;
use ::run::report::units;
use ::run::ssd::{CollectionPlace, SsdSetup};
use ::run::ssd::{CoreSettings, HostInterface, HostQueues, LinkTimes};
use flash::channels::{Policy, Precedence, Topology};
use flash::parallel::Stripes;
use flash::{Geometry, Ns, Part};
use ftl::{Allocation, AllocationOrder, Plan, Processor};
use serde_json::json;
use std::fmt;
use workload::quantity::Duration;

/// Default queue depth, unless the interface's limit is lower.
const DEFAULT_DEPTH: u32 = 32;
const DEFAULT_WINDOW: Duration = Duration::new(100_000_000);
/// Why no delay is proved of requests at once.
const AT_ONCE: &str = "with several requests at once on an SSD, each waits for dies and channels that others use, of which no bound is \
     derived; with --queue-depth 1 there is one";
const WINDOW_NS: std::ops::RangeInclusive<u64> = 1_000_000..=3_600_000_000_000;

/// SSD settings of an experiment except ways and planes: checked, every default filled in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Board {
    /// Channels, each with a bus of its own: 1 to 256.
    pub channels: u32,
    /// Dies per way, 1 to 16.
    pub dies: u32,
    /// Order in which consecutive writes go to the dies, or to their planes.
    pub order: AllocationOrder,
    /// Use of the planes of a die.
    pub plane_use: PlaneUse,
    /// Most outstanding requests; with submission queues, those that the controller may have fetched.
    pub queue_depth: u32,
    /// Jobs and their submission queues; `None`: one queue, of which the controller takes all.
    pub host: Option<HostQueues>,
    /// The link to the host.
    pub interface: Option<HostInterface>,
    /// Scope in which collection blocks the host.
    pub collection: CollectionPlace,
    /// Host operations that may pass one collection operation on its die.
    pub host_first: u32,
    /// Operations that a host read suspends.
    pub suspend: SuspendChoice,
    /// The controller's cores.
    pub cores: CoreSettings,
    /// The way arbiter of each channel.
    pub policy: Policy,
    /// Length of the windows in which page commands are counted, ns.
    pub window_ns: Ns,
}

/// What an SSD with one request at a time adds to the times of page tasks that its plan counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OneAtATime {
    /// What crosses its link with a page task.
    pub link: LinkTimes,
    /// The sum of the times of operations alone is at most this, as a fraction, of what is counted where copies follow each other.
    pub(crate) stretch: [u64; 2],
}

impl OneAtATime {
    /// Nothing is added.
    pub const NOTHING: Self =
        Self { link: LinkTimes { read_ns: 0, write_ns: 0, bare_ns: 0 }, stretch: [1, 1] };

    /// A time on one device, with what may be longer on an SSD.
    pub fn of(&self, ns: Ns) -> Ns {
        let [longer, counted] = self.stretch.map(u128::from);
        Ns::try_from((u128::from(ns) * longer).div_ceil(counted.max(1))).unwrap_or(Ns::MAX)
    }
}

/// A copy alone over its share of a run of copies: between two devices the fetch of a page runs beside the program of the
/// one before.
fn stretch(part: &Part) -> [u64; 2] {
    let Some(far) = part.copies.filter(|copies| copies.ways > 1).map(|copies| copies.far) else {
        return [1, 1];
    };
    match far.run_ns(2, 0) - far.run_ns(1, 0) {
        // With shorter times of some pages the share is another; never less than half.
        further if further > 0 && !part.depends_on_page() => {
            [far.run_ns(1, 0).max(further), further]
        }
        _ => [2, 1],
    }
}

impl Experiment {
    /// The board, whose defaults are also filled in here; `None` if the experiment has no `channels`.
    ///
    /// # Errors
    /// A number outside its range, settings that exclude each other, or an SSD setting without `channels`.
    pub(super) fn take_board(&mut self) -> Result<Option<Board>, ConfigError> {
        let Some(channels) = self.channels else { return self.no_board() };
        let dies = self.dies.unwrap_or(1);
        let interface = self.interface.unwrap_or_default().0;
        let collection = self.collection.unwrap_or_default().0;
        let host_first = self.host_first.unwrap_or(match collection {
            CollectionPlace::PerDie => SsdSetup::HOST_FIRST,
            CollectionPlace::Exclusive => 0,
        });
        let suspend = self.suspend.unwrap_or_default().0;
        if suspend != SuspendChoice::None && host_first == 0 {
            return Err(ConfigError::setting(
                "suspend",
                "needs a host_first of at least 1, as in --host-first 16; or omit it (`none`)",
            ));
        }
        let depth = queue_depth(self.queue_depth, interface.as_ref())?;
        let host = self.take_queues(depth, interface.as_ref())?;
        let queue_depth = host.as_ref().map_or(depth, HostQueues::most_fetched);
        if suspend != SuspendChoice::None && queue_depth == 1 {
            return Err(ConfigError::setting(
                "suspend",
                "has no effect at queue_depth 1, where a read begins when everything before it has ended; use a \
                larger queue_depth, or omit it (`none`)",
            ));
        }
        let board = Board {
            channels,
            dies,
            order: self.allocation.unwrap_or_default().0,
            plane_use: self.plane_use.unwrap_or_default().0,
            queue_depth,
            host,
            interface,
            collection,
            host_first,
            suspend,
            cores: self.take_cores()?,
            policy: self.arbiter.unwrap_or_default().0,
            window_ns: self.window.unwrap_or(DEFAULT_WINDOW).0,
        };
        if !WINDOW_NS.contains(&board.window_ns) {
            let found = Duration::new(board.window_ns);
            let reason = format!("must be 1ms to 1h, such as `100ms`, not {found}");
            return Err(ConfigError::setting("window", reason));
        }
        self.dies = Some(dies);
        self.allocation = Some(Word(board.order));
        if self.planes > 1 || self.plane_use.is_some() {
            self.plane_use = Some(Word(board.plane_use));
        }
        self.queue_depth = Some(depth);
        self.interface = Some(Word(interface));
        self.collection = Some(Word(collection));
        self.host_first = Some(host_first);
        self.suspend = Some(Word(suspend));
        self.arbiter = Some(Word(board.policy));
        self.window = Some(Duration::new(board.window_ns));
        Ok(Some(board))
    }

    /// Rejects SSD settings, which would have no effect.
    fn no_board(&self) -> Result<Option<Board>, ConfigError> {
        self.check_serial_processor()?;
        let mut given = Setting::ALL.iter().filter(|of| of.needs_ssd && of.text(self).is_some());
        match given.next() {
            None if self.workload.0.jobs().is_some() => Err(ConfigError::setting(
                "workload",
                "jobs run on an SSD: without `channels` one operation runs at a time; set channels too, as in --channels 8",
            )),
            None => Ok(None),
            Some(setting) => Err(ConfigError::setting(
                setting.key,
                "needs an SSD: without `channels` one operation runs at a time; set channels too, as in \
                --channels 8, or omit it",
            )),
        }
    }
}

/// The requested depth, or the default.
fn queue_depth(asked: Option<u32>, interface: Option<&HostInterface>) -> Result<u32, ConfigError> {
    let carried = interface.map_or(MOST_DEPTH, |interface| interface.most_depth);
    match (asked, interface) {
        (Some(depth), Some(interface)) if depth > carried => Err(ConfigError::setting(
            "queue_depth",
            format!(
                "the interface `{}` carries {carried} outstanding requests at most, not {depth}; use a smaller \
                queue_depth, or another interface (`none`: any number)",
                Word(Some(*interface)),
            ),
        )),
        _ => Ok(asked.unwrap_or(DEFAULT_DEPTH.min(carried))),
    }
}

impl Board {
    /// Allocation of writes to the dies, or to their planes.
    pub(super) fn allocation(&self, channel: &Channel) -> Allocation {
        let counts = [self.channels, channel.ways, self.dies, channel.own_planes];
        Allocation::new(counts.map(|count| u16::try_from(count).unwrap_or(u16::MAX)), self.order)
    }

    /// What it adds to each page task, where delays of requests that queue are proved (docs/promises.md).
    ///
    /// # Errors
    /// Why nothing is proved.
    pub(super) fn one_at_a_time(
        &self,
        channel: &Channel,
        (plan, part): (&Plan, &Part),
        processor: Option<&Processor>,
    ) -> Result<OneAtATime, &'static str> {
        let why_not = [
            (self.queue_depth > 1 || self.host.is_some(), AT_ONCE),
            (
                channel.planes > 1 || channel.own_planes > 1,
                "its planes work together, of which no bound is derived",
            ),
            (
                channel.stripes() != Stripes::default(),
                "its reclaim units are erased on several dies at once, of which no bound is derived",
            ),
            (processor.is_some(), "no bound covers the processor's time"),
            (plan.buffer.is_some(), "no bound is derived of a write buffer on an SSD"),
            (plan.slc.is_some(), "no bound is derived of an SLC cache on an SSD"),
            (
                channel.may_read_again(),
                "no bound is derived of bit errors and read retry on an SSD",
            ),
        ];
        match why_not.into_iter().find(|(is_so, _)| *is_so) {
            Some((_, why)) => Err(why),
            None => {
                let of = |interface: HostInterface| interface.link_times(channel.page_bytes());
                let link = self.interface.map_or(OneAtATime::NOTHING.link, of);
                Ok(OneAtATime { link, stretch: stretch(part) })
            }
        }
    }

    /// SSD setup of a run on an array with the same number of blocks on each die.
    ///
    /// # Errors
    /// Numbers that do not fit together.
    pub(super) fn setup(
        &self,
        channel: &Channel,
        geometry: &Geometry,
    ) -> Result<SsdSetup, ConfigError> {
        let count = |count: u32| u16::try_from(count).unwrap_or(u16::MAX);
        let topology = Topology {
            channels: count(self.channels),
            ways: count(channel.ways),
            dies: count(self.dies),
            planes: count(channel.planes * channel.own_planes),
            blocks_per_plane: (geometry.blocks() * channel.stripes().blocks)
                .div_ceil(channel.units()),
            pages_per_block: geometry.pages_per_block() / channel.stripes().blocks,
            // Planes of their own take blocks by the rule of their multi-plane operations.
            paired_blocks: channel.own_planes == 1,
        };
        topology.validate().map_err(|error| ConfigError::setting("channels", error.to_string()))?;
        let timing =
            channel.timing().map_err(|error| ConfigError::setting("part", error.to_string()))?;
        Ok(SsdSetup {
            topology,
            timing,
            policy: self.policy,
            ganged: channel.planes > 1,
            stripes: channel.stripes(),
            multi_plane: self.plane_use.multi_plane(channel.part()),
            queue_depth: self.queue_depth,
            host: self.host.clone(),
            interface: self.interface,
            collection: self.collection,
            cores: self.cores,
            precedence: Precedence {
                host_first: self.host_first,
                suspend: self.suspend.of(channel.part())?,
            },
            window_ns: self.window_ns,
        })
    }

    /// The whole board on one line.
    pub(super) fn line(&self, ways: u32, processor: Option<&Processor>) -> String {
        let interface = match &self.interface {
            None => "no interface (transfers to the host take no time)".into(),
            Some(interface) => interface_line(interface),
        };
        let processor = match processor {
            None => "no processor time".into(),
            Some(processor) => cores_line(processor, &self.cores),
        };
        let queues =
            self.host.as_ref().map_or_else(String::new, |host| format!("; {}", queues_line(host)));
        format!(
            "SSD of {}; allocation order {}; at most {} outstanding{queues}; {interface}; {processor}; {}; arbiter {}; \
             windows of {}",
            dies_line(self.channels, ways, self.dies),
            self.order,
            requests(self.queue_depth),
            self.collection_line(),
            self.policy.name(),
            Duration::new(self.window_ns),
        )
    }

    /// Line on the sharing of the dies between collection and host.
    fn collection_line(&self) -> String {
        let mut line = format!("collection {}", self.collection.name());
        if self.host_first > 0 {
            let count = units::counted(self.host_first.into(), "operation");
            line.push_str(&format!(", up to {count} of the host before one of collection"));
        }
        match self.suspend {
            SuspendChoice::None => {}
            choice => line.push_str(&format!(", reads suspend {}", choice.of_what())),
        }
        line
    }

    /// A note where the controller fetches each request at once, so that no queue is chosen over another.
    pub(super) fn note_on_queues(&self) -> Option<String> {
        let host = self.host.as_ref().filter(|host| host.command_slots.is_none())?;
        (host.jobs.iter().map(|job| job.queues).sum::<u32>() > 1).then(|| {
            "the controller fetches each request at once, so that arbitration decides ties alone; --command-slots N lets \
             requests wait in their queues while N are fetched and not completed"
                .into()
        })
    }

    /// Line on the response bounds.
    pub(super) fn promise_line(&self) -> String {
        let kept = "response bounds hold, and are checked, with one outstanding page task (--queue-depth 1)";
        match self.queue_depth {
            1 => format!("{kept}, as here"),
            depth => format!("{kept}; at queue depth {depth} there is no bound"),
        }
    }
}

/// `1 request`, `32 requests`.
fn requests(count: u32) -> String {
    units::counted(count.into(), "request")
}

/// `8 channels × 2 ways × 1 die`.
pub(super) fn dies_line(channels: u32, ways: u32, dies: u32) -> String {
    let all = [(channels, "channel"), (ways, "way"), (dies, "die")];
    all.map(|(count, what)| units::counted(count.into(), what)).join(" × ")
}

/// Echo of the link in a report.
fn interface_json(interface: &HostInterface) -> serde_json::Value {
    let mut echo = json!({
        "name": interface.name,
        "bytes_per_second": interface.bytes_per_second,
        "command_ns": interface.command_ns,
        "most_depth": interface.most_depth,
    });
    if let Some(packets) = interface.packets {
        echo["payload_bytes"] = packets.payload_bytes.into();
        echo["latency_ns"] = packets.latency_ns.into();
    }
    echo
}

/// Echo in a report.
pub(super) fn setup_json(
    setup: &SsdSetup,
    order: AllocationOrder,
    plane_use: Option<Word<PlaneUse>>,
) -> serde_json::Value {
    let SsdSetup { topology, timing, policy, queue_depth, interface, window_ns, .. } = setup;
    let Precedence { host_first, suspend } = setup.precedence;
    let mut echo = json!({
        "channels": topology.channels,
        "ways": topology.ways,
        "dies": topology.dies,
        "planes": topology.planes,
        "blocks_per_plane": topology.blocks_per_plane,
        "allocation": order.to_string(),
        "queue_depth": queue_depth,
        "interface": interface.map(|interface| interface_json(&interface)),
        "collection": setup.collection.name(),
        "host_first": host_first,
        "suspend": SuspendChoice::from(suspend).name(),
        "cpu_work": setup.cores.work.name(),
        "cpu_sharing": setup.cores.sharing.name(),
        "cpu_command_cycles": setup.cores.command_cycles,
        "arbiter": policy.name(),
        "window_ns": window_ns,
        "transfer_bytes": timing.transfer_bytes,
        "t_rc_ns": timing.t_rc_ns,
        "t_wc_ns": timing.t_wc_ns,
        "t_r_ns": timing.t_r_ns,
        "t_prog_ns": timing.t_prog_ns,
        "t_bers_ns": timing.t_bers_ns,
    });
    if let Some(plane_use) = plane_use {
        echo["plane_use"] = plane_use.to_string().into();
        echo["independent_plane_reads"] =
            setup.multi_plane.is_some_and(|planes| planes.independent_reads).into();
    }
    if let Some(host) = &setup.host {
        echo["host"] = queues_json(host);
    }
    echo
}

impl Notation for AllocationOrder {
    fn read(word: &str) -> Result<Self, String> {
        word.parse()
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl Notation for CollectionPlace {
    fn read(word: &str) -> Result<Self, String> {
        named("collection", word, &Self::ALL.map(|place| (place.name(), place)))
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Notation for Policy {
    fn read(word: &str) -> Result<Self, String> {
        named("arbiter", word, &Self::ALL.map(|policy| (policy.name(), policy)))
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests;
