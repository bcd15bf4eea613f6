//! GFTL's printed figures: bounds of Table III, the write queue, start-up, energy.

use crate::common::part;
use flash::{Part, Power, US};
use ftlkit_bounds::{energy, gftl, ideal};

const POWER: Power = Power { vcc_mv: 3300, read_ua: 10_000, program_ua: 10_000, erase_ua: 10_000 };

/// The large-block part of Table I with this number of pages per block.
fn large(pages_per_block: u32) -> Part {
    Part { power: POWER, page_bytes: 2048, ..part(25, 300, 2000, pages_per_block) }
}

#[test]
fn table_3_and_the_maxima_of_table_5() {
    for (pages, read) in [(16, 425), (32, 825), (64, 1625)] {
        let part = large(pages);
        assert_eq!(gftl::write_ns(&part), 300 * US);
        assert_eq!(gftl::read_ns(&part), read * US);
        assert_eq!(gftl::period_ns(&part), (2000 + read.max(300)) * US);
        assert_eq!(
            gftl::read_ns(&part) - ideal::read_with_oob_ns(&part),
            u64::from(pages - 1) * 25 * US
        );
        assert_eq!(ideal::response_ns(&part), 2000 * US);
    }
    let small = Part { t_r_oob_ns: 10 * US, ..part(36, 200, 2000, 32) };
    assert_eq!(gftl::read_ns(&small), 356 * US);
    assert_eq!(gftl::period_ns(&small), 2356 * US);
}

#[test]
fn steps_and_queue_as_printed() {
    for (pages, alpha, beta, share) in
        [(16, 1, 3, 0.187_5), (32, 1, 5, 0.125), (64, 2, 10, 0.109_375)]
    {
        let part = large(pages);
        let steps = gftl::paper_steps(&part);
        assert_eq!((steps.read, steps.write, steps.total()), (alpha, beta, alpha + beta + 1));
        assert_eq!(gftl::queue_share(&part, steps).as_f64(), share);
    }
    let part = large(64);
    let steps = gftl::paper_steps(&part);
    assert_eq!(gftl::queue_pages(8192, steps), 57_344);
    assert_eq!(gftl::queue_blocks(&part, 8192, steps), 896);
    assert_eq!(gftl::queue_pages(3, gftl::Steps { read: 1, write: 2, held: 1, after: 1 }), 8);
}

#[test]
fn start_up_and_shutdown_of_1_gib() {
    let part = large(64);
    let queue = gftl::queue_pages(8192, gftl::paper_steps(&part));
    assert_eq!(gftl::start_up_ns(&part, 8192, queue), 13_600 * US);
    assert_eq!(gftl::shutdown_ns(&part, 8192, queue), 163_200 * US);
    assert_eq!(gftl::mount_after_cut_ns(&part, 8192, queue), 1_638_400 * US);
}

#[test]
fn the_printed_mount_after_a_cut_comes_of_steps_that_hold_whole_operations() {
    let part = large(64);
    let steps = gftl::whole_steps(&part, gftl::CollectionRam::States).unwrap();
    assert_eq!((steps.read, steps.write, steps.total()), (3, 11, 15));
    let queue = gftl::queue_pages(8192, steps);
    assert_eq!(queue, 65_536);
    let seconds = gftl::mount_after_cut_ns(&part, 8192, queue) as f64 / 1e9;
    assert_eq!((seconds * 100.0).round(), 184.0);
    // Whole operations never take fewer steps.
    for pages in 2..300 {
        let (whole, paper) = (
            gftl::whole_steps(&large(pages), gftl::CollectionRam::States).unwrap(),
            gftl::paper_steps(&large(pages)),
        );
        assert!(whole.read >= paper.read && whole.write >= paper.write, "π {pages}");
    }
    let slow = Part { t_prog_ns: 2001 * US, ..large(64) };
    let text = gftl::whole_steps(&slow, gftl::CollectionRam::States).unwrap_err().to_string();
    assert!(text.contains("page program") && text.contains("under-test"), "{text}");
}

#[test]
fn the_queue_grows_less_each_round_and_never_beyond_its_limit() {
    let steps = gftl::paper_steps(&large(64));
    let lengths: Vec<u64> = (0..20).map(|i| gftl::queue_growth_pages(8192, steps, i)).collect();
    assert_eq!(lengths[0], 0);
    assert_eq!(lengths[1], 8192 - 8192 / 13);
    let slopes: Vec<u64> = lengths.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(slopes.windows(2).all(|pair| pair[0] >= pair[1]));
    assert_eq!(slopes[12..], [0; 7]);
    // N(κ−1)/2, plus at most one page per interval from rounding.
    assert!((8192 * 6..8192 * 6 + 13).contains(&lengths[19]));
    assert!(lengths[19] <= gftl::queue_pages(8192, steps));
}

#[test]
fn energy_of_section_6() {
    let part = large(64);
    let nj = [part.read_pj(), part.program_pj(), part.erase_pj()].map(|pj| pj / 1000);
    assert_eq!(nj, [825, 9_900, 66_000]);
    assert_eq!(energy::copy_pj(&part), 10_725_000);
    assert_eq!(energy::collection_pj(&part, 10), 173_250_000);
    // Six copies fit into an erase and use 64,350 nJ, less than the erase.
    assert_eq!(energy::step_pj(&part), 66_000_000);
    assert_eq!(energy::oob_search_pj(&part), 65 * 825_000);
    assert_eq!(energy::host_write_pj(&part, 1.0), 9_900_000.0 + 66_000_000.0 / 64.0);
    assert_eq!(
        energy::host_write_pj(&part, 4.0),
        9_900_000.0 + 3.0 * 10_725_000.0 + 4.0 * 1_031_250.0
    );
}

#[test]
fn lazy_rtgcs_reading_of_the_evaluation_part() {
    // §6.2(5): about 92.18 %.
    let part = &flash::parts::EVALUATION_SLC;
    assert_eq!(gftl::steps_in_lazy_rtgc(part), 9);
    assert_eq!(gftl::share_in_lazy_rtgc(part).as_f64(), 0.921_875);
}
