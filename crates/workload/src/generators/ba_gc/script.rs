//! Conversion of an application's actions into the writes that reach the device.

use crate::generators::generated::{Access, Pattern};
use crate::request::Op;

/// Largest transfer of the Windows XP disk driver, bytes; transfers end at multiples of it.
pub(super) const TRANSFER: u64 = 64 << 10;

/// Bytes per NTFS cluster and per page of the host's cache: the smallest unit of writes.
pub(super) const CLUSTER: u64 = 4 << 10;

/// A program that writes without end.
pub(super) trait Program: Send {
    /// Adds the writes of its next action to `script`: at least one.
    fn act(&mut self, script: &mut Script);
}

/// A contiguous range of bytes to write.
#[derive(Clone, Copy, Debug)]
struct Write {
    offset: u64,
    length: u64,
    /// Time without a request before this write.
    pause_ns: u64,
}

/// The writes of one action, in order.
#[derive(Debug, Default)]
pub(super) struct Script {
    writes: Vec<Write>,
    next: usize,
    /// Pause before the write that is added next.
    pause_ns: u64,
}

impl Script {
    /// Adds to the pause before the next write.
    pub(super) fn pause(&mut self, ns: u64) {
        self.pause_ns += ns;
    }

    /// Adds a write of `length` bytes, at least 1, at `offset`.
    pub(super) fn write(&mut self, offset: u64, length: u64) {
        let pause_ns = std::mem::take(&mut self.pause_ns);
        self.writes.push(Write { offset, length, pause_ns });
    }

    /// True if the script has no write.
    pub(super) fn is_empty(&self) -> bool {
        self.writes.is_empty()
    }

    /// First bytes of the writes.
    #[cfg(test)]
    pub(super) fn offsets(&self) -> impl Iterator<Item = u64> {
        self.writes.iter().map(|write| write.offset)
    }

    /// The next transfer and the pause before it; `None` at the end of the action.
    #[inline]
    fn take(&mut self) -> Option<(Access, u64)> {
        let write = self.writes.get_mut(self.next)?;
        let length = write.length.min(TRANSFER - write.offset % TRANSFER);
        let access = Access::plain(Op::Write, write.offset, length);
        let pause_ns = std::mem::take(&mut write.pause_ns);
        write.offset += length;
        write.length -= length;
        self.next += usize::from(write.length == 0);
        Some((access, pause_ns))
    }
}

/// The requests of a program.
pub(super) struct Player<P> {
    program: P,
    script: Script,
}

impl<P: Program> Player<P> {
    pub(super) fn new(program: P) -> Self {
        Self { program, script: Script::default() }
    }

    /// The next request, and the program's idle time before it, ns.
    #[inline]
    pub(super) fn take(&mut self) -> (Access, u64) {
        loop {
            if let Some(taken) = self.script.take() {
                return taken;
            }
            self.script.writes.clear();
            self.script.next = 0;
            self.program.act(&mut self.script);
        }
    }
}

impl<P: Program> Pattern for Player<P> {
    #[inline]
    fn next(&mut self) -> Access {
        self.take().0
    }
}

/// Number of requests of `program` until it `is_done`.
#[cfg(test)]
pub(super) fn requests_until<P: Program>(mut program: P, is_done: impl Fn(&P) -> bool) -> u64 {
    let mut requests = 0;
    loop {
        let mut script = Script::default();
        program.act(&mut script);
        requests += std::iter::from_fn(|| script.take()).count() as u64;
        if is_done(&program) {
            return requests;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Twice;

    impl Program for Twice {
        fn act(&mut self, script: &mut Script) {
            script.pause(3);
            script.pause(4);
            script.write(TRANSFER - CLUSTER, TRANSFER + 2 * CLUSTER);
            script.write(0, 1);
        }
    }

    #[test]
    fn writes_are_cut_into_aligned_transfers_and_only_the_first_waits() {
        let mut player = Player::new(Twice);
        for _ in 0..2 {
            let taken = [0; 4].map(|_| player.take());
            let expected = [
                (TRANSFER - CLUSTER, CLUSTER, 7),
                (TRANSFER, TRANSFER, 0),
                (2 * TRANSFER, CLUSTER, 0),
                (0, 1, 0),
            ];
            let seen = taken.map(|(access, pause_ns)| (access.offset, access.length, pause_ns));
            assert_eq!(seen, expected);
        }
    }
}
