//! The array against a plain model, under random operations, with every page compared after each.

mod plain;

use crate::common::{PAGE, array, page, snapshot};
use ftlkit_flash::faults::{
    BadBlocks, BitErrorRate, BitErrors, PowerCut, ProgramEraseFailure, Tearable,
};
use ftlkit_flash::{BlockId, Cause, FlashError, Lpn, Oob, PageKind, Ppn, Serial, Store};
use plain::{Model, ProgramTarget, Step};
use proptest::prelude::*;
use std::fmt::Debug;

const BLOCKS: u32 = 4;
const PER_BLOCK: u32 = 5;
const PAGES: u32 = BLOCKS * PER_BLOCK;

fn oobs() -> impl Strategy<Value = Oob> {
    let kind = prop_oneof![
        6 => Just(PageKind::Data),
        1 => Just(PageKind::Translation),
        1 => Just(PageKind::Other)
    ];
    let seq = prop_oneof![
        20 => 0..3u64,
        2 => Just(Oob::MAX_SEQ),
        1 => Just(Oob::MAX_SEQ + 1),
        1 => Just(u64::MAX)
    ];
    (any::<u32>(), kind, seq).prop_map(|(lpn, kind, seq)| Oob { lpn: Lpn(lpn), kind, seq })
}

fn places() -> impl Strategy<Value = ProgramTarget> {
    prop_oneof![
        5 => (0..BLOCKS).prop_map(ProgramTarget::Next),
        1 => (0..PAGES + 2).prop_map(ProgramTarget::At)
    ]
}

fn steps() -> impl Strategy<Value = Step> {
    let ppn = 0..PAGES + 2;
    let block = 0..BLOCKS + 1;
    let data = prop_oneof![
        2 => Just(None),
        6 => Just(Some(PAGE)),
        1 => (0..PAGE + 2).prop_map(Some)
    ];
    prop_oneof![
        30 => (places(), oobs(), data)
            .prop_map(|(ppn, oob, data)| Step::Program { ppn, oob, data }),
        10 => (ppn.clone(), places(), oobs())
            .prop_map(|(from, to, oob)| Step::Copy { from, to, seq: oob.seq }),
        8 => block.clone().prop_map(Step::Erase),
        3 => (ppn.clone(), prop_oneof![Just(None), Just(Some(PAGE)), Just(Some(PAGE - 1)), Just(Some(0))])
            .prop_map(|(ppn, length)| Step::Read(ppn, length)),
        3 => ppn.clone().prop_map(Step::ReadOob),
        1 => block.clone().prop_map(Step::MarkBad),
        1 => places().prop_map(Step::Waste),
        1 => block.prop_map(Step::HalfErase),
        1 => ppn.prop_map(Step::Spoil),
    ]
}

fn same<T: Debug + PartialEq>(found: T, expected: T) -> Result<(), TestCaseError> {
    prop_assert_eq!(found, expected);
    Ok(())
}

/// Applies one step to both and compares their answers.
fn step(
    model: &mut Model,
    flash: &mut impl Tearable,
    step: &Step,
    version: u64,
) -> Result<(), TestCaseError> {
    let cause = Cause::Collection;
    let place = |model: &Model, place| model.place(place);
    match *step {
        Step::Program { ppn, oob, data } => {
            let (ppn, mut bytes) = (place(model, ppn), page(version).to_vec());
            let bytes = data.map(|length| {
                bytes.resize(length, 0);
                &bytes[..]
            });
            let found = flash.program(Ppn(ppn), oob, bytes, cause);
            same(found, model.program(ppn, oob, data, page(version)))
        }
        Step::Copy { from, to, seq } => {
            let to = place(model, to);
            same(flash.copy(Ppn(from), Ppn(to), seq, cause), model.copy(from, to, seq))
        }
        Step::Erase(block) => same(flash.erase(BlockId(block), cause), model.erase(block)),
        Step::Read(ppn, length) => {
            let mut bytes = length.map(|length| vec![0; length]);
            let found = flash.read(Ppn(ppn), bytes.as_deref_mut(), cause);
            let expected = match length {
                None | Some(PAGE) => model.found(ppn).map(|(oob, _)| oob),
                Some(found) => Err(FlashError::PayloadLength { expected: PAGE as u32, found }),
            };
            same(found, expected)
        }
        Step::ReadOob(ppn) => {
            same(flash.read_oob(Ppn(ppn), cause), model.found(ppn).map(|(oob, _)| oob))
        }
        Step::MarkBad(block) => same(flash.mark_bad(BlockId(block)), model.mark_bad(block)),
        Step::Waste(ppn) => {
            let ppn = place(model, ppn);
            same(flash.waste(Ppn(ppn)), model.waste(ppn))
        }
        Step::HalfErase(block) => same(flash.half_erase(BlockId(block)), model.half_erase(block)),
        Step::Spoil(ppn) => same(flash.spoil(Ppn(ppn)), model.spoil(ppn)),
    }
}

fn agrees(mut flash: impl Tearable, store: Store, steps: &[Step]) -> Result<(), TestCaseError> {
    let mut model = Model::new(BLOCKS, PER_BLOCK, store);
    for (version, taken) in steps.iter().enumerate() {
        step(&mut model, &mut flash, taken, version as u64 + 1)?;
        same(snapshot(&mut flash), model.snapshot())?;
        for ppn in 0..PAGES {
            // The hint for a readable page is the LPN that a read returns.
            if let Ok((oob, _)) = model.found(ppn) {
                prop_assert_eq!(flash.peek_lpn(Ppn(ppn)), Some(oob.lpn));
            }
        }
    }
    Ok(())
}

const NO_ERRORS: BitErrorRate =
    BitErrorRate { base: 0, per_erase: 0, per_read: 0, ecc_bits_per_kib: 1 };

proptest! {
    #![proptest_config(crate::common::cases(256))]

    #[test]
    fn array_is_the_model(
        steps in prop::collection::vec(steps(), 1..120),
        store in prop_oneof![Just(Store::All), Just(Store::Metadata)],
    ) {
        agrees(array(BLOCKS, PER_BLOCK, store), store, &steps)?;
    }

    /// Wrappers without scheduled faults change nothing, in either order.
    #[test]
    fn wrappers_are_transparent(
        steps in prop::collection::vec(steps(), 1..60),
        store in prop_oneof![Just(Store::All), Just(Store::Metadata)],
    ) {
        let flash = array(BLOCKS, PER_BLOCK, store);
        let flash = BitErrors::new(ProgramEraseFailure::new(flash, 1), NO_ERRORS, 2).unwrap();
        let flash = BadBlocks::listed(PowerCut::new(Serial::new(flash)), &[]).unwrap();
        agrees(flash, store, &steps)?;

        let flash = PowerCut::new(BadBlocks::seeded(array(BLOCKS, PER_BLOCK, store), 0, 3).unwrap());
        let flash = Serial::new(ProgramEraseFailure::new(flash, 4));
        agrees(BitErrors::new(flash, NO_ERRORS, 5).unwrap(), store, &steps)?;
    }
}
