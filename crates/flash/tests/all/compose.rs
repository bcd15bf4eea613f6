//! Wrappers compose in any order. A fault at any depth reaches the array below and the wrappers above.

use crate::common::{array, page, program, read};
use ftlkit_flash::faults::{
    BadBlocks, BitErrorModel, BitErrorRate, BitErrors, PowerCut, ProgramEraseFailure, Tearable,
};
use ftlkit_flash::{Array, BlockId, Cause, Flash, FlashError, Lpn, Oob, Ppn, Probe, Serial, Store};

const RATE: BitErrorRate =
    BitErrorRate { base: 1_000_000_000, per_erase: 0, per_read: 0, ecc_bits_per_kib: 8 };

fn flash() -> Array {
    array(4, 4, Store::All)
}

fn cut<F: Tearable>(inner: F) -> PowerCut<F> {
    let mut flash = PowerCut::new(inner);
    flash.cut_after(3, true);
    flash
}

/// A wrapper in which the second program fails.
fn fail<F: Tearable>(inner: F) -> ProgramEraseFailure<F> {
    let mut flash = ProgramEraseFailure::new(inner, 1);
    flash.fail_program_after(1);
    flash
}

fn bits<F: Tearable>(inner: F) -> BitErrors<F> {
    BitErrors::new(inner, RATE, 2).unwrap()
}

fn bad<F: Tearable>(inner: F) -> BadBlocks<F> {
    BadBlocks::listed(inner, &[BlockId(1)]).unwrap()
}

/// Asserts the effects of three faults, for any order of the wrappers: one cut (at the fourth change), one
/// failed program (the second) and one bad block (block 1).
fn goes_wrong(flash: &mut impl Tearable) {
    assert_eq!(program(flash, 4, 1, 1), Err(FlashError::BadBlock(BlockId(1))));
    program(flash, 0, 1, 1).unwrap();
    assert_eq!(program(flash, 1, 2, 2), Err(FlashError::ProgramFailed(Ppn(1))));
    assert_eq!(flash.copy(Ppn(0), Ppn(8), 3, Cause::FullMerge), Ok(Oob::data(Lpn(1), 3)));
    assert_eq!(read(flash, 8), Ok((Oob::data(Lpn(1), 3), page(1))));
    assert_eq!(read(flash, 1), Err(FlashError::Uncorrectable(Ppn(1))));
    assert_eq!(flash.erase(BlockId(0), Cause::Collection), Err(FlashError::PowerOff));
    assert_eq!(read(flash, 8), Err(FlashError::PowerOff));
}

/// Asserts the damage in the array below all wrappers.
fn left(mut flash: Array) {
    for ppn in 0..4 {
        assert_eq!(read(&mut flash, ppn), Err(FlashError::Uncorrectable(Ppn(ppn))));
    }
    assert!(flash.is_bad(BlockId(1)));
    assert_eq!(read(&mut flash, 8), Ok((Oob::data(Lpn(1), 3), page(1))));
    assert_eq!(read(&mut flash, 9), Err(FlashError::Erased(Ppn(9))));
    assert_eq!(flash.erase_count(BlockId(0)), 0);
}

macro_rules! order {
    ($test:ident: $($wrapper:path),* => $bottom:expr) => {
        #[test]
        fn $test() {
            let mut flash = order!(@wrap $($wrapper),*; $bottom);
            goes_wrong(&mut flash);
            $(let _ = stringify!($wrapper); let flash = flash.into_inner();)*
            left(flash);
        }
    };
    (@wrap $outer:path $(, $inner:path)*; $bottom:expr) => { $outer(order!(@wrap $($inner),*; $bottom)) };
    (@wrap ; $bottom:expr) => { $bottom };
}

order!(serial_cut_fail_bits_bad: Serial::new, cut, fail, bits, bad => flash());
order!(cut_serial_bits_bad_fail: cut, Serial::new, bits, bad, fail => flash());
order!(fail_cut_bad_serial_bits: fail, cut, bad, Serial::new, bits => flash());
order!(bits_bad_serial_fail_cut: bits, bad, Serial::new, fail, cut => flash());
order!(bad_bits_fail_cut_serial: bad, bits, fail, cut, Serial::new => flash());

#[test]
fn time_above_the_faults_counts_what_ran() {
    let mut flash = Serial::new(cut(fail(bits(bad(flash())))));
    goes_wrong(&mut flash);
    // Two programs (one failed), one copy and two reads (one uncorrectable). Neither refused operations nor the
    // one that the cut stopped are charged.
    assert_eq!(flash.busy_ns(), 2 * 300_000 + 325_000 + 2 * 25_000);
    assert_eq!(flash.busy_for_ns(Cause::Collection), 0);
}

#[test]
fn what_ecc_did_is_seen_through_every_wrapper() {
    fn five<F: Tearable>(inner: F) -> BitErrors<F> {
        let model = BitErrorModel::Fixed { bits_per_page: 5, ecc_bits_per_kib: 8 };
        BitErrors::new(inner, model, 0).unwrap()
    }
    let inner = cut(fail(bad(Serial::new(five(flash())))));
    let mut flash = Serial::new(BitErrors::none(inner));
    assert!(flash.has_bit_errors());
    program(&mut flash, 0, 1, 1).unwrap();
    assert_eq!(flash.corrected_bits(), 0);
    read(&mut flash, 0).unwrap();
    flash.read_oob(Ppn(0), Cause::Mount).unwrap();
    flash.copy(Ppn(0), Ppn(8), 2, Cause::Collection).unwrap_err();
    flash.copy(Ppn(0), Ppn(9), 2, Cause::Collection).unwrap();
    // The failed copy has read its page, too.
    assert_eq!(flash.corrected_bits(), 4 * 5);
    // Two wrappers: the sum of the bits that each corrected.
    let mut flash = five(five(self::flash()));
    program(&mut flash, 0, 1, 1).unwrap();
    read(&mut flash, 0).unwrap();
    assert_eq!((flash.corrected_bits(), flash.inner().corrected_bits()), (10, 5));
    let mut flash = Serial::new(cut(fail(bad(BitErrors::none(self::flash())))));
    assert!(!flash.has_bit_errors());
    program(&mut flash, 0, 1, 1).unwrap();
    read(&mut flash, 0).unwrap();
    assert_eq!(flash.corrected_bits(), 0);
}
