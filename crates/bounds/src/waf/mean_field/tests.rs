use super::*;
use crate::waf::random::random_passing_over;
use crate::waf::writes::fifo_of;
use crate::waf::{fifo, greedy, random};

const HOT: Writes = Writes::HotCold { hot_pages: 0.2, hot_writes: 0.8 };
/// Both classes have the same number of writes per page.
const ALIKE: Writes = Writes::HotCold { hot_pages: 0.3, hot_writes: 0.3 };
const SHARES: [f64; 4] = [1.0 / 1.5, 1.0 / 1.28, 1.0 / 1.15, 1.0 / 1.07];

fn waf(share: f64, pages: u32, writes: Writes, selection: Selection) -> f64 {
    let found = mean_field(share, pages, writes, selection).unwrap();
    let a = found.write_amplification;
    let all: f64 = found.victims.iter().sum();
    assert!((all - 1.0).abs() < 1e-9, "{selection:?} takes {all} victims a victim");
    let pages = f64::from(pages);
    assert!((pages / (pages - found.mean_valid()) / a - 1.0).abs() < 1e-9);
    a
}

fn near(one: f64, other: f64, tolerance: f64) {
    assert!((one / other - 1.0).abs() < tolerance, "{one} {other}");
}

#[test]
fn one_choice_is_random_whatever_is_written() {
    for share in SHARES {
        for pages in [4, 16] {
            for writes in [Writes::Uniform, ALIKE, HOT] {
                near(
                    waf(share, pages, writes, Selection::Choices(1)),
                    random(share).unwrap(),
                    1e-8,
                );
            }
            let passing = waf(share, pages, Writes::Uniform, Selection::ChoicesPassingOver(1));
            near(passing, random_passing_over(share, pages).unwrap(), 1e-8);
        }
    }
}

#[test]
fn greedy_is_its_own_fixed_point_and_the_limit_of_choices() {
    for share in SHARES {
        for pages in [8, 64, 256] {
            let exact = greedy(share, pages).unwrap();
            near(waf(share, pages, Writes::Uniform, Selection::Greedy), exact, 1e-8);
            let mut last = f64::MAX;
            for draws in [1, 2, 3, 5, 10, 100, 1000, 100_000] {
                let a = waf(share, pages, Writes::Uniform, Selection::Choices(draws));
                assert!(a < last && a > exact * (1.0 - 1e-9), "{draws} draws: {a}, greedy {exact}");
                last = a;
            }
            near(last, exact, 1e-3);
        }
    }
}

#[test]
fn classes_that_are_alike_are_one() {
    for selection in [
        Selection::Greedy,
        Selection::Choices(3),
        Selection::ChoicesPassingOver(2),
        Selection::Windowed(0.25),
    ] {
        let one = waf(0.87, 16, Writes::Uniform, selection);
        near(waf(0.87, 16, ALIKE, selection), one, 1e-8);
    }
}

#[test]
fn a_window_lies_between_fifo_and_greedy() {
    for writes in [Writes::Uniform, HOT] {
        for share in [SHARES[1], SHARES[3]] {
            let fifo = fifo_of(share, writes).unwrap();
            near(waf(share, 16, writes, Selection::Windowed(1e-6)), fifo, 1e-3);
            let greedy = waf(share, 16, writes, Selection::Greedy);
            near(waf(share, 16, writes, Selection::Windowed(1.0)), greedy, 1e-8);
            let half = waf(share, 16, writes, Selection::Windowed(0.3));
            assert!(half < fifo, "{fifo} {half}");
            // If some pages are seldom written, FIFO order may beat greedy.
            assert!(writes == HOT || half > greedy * (1.0 - 1e-9), "{half} {greedy}");
        }
    }
    near(waf(0.875, 64, Writes::Uniform, Selection::Windowed(1e-6)), fifo(0.875).unwrap(), 1e-3);
}

#[test]
fn refuses_what_has_no_meaning() {
    let of = |writes, selection| mean_field(0.8, 8, writes, selection);
    assert_eq!(of(Writes::Uniform, Selection::Choices(0)), Err(WafError::Draws));
    assert_eq!(of(Writes::Uniform, Selection::Windowed(1.5)), Err(WafError::Window(1.5)));
    assert_eq!(of(Writes::Uniform, Selection::Windowed(0.0)), Err(WafError::Window(0.0)));
    let none = Writes::HotCold { hot_pages: 0.0, hot_writes: 0.5 };
    assert_eq!(of(none, Selection::Greedy), Err(WafError::Class(0.0)));
    assert!(mean_field(1.0, 8, Writes::Uniform, Selection::Greedy).is_err());
    assert!(mean_field(0.8, 1, Writes::Uniform, Selection::Greedy).is_err());
}
