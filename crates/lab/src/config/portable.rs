//! Experiment files that run from any directory: their paths are relative to them, and traces are known by their content.

use super::error::ConfigError;
use super::experiment::Experiment;
use crate::hash::hash_file;
use std::path::{Component, Path, PathBuf};
use workload::{STANDARD_INPUT, WorkloadSpec};

impl Experiment {
    /// Each trace, as a path to change: that of the workload, and those of a sweep.
    fn change_traces(&mut self, mut change: impl FnMut(&Path) -> PathBuf) {
        let files = self.workload.0.paths_mut().into_iter();
        for path in files.filter(|path| path.as_os_str() != STANDARD_INPUT) {
            *path = change(path);
        }
        let is_named = |value: &str| WorkloadSpec::named(value).is_some();
        for value in self.sweep.values_mut("trace").filter(|value| !is_named(value)) {
            let path = change(Path::new(value));
            // A bare name may be that of a workload.
            let is_bare = path.components().count() == 1;
            let path = if is_bare { Path::new(".").join(path) } else { path };
            *value = path.to_string_lossy().into_owned();
        }
    }

    /// Makes the paths of an experiment in a file of this directory those of this process, and checks its hashes.
    ///
    /// # Errors
    /// A trace whose content differs from the hash, and a hash of no trace.
    pub(super) fn enter(&mut self, directory: &Path) -> Result<(), ConfigError> {
        let mut hashes = std::mem::take(&mut self.sha256);
        let mut changed = None;
        self.change_traces(|path| {
            let there = joined(directory, path);
            let Some(expected) = hashes.remove(&path.display().to_string()) else { return there };
            // A trace that cannot be read is an error of the run, with its reason.
            if let Some(found) = hash_file(&there).ok().filter(|found| *found != expected) {
                changed.get_or_insert((there.clone(), found));
            }
            there
        });
        for path in [&mut self.out, &mut self.part_file].into_iter().flatten() {
            *path = joined(directory, path);
        }
        if let Some((path, found)) = changed {
            let reason = format!(
                "{} is not the trace of which the experiment was written (its SHA-256 is {found}); remove its line to run \
                 with it all the same",
                path.display()
            );
            return Err(ConfigError::setting("sha256", reason));
        }
        match hashes.keys().next() {
            Some(path) => Err(ConfigError::setting(
                "sha256",
                format!("`{path}` is no trace of this experiment"),
            )),
            None => Ok(()),
        }
    }

    /// The experiment for a file in this directory: without its results' directory, with paths relative to it, the hashes of
    /// its traces, and the program that wrote it.
    ///
    /// # Errors
    /// A trace that cannot be read.
    pub fn portable(&self, directory: &Path, written_by: &str) -> Result<Self, ConfigError> {
        let mut out = Self { out: None, written_by: Some(written_by.to_owned()), ..self.clone() };
        let mut hashes = Vec::new();
        out.change_traces(|path| {
            let relative = relative(directory, path);
            hashes.push((relative.display().to_string(), path.to_owned()));
            relative
        });
        for (name, path) in hashes {
            let hash = hash_file(&path).map_err(|source| ConfigError::Io { path, source })?;
            out.sha256.insert(name, hash);
        }
        Ok(out)
    }
}

fn joined(directory: &Path, path: &Path) -> PathBuf {
    let path = path.strip_prefix(".").unwrap_or(path);
    if directory.as_os_str().is_empty() { path.to_owned() } else { directory.join(path) }
}

/// The path as seen from a directory; the path itself where there is no way from one to the other.
fn relative(directory: &Path, path: &Path) -> PathBuf {
    let (Ok(from), Ok(to)) = (directory.canonicalize(), path.canonicalize()) else {
        return path.to_owned();
    };
    let same = from.components().zip(to.components()).take_while(|(a, b)| a == b).count();
    if same == 0 {
        return to;
    }
    let up = from.components().skip(same).map(|_| Component::ParentDir);
    up.chain(to.components().skip(same)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_file_runs_from_anywhere_and_knows_its_trace() {
        let root = std::env::temp_dir().join(format!("ftlkit-portable-{}", std::process::id()));
        fs::create_dir_all(root.join("data")).unwrap();
        fs::create_dir_all(root.join("results/first")).unwrap();
        let [trace, other] = ["t.csv", "uniform"].map(|name| root.join("data").join(name));
        fs::write(&trace, "op,offset_bytes,length_bytes\nwrite,0,512\n").unwrap();
        fs::write(&other, "op,offset_bytes,length_bytes\nwrite,512,512\n").unwrap();
        let text = format!(
            "out = 'elsewhere'\nworkload = {{ trace = '{}' }}\nsweep = {{ trace = ['zipf', '{}'] }}",
            trace.display(),
            other.display()
        );
        let experiment = Experiment::from_toml(&text, "test").unwrap();
        let portable = experiment.portable(&root.join("results/first"), "ftlkit 1").unwrap();
        assert_eq!((&portable.out, portable.written_by.as_deref()), (&None, Some("ftlkit 1")));
        let names: Vec<&str> = portable.sha256.keys().map(String::as_str).collect();
        assert_eq!(names, ["../../data/t.csv", "../../data/uniform"]);
        let beside = experiment.portable(&root.join("data"), "ftlkit 1").unwrap();
        let text = beside.to_toml().unwrap();
        assert!(text.contains("\"./uniform\""), "not the workload of that name: {text}");

        let file = root.join("results/first/experiment.toml");
        fs::write(&file, portable.to_toml().unwrap()).unwrap();
        let read = Experiment::from_file(&file).unwrap();
        let there = root.join("results/first/../../data/t.csv");
        assert_eq!(read.workload.0, workload::WorkloadSpec::trace(&there));
        assert!(read.sha256.is_empty());
        fs::write(&trace, "op,offset_bytes,length_bytes\nwrite,0,1024\n").unwrap();
        let told = Experiment::from_file(&file).unwrap_err().to_string();
        assert!(told.contains("data/t.csv is not the trace of which"), "{told}");
        fs::write(&file, "sha256 = { 'a.csv' = '0' }").unwrap();
        let told = Experiment::from_file(&file).unwrap_err().to_string();
        assert!(told.contains("`a.csv` is no trace of this experiment"), "{told}");
        fs::remove_dir_all(root).unwrap();
    }
}
