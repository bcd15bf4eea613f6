//! Lambert's W, principal branch.

use core::f64::consts::E;

/// W₀(x): the w ≥ −1 with w·e^w = x, for x ≥ −1/e; NaN below.
///
/// Halley's iteration from a start within a few per cent of the result. The relative error is below 1e−14.
/// The exception is near the branch point, where w + 1 ≈ √(2(ex+1)) itself is known to half the digits only.
pub fn lambert_w0(x: f64) -> f64 {
    // ex + 1 ≥ 0, except for the rounding of −1/e.
    let above = libm::fma(E, x, 1.0);
    if x.is_nan() || above < -1e-15 {
        return f64::NAN;
    }
    if x == f64::INFINITY {
        return x;
    }
    let mut w = start(x, above.max(0.0));
    for _ in 0..32 {
        let exp = libm::exp(w);
        let error = w * exp - x;
        let slope = exp * (w + 1.0);
        if error == 0.0 || slope == 0.0 {
            break;
        }
        let change = error / (slope - (w + 2.0) * error / (2.0 * (w + 1.0)));
        w -= change;
        if change.abs() <= 1e-16 * (1.0 + w.abs()) {
            break;
        }
    }
    w
}

fn start(x: f64, above: f64) -> f64 {
    if x < -0.25 {
        let p = libm::sqrt(2.0 * above);
        -1.0 + p * (1.0 - p * (1.0 / 3.0 - p * 11.0 / 72.0))
    } else if x < 3.0 {
        // ln(1+x) and W have the same value and slope at 0.
        let log = libm::log1p(x);
        log * (1.0 - libm::log1p(log) / (2.0 + log))
    } else {
        let log = libm::log(x);
        log - libm::log(log)
    }
}

#[cfg(test)]
mod tests {
    use super::lambert_w0;

    #[test]
    fn known_values() {
        let cases = [
            (0.0, 0.0),
            (1.0, 0.567_143_290_409_784),
            (core::f64::consts::E, 1.0),
            (10.0, 1.745_528_002_740_699_4),
            (-0.2, -0.259_171_101_819_073_8),
            (-0.35, -0.716_638_816_456_073_7),
            (1e300, 684.247_208_629_761),
        ];
        for (x, w) in cases {
            assert!((lambert_w0(x) - w).abs() <= 1e-13 * (1.0 + w), "W({x}) = {}", lambert_w0(x));
        }
        assert!((lambert_w0(-1.0 / core::f64::consts::E) + 1.0).abs() < 1e-7);
        assert!(lambert_w0(-0.4).is_nan() && lambert_w0(f64::NAN).is_nan());
    }

    #[test]
    fn inverts_w_exp_w_over_its_range() {
        let mut w = -0.999;
        while w < 300.0 {
            let back = lambert_w0(w * libm::exp(w));
            let tolerance = if w < -0.99 { 1e-9 } else { 1e-12 };
            assert!((back - w).abs() <= tolerance * (1.0 + w.abs()), "{w} came back as {back}");
            w += if w < 2.0 { 0.001 } else { 0.5 };
        }
    }
}
