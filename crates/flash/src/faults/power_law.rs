//! A raw bit error rate as a sum of powers of wear, retention time and reads, and published fits of it.

/// Raw bit error rate (RBER) of a page: `ε + α·c^k + β·c^m·t^n + γ·c^p·r^q`.
///
/// - c: program/erase cycles of its block, 1 at least: the law has no value for a cell never cycled.
/// - t: hours since its program.
/// - r: reads of its block since the block's erase, per page of the block.
///
/// The rate is limited to ½. Powers are those of `libm`, which are the same on every machine.
///
/// Source of the form: Kim, Choi and Min, "Design Tradeoffs for SSD Reliability", FAST 2019, Eq. 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PowerLaw {
    /// ε: rate of a fresh page.
    pub base: f64,
    /// α and k.
    pub wear: [f64; 2],
    /// β, m and n.
    pub retention: [f64; 3],
    /// γ, p and q.
    pub disturb: [f64; 3],
}

// Figures are finite: see [`PowerLaw::is_valid`].
impl Eq for PowerLaw {}

/// A published fit.
#[derive(Clone, Copy, Debug)]
pub struct NamedLaw {
    /// Name on the command line.
    pub name: &'static str,
    /// The fit.
    pub law: PowerLaw,
    /// Source: authors, venue, table.
    pub source: &'static str,
}

/// All published fits.
pub static POWER_LAWS: [NamedLaw; 1] = [NamedLaw {
    name: "tlc-72-layer",
    law: PowerLaw {
        base: 1.48e-3,
        wear: [3.90e-10, 2.05],
        retention: [6.28e-5, 0.14, 0.54],
        disturb: [3.73e-9, 0.33, 1.71],
    },
    source: "Kim, Choi and Min, FAST 2019: RBER model parameters of a 72-layer TLC part",
}];

impl PowerLaw {
    /// The figures, in the order of the formula: ε, α, k, β, m, n, γ, p, q.
    pub fn figures(&self) -> [f64; 9] {
        let ([alpha, k], [beta, m, n], [gamma, p, q]) = (self.wear, self.retention, self.disturb);
        [self.base, alpha, k, beta, m, n, gamma, p, q]
    }

    /// The law with these figures, in the order of the formula.
    pub fn of([base, alpha, k, beta, m, n, gamma, p, q]: [f64; 9]) -> Self {
        Self { base, wear: [alpha, k], retention: [beta, m, n], disturb: [gamma, p, q] }
    }

    /// True if every coefficient is 0 to 1 and every exponent 0 to 10, so that the rate never falls with age.
    pub fn is_valid(&self) -> bool {
        let [base, alpha, k, beta, m, n, gamma, p, q] = self.figures();
        let within = |figures: &[f64], most: f64| figures.iter().all(|f| (0.0..=most).contains(f));
        within(&[base, alpha, beta, gamma], 1.0) && within(&[k, m, n, p, q], 10.0)
    }

    /// The factors that depend on wear alone: `ε + α·c^k`, `β·c^m` and `γ·c^p`.
    pub(super) fn worn(&self, cycles: u32) -> [f64; 3] {
        let power = |[factor, exponent]: [f64; 2]| match factor {
            0.0 => 0.0,
            factor => factor * libm::pow(f64::from(cycles.max(1)), exponent),
        };
        let ([beta, m, _], [gamma, p, _]) = (self.retention, self.disturb);
        [self.base + power(self.wear), power([beta, m]), power([gamma, p])]
    }

    /// `t^n`.
    pub(super) fn aged(&self, seconds: u32) -> f64 {
        libm::pow(f64::from(seconds) / 3600.0, self.retention[2])
    }

    /// `r^q`.
    pub(super) fn read(&self, reads: u32, pages_per_block: u32) -> f64 {
        libm::pow(f64::from(reads) / f64::from(pages_per_block), self.disturb[2])
    }

    /// The rate after `cycles` cycles, `seconds` since the program and `reads` reads of a block of
    /// `pages_per_block` pages.
    pub fn rate(&self, cycles: u32, seconds: u32, [reads, pages_per_block]: [u32; 2]) -> f64 {
        let [worn, retention, disturb] = self.worn(cycles);
        let aged = retention * self.aged(seconds);
        limited(worn + aged + disturb * self.read(reads, pages_per_block))
    }
}

/// More than every second bit wrong is noise.
pub(super) fn limited(rate: f64) -> f64 {
    if rate < 0.5 { rate } else { 0.5 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values of the formula for the 72-layer part, from another implementation.
    #[test]
    fn values() {
        let law = POWER_LAWS[0].law;
        for (cycles, hours, reads, expected) in [
            (1000, 0, 0, 2.030_890e-3),
            (1000, 1000, 0, 8.916_773e-3),
            (1000, 0, 100, 2.126_765e-3),
            (3000, 2000, 500, 2.055_420e-2),
        ] {
            let rate = law.rate(cycles, hours * 3600, [reads * 256, 256]);
            assert!((rate / expected - 1.0).abs() < 1e-6, "{rate:e} is not {expected:e}");
        }
        assert_eq!(PowerLaw::of(law.figures()), law);
        assert!(law.is_valid());
    }

    #[test]
    fn limits() {
        let law = PowerLaw::of([0.4, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        assert_eq!(law.rate(9, 0, [0, 64]), 0.5);
        assert_eq!(law.rate(0, 0, [0, 64]), law.rate(1, 0, [0, 64]));
        for wrong in [f64::NAN, f64::INFINITY, -1e-9, 1.5] {
            assert!(!PowerLaw { base: wrong, ..law }.is_valid(), "{wrong}");
        }
        assert!(!PowerLaw { retention: [0.1, 0.1, 11.0], ..law }.is_valid());
    }
}
