//! Closed forms of write amplification against an independent simulation.

use ftlkit_bounds::waf;
use std::collections::VecDeque;

const UNMAPPED: u32 = u32::MAX;

/// Linear congruential generator with Knuth's MMIX multiplier; the upper bits are good enough to draw pages.
struct Lcg(u64);

impl Lcg {
    fn below(&mut self, n: u32) -> u32 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (((self.0 >> 32) * u64::from(n)) >> 32) as u32
    }
}

/// Full blocks in collection order.
trait Order {
    fn filled(&mut self, block: u32, valid: u32);
    fn invalidated(&mut self, block: u32, valid: u32);
    fn next(&mut self) -> u32;
}

struct Fifo(VecDeque<u32>);

impl Order for Fifo {
    fn filled(&mut self, block: u32, _valid: u32) {
        self.0.push_back(block);
    }
    fn invalidated(&mut self, _block: u32, _valid: u32) {}
    fn next(&mut self) -> u32 {
        self.0.pop_front().unwrap()
    }
}

/// Full blocks by valid pages; the position of a block in its bucket makes moves O(1).
///
/// Ties are broken at random, as in the model with two classes, where the choice matters.
struct Greedy {
    buckets: Vec<Vec<u32>>,
    place: Vec<u32>,
    random: Lcg,
}

impl Greedy {
    fn new(blocks: u32, pages: u32) -> Self {
        Self {
            buckets: vec![Vec::new(); pages as usize + 1],
            place: vec![0; blocks as usize],
            random: Lcg(11),
        }
    }

    fn remove(&mut self, block: u32, valid: u32) {
        let bucket = &mut self.buckets[valid as usize];
        let at = self.place[block as usize];
        bucket.swap_remove(at as usize);
        if let Some(moved) = bucket.get(at as usize) {
            self.place[*moved as usize] = at;
        }
    }
}

impl Order for Greedy {
    fn filled(&mut self, block: u32, valid: u32) {
        self.place[block as usize] = self.buckets[valid as usize].len() as u32;
        self.buckets[valid as usize].push(block);
    }
    fn invalidated(&mut self, block: u32, valid: u32) {
        self.remove(block, valid + 1);
        self.filled(block, valid);
    }
    fn next(&mut self) -> u32 {
        let valid = self.buckets.iter().position(|bucket| !bucket.is_empty()).unwrap();
        let equals = &self.buckets[valid];
        let block = equals[self.random.below(equals.len() as u32) as usize];
        self.remove(block, valid as u32);
        block
    }
}

/// Full blocks in no order: the best of a few drawn; if all of those are fully valid, any block that is not.
struct Drawn {
    blocks: Vec<u32>,
    valid: Vec<u32>,
    draws: u32,
    pages: u32,
    random: Lcg,
}

impl Order for Drawn {
    fn filled(&mut self, block: u32, valid: u32) {
        self.valid[block as usize] = valid;
        self.blocks.push(block);
    }
    fn invalidated(&mut self, block: u32, valid: u32) {
        self.valid[block as usize] = valid;
    }
    fn next(&mut self) -> u32 {
        let valid = |at: usize| self.valid[self.blocks[at] as usize];
        let count = self.blocks.len();
        let mut draw = || self.random.below(count as u32) as usize;
        let mut at = (0..self.draws).map(|_| draw()).min_by_key(|at| valid(*at)).unwrap();
        while valid(at) == self.pages {
            at = draw();
        }
        self.blocks.swap_remove(at)
    }
}

/// The block with the fewest valid pages among the oldest written.
struct Windowed {
    queue: VecDeque<u32>,
    valid: Vec<u32>,
    window: usize,
}

impl Order for Windowed {
    fn filled(&mut self, block: u32, valid: u32) {
        self.valid[block as usize] = valid;
        self.queue.push_back(block);
    }
    fn invalidated(&mut self, block: u32, valid: u32) {
        self.valid[block as usize] = valid;
    }
    fn next(&mut self) -> u32 {
        let among = 0..self.window.min(self.queue.len());
        let at = among.min_by_key(|at| self.valid[self.queue[*at] as usize]).unwrap();
        self.queue.remove(at).unwrap()
    }
}

/// One frontier for host writes and copies; a block is collected when only one is free.
struct Device<O> {
    pages: u32,
    /// Physical page of each logical page, and back.
    map: Vec<u32>,
    owner: Vec<u32>,
    valid: Vec<u32>,
    free: Vec<u32>,
    frontier: u32,
    programmed: u32,
    order: O,
    programs: u64,
}

impl<O: Order> Device<O> {
    fn new(blocks: u32, pages: u32, logical: u32, order: O) -> Self {
        Self {
            pages,
            map: vec![UNMAPPED; logical as usize],
            owner: vec![UNMAPPED; (blocks * pages) as usize],
            valid: vec![0; blocks as usize],
            free: (1..blocks).rev().collect(),
            frontier: 0,
            programmed: 0,
            order,
            programs: 0,
        }
    }

    fn program(&mut self, lpn: u32) {
        if self.programmed == self.pages {
            self.order.filled(self.frontier, self.valid[self.frontier as usize]);
            self.frontier = self.free.pop().unwrap();
            self.programmed = 0;
        }
        let page = self.frontier * self.pages + self.programmed;
        self.programmed += 1;
        self.programs += 1;
        let old = std::mem::replace(&mut self.map[lpn as usize], page);
        self.owner[page as usize] = lpn;
        self.valid[self.frontier as usize] += 1;
        if old != UNMAPPED {
            let block = old / self.pages;
            self.owner[old as usize] = UNMAPPED;
            self.valid[block as usize] -= 1;
            if block != self.frontier {
                self.order.invalidated(block, self.valid[block as usize]);
            }
        }
    }

    fn write(&mut self, lpn: u32) {
        self.program(lpn);
        // Repeats if the victim was fully valid (FIFO), because that freed no page.
        while self.programmed == self.pages && self.free.len() <= 1 {
            self.collect();
        }
    }

    fn collect(&mut self) {
        let victim = self.order.next();
        // The victim has left the order, so moves of its pages are not reported to it.
        for page in victim * self.pages..(victim + 1) * self.pages {
            let lpn = std::mem::replace(&mut self.owner[page as usize], UNMAPPED);
            if lpn != UNMAPPED {
                self.map[lpn as usize] = UNMAPPED;
                self.program(lpn);
            }
        }
        self.valid[victim as usize] = 0;
        self.free.insert(0, victim);
    }
}

/// Pages programmed per host write at steady state.
fn simulate<O: Order>(device: Device<O>, warm_up: u64, measured: u64) -> f64 {
    simulate_writes(device, warm_up, measured, |random, logical| random.below(logical))
}

/// The same for a given distribution of writes.
fn simulate_writes<O: Order>(
    mut device: Device<O>,
    warm_up: u64,
    measured: u64,
    next: impl Fn(&mut Lcg, u32) -> u32,
) -> f64 {
    let logical = device.map.len() as u32;
    let mut random = Lcg(0x5eed);
    for lpn in 0..logical {
        device.write(lpn);
    }
    for _ in 0..warm_up * u64::from(logical) {
        device.write(next(&mut random, logical));
    }
    let before = device.programs;
    let writes = measured * u64::from(logical);
    for _ in 0..writes {
        device.write(next(&mut random, logical));
    }
    (device.programs - before) as f64 / writes as f64
}

/// σ refers to the blocks that hold data: one of the N is free when collection starts.
fn logical_pages(blocks: u32, pages: u32, share: f64) -> u32 {
    (share * f64::from((blocks - 1) * pages)).round() as u32
}

#[test]
fn fifo_and_greedy_agree_with_the_closed_forms() {
    let mut worst = 0.0_f64;
    for (pages, blocks) in [(16, 8000), (64, 4000), (256, 2000)] {
        for share in [0.7, 0.8, 0.875, 0.93] {
            let logical = logical_pages(blocks, pages, share);
            let fifo = simulate(Device::new(blocks, pages, logical, Fifo(VecDeque::new())), 5, 3);
            let order = Greedy::new(blocks, pages);
            let greedy = simulate(Device::new(blocks, pages, logical, order), 5, 3);
            // Desnoyers' formula is stated for π ≥ 64.
            let forms = if pages < 64 { 2 } else { 3 };
            let compared = [
                ("fifo", fifo, waf::fifo(share)),
                ("greedy", greedy, waf::greedy(share, pages)),
                ("greedy (Desnoyers)", greedy, waf::greedy_desnoyers(share, pages)),
            ];
            for (what, simulated, predicted) in compared.into_iter().take(forms) {
                let predicted = predicted.unwrap();
                let off = simulated / predicted - 1.0;
                println!(
                    "σ {share} π {pages} {what}: {simulated:.4} simulated, {predicted:.4}, {:+.2} %",
                    off * 100.0
                );
                worst = worst.max(off.abs());
                assert!(off.abs() < 0.01, "σ {share} π {pages} {what}: {simulated} {predicted}");
            }
        }
    }
    println!("worst {:.2} %", worst * 100.0);
}

/// Every fifth page is hot, and hot pages get four of five writes.
fn hot_and_cold(random: &mut Lcg, logical: u32) -> u32 {
    let fifth = logical / 5;
    match random.below(5) {
        0 => {
            let cold = random.below(logical - fifth);
            cold + cold / 4 + 1
        }
        _ => 5 * random.below(fifth),
    }
    .min(logical - 1)
}

/// Blocks written once stay as long as their cold pages do.
///
/// Warm-up therefore writes much more than under uniform writes.
/// At this size the random error is below half a per cent; the remaining tolerance covers finite N.
#[test]
fn choices_windows_and_two_classes_agree_with_the_mean_field_model() {
    let (blocks, pages) = (2500, 16);
    let uniform = |random: &mut Lcg, logical: u32| random.below(logical);
    let hot = waf::Writes::HotCold { hot_pages: 0.2, hot_writes: 0.8 };
    for share in [0.75, 0.9] {
        let logical = logical_pages(blocks, pages, share);
        let check = |what: &str, writes, simulated: f64, selection| {
            let model = waf::mean_field(share, pages, writes, selection).unwrap();
            let predicted = model.write_amplification;
            let off = simulated / predicted - 1.0;
            println!("σ {share} {what}: {simulated:.4}, {predicted:.4}, {:+.2} %", off * 100.0);
            assert!(off.abs() < 0.01, "σ {share} {what}: {simulated} {predicted}");
        };
        for draws in [1, 2, 5] {
            let device = || {
                let random = Lcg(7);
                let valid = vec![0; blocks as usize];
                let order = Drawn { blocks: Vec::new(), valid, draws, pages, random };
                Device::new(blocks, pages, logical, order)
            };
            let selection = waf::Selection::ChoicesPassingOver(draws);
            let simulated = simulate_writes(device(), 5, 3, uniform);
            check(&format!("{draws} draws"), waf::Writes::Uniform, simulated, selection);
            let simulated = simulate_writes(device(), 12, 4, hot_and_cold);
            check(&format!("{draws} draws, hot"), hot, simulated, selection);
        }
        let window = blocks / 8;
        let device = || {
            let valid = vec![0; blocks as usize];
            let order = Windowed { queue: VecDeque::new(), valid, window: window as usize };
            Device::new(blocks, pages, logical, order)
        };
        let selection = waf::Selection::Windowed(f64::from(window) / f64::from(blocks - 1));
        let simulated = simulate_writes(device(), 5, 3, uniform);
        check("window", waf::Writes::Uniform, simulated, selection);
        let simulated = simulate_writes(device(), 12, 4, hot_and_cold);
        check("window, hot", hot, simulated, selection);
        let order = Greedy::new(blocks, pages);
        let device = Device::new(blocks, pages, logical, order);
        let simulated = simulate_writes(device, 12, 4, hot_and_cold);
        check("greedy, hot", hot, simulated, waf::Selection::Greedy);
        let device = Device::new(blocks, pages, logical, Fifo(VecDeque::new()));
        let simulated = simulate_writes(device, 12, 4, hot_and_cold);
        let predicted = waf::fifo_of(share, hot).unwrap();
        let off = simulated / predicted - 1.0;
        println!("σ {share} fifo, hot: {simulated:.4}, {predicted:.4}, {:+.2} %", off * 100.0);
        assert!(off.abs() < 0.01, "σ {share} fifo, hot: {simulated} {predicted}");
    }
}
