//! What can be asked of the channels: time, load, use of buses and dies.

use super::engine::Channels;
use super::request::Command;
use super::rules::Follows;
use super::script::Scripts;
use super::timing::Timing;
use super::topology::{DieAddress, Topology};
use super::usage::{BusUse, DieUse, GrantObserver};
use crate::time::Ns;

impl<W: GrantObserver> Channels<W> {
    /// Their shape.
    #[inline]
    pub fn topology(&self) -> &Topology {
        &self.topology
    }

    /// Their timing.
    #[inline]
    pub fn timing(&self) -> &Timing {
        &self.timing
    }

    /// The time up to which they have run: of the latest grant given or completion delivered. No request may
    /// arrive before it.
    #[inline]
    pub fn now_ns(&self) -> Ns {
        self.now_ns
    }

    /// When the last of the operations that have left the bus is done.
    #[inline]
    pub fn last_done_ns(&self) -> Ns {
        self.last_done_ns
    }

    /// Operations submitted and not yet delivered.
    #[inline]
    pub fn outstanding(&self) -> usize {
        self.outstanding
    }

    /// Time of an operation over so many planes where nothing else uses bus or die: for a cache program that of
    /// the first of a run, for a cache read that of the first without the next page.
    ///
    /// # Panics
    /// Where `planes` is not 1 to [`MAX_PLANES`](super::MAX_PLANES).
    pub fn alone_ns(&self, command: Command, planes: usize) -> Ns {
        let script = self.scripts.get(Scripts::index(command, Follows::Alone, planes));
        script.alone_ns(&self.timing)
    }

    /// Bus time of such an operation, without what [`Request::repair_ns`](super::Request::repair_ns) adds.
    ///
    /// # Panics
    /// As [`Channels::alone_ns`].
    pub fn bus_ns(&self, command: Command, planes: usize) -> Ns {
        self.scripts.get(Scripts::index(command, Follows::Alone, planes)).bus_ns()
    }

    /// How busy a die was, up to the end of what it was last granted. `None` where there is no such die.
    pub fn die_use(&self, die: DieAddress) -> Option<DieUse> {
        self.topology.has(die).then(|| self.dies[self.index(die)].usage)
    }

    /// The same, of a way's dies together.
    pub fn way_use(&self, channel: u16, way: u16) -> Option<DieUse> {
        let die = DieAddress { channel, way, die: 0 };
        let first = self.topology.has(die).then(|| self.index(die))?;
        Some(self.sum(first, self.topology.dies.into()))
    }

    /// How long a channel's bus was held. `None` where there is no such channel.
    pub fn bus_use(&self, channel: u16) -> Option<BusUse> {
        let die = DieAddress { channel, way: 0, die: 0 };
        let first = self.topology.has(die).then(|| self.index(die))?;
        Some(self.sum(first, self.topology.dies_per_channel()).bus)
    }

    fn sum(&self, first: usize, count: usize) -> DieUse {
        let mut sum = DieUse::default();
        self.dies[first..first + count].iter().for_each(|die| sum.merge(&die.usage));
        sum
    }

    /// Who sees the grants.
    pub fn watch(&self) -> &W {
        &self.watch
    }

    /// The same, to be changed.
    pub fn watch_mut(&mut self) -> &mut W {
        &mut self.watch
    }
}
