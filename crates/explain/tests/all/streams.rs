//! Placement streams, reclaim units and classes.

use crate::{recorded, refused, settings};
use ftlkit_explain::{Content, Put, Recording, Settings, What, record, svg, text};
use std::collections::BTreeMap;

fn with_fdp(fdp: &str) -> Settings {
    let mut settings = settings("page-level");
    settings.experiment.fdp = Some(fdp.parse().expect("FDP settings"));
    settings
}

/// Every page of a block of a stream was last written with it; pages that were moved are with others only where they may be.
fn streams_of_blocks(recording: &Recording, isolated: bool) -> BTreeMap<String, u32> {
    let pages = recording.header.pages_per_block as usize;
    let (mut named, mut met) = (BTreeMap::new(), BTreeMap::new());
    for (at, frame) in recording.frames.iter().enumerate() {
        if let What::Task { op: "write", lpn: Some(lpn), stream, .. } = frame.what {
            named.insert(lpn, stream.unwrap_or(0));
        }
        if !matches!(frame.what, What::TaskEnd { .. }) {
            continue;
        }
        let state = recording.state_at(at);
        for (block, put) in state.placed.iter().enumerate() {
            let role = state.blocks[block].0;
            assert_eq!(put.is_some(), role != "free", "block {block}, {role}: {put:?}");
            let Some(put) = put else { continue };
            *met.entry(put.to_string()).or_default() += 1;
            let Put::Stream(stream) = put else {
                assert!(!isolated && *put == Put::Copies, "{put}");
                continue;
            };
            for page in &state.pages[block * pages..(block + 1) * pages] {
                let (Content::Lpn(lpn), ftlkit_explain::PageState::Valid) =
                    (page.content, page.state)
                else {
                    continue;
                };
                assert_eq!(named[&lpn], *stream, "frame {at}, block {block}, LPN {lpn}");
            }
        }
    }
    met
}

#[test]
fn blocks_hold_pages_of_their_stream() {
    for (fdp, isolated) in [("ruhs=3", false), ("ruhs=3,isolation=persistently", true)] {
        let mut settings = with_fdp(fdp);
        settings.requests = Some(40);
        // More blocks than the least, so that no page is displaced.
        settings.blocks = Some(14);
        let recording = record(settings).expect("a recording");
        assert_eq!(recording.header.handles, Some((3, 1)));
        let met = streams_of_blocks(&recording, isolated);
        for put in ["stream 0", "stream 1", "stream 2"] {
            assert!(met.get(put).is_some_and(|count| *count > 20), "{put}: {met:?}");
        }
        assert_eq!(met.contains_key("copies"), !isolated, "{met:?}");
        let told = text::render(&recording, false, 200);
        assert!(told.contains("full, stream 2") && told.contains(", stream 1\n"), "{told}");
        let last = svg::frame(&recording, recording.frames.len() - 1).expect("a frame");
        assert!(last.contains(">stream 2</text>"), "{last}");
    }
}

#[test]
fn groups_have_streams_of_their_own() {
    let recording = record(with_fdp("ruhs=2,groups=2")).expect("a recording");
    assert_eq!(recording.header.handles, Some((2, 2)));
    let state = recording.state_at(recording.frames.len() - 1);
    let of_group = |group: usize| {
        let placed = state.placed.iter().enumerate().filter(move |(block, _)| block % 2 == group);
        placed.filter_map(|(_, put)| *put).collect::<Vec<_>>()
    };
    assert!(of_group(0).iter().all(|put| matches!(put, Put::Stream(0 | 1) | Put::Copies)));
    assert!(of_group(1).iter().all(|put| matches!(put, Put::Stream(2 | 3) | Put::Copies)));
    assert!(of_group(1).contains(&Put::Stream(2)), "{:?}", state.placed);
}

#[test]
fn classes_of_other_policies_are_told() {
    let recording = recorded("page-level+placement=dac");
    let state = recording.state_at(recording.frames.len() - 1);
    assert_eq!(recording.header.handles, None);
    assert!(state.placed.iter().flatten().all(|put| matches!(put, Put::Class(_))));
    assert!(state.placed.iter().flatten().count() > 2, "{:?}", state.placed);
    let plain = recorded("page-level");
    assert!(plain.frames.iter().all(|frame| frame.changes.placed.is_empty()));
}

#[test]
fn a_reclaim_unit_is_a_block() {
    let said = refused(with_fdp("ruhs=3,ru=32KiB"));
    assert!(said.contains("fdp") && said.contains("omit `ru`"), "{said}");
}
