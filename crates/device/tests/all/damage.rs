//! Files that are no image, or a damaged one: refused, or reported page by page.

use crate::on_disk::folder;
use flash::{BlockId, Cause, Flash, FlashError, Geometry, Lpn, Oob, Part, Ppn, parts};
use ftlkit_device::image::{Description, Fault, Finding, Image, ImageError};
use std::fs::OpenOptions;
use std::os::unix::fs::FileExt;
use std::path::Path;

fn part() -> Part {
    let part = parts::by_name("evaluation-slc").expect("it is in the catalogue").clone();
    Part { page_bytes: 64, pages_per_block: 4, ..part }
}

/// Three blocks of four pages of 64 bytes: block 0 full, two pages in block 1 after an erase, block 2 erased.
fn make(path: &Path) {
    let geometry = Geometry::new(3, 4, 64).unwrap();
    let mut image = Image::create(path, geometry, &Description::of_part(&part())).unwrap();
    image.erase(BlockId(1), Cause::Host).unwrap();
    for ppn in (0..6).map(Ppn) {
        let bytes = [ppn.0 as u8 + 1; 64];
        image.program(ppn, Oob::data(Lpn(ppn.0), 9), Some(&bytes), Cause::Host).unwrap();
    }
    image.shut_down().unwrap();
}

/// Another version may describe a part in other words; with other figures it is another part.
#[test]
fn a_part_is_known_by_its_figures_not_by_its_words() {
    let folder = folder();
    let path = folder.path().join("image");
    make(&path);
    let mut image = Image::open(&path).unwrap();
    let words = Part { description: "said anew".into(), source: "another page".into(), ..part() };
    image.use_with(&words).unwrap();
    let times = Part { t_prog_ns: part().t_prog_ns + 1, ..part() };
    assert!(matches!(image.use_with(&times), Err(ImageError::Description(_))));
}

fn edit(path: &Path, at: u64, bytes: &[u8]) {
    let file = OpenOptions::new().write(true).open(path).unwrap();
    file.write_all_at(bytes, at).unwrap();
}

/// Offsets of `docs/image.md`: block records, page records, page bytes.
const BLOCKS_AT: u64 = 65_536;
const PAGES_AT: u64 = BLOCKS_AT + 4096;
const BYTES_AT: u64 = PAGES_AT + 4096;

fn findings(path: &Path) -> Vec<Finding> {
    let mut findings = Vec::new();
    let tally = Image::inspect(path).unwrap().check(|finding| findings.push(finding)).unwrap();
    assert_eq!(tally.faults as usize, findings.len());
    findings
}

#[test]
fn files_that_are_no_whole_image_are_refused_with_the_reason() {
    let folder = folder();
    let path = folder.path().join("device.img");
    let whole = {
        make(&path);
        std::fs::read(&path).unwrap()
    };
    let newer = {
        let mut head = whole[..32].to_vec();
        head[8..12].copy_from_slice(&2_u32.to_le_bytes());
        let check = crc32fast::hash(&head);
        [head, check.to_le_bytes().to_vec(), whole[36..].to_vec()].concat()
    };
    let with = |at: usize, bit: u8| {
        let mut bytes = whole.clone();
        bytes[at] ^= bit;
        bytes
    };
    let cases: [(Vec<u8>, &str); 11] = [
        (Vec::new(), "is not a flash image"),
        (b"#!/bin/sh\n".to_vec(), "is not a flash image: it does not begin with `ftlimage`"),
        (vec![0; whole.len()], "its creation may have been interrupted"),
        (whole[..whole.len() - 1].to_vec(), "bytes; an image of its geometry has"),
        (whole[..40].to_vec(), "bytes; an image of its geometry has"),
        ([&whole[..], &[0]].concat(), "bytes; an image of its geometry has"),
        (newer, "is a flash image of version 2; this program reads version 1"),
        (with(3, 1), "is not a flash image"),
        (with(13, 64), "the checksum of its fields is wrong"),
        (with(4100, 4), "the checksum of its description is wrong"),
        (
            with(BLOCKS_AT as usize + 16 + 1, 4),
            "the records of 1 blocks are damaged, the first that of block 1",
        ),
    ];
    for (bytes, reason) in cases {
        std::fs::write(&path, bytes).unwrap();
        let error = Image::open(&path).expect_err(reason).to_string();
        assert!(error.contains(reason) && error.contains("device.img"), "{error}, not {reason}");
    }
    let missing = Image::open(&folder.path().join("no.img")).unwrap_err().to_string();
    assert!(missing.contains("cannot open") && missing.contains("no.img"), "{missing}");
    let geometry = Geometry::new(3, 4, 64).unwrap();
    let exists = Image::create(&path, geometry, &Description::of_part(&part())).unwrap_err();
    assert!(exists.to_string().contains("cannot create"), "{exists}");
}

#[test]
fn an_image_has_one_user_at_a_time() {
    let folder = folder();
    let path = folder.path().join("device.img");
    make(&path);
    let image = Image::open(&path).unwrap();
    assert!(matches!(Image::open(&path), Err(ImageError::InUse(_))));
    assert!(matches!(Image::inspect(&path), Err(ImageError::InUse(_))));
    drop(image);
    let looking = Image::inspect(&path).unwrap();
    assert!(Image::inspect(&path).is_ok());
    assert!(matches!(Image::open(&path), Err(ImageError::InUse(_))));
    drop(looking);
    assert!(Image::open(&path).is_ok());
}

#[test]
fn starts_are_counted_and_a_shutdown_is_known() {
    let folder = folder();
    let path = folder.path().join("device.img");
    make(&path);
    let starts = |path| {
        let starts = Image::inspect(path).unwrap().starts();
        (starts.count, starts.clean, starts.damaged)
    };
    assert_eq!(starts(&path), (1, true, false));
    drop(Image::open(&path).unwrap());
    assert_eq!(starts(&path), (2, false, false));
    let mut image = Image::open(&path).unwrap();
    assert_eq!(image.starts().count, 2);
    image.shut_down().unwrap();
    drop(image);
    assert_eq!(starts(&path), (3, true, false));
    edit(&path, 514, &[77]);
    assert_eq!(starts(&path), (0, false, true));
    assert_eq!(findings(&path), [Finding { block: None, ppn: None, fault: Fault::Starts }]);
    assert!(Image::open(&path).is_ok());
}

#[test]
fn damaged_pages_are_reported_one_by_one_and_read_as_uncorrectable() {
    let folder = folder();
    let path = folder.path().join("device.img");
    let finding =
        |ppn: u32, fault| Finding { block: Some(BlockId(ppn / 4)), ppn: Some(Ppn(ppn)), fault };
    let page = |ppn: u64| PAGES_AT + ppn * 32;
    // Bytes at an offset, and what they do. Page 5 is the last one of its block, page 2 is not.
    let cases = [
        (BYTES_AT + 2 * 64 + 63, vec![9], 2, Fault::PageBytes),
        (BYTES_AT + 5 * 64, vec![9], 5, Fault::PageBytes),
        (page(2), vec![1], 2, Fault::PageRecord),
        (page(5) + 1, vec![1], 5, Fault::PageRecord),
        (page(5) + 30, vec![1], 5, Fault::PageRecord),
        (page(2), vec![0; 32], 2, Fault::PageMissing),
    ];
    for (at, bytes, ppn, fault) in cases {
        std::fs::remove_file(&path).ok();
        make(&path);
        assert_eq!(findings(&path), []);
        edit(&path, at, &bytes);
        assert_eq!(findings(&path), [finding(ppn, fault)], "offset {at}");
        let mut image = Image::open(&path).unwrap();
        let mut page = [0; 64];
        for other in (0..6).map(Ppn) {
            let read =
                image.read(other, Some(&mut page), Cause::Host).map(|oob| (oob.lpn.0, page[0]));
            let expected = (other.0 != ppn).then_some((other.0, other.0 as u8 + 1));
            assert_eq!(read, expected.ok_or(FlashError::Uncorrectable(other)), "offset {at}");
        }
        let copied = image.copy(Ppn(ppn), Ppn(8), 10, Cause::Collection);
        assert_eq!(copied, Err(FlashError::Uncorrectable(Ppn(ppn))));
        // Programs go on behind the damaged page, which only an erase brings back.
        assert_eq!(image.next_page(BlockId(1)), Ok(2));
        image.erase(BlockId(1), Cause::Collection).unwrap();
        image.program(Ppn(4), Oob::data(Lpn(4), 11), Some(&[8; 64]), Cause::Host).unwrap();
        assert!(image.read(Ppn(4), Some(&mut page), Cause::Host).is_ok());
    }
    // A record in the place of another one.
    make_again(&path);
    let whole = std::fs::read(&path).unwrap();
    let first = PAGES_AT as usize;
    edit(&path, page(1), &whole[first..first + 32]);
    assert_eq!(findings(&path), [finding(1, Fault::PageRecord)]);
    // A damaged block record: `open` refuses, `check` says which.
    make_again(&path);
    edit(&path, BLOCKS_AT + 16, &[0; 16]);
    let block = Finding { block: Some(BlockId(1)), ppn: None, fault: Fault::BlockRecord };
    assert_eq!(findings(&path), [block]);
    assert!(matches!(Image::open(&path), Err(ImageError::Blocks { first: 1, count: 1, .. })));
}

fn make_again(path: &Path) {
    std::fs::remove_file(path).ok();
    make(path);
}

#[test]
fn any_flipped_bit_is_found_or_changes_nothing() {
    let folder = folder();
    let path = folder.path().join("device.img");
    make(&path);
    let whole = std::fs::read(&path).unwrap();
    let read_all = |image: &mut Image| {
        (0..12)
            .map(|ppn| {
                let mut page = [0; 64];
                image.read(Ppn(ppn), Some(&mut page), Cause::Mount).map(|oob| (oob, page))
            })
            .collect::<Vec<_>>()
    };
    let right = read_all(&mut Image::inspect(&path).unwrap());
    // All that is not a hole or padding.
    let used = (0..36)
        .chain(512..528)
        .chain(4096..4200)
        .chain(BLOCKS_AT..BLOCKS_AT + 48)
        .chain(PAGES_AT..PAGES_AT + 12 * 32)
        .chain((BYTES_AT..BYTES_AT + 12 * 64).step_by(7));
    let (mut refused, mut reported, mut same) = (0, 0, 0);
    for at in used {
        let bit = 1 << (at % 8);
        edit(&path, at, &[whole[at as usize] ^ bit]);
        match Image::open(&path) {
            Err(_) => refused += 1,
            Ok(mut image) => {
                let found = read_all(&mut image);
                for (found, right) in found.iter().zip(&right) {
                    let told =
                        matches!(found, Err(FlashError::Uncorrectable(_) | FlashError::Erased(_)));
                    assert!(
                        found == right || told && right.is_ok() || right.is_err() && found.is_err(),
                        "offset {at}: {found:?}"
                    );
                }
                drop(image);
                if findings(&path).is_empty() {
                    same += 1
                } else {
                    reported += 1
                }
                if found != right {
                    assert!(!findings(&path).is_empty(), "offset {at}: a page is lost in silence");
                }
            }
        }
        edit(&path, at, &[whole[at as usize]]);
        // Opening it for use has changed the record of starts.
        edit(&path, 512, &whole[512..528]);
    }
    println!("{refused} refused, {reported} reported, {same} without effect");
    assert!(refused > 180 && reported > 200 && same > 50);
}
