//! Zones that the host writes in order and resets as a whole: the device maps zones to blocks and never moves a page.
//!
//! ```text
//! zone z of B blocks, page o of it:  block o mod B of the zone, page o div B; the blocks lie on different dies
//! write(page o of z):    refuse unless o is the write pointer; open z; program; move the write pointer
//! append(z):             write at the write pointer
//! reset(z):              erase the written blocks of z, the first one first; z is empty
//! finish(z):             program a mark at the write pointer; z is full
//! open(z) the first time: take B free blocks, those that have been free for longest
//! ```
//!
//! State: per zone its state and write pointer, 8 B, and B block numbers, 4 B each; the free blocks of each die. Pages are
//! read and written in O(1), zones are opened and closed in O(`max_open`), and reset in O(B).
//!
//! Formulas: write U(e_w) = t_prog, read U(e_r) = t_R, trim of a zone B·t_er. So U(R) = max(t_prog, t_R, B·t_er), whatever
//! the fill and the history. WAF is 1; each finish adds a page.
//!
//! Invariants: at most `max_open` zones are open and at most `max_active` active; a block is programmed in order; zones
//! that are neither read only nor offline find B blocks. Asserted by `testkit`'s suite of zones, with the power cut at every
//! operation, and by the array, which refuses programs out of order.
//!
//! Parameters:
//! - `zone` (B blocks): bytes of a zone, in whole blocks; default a block on each die. Its size is its capacity.
//! - `max_open`: most open zones, from 1; default 14, at most `max_active`.
//! - `max_active`: most active zones, from 1; default 14.
//! - `logical_share`: rounded down to whole zones; default all.
//! - `spare_blocks`: default 0; blocks that fill no zone are spare as well.
//!
//! Errors: fewer blocks than a zone has, `zone` not in whole blocks, limits of 0, a write buffer, static wear levelling:
//! refused before the run. Commands that a zone's state does not allow are refused one by one, and the run goes on.
//!
//! Failures: after a failed program the controller finishes the zone: the write gets Write Fault, what was written before can
//! be read, and the reset of the zone retires the block. While no spare block is left to replace it, the zone becomes read
//! only instead. A block that fails to erase is retired; where the blocks that are left do not suffice for all zones, the
//! zone that was reset becomes offline.
//!
//! Mount: blocks are found by the LPNs in their OOBs. A zone that is partly written is closed. A torn page at the write
//! pointer, or the mark of a finish, makes it full. If the first block of a zone is erased and others are not, a reset was cut
//! short and is completed.
//!
//! Deviations: after a mount, a zone that was read only is full, and if blocks are short the last empty zones are offline,
//! whichever was before. There is no zone descriptor extension, no limit to the size of an append, and no reset
//! recommended by the device.
//!
//! Source: NVM Express, Zoned Namespace Command Set Specification 1.1, 2021; M. Bjørling et al., ZNS: Avoiding the Block
//! Interface Tax for Flash-based SSDs, USENIX ATC 2021.

mod mount;

use crate::error::FtlError;
use crate::guarantee::{Guarantee, Ram};
use crate::interface::{Background, Ftl, on_array, zeros};
use crate::layout::{Layout, ZoneLayout};
use crate::page::page;
use crate::plan::Plan;
use crate::preset::{BuildResult, Preset, SchemeConfig, Setup, Start};
use crate::start::{check_failed, erase_written};
use crate::telemetry::{CollectionLog, Telemetry};
use crate::zones::{Machine, Refusal, ZoneAction, ZoneLimits, ZoneShape, ZoneState, ZonesState};
use alloc::collections::{BTreeSet, VecDeque};
use alloc::{format, string::String, vec, vec::Vec};
use flash::{BlockId, Cause, FlashError, Geometry, Lpn, Oob, PageKind, Part, Ppn, Probe};

pub(crate) static PRESET: Preset = Preset {
    name: "zns",
    summary: "zones that the host writes in order, appends to and resets; the device never collects",
    source: "NVMe Zoned Namespace Command Set 1.1; Bjørling et al., ZNS, USENIX ATC 2021",
    settings: &["zone", "max_open", "max_active"],
    victims: None,
    page: page!("zns.rs"),
    buffer: None,
    plan,
    build,
};

/// Open and active zones of a drive on the market (Western Digital Ultrastar DC ZN540).
const DEFAULT_LIMIT: u32 = 14;

fn plan(
    config: &SchemeConfig,
    part: &Part,
    geometry: &Geometry,
    blocks: u32,
) -> Result<Plan, FtlError> {
    let error = |setting, reason| FtlError::Config { scheme: config.preset.name, setting, reason };
    let pages_per_block = geometry.pages_per_block();
    let block_bytes = u64::from(pages_per_block) * u64::from(geometry.page_bytes());
    let zone_blocks = match config.zone_bytes {
        None => u64::from(config.allocation.units()),
        Some(bytes) if bytes > 0 && bytes.is_multiple_of(block_bytes) => bytes / block_bytes,
        Some(bytes) => {
            let reason =
                format!("is {bytes} bytes; it must be a multiple of a block, {block_bytes} bytes");
            return Err(error("zone", reason));
        }
    };
    if zone_blocks > u64::from(blocks) {
        let reason =
            format!("takes {zone_blocks} blocks; there are {blocks} without the spare ones");
        return Err(error("zone", reason));
    }
    let zone_blocks = zone_blocks as u32;
    let zone_pages = zone_blocks * pages_per_block;
    let most = blocks / zone_blocks;
    let zones = config.logical_pages.map_or(most, |pages| pages / zone_pages);
    if zones == 0 || zones > most {
        let reason = format!(
            "exports {} pages; it must be a zone, {zone_pages} pages, to {most} zones",
            config.logical_pages.unwrap_or(0)
        );
        return Err(error("logical share", reason));
    }
    let active = config.max_active.unwrap_or(DEFAULT_LIMIT.max(config.max_open.unwrap_or(0)));
    let open = config.max_open.unwrap_or(DEFAULT_LIMIT.min(active));
    if active == 0 {
        return Err(error("max_active", String::from("is 0; it must be at least 1")));
    }
    if open == 0 || active < open {
        let reason = format!("is {open}; it must be 1 to `max_active`, {active}");
        return Err(error("max_open", reason));
    }
    if config.static_wear.is_some() {
        let reason =
            "moves blocks in the background, which a zoned device leaves to its host; omit it";
        return Err(error("wear", String::from(reason)));
    }
    let limits = ZoneLimits { open, active };
    let reset_ns = u64::from(zone_blocks).saturating_mul(part.t_bers_ns);
    Ok(Plan {
        logical_pages: zones * zone_pages,
        threshold_pages: 0,
        spare_blocks: 0,
        layout: Layout::Zoned(ZoneLayout { zone_blocks, limits }),
        buffer: None,
        slc: None,
        guarantee: Guarantee {
            read_ns: Some(part.t_r_ns),
            write_ns: Some(part.t_prog_ns),
            step_ns: Some(0),
            response_ns: Some(part.t_prog_ns.max(part.t_r_ns).max(reset_ns)),
            real_time: true,
            ..Guarantee::default()
        },
        ram: ram(zones, zone_blocks, geometry.blocks()),
    })
}

/// Controller RAM: state and write pointer per zone, its blocks, the free blocks.
fn ram(zones: u32, zone_blocks: u32, blocks: u32) -> Ram {
    Ram {
        map: u64::from(zones) * (8 + 4 * u64::from(zone_blocks)),
        blocks: u64::from(blocks) * 4,
        ..Ram::default()
    }
}

/// Formats or mounts the array, and returns the scheme.
fn build<F: Probe + Clone + 'static>(setup: &Setup<'_>, flash: F) -> BuildResult<F> {
    let Setup { config, plan, start } = *setup;
    let Layout::Zoned(layout) = plan.layout else { return Err(setup.foreign_plan()) };
    let mut scheme = Zns::new(flash, config, plan, layout);
    match start {
        Start::Format => scheme.format(config, plan)?,
        Start::Mount => scheme.mount(config)?,
    }
    Ok(setup.finish(scheme))
}

/// No block.
const NONE: u32 = u32::MAX;

/// The scheme; see the module header.
#[derive(Clone, Debug)]
pub(crate) struct Zns<F> {
    flash: F,
    machine: Machine,
    shape: ZoneShape,
    /// Blocks per zone (B).
    zone_blocks: u32,
    /// Block `zone · B + slot`; [`NONE`] where there is none.
    blocks: Vec<u32>,
    /// Free blocks by die, the one that has been free for longest first.
    free: Vec<VecDeque<u32>>,
    /// The dies in the order of consecutive pages.
    turns: Vec<u32>,
    /// Blocks in which a program failed; the reset of their zone retires them.
    failed: BTreeSet<u32>,
    /// Blocks that are bad, or in `failed` and not in a read-only zone.
    lost: u32,
    /// Sequence number of the zone opened last.
    seq: u64,
    /// Pages that can be programmed without an erase.
    free_pages: u64,
    /// The rest of this command is refused for this reason.
    refusing: Option<Refusal>,
    guarantee: Guarantee,
    ram: Ram,
    log: CollectionLog,
}

impl<F: Probe> Zns<F> {
    fn new(flash: F, config: &SchemeConfig, plan: &Plan, layout: ZoneLayout) -> Self {
        let geometry = *flash.geometry();
        let pages = layout.zone_blocks * geometry.pages_per_block();
        let shape = ZoneShape { zones: plan.logical_pages / pages, pages };
        Self {
            flash,
            machine: Machine::new(shape.zones, pages, layout.limits),
            shape,
            zone_blocks: layout.zone_blocks,
            blocks: vec![NONE; (shape.zones * layout.zone_blocks) as usize],
            free: vec![VecDeque::new(); config.allocation.units() as usize],
            turns: config.allocation.turns(),
            failed: BTreeSet::new(),
            lost: 0,
            seq: 0,
            free_pages: 0,
            refusing: None,
            guarantee: plan.guarantee,
            ram: plan.ram,
            log: CollectionLog::new(geometry.pages_per_block(), 0),
        }
    }

    fn format(&mut self, config: &SchemeConfig, plan: &Plan) -> Result<(), FtlError> {
        let mut failed = 0;
        for block in (0..self.flash.geometry().blocks()).map(BlockId) {
            if self.flash.is_bad(block) {
                self.lost += 1;
            } else if erase_written(&mut self.flash, block)? {
                self.add_free(block.0);
            } else {
                failed += 1;
                self.retire(block)?;
                self.lost += 1;
            }
        }
        check_failed(config, plan, failed)
    }

    /// Blocks that may be lost before zones are: those that no zone needs.
    fn spare(&self) -> u32 {
        let offline = self.machine.states()[ZoneState::Offline as usize];
        self.flash.geometry().blocks() - (self.shape.zones - offline) * self.zone_blocks
    }

    fn add_free(&mut self, block: u32) {
        let units = self.free.len() as u32;
        self.free[(block % units) as usize].push_back(block);
        self.free_pages += u64::from(self.flash.geometry().pages_per_block());
    }

    /// Marks a block bad.
    fn retire(&mut self, block: BlockId) -> Result<(), FtlError> {
        self.failed.remove(&block.0);
        self.log.retired_blocks += 1;
        Ok(self.flash.mark_bad(block)?)
    }

    /// Gives a zone its blocks: each on the die of its turn, or on the one with the most free blocks. Returns false if there
    /// are too few.
    fn take_blocks(&mut self, zone: u32) -> bool {
        let free: usize = self.free.iter().map(VecDeque::len).sum();
        let first = (zone * self.zone_blocks) as usize;
        let slots = first..first + self.zone_blocks as usize;
        if free < self.blocks[slots.clone()].iter().filter(|block| **block == NONE).count() {
            return false;
        }
        for (slot, at) in slots.enumerate() {
            if self.blocks[at] != NONE {
                continue;
            }
            let turn = self.turns[slot % self.turns.len()] as usize;
            let fullest = || (0..self.free.len()).max_by_key(|unit| self.free[*unit].len());
            let unit = if self.free[turn].is_empty() { fullest().unwrap_or(turn) } else { turn };
            if let Some(block) = self.free[unit].pop_front() {
                self.blocks[at] = block;
            }
        }
        self.seq += 1;
        true
    }

    /// Index in `blocks` and page of a page of a zone.
    #[inline]
    fn place(&self, zone: u32, page: u32) -> (usize, u32) {
        let slot = page % self.zone_blocks;
        ((zone * self.zone_blocks + slot) as usize, page / self.zone_blocks)
    }

    /// Pages of the block of this slot, of the first `used` pages of its zone.
    fn pages_in(&self, slot: u32, used: u32) -> u32 {
        (used + self.zone_blocks - 1 - slot) / self.zone_blocks
    }

    /// The zone of a page, and the page's index there.
    #[inline]
    fn split(&self, lpn: Lpn) -> (u32, u32) {
        (lpn.0 / self.shape.pages, lpn.0 % self.shape.pages)
    }

    /// Programs the page at the write pointer of a zone that is open.
    #[inline]
    fn program(
        &mut self,
        zone: u32,
        page: u32,
        data: Option<&[u8]>,
    ) -> Result<Result<(), Refusal>, FtlError> {
        if page == 0 && !self.take_blocks(zone) {
            self.machine.set(zone, ZoneState::Offline, 0);
            return Ok(Err(Refusal::ZoneOffline));
        }
        let oob = Oob::data(Lpn(zone * self.shape.pages + page), self.seq);
        match self.program_page(zone, page, oob, data, Cause::Host)? {
            true => {
                self.machine.wrote(zone);
                Ok(Ok(()))
            }
            false => {
                self.fail(zone, page + 1);
                Ok(Err(Refusal::WriteFault))
            }
        }
    }

    /// Programs a page; false if it failed, and is used up.
    #[inline]
    fn program_page(
        &mut self,
        zone: u32,
        page: u32,
        oob: Oob,
        data: Option<&[u8]>,
        cause: Cause,
    ) -> Result<bool, FtlError> {
        let (at, in_block) = self.place(zone, page);
        let ppn = self.flash.geometry().ppn(BlockId(self.blocks[at]), in_block);
        let programmed = match self.flash.program(ppn, oob, data, cause) {
            Ok(()) => true,
            Err(FlashError::ProgramFailed(_)) => {
                self.failed.insert(self.blocks[at]);
                false
            }
            Err(error) => return Err(error.into()),
        };
        self.free_pages -= 1;
        self.log.least_free_pages = self.log.least_free_pages.min(self.free_pages);
        Ok(programmed)
    }

    /// Ends writes to a zone of `written` pages in which a program failed.
    #[cold]
    fn fail(&mut self, zone: u32, written: u32) {
        let replaced = self.lost < self.spare();
        let state = if replaced { ZoneState::Full } else { ZoneState::ReadOnly };
        self.lost += u32::from(replaced);
        self.machine.log.finished_by_controller += u64::from(replaced);
        self.machine.set(zone, state, written);
        self.give_up_rest(zone, written);
    }

    /// Frees the blocks of a full zone that hold none of its first `used` pages, and gives up the rest of the others.
    fn give_up_rest(&mut self, zone: u32, used: u32) {
        let pages_per_block = self.flash.geometry().pages_per_block();
        for slot in 0..self.zone_blocks {
            let at = (zone * self.zone_blocks + slot) as usize;
            let programmed = self.pages_in(slot, used);
            if self.blocks[at] == NONE {
                continue;
            }
            self.free_pages -= u64::from(pages_per_block - programmed);
            if programmed == 0 {
                let block = core::mem::replace(&mut self.blocks[at], NONE);
                self.add_free(block);
            }
        }
    }

    /// Makes a zone full that the host finishes. The mark tells the next mount.
    ///
    /// Blocks in which a mark fails are lost without regard to spare ones: the reset of the zone takes it offline then.
    fn finish(&mut self, zone: u32) -> Result<Result<(), Refusal>, FtlError> {
        let page = self.machine.written(zone);
        match self.machine.manage(zone, ZoneAction::Finish) {
            Err(refusal) => return Ok(Err(refusal)),
            Ok(false) => return Ok(Ok(())),
            Ok(true) => {}
        }
        if page == 0 && !self.take_blocks(zone) {
            self.machine.set(zone, ZoneState::Offline, 0);
            return Ok(Err(Refusal::ZoneOffline));
        }
        let (mut used, mut marked) = (page, false);
        let failed_before = self.failed.len();
        while !marked && used < self.shape.pages {
            let lpn = Lpn(zone * self.shape.pages + used);
            let mark = Oob { lpn, kind: PageKind::Other, seq: self.seq };
            // Where the mark fails, it goes to the next page. The one that is used up counts as written, as a mount finds it.
            marked = self.program_page(zone, used, mark, None, Cause::Translation)?;
            used += 1;
        }
        self.lost += (self.failed.len() - failed_before) as u32;
        self.machine.set(zone, ZoneState::Full, used - u32::from(marked));
        self.machine.log.finishes += 1;
        self.give_up_rest(zone, used);
        Ok(Ok(()))
    }

    /// Erases the blocks of a zone that is reset.
    fn reset(&mut self, zone: u32) -> Result<Result<(), Refusal>, FtlError> {
        let full = self.machine.state(zone) == ZoneState::Full;
        let written = self.machine.written(zone);
        match self.machine.manage(zone, ZoneAction::Reset) {
            Err(refusal) => return Ok(Err(refusal)),
            Ok(false) => return Ok(Ok(())),
            Ok(true) => {}
        }
        let pages_per_block = self.flash.geometry().pages_per_block();
        for slot in 0..self.zone_blocks {
            let at = (zone * self.zone_blocks + slot) as usize;
            let block = core::mem::replace(&mut self.blocks[at], NONE);
            if block == NONE {
                continue;
            }
            // Of a full zone, no page counts as free any more, and no block is erased.
            let used = if full { pages_per_block } else { self.pages_in(slot, written) };
            self.free_pages -= u64::from(pages_per_block - used);
            self.erase(block, used > 0, Cause::Host)?;
        }
        self.take_offline(zone);
        Ok(Ok(()))
    }

    /// Erases a block if it is written, and frees or retires it.
    fn erase(&mut self, block: u32, written: bool, cause: Cause) -> Result<(), FtlError> {
        if self.failed.contains(&block) {
            return self.retire(BlockId(block));
        }
        let erased = if written { self.flash.erase(BlockId(block), cause) } else { Ok(()) };
        match erased {
            Ok(()) => self.add_free(block),
            Err(FlashError::EraseFailed(_)) => {
                self.lost += 1;
                self.retire(BlockId(block))?;
            }
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }

    /// Takes an empty zone offline if the blocks that are left do not suffice for it.
    fn take_offline(&mut self, zone: u32) {
        if self.lost > self.spare() {
            self.machine.set(zone, ZoneState::Offline, 0);
        }
    }

    /// Notes that the rest of a refused command is refused, too.
    fn admitted<T>(&mut self, admitted: Result<T, Refusal>) -> Result<T, FtlError> {
        admitted.map_err(|refusal| {
            self.refusing = Some(refusal);
            FtlError::Refused(refusal)
        })
    }
}

impl<F: Probe> Ftl for Zns<F> {
    on_array!(self, self.flash, self.shape.zones * self.shape.pages);

    #[inline]
    fn write(&mut self, lpn: Lpn, data: Option<&[u8]>) -> Result<(), FtlError> {
        self.check(lpn)?;
        let (zone, page) = self.split(lpn);
        let admitted = match self.refusing {
            Some(refusal) => Err(refusal),
            None => self.machine.admit_write(zone, page),
        };
        self.admitted(admitted)?;
        let written = self.program(zone, page, data)?;
        self.admitted(written)?;
        self.machine.log.written += 1;
        Ok(())
    }

    fn append(&mut self, place: Lpn, data: Option<&[u8]>) -> Result<Lpn, FtlError> {
        self.check(place)?;
        let (zone, following) = self.split(place);
        let admitted = match self.refusing {
            Some(refusal) => Err(refusal),
            None => self.machine.admit_append(zone, following + 1),
        };
        let page = self.admitted(admitted)?;
        let written = self.program(zone, page, data)?;
        self.admitted(written)?;
        self.machine.log.appended += 1;
        Ok(Lpn(zone * self.shape.pages + page))
    }

    fn manage(&mut self, zone: Lpn, action: ZoneAction) -> Result<(), FtlError> {
        self.check(zone)?;
        let (zone, page) = self.split(zone);
        if page > 0 {
            return Err(FtlError::Refused(Refusal::PartOfZone));
        }
        match action {
            ZoneAction::Open | ZoneAction::Close => self.machine.manage(zone, action).map(|_| ()),
            ZoneAction::Finish => self.finish(zone)?,
            ZoneAction::Reset => self.reset(zone)?,
        }
        .map_err(FtlError::Refused)
    }

    #[inline]
    fn end_command(&mut self) {
        self.refusing = None;
    }

    fn zones(&self) -> Option<ZoneShape> {
        Some(self.shape)
    }

    #[inline]
    fn read(&mut self, lpn: Lpn, data: Option<&mut [u8]>) -> Result<bool, FtlError> {
        self.check(lpn)?;
        let (zone, page) = self.split(lpn);
        if self.machine.state(zone) == ZoneState::Offline {
            return Err(FtlError::Refused(Refusal::ZoneOffline));
        }
        if page >= self.machine.written(zone) {
            zeros(data);
            return Ok(false);
        }
        let (at, in_block) = self.place(zone, page);
        if self.blocks[at] == NONE {
            return Err(FlashError::Uncorrectable(Ppn(NONE)).into());
        }
        let ppn = self.flash.geometry().ppn(BlockId(self.blocks[at]), in_block);
        self.flash.read_data(ppn, data, Cause::Host)?;
        Ok(true)
    }

    /// Refuses: only whole zones are reset, by [`Ftl::manage`].
    fn trim(&mut self, lpn: Lpn) -> Result<(), FtlError> {
        self.check(lpn)?;
        Err(FtlError::Refused(Refusal::PartOfZone))
    }

    #[inline]
    fn free_pages(&self) -> u64 {
        self.free_pages
    }

    fn telemetry(&self) -> Telemetry<'_> {
        let free: usize = self.free.iter().map(VecDeque::capacity).sum();
        let words = self.blocks.capacity() + free + self.turns.capacity();
        Telemetry {
            heap_bytes: self.machine.heap_bytes() + words * 4,
            zones: Some(ZonesState {
                shape: self.shape,
                limits: self.machine.limits(),
                blocks: self.zone_blocks,
                log: self.machine.log,
                states: self.machine.states(),
            }),
            ..Telemetry::new(self.guarantee, self.ram, &self.log)
        }
    }

    fn restart_telemetry(&mut self) {
        self.machine.restart_log();
        let retired_blocks = self.log.retired_blocks;
        let pages_per_block = self.flash.geometry().pages_per_block();
        self.log = CollectionLog { retired_blocks, ..CollectionLog::new(pages_per_block, 0) };
    }
}

impl<F: Probe> Background for Zns<F> {}
