//! Rate of a synchronous bus in transfers per second (NV-DDR2, NV-DDR3, Toggle), in place of the part's own bus.

use super::error::ConfigError;
use super::notation::Notation;
use flash::Part;
use std::fmt;

/// Millions of transfers per second of a bus of 8 bits, 1 to 100,000.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BusRate(pub u32);

const MOST_MTS: u32 = 100_000;

/// A number and its unit: `1600MT/s`.
impl Notation for BusRate {
    fn read(word: &str) -> Result<Self, String> {
        let lower = word.trim().to_ascii_lowercase();
        let number = lower.strip_suffix("mt/s").and_then(|number| number.trim_end().parse().ok());
        number.filter(|rate| (1..=MOST_MTS).contains(rate)).map(Self).ok_or_else(|| {
            format!(
                "`{word}`: a bus is 1MT/s to {MOST_MTS}MT/s in whole numbers, such as `1600MT/s`: millions of transfers \
                of one byte per second"
            )
        })
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}MT/s", self.0)
    }
}

impl BusRate {
    /// The part on a synchronous bus of this rate. Its commands and addresses take ONFI's tCAD, whatever its own bus
    /// takes.
    ///
    /// # Errors
    /// If the part's tR and tPROG include an unknown transfer.
    pub fn on(self, part: Part) -> Result<Part, ConfigError> {
        if !part.gives_bus() {
            return Err(ConfigError::setting(
                "bus",
                format!(
                    "part `{}` has no bus of its own (bus_mts, or t_rc_ns and t_wc_ns), so its tR and tPROG include \
                    the transfer; on an SSD set bus_cycle too, as in --bus-cycle 5ns, which separates them, or choose \
                    another part (`ddt-mlc`)",
                    part.name
                ),
            ));
        }
        Ok(Part { bus_mts: self.0, t_rc_ns: 0, t_wc_ns: 0, ..part })
    }
}

#[cfg(test)]
mod tests {
    use super::super::notation::Word;
    use super::*;

    #[test]
    fn words_are_read_and_written() {
        for (text, written) in [("1600MT/s", "1600MT/s"), (" 333 mt/s", "333MT/s")] {
            assert_eq!(text.parse::<Word<BusRate>>().unwrap().to_string(), written);
        }
        for text in ["1600", "0MT/s", "100001MT/s", "1.6GT/s", "-5MT/s", ""] {
            let error = text.parse::<Word<BusRate>>().unwrap_err();
            assert!(error.contains("such as `1600MT/s`"), "{error}");
        }
    }

    #[test]
    fn a_bus_replaces_the_parts_own() {
        let part = flash::parts::by_name("ddt-mlc").unwrap().clone();
        let part = BusRate(1600).on(part).unwrap();
        assert_eq!((part.bus_mts, part.t_rc_ns, part.t_wc_ns), (1600, 0, 0));
        let error = BusRate(1600).on(flash::parts::EVALUATION_SLC.clone()).unwrap_err();
        assert!(error.to_string().contains("bus: part `evaluation-slc` has no bus"), "{error}");
    }
}
