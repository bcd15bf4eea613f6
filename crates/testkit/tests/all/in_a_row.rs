//! Page writes in a row on ordinary arrays: never longer than is proved, and how near the worst order of writes comes.

use crate::{plan, scheme};
use bounds::arrivals::Arrivals;
use bounds::service::{Service, delay};
use flash::{AnyArray, Array, Geometry, Lpn, Ns, Serial, Store};
use ftl::{FrontierSharing, SchemeConfig, VictimKind, registry};
use ftlkit_testkit::bench::AnyScheme;
use ftlkit_testkit::shape::Shape;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::collections::VecDeque;

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

/// The addresses of an order, without end.
struct Addresses {
    order: Order,
    pages: u32,
    random: Pcg64,
    at: u32,
    /// `OneHot`: full blocks, cold pages of each, and pages per block.
    full: [u32; 3],
}

impl Addresses {
    /// Of these logical pages; victims have at most `most_valid` pages, and `kept` blocks are never full.
    fn new(order: Order, pages: u32, [most_valid, kept]: [u32; 2], geometry: &Geometry) -> Self {
        let blocks = geometry.blocks() - kept;
        let cold = most_valid.min((pages - 1) / blocks);
        let full = [blocks, cold, geometry.pages_per_block()];
        Self { order, pages, random: Pcg64::seed_from_u64(7), at: 0, full }
    }

    fn next(&mut self) -> Lpn {
        let at = self.at;
        self.at += 1;
        let [blocks, cold, per_block] = self.full;
        Lpn(match self.order {
            Order::Random if at < self.pages => at,
            Order::Random => self.random.random_range(0..self.pages),
            Order::Sequential => at % self.pages,
            Order::OneHot if at < blocks * per_block && at % per_block < cold => {
                at / per_block * cold + at % per_block
            }
            Order::OneHot => self.pages - 1,
        })
    }
}

fn busy_ns(scheme: &AnyScheme) -> Ns {
    scheme.flash().downcast_ref::<Serial<Array>>().unwrap().busy_ns()
}

/// The time of each of so many writes.
fn times<'a>(
    scheme: &'a mut AnyScheme,
    mut addresses: Addresses,
    writes: u64,
) -> impl Iterator<Item = Ns> + 'a {
    let mut before_ns = busy_ns(scheme);
    (0..writes).map(move |_| {
        scheme.write(addresses.next(), None).unwrap();
        let now_ns = busy_ns(scheme);
        let took_ns = now_ns - before_ns;
        before_ns = now_ns;
        took_ns
    })
}

/// The longest time of n writes in a row / what is proved: the least over n up to [`MOST`], and for that.
fn parts(times: &[Ns], service: &Service, told: &str) -> [f64; 2] {
    let mut sums = vec![0];
    for took_ns in times {
        sums.push(sums[sums.len() - 1] + took_ns);
    }
    let part_of = |n: usize| {
        let longest = sums.windows(n + 1).map(|of| of[n] - of[0]).max().unwrap();
        let bound = service.writes_ns(n as u64);
        assert!(longest <= bound, "{told}: {n} writes took {longest} ns, bound {bound}");
        longest as f64 / bound as f64
    };
    [(1..=MOST).map(part_of).fold(1.0, f64::min), part_of(MOST)]
}

/// The schemes, and what the worst order must take of the bound, for each n and for [`MOST`]. Of victims by other policies and of
/// spare blocks nothing is asked: that order is not the worst of all of them.
fn schemes() -> Vec<(SchemeConfig, [f64; 2])> {
    let shared = |name: &str| {
        let frontiers = Some(FrontierSharing::Shared);
        (SchemeConfig { frontiers, ..scheme(name) }, [0.999, 0.999])
    };
    let with = |name: &str, victim: VictimKind| {
        (SchemeConfig { victim: Some(victim), ..scheme(name) }, [0.0; 2])
    };
    let policy = |name: &str| VictimKind::each(3).find(|kind| kind.policy().name == name).unwrap();
    vec![
        (scheme("lazy-rtgc"), [0.94, 0.999]),
        (SchemeConfig { spare_blocks: 2, ..scheme("lazy-rtgc") }, [0.0; 2]),
        with("lazy-rtgc", VictimKind::TWO_LEVEL_LIST),
        with("lazy-rtgc", policy("first-fit")),
        with("lazy-rtgc", policy("yaffs2")),
        shared("page-level"),
        shared("fsr"),
        (SchemeConfig { victim: Some(VictimKind::GREEDY), ..scheme("2lgc") }, [0.65, 0.995]),
        with("2lgc", VictimKind::TWO_LEVEL_LIST),
    ]
}

#[test]
fn no_writes_in_a_row_take_longer_than_is_proved() {
    for (config, least) in schemes() {
        for shape in [Shape::new(16, 32, 5), Shape::new(24, 64, 8), Shape::new(12, 48, 3)] {
            let name = config.preset.name;
            let own = plan(&config, &shape).logical_pages;
            // Where a victim may have all pages valid but one, that would hide all else.
            let pages = if name == "lazy-rtgc" { own } else { own * 4 / 5 };
            let config = SchemeConfig { logical_pages: Some(pages), ..config.clone() };
            let plan = plan(&config, &shape);
            let service = plan.service().unwrap();
            assert!(service.collections.is_some(), "{name}");
            for order in [Order::Random, Order::Sequential, Order::OneHot] {
                let victim = config.victim.unwrap_or(VictimKind::GREEDY);
                let told = format!("{name}, {victim}, on {shape}, {order:?}");
                let array = AnyArray::new(Serial::new(shape.array(Store::Metadata, &[])));
                let mut scheme = registry::format(&config, array).unwrap();
                // `2lgc` keeps two blocks free, the others one.
                let kept = config.spare_blocks + if name == "2lgc" { 2 } else { 1 };
                let valid = plan.guarantee.victim_valid.unwrap();
                let addresses = Addresses::new(order, pages, [valid, kept], &shape.geometry());
                let writes = 40 * u64::from(pages);
                let times: Vec<Ns> = times(&mut *scheme, addresses, writes).collect();
                let parts = parts(&times, &service, &told);
                let [any, most] = parts;
                println!("{told}: {any:.3} of what is proved or more, {MOST} writes {most:.3}");
                let enough = any >= least[0] && most >= least[1];
                assert!(enough || !matches!(order, Order::OneHot), "{told}: {parts:?}");
            }
        }
    }
}

/// The longest delay of these writes if each window of them, wherever it begins, arrives as early as a bucket of `burst` pages and one
/// per `ns_per_page` lets it: max over windows of n ≥ `burst` writes of their time − (n − `burst`) · `ns_per_page`.
#[derive(Clone, Debug)]
struct WorstArrivals {
    burst: usize,
    ns_per_page: i128,
    /// Σ (time − `ns_per_page`) before each of the last `burst` writes.
    before: VecDeque<i128>,
    sum: i128,
    least: i128,
    longest: i128,
}

impl WorstArrivals {
    fn new(burst: usize, ns_per_page: Ns) -> Self {
        Self {
            burst,
            ns_per_page: ns_per_page.into(),
            before: VecDeque::with_capacity(burst),
            sum: 0,
            least: i128::MAX,
            longest: 0,
        }
    }

    fn write(&mut self, took_ns: Ns) {
        self.before.push_back(self.sum);
        self.sum += i128::from(took_ns) - self.ns_per_page;
        if self.before.len() == self.burst {
            self.least = self.least.min(self.before.pop_front().unwrap());
            let delay = self.sum - self.least + self.burst as i128 * self.ns_per_page;
            self.longest = self.longest.max(delay);
        }
    }
}

/// Bursts of a block's pages, at a rate of 4/5 of what the scheme can serve for ever.
#[test]
fn no_arrivals_of_a_bucket_wait_longer_than_is_proved() {
    let asked = std::env::var("FTLKIT_QUEUED_TASKS").map(|tasks| tasks.parse().unwrap());
    let tasks: u64 = asked.unwrap_or(1_800_000);
    let names = ["lazy-rtgc", "rftl", "gftl", "gftl-priority", "lazy-rtgc-on-demand"];
    let orders = [Order::Random, Order::Sequential, Order::OneHot];
    let parts = ["evaluation-slc", "toshiba-slc", "micron-mlc"];
    let (mut all, mut cases) = (0, 0);
    for (name, part) in names.iter().flat_map(|name| parts.map(|part| (name, part))) {
        let mut nearest = (0.0, String::new());
        let part = flash::parts::by_name(part).unwrap();
        let geometry = Geometry::new(48, part.pages_per_block, part.page_bytes).unwrap();
        for order in orders {
            let array =
                AnyArray::new(Serial::new(Array::new(geometry, part.clone(), Store::Metadata)));
            let config = scheme(name);
            let plan = registry::plan(&config, part, &geometry, geometry.blocks()).unwrap();
            let service = plan.service().unwrap();
            let many = 1_000_000;
            let for_ever = service.writes_ns(2 * many) - service.writes_ns(many);
            let (burst, ns_per_page) = (part.pages_per_block, for_ever * 5 / 4 / many);
            let bucket = Arrivals::bucket(burst.into(), ns_per_page);
            let bound = delay(&service, &bucket, &Arrivals::NONE).unwrap();
            let mut worst = WorstArrivals::new(burst as usize, ns_per_page);
            let mut scheme = registry::format(&config, array).unwrap();
            let valid = plan.guarantee.victim_valid.unwrap();
            let addresses = Addresses::new(order, plan.logical_pages, [valid, 1], &geometry);
            let share = tasks / (names.len() * parts.len() * orders.len()) as u64;
            times(&mut *scheme, addresses, share).for_each(|took_ns| worst.write(took_ns));
            let (longest, bound) = (worst.longest as Ns, bound.delay_ns);
            assert!(longest <= bound, "{name} on {}, {order:?}: {longest} ns, {bound}", part.name);
            let part_of = longest as f64 / bound as f64;
            if part_of > nearest.0 {
                nearest = (part_of, format!("{longest} of {bound} ns, {order:?}"));
            }
            all += share;
            cases += 1;
        }
        println!("{name} on {}: {:.3}, {}", part.name, nearest.0, nearest.1);
        let is_lazy = *name == "lazy-rtgc";
        assert!(!is_lazy || nearest.0 > 1.0 / 1.5, "{name} on {}: {nearest:?}", part.name);
    }
    println!("{all} page writes in {cases} cases: none waited longer than is proved");
}
