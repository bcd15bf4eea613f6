//! Distribution of update intervals: how long versions of sampled logical pages stay valid, in host writes.
//!
//! ```text
//! write, trim of a sampled page:  ended[kind of its version][age] += 1; a write stamps the new version
//! end of an epoch:  alive[kind][age] += 1 for each sampled version that is still valid
//! at risk(age)   =  versions that ended or are alive at this age or later, less those that began the epoch at it or later
//! S(age + 1)     =  S(age) × (1 − ended(age) / at risk(age)),  S(0) = 1
//! ```
//!
//! So S(t) is the share of versions that live longer than t, as Kaplan and Meier estimate it: versions that are still valid,
//! and those that were written before the epoch, do not distort it. Ages are kept in buckets of 1/16 to 1/32 of the age.

use alloc::{vec, vec::Vec};
use flash::Lpn;

/// 1 as a fixed-point number of 32 fractional bits.
pub(super) const ONE: u64 = 1 << 32;

/// Kinds of versions that are told apart.
pub(super) const KINDS: usize = 2;

/// Fractional bits of an area.
const AREA_BITS: u32 = 16;

/// Sampled pages, if there are so many; but at most one of [`MOST_STRIDE`].
const SAMPLES: u32 = 8192;
const MOST_STRIDE: u32 = 100;

/// Buckets of one octave, as a power of two.
const FINE_BITS: u32 = 4;

/// Ages end here: the oldest versions count as of this age.
const LAST_AGE: u32 = (1 << 30) - 1;

const BUCKETS: usize = bucket(LAST_AGE) + 1;

/// Versions at risk below which S is not known.
const LEAST_AT_RISK: u64 = 8;

/// A page that is not followed.
const NO_STAMP: u32 = u32::MAX;

/// Bucket of an age.
const fn bucket(age: u32) -> usize {
    if age < 2 << FINE_BITS {
        return age as usize;
    }
    let shift = 31 - age.leading_zeros() - FINE_BITS;
    ((shift << FINE_BITS) + (age >> shift)) as usize
}

/// Least age of a bucket.
const fn least_age(bucket: usize) -> u64 {
    if bucket < 2 << FINE_BITS {
        return bucket as u64;
    }
    let shift = (bucket >> FINE_BITS) - 1;
    ((bucket & ((1 << FINE_BITS) - 1) | 1 << FINE_BITS) as u64) << shift
}

/// See the module.
#[derive(Clone, Debug)]
pub(super) struct Intervals {
    /// One of so many logical pages is sampled.
    stride: u32,
    /// Host writes per unit of age, as a power of two.
    unit_bits: u32,
    /// Host write at which ages begin.
    start: u64,
    /// Of each sampled page the time of its version and the kind, in one word.
    stamps: Vec<u32>,
    ended: [Vec<u32>; KINDS],
    /// Versions that were valid when the epoch began, by age.
    entered: [Vec<u32>; KINDS],
}

impl Intervals {
    /// For so many logical pages, on an array of `pages`.
    pub(super) fn new(logical_pages: u32, pages: u64) -> Self {
        let stride = (logical_pages / SAMPLES).clamp(1, MOST_STRIDE);
        let none = || [(); KINDS].map(|()| vec![0; BUCKETS]);
        Self {
            stride,
            unit_bits: (pages >> 20).checked_ilog2().unwrap_or(0),
            start: 0,
            stamps: vec![NO_STAMP; logical_pages.div_ceil(stride) as usize],
            ended: none(),
            entered: none(),
        }
    }

    /// RAM of a controller, bytes.
    pub(super) fn controller_bytes(logical_pages: u32) -> u64 {
        let stride = (logical_pages / SAMPLES).clamp(1, MOST_STRIDE);
        4 * (u64::from(logical_pages.div_ceil(stride)) + (2 * KINDS * BUCKETS) as u64)
    }

    #[inline]
    fn now(&self, clock: u64) -> u32 {
        // `close` keeps it far below the limit.
        ((clock - self.start) >> self.unit_bits).min(u64::from(LAST_AGE)) as u32
    }

    /// Ends the version of a sampled page and returns its entry; `None` for a page that is not sampled.
    #[inline]
    fn end(&mut self, Lpn(lpn): Lpn, now: u32) -> Option<&mut u32> {
        if !lpn.is_multiple_of(self.stride) {
            return None;
        }
        let stamp = self.stamps.get_mut((lpn / self.stride) as usize)?;
        if *stamp != NO_STAMP {
            self.ended[(*stamp & 1) as usize][bucket(now - (*stamp >> 1))] += 1;
        }
        Some(stamp)
    }

    /// Records the host write number `clock`, of a version of this kind. Returns true if the page is sampled.
    #[inline]
    pub(super) fn write(&mut self, lpn: Lpn, kind: usize, clock: u64) -> bool {
        let now = self.now(clock);
        match self.end(lpn, now) {
            Some(stamp) => {
                *stamp = now << 1 | kind as u32;
                true
            }
            None => false,
        }
    }

    /// Records that a page was trimmed.
    pub(super) fn trim(&mut self, lpn: Lpn, clock: u64) {
        let now = self.now(clock);
        if let Some(stamp) = self.end(lpn, now) {
            *stamp = NO_STAMP;
        }
    }

    /// Ends the epoch, and returns S of each kind of version.
    pub(super) fn close(&mut self, clock: u64) -> [Survival; KINDS] {
        let now = self.now(clock);
        let mut alive = [(); KINDS].map(|()| vec![0u32; BUCKETS]);
        for stamp in self.stamps.iter().filter(|stamp| **stamp != NO_STAMP) {
            alive[(*stamp & 1) as usize][bucket(now - (*stamp >> 1))] += 1;
        }
        let of = |kind: usize| {
            let lists = [&self.ended[kind], &alive[kind], &self.entered[kind]];
            Survival::new(lists.map(Vec::as_slice), self.unit_bits)
        };
        let survivals = [of(0), of(1)];
        self.entered = alive;
        self.ended.iter_mut().for_each(|ended| ended.fill(0));
        // Half of the range is left for the next epochs.
        let drop = now.saturating_sub(LAST_AGE / 2);
        if drop > 0 {
            self.start += u64::from(drop) << self.unit_bits;
            for stamp in self.stamps.iter_mut().filter(|stamp| **stamp != NO_STAMP) {
                *stamp = (*stamp >> 1).saturating_sub(drop) << 1 | *stamp & 1;
            }
        }
        survivals
    }

    pub(super) fn heap_bytes(&self) -> usize {
        let lists = self.ended.iter().chain(&self.entered);
        (self.stamps.capacity() + lists.map(Vec::capacity).sum::<usize>()) * 4
    }
}

/// S(t): share of versions that stay valid for longer than t host writes, as far as it is known.
#[derive(Clone, Debug)]
pub(super) struct Survival {
    /// At the least age of each bucket, and at the end.
    share: Vec<u64>,
    /// Area below S up to there, in host writes.
    area: Vec<u64>,
    unit_bits: u32,
}

/// A point of S.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Point {
    /// S(t), of [`ONE`].
    pub(super) share: u64,
    /// Area below S from 0 to t: host writes.
    pub(super) area: u64,
}

impl Survival {
    /// From the versions that ended, are alive at the end and were alive at the beginning, by bucket.
    fn new([ended, alive, entered]: [&[u32]; 3], unit_bits: u32) -> Self {
        let exits =
            ended.iter().zip(alive).map(|(ended, alive)| u64::from(*ended) + u64::from(*alive));
        let mut left: u64 = exits.clone().sum();
        let mut late: u64 = entered.iter().map(|entered| u64::from(*entered)).sum();
        let (mut share, mut area) = (vec![ONE], vec![0]);
        let (mut now, mut below) = (ONE, 0u64);
        for (bucket, (exits, (ended, entered))) in exits.zip(ended.iter().zip(entered)).enumerate()
        {
            let at_risk = left.saturating_sub(late);
            if at_risk < LEAST_AT_RISK {
                break;
            }
            let died = u64::from(*ended).min(at_risk);
            let next = (u128::from(now) * u128::from(at_risk - died) / u128::from(at_risk)) as u64;
            let width = (least_age(bucket + 1) - least_age(bucket)) << unit_bits;
            below += area_of(now + next, width);
            now = next;
            share.push(now);
            area.push(below);
            left -= exits;
            late -= u64::from(*entered);
        }
        Self { share, area, unit_bits }
    }

    /// S is known up to here, host writes.
    pub(super) fn known(&self) -> u64 {
        least_age(self.share.len() - 1) << self.unit_bits
    }

    /// S(t). Beyond what is known it stays as it is.
    pub(super) fn at(&self, t: u64) -> Point {
        let last = self.share.len() - 1;
        let beyond = t.saturating_sub(self.known());
        if last == 0 || beyond > 0 || t == self.known() {
            let share = self.share[last];
            return Point { share, area: self.area[last] + area_of(2 * share, beyond) };
        }
        let bucket = bucket((t >> self.unit_bits) as u32);
        let [from, to] = [bucket, bucket + 1].map(|at| least_age(at) << self.unit_bits);
        let (high, low) = (self.share[bucket], self.share[bucket + 1]);
        let fallen = u128::from(high - low) * u128::from(t - from) / u128::from(to - from);
        let share = high - fallen as u64;
        Point { share, area: self.area[bucket] + area_of(high + share, t - from) }
    }
}

#[cfg(test)]
impl Survival {
    /// From lives, each with the number of versions that ended or are alive at this age.
    pub(super) fn of_lives(ended: &[(u32, u32)], alive: &[(u32, u32)]) -> Self {
        let list = |lives: &[(u32, u32)]| {
            let mut list = vec![0; BUCKETS];
            lives.iter().for_each(|(age, versions)| list[bucket(*age)] += versions);
            list
        };
        Self::new([&list(ended), &list(alive), &list(&[])], 0)
    }
}

/// Area of a trapezoid of this width and twice its mean height, a share.
fn area_of(twice_height: u64, width: u64) -> u64 {
    ((u128::from(twice_height) * u128::from(width)) >> (33 - AREA_BITS)) as u64
}

/// Whole pages of an area times a share of writes.
pub(super) fn pages_of(area: u64, share: u64) -> u64 {
    ((u128::from(area) * u128::from(share)) >> (32 + AREA_BITS)) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(of: &Survival, t: u64) -> f64 {
        of.at(t).share as f64 / ONE as f64
    }

    #[test]
    fn buckets_follow_each_other() {
        for at in 0..BUCKETS {
            assert_eq!(bucket(least_age(at) as u32), at);
            assert_eq!(bucket((least_age(at + 1) - 1).min(LAST_AGE.into()) as u32), at);
        }
        assert_eq!((BUCKETS, least_age(32), least_age(48), least_age(49)), (432, 32, 64, 68));
    }

    /// 60 versions end at age 1, 40 at age 3: S falls by 0.6 from 1 to 2 and to 0 from 3 to 4.
    #[test]
    fn shares_by_hand() {
        let (mut ended, none) = (vec![0; BUCKETS], vec![0; BUCKETS]);
        (ended[1], ended[3]) = (60, 40);
        let of = Survival::new([&ended, &none, &none], 2);
        let shares = [0, 4, 6, 8, 12, 14, 16, 99].map(|t| share(&of, t));
        let expected = [1.0, 1.0, 0.7, 0.4, 0.4, 0.2, 0.0, 0.0];
        assert!(shares.iter().zip(expected).all(|(s, e)| (s - e).abs() < 1e-6), "{shares:?}");
        // 4 × 1, 4 × 0.7, 4 × 0.4, 4 × 0.2.
        let areas = [0, 4, 8, 12, 16, 99].map(|t| of.at(t).area as f64 / 65_536.0);
        let expected = [0.0, 4.0, 6.8, 8.4, 9.2, 9.2];
        assert!(areas.iter().zip(expected).all(|(a, e)| (a - e).abs() < 1e-3), "{areas:?}");
        assert_eq!((of.known(), pages_of(10 << 16, ONE / 2)), (16, 5));
        // Of 100, 50 are alive at age 2: of those that reach age 3 all end.
        let (mut ended, mut alive) = (vec![0; BUCKETS], vec![0; BUCKETS]);
        (ended[1], ended[3], alive[2]) = (30, 20, 50);
        let of = Survival::new([&ended, &alive, &none], 0);
        assert!(
            [0.7, 0.7, 0.0].iter().zip([2, 3, 4]).all(|(s, t)| (share(&of, t) - s).abs() < 1e-6)
        );
        // 50 of the 70 of age 2 were that old when the epoch began: of age 1 only 20 + 30 were seen.
        let mut entered = vec![0; BUCKETS];
        entered[2] = 50;
        let of = Survival::new([&ended, &alive, &entered], 0);
        assert!((share(&of, 2) - 0.4).abs() < 1e-6, "{}", share(&of, 2));
        // Too few: nothing is known.
        let of = Survival::new([&ended[4..], &none, &none], 0);
        assert_eq!((of.known(), of.at(70).share), (0, ONE));
    }

    /// Pages written in turns live as long as there are pages, whatever the epoch; a kind of its own, and trimmed ones.
    #[test]
    fn pages_in_turns_live_for_one_turn() {
        let mut intervals = Intervals::new(100, 128);
        let mut clock = 0;
        let mut last = None;
        for epoch in 0..5 {
            for _ in 0..250 {
                clock += 1;
                let lpn = (clock % 100) as u32;
                let _ = intervals.write(Lpn(lpn), usize::from(lpn.is_multiple_of(2)), clock);
            }
            let [odd, even] = intervals.close(clock);
            for of in [odd, even] {
                assert!(share(&of, 95) > 0.999, "epoch {epoch}: {}", share(&of, 95));
                assert!(share(&of, 108) < 0.001, "epoch {epoch}: {}", share(&of, 108));
                last = Some(of);
            }
        }
        // The area is the mean life, which is the number of pages.
        let area = last.unwrap().at(120).area >> 16;
        assert!((98..=103).contains(&area), "{area}");
        // A turn later all are trimmed, new versions at ages of 0 to 99. One of 100 at risk ends at each age.
        for _ in 0..100 {
            clock += 1;
            let lpn = (clock % 100) as u32;
            let _ = intervals.write(Lpn(lpn), usize::from(lpn.is_multiple_of(2)), clock);
        }
        (0..100).for_each(|lpn| intervals.trim(Lpn(lpn), clock));
        let [odd, _] = intervals.close(clock);
        assert!((0.55..0.72).contains(&share(&odd, 45)), "{}", share(&odd, 45));
        assert_eq!(intervals.close(clock + 1)[0].known(), 0);
    }

    /// Ages go on over the end of the range.
    #[test]
    fn time_goes_on_for_ever() {
        let mut intervals = Intervals::new(16, 16);
        let mut clock = 0;
        for _ in 0..40 {
            clock += u64::from(LAST_AGE / 3);
            for lpn in 0..16 {
                let _ = intervals.write(Lpn(lpn), 0, clock + u64::from(lpn));
            }
            let [of, _] = intervals.close(clock + 16);
            assert!(share(&of, u64::from(LAST_AGE / 3) - (1 << 26)) > 0.99);
        }
        assert!(share(&intervals.close(clock + 17)[0], 1) > 0.99);
    }

    #[test]
    fn one_of_a_hundred_pages_is_sampled_at_most() {
        let strides = [100, 20_000, 100_000_000].map(|pages| Intervals::new(pages, 1 << 27).stride);
        assert_eq!(strides, [1, 2, 100]);
        let mut intervals = Intervals::new(20_000, 1 << 15);
        assert!(intervals.write(Lpn(2), 0, 1) && !intervals.write(Lpn(3), 0, 2));
        assert_eq!(Intervals::controller_bytes(20_000), intervals.heap_bytes() as u64);
    }
}
