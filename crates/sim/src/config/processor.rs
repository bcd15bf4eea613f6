//! Notation of the controller's processor.

use super::decimal::Clock;
use super::notation::Notation;
use ftl::Processor;
use serde_json::json;
use std::fmt;

/// Word for no processor: selection takes no time.
const NONE: &str = "none";
/// Name of [`Processor::ARM7`].
const ARM7: &str = "arm7";
/// Most cycles per entry; no memory is slower.
const MOST_CYCLES: u32 = 1_000_000;

/// Text such as `arm7 (87.5 MHz, 10 cycles per entry read, 4 per entry written)`.
pub(super) fn processor_line(processor: &Processor) -> String {
    let Processor { clock_khz, read_cycles, write_cycles } = *processor;
    let name = if *processor == Processor::ARM7 { format!("{ARM7}, ") } else { String::new() };
    format!(
        "{name}{} ({read_cycles} cycles per entry read, {write_cycles} per entry written)",
        Clock(clock_khz)
    )
}

/// Echo of a processor in a report.
pub(super) fn processor_json(processor: &Processor) -> serde_json::Value {
    json!({
        "clock_khz": processor.clock_khz,
        "read_cycles": processor.read_cycles,
        "write_cycles": processor.write_cycles,
    })
}

/// `none`, `arm7`, or clock and cycles: `87.5MHz:10:4`.
impl Notation for Option<Processor> {
    fn read(word: &str) -> Result<Self, String> {
        match word {
            NONE => return Ok(None),
            ARM7 => return Ok(Some(Processor::ARM7)),
            _ => {}
        }
        let fault = |reason: &str| {
            format!(
                "`{word}`: {reason}; a processor is {NONE}, {ARM7}, or CLOCK:READ:WRITE, such as `87.5MHz:10:4`: clock \
                (kHz, MHz, GHz), cycles per table entry read, cycles per table entry written"
            )
        };
        let parts: Vec<&str> = word.split(':').map(str::trim).collect();
        let [clock, read, write] = parts[..] else {
            return Err(fault("no processor has this name"));
        };
        let Clock(clock_khz) =
            Clock::read(clock).ok_or_else(|| fault("the clock must be 1kHz to 100GHz"))?;
        let cycles = |text: &str| {
            let cycles = text.parse().ok().filter(|cycles| *cycles <= MOST_CYCLES);
            cycles.ok_or_else(|| fault(&format!("cycles must be 0 to {MOST_CYCLES}")))
        };
        let (read_cycles, write_cycles) = (cycles(read)?, cycles(write)?);
        Ok(Some(Processor { clock_khz, read_cycles, write_cycles }))
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            None => f.write_str(NONE),
            Some(Processor::ARM7) => f.write_str(ARM7),
            Some(Processor { clock_khz, read_cycles, write_cycles }) => {
                let clock = Clock(*clock_khz).to_string().replace(' ', "");
                write!(f, "{clock}:{read_cycles}:{write_cycles}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::notation::Word;
    use super::*;

    type Cpu = Word<Option<Processor>>;

    #[test]
    fn words_are_read_and_written() {
        for (text, written) in [
            ("none", "none"),
            ("arm7", "arm7"),
            ("87.5MHz:10:4", "arm7"),
            ("87500 kHz : 10 : 4", "arm7"),
            ("1GHz:1:0", "1GHz:1:0"),
            ("1.25GHz:3:2", "1.25GHz:3:2"),
            ("12.345MHz:3:2", "12.345MHz:3:2"),
            ("7kHz:3:2", "7kHz:3:2"),
        ] {
            let read: Cpu = text.parse().unwrap();
            assert_eq!(read.to_string(), written, "{text}");
            assert_eq!(written.parse::<Cpu>().unwrap(), read, "{text}");
        }
        let line = processor_line(&Processor::ARM7);
        assert_eq!(line, "arm7, 87.5 MHz (10 cycles per entry read, 4 per entry written)");
    }

    #[test]
    fn what_is_wrong_is_told_with_what_would_be_right() {
        for (text, said) in [
            ("arm8", "no processor has this name"),
            ("87.5MHz", "no processor has this name"),
            ("87.5MHz:10:4:1", "no processor has this name"),
            ("0MHz:10:4", "the clock must be"),
            ("0.5Hz:10:4", "the clock must be"),
            ("1THz:10:4", "the clock must be"),
            ("1.2345678MHz:10:4", "the clock must be"),
            ("101GHz:1:1", "the clock must be"),
            ("1GHz:-1:4", "cycles must be 0 to 1000000"),
            ("1GHz:1:4000000000", "cycles must be 0 to 1000000"),
        ] {
            let error = text.parse::<Cpu>().unwrap_err();
            assert!(error.contains(said) && error.contains("`87.5MHz:10:4`"), "{text}: {error}");
        }
    }
}
