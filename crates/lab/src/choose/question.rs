//! What a search is asked, and the combinations that it tries.

use super::arriving::Arriving;
use super::deadlines::Deadlines;
use crate::catalogue;
use crate::config::{
    ConfigError, DefaultShare, Duration, Experiment, PartTable, SchemeChoice, SchemeTable,
    TextOrTable, Timing, Word, check_labels,
};
use crate::fault::Fault;
use ::run::report::units;
use flash::parts;
use rayon::prelude::*;
use std::sync::Arc;
use workload::{AddressPolicy, WorkloadSpec, open_all};

/// What to choose from, and for what.
#[derive(Clone, Debug)]
pub struct Question {
    /// Workload, capacity, channels, precondition and clock; its part, schemes and deadline are replaced.
    pub experiment: Experiment,
    /// Deadlines to keep.
    pub deadlines: Deadlines,
    /// Parts to try.
    pub parts: Vec<PartTable>,
    /// Schemes to try, each with its settings.
    pub schemes: Vec<SchemeTable>,
    /// Logical shares to try besides each scheme's default; not for schemes with a share of their own.
    pub shares: Vec<f64>,
    /// Bytes that each combination exports at least, in place of the capacity: the array is as large as it must be for that.
    pub exported: Option<u64>,
}

/// What is known of the workload before the search.
#[derive(Clone, Debug)]
pub struct Checked {
    /// Its requests.
    pub requests: u64,
    /// What was taken for granted of a trace, such as units.
    pub notes: Vec<String>,
}

/// The parts of these names; without any, or with `all`, those of the catalogue.
pub fn named_parts(names: &[String]) -> Vec<PartTable> {
    let named: Vec<&str> = names.iter().map(|name| name.trim()).collect();
    match named[..] {
        [] | ["all"] => parts::CATALOGUE.iter().map(|part| PartTable::named(&part.name)).collect(),
        _ => named.into_iter().map(PartTable::named).collect(),
    }
}

/// The schemes of these texts, each with its settings; without any, all.
///
/// # Errors
/// An unknown scheme, or a setting that is none.
pub fn named_schemes(texts: &[String]) -> Result<Vec<SchemeTable>, ConfigError> {
    let texts: Vec<&str> = match texts {
        [] => catalogue::schemes_for_any_page().map(|preset| preset.name).collect(),
        texts => texts.iter().map(|text| text.trim()).collect(),
    };
    let read = |text: &str| {
        let table = text.parse::<SchemeChoice>()?.0;
        if table.find_preset()?.is_zoned() {
            let setting = format!("scheme `{text}`");
            return Err(ConfigError::setting(setting, catalogue::ONLY_IN_ZONES));
        }
        Ok(table)
    };
    texts.into_iter().map(read).collect()
}

/// A combination to try.
#[derive(Clone, Debug)]
pub(super) struct Candidate<'a> {
    pub(super) part: &'a PartTable,
    pub(super) scheme: &'a SchemeTable,
    pub(super) share: Option<f64>,
}

impl Candidate<'_> {
    /// The part's name in the catalogue even where some of its values were set, or the name of an own part.
    pub(super) fn name(&self) -> String {
        let text = |key: &str| self.part.0.get(key).and_then(|value| value.as_str());
        match text("name").or(text("base")) {
            Some(name) => name.to_owned(),
            None => {
                self.part.resolve().map_or_else(|_| String::new(), |part| part.name.into_owned())
            }
        }
    }
}

impl Question {
    /// Finds faults of the shares, the workload and the deadline before the search, with a scheme that works nearly
    /// everywhere. Returns what it found of the workload.
    ///
    /// # Errors
    /// The first fault, with what would be right.
    pub fn check(&self) -> Result<Checked, Fault> {
        if let Some(share) = self.shares.iter().find(|share| !(**share > 0.0 && **share < 1.0)) {
            return Err(Fault::with_help(
                format!("--shares: {share} is not a share"),
                "each is above 0 and below 1, as in `--shares 0.8,0.7`",
            ));
        }
        if self.exported == Some(0) {
            let help = "give the space that the host gets, such as 4GiB";
            return Err(Fault::with_help("--exported 0 asks for no space", help));
        }
        if !self.schemes.is_empty() {
            check_labels(&self.schemes)?;
        }
        let parts = self.parts.iter().enumerate();
        if let Some((_, twice)) =
            parts.into_iter().find(|(at, part)| self.parts[..*at].contains(part))
        {
            let name =
                twice.resolve().map_or_else(|_| String::new(), |part| part.name.into_owned());
            return Err(Fault::with_help(
                format!("--parts: `{name}` is named twice"),
                "each part is tried once: name it once",
            ));
        }
        // What is wrong with one part alone is told in its rows.
        let mut first = None;
        for part in &self.parts {
            match self.check_part(part) {
                Ok(checked) => return Ok(checked),
                Err(fault) => first = first.or(Some(fault)),
            }
        }
        Err(first.unwrap_or_else(|| {
            Fault::with_help("there is no part to try", "name one, or omit --parts for all")
        }))
    }

    fn check_part(&self, part: &PartTable) -> Result<Checked, Fault> {
        let scheme: SchemeChoice = "page-level".parse()?;
        let mut experiment =
            self.experiment_of(&Candidate { part, scheme: &scheme.0, share: None });
        experiment.deadline = Some(Duration::new(self.deadlines.shortest_ns()));
        if self.exported.is_some() {
            experiment.capacity = Some(experiment.clone().sketch(self.exported)?.capacity());
        }
        let resolved = experiment.resolve()?;
        resolved.check_memory()?;
        let facts = &resolved.facts;
        let notes = facts.trace.as_ref().map_or_else(Vec::new, |trace| trace.notes.clone());
        Ok(Checked { requests: facts.requests, notes })
    }

    /// What is asked: workload, capacity, precondition, parts and schemes to try.
    pub fn summary(&self) -> Vec<(&'static str, String)> {
        let experiment = &self.experiment;
        let parts = self.parts.iter().filter_map(|part| part.resolve().ok());
        let parts: Vec<String> = parts.map(|part| part.name.into_owned()).collect();
        let schemes: Vec<String> = self.schemes.iter().map(SchemeTable::label).collect();
        let mut lines = vec![("workload", experiment.workload.0.label())];
        lines.extend(experiment.capacity.map(|capacity| ("capacity", units::bytes(capacity.0))));
        lines.extend(self.exported.map(|bytes| ("exported at least", units::bytes(bytes))));
        lines.push(("deadline", self.deadlines.to_string()));
        lines.extend(experiment.channels.map(|channels| ("channels", channels.to_string())));
        lines.push(("precondition", experiment.precondition.0.to_string()));
        lines.push(("seed", experiment.seed.to_string()));
        lines.extend([("parts", parts.join(", ")), ("schemes", schemes.join(", "))]);
        lines
    }

    /// The experiment of one combination; its capacity is still that of all.
    pub(super) fn experiment_of(&self, candidate: &Candidate<'_>) -> Experiment {
        let mut scheme = candidate.scheme.clone();
        scheme.logical_share = candidate.share.or(scheme.logical_share);
        Experiment {
            part: Some(TextOrTable(candidate.part.clone())),
            schemes: vec![TextOrTable(scheme)],
            default_share: Word(DefaultShare::Own),
            deadline: None,
            ..self.experiment.clone()
        }
    }

    /// Why nothing is proved with queueing of a trace, whatever its arrival times.
    pub fn not_followed(&self) -> Option<&'static str> {
        let WorkloadSpec::Trace { paths, replay, addresses, .. } = &self.experiment.workload.0
        else {
            return None;
        };
        let why = [
            (replay.loops != 1, "a trace that is played more than once (--loops)"),
            (
                replay.time_scale != 1.0,
                "arrivals that are closer or further apart than in the trace",
            ),
            (paths.iter().any(|path| path.as_os_str() == "-"), "a trace from standard input"),
            (
                *addresses == AddressPolicy::Wrap,
                "requests that reach past the end of the space, which are two each (--addresses wrap)",
            ),
            (self.experiment.timing != Timing::Trace, "requests without their arrival times"),
        ];
        why.into_iter().find_map(|(is_so, what)| is_so.then_some(what))
    }

    /// The supply and the currents that are assumed of parts, whose energy is then no measured one.
    pub fn assumed_power(&self) -> Option<String> {
        let assumed = |part: &&PartTable| {
            part.resolve().is_ok_and(|resolved| part.power_is_assumed(&resolved))
        };
        let count = self.parts.iter().filter(assumed).count() as u64;
        (count > 0).then(|| {
            format!(
                "mJ/MiB: by a supply voltage and currents that are assumed for {} of {}",
                units::grouped(count),
                units::counted(self.parts.len() as u64, "part")
            )
        })
    }

    /// What arrives of a trace, for each size of page of the parts; none where no curve limits what a run has: without arrival
    /// times, and where they are not those of the trace.
    pub(super) fn of_trace(&self, stop: &(dyn Fn() -> bool + Sync)) -> Vec<Arc<Arriving>> {
        let experiment = &self.experiment;
        let WorkloadSpec::Trace { paths, options, .. } = &experiment.workload.0 else {
            return Vec::new();
        };
        if self.not_followed().is_some() {
            return Vec::new();
        }
        let mut sizes: Vec<u32> =
            self.parts.iter().filter_map(|part| Some(part.resolve().ok()?.page_bytes)).collect();
        sizes.sort_unstable();
        sizes.dedup();
        let open = || open_all(paths, options).ok();
        let of = |page_bytes| Arriving::gather(open, page_bytes, &self.deadlines, stop);
        sizes.into_par_iter().filter_map(of).map(Arc::new).collect()
    }

    /// What arrives of a built-in workload, which depends on the space that a combination exports: the requests of its run.
    pub(super) fn of_generator(
        &self,
        experiment: &Experiment,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Option<Arc<Arriving>> {
        let is_one = matches!(experiment.workload.0, WorkloadSpec::Builtin { .. });
        if !is_one || experiment.timing != Timing::Trace {
            return None;
        }
        let resolved = experiment.clone().resolve().ok()?;
        let facts = resolved.facts_of(resolved.schemes.first()?);
        let workload = &resolved.experiment.workload.0;
        let open = || workload.open(facts.space, resolved.experiment.seed, facts).ok();
        let page_bytes = resolved.geometry.page_bytes();
        if !facts.has_arrivals {
            return None;
        }
        Arriving::gather(open, page_bytes, &self.deadlines, stop).map(Arc::new)
    }

    /// Each part with each scheme at its default share and at those of the question.
    pub(super) fn candidates(&self) -> Vec<Candidate<'_>> {
        let mut all = Vec::new();
        for part in &self.parts {
            for scheme in &self.schemes {
                all.push(Candidate { part, scheme, share: None });
                let shares = self.shares.iter().filter(|_| scheme.logical_share.is_none());
                all.extend(shares.map(|&share| Candidate { part, scheme, share: Some(share) }));
            }
        }
        all
    }

    /// Combinations to try.
    pub fn len(&self) -> usize {
        self.candidates().len()
    }

    /// True if there is nothing to try.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty() || self.schemes.is_empty()
    }
}
