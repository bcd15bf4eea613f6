//! The reference model: what each logical page must read as.
//!
//! A page's bytes are derived from its LPN and the number of the write that put them there, so that a
//! page of another LPN, an older version or a damaged page is told from the right one. What may be read:
//!
//! | last thing that happened to the page | may read as |
//! | --- | --- |
//! | never written | empty |
//! | write acknowledged | that version |
//! | write cut by a power failure | that version, or what it was before; the same from then on |
//! | trim acknowledged | empty |
//! | trim, then a mount (trim is advisory until the page is rewritten) | empty, or any version of this LPN; the same until the next mount |

use flash::Lpn;

/// What a read found or may find.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Content {
    /// Never written, or trimmed.
    Empty,
    /// The bytes of this write.
    Version(u64),
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Expected {
    Is(Content),
    /// A write was cut: the new version or one of the old.
    Among(Vec<Content>),
    /// Reads as empty until the next mount.
    Trimmed,
    /// Trimmed before the last mount.
    Forgettable,
}

/// A page that read as it must not.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Mismatch {
    /// The bytes are of no write at all.
    #[error("{lpn} reads as bytes that were never written: {bytes:02x?}")]
    Damaged {
        /// The page.
        lpn: Lpn,
        /// Its first bytes.
        bytes: Vec<u8>,
    },
    /// The bytes are another page's.
    #[error("{lpn} reads as {found} (write {version})")]
    OtherPage {
        /// The page.
        lpn: Lpn,
        /// Whose bytes it holds.
        found: Lpn,
        /// Which write of them.
        version: u64,
    },
    /// The page is empty, or holds a version that is not the right one.
    #[error("{lpn} reads as {found:?}; expected {expected}")]
    Version {
        /// The page.
        lpn: Lpn,
        /// What was read.
        found: Content,
        /// What may be read.
        expected: String,
    },
    /// An empty page must read as zeros.
    #[error("{lpn} is empty but its bytes are not zeros")]
    NotZeros {
        /// The page.
        lpn: Lpn,
    },
}

/// What every logical page must read as.
#[derive(Clone, Debug)]
pub struct Model {
    pages: Vec<Expected>,
    writes: u64,
}

/// Bytes of a page that name its LPN and version; the rest follows from them.
const NAME_BYTES: usize = 12;

impl Model {
    /// Least size of a page, bytes, that can be told from any other.
    pub const LEAST_PAGE_BYTES: u32 = 16;

    /// A device of this many logical pages, all empty.
    pub fn new(logical_pages: u32) -> Self {
        Self { pages: vec![Expected::Is(Content::Empty); logical_pages as usize], writes: 0 }
    }

    /// Logical pages.
    pub fn logical_pages(&self) -> u32 {
        self.pages.len() as u32
    }

    /// The number of the next write; puts the bytes of that write of `lpn` into `data`.
    ///
    /// # Panics
    /// Where a page is shorter than [`Model::LEAST_PAGE_BYTES`] (and not empty).
    pub fn next_version(&mut self, lpn: Lpn, data: &mut [u8]) -> u64 {
        self.writes += 1;
        if !data.is_empty() {
            fill(lpn, self.writes, data);
        }
        self.writes
    }

    /// A write was acknowledged.
    pub fn written(&mut self, lpn: Lpn, version: u64) {
        self.pages[lpn.0 as usize] = Expected::Is(Content::Version(version));
    }

    /// A trim was acknowledged.
    pub fn trimmed(&mut self, lpn: Lpn) {
        let page = &mut self.pages[lpn.0 as usize];
        if *page != Expected::Is(Content::Empty) {
            *page = Expected::Trimmed;
        }
    }

    /// The power failed during a write.
    pub fn write_cut(&mut self, lpn: Lpn, version: u64) {
        let page = &mut self.pages[lpn.0 as usize];
        let new = Content::Version(version);
        match page {
            Expected::Is(old) => *page = Expected::Among(vec![*old, new]),
            Expected::Among(contents) => contents.push(new),
            // Either the trim or any older version may come back: the new one is one more of them.
            Expected::Trimmed | Expected::Forgettable => *page = Expected::Forgettable,
        }
    }

    /// The power failed during a trim.
    pub fn trim_cut(&mut self, lpn: Lpn) {
        self.trimmed(lpn);
    }

    /// The device was mounted: trimmed pages may be back.
    pub fn mounted(&mut self) {
        for page in &mut self.pages {
            if *page == Expected::Trimmed {
                *page = Expected::Forgettable;
            }
        }
    }

    /// Checks what a read of `lpn` found, and takes it as what the page holds from now on.
    ///
    /// # Errors
    /// The mismatch.
    pub fn check_read(&mut self, lpn: Lpn, present: bool, data: &[u8]) -> Result<(), Mismatch> {
        let found = decode(lpn, present, data)?;
        let page = &mut self.pages[lpn.0 as usize];
        let right = match page {
            Expected::Is(content) => *content == found,
            Expected::Among(contents) => contents.contains(&found),
            Expected::Trimmed => found == Content::Empty,
            Expected::Forgettable => true,
        };
        if !right {
            return Err(Mismatch::Version { lpn, found, expected: format!("{page:?}") });
        }
        *page = match (&page, found) {
            (Expected::Trimmed | Expected::Forgettable, Content::Empty) => Expected::Trimmed,
            _ => Expected::Is(found),
        };
        Ok(())
    }
}

/// SplitMix64's finaliser (Steele, Lea and Flood, OOPSLA 2014).
fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

fn fill(lpn: Lpn, version: u64, data: &mut [u8]) {
    assert!(data.len() >= Model::LEAST_PAGE_BYTES as usize, "a page of {} bytes", data.len());
    data[..4].copy_from_slice(&lpn.0.to_le_bytes());
    data[4..NAME_BYTES].copy_from_slice(&version.to_le_bytes());
    let mut state = u64::from(lpn.0) << 32 ^ version;
    for chunk in data[NAME_BYTES..].chunks_mut(8) {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        chunk.copy_from_slice(&mix(state).to_le_bytes()[..chunk.len()]);
    }
}

fn decode(lpn: Lpn, present: bool, data: &[u8]) -> Result<Content, Mismatch> {
    if !present {
        let zeros = data.iter().all(|byte| *byte == 0);
        return if zeros { Ok(Content::Empty) } else { Err(Mismatch::NotZeros { lpn }) };
    }
    let damaged = || Mismatch::Damaged { lpn, bytes: data[..data.len().min(24)].to_vec() };
    let (Some(name), Some(number)) = (data.first_chunk::<4>(), data.get(4..NAME_BYTES)) else {
        return Err(damaged());
    };
    let found = Lpn(u32::from_le_bytes(*name));
    let version = number.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte));
    let mut expected = vec![0; data.len()];
    fill(found, version, &mut expected);
    if expected != data {
        return Err(damaged());
    }
    if found != lpn {
        return Err(Mismatch::OtherPage { lpn, found, version });
    }
    Ok(Content::Version(version))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(model: &mut Model, lpn: u32) -> (u64, Vec<u8>) {
        let mut data = vec![0; 37];
        (model.next_version(Lpn(lpn), &mut data), data)
    }

    #[test]
    fn every_mix_up_is_seen() {
        let mut model = Model::new(4);
        let (first, old) = page(&mut model, 2);
        let (second, new) = page(&mut model, 2);
        let (other, others) = page(&mut model, 3);
        model.written(Lpn(2), first);
        model.written(Lpn(2), second);
        model.written(Lpn(3), other);
        assert_eq!(model.check_read(Lpn(2), true, &new), Ok(()));
        assert!(matches!(model.check_read(Lpn(2), true, &old), Err(Mismatch::Version { .. })));
        assert!(matches!(model.check_read(Lpn(2), true, &others), Err(Mismatch::OtherPage { .. })));
        assert!(matches!(model.check_read(Lpn(2), false, &[0; 37]), Err(Mismatch::Version { .. })));
        assert!(matches!(model.check_read(Lpn(1), false, &new), Err(Mismatch::NotZeros { .. })));
        let mut flipped = new.clone();
        flipped[30] ^= 4;
        assert!(matches!(model.check_read(Lpn(2), true, &flipped), Err(Mismatch::Damaged { .. })));
        assert_eq!(model.check_read(Lpn(0), false, &[0; 37]), Ok(()));
    }

    #[test]
    fn a_cut_write_is_old_or_new_and_then_stays() {
        let mut model = Model::new(4);
        let (first, old) = page(&mut model, 2);
        let (second, new) = page(&mut model, 2);
        model.written(Lpn(2), first);
        model.write_cut(Lpn(2), second);
        for (seen, other) in [(&old, &new), (&new, &old)] {
            let mut model = model.clone();
            assert_eq!(model.check_read(Lpn(2), true, seen), Ok(()));
            assert!(model.check_read(Lpn(2), true, other).is_err());
        }
    }

    #[test]
    fn a_trimmed_page_may_come_back_at_a_mount_only() {
        let mut model = Model::new(4);
        let (version, data) = page(&mut model, 0);
        model.written(Lpn(0), version);
        model.trimmed(Lpn(0));
        assert!(model.clone().check_read(Lpn(0), true, &data).is_err());
        assert_eq!(model.check_read(Lpn(0), false, &[0; 37]), Ok(()));
        model.mounted();
        assert_eq!(model.clone().check_read(Lpn(0), false, &[0; 37]), Ok(()));
        assert_eq!(model.check_read(Lpn(0), true, &data), Ok(()));
        assert!(model.check_read(Lpn(0), false, &[0; 37]).is_err());
    }
}
