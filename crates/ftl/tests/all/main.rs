//! Tests of schemes through the public interface.

mod bench;
mod buffer;
mod buffer_aware;
mod erase_counts;
mod gftl;
mod lost_pages;
mod nftl;
mod plain_writes;
mod retiring;
mod victim_policies;

/// Number of occurrences of `what` in the files of a directory of this crate.
fn declared_in(directory: &str, what: &str) -> usize {
    let directory = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(directory);
    let paths = std::fs::read_dir(directory).unwrap().map(|file| file.unwrap().path());
    let files = paths.filter(|path| path.is_file());
    files.map(|path| std::fs::read_to_string(path).unwrap().matches(what).count()).sum()
}
