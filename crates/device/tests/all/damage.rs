//! Files that are no image, or a damaged one: refused, or reported page by page.

use crate::on_disk::folder;
use flash::{BlockId, Cause, Flash, FlashError, Geometry, Lpn, Oob, Part, Ppn, parts};
use ftlkit_device::image::{Description, Fault, Finding, Image, ImageError, Recovered};
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

/// Offsets of `docs/image.md`: block records, page records, page bytes, and the copies of the records and of the head. There are
/// two spare places.
const BLOCKS_AT: u64 = 131_072;
const PAGES_AT: u64 = BLOCKS_AT + 4096;
const BYTES_AT: u64 = PAGES_AT + 4096;
const PAGES_AGAIN_AT: u64 = BYTES_AT + 4096;
const BLOCKS_AGAIN_AT: u64 = PAGES_AGAIN_AT + 4096;
const HEAD_AGAIN_AT: u64 = BLOCKS_AGAIN_AT + 4096;

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
        head[8..12].copy_from_slice(&3_u32.to_le_bytes());
        let check = crc32fast::hash(&head);
        [head, check.to_le_bytes().to_vec(), whole[36..].to_vec()].concat()
    };
    let with = |at: usize, bit: u8| {
        let mut bytes = whole.clone();
        bytes[at] ^= bit;
        bytes
    };
    let both = |at: usize, other: usize| {
        let mut bytes = with(at, 4);
        bytes[other] ^= 1;
        bytes
    };
    let cases: [(Vec<u8>, &str); 11] = [
        (Vec::new(), "is not a flash image"),
        (b"#!/bin/sh\n".to_vec(), "is not a flash image: it does not begin with `ftlimage`"),
        (vec![0; whole.len()], "its creation may have been interrupted"),
        (whole[..whole.len() - 1].to_vec(), "bytes; an image of its geometry has"),
        (whole[..40].to_vec(), "bytes; an image of its geometry has"),
        ([&whole[..], &[0]].concat(), "bytes; an image of its geometry has"),
        (
            newer,
            "is a flash image of version 3, made by a newer ftlkit; this one reads versions 1 to 2",
        ),
        (with(3, 1), "is not a flash image"),
        (with(13, 64), "the checksum of its fields is wrong"),
        (with(4100, 4), "the checksum of its description is wrong"),
        (
            both(BLOCKS_AT as usize + 64 + 1, BLOCKS_AGAIN_AT as usize + 64 + 2),
            "is damaged (places: 1), so that older data would be read as if it were the newest; the first: block 1",
        ),
    ];
    for (bytes, reason) in cases {
        std::fs::write(&path, bytes).unwrap();
        let error = Image::open(&path).expect_err(reason).to_string();
        assert!(error.contains(reason) && error.contains("device.img"), "{error}, not {reason}");
    }
    let mut bytes = whole.clone();
    bytes[HEAD_AGAIN_AT as usize + 13] ^= 64;
    std::fs::write(&path, bytes).unwrap();
    let refused = Image::open(&path).unwrap_err();
    assert!(matches!(refused, ImageError::HeadCopy(_)), "{refused}");
    // What is no file, or none any more.
    let link = folder.path().join("link");
    std::os::unix::fs::symlink(folder.path().join("no.img"), &link).unwrap();
    let geometry = Geometry::new(3, 4, 64).unwrap();
    let made = Image::create(&link, geometry, &Description::of_part(&part()));
    for refused in [Image::open(&link), Image::inspect(&link), made] {
        assert!(matches!(refused, Err(ImageError::Dangling(_))), "{refused:?}");
    }
    for refused in [Image::open(folder.path()), Image::inspect(folder.path())] {
        assert!(matches!(refused, Err(ImageError::NotAFile(_))), "{refused:?}");
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
    let finding = |fault| Finding { block: None, ppn: None, lpn: None, fault };
    assert_eq!(starts(&path), (3, true, false), "its copy is whole");
    assert_eq!(findings(&path), [finding(Fault::StartsCopy)]);
    // The start tells, and mends it: also where nothing is changed after that. The same goes for the list of lost pages.
    let mended = || {
        let mut image = Image::claim(&path).unwrap();
        image.prepare().unwrap();
        image.recover().unwrap()
    };
    for at in [514, HEAD_AGAIN_AT + 514, 65_536, HEAD_AGAIN_AT + 65_540] {
        edit(&path, at, &[77]);
        assert_eq!(mended(), Recovered { mended: 1, ..Recovered::default() }, "offset {at}");
        assert_eq!(findings(&path), [], "offset {at}");
        assert_eq!(mended(), Recovered::default(), "offset {at}");
    }
    edit(&path, 514, &[77]);
    edit(&path, HEAD_AGAIN_AT + 520, &[77]);
    assert_eq!(starts(&path), (0, false, true));
    assert_eq!(findings(&path)[0], finding(Fault::Starts));
    let refused = Image::open(&path).unwrap_err().to_string();
    assert!(refused.contains("the record of starts is damaged"), "{refused}");
}

#[test]
fn damaged_pages_are_reported_one_by_one_and_read_as_uncorrectable() {
    let folder = folder();
    let path = folder.path().join("device.img");
    let finding = |ppn: u32, fault| {
        // Where a copy of the record is whole, it tells the logical page.
        let told = matches!(fault, Fault::PageBytes | Fault::PageCopy) && ppn < 6;
        let (block, lpn) = (Some(BlockId(ppn / 4)), told.then_some(Lpn(ppn)));
        Finding { block, ppn: Some(Ppn(ppn)), lpn, fault }
    };
    let (page, again) = (|ppn: u64| PAGES_AT + ppn * 32, |ppn: u64| PAGES_AGAIN_AT + ppn * 32);
    let lost = |image: &mut Image, ppn| {
        let mut page = [0; 64];
        for other in (0..6).map(Ppn) {
            let read =
                image.read(other, Some(&mut page), Cause::Host).map(|oob| (oob.lpn.0, page[0]));
            let expected = (Some(other.0) != ppn).then_some((other.0, other.0 as u8 + 1));
            assert_eq!(read, expected.ok_or(FlashError::Uncorrectable(other)));
        }
    };
    // The bytes of a page: reads of it fail, and of its copies.
    for (at, ppn) in [(BYTES_AT + 2 * 64 + 63, 2), (BYTES_AT + 5 * 64, 5)] {
        make_again(&path);
        assert_eq!(findings(&path), []);
        edit(&path, at, &[9]);
        assert_eq!(findings(&path), [finding(ppn, Fault::PageBytes)], "offset {at}");
        let mut image = Image::open(&path).unwrap();
        lost(&mut image, Some(ppn));
        let oob = image.copy(Ppn(ppn), Ppn(8), 10, Cause::Collection).unwrap();
        assert_eq!((oob.lpn, oob.seq), (Lpn(ppn), 10));
        let mut bytes = [0; 64];
        assert!(image.read_oob(Ppn(8), Cause::Host).is_ok());
        let copied = image.read(Ppn(8), Some(&mut bytes), Cause::Host);
        assert_eq!(copied, Err(FlashError::Uncorrectable(Ppn(8))));
        image.copy(Ppn(8), Ppn(9), 11, Cause::Collection).unwrap();
        let part = image.read_part(Ppn(9), 8, &mut bytes[..4], Cause::Host);
        assert_eq!(part, Err(FlashError::Uncorrectable(Ppn(9))));
        // Programs go on behind the damaged page, which only an erase brings back.
        assert_eq!(image.next_page(BlockId(1)), Ok(2));
        image.erase(BlockId(1), Cause::Collection).unwrap();
        image.program(Ppn(4), Oob::data(Lpn(4), 11), Some(&[8; 64]), Cause::Host).unwrap();
        assert!(image.read(Ppn(4), Some(&mut bytes), Cause::Host).is_ok());
    }
    // One copy of a record, in whichever way: the other one holds, and replaces it.
    make_again(&path);
    let whole = std::fs::read(&path).unwrap();
    let first = whole[PAGES_AT as usize..PAGES_AT as usize + 32].to_vec();
    for of in [page, again] {
        let cases: [(u64, &[u8], u32); 5] = [
            (of(2), &[1], 2),
            (of(5) + 17, &[1], 5),
            (of(5), &[0; 32], 5),
            (of(1), &first, 1),
            (of(7), &[1; 32], 7),
        ];
        for (at, bytes, ppn) in cases {
            make_again(&path);
            edit(&path, at, bytes);
            assert_eq!(findings(&path), [finding(ppn, Fault::PageCopy)], "offset {at}");
            let mut image = Image::open(&path).unwrap();
            assert_eq!(image.recover().unwrap(), Recovered { mended: 1, ..Recovered::default() });
            lost(&mut image, None);
            drop(image);
            assert_eq!(findings(&path), [], "offset {at}");
        }
    }
    make_again(&path);
    edit(&path, BLOCKS_AT + 64, &[0; 64]);
    let block = |fault| Finding { block: Some(BlockId(1)), ppn: None, lpn: None, fault };
    assert_eq!(findings(&path), [block(Fault::BlockCopy)]);
    lost(&mut Image::open(&path).unwrap(), None);
    // Both copies: nobody can tell what they held, so the start is refused.
    let sum = Finding { block: None, ppn: None, lpn: None, fault: Fault::Sum };
    let cases: [([u64; 2], usize, Finding); 4] = [
        ([page(2), again(2)], 32, finding(2, Fault::PageMissing)),
        ([page(5), again(5)], 32, sum),
        ([page(5) + 3, again(5) + 4], 1, finding(5, Fault::PageRecord)),
        ([BLOCKS_AT + 64, BLOCKS_AGAIN_AT + 64], 64, block(Fault::BlockRecord)),
    ];
    for (at, bytes, fault) in cases {
        make_again(&path);
        at.into_iter().for_each(|at| {
            let kept = if bytes == 1 { 77 } else { 0 };
            edit(&path, at, &vec![kept; bytes]);
        });
        let found = findings(&path);
        assert!(found.contains(&fault), "{found:?}");
        let refused = Image::open(&path).unwrap_err();
        assert!(matches!(refused, ImageError::Damaged { .. }), "{refused}");
    }
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
        .chain(512..576)
        .chain(4096..4200)
        .chain(65_536..65_544)
        .chain(BLOCKS_AT..BLOCKS_AT + 3 * 64)
        .chain(PAGES_AT..PAGES_AT + 12 * 32)
        .chain((BYTES_AT..BYTES_AT + 6 * 64).step_by(7))
        .chain(PAGES_AGAIN_AT..PAGES_AGAIN_AT + 12 * 32)
        .chain(BLOCKS_AGAIN_AT..BLOCKS_AGAIN_AT + 3 * 64)
        .chain(HEAD_AGAIN_AT..HEAD_AGAIN_AT + 36)
        .chain(HEAD_AGAIN_AT + 512..HEAD_AGAIN_AT + 576)
        .chain(HEAD_AGAIN_AT + 4096..HEAD_AGAIN_AT + 4200)
        .chain(HEAD_AGAIN_AT + 65_536..HEAD_AGAIN_AT + 65_544);
    let (mut refused, mut failed, mut read) = (0, 0, 0);
    for at in used {
        edit(&path, at, &[whole[at as usize] ^ 1 << (at % 8)]);
        let found = Image::inspect(&path).map(|mut image| image.check(|_| {}).unwrap().faults);
        assert!(!matches!(found, Ok(0)), "offset {at}: check finds nothing");
        match Image::open(&path) {
            Err(_) => refused += 1,
            Ok(mut image) => {
                let found = read_all(&mut image);
                for (ppn, (found, right)) in (0..).map(Ppn).zip(found.iter().zip(&right)) {
                    let told = *found == Err(FlashError::Uncorrectable(ppn)) && right.is_ok();
                    assert!(found == right || told, "offset {at}: {found:?}");
                }
                if found == right { read += 1 } else { failed += 1 }
            }
        }
        std::fs::write(&path, &whole).unwrap();
    }
    println!("{refused} refused, {failed} with failed reads, {read} read right");
    assert!(refused > 130 && failed > 50 && read > 1000, "{refused} {failed} {read}");
}
