//! Pages that a merge cannot read, and lost pages that are restored from the write buffer.

use super::{Buffer, FIGURE_1, Fast, PAGE_BYTES, bytes, figure};
use crate::dirty_pages::{NoBuffer, Probability};
use crate::error::FtlError;
use crate::interface::Ftl;
use flash::{FlashError, Lpn, faults::Tearable};

/// Fig. 1 after the merge of its log block, in which p3 was lost.
fn without_p3() -> Fast {
    let mut fast = figure(&FIGURE_1, None);
    let p3 = fast.core.place(Lpn(3)).unwrap();
    fast.core.flash.spoil(p3).unwrap();
    fast.logs.random.collect(&mut fast.core, &mut None, &mut NoBuffer).unwrap();
    fast
}

fn read(fast: &mut Fast, lpn: u32) -> Result<Option<[u8; PAGE_BYTES as usize]>, FtlError> {
    let mut page = [0; PAGE_BYTES as usize];
    Ok(fast.read(Lpn(lpn), Some(&mut page))?.then_some(page))
}

#[test]
fn a_page_that_a_merge_cannot_read_fails_to_read_until_it_is_trimmed() {
    let mut fast = without_p3();
    for _ in 0..2 {
        let lost = read(&mut fast, 3);
        assert!(matches!(lost, Err(FtlError::Flash(FlashError::Uncorrectable(_)))), "{lost:?}");
        assert_eq!((fast.telemetry().collections.lost_pages, fast.core.present(0)), (1, 3));
        assert_eq!(read(&mut fast, 2).unwrap(), Some(bytes(2, 0)));
        // The page's place is padded; a further merge does not count it as lost again.
        fast.core.merge(0, None, &mut NoBuffer).unwrap();
    }
    fast.trim(Lpn(3)).unwrap();
    assert_eq!(read(&mut fast, 3).unwrap(), None);
}

#[test]
fn a_page_that_was_lost_comes_back_from_the_buffer() {
    let mut fast = without_p3();
    let mut buffer = Buffer::of(&[(3, Probability::NEVER)]);
    fast.core.merge(0, None, &mut buffer).unwrap();
    assert!(buffer.0.is_empty(), "p3 is clean");
    assert_eq!(read(&mut fast, 3).unwrap(), Some(bytes(3, 2)));
    // A second loss of the same page counts again.
    let p3 = fast.core.place(Lpn(3)).unwrap();
    fast.core.flash.spoil(p3).unwrap();
    fast.core.merge(0, None, &mut NoBuffer).unwrap();
    assert!(read(&mut fast, 3).is_err());
    assert_eq!(fast.telemetry().collections.lost_pages, 2);
}

#[test]
fn a_page_that_is_dirty_in_the_buffer_is_not_looked_for_on_flash() {
    let mut fast = figure(&FIGURE_1, None);
    let p3 = fast.core.place(Lpn(3)).unwrap();
    fast.core.flash.spoil(p3).unwrap();
    let mut buffer = Buffer::of(&[(3, Probability::NEVER)]);
    fast.core.merge(0, None, &mut buffer).unwrap();
    assert_eq!(read(&mut fast, 3).unwrap(), Some(bytes(3, 2)));
    assert_eq!(fast.telemetry().collections.lost_pages, 0);
}
