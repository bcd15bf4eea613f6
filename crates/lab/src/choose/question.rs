//! Choice of part, scheme and logical share for a deadline: every combination is planned and run, on all cores.

use crate::arrivals::TaskArrivals;
use crate::catalogue;
use crate::compare::run_one;
use crate::config::{
    Bytes, ConfigError, DefaultShare, Experiment, PartTable, Resolved, SchemeChoice, SchemeTable,
    TextOrTable, Timing, Word, note_on_map_ram,
};
use crate::curves::Curves;
use crate::division::Division;
use crate::fault::Fault;
use crate::memory;
use crate::sweep::Memory;
use ::run::report::{LargestRequest, SchemeReport, units};
use ::run::{Observer, Phase, RunError};
use bounds::task_set::PageCosts;
use flash::parts;
use ftl::Guarantee;
use rayon::prelude::*;
use serde::Serialize;
use std::sync::atomic::{AtomicU64, Ordering};
use workload::{WorkloadSpec, open_all};

/// Arrays of more than so many times what is to be exported are not tried.
const LARGEST: u32 = 16;

/// What to choose from, and for what.
#[derive(Clone, Debug)]
pub struct Question {
    /// Workload, deadline, capacity, precondition and clock; its part and schemes are replaced.
    pub experiment: Experiment,
    /// Parts to try.
    pub parts: Vec<PartTable>,
    /// Schemes to try, each with its settings.
    pub schemes: Vec<SchemeTable>,
    /// Logical shares to try besides each scheme's default; not for schemes with a share of their own.
    pub shares: Vec<f64>,
    /// Bytes that each combination exports at least, in place of the capacity: the array is as large as it must be for that.
    pub exported: Option<u64>,
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

/// How a deadline is kept, or that it is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// No request of any workload whose page tasks arrive as those of this trace can complete later, queueing included, and
    /// none of the run did.
    ProvedWithQueueing,
    /// No request of up to as many pages as the largest of this workload can take longer, in any order and without
    /// queueing; no request of the run was late.
    Proved,
    /// No request of the run was late; there is no bound, or a longer one.
    Measured,
    /// Requests of the run were late.
    Missed,
    /// The combination does not work, or the workload does not fit.
    Impossible,
}

/// One combination, with what is proved and what was measured.
#[derive(Clone, Debug, Serialize)]
pub struct Choice {
    /// The part's name.
    pub part: String,
    /// The scheme with its settings, without the share that was tried.
    pub scheme: String,
    /// The share that was tried; `null`: the scheme's default.
    pub share_tried: Option<f64>,
    /// The verdict.
    pub verdict: Verdict,
    /// Why it is impossible, or why requests were late: `queueing` (each would have been in time alone), `several pages`
    /// (that add up, none of which took that long) or `a page alone`.
    pub why: Option<String>,
    /// Devices of the part that make up the capacity.
    pub devices: u64,
    /// Logical pages / physical pages.
    pub logical_share: f64,
    /// Bytes exported.
    pub exported_bytes: u64,
    /// Proved worst case of a page write, without queueing, ns.
    pub page_write_ns: Option<u64>,
    /// Proved worst case of a page read, without queueing, ns.
    pub page_read_ns: Option<u64>,
    /// Pages of the largest request of the run.
    pub request_pages: u64,
    /// Proved worst case of requests as large as those of the run, without queueing: their pages times the worst case of
    /// one, ns.
    pub request_bound_ns: Option<u64>,
    /// Proved longest completion of a request of any workload whose page tasks arrive as those of this trace, queueing included,
    /// ns; `null` without arrival times or a bound.
    pub queued_ns: Option<u64>,
    /// True if a completed write may still be in RAM only.
    pub volatile: bool,
    /// The longest completion of a request in the run, queueing included, ns.
    pub longest_ns: Option<u64>,
    /// Time by which that is over the deadline, ns.
    pub over_ns: Option<u64>,
    /// Share of late requests.
    pub late_share: Option<f64>,
    /// RAM of a controller, bytes.
    pub ram_bytes: u64,
    /// Where the cache of a map on flash takes more RAM than the whole map would: so, and the share from which on down it takes
    /// less.
    pub map_ram: Option<String>,
    /// Write amplification.
    pub waf: Option<f64>,
    /// Energy of the flash per byte of page tasks, nJ.
    pub energy_nj_per_byte: Option<f64>,
    /// Host bytes written per P/E cycle of the whole array, with even wear; `null` without erases.
    pub bytes_per_cycle: Option<f64>,
    /// Host bytes until the rated P/E cycles are used up; `null` if the part's source does not give them.
    pub endurance_bytes: Option<f64>,
    /// The same in years at the rate of this run.
    pub years: Option<f64>,
}

/// A combination to try.
#[derive(Clone, Debug)]
struct Candidate<'a> {
    part: &'a PartTable,
    scheme: &'a SchemeTable,
    share: Option<f64>,
}

impl Candidate<'_> {
    /// The part's name in the catalogue even where some of its values were set, or the name of an own part.
    fn name(&self) -> String {
        match self.part.0.get("base").and_then(|base| base.as_str()) {
            Some(base) => base.to_owned(),
            None => {
                self.part.resolve().map_or_else(|_| String::new(), |part| part.name.into_owned())
            }
        }
    }
}

impl Question {
    /// Finds faults of the shares, the workload and the deadline before the search, with a scheme that works nearly
    /// everywhere.
    ///
    /// # Errors
    /// The first fault, with what would be right.
    pub fn check(&self) -> Result<(), Fault> {
        if let Some(share) = self.shares.iter().find(|share| !(**share > 0.0 && **share < 1.0)) {
            return Err(Fault::with_help(
                format!("--shares: {share} is not a share"),
                "each is above 0 and below 1, as in `--shares 0.8,0.7`",
            ));
        }
        let Some(part) = self.parts.first() else {
            return Err(Fault::with_help(
                "there is no part to try",
                "name one, or omit --parts for all",
            ));
        };
        let scheme: SchemeChoice = "page-level".parse()?;
        let experiment = Experiment {
            capacity: self.capacity(part, &scheme.0)?,
            schemes: vec![scheme],
            part: Some(TextOrTable(part.clone())),
            ..self.experiment.clone()
        };
        Ok(experiment.resolve()?.check_memory()?)
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
        lines.push(("precondition", experiment.precondition.0.to_string()));
        lines.push(("seed", experiment.seed.to_string()));
        lines.extend([("parts", parts.join(", ")), ("schemes", schemes.join(", "))]);
        lines
    }

    /// The capacity of a combination: that of the experiment, or the least with which the scheme exports what is asked for.
    fn capacity(
        &self,
        part: &PartTable,
        scheme: &SchemeTable,
    ) -> Result<Option<Bytes>, ConfigError> {
        let Some(exported) = self.exported else { return Ok(self.experiment.capacity) };
        let part = part.resolve()?;
        let block = u64::from(part.pages_per_block) * u64::from(part.page_bytes);
        let exports = |blocks: u32| {
            let row = Division::with_settings(scheme, &part, blocks)?;
            Ok::<_, ConfigError>((row.exported_bytes() >= exported, row))
        };
        let least = u32::try_from(exported.div_ceil(block)).unwrap_or(u32::MAX).max(1);
        let (mut below, mut enough) = (least - 1, least);
        loop {
            let (fits, row) = exports(enough)?;
            if fits {
                break;
            }
            if enough / LARGEST > least || enough > u32::MAX / 2 {
                let why = row.why_not().map_or_else(String::new, |why| format!(": {why}"));
                let reason = format!(
                    "no array of up to {LARGEST} times that exports {}{why}",
                    units::bytes(exported)
                );
                return Err(ConfigError::setting("exported", reason));
            }
            (below, enough) = (enough, enough + enough / 8 + 1);
        }
        while enough - below > 1 {
            let at = below + (enough - below) / 2;
            match exports(at)?.0 {
                true => enough = at,
                false => below = at,
            }
        }
        Ok(Some(Bytes::new(u64::from(enough) * block)))
    }

    /// Page tasks of the trace for each size of page of the parts; none where no curve limits what a run has: without arrival
    /// times, and where they are not those of the trace.
    fn arrivals(&self, observer: &dyn Observer) -> Vec<(u32, TaskArrivals)> {
        let experiment = &self.experiment;
        let WorkloadSpec::Trace { paths, options, replay, .. } = &experiment.workload.0 else {
            return Vec::new();
        };
        let is_once = replay.loops == 1 && replay.time_scale == 1.0;
        let is_file = paths.iter().all(|path| path.as_os_str() != "-");
        if !is_once || !is_file || experiment.timing != Timing::Trace {
            return Vec::new();
        }
        let mut sizes: Vec<u32> =
            self.parts.iter().filter_map(|part| Some(part.resolve().ok()?.page_bytes)).collect();
        sizes.sort_unstable();
        sizes.dedup();
        let of = |page_bytes: u32| {
            let reader = open_all(paths, options).ok()?;
            let curves = Curves::gather(reader, page_bytes, |_| !observer.stop()).ok()?;
            Some((page_bytes, TaskArrivals::of_trace(&curves)))
        };
        sizes.into_par_iter().filter_map(of).collect()
    }

    fn candidates(&self) -> Vec<Candidate<'_>> {
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

    /// Tries every combination, on all cores; a share that is the scheme's default is not repeated. The order is the same on any number of
    /// cores: proved with queueing, kept, missed, impossible; the first two by exported space (if that was asked for: by share), the
    /// missed ones by how late they were. The observer hears of finished
    /// combinations; if it stops the search, those that had not ended are left out.
    pub fn answer(&self, observer: &dyn Observer) -> Vec<Choice> {
        let candidates = self.candidates();
        let memory = Memory::new(memory::available_bytes());
        let arrivals = self.arrivals(observer);
        let (done, total) = (AtomicU64::new(0), candidates.len() as u64);
        let tried = candidates.par_iter().map(|candidate| {
            let choice = self.try_one(candidate, &arrivals, &memory, observer);
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            observer.progress("", Phase::Measure, done, Some(total));
            choice
        });
        let mut choices: Vec<Choice> = tried.collect::<Vec<_>>().into_iter().flatten().collect();
        // A share may be the scheme's default on this array.
        let key = |choice: &Choice| {
            let space = (choice.exported_bytes, choice.logical_share.to_bits());
            (choice.part.clone(), choice.scheme.clone(), space)
        };
        let own = |choice: &&Choice| choice.share_tried.is_none() && choice.exported_bytes > 0;
        let defaults: Vec<_> = choices.iter().filter(own).map(key).collect();
        choices.retain(|choice| choice.share_tried.is_none() || !defaults.contains(&key(choice)));
        // All export about the same if that is what was asked for.
        let space = |choice: &Choice| match self.exported {
            Some(_) => (choice.logical_share * 1e9) as u64,
            None => choice.exported_bytes,
        };
        let rank = |choice: &Choice| match choice.verdict {
            Verdict::ProvedWithQueueing => (0, u64::MAX - space(choice)),
            Verdict::Proved | Verdict::Measured => (1, u64::MAX - space(choice)),
            Verdict::Missed => (2, choice.over_ns.unwrap_or(0)),
            Verdict::Impossible => (3, 0),
        };
        choices.sort_by_key(|choice| (rank(choice), choice.verdict));
        choices
    }

    /// `None` if the observer stops it.
    fn try_one(
        &self,
        candidate: &Candidate<'_>,
        arrivals: &[(u32, TaskArrivals)],
        memory: &Memory,
        observer: &dyn Observer,
    ) -> Option<Choice> {
        if observer.stop() {
            return None;
        }
        let mut scheme = candidate.scheme.clone();
        let label = scheme.label();
        scheme.logical_share = candidate.share.or(scheme.logical_share);
        let part = candidate.name();
        let refused = |why: String| Choice {
            part: part.clone(),
            scheme: label.clone(),
            share_tried: candidate.share,
            ..Choice::impossible(why)
        };
        let resolve = || {
            let experiment = Experiment {
                capacity: self.capacity(candidate.part, &scheme)?,
                part: Some(TextOrTable(candidate.part.clone())),
                schemes: vec![TextOrTable(scheme.clone())],
                default_share: Word(DefaultShare::Own),
                ..self.experiment.clone()
            };
            experiment.resolve()
        };
        let resolved = match resolve() {
            Ok(resolved) => resolved,
            Err(error) => return Some(refused(error.to_string())),
        };
        let needed = resolved.needed_bytes(&resolved.schemes[0]);
        if let Some(reason) = memory.too_large(needed) {
            return Some(refused(reason));
        }
        // Runs that do not fit beside each other wait.
        let _held = memory.take(needed);
        let choice = match run_one(&resolved, 0, &Stops(observer)) {
            Ok(_) if observer.stop() => return None,
            Ok(report) => {
                let bytes = resolved.geometry.page_bytes();
                let arrivals = arrivals.iter().find(|(of, _)| *of == bytes);
                Choice::of(&resolved, &report, arrivals.map(|(_, arrivals)| arrivals))
            }
            Err(RunError::Stopped) => return None,
            Err(error) => return Some(refused(error.to_string())),
        };
        Some(Choice { part, scheme: label, share_tried: candidate.share, ..choice })
    }
}

/// Passes on the wish to stop, and no progress of single runs.
struct Stops<'a>(&'a dyn Observer);

impl Observer for Stops<'_> {
    fn progress(&self, _: &str, _: Phase, _: u64, _: Option<u64>) {}

    fn stop(&self) -> bool {
        self.0.stop()
    }
}

impl Choice {
    pub(super) fn impossible(why: String) -> Self {
        Self {
            part: String::new(),
            scheme: String::new(),
            share_tried: None,
            verdict: Verdict::Impossible,
            why: Some(why),
            devices: 0,
            logical_share: 0.0,
            exported_bytes: 0,
            page_write_ns: None,
            page_read_ns: None,
            request_pages: 0,
            request_bound_ns: None,
            queued_ns: None,
            volatile: false,
            longest_ns: None,
            over_ns: None,
            late_share: None,
            ram_bytes: 0,
            map_ram: None,
            waf: None,
            energy_nj_per_byte: None,
            bytes_per_cycle: None,
            endurance_bytes: None,
            years: None,
        }
    }

    /// What the plan proves and the run measured.
    fn of(resolved: &Resolved, report: &SchemeReport, arrivals: Option<&TaskArrivals>) -> Self {
        let (scheme, geometry) = (&resolved.schemes[0], &resolved.geometry);
        let page = f64::from(geometry.page_bytes());
        let costs = scheme.plan.page_costs().ok();
        let late = report.request_deadline.clone().unwrap_or_default();
        // A run takes its bound back where pages were lost, or too old.
        let costs = costs.filter(|_| report.bound_ns.is_some());
        let request_bound_ns =
            costs.and_then(|costs| request_bound(costs, &scheme.plan.guarantee, report));
        let is_in_time = |bound: Option<u64>| bound.is_some_and(|ns| ns <= late.deadline_ns);
        // No bound covers a processor's time, pages that are lost, and an SSD; and the trace limits what comes.
        let arrivals = arrivals.filter(|of| {
            resolved.ssd.is_none()
                && resolved.experiment.cpu.0.is_none()
                && resolved.experiment.bit_errors.0.are_off()
                && report.bound_ns.is_some()
                && report.write_tasks <= of.writes.most_within(u64::MAX - 1)
                && report.trim_tasks <= of.trims.most_within(u64::MAX - 1)
        });
        let queued = arrivals.and_then(|arrivals| arrivals.delay_of(&scheme.plan).ok());
        let queued_ns = queued.map(|queued| queued.delay_ns);
        let proved = is_in_time(request_bound_ns);
        let exceeded = queued_ns.is_some_and(|bound| late.longest_ns > bound);
        let why = if report.violations > 0 || exceeded {
            Some("A BOUND WAS EXCEEDED".to_owned())
        } else if late.kept {
            None
        } else if late.late_by_queueing_requests == late.late_requests {
            Some("queueing".to_owned())
        } else if report.response_ns.max <= late.deadline_ns {
            Some("several pages".to_owned())
        } else {
            Some("a page alone".to_owned())
        };
        let verdict = match (&why, proved) {
            (Some(_), _) => Verdict::Missed,
            (None, _) if is_in_time(queued_ns) => Verdict::ProvedWithQueueing,
            (None, true) => Verdict::Proved,
            (None, false) => Verdict::Measured,
        };
        let written = report.write_tasks as f64 * page;
        let moved = report.tasks as f64 * page;
        let blocks = f64::from(geometry.blocks());
        let per_cycle =
            (report.erases > 0 && written > 0.0).then(|| written * blocks / report.erases as f64);
        let endurance = resolved.part.endurance_cycles.map(f64::from);
        let endurance_bytes = per_cycle.zip(endurance).map(|(bytes, cycles)| bytes * cycles);
        const YEAR_S: f64 = 365.25 * 86_400.0;
        let per_second = written / (report.elapsed_ns.max(1) as f64 / 1e9);
        Self {
            verdict,
            why,
            devices: geometry.capacity_bytes().div_ceil(resolved.part.capacity_bytes.max(1)),
            logical_share: report.logical_share,
            exported_bytes: report.logical_pages * u64::from(geometry.page_bytes()),
            page_write_ns: costs.map(|costs| costs.write_ns),
            page_read_ns: costs.map(|costs| costs.read_ns),
            request_pages: report.largest_request.pages(),
            request_bound_ns,
            queued_ns,
            volatile: scheme.plan.guarantee.volatile,
            longest_ns: Some(late.longest_ns),
            over_ns: (!late.kept).then(|| late.longest_ns.saturating_sub(late.deadline_ns)),
            late_share: Some(late.late_share),
            ram_bytes: report.ram_bytes,
            map_ram: note_on_map_ram(&scheme.config, &scheme.part, geometry, &scheme.plan),
            waf: report.waf,
            energy_nj_per_byte: (moved > 0.0).then(|| report.energy_nj / moved),
            bytes_per_cycle: per_cycle,
            endurance_bytes,
            years: endurance_bytes.map(|bytes| bytes / per_second / YEAR_S),
            ..Self::impossible(String::new())
        }
    }
}

/// Worst case of requests as large as the largest of a run, as [`bounds::task_set`] adds up the pages of a job; `None` if
/// there is none.
fn request_bound(costs: PageCosts, guarantee: &Guarantee, report: &SchemeReport) -> Option<u64> {
    let LargestRequest { reads, writes, merges, trims } = report.largest_request;
    let pages = |count: u64, cost_ns: u64| count.saturating_mul(cost_ns);
    let merged = pages(merges, costs.read_ns);
    let read = pages(reads.max(1), costs.read_ns);
    let written = pages(writes.max(1), costs.write_ns).saturating_add(merged);
    let trimmed = match report.trim_tasks {
        0 => 0,
        // No bound is of trims alone.
        _ => pages(trims.max(1), guarantee.response_ns?).saturating_add(merged),
    };
    Some(read.max(written).max(trimmed))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::run::Unobserved;

    fn asked(deadline: &str, more: &str) -> Question {
        let text = format!(
            "capacity = '8MiB'\ndeadline = '{deadline}'\nprecondition = 'full+age=1'\n\
             workload = {{ name = 'uniform', requests = 20000, parameters = {{ {more} }} }}"
        );
        Question {
            experiment: Experiment::from_toml(&text, "test").unwrap(),
            parts: ["evaluation-slc", "toshiba-tlc"].map(PartTable::named).into(),
            schemes: ["page-level", "lazy-rtgc", "nftl+share=0.5"]
                .map(|text| text.parse::<crate::config::SchemeChoice>().unwrap().0)
                .into(),
            shares: vec![0.7, 0.95],
            exported: None,
        }
    }

    #[test]
    fn every_combination_has_one_verdict_and_the_kept_ones_come_first() {
        let asked = asked("3ms", "");
        let choices = asked.answer(&Unobserved);
        // Two parts; two schemes at three shares each, and one with a share of its own.
        assert_eq!((asked.len(), choices.len()), (14, 14));
        let of = |scheme: &str, share: Option<f64>| {
            let fits = |c: &&Choice| {
                c.part == "evaluation-slc" && c.scheme == scheme && c.share_tried == share
            };
            choices.iter().find(fits).unwrap()
        };
        let lazy = of("lazy-rtgc", None);
        assert_eq!((lazy.verdict, lazy.page_write_ns), (Verdict::Proved, Some(2_220_900)));
        assert_eq!(of("lazy-rtgc", Some(0.95)).verdict, Verdict::Impossible);
        assert!(of("lazy-rtgc", Some(0.95)).why.as_ref().unwrap().contains("share"));
        let page = of("page-level", Some(0.7));
        assert_eq!(page.verdict, Verdict::Missed);
        assert_eq!(page.over_ns, page.longest_ns.map(|ns| ns - 3_000_000));
        // No part of it writes a page of TLC in time beside an erase.
        assert!(
            choices.iter().all(|c| c.part == "evaluation-slc" || c.verdict > Verdict::Measured)
        );
        let kept = choices.iter().take_while(|c| c.verdict <= Verdict::Measured);
        let exported: Vec<u64> = kept.map(|c| c.exported_bytes).collect();
        assert!(!exported.is_empty() && exported.is_sorted_by(|a, b| a >= b), "{exported:?}");
        assert!(choices.iter().skip(exported.len()).all(|c| c.verdict > Verdict::Measured));
        let again = serde_json::to_string(&asked.answer(&Unobserved)).unwrap();
        assert_eq!(serde_json::to_string(&choices).unwrap(), again);
    }

    /// Each array is as large as its scheme and share need, and a block less would be too small.
    #[test]
    fn what_is_to_be_exported_sets_the_capacity() {
        let exported = 6 << 20;
        let mut asked = asked("30ms", "");
        asked.parts.truncate(1);
        asked.schemes.extend(named_schemes(&["rftl".into(), "gftl".into()]).unwrap());
        asked.experiment.capacity = None;
        asked.exported = Some(exported);
        asked.check().unwrap();
        let block = 64 * 2048;
        for choice in asked.answer(&Unobserved) {
            if choice.verdict == Verdict::Impossible {
                // More than its own share.
                assert!(
                    choice.share_tried.is_some() && choice.scheme != "page-level",
                    "{choice:?}"
                );
                assert!(choice.why.as_ref().unwrap().contains("no array"), "{choice:?}");
                continue;
            }
            assert!(choice.exported_bytes >= exported, "{choice:?}");
            let mut scheme =
                asked.schemes.iter().find(|of| of.label() == choice.scheme).unwrap().clone();
            scheme.logical_share = choice.share_tried.or(scheme.logical_share);
            let capacity = asked.capacity(&asked.parts[0], &scheme).unwrap().unwrap().0;
            let part = asked.parts[0].resolve().unwrap();
            let fewer = (capacity / block - 1) as u32;
            let row = Division::with_settings(&scheme, &part, fewer).unwrap();
            assert!(row.exported_bytes() < exported, "{choice:?}");
        }
        asked.exported = Some(u64::MAX);
        assert!(asked.check().is_err());
    }

    /// A request of two pages may take two collection steps, and a page written in part is read first.
    #[test]
    fn the_proof_is_of_the_largest_request() {
        for (size, deadline, verdict, pages, bound_ns) in [
            ("size = '2KiB'", "3ms", Verdict::Proved, 1, 2_220_900),
            ("size = '4KiB'", "3ms", Verdict::Missed, 2, 2 * 2_220_900),
            // One nanosecond less than the proof needs; no request of this run is as long as that.
            ("size = '4KiB'", "4441799ns", Verdict::Measured, 2, 2 * 2_220_900),
            ("size = '4KiB'", "5ms", Verdict::Proved, 2, 2 * 2_220_900),
        ] {
            let mut asked = asked(deadline, size);
            asked.parts.truncate(1);
            asked.schemes.retain(|scheme| scheme.name == "lazy-rtgc");
            asked.shares.clear();
            let choices = asked.answer(&Unobserved);
            let [choice] = &choices[..] else { panic!("{choices:?}") };
            assert_eq!(choice.verdict, verdict, "{choice:?}");
            let found = (choice.request_pages, choice.request_bound_ns);
            assert_eq!(found, (pages, Some(bound_ns)), "{choice:?}");
        }
    }

    #[test]
    fn pages_written_in_part_and_trims_count() {
        let costs = PageCosts { read_ns: 10, write_ns: 100 };
        let guarantee = Guarantee { response_ns: Some(300), ..Guarantee::default() };
        let bound = |largest_request, trim_tasks| {
            let report = SchemeReport { largest_request, trim_tasks, ..SchemeReport::default() };
            request_bound(costs, &guarantee, &report)
        };
        let largest = LargestRequest { reads: 50, writes: 3, merges: 2, trims: 0 };
        assert_eq!(bound(largest, 0), Some(500));
        assert_eq!(bound(LargestRequest { reads: 4, ..largest }, 0), Some(320));
        assert_eq!(bound(LargestRequest { trims: 4, ..largest }, 9), Some(1220));
        assert_eq!(bound(LargestRequest::default(), 1), Some(300));
        assert_eq!(bound(LargestRequest::default(), 0), Some(100));
    }

    #[test]
    fn a_longer_bound_is_measured_and_lifetime_follows_the_rated_cycles() {
        let mut asked = asked("1s", "");
        asked.parts = vec![PartTable::named("evaluation-slc")];
        asked.parts[0].set("endurance_cycles", "1000").unwrap();
        asked.experiment.deadline = Some(crate::config::Duration::new(10_000_000));
        asked.schemes.retain(|scheme| scheme.name == "page-level");
        asked.shares = vec![0.5];
        let choices = asked.answer(&Unobserved);
        let roomy = choices.iter().find(|c| c.share_tried == Some(0.5)).unwrap();
        assert_eq!(roomy.verdict, Verdict::Measured, "{roomy:?}");
        assert!(roomy.page_write_ns > Some(10_000_000), "{roomy:?}");
        let per_cycle = roomy.bytes_per_cycle.unwrap();
        // A cycle of the whole array takes its raw bytes over the write amplification.
        let expected = f64::from(8 << 20) / roomy.waf.unwrap();
        assert!((per_cycle / expected - 1.0).abs() < 0.05, "{per_cycle} {expected}");
        assert_eq!(roomy.endurance_bytes, Some(per_cycle * 1000.0));
        assert!(roomy.years > Some(0.0));
    }
}
