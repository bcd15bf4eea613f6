//! Page writes in a row on ordinary arrays: never longer than is proved, and how near the worst order of writes comes.

use crate::{plan, scheme};
use bounds::service::Service;
use flash::{AnyArray, Array, Lpn, Ns, Serial, Store};
use ftl::{FrontierSharing, SchemeConfig, VictimKind, registry};
use ftlkit_testkit::bench::AnyScheme;
use ftlkit_testkit::shape::Shape;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// Longest numbers of writes that are compared.
const MOST: usize = 600;

/// Addresses of page writes.
#[derive(Clone, Copy, Debug)]
enum Order {
    Random,
    Sequential,
    /// Cold pages in every block, as many as a victim may have, and then one page for ever: all blocks stay as full as can be.
    OneHot,
}

fn addresses(order: Order, pages: u32, config: &SchemeConfig, shape: &Shape) -> Vec<u32> {
    let random = &mut Pcg64::seed_from_u64(7);
    let all = 40 * pages;
    match order {
        Order::Random => {
            (0..pages).chain((0..all).map(|_| random.random_range(0..pages))).collect()
        }
        Order::Sequential => (0..all).map(|at| at % pages).collect(),
        Order::OneHot => {
            let cold = plan(config, shape).guarantee.victim_valid.unwrap();
            // `2lgc` keeps two blocks free, the others one.
            let full = shape.blocks - if config.preset.name == "2lgc" { 2 } else { 1 };
            let cold = cold.min((pages - 1) / full);
            let mut addresses = Vec::new();
            for block in 0..full {
                addresses.extend(block * cold..(block + 1) * cold);
                addresses.extend((cold..shape.pages_per_block).map(|_| pages - 1));
            }
            addresses.extend((0..all).map(|_| pages - 1));
            addresses
        }
    }
}

fn busy_ns(scheme: &AnyScheme) -> Ns {
    scheme.flash().downcast_ref::<Serial<Array>>().unwrap().busy_ns()
}

/// The time of each write.
fn times(config: &SchemeConfig, shape: &Shape, order: Order) -> Vec<Ns> {
    let array = AnyArray::new(Serial::new(shape.array(Store::Metadata, &[])));
    let mut scheme = registry::format(config, array).unwrap();
    let pages = scheme.logical_pages();
    let addresses = addresses(order, pages, config, shape);
    let mut before_ns = busy_ns(&*scheme);
    let took = addresses.into_iter().map(|lpn| {
        scheme.write(Lpn(lpn), None).unwrap();
        let now_ns = busy_ns(&*scheme);
        let took_ns = now_ns - before_ns;
        before_ns = now_ns;
        took_ns
    });
    took.collect()
}

/// The longest time of 1, 2, … writes in a row / what is proved, for the number where it is nearest and for the most.
fn nearest(times: &[Ns], service: &Service, told: &str) -> [f64; 2] {
    let sums: Vec<Ns> = std::iter::once(0)
        .chain(times.iter().scan(0, |sum, ns| {
            *sum += ns;
            Some(*sum)
        }))
        .collect();
    let (mut nearest, mut last) = (0.0, 0.0);
    for n in 1..=MOST {
        let longest = sums.windows(n + 1).map(|of| of[n] - of[0]).max().unwrap();
        let bound = service.writes_ns(n as u64);
        assert!(longest <= bound, "{told}: {n} writes took {longest} ns, bound {bound}");
        last = longest as f64 / bound as f64;
        nearest = f64::max(nearest, last);
    }
    [nearest, last]
}

#[test]
fn no_writes_in_a_row_take_longer_than_is_proved() {
    let shared = |name: &str| SchemeConfig {
        frontiers: Some(FrontierSharing::Shared),
        logical_pages: None,
        ..scheme(name)
    };
    let two_level = SchemeConfig { victim: Some(VictimKind::GREEDY), ..scheme("2lgc") };
    for config in [scheme("lazy-rtgc"), shared("page-level"), shared("fsr"), two_level] {
        for shape in [Shape::new(16, 32, 5), Shape::new(24, 64, 8), Shape::new(12, 48, 3)] {
            let name = config.preset.name;
            let own = plan(&config, &shape).logical_pages;
            let pages = match name {
                "lazy-rtgc" => own,
                // A victim with all pages valid but one would hide all else.
                _ => own * 4 / 5,
            };
            let config = SchemeConfig { logical_pages: Some(pages), ..config.clone() };
            let plan = plan(&config, &shape);
            let service = plan.service().unwrap();
            assert!(service.collections.is_some(), "{name}");
            for order in [Order::Random, Order::Sequential, Order::OneHot] {
                let told = format!("{name} on {shape}, {order:?}");
                let [nearest, last] = nearest(&times(&config, &shape, order), &service, &told);
                println!("{told}: at most {nearest:.3} of what is proved, {MOST} writes {last:.3}");
                if matches!(order, Order::OneHot) {
                    assert!(nearest > 0.9 && last > 0.8, "{told}: {nearest}, {last}");
                }
            }
        }
    }
}
