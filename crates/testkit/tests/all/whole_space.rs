//! Page-level with (N−1)π logical pages: the whole array but the swap block, one page more than the scheme exports.

use crate::scheme;
use flash::faults::PowerCut;
use flash::{Lpn, Store};
use ftl::{AnyScheme, FrontierSharing, FtlError, SchemeConfig, Setup, Start};
use ftlkit_testkit::bench::bench;
use ftlkit_testkit::shape::Shape;
use ftlkit_testkit::shared::Shared;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

const SHAPE: Shape = Shape::new(6, 8, 8);

type Device = Shared<PowerCut<flash::Array>>;

/// Page-level with `more` logical pages than it exports, on a new array or on one that was written before.
fn page_level(more: u32, start: Start, array: &Device) -> Box<AnyScheme> {
    let config = SchemeConfig { frontiers: Some(FrontierSharing::Shared), ..scheme("page-level") };
    let mut plan = crate::plan(&config, &SHAPE);
    plan.logical_pages += more;
    let setup = Setup { config: &config, plan: &plan, start };
    (config.preset.build)(&setup, bench(array.clone())).unwrap()
}

/// A page task never takes more than one victim, even if all other pages are valid: each victim gains a page.
#[test]
fn one_victim_per_write_suffices_with_the_whole_space() {
    for more in [0, 1] {
        let array = Shared::new(PowerCut::new(SHAPE.array(Store::Metadata, &[])));
        let mut scheme = page_level(more, Start::Format, &array);
        let pages = scheme.logical_pages();
        assert_eq!(pages, 5 * 8 - 1 + more);
        let mut random = Pcg64::seed_from_u64(1);
        let (mut most, mut total) = (0, 0);
        for at in 0..20_000 {
            let lpn = if at < pages { at } else { random.random_range(0..pages) };
            scheme.write(Lpn(lpn), None).unwrap();
            let started = scheme.telemetry().collections.started;
            (most, total) = (most.max(started - total), started);
        }
        let valid = &scheme.telemetry().collections.victim_valid;
        assert_eq!(
            (most, valid[7], valid[8]),
            (1, total, 0),
            "{more}: all victims have π − 1 pages"
        );
        assert!(total >= 19_900, "{more}: {total}");
    }
}

/// Why one page is held back: with the whole space a torn page leaves a collection one page short, and the array takes
/// no more writes.
#[test]
fn a_power_cut_stops_writes_only_where_no_page_is_held_back() {
    let stopped = [0, 1].map(|more| {
        let mut stopped = 0;
        for cut in 0..40 {
            let array = Shared::new(PowerCut::new(SHAPE.array(Store::Metadata, &[])));
            let mut scheme = page_level(more, Start::Format, &array);
            let pages = scheme.logical_pages();
            (0..pages).chain(0..9).for_each(|lpn| scheme.write(Lpn(lpn), None).unwrap());
            array.with(|array| array.cut_after(cut, true));
            (9..pages).try_for_each(|lpn| scheme.write(Lpn(lpn), None)).unwrap_err();
            array.with(PowerCut::restore);
            let mut scheme = page_level(more, Start::Mount, &array);
            match (0..pages).try_for_each(|lpn| scheme.write(Lpn(lpn), None)) {
                Ok(()) => {}
                Err(FtlError::Full { .. }) => stopped += 1,
                Err(error) => panic!("{more}, {cut}: {error}"),
            }
        }
        stopped
    });
    assert!(stopped[0] == 0 && stopped[1] > 0, "{stopped:?}");
}
