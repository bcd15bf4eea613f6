//! A block in which a program failed is not written again before its erase, across a mount as well, and is then marked bad.

use crate::bench::preset;
use flash::faults::ProgramEraseFailure;
use flash::parts::EVALUATION_SLC;
use flash::{AnyArray, Array, BlockId, Cause, Flash, FlashError, Geometry, Lpn, Part, Store};
use ftlkit_ftl::{AnyScheme, FrontierSharing, SchemeConfig, registry};

const PAGES_PER_BLOCK: u32 = 8;
const LOGICAL_PAGES: u32 = 60;

fn array() -> ProgramEraseFailure<Array> {
    let geometry = Geometry::new(24, PAGES_PER_BLOCK, 8).unwrap();
    let part = Part { pages_per_block: PAGES_PER_BLOCK, page_bytes: 8, ..EVALUATION_SLC.clone() };
    ProgramEraseFailure::new(Array::new(geometry, part, Store::All), 1)
}

/// Pages of a block from this one on that are erased.
fn erased_from(scheme: &mut AnyScheme, block: BlockId, page: u32) -> u32 {
    let geometry = *scheme.flash().geometry();
    let read = |page| scheme.flash_mut().read_oob(geometry.ppn(block, page), Cause::Host);
    (page..PAGES_PER_BLOCK)
        .map(read)
        .filter(|oob| matches!(oob, Err(FlashError::Erased(_))))
        .count() as u32
}

fn is_retired_after_a_mount(config: &SchemeConfig) {
    let tried = (16..24).filter(|programs| is_retired(config, *programs)).count();
    assert!(tried > 4, "{tried}");
}

/// False where the program after so many is of a block's last page, after which nothing could be written again, or of its
/// first: a mount cannot tell such a block from one that was just opened.
fn is_retired(config: &SchemeConfig, programs: u64) -> bool {
    let name = config.preset.name;
    let mut array = array();
    array.fail_program_after(programs);
    let mut scheme = registry::format(config, AnyArray::new(array)).unwrap();
    let bytes = |version: u32| [version.to_le_bytes(), version.to_le_bytes()].concat();
    // What follows is written elsewhere, so that a mount can tell.
    (0..30).for_each(|lpn| scheme.write(Lpn(lpn), Some(&bytes(lpn))).unwrap());
    let geometry = *scheme.flash().geometry();
    let unreadable = |ppn: &flash::Ppn| {
        matches!(scheme.flash_mut().read_oob(*ppn, Cause::Host), Err(FlashError::Uncorrectable(_)))
    };
    let failed = (0..geometry.pages()).map(flash::Ppn).find(unreadable).expect("one failed");
    let (block, page) = geometry.split(failed);
    if page == 0 || page + 1 == PAGES_PER_BLOCK {
        return false;
    }

    let mut scheme = registry::mount(config, scheme.into_flash()).unwrap();
    let mut left = erased_from(&mut *scheme, block, page + 1);
    assert_eq!(left, PAGES_PER_BLOCK - page - 1);
    for version in 30..6000 {
        let lpn = version * 7 % LOGICAL_PAGES;
        scheme.write(Lpn(lpn), Some(&bytes(version))).unwrap();
        if scheme.flash().is_bad(block) {
            assert_eq!(scheme.telemetry().collections.retired_blocks, 1, "{name}");
            return true;
        }
        let now = erased_from(&mut *scheme, block, page + 1);
        assert!(
            now >= left,
            "{name}: {block} is written again though program {programs} failed at its page {page}, {left} erased then, {now} now, version {version}, {:?}",
            config.frontiers
        );
        left = now;
    }
    // Where whole blocks are collected there is no room to spare then: such a block is left for one that frees pages, and
    // here there always is one.
    assert_ne!(name, "lazy-rtgc", "{block} is never retired");
    true
}

#[test]
fn a_block_in_which_a_program_failed_is_retired_after_a_mount() {
    for name in ["page-level", "fsr", "lazy-rtgc", "2lgc", "lazy-rtgc-on-demand", "dftl"] {
        let config =
            SchemeConfig { logical_pages: Some(LOGICAL_PAGES), spare_blocks: 2, ..preset(name) };
        is_retired_after_a_mount(&config);
        for frontiers in [FrontierSharing::Shared, FrontierSharing::Split] {
            let config = SchemeConfig { frontiers: Some(frontiers), ..config.clone() };
            if name != "lazy-rtgc-on-demand" {
                is_retired_after_a_mount(&config);
            }
        }
    }
}
