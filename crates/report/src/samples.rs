//! A synthetic report with realistic shapes, for tests and for the gallery of plots.

use ::run::measures::{Arrivals, Measures, TaskKind, TaskSample, wear};
use ::run::report::{
    CauseCounts, CollectionReport, RamReport, Report, SchemeReport, Series, SsdReport,
    VictimWorkReport, Violation, WindowSample,
};
use ftl::{Accesses, Processor, VictimWork};
use serde_json::json;

const TASKS: u64 = 200_000;
const PAGES_PER_BLOCK: u32 = 64;
const BLOCKS: u64 = 2048;

/// A fixed sequence that looks sufficiently random (Weyl).
fn draw(n: u64) -> u64 {
    n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20
}

/// Differences between the synthetic schemes.
struct Shape {
    name: &'static str,
    bound_ns: Option<u64>,
    violations: u64,
    /// Step of a collecting write, from a draw.
    step_ns: fn(u64) -> u64,
    /// One in this number of writes collects.
    collects_one_in: u64,
    waf_collection: f64,
    uneven: u64,
}

/// Three schemes: one without a bound, one that exceeds its bound, one that keeps it.
pub(super) fn report() -> Report {
    let shapes = [
        Shape {
            name: "page-level",
            bound_ns: None,
            violations: 0,
            step_ns: |n| if n == 4_242 { 15_979_100 } else { 1_500_000 + n % 40 * 245_900 },
            collects_one_in: 40,
            waf_collection: 1.1,
            uneven: 9,
        },
        Shape {
            name: "fsr",
            bound_ns: Some(2_220_900),
            violations: 3,
            step_ns: |n| if n % 50_000 == 7 { 2_000_050 } else { 900_000 + n % 5 * 245_900 },
            collects_one_in: 9,
            waf_collection: 0.9,
            uneven: 25,
        },
        Shape {
            name: "lazy-rtgc",
            bound_ns: Some(2_220_900),
            violations: 0,
            step_ns: |n| if n % 9 == 0 { 2_000_000 } else { 1_967_200 },
            collects_one_in: 8,
            waf_collection: 1.4,
            uneven: 4,
        },
    ];
    Report {
        version: "0.1.0".into(),
        configuration: json!({"part": "slc-2k", "fill": "all"}),
        seed: 1,
        workload: json!({"name": "uniform", "requests": TASKS}),
        interrupted: false,
        not_run: Vec::new(),
        left_out: Vec::new(),
        schemes: shapes.iter().map(scheme).collect(),
    }
}

/// The same schemes on an SSD.
pub(super) fn on_channels() -> Report {
    let mut report = report();
    for scheme in &mut report.schemes {
        on_ssd(scheme);
    }
    report
}

const WINDOW_NS: u64 = 100_000_000;

fn on_ssd(scheme: &mut SchemeReport) {
    let windows = scheme.elapsed_ns / WINDOW_NS;
    let commands = |at: u64| if at % 17 == 3 { 400 } else { 2_400 + draw(at) % 300 };
    let window = |at: u64| WindowSample {
        start_ns: at * WINDOW_NS,
        page_commands: commands(at),
        host_pages: commands(at) / 2,
        host_written: commands(at) / 4,
        least_free_pages: 900 + draw(at) % 64,
    };
    scheme.series.windows = (0..windows).map(window).collect();
    let page_commands: u64 = (0..windows).map(commands).sum();
    scheme.bound_ns = None;
    (scheme.violations, scheme.first_violation) = (0, None);
    let victims = scheme.collection.victims;
    let work = VictimWork {
        invalidated: Accesses::new(140_000, 140_000),
        filled: Accesses::default(),
        chosen: Accesses::new(600_000, 20_000),
        placed: Accesses::default(),
    };
    let mut victim_work = VictimWorkReport::new(&work, victims);
    victim_work.charge(&Processor::ARM7, victims);
    let processor_ns = victim_work.processor_ns.unwrap_or(0);
    scheme.victim_work = Some(victim_work);
    scheme.ssd = Some(SsdReport {
        queue_depth: 32,
        page_commands,
        page_commands_per_second: page_commands as f64 * 1e9 / scheme.elapsed_ns as f64,
        window_ns: WINDOW_NS,
        windows,
        window_least_per_second: 4_000.0,
        window_most_per_second: 26_990.0,
        host_pages_per_second: scheme.tasks_per_second,
        longest_stall_ns: 23_000_000,
        longest_collection_ns: 16_000_000,
        channel_use: 0.71,
        die_use: 0.93,
        link_use: Some(0.4),
        cores: 1,
        processor_ns,
        victims_ns: processor_ns,
        busiest_core_share: processor_ns as f64 / scheme.elapsed_ns as f64,
        processor_share: processor_ns as f64 / scheme.elapsed_ns as f64,
        longest_processor_ns: 3_000_000,
        ..SsdReport::default()
    });
}

fn scheme(shape: &Shape) -> SchemeReport {
    let mut measures = Measures::new(0, Arrivals::Closed);
    let mut now = 0;
    for n in 0..TASKS {
        let (kind, service_ns) = match draw(n) % 10 {
            0..7 => (TaskKind::Write, 220_900),
            _ => (TaskKind::Read, 45_900),
        };
        let collects =
            kind == TaskKind::Write && (draw(n) / 16).is_multiple_of(shape.collects_one_in);
        // The longest steps are always those of a write.
        let special = n == 4_242 || n % 50_000 == 7;
        let (kind, service_ns) =
            if special { (TaskKind::Write, 220_900) } else { (kind, service_ns) };
        let step_ns = if collects || special { (shape.step_ns)(n) } else { 0 };
        measures.task(&TaskSample { kind, service_ns, step_ns, completion_ns: 0 });
        measures.request(service_ns + step_ns, service_ns + step_ns);
        now += service_ns + step_ns;
        let cycle = shape.collects_one_in * u64::from(PAGES_PER_BLOCK) / 2;
        let full = (TASKS / 10).saturating_sub(n) / 2;
        measures.tick(now, full + 900 + shape.uneven * 8 + draw(n) % 16 + cycle - n / 7 % cycle);
    }
    let erases: Vec<u32> = (0..BLOCKS)
        .map(|b| 20 + ((draw(b) % shape.uneven + draw(b * 7 + 3) % shape.uneven) / 2) as u32)
        .collect();
    let worn = wear(&erases);
    let total: u64 = erases.iter().map(|&e| u64::from(e)).sum();
    let mut report = SchemeReport {
        name: shape.name.into(),
        bound_ns: shape.bound_ns,
        real_time: shape.bound_ns.is_some(),
        requests_taken: TASKS,
        violations: shape.violations,
        first_violation: (shape.violations > 0).then(|| Violation {
            bound: "response".into(),
            promised: 2_220_900,
            seen: 2_220_950,
            task: 7,
            request: 7,
            lpn: 1234,
            replay: "the same command with --scheme fsr --seed 1".into(),
        }),
        copies: 154_000,
        erases: total,
        waf: Some(1.0 + shape.waf_collection),
        waf_above_oracle: None,
        waf_by_cause: vec![
            ("host".into(), 1.0),
            ("collection".into(), shape.waf_collection),
            ("full-merge".into(), 0.0),
        ],
        counts: vec![CauseCounts {
            cause: "host".into(),
            reads: 60_000,
            oob_reads: 0,
            programs: 140_000,
            copies: 0,
            erases: 0,
        }],
        logical_share: 0.875,
        logical_pages: 114_688,
        pages_per_block: PAGES_PER_BLOCK,
        ram_bytes: 4_300_000,
        ram: RamReport { map: 4_194_304, blocks: 90_000, victims: 15_696, ..RamReport::default() },
        energy_nj: 1.1e9,
        energy_nj_per_task: 5_500.0,
        wear_index: worn.index,
        erases_per_block: (worn.least, worn.mean, worn.most),
        collection: CollectionReport {
            victims: total,
            threshold_pages: 1_024,
            victim_valid_bound: Some(32),
            why: format!(
                "first at page task 20,113 (threshold: 1,024 free pages); {total} victims"
            ),
            ..CollectionReport::default()
        },
        elapsed_ns: now,
        busy_share: 1.0,
        tasks_per_second: TASKS as f64 * 1e9 / now as f64,
        warnings: vec!["200,000 page tasks are too few for p99.9999".into()],
        series: Series {
            erases,
            victim_valid: (0..=u64::from(PAGES_PER_BLOCK)).map(|v| draw(v) % 50 * v).collect(),
            ..Series::default()
        },
        ..SchemeReport::default()
    };
    measures.finish(&mut report);
    report
}
