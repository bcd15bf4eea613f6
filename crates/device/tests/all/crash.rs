//! What a disk may hold after the machine has lost its power: of what was written since the last sync, any part.

use ftlkit_device::image::FileChange;
use rand::RngExt;
use rand_pcg::Pcg64;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

/// What a disk writes at once.
const SECTOR: u64 = 512;

/// Which of the writes since the last sync the disk keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keep {
    Nothing,
    All,
    /// Each unit of so many bytes, or not: as it is after all writes.
    Units(u64),
    /// Each sector as it is after some of the writes.
    Moments,
    /// Each write, or not.
    Writes,
    /// The first ones.
    Prefix,
    /// The last ones: the disk wrote in another order.
    Suffix,
    Last,
    AllButFirst,
    /// All, but of the last one that is longer than a sector only its first sectors.
    LastTorn,
    /// Records of blocks and pages, no bytes of pages.
    Records,
    /// Bytes of pages, no records.
    PageBytes,
    /// Records, and the bytes of some pages.
    RecordsAndSome,
    /// Bytes of pages, and some records.
    PageBytesAndSome,
}

impl Keep {
    pub(crate) const ALL: [Self; 15] = [
        Self::Nothing,
        Self::All,
        Self::Units(SECTOR),
        Self::Units(4096),
        Self::Moments,
        Self::Writes,
        Self::Prefix,
        Self::Suffix,
        Self::Last,
        Self::AllButFirst,
        Self::LastTorn,
        Self::Records,
        Self::PageBytes,
        Self::RecordsAndSome,
        Self::PageBytesAndSome,
    ];
}

/// What the disk holds after a cut.
pub(crate) struct Crashed {
    pub(crate) file: Vec<u8>,
    /// The same for equal files with the same sync before them.
    pub(crate) hash: u64,
    /// Parts of writes, a sector at most, that are not in it.
    pub(crate) lost: u64,
}

/// The file if the power fails after these changes of it. `page_bytes`: where bytes of pages are, among records.
pub(crate) fn crashed(
    file: &[u8],
    changes: &[FileChange],
    keep: Keep,
    page_bytes: &Range<u64>,
    random: &mut Pcg64,
) -> Crashed {
    let synced = changes.iter().rposition(|change| *change == FileChange::Sync);
    let (before, after) = changes.split_at(synced.map_or(0, |at| at + 1));
    let mut file = file.to_vec();
    for (at, bytes) in writes(before) {
        file[at as usize..][..bytes.len()].copy_from_slice(bytes);
    }
    let unsynced: Vec<_> = writes(after).collect();
    let count = unsynced.len();
    let drawn = count.max(file.len() / SECTOR as usize + 1);
    let draws: Vec<usize> = (0..drawn).map(|_| random.random_range(0..1 << 30)).collect();
    let heads = |of: u64| draws[of as usize].is_multiple_of(2);
    let some = random.random_range(0..count + 1);
    let long = unsynced.iter().rposition(|(_, bytes)| bytes.len() as u64 > SECTOR);
    let mut lost = 0;
    for (number, (start, bytes)) in unsynced.iter().enumerate() {
        let is_record = !page_bytes.contains(start);
        let end = start + bytes.len() as u64;
        let mut at = *start;
        while at < end {
            let next = ((at / SECTOR + 1) * SECTOR).min(end);
            let kept = match keep {
                Keep::Nothing => false,
                Keep::All => true,
                Keep::Units(unit) => heads(at / unit),
                Keep::Moments => number < draws[(at / SECTOR) as usize] % (count + 1),
                Keep::Writes => heads(number as u64),
                Keep::Prefix => number < some,
                Keep::Suffix => number >= some,
                Keep::Last => number == count - 1,
                Keep::AllButFirst => number > 0,
                Keep::LastTorn => Some(number) != long || at == *start,
                Keep::Records => is_record,
                Keep::PageBytes => !is_record,
                Keep::RecordsAndSome => is_record || heads(number as u64),
                Keep::PageBytesAndSome => !is_record || heads(number as u64),
            };
            let piece = &bytes[(at - start) as usize..(next - start) as usize];
            if kept {
                file[at as usize..next as usize].copy_from_slice(piece);
            } else {
                lost += 1;
            }
            at = next;
        }
    }
    let mut hasher = DefaultHasher::new();
    synced.hash(&mut hasher);
    for (at, bytes) in &unsynced {
        (at, &file[*at as usize..][..bytes.len()]).hash(&mut hasher);
    }
    Crashed { file, hash: hasher.finish(), lost }
}

fn writes(changes: &[FileChange]) -> impl Iterator<Item = (u64, &[u8])> {
    changes.iter().filter_map(|change| match change {
        FileChange::Write(at, bytes) => Some((*at, &bytes[..])),
        FileChange::Sync => None,
    })
}
