//! `--record`: what clients ask, as a trace.

use super::log::Log;
use crate::failure::Failure;
use device::Recorder;
use std::path::{Path, PathBuf};
use workload::output::{COMPRESSIONS, check, compressed};

/// A trace that is recorded. If its file cannot be written the server goes on; its end is then a failure.
pub(super) struct Recording {
    path: PathBuf,
    /// `None` once the file could not be written.
    recorder: Option<Recorder>,
    failure: Option<std::io::Error>,
    log: Log,
}

impl Recording {
    pub(super) fn start(path: &Path, streams: bool, log: Log) -> Result<Self, Failure> {
        check(path)
            .map_err(|error| Failure::input(format!("--record {}: {error}", path.display())))?;
        let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase());
        let plain = name.as_deref().unwrap_or_default();
        let plain = match plain.rsplit_once('.') {
            Some((plain, ending)) if COMPRESSIONS.contains(&ending) => plain,
            _ => plain,
        };
        if !plain.ends_with(".csv") {
            return Err(Failure::input_with_help(
                format!("--record {}: the trace is a CSV table", path.display()),
                format_args!("name it .csv, {}", compressed(".csv")),
            ));
        }
        match Recorder::create(path, streams) {
            Ok(recorder) => {
                Ok(Self { path: path.to_owned(), recorder: Some(recorder), failure: None, log })
            }
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                Err(Failure::input_with_help(
                    format!("--record {}: there is such a file", path.display()),
                    "name another, or remove it first",
                ))
            }
            Err(error) => Err(Failure::input(format!("--record {}: {error}", path.display()))),
        }
    }

    /// Does something with the recorder, until its file fails.
    pub(super) fn with(&mut self, work: impl FnOnce(&mut Recorder) -> std::io::Result<()>) {
        let Some(recorder) = &mut self.recorder else { return };
        if let Err(error) = work(recorder) {
            self.log.tell(format_args!(
                "--record {}: {error}; the trace ends here",
                self.path.display()
            ));
            self.failure = Some(error);
            self.recorder = None;
        }
    }

    pub(super) fn finish(self) -> Result<(), Failure> {
        let ended = match (self.failure, self.recorder) {
            (Some(failure), _) => Err(failure),
            (None, Some(recorder)) => recorder.finish(),
            (None, None) => Ok(()),
        };
        ended.map_err(|error| {
            let path = self.path.display();
            Failure::internal(format!("the trace `{path}` is incomplete: {error}"))
        })
    }
}
