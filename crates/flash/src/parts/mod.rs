//! The catalogue of parts: every part that the papers name, with its source.
//!
//! A part declares itself in a file of its own, named as the part is, and has one line in the list below.
//! Where a source gives no voltage or current, [`Power::DEFAULT`](crate::Power::DEFAULT) is taken; where
//! it leaves a size open, the part's `source` says what was taken instead.

mod sheet;

use crate::part::Part;

/// Makes the catalogue: the file of each part and the static in it, in the order in which parts are listed.
macro_rules! catalogue {
    ($($file:ident::$part:ident,)*) => {
        $(mod $file;
        pub use $file::$part;)*

        /// Every part, in the order in which they are listed.
        pub static CATALOGUE: &[&Part] = &[$(&$part),*];
    };
}

catalogue! {
    spansion_slc::SPANSION_SLC,
    toshiba_slc::TOSHIBA_SLC,
    samsung_mlc_512m::SAMSUNG_MLC_512M,
    micron_mlc::MICRON_MLC,
    toshiba_tlc::TOSHIBA_TLC,
    evaluation_slc::EVALUATION_SLC,
    samsung_small_block::SAMSUNG_SMALL_BLOCK,
    samsung_large_block::SAMSUNG_LARGE_BLOCK,
    k9wbg08u1m::K9WBG08U1M,
    k9lcg08u1m::K9LCG08U1M,
    ddt_mlc::DDT_MLC,
}

/// The part of this name.
pub fn by_name(name: &str) -> Option<&'static Part> {
    CATALOGUE.iter().copied().find(|part| part.name == name)
}
