//! Set-up of Figs. 1 and 3: FAST with blocks of four pages, below a buffer of eight pages. The merge of a log block
//! is reconstructed page by page from the flash content afterwards.

use crate::chip::chip;
use flash::parts::K9WBG08U1M;
use flash::{
    AnyArray, BlockId, Cause, Flash, FlashError, Geometry, Lpn, Oob, Operation, Part, Ppn, Store,
};
use ftl::{BufferPolicy, BufferSettings, FtlError, SchemeConfig, registry};
use lab::run::plain_array;
use std::collections::{BTreeMap, BTreeSet};

const PAGES_PER_BLOCK: u32 = 4;
const PAGE_BYTES: u32 = 8;

const BUFFER_PAGES: u64 = 8;

/// Logical pages: B0 (p0 to p3), B1 (p4 to p7), and a third block, whose updates need space in the log.
const LOGICAL_PAGES: u32 = 12;

/// A page of the third block.
const OTHER: Lpn = Lpn(9);

/// Enough blocks for data, two log blocks and merges.
const BLOCKS: u32 = 10;

pub(super) type Chip = AnyArray;

/// The paper's part with the figures' block size.
pub(super) fn part() -> Part {
    Part { page_bytes: PAGE_BYTES, pages_per_block: PAGES_PER_BLOCK, ..K9WBG08U1M.clone() }
}

/// Source of a page on flash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// Written by the initial fill of the data blocks.
    Data = 0,
    /// Written to a log block as an update.
    Log = 1,
    /// Written from the buffer.
    Buffer = 2,
}

fn page(lpn: Lpn, origin: Origin) -> [u8; PAGE_BYTES as usize] {
    [lpn.0 as u8, origin as u8, 0, 0, 0, 0, 0, 0]
}

fn origin(bytes: &[u8]) -> Origin {
    match bytes[1] {
        0 => Origin::Data,
        1 => Origin::Log,
        _ => Origin::Buffer,
    }
}

/// Task for the buffer before the merge.
#[derive(Clone, Copy, Debug)]
pub(super) enum Task {
    Write(u32),
    Read(u32),
}

fn empty() -> Result<Chip, FtlError> {
    let geometry = Geometry::new(BLOCKS, PAGES_PER_BLOCK, PAGE_BYTES).map_err(|error| {
        FtlError::Config { scheme: "fast", setting: "geometry", reason: error.to_string() }
    })?;
    Ok(plain_array(geometry, part(), Store::All).into())
}

fn fast(log_blocks: u32) -> Result<SchemeConfig, FtlError> {
    Ok(SchemeConfig {
        logical_pages: Some(LOGICAL_PAGES),
        log_blocks: Some(log_blocks),
        ..SchemeConfig::preset(registry::by_name("fast")?)
    })
}

/// FAST below a buffer. If `aware`, merges include the buffer's dirty pages.
pub(super) fn fast_below(
    policy: &'static BufferPolicy,
    log_blocks: u32,
    aware: bool,
) -> Result<SchemeConfig, FtlError> {
    let buffer = BufferSettings {
        policy: Some(Some(policy)),
        bytes: Some(BUFFER_PAGES * u64::from(PAGE_BYTES)),
        unit: Some(ftl::BufferUnit::Page),
        age_ns: Some(0),
        aware: Some(aware),
        ..BufferSettings::default()
    };
    Ok(SchemeConfig { buffer, ..fast(log_blocks)? })
}

/// FAST's array after a sequential fill of all data blocks and these updates.
pub(super) fn image(log_blocks: u32, updates: &[u32]) -> Result<Chip, FtlError> {
    let mut scheme = registry::format(&fast(log_blocks)?, empty()?)?;
    for lpn in (0..LOGICAL_PAGES).map(Lpn) {
        scheme.write(lpn, Some(&page(lpn, Origin::Data)))?;
    }
    for lpn in updates.iter().copied().map(Lpn) {
        scheme.write(lpn, Some(&page(lpn, Origin::Log)))?;
    }
    Ok(scheme.into_flash())
}

/// All programmed pages with address, OOB and data.
fn pages(chip: &mut Chip) -> Result<Vec<(Ppn, Oob, Vec<u8>)>, FtlError> {
    let mut found = Vec::new();
    for ppn in (0..chip.geometry().pages()).map(Ppn) {
        let mut bytes = vec![0; PAGE_BYTES as usize];
        match chip.read(ppn, Some(&mut bytes), Cause::Host) {
            Ok(oob) => found.push((ppn, oob, bytes)),
            Err(FlashError::Erased(_)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(found)
}

/// The same array with the first logged version of page `from` replaced by page `to`. This reproduces the figures,
/// where FAST itself would not have written that page to the log.
pub(super) fn with_first_logged(mut chip: Chip, from: u32, to: u32) -> Result<Chip, FtlError> {
    let mut changed = empty()?;
    let mut is_first = true;
    for (ppn, oob, bytes) in pages(&mut chip)? {
        let found = is_first && oob.lpn.0 == from && origin(&bytes) == Origin::Log;
        is_first &= !found;
        let lpn = if found { Lpn(to) } else { oob.lpn };
        changed.program(ppn, Oob { lpn, ..oob }, Some(&page(lpn, origin(&bytes))), Cause::Host)?;
    }
    Ok(changed)
}

/// Result of the merge of one log block.
#[derive(Clone, Debug, Default)]
pub(super) struct Merged {
    /// Source of each page in the new data blocks.
    pub(super) moved: BTreeMap<u32, Origin>,
    /// Pages at a wrong offset in the new data blocks.
    pub(super) misplaced: u64,
    pub(super) copies: u64,
    pub(super) programs: u64,
    pub(super) erases: u64,
    pub(super) ns: u64,
    /// Pages moved while the buffer held a newer version.
    pub(super) in_vain: u64,
    /// Pages written when the buffer is flushed afterwards.
    pub(super) written_later: u64,
}

impl Merged {
    /// The pages from these sources.
    pub(super) fn of(&self, origins: &[Origin]) -> String {
        let of = |(_, origin): &(&u32, &Origin)| origins.contains(origin);
        set(self.moved.iter().filter(of).map(|(lpn, _)| *lpn))
    }
}

/// Set of pages in the paper's notation.
pub(super) fn set(lpns: impl IntoIterator<Item = u32>) -> String {
    let names: Vec<String> = lpns.into_iter().map(|lpn| format!("p{lpn}")).collect();
    if names.is_empty() { "none".into() } else { names.join(", ") }
}

/// Mounts the array, runs the tasks, and makes FAST merge one log block.
pub(super) fn merge(
    config: &SchemeConfig,
    array: Chip,
    tasks: &[Task],
) -> Result<Merged, FtlError> {
    let mut scheme = registry::mount(config, array)?;
    for task in tasks {
        match *task {
            Task::Write(lpn) => scheme.write(Lpn(lpn), Some(&page(Lpn(lpn), Origin::Buffer)))?,
            Task::Read(lpn) => {
                scheme.read(Lpn(lpn), Some(&mut [0; PAGE_BYTES as usize]))?;
            }
        }
    }
    let geometry = *scheme.flash().geometry();
    let block = |ppn| geometry.block_of(ppn);
    let before: BTreeSet<BlockId> =
        pages(scheme.flash_mut())?.iter().map(|(ppn, ..)| block(*ppn)).collect();
    let (counts, busy) = (*chip(scheme.flash()).counts(), chip(scheme.flash()).busy_in_steps_ns());
    // This write forces a merge: the page is not in the buffer, and the log is full.
    scheme.write_through(OTHER, Some(&page(OTHER, Origin::Log)))?;
    let done = chip(scheme.flash()).counts().since(&counts);
    let count = |operation| done.get(operation, Cause::FullMerge);
    let mut merged = Merged {
        copies: count(Operation::Copy),
        programs: count(Operation::Program),
        erases: count(Operation::Erase),
        ns: chip(scheme.flash()).busy_in_steps_ns() - busy,
        in_vain: scheme.telemetry().buffer.map_or(0, |(_, log)| log.moved_in_vain),
        ..Merged::default()
    };
    for (ppn, oob, bytes) in pages(scheme.flash_mut())? {
        if !before.contains(&block(ppn)) && oob.lpn != OTHER {
            merged.moved.insert(oob.lpn.0, origin(&bytes));
            let places = [ppn.0, oob.lpn.0].map(|number| number % PAGES_PER_BLOCK);
            merged.misplaced += u64::from(places[0] != places[1]);
        }
    }
    let flushed = scheme.telemetry().buffer.map_or(0, |(_, log)| log.flushed);
    scheme.flush()?;
    merged.written_later = scheme.telemetry().buffer.map_or(0, |(_, log)| log.flushed) - flushed;
    Ok(merged)
}
