//! Conversion of a run's account into its report.

use super::account::{Account, Flushes};
use super::arrivals::ArrivalLog;
use super::deadlines::Deadlines;
use super::medium::{self, Medium, erases};
use super::setup::Setup;
use crate::measures::wear;
use crate::report::units;
use crate::report::units::grouped;
use crate::report::{
    BitErrorReport, BufferReport, CauseCounts, CollectionReport, HostLogReport, MapCacheReport,
    MergeReport, RamReport, RefusedReport, SchemeReport, SlcCacheReport, StreamsReport,
    VictimWorkReport, Violation, ZonesReport, waf_by_cause,
};
use ::workload::HostLog;
use ::workload::quantity::Duration;
use flash::{Cause, Counts, Geometry, Operation};
use ftl::{
    AnyScheme, CollectionLog, Guarantee, MapCache, MergeKind, Refusal, SlcCacheState, SlcSize,
    StreamLog, Telemetry, ZoneState, ZonesState,
};

impl Account {
    /// The report up to `now_ns`; `busy_ns`: busy time of the array, if the array does not count it itself.
    pub(crate) fn report(
        self,
        scheme: &AnyScheme,
        setup: &Setup,
        label: &str,
        now_ns: u64,
        busy_ns: Option<u64>,
    ) -> SchemeReport {
        let telemetry = scheme.telemetry();
        let Telemetry { guarantee, collections: log, mut ram, .. } = telemetry;
        let counts = medium::counts(scheme.flash()).since(&self.before.counts);
        let busy_ns = busy_ns
            .unwrap_or_else(|| medium::busy_ns(scheme.flash()).unwrap_or(0) - self.before.busy_ns);
        let erases: Vec<u32> = erases(scheme.flash())
            .iter()
            .zip(&self.before.erases)
            .map(|(after, before)| after - before)
            .collect();
        let worn = wear(&erases);
        ram.other += medium::wear_ram_bytes(scheme.flash());
        let medium = Medium::of(scheme.flash()).since(&self.before.medium);
        let repeated = medium.repeated_reads(&setup.part);
        let repeated_pj =
            u128::from(repeated) * u128::from(setup.operation_pj[Operation::Read as usize]);
        let energy_nj = (energy_pj(&counts, &setup.operation_pj) + repeated_pj) as f64 / 1000.0;
        let tasks = self.measures.tasks();
        let beyond = victims_beyond(log, &guarantee);
        let lost = [log.lost_pages, self.before.lost];
        let bit_errors = medium.bit_errors(setup, self.uncorrectable_reads, lost);

        let mut report = SchemeReport {
            name: label.into(),
            requests_taken: self.taken,
            requests_refused: self.refused,
            partial_pages: self.partial_pages,
            largest_request: self.largest,
            bound_ns: guarantee.response_ns,
            real_time: guarantee.real_time,
            violations: self.promise.violations + beyond,
            first_violation: self
                .promise
                .first
                .clone()
                .map(|first| Violation { replay: setup.replay.clone(), ..first }),
            copies: counts.total(Operation::Copy),
            copies_by_path: medium.copies(&setup.part),
            erases: counts.total(Operation::Erase),
            counts: CauseCounts::of(&counts),
            logical_share: f64::from(scheme.logical_pages()) / f64::from(setup.geometry.pages()),
            logical_pages: scheme.logical_pages().into(),
            pages_per_block: setup.geometry.pages_per_block(),
            ram_bytes: ram.total(),
            ram: RamReport {
                map: ram.map,
                blocks: ram.blocks,
                victims: ram.victims,
                buffer: ram.buffer,
                other: ram.other,
            },
            map_cache: telemetry.map_cache.map(map_cache),
            victim_work: telemetry
                .victim_work
                .map(|work| VictimWorkReport::new(&work, log.started)),
            buffer: buffer(&telemetry, self.flushes, &counts),
            slc_cache: telemetry
                .slc_cache
                .as_ref()
                .map(|state| slc_cache(state, scheme.logical_pages(), &setup.geometry)),
            streams: telemetry.streams.map(StreamsReport::from),
            refusals: refusals(&self.refusals),
            zones: telemetry.zones.as_ref().map(zones),
            host_log: self
                .host_log
                .map(|log| host_log(log, setup.geometry.page_bytes(), &counts, self.refused == 0)),
            energy_nj,
            energy_nj_per_task: if tasks == 0 { 0.0 } else { energy_nj / tasks as f64 },
            wear_index: worn.index,
            erases_per_block: (worn.least, worn.mean, worn.most),
            elapsed_ns: now_ns,
            busy_ns,
            busy_share: share(busy_ns, now_ns),
            tasks_per_second: share(tasks, now_ns) * 1e9,
            collection: collection(log, &guarantee, self.first_collection, scheme.free_pages()),
            warnings: warnings(
                (log, telemetry.zones.is_some() || self.refused > self.taken / 2),
                &counts,
                beyond,
                self.interrupted,
            )
            .into_iter()
            .chain(bit_errors.as_ref().and_then(unreadable))
            .chain(bit_errors.as_ref().and_then(too_old))
            .chain(telemetry.streams.and_then(unnamed))
            .chain(telemetry.streams.and_then(displaced))
            .chain(refused_most(&self))
            .collect(),
            bit_errors,
            refresh: medium.refresh(&counts),
            ..SchemeReport::default()
        };
        let lost = |errors: &BitErrorReport| {
            let older = errors.retry.as_ref().map_or(0, |retry| retry.reads_beyond_bound);
            errors.lost_pages + errors.lost_pages_before + older > 0
        };
        if report.bit_errors.as_ref().is_some_and(lost) {
            // Bounds assume readable pages: the recovery from an unreadable one takes longer. They also assume pages no
            // older than stated.
            (report.bound_ns, report.real_time) = (None, false);
            (report.violations, report.first_violation) = (0, None);
        }
        report.series.erases = erases;
        report.series.page_bytes = setup.geometry.page_bytes();
        report.series.victim_valid.clone_from(&log.victim_valid);
        report.batch_means = self.batch_means();
        report.deadlines = self.deadlines.map(Deadlines::report);
        let is_timed = self.measures.is_timed();
        self.measures.finish(&mut report);
        report.bounded_response_ns = report
            .bound_ns
            .map(|_| self.promise.longest)
            .filter(|longest| *longest != report.response_ns.max);
        report.warnings.extend(unmapped(self.unmapped_reads, report.trim_tasks));
        // In zones a trim is a reset, which erases.
        if report.zones.is_none() {
            report.warnings.extend(many_trims(&report));
        }
        (report.collection.idle_steps, report.collection.idle_time) = (self.idle.steps, self.idle);
        report.request_deadline = self.late.report(&report);
        (report.limits, report.decided) = (self.late.limits(), self.decided);
        amplification(&mut report, &counts, self.written);
        report.steady = self.rounds.report(self.written, setup.geometry.pages());
        let collected = report.collection.victims > 0;
        let settled = report.steady.warning(collected);
        let overload = is_timed.then(|| overload(&report, &self.arrivals)).flatten();
        let stray = self.arrivals.warning(BACKLOG.1 * report.request_response_ns.mean);
        let stray = stray.filter(|_| is_timed);
        report.warnings.extend(settled.into_iter().chain(overload).chain(stray));
        report
    }
}

fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

fn map_cache(MapCache { hits, misses }: MapCache) -> MapCacheReport {
    let lookups = hits + misses;
    let hit_share = (lookups > 0).then(|| share(hits, lookups));
    MapCacheReport { hits, misses, hit_share }
}

fn slc_cache(state: &SlcCacheState, logical: u32, geometry: &Geometry) -> SlcCacheReport {
    let SlcCacheState { plan, log, blocks, .. } = state;
    let all = log.written + log.direct;
    SlcCacheReport {
        blocks: plan.blocks,
        set_aside: plan.size != SlcSize::Dynamic,
        capacity_pages: plan.fillable_pages(log.in_use, logical.into(), geometry.pages_per_block()),
        full: plan.full.to_string(),
        written: log.written,
        direct: log.direct,
        written_share: (all > 0).then(|| share(log.written, all)),
        folded_blocks: log.folded,
        folded_idle_blocks: log.folded_idle,
        moved: log.moved,
        most_blocks: log.most_blocks,
        blocks_at_end: *blocks,
    }
}

fn refusals(counts: &[u64; Refusal::ALL.len()]) -> Vec<RefusedReport> {
    let each = Refusal::ALL.iter().zip(counts).filter(|(_, requests)| **requests > 0);
    each.map(|(refusal, requests)| RefusedReport {
        reason: refusal.name().into(),
        requests: *requests,
    })
    .collect()
}

fn zones(state: &ZonesState) -> ZonesReport {
    let ZonesState { shape, limits, blocks, log, states } = state;
    let in_state = |state: ZoneState| states[state as usize];
    ZonesReport {
        zones: shape.zones,
        pages: shape.pages,
        blocks: *blocks,
        max_open: limits.open,
        max_active: limits.active,
        written: log.written,
        appended: log.appended,
        resets: log.resets,
        finishes: log.finishes,
        implicit_opens: log.implicit_opens,
        explicit_opens: log.explicit_opens,
        implicit_closes: log.implicit_closes,
        finished_by_controller: log.finished_by_controller,
        unwritten: log.unwritten,
        most_open: log.most_open,
        most_active: log.most_active,
        empty: in_state(ZoneState::Empty),
        implicitly_opened: in_state(ZoneState::ImplicitlyOpened),
        explicitly_opened: in_state(ZoneState::ExplicitlyOpened),
        closed: in_state(ZoneState::Closed),
        full: in_state(ZoneState::Full),
        read_only: in_state(ZoneState::ReadOnly),
        offline: in_state(ZoneState::Offline),
    }
}

/// `counts` are those of the measured part, as the log is. The host counts what it asks for: without `all` of it done,
/// there is no WAF.
fn host_log(log: HostLog, page_bytes: u32, counts: &Counts, all: bool) -> HostLogReport {
    let pages = |bytes: u64| bytes / u64::from(page_bytes);
    let (application, moved) = (pages(log.application_bytes), pages(log.moved_bytes));
    let programmed = Cause::ALL.iter().map(|cause| counts.pages_programmed(*cause)).sum();
    let waf = |written| (all && application > 0).then(|| share(written, application));
    HostLogReport {
        application_pages: application,
        moved_pages: moved,
        collected_zones: log.collected_zones,
        host_waf: waf(application + moved),
        total_waf: waf(programmed),
    }
}

fn buffer(telemetry: &Telemetry<'_>, flushes: Flushes, counts: &Counts) -> Option<BufferReport> {
    let (plan, log) = telemetry.buffer?;
    let copies = counts.total(Operation::Copy);
    let of = |hits, misses| (hits + misses > 0).then(|| share(hits, hits + misses));
    let moves_told = telemetry.tells_moves.then_some(log.moved_in_vain);
    Some(BufferReport {
        policy: plan.policy.name.into(),
        capacity_pages: plan.pages,
        unit_pages: plan.unit_pages,
        age_ns: (plan.age_ns < u64::MAX).then_some(plan.age_ns),
        aware: plan.aware,
        write_hits: log.write_hits,
        write_misses: log.write_misses,
        write_hit_share: of(log.write_hits, log.write_misses),
        read_hits: log.read_hits,
        read_misses: log.read_misses,
        read_hit_share: of(log.read_hits, log.read_misses),
        evictions: log.evictions,
        evicted: log.evicted,
        dropped: log.dropped,
        aged: log.aged,
        flushed: flushes.pages,
        at_end: log.flushed - flushes.pages,
        through: log.through,
        padded: log.padded,
        collected: log.collected,
        moved_in_vain: moves_told,
        moved_in_vain_share: moves_told.filter(|_| copies > 0).map(|moved| share(moved, copies)),
        longest_flush_ns: flushes.host_ns,
        longest_age_flush_ns: flushes.age_ns,
        initial_region: log.regions[0],
        updated_region: log.regions[1],
    })
}

/// Pages programmed per host page, in total and by cause.
fn amplification(report: &mut SchemeReport, counts: &Counts, host: u64) {
    if host == 0 {
        return;
    }
    let padded = report.buffer.as_ref().map_or(0, |buffer| buffer.padded);
    report.waf_by_cause = waf_by_cause(counts, padded, host);
    let all: u64 = Cause::ALL.iter().map(|cause| counts.pages_programmed(*cause)).sum();
    report.waf = Some(share(all, host));
}

fn energy_pj(counts: &Counts, each: &[u64; Operation::ALL.len()]) -> u128 {
    Operation::ALL
        .iter()
        .map(|op| u128::from(counts.total(*op)) * u128::from(each[*op as usize]))
        .sum()
}

/// Victims with more valid pages than the bound.
fn victims_beyond(log: &CollectionLog, guarantee: &Guarantee) -> u64 {
    guarantee.victim_valid.map_or(0, |most| log.victim_valid.iter().skip(most as usize + 1).sum())
}

fn collection(
    log: &CollectionLog,
    guarantee: &Guarantee,
    first_at_task: Option<u64>,
    free_pages: u64,
) -> CollectionReport {
    let valid: u64 =
        log.victim_valid.iter().zip(0u64..).map(|(victims, valid)| victims * valid).sum();
    let victims = grouped(log.started);
    let mean = (log.started > 0).then(|| share(valid, log.started));
    let most = log.victim_valid.iter().rposition(|victims| *victims > 0).map(|v| v as u32);
    let why = match (first_at_task, mean, most) {
        (Some(task), Some(mean), Some(most)) => format!(
            "first at page task {} ({}); {victims} victims with {mean:.1} valid pages on average, {most} at most",
            grouped(task),
            trigger(log)
        ),
        (Some(_), ..) => {
            String::from("none began; a victim selected before the measured part was finished")
        }
        _ if log.idle > 0 => format!("in idle time only: {victims} victims without valid pages"),
        _ if log.threshold_pages == 0 => format!("never ran ({})", trigger(log)),
        _ => format!(
            "never ran ({}); {} pages are free at the end",
            trigger(log),
            grouped(free_pages)
        ),
    };
    CollectionReport {
        victims: log.started,
        idle: log.idle,
        steps: log.steps,
        threshold_pages: log.threshold_pages,
        least_free_pages: free_pages,
        merges: log.merges.iter().any(|merges| *merges > 0).then(|| MergeReport {
            switch: log.merges[MergeKind::Switch as usize],
            partial: log.merges[MergeKind::Partial as usize],
            full: log.merges[MergeKind::Full as usize],
        }),
        victim_valid_mean: mean,
        victim_valid_max: most,
        victim_valid_bound: guarantee.victim_valid,
        first_at_task,
        why,
        ..CollectionReport::default()
    }
}

/// Trigger of collection; a scheme without a threshold decides by the state of its blocks.
fn trigger(log: &CollectionLog) -> String {
    match log.threshold_pages {
        0 => "trigger: a full block, at any number of free pages".into(),
        pages => format!("threshold: {} free pages", grouped(pages)),
    }
}

/// Work left when the last request arrives, over the time from the first arrival to the end, and over the device's mean time
/// per request, from which on a device does not keep up.
const BACKLOG: (f64, f64) = (0.02, 20.0);

/// A device that works for half of the time at least, and has work left when the last request arrives. One that waited for
/// a request of the second half of the run had a queue of bursts.
fn overload(report: &SchemeReport, arrivals: &ArrivalLog) -> Option<String> {
    let end_ns = report.elapsed_ns;
    let (span_ns, busy_ns) = (arrivals.span_ns(end_ns) as f64, arrivals.busy_ns(end_ns) as f64);
    // No request is awaited from then on: the device is busy to the end.
    let left_ns = end_ns.saturating_sub(arrivals.last_ns) as f64;
    let (of_span, of_each) = BACKLOG;
    let grows = left_ns > of_span * span_ns
        && left_ns * report.requests as f64 > of_each * busy_ns
        && 2.0 * busy_ns >= span_ns
        && arrivals.unqueued < report.requests / 2;
    (arrivals.last_ns > 0 && grows).then(|| {
        format!(
            "cannot keep up with requests that arrive every {}: the device had no pause during the last {}, and {} of work were left \
             when the last one arrived; --scale-arrivals spreads them",
            units::time(arrivals.mean_ns()),
            grouped(report.requests - arrivals.unqueued),
            units::time(left_ns),
        )
    })
}

/// What is said where the placement follows streams, and no request named one, or one that has no handle.
fn unnamed(log: &StreamLog) -> Option<String> {
    let named = log.handles.iter().skip(1).any(|handle| handle.written > 0) || log.invalid > 0;
    if log.invalid > 0 {
        return Some(format!(
            "{} pages named a stream without a handle and went to handle 0{}: the last with one is stream {}",
            grouped(log.invalid),
            if log.groups > 1 { " of group 0" } else { "" },
            log.handles.len() - 1
        ));
    }
    (!named && log.written() > 0).then(|| {
        "no request named a stream: all writes are of handle 0; `flash-cache`, `three-streams`, `lsm` and traces with a column \
         `stream` name them"
            .into()
    })
}

/// What is said where more than a tenth of the pages of a handle went elsewhere.
fn displaced(log: &StreamLog) -> Option<String> {
    let of_group = log.handles_per_group();
    let each = log.handles.iter().enumerate();
    let (at, handle) = each.max_by_key(|(_, handle)| handle.displaced)?;
    if handle.displaced * 10 <= handle.written {
        return None;
    }
    let (percent, group) = (100 * handle.displaced / handle.written, at / of_group);
    Some(match log.groups {
        1 => format!(
            "{percent} % of the pages of handle {at} were written to blocks of others, since too few were free; a larger \
             --capacity or a smaller --share leaves more"
        ),
        _ => format!(
            "{percent} % of the pages of group {group} handle {} were written to other groups or handles: too few blocks of \
             the group were free, or it was full; a fill names no stream and fills one group after the other, \
             --precondition none+workload=N fills each by the workload",
            at % of_group
        ),
    })
}

/// What is said where a scheme refused most requests: how many, and why most of them.
fn refused_most(account: &Account) -> Option<String> {
    let (refused, taken) = (account.refused, account.taken);
    let how_many = match taken {
        0 => return None,
        all if all == refused => "every request was refused".to_owned(),
        all if refused > all / 2 => {
            format!("{} of {} requests were refused", grouped(refused), grouped(all))
        }
        _ => return None,
    };
    let most = Refusal::ALL.iter().max_by_key(|refusal| account.refusals[**refusal as usize])?;
    let advice = match most {
        Refusal::InvalidWrite | Refusal::PartOfZone | Refusal::PartOfPage | Refusal::ZoneFull => {
            ": a scheme with zones takes whole pages at write pointers, and trims of whole zones; `host-log` asks for these"
        }
        Refusal::NoZones => ": this scheme has no zones",
        _ => "",
    };
    Some(format!("{how_many}, most of them for `{}`{advice}", most.name()))
}

/// What is said where many page tasks are trims, of which most take no time.
fn many_trims(report: &SchemeReport) -> Option<String> {
    let tasks = report.read_tasks + report.write_tasks + report.trim_tasks;
    (report.trim_tasks > tasks / 3).then(|| {
        format!(
            "{} of {} page tasks are trims: those that only change the map take no time, which lowers mean response and energy \
             per page task; `elapsed` and energy as a whole compare schemes",
            grouped(report.trim_tasks),
            grouped(tasks)
        )
    })
}

/// What is said of reads that needed no flash operation.
fn unmapped(reads: u64, trims: u64) -> Option<String> {
    (reads > 0).then(|| match trims {
        0 => format!(
            "{reads} reads were of pages never written and took no time; --precondition footprint or full writes them first"
        ),
        _ => format!("{reads} reads were of pages that were trimmed or never written, and took no time"),
    })
}

fn warnings(
    (log, zoned): (&CollectionLog, bool),
    counts: &Counts,
    beyond: u64,
    interrupted: bool,
) -> Vec<String> {
    let mut out = Vec::new();
    // Also work on a victim that was selected before, and of refreshes.
    let work =
        |cause: &Cause| counts.pages_programmed(*cause) + counts.get(Operation::Erase, *cause);
    let other = [Cause::Fold, Cause::WearLevel, Cause::WriteBack];
    let collected = Cause::ALL.iter().filter(|cause| cause.is_step() && !other.contains(cause));
    // With zones it is the host that collects.
    if log.started == 0 && collected.map(work).sum::<u64>() == 0 && !zoned {
        out.push(
            "collection never ran, so this run says nothing about its cost: write more (--loops, --requests), use a smaller --capacity, or --precondition full+age=1".into(),
        );
    }
    if beyond > 0 {
        out.push(format!("{beyond} victims had more valid pages than their bound"));
    }
    if interrupted {
        out.push("interrupted: the figures cover the run until then".into());
    }
    out
}

/// Warns if pages were older than the bounds state.
fn too_old(errors: &BitErrorReport) -> Option<String> {
    let retry = errors.retry.as_ref().filter(|retry| retry.reads_beyond_bound > 0)?;
    Some(format!(
        "{} reads were of pages beyond the limit of the bounds ({} cycles, {}, {} reads of the block): the bounds do not \
         hold for this run",
        grouped(retry.reads_beyond_bound),
        grouped(retry.bound_cycles.unwrap_or(0).into()),
        Duration::new(u64::from(retry.bound_age_s.unwrap_or(0)) * 1_000_000_000),
        grouped(retry.bound_block_reads.unwrap_or(0).into()),
    ))
}

/// Warns of uncorrectable pages.
fn unreadable(errors: &BitErrorReport) -> Option<String> {
    let BitErrorReport { uncorrectable_host_reads, lost_pages, lost_pages_before, .. } = errors;
    if uncorrectable_host_reads + lost_pages + lost_pages_before == 0 {
        return None;
    }
    let before = match lost_pages_before {
        0 => String::new(),
        pages => format!(", {} more while the array was filled", grouped(*pages)),
    };
    Some(format!(
        "more bit errors than ECC corrects: {} host reads returned an error instead of data, and {} pages were \
         lost when collection copied them{before}; a real device would have lost this data; where pages are lost \
         no bound is given",
        grouped(*uncorrectable_host_reads),
        grouped(*lost_pages),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No scheme selects such a victim; if one did, it must be told.
    #[test]
    fn victims_beyond_their_bound_are_told() {
        let mut log = CollectionLog::new(8, 0);
        (log.started, log.victim_valid[4]) = (3, 3);
        for (most, words) in [
            (Some(3), "3 victims had more valid pages than their bound"),
            (Some(4), ""),
            (None, ""),
        ] {
            let bound = Guarantee { victim_valid: most, ..Guarantee::default() };
            let beyond = victims_beyond(&log, &bound);
            let told = warnings((&log, false), &Counts::default(), beyond, false);
            assert_eq!(told.concat(), words);
        }
    }

    fn why(threshold_pages: u64, first_at_task: Option<u64>) -> String {
        let mut log = CollectionLog::new(4, threshold_pages);
        if first_at_task.is_some() {
            log.started = 2;
            log.victim_valid[1] = 1;
            log.victim_valid[2] = 1;
        }
        collection(&log, &Guarantee::default(), first_at_task, 5000).why
    }

    #[test]
    fn what_started_collection_is_told_with_and_without_a_threshold() {
        let victims = "2 victims with 1.5 valid pages on average, 2 at most";
        assert_eq!(
            why(64, Some(1000)),
            format!("first at page task 1,000 (threshold: 64 free pages); {victims}")
        );
        assert_eq!(
            why(0, Some(1000)),
            format!(
                "first at page task 1,000 (trigger: a full block, at any number of free pages); {victims}"
            )
        );
        assert_eq!(
            why(64, None),
            "never ran (threshold: 64 free pages); 5,000 pages are free at the end"
        );
        assert_eq!(why(0, None), "never ran (trigger: a full block, at any number of free pages)");
    }

    /// A scheme that takes writes in RAM programs fewer pages for the host than a buffer pads.
    #[test]
    fn causes_add_up_also_where_padding_is_programmed_later() {
        let mut counts = Counts::default();
        counts.add_many(Operation::Program, Cause::Host, 4);
        counts.add_many(Operation::Copy, Cause::Collection, 6);
        let buffer = Some(BufferReport { padded: 9, ..BufferReport::default() });
        let mut report = SchemeReport { buffer, ..SchemeReport::default() };
        amplification(&mut report, &counts, 5);
        assert_eq!(report.waf, Some(2.0));
        assert_eq!(
            report.waf_by_cause,
            [("collection".to_owned(), 1.2), ("padding".to_owned(), 0.8)]
        );
    }

    #[test]
    fn warnings_of_streams_and_trims() {
        let mut log = StreamLog::new(2, 1);
        log.handles[0].written = 10;
        assert!(unnamed(&log).is_some_and(|said| said.contains("no request named a stream")));
        log.invalid = 4;
        let said = unnamed(&log).unwrap();
        assert!(
            said.contains("4 pages") && said.contains("the last with one is stream 1"),
            "{said}"
        );
        log.invalid = 0;
        log.handles[1].written = 1;
        assert_eq!(unnamed(&log), None);
        log.handles[0].displaced = 1;
        assert_eq!(displaced(&log), None);
        log.handles[0].displaced = 2;
        let said = displaced(&log).unwrap();
        assert!(
            said.contains("20 % of the pages of handle 0") && said.contains("--share"),
            "{said}"
        );
        let mut log = StreamLog::new(2, 3);
        (log.handles[3].written, log.handles[3].displaced) = (8, 4);
        let said = displaced(&log).unwrap();
        assert!(said.contains("50 % of the pages of group 1 handle 1"), "{said}");
        let report =
            |trim_tasks| SchemeReport { write_tasks: 20, trim_tasks, ..SchemeReport::default() };
        assert_eq!(many_trims(&report(9)), None);
        assert!(many_trims(&report(12)).unwrap().contains("12 of 32 page tasks"));
    }
}
