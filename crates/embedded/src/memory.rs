//! How much memory a format or a mount takes at most.
//!
//! Upper bounds of what the schemes allocate, by shape. Tests compare them with what is allocated, for every scheme on many shapes
//! and contents: never more, and not much less.

use flash::Geometry;
use ftl::{Layout, Plan};

/// What a block of memory may take besides its bytes: rounding to 16.
const EACH: usize = 16;
/// Gaps before blocks of memory that are aligned to cache lines: a table of blocks each.
const GAPS: usize = 8 * 64;
/// Blocks of memory of a scheme and its mount, at most.
const PIECES: usize = 48;
/// A block as a mount found it.
const FOUND: usize = 32;
/// A partly written block that waits to be continued.
const WAITING: usize = 12;
/// An entry of the table of cached entries, with its index.
const SLOT: usize = 36;
/// Data blocks that a mount continues at most, with the map on flash.
const CONTINUED: usize = 16;
/// Entries beyond the table's size, for failures.
const BEYOND: usize = 64;

/// What a vector may take that grows to so many bytes: twice that, and half of it again while it moves.
fn grown(bytes: usize) -> usize {
    3 * bytes + 64
}

/// Valid counts and bits of blocks: a word of count and the words of bits, padded.
fn block_table(blocks: usize, pages: usize) -> usize {
    let words = pages.div_ceil(64) + 1;
    let stride = if words <= 8 { words.next_power_of_two() } else { words.next_multiple_of(8) };
    (blocks * stride).div_ceil(8) * 64
}

/// What an area of blocks takes: valid pages, candidates, free blocks, blocks that failed, a log.
fn space(blocks: usize, pages: usize) -> usize {
    block_table(blocks, pages)
        + 4 * (blocks.next_power_of_two() + blocks + pages + 1)
        + 4 * blocks
        + blocks.div_ceil(64) * 8
        + 8 * (pages + 1)
        + 256
}

/// Bytes of a format or mount: what is kept, and the most that is needed besides.
pub(crate) fn needed(plan: &Plan, geometry: &Geometry, instance: usize) -> usize {
    let (blocks, pages) = (geometry.blocks() as usize, geometry.pages_per_block() as usize);
    let (all, page) = (geometry.pages() as usize, geometry.page_bytes() as usize);
    let logical = plan.logical_pages as usize;
    // The array: a page buffer, bad blocks.
    let array = page + blocks.div_ceil(64) * 8;
    let (kept, besides) = match &plan.layout {
        Layout::OnDemand(layout) => {
            let entries = layout.cmt_entries as usize + BEYOND;
            let per_page = page / 4;
            let translation = logical.div_ceil(per_page.max(1));
            let cache = entries * SLOT + 20 * translation + 4 * (per_page + 1);
            // The map's area has as few free blocks as it has blocks.
            let few = blocks - layout.data_blocks as usize;
            let areas = 2 * space(blocks, pages) - 4 * blocks + 4 * few;
            let kept = areas + 4 * blocks + cache + 2 * page + 8 * pages;
            // Translation blocks, data blocks that are partly written, the pages met, a translation page.
            let met = FOUND * (CONTINUED + 3) + WAITING * (CONTINUED + 3) + logical / 8 + 8;
            // Blocks of data and erased ones, a bit each, where a shutdown has sealed the array.
            let sealed = 2 * blocks.div_ceil(64) * 8;
            (kept, FOUND * few + page + met.max(sealed))
        }
        Layout::Gftl(layout) => {
            let whole = logical.next_multiple_of(pages);
            let logical_blocks = whole / pages;
            let image = image_bytes(logical_blocks, layout.queue_blocks as usize, pages, page);
            let kept = 4 * whole
                + 24 * logical_blocks
                + 4 * (logical_blocks + 1)
                + 3 * 4 * blocks
                + blocks.div_ceil(64) * 8
                + grown(4 * blocks)
                + 4 * blocks
                + pages * (page + 1)
                + 8 * (pages + 1)
                + 16 * layout.area_blocks as usize;
            let sorted = grown(16 * blocks)
                + grown(8 * blocks)
                + grown(4 * logical_blocks)
                + grown(16 * blocks);
            let loaded = grown(image) + image + page + blocks;
            (kept, sorted.max(loaded))
        }
        _ => {
            let kept = 4 * logical + space(blocks, pages);
            (kept, FOUND * blocks + (WAITING * blocks).max(all / 8 + 8))
        }
    };
    array + instance + kept + besides + PIECES * EACH + GAPS
}

/// Bytes of the maps that `gftl` writes at a shutdown.
fn image_bytes(logical_blocks: usize, queue_blocks: usize, pages: usize, page: usize) -> usize {
    let words_bytes = (page / 4 * 4).max(4);
    let pages_of = |words: usize| (words * 4).div_ceil(words_bytes);
    let first = pages_of(8 + logical_blocks).max(pages);
    (first + pages_of(2 * logical_blocks) + pages_of(4 * queue_blocks * pages)) * words_bytes
}

/// Bytes that a shutdown needs: the maps that `gftl` writes; nothing for other schemes.
pub(crate) fn shutdown(plan: &Plan, geometry: &Geometry) -> usize {
    let Layout::Gftl(layout) = &plan.layout else { return 0 };
    let (pages, page) = (geometry.pages_per_block() as usize, geometry.page_bytes() as usize);
    let logical_blocks = (plan.logical_pages as usize).div_ceil(pages);
    let blocks = geometry.blocks() as usize;
    image_bytes(logical_blocks, layout.queue_blocks as usize, pages, page)
        + grown(4 * logical_blocks)
        + grown(4 * blocks)
        + page
        + 8 * 64
}
