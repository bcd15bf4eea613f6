//! Notation of the controller's processor.

use super::decimal::Clock;
use super::notation::{Notation, named};
use ::run::ssd::{CoreSharing, CpuWork};
use ftl::Processor;
use serde_json::json;
use std::fmt;

/// Word for no processor: selection takes no time.
const NONE: &str = "none";
/// Name of [`Processor::ARM7`].
const ARM7: &str = "arm7";
/// Most cycles per entry; no memory is slower.
pub(super) const MOST_CYCLES: u32 = 1_000_000;

/// Most cores.
const MOST_CORES: u32 = 256;

/// The controller's processor: its cores, all alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cpu {
    /// Number of cores, 1 to 256.
    pub cores: u32,
    /// Clock and cycles of each.
    pub core: Processor,
}

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
pub(super) fn processor_json(cpu: &Cpu) -> serde_json::Value {
    let processor = &cpu.core;
    json!({
        "cores": cpu.cores,
        "clock_khz": processor.clock_khz,
        "read_cycles": processor.read_cycles,
        "write_cycles": processor.write_cycles,
    })
}

/// `none`, `arm7`, or clock and cycles: `87.5MHz:10:4`; with several cores `2x87.5MHz:10:4` or `2xarm7`.
impl Notation for Option<Cpu> {
    fn read(word: &str) -> Result<Self, String> {
        if word == NONE {
            return Ok(None);
        }
        let fault = |reason: &str| {
            format!(
                "`{word}`: {reason}; a processor is {NONE}, {ARM7}, or CLOCK:READ:WRITE, such as `87.5MHz:10:4`: clock \
                (kHz, MHz, GHz), cycles per table entry read, cycles per table entry written; of several cores, such as \
                `4x1GHz:10:4`"
            )
        };
        // `x` or `×`, but not the one of a name.
        let (count, core) = word.split_once(['x', '×']).unwrap_or(("1", word));
        let cores = count.trim().parse().ok().filter(|count| (1..=MOST_CORES).contains(count));
        let cores = cores
            .ok_or_else(|| fault(&format!("the number of cores must be 1 to {MOST_CORES}")))?;
        let core = core.trim();
        if core == ARM7 {
            return Ok(Some(Cpu { cores, core: Processor::ARM7 }));
        }
        let parts: Vec<&str> = core.split(':').map(str::trim).collect();
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
        Ok(Some(Cpu { cores, core: Processor { clock_khz, read_cycles, write_cycles } }))
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(Cpu { cores, core }) = self else { return f.write_str(NONE) };
        if *cores > 1 {
            write!(f, "{cores}x")?;
        }
        if *core == Processor::ARM7 {
            return f.write_str(ARM7);
        }
        let Processor { clock_khz, read_cycles, write_cycles } = core;
        let clock = Clock(*clock_khz).to_string().replace(' ', "");
        write!(f, "{clock}:{read_cycles}:{write_cycles}")
    }
}

impl Notation for CoreSharing {
    fn read(word: &str) -> Result<Self, String> {
        named("cpu_sharing", word, &Self::ALL.map(|sharing| (sharing.name(), sharing)))
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Notation for CpuWork {
    fn read(word: &str) -> Result<Self, String> {
        named("cpu_work", word, &Self::ALL.map(|work| (work.name(), work)))
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::super::notation::Word;
    use super::*;

    type Choice = Word<Option<Cpu>>;

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
            ("2xarm7", "2xarm7"),
            ("4 × 1GHz:10:4", "4x1GHz:10:4"),
            ("1x200MHz:6:3", "200MHz:6:3"),
        ] {
            let read: Choice = text.parse().unwrap();
            assert_eq!(read.to_string(), written, "{text}");
            assert_eq!(written.parse::<Choice>().unwrap(), read, "{text}");
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
            ("0x1GHz:1:4", "the number of cores must be 1 to 256"),
            ("257xarm7", "the number of cores must be 1 to 256"),
            ("twoxarm7", "the number of cores must be 1 to 256"),
            ("-1x1GHz:1:4", "the number of cores must be 1 to 256"),
            ("2x", "no processor has this name"),
        ] {
            let error = text.parse::<Choice>().unwrap_err();
            assert!(error.contains(said) && error.contains("`87.5MHz:10:4`"), "{text}: {error}");
        }
    }
}
