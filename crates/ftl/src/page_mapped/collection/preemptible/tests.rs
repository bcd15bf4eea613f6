//! Tests of the pace, as derived in the module's header.

use super::operations_behind_a_write;
use alloc::vec::Vec;

/// Operations after each write from the selection of a victim to its erase, if the host overwrites none of its
/// pages. Also returns the free pages above the reserve after the erase.
fn pace(pages_per_block: u32, valid: u32) -> (Vec<u32>, u64) {
    let (mut left, mut above) = (valid, u64::from(pages_per_block));
    let mut steps = Vec::new();
    loop {
        let operations = operations_behind_a_write(left, above);
        steps.push(operations);
        if operations > left {
            return (steps, above - u64::from(left) + u64::from(pages_per_block));
        }
        left -= operations;
        above -= u64::from(operations);
        // The next write.
        above -= 1;
        assert!(above > 0, "{pages_per_block} {valid}");
    }
}

#[test]
fn no_step_is_longer_than_the_first_and_the_window_is_open_again_before_the_next_victim() {
    for pages_per_block in 2..=130 {
        for valid in 0..pages_per_block {
            let (steps, above) = pace(pages_per_block, valid);
            let first = (valid + 1).div_ceil(pages_per_block - valid);
            assert_eq!(steps[0], first);
            assert!(steps.is_sorted_by(|before, after| before >= after), "{steps:?}");
            assert!(steps.len() as u32 <= pages_per_block - valid);
            // The next victim is taken after a write that leaves exactly one block.
            assert!(above > u64::from(pages_per_block));
        }
    }
}

#[test]
fn the_pace_of_some_victims() {
    assert_eq!(pace(64, 0).0, [1]);
    assert_eq!(pace(64, 16).0, [1; 17]);
    assert_eq!(pace(64, 31).0, [1; 32]);
    assert_eq!(pace(64, 51).0, [4; 13]);
    assert_eq!(pace(64, 63).0, [64]);
    // Below the window: all operations left, at once.
    assert_eq!(operations_behind_a_write(10, 10), 11);
    assert_eq!(operations_behind_a_write(10, 0), 11);
}
