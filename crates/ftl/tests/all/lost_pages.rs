//! Tests of every scheme: a page that cannot be read when it is to be moved is lost, and reads of it fail.

use crate::bench::{Device, Failing, failing, preset};
use flash::faults::Tearable;
use flash::{BlockId, Cause, Flash, FlashError, Geometry, Lpn, Oob, Ppn};
use ftlkit_ftl::{BufferSettings, FtlError, Place, SchemeConfig, registry};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

const PAGES_PER_BLOCK: u32 = 8;
const PAGE_BYTES: u32 = 8;
const LOGICAL_PAGES: u32 = 20 * PAGES_PER_BLOCK;

/// The page that is lost.
const LOST: u32 = 3 * PAGES_PER_BLOCK + 2;

/// A page of the same logical block that is never written.
const NEVER_WRITTEN: u32 = 3 * PAGES_PER_BLOCK + 7;

/// Number of random writes after which each page has been moved.
const ENOUGH: u32 = 4_000;

/// A scheme, the newest version of each page, and the source of random writes.
struct Test {
    scheme: Box<Device>,
    newest: Vec<u32>,
    random: Pcg64,
}

impl Test {
    fn write(&mut self, lpn: u32) {
        self.newest[lpn as usize] += 1;
        let bytes = self.bytes(lpn);
        self.scheme.write(Lpn(lpn), Some(&bytes)).unwrap();
    }

    fn bytes(&self, lpn: u32) -> Vec<u8> {
        [lpn.to_le_bytes(), self.newest[lpn as usize].to_le_bytes()].concat()
    }

    fn read(&mut self, lpn: u32) -> Result<Option<Vec<u8>>, FtlError> {
        let mut page = vec![0xff; PAGE_BYTES as usize];
        let there = self.scheme.read(Lpn(lpn), Some(&mut page))?;
        assert!(there || page.iter().all(|byte| *byte == 0));
        Ok(there.then_some(page))
    }

    /// Writes a random page other than `LOST` and `NEVER_WRITTEN`.
    fn write_another(&mut self) {
        let lpn = self.random.random_range(0..LOGICAL_PAGES);
        if lpn != LOST && lpn != NEVER_WRITTEN {
            self.write(lpn);
        }
    }

    fn lost_pages(&self) -> u64 {
        self.scheme.telemetry().collections.lost_pages
    }

    /// Makes every version of the page on flash unreadable.
    fn spoil(&mut self, lpn: u32) {
        let flash = self.scheme.flash_mut().downcast_mut::<Failing>().unwrap();
        for ppn in (0..flash.geometry().pages()).map(Ppn) {
            if matches!(flash.read_oob(ppn, Cause::Host), Ok(oob) if oob.lpn == Lpn(lpn)) {
                flash.spoil(ppn).unwrap();
            }
        }
    }

    /// Writes other pages until the scheme has tried to move the spoiled page.
    fn lose(&mut self) {
        let before = self.lost_pages();
        for _ in 0..ENOUGH {
            if self.lost_pages() > before {
                break;
            }
            self.write_another();
        }
        assert_eq!(self.lost_pages(), before + 1);
        assert_eq!(self.scheme.inspect().map[LOST as usize], Place::Lost);
    }

    fn assert_lost(&mut self) {
        let read = self.read(LOST);
        assert!(matches!(read, Err(FtlError::Flash(FlashError::Uncorrectable(_)))), "{read:?}");
    }

    /// Asserts that each page is intact, or is in the lost page's block and lost with it.
    fn assert_others_intact_or_lost(&mut self) {
        let block = LOST / PAGES_PER_BLOCK;
        for lpn in (0..LOGICAL_PAGES).filter(|lpn| ![LOST, NEVER_WRITTEN].contains(lpn)) {
            match self.read(lpn) {
                Err(FtlError::Flash(FlashError::Uncorrectable(_)))
                    if lpn / PAGES_PER_BLOCK == block => {}
                read => assert_eq!(read.unwrap(), Some(self.bytes(lpn)), "page {lpn}"),
            }
        }
    }

    fn assert_others_intact(&mut self) {
        for lpn in (0..LOGICAL_PAGES).filter(|lpn| ![LOST, NEVER_WRITTEN].contains(lpn)) {
            assert_eq!(self.read(lpn).unwrap(), Some(self.bytes(lpn)), "page {lpn}");
        }
    }
}

/// Loses a page, then trims it or writes it again.
///
/// `exact`: the scheme knows which page cannot be read. Otherwise other pages are lost with it: those never
/// written, and those with only versions older than the unreadable page.
fn lose(scheme: Box<Device>, exact: bool) {
    let newest = vec![0; LOGICAL_PAGES as usize];
    let mut test = Test { scheme, newest, random: Pcg64::seed_from_u64(3) };
    for lpn in (0..LOGICAL_PAGES).filter(|lpn| *lpn != NEVER_WRITTEN) {
        test.write(lpn);
    }
    test.spoil(LOST);
    test.assert_lost();
    test.lose();
    test.assert_lost();
    if exact {
        test.assert_others_intact();
        assert_eq!(test.read(NEVER_WRITTEN).unwrap(), None);
    } else {
        test.assert_others_intact_or_lost();
    }
    // The page stays lost and counts once, however often its neighbours are moved.
    (0..ENOUGH).for_each(|_| test.write_another());
    test.assert_lost();
    test.assert_others_intact();
    assert_eq!(test.lost_pages(), 1);

    let mut trimmed = Test {
        scheme: test.scheme.fork(),
        newest: test.newest.clone(),
        random: test.random.clone(),
    };
    trimmed.scheme.trim(Lpn(LOST)).unwrap();
    assert_eq!(trimmed.read(LOST).unwrap(), None);
    (0..ENOUGH).for_each(|_| trimmed.write_another());
    assert_eq!(trimmed.read(LOST).unwrap(), None);

    test.write(LOST);
    assert_eq!(test.read(LOST).unwrap(), Some(test.bytes(LOST)));
    (0..ENOUGH).for_each(|_| test.write_another());
    assert_eq!(test.read(LOST).unwrap(), Some(test.bytes(LOST)));
    test.assert_others_intact();
    // A page lost again is counted again.
    test.spoil(LOST);
    test.lose();
    test.assert_lost();
    assert_eq!(test.lost_pages(), 2);
}

fn run(name: &str, exact: bool) {
    let geometry = Geometry::new(48, PAGES_PER_BLOCK, PAGE_BYTES).unwrap();
    let config = SchemeConfig {
        logical_pages: Some(LOGICAL_PAGES),
        spare_blocks: 18,
        buffer: BufferSettings { policy: Some(None), ..BufferSettings::default() },
        ..preset(name)
    };
    for failures_per_million in [0, 100] {
        let array = failing(geometry, 7, failures_per_million);
        lose(registry::format(&config, array).unwrap(), exact);
    }
}

#[test]
fn bast_loses_loudly() {
    run("bast", true);
}

#[test]
fn fast_loses_loudly() {
    run("fast", true);
}

#[test]
fn ba_gc_loses_loudly() {
    run("ba-gc", true);
}

#[test]
fn superblock_loses_loudly() {
    run("superblock", true);
}

#[test]
fn nftl_loses_loudly() {
    run("nftl", false);
}

#[test]
fn page_level_loses_loudly() {
    run("page-level", true);
}

/// After a mount GFTL does not know which pages its data blocks hold. One page was never written, and one that is
/// unreadable is the newest version of a third: the count of pages that are not found is as if it was the only one.
#[test]
fn gftl_reads_no_old_version_after_a_mount() {
    let config = SchemeConfig { logical_pages: Some(80), ..preset("gftl") };
    let array = failing(Geometry::new(60, PAGES_PER_BLOCK, PAGE_BYTES).unwrap(), 7, 0);
    let scheme = registry::format(&config, array).unwrap();
    let newest = vec![0; LOGICAL_PAGES as usize];
    let mut test = Test { scheme, newest, random: Pcg64::seed_from_u64(3) };
    // Page 0 twice in one data block, of which one page is left. A last page that is unreadable would be a torn one.
    [0, 1, 2, 3, 4, 0, 5].into_iter().for_each(|lpn| test.write(lpn));
    let flash = test.scheme.flash_mut().downcast_mut::<Failing>().unwrap();
    let pages = flash.geometry().pages();
    let is_of_page_0 =
        |ppn: &Ppn| matches!(flash.read_oob(*ppn, Cause::Host), Ok(oob) if oob.lpn == Lpn(0));
    let newest = (0..pages).map(Ppn).filter(is_of_page_0).max().unwrap();
    flash.spoil(newest).unwrap();

    test.scheme = registry::mount(&config, test.scheme.into_flash()).unwrap();
    // The block is full: it is collected, and what follows moves it on.
    test.write(6);
    for lpn in (8..40).chain(8..40) {
        let read = test.read(0);
        assert!(matches!(read, Err(FtlError::Flash(FlashError::Uncorrectable(_)))), "{read:?}");
        test.write(lpn);
    }
    assert!(test.lost_pages() > 0);
    // What was written after the unreadable page is the newest for certain, and what was before it may not be.
    for lpn in [5, 6] {
        assert_eq!(test.read(lpn).unwrap(), Some(test.bytes(lpn)));
    }
    for lpn in 1..5 {
        let read = test.read(lpn);
        assert!(matches!(read, Err(FtlError::Flash(FlashError::Uncorrectable(_)))), "{read:?}");
    }
}

/// A machine that fails may keep what a rescue of `rftl` erased: its copies, and what was written since, are newer.
#[test]
fn blocks_that_a_rescue_had_erased_are_told_from_its_copies() {
    let (writes, copies) = (|number: u64| number << 16 | 1 << 15, |number: u64| number << 16);
    let mut array = failing(Geometry::new(24, PAGES_PER_BLOCK, PAGE_BYTES).unwrap(), 1, 0);
    let blocks = [(writes(1), 8), (writes(2), 5), (copies(3), 8), (writes(4), 2)];
    for ((version, block), (seq, pages)) in (1..).zip(0..).zip(blocks) {
        for lpn in 0..pages {
            let ppn = array.geometry().ppn(BlockId(block), lpn);
            let oob = Oob::data(Lpn(lpn), seq);
            array.program(ppn, oob, Some(&[version; PAGE_BYTES as usize]), Cause::Host).unwrap();
        }
    }
    let mut scheme = registry::mount(&preset("rftl"), array).unwrap();
    for lpn in 0..8 {
        let mut page = [0; PAGE_BYTES as usize];
        assert_eq!(scheme.read(Lpn(lpn), Some(&mut page)), Ok(true));
        assert_eq!(page, [if lpn < 2 { 4 } else { 3 }; PAGE_BYTES as usize], "page {lpn}");
    }
}
