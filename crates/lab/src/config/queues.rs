//! Submission queues of an SSD's host: jobs, depth per queue, arbitration.

use super::error::ConfigError;
use super::experiment::Experiment;
use super::interface_notation::MOST_DEPTH;
use super::notation::{Notation, Word};
use ::run::ssd::{
    Arbitration, HostInterface, HostQueues, JobQueues, MOST_QUEUES, Mechanism, NO_LIMIT,
};
use serde_json::json;
use std::fmt;
use workload::{QueueClass, WorkloadSpec};

/// Most requests in all queues together.
const MOST_OUTSTANDING: u32 = 1 << 20;
/// Largest weight of a class, and largest burst with a limit (NVM Express Base Specification 2.0, Arbitration feature).
const MOST_WEIGHT: u16 = 256;
const MOST_BURST: u32 = 64;

impl Experiment {
    /// The submission queues, whose defaults are also filled in here; `None` if there is one queue of one workload, and the
    /// controller takes all that is in it.
    ///
    /// # Errors
    /// A number outside its range, or a setting without effect.
    pub(super) fn take_queues(
        &mut self,
        depth: u32,
        interface: Option<&HostInterface>,
    ) -> Result<Option<HostQueues>, ConfigError> {
        let fault = |setting: &str, reason: String| Err(ConfigError::setting(setting, reason));
        let queues = self.queues.unwrap_or(1);
        let slots = self.command_slots;
        let given = self.arbitration;
        let arbitration = given.unwrap_or_default().0;
        let name = self.workload.0.label();
        let mut exit = false;
        let jobs = match &mut self.workload.0 {
            WorkloadSpec::Jobs { jobs, exitall, .. } => {
                exit = *exitall;
                let mut found = Vec::new();
                for job in jobs {
                    let of_job = |key: &str| format!("job `{}`: {key}", job.name);
                    let most = interface.map_or(MOST_DEPTH, |interface| interface.most_depth);
                    let depth = job.queue_depth.unwrap_or(depth);
                    if !(1..=most).contains(&depth) {
                        let reason = format!("must be 1 to {most} per queue, not {depth}");
                        return fault(&of_job("queue_depth"), reason);
                    }
                    let queues = job.queues.unwrap_or(queues);
                    if !(1..=MOST_QUEUES).contains(&queues) {
                        let reason = format!("must be 1 to {MOST_QUEUES}, not {queues}");
                        return fault(&of_job("queues"), reason);
                    }
                    if job.class.is_some() && arbitration.mechanism == Mechanism::RoundRobin {
                        let reason = "round robin serves all queues alike; add weighted arbitration, as in \
                                      --arbitration weighted:8:4:1, or omit it";
                        return fault(&of_job("class"), reason.into());
                    }
                    (job.queue_depth, job.queues) = (Some(depth), Some(queues));
                    let (name, class) = (job.name.clone(), job.class.unwrap_or_default());
                    found.push(JobQueues { name, class, queues, depth });
                }
                found
            }
            _ => vec![JobQueues { name, class: QueueClass::default(), queues, depth }],
        };
        let count = jobs.iter().map(|job| job.queues).fold(0, u32::saturating_add);
        let places = jobs.iter().map(|job| job.queues.saturating_mul(job.depth));
        let places = places.fold(0, u32::saturating_add);
        if count > MOST_QUEUES {
            return fault("queues", format!("the jobs have {count} in all, at most {MOST_QUEUES}"));
        }
        if places > MOST_OUTSTANDING {
            let reason = format!("all queues hold {places} requests, at most {MOST_OUTSTANDING}");
            return fault("queue_depth", reason);
        }
        if let Some(interface) = interface.filter(|of| *of == &HostInterface::SATA2 && count > 1) {
            let reason = format!(
                "`{}` has one queue, and there are {count}: each job has its own; use an NVMe interface, or `none`",
                interface.name
            );
            return fault("interface", reason);
        }
        if given.is_some() && count == 1 {
            let reason = "has no effect on one queue; set more, as in --queues 4, or omit it";
            return fault("arbitration", reason.into());
        }
        let classes = || jobs.iter().map(|job| job.class);
        let one_class = classes().all(|class| class == jobs[0].class);
        if arbitration.mechanism != Mechanism::RoundRobin && one_class {
            let reason = "weights have no effect on queues of one class; give jobs other classes, as in class=high";
            return fault("arbitration", reason.into());
        }
        let of_jobs = self.workload.0.jobs().is_some();
        if !of_jobs && count == 1 && slots.is_none() {
            return Ok(None);
        }
        if count > 1 {
            self.arbitration = Some(Word(arbitration));
        }
        Ok(Some(HostQueues { arbitration, command_slots: slots, exitall: exit, jobs }))
    }
}

/// The queues on one line.
pub(super) fn queues_line(host: &HostQueues) -> String {
    let queues = |job: &JobQueues| {
        let plural = if job.queues == 1 { "" } else { "s" };
        let class = match host.arbitration.mechanism {
            Mechanism::RoundRobin => String::new(),
            Mechanism::Weighted { .. } => format!(" {}", job.class.name()),
        };
        format!("{} {}{class} queue{plural} of {}", job.name, job.queues, job.depth)
    };
    let jobs: Vec<String> = host.jobs.iter().map(queues).collect();
    let slots = match host.command_slots {
        None => "no limit of fetched commands".into(),
        Some(slots) => format!("at most {slots} fetched"),
    };
    format!("{}; arbitration {}, {slots}", jobs.join(", "), Word(host.arbitration))
}

/// Echo in a report.
pub(super) fn queues_json(host: &HostQueues) -> serde_json::Value {
    let job = |job: &JobQueues| {
        json!({
            "name": job.name,
            "class": job.class.name(),
            "queues": job.queues,
            "queue_depth": job.depth,
        })
    };
    json!({
        "arbitration": Word(host.arbitration).to_string(),
        "command_slots": host.command_slots,
        "exitall": host.exitall,
        "jobs": host.jobs.iter().map(job).collect::<Vec<_>>(),
    })
}

/// `round-robin`, or `weighted:HIGH:MEDIUM:LOW`, each with `+burst=N`.
impl Notation for Arbitration {
    fn read(word: &str) -> Result<Self, String> {
        let fault = |reason: &str| {
            format!(
                "`{word}`: {reason}; arbitration is `round-robin` or `weighted:HIGH:MEDIUM:LOW`, such as `weighted:8:4:1` \
                 (commands per round, 1 to {MOST_WEIGHT}), each with `+burst=N` (commands of a queue at a time: 1, 2, 4, … \
                 {MOST_BURST}, or `none` for no limit)"
            )
        };
        let (word, burst) = word.split_once('+').unwrap_or((word, "burst=1"));
        let burst = burst.trim().strip_prefix("burst=").map(str::trim);
        let burst = match burst.ok_or_else(|| fault("the only setting is `burst`"))? {
            "none" => NO_LIMIT,
            number => number
                .parse()
                .ok()
                .filter(|burst: &u32| burst.is_power_of_two() && *burst <= MOST_BURST)
                .ok_or_else(|| fault("the burst must be a power of two"))?,
        };
        let mechanism = match word.trim().split_once(':') {
            None if word.trim() == "round-robin" => Mechanism::RoundRobin,
            Some(("weighted", weights)) => {
                let weights = weights.split(':').map(|weight| weight.trim().parse().ok());
                let weights: Option<Vec<u16>> = weights.collect();
                let is_one = |weight: &u16| (1..=MOST_WEIGHT).contains(weight);
                match weights.as_deref() {
                    Some([high, medium, low]) if [high, medium, low].into_iter().all(is_one) => {
                        Mechanism::Weighted { high: *high, medium: *medium, low: *low }
                    }
                    _ => return Err(fault("there must be three weights")),
                }
            }
            _ => return Err(fault("no arbitration has this name")),
        };
        Ok(Self { mechanism, burst })
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.mechanism {
            Mechanism::RoundRobin => f.write_str("round-robin")?,
            Mechanism::Weighted { high, medium, low } => {
                write!(f, "weighted:{high}:{medium}:{low}")?;
            }
        }
        match self.burst {
            1 => Ok(()),
            NO_LIMIT => f.write_str("+burst=none"),
            burst => write!(f, "+burst={burst}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arbitration_is_read_and_written() {
        for text in
            ["round-robin", "weighted:8:4:1", "weighted:256:1:1+burst=64", "round-robin+burst=none"]
        {
            assert_eq!(text.parse::<Word<Arbitration>>().unwrap().to_string(), text);
        }
        for (text, said) in [
            ("fair", "no arbitration has this name"),
            ("weighted:8:4", "three weights"),
            ("weighted:0:4:1", "three weights"),
            ("weighted:8:4:257", "three weights"),
            ("round-robin+burst=3", "power of two"),
            ("round-robin+burst=128", "power of two"),
            ("round-robin+slots=3", "the only setting is `burst`"),
        ] {
            let error = text.parse::<Word<Arbitration>>().unwrap_err();
            assert!(error.contains(said) && error.contains("`weighted:8:4:1`"), "{text}: {error}");
        }
    }

    #[test]
    fn queues_are_checked_and_their_echo_gives_the_same() {
        let resolve = |text: &str| {
            let text =
                format!("part = 'ddt-mlc'\ncapacity = '256MiB'\nschemes = ['page-level']\n{text}");
            let experiment = Experiment::from_toml(&text, "test").map_err(|e| e.to_string())?;
            experiment.resolve().map_err(|error| error.to_string())
        };
        let jobs = |keys: &str, first: &str, second: &str| {
            format!(
                "{keys}\n[workload]\nrequests = 100\n[[workload.jobs]]\nname = 'a'\n{first}\nworkload = {{ name = 'uniform' \
                 }}\n[[workload.jobs]]\nname = 'b'\n{second}\nworkload = {{ name = 'zipf', requests = 7 }}\n"
            )
        };
        let text = jobs(
            "channels = 2\narbitration = 'weighted:4:2:1'\ncommand_slots = 16\nqueue_depth = 8",
            "class = 'high'\niodepth = 4\nsize = '25%'",
            "queues = 2",
        );
        let found = resolve(&text).unwrap();
        let ssd = found.ssd.as_ref().unwrap();
        let host = ssd.host.as_ref().unwrap();
        let of = |at: usize| (host.jobs[at].queues, host.jobs[at].depth, host.jobs[at].class);
        assert_eq!((of(0), of(1)), ((1, 4, QueueClass::High), (2, 8, QueueClass::Medium)));
        assert_eq!((ssd.queue_depth, found.facts.requests), (16, 107));
        let echo = found.experiment.to_toml().unwrap();
        let again = resolve_echo(&echo);
        assert_eq!(again.experiment, found.experiment, "{echo}");
        assert_eq!(again.ssd, found.ssd);
        for (text, said) in [
            (jobs("", "", ""), "jobs run on an SSD"),
            (jobs("channels = 2\ninterface = 'sata2'", "", ""), "`sata2` has one queue"),
            (jobs("channels = 2", "class = 'high'", ""), "job `a`: class: round robin serves"),
            (jobs("channels = 2\narbitration = 'weighted:1:1:1'", "", ""), "queues of one class"),
            (jobs("channels = 2", "queues = 129", ""), "job `a`: queues: must be 1 to 128"),
            (jobs("channels = 2", "queues = 100", "queues = 29"), "129 in all"),
            (jobs("channels = 2", "queue_depth = 0", ""), "job `a`: queue_depth: must be 1"),
            (
                jobs("channels = 2", "size = '60%'", "offset = '50%'\nsize = '1%'"),
                "`a` and `b` overlap",
            ),
            (jobs("channels = 2", "size = '60%'", "size = '41%'"), "ends beyond the space"),
            ("channels = 2\narbitration = 'round-robin'".into(), "no effect on one queue"),
            ("channels = 2\ncommand_slots = 0".into(), "command_slots: must be 1 to 65536"),
            ("channels = 2\nqueues = 0".into(), "queues: must be 1 to 128"),
            ("channels = 2\nqueues = 128\nqueue_depth = 65536".into(), "hold 8388608 requests"),
            ("queues = 2".into(), "queues: needs an SSD"),
            ("command_slots = 2".into(), "command_slots: needs an SSD"),
        ] {
            let error = resolve(&text).err().unwrap_or_else(|| panic!("{text} resolves"));
            assert!(error.contains(said), "{text}: {error}");
        }
    }

    fn resolve_echo(text: &str) -> super::super::resolve::Resolved {
        Experiment::from_toml(text, "echo").unwrap().resolve().unwrap()
    }
}
