//! The machine loses its power: of what was written since the last sync, any sector may be lost. What is left is the state before
//! some operation after that sync; after the end of the process alone, it is the state at its end.

use crate::on_disk::folder;
use flash::faults::Tearable;
use flash::{BlockId, Cause, Flash, FlashError, Geometry, Lpn, Oob, Part, Ppn, SlcMode, parts};
use ftlkit_device::image::{Description, Image};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::fs;

const BLOCKS: u32 = 70;
const PAGES: u32 = 4;
const BYTES: u32 = 128;

/// What an operation sees of an image.
#[derive(Clone, Debug, PartialEq)]
struct State {
    pages: Vec<Result<(Oob, Vec<u8>), FlashError>>,
    blocks: Vec<(u32, bool, bool, u32)>,
}

fn state(image: &mut Image) -> State {
    let page = |image: &mut Image, ppn| {
        let mut bytes = vec![0; BYTES as usize];
        image.read(ppn, Some(&mut bytes), Cause::Host).map(|oob| (oob, bytes))
    };
    let block = |image: &Image, id| {
        let next = image.next_page(id).unwrap();
        (image.erase_count(id), image.is_bad(id), image.is_slc(id), next)
    };
    State {
        pages: (0..BLOCKS * PAGES).map(|ppn| page(image, Ppn(ppn))).collect(),
        blocks: (0..BLOCKS).map(|id| block(image, BlockId(id))).collect(),
    }
}

/// Runs an operation drawn at random on a few blocks. It may be refused.
fn step(image: &mut Image, random: &mut Pcg64, seq: u64) {
    let id = BlockId(random.random_range(0..12));
    let ppn = |image: &Image, id: BlockId| {
        let next = image.next_page(id).unwrap().min(PAGES - 1);
        image.geometry().ppn(id, next)
    };
    let to = ppn(image, id);
    let _ = match random.random_range(0..40) {
        0..24 => {
            let bytes = vec![seq as u8; BYTES as usize];
            image.program(to, Oob::data(Lpn(to.0), seq), Some(&bytes), Cause::Host)
        }
        24..30 => {
            let from = Ppn(random.random_range(0..12 * PAGES));
            image.copy(from, to, seq, Cause::Collection).map(|_| ())
        }
        30..36 => image.erase(id, Cause::Collection),
        36 => image.set_slc(id, random.random_bool(0.5)),
        37 => image.half_erase(id),
        38 => image.waste(to),
        _ if random.random_bool(0.05) => image.mark_bad(id),
        _ => Ok(()),
    };
}

#[test]
fn a_lost_sector_takes_back_what_came_after_it_and_nothing_else() {
    let part = parts::by_name("evaluation-slc").unwrap().clone();
    let slc = SlcMode { t_r_ns: part.t_r_ns, t_prog_ns: part.t_prog_ns, t_bers_ns: part.t_bers_ns };
    let part = Part { page_bytes: BYTES, pages_per_block: PAGES, slc: Some(slc), ..part };
    let geometry = Geometry::new(BLOCKS, PAGES, BYTES).unwrap();
    let mut random = Pcg64::seed_from_u64(77);
    let (mut partly, mut all, mut taken_back) = (0, 0, 0);
    for round in 0..12 {
        let folder = folder();
        let path = folder.path().join("device.img");
        let mut image = Image::create(&path, geometry, &Description::of_part(&part)).unwrap();
        image.sync_before_erases(true);
        // The states since the last sync, and what the file held at each.
        let mut states = vec![state(&mut image)];
        let mut files = vec![fs::read(&path).unwrap()];
        let mut syncs = image.syncs();
        for seq in 1..400 {
            let before = fs::read(&path).unwrap();
            if random.random_bool(0.02) {
                image.sync().unwrap();
            }
            step(&mut image, &mut random, seq);
            if image.syncs() > syncs {
                syncs = image.syncs();
                states = vec![states.pop().unwrap()];
                files = vec![before];
            }
            states.push(state(&mut image));
            files.push(fs::read(&path).unwrap());
            if !random.random_bool(0.1) {
                continue;
            }
            let case = left_of(&files, &mut random, round % 3 == 0);
            let copy = folder.path().join("copy.img");
            fs::write(&copy, &case).unwrap();
            let mut left = Image::open(&copy).unwrap();
            let recovered = left.recover().unwrap();
            let found = state(&mut left);
            let at = states.iter().rposition(|state| *state == found);
            let at = at.unwrap_or_else(|| panic!("operation {seq}: no state since the last sync"));
            let whole = case == *files.last().unwrap();
            assert!(!whole || at == states.len() - 1, "nothing was lost, and something is gone");
            all += u32::from(whole);
            partly += u32::from(at > 0 && at < states.len() - 1);
            taken_back += recovered.pages + u64::from(recovered.blocks);
            // It goes on, and its next end is a clean one.
            left.shut_down().unwrap();
            drop(left);
            let mut again = Image::open(&copy).unwrap();
            assert_eq!(again.check(|finding| panic!("{finding}")).unwrap().faults, 0);
            assert!(state(&mut again) == found, "a start changes nothing");
        }
    }
    println!("{partly} ends between, {all} with nothing lost; {taken_back} changes taken back");
    assert!(partly > 100 && all > 100 && taken_back > 300);
}

/// Each sector of the file as at some moment since the last sync; or all as at the end.
fn left_of(files: &[Vec<u8>], random: &mut Pcg64, whole: bool) -> Vec<u8> {
    let mut file = files.last().unwrap().clone();
    if whole {
        return file;
    }
    let keep = random.random_range(0.3..1.0);
    for (at, sector) in file.chunks_mut(512).enumerate() {
        if !random.random_bool(keep) {
            let from = &files[random.random_range(0..files.len())];
            sector.copy_from_slice(&from[at * 512..at * 512 + sector.len()]);
        }
    }
    file
}
