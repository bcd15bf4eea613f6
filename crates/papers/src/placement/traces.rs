//! Write amplification of every placement on the captured traces.

use crate::error::ReproduceError;
use crate::matrix::{Cell, Matrix};
use crate::observer::ReproductionObserver;
use crate::reproduction::Section;
use crate::runs::{Planned, run_all};
use crate::settings::{Scale, Settings};
use ftl::{PLACEMENT_POLICIES, VictimKind};
use sim::config::Experiment;
use workload::CAPTURED;

/// Share of the array that every scheme exports.
const SHARE: f64 = 0.8;

/// Victim policies of the table.
const VICTIMS: [VictimKind; 2] = [VictimKind::GREEDY, VictimKind::COST_BENEFIT];

pub(super) fn traces(
    settings: &Settings,
    watch: &dyn ReproductionObserver,
) -> Result<Section, ReproduceError> {
    let placements: Vec<_> =
        PLACEMENT_POLICIES.iter().filter_map(|policy| policy.kind(&[])).collect();
    let lines: Vec<(String, String)> = placements
        .iter()
        .flat_map(|placement| {
            VICTIMS.map(|victim| {
                let label = format!("{placement}, {victim}");
                let scheme =
                    format!("page-level+victim={victim}+placement={placement}+share={SHARE}+label={placement}-{victim}");
                (label, scheme)
            })
        })
        .collect();
    let loops = if settings.scale == Scale::Quick { 3 } else { 20 };
    let mut planned = Vec::new();
    for trace in CAPTURED {
        let schemes: Vec<String> = lines.iter().map(|(_, scheme)| format!("'{scheme}'")).collect();
        let text = format!(
            "workload = '{}'\nseed = {}\nloops = {loops}\nprecondition = 'full'\nschemes = [{}]\n",
            trace.name,
            settings.seed,
            schemes.join(", ")
        );
        let experiment = Experiment::from_toml(&text, trace.name).map_err(|source| {
            ReproduceError::Setup { run: format!("`{}`", trace.name), source: Box::new(source) }
        })?;
        planned.push(Planned { name: trace.name.into(), experiment });
    }
    let ran = run_all(planned, watch)?;
    let labels: Vec<String> = placements
        .iter()
        .flat_map(|placement| VICTIMS.map(|victim| format!("{placement}-{victim}")))
        .collect();
    let names: Vec<&str> = CAPTURED.iter().map(|trace| trace.name).collect();
    let rows: Vec<&str> = lines.iter().map(|(label, _)| label.as_str()).collect();
    let waf = |line: usize, column: usize| ran[column].scheme(&labels[line])?.waf;
    let mut section = Section::default();
    section.matrices.push(Matrix::of(
        "pages programmed per host page",
        &rows,
        &names,
        |line, at| Cell::ours(waf(line, at), 3),
    ));
    let least = |column: usize| {
        let of = labels.iter().enumerate().filter(|(_, label)| label.starts_with("oracle-"));
        of.filter_map(|(line, _)| waf(line, column)).reduce(f64::min)
    };
    section.matrices.push(Matrix::of(
        "above the oracle with its better victim policy, %",
        &rows,
        &names,
        |line, at| {
            let gap = waf(line, at).zip(least(at));
            Cell::ours(gap.map(|(waf, least)| (waf / least - 1.0) * 100.0), 1)
        },
    ));
    for of in &ran {
        let failed = labels
            .iter()
            .filter_map(|label| Some(format!("{}, {label}: {}", of.name, of.why_not(label)?)));
        section.notes.extend(failed);
    }
    section.notes.push(format!(
        "`page-level`, {SHARE} of the array exported, filled in order before; each trace {loops} times"
    ));
    section.runs = ran.into_iter().map(|ran| ran.record).collect();
    Ok(section)
}
