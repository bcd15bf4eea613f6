//! The reference model: the expected content of each logical page.
//!
//! A page's bytes are derived from its LPN and the number of its write. So a page of another LPN, an older version
//! and a damaged page can be told from the right one. Permitted content:
//!
//! | last event of the page | permitted content |
//! | --- | --- |
//! | never written | empty |
//! | write acknowledged, durable at once | that version |
//! | write acknowledged, volatile ([`ftl::Guarantee::volatile`]) | that version; after a power cut before the next flush, that version or any since the last one known durable; from the first read after the mount on, always the same |
//! | as above, and older than the age at which writes must be durable ([`Model::durable_after`]) | that version, after power cuts too |
//! | write cut by a power failure | that version, or the content before (or any content permitted before); always the same from then on |
//! | trim acknowledged | empty |
//! | trim, then a mount (a trim is advisory until the page is rewritten) | empty, or any version of this LPN; always the same until the next mount |

use flash::{Lpn, Ns};
use std::collections::{BTreeMap, VecDeque};

/// Content of a page.
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
    /// One of these, because a write was cut or volatile writes were lost.
    Among(Vec<Content>),
    /// Reads as empty until the next mount.
    Trimmed,
    /// Trimmed before the last mount.
    Forgettable,
    /// Trimmed before the last mount, and read as this version since then.
    Back(u64),
}

impl Expected {
    /// Contents permitted if `newer` may have replaced this one.
    fn or(self, newer: Content) -> Self {
        match self {
            Self::Is(older) if older == newer => self,
            Self::Is(older) => Self::Among(vec![older, newer]),
            Self::Among(mut contents) => {
                contents.push(newer);
                Self::Among(contents)
            }
            // Either the trim or any older version may come back; the new version is one more of them.
            Self::Trimmed | Self::Forgettable | Self::Back(_) => Self::Forgettable,
        }
    }
}

/// Contents permitted after a power cut: the last one known durable, or any write since.
#[derive(Clone, Debug)]
struct Volatile {
    durable: Expected,
    writes: VecDeque<u64>,
}

impl Volatile {
    fn expected(self) -> Expected {
        let or = |before: Expected, version| before.or(Content::Version(version));
        self.writes.into_iter().fold(self.durable, or)
    }

    /// Marks this write durable and drops all before it. Returns true if it is the newest.
    fn settle(&mut self, version: u64) -> bool {
        if let Some(at) = self.writes.iter().position(|write| *write == version) {
            self.writes.drain(..=at);
            self.durable = Expected::Is(Content::Version(version));
        }
        self.writes.is_empty()
    }
}

/// Durability of an acknowledged write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durable {
    /// Durable when acknowledged.
    AtOnce,
    /// Durable at the next flush; a power cut before it may undo the write.
    AtFlush,
}

/// A read with a forbidden result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Mismatch {
    /// The bytes belong to no write.
    #[error("{lpn} reads as bytes that were never written: {bytes:02x?}")]
    Damaged {
        /// The page.
        lpn: Lpn,
        /// Its first bytes.
        bytes: Vec<u8>,
    },
    /// The bytes belong to another page.
    #[error("{lpn} reads as {found} (write {version})")]
    OtherPage {
        /// The page.
        lpn: Lpn,
        /// Page that the bytes belong to.
        found: Lpn,
        /// Number of their write.
        version: u64,
    },
    /// The page is empty or holds a wrong version.
    #[error("{lpn} reads as {found:?}; expected {expected}")]
    Version {
        /// The page.
        lpn: Lpn,
        /// Content read.
        found: Content,
        /// Permitted contents.
        expected: String,
    },
    /// The page is empty but did not read as zeros.
    #[error("{lpn} is empty but its bytes are not zeros")]
    NotZeros {
        /// The page.
        lpn: Lpn,
    },
}

/// Expected content of every logical page.
#[derive(Clone, Debug)]
pub struct Model {
    pages: Vec<Expected>,
    /// Permitted contents after a power cut, by LPN, for pages with volatile writes since the last flush.
    after_cut: BTreeMap<u32, Volatile>,
    /// Volatile writes since the last flush, oldest first: time, LPN and number of the write.
    acknowledged: VecDeque<(Ns, u32, u64)>,
    /// Longest time that a volatile write may stay volatile.
    age_ns: Ns,
    now_ns: Ns,
    /// Number of times that the clock was advanced.
    pauses: u64,
    /// The newest acknowledged write of each page that a power cut may have undone, until the next read of the page.
    at_risk: BTreeMap<u32, u64>,
    lost: u64,
    writes: u64,
}

/// Bytes that hold the LPN and version of a page; the other bytes are derived from them.
const NAME_BYTES: usize = 12;

/// The number of the write of these bytes; `None` if they are too short.
pub fn version_of(data: &[u8]) -> Option<u64> {
    let number = data.get(4..NAME_BYTES)?;
    Some(number.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte)))
}

impl Model {
    /// Least page size that distinguishes all writes, bytes.
    pub const LEAST_PAGE_BYTES: u32 = 16;

    /// A device with this many logical pages, all empty.
    pub fn new(logical_pages: u32) -> Self {
        let pages = vec![Expected::Is(Content::Empty); logical_pages as usize];
        Self {
            pages,
            after_cut: BTreeMap::new(),
            acknowledged: VecDeque::new(),
            age_ns: Ns::MAX,
            now_ns: 0,
            pauses: 0,
            at_risk: BTreeMap::new(),
            lost: 0,
            writes: 0,
        }
    }

    /// Sets the age by the host's clock at which volatile writes must be durable. [`Ns::MAX`], the default: only
    /// after a flush.
    pub fn durable_after(&mut self, age_ns: Ns) {
        self.age_ns = age_ns;
    }

    /// Advances the host's clock: mostly by 5 ms, sometimes by seconds, seldom by more than a write may stay
    /// volatile. Long pauses are rarer on larger devices, because their buffer may be large too. Returns the new
    /// time.
    pub fn pass_time(&mut self) -> Ns {
        const MS: Ns = 1_000_000;
        self.pauses += 1;
        self.now_ns += match mix(self.pauses) % (64 + self.pages.len() as u64 / 16) {
            0 => 31_000 * MS,
            1..=6 => 6_000 * MS,
            _ => 5 * MS,
        };
        self.now_ns
    }

    /// Records that all work due by the host's clock is done: old enough writes are durable.
    pub fn settled(&mut self) {
        while let Some((at, lpn, version)) = self.acknowledged.front().copied()
            && at.saturating_add(self.age_ns) <= self.now_ns
        {
            self.acknowledged.pop_front();
            if self.after_cut.get_mut(&lpn).is_some_and(|page| page.settle(version)) {
                self.after_cut.remove(&lpn);
            }
        }
    }

    /// Number of pages whose newest acknowledged write was found lost after a power cut. Only volatile writes count:
    /// [`Model::check_read`] refuses the loss of others.
    pub fn lost(&self) -> u64 {
        self.lost
    }

    /// Logical pages.
    pub fn logical_pages(&self) -> u32 {
        self.pages.len() as u32
    }

    /// Writes the bytes of the next write of `lpn` into `data`, and returns its number.
    ///
    /// # Panics
    /// If `data` is shorter than [`Model::LEAST_PAGE_BYTES`] and not empty.
    pub fn next_version(&mut self, lpn: Lpn, data: &mut [u8]) -> u64 {
        self.writes += 1;
        if !data.is_empty() {
            fill(lpn, self.writes, data);
        }
        self.writes
    }

    /// Records an acknowledged write.
    pub fn written(&mut self, lpn: Lpn, version: u64, durable: Durable) {
        let new = Content::Version(version);
        let now = std::mem::replace(&mut self.pages[lpn.0 as usize], Expected::Is(new));
        self.at_risk.remove(&lpn.0);
        match durable {
            Durable::AtOnce => {
                self.after_cut.remove(&lpn.0);
            }
            Durable::AtFlush => {
                let first = || Volatile { durable: now, writes: VecDeque::new() };
                let page = self.after_cut.entry(lpn.0).or_insert_with(first);
                page.writes.push_back(version);
                self.acknowledged.push_back((self.now_ns, lpn.0, version));
            }
        }
    }

    /// Records an acknowledged trim.
    pub fn trimmed(&mut self, lpn: Lpn) {
        let page = &mut self.pages[lpn.0 as usize];
        if *page != Expected::Is(Content::Empty) {
            *page = Expected::Trimmed;
            // A mount follows every power cut and may bring any version back.
            self.after_cut.remove(&lpn.0);
            self.at_risk.remove(&lpn.0);
        }
    }

    /// Records a power failure during a write.
    pub fn write_cut(&mut self, lpn: Lpn, version: u64) {
        let before = self.after_cut.remove(&lpn.0);
        let before = before.map(|before| self.taken_back(lpn.0, before));
        let page = &mut self.pages[lpn.0 as usize];
        let now = std::mem::replace(page, Expected::Forgettable);
        *page = before.unwrap_or(now).or(Content::Version(version));
    }

    fn taken_back(&mut self, lpn: u32, page: Volatile) -> Expected {
        if let Some(newest) = page.writes.back() {
            self.at_risk.insert(lpn, *newest);
        }
        page.expected()
    }

    /// Records a power failure during a trim.
    pub fn trim_cut(&mut self, lpn: Lpn) {
        self.trimmed(lpn);
    }

    /// Records a completed flush: all acknowledged writes are durable.
    pub fn flushed(&mut self) {
        self.after_cut.clear();
        self.acknowledged.clear();
    }

    /// Records a power failure: volatile writes since the last flush may be lost.
    pub fn power_failed(&mut self) {
        self.acknowledged.clear();
        for (lpn, page) in std::mem::take(&mut self.after_cut) {
            self.pages[lpn as usize] = self.taken_back(lpn, page);
        }
    }

    /// The newest version of a page, if the page certainly holds one.
    pub fn newest(&self, lpn: Lpn) -> Option<u64> {
        match self.pages[lpn.0 as usize] {
            Expected::Is(Content::Version(version)) => Some(version),
            _ => None,
        }
    }

    /// True if a page certainly holds nothing: it was never written, or was trimmed since the last mount.
    pub fn is_empty(&self, lpn: Lpn) -> bool {
        let page = &self.pages[lpn.0 as usize];
        matches!(page, Expected::Is(Content::Empty) | Expected::Trimmed)
    }

    /// Records a mount: trimmed pages may be back.
    pub fn mounted(&mut self) {
        for page in &mut self.pages {
            if matches!(page, Expected::Trimmed | Expected::Back(_)) {
                *page = Expected::Forgettable;
            }
        }
    }

    /// Checks the result of a read of `lpn`, which becomes the only permitted content.
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
            Expected::Back(version) => found == Content::Version(*version),
        };
        if !right {
            return Err(Mismatch::Version { lpn, found, expected: format!("{page:?}") });
        }
        if let Some(newest) = self.at_risk.remove(&lpn.0) {
            self.lost += u64::from(found < Content::Version(newest));
        }
        *page = match (&page, found) {
            (Expected::Trimmed | Expected::Forgettable, Content::Empty) => Expected::Trimmed,
            (Expected::Forgettable | Expected::Back(_), Content::Version(version)) => {
                Expected::Back(version)
            }
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
    let (Some(name), Some(version)) = (data.first_chunk::<4>(), version_of(data)) else {
        return Err(damaged());
    };
    let found = Lpn(u32::from_le_bytes(*name));
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
        model.written(Lpn(2), first, Durable::AtOnce);
        model.written(Lpn(2), second, Durable::AtOnce);
        model.written(Lpn(3), other, Durable::AtOnce);
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
        model.written(Lpn(2), first, Durable::AtOnce);
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
        model.written(Lpn(0), version, Durable::AtOnce);
        model.trimmed(Lpn(0));
        assert!(model.clone().check_read(Lpn(0), true, &data).is_err());
        assert_eq!(model.check_read(Lpn(0), false, &[0; 37]), Ok(()));
        model.mounted();
        assert_eq!(model.clone().check_read(Lpn(0), false, &[0; 37]), Ok(()));
        assert_eq!(model.check_read(Lpn(0), true, &data), Ok(()));
        assert!(model.check_read(Lpn(0), false, &[0; 37]).is_err());
        model.mounted();
        assert_eq!(model.check_read(Lpn(0), false, &[0; 37]), Ok(()));
    }

    /// Four volatile versions of a page, with or without a flush after the first.
    fn volatile(flushed: bool) -> (Model, Vec<Vec<u8>>) {
        let mut model = Model::new(4);
        let pages = (0..4).map(|at| {
            let (version, data) = page(&mut model, 1);
            model.written(Lpn(1), version, Durable::AtFlush);
            if at == 0 && flushed {
                model.flushed();
            }
            data
        });
        let pages = pages.collect();
        (model, pages)
    }

    #[test]
    fn volatile_writes_read_as_the_newest_until_the_power_fails() {
        let (mut model, pages) = volatile(true);
        for old in &pages[..3] {
            assert!(model.check_read(Lpn(1), true, old).is_err());
        }
        assert_eq!(model.check_read(Lpn(1), true, &pages[3]), Ok(()));
        // A read does not change the possible results of a power cut.
        model.power_failed();
        assert_eq!(model.check_read(Lpn(1), true, &pages[1]), Ok(()));
    }

    #[test]
    fn a_cut_takes_volatile_writes_back_to_the_last_flush_at_most_and_once() {
        let (mut model, pages) = volatile(true);
        model.power_failed();
        model.mounted();
        assert!(model.clone().check_read(Lpn(1), false, &[0; 37]).is_err());
        for seen in &pages {
            let mut model = model.clone();
            assert_eq!(model.check_read(Lpn(1), true, seen), Ok(()));
            // The content that was read stays, through further cuts too.
            model.power_failed();
            model.mounted();
            for other in pages.iter().filter(|other| *other != seen) {
                assert!(model.check_read(Lpn(1), true, other).is_err());
            }
        }
        let (mut never_flushed, _) = volatile(false);
        never_flushed.power_failed();
        assert_eq!(never_flushed.check_read(Lpn(1), false, &[0; 37]), Ok(()));
    }

    #[test]
    fn a_flush_makes_the_newest_durable_and_a_cut_write_adds_one_more() {
        let (mut model, pages) = volatile(true);
        model.flushed();
        let (version, new) = page(&mut model, 1);
        let mut cut = model.clone();
        cut.write_cut(Lpn(1), version);
        cut.power_failed();
        for (at, old) in pages.iter().enumerate() {
            assert_eq!(cut.clone().check_read(Lpn(1), true, old).is_ok(), at == 3);
        }
        assert_eq!(cut.check_read(Lpn(1), true, &new), Ok(()));
        model.power_failed();
        assert!(model.check_read(Lpn(1), true, &new).is_err());
        assert_eq!(model.check_read(Lpn(1), true, &pages[3]), Ok(()));
    }

    /// Four writes ten seconds apart, as in [`volatile`]. A write must be durable after twenty seconds.
    #[test]
    fn what_is_old_enough_survives_a_cut() {
        let mut model = Model::new(4);
        model.durable_after(20_000_000_000);
        let pages: Vec<_> = (0..4)
            .map(|_| {
                let (version, data) = page(&mut model, 1);
                model.written(Lpn(1), version, Durable::AtFlush);
                model.now_ns += 10_000_000_000;
                data
            })
            .collect();
        // An advance of the clock alone writes nothing.
        let mut unsettled = model.clone();
        unsettled.power_failed();
        assert_eq!(unsettled.check_read(Lpn(1), false, &[0; 37]), Ok(()));
        assert_eq!(unsettled.lost(), 1);
        model.settled();
        let after_cut = |model: &Model, seen: &[u8]| {
            let mut model = model.clone();
            model.power_failed();
            model.check_read(Lpn(1), true, seen).map(|()| model.lost())
        };
        assert!(after_cut(&model, &pages[0]).is_err() && after_cut(&model, &pages[1]).is_err());
        assert_eq!(after_cut(&model, &pages[2]), Ok(1));
        assert_eq!(after_cut(&model, &pages[3]), Ok(0));
        model.now_ns += 10_000_000_000;
        model.settled();
        assert!(model.after_cut.is_empty() && model.acknowledged.is_empty());
        assert!(after_cut(&model, &pages[2]).is_err());
    }

    #[test]
    fn trims_and_volatile_writes_mix() {
        let (mut model, pages) = volatile(true);
        model.trimmed(Lpn(1));
        let (version, new) = page(&mut model, 1);
        model.written(Lpn(1), version, Durable::AtFlush);
        assert!(model.clone().check_read(Lpn(1), false, &[0; 37]).is_err());
        assert_eq!(model.clone().check_read(Lpn(1), true, &new), Ok(()));
        model.power_failed();
        assert_eq!(model.clone().check_read(Lpn(1), false, &[0; 37]), Ok(()));
        assert_eq!(model.clone().check_read(Lpn(1), true, &pages[0]), Ok(()));
        assert_eq!(model.check_read(Lpn(1), true, &new), Ok(()));
    }
}
