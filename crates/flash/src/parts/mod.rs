//! Catalogue of parts: the parts of the papers, then parts of today from published simulators and ISSCC, each
//! with its source.
//!
//! Each part is defined in its own file, which has the part's name, and has one line in the list below. If a
//! source gives no voltage or current, the part has [`Power::DEFAULT`](crate::Power::DEFAULT). If it leaves a
//! size open, the part's `source` names the assumed value.

mod sheet;

use crate::part::Part;

/// Declares each part's file and re-exports its static, in listing order.
macro_rules! catalogue {
    ($($file:ident::$part:ident,)*) => {
        $(mod $file;
        pub use $file::$part;)*

        /// All parts, in listing order.
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
    mqsim_mlc::MQSIM_MLC,
    mqsim_cxl_tlc::MQSIM_CXL_TLC,
    aero_tlc::AERO_TLC,
    mqsim_fine_tlc::MQSIM_FINE_TLC,
    zn540_tlc::ZN540_TLC,
    femu_qlc::FEMU_QLC,
    znand_slc::ZNAND_SLC,
    bics_tlc::BICS_TLC,
    conzone_tlc::CONZONE_TLC,
    conzone_qlc::CONZONE_QLC,
}

/// The part with this name.
pub fn by_name(name: &str) -> Option<&'static Part> {
    CATALOGUE.iter().copied().find(|part| part.name == name)
}
