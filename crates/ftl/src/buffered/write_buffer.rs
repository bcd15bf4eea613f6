//! The write buffer itself: its pages, and their write-back.

use super::units::{UnitPage, Units};
use crate::buffer::log::BufferLog;
use crate::buffer::policy::{Evictor, Room, Use, Used};
use crate::buffer::settings::{BufferPlan, CleanUnits};
use crate::dirty_pages::{DirtyPages, DirtyRange, Probability};
use crate::error::FtlError;
use crate::inspection::{Inspection, List, Place};
use crate::interface::{Ftl, Prefetch};
use alloc::{boxed::Box, vec, vec::Vec};
use flash::{Event, FlashError, Item, Lpn, Ns, Probe};

/// Most pages of one victim whose lines are prefetched; more would evict each other from the cache.
const MOST_FETCHED: u32 = 16;

/// Cause of a write-back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Why {
    Eviction,
    Age,
    Flush,
}

/// Why a page is written below.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sent {
    Back(Why),
    /// Clean or missing, with the others of its block.
    Padding,
    /// Forced write.
    Through,
}

impl Sent {
    /// Name and caption of its event.
    #[inline(always)]
    const fn event(self) -> (&'static str, &'static str) {
        match self {
            Self::Back(Why::Eviction) => {
                ("buffer-eviction", "LPN {lpn} is evicted from the write buffer")
            }
            Self::Back(Why::Age) => {
                ("buffer-age", "LPN {lpn} has been dirty for the age limit: it is written back")
            }
            Self::Back(Why::Flush) => {
                ("buffer-flush", "LPN {lpn} is flushed from the write buffer")
            }
            Self::Padding => ("buffer-padding", "LPN {lpn} pads its block"),
            Self::Through => ("buffer-through", "LPN {lpn} is written through the write buffer"),
        }
    }
}

/// The scheme below, as a trait object: the buffer is compiled once for all schemes and arrays.
pub(super) trait Below {
    fn write_below(
        &mut self,
        lpn: Lpn,
        data: Option<&[u8]>,
        buffer: &mut dyn DirtyPages,
        sent: Sent,
    ) -> Result<(), FtlError>;
    fn name_stream(&mut self, stream: u8);
    fn event(&mut self, event: &Event<'_>);
    fn read(&mut self, lpn: Lpn, data: Option<&mut [u8]>) -> Result<bool, FtlError>;
    fn flush(&mut self) -> Result<(), FtlError>;
    fn prefetch(&self, lpn: Lpn, what: Prefetch);
}

impl<S: Ftl> Below for S {
    fn write_below(
        &mut self,
        lpn: Lpn,
        data: Option<&[u8]>,
        buffer: &mut dyn DirtyPages,
        sent: Sent,
    ) -> Result<(), FtlError> {
        let (name, caption) = sent.event();
        self.flash_mut().event(&Event::new(name, caption, &[("lpn", Item::Lpn(lpn))]));
        Ftl::write_below(self, lpn, data, buffer)
    }

    fn name_stream(&mut self, stream: u8) {
        Ftl::name_stream(self, stream);
    }

    fn event(&mut self, event: &Event<'_>) {
        self.flash_mut().event(event);
    }

    fn read(&mut self, lpn: Lpn, data: Option<&mut [u8]>) -> Result<bool, FtlError> {
        Ftl::read(self, lpn, data)
    }

    fn flush(&mut self) -> Result<(), FtlError> {
        Ftl::flush(self)
    }

    fn prefetch(&self, lpn: Lpn, what: Prefetch) {
        Ftl::prefetch(self, lpn, what);
    }
}

/// See the module's page.
#[derive(Clone, Debug)]
pub(crate) struct WriteBuffer {
    plan: BufferPlan,
    units: Units,
    policy: Box<dyn Evictor>,
    log: BufferLog,
    now_ns: Ns,
    ram_ns: Ns,
    /// Placement stream of the host's writes from here on.
    stream: u8,
    /// Stream of the last write of each logical page; empty as long as the host has named none.
    streams: Vec<u8>,
    logical_pages: u32,
    /// One page on its way below; `None` if the array keeps no bytes.
    page: Option<Vec<u8>>,
}

impl WriteBuffer {
    pub(super) fn new<F: Probe>(plan: &BufferPlan, logical_pages: u32, flash: &F) -> Self {
        let page_bytes = flash.keeps_user_bytes().then(|| flash.geometry().page_bytes());
        let units = Units::new(plan.pages, plan.unit_pages, logical_pages, page_bytes);
        let policy = (plan.policy.make)(&Room {
            pages: plan.pages,
            unit_pages: plan.unit_pages,
            slots: units.slots(),
            window_pages: plan.window_pages,
            regions: plan.regions,
            updates: plan.updates,
        });
        let log = BufferLog { regions: policy.region_pages(), ..BufferLog::default() };
        Self {
            plan: *plan,
            policy,
            units,
            log,
            now_ns: 0,
            ram_ns: 0,
            stream: 0,
            streams: Vec::new(),
            logical_pages,
            page: page_bytes.map(|bytes| vec![0; bytes as usize]),
        }
    }

    /// Names the stream of the host's writes from here on.
    #[inline]
    pub(super) fn name_stream(&mut self, stream: u8) {
        self.stream = stream;
        if stream > 0 && self.streams.is_empty() {
            self.streams = vec![0; self.logical_pages as usize];
        }
    }

    /// Keeps the stream of a page that the host writes.
    #[inline]
    fn keep_stream(&mut self, lpn: Lpn) {
        if let Some(stream) = self.streams.get_mut(lpn.0 as usize) {
            *stream = self.stream;
        }
    }

    /// Writes a page below, with the stream of its last write.
    fn write_with_stream(
        &mut self,
        below: &mut dyn Below,
        lpn: Lpn,
        data: Option<&[u8]>,
        sent: Sent,
    ) -> Result<(), FtlError> {
        if let Some(stream) = self.streams.get(lpn.0 as usize) {
            below.name_stream(*stream);
        }
        below.write_below(lpn, data, self, sent)
    }

    /// Handles a host write.
    pub(super) fn write(
        &mut self,
        below: &mut dyn Below,
        lpn: Lpn,
        data: Option<&[u8]>,
    ) -> Result<(), FtlError> {
        self.ram_ns += self.plan.ram_ns;
        match self.units.find(lpn) {
            Some(at) => {
                self.log.write_hits += 1;
                self.used(at, Use::Updated);
                self.fill(at, data);
                self.dirty(at);
            }
            None => {
                let at = self.bring(below, lpn)?;
                self.log.write_misses += 1;
                self.fill(at, data);
                self.dirty(at);
            }
        }
        self.keep_stream(lpn);
        self.note();
        Ok(())
    }

    /// Handles a host write that must be durable on return.
    pub(super) fn write_through(
        &mut self,
        below: &mut dyn Below,
        lpn: Lpn,
        data: Option<&[u8]>,
    ) -> Result<(), FtlError> {
        self.ram_ns += self.plan.ram_ns;
        self.keep_stream(lpn);
        let Some(at) = self.units.find(lpn) else {
            self.log.write_misses += 1;
            self.log.through += 1;
            let written = self.write_with_stream(below, lpn, data, Sent::Through);
            self.note();
            written?;
            return below.flush();
        };
        self.log.write_hits += 1;
        self.log.through += 1;
        self.used(at, Use::Updated);
        // The collector must not take the version that this write replaces. If the write fails, that version is dirty
        // again.
        let was_dirty = self.units.is_dirty(at);
        self.clean(at);
        let written = self.write_with_stream(below, lpn, data, Sent::Through);
        match written {
            Ok(()) => self.fill(at, data),
            Err(_) if was_dirty => self.dirty(at),
            Err(_) => {}
        }
        self.note();
        written?;
        below.flush()
    }

    /// Handles a host read.
    pub(super) fn read(
        &mut self,
        below: &mut dyn Below,
        lpn: Lpn,
        mut data: Option<&mut [u8]>,
    ) -> Result<bool, FtlError> {
        if let Some(at) = self.units.find(lpn) {
            self.log.read_hits += 1;
            self.ram_ns += self.plan.ram_ns;
            self.used(at, Use::Read);
            match (data, self.units.bytes(at)) {
                (Some(data), Some(bytes)) if data.len() == bytes.len() => {
                    data.copy_from_slice(bytes)
                }
                (Some(data), _) => data.fill(0),
                (None, _) => {}
            }
            return Ok(true);
        }
        self.log.read_misses += 1;
        let present = below.read(lpn, data.as_deref_mut())?;
        if present && self.plan.reads {
            let at = self.bring(below, lpn)?;
            self.fill(at, data.as_deref());
            self.note();
        }
        Ok(present)
    }

    /// True if the page is in the buffer.
    pub(super) fn holds(&self, lpn: Lpn) -> bool {
        self.units.find(lpn).is_some()
    }

    /// Handles a trim.
    pub(super) fn trim(&mut self, lpn: Lpn) {
        if let Some(at) = self.units.find(lpn) {
            self.clean(at);
            match self.units.take(at) {
                true => self.policy.removed(at.slot),
                false => self.policy.shrunk(at.slot),
            }
            self.note();
        }
    }

    /// Writes all dirty pages below, longest dirty first. They stay in the buffer, clean.
    pub(super) fn flush(&mut self, below: &mut dyn Below) -> Result<(), FtlError> {
        while let Some((slot, _)) = self.units.longest_dirty() {
            self.write_back(below, slot, Why::Flush)?;
        }
        Ok(())
    }

    pub(super) fn due_ns(&self) -> Ns {
        let since = self.units.longest_dirty().map(|(_, since_ns)| since_ns);
        since.map_or(Ns::MAX, |since_ns| since_ns.saturating_add(self.plan.age_ns))
    }

    /// Sets the clock, and writes the unit below that has been dirty for longest, if its age limit is reached.
    #[inline]
    pub(super) fn advance(&mut self, below: &mut dyn Below, now_ns: Ns) -> Result<(), FtlError> {
        self.now_ns = self.now_ns.max(now_ns);
        match self.units.longest_dirty() {
            Some((slot, since_ns)) if since_ns.saturating_add(self.plan.age_ns) <= self.now_ns => {
                self.write_back(below, slot, Why::Age)
            }
            _ => Ok(()),
        }
    }

    /// Adds a page that is not in the buffer, clean and without bytes. Evicts to make room for it.
    fn bring(&mut self, below: &mut dyn Below, lpn: Lpn) -> Result<UnitPage, FtlError> {
        while self.units.held() >= self.plan.pages {
            self.evict(below)?;
        }
        let (number, page) = self.units.split(lpn);
        let (slot, how, left) = match self.units.slot(number) {
            Some(slot) => (slot, Use::Added, None),
            None => {
                let (slot, left) = self.units.open(number);
                (slot, Use::New, left)
            }
        };
        let at = UnitPage { slot, page };
        self.units.add(at);
        let of = self.units.pages_in(slot);
        self.policy.used(Used { slot, page, of, how, left });
        Ok(at)
    }

    fn used(&mut self, at: UnitPage, how: Use) {
        let UnitPage { slot, page } = at;
        let of = self.units.pages_in(slot);
        self.policy.used(Used { slot, page, of, how, left: None });
    }

    /// Stores the bytes of a page. Array and host may each keep no bytes.
    fn fill(&mut self, at: UnitPage, data: Option<&[u8]>) {
        let Some(bytes) = self.units.bytes_mut(at) else { return };
        match data {
            Some(data) if bytes.len() == data.len() => bytes.copy_from_slice(data),
            Some(_) => {}
            None => bytes.fill(0),
        }
    }

    fn dirty(&mut self, at: UnitPage) {
        if self.units.set_dirty(at, self.now_ns) {
            self.policy.dirtied(at.slot);
        }
    }

    fn clean(&mut self, at: UnitPage) {
        if self.units.set_clean(at) {
            self.policy.cleaned(at.slot);
        }
    }

    fn note(&mut self) {
        self.log.held = self.units.held().into();
        self.log.dirty = self.units.dirty().into();
        self.log.regions = self.policy.region_pages();
    }

    fn evict(&mut self, below: &mut dyn Below) -> Result<(), FtlError> {
        let first = match self.plan.clean {
            CleanUnits::InOrder => None,
            CleanUnits::First => self.units.longest_clean(),
        };
        let Some(slot) = first.or_else(|| self.policy.victim()) else { return Ok(()) };
        let dirty = self.units.dirty_of(slot);
        let clean = self.units.held_of(slot) - dirty;
        // A unit of one dirty page is told with that page: the call costs time even if nobody observes.
        if self.plan.unit_pages > 1 || dirty == 0 {
            let first = self.units.lpn(UnitPage { slot, page: 0 });
            below.event(&Event::new(
                "buffer-unit",
                "the unit from LPN {lpn} on leaves the write buffer: {dirty} dirty and {clean} clean pages",
                &[
                    ("lpn", Item::Lpn(first)),
                    ("dirty", Item::Count(dirty.into())),
                    ("clean", Item::Count(clean.into())),
                ],
            ));
        }
        self.write_back(below, slot, Why::Eviction)?;
        self.log.evictions += 1;
        self.log.dropped += u64::from(clean);
        let left = self.policy.evicted(slot);
        self.units.close(slot, left);
        self.log.regions = self.policy.region_pages();
        self.fetch_next(below);
        Ok(())
    }

    /// Prefetches for the scheme's next victim writes: the blocks of the next victim, and the map entries of the one
    /// after it.
    #[inline]
    fn fetch_next(&self, below: &dyn Below) {
        let next = self.policy.victim();
        let after = next.and_then(|slot| self.policy.newer(slot));
        for (slot, what) in [(next, Prefetch::Block), (after, Prefetch::Map)] {
            let Some(slot) = slot else { continue };
            let mut page = 0;
            for _ in 0..self.units.dirty_of(slot).min(MOST_FETCHED) {
                let Some(at) = self.units.next_dirty(slot, page) else { break };
                page = at.page + 1;
                below.prefetch(self.units.lpn(at), what);
                self.units.prefetch(self.units.lpn(at));
            }
        }
    }

    /// Writes the dirty pages of a unit below, in order, where it has any; a padded block whole. The log tells what is left
    /// dirty where that fails.
    fn write_back(&mut self, below: &mut dyn Below, slot: u32, why: Why) -> Result<(), FtlError> {
        // What is flushed stays, and may be written again shortly: only what leaves is worth padding.
        let written = if self.plan.policy.pads && why == Why::Eviction {
            self.write_padded(below, slot, why)
        } else {
            self.write_unit(below, slot, why)
        };
        self.note();
        written
    }

    fn write_unit(&mut self, below: &mut dyn Below, slot: u32, why: Why) -> Result<(), FtlError> {
        let mut page = 0;
        // A collector may take some dirty pages before their turn.
        while self.units.dirty_of(slot) > 0
            && let Some(at) = self.units.next_dirty(slot, page)
        {
            self.write_dirty(below, at, why)?;
            page = at.page + 1;
        }
        Ok(())
    }

    fn write_dirty(
        &mut self,
        below: &mut dyn Below,
        at: UnitPage,
        why: Why,
    ) -> Result<(), FtlError> {
        let written = self.send(below, at, Sent::Back(why));
        if written.is_err() {
            self.dirty(at);
        }
        *match why {
            Why::Eviction => &mut self.log.evicted,
            Why::Age => &mut self.log.aged,
            Why::Flush => &mut self.log.flushed,
        } += u64::from(written.is_ok());
        written
    }

    /// Writes a page of the buffer below; the page is clean from now on.
    fn send(&mut self, below: &mut dyn Below, at: UnitPage, sent: Sent) -> Result<(), FtlError> {
        self.clean(at);
        let mut page = self.page.take();
        if let Some((page, bytes)) = page.as_mut().zip(self.units.bytes(at)) {
            page.copy_from_slice(bytes);
        }
        let written = self.write_with_stream(below, self.units.lpn(at), page.as_deref(), sent);
        self.page = page;
        written
    }

    /// Writes a whole block in order: what is missing is read below first (page padding). Pages that were
    /// never written are left out, and so are those that cannot be read: the block would stay in the buffer for good.
    fn write_padded(&mut self, below: &mut dyn Below, slot: u32, why: Why) -> Result<(), FtlError> {
        if self.units.dirty_of(slot) == 0 {
            return Ok(());
        }
        for page in 0..self.units.pages_in(slot) {
            let at = UnitPage { slot, page };
            if self.units.is_dirty(at) {
                self.write_dirty(below, at, why)?;
            } else if self.units.is_held(at) {
                self.send(below, at, Sent::Padding)?;
                self.log.padded += 1;
            } else {
                let lpn = self.units.lpn(at);
                let mut bytes = self.page.take();
                let done = match below.read(lpn, bytes.as_deref_mut()) {
                    Ok(true) => self
                        .write_with_stream(below, lpn, bytes.as_deref(), Sent::Padding)
                        .map(|()| 1),
                    Ok(false) | Err(FtlError::Flash(FlashError::Uncorrectable(_))) => Ok(0),
                    Err(error) => Err(error),
                };
                self.page = bytes;
                self.log.padded += done?;
            }
        }
        Ok(())
    }

    pub(super) fn ram_ns(&self) -> Ns {
        self.ram_ns
    }

    pub(super) fn plan(&self) -> &BufferPlan {
        &self.plan
    }

    pub(super) fn log(&self) -> &BufferLog {
        &self.log
    }

    pub(super) fn restart_log(&mut self) {
        self.log = BufferLog::default();
        self.note();
    }

    #[inline]
    pub(super) fn prefetch(&self, lpn: Lpn) {
        self.units.prefetch(lpn);
    }

    /// Adds the buffer's lists to the state of the scheme below, and the places of its dirty pages.
    pub(super) fn inspect(&self, below: &mut Inspection) {
        let orders = self.policy.orders();
        let lists = orders.iter().map(|order| {
            let held = order.slots.iter().flat_map(|slot| self.units.pages_held(*slot));
            let items = held.map(|at| Item::Lpn(self.units.lpn(at))).collect();
            List::new(order.name, order.help, items).holding(self.plan.pages.into())
        });
        let lpns = (0..).map(Lpn).zip(&mut below.map);
        let dirty: Vec<Item> = lpns
            .filter(|(lpn, _)| self.units.is_dirty_lpn(*lpn))
            .map(|(lpn, place)| {
                if let Place::Flash(ppn) = core::mem::replace(place, Place::Ram) {
                    below.older.push((lpn, ppn));
                }
                Item::Lpn(lpn)
            })
            .collect();
        let help = "Pages whose newest version is in the write buffer alone, by LPN.";
        let dirty = List::new("dirty pages", help, dirty).holding(self.plan.pages.into());
        below.lists.splice(0..0, lists.chain([dirty]));
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.units.heap_bytes()
            + self.policy.heap_bytes()
            + self.page.as_ref().map_or(0, Vec::capacity)
            + self.streams.capacity()
    }
}

impl DirtyPages for WriteBuffer {
    #[inline]
    fn is_clean(&self) -> bool {
        !self.plan.aware || self.units.dirty() == 0
    }

    #[inline]
    fn newest(&self, lpn: Lpn) -> Option<Option<&[u8]>> {
        if !self.is_dirty(lpn) {
            return None;
        }
        self.units.find(lpn).map(|at| self.units.bytes(at))
    }

    #[inline]
    fn is_dirty(&self, lpn: Lpn) -> bool {
        self.plan.aware && self.units.is_dirty_lpn(lpn)
    }

    fn stream(&self, lpn: Lpn) -> u8 {
        self.streams.get(lpn.0 as usize).copied().unwrap_or(0)
    }

    fn written(&mut self, lpn: Lpn) {
        if let Some(at) = self.units.find(lpn)
            && self.units.is_dirty(at)
        {
            self.clean(at);
            self.log.collected += 1;
        }
    }

    #[inline]
    fn moved(&mut self, lpns: &[Lpn]) {
        let dirty = lpns.iter().filter(|lpn| self.units.is_dirty_lpn(**lpn));
        self.log.moved_in_vain += dirty.count() as u64;
    }

    fn update_probability(&self, lpn: Lpn) -> Probability {
        let slot = self.units.slot(self.units.split(lpn).0);
        slot.map_or(Probability::NEVER, |slot| self.policy.update_probability(slot))
    }

    /// One lookup per unit.
    #[inline]
    fn dirty_in(&self, first: Lpn, pages: u32) -> DirtyRange {
        let mut range = DirtyRange::default();
        if self.is_clean() {
            return range;
        }
        let (mut next, end) = (first.0, first.0 + pages);
        while next < end {
            let (number, page) = self.units.split(Lpn(next));
            let count = (self.plan.unit_pages - page).min(end - next);
            next += count;
            let Some(slot) = self.units.slot(number) else { continue };
            let dirty = self.units.dirty_within(slot, page..page + count);
            if dirty > 0 {
                let kept = self.policy.update_probability(slot).complement().in_thousandths();
                range.pages += dirty;
                range.kept_clean += u64::from(dirty) * u64::from(kept);
            }
        }
        range
    }
}

#[cfg(test)]
mod tests;
