//! The schemes, one file each.

pub(crate) mod bast;
pub(crate) mod fast;
pub(crate) mod fsr;
pub(crate) mod lazy_rtgc;
pub(crate) mod nftl;
pub(crate) mod page_level;
