//! The Markov chain of groups: write amplification by the sizes of groups, and the sizes that make it least.
//!
//! ```text
//! Th, Tc   shares of host writes to the HOT group and to group 1, Th + Tc = 1
//! Sh, Sc   shares of their versions that live longer than t
//! a block leaves a group of s blocks s + ½ blocks after its pages came, on average:
//! t0   = (s0 + ½) π / Th                                      HOT; Th Sh(t0) of its pages are copied to group 1
//! G(x) = Tc Sc(x) + Th Sh(t0 + x)                             pages per host write that are valid x writes after group 1
//! x1   = (s1 + ½) π / G(0),  xi = x(i−1) + (si + ½) π / G(x(i−1))    G(xi) pages leave group i for the next
//! valid ratio of victims:  HOT Sh(t0);  group i  G(xi) / G(x(i−1))
//! rest:  V − valid pages in the groups, in what is left of all programmed pages; u = its share of valid pages
//!        a victim's gain g(u):  u = (1 − e^−z) / z,  g = 1 − e^−z       FIFO, or greedy with many pages, at equal rates
//! WAF  = 1 + Th Sh(t0) + Σ G(xi) + G(xm) (1 / g − 1)
//! ```
//!
//! Search: of the HOT group and group 1 all pairs of sizes of a grid, whose steps grow to 1/12; then a group more as long as
//! that gains 0.2 %, and each size once more while others stay, three times over.

use super::intervals::{KINDS, ONE, Survival, pages_of};

/// Most groups with a size, HOT included: all classes but one, which the rest has at least.
pub(super) const MOST_SIZED: usize = 7;

/// Steps of the table of gains.
const STEPS: usize = 64;

/// e⁻¹ of [`ONE`].
const INVERSE_E: u64 = 1_580_030_169;

/// e^−z of [`ONE`], for a z of 32 fractional bits.
const fn exp_minus(z: u64) -> u64 {
    let fraction = (z & (ONE - 1)) as i128;
    let (mut sum, mut term, mut at) = (ONE as i128, ONE as i128, 1);
    while at < 16 {
        term = -(term * fraction / ONE as i128 / at);
        sum += term;
        at += 1;
    }
    let (mut value, mut whole) = (sum as u128, z >> 32);
    while whole > 0 {
        value = (value * INVERSE_E as u128) >> 32;
        whole -= 1;
    }
    value as u64
}

/// g(u) for u = step / [`STEPS`].
const fn gain_of_step(step: usize) -> u64 {
    if step == 0 {
        return ONE;
    }
    let (mut low, mut high) = (0u64, 2 * STEPS as u64 * ONE);
    while high - low > 1 {
        let z = low + (high - low) / 2;
        // (1 − e^−z) / z > u?
        let gain = (ONE - exp_minus(z)) as u128;
        if gain * STEPS as u128 > z as u128 * step as u128 {
            low = z;
        } else {
            high = z;
        }
    }
    if step == STEPS { 0 } else { ONE - exp_minus(low) }
}

static GAINS: [u64; STEPS + 1] = {
    let mut gains = [0; STEPS + 1];
    let mut step = 0;
    while step <= STEPS {
        gains[step] = gain_of_step(step);
        step += 1;
    }
    gains
};

/// Share of a victim's pages that are invalid, if `valid` of `pages` are; `None` if none would be.
fn gain(valid: u64, pages: u64) -> Option<u64> {
    if valid >= pages {
        return None;
    }
    let at = u128::from(valid) * (STEPS as u128) * u128::from(ONE) / u128::from(pages);
    let (step, part) = ((at >> 32) as usize, (at & u128::from(ONE - 1)) as u64);
    let (high, low) = (GAINS[step], GAINS[step + 1]);
    Some(high - ((u128::from(high - low) * u128::from(part)) >> 32) as u64).filter(|gain| *gain > 0)
}

/// What the chain is worked out from.
#[derive(Clone, Debug)]
pub(super) struct Chain<'a> {
    pub(super) pages_per_block: u32,
    /// Full blocks; programmed and valid pages in them and in open ones.
    pub(super) blocks: u32,
    pub(super) pages: u64,
    pub(super) valid: u64,
    /// Blocks of the rest that lose no page.
    pub(super) untouched: u32,
    /// Th, of [`ONE`].
    pub(super) hot: u64,
    /// Sh and Sc.
    pub(super) survivals: &'a [Survival; KINDS],
}

/// Sizes of groups, and what follows from them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sizes {
    /// Groups with a size, HOT included.
    pub(super) sized: usize,
    pub(super) blocks: [u32; MOST_SIZED],
    /// Shares of valid pages of their victims, of [`ONE`].
    pub(super) valid: [u64; MOST_SIZED],
    /// Pages programmed per host write, of [`ONE`].
    pub(super) waf: u64,
}

impl Sizes {
    fn with(&self, group: usize, blocks: u32) -> Self {
        let mut sizes = *self;
        sizes.blocks[group] = blocks;
        sizes.sized = sizes.sized.max(group + 1);
        sizes
    }
}

/// Host writes until a block leaves a group of so many blocks, into which so many pages come per host write.
fn stay(blocks: u32, pages_per_block: u32, inflow: u64) -> Option<u64> {
    let pages = (2 * u64::from(blocks) + 1) * u64::from(pages_per_block);
    let time = u128::from(pages) * u128::from(ONE / 2) / u128::from(inflow.max(1));
    u64::try_from(time).ok().filter(|time| *time < 1 << 42)
}

fn product(a: u64, b: u64) -> u64 {
    ((u128::from(a) * u128::from(b)) >> 32) as u64
}

impl Chain<'_> {
    /// What follows from these sizes; `None` if they leave too few blocks, or hold pages for longer than lives are known.
    pub(super) fn predict(&self, sizes: &Sizes) -> Option<Sizes> {
        let mut found = Sizes { valid: [0; MOST_SIZED], ..*sizes };
        let (hot, other) = (self.hot, ONE - self.hot);
        let [of_hot, of_other] = self.survivals;
        let sum: u32 = sizes.blocks[..sizes.sized].iter().sum();
        let rest = self.blocks.checked_sub(sum)?;
        let mut copies = 0;
        let (mut flow, mut in_groups) = (ONE, 0);
        if sizes.sized > 0 {
            if rest < (self.blocks / 8).max(1) {
                return None;
            }
            let mut left_hot = 0;
            if hot > 0 {
                left_hot = stay(sizes.blocks[0], self.pages_per_block, hot)?;
                found.valid[0] = of_hot.at(left_hot).share;
                copies += product(hot, found.valid[0]);
            }
            // Pages per host write that are valid at this time, and those that have come to be held until then.
            let at = |x: u64| {
                let (in_hot, in_other) = (of_hot.at(left_hot + x), of_other.at(x));
                let held = pages_of(in_hot.area, hot) + pages_of(in_other.area, other);
                (product(hot, in_hot.share) + product(other, in_other.share), held)
            };
            let mut x = 0;
            (flow, in_groups) = at(0);
            for group in 1..sizes.sized {
                x += stay(sizes.blocks[group], self.pages_per_block, flow)?;
                if x > of_other.known() && of_other.at(x).share > 0 {
                    return None;
                }
                let (left, held) = at(x);
                found.valid[group] =
                    (u128::from(left) * u128::from(ONE) / u128::from(flow.max(1))) as u64;
                copies += left;
                (flow, in_groups) = (left, held);
            }
        }
        // Data that nobody writes any more are no part of it.
        let untouched = u64::from(self.untouched.min(rest)) * u64::from(self.pages_per_block);
        let halves = 2 * u64::from(sum) + sizes.sized as u64;
        let pages = self.pages.checked_sub(halves * u64::from(self.pages_per_block) / 2)?;
        let pages = pages.saturating_sub(untouched);
        let valid = self.valid.saturating_sub(in_groups).saturating_sub(untouched);
        let gain = gain(valid, pages)?;
        let programmed = (u128::from(flow) * u128::from(ONE) / u128::from(gain)) as u64;
        found.waf = ONE + copies + (programmed - flow);
        Some(found)
    }

    /// The sizes of least write amplification; `None` if that is not known even without groups.
    pub(super) fn best(&self) -> Option<Sizes> {
        let none = self.predict(&Sizes::default())?;
        let better = |best: Option<Sizes>, sizes: &Sizes| match (best, self.predict(sizes)) {
            (Some(best), Some(found)) if found.waf >= best.waf => Some(best),
            (best, found) => found.or(best),
        };
        // With almost no hot writes its size hardly matters.
        let most_hot = if self.hot < ONE / 128 { 1 } else { self.blocks / 8 };
        let mut level = None;
        for hot in grid(most_hot.max(1)) {
            let sizes = none.with(0, hot);
            level = grid(self.blocks).fold(level, |best, size| better(best, &sizes.with(1, size)));
        }
        let gains = |sizes: &Sizes, than: &Sizes| sizes.waf < than.waf - than.waf / 500;
        let Some(mut best) = level.filter(|level| gains(level, &none)) else { return Some(none) };
        while best.sized < MOST_SIZED {
            let group = best.sized;
            let more = grid(self.blocks).fold(None, |of, size| better(of, &best.with(group, size)));
            match more.filter(|more| gains(more, &best)) {
                Some(more) => best = more,
                None => break,
            }
        }
        for _ in 0..3 {
            for group in 0..best.sized {
                let most = if group == 0 { most_hot.max(1) } else { self.blocks };
                for size in grid(most) {
                    best = better(Some(best), &best.with(group, size)).unwrap_or(best);
                }
            }
        }
        Some(best)
    }
}

/// Sizes that are tried: 1 to `most`, in steps that grow with the size.
fn grid(most: u32) -> impl Iterator<Item = u32> {
    core::iter::successors(Some(1), |size: &u32| Some(size + 1 + size / 12))
        .take_while(move |size| *size <= most)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(value: u64) -> f64 {
        value as f64 / ONE as f64
    }

    fn fixed(value: f64) -> u64 {
        (value * ONE as f64) as u64
    }

    #[test]
    fn gains_are_those_of_fifo() {
        for z in [0.0, 0.001, 0.5, 1.0, 3.25, 20.0] {
            assert!((of(exp_minus(fixed(z))) - f64::exp(-z)).abs() < 1e-8, "{z}");
        }
        assert!(INVERSE_E.abs_diff(fixed(f64::exp(-1.0))) <= 1);
        for z in [0.05, 0.2, 0.7, 1.5, 4.0] {
            let expected = 1.0 - f64::exp(-z);
            let u = expected / z;
            let found = of(gain(fixed(u), ONE).unwrap());
            assert!((found - expected).abs() < 3e-4, "u {u}: {found} for {expected}");
        }
        // WAF of FIFO with uniform writes at 80 % fill: Desnoyers, SYSTOR 2012.
        let waf = 1.0 / of(gain(80, 100).unwrap());
        assert!((waf - 2.69).abs() < 0.02, "{waf}");
        assert_eq!((gain(100, 100), gain(0, 100)), (None, Some(ONE)));
    }

    /// 100 hot pages get every second write, 1,000 others the rest. So hot ones live for 200 host writes, others for 2,000.
    fn two_rates() -> [Survival; KINDS] {
        [200, 2000].map(|life| Survival::of_lives(&[(life, 1000)], &[]))
    }

    #[test]
    fn a_chain_by_hand() {
        let survivals = two_rates();
        let chain = Chain {
            pages_per_block: 10,
            blocks: 150,
            pages: 1500,
            valid: 1100,
            untouched: 0,
            hot: ONE / 2,
            survivals: &survivals,
        };
        let predict = |blocks: &[u32]| {
            let mut sizes = Sizes { sized: blocks.len(), ..Sizes::default() };
            sizes.blocks[..blocks.len()].copy_from_slice(blocks);
            chain.predict(&sizes)
        };
        // One group of all: 1,100 of 1,500 pages are valid.
        let waf = of(predict(&[]).unwrap().waf);
        assert!((waf - 1.0 / of(gain(1100, 1500).unwrap())).abs() < 1e-6, "{waf}");
        // HOT of 12 blocks: (12 + ½) × 10 / ½ = 250 host writes: nothing is valid then.
        // Group 1 of 60: 605 / ½ = 1,210 host writes: all is. 100 and 605 pages are held there, 395 of 770 in the rest.
        let found = predict(&[12, 60]).unwrap();
        assert!(found.valid[0] < ONE / 1000 && found.valid[1] > ONE - ONE / 100, "{found:?}");
        let expected = 1.0 + 0.5 + 0.5 * (1.0 / of(gain(395, 770).unwrap()) - 1.0);
        assert!((of(found.waf) - expected).abs() < 0.02, "{} for {expected}", of(found.waf));
        // HOT of 4 blocks: 90 host writes, in which all stay valid. Group 1 gets all: 110 × 10 / 2 / 1 … of 20 blocks 205.
        let found = predict(&[4, 20]).unwrap();
        assert!(found.valid[0] > ONE - ONE / 100, "{found:?}");
        // 90 + 205 host writes later only the others are left.
        assert!((of(found.valid[1]) - 0.5).abs() < 0.02, "{found:?}");
        // 45 hot pages are held in HOT, 55 hot and 102 others in group 1: 898 of 1,250 in the rest.
        let gain = of(gain(898, 1250).unwrap());
        let expected = 1.0 + 0.5 + 0.5 + 0.5 * (1.0 / gain - 1.0);
        assert!((of(found.waf) - expected).abs() < 0.03, "{} for {expected}", of(found.waf));
        // Too few blocks for the rest; too many in all.
        assert_eq!((predict(&[12, 130]), predict(&[12, 160])), (None, None));
        // Of others it is not known how long they live, but for 500 host writes: 24 blocks.
        let short = [Survival::of_lives(&[(200, 9)], &[]), Survival::of_lives(&[], &[(512, 9)])];
        let chain = Chain { survivals: &short, ..chain };
        let predict = |size: u32| {
            let sizes = Sizes { sized: 2, ..Sizes::default() };
            chain.predict(&sizes.with(0, 12).with(1, size))
        };
        assert!(predict(24).is_some() && predict(28).is_none());
    }

    /// The best HOT group holds its pages for as long as they live, and no longer; and frozen data count for nothing.
    #[test]
    fn the_best_sizes_hold_pages_for_as_long_as_they_live() {
        let survivals = two_rates();
        let chain = Chain {
            pages_per_block: 10,
            blocks: 150,
            pages: 1500,
            valid: 1100,
            untouched: 0,
            hot: ONE / 2,
            survivals: &survivals,
        };
        let best = chain.best().unwrap();
        // 200 host writes are 10 blocks; others live for 2,000, 100 blocks. Together 110 of 150: there are no copies.
        assert!((10..=12).contains(&best.blocks[0]), "{best:?}");
        assert!((100..=112).contains(&best.blocks[1]), "{best:?}");
        assert!(of(best.waf) < 1.02 && best.sized == 2, "{best:?}");
        // Beside them 200 blocks that are never written.
        let more = Chain { blocks: 350, pages: 3500, valid: 3100, untouched: 200, ..chain.clone() };
        let with = more.best().unwrap();
        assert!(of(with.waf) < 1.02, "{with:?}");
        let without = |chain: &Chain| chain.predict(&Sizes::default()).unwrap().waf;
        assert_eq!(without(&more), without(&chain));
        assert!(without(&Chain { untouched: 0, ..more }) > without(&chain) + ONE / 10);
        // No known lives: no groups.
        let unknown = [(); KINDS].map(|()| Survival::of_lives(&[], &[]));
        let none = Chain { survivals: &unknown, ..chain.clone() }.best().unwrap();
        assert_eq!(none.sized, 0);
        assert_eq!(Chain { valid: 1500, ..chain }.best(), None);
    }

    #[test]
    fn sizes_that_are_tried() {
        assert!(grid(30).eq((1..=12).chain([14, 16, 18, 20, 22, 24, 27, 30])));
        assert_eq!((grid(1).count(), grid(0).count()), (1, 0));
        assert!(grid(1 << 24).count() < 220);
    }
}
