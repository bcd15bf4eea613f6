//! Failed programs and erases, and bad blocks.

use crate::common::{array, program, read, snapshot};
use ftlkit_flash::faults::{BadBlocks, FaultError, ProgramEraseFailure};
use ftlkit_flash::{BlockId, Cause, Flash, FlashError, Lpn, Oob, Ppn, Store};

const HOST: Cause = Cause::Host;

#[test]
fn a_chosen_program_fails() {
    let mut flash = ProgramEraseFailure::new(array(2, 4, Store::All), 0);
    flash.fail_program_after(2);
    program(&mut flash, 0, 1, 1).unwrap();
    // Refused operations do not count, and a copy counts as a program.
    assert!(matches!(program(&mut flash, 0, 1, 1), Err(FlashError::ProgramOrder { .. })));
    flash.copy(Ppn(0), Ppn(4), 2, HOST).unwrap();
    assert!(matches!(program(&mut flash, 0, 1, 1), Err(FlashError::ProgramOrder { .. })));
    let short = flash.program(Ppn(1), Oob::data(Lpn(1), 1), Some(&[0]), HOST);
    assert!(matches!(short, Err(FlashError::PayloadLength { .. })));
    assert_eq!(flash.failed_programs(), 0);
    assert_eq!(program(&mut flash, 1, 1, 3), Err(FlashError::ProgramFailed(Ppn(1))));
    assert_eq!(read(&mut flash, 1), Err(FlashError::Uncorrectable(Ppn(1))));
    assert!(matches!(program(&mut flash, 1, 1, 1), Err(FlashError::ProgramOrder { .. })));
    program(&mut flash, 2, 1, 4).unwrap();
    assert_eq!((flash.failed_programs(), flash.failed_erases()), (1, 0));
}

#[test]
fn a_copy_fails_at_its_program_and_not_at_its_read() {
    let mut flash = ProgramEraseFailure::new(array(2, 4, Store::All), 0);
    program(&mut flash, 0, 1, 1).unwrap();
    flash.fail_program_after(0);
    assert_eq!(flash.copy(Ppn(1), Ppn(4), 2, HOST), Err(FlashError::Erased(Ppn(1))));
    assert_eq!(flash.copy(Ppn(0), Ppn(4), 2, HOST), Err(FlashError::ProgramFailed(Ppn(4))));
    assert_eq!(read(&mut flash, 4), Err(FlashError::Uncorrectable(Ppn(4))));
    assert_eq!(flash.copy(Ppn(0), Ppn(5), 2, HOST), Ok(Oob::data(Lpn(1), 2)));
}

#[test]
fn a_chosen_erase_fails() {
    let mut flash = ProgramEraseFailure::new(array(2, 4, Store::All), 0);
    flash.fail_erase_after(1);
    program(&mut flash, 4, 1, 1).unwrap();
    flash.erase(BlockId(0), HOST).unwrap();
    let failed = FlashError::EraseFailed(BlockId(1));
    assert_eq!(flash.erase(BlockId(1), HOST), Err(failed));
    assert_eq!(read(&mut flash, 4), Err(FlashError::Uncorrectable(Ppn(4))));
    assert!(matches!(program(&mut flash, 5, 1, 1), Err(FlashError::ProgramOrder { .. })));
    // It may be erased again.
    flash.erase(BlockId(1), HOST).unwrap();
    program(&mut flash, 4, 1, 2).unwrap();
    assert_eq!(flash.failed_erases(), 1);
}

#[test]
fn worn_blocks_fail_for_good() {
    let mut flash = ProgramEraseFailure::new(array(2, 4, Store::All), 0);
    flash.wear_out_at(3);
    for _ in 0..3 {
        flash.erase(BlockId(0), HOST).unwrap();
    }
    for _ in 0..2 {
        assert_eq!(flash.erase(BlockId(0), HOST), Err(FlashError::EraseFailed(BlockId(0))));
    }
    flash.erase(BlockId(1), HOST).unwrap();
    assert_eq!((flash.erase_count(BlockId(0)), flash.failed_erases()), (3, 2));
}

/// Programs and erases 2 blocks of 100 pages 200 times. Returns the failed programs and erases, and the failed
/// pages.
fn at_random(seed: u64, programs: u32, erases: u32) -> (u64, u64, Vec<u32>) {
    let mut flash = ProgramEraseFailure::new(array(2, 100, Store::Metadata), seed);
    flash.fail_programs(programs);
    flash.fail_erases(erases);
    let mut failed = Vec::new();
    for round in 0..200 {
        for ppn in 0..100 {
            if program(&mut flash, ppn, ppn, 1) == Err(FlashError::ProgramFailed(Ppn(ppn))) {
                failed.push(round * 100 + ppn);
            }
        }
        while flash.erase(BlockId(0), HOST).is_err() && erases < 1_000_000 {}
        if erases >= 1_000_000 {
            break;
        }
    }
    (flash.failed_programs(), flash.failed_erases(), failed)
}

#[test]
fn random_failures_have_the_rate_asked_for_and_repeat() {
    let (programs, erases, failed) = at_random(1, 10_000, 200_000);
    // 20,000 programs at 1 %: 200 failures, five standard deviations of 14.1. 200 erases that succeed at 80 %:
    // 50 failures on average, five standard deviations of 7.9.
    assert!(programs.abs_diff(200) < 71, "{programs}");
    assert!(erases.abs_diff(50) < 40, "{erases}");
    assert_eq!(failed.len() as u64, programs);
    assert_eq!(at_random(1, 10_000, 200_000), (programs, erases, failed.clone()));
    assert_ne!(at_random(2, 10_000, 200_000).2, failed);
    assert_eq!(at_random(1, 0, 0), (0, 0, vec![]));
    let (programs, erases, _) = at_random(1, 1_000_000, u32::MAX);
    assert_eq!((programs, erases), (100, 1));
}

#[test]
fn factory_bad_blocks_by_list() {
    let blocks = [BlockId(3), BlockId(1)];
    let mut flash = BadBlocks::listed(array(4, 2, Store::All), &blocks).unwrap();
    assert_eq!(snapshot(&mut flash).bad, [false, true, false, true]);
    assert_eq!(program(&mut flash, 2, 1, 1), Err(FlashError::BadBlock(BlockId(1))));
    assert_eq!(flash.erase(BlockId(3), HOST), Err(FlashError::BadBlock(BlockId(3))));
    program(&mut flash, 0, 1, 1).unwrap();
    flash.mark_bad(BlockId(2)).unwrap();
    flash.mark_bad(BlockId(0)).unwrap();
    flash.mark_bad(BlockId(0)).unwrap();
    flash.mark_bad(BlockId(1)).unwrap();
    assert_eq!(flash.factory(), blocks);
    assert_eq!(flash.grown(), [BlockId(2), BlockId(0)]);
    assert!(read(&mut flash, 0).is_ok());
    assert_eq!(flash.mark_bad(BlockId(4)), Err(FlashError::NoSuchBlock(BlockId(4))));
    assert_eq!(flash.grown().len(), 2);
}

#[test]
fn factory_bad_blocks_by_seed() {
    let bad = |count, seed| {
        let flash = BadBlocks::seeded(array(100, 2, Store::All), count, seed).unwrap();
        let marked = (0..100).map(BlockId).filter(|block| flash.is_bad(*block));
        assert!(marked.eq(flash.factory().iter().copied()));
        assert_eq!(flash.factory().len(), count as usize);
        flash.factory().to_vec()
    };
    assert_eq!(bad(20, 7), bad(20, 7));
    assert_ne!(bad(20, 7), bad(20, 8));
    assert!(bad(0, 7).is_empty());
    // Block 0 is never bad; every other block may be.
    assert!(bad(99, 7).into_iter().eq((1..100).map(BlockId)));
    let mut times = [0u32; 100];
    for seed in 0..2_000 {
        bad(10, seed).iter().for_each(|block| times[block.0 as usize] += 1);
    }
    // 2,000 × 10 / 99 = 202, five standard deviations of 13.5.
    assert_eq!(times[0], 0);
    assert!(times[1..].iter().all(|times| times.abs_diff(202) < 68), "{times:?}");
}

#[test]
fn bad_blocks_that_cannot_be() {
    let new = || array(4, 2, Store::All);
    let error = |result: Result<BadBlocks<_>, FaultError>| result.unwrap_err();
    let twice = [BlockId(1), BlockId(2), BlockId(1)];
    assert_eq!(error(BadBlocks::listed(new(), &twice)), FaultError::MarkedTwice(BlockId(1)));
    let beyond = FaultError::Flash(FlashError::NoSuchBlock(BlockId(4)));
    assert_eq!(error(BadBlocks::listed(new(), &[BlockId(4)])), beyond);
    let many = error(BadBlocks::seeded(new(), 4, 0));
    assert_eq!(many, FaultError::TooManyBadBlocks { count: 4, most: 3 });
    assert!(many.to_string().contains("at most 3 blocks"));
}
