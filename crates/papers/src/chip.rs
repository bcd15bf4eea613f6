//! The array below a scheme where a reproduction runs it in serial time.

use flash::{AnyArray, SerialArray};

/// The array, with its clock and counts.
pub(crate) fn chip(flash: &AnyArray) -> &SerialArray {
    flash.serial().expect("it was formatted on an array in serial time")
}
