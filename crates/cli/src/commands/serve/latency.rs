//! `--latency`: when replies are sent.

use device::Latency;
use std::str::FromStr;

/// [`Latency`] on the command line.
#[derive(Clone, Copy, Debug)]
pub(super) struct LatencyChoice(pub(super) Latency);

impl FromStr for LatencyChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let thousandths = match text.strip_prefix("scaled:") {
            None if text == "none" => return Ok(Self(Latency::None)),
            None if text == "real" => 1000.0,
            None => return Err("is none, real or scaled:K".into()),
            Some(factor) => match factor.parse::<f64>() {
                Ok(factor) if (0.001..=1000.0).contains(&factor) => (factor * 1000.0).round(),
                _ => return Err("scaled:K takes a K from 0.001 to 1000".into()),
            },
        };
        Ok(Self(Latency::Scaled(thousandths as u64)))
    }
}
