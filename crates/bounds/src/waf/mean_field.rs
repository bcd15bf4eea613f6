//! Fixed point of the mean-field model: any selection by valid pages, one or two classes of pages.

use super::error::{WafError, check, check_pages};
use super::writes::{Class, Writes};
use alloc::{vec, vec::Vec};

/// Rule of victim selection.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Selection {
    /// Fewest valid pages of all blocks.
    Greedy,
    /// Fewest valid pages of this number of blocks (1 or more), drawn uniformly with replacement.
    Choices(u32),
    /// As [`Selection::Choices`]; if all drawn blocks are fully valid, any block that is not.
    ChoicesPassingOver(u32),
    /// Fewest valid pages within a window of the oldest written blocks.
    ///
    /// The value is the window's share of all blocks, above 0 and up to 1.
    Windowed(f64),
}

/// Result of the model.
#[derive(Clone, Debug, PartialEq)]
pub struct MeanField {
    /// Pages programmed per page written by the host.
    pub write_amplification: f64,
    /// Share of victims by valid pages, `0..=π`.
    pub victims: Vec<f64>,
}

impl MeanField {
    /// Mean valid pages of a victim.
    pub fn mean_valid(&self) -> f64 {
        self.victims.iter().zip(0u32..).map(|(share, valid)| share * f64::from(valid)).sum()
    }
}

/// Rounds after which the iteration gives up.
const MOST_ROUNDS: u32 = 20_000;
/// Largest relative change in a round at which the iteration has converged.
const SETTLED: f64 = 1e-12;

/// Steady state of cleaning for N → ∞ at finite π.
///
/// m(x, y) is the share of blocks with x valid hot pages and y valid cold pages.
/// Time is counted in N cleaned blocks. Of every cleaned block, h = π − E\[valid pages of a victim\] pages
/// are host writes.
/// A page of class i becomes invalid at the rate k_i = h·r_i/(f_i·σπ), so that
///
/// a(x, y) + k_h·(x+1)·m(x+1, y) + k_c·(y+1)·m(x, y+1) = (k_h·x + k_c·y)·m(x, y) + p(x, y),
///
/// where p is the share of victims and a the share of blocks just filled.
/// A filled block holds a victim's valid pages and π − x − y host pages, each hot with probability r.
/// M_j is the share of blocks with at least j valid pages. The selections are:
///
/// - d choices: M_j^d − M_{j+1}^d of the victims have j valid pages, and all blocks with j valid pages are
///   equally likely.
/// - Greedy: takes the blocks that cannot stay without M_0 exceeding 1.
/// - A window of a share w of the blocks: a block enters it after 1 − w, with each page still valid with
///   probability e^(−k_i(1−w)). Within the window cleaning is greedy with M_0 at most w.
///
/// Iteration finds the fixed point of h and a.
///
/// Host writes and copies share a frontier.
///
/// Sources:
/// - Van Houdt, SIGMETRICS 2013 (uniform writes, d choices and random);
/// - Van Houdt, "Performance of garbage collection algorithms for flash-based solid state drives with
///   hot/cold data", Performance Evaluation 70(10), 2013 (two classes, one frontier);
/// - the window as such a model is derived here: Hu, Eleftheriou, Haas, Iliadis, Pletka, SYSTOR 2009, who
///   proposed it, give a numerical model of their own.
///
/// Cost: O(π) per round under uniform writes, O(π³) for two classes; some hundred rounds.
///
/// # Errors
/// [`WafError`].
pub fn mean_field(
    share: f64,
    pages_per_block: u32,
    writes: Writes,
    selection: Selection,
) -> Result<MeanField, WafError> {
    check(share)?;
    check_pages(pages_per_block)?;
    match selection {
        Selection::Choices(0) | Selection::ChoicesPassingOver(0) => return Err(WafError::Draws),
        Selection::Windowed(window) if !(window > 0.0 && window <= 1.0) => {
            return Err(WafError::Window(window));
        }
        _ => {}
    }
    let mut model = Model::new(share, pages_per_block, writes.classes()?, selection);
    for _ in 0..MOST_ROUNDS {
        if model.round() < SETTLED {
            return Ok(model.found());
        }
    }
    Err(WafError::Unsettled)
}

struct Model {
    pages: usize,
    /// σπ.
    logical: f64,
    classes: [Class; 2],
    selection: Selection,
    /// h.
    host_pages: f64,
    /// a: share of blocks just filled, by hot pages.
    filled: Vec<f64>,
    /// p, by valid pages, then by hot pages.
    victims: Vec<Vec<f64>>,
    /// Probability of each count of hot pages among n host writes: by n, then by count.
    hot_of: Vec<Vec<f64>>,
}

impl Model {
    fn new(share: f64, pages_per_block: u32, classes: [Class; 2], selection: Selection) -> Self {
        let pages = pages_per_block as usize;
        let hot_of = binomials(pages, classes[0].writes);
        let victims = (0..=pages).map(|valid| vec![0.0; valid + 1]).collect();
        Self {
            pages,
            logical: share * f64::from(pages_per_block),
            classes,
            selection,
            host_pages: f64::from(pages_per_block) * (1.0 - share),
            filled: hot_of[pages].clone(),
            victims,
            hot_of,
        }
    }

    fn uniform(&self) -> bool {
        self.classes[1].writes == 0.0
    }

    /// Runs one iteration and returns the largest relative change.
    fn round(&mut self) -> f64 {
        self.choose();
        let valid: f64 = self
            .victims
            .iter()
            .zip(0u32..)
            .map(|(level, valid)| f64::from(valid) * level.iter().sum::<f64>())
            .sum();
        let host_pages = self.pages as f64 - valid;
        let change = (host_pages / self.host_pages - 1.0).abs();
        self.host_pages = host_pages;
        let filled = self.fill();
        let moved =
            filled.iter().zip(&self.filled).map(|(new, old)| (new - old).abs()).fold(0.0, f64::max);
        self.filled = filled;
        change.max(moved)
    }

    /// Shares of the blocks that are filled after these victims.
    fn fill(&self) -> Vec<f64> {
        let mut filled = vec![0.0; self.pages + 1];
        for (valid, level) in self.victims.iter().enumerate() {
            let hot_of = &self.hot_of[self.pages - valid];
            for (hot, share) in level.iter().enumerate().filter(|(_, share)| **share > 0.0) {
                for (more, chance) in hot_of.iter().enumerate() {
                    filled[hot + more] += share * chance;
                }
            }
        }
        let all: f64 = filled.iter().sum();
        filled.iter_mut().for_each(|share| *share /= all);
        filled
    }

    /// Sets the victims, level by level from π valid pages down to 0.
    fn choose(&mut self) {
        let rates = self.classes.map(|class| class.rate(self.host_pages, self.logical));
        let entering = self.entering(rates);
        let mut above = vec![0.0; self.pages + 2];
        // M of the level above.
        let mut more = 0.0;
        let mut passed_over = 0.0;
        for valid in (0..=self.pages).rev() {
            let mut level = Level::new(valid, if self.uniform() { valid } else { 0 }, rates);
            for hot in level.first..=valid {
                let cold = valid - hot;
                level.arriving[hot] = entering.at(valid, hot)
                    + rates[0] * (hot + 1) as f64 * above[hot + 1]
                    + rates[1] * (cold + 1) as f64 * above[hot];
            }
            let taken = self.taken(&level, more, &mut passed_over);
            let victims = &mut self.victims[valid];
            let mut members = 0.0;
            for hot in level.first..=valid {
                let share = level.share(hot, taken);
                victims[hot] = match taken {
                    Taken::At(rate) => rate * share,
                    Taken::All => level.arriving[hot],
                };
                above[hot] = share;
                members += share;
            }
            above[valid + 1] = 0.0;
            more += members;
        }
    }

    /// Rate at which blocks of a level are taken, if `more` blocks have more valid pages.
    fn taken(&self, level: &Level, more: f64, passed_over: &mut f64) -> Taken {
        let most = match self.selection {
            Selection::Greedy => 1.0,
            Selection::Windowed(window) => window,
            Selection::Choices(draws) => return self.drawn(level, more, draws, 0.0),
            Selection::ChoicesPassingOver(draws) => {
                if level.valid == self.pages {
                    *passed_over = power(level.members(Taken::At(0.0)).min(1.0), draws);
                    return Taken::At(0.0);
                }
                // Then all other blocks are equally likely.
                let wholly_valid = libm::pow(*passed_over, 1.0 / f64::from(draws));
                return self.drawn(level, more, draws, *passed_over / (1.0 - wholly_valid));
            }
        };
        if level.valid == 0 || more >= most {
            return Taken::All;
        }
        if more + level.members(Taken::At(0.0)) <= most {
            return Taken::At(0.0);
        }
        root(|rate| most - more - level.members(Taken::At(rate)))
    }

    /// Rate at which `draws` choices take blocks of a level, in addition to `anyway` of each block.
    fn drawn(&self, level: &Level, more: f64, draws: u32, anyway: f64) -> Taken {
        if level.valid == 0 {
            return Taken::All;
        }
        let above = power(more, draws);
        root(|rate| {
            let members = level.members(Taken::At(rate));
            rate * members - (power(more + members, draws) - above) - anyway * members
        })
    }

    /// Blocks that become candidates, by valid pages.
    fn entering(&self, rates: [f64; 2]) -> Entering {
        let Selection::Windowed(window) = self.selection else {
            return Entering::Filled(self.filled.clone(), self.pages);
        };
        let [hot_left, cold_left] =
            rates.map(|rate| binomials(self.pages, libm::exp(-rate * (1.0 - window))));
        let mut left: Vec<Vec<f64>> = (0..=self.pages).map(|valid| vec![0.0; valid + 1]).collect();
        for (hot, share) in self.filled.iter().enumerate().filter(|(_, share)| **share > 0.0) {
            for (x, chance) in hot_left[hot].iter().enumerate() {
                for (y, other) in cold_left[self.pages - hot].iter().enumerate() {
                    left[x + y][x] += share * chance * other;
                }
            }
        }
        Entering::Left(left)
    }

    fn found(&self) -> MeanField {
        MeanField {
            write_amplification: self.pages as f64 / self.host_pages,
            victims: self.victims.iter().map(|level| level.iter().sum()).collect(),
        }
    }
}

/// Blocks that become candidates, per cleaned block.
enum Entering {
    /// Just filled, by hot pages.
    Filled(Vec<f64>, usize),
    /// By valid pages, then by hot pages.
    Left(Vec<Vec<f64>>),
}

impl Entering {
    fn at(&self, valid: usize, hot: usize) -> f64 {
        match self {
            Self::Filled(by_hot, pages) if valid == *pages => by_hot[hot],
            Self::Filled(..) => 0.0,
            Self::Left(by_valid) => by_valid[valid][hot],
        }
    }
}

#[derive(Clone, Copy)]
enum Taken {
    /// Each block at this rate.
    At(f64),
    /// Immediately, so that the level stays empty.
    All,
}

/// Blocks with one count of valid pages.
struct Level {
    valid: usize,
    /// Fewest hot pages.
    first: usize,
    rates: [f64; 2],
    /// By hot pages, per cleaned block.
    arriving: Vec<f64>,
}

impl Level {
    fn new(valid: usize, first: usize, rates: [f64; 2]) -> Self {
        Self { valid, first, rates, arriving: vec![0.0; valid + 1] }
    }

    /// Share of all blocks in this level that have `hot` hot pages.
    fn share(&self, hot: usize, taken: Taken) -> f64 {
        let Taken::At(rate) = taken else { return 0.0 };
        let losing = self.rates[0] * hot as f64 + self.rates[1] * (self.valid - hot) as f64;
        self.arriving[hot] / (losing + rate)
    }

    fn members(&self, taken: Taken) -> f64 {
        (self.first..=self.valid).map(|hot| self.share(hot, taken)).sum()
    }
}

/// Zero of a function that rises with the rate.
fn root(excess: impl Fn(f64) -> f64) -> Taken {
    let (mut low, mut high) = (0.0, 1.0);
    while excess(high) < 0.0 {
        (low, high) = (high, 4.0 * high);
        if high > 1e12 {
            return Taken::All;
        }
    }
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if excess(middle) < 0.0 { low = middle } else { high = middle }
    }
    Taken::At(0.5 * (low + high))
}

fn power(base: f64, exponent: u32) -> f64 {
    let (mut result, mut square, mut left) = (1.0, base, exponent);
    while left > 0 {
        if left & 1 == 1 {
            result *= square;
        }
        square *= square;
        left >>= 1;
    }
    result
}

/// Probabilities of `0..=n` successes in n trials, for n up to `most`.
fn binomials(most: usize, chance: f64) -> Vec<Vec<f64>> {
    let mut all = vec![vec![1.0]];
    for n in 1..=most {
        let before: &Vec<f64> = &all[n - 1];
        let mut next = vec![0.0; n + 1];
        for (count, share) in before.iter().enumerate() {
            next[count] += share * (1.0 - chance);
            next[count + 1] += share * chance;
        }
        all.push(next);
    }
    all
}

#[cfg(test)]
mod tests;
