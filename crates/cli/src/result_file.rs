//! A file of results: checked before a run, so that no result is lost after it, and never there in part.

use crate::failure::Failure;
use lab::report::plots::Curves;
use lab::report::{part_of, write_whole};
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// What a file holds, and how files of it begin: they alone are replaced.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Content {
    /// Name for messages, with its article: `an HTML page`.
    name: &'static str,
    /// First bytes; letters of either case.
    begin: &'static [u8],
    /// A file name, as an example.
    example: &'static str,
}

impl Content {
    /// A page.
    pub(crate) const PAGE: Self =
        Self { name: "an HTML page of ftlkit", begin: PAGE_BEGINS, example: "report.html" };
    /// Signals of a channel over time.
    #[cfg(feature = "papers")]
    pub(crate) const SIGNALS: Self =
        Self { name: "a value change dump", begin: b"$comment", example: "signals.vcd" };
    /// A drawing.
    pub(crate) const DRAWING: Self =
        Self { name: "an SVG drawing", begin: b"<svg ", example: "curves.svg" };
    /// A recording as JSON lines.
    pub(crate) const LINES: Self = Self {
        name: "a recording of `ftlkit explain`",
        begin: b"{\"blocks\":",
        example: "run.jsonl",
    };
}

/// How pages begin: those of other programs do not say what a page may load before anything else.
const PAGE_BEGINS: &[u8] = b"<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta \
    http-equiv=\"Content-Security-Policy\" content=\"";

/// A file that results can be written into.
#[derive(Clone, Debug)]
pub(crate) struct ResultFile {
    path: PathBuf,
}

impl ResultFile {
    /// The file that `option` names, if it can be written and is not another's.
    pub(crate) fn new(option: &str, path: &Path, content: Content) -> Result<Self, Failure> {
        let refused = |why: String, help: String| {
            Err(Failure::input_with_help(format!("{option} {}: {why}", path.display()), help))
        };
        let name = format!("name a file, such as `{option} {}`", content.example);
        if path.as_os_str() == "-" {
            return refused(format!("{} is not for the terminal", content.name), name);
        }
        if path.is_dir() || path.file_name().is_none() {
            return refused("this is a folder".into(), name);
        }
        let file = Self { path: path.to_owned() };
        if path.is_symlink() {
            let why = "this is a link, and none is followed".into();
            return refused(why, "name another file".into());
        }
        if file.path.exists() {
            match file.holds(content) {
                Ok(true) => {}
                Ok(false) => {
                    let why = format!("the file is there, and is not {}", content.name);
                    return refused(why, "it is not replaced; name another file".into());
                }
                Err(error) => return refused(error.to_string(), name),
            }
        }
        let part = part_of(path);
        match File::create_new(&part).and_then(|_| fs::remove_file(&part)) {
            Ok(()) => Ok(file),
            Err(error) => {
                let why = format!("it cannot be written: {error}");
                refused(why, "the folder must be there and writable".into())
            }
        }
    }

    /// True if the file has this content or is empty, and may be written.
    fn holds(&self, content: Content) -> io::Result<bool> {
        if !self.path.metadata()?.is_file() {
            return Ok(false);
        }
        let mut head = Vec::new();
        let file = File::options().read(true).append(true).open(&self.path)?;
        file.take(content.begin.len() as u64).read_to_end(&mut head)?;
        Ok(head.is_empty() || head.eq_ignore_ascii_case(content.begin))
    }

    /// Writes the file, which has its name only when it is whole.
    pub(crate) fn write(
        &self,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Failure> {
        write_whole(&self.path, write).map_err(|error| {
            Failure::internal(format!("cannot write {}: {error}", self.path.display()))
        })
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

/// A file that a drawing can be written into.
#[derive(Clone, Debug)]
pub(crate) struct DrawingFile(ResultFile);

impl DrawingFile {
    /// The file that `--plot` names, if it can be written and is not another's.
    pub(crate) fn of(path: Option<&Path>) -> Result<Option<Self>, Failure> {
        path.map(|path| ResultFile::new("--plot", path, Content::DRAWING).map(Self)).transpose()
    }

    /// Draws into it.
    pub(crate) fn write(&self, curves: &Curves) -> Result<(), Failure> {
        let svg = curves.svg().map_err(|error| Failure::internal(error.to_string()))?;
        self.0.write(|to| to.write_all(svg.as_bytes()))
    }
}

/// Writes a text that is generated, such as a page of a reference. A file that is there is replaced if it begins with the
/// same line; another one, and a link, is an error.
///
/// # Errors
/// The system's, or [`io::ErrorKind::AlreadyExists`].
pub(crate) fn regenerate(path: &Path, text: &str) -> io::Result<()> {
    replace(path, text, |old| old.lines().next() == text.lines().next())
}

/// As [`regenerate`], for texts of which `is_own` tells whether one that is there is replaced.
///
/// # Errors
/// As [`regenerate`].
pub(crate) fn replace(path: &Path, text: &str, is_own: impl Fn(&str) -> bool) -> io::Result<()> {
    let own = |path: &Path| fs::read_to_string(path).is_ok_and(|old| is_own(&old));
    match fs::symlink_metadata(path) {
        Ok(there) if !there.is_file() || !own(path) => {
            return Err(io::Error::new(
                io::ErrorKind::AlreadyExists,
                "the file is there and is another's; it is not replaced",
            ));
        }
        _ => {}
    }
    write_whole(path, |to| to.write_all(text.as_bytes()))
}
