//! Every rule of NAND is an error, and a refused operation changes nothing.

use crate::common::{PAGE, array, page, program, read, snapshot};
use ftlkit_flash::{
    Array, BlockId, Cause, Cell, Flash, FlashError, Geometry, Lpn, Oob, PageKind, Part, Ppn,
    Serial, SlcMode, Store, copy_one_by_one, parts,
};
use proptest::prelude::*;

const HOST: Cause = Cause::Host;

/// Two blocks of three pages: block 0 holds two pages, block 1 is erased.
fn started() -> Array {
    let mut flash = array(2, 3, Store::All);
    program(&mut flash, 0, 10, 1).unwrap();
    program(&mut flash, 1, 11, 2).unwrap();
    flash
}

/// Asserts that the operation is refused with this error and changes nothing.
fn refused(error: FlashError, operation: impl FnOnce(&mut Array) -> Result<(), FlashError>) {
    let mut flash = started();
    let before = snapshot(&mut flash);
    assert_eq!(operation(&mut flash), Err(error));
    assert_eq!(snapshot(&mut flash), before, "{error}");
}

fn order(ppn: u32, next: u32) -> FlashError {
    FlashError::ProgramOrder { ppn: Ppn(ppn), next }
}

#[test]
fn programming_rules() {
    refused(order(0, 2), |flash| program(flash, 0, 1, 3));
    refused(order(1, 2), |flash| program(flash, 1, 1, 3));
    refused(order(4, 0), |flash| program(flash, 4, 1, 3));
    refused(order(5, 0), |flash| program(flash, 5, 1, 3));
    refused(FlashError::NoSuchPage(Ppn(6)), |flash| program(flash, 6, 1, 3));
    refused(FlashError::NoSuchPage(Ppn(u32::MAX)), |flash| program(flash, u32::MAX, 1, 3));
    for found in [1, PAGE - 1, PAGE + 1] {
        refused(FlashError::PayloadLength { expected: PAGE as u32, found }, |flash| {
            flash.program(Ppn(2), Oob::data(Lpn(1), 3), Some(&vec![0; found]), HOST)
        });
    }
    refused(FlashError::Sequence(1 << 56), |flash| {
        flash.program(Ppn(2), Oob::data(Lpn(1), 1 << 56), None, HOST)
    });
}

#[test]
fn a_full_block_must_be_erased() {
    let mut flash = started();
    program(&mut flash, 2, 12, 3).unwrap();
    assert_eq!(flash.next_page(BlockId(0)), 3);
    for ppn in 0..3 {
        assert_eq!(program(&mut flash, ppn, 1, 4), Err(order(ppn, 3)));
    }
    flash.erase(BlockId(0), HOST).unwrap();
    assert_eq!((flash.next_page(BlockId(0)), flash.erase_count(BlockId(0))), (0, 1));
    assert_eq!((flash.next_page(BlockId(9)), flash.erase_count(BlockId(9))), (3, 0));
    program(&mut flash, 0, 13, 5).unwrap();
    assert_eq!(read(&mut flash, 0), Ok((Oob::data(Lpn(13), 5), page(5))));
    assert_eq!(read(&mut flash, 1), Err(FlashError::Erased(Ppn(1))));
}

#[test]
fn reading_rules() {
    let read_all = |flash: &mut Array, ppn| read(flash, ppn).map(|_| ());
    let oob_of = |flash: &mut Array, ppn| flash.read_oob(Ppn(ppn), HOST).map(|_| ());
    for (ppn, error) in [
        (2, FlashError::Erased(Ppn(2))),
        (3, FlashError::Erased(Ppn(3))),
        (6, FlashError::NoSuchPage(Ppn(6))),
    ] {
        refused(error, |flash| read_all(flash, ppn));
        refused(error, |flash| oob_of(flash, ppn));
        refused(error, |flash| flash.spoil(Ppn(ppn)));
        refused(error, |flash| flash.copy(Ppn(ppn), Ppn(2), 3, HOST).map(|_| ()));
    }
    refused(FlashError::PayloadLength { expected: PAGE as u32, found: 1 }, |flash| {
        flash.read(Ppn(0), Some(&mut [0]), HOST).map(|_| ())
    });
}

#[test]
fn copying_rules() {
    let copy =
        |from, to| move |flash: &mut Array| flash.copy(Ppn(from), Ppn(to), 3, HOST).map(|_| ());
    refused(order(0, 2), copy(0, 0));
    refused(order(1, 2), copy(0, 1));
    refused(order(4, 0), copy(0, 4));
    refused(FlashError::NoSuchPage(Ppn(6)), copy(0, 6));
    refused(FlashError::Sequence(u64::MAX - 1), |flash| {
        flash.copy(Ppn(0), Ppn(2), u64::MAX - 1, HOST).map(|_| ())
    });
}

/// Three blocks of seven pages of a TLC part, of which a block in SLC mode has two.
#[test]
fn a_block_in_slc_mode_has_a_third_of_its_pages() {
    let slc = SlcMode { t_r_ns: 1, t_prog_ns: 1, t_bers_ns: 1 };
    let part = Part { cell: Cell::Tlc, slc: Some(slc), ..parts::EVALUATION_SLC.clone() };
    let geometry = Geometry::new(3, 7, PAGE as u32).unwrap();
    let mut flash = Array::new(geometry, part, Store::All);
    flash.set_slc(BlockId(1), true).unwrap();
    assert_eq!([0, 1, 2].map(|block| flash.is_slc(BlockId(block))), [false, true, false]);
    program(&mut flash, 7, 1, 3).unwrap();
    assert_eq!(flash.set_slc(BlockId(1), false), Err(FlashError::SlcMode(BlockId(1))));
    flash.copy(Ppn(7), Ppn(8), 4, HOST).unwrap();
    let full = |ppn| FlashError::BeyondSlc { ppn: Ppn(ppn), pages: 2 };
    assert_eq!(program(&mut flash, 9, 1, 3), Err(full(9)));
    assert_eq!(flash.copy(Ppn(7), Ppn(9), 4, HOST), Err(full(9)));
    assert_eq!(flash.waste(Ppn(9)), Err(full(9)));
    let run = flash.copy_run(&[Ppn(7), Ppn(8)], Ppn(9), 4, HOST, &mut [Lpn(0); 2]);
    assert_eq!(run, Err((0, full(9))));
    assert_eq!(flash.next_page(BlockId(1)), 2);
    // The run to an erased block in SLC mode ends with its pages.
    flash.set_slc(BlockId(2), true).unwrap();
    let from = [Ppn(7), Ppn(8), Ppn(7)];
    let run = flash.copy_run(&from, Ppn(14), 4, HOST, &mut [Lpn(0); 3]);
    assert_eq!(run, Err((2, full(16))));
    flash.erase(BlockId(1), HOST).unwrap();
    assert!(!flash.is_slc(BlockId(1)));
    (7..14).for_each(|ppn| program(&mut flash, ppn, 1, 3).unwrap());
    // What an interrupted erase leaves is in no mode.
    flash.half_erase(BlockId(2)).unwrap();
    assert_eq!((flash.is_slc(BlockId(2)), flash.next_page(BlockId(2))), (false, 7));
    assert_eq!(flash.set_slc(BlockId(3), true), Err(FlashError::NoSuchBlock(BlockId(3))));
    refused(FlashError::SlcMode(BlockId(1)), |flash| flash.set_slc(BlockId(1), true));
}

#[test]
fn a_copy_keeps_its_number_where_it_is_told_to() {
    let mut flash = started();
    let own = flash.read_oob(Ppn(0), HOST).unwrap();
    assert_eq!(flash.copy(Ppn(0), Ppn(2), Oob::KEEP_SEQ, HOST), Ok(own));
    assert_eq!(flash.read_oob(Ppn(2), HOST), Ok(own));
}

/// Array without bytes: four blocks of six pages of a TLC part, of which a block in SLC mode has two.
fn without_bytes() -> Array {
    let slc = SlcMode { t_r_ns: 1, t_prog_ns: 1, t_bers_ns: 1 };
    let part = Part { cell: Cell::Tlc, slc: Some(slc), ..parts::EVALUATION_SLC.clone() };
    Array::new(Geometry::new(4, 6, PAGE as u32).unwrap(), part, Store::Metadata)
}

proptest! {
    #![proptest_config(crate::common::cases(2000))]

    /// Where no bytes move, a run is copied at once, and a page alone on a way of its own. It does what as many copies do: also
    /// within a block, of pages in any order, of those that are not programmed, lost, of another kind or in other blocks, to bad
    /// blocks and those in SLC mode, and with numbers that rise or are far apart.
    #[test]
    fn a_run_without_bytes_is_as_many_copies(
        blocks in proptest::collection::vec((0u32..7, 0u64..4, any::<bool>(), any::<bool>()), 4),
        (source, to_block, skipped) in (0u32..4, 0u32..4, prop_oneof![9 => Just(0u32), 1 => 1u32..3]),
        pages in prop_oneof![
            proptest::collection::vec(0u32..6, 1),
            proptest::collection::vec(0u32..6, 0..7)
        ],
        other in proptest::option::weighted(0.3, (0usize..7, 0u32..26)),
        seq in prop_oneof![
            0u64..6,
            Just(70_000),
            Just(1 << 40),
            Just(Oob::KEEP_SEQ),
            Just(Oob::MAX_SEQ + 1)
        ],
        (rises, is_bad) in (any::<bool>(), proptest::bool::weighted(0.1)),
        (has_kinds, is_mixed) in (proptest::bool::weighted(0.3), proptest::bool::weighted(0.3)),
        is_lost in proptest::bool::weighted(0.1),
    ) {
        const SEQS: [u64; 4] = [2, 4, 80_000, 1 << 34];
        let mut array = without_bytes();
        for (block, (pages, seq, slc, translates)) in (0..).zip(&blocks) {
            array.set_slc(BlockId(block), *slc).unwrap();
            for page in 0..(*pages).min(if *slc { 2 } else { 6 }) {
                let seq = SEQS[*seq as usize] + if rises { u64::from(page) } else { 0 };
                let lpn = Lpn(100 * block + page);
                // Of each block one kind, or in each two.
                let kind = match has_kinds && (*translates != (is_mixed && page % 2 == 1)) {
                    true => PageKind::Translation,
                    false => PageKind::Data,
                };
                let oob = Oob { lpn, kind, seq };
                array.program(Ppn(6 * block + page), oob, None, HOST).unwrap();
            }
        }
        if is_lost {
            let lost = Ppn(6 * source + array.next_page(BlockId(source)).min(5));
            _ = array.waste(lost);
        }
        let mut from: Vec<Ppn> = pages.iter().map(|page| Ppn(6 * source + page)).collect();
        if let Some((at, page)) = other
            && let Some(from) = from.get_mut(at)
        {
            *from = Ppn(page);
        }
        let to = Ppn(6 * to_block + array.next_page(BlockId(to_block)) + skipped);
        if is_bad {
            array.mark_bad(BlockId(to_block)).unwrap();
        }
        let (mut run, mut single) = (array.clone(), array);
        let mut lpns = [vec![Lpn(0); from.len()], vec![Lpn(0); from.len()]];
        let at_once = run.copy_run(&from, to, seq, HOST, &mut lpns[0]);
        let singly = copy_one_by_one(&from, to, &mut lpns[1], |from, to| {
            single.copy(from, to, seq, HOST)
        });
        prop_assert_eq!(at_once, singly);
        let done = at_once.map_or_else(|(done, _)| done, |()| from.len());
        prop_assert_eq!(&lpns[0][..done], &lpns[1][..done]);
        prop_assert_eq!(snapshot(&mut run), snapshot(&mut single));
    }
}

/// The largest number of one kind and the least of the next are neighbours as stamps, but not of one kind.
#[test]
fn a_page_of_another_kind_is_not_near_the_largest_number() {
    let mut array = without_bytes();
    let translation = Oob { lpn: Lpn(7), kind: PageKind::Translation, seq: 0 };
    array.program(Ppn(0), translation, None, HOST).unwrap();
    array.program(Ppn(6), Oob::data(Lpn(8), Oob::MAX_SEQ - 1), None, HOST).unwrap();
    array.program(Ppn(7), Oob::data(Lpn(9), Oob::MAX_SEQ), None, HOST).unwrap();
    array.program(Ppn(12), Oob::data(Lpn(10), Oob::MAX_SEQ), None, HOST).unwrap();
    let mut lpns = [Lpn(0); 1];
    assert_eq!(array.copy_run(&[Ppn(0)], Ppn(13), 0, HOST, &mut lpns), Ok(()));
    assert_eq!(array.read_oob(Ppn(13), HOST), Ok(translation));
    // What leaves that block keeps its kind: alone, and in a run.
    array.erase(BlockId(0), HOST).unwrap();
    assert_eq!(array.copy_run(&[Ppn(13)], Ppn(0), 6, HOST, &mut lpns), Ok(()));
    assert_eq!(array.read_oob(Ppn(0), HOST), Ok(Oob { seq: 6, ..translation }));
    let mut lpns = [Lpn(0); 2];
    let run = array.copy_run(&[Ppn(12), Ppn(13)], Ppn(18), 5, HOST, &mut lpns);
    assert_eq!((run, lpns), (Ok(()), [Lpn(10), Lpn(7)]));
    assert_eq!(array.read_oob(Ppn(19), HOST), Ok(Oob { seq: 5, ..translation }));
}

#[test]
fn bad_blocks_refuse_change_but_can_be_read() {
    let mut flash = started();
    flash.mark_bad(BlockId(0)).unwrap();
    assert!(flash.is_bad(BlockId(0)) && !flash.is_bad(BlockId(1)) && !flash.is_bad(BlockId(2)));
    let bad = FlashError::BadBlock(BlockId(0));
    assert_eq!(program(&mut flash, 2, 1, 3), Err(bad));
    assert_eq!(flash.copy(Ppn(0), Ppn(2), 3, HOST), Err(bad));
    assert_eq!(flash.erase(BlockId(0), HOST), Err(bad));
    assert_eq!(flash.waste(Ppn(2)), Err(bad));
    assert_eq!(flash.half_erase(BlockId(0)), Err(bad));
    assert_eq!(read(&mut flash, 0), Ok((Oob::data(Lpn(10), 1), page(1))));
    assert!(flash.copy(Ppn(0), Ppn(3), 3, HOST).is_ok());
    assert_eq!(flash.mark_bad(BlockId(2)), Err(FlashError::NoSuchBlock(BlockId(2))));
}

#[test]
fn erasing_rules() {
    refused(FlashError::NoSuchBlock(BlockId(2)), |flash| flash.erase(BlockId(2), HOST));
    refused(FlashError::NoSuchBlock(BlockId(2)), |flash| flash.half_erase(BlockId(2)));
}

#[test]
fn copies_keep_bytes_kind_and_lpn() {
    for store in [Store::All, Store::Metadata] {
        for kind in [PageKind::Data, PageKind::Translation, PageKind::Other] {
            let mut flash = array(2, 3, store);
            let oob = Oob { lpn: Lpn(42), kind, seq: 7 };
            flash.program(Ppn(0), oob, Some(&page(7)), HOST).unwrap();
            let copied = Oob { seq: 9, ..oob };
            assert_eq!(flash.copy(Ppn(0), Ppn(3), 9, HOST), Ok(copied));
            flash.erase(BlockId(0), HOST).unwrap();
            program(&mut flash, 0, 1, 10).unwrap();
            let kept = store == Store::All || kind != PageKind::Data;
            let bytes = if kept { page(7) } else { [0; PAGE] };
            assert_eq!(read(&mut flash, 3), Ok((copied, bytes)), "{store:?} {kind:?}");
        }
    }
}

#[test]
fn bytes_not_given_read_as_zeros() {
    let mut flash = array(2, 3, Store::All);
    program(&mut flash, 0, 1, 1).unwrap();
    flash.erase(BlockId(0), HOST).unwrap();
    // The slot of the old bytes is free again; none of them may show.
    flash.program(Ppn(0), Oob::data(Lpn(2), 2), None, HOST).unwrap();
    flash.copy(Ppn(0), Ppn(1), 3, HOST).unwrap();
    for ppn in [0, 1] {
        assert_eq!(read(&mut flash, ppn).unwrap().1, [0; PAGE]);
    }
}

#[test]
fn stored_pages_reuse_their_memory() {
    let mut flash = array(2, 4, Store::All);
    let mut after_first = 0;
    for round in 0..1_000 {
        for ppn in 0..8 {
            program(&mut flash, ppn, ppn, round).unwrap();
        }
        flash.erase(BlockId(0), HOST).unwrap();
        flash.erase(BlockId(1), HOST).unwrap();
        match round {
            // Stamps per page begin with the second round at the latest.
            1 => after_first = flash.heap_bytes(),
            _ => assert!(round == 0 || flash.heap_bytes() == after_first, "round {round}"),
        }
    }
}

#[test]
fn heap_is_counted() {
    let geometry = Geometry::new(1000, 64, 2048).unwrap();
    let part = parts::SAMSUNG_LARGE_BLOCK.clone();
    let mut flash = Array::new(geometry, part.clone(), Store::Metadata);
    let empty = 64_000 * 4 + 1000 * 16;
    assert_eq!(flash.heap_bytes(), empty);
    assert_eq!(Array::least_heap_bytes(&geometry), empty as u64);
    // User data with one stamp per block cost nothing more; torn pages cost 12 bytes each.
    for ppn in 0..3 {
        flash.program(Ppn(ppn), Oob::data(Lpn(ppn), 1), Some(&[0; 2048]), HOST).unwrap();
    }
    assert_eq!(flash.heap_bytes(), empty);
    flash.waste(Ppn(64)).unwrap();
    flash.waste(Ppn(3)).unwrap();
    for ppn in [4, 65] {
        flash.program(Ppn(ppn), Oob::data(Lpn(ppn), 1), None, HOST).unwrap();
    }
    assert_eq!(flash.heap_bytes(), empty + 24);
    // A different stamp after an erase costs nothing either.
    flash.erase(BlockId(1), HOST).unwrap();
    flash.program(Ppn(64), Oob::data(Lpn(64), 9), None, HOST).unwrap();
    flash.program(Ppn(65), Oob::data(Lpn(65), 9), None, HOST).unwrap();
    assert_eq!(flash.heap_bytes(), empty + 12);
    // A greater number in a block costs 2 bytes per page of the array, and another kind 8. A stored page costs its bytes
    // and one more, of at least eight, and 4 bytes per page of the array.
    flash.program(Ppn(5), Oob::data(Lpn(5), 2), None, HOST).unwrap();
    assert_eq!(flash.heap_bytes(), empty + 12 + 64_000 * 2);
    let oob = Oob { lpn: Lpn(0), kind: PageKind::Translation, seq: 2 };
    flash.program(Ppn(6), oob, Some(&[1; 2048]), HOST).unwrap();
    assert_eq!(flash.heap_bytes(), empty + 12 + 64_000 * 12 + 2048 + 8);
    for (ppn, seq) in [(0, 1), (1, 1), (2, 1), (4, 1), (5, 2), (64, 9), (65, 9)] {
        assert_eq!(flash.read_oob(Ppn(ppn), HOST), Ok(Oob::data(Lpn(ppn), seq)));
    }
}

#[test]
fn the_largest_array_is_named_without_overflow() {
    let geometry = Geometry::new((1 << 24) - 1, 256, 4096).unwrap();
    assert_eq!(geometry.capacity_bytes(), (1u64 << 44) - (256 * 4096));
    assert_eq!(Array::least_heap_bytes(&geometry), ((1 << 24) - 1) * (256 * 4 + 16));
    let widest = Geometry::new(u32::MAX / 2, 2, u32::MAX).unwrap();
    assert_eq!(widest.capacity_bytes(), u64::from(u32::MAX - 1) * u64::from(u32::MAX));
    // Blocks with the most pages possible, up to the last page.
    let mut flash = Array::new(
        Geometry::new(3, 1 << 20, 1 << 20).unwrap(),
        Part { page_bytes: 1 << 20, ..parts::SAMSUNG_LARGE_BLOCK.clone() },
        Store::Metadata,
    );
    for page in 0..1 << 20 {
        flash.program(Ppn((2 << 20) + page), Oob::data(Lpn(page), 1), None, HOST).unwrap();
    }
    let last = Ppn((3 << 20) - 1);
    assert_eq!(flash.read_oob(last, HOST), Ok(Oob::data(Lpn((1 << 20) - 1), 1)));
}

#[test]
fn serial_refuses_what_the_array_refuses() {
    let mut flash = Serial::new(started());
    assert_eq!(program(&mut flash, 0, 1, 3), Err(order(0, 2)));
    assert_eq!(flash.erase(BlockId(2), HOST), Err(FlashError::NoSuchBlock(BlockId(2))));
    assert_eq!(read(&mut flash, 2), Err(FlashError::Erased(Ppn(2))));
    assert_eq!((flash.busy_ns(), flash.energy_pj()), (0, 0));
}
