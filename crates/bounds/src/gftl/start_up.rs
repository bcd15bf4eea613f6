//! Start-up and shutdown (§VI).

use flash::{Ns, Part};

/// Bytes per entry of the block map.
const BLOCK_ENTRY_BYTES: u64 = 8;
/// Bytes per entry of the write-queue map.
const QUEUE_ENTRY_BYTES: u64 = 16;

/// Bytes per entry of the collection queue.
const COLLECTION_ENTRY_BYTES: u64 = 4;
/// Bytes of the header that describes the image; they share the collection queue's pages.
const HEADER_BYTES: u64 = 32;

/// Pages that hold the block map, the write-queue map and the collection queue.
///
/// The collection queue has π pages, as printed.
/// It has more only on arrays with so many blocks that their numbers need more.
pub fn image_pages(part: &Part, blocks: u32, queue_pages: u64) -> u64 {
    let page = u64::from(part.page_bytes.max(1));
    (u64::from(blocks) * BLOCK_ENTRY_BYTES).div_ceil(page)
        + (queue_pages * QUEUE_ENTRY_BYTES).div_ceil(page)
        + (HEADER_BYTES + u64::from(blocks) * COLLECTION_ENTRY_BYTES)
            .div_ceil(page)
            .max(part.pages_per_block.into())
}

/// Start-up after a clean shutdown: ⌈8N/page⌉·t_rd + ⌈16L/page⌉·t_rd + π·t_rd.
///
/// N is the number of blocks, L that of queue pages.
pub fn start_up_ns(part: &Part, blocks: u32, queue_pages: u64) -> Ns {
    image_pages(part, blocks, queue_pages) * part.t_r_ns
}

/// Time to program the same pages at shutdown.
pub fn shutdown_ns(part: &Part, blocks: u32, queue_pages: u64) -> Ns {
    image_pages(part, blocks, queue_pages) * part.t_prog_ns
}

/// Mount after a power cut: N·t_oob + L·t_oob, the first OOB area of each block and all of the queue.
///
/// Erratum: for 1 GiB of 2 KiB pages and π = 64 the paper prints 1.84 s beside figures of 13.6 and 163 ms.
/// Those figures need L = 57,344 (κ = 13), for which this formula gives 1.638 s.
/// 1.84 s needs L = 65,536 (κ = 15, see [`whole_steps`](super::whole_steps)).
pub fn mount_after_cut_ns(part: &Part, blocks: u32, queue_pages: u64) -> Ns {
    (u64::from(blocks) + queue_pages) * part.t_r_oob_ns
}
