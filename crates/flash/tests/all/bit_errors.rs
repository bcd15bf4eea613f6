//! Bit errors are corrected silently and counted, or are permanent errors; reads never return wrong bytes.

use crate::common::{array, page, program, read};
use ftlkit_flash::faults::{BitErrorRate, BitErrors, FaultError, Tearable};
use ftlkit_flash::{
    Array, BlockId, Cause, Flash, FlashError, Geometry, Lpn, Oob, Ppn, Probe, Serial, Store, parts,
};

const HOST: Cause = Cause::Host;

/// Pages of 16 KiB: 16 codewords of 8,192 bits.
fn large_pages(blocks: u32, rate: BitErrorRate, seed: u64) -> BitErrors<Array> {
    let geometry = Geometry::new(blocks, 64, 16 << 10).unwrap();
    let flash = Array::new(geometry, parts::MICRON_MLC.clone(), Store::Metadata);
    BitErrors::new(flash, rate, seed).unwrap()
}

fn write(flash: &mut impl Flash, ppn: u32) {
    flash.program(Ppn(ppn), Oob::data(Lpn(ppn), 1), None, HOST).unwrap();
}

fn look(flash: &mut impl Flash, ppn: u32) -> Result<Oob, FlashError> {
    flash.read(Ppn(ppn), None, HOST)
}

/// Mean errors per page over 640 pages, in blocks erased `erases` times and pages read `reads` times.
fn mean(rate: BitErrorRate, erases: u32, reads: u32) -> f64 {
    let mut flash = large_pages(10, rate, 11);
    let mut errors = 0;
    for block in 0..10 {
        (0..erases).for_each(|_| flash.erase(BlockId(block), HOST).unwrap());
        for ppn in block * 64..(block + 1) * 64 {
            write(&mut flash, ppn);
            (1..reads).for_each(|_| assert!(look(&mut flash, ppn).is_ok()));
            let before = flash.corrected_bits();
            look(&mut flash, ppn).unwrap();
            errors += flash.corrected_bits() - before;
        }
    }
    errors as f64 / 640.0
}

#[test]
fn the_rate_is_that_of_the_formula() {
    let rate = BitErrorRate {
        base: 20_000_000,
        per_erase: 5_000_000,
        per_read: 1_000_000,
        ecc_bits_per_kib: 60,
    };
    for (erases, reads) in [(0, 1), (20, 1), (0, 50), (8, 30)] {
        let per_bit = 2e-5 + 5e-6 * f64::from(erases) + 1e-6 * f64::from(reads);
        let expected = per_bit * 16.0 * 8192.0;
        // Five standard errors of a Poisson mean over 640 pages.
        let tolerance = 5.0 * (expected / 640.0).sqrt();
        let found = mean(rate, erases, reads);
        assert!((found - expected).abs() < tolerance, "{found} for {expected} ± {tolerance}");
    }
}

#[test]
fn beyond_ecc_as_often_as_poisson_says() {
    // Mean 4 per codeword, 8 corrected: P(X > 8) = 0.021363 per codeword, 0.29216 per page of 16 codewords.
    let rate = BitErrorRate {
        base: 4 * 1_000_000_000_000 / 8192,
        per_erase: 0,
        per_read: 0,
        ecc_bits_per_kib: 8,
    };
    let mut flash = large_pages(40, rate, 5);
    let mut failed = 0;
    for ppn in 0..40 * 64 {
        write(&mut flash, ppn);
        failed += u32::from(look(&mut flash, ppn).is_err());
    }
    // 2,560 pages: 748 expected, five standard deviations of 23.
    assert!(failed.abs_diff(748) < 115, "{failed}");
    assert_eq!(flash.uncorrectable_reads(), u64::from(failed));
}

/// Mean 1 per codeword at first, one more every 20 reads.
const AGEING: BitErrorRate =
    BitErrorRate { base: 122_070_312, per_erase: 0, per_read: 6_103_515, ecc_bits_per_kib: 12 };

#[test]
fn uncorrectable_stays_so_until_the_erase() {
    let mut flash = large_pages(2, AGEING, 3);
    for ppn in 0..64 {
        write(&mut flash, ppn);
        while look(&mut flash, ppn).is_ok() {}
        let lost = Err(FlashError::Uncorrectable(Ppn(ppn)));
        for _ in 0..10 {
            assert_eq!(look(&mut flash, ppn), lost);
            assert_eq!(flash.read_oob(Ppn(ppn), HOST), lost);
            assert_eq!(flash.copy(Ppn(ppn), Ppn(64), 2, HOST), lost);
        }
    }
    // 64 first failures, and 30 more reads of each page.
    assert_eq!(flash.uncorrectable_reads(), 64 * 31);
    flash.erase(BlockId(0), HOST).unwrap();
    write(&mut flash, 0);
    // Without the reads before the erase the page has few errors again.
    assert_eq!(look(&mut flash, 0), Ok(Oob::data(Lpn(0), 1)));
    // The damage is in the array itself, not only in the wrapper.
    let mut flash = large_pages(1, BitErrorRate { base: u64::MAX, ..AGEING }, 3);
    write(&mut flash, 0);
    assert!(look(&mut flash, 0).is_err());
    assert!(flash.into_inner().read_oob(Ppn(0), HOST).is_err());
}

#[test]
fn errors_only_grow_with_reads() {
    let mut flash = large_pages(1, AGEING, 9);
    for ppn in 0..64 {
        write(&mut flash, ppn);
        let (mut last, mut total) = (0, flash.corrected_bits());
        while look(&mut flash, ppn).is_ok() {
            let now = flash.corrected_bits() - total;
            total += now;
            assert!(now >= last, "{last} errors became {now}");
            last = now;
        }
        assert!(last > 16);
    }
}

#[test]
fn flips_never_reach_the_reader() {
    // Mean 8 in 16 bytes: most pages have errors, some more than 8.
    let rate =
        BitErrorRate { base: 62_500_000_000, per_erase: 0, per_read: 0, ecc_bits_per_kib: 8 };
    let mut flash = BitErrors::new(array(8, 64, Store::All), rate, 17).unwrap();
    let (mut good, mut lost) = (0, 0);
    for ppn in 0..512 {
        program(&mut flash, ppn, ppn, u64::from(ppn)).unwrap();
        match read(&mut flash, ppn) {
            Ok(found) => {
                assert_eq!(found, (Oob::data(Lpn(ppn), ppn.into()), page(ppn.into())));
                good += 1;
            }
            Err(error) => {
                assert_eq!(error, FlashError::Uncorrectable(Ppn(ppn)));
                lost += 1;
            }
        }
    }
    // P(Poisson(8) > 8) = 0.4075: 209 pages, five standard deviations of 11.1.
    assert!(i32::abs_diff(lost, 209) < 56, "{good} good, {lost} lost");
    assert_eq!(flash.uncorrectable_reads(), lost as u64);
    assert!(flash.corrected_bits() > good as u64);
}

#[test]
fn errors_do_not_depend_on_other_pages_and_repeat() {
    let errors = |seed: u64, before: u32| {
        let mut flash = large_pages(2, AGEING, seed);
        (0..before).for_each(|ppn| write(&mut flash, ppn));
        (0..before).for_each(|ppn| assert!(look(&mut flash, ppn).is_ok()));
        write(&mut flash, 64);
        let counted = flash.corrected_bits();
        look(&mut flash, 64).unwrap();
        flash.corrected_bits() - counted
    };
    assert_eq!(errors(1, 0), errors(1, 64));
    let seeds: std::collections::HashSet<u64> = (0..50).map(|seed| errors(seed, 0)).collect();
    assert!(seeds.len() > 5, "{seeds:?}");
}

#[test]
fn each_program_draws_anew() {
    let mut flash = large_pages(1, AGEING, 4);
    let errors = |flash: &mut BitErrors<Array>| {
        let counted = flash.corrected_bits();
        write(flash, 0);
        look(flash, 0).unwrap();
        flash.corrected_bits() - counted
    };
    let mut seen = std::collections::HashSet::new();
    for _ in 0..50 {
        seen.insert(errors(&mut flash));
        flash.erase(BlockId(0), HOST).unwrap();
    }
    assert!(seen.len() > 5, "{seen:?}");
}

#[test]
fn refused_operations_age_nothing() {
    let mut flash = BitErrors::new(Serial::new(array(2, 4, Store::All)), AGEING, 1).unwrap();
    assert_eq!(read(&mut flash, 0), Err(FlashError::Erased(Ppn(0))));
    assert_eq!(read(&mut flash, 8), Err(FlashError::NoSuchPage(Ppn(8))));
    let copied = flash.copy(Ppn(0), Ppn(1), 1, HOST);
    assert_eq!(copied, Err(FlashError::Erased(Ppn(0))));
    assert!(flash.read(Ppn(0), Some(&mut [0]), HOST).is_err());
    assert_eq!((flash.corrected_bits(), flash.uncorrectable_reads()), (0, 0));
    assert_eq!(flash.inner().busy_ns(), 0);
    // The time below charges a failed read like any other.
    program(&mut flash, 0, 1, 1).unwrap();
    flash.spoil(Ppn(0)).unwrap();
    assert!(read(&mut flash, 0).is_err());
    assert_eq!(flash.inner().busy_ns(), 300_000 + 25_000);
    assert_eq!((flash.corrected_bits(), flash.uncorrectable_reads()), (0, 1));
}

#[test]
fn a_refused_operation_does_not_disturb_its_source() {
    let mut flash = large_pages(2, AGEING, 3);
    write(&mut flash, 0);
    let errors = |flash: &mut BitErrors<Array>| {
        let counted = flash.corrected_bits();
        look(flash, 0).unwrap();
        flash.corrected_bits() - counted
    };
    let first = errors(&mut flash.clone());
    let order = FlashError::ProgramOrder { ppn: Ppn(65), next: 0 };
    let length = FlashError::PayloadLength { expected: 16 << 10, found: 5 };
    for _ in 0..1_000 {
        assert_eq!(flash.copy(Ppn(0), Ppn(65), 2, HOST), Err(order));
        assert_eq!(flash.read(Ppn(0), Some(&mut [0; 5]), HOST), Err(length));
    }
    assert_eq!(errors(&mut flash), first);
}

#[test]
fn a_part_of_a_page_goes_through_ecc() {
    let mut flash = BitErrors::new(array(2, 4, Store::All), AGEING, 1).unwrap();
    program(&mut flash, 0, 1, 1).unwrap();
    let mut part = [0; 4];
    let beyond = FlashError::PayloadLength { expected: 16, found: 17 };
    assert_eq!(flash.read_part(Ppn(0), 10, &mut [0; 7], HOST), Err(beyond));
    assert_eq!(flash.corrected_bits(), 0);
    while flash.read_part(Ppn(0), 1, &mut part, HOST).is_ok() {
        assert_eq!(part, page(1)[1..5]);
        assert!(flash.corrected_bits() < 1 << 20, "it never gives up");
    }
    assert!(flash.corrected_bits() > 0);
    assert_eq!(flash.uncorrectable_reads(), 1);
}

#[test]
fn ecc_strength_has_a_range() {
    for strength in [0, 513, u32::MAX] {
        let rate = BitErrorRate { ecc_bits_per_kib: strength, ..AGEING };
        let refused = BitErrors::new(array(2, 4, Store::All), rate, 0).unwrap_err();
        assert_eq!(refused, FaultError::EccStrength(strength));
    }
}
