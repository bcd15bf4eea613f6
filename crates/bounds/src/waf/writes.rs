//! Distribution of host writes over logical pages, and FIFO cleaning with two classes of pages.

use super::error::{WafError, check};

/// Distribution of host writes over logical pages.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Writes {
    /// Uniform over all pages.
    Uniform,
    /// Two classes of pages, each written uniformly.
    HotCold {
        /// Share of the logical pages that are hot, above 0 and below 1.
        hot_pages: f64,
        /// Share of the writes that go to hot pages, above 0 and below 1.
        hot_writes: f64,
    },
}

/// Share of a class in the logical pages and in the writes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Class {
    pub(super) pages: f64,
    pub(super) writes: f64,
}

impl Class {
    /// Rate at which one page of the class becomes invalid, per N cleaned blocks: h·writes / (pages·σπ).
    ///
    /// Of every cleaned block, `h` pages are host writes.
    pub(super) fn rate(self, h: f64, logical_pages_per_block: f64) -> f64 {
        if self.writes == 0.0 {
            return 0.0;
        }
        h * self.writes / (self.pages * logical_pages_per_block)
    }
}

impl Writes {
    /// Both classes; under uniform writes the second is empty.
    ///
    /// # Errors
    /// [`WafError::Class`].
    pub(super) fn classes(self) -> Result<[Class; 2], WafError> {
        match self {
            Self::Uniform => {
                Ok([Class { pages: 1.0, writes: 1.0 }, Class { pages: 0.0, writes: 0.0 }])
            }
            Self::HotCold { hot_pages, hot_writes } => {
                for share in [hot_pages, hot_writes] {
                    if !(share > 0.0 && share < 1.0) {
                        return Err(WafError::Class(share));
                    }
                }
                let hot = Class { pages: hot_pages, writes: hot_writes };
                Ok([hot, Class { pages: 1.0 - hot_pages, writes: 1.0 - hot_writes }])
            }
        }
    }
}

/// FIFO (LRU) cleaning with two classes of pages. With y = 1/A,
///
/// Σ_i y·r_i / (1 − e^(−y·r_i/(f_i·σ))) = 1,
///
/// where f_i and r_i are the shares of class i in the pages and in the writes.
/// A block is cleaned N blocks after it was written.
/// A page of class i is then still valid with probability e^(−y·r_i/(f_i·σ)).
/// The writes of a class are its host writes plus its pages that were still valid.
///
/// Any π; N → ∞; one frontier for all. With one class it is [`fifo`](super::fifo).
///
/// Source: Desnoyers, SYSTOR 2012, §4 (LRU cleaning of hot and cold data without separation).
///
/// # Errors
/// [`WafError::Share`], [`WafError::Class`].
pub fn fifo_of(share: f64, writes: Writes) -> Result<f64, WafError> {
    check(share)?;
    let classes = writes.classes()?;
    let written = |y: f64| -> f64 {
        let of = |class: Class| match class.writes {
            0.0 => 0.0,
            writes => y * writes / -libm::expm1(-class.rate(y, share)),
        };
        classes.map(of).iter().sum()
    };
    // Rises from σ at y = 0 to above 1 at y = 1.
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if written(middle) < 1.0 { low = middle } else { high = middle }
    }
    Ok(2.0 / (low + high))
}

#[cfg(test)]
mod tests {
    use super::{Writes, fifo_of};
    use crate::waf::{WafError, fifo};

    #[test]
    fn one_class_is_uniform() {
        for percent in (10..100).step_by(3) {
            let share = f64::from(percent) / 100.0;
            let uniform = fifo(share).unwrap();
            let same = Writes::HotCold { hot_pages: 0.3, hot_writes: 0.3 };
            for writes in [Writes::Uniform, same] {
                let waf = fifo_of(share, writes).unwrap();
                assert!((waf / uniform - 1.0).abs() < 1e-9, "σ {share}: {waf} {uniform}");
            }
        }
    }

    #[test]
    fn unequal_writes_cost_fifo_more() {
        let mut last = fifo(0.9).unwrap();
        for hot_writes in [0.3, 0.5, 0.7, 0.9, 0.99] {
            let waf = fifo_of(0.9, Writes::HotCold { hot_pages: 0.2, hot_writes }).unwrap();
            assert!(waf > last, "{hot_writes}: {waf}");
            last = waf;
        }
        for (hot_pages, hot_writes) in [(0.0, 0.5), (0.5, 1.0), (f64::NAN, 0.5)] {
            let wrong = fifo_of(0.9, Writes::HotCold { hot_pages, hot_writes });
            assert!(matches!(wrong, Err(WafError::Class(_))));
        }
    }
}
