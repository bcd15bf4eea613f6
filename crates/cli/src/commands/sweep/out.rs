//! The directory of a sweep: whose finished runs and tables it may hold.

use crate::commands::run::prepare;
use crate::failure::Failure;
use sim::config::Experiment;
use sim::report::OutDir;
use sim::sweep::Plan;
use std::path::Path;

/// The file that tells which sweep a directory holds.
const EXPERIMENT: &str = "experiment.toml";

/// Creates and checks the directory. It may hold this sweep, or one of which this one has all points, so that only runs
/// are added; with `force` anything.
pub(super) fn folder(path: &Path, plan: &Plan, force: bool) -> Result<OutDir, Failure> {
    let goes_on = path.join("runs").is_dir()
        && path.join(EXPERIMENT).exists()
        && match continues(path, plan) {
            _ if force => true,
            Ok(true) => true,
            Ok(false) => return Err(taken(path, "its points are not all among those of this one")),
            Err(why) => return Err(taken(path, &why)),
        };
    prepare(path, force || goes_on)
}

/// True if all points of the sweep in the directory are points of the plan.
fn continues(path: &Path, plan: &Plan) -> Result<bool, String> {
    let there = Experiment::from_file(&path.join(EXPERIMENT)).and_then(Plan::new);
    Ok(plan.includes(&there.map_err(|error| error.to_string())?))
}

fn taken(path: &Path, why: &str) -> Failure {
    Failure::input_with_help(
        format!("{} holds another sweep ({EXPERIMENT}): {why}", path.display()),
        "its own command goes on with it, also with more values or schemes; --force replaces its tables and keeps its \
         finished runs; or name another directory",
    )
}
