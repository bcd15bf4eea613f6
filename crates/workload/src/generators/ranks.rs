//! Draws a rank from a skewed law in O(1), for any number of ranks.
//!
//! The first 64 ranks have one cell each.
//! After them a cell holds ranks a to a + a/64, so that the law is uniform to within one per cent inside a
//! cell.
//! 2⁴⁰ ranks need 1,600 cells.
//! A cell is drawn by the alias method (A. J. Walker, ACM TOMS 3(3), 1977; M. Vose, IEEE TSE 17(9), 1991),
//! and a rank in it uniformly.
//! Powers come from a Rust library, so the table is the same on every machine.

use crate::generators::draw;
use rand::Rng;
use rand_pcg::Pcg64;

/// Ranks with their own cell; also roughly the number of cells per doubling after them.
const FINE: u64 = 64;

/// A law over ranks 0, 1, …, most likely first.
#[derive(Clone, Debug)]
pub(crate) struct Ranks {
    cells: Vec<Cell>,
}

#[derive(Clone, Copy, Debug)]
struct Cell {
    /// A draw below this, of 2⁶⁴, stays in this cell; any other goes to `alias`.
    threshold: u64,
    first: u64,
    width: u64,
    alias: u32,
}

impl Ranks {
    /// Zipf's law: rank r (from 0) has weight (r+1)^−θ.
    pub(crate) fn zipf(ranks: u64, theta: f64) -> Self {
        Self::of(ranks, |first, end| {
            if first < FINE {
                (first..end).map(|rank| libm::pow((rank + 1) as f64, -theta)).sum()
            } else {
                // Midpoint rule for the sum; its relative error is below about θ(θ+1)/(24·64²).
                power_integral(first as f64 + 0.5, end as f64 + 0.5, theta)
            }
        })
    }

    /// Pareto's law as in fio: the first share h of the ranks gets 1−h of the draws, for h up to 0.5.
    ///
    /// The same holds within every such part: the first share y of all ranks gets y^(ln(1−h)/ln h).
    pub(crate) fn pareto(ranks: u64, h: f64) -> Self {
        let exponent = libm::log(1.0 - h) / libm::log(h);
        let taken = |end: u64| libm::pow(end as f64 / ranks as f64, exponent);
        Self::of(
            ranks,
            |first, end| if first == 0 { taken(end) } else { taken(end) - taken(first) },
        )
    }

    fn of(ranks: u64, weight: impl Fn(u64, u64) -> f64) -> Self {
        let mut cells = Vec::new();
        let mut weights = Vec::new();
        let mut first = 0;
        while first < ranks {
            let end = ranks.min(first + (first / FINE).max(1));
            weights.push(weight(first, end));
            cells.push(Cell {
                threshold: u64::MAX,
                first,
                width: end - first,
                alias: cells.len() as u32,
            });
            first = end;
        }
        alias(&mut cells, &mut weights);
        Self { cells }
    }

    /// Draws a rank without a branch, because the cell is unpredictable.
    #[inline]
    pub(crate) fn draw(&self, rng: &mut Pcg64) -> u64 {
        let product = u128::from(rng.next_u64()) * self.cells.len() as u128;
        let index = (product >> 64) as usize;
        let stays = (product as u64) < self.cells[index].threshold;
        let index = if stays { index } else { self.cells[index].alias as usize };
        let cell = &self.cells[index];
        cell.first + draw::below(rng, cell.width)
    }
}

/// ∫ x^−θ from `a` to `b`, accurate also for θ at and near 1.
fn power_integral(a: f64, b: f64, theta: f64) -> f64 {
    let log = libm::log(b / a);
    let exponent = (1.0 - theta) * log;
    let ratio = if exponent.abs() < 1e-12 { 1.0 } else { libm::expm1(exponent) / exponent };
    libm::pow(a, 1.0 - theta) * log * ratio
}

/// Vose's construction: every cell ends with a mean weight, its own below the threshold and another cell's
/// above.
fn alias(cells: &mut [Cell], weights: &mut [f64]) {
    let mean = weights.iter().sum::<f64>() / weights.len() as f64;
    for weight in weights.iter_mut() {
        *weight /= mean;
    }
    let (mut small, mut large): (Vec<usize>, Vec<usize>) =
        (0..weights.len()).partition(|&i| weights[i] < 1.0);
    while let (Some(&poor), Some(&rich)) = (small.last(), large.last()) {
        small.pop();
        // Saturates at 2⁶⁴ − 1, which means always.
        cells[poor].threshold = (weights[poor] * 18_446_744_073_709_551_616.0) as u64;
        cells[poor].alias = rich as u32;
        weights[rich] -= 1.0 - weights[poor];
        if weights[rich] < 1.0 {
            large.pop();
            small.push(rich);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    /// Compares the shares of draws on ranks up to each of `ends` with their expected values.
    fn compare(ranks: &Ranks, ends: &[u64], expected: impl Fn(u64) -> f64) {
        let mut rng = Pcg64::seed_from_u64(7);
        let draws = 400_000;
        let mut counts = vec![0u64; ends.len()];
        for _ in 0..draws {
            let rank = ranks.draw(&mut rng);
            for (count, &end) in counts.iter_mut().zip(ends) {
                *count += u64::from(rank < end);
            }
        }
        for (&count, &end) in counts.iter().zip(ends) {
            let (seen, right) = (count as f64 / draws as f64, expected(end));
            let sigma = (right * (1.0 - right) / draws as f64).sqrt();
            assert!(
                (seen - right).abs() < 4.5 * sigma + 1e-5,
                "first {end}: {seen} is not {right}"
            );
        }
    }

    #[test]
    fn zipf_draws_each_rank_as_often_as_its_law_says() {
        let n = 100_000u64;
        for theta in [0.0, 0.5, 0.99, 1.0, 1.2, 3.0] {
            let mut sums = vec![0.0];
            for k in 1..=n {
                sums.push(sums[k as usize - 1] + (k as f64).powf(-theta));
            }
            let total = sums[n as usize];
            let ends = [1, 2, 3, 10, 63, 64, 65, 100, 1000, 1010, 10_000, 50_000, n];
            compare(&Ranks::zipf(n, theta), &ends, |end| sums[end as usize] / total);
        }
    }

    #[test]
    fn pareto_gives_the_first_h_of_the_ranks_all_but_h_of_the_draws() {
        let n = 1_000_000u64;
        for h in [0.05, 0.2, 0.5] {
            let ranks = Ranks::pareto(n, h);
            let at = |share: f64| (share * n as f64).round() as u64;
            compare(&ranks, &[at(h), n], |end| if end == n { 1.0 } else { 1.0 - h });
            compare(&ranks, &[at(h * h)], |_| (1.0 - h) * (1.0 - h));
        }
    }

    #[test]
    fn few_and_very_many_ranks_stay_in_range() {
        let mut rng = Pcg64::seed_from_u64(1);
        for n in [1, 2, 63, 64, 65, 129, 1 << 40] {
            for ranks in [Ranks::zipf(n, 1.1), Ranks::pareto(n, 0.2)] {
                assert!((0..10_000).all(|_| ranks.draw(&mut rng) < n), "{n}");
            }
        }
        assert!(Ranks::zipf(1 << 40, 1.0).cells.len() < 1700);
    }
}
