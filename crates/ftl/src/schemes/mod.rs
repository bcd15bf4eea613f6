//! The schemes, one module each.

pub(crate) mod ba_gc;
pub(crate) mod bast;
pub(crate) mod dftl;
pub(crate) mod fast;
pub(crate) mod fsr;
pub(crate) mod gftl;
pub(crate) mod gftl_priority;
pub(crate) mod gftl_threshold;
pub(crate) mod lazy_rtgc;
pub(crate) mod lazy_rtgc_on_demand;
pub(crate) mod nftl;
pub(crate) mod page_level;
pub(crate) mod rftl;
pub(crate) mod superblock;
pub(crate) mod two_level_gc;
pub(crate) mod zns;
