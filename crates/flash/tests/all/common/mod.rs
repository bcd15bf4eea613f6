//! Helpers shared by the tests of this crate.
use ftlkit_flash::{
    Array, BlockId, Cause, Flash, FlashError, Geometry, Lpn, Oob, Ppn, Store, parts,
};
use ftlkit_flash::{PageTimes, channels::Timing};
use proptest::prelude::ProptestConfig;

/// Round figures: a command with an address takes 70 ns, with a row address 50 ns; a page crosses the bus in 1,000 ns.
pub(crate) const TIMING: Timing = Timing {
    transfer_bytes: 100,
    oob_bytes: 4,
    column_cycles: 2,
    row_cycles: 3,
    t_wc_ns: 10,
    t_rc_ns: 10,
    bus_mts: 0,
    t_adl_ns: 5,
    t_whr_ns: 6,
    t_rr_ns: 2,
    t_wb_ns: 3,
    t_ccs_ns: 4,
    t_dbsy_ns: 20,
    t_cbsy_ns: 30,
    t_dl_ns: 1,
    direct_cycle_ns: 0,
    t_r_ns: 500,
    t_r_by_page_ns: PageTimes::ALIKE,
    t_r_oob_ns: 400,
    t_prog_ns: 3000,
    t_prog_by_page_ns: PageTimes::ALIKE,
    t_bers_ns: 9000,
    slc: None,
    ecc_ns: 7,
    status: false,
};

pub(crate) const PAGE: usize = 16;

/// Property test with this number of cases. A failing case leaves no file.
pub(crate) fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

/// An erased array of small pages.
pub(crate) fn array(blocks: u32, pages_per_block: u32, store: Store) -> Array {
    let geometry = Geometry::new(blocks, pages_per_block, PAGE as u32).unwrap();
    Array::new(geometry, parts::SAMSUNG_LARGE_BLOCK.clone(), store)
}

/// Bytes of a page, with its version in them.
pub(crate) fn page(version: u64) -> [u8; PAGE] {
    let mut bytes = [0xa5; PAGE];
    bytes[..8].copy_from_slice(&version.to_le_bytes());
    bytes
}

/// Result of a page read: OOB and bytes.
pub(crate) type Found = Result<(Oob, [u8; PAGE]), FlashError>;

pub(crate) fn read(flash: &mut impl Flash, ppn: u32) -> Found {
    let mut bytes = [0x77; PAGE];
    let oob = flash.read(Ppn(ppn), Some(&mut bytes), Cause::Host)?;
    Ok((oob, bytes))
}

/// Programs user data of this version as this LPN.
pub(crate) fn program(
    flash: &mut impl Flash,
    ppn: u32,
    lpn: u32,
    version: u64,
) -> Result<(), FlashError> {
    flash.program(Ppn(ppn), Oob::data(Lpn(lpn), version), Some(&page(version)), Cause::Host)
}

/// Complete visible state of an array.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Snapshot {
    pub(crate) pages: Vec<Found>,
    pub(crate) erases: Vec<u32>,
    pub(crate) bad: Vec<bool>,
}

pub(crate) fn snapshot(flash: &mut impl Flash) -> Snapshot {
    let (pages, blocks) = (flash.geometry().pages(), flash.geometry().blocks());
    Snapshot {
        pages: (0..pages).map(|ppn| read(flash, ppn)).collect(),
        erases: (0..blocks).map(|block| flash.erase_count(BlockId(block))).collect(),
        bad: (0..blocks).map(|block| flash.is_bad(BlockId(block))).collect(),
    }
}
