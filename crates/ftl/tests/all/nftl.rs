//! NFTL: a fold that is cut.

use crate::bench::preset;
use flash::faults::PowerCut;
use flash::parts::EVALUATION_SLC;
use flash::{AnyArray, Array, Geometry, Lpn, Part, Store};
use ftlkit_ftl::registry;

type Cut = PowerCut<Array>;

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
