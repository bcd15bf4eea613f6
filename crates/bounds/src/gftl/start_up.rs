//! Start-up and shutdown (§VI).

use flash::{Ns, Part};

/// Bytes of one entry of the block map.
const BLOCK_ENTRY_BYTES: u64 = 8;
/// Bytes of one entry of the write-queue map.
const QUEUE_ENTRY_BYTES: u64 = 16;

/// Bytes of one entry of the collection queue.
const COLLECTION_ENTRY_BYTES: u64 = 4;
/// Bytes that say what the image holds; they share the collection queue's pages.
const HEADER_BYTES: u64 = 32;

/// Pages that hold the block map, the write-queue map and the collection queue.
///
/// The collection queue has π pages, as printed, and more only on arrays of so many blocks that their
/// numbers take more.
pub fn image_pages(part: &Part, blocks: u32, queue_pages: u64) -> u64 {
    let page = u64::from(part.page_bytes.max(1));
    (u64::from(blocks) * BLOCK_ENTRY_BYTES).div_ceil(page)
        + (queue_pages * QUEUE_ENTRY_BYTES).div_ceil(page)
        + (HEADER_BYTES + u64::from(blocks) * COLLECTION_ENTRY_BYTES)
            .div_ceil(page)
            .max(part.pages_per_block.into())
}

/// After a clean shutdown: ⌈8N/page⌉·t_rd + ⌈16L/page⌉·t_rd + π·t_rd for N blocks and a queue of L pages.
pub fn start_up_ns(part: &Part, blocks: u32, queue_pages: u64) -> Ns {
    image_pages(part, blocks, queue_pages) * part.t_r_ns
}

/// The same pages programmed.
pub fn shutdown_ns(part: &Part, blocks: u32, queue_pages: u64) -> Ns {
    image_pages(part, blocks, queue_pages) * part.t_prog_ns
}

/// After a power cut: N·t_oob + L·t_oob, the first OOB of each block and all of the queue.
///
/// Erratum: for 1 GiB of 2 KiB pages and π = 64 the paper prints 1.84 s beside figures of 13.6 and 163 ms;
/// those need L = 57,344 (κ = 13), for which this is 1.638 s, and 1.84 s needs L = 65,536 (κ = 15, see
/// [`whole_steps`](super::whole_steps)).
pub fn mount_after_cut_ns(part: &Part, blocks: u32, queue_pages: u64) -> Ns {
    (u64::from(blocks) + queue_pages) * part.t_r_oob_ns
}
