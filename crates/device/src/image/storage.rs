//! The file under an image. A test of power cuts may follow what is written to it, and when it is synced.

use std::fs::File;
use std::io;
use std::ops::Deref;
use std::os::unix::fs::FileExt;
use std::sync::{Arc, Mutex, PoisonError};

/// A change of the file under an image.
#[doc(hidden)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileChange {
    /// These bytes were written at an offset.
    Write(u64, Vec<u8>),
    /// All writes before were made to outlive the machine's power.
    Sync,
}

/// Changes of a file, in order.
#[doc(hidden)]
pub type FileChanges = Arc<Mutex<Vec<FileChange>>>;

/// A file whose changes can be followed.
#[derive(Debug)]
pub(super) struct Storage {
    file: File,
    changes: Option<FileChanges>,
}

impl Storage {
    pub(super) fn new(file: File) -> Self {
        Self { file, changes: None }
    }

    pub(super) fn follow(&mut self, changes: FileChanges) {
        self.changes = Some(changes);
    }

    fn changed(&self, change: impl FnOnce() -> FileChange) {
        if let Some(changes) = &self.changes {
            changes.lock().unwrap_or_else(PoisonError::into_inner).push(change());
        }
    }

    pub(super) fn sync_data(&self) -> io::Result<()> {
        self.file.sync_data()?;
        self.changed(|| FileChange::Sync);
        Ok(())
    }

    pub(super) fn sync_all(&self) -> io::Result<()> {
        self.file.sync_all()?;
        self.changed(|| FileChange::Sync);
        Ok(())
    }
}

/// What changes no bytes.
impl Deref for Storage {
    type Target = File;

    fn deref(&self) -> &File {
        &self.file
    }
}

impl FileExt for Storage {
    fn read_at(&self, bytes: &mut [u8], at: u64) -> io::Result<usize> {
        self.file.read_at(bytes, at)
    }

    fn write_at(&self, bytes: &[u8], at: u64) -> io::Result<usize> {
        let written = self.file.write_at(bytes, at)?;
        self.changed(|| FileChange::Write(at, bytes[..written].to_vec()));
        Ok(written)
    }
}
