//! Write amplification of real schemes under uniform writes, against published closed forms.

use crate::scheme;
use bounds::waf;
use flash::{AnyArray, Array, Cause, Counts, Lpn, Serial, Store};
use ftl::{SchemeConfig, VictimKind, registry};
use ftlkit_testkit::bench::AnyScheme;
use ftlkit_testkit::shape::Shape;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

const SHAPE: Shape = Shape::new(2048, 64, 8);

fn counts(scheme: &AnyScheme) -> Counts {
    *scheme.flash().downcast_ref::<Serial<Array>>().unwrap().counts()
}

/// Fills the device, overwrites it uniformly until steady state, then measures.
fn measure(victim: VictimKind, logical_pages: u32) -> f64 {
    let config = SchemeConfig {
        victim: Some(victim),
        logical_pages: Some(logical_pages),
        ..scheme("page-level")
    };
    let array = Serial::new(SHAPE.array(Store::Metadata, &[]));
    let mut scheme = registry::format(&config, AnyArray::new(array)).unwrap();
    let pages = scheme.logical_pages();
    let mut random = Pcg64::seed_from_u64(2012);
    for lpn in 0..pages {
        scheme.write(Lpn(lpn), None).unwrap();
    }
    let mut overwrite = |scheme: &mut AnyScheme, rounds: u32| {
        for _ in 0..u64::from(pages) * u64::from(rounds) {
            scheme.write(Lpn(random.random_range(0..pages)), None).unwrap();
        }
    };
    overwrite(&mut *scheme, 12);
    let before = counts(&*scheme);
    overwrite(&mut *scheme, 8);
    let done = counts(&*scheme).since(&before);
    let host = done.pages_programmed(Cause::Host);
    (host + done.pages_programmed(Cause::Collection)) as f64 / host as f64
}

fn agrees(victim: VictimKind, closed_form: impl Fn(f64) -> f64) {
    for percent in [70, 80, 88, 93] {
        let logical_pages = SHAPE.geometry().pages() / 100 * percent;
        let share = waf::data_share(SHAPE.blocks, SHAPE.pages_per_block, logical_pages).unwrap();
        let (seen, expected) = (measure(victim, logical_pages), closed_form(share));
        let off = seen / expected - 1.0;
        println!(
            "{victim} at {percent} %: {seen:.4}, closed form {expected:.4}, {:+.2} %",
            off * 100.0
        );
        assert!(
            off.abs() < 0.02,
            "{victim} at {percent} %: {seen} is not within 2 % of {expected}"
        );
    }
}

/// Desnoyers, SYSTOR 2012, Eq. 4.
#[test]
fn fifo_agrees_with_desnoyers() {
    agrees(VictimKind::FIFO, |share| waf::fifo(share).unwrap());
}

/// Bux and Iliadis, Performance Evaluation 67(11), 2010.
#[test]
fn greedy_agrees_with_bux_and_iliadis() {
    agrees(VictimKind::GREEDY, |share| waf::greedy(share, SHAPE.pages_per_block).unwrap());
}

/// Desnoyers, SYSTOR 2012, Eq. 12.
#[test]
fn greedy_agrees_with_desnoyers() {
    agrees(VictimKind::GREEDY, |share| {
        waf::greedy_desnoyers(share, SHAPE.pages_per_block).unwrap()
    });
}
