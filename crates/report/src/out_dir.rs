//! The output directory of a report.

use super::csv;
use super::plots::{self, PlotOptions};
use super::whole_file::write_whole;
use ::run::report::Report;
use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// A directory that existed and was writable when it was checked.
#[derive(Clone, Debug)]
pub struct OutDir {
    path: PathBuf,
    plots: PlotOptions,
    replaces: Replaces,
    /// What was written: it may be written again.
    written: Arc<Mutex<HashSet<PathBuf>>>,
}

/// What of a directory's content may be replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replaces {
    /// Nothing.
    Nothing,
    /// Files of this run, which goes on: all but links and what else is no file.
    Own,
    /// Whatever has the name of a result. A link is replaced itself, and its target is as it was.
    All,
}

/// Reason why a report cannot be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OutError {
    /// The path is not a directory.
    #[error("{path} is a file: the results need a directory of their own, such as `out`", path = .0.display())]
    NotADirectory(PathBuf),
    /// The directory holds the results of another run.
    #[error("{path} holds the results of another run ({found})", path = .path.display())]
    Taken {
        /// The directory.
        path: PathBuf,
        /// The file by which it was known.
        found: &'static str,
    },
    /// The directory holds something that has the name of a result, and is not to be replaced.
    #[error("{path} is there, and the results would replace it", path = .0.display())]
    There(PathBuf),
    /// The directory cannot be created.
    #[error("cannot create the directory {path} for the results", path = .path.display())]
    Create {
        /// The directory.
        path: PathBuf,
        /// The operating system's error.
        source: io::Error,
    },
    /// A file cannot be written.
    #[error("cannot write {path}", path = .path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The operating system's error.
        source: io::Error,
    },
    /// A plot cannot be drawn.
    #[error("cannot draw {path}", path = .path.display())]
    Draw {
        /// The file of the plot.
        path: PathBuf,
        /// The drawing library's error.
        source: plots::PlotError,
    },
}

/// Creates the directory and its missing parents, and checks that it is writable. To be called before a run,
/// so that results cannot get lost after it.
///
/// # Errors
/// [`OutError::NotADirectory`], [`OutError::Create`], [`OutError::Write`].
pub fn prepare_out_dir(path: &Path) -> Result<OutDir, OutError> {
    if path.exists() && !path.is_dir() {
        return Err(OutError::NotADirectory(path.to_owned()));
    }
    fs::create_dir_all(path)
        .map_err(|source| OutError::Create { path: path.to_owned(), source })?;
    let probe = path.join(format!(".ftlkit-{}", std::process::id()));
    let tried = File::create_new(&probe).and_then(|mut file| file.write_all(b"may I write here?"));
    let removed = fs::remove_file(&probe);
    tried.and(removed).map_err(|source| OutError::Write { path: probe, source })?;
    Ok(OutDir {
        path: path.to_owned(),
        plots: PlotOptions::default(),
        replaces: Replaces::Nothing,
        written: Arc::default(),
    })
}

/// Files that a run writes last, or that all runs write.
const RESULTS: [&str; 6] =
    ["report.json", "experiment.toml", "rows.json", "index.html", "copyback.csv", "host_load.csv"];

impl OutDir {
    /// Refuses a directory that holds the results of another run.
    ///
    /// # Errors
    /// [`OutError::Taken`].
    pub fn unused(self) -> Result<Self, OutError> {
        match RESULTS.into_iter().find(|name| self.path.join(name).exists()) {
            Some(found) => Err(OutError::Taken { path: self.path, found }),
            None => Ok(self),
        }
    }

    /// The same directory, of whose content this may be replaced; at first nothing.
    pub fn replacing(self, replaces: Replaces) -> Self {
        Self { replaces, ..self }
    }

    /// Checks before a run that files of these names can be written.
    ///
    /// # Errors
    /// [`OutError::There`] with the first that is there and may not be replaced, [`OutError::Write`] with a directory.
    pub fn takes(&self, names: impl IntoIterator<Item = impl AsRef<Path>>) -> Result<(), OutError> {
        names.into_iter().try_for_each(|name| self.check(&self.path.join(name)))
    }

    fn check(&self, path: &Path) -> Result<(), OutError> {
        let Ok(there) = fs::symlink_metadata(path) else { return Ok(()) };
        if there.is_dir() {
            let source = io::ErrorKind::IsADirectory.into();
            return Err(OutError::Write { path: path.to_owned(), source });
        }
        let own = || self.written.lock().is_ok_and(|written| written.contains(path));
        match self.replaces {
            Replaces::All => Ok(()),
            Replaces::Own if there.is_file() => Ok(()),
            _ if there.is_file() && own() => Ok(()),
            _ => Err(OutError::There(path.to_owned())),
        }
    }

    /// The directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Names of all files that [`OutDir::write`] may write.
    pub fn of_reports() -> Vec<String> {
        let plots = plots::PLOTS.iter().flat_map(|plot| Self::of_plot(plot.name));
        let tables = csv::TABLES.iter().map(|table| table.name.to_owned());
        ["report.json".to_owned()].into_iter().chain(tables).chain(plots).collect()
    }

    /// Names of a plot's files, in all formats.
    pub fn of_plot(name: &str) -> impl Iterator<Item = String> {
        plots::PlotFormat::ALL.iter().map(move |format| format!("{name}.{}", format.name()))
    }

    /// Writes `report.json`, the CSV tables and the plots, and returns their paths.
    ///
    /// # Errors
    /// [`OutError::There`], [`OutError::Write`] or [`OutError::Draw`] with the file's path.
    pub fn write(&self, report: &Report) -> Result<Vec<PathBuf>, OutError> {
        let mut written = vec![self.file("report.json", |to| {
            to.write_all(super::json::to_json(report).as_bytes())?;
            to.write_all(b"\n")
        })?];
        for table in csv::TABLES.iter().filter(|table| (table.of)(report)) {
            written.push(self.file(table.name, |to| {
                table.write(report, to).map_err(|error| match error.into_kind() {
                    ::csv::ErrorKind::Io(error) => error,
                    other => io::Error::other(format!("{other:?}")),
                })
            })?);
        }
        for plot in plots::PLOTS.iter().filter(|plot| (plot.of)(report)) {
            let path = self.path.join(plot.name);
            let svg = plot.figure(report).svg(&self.plots);
            let svg = svg.map_err(|source| OutError::Draw { path, source })?;
            written.extend(self.plot(plot.name, &svg)?);
        }
        Ok(written)
    }

    /// The same directory with plots of these formats, size and font.
    pub fn with_plots(self, plots: PlotOptions) -> Self {
        Self { plots, ..self }
    }

    /// A directory below this one, with the same options of plots.
    ///
    /// # Errors
    /// As [`prepare_out_dir`].
    pub fn below(&self, name: &str) -> Result<Self, OutError> {
        let below = prepare_out_dir(&self.path.join(name))?;
        Ok(below.with_plots(self.plots.clone()).replacing(self.replaces))
    }

    /// Writes a plot in each of its formats; `name` is without an ending.
    ///
    /// # Errors
    /// [`OutError::Write`] or [`OutError::Draw`] with the file's path.
    pub fn plot(&self, name: &str, svg: &str) -> Result<Vec<PathBuf>, OutError> {
        let write = |format: &plots::PlotFormat| {
            let name = format!("{name}.{}", format.name());
            let drawn = plots::in_format(svg, *format);
            let path = || self.path.join(&name);
            let drawn = drawn.map_err(|source| OutError::Draw { path: path(), source })?;
            self.file(&name, |to| to.write_all(&drawn))
        };
        self.plots.formats.iter().map(write).collect()
    }

    /// Writes one file, which has its name only when it is whole, and returns its path. No link is followed.
    ///
    /// # Errors
    /// [`OutError::There`] or [`OutError::Write`] with the file's path.
    pub fn file(
        &self,
        name: &str,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<PathBuf, OutError> {
        let path = self.path.join(name);
        self.check(&path)?;
        match write_whole(&path, write) {
            Ok(()) => {
                if let Ok(mut written) = self.written.lock() {
                    written.insert(path.clone());
                }
                Ok(path)
            }
            Err(source) => Err(OutError::Write { path, source }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;
    use ::run::report::JobReport;

    /// A directory per test, removed after it.
    struct Scratch(PathBuf);

    impl Scratch {
        fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("ftlkit-{name}-{}", std::process::id()));
            fs::create_dir_all(&path).unwrap();
            Self(path)
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn everything_is_written() {
        let scratch = Scratch::new("everything");
        let dir = prepare_out_dir(&scratch.0.join("deep/er")).unwrap();
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0, "the probe is gone");
        let with_deadline = |mut report: Report| {
            let deadline = Some(::run::report::RequestDeadline::default());
            report.schemes.iter_mut().for_each(|s| s.request_deadline.clone_from(&deadline));
            report
        };
        let mut report = with_deadline(samples::on_channels());
        report.schemes[0].jobs = vec![JobReport { job: "a".into(), ..JobReport::default() }];
        let written = dir.write(&report).unwrap();
        let has = |plot: &&plots::Plot| (plot.of)(&report);
        let plots = plots::PLOTS.iter().filter(has).count();
        assert_eq!((written.len(), plots), (1 + csv::TABLES.len() + plots, 7));
        for path in &written {
            assert!(fs::metadata(path).unwrap().len() > 0, "{}", path.display());
        }
        assert_eq!(dir.write(&report).unwrap(), written, "a second time as well");
        let dir = prepare_out_dir(&scratch.0.join("serial")).unwrap();
        let serial = dir.write(&with_deadline(samples::report())).unwrap();
        assert_eq!(serial.len(), written.len() - 3, "neither windows nor jobs without channels");
    }

    #[test]
    fn results_are_not_written_over_without_being_told() {
        let scratch = Scratch::new("taken");
        fs::write(scratch.0.join("notes.txt"), "mine").unwrap();
        let dir = prepare_out_dir(&scratch.0).unwrap().unused().unwrap();
        dir.write(&samples::report()).unwrap();
        let told = prepare_out_dir(&scratch.0).unwrap().unused().unwrap_err();
        assert!(matches!(told, OutError::Taken { found: "report.json", .. }), "{told:?}");
    }

    #[cfg(unix)]
    #[test]
    fn nothing_of_others_is_replaced_and_no_link_is_followed() {
        let scratch = Scratch::new("others");
        let path = |name: &str| scratch.0.join(name);
        fs::write(path("victim"), "mine").unwrap();
        fs::write(path("summary.csv"), "mine").unwrap();
        std::os::unix::fs::symlink("victim", path("link.csv")).unwrap();
        std::os::unix::fs::symlink("nowhere", path("loose.csv")).unwrap();
        let dir = prepare_out_dir(&scratch.0).unwrap();
        let write = |dir: &OutDir, name: &str| dir.file(name, |to| to.write_all(b"new"));
        for (replaces, refused) in [
            (Replaces::Nothing, &["summary.csv", "link.csv", "loose.csv"][..]),
            (Replaces::Own, &["link.csv", "loose.csv"]),
            (Replaces::All, &[]),
        ] {
            let dir = dir.clone().replacing(replaces);
            for name in ["summary.csv", "link.csv", "loose.csv"] {
                let told = dir.takes([name]);
                assert_eq!(told.is_err(), refused.contains(&name), "{replaces:?} {name}");
                if refused.contains(&name) {
                    assert!(matches!(write(&dir, name), Err(OutError::There(_))), "{name}");
                }
            }
        }
        assert!(OutDir::of_reports().contains(&"summary.csv".to_owned()));
        let forced = dir.replacing(Replaces::All);
        write(&forced, "link.csv").unwrap();
        let read = |name: &str| fs::read_to_string(path(name)).unwrap();
        assert_eq!(
            [read("victim"), read("summary.csv"), read("link.csv")],
            ["mine", "mine", "new"]
        );
        assert!(fs::symlink_metadata(path("link.csv")).unwrap().is_file());
        assert!(!path("nowhere").exists());
        write(&forced, "fresh.csv").unwrap();
        write(&forced.replacing(Replaces::Nothing), "fresh.csv").unwrap();
        assert!(
            fs::read_dir(&scratch.0)
                .unwrap()
                .all(|entry| { !entry.unwrap().file_name().to_string_lossy().ends_with(".part") })
        );
    }

    #[test]
    fn unusable_paths_are_told_by_name() {
        let scratch = Scratch::new("unusable");
        let file = scratch.0.join("taken");
        fs::write(&file, "x").unwrap();
        let told = prepare_out_dir(&file).unwrap_err();
        assert!(matches!(&told, OutError::NotADirectory(path) if *path == file));
        assert!(told.to_string().contains("taken is a file"), "{told}");
        let below = file.join("out");
        let told = prepare_out_dir(&below).unwrap_err();
        assert!(matches!(&told, OutError::Create { path, .. } if *path == below), "{told:?}");
        assert!(told.to_string().contains("taken/out"), "{told}");
    }

    #[test]
    fn a_file_that_cannot_be_written_is_named() {
        let scratch = Scratch::new("blocked");
        let dir = prepare_out_dir(&scratch.0).unwrap();
        fs::create_dir(scratch.0.join("throughput.csv")).unwrap();
        let told = dir.write(&samples::report()).unwrap_err();
        assert!(told.to_string().ends_with("throughput.csv"), "{told}");
    }
}
