//! How much memory a format or a mount takes at most.
//!
//! Upper bounds of what the schemes allocate, by shape. Tests compare them with what is allocated, for every scheme on many shapes
//! and contents: never more, and not much less.
//!
//! Sizes are counted in 64 bits, in which those of no shape overflow, and are refused where a pointer cannot reach so far.

use crate::error::FTL_E_TOO_LARGE;
use core::ffi::c_int;
use flash::Geometry;
use ftl::{Layout, Plan};

/// What a block of memory may take besides its bytes: rounding to 16.
const EACH: u64 = 16;
/// Gaps before blocks of memory that are aligned to cache lines: a table of blocks each.
const GAPS: u64 = 8 * 64;
/// Blocks of memory of a scheme and its mount, at most.
const PIECES: u64 = 48;
/// A block as a mount found it.
const FOUND: u64 = 32;
/// A partly written block that waits to be continued.
const WAITING: u64 = 12;
/// An entry of the table of cached entries, with its index.
const SLOT: u64 = 36;
/// Data blocks that a mount continues at most, with the map on flash.
const CONTINUED: u64 = 16;
/// Entries beyond the table's size, for failures.
const BEYOND: u64 = 64;

/// What a vector may take that grows to so many bytes: twice that, and half of it again while it moves.
fn grown(bytes: u64) -> u64 {
    3 * bytes + 64
}

/// Valid counts and bits of blocks: a word of count and the words of bits, padded.
fn block_table(blocks: u64, pages: u64) -> u64 {
    let words = pages.div_ceil(64) + 1;
    let stride = if words <= 8 { words.next_power_of_two() } else { words.next_multiple_of(8) };
    (blocks * stride).div_ceil(8) * 64
}

/// What an area of blocks takes: valid pages, candidates, free blocks, blocks that failed, a log.
fn space(blocks: u64, pages: u64) -> u64 {
    block_table(blocks, pages)
        + 4 * (blocks.next_power_of_two() + blocks + pages + 1)
        + 4 * blocks
        + blocks.div_ceil(64) * 8
        + 8 * (pages + 1)
        + 256
}

/// Bytes as a size of this processor, or of one whose largest block of memory is `most` bytes.
///
/// # Errors
/// [`FTL_E_TOO_LARGE`].
fn sized(bytes: u64, most: u64) -> Result<usize, c_int> {
    usize::try_from(bytes).ok().filter(|_| bytes <= most).ok_or(FTL_E_TOO_LARGE)
}

/// As [`sized`], on this processor.
pub(crate) fn here(bytes: u64) -> Result<usize, c_int> {
    sized(bytes, isize::MAX as u64)
}

/// Bytes of a format or mount: what is kept, and the most that is needed besides.
pub(crate) fn needed(plan: &Plan, geometry: &Geometry, instance: u64) -> u64 {
    let (blocks, pages) = (u64::from(geometry.blocks()), u64::from(geometry.pages_per_block()));
    let (all, page) = (u64::from(geometry.pages()), u64::from(geometry.page_bytes()));
    let logical = u64::from(plan.logical_pages);
    // The array: a page buffer, bad blocks.
    let array = page + blocks.div_ceil(64) * 8;
    let (kept, besides) = match &plan.layout {
        Layout::OnDemand(layout) => {
            let entries = u64::from(layout.cmt_entries) + BEYOND;
            let per_page = page / 4;
            let translation = logical.div_ceil(per_page.max(1));
            let cache = entries * SLOT + 20 * translation + 4 * (per_page + 1);
            // The map's area has as few free blocks as it has blocks.
            let few = blocks - u64::from(layout.data_blocks);
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
            let image = image_bytes(logical_blocks, u64::from(layout.queue_blocks), pages, page);
            let kept = 4 * whole
                + 24 * logical_blocks
                + 4 * (logical_blocks + 1)
                + 3 * 4 * blocks
                + blocks.div_ceil(64) * 8
                + grown(4 * blocks)
                + 4 * blocks
                + pages * (page + 1)
                + 8 * (pages + 1)
                + 16 * u64::from(layout.area_blocks);
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
fn image_bytes(logical_blocks: u64, queue_blocks: u64, pages: u64, page: u64) -> u64 {
    let words_bytes = (page / 4 * 4).max(4);
    let pages_of = |words: u64| (words * 4).div_ceil(words_bytes);
    let first = pages_of(8 + logical_blocks).max(pages);
    (first + pages_of(2 * logical_blocks) + pages_of(4 * queue_blocks * pages)) * words_bytes
}

/// Bytes that a shutdown needs: the maps that `gftl` writes; nothing for other schemes.
pub(crate) fn shutdown(plan: &Plan, geometry: &Geometry) -> u64 {
    let Layout::Gftl(layout) = &plan.layout else { return 0 };
    let (pages, page) = (u64::from(geometry.pages_per_block()), u64::from(geometry.page_bytes()));
    let logical_blocks = u64::from(plan.logical_pages).div_ceil(pages);
    let blocks = u64::from(geometry.blocks());
    image_bytes(logical_blocks, u64::from(layout.queue_blocks), pages, page)
        + grown(4 * logical_blocks)
        + grown(4 * blocks)
        + page
        + 8 * 64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::FTL_E_TOO_LARGE;
    use flash::{Part, parts};
    use ftl::firmware::{Options, fsr, gftl_in_order, lazy_rtgc, on_demand_rtgc, page_level};

    type PlanOf = fn(&Options, &Part, &Geometry, u32) -> Result<Plan, ftl::FtlError>;

    /// Up to the largest arrays that there are no size wraps, though usize is of 64 bits here; and where usize has 32, what is beyond
    /// half of its range is refused, and nothing else.
    #[test]
    fn sizes_beyond_32_bits_are_refused_and_none_wraps() {
        const HALF: u64 = i32::MAX as u64;
        let schemes: [PlanOf; 5] = [
            page_level::plan,
            fsr::plan,
            lazy_rtgc::plan,
            on_demand_rtgc::plan,
            gftl_in_order::plan,
        ];
        let (mut small, mut large, mut beyond) = (0, 0, 0);
        for plan in schemes {
            for pages in [4u32, 8, 16, 64, 1024, 1 << 20] {
                let (mut before, mut fewer) = (0, 1u64);
                for (bits, page) in
                    [(16, 512), (24, 2048), (26, 4096), (28, 4096), (31, 16384), (32, 1 << 20)]
                {
                    let all = (1u64 << bits).min(u64::from(u32::MAX - 1));
                    let Ok(geometry) = Geometry::new((all / u64::from(pages)) as u32, pages, page)
                    else {
                        continue;
                    };
                    let slc = parts::EVALUATION_SLC.clone();
                    let part = Part { pages_per_block: pages, page_bytes: page, ..slc };
                    let spare_blocks = geometry.blocks() / 50;
                    let options = Options { logical_pages: None, spare_blocks };
                    let good = geometry.blocks();
                    let Ok(plan) = plan(&options, &part, &geometry, good) else {
                        continue;
                    };
                    let sizes = [needed(&plan, &geometry, 1000), shutdown(&plan, &geometry)];
                    // Nearly in proportion to the pages, of many blocks: a part that wrapped would show.
                    let in_ram = !matches!(plan.layout, Layout::OnDemand(_));
                    let [now, then] = [sizes[0], before].map(u128::from);
                    let tenths = if in_ram { 8 } else { 2 };
                    let is_near = now * 10 * u128::from(fewer) >= then * tenths * u128::from(all);
                    assert!(is_near, "{geometry:?}: {before} {sizes:?}");
                    if good >= 1000 {
                        (before, fewer) = (sizes[0], all);
                    }
                    // An entry of the map each, but with the map on flash.
                    if in_ram {
                        assert!(sizes[0] > 4 * u64::from(plan.logical_pages), "{geometry:?}");
                    }
                    for bytes in sizes {
                        assert_eq!(sized(bytes, u64::MAX / 2), Ok(bytes as usize));
                        match sized(bytes, HALF) {
                            Ok(size) => {
                                small += 1;
                                assert!(size as u64 == bytes && bytes <= HALF);
                            }
                            Err(code) => {
                                large += 1;
                                // What would have passed, wrapped.
                                beyond += u32::from(
                                    bytes > u32::MAX.into() && u64::from(bytes as u32) <= HALF,
                                );
                                assert!(code == FTL_E_TOO_LARGE && bytes > HALF, "{code}");
                            }
                        }
                    }
                }
            }
        }
        assert!(small > 20 && large > 20 && beyond > 5, "{small} {large} {beyond}");
        assert_eq!(
            (sized(HALF, HALF), sized(HALF + 1, HALF)),
            (Ok(HALF as usize), Err(FTL_E_TOO_LARGE))
        );
        assert_eq!(here(u64::MAX), Err(FTL_E_TOO_LARGE));
    }
}
