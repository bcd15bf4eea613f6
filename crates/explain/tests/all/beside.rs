//! Two schemes on the same requests.

use crate::settings;
use ftlkit_explain::{Recording, What, record_beside};

/// The requests of a recording, those of the fill included.
fn requests(recording: &Recording) -> Vec<(bool, &'static str, Option<u32>)> {
    let tasks = recording.frames.iter().filter_map(|frame| match frame.what {
        What::Task { fill, op, lpn, .. } => Some((fill, op, lpn)),
        _ => None,
    });
    tasks.collect()
}

#[test]
fn both_get_the_requests_of_the_one_that_exports_less() {
    for (left, right) in
        [("lazy-rtgc", "page-level"), ("page-level", "fast"), ("dftl", "gftl"), ("bast", "dftl")]
    {
        let both = record_beside([settings(left), settings(right)]).unwrap();
        let [one, other] = &both;
        assert_eq!(requests(one), requests(other), "{left} and {right}");
        let size = |of: &Recording| (of.header.blocks, of.header.pages_per_block);
        assert_eq!(size(one), size(other), "{left} and {right}");
        assert_eq!(one.header.workload, other.header.workload);
        let space = one.header.logical_pages.min(other.header.logical_pages);
        let fill = requests(one).iter().filter(|(fill, ..)| *fill).count();
        assert_eq!(fill as u32, space, "{left} and {right}");
        let highest = requests(one).iter().filter_map(|(.., lpn)| *lpn).max();
        assert!(highest < Some(space), "{left} and {right}");
        let notes = both.each_ref().map(|of| of.header.notes.last().cloned());
        assert!(
            notes[0] == notes[1] && notes[0].as_ref().unwrap().contains("exports"),
            "{notes:?}"
        );
    }
}
