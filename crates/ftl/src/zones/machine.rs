//! State machine of zones: states, write pointers, open and active resources.
//!
//! ```text
//!                 write, append            write, append, open
//!        Empty ----------------> Implicitly opened <----.
//!          |  \ open                 | open   | close,   \
//!          |   `----> Explicitly <---'        | another   Closed
//!          |           opened ---close----->  | is opened  ^
//!          |                                  `------------'
//!        all of them: last page, finish -> Full;  all of them and Full: reset -> Empty
//!        media: -> Full, Read only, Offline (which no command leaves)
//! ```
//!
//! Opened zones take an open and an active resource, closed ones an active resource. Where all open resources are taken,
//! the controller closes the implicitly opened zone that was opened first. Which command is allowed in which state, and
//! the errors in the order in which they are looked for, are those of NVM Express, Zoned Namespace Command Set
//! Specification 1.1, as QEMU's device has them (`hw/nvme/ctrl.c`). One differs: pages beyond the zone's end are refused
//! before its state is looked at.

use super::log::ZoneLog;
use super::refusal::Refusal;
use super::zone::{ZoneAction, ZoneLimits, ZoneState};
use alloc::collections::VecDeque;
use alloc::{vec, vec::Vec};

#[derive(Clone, Copy, Debug)]
struct Zone {
    state: ZoneState,
    /// Pages up to the write pointer; of a full zone, pages that were written.
    written: u32,
}

/// The zones of a device.
#[derive(Clone, Debug)]
pub(crate) struct Machine {
    zones: Vec<Zone>,
    /// Pages per zone.
    capacity: u32,
    limits: ZoneLimits,
    open: u32,
    active: u32,
    states: [u32; ZoneState::ALL.len()],
    /// Implicitly opened zones, the one that was opened first at the front.
    implicit: VecDeque<u32>,
    pub(crate) log: ZoneLog,
}

impl Machine {
    /// Zones that are all empty.
    pub(crate) fn new(zones: u32, capacity: u32, limits: ZoneLimits) -> Self {
        Self {
            zones: vec![Zone { state: ZoneState::Empty, written: 0 }; zones as usize],
            capacity,
            limits,
            open: 0,
            active: 0,
            states: [zones, 0, 0, 0, 0, 0, 0],
            implicit: VecDeque::with_capacity(limits.open.min(zones) as usize),
            log: ZoneLog::default(),
        }
    }

    pub(crate) fn limits(&self) -> ZoneLimits {
        self.limits
    }

    /// Active zones.
    pub(crate) fn active(&self) -> u32 {
        self.active
    }

    #[inline]
    pub(crate) fn state(&self, zone: u32) -> ZoneState {
        self.zones[zone as usize].state
    }

    /// Pages of the zone that are written.
    #[inline]
    pub(crate) fn written(&self, zone: u32) -> u32 {
        self.zones[zone as usize].written
    }

    /// Clears the log; the most open and active zones are those of now.
    pub(crate) fn restart_log(&mut self) {
        let (most_open, most_active) = (self.open, self.active);
        self.log = ZoneLog { most_open, most_active, ..ZoneLog::default() };
    }

    /// Zones by state.
    pub(crate) fn states(&self) -> [u32; ZoneState::ALL.len()] {
        self.states
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        self.zones.capacity() * size_of::<Zone>() + self.implicit.capacity() * 4
    }

    /// Admits a write of one page at this page of the zone, and opens the zone.
    #[inline]
    pub(crate) fn admit_write(&mut self, zone: u32, page: u32) -> Result<(), Refusal> {
        let Zone { state, written } = self.zones[zone as usize];
        if state.is_open() && page == written {
            return Ok(());
        }
        self.admit(zone, Some(page), 1)
    }

    /// Admits an append of so many pages to the zone, and opens the zone. Returns the page of the zone that is next.
    pub(crate) fn admit_append(&mut self, zone: u32, pages: u32) -> Result<u32, Refusal> {
        self.admit(zone, None, pages)?;
        Ok(self.written(zone))
    }

    fn admit(&mut self, zone: u32, page: Option<u32>, pages: u32) -> Result<(), Refusal> {
        let Zone { state, written } = self.zones[zone as usize];
        match state {
            ZoneState::Full => return Err(Refusal::ZoneFull),
            ZoneState::ReadOnly => return Err(Refusal::ZoneReadOnly),
            ZoneState::Offline => return Err(Refusal::ZoneOffline),
            _ if page.is_some_and(|page| page != written) => return Err(Refusal::InvalidWrite),
            _ if pages > self.capacity - written => return Err(Refusal::ZoneBoundary),
            _ if state.is_open() => return Ok(()),
            _ => {}
        }
        self.take_resources(zone)?;
        self.enter(zone, ZoneState::ImplicitlyOpened);
        self.log.implicit_opens += 1;
        Ok(())
    }

    /// Makes sure that a zone that is empty or closed can be opened.
    fn take_resources(&mut self, zone: u32) -> Result<(), Refusal> {
        if self.state(zone) == ZoneState::Empty && self.active >= self.limits.active {
            return Err(Refusal::TooManyActive);
        }
        if self.open >= self.limits.open {
            let oldest = *self.implicit.front().ok_or(Refusal::TooManyOpen)?;
            self.enter(oldest, ZoneState::Closed);
            self.log.implicit_closes += 1;
        }
        Ok(())
    }

    /// Moves the write pointer over a page that was programmed.
    #[inline]
    pub(crate) fn wrote(&mut self, zone: u32) {
        let written = &mut self.zones[zone as usize].written;
        *written += 1;
        if *written == self.capacity {
            self.enter(zone, ZoneState::Full);
        }
    }

    /// Runs a management command. Returns false if the zone already is as it asks.
    pub(crate) fn manage(&mut self, zone: u32, action: ZoneAction) -> Result<bool, Refusal> {
        use ZoneState::{Closed, Empty, ExplicitlyOpened, Full, ImplicitlyOpened};
        let state = self.state(zone);
        match (action, state) {
            (ZoneAction::Open, ExplicitlyOpened)
            | (ZoneAction::Close, Closed)
            | (ZoneAction::Finish, Full)
            | (ZoneAction::Reset, Empty) => return Ok(false),
            (ZoneAction::Open, Empty | Closed) => {
                self.take_resources(zone)?;
                self.enter(zone, ExplicitlyOpened);
                self.log.explicit_opens += 1;
            }
            (ZoneAction::Open, ImplicitlyOpened) => {
                self.enter(zone, ExplicitlyOpened);
                self.log.explicit_opens += 1;
            }
            (ZoneAction::Close, ImplicitlyOpened | ExplicitlyOpened) => self.enter(zone, Closed),
            (ZoneAction::Finish, Empty | ImplicitlyOpened | ExplicitlyOpened | Closed) => {
                self.enter(zone, Full);
            }
            (ZoneAction::Reset, ImplicitlyOpened | ExplicitlyOpened | Closed | Full) => {
                if state == Full {
                    self.log.unwritten += u64::from(self.capacity - self.written(zone));
                }
                self.enter(zone, Empty);
                self.zones[zone as usize].written = 0;
                self.log.resets += 1;
            }
            _ => return Err(Refusal::InvalidTransition),
        }
        Ok(true)
    }

    /// Sets what a mount or the medium decides: a state that takes no open resource, and pages written.
    pub(crate) fn set(&mut self, zone: u32, state: ZoneState, written: u32) {
        self.zones[zone as usize].written = written;
        self.enter(zone, state);
    }

    /// Changes the state, and counts resources.
    fn enter(&mut self, zone: u32, state: ZoneState) {
        let old = core::mem::replace(&mut self.zones[zone as usize].state, state);
        self.states[old as usize] -= 1;
        self.states[state as usize] += 1;
        self.open = self.open + u32::from(state.is_open()) - u32::from(old.is_open());
        self.active = self.active + u32::from(state.is_active()) - u32::from(old.is_active());
        if old == ZoneState::ImplicitlyOpened {
            self.implicit.retain(|open| *open != zone);
        }
        if state == ZoneState::ImplicitlyOpened {
            self.implicit.push_back(zone);
        }
        self.log.most_open = self.log.most_open.max(self.open);
        self.log.most_active = self.log.most_active.max(self.active);
    }
}

#[cfg(test)]
mod tests;
