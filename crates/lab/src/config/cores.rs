//! The controller's cores: settings besides clock and cycles, checked.

use super::error::ConfigError;
use super::experiment::{Experiment, Setting};
use super::notation::Word;
use super::processor::processor_line;
use ::run::ssd::{CoreSettings, CoreSharing, CpuWork};
use ftl::Processor;

impl Experiment {
    /// The processor of one core, or of all of them.
    pub(super) fn processor(&self) -> Option<Processor> {
        self.cpu.0.map(|cpu| cpu.core)
    }

    /// The cores of an SSD, whose defaults are also filled in here.
    ///
    /// # Errors
    /// A number outside its range, or a setting without effect.
    pub(super) fn take_cores(&mut self) -> Result<CoreSettings, ConfigError> {
        let Some(cpu) = self.cpu.0 else {
            return match self.given_for_cores() {
                None => Ok(CoreSettings::ONE),
                Some(setting) => Err(ConfigError::setting(
                    setting,
                    "needs a processor; set one too, as in --cpu 2x500MHz:10:4, or omit it",
                )),
            };
        };
        let cores = CoreSettings {
            count: cpu.cores,
            sharing: self.cpu_sharing.unwrap_or_default().0,
            work: self.cpu_work.unwrap_or_default().0,
            command_cycles: self.cpu_command.unwrap_or(0),
        };
        if cores.sharing == CoreSharing::Pinned && cores.count == 1 {
            let reason = "has no effect on one core; use several, as in --cpu 2x500MHz:10:4, or omit it (`shared`)";
            return Err(ConfigError::setting("cpu_sharing", reason));
        }
        if cores.command_cycles > 0 && cores.work == CpuWork::Victims {
            let reason = "has no effect with cpu_work `victims`; use `all`, or omit it";
            return Err(ConfigError::setting("cpu_command", reason));
        }
        self.cpu_sharing = Some(Word(cores.sharing));
        self.cpu_work = Some(Word(cores.work));
        self.cpu_command = Some(cores.command_cycles);
        Ok(cores)
    }

    /// Checks the processor where there is no SSD: one core, which selects victims.
    ///
    /// # Errors
    /// A setting that needs an SSD.
    pub(super) fn check_serial_processor(&self) -> Result<(), ConfigError> {
        let several = self.cpu.0.is_some_and(|cpu| cpu.cores > 1).then_some("cpu");
        let other = self.given_for_cores().filter(|setting| {
            *setting != "cpu_work" || self.cpu_work != Some(Word(CpuWork::Victims))
        });
        match several.or(other) {
            None => Ok(()),
            Some(setting) => Err(ConfigError::setting(
                setting,
                "needs an SSD: without `channels` one core selects victims, and all else takes no processor time; set \
                channels too, as in --channels 8",
            )),
        }
    }

    /// A setting of cores that is given besides `cpu`.
    fn given_for_cores(&self) -> Option<&'static str> {
        let cores = ["cpu_work", "cpu_sharing", "cpu_command"].into_iter();
        let mut given =
            cores.filter(|key| Setting::by_key(key).is_some_and(|of| of.text(self).is_some()));
        given.next()
    }
}

/// Text such as `2 shared cores of arm7, 87.5 MHz (…), all work`.
pub(super) fn cores_line(processor: &Processor, cores: &CoreSettings) -> String {
    let CoreSettings { count, sharing, work, command_cycles } = *cores;
    let of = match count {
        1 => "processor".to_string(),
        count => format!("{count} {} cores of", sharing.name()),
    };
    let mut line = format!("{of} {}", processor_line(processor));
    line.push_str(match work {
        CpuWork::All => ", for lookups, map updates, moved pages and victims",
        CpuWork::Victims => ", for victim selection alone",
    });
    if command_cycles > 0 {
        line.push_str(&format!(", {command_cycles} cycles per request"));
    }
    line
}
