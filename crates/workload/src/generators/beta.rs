//! Beta-distributed places: heat that rises smoothly towards one end of the space, its middle, or both ends.

use crate::error::WorkloadError;
use crate::generators::draw;
use crate::generators::generator::{Build, Built, BuiltinInfo};
use crate::generators::law::{Law, SCATTER};
use crate::generators::mix::{OPERATIONS, SIZES, generator};
use crate::generators::pace;
use crate::parameters::{Kind, ParameterInfo};
use rand_pcg::Pcg64;

const fn shape(name: &'static str, default: &'static str, summary: &'static str) -> ParameterInfo {
    ParameterInfo { name, summary, unit: "", kind: Kind::Number { min: 0.1, max: 100.0 }, default }
}

static SHAPES: &[ParameterInfo] = &[
    shape(
        "alpha",
        "1",
        "shape α: places near the start of the space are drawn in proportion to x^(α-1)",
    ),
    shape(
        "beta",
        "10",
        "shape β: places near its end are drawn in proportion to (1-x)^(β-1); 1 and 1 are uniform",
    ),
    SCATTER,
];

pub(crate) static INFO: BuiltinInfo = BuiltinInfo {
    name: "beta",
    summary: "requests of one size at places that follow a beta distribution",
    parameters: &[SHAPES, OPERATIONS, SIZES, pace::PARAMETERS],
    requests: Some(1_000_000),
    source: "G. Haas et al., SSD-iq: Uncovering the Hidden Side of SSD Performance, PVLDB 18, 2025 (beta); drawn as \
             in G. Marsaglia and W. Tsang, A Simple Method for Generating Gamma Variables, ACM TOMS 26(3), 2000",
    build,
};

fn build(request: &Build<'_>) -> Result<Built, WorkloadError> {
    let number = |name| request.parameters.number(name).unwrap_or(1.0);
    let (alpha, beta) = (number("alpha"), number("beta"));
    generator(request, |places| {
        let shapes = [Gamma::new(alpha), Gamma::new(beta)];
        Ok(Law::Drawn(Box::new(Beta { shapes, places }), request.scatter(places)))
    })
}

/// Beta(α, β) over places, as G(α) / (G(α) + G(β)) of two gamma variables.
#[derive(Clone, Debug)]
struct Beta {
    shapes: [Gamma; 2],
    places: u64,
}

impl crate::generators::law::Ranking for Beta {
    fn draw(&self, rng: &mut Pcg64) -> u64 {
        let [first, second] = [self.shapes[0].draw(rng), self.shapes[1].draw(rng)];
        let at = first / (first + second);
        ((at * self.places as f64) as u64).min(self.places - 1)
    }
}

/// A gamma variable of scale 1.
#[derive(Clone, Copy, Debug)]
struct Gamma {
    d: f64,
    c: f64,
    /// 1/shape where the shape is below 1: then a variable of shape + 1 is multiplied by a power of a uniform one.
    boost: Option<f64>,
}

impl Gamma {
    fn new(shape: f64) -> Self {
        let d = if shape < 1.0 { shape + 1.0 } else { shape } - 1.0 / 3.0;
        let boost = (shape < 1.0).then(|| 1.0 / shape);
        Self { d, c: 1.0 / (9.0 * d).sqrt(), boost }
    }

    fn draw(&self, rng: &mut Pcg64) -> f64 {
        let gamma = loop {
            let x = normal(rng);
            let v = 1.0 + self.c * x;
            if v <= 0.0 {
                continue;
            }
            let v = v * v * v;
            let ln = libm::log(draw::unit(rng));
            if ln < 0.5 * x * x + self.d * (1.0 - v + libm::log(v)) {
                break self.d * v;
            }
        };
        match self.boost {
            Some(power) => gamma * libm::pow(draw::unit(rng), power),
            None => gamma,
        }
    }
}

/// A normal variable, by Marsaglia's polar method; the second of the pair is not used.
fn normal(rng: &mut Pcg64) -> f64 {
    loop {
        let [x, y] = [draw::unit(rng), draw::unit(rng)].map(|unit| 2.0 * unit - 1.0);
        let square = x * x + y * y;
        if square < 1.0 && square > 0.0 {
            return x * (-2.0 * libm::log(square) / square).sqrt();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generators::law::Ranking;
    use rand::SeedableRng;

    #[test]
    fn mean_and_variance_are_those_of_the_distribution() {
        let mut rng = Pcg64::seed_from_u64(5);
        let (places, draws) = (1u64 << 40, 200_000);
        for (alpha, beta) in [(1.0, 1.0), (0.1, 0.3), (0.5, 5.0), (2.0, 2.0), (100.0, 7.0)] {
            let law = Beta { shapes: [Gamma::new(alpha), Gamma::new(beta)], places };
            let drawn: Vec<f64> =
                (0..draws).map(|_| law.draw(&mut rng) as f64 / places as f64).collect();
            let mean = drawn.iter().sum::<f64>() / f64::from(draws);
            let square =
                drawn.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / f64::from(draws);
            let sum = alpha + beta;
            let variance = alpha * beta / (sum * sum * (sum + 1.0));
            let sigma = (variance / f64::from(draws)).sqrt();
            assert!((mean - alpha / sum).abs() < 5.0 * sigma, "{alpha}, {beta}: mean {mean}");
            assert!((square / variance - 1.0).abs() < 0.03, "{alpha}, {beta}: variance {square}");
        }
    }
}
