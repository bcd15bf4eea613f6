//! Power cuts at every operation of a short run.

use crate::{changes, is_finding, recorded, refused, settings};
use ftl::registry::REGISTRY;
use ftlkit_explain::{PageState, Settings, What, record};

const REQUESTS: Option<u64> = Some(30);

#[test]
fn every_operation_of_every_scheme_may_be_cut() {
    for preset in REGISTRY {
        for scheme in
            [preset.name.to_owned(), format!("{}+buffer=lru+buffer_size=8KiB", preset.name)]
        {
            let whole = record(Settings { requests: REQUESTS, ..settings(&scheme) });
            let whole = whole.unwrap_or_else(|error| panic!("{scheme}: {error}"));
            for cut in 0..changes(&whole) {
                let recording = record(Settings {
                    requests: REQUESTS,
                    power_cuts: vec![cut],
                    ..settings(&scheme)
                });
                let recording = match recording {
                    Ok(recording) => recording,
                    Err(error) => panic!("{scheme}, cut at {cut}: {error}"),
                };
                let of = |what: fn(&What) -> bool| {
                    recording.frames.iter().filter(|frame| what(&frame.what)).count()
                };
                assert_eq!(of(|what| matches!(what, What::PowerCut { .. })), 1, "{scheme}, {cut}");
                assert_eq!(of(|what| matches!(what, What::Mounted { .. })), 1, "{scheme}, {cut}");
            }
        }
    }
}

#[test]
fn a_cut_tears_the_operation_that_it_names() {
    let recording = record(Settings { power_cuts: vec![3], ..settings("page-level") }).unwrap();
    let whole = recorded("page-level");
    let at = recording.frames.iter().position(|frame| matches!(frame.what, What::PowerCut { .. }));
    let at = at.unwrap();
    // All frames before are those of the whole run.
    assert_eq!(recording.frames[..at - 1], whole.frames[..at - 1]);
    let What::Operation { page: Some(page), .. } = recording.frames[at - 1].what else {
        panic!("{:?}", recording.frames[at - 1]);
    };
    assert_eq!(recording.state_at(at).pages[page as usize].state, PageState::Torn);
    let before = &recording.frames[recording.header.first + 1..at];
    let changing = before.iter().filter(|frame| {
        matches!(frame.what, What::Operation { op: "program" | "copy" | "erase", .. })
    });
    assert_eq!(changing.count(), 4, "operations 0 to 3");
}

/// Operations are numbered from 0, those that were cut and those of mounts included.
#[test]
fn cuts_come_at_the_operations_that_they_name() {
    let named = [2, 9, 31];
    let recording =
        record(Settings { power_cuts: named.to_vec(), ..settings("page-level") }).unwrap();
    let (mut done, mut found) = (0, Vec::new());
    for frame in &recording.frames[recording.header.first + 1..] {
        match frame.what {
            What::Operation { op: "program" | "copy" | "erase", .. } => done += 1,
            What::PowerCut { operation } => {
                assert_eq!(done, operation + 1, "the cut operation is the last one");
                found.push(operation);
            }
            _ => {}
        }
    }
    assert_eq!(found, named);
}

#[test]
fn a_cut_erase_leaves_a_torn_block() {
    let whole = recorded("page-level");
    let measured = whole.frames.iter().skip(whole.header.first + 1);
    let mut changing = measured.filter_map(|frame| match frame.what {
        What::Operation { op: op @ ("program" | "copy" | "erase"), block, .. } => Some((op, block)),
        _ => None,
    });
    let at = changing.clone().position(|(op, _)| op == "erase").unwrap();
    let (_, block) = changing.nth(at).unwrap();
    let recording =
        record(Settings { power_cuts: vec![at as u64], ..settings("page-level") }).unwrap();
    let cut = recording.frames.iter().position(|frame| matches!(frame.what, What::PowerCut { .. }));
    let pages = recording.header.pages_per_block as usize;
    let state = recording.state_at(cut.unwrap());
    let torn = &state.pages[block as usize * pages..(block as usize + 1) * pages];
    assert!(torn.iter().all(|page| page.state == PageState::Torn), "{torn:?}");
}

#[test]
fn a_mount_may_be_cut_too() {
    let mut cut_mounts = 0;
    for cut in 0..40 {
        let power_cuts = vec![cut, cut + 1, cut + 2];
        let recording = match record(Settings { power_cuts, ..settings("bast") }) {
            Ok(recording) => recording,
            Err(error) => panic!("cut at {cut}: {error}"),
        };
        let mounts = recording.frames.iter().filter(|frame| frame.what == What::Mount).count();
        let mounted =
            recording.frames.iter().filter(|frame| matches!(frame.what, What::Mounted { .. }));
        assert_eq!(mounts, 3);
        cut_mounts += mounts - mounted.count();
    }
    assert!(cut_mounts > 0, "no mount was cut");
}

#[test]
fn a_cut_that_never_comes_is_refused() {
    let error = refused(Settings { power_cuts: vec![1_000_000], ..settings("page-level") });
    assert!(error.contains("1000000 never comes"), "{error}");
    let error = record(Settings { power_cuts: vec![9, 4], ..settings("page-level") }).unwrap_err();
    assert!(!is_finding(&error) && error.to_string().contains("ascending"), "{error}");
}
