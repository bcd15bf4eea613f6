//! Files that have their names only when they are whole.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Where a file is written until it is whole: beside it, hidden, with the number of the process.
#[must_use]
pub fn part_of(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().display();
    path.with_file_name(format!(".{name}.{}.part", std::process::id()))
}

/// Writes a file beside its place, and renames it when it is whole. What was there is replaced, a link itself and not its
/// target; if anything fails, it stays as it was.
///
/// # Errors
/// The system's, or that of `write`.
pub fn write_whole(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let part = part_of(path);
    let mut to = BufWriter::new(File::create_new(&part)?);
    let done = write(&mut to).and_then(|()| to.flush()).and_then(|()| fs::rename(&part, path));
    // What is left of it is of no use.
    done.inspect_err(|_| drop(fs::remove_file(&part)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fails_leaves_the_old_file_and_nothing_beside_it() {
        let folder = std::env::temp_dir().join(format!("ftlkit-whole-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("a");
        write_whole(&path, |to| to.write_all(b"old")).unwrap();
        let failed = write_whole(&path, |to| {
            to.write_all(b"new")?;
            Err(io::ErrorKind::StorageFull.into())
        });
        assert_eq!(failed.unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        fs::remove_dir_all(folder).unwrap();
    }
}
