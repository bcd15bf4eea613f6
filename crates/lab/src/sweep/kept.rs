//! Finished runs, one file each.

use super::plan::Point;
use super::rows::{Outcome, Status};
use crate::catalogue;
use crate::hash::hash_text;
use crate::program;
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
struct Entry {
    build: String,
    hash: String,
    outcome: Outcome,
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

    /// The program of a point's run: this one, with the code of a policy that was added while it ran.
    fn build(&self, point: &Point) -> String {
        let scheme =
            point.experiment.as_ref().ok().and_then(|experiment| experiment.schemes.first());
        let policy = scheme.and_then(|scheme| scheme.0.victim.as_ref()).map(|kind| kind.0.policy());
        match policy.and_then(|policy| catalogue::code_of(policy.name)) {
            None => self.build.clone(),
            Some(code) => format!("{}+{}", self.build, hash_text(code)),
        }
    }

    fn path(&self, point: &Point) -> PathBuf {
        self.folder.join(format!("{}.json", point.hash))
    }

    /// The outcome of this point, if a whole file of this program holds it.
    pub fn get(&self, point: &Point) -> Option<Outcome> {
        let entry: Entry = serde_json::from_slice(&fs::read(self.path(point)).ok()?).ok()?;
        (entry.build == self.build(point) && entry.hash == point.hash).then_some(entry.outcome)
    }

    /// Keeps an outcome. The file has its name only when it is whole, so that a kill leaves none in part.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn put(&self, point: &Point, outcome: &Outcome) -> io::Result<()> {
        let (build, hash) = (self.build(point), point.hash.clone());
        let text = serde_json::to_vec(&Entry { build, hash, outcome: outcome.clone() })?;
        let part = self.folder.join(format!("{}.{}.part", point.hash, std::process::id()));
        let mut file = File::create_new(&part)?;
        file.write_all(&text)?;
        file.sync_data()?;
        drop(file);
        fs::rename(&part, self.path(point))
    }

    /// True if an outcome is the same each time, so that it is worth keeping.
    pub fn is_final(outcome: &Outcome) -> bool {
        matches!(outcome.status, Status::Ok | Status::Failed)
    }
}
