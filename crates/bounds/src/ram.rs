//! RAM of each scheme's maps, and the energy per RAM access.
//!
//! Source: Zhang et al., Lazy-RTGC, ACM TODAES 20(3):43, 2015, §6.3 (Table VII: 32 GiB of 2 KiB pages, 64 per
//! block).
//! Entries are 4 bytes as there.
//! That table omits per-block state (valid counts, erase counts), and so does this module.

use crate::gftl;
use flash::Part;

/// Bytes per map entry.
pub const ENTRY_BYTES: u64 = 4;

/// One item of a scheme's RAM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Item {
    /// Name of the item.
    pub what: &'static str,
    /// Size in bytes.
    pub bytes: u64,
}

/// RAM of a scheme, item by item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Items {
    /// If a scheme has only one item, the second has 0 bytes and an empty name.
    items: [Item; 2],
}

impl Items {
    const fn one(what: &'static str, bytes: u64) -> Self {
        Self::two(Item { what, bytes }, Item { what: "", bytes: 0 })
    }

    const fn two(first: Item, second: Item) -> Self {
        Self { items: [first, second] }
    }

    /// The items that the scheme has.
    pub fn iter(&self) -> impl Iterator<Item = &Item> {
        self.items.iter().filter(|item| !item.what.is_empty())
    }

    /// Total bytes.
    pub fn total(&self) -> u64 {
        self.iter().map(|item| item.bytes).sum()
    }
}

/// Full page map of `logical_pages` entries, for page-level, FSR and Lazy-RTGC.
///
/// In Table VII, Λ is all physical pages for page-level, 0.75 of them for FSR and 0.875 for Lazy-RTGC.
pub fn page_map(logical_pages: u32) -> Items {
    Items::one("page map", u64::from(logical_pages) * ENTRY_BYTES)
}

/// RFTL: one entry per physical block; the page maps are in the OOB area.
pub fn rftl(blocks: u32) -> Items {
    Items::one("block map", u64::from(blocks) * ENTRY_BYTES)
}

/// GFTL: the block map and the map of a write queue of L = ⌈N(κ+1)/2⌉ pages, with κ as Lazy-RTGC counts it.
///
/// Table VII prints 12,480 KiB. Neither these entries (6,144 KiB) nor GFTL's own of 8 and 16 bytes give that.
/// The text does not say what the figure includes.
pub fn gftl(part: &Part, blocks: u32) -> Items {
    let queue = (u64::from(blocks) * (gftl::steps_in_lazy_rtgc(part) + 1)).div_ceil(2);
    Items::two(
        Item { what: "block map", bytes: u64::from(blocks) * ENTRY_BYTES },
        Item { what: "write-queue map", bytes: queue * ENTRY_BYTES },
    )
}

/// On-demand map: a cached mapping table of `cached_bytes` and the directory of translation pages.
///
/// The translation pages hold `logical_pages` entries.
/// Table VII prints 6,528 KiB with 256 KiB of cached mapping table (§6.2).
/// The directory of 32 GiB takes about 100 KiB; the text does not explain the difference.
pub fn on_demand(part: &Part, logical_pages: u32, cached_bytes: u64) -> Items {
    let pages = crate::lazy_rtgc::on_demand::translation_pages(part, logical_pages);
    Items::two(
        Item { what: "cached mapping table", bytes: cached_bytes },
        Item { what: "translation directory", bytes: u64::from(pages) * ENTRY_BYTES },
    )
}

/// One row of Table VII as printed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Printed {
    /// Name of the scheme.
    pub scheme: &'static str,
    /// RAM in KiB.
    pub kib: u64,
    /// Energy per access in nJ (CACTI 5.3, 65 nm, 360 K, ITRS HP cells).
    pub access_nj: f64,
}

/// Table VII, sorted by RAM size.
pub const PRINTED: [Printed; 6] = [
    Printed { scheme: "rftl", kib: 1_024, access_nj: 1.155 },
    Printed { scheme: "lazy-rtgc-on-demand", kib: 6_528, access_nj: 3.822 },
    Printed { scheme: "gftl", kib: 12_480, access_nj: 5.545 },
    Printed { scheme: "fsr", kib: 49_152, access_nj: 14.609 },
    Printed { scheme: "lazy-rtgc", kib: 57_344, access_nj: 16.452 },
    Printed { scheme: "page-level", kib: 65_536, access_nj: 19.193 },
];

/// The row of Table VII for the scheme of this name.
pub fn printed_for(scheme: &str) -> Option<&'static Printed> {
    PRINTED.iter().find(|row| row.scheme == scheme)
}

/// Energy per RAM access.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AccessEnergy {
    /// Energy in nJ.
    pub nj: f64,
    /// True outside 1,024 to 65,536 KiB, the range of the printed figures.
    pub extrapolated: bool,
}

/// Energy per access to a RAM of `bytes`, estimated from the six figures of Table VII.
///
/// Between two figures the estimate is linear in the size.
/// Outside them it starts at the nearest figure and scales as a power of the size, and is marked as
/// extrapolated.
/// The exponent (0.676) is that of the power law through the smallest and the largest figure.
/// CACTI, the model behind the figures, is not run.
pub fn access_energy(bytes: u64) -> AccessEnergy {
    let kib = bytes as f64 / 1024.0;
    let (least, most) = (&PRINTED[0], &PRINTED[PRINTED.len() - 1]);
    let nearest = match kib {
        k if k < least.kib as f64 => least,
        k if k > most.kib as f64 => most,
        _ => return AccessEnergy { nj: between(kib), extrapolated: false },
    };
    let exponent =
        libm::log(most.access_nj / least.access_nj) / libm::log(most.kib as f64 / least.kib as f64);
    let nj = nearest.access_nj * libm::pow(kib / nearest.kib as f64, exponent);
    AccessEnergy { nj, extrapolated: true }
}

/// Linear interpolation between the neighbouring figures of Table VII.
fn between(kib: f64) -> f64 {
    let above = PRINTED.iter().position(|row| row.kib as f64 >= kib).unwrap_or(1).max(1);
    let (low, high) = (&PRINTED[above - 1], &PRINTED[above]);
    let part = (kib - low.kib as f64) / (high.kib - low.kib) as f64;
    low.access_nj + part * (high.access_nj - low.access_nj)
}
