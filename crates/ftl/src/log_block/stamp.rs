//! Sequence numbers of blocks, and the clock that gives them.
//!
//! A number has 40 bits of time, 14 bits of serial number and 2 bits of role. Time counts the pages
//! programmed in page-mapped log blocks: page `p` of a log block opened at time `t` was programmed at time
//! `t + p`. A single number per block therefore orders the pages of that log against all data blocks, even
//! those opened while the log block was being filled. A data block opened at time `t` is older than exactly
//! the log pages of time `t` and later. The serial number orders blocks opened at the same time.

/// The role in which a block was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// A data block, opened by a write in place to a logical block without one, or as the new block of a
    /// merge.
    Data = 0,
    /// A log block of one logical block.
    Log = 1,
    /// A log block of pages of any logical block.
    Random = 2,
}

const ROLE_BITS: u32 = 2;
const SERIAL_BITS: u32 = 14;

/// Role in a sequence number, or `None` if it is not one.
pub(crate) fn role(seq: u64) -> Option<Role> {
    match seq & 3 {
        0 => Some(Role::Data),
        1 => Some(Role::Log),
        2 => Some(Role::Random),
        _ => None,
    }
}

/// Time at which the block with this sequence number was opened.
pub(crate) fn time(seq: u64) -> u64 {
    seq >> (ROLE_BITS + SERIAL_BITS)
}

/// Source of sequence numbers.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Clock {
    /// Time and serial number of the last block.
    last: u64,
}

impl Clock {
    /// Returns the sequence number of a block that is opened now.
    ///
    /// If the serial numbers of the current time are used up, time advances by one without a page. A log
    /// block that is being filled must then be closed.
    pub(crate) fn open(&mut self, role: Role) -> u64 {
        self.last += 1;
        self.last << ROLE_BITS | role as u64
    }

    /// Current time.
    #[inline]
    pub(crate) fn now(&self) -> u64 {
        self.last >> SERIAL_BITS
    }

    /// Records that a page of a page-mapped log block was used up.
    #[inline]
    pub(crate) fn tick(&mut self) {
        self.last = ((self.last >> SERIAL_BITS) + 1) << SERIAL_BITS;
    }

    /// Records a sequence number found by a mount.
    pub(crate) fn saw(&mut self, seq: u64) {
        self.last = self.last.max(seq >> ROLE_BITS);
    }

    /// Records a time found by a mount.
    pub(crate) fn saw_time(&mut self, time: u64) {
        self.last = self.last.max(time << SERIAL_BITS);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flash::Oob;

    #[test]
    fn later_blocks_have_larger_numbers_and_time_is_that_of_log_pages() {
        let mut clock = Clock::default();
        let first = clock.open(Role::Random);
        let second = clock.open(Role::Log);
        assert!(first < second && time(first) == time(second));
        clock.tick();
        clock.tick();
        let third = clock.open(Role::Data);
        assert!(third > second && time(third) == time(first) + 2 && clock.now() == time(third));
        assert_eq!(
            [first, second, third].map(role).map(Option::unwrap),
            [Role::Random, Role::Log, Role::Data]
        );
        assert_eq!(role(3), None);
        assert!(third <= Oob::MAX_SEQ);
    }

    #[test]
    fn many_blocks_at_one_time_move_time_on() {
        let mut clock = Clock::default();
        let mut last = clock.open(Role::Data);
        for _ in 0..(1 << SERIAL_BITS) + 5 {
            let next = clock.open(Role::Data);
            assert!(next > last);
            last = next;
        }
        assert_eq!((clock.now(), time(last)), (1, 1));
    }

    #[test]
    fn a_mount_goes_on_behind_the_youngest_block() {
        let mut clock = Clock::default();
        clock.tick();
        let seq = clock.open(Role::Data);
        let mut mounted = Clock::default();
        mounted.saw(seq);
        assert!(mounted.open(Role::Data) > seq);
        mounted.saw_time(9);
        assert_eq!(mounted.now(), 9);
        mounted.saw_time(3);
        assert_eq!(mounted.now(), 9);
    }
}
