//! NFTL: a fold that is cut.

use crate::bench::preset;
use flash::faults::PowerCut;
use flash::parts::EVALUATION_SLC;
use flash::{
    AnyArray, Array, Cause, Geometry, Lpn, Operation, Part, Serial, Store, WearLevel, WearRule,
};
use ftlkit_ftl::registry;

type Cut = PowerCut<Array>;
type Levelled = WearLevel<Serial<Cut>>;

/// A page is written twice, into the primary and the replacement, and trimmed. A fold takes neither version. Wherever it is
/// cut, the page reads as before the trim or as trimmed; its first version never comes back.
#[test]
fn no_cut_in_a_fold_brings_back_an_older_version_of_a_trimmed_page() {
    let geometry = Geometry::new(12, 4, 8).unwrap();
    let part = Part { pages_per_block: 4, page_bytes: 8, ..EVALUATION_SLC.clone() };
    let config = preset("nftl");
    let bytes = |version: u8| [version; 8];
    let (mut trimmed, mut before, mut finished) = (0, 0, false);
    for cut in 0..40 {
        for tear in [false, true] {
            let array = PowerCut::new(Array::new(geometry, part.clone(), Store::All));
            let mut scheme = registry::format(&config, AnyArray::new(array)).unwrap();
            for (version, lpn) in (1..).zip([0, 1, 2, 3, 0, 1, 1, 1]) {
                scheme.write(Lpn(lpn), Some(&bytes(version))).unwrap();
            }
            scheme.trim(Lpn(0)).unwrap();
            scheme.flash_mut().downcast_mut::<Cut>().unwrap().cut_after(cut, tear);
            finished |= scheme.write(Lpn(2), Some(&bytes(9))).is_ok();
            let mut array = scheme.into_flash();
            array.downcast_mut::<Cut>().unwrap().restore();
            let mut scheme = registry::mount(&config, array).unwrap();
            let mut found = [0xff; 8];
            match scheme.read(Lpn(0), Some(&mut found)).unwrap() {
                false => trimmed += 1,
                true => {
                    assert_eq!(found, bytes(5), "cut after {cut} changes, torn: {tear}");
                    before += 1;
                }
            }
            scheme.read(Lpn(1), Some(&mut found)).unwrap();
            assert_eq!(found, bytes(8));
        }
    }
    assert!(finished && trimmed > 0 && before > 0, "{trimmed} trimmed, {before} as before");
}

/// The mount after a fold that was cut erases its rest. Static wear levelling moves no block for that, though one that was
/// never erased is full: what is on flash is not known yet.
#[test]
fn no_block_is_moved_for_an_erase_of_a_mount() {
    let geometry = Geometry::new(12, 4, 8).unwrap();
    let part = Part { pages_per_block: 4, page_bytes: 8, ..EVALUATION_SLC.clone() };
    let config = preset("nftl");
    let mut mounts_that_erase = 0;
    for cut in 0..12 {
        let array = PowerCut::new(Array::new(geometry, part.clone(), Store::All));
        let mut scheme = registry::format(&config, AnyArray::new(Serial::new(array))).unwrap();
        // One logical block that stays, and one that is folded again and again until its replacement is full.
        let hot = [0, 1, 2, 3, 0, 1, 1, 1].into_iter();
        for lpn in [4, 5, 6, 7].into_iter().chain(hot.cycle().take(12 + 80)) {
            scheme.write(Lpn(lpn), Some(&[lpn as u8; 8])).unwrap();
        }
        scheme.flash_mut().downcast_mut::<Serial<Cut>>().unwrap().inner_mut().cut_after(cut, false);
        (0..4).for_each(|lpn| _ = scheme.write(Lpn(lpn), None));
        let mut array: Serial<Cut> = scheme.into_flash().downcast().unwrap();
        array.inner_mut().restore();

        let mut levelled: Levelled = WearLevel::new(array, Some(WearRule::Gap(1)), 1, 1);
        levelled.recover().unwrap();
        let before = *levelled.counts();
        let scheme = registry::mount(&config, AnyArray::new(levelled)).unwrap();
        let counts = scheme.flash().downcast_ref::<Levelled>().unwrap().counts().since(&before);
        mounts_that_erase += u32::from(counts.get(Operation::Erase, Cause::Mount) > 0);
        assert_eq!(counts.get(Operation::Copy, Cause::WearLevel), 0, "cut {cut}");
    }
    assert!(mounts_that_erase > 0);
}
