//! RAM of each scheme's maps, and the energy of an access to it.
//!
//! Source: Zhang et al., Lazy-RTGC, ACM TODAES 20(3):43, 2015, §6.3 (Table VII: 32 GiB of 2 KiB pages, 64 a
//! block). Entries are 4 bytes as there. Per-block state (valid counts, erase counts) is not in that table
//! and not here.

use crate::gftl;
use flash::Part;

/// Bytes of one entry of a map.
pub const ENTRY_BYTES: u64 = 4;

/// One item of a scheme's RAM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Item {
    /// What it is.
    pub what: &'static str,
    /// Bytes.
    pub bytes: u64,
}

/// A scheme's RAM, item by item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Items {
    /// The items; where a scheme has one only, the second is of 0 bytes and no name.
    items: [Item; 2],
}

impl Items {
    const fn one(what: &'static str, bytes: u64) -> Self {
        Self::two(Item { what, bytes }, Item { what: "", bytes: 0 })
    }

    const fn two(first: Item, second: Item) -> Self {
        Self { items: [first, second] }
    }

    /// The items.
    pub fn iter(&self) -> impl Iterator<Item = &Item> {
        self.items.iter().filter(|item| !item.what.is_empty())
    }

    /// Bytes in all.
    pub fn total(&self) -> u64 {
        self.iter().map(|item| item.bytes).sum()
    }
}

/// A whole page map of `logical_pages` entries: page-level (Λ = all physical pages in Table VII), FSR
/// (0.75 of them), Lazy-RTGC (0.875).
pub fn page_map(logical_pages: u32) -> Items {
    Items::one("page map", u64::from(logical_pages) * ENTRY_BYTES)
}

/// RFTL: one entry a physical block; the page maps lie in the OOB.
pub fn rftl(blocks: u32) -> Items {
    Items::one("block map", u64::from(blocks) * ENTRY_BYTES)
}

/// GFTL: the block map and the map of a write queue of L = ⌈N(κ+1)/2⌉ pages, κ as Lazy-RTGC counts it.
///
/// Table VII prints 12,480 KiB, which neither these entries (6,144 KiB) nor GFTL's own of 8 and 16 bytes
/// give; the text does not say what it counts.
pub fn gftl(part: &Part, blocks: u32) -> Items {
    let queue = (u64::from(blocks) * (gftl::steps_in_lazy_rtgc(part) + 1)).div_ceil(2);
    Items::two(
        Item { what: "block map", bytes: u64::from(blocks) * ENTRY_BYTES },
        Item { what: "write-queue map", bytes: queue * ENTRY_BYTES },
    )
}

/// A map on demand: a cached mapping table of `cached_bytes` and the directory of the translation pages of
/// `logical_pages` entries.
///
/// Table VII prints 6,528 KiB with 256 KiB of cached mapping table (§6.2); the directory of 32 GiB takes
/// about 100 KiB, and the text does not say what the rest is.
pub fn on_demand(part: &Part, logical_pages: u32, cached_bytes: u64) -> Items {
    let pages = crate::lazy_rtgc::on_demand::translation_pages(part, logical_pages);
    Items::two(
        Item { what: "cached mapping table", bytes: cached_bytes },
        Item { what: "translation directory", bytes: u64::from(pages) * ENTRY_BYTES },
    )
}

/// What Table VII prints for one scheme.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Printed {
    /// The scheme.
    pub scheme: &'static str,
    /// RAM, KiB.
    pub kib: u64,
    /// Energy of an access, nJ (CACTI 5.3, 65 nm, 360 K, ITRS HP cells).
    pub access_nj: f64,
}

/// Table VII, by size of RAM.
pub const PRINTED: [Printed; 6] = [
    Printed { scheme: "rftl", kib: 1_024, access_nj: 1.155 },
    Printed { scheme: "lazy-rtgc-on-demand", kib: 6_528, access_nj: 3.822 },
    Printed { scheme: "gftl", kib: 12_480, access_nj: 5.545 },
    Printed { scheme: "fsr", kib: 49_152, access_nj: 14.609 },
    Printed { scheme: "lazy-rtgc", kib: 57_344, access_nj: 16.452 },
    Printed { scheme: "page-level", kib: 65_536, access_nj: 19.193 },
];

/// What Table VII prints for the scheme of this name.
pub fn printed_for(scheme: &str) -> Option<&'static Printed> {
    PRINTED.iter().find(|row| row.scheme == scheme)
}

/// Energy of one access to a RAM.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AccessEnergy {
    /// nJ.
    pub nj: f64,
    /// True outside 1,024 to 65,536 KiB, where no figure was printed.
    pub extrapolated: bool,
}

/// Energy of one access to a RAM of `bytes`, from the six figures of Table VII.
///
/// Between two of them: linear in the size. Outside them: from the nearest, as the power of the size that
/// joins the smallest and the largest (0.676), and marked as extrapolated. An estimate in either case: the
/// model behind the figures (CACTI) is not run.
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

/// Linear between the two figures of Table VII on either side.
fn between(kib: f64) -> f64 {
    let above = PRINTED.iter().position(|row| row.kib as f64 >= kib).unwrap_or(1).max(1);
    let (low, high) = (&PRINTED[above - 1], &PRINTED[above]);
    let part = (kib - low.kib as f64) / (high.kib - low.kib) as f64;
    low.access_nj + part * (high.access_nj - low.access_nj)
}
