//! Write amplification of real schemes under uniform writes against published closed forms.

use bounds::waf;
use flash::{Array, Cause, Lpn, Serial, Store};
use ftl::registry::{self, Visitor, by_name};
use ftl::{Scheme, SchemeConfig, VictimKind};
use ftlkit_testkit::shape::Shape;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

const SHAPE: Shape = Shape::new(2048, 64, 8);

/// Fills the device, writes it over uniformly until it is at steady state, then measures.
struct Uniform {
    warm_up: u32,
    measured: u32,
}

impl Visitor<Serial<Array>> for Uniform {
    type Output = f64;

    fn visit<S: Scheme<Flash = Serial<Array>> + Clone>(self, mut scheme: S) -> f64 {
        let pages = scheme.logical_pages();
        let mut random = Pcg64::seed_from_u64(2012);
        for lpn in 0..pages {
            scheme.write(Lpn(lpn), &[]).unwrap();
        }
        let mut overwrite = |scheme: &mut S, rounds: u32| {
            for _ in 0..u64::from(pages) * u64::from(rounds) {
                scheme.write(Lpn(random.random_range(0..pages)), &[]).unwrap();
            }
        };
        overwrite(&mut scheme, self.warm_up);
        let before = *scheme.flash().counts();
        overwrite(&mut scheme, self.measured);
        let done = scheme.flash().counts().since(&before);
        let host = done.pages_programmed(Cause::Host);
        (host + done.pages_programmed(Cause::Collection)) as f64 / host as f64
    }
}

fn measure(victim: VictimKind, logical_pages: u32) -> f64 {
    let config = SchemeConfig {
        victim: Some(victim),
        logical_pages: Some(logical_pages),
        ..SchemeConfig::preset(by_name("page-level").unwrap())
    };
    let array = Serial::new(SHAPE.array(Store::Metadata, &[]));
    registry::format(&config, array, Uniform { warm_up: 12, measured: 8 }).unwrap()
}

fn agrees(victim: VictimKind, closed_form: impl Fn(f64) -> f64) {
    for percent in [70, 80, 88, 93] {
        let logical_pages = SHAPE.geometry().pages() / 100 * percent;
        let share = waf::data_share(SHAPE.blocks, SHAPE.pages_per_block, logical_pages).unwrap();
        let (seen, expected) = (measure(victim, logical_pages), closed_form(share));
        let off = seen / expected - 1.0;
        println!(
            "{victim:?} at {percent} %: {seen:.4}, closed form {expected:.4}, {:+.2} %",
            off * 100.0
        );
        assert!(
            off.abs() < 0.02,
            "{victim:?} at {percent} %: {seen} is not within 2 % of {expected}"
        );
    }
}

/// Desnoyers, SYSTOR 2012, Eq. 4.
#[test]
fn fifo_agrees_with_desnoyers() {
    agrees(VictimKind::Fifo, |share| waf::fifo(share).unwrap());
}

/// Bux and Iliadis, Performance Evaluation 67(11), 2010.
#[test]
fn greedy_agrees_with_bux_and_iliadis() {
    agrees(VictimKind::Greedy, |share| waf::greedy(share, SHAPE.pages_per_block).unwrap());
}

/// Desnoyers, SYSTOR 2012, Eq. 12.
#[test]
fn greedy_agrees_with_desnoyers() {
    agrees(VictimKind::Greedy, |share| {
        waf::greedy_desnoyers(share, SHAPE.pages_per_block).unwrap()
    });
}
