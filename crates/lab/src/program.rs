//! Identity of the program: whose kept runs it may go on with.

use crate::catalogue;
use crate::hash::hash_file;
use std::io;
use std::path::Path;

/// Hash of the sources that decide what a run measures, with the versions of their dependencies.
const SOURCES: &str = env!("FTLKIT_SOURCES");

/// Identity of this program: two programs of one identity measure the same in every run.
///
/// A program with the workspace's own schemes and policies is known by their sources, so that every command and package
/// built from them has one identity. One that installed others is known by its file as well. Policies that were added while
/// it ran are no part of it (`catalogue::code_of`): they count in the runs that use them.
///
/// # Errors
/// If the program's file cannot be read.
pub fn identity() -> io::Result<String> {
    let mut identity = SOURCES.to_owned();
    if catalogue::is_extended() {
        identity.push_str(&hash_file(&std::env::current_exe()?)?);
    }
    Ok(identity)
}

/// SHA-256 of a file's content, as kept runs and portable experiments know traces.
///
/// # Errors
/// If the file cannot be read.
pub fn file_sha256(path: &Path) -> io::Result<String> {
    hash_file(path)
}
