//! Finished runs, one file each.

use super::plan::Point;
use super::rows::{Outcome, Status};
use crate::catalogue;
use crate::config::Experiment;
use crate::hash::hash_text;
use crate::program;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The folder of a sweep's finished runs.
#[derive(Clone, Debug)]
pub struct Kept {
    folder: PathBuf,
    /// The program that made them; runs of another one are made anew.
    build: String,
}

/// Content of a file.
#[derive(Serialize, Deserialize)]
struct Entry<T> {
    build: String,
    hash: String,
    outcome: T,
}

impl Kept {
    /// The folder, which is made if it is missing, for runs of this program ([`program::identity`]).
    ///
    /// # Errors
    /// If it cannot be made, or the program's file cannot be read.
    pub fn new(folder: &Path) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        Ok(Self { folder: folder.to_owned(), build: program::identity()? })
    }

    /// The program of a run: this one, with the code of a policy that was added while it ran.
    fn build(&self, experiment: Option<&Experiment>) -> String {
        let scheme = experiment.and_then(|experiment| experiment.schemes.first());
        let victim = scheme.and_then(|scheme| Some(scheme.0.victim.as_ref()?.0.policy().name));
        let placement =
            scheme.and_then(|scheme| Some(scheme.0.placement.as_ref()?.0.policy().name));
        match catalogue::code_of([victim, placement]) {
            code if code.is_empty() => self.build.clone(),
            code => format!("{}+{}", self.build, hash_text(&code)),
        }
    }

    fn path(&self, hash: &str) -> PathBuf {
        self.folder.join(format!("{hash}.json"))
    }

    /// The outcome of this point, if a whole file of this program holds it.
    pub fn get(&self, point: &Point) -> Option<Outcome> {
        self.read(&point.hash, point.experiment.as_ref().ok())
    }

    /// What was kept of the run of an experiment under this hash, if a whole file of this program holds it.
    pub(crate) fn read<T: DeserializeOwned>(
        &self,
        hash: &str,
        experiment: Option<&Experiment>,
    ) -> Option<T> {
        let entry: Entry<T> = serde_json::from_slice(&fs::read(self.path(hash)).ok()?).ok()?;
        (entry.build == self.build(experiment) && entry.hash == hash).then_some(entry.outcome)
    }

    /// Keeps an outcome.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn put(&self, point: &Point, outcome: &Outcome) -> io::Result<()> {
        self.write(&point.hash, point.experiment.as_ref().ok(), outcome)
    }

    /// Keeps what is found of a run. The file has its name only when it is whole, so that a kill leaves none in part.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub(crate) fn write<T: Serialize>(
        &self,
        hash: &str,
        experiment: Option<&Experiment>,
        outcome: &T,
    ) -> io::Result<()> {
        let build = self.build(experiment);
        let text = serde_json::to_vec(&Entry { build, hash: hash.to_owned(), outcome })?;
        let part = self.folder.join(format!("{hash}.{}.part", std::process::id()));
        let mut file = File::create_new(&part)?;
        file.write_all(&text)?;
        file.sync_data()?;
        drop(file);
        fs::rename(&part, self.path(hash))
    }

    /// True if an outcome is the same each time, so that it is worth keeping.
    pub fn is_final(outcome: &Outcome) -> bool {
        matches!(outcome.status, Status::Ok | Status::Failed)
    }
}
