//! Longest time of page writes in a row.

use flash::Ns;

/// Collections that follow one another: each victim is erased before the next is taken, and the next is taken only when the
/// free pages have fallen to a level again.
///
/// # Longest collection within n writes in a row
///
/// Let q victims have a part of their collection within the n writes. Between the write of an erase and the write with which the
/// next collection begins are at least `gap` writes (this one counts), and from one beginning to the next at least `gain`.
/// So for q ≥ 2 the erase of the first comes with the write x + 1, x ≥ 0, and the collection of the last begins `gap` + (q − 2) · `gain`
/// writes later or more, with y ≥ 0 writes behind it:
///
/// x + y ≤ z = n − 1 − `gap` − (q − 2) · `gain`.
///
/// The first adds at most f(x) of copies before its erase, the last at most f(y) before its own, where f(y) = min(`copies_ns`, y ·
/// `copies_per_write_ns`), and with y + 1 in place of y if copies and the erase of a victim may share a write. If the last is not
/// erased within the n writes, its y + 1 steps of copies take no more than y of them and an erase, since a step is no longer
/// than an erase. The q − 2 victims in between add all their copies. f is concave, so f(x) + f(y) is greatest where z is halved:
///
/// S(n) = max over q of  q · `erase_ns` + (q − 2) · `copies_ns` + f(⌊z/2⌋) + f(⌈z/2⌉);  for q = 1  `erase_ns` + f(n − 1).
///
/// Two victims more add 2 · (`erase_ns` + `copies_ns`) and take at most 2 · `copies_ns` from the ends: only the two largest q with z ≥ 0 count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Collections {
    /// Erase of a victim.
    pub erase_ns: Ns,
    /// All copies of a victim, at most.
    pub copies_ns: Ns,
    /// Copies that go with one write, at most.
    pub copies_per_write_ns: Ns,
    /// True if copies of a victim and its erase may go with the same write.
    pub erase_with_copies: bool,
    /// Least number of writes after that of an erase up to that with which the next collection begins, at least 1.
    pub gap: u32,
    /// Least number of writes from the beginning of a collection to that of the next: π − U(λ), at least 1.
    pub gain: u32,
}

impl Collections {
    /// S(n): longest collection within n writes in a row.
    pub fn longest_ns(&self, writes: u64) -> Ns {
        if writes == 0 {
            return 0;
        }
        let shared = u64::from(self.erase_with_copies);
        let copies = |writes: u64| {
            self.copies_ns.min((writes + shared).saturating_mul(self.copies_per_write_ns))
        };
        let one = self.erase_ns.saturating_add(copies(writes - 1));
        let (gap, gain) = (u64::from(self.gap), u64::from(self.gain));
        let Some(room) = (writes - 1).checked_sub(gap) else { return one };
        let between = room / gain.max(1);
        let of = |between: u64| {
            let left = room - between * gain;
            let whole = (self.erase_ns.saturating_add(self.copies_ns)).saturating_mul(between);
            let ends = copies(left / 2).saturating_add(copies(left.div_ceil(2)));
            whole.saturating_add(ends).saturating_add(self.erase_ns.saturating_mul(2))
        };
        let fewer = between.checked_sub(1).map_or(0, of);
        one.max(of(between)).max(fewer)
    }
}

/// Longest times of page tasks of a scheme on its part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Service {
    /// A page read with all that may go with it.
    pub read_ns: Ns,
    /// A page write without collection.
    pub write_ns: Ns,
    /// Collection with one page write, at most.
    pub step_ns: Ns,
    /// What is proved of collections in a row; `None`: nothing but `step_ns`.
    pub collections: Option<Collections>,
}

impl Service {
    /// W(n): longest time of n page writes in a row, ns; `Ns::MAX`: so much, or more.
    pub fn writes_ns(&self, writes: u64) -> Ns {
        let steps = writes.saturating_mul(self.step_ns);
        let steps = self.collections.map_or(steps, |of| of.longest_ns(writes).min(steps));
        writes.saturating_mul(self.write_ns).saturating_add(steps)
    }

    /// Longest time of so many page writes and page reads.
    pub fn tasks_ns(&self, writes: u64, reads: u64) -> Ns {
        self.writes_ns(writes).saturating_add(reads.saturating_mul(self.read_ns))
    }

    /// Most page writes for which [`Service::writes_ns`] is at most `time_ns`; so many at least are done in that time.
    pub fn writes_within(&self, time_ns: Ns) -> u64 {
        // W(n) grows by at least 1 per write where a write takes time.
        let (mut known, mut beyond) = (0, 1u64);
        while self.writes_ns(beyond) <= time_ns && beyond < u64::MAX / 2 {
            (known, beyond) = (beyond, beyond * 2);
        }
        while beyond - known > 1 {
            let at = known + (beyond - known) / 2;
            match self.writes_ns(at) <= time_ns {
                true => known = at,
                false => beyond = at,
            }
        }
        known
    }
}
