//! The catalogue of parts: every part that the papers name, with its source.
//!
//! Where a source gives no voltage or current, [`Power::DEFAULT`](crate::Power::DEFAULT) is taken; where
//! it leaves a size open, the part's `source` says what was taken instead.

mod catalogue;
mod nearest;

pub use catalogue::*;
pub use nearest::nearest;

use crate::Part;

/// The part of this name.
pub fn by_name(name: &str) -> Option<&'static Part> {
    CATALOGUE.iter().copied().find(|part| part.name == name)
}
