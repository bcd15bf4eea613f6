//! Several files as one trace: by their clocks, or one after the other.

use crate::chain::Chain;
use crate::error::WorkloadError;
use crate::merged::Merged;
use crate::options::TraceOptions;
use crate::reader::{TraceReader, open};
use crate::source::Source;
use std::path::PathBuf;

/// Opens several files as one trace; one file is a trace as it is.
///
/// Files with arrival times are merged by time: those whose clocks overlap play at once, and a file whose clock begins where
/// others have ended follows them after that gap, or at once if it is more than 30 days. With
/// [`chain`](TraceOptions::chain), and without arrival times, files play in turn, as they are given: one whose clock goes on
/// from the one before keeps its times, and another begins when the one before ends.
///
/// A device of the same name is the same device in all files. Where files name none, one that overlaps others is a device
/// of its own.
///
/// # Errors
/// As [`open`]; files of different formats, and files with arrival times beside files without; `chain` for one file.
pub fn open_all(paths: &[PathBuf], options: &TraceOptions) -> Result<TraceReader, WorkloadError> {
    let mut files: Vec<TraceReader> = Vec::new();
    for path in paths {
        let file = open(path, options)?;
        let unfit = |reason| WorkloadError::Format { path: path.clone(), reason };
        if options.chain && paths.len() == 1 {
            return Err(unfit(
                "several files of one trace play in turn (--chain), and this one is read by itself (--as-one reads \
                 all files as one trace, where it is an option)"
                    .into(),
            ));
        }
        if let Some(first) = files.first() {
            let (one, other) = (first.format().name, file.format().name);
            if one != other {
                let first = first.path().display();
                return Err(unfit(format!(
                    "files of one trace have one format: {first} is {one}, this is {other}"
                )));
            }
            if first.has_arrivals() != file.has_arrivals() {
                return Err(unfit(
                    "of one trace either all files have arrival times, or none".into(),
                ));
            }
        }
        files.push(file);
    }
    match files.len() {
        0 => Err(WorkloadError::Unfit("a trace needs a file".into())),
        1 => Ok(files.remove(0)),
        _ if options.chain || !files[0].has_arrivals() => {
            TraceReader::over(files, |files| Ok(Box::new(Chain::new(files))))
        }
        _ => TraceReader::over(files, |files| Ok(Box::new(Merged::new(files)?))),
    }
}
