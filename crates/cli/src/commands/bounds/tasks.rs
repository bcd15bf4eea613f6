//! `ftlkit bounds --tasks`: whether periodic tasks meet their deadlines on each scheme.

use crate::failure::Failure;
use crate::output::{self, micros, table};
use crate::settings::{OfBounds, Settings};
use bounds::task_set::{Analysis, Method, Operation, Order, PageCosts, Task, TaskSet, analyse_in};
use lab::catalogue;
use lab::config::{
    Bytes, ConfigError, DefaultShare, Experiment, PartTable, TextOrTable, Word, quoted,
    tasks_from_file,
};
use lab::report::{LateJob, wrap};
use serde_json::{Value, json};
use std::path::Path;
use workload::{TaskSpec, WorkloadSpec, task_set};

/// What to analyse.
pub(super) struct Asked<'a> {
    pub(super) file: &'a Path,
    pub(super) part: PartTable,
    /// The file of a part of the user's own, and the options that change its values.
    pub(super) own_part: (Option<&'a Path>, &'a [String]),
    pub(super) channel: Settings<OfBounds>,
    pub(super) blocks: Option<u32>,
    pub(super) capacity: Option<Bytes>,
    /// Schemes with their settings; empty for every scheme with its defaults.
    pub(super) schemes: &'a [String],
    pub(super) order: Order,
}

impl Asked<'_> {
    /// The options that give the part of the bounds to a run.
    fn same_part(&self) -> String {
        let (file, own) = self.own_part;
        match (self.part.options(), file) {
            (Some(options), _) => options,
            (None, Some(file)) => {
                let own: Vec<String> = own.iter().map(|option| quoted(option)).collect();
                let file = quoted(&file.to_string_lossy());
                [vec![format!("--part-file {file}")], own].concat().join(" ")
            }
            (None, None) => String::new(),
        }
    }
}

/// The analysis of one scheme.
struct Row {
    scheme: String,
    /// Worst case per page and of the set, or the reason why there is none.
    found: Result<Found, String>,
}

struct Found {
    costs: PageCosts,
    /// Longest step in idle time.
    idle_ns: u64,
    analysis: Analysis,
}

impl Row {
    fn schedulable(&self) -> bool {
        self.found.as_ref().is_ok_and(|found| found.analysis.schedulable())
    }
}

/// Analyses the tasks of a file on each scheme and prints the result. It fails if a named scheme cannot keep all
/// deadlines, or if none of the catalogue can.
pub(super) fn run(asked: &Asked<'_>, as_json: bool) -> Result<(), Failure> {
    let workload = tasks_from_file(asked.file)?;
    let specs: &[TaskSpec] = workload.tasks().unwrap_or_default();
    let set = task_set(specs).map_err(|fault| {
        Failure::input(format!("{}: {} {}", asked.file.display(), fault.key, fault.reason))
    })?;
    let names: Vec<String> = match asked.schemes {
        [] => catalogue::schemes_for_any_page().map(|preset| preset.name.to_owned()).collect(),
        named => named.iter().map(|name| name.trim().to_owned()).collect(),
    };
    let (mut rows, mut capacity) = (Vec::new(), None);
    for name in names {
        let row = match analyse(asked, &name, &workload, &set) {
            Ok((row, bytes)) => {
                capacity = Some(bytes);
                row
            }
            Err(error) if !asked.schemes.is_empty() => return Err(error.into()),
            Err(error) => Row { scheme: name, found: Err(format!("cannot work: {error}")) },
        };
        rows.push(row);
    }
    let part = asked.part.resolve()?.name;
    if as_json {
        output::json(&json!({
            "version": env!("CARGO_PKG_VERSION"),
            "part": part,
            "capacity_bytes": capacity,
            "fixed_phases": set.fixed_phases,
            "order": match asked.order {
                Order::Fifo => "fifo",
                Order::Priority => "priority",
                Order::Deadline => "deadline",
            },
            "tasks": set.tasks.iter().map(task_json).collect::<Vec<_>>(),
            "schemes": rows.iter().map(|row| row_json(row, &set, asked.order)).collect::<Vec<_>>(),
        }))?;
    } else {
        let on = capacity.map_or_else(String::new, |bytes| format!(", {}", Bytes::new(bytes)));
        let file = asked.file.display();
        output::text(&format!(
            "Periodic tasks of {file} on {part}{on}\n{}\n{}",
            text(&rows, &set, asked.order),
            if asked.order == Order::Fifo {
                confirm(asked, &rows, capacity)
            } else {
                String::new()
            },
        ))?;
    }
    let fits = |row: &Row| row.schedulable();
    let verdict = match asked.schemes {
        [] => rows.iter().any(fits),
        _ => rows.iter().all(fits),
    };
    if verdict { Ok(()) } else { Err(Failure::PromiseBroken) }
}

/// One scheme on the array that a run with the same settings has, and its capacity.
fn analyse(
    asked: &Asked<'_>,
    scheme: &str,
    workload: &WorkloadSpec,
    set: &TaskSet,
) -> Result<(Row, u64), ConfigError> {
    let mut experiment = Experiment {
        part: Some(TextOrTable(asked.part.clone())),
        schemes: vec![scheme.parse()?],
        workload: TextOrTable(workload.clone()),
        default_share: Word(DefaultShare::Own),
        ..Experiment::default()
    };
    asked.channel.apply(&mut experiment)?;
    experiment.capacity = asked.capacity;
    if let Some(blocks) = asked.blocks {
        let part = asked.part.resolve()?;
        let planes = u64::from(experiment.planes);
        let block = u64::from(part.pages_per_block) * u64::from(part.page_bytes) * planes;
        experiment.capacity = Some(Bytes::new(block.saturating_mul(blocks.into())));
    }
    let resolved = experiment.resolve()?;
    let [scheme] = &resolved.schemes[..] else {
        return Err(ConfigError::Setting {
            setting: "schemes".into(),
            reason: "one scheme at a time is analysed".into(),
        });
    };
    let found = scheme.plan.task_costs().map(|(costs, idle_ns)| {
        let analysis = analyse_in(set, costs, idle_ns, asked.order);
        Found { costs, idle_ns, analysis }
    });
    let row = Row { scheme: scheme.label.clone(), found: found.map_err(str::to_owned) };
    Ok((row, resolved.geometry.capacity_bytes()))
}

fn text(rows: &[Row], set: &TaskSet, order: Order) -> String {
    let verdicts = table(
        ["<scheme", "L(p) read", "L(p) write", "U", "load", "<schedulable"],
        rows.iter().map(|row| verdict_cells(row, set, order)),
    );
    let analysed = rows.iter().filter_map(|row| Some((row, row.found.as_ref().ok()?)));
    let tasks = table(
        ["<scheme", "<task", "<operation", "pages", "period", "deadline", "C", "R", "<kept"],
        analysed.flat_map(|(row, found)| {
            set.tasks.iter().zip(&found.analysis.tasks).enumerate().map(|(at, (task, worst))| {
                let scheme = if at == 0 { row.scheme.clone() } else { String::new() };
                [
                    scheme,
                    task.name.clone(),
                    operation(task).into(),
                    task.pages.to_string(),
                    micros(task.period_ns),
                    micros(task.deadline_ns),
                    micros(worst.cost_ns),
                    worst.response_ns.map_or_else(|| "unbounded".into(), micros),
                    if worst.schedulable { "yes".into() } else { "no".into() },
                ]
            })
        }),
    );
    let mut text = format!("{verdicts}\n\nWorst case of each task, µs\n{tasks}\n\n");
    for row in rows {
        let line = match &row.found {
            Err(why) => why.clone(),
            Ok(Found { analysis: Analysis { miss: Some(miss), .. }, .. }) => {
                format!("in the worst case {}", LateJob::new(set, miss).sentence())
            }
            Ok(_) => continue,
        };
        text.push_str(&wrap(&format!("{}: {line}", row.scheme), output::width(), "  "));
    }
    let served = match order {
        Order::Fifo => FIFO,
        Order::Priority => PRIORITY,
        Order::Deadline => DEADLINE,
    };
    let idle = rows.iter().filter_map(|row| Some(row.found.as_ref().ok()?.idle_ns)).max();
    let refreshed = match idle.filter(|idle_ns| *idle_ns > 0) {
        Some(idle_ns) => output::wrapped(&format!(
            "A page of a block that is due moves with each page task, and in idle time: on a device that does not know when the next \
             job comes, that job waits for one such step, at most {} µs (a run begins none that would not end before it). Phases are \
             taken as any.\n",
            micros(idle_ns)
        )),
        None => String::new(),
    };
    text + &output::wrapped(LEGEND) + &output::wrapped(served) + &refreshed
}

const LEGEND: &str = "
L(p): shortest period at which single pages of that kind can be requested, µs. U: utilisation, the sum of C/period, at most \
    1. Load: factor on all periods and deadlines at which the set is just schedulable at any phases. C: cost of a job in the \
    worst case, its pages × (service + collection step). R: from release to completion, behind all that may be before it.
";

const FIFO: &str = "
Page tasks are served in order of release, jobs of one instant in the order of the file, and none is pre-empted.
";

const PRIORITY: &str = "
After each page task that of the earliest task of the file is next which has a job with pages left; a job waits for at most \
    one page of a later task. Phases are taken as any, also where the file gives offsets.
";

const DEADLINE: &str = "
After each page task that of the job is next which is due first; a job waits for at most one page of a job that is due later. \
    R is the deadline where all hold, which is all that is known of it. Phases are taken as any, also where the file gives \
    offsets.
";

fn verdict_cells(row: &Row, set: &TaskSet, order: Order) -> [String; 6] {
    let none = || String::from("–");
    match &row.found {
        Ok(Found { costs, idle_ns, analysis: found }) => [
            row.scheme.clone(),
            micros(costs.read_ns),
            micros(costs.write_ns),
            format!("{:.4}", found.utilisation),
            // No closed form is known but for FIFO without work in idle time.
            if order == Order::Fifo && *idle_ns == 0 {
                format!("{:.4}", found.load(set))
            } else {
                none()
            },
            reason(found, set, order),
        ],
        Err(_) => [row.scheme.clone(), none(), none(), none(), none(), "unknown: see below".into()],
    }
}

/// The verdict and its reason.
fn reason(found: &Analysis, set: &TaskSet, order: Order) -> String {
    let phases = match found.method {
        Method::AnyPhase => "at any phases",
        Method::FixedPhases => "at the phases given",
        Method::TooManyJobs => "at any phases (the given ones repeat after too many jobs)",
    };
    if !found.utilisation_fits {
        return "no: U > 1, the queue grows without limit".into();
    }
    if order == Order::Deadline {
        return match found.schedulable() {
            true => format!("yes, {phases}: U ≤ 1, and the work due by any time fits before it"),
            false => format!("no: the work due by some time does not fit before it {phases}"),
        };
    }
    let late: Vec<&str> = set
        .tasks
        .iter()
        .zip(&found.tasks)
        .filter(|(_, worst)| !worst.schedulable)
        .map(|(task, _)| task.name.as_str())
        .collect();
    match late[..] {
        [] => format!("yes, {phases}: U ≤ 1, and R ≤ deadline for each task"),
        [one] => format!("no: R of `{one}` exceeds its deadline {phases}"),
        [first, ..] => {
            format!(
                "no: R of {} tasks exceeds their deadlines {phases}, first `{first}`",
                late.len()
            )
        }
    }
}

fn operation(task: &Task) -> &'static str {
    match task.operation {
        Operation::Read => "read",
        Operation::Write => "write",
    }
}

/// The command whose run confirms the verdicts.
fn confirm(asked: &Asked<'_>, rows: &[Row], capacity: Option<u64>) -> String {
    let known = rows.iter().filter(|row| row.found.is_ok());
    let mut command = format!(
        "ftlkit compare --tasks {} {}",
        quoted(&asked.file.to_string_lossy()),
        asked.same_part()
    );
    if let Some(bytes) = capacity.filter(|_| asked.blocks.is_some() || asked.capacity.is_some()) {
        command.push_str(&format!(" --capacity {}", Bytes::new(bytes)));
    }
    command.push_str(&asked.channel.options());
    let names: Vec<&str> = match asked.schemes {
        [] => {
            known.filter(|row| row.schedulable()).map(|row| row.scheme.as_str()).take(4).collect()
        }
        named => named.iter().map(String::as_str).collect(),
    };
    if names.is_empty() {
        return "None of these schemes keeps all deadlines.\n".into();
    }
    format!(
        "A run counts the misses:\n  {command} --precondition full+age=1 --share own --schemes {}\n",
        quoted(&names.join(","))
    )
}

fn task_json(task: &Task) -> Value {
    json!({
        "name": task.name,
        "operation": operation(task),
        "pages": task.pages,
        "period_ns": task.period_ns,
        "deadline_ns": task.deadline_ns,
        "offset_ns": task.offset_ns,
    })
}

fn row_json(row: &Row, set: &TaskSet, order: Order) -> Value {
    let Found { costs, idle_ns, analysis: found } = match &row.found {
        Ok(found) => found,
        Err(why) => return json!({ "scheme": row.scheme, "schedulable": null, "why_not": why }),
    };
    let tasks = set.tasks.iter().zip(&found.tasks).map(|(task, worst)| {
        json!({
            "task": task.name,
            "cost_ns": worst.cost_ns,
            "response_ns": worst.response_ns,
            "schedulable": worst.schedulable,
        })
    });
    json!({
        "scheme": row.scheme,
        "schedulable": found.schedulable(),
        "reason": reason(found, set, order),
        "page_read_ns": costs.read_ns,
        "page_write_ns": costs.write_ns,
        "utilisation": found.utilisation,
        "idle_step_ns": idle_ns,
        "load": (order == Order::Fifo && *idle_ns == 0).then(|| found.load(set)),
        "tasks": tasks.collect::<Vec<_>>(),
        "worst_case_miss": found.miss.as_ref().map(|miss| LateJob::new(set, miss)),
    })
}
