//! Queries of the channels: time, load, use of buses and dies.

use super::engine::Channels;
use super::request::Command;
use super::rules::Follows;
use super::script::Scripts;
use super::timing::Timing;
use super::topology::{DieAddress, Topology};
use super::usage::{BusUse, DieUse, GrantObserver};
use crate::time::Ns;

impl<W: GrantObserver> Channels<W> {
    /// Shape of the channels.
    #[inline]
    pub fn topology(&self) -> &Topology {
        &self.topology
    }

    /// Timing of the channels.
    #[inline]
    pub fn timing(&self) -> &Timing {
        &self.timing
    }

    /// Current time: that of the latest grant given or completion delivered. No request may arrive before it.
    #[inline]
    pub fn now_ns(&self) -> Ns {
        self.now_ns
    }

    /// Completion time of the last operation that has left the bus.
    #[inline]
    pub fn last_done_ns(&self) -> Ns {
        self.last_done_ns
    }

    /// Operations submitted and not yet delivered.
    #[inline]
    pub fn outstanding(&self) -> usize {
        self.pending.len() - self.free.len()
    }

    /// Time of an operation over `planes` planes on an idle bus and die. For a cache program: the first of a
    /// run. For a cache read: the first, without the next page.
    ///
    /// # Panics
    /// If `planes` is not 1 to [`MAX_PLANES`](super::MAX_PLANES).
    pub fn alone_ns(&self, command: Command, planes: usize) -> Ns {
        let script = self.scripts.get(Scripts::index(command, Follows::Alone, planes));
        script.alone_ns(&self.timing)
    }

    /// Bus time of such an operation, without [`Request::repair_ns`](super::Request::repair_ns).
    ///
    /// # Panics
    /// As [`Channels::alone_ns`].
    pub fn bus_ns(&self, command: Command, planes: usize) -> Ns {
        self.scripts.get(Scripts::index(command, Follows::Alone, planes)).bus_ns()
    }

    /// Use of a die up to the end of its last granted operation. `None` if there is no such die.
    pub fn die_use(&self, die: DieAddress) -> Option<DieUse> {
        self.topology.has(die).then(|| self.dies[self.index(die)].usage.of_die())
    }

    /// Use of a way's dies together. `None` if there is no such way.
    pub fn way_use(&self, channel: u16, way: u16) -> Option<DieUse> {
        let die = DieAddress { channel, way, die: 0 };
        let first = self.topology.has(die).then(|| self.index(die))?;
        Some(self.sum(first, self.topology.dies.into()))
    }

    /// Use of a channel's bus. `None` if there is no such channel.
    pub fn bus_use(&self, channel: u16) -> Option<BusUse> {
        let die = DieAddress { channel, way: 0, die: 0 };
        let first = self.topology.has(die).then(|| self.index(die))?;
        Some(self.sum(first, self.topology.dies_per_channel()).bus)
    }

    fn sum(&self, first: usize, count: usize) -> DieUse {
        let mut sum = DieUse::default();
        let dies = self.dies[first..first + count].iter();
        dies.for_each(|die| sum.merge(&die.usage.of_die()));
        sum
    }

    /// The observer of grants.
    pub fn watch(&self) -> &W {
        &self.watch
    }

    /// The observer of grants, mutable.
    pub fn watch_mut(&mut self) -> &mut W {
        &mut self.watch
    }
}
