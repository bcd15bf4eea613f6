//! What every scheme records.

use crate::{recorded, refused, settings};
use ftl::{MergeKind, registry::REGISTRY};
use ftlkit_explain::{Frame, PageState, Recording, Settings, What, Where, record};
use lab::config::{PartTable, TextOrTable};
use std::collections::BTreeSet;

fn captions(recording: &Recording) -> impl Iterator<Item = &str> {
    recording.frames.iter().map(|frame| frame.caption.as_str())
}

/// The comparison with the scheme's map is part of every recording.
#[test]
fn every_scheme_agrees_with_its_map() {
    for preset in REGISTRY {
        for seed in 1..=5 {
            for suffix in ["", "+buffer=lru+buffer_size=16KiB", "+buffer=fab+buffer_size=64KiB"] {
                let mut settings = settings(&format!("{}{suffix}", preset.name));
                settings.experiment.seed = seed;
                settings.requests = Some(200);
                let recording = match record(settings) {
                    Ok(recording) => recording,
                    Err(error) => panic!("{}{suffix}, seed {seed}: {error}", preset.name),
                };
                assert!(recording.header.tells_map, "{} tells no map", preset.name);
                assert!(recording.header.first > 24, "{}: the fill is recorded", preset.name);
                let roles = recording.state_at(recording.frames.len() - 1).blocks;
                assert!(
                    roles.iter().all(|(role, _)| !role.is_empty()),
                    "{}: {roles:?}",
                    preset.name
                );
            }
        }
    }
}

/// A block in SLC mode of a TLC part shows a third of its pages, and all of them once it is erased.
#[test]
fn a_block_in_slc_mode_has_the_pages_that_it_can_hold() {
    let mut settings = settings("page-level+slc=static:30%");
    settings.experiment.part = Some(TextOrTable(PartTable::named("mqsim-cxl-tlc")));
    settings.experiment.precondition = "none".parse().unwrap();
    settings.requests = Some(40);
    let recording = record(settings).unwrap();
    let pages = recording.header.pages_per_block as usize;
    let (mut slc, mut others) = (0, 0);
    for at in 0..recording.frames.len() {
        if !matches!(recording.frames[at].what, What::TaskEnd { .. }) {
            continue;
        }
        let state = recording.state_at(at);
        for (block, (role, _)) in state.blocks.iter().enumerate() {
            let own = &state.pages[block * pages..(block + 1) * pages];
            let absent = own.iter().filter(|page| page.state == PageState::Absent).count();
            let in_slc_mode = *role == "SLC";
            assert_eq!(absent, if in_slc_mode { pages - pages / 3 } else { 0 }, "{role}: {own:?}");
            *(if in_slc_mode { &mut slc } else { &mut others }) += 1;
        }
    }
    assert!(slc > 10 && others > 10, "{slc} {others}");
}

#[test]
fn captions_are_complete() {
    for preset in REGISTRY {
        let recording = recorded(preset.name);
        for caption in captions(&recording) {
            assert!(
                !caption.contains(['{', '}']) && !caption.is_empty(),
                "{}: {caption}",
                preset.name
            );
        }
        let erases = captions(&recording).filter(|caption| caption.contains(": erase ")).count();
        assert!(erases > 0, "{} erases nothing: its collection is not shown", preset.name);
        let events =
            recording.frames.iter().filter(|frame| matches!(frame.what, What::Event { .. }));
        assert!(events.count() > 0, "{} tells no decision", preset.name);
    }
}

#[test]
fn the_tour_shows_all_three_merges() {
    for scheme in ["bast", "fast", "ba-gc+buffer=none"] {
        let recording = recorded(scheme);
        for kind in MergeKind::ALL {
            let name = kind.cause().name();
            let begun = recording.frames.iter().any(
                |frame| matches!(&frame.what, What::Event { name: event, .. } if *event == name),
            );
            assert!(begun, "{scheme} shows no {name}");
        }
        assert!(
            captions(&recording).any(|caption| caption.starts_with("full merge of LBN ")
                && caption.contains(": copy LPN ")
                && caption.contains("log block ")),
            "{scheme}: no caption of a copy in a full merge"
        );
    }
}

/// An operation behind the end of a merge is not said to be of it.
#[test]
fn captions_of_a_merge_end_with_it() {
    for scheme in ["fast", "bast", "nftl"] {
        let recording = recorded(scheme);
        let mut open = false;
        let mut behind = 0;
        for frame in &recording.frames {
            match &frame.what {
                What::Event { name, .. } => match *name {
                    "switch-merge" | "partial-merge" | "full-merge" | "fold" => open = true,
                    "merge-end" | "fold-end" => open = false,
                    _ => {}
                },
                What::Operation { cause, .. } if cause.ends_with("-merge") => {
                    let of_logical = frame.caption.contains(" of LBN ");
                    assert_eq!(of_logical, open, "{scheme}: {}", frame.caption);
                    behind += u32::from(!open);
                }
                _ => {}
            }
        }
        assert!(scheme != "fast" || behind > 0, "the log block is erased behind its merges");
    }
}

#[test]
fn times_add_up() {
    for preset in REGISTRY {
        let recording = recorded(preset.name);
        let measured = &recording.frames[recording.header.first + 1..];
        let mut group = (u32::MAX, 0, 0);
        for frame in measured {
            if frame.group != group.0 {
                group = (frame.group, 0, 0);
            }
            match frame.what {
                What::Operation { ns, step: false, .. } => group.1 += ns,
                What::Operation { ns, step: true, .. } => group.2 += ns,
                What::TaskEnd { service_ns, step_ns, exceeded } => {
                    assert!(!exceeded, "{}: {}", preset.name, frame.caption);
                    // A buffer's RAM takes time, too, which is service.
                    assert!(service_ns >= group.1, "{}: {}", preset.name, frame.caption);
                    assert_eq!(step_ns, group.2, "{}: {}", preset.name, frame.caption);
                }
                _ => {}
            }
        }
        assert!(
            measured.is_sorted_by_key(|frame| frame.at_ns),
            "{}: the clock goes back",
            preset.name
        );
    }
}

/// Of each logical page one physical page at most is in force, and it is where the map says.
#[test]
fn one_page_is_in_force() {
    for preset in REGISTRY {
        let recording = recorded(preset.name);
        let ends = |frame: &Frame| matches!(frame.what, What::TaskEnd { .. });
        for at in (0..recording.frames.len()).filter(|at| ends(&recording.frames[*at])) {
            let state = recording.state_at(at);
            let valid = |(ppn, page): (usize, &ftlkit_explain::Page)| {
                let ftlkit_explain::Content::Lpn(lpn) = page.content else { return None };
                (page.state == PageState::Valid).then_some((lpn, Where::Page(ppn as u32)))
            };
            let shown: Vec<_> = state.pages.iter().enumerate().filter_map(valid).collect();
            let distinct: BTreeSet<u32> = shown.iter().map(|(lpn, _)| *lpn).collect();
            assert_eq!(distinct.len(), shown.len(), "{}, frame {at}", preset.name);
            for (lpn, place) in shown {
                assert_eq!(
                    state.map[lpn as usize], place,
                    "{}, frame {at}, LPN {lpn}",
                    preset.name
                );
            }
            let on_flash = state.map.iter().filter(|place| matches!(place, Where::Page(_)));
            assert_eq!(on_flash.count(), distinct.len(), "{}, frame {at}", preset.name);
        }
    }
}

#[test]
fn what_cannot_be_shown_is_refused() {
    let text = |scheme: &str, change: fn(&mut Settings)| {
        let mut settings = settings(scheme);
        change(&mut settings);
        refused(settings)
    };
    for (scheme, change, said) in [
        ("page-lvel", (|_| {}) as fn(&mut Settings), "did you mean `page-level`?"),
        ("page-level+wear=gap:9", |_| {}, "wear: has swaps below the scheme"),
        ("page-level+copy=dgcb", |_| {}, "ftlkit copyback"),
        ("page-level", |settings| settings.blocks = Some(100_000), "at most 4096 can be shown"),
        ("page-level", |settings| settings.requests = Some(1_000_000), "too many to show"),
        ("page-level", |settings| settings.blocks = Some(1), "page-level"),
        (
            "page-level",
            |settings| settings.experiment.precondition = "full+steady".parse().unwrap(),
            "takes full, footprint or none",
        ),
        (
            "page-level",
            |settings| settings.experiment.precondition = "full+age=900".parse().unwrap(),
            "too many to show",
        ),
    ] {
        let found = text(scheme, change);
        assert!(found.contains(said), "{scheme}: {found}");
    }
}

#[test]
fn a_run_with_too_many_steps_is_refused() {
    let mut settings = settings("page-level");
    settings.requests = Some(4900);
    assert!(refused(settings).contains("more than 20000 frames"));
}
