//! `ftlkit image`.

use crate::common::{Scratch, ftlkit};
use device::image::{Description, Image};
use flash::faults::Tearable;
use flash::{BlockId, Cause, Flash, Geometry, Lpn, Oob, Part, Ppn, parts};
use std::os::unix::fs::FileExt;

/// An image of 3 blocks of 4 pages of 64 bytes, with three pages, one torn, and one in a block that was erased once.
fn image(scratch: &Scratch) -> String {
    let part = parts::by_name("evaluation-slc").expect("it is in the catalogue").clone();
    let part = Part { page_bytes: 64, pages_per_block: 4, ..part };
    let mut description = Description::of_part(&part);
    description.settings.insert("scheme".into(), "lazy-rtgc".into());
    let path = scratch.at("device.img");
    let geometry = Geometry::new(3, 4, 64).unwrap();
    let mut image = Image::create(path.as_ref(), geometry, &description).unwrap();
    let bytes: Vec<u8> = (0..64).map(|at| b'0' + at).collect();
    image.program(Ppn(0), Oob::data(Lpn(7), 9), Some(&bytes), Cause::Host).unwrap();
    image.waste(Ppn(1)).unwrap();
    image.erase(BlockId(1), Cause::Host).unwrap();
    image.program(Ppn(4), Oob::data(Lpn(8), 10), None, Cause::Host).unwrap();
    image.mark_bad(BlockId(2)).unwrap();
    path
}

#[test]
fn an_image_can_be_looked_into() {
    let scratch = Scratch::new("image");
    let path = image(&scratch);
    let info = ftlkit(["image", "info", &path]).ok();
    for part in [
        "evaluation-slc",
        "3 blocks × 4 pages × 64B",
        "not shut down",
        "lazy-rtgc",
        "durable      process",
    ] {
        assert!(info.contains(part), "`{part}` is not in {info}");
    }
    let json = ftlkit(["image", "info", &path, "--json"]).json();
    assert_eq!((json["blocks"].as_u64(), json["starts"].as_u64()), (Some(3), Some(1)));
    assert_eq!(json["settings"]["scheme"], "lazy-rtgc");
    let check = ftlkit(["image", "check", &path]).ok();
    assert!(check.contains("2 programmed, 1 used up") && check.contains("1 bad"), "{check}");
    let dump = ftlkit(["image", "dump", &path]).ok();
    let expected = "\
block page ppn state lpn kind seq bytes
0 0 0 programmed 7 data 9 yes
0 1 1 unreadable - - - -
0 2 2 erased - - - -
0 3 3 erased - - - -
1 0 4 programmed 8 data 10 no
";
    assert!(dump.starts_with(expected), "{dump}");
    assert_eq!(dump.lines().count(), 13);
    let one = ftlkit(["image", "dump", &path, "--block", "1"]).ok();
    assert_eq!(one.lines().nth(1), Some("1 0 4 programmed 8 data 10 no"));
    let page = ftlkit(["image", "dump", &path, "--page", "0"]).ok();
    let line = "00000000  30 31 32 33 34 35 36 37 38 39 3a 3b 3c 3d 3e 3f  0123456789:;<=>?";
    assert_eq!(page.lines().next(), Some(line));
    ftlkit(["image", "dump", &path, "--block", "3"]).refused(&["no block 3", "0 to 2"]);
    ftlkit(["image", "dump", &path, "--page", "2"]).refused(&["PPN 2 is erased"]);
}

#[test]
fn a_damaged_image_is_told() {
    let scratch = Scratch::new("image-damaged");
    let path = image(&scratch);
    let file = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
    // The first byte of page 0: docs/image.md.
    file.write_all_at(b"x", 131_072 + 4096 + 4096).unwrap();
    let ran = ftlkit(["image", "check", &path]).ended(1);
    let told = "PPN 0 (LPN 7): the bytes of the page are damaged";
    assert!(ran.stdout.contains(told), "{}", ran.stdout);
    assert!(ran.stderr.contains("has 1 faults"), "{}", ran.stderr);
    let ran = ftlkit(["image", "check", &path, "--json"]).ended(1);
    assert!(ran.stdout.contains("\"faults\": 1"), "{}", ran.stdout);
    let repair = ftlkit(["image", "repair", &path]).ok();
    assert!(
        repair.contains("1 pages: reads of them fail") && repair.contains("nothing to repair"),
        "{repair}"
    );
    // Both records of page 0: nobody can tell what it was.
    file.write_all_at(b"xx", 131_072 + 4096).unwrap();
    file.write_all_at(b"yy", 131_072 + 3 * 4096).unwrap();
    ftlkit(["image", "check", &path]).ended(1);
    let before = std::fs::read(&path).unwrap();
    let repair = ftlkit(["image", "repair", &path]).ok();
    assert!(repair.contains("lost pages   1") && repair.contains("add --write"), "{repair}");
    assert_eq!(std::fs::read(&path).unwrap(), before);
    let json = ftlkit(["image", "repair", &path, "--write", "--json"]).json();
    assert_eq!(json["pages"].as_u64(), Some(1));
    assert!(ftlkit(["image", "check", &path]).ok().contains("1 programmed, 2 used up"));
    let text = scratch.file("no.img", "text");
    ftlkit(["image", "info", &text]).refused(&["no.img", "is not a flash image"]);
    let owner = Image::open(path.as_ref()).unwrap();
    ftlkit(["image", "info", &path]).refused(&["is in use, by another process", "end the process"]);
    drop(owner);
}

#[test]
fn damage_ends_a_check_with_one_code_whatever_is_damaged() {
    let scratch = Scratch::new("image-codes");
    let path = image(&scratch);
    let whole = std::fs::read(&path).unwrap();
    let with = |at: usize| {
        let mut file = whole.clone();
        file[at] ^= 1;
        file
    };
    for (file, told) in [
        (whole[..whole.len() - 7].to_vec(), "an image of its geometry has"),
        (whole[..100].to_vec(), "an image of its geometry has"),
        (with(13), "the header is damaged"),
        (with(4100), "the header is damaged"),
    ] {
        std::fs::write(&path, file).unwrap();
        let ran = ftlkit(["image", "check", &path]).ended(1);
        assert!(ran.stderr.contains(told) && ran.stderr.contains("image repair"), "{}", ran.stderr);
        ftlkit(["image", "info", &path]).refused(&[told, "image repair"]);
        let repair = ftlkit(["image", "repair", &path]);
        assert!(!repair.stderr.contains("fill whole buffer"), "{}", repair.stderr);
    }
    // No copy of the description is left.
    std::fs::write(&path, &whole[..4100]).unwrap();
    ftlkit(["image", "repair", &path, "--write"]).refused(&["the file ends before"]);
    std::fs::write(&path, &whole).unwrap();
    let link = scratch.at("link.img");
    std::os::unix::fs::symlink(scratch.at("none.img"), &link).unwrap();
    let socket = scratch.at("socket");
    ftlkit(["image", "check", &link]).refused(&["the file it names is missing"]);
    let create = ["--create", "--capacity", "8MiB"];
    for more in [&[][..], &create] {
        ftlkit([&["serve", "--image", &link, "--socket", &socket][..], more].concat())
            .refused(&["the file it names is missing"]);
    }
    let folder = scratch.path().display().to_string();
    ftlkit(["serve", "--image", &folder, "--socket", &socket]).refused(&["it is no regular file"]);
    let owner = Image::open(path.as_ref()).unwrap();
    ftlkit(["serve", "--image", &path, "--socket", &socket])
        .refused(&["is in use", "end the process that uses it"]);
    drop(owner);
}

#[test]
fn pages_that_are_known_as_lost_are_listed() {
    use flash::{Event, Item, Probe};
    let scratch = Scratch::new("image-lost");
    let path = image(&scratch);
    let mut opened = Image::open(path.as_ref()).unwrap();
    for lpn in [5, 2] {
        opened.event(&Event::new("lost-page", "page is lost", &[("lpn", Item::Lpn(Lpn(lpn)))]));
    }
    opened.shut_down().unwrap();
    drop(opened);
    let check = ftlkit(["image", "check", &path]).ok();
    assert!(check.contains("lost pages   2: reads of them fail"), "{check}");
    assert!(check.contains("LPN 2, 5\n"), "{check}");
    let json = ftlkit(["image", "check", &path, "--json"]).json();
    assert_eq!(json["lost_pages"], serde_json::json!([2, 5]));
}
