//! The same random operations on an array in memory and on an image give the same answers, sound or not.

use crate::on_disk::OnDisk;
use flash::faults::Tearable;
use flash::{
    Array, BlockId, Cause, Flash, FlashError, Geometry, Lpn, Oob, PageKind, Part, Ppn, SlcMode,
    Store, parts,
};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

const PAGE_BYTES: usize = 64;

fn part() -> Part {
    let part = parts::by_name("micron-mlc").expect("it is in the catalogue").clone();
    let slc = SlcMode { t_r_ns: part.t_r_ns, t_prog_ns: part.t_prog_ns, t_bers_ns: part.t_bers_ns };
    Part { page_bytes: PAGE_BYTES as u32, pages_per_block: 6, slc: Some(slc), ..part }
}

/// What an operation answers: its value as text, or its error.
type Answer = Result<String, FlashError>;

fn text<T: std::fmt::Debug>(result: Result<T, FlashError>) -> Answer {
    result.map(|value| format!("{value:?}"))
}

/// An operation drawn from `random`, on any array. Few operations are valid unless they follow the array's own state, so
/// most programs go to the next page of a block.
fn operate<F: Tearable>(
    flash: &mut F,
    next_page: impl Fn(&F, BlockId) -> u32,
    random: &mut Pcg64,
) -> Answer {
    let geometry = *flash.geometry();
    let block = BlockId(random.random_range(0..geometry.blocks()));
    let any = Ppn(random.random_range(0..geometry.pages() + 2));
    let next = next_page(flash, block);
    let there = random.random_bool(0.9) && next < geometry.pages_per_block();
    let to = if there { geometry.ppn(block, next) } else { any };
    let kind = [PageKind::Data, PageKind::Translation, PageKind::Other][random.random_range(0..3)];
    let beyond = random.random_bool(0.02);
    let seq = if beyond { 1 << 56 } else { random.random_range(0..1 << 40) };
    let oob = Oob { lpn: Lpn(random.random_range(0..100)), kind, seq };
    let mut bytes = [0; PAGE_BYTES];
    random.fill(&mut bytes);
    match random.random_range(0..100) {
        0..30 => text(flash.program(to, oob, Some(&bytes), Cause::Host)),
        30..36 => text(flash.program(to, oob, None, Cause::Host)),
        36..38 => text(flash.program(to, oob, Some(&bytes[1..]), Cause::Host)),
        38..50 => {
            let seq = if random.random_bool(0.5) { Oob::KEEP_SEQ } else { seq };
            text(flash.copy(any, to, seq, Cause::Collection))
        }
        50..66 => {
            let read = flash.read(any, Some(&mut bytes), Cause::Host);
            text(read.map(|oob| (oob, bytes)))
        }
        66..70 => text(flash.read_oob(any, Cause::Mount)),
        70..72 => text(flash.read(any, None, Cause::Mount)),
        72..78 => {
            let offset = random.random_range(0..PAGE_BYTES + 2);
            let length = random.random_range(0..PAGE_BYTES - 20);
            let part = &mut bytes[..length];
            let read = flash.read_part(any, offset, part, Cause::Translation);
            text(read.map(|oob| (oob, part.to_vec())))
        }
        78..88 => text(flash.erase(BlockId(block.0 + u32::from(beyond)), Cause::Collection)),
        88..90 => text(flash.waste(to)),
        90..92 => text(flash.half_erase(block)),
        92..94 => text(flash.spoil(any)),
        94..98 => text(flash.set_slc(block, random.random_bool(0.6))),
        _ if random.random_bool(0.1) => text(flash.mark_bad(block)),
        _ => Ok(String::new()),
    }
}

/// All that an array tells of its blocks and pages.
fn all<F: Flash>(flash: &mut F, next_page: impl Fn(&F, BlockId) -> u32) -> Vec<String> {
    let geometry = *flash.geometry();
    let blocks = (0..geometry.blocks()).map(BlockId).map(|id| {
        let next = next_page(flash, id);
        format!("{next} {} {} {}", flash.is_bad(id), flash.is_slc(id), flash.erase_count(id))
    });
    let mut told: Vec<String> = blocks.collect();
    for ppn in (0..geometry.pages()).map(Ppn) {
        let mut bytes = [0; PAGE_BYTES];
        let read = flash.read(ppn, Some(&mut bytes), Cause::Mount);
        told.push(format!("{:?}", read.map(|oob| (oob, bytes))));
    }
    told
}

#[test]
fn an_image_answers_as_an_array_in_memory_does() {
    let part = part();
    let geometry = Geometry::new(9, part.pages_per_block, part.page_bytes).unwrap();
    let mut kinds = std::collections::BTreeMap::new();
    for seed in 0..12 {
        let mut array = Array::new(geometry, part.clone(), Store::All);
        let mut image = OnDisk::new(geometry, &part, &[]);
        let (mut left, mut right) = (Pcg64::seed_from_u64(seed), Pcg64::seed_from_u64(seed));
        for step in 0..4000 {
            let expected = operate(&mut array, Array::next_page, &mut left);
            let next = |image: &ftlkit_device::image::Image, id| image.next_page(id).unwrap();
            let found = operate(image.image(), next, &mut right);
            assert_eq!(found, expected, "seed {seed}, step {step}");
            let name = match &expected {
                Ok(_) => "ok".to_owned(),
                Err(error) => format!("{error:?}").split('(').next().unwrap().to_owned(),
            };
            *kinds.entry(name.split(' ').next().unwrap().to_owned()).or_insert(0) += 1;
            if step % 400 == 399 {
                // What is not in the file is lost here.
                image = image.clone();
                let answers = all(image.image(), next);
                assert_eq!(answers, all(&mut array, Array::next_page), "seed {seed}, step {step}");
            }
        }
    }
    // The operations met every rule.
    for rule in [
        "ok",
        "NoSuchPage",
        "NoSuchBlock",
        "ProgramOrder",
        "BeyondSlc",
        "SlcMode",
        "Erased",
        "PayloadLength",
        "Sequence",
        "BadBlock",
        "Uncorrectable",
    ] {
        assert!(kinds.get(rule).is_some_and(|count| *count > 5), "{rule}: {kinds:?}");
    }
}
