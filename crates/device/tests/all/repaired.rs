//! Images that are too damaged to start from: a repair tells what would be lost, does nothing until it is asked to, and makes them
//! ones that mount.

use crate::on_disk::folder;
use flash::{BlockId, Cause, Flash, FlashError, Geometry, Lpn, Oob, Part, Ppn, parts};
use ftlkit_device::image::{Description, Image, Repaired};
use std::path::Path;

/// Offsets of `docs/image.md` for three blocks of four pages of 64 bytes.
const BLOCKS: [usize; 2] = [131_072, 147_456];
const PAGES: [usize; 2] = [135_168, 143_360];
const BYTES: usize = 139_264;
const HEADS: [usize; 2] = [0, 151_552];

fn make(path: &Path, version: u32) {
    let part = parts::by_name("evaluation-slc").unwrap().clone();
    let part = Part { page_bytes: 64, pages_per_block: 4, ..part };
    let geometry = Geometry::new(3, 4, 64).unwrap();
    let description = Description::of_part(&part);
    let mut image = match version {
        1 => Image::create_version_1(path, geometry, &description),
        _ => Image::create(path, geometry, &description),
    }
    .unwrap();
    image.erase(BlockId(1), Cause::Host).unwrap();
    for ppn in (0..6).map(Ppn) {
        let bytes = [ppn.0 as u8 + 1; 64];
        image.program(ppn, Oob::data(Lpn(ppn.0), 9), Some(&bytes), Cause::Host).unwrap();
    }
    image.shut_down().unwrap();
}

/// LPNs of the six pages; `None` where a page cannot be read.
fn pages(path: &Path) -> Vec<Option<u32>> {
    let mut image = Image::open(path).expect("it opens after the repair");
    let mut page = [0; 64];
    let read = |ppn: u32| match image.read(Ppn(ppn), Some(&mut page), Cause::Host) {
        Ok(oob) => Some(oob.lpn.0),
        Err(FlashError::Uncorrectable(_) | FlashError::Erased(_)) => None,
        Err(error) => panic!("{error}"),
    };
    let found = (0..6).map(read).collect();
    image.shut_down().unwrap();
    found
}

#[test]
fn a_repair_tells_what_it_would_do_and_does_it_when_asked() {
    let folder = folder();
    let path = folder.path().join("device.img");
    make(&path, 2);
    let whole = std::fs::read(&path).unwrap();
    let nothing = Image::repair(&path, true, |_| panic!("it is whole")).unwrap();
    assert_eq!(nothing, Repaired::default());
    assert_eq!(std::fs::read(&path).unwrap(), whole);
    let none = Repaired::default();
    // Ranges to fill, what the repair says, and the pages left.
    type Case = (Vec<std::ops::Range<usize>>, Repaired, [bool; 6]);
    let page = |ppn: usize| PAGES.map(|at| at + ppn * 32..at + ppn * 32 + 32);
    let block = |id: usize| BLOCKS.map(|at| at + id * 64..at + id * 64 + 64);
    let heads = |from: usize, to: usize| HEADS.map(|at| at + from..at + to);
    let cases: [Case; 9] = [
        (page(1).to_vec(), Repaired { pages: 1, ..none }, [true, false, true, true, true, true]),
        (page(5).to_vec(), Repaired { pages: 1, ..none }, [true, true, true, true, true, false]),
        (page(1)[..1].to_vec(), Repaired { copies: 1, ..none }, [true; 6]),
        (
            block(0).to_vec(),
            Repaired { blocks: 1, ..none },
            [false, false, false, false, true, true],
        ),
        (block(1)[1..].to_vec(), Repaired { copies: 1, ..none }, [true; 6]),
        (heads(512, 576).to_vec(), Repaired { unknown: true, ..none }, [true; 6]),
        (heads(0, 4096)[1..].to_vec(), Repaired { copies: 2, ..none }, [true; 6]),
        (
            std::iter::once(BYTES..BYTES + 1).collect(),
            Repaired { unreadable: 1, ..none },
            [false, true, true, true, true, true],
        ),
        (heads(65_536, 65_600).to_vec(), Repaired { unknown: true, ..none }, [true; 6]),
    ];
    for (ranges, expected, left) in cases {
        for fill in [0, 0x55] {
            let mut file = whole.clone();
            ranges.iter().for_each(|range| file[range.clone()].fill(fill));
            std::fs::write(&path, &file).unwrap();
            // The last page of a block looks as if it had never been programmed: the sum alone tells.
            let last = fill == 0 && ranges[..] == page(5);
            let expected = if last { Repaired { unknown: true, ..none } } else { expected };
            let told = Image::repair(&path, false, |_| {}).unwrap();
            assert_eq!(std::fs::read(&path).unwrap(), file, "a dry run changes nothing");
            let done = Image::repair(&path, true, |_| {}).unwrap();
            assert_eq!((told, done), (expected, expected), "{ranges:?}");
            let found = pages(&path);
            let expected: Vec<Option<u32>> =
                (0..6).zip(left).map(|(lpn, left)| left.then_some(lpn)).collect();
            assert_eq!(found, expected, "{ranges:?}");
            let again = Image::repair(&path, false, |_| {}).unwrap();
            assert!(again.is_nothing(), "{ranges:?}: {again:?}");
        }
    }
}

#[test]
fn the_head_and_the_length_are_repaired_first() {
    let folder = folder();
    let path = folder.path().join("device.img");
    make(&path, 2);
    let whole = std::fs::read(&path).unwrap();
    for (range, head) in
        [(3..4, true), (13..14, true), (4100..4101, true), (whole.len() - 100..whole.len(), false)]
    {
        let mut file = whole.clone();
        if head {
            file[range.clone()].fill(7)
        } else {
            file.truncate(range.start)
        }
        std::fs::write(&path, &file).unwrap();
        assert!(Image::open(&path).is_err());
        let told = Image::repair(&path, false, |_| {}).unwrap();
        assert_eq!((told.head, told.length, told.incomplete), (head, !head, true));
        assert_eq!(std::fs::read(&path).unwrap(), file);
        Image::repair(&path, true, |_| {}).unwrap();
        assert_eq!(pages(&path), (0..6).map(Some).collect::<Vec<_>>());
    }
    // Cut within the bytes of pages: the records are whole by their first copies, and reads of the pages fail.
    std::fs::write(&path, &whole[..BYTES + 130]).unwrap();
    Image::repair(&path, true, |_| {}).unwrap();
    assert_eq!(pages(&path), [Some(0), Some(1), None, None, None, None]);
    // No copy of the head is whole.
    std::fs::write(&path, &whole[..100]).unwrap();
    assert!(Image::repair(&path, true, |_| {}).is_err());
}

#[test]
fn an_image_of_version_1_goes_on_as_one() {
    let folder = folder();
    let path = folder.path().join("device.img");
    make(&path, 1);
    assert_eq!(Image::inspect(&path).unwrap().version(), 1);
    assert_eq!(pages(&path), (0..6).map(Some).collect::<Vec<_>>());
    let whole = std::fs::read(&path).unwrap();
    let page = 65_536 + 4096 + 32;
    let mut file = whole.clone();
    file[page] ^= 1;
    std::fs::write(&path, &file).unwrap();
    let refused = Image::open(&path).unwrap_err().to_string();
    assert!(refused.contains("PPN 1: the record of the page is damaged"), "{refused}");
    assert_eq!(Image::repair(&path, true, |_| {}).unwrap().pages, 1);
    assert_eq!(pages(&path), [Some(0), None, Some(2), Some(3), Some(4), Some(5)]);
    assert_eq!(std::fs::read(&path).unwrap().len(), whole.len());
}

/// Version 1: what a failure of the machine left in part is as unreadable as after a cut program, once it is asked for.
#[test]
fn an_image_of_version_1_is_recovered_as_before() {
    let folder = folder();
    let path = folder.path().join("device.img");
    make(&path, 1);
    drop(Image::open(&path).unwrap());
    let mut file = std::fs::read(&path).unwrap();
    let page = 65_536 + 4096 + 32;
    file[page..page + 32].fill(0);
    // The record of block 1 as before its erase, of an array that was just made.
    let fresh = folder.path().join("fresh.img");
    let part = parts::by_name("evaluation-slc").unwrap().clone();
    let part = Part { page_bytes: 64, pages_per_block: 4, ..part };
    let geometry = Geometry::new(3, 4, 64).unwrap();
    drop(Image::create_version_1(&fresh, geometry, &Description::of_part(&part)).unwrap());
    let block = 65_536 + 16..65_536 + 32;
    file[block.clone()].copy_from_slice(&std::fs::read(&fresh).unwrap()[block]);
    std::fs::write(&path, &file).unwrap();
    let mut image = Image::open(&path).unwrap();
    image.sync_before_erases(true);
    let recovered = image.recover().unwrap();
    assert_eq!((recovered.pages, recovered.blocks), (1, 1));
    assert!(!image.recover().unwrap().has_lost());
    assert_eq!(image.check(|finding| panic!("{finding}")).unwrap().faults, 0);
    drop(image);
    assert_eq!(pages(&path), [Some(0), None, Some(2), Some(3), None, None]);
}
