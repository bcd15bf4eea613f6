//! Errors of an image: of its file, and of what is in it.

use std::io;
use std::path::PathBuf;

/// Reason why an image cannot be made, opened or used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImageError {
    /// An operation on the file failed.
    #[error(transparent)]
    Io(#[from] IoFailure),
    /// The file has an owner.
    #[error("`{}` is in use, by another process or by this one: an image has one user at a time", .0.display())]
    InUse(PathBuf),
    /// A folder, a pipe, or something else that is no regular file.
    #[error("`{}` is not a flash image: it is no regular file", .0.display())]
    NotAFile(PathBuf),
    /// A symbolic link to nothing.
    #[error("`{}` is a symbolic link, and the file it names is missing", .0.display())]
    Dangling(PathBuf),
    /// The file is something else.
    #[error("`{}` is not a flash image: it does not begin with `ftlimage`{}", path.display(), if *.zeros { ", but with zeros; its creation may have been interrupted: delete it" } else { "" })]
    Foreign {
        /// The file.
        path: PathBuf,
        /// True if the header is all zeros.
        zeros: bool,
    },
    /// The header is damaged.
    #[error("`{}`: the header is damaged: {reason}", path.display())]
    Header {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// The file was written by a newer program.
    #[error("`{}` is a flash image of version {version}, made by a newer ftlkit; this one reads versions 1 to {}", path.display(), super::layout::VERSION)]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        version: u32,
    },
    /// Part of the file is missing, or there is too much of it.
    #[error("`{}` has {found} bytes; an image of its geometry has {expected}", path.display())]
    Length {
        /// The file.
        path: PathBuf,
        /// Bytes by its header.
        expected: u64,
        /// Bytes of the file.
        found: u64,
    },
    /// Records are damaged so that nobody can tell what their pages held: older data would be read in their place.
    #[error("`{}` is damaged (places: {count}), so that older data would be read as if it were the newest; the first: {first}; `ftlkit image check` lists them, and `ftlkit image repair` tells what would be lost without them", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The first finding.
        first: String,
        /// Their number.
        count: u64,
    },
    /// One copy of the header or of the description is damaged.
    #[error("`{}`: one of the two copies of the header and description is damaged, and the other one is whole; they are the first and the last bytes of the file, so much else may be damaged: `ftlkit image check` lists it, and `ftlkit image repair` tells what it costs to mend it", .0.display())]
    HeadCopy(PathBuf),
    /// The description cannot be written down.
    #[error("an image cannot keep this device: {0}")]
    Description(String),
}

/// A failed operation on the file of an image.
#[derive(Debug, thiserror::Error)]
#[error("cannot {what} `{}`: {source}", path.display())]
pub struct IoFailure {
    /// The operation.
    pub what: &'static str,
    /// The file.
    pub path: PathBuf,
    /// The reason.
    pub source: io::Error,
}
