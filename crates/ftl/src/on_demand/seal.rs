//! The seal: what a shutdown in firmware writes, so that the next mount need not look at each page.
//!
//! ```text
//! shutdown: write back all dirty entries; program a page behind the last translation page (its number), which is invalid at once:
//!   the data area's last number and block, its open block with the next page, and a mark of the directory
//! mount: read the first page of each block, and all of the translation blocks. If
//!   - the page programmed last in the translation area is a seal,
//!   - the translation pages found are those of its mark,
//!   - no data block was opened with a larger number, and the next page of the open block is erased,
//!   then the translation pages are the map, and what they name is valid
//! ```
//!
//! Whatever is programmed after a seal that was believed breaks it: a data page is in the open block or in a block with a larger
//! number, and a translation page is behind the seal. A block that was erased after it held the seal, or nothing valid but what was
//! trimmed since, which the map shows. The numbers of erased blocks would be given again after that. So a mount that finds a seal at
//! the end and does not believe it, or cannot read what is there, goes on behind its number, and programs a translation page
//! before any data: no later mount can believe it. Trims after a seal are forgotten, as by any mount. A block that is torn, and one in which a program failed, leave no seal: such a mount looks at each page.

use super::core::{OnDemandCore, Track};
use crate::error::FtlError;
use crate::page_mapped::mount::ScannedBlock;
use crate::page_mapped::tables::UNMAPPED;
use flash::{BlockId, Cause, FlashError, Lpn, PageKind, Probe};

/// In words: Λ; of the data area the last number (two), last block, open block or all ones, its next page; the mark of the
/// directory (two).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Seal(pub(super) [u32; 8]);

impl Seal {
    const BYTES: usize = 32;

    fn write(self, bytes: &mut [u8]) {
        bytes.fill(u8::MAX);
        let words = bytes.as_chunks_mut::<4>().0.iter_mut();
        words.zip(self.0).for_each(|(bytes, word)| *bytes = word.to_le_bytes());
    }

    pub(super) fn read(bytes: &[u8], logical_pages: u32) -> Option<Self> {
        let mut words = [0; 8];
        let from = bytes.as_chunks::<4>().0.iter().map(|bytes| u32::from_le_bytes(*bytes));
        words.iter_mut().zip(from).for_each(|(word, from)| *word = from);
        let is_seal = bytes.len() >= Self::BYTES && words[0] == logical_pages;
        is_seal.then_some(Self(words))
    }

    pub(super) fn number(self) -> u64 {
        u64::from(self.0[1]) | (u64::from(self.0[2]) << 32)
    }

    /// True if these are the newest translation pages. If one cannot be read any more, a mount takes an older one for it.
    pub(super) fn is_of(self, directory: &[u32]) -> bool {
        self.0[6..] == mark(directory)
    }

    pub(super) fn open(self) -> Option<(BlockId, u32)> {
        (self.0[4] != UNMAPPED).then_some((BlockId(self.0[4]), self.0[5]))
    }
}

/// FNV-1a, 64 bits, of a directory.
fn mark(directory: &[u32]) -> [u32; 2] {
    let hash = directory.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, ppn| {
        (hash ^ u64::from(*ppn)).wrapping_mul(0x0100_0000_01b3)
    });
    [hash as u32, (hash >> 32) as u32]
}

/// Writes all dirty entries back, and a seal if the state allows one: true if it did.
///
/// # Errors
/// The array's; not [`FtlError::Full`], which leaves all as it is.
pub(super) fn seal<F: Probe>(core: &mut OnDemandCore<F>) -> Result<bool, FtlError> {
    match write_seal(core) {
        Err(FtlError::Full { .. }) => Ok(false),
        done => done,
    }
}

fn write_seal<F: Probe>(core: &mut OnDemandCore<F>) -> Result<bool, FtlError> {
    while let Some(page) = core.cmt.fullest_page() {
        core.write_back(page, &[], Cause::WriteBack)?;
    }
    core.make_translation_room()?;
    let geometry = *core.medium.geometry();
    let mut open = core.data.frontiers.open();
    let (first, others) = (open.next(), open.next().is_some());
    drop(open);
    let small = (geometry.page_bytes() as usize) < Seal::BYTES;
    if small || others || core.track == Track::Lost || !core.data.retiring.is_empty() {
        return Ok(false);
    }
    let (number, Some(last)) = core.data.frontiers.behind() else { return Ok(false) };
    let (block, next) = first
        .map_or((UNMAPPED, 0), |open| (open.block.0, open.next - geometry.ppn(open.block, 0).0));
    let [low, high] = mark(&core.directory);
    let number = [number as u32, (number >> 32) as u32];
    let words = [core.logical_pages, number[0], number[1], last.0, block, next, low, high];
    let mut bytes = core.take_page();
    Seal(words).write(&mut bytes);
    let behind = Lpn(core.directory.len() as u32);
    let OnDemandCore { medium, translation, .. } = core;
    let done =
        medium.program(translation, behind, PageKind::Translation, Some(&bytes), Cause::WriteBack);
    if let Ok(ppn) = done {
        translation.invalidate(&geometry, ppn);
    }
    core.put_page(bytes);
    done.map(|_| true)
}

/// The number of a seal that is the last translation page, 0 if that page cannot be read; `None` if it is another page.
///
/// # Errors
/// The array's.
pub(super) fn left<F: Probe>(
    core: &mut OnDemandCore<F>,
    translation: &[ScannedBlock],
) -> Result<Option<u64>, FtlError> {
    let last = translation.iter().max_by_key(|found| found.newest);
    let Some((block, page)) =
        last.and_then(|last| Some((last.block, last.written.checked_sub(1)?)))
    else {
        return Ok(None);
    };
    let mut bytes = core.take_page();
    let ppn = core.medium.geometry().ppn(block, page);
    let read = core.medium.flash.read(ppn, Some(&mut bytes), Cause::Mount);
    let left = match read {
        Ok(oob) if oob.lpn.0 != core.directory.len() as u32 => Ok(None),
        Ok(_) => Ok(Some(Seal::read(&bytes, core.logical_pages).map_or(0, Seal::number))),
        Err(FlashError::Uncorrectable(_)) => Ok(Some(0)),
        Err(error) => Err(error.into()),
    };
    core.put_page(bytes);
    left
}

/// Sees to it that no later mount believes what [`left`] has found. Without room for a page the number alone does.
///
/// # Errors
/// The array's.
pub(super) fn supersede<F: Probe>(
    core: &mut OnDemandCore<F>,
    left: Option<u64>,
) -> Result<(), FtlError> {
    let Some(number) = left else { return Ok(()) };
    core.data.frontiers.raise(number);
    match core.write_back(0, &[], Cause::Mount) {
        Err(FtlError::Full { .. }) => Ok(()),
        done => done,
    }
}
