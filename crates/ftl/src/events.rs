//! Events that several schemes report. All compile to nothing where nobody observes the array.

use flash::{BlockId, Event, Item, Lpn, Ppn, Probe};

/// Why a victim is taken.
pub(crate) mod why {
    /// Fewer pages or blocks are free than the threshold, or victims of the last choice are left.
    pub(crate) const FEW_FREE: &str = "few free pages";
    /// No erased block is left but the one kept for collection.
    pub(crate) const FEW_BLOCKS: &str = "few free blocks";
    /// Fewer pages are free than the threshold among blocks of translation pages.
    pub(crate) const FEW_TRANSLATION: &str = "few free translation pages";
    /// The host is idle.
    pub(crate) const IDLE: &str = "idle time";
    /// A mount recovers the free space that the bound assumes.
    pub(crate) const MOUNT: &str = "mount";
    /// The blocks of a logical block are nearly full.
    pub(crate) const BLOCKS_FULL: &str = "its logical block has few free pages";
    /// No log block has an erased page, and no other may be opened.
    pub(crate) const LOG_FULL: &str = "the log is full";
}

/// A block, or that there is none.
#[inline(always)]
pub(crate) fn block_or_none(block: u32) -> Item {
    if block == u32::MAX { Item::Word("none") } else { Item::Block(BlockId(block)) }
}

/// A victim was taken.
#[inline(always)]
pub(crate) fn victim<F: Probe>(flash: &mut F, block: BlockId, valid: u32, why: &'static str) {
    flash.event(&Event::new(
        "victim",
        "victim: block {block}, {valid} valid pages ({why})",
        &[
            ("block", Item::Block(block)),
            ("valid", Item::Count(valid.into())),
            ("why", Item::Word(why)),
        ],
    ));
}

/// A block was opened in this role for this logical block.
#[inline(always)]
pub(crate) fn opened<F: Probe>(flash: &mut F, block: BlockId, role: &'static str, logical: u32) {
    flash.event(&Event::new(
        "block-opened",
        "block {block} is opened: {role} block of LBN {logical}",
        &[
            ("block", Item::Block(block)),
            ("role", Item::Word(role)),
            ("logical", Item::LogicalBlock(logical)),
        ],
    ));
}

/// A block was opened in this role for all logical blocks.
#[inline(always)]
pub(crate) fn opened_for_all<F: Probe>(flash: &mut F, block: BlockId, role: &'static str) {
    flash.event(&Event::new(
        "block-opened",
        "block {block} is opened: {role} of all logical blocks",
        &[("block", Item::Block(block)), ("role", Item::Word(role))],
    ));
}

/// Collection programs the newest version of a page from the write buffer.
#[inline(always)]
pub(crate) fn page_from_buffer<F: Probe>(flash: &mut F, lpn: Lpn) {
    flash.event(&Event::new(
        "page-from-buffer",
        "LPN {lpn} is dirty in the write buffer: its newest version is programmed",
        &[("lpn", Item::Lpn(lpn))],
    ));
}

/// A logical page is lost.
#[inline(always)]
pub(crate) fn lost_page<F: Probe>(flash: &mut F, lpn: Lpn) {
    flash.event(&Event::new(
        "lost-page",
        "LPN {lpn} is lost: its only copy is unreadable",
        &[("lpn", Item::Lpn(lpn))],
    ));
}

/// A block was marked bad.
#[inline(always)]
pub(crate) fn retired<F: Probe>(flash: &mut F, block: BlockId) {
    flash.event(&Event::new(
        "retired-block",
        "block {block} is marked bad",
        &[("block", Item::Block(block))],
    ));
}

/// A mount found an unreadable page.
#[inline(always)]
pub(crate) fn found_torn<F: Probe>(flash: &mut F, ppn: Ppn) {
    flash.event(&Event::new(
        "found-torn-page",
        "page {page} is unreadable: it counts as invalid",
        &[("page", Item::Page(ppn))],
    ));
}

/// A mount found a partly written block, and continues it at this page.
#[inline(always)]
pub(crate) fn found_open<F: Probe>(flash: &mut F, block: BlockId, next: Ppn) {
    flash.event(&Event::new(
        "found-open-block",
        "block {block} is partly written: it goes on at page {page}",
        &[("block", Item::Block(block)), ("page", Item::Page(next))],
    ));
}

/// A mount found a block of this role and logical block.
#[inline(always)]
pub(crate) fn found_block<F: Probe>(
    flash: &mut F,
    block: BlockId,
    role: &'static str,
    logical: u32,
) {
    flash.event(&Event::new(
        "found-block",
        "block {block} is found: {role} block of LBN {logical}",
        &[
            ("block", Item::Block(block)),
            ("role", Item::Word(role)),
            ("logical", Item::LogicalBlock(logical)),
        ],
    ));
}

/// A mount found a block without pages that count, and erases it.
#[inline(always)]
pub(crate) fn discarded<F: Probe>(flash: &mut F, block: BlockId) {
    flash.event(&Event::new(
        "found-leftover",
        "block {block} is left over from an interrupted operation: it is erased",
        &[("block", Item::Block(block))],
    ));
}
