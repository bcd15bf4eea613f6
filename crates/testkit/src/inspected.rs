//! The state that a scheme tells of itself, compared with the model and the array.

use crate::bench::{AnyScheme, bench_of, next_page};
use crate::checks::{Failure, agree};
use crate::model::Model;
use flash::{BlockId, Flash, Geometry, Item, Lpn, Ppn};
use ftl::{BlockUse, Inspection, Place};

/// Roles of blocks that hold no valid page.
const EMPTY: [&str; 4] = [BlockUse::FREE, BlockUse::SPARE, BlockUse::BAD, BlockUse::OBSOLETE];

/// Checks [`ftl::Ftl::inspect`]: each page is where the scheme says, in its newest version; each block has one use that fits what is in
/// it; lists hold what exists. A scheme that tells nothing passes: the suites of the registry demand that its schemes do.
///
/// # Errors
/// The disagreement.
pub(crate) fn check(scheme: &AnyScheme, model: &Model, sound: bool) -> Result<(), Failure> {
    let state = scheme.inspect();
    if state == Inspection::default() {
        return Ok(());
    }
    let wrong = |what: String| Err(Failure::Account(format!("the state told: {what}")));
    let flash = bench_of(scheme);
    let geometry = *flash.geometry();
    let same = |one, other| one == other;
    let pages = model.logical_pages().into();
    agree("pages of the map told", state.map.len() as u64, "logical pages", pages, same)?;
    let blocks = geometry.blocks().into();
    agree("uses of blocks told", state.blocks.len() as u64, "blocks", blocks, same)?;
    for (block, told) in (0..).map(BlockId).zip(&state.blocks) {
        check_use(scheme, block, told).or_else(wrong)?;
    }
    let holds_nothing: Vec<bool> =
        state.blocks.iter().map(|told| EMPTY.contains(&told.role)).collect();
    for (lpn, place) in (0..).map(Lpn).zip(&state.map) {
        check_place(scheme, model, sound, (lpn, *place)).or_else(wrong)?;
        if let Place::Flash(ppn) = place
            && holds_nothing[geometry.block_of(*ppn).0 as usize]
        {
            return wrong(format!("{lpn} is at {ppn}, in a block that holds nothing"));
        }
    }
    check_ram(scheme, &state)?;
    for (lpn, ppn) in &state.older {
        if state.map[lpn.0 as usize] != Place::Ram {
            return wrong(format!("an older version of {lpn} at {ppn}, which is not in RAM"));
        }
        check_holds(scheme, *lpn, *ppn).or_else(wrong)?;
    }
    for list in &state.lists {
        if list.capacity.is_some_and(|capacity| list.items.len() as u64 > capacity) {
            return wrong(format!("{} items in `{}`", list.items.len(), list.name));
        }
        let missing = |item: &&Item| !exists(item, &geometry, model.logical_pages());
        if let Some(item) = list.items.iter().find(missing) {
            return wrong(format!("`{}` holds {item:?}, which does not exist", list.name));
        }
    }
    Ok(())
}

fn check_use(scheme: &AnyScheme, block: BlockId, told: &BlockUse) -> Result<(), String> {
    let flash = bench_of(scheme);
    let is_bad = told.role == BlockUse::BAD;
    if is_bad != flash.is_bad(block) {
        return Err(format!("{block} is `{}`, and bad: {}", told.role, flash.is_bad(block)));
    }
    if !BlockUse::ROLES.iter().any(|(role, _)| *role == told.role) {
        return Err(format!("{block} has the role `{}`", told.role));
    }
    let (written, pages) = (next_page(flash, block), flash.geometry().pages_per_block());
    let pages = if flash.is_slc(block) { flash.part().cell.slc_pages(pages) } else { pages };
    let fits = match told.role {
        BlockUse::FREE | BlockUse::SPARE => written == 0,
        BlockUse::SLC => flash.is_slc(block),
        BlockUse::OBSOLETE => written > 0,
        BlockUse::FRONTIER | BlockUse::COPY_FRONTIER => written < pages,
        _ => true,
    };
    let what = || format!("{block} is `{}` with {written} pages programmed", told.role);
    if fits { Ok(()) } else { Err(what()) }
}

fn check_place(
    scheme: &AnyScheme,
    model: &Model,
    sound: bool,
    (lpn, place): (Lpn, Place),
) -> Result<(), String> {
    let newest = model.newest(lpn);
    match place {
        Place::Unmapped if newest.is_some() && peeks(scheme, lpn) => {
            Err(format!("{lpn} is unmapped, but was written"))
        }
        Place::Flash(_) | Place::Ram if model.is_empty(lpn) => {
            Err(format!("{lpn} is at {place:?}, but was trimmed or never written"))
        }
        Place::Lost if sound => Err(format!("{lpn} is lost on a sound array")),
        Place::Flash(ppn) => {
            check_holds(scheme, lpn, ppn)?;
            let flash = bench_of(scheme);
            match (newest, flash.inner().version(physical(scheme, ppn))) {
                (Some(newest), Some(held)) if held != newest => Err(format!(
                    "{lpn} is at {ppn}, which holds write {held}; the newest is write {newest}"
                )),
                _ => Ok(()),
            }
        }
        _ => Ok(()),
    }
}

/// False if the array would have to read to tell what is at the logical page's place: a scheme that searches its blocks
/// cannot tell the place then.
fn peeks(scheme: &AnyScheme, lpn: Lpn) -> bool {
    let array = bench_of(scheme).inner();
    let peeks = |ppn| flash::Probe::peek_lpn(array, ppn).is_some();
    // After a mount the array's account does not know yet where it is.
    array.place(lpn).map_or_else(|| (0..array.geometry().pages()).map(Ppn).any(peeks), peeks)
}

/// Checks that the physical page holds a version of the logical page.
fn check_holds(scheme: &AnyScheme, lpn: Lpn, ppn: Ppn) -> Result<(), String> {
    match flash::Probe::peek_lpn(bench_of(scheme), ppn) {
        Some(held) if held != lpn => Err(format!("{lpn} is at {ppn}, which holds {held}")),
        _ => Ok(()),
    }
}

/// Checks that pages are in RAM only where a write buffer or the scheme holds them.
fn check_ram(scheme: &AnyScheme, state: &Inspection) -> Result<(), Failure> {
    let telemetry = scheme.telemetry();
    let dirty = telemetry.buffer.map_or(0, |(_, log)| log.dirty);
    let own = if telemetry.write_queue_pages.is_some() { u64::MAX } else { 0 };
    let told = state.map.iter().filter(|place| **place == Place::Ram).count() as u64;
    let within = |told: u64, dirty: u64| told >= dirty && told <= dirty.saturating_add(own);
    agree("pages told to be in RAM", told, "dirty pages of the buffer", dirty, within)
}

/// The physical page below wear levelling.
fn physical(scheme: &AnyScheme, ppn: Ppn) -> Ppn {
    let flash = bench_of(scheme);
    let (block, page) = flash.geometry().split(ppn);
    flash.geometry().ppn(flash.physical(block), page)
}

fn exists(item: &Item, geometry: &Geometry, logical_pages: u32) -> bool {
    let logical_blocks = logical_pages.div_ceil(geometry.pages_per_block());
    match *item {
        Item::Lpn(lpn) => lpn.0 < logical_pages,
        Item::Page(ppn) => ppn.0 < geometry.pages(),
        Item::Block(block) => block.0 < geometry.blocks(),
        Item::LogicalBlock(logical) => logical < logical_blocks,
        Item::TranslationPage(page) => page < logical_pages,
        Item::Mapping(lpn, ppn) => lpn.0 < logical_pages && ppn.0 < geometry.pages(),
        Item::Count(_) => true,
        Item::Word(word) => !word.is_empty(),
    }
}
