//! GFTL: its algorithms step by step, its bounds in the worst orders, start-up and shutdown.

use crate::bench::preset as config;
use flash::faults::{BitErrors, Tearable};
use flash::parts::SAMSUNG_LARGE_BLOCK;
use flash::{
    AnyArray, Array, Cause, Counts, DynFlash, Flash, FlashError, Geometry, Layer, Lpn, Ns, Oob,
    Operation, PageKind, Part, Ppn, Probe, Serial, Store,
};
use flash::{SerialArray, US, WearLevel};
use ftlkit_ftl::{
    AnyScheme, CollectionRam, Enqueue, FtlError, Guarantee, SchemeConfig, WriteQueue, registry,
};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// The large-block part of the paper's Table I with `pages_per_block` pages per block.
fn part(pages_per_block: u32) -> Part {
    Part { pages_per_block, ..SAMSUNG_LARGE_BLOCK.clone() }
}

fn bench(pages_per_block: u32, blocks: u32, store: Store) -> SerialArray {
    let geometry = Geometry::new(blocks, pages_per_block, 2048).unwrap();
    let array = Array::new(geometry, part(pages_per_block), store);
    WearLevel::off(Serial::new(BitErrors::none(array)))
}

/// Service and step times of one task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Took {
    service_ns: Ns,
    step_ns: Ns,
}

/// A task with service time and no step.
fn served(service_us: u64) -> Took {
    Took { service_ns: service_us * US, step_ns: 0 }
}

fn took(service_us: u64, step_us: u64) -> Took {
    Took { service_ns: service_us * US, step_ns: step_us * US }
}

type Device = AnyScheme;

/// A device under test, and its longest tasks.
struct Test {
    device: Box<Device>,
    write: Took,
    read: Took,
}

impl Test {
    fn new(device: Result<Box<Device>, FtlError>) -> Self {
        let none = Took::default();
        Self { device: device.unwrap(), write: none, read: none }
    }

    fn formatted(config: &SchemeConfig, flash: SerialArray) -> Self {
        Self::new(registry::format(config, flash))
    }

    fn mounted(config: &SchemeConfig, flash: SerialArray) -> Self {
        Self::new(registry::mount(config, flash))
    }

    /// Cuts the power.
    fn off(self) -> SerialArray {
        self.device.into_flash().downcast().unwrap()
    }

    fn promise(&self) -> Guarantee {
        self.device.telemetry().guarantee
    }

    fn queue_pages(&self) -> u64 {
        self.device.telemetry().write_queue_pages.unwrap()
    }

    fn timed<T>(&mut self, task: impl FnOnce(&mut Device) -> T) -> (T, Took) {
        let before = self.device.flash().worked();
        let done = task(&mut *self.device);
        let after = self.device.flash().worked();
        let step_ns = after.steps_ns - before.steps_ns;
        (done, Took { service_ns: after.busy_ns - before.busy_ns - step_ns, step_ns })
    }

    fn try_write(&mut self, lpn: u32) -> Result<Took, FtlError> {
        let (done, took) = self.timed(|device| device.write(Lpn(lpn), None));
        self.write.service_ns = self.write.service_ns.max(took.service_ns);
        self.write.step_ns = self.write.step_ns.max(took.step_ns);
        done.map(|()| took)
    }

    fn write(&mut self, lpn: u32) -> Took {
        self.try_write(lpn).unwrap()
    }

    fn present(&mut self, lpn: u32) -> (bool, Took) {
        let (found, took) = self.timed(|device| device.read(Lpn(lpn), None).unwrap());
        self.read.service_ns = self.read.service_ns.max(took.service_ns);
        self.read.step_ns = self.read.step_ns.max(took.step_ns);
        (found, took)
    }

    fn read(&mut self, lpn: u32) -> Took {
        let (found, took) = self.present(lpn);
        assert!(found, "page {lpn} is not there");
        took
    }

    fn counts(&self) -> Counts {
        *self.device.flash().serial().unwrap().counts()
    }

    /// Fills the device in order, block by block.
    fn fill(&mut self) {
        (0..self.device.logical_pages()).for_each(|page| {
            self.write(page);
        });
    }

    /// Writes `tasks` pages chosen by `next`; returns the most pages in the write queue.
    fn longest(&mut self, tasks: u32, next: impl Fn(&Device, u32) -> u32) -> u64 {
        let mut most = 0;
        for at in 0..tasks {
            self.write(next(&*self.device, at));
            most = most.max(self.queue_pages());
        }
        most
    }
}

#[test]
fn the_algorithms_step_by_step() {
    // π = 16: a step holds 80 reads or 6 programs, so a collection takes 1 + 3 + 1 steps.
    let test = &mut Test::formatted(&config("gftl"), bench(16, 60, Store::Metadata));
    for page in 0..15 {
        assert_eq!(test.write(page), served(300), "appended to the data block");
    }
    // The search runs backwards: page 14 is the last programmed, page 0 the fifteenth.
    assert_eq!(test.read(14), served(25 + 25));
    assert_eq!(test.read(0), served(15 * 25 + 25));
    // The write that fills the block queues it, and its step reads sixteen OOBs and fifteen pages. The last
    // page of the block holds the newest version of page 0, so the search ends before the first.
    assert_eq!(test.write(0), took(300, (15 + 15) * 25));
    // Write state: to the write queue. The new block does not get page 3 any more.
    assert_eq!(test.write(3), took(300, 6 * 300));
    assert_eq!(test.queue_pages(), 1);
    // A page in RAM takes only the step; page 3 is read from the write queue.
    assert_eq!(test.read(7), took(0, 6 * 300));
    assert_eq!(test.read(3), took(50, 2 * 300));
    // Erase state: to RAM. The new block has fourteen pages, but pages of the block are queued.
    assert_eq!(test.write(5), took(0, 2000));
    assert_eq!(test.read(5), took(0, 300), "held, then programmed");
    assert_eq!(test.queue_pages(), 2);
    // The block waits again: first pages of the queue (an OOB and a page each), then the search.
    assert_eq!(test.read(5), took(50, (2 * 2 + 14 + 13) * 25));
    for programs in [6, 6, 3] {
        assert_eq!(test.read(5), took(0, programs * 300));
    }
    assert_eq!(test.read(5), took(0, 2000));
    // Idle: the new block is not full, so it takes pages.
    let queue = test.queue_pages();
    assert_eq!(test.write(15), took(300, 30 * 25 + 50));
    assert_eq!(test.queue_pages(), queue);
}

#[test]
fn a_write_in_the_read_state_is_taken_in_ram_and_replaces_what_was_read() {
    // π = 64: two read steps, for 64 OOBs and 64 pages.
    let test = &mut Test::formatted(&config("gftl"), bench(64, 60, Store::Metadata));
    (0..64).for_each(|page| {
        test.write(page);
    });
    let programs = test.counts().get(Operation::Program, Cause::Host);
    // The first step has read page 63; the write replaces it in RAM, and the second step reads the others.
    assert_eq!(test.queue_pages(), 0);
    assert_eq!(test.timed(|device| device.write(Lpn(63), None)).1.service_ns, 0);
    assert_eq!(test.counts().get(Operation::Program, Cause::Host), programs);
    assert_eq!(test.read(63).service_ns, 0);
    // Write state: a flush makes the page durable through the write queue, once.
    assert_eq!(test.timed(|device| device.flush().unwrap()).1, served(300));
    assert_eq!(test.timed(|device| device.flush().unwrap()).1, served(0));
    assert_eq!(test.queue_pages(), 1);
    (0..60).for_each(|_| {
        test.read(63);
    });
    // 63 pages, then all 64 once more, since page 63 is in the queue.
    assert_eq!(test.counts().get(Operation::Program, Cause::Collection), 63 + 64);
    assert_eq!(test.counts().get(Operation::Erase, Cause::Collection), 2);
}

/// GFTL with RAM in every state of a collection (§VI).
fn in_ram() -> SchemeConfig {
    SchemeConfig { collection_ram: Some(CollectionRam::Collection), ..config("gftl") }
}

#[test]
fn ram_takes_writes_in_every_state_of_a_collection() {
    // π = 16: 6 programs per step; the block is read in the step of the write that fills it.
    let test = &mut Test::formatted(&in_ram(), bench(16, 60, Store::Metadata));
    (0..16).for_each(|page| {
        test.write(page);
    });
    let programs = |test: &Test, cause| test.counts().get(Operation::Program, cause);
    // Write state: page 15 is still to come, page 0 is not any more from the second step on.
    assert_eq!(test.write(15), took(0, 6 * 300));
    assert_eq!(test.write(0), took(0, 6 * 300));
    assert_eq!(test.write(0), took(0, 4 * 300), "a page is held once");
    assert_eq!(test.read(0), took(0, 2000), "from RAM, then the erase");
    assert_eq!((programs(test, Cause::Host), programs(test, Cause::Collection)), (16, 16));
    assert_eq!(test.queue_pages(), 0);
    // The new block is full, so the held page goes to the queue, and the block waits again.
    assert_eq!(test.read(0), took(0, 300));
    assert_eq!((programs(test, Cause::Collection), test.queue_pages()), (17, 1));
    assert_eq!(test.read(0).service_ns, 50 * US);
}

/// Every task between the last read and the erase writes a page whose turn has passed. The steps after the erase program
/// them, ⌊t_er/t_wr⌋ at a time, each within t_er.
#[test]
fn no_more_pages_are_held_than_the_bound_counts() {
    for pages in [16, 32, 64] {
        let steps = bounds::gftl::whole_steps(&part(pages), CollectionRam::Collection).unwrap();
        let test = &mut Test::formatted(&in_ram(), bench(pages, 60, Store::Metadata));
        (0..pages).for_each(|page| {
            test.write(page);
        });
        let programmed = |test: &Test| test.counts().get(Operation::Program, Cause::Collection);
        let erased = |test: &Test| test.counts().get(Operation::Erase, Cause::Collection);
        let mut at = 0;
        while erased(test) == 0 {
            // From the second write step on, page `at` has its place in the new block.
            let before = programmed(test);
            let took = test.write(if before == 0 { pages - 1 } else { at });
            at += u32::from(before > 0);
            assert_eq!(took.service_ns, 0);
        }
        assert!(at <= steps.held && at + 1 >= steps.held, "π {pages}: {at} of {}", steps.held);
        // After the erase, too, until no page is held any more.
        let mut more = 0;
        loop {
            let took = test.write(at);
            if took.service_ns > 0 {
                break;
            }
            assert!(took.step_ns <= 2000 * US);
            (at, more) = (at + 1, more + 1);
        }
        assert_eq!((more, programmed(test)), (steps.after, u64::from(pages + at)), "π {pages}");
    }
}

/// Wherever the power is cut after a flush, what was flushed is there; what RAM took after it is the older version.
#[test]
fn a_flush_keeps_what_ram_holds_and_a_cut_loses_what_came_after_it() {
    for before in 0..8 {
        let array = bench(16, 60, Store::All);
        let mut test = Test::formatted(&in_ram(), array);
        let bytes = |version: u8| [version; 2048];
        let write = |test: &mut Test, lpn, version| {
            test.device.write(Lpn(lpn), Some(&bytes(version))).unwrap();
        };
        (0..16).for_each(|page| write(&mut test, page, 1));
        // In the write state, in which pages 0 to 5 have their place after the first step.
        (0..before).for_each(|page| write(&mut test, page, 2));
        test.device.flush().unwrap();
        let service = test.timed(|device| device.write(Lpn(0), Some(&bytes(3))).unwrap()).1;
        let test = &mut Test::mounted(&in_ram(), test.off());
        let mut found = bytes(0);
        for page in 1..16 {
            assert!(test.device.read(Lpn(page), Some(&mut found)).unwrap());
            assert_eq!(found, bytes(if page < before { 2 } else { 1 }), "page {page} of {before}");
        }
        assert!(test.device.read(Lpn(0), Some(&mut found)).unwrap());
        let kept = if service.service_ns == 0 { u8::from(before > 0) + 1 } else { 3 };
        assert_eq!(found, bytes(kept), "{before} writes");
    }
}

/// A machine that fails tears any of the last writes: what was written before them is there. A page that cannot be read before one
/// that can may have held any page of its block.
#[test]
fn torn_pages_at_the_end_of_a_data_block_hide_none_before_them() {
    for scheme in ["gftl", "gftl-threshold", "gftl-priority"] {
        for torn in [&[6][..], &[5, 6], &[4, 5, 6], &[5]] {
            let mut test = Test::formatted(&config(scheme), bench(8, 60, Store::All));
            let bytes = |page: u32| [page as u8 + 1; 2048];
            for page in 0..7 {
                test.device.write(Lpn(page), Some(&bytes(page))).unwrap();
            }
            let mut array = test.off();
            let all = (0..Flash::geometry(&array).pages()).map(Ppn);
            let places: Vec<_> = all
                .filter_map(|ppn| {
                    Some((ppn, Flash::read_oob(&mut array, ppn, Cause::Mount).ok()?.lpn.0))
                })
                .collect();
            assert_eq!(places.len(), 7, "{scheme}: each page is in the data block");
            for (ppn, _) in places.iter().filter(|(_, lpn)| torn.contains(lpn)) {
                array.inner_mut().spoil(*ppn).unwrap();
            }
            let mut test = Test::mounted(&config(scheme), array);
            for page in 0..7 {
                let mut found = bytes(99);
                let read = test.device.read(Lpn(page), Some(&mut found));
                match torn {
                    [5] if page < 6 => assert!(read.is_err(), "{scheme}: page {page} is in doubt"),
                    _ if torn.contains(&page) => assert_eq!(read, Ok(false), "{scheme}: {page}"),
                    _ => assert_eq!((read, found), (Ok(true), bytes(page)), "{scheme}: {torn:?}"),
                }
            }
        }
    }
}

/// A flush has put every page of the block that is not trimmed in the write queue, so there is no new block. What the
/// host writes next is held, and goes to the queue when the collection ends.
#[test]
fn a_page_held_without_a_new_block_is_not_lost() {
    // π = 64: a step of the read state holds 80 reads, 40 OOBs and pages.
    let test = &mut Test::formatted(&in_ram(), bench(64, 60, Store::All));
    let bytes = |version: u8| [version; 2048];
    (0..64).for_each(|page| test.device.write(Lpn(page), Some(&bytes(1))).unwrap());
    (1..63).for_each(|page| test.device.trim(Lpn(page)).unwrap());
    // The second step of the read state reads page 0, which is trimmed before its turn in the write state.
    assert_eq!(
        test.timed(|device| device.write(Lpn(63), Some(&bytes(2))).unwrap()).1.service_ns,
        0
    );
    test.device.trim(Lpn(0)).unwrap();
    test.device.flush().unwrap();
    assert_eq!(
        test.timed(|device| device.write(Lpn(63), Some(&bytes(3))).unwrap()).1.service_ns,
        0
    );
    let mut found = bytes(0);
    for _ in 0..12 {
        assert!(test.device.read(Lpn(63), Some(&mut found)).unwrap());
        assert_eq!(found, bytes(3));
    }
}

#[test]
fn with_overflow_a_full_block_waits_for_its_next_write() {
    let overflow = SchemeConfig { enqueue: Some(Enqueue::Overflow), ..config("gftl") };
    let test = &mut Test::formatted(&overflow, bench(16, 60, Store::Metadata));
    (0..16).for_each(|page| assert_eq!(test.write(page), served(300)));
    assert_eq!(test.read(0), served(16 * 25 + 25));
    assert_eq!(test.write(3).service_ns, 300 * US);
    assert_eq!(test.queue_pages(), 1);
    assert!(test.counts().get(Operation::ReadOob, Cause::Collection) > 0);
}

#[test]
fn trimmed_pages_are_neither_read_nor_collected() {
    let test = &mut Test::formatted(&config("gftl"), bench(16, 60, Store::Metadata));
    (0..15).for_each(|page| {
        test.write(page);
    });
    (0..15).filter(|page| page % 2 == 0).for_each(|page| test.device.trim(Lpn(page)).unwrap());
    assert_eq!(test.present(4), (false, served(0)));
    test.write(1);
    (0..12).for_each(|_| {
        test.read(1);
    });
    assert_eq!(test.counts().get(Operation::Program, Cause::Collection), 7);
    // A block whose pages are all trimmed is erased and not replaced.
    (0..9).for_each(|_| {
        test.write(1);
    });
    (0..16).for_each(|page| test.device.trim(Lpn(page)).unwrap());
    (0..12).for_each(|page| assert!(!test.present(page).0));
    assert_eq!(test.device.free_pages(), 60 * 16);
    assert_eq!(test.queue_pages(), 0);
}

#[test]
fn worst_read_and_write_of_table_5_at_any_utilisation() {
    for (pages, read_us) in [(16, 425), (32, 825), (64, 1625)] {
        for name in ["gftl", "gftl-priority"] {
            for percent in [50, 100] {
                let test = &mut Test::formatted(&config(name), bench(pages, 200, Store::Metadata));
                let promise = test.promise();
                assert!(promise.real_time && promise.volatile);
                assert_eq!(promise.read_ns, Some(read_us * US));
                assert_eq!(promise.write_ns, Some(300 * US));
                assert_eq!(promise.step_ns, Some(2000 * US));
                assert_eq!(promise.response_ns, Some((2000 + read_us.max(300)) * US));
                // Eight blocks become full one after the other, the last while the first is collected. Its
                // first page is the last that a search finds.
                (0..8 * pages).for_each(|at| {
                    test.write(at % 8 * pages + at / 8);
                });
                assert_eq!(test.read(7 * pages).service_ns, read_us * US);
                let used = test.device.logical_pages() * percent / 100;
                for at in 0..30_000u32 {
                    test.write(at.wrapping_mul(2_654_435_761) % used);
                    if at % 3 == 0 {
                        test.present(at.wrapping_mul(40_503) % used);
                    }
                }
                assert_eq!(test.write.service_ns, 300 * US);
                assert_eq!(test.read.service_ns, read_us * US, "{name} π {pages} {percent} %");
                assert!(test.write.step_ns.max(test.read.step_ns) <= 2000 * US);
            }
        }
    }
}

/// §IV-D: one page of each block in turn.
fn in_turn(pages: u32) -> impl Fn(&Device, u32) -> u32 {
    move |device, at| {
        let blocks = device.logical_pages() / pages;
        at % blocks * pages + at / blocks % pages
    }
}

/// Writes only to the block that was collected last, and so queued last: its pages live for a whole cycle.
/// Blocks are collected in turn, and each collection programs π pages.
fn to_the_block_queued_last(pages: u32) -> impl Fn(&Device, u32) -> u32 {
    move |device, at| {
        let blocks = device.logical_pages() / pages;
        let programs =
            device.flash().serial().unwrap().counts().get(Operation::Program, Cause::Collection);
        let collected = (programs / u64::from(pages)) as u32;
        (collected + blocks - 1) % blocks * pages + at % pages
    }
}

#[test]
fn the_queue_never_takes_up_more_than_its_proven_length() {
    use CollectionRam::{Collection, States};
    use Enqueue::{Full, Overflow};
    let readings = [(States, Full), (States, Overflow), (Collection, Full), (Collection, Overflow)];
    for (pages, (ram, enqueue)) in
        [16, 32, 64].into_iter().flat_map(|pages| readings.map(|reading| (pages, reading)))
    {
        let steps = bounds::gftl::whole_steps(&part(pages), ram).unwrap();
        let config =
            SchemeConfig { collection_ram: Some(ram), enqueue: Some(enqueue), ..config("gftl") };
        let test = &mut Test::formatted(&config, bench(pages, 400, Store::Metadata));
        let blocks = test.device.logical_pages() / pages;
        let proven = bounds::gftl::proven_queue_blocks(pages, blocks, steps, 0);
        let proven = proven * u64::from(pages);
        let printed = bounds::gftl::queue_pages(blocks, bounds::gftl::paper_steps(&part(pages)));
        test.fill();
        let cycle = blocks * steps.total();
        let turn = test.longest(3 * cycle, in_turn(pages));
        let last = test.longest(6 * cycle, to_the_block_queued_last(pages));
        println!(
            "π {pages} {ram:?} {enqueue:?} N {blocks}: printed {printed}, in turn {turn}, last {last}, proven {proven}"
        );
        assert!(turn.max(last) <= proven, "{turn} {last} {proven}");
        // The printed length is far too short. With RAM in every state that order is not the worst.
        assert!(ram == Collection || last * 10 > printed * 13, "{last} of {printed}");
    }
}

#[test]
fn the_printed_queue_overflows_in_another_order_and_recovers() {
    let printed = SchemeConfig { write_queue: Some(WriteQueue::Printed), ..config("gftl") };
    let test = &mut Test::formatted(&printed, bench(32, 400, Store::Metadata));
    assert!(!test.promise().real_time);
    test.fill();
    // Each block once, so that all wait; then the worst order.
    let (turn, last) = (in_turn(32), to_the_block_queued_last(32));
    let blocks = test.device.logical_pages() / 32;
    let mut refused = 0;
    for at in 0..20_000 {
        let page = if at < blocks { turn(&*test.device, at) } else { last(&*test.device, at) };
        match test.try_write(page) {
            Ok(took) => assert!(took.service_ns <= 300 * US && took.step_ns <= 2000 * US),
            Err(FtlError::Full { .. }) => refused += 1,
            Err(error) => panic!("{error}"),
        }
    }
    println!("{refused} of 20000 refused");
    assert!((100..19_000).contains(&refused), "{refused}");
    (0..test.device.logical_pages()).for_each(|page| {
        test.read(page);
    });
}

/// A write that is refused leaves its page as it was, and none is refused for one that was taken: the page that waits in RAM
/// for the end of an erase keeps its room in the queue.
#[test]
fn a_write_that_the_printed_queue_refuses_changes_nothing() {
    let printed = SchemeConfig { write_queue: Some(WriteQueue::Printed), ..config("gftl") };
    let mut test = Test::formatted(&printed, bench(8, 100, Store::All));
    let pages = test.device.logical_pages();
    let mut versions = vec![0u64; pages as usize];
    let (mut random, mut refused) = (Pcg64::seed_from_u64(5), 0);
    let last = to_the_block_queued_last(8);
    let mut bytes = [0; 2048];
    for version in 1..40_000u64 {
        let at = version as u32;
        let lpn = match at {
            _ if at <= pages => at - 1,
            _ if random.random_bool(0.7) => last(&*test.device, at),
            _ => random.random_range(0..pages),
        };
        bytes[..8].copy_from_slice(&version.to_le_bytes());
        match test.device.write(Lpn(lpn), Some(&bytes)) {
            Ok(()) => versions[lpn as usize] = version,
            Err(FtlError::Full { .. }) => {
                refused += 1;
                test.device.read(Lpn(lpn), Some(&mut bytes)).unwrap();
                assert_eq!(bytes[..8], versions[lpn as usize].to_le_bytes(), "write {version}");
            }
            Err(error) => panic!("{error}"),
        }
    }
    println!("{refused} refused");
    assert!(refused > 1000, "{refused}");
    for (lpn, version) in (0..).map(Lpn).zip(versions) {
        test.device.read(lpn, Some(&mut bytes)).unwrap();
        assert_eq!(bytes[..8], version.to_le_bytes(), "{lpn:?}");
    }
}

#[test]
fn below_the_threshold_nothing_is_collected_and_no_write_is_ever_refused() {
    let test = &mut Test::formatted(&config("gftl-threshold"), bench(32, 300, Store::Metadata));
    let (pages, promise) = (32, test.promise());
    assert!(!promise.real_time);
    let blocks = test.device.logical_pages() / pages;
    (0..blocks * 8 / 10 * pages).for_each(|page| {
        test.write(page);
    });
    assert_eq!(test.counts().get(Operation::Erase, Cause::Collection), 0);
    test.fill();
    assert!(test.counts().get(Operation::Erase, Cause::Collection) > 0);
    // Seven blocks stay below the threshold of waiting blocks, but their pages fill the queue, so collection
    // runs.
    test.longest(60_000, |_, at| at % 7 * pages + at / 7 % pages);
    test.longest(60_000, in_turn(pages));
    assert_eq!(test.write.service_ns, 300 * US);
    assert!(test.write.step_ns <= promise.step_ns.unwrap());
    (0..test.device.logical_pages()).for_each(|page| {
        test.read(page);
    });
    let never = SchemeConfig { queue_threshold_percent: Some(0), ..config("gftl-threshold") };
    assert!(Test::formatted(&never, bench(32, 300, Store::Metadata)).promise().real_time);
}

#[test]
fn settings_that_cannot_be_are_refused() {
    let refused = |config: &SchemeConfig, blocks| {
        let geometry = Geometry::new(blocks, 64, 2048).unwrap();
        registry::plan(config, &part(64), &geometry, blocks).unwrap_err().to_string()
    };
    let percent = SchemeConfig { queue_threshold_percent: Some(101), ..config("gftl-threshold") };
    assert!(refused(&percent, 400).contains("0 to 100"));
    assert!(refused(&config("gftl"), 4).contains("at least"));
    let all = SchemeConfig { logical_pages: Some(64 * 400), ..config("gftl") };
    assert!(refused(&all, 400).contains("logical share"));
}

/// 1 GiB of logical space in 64-page blocks, with the printed queue.
fn one_gib() -> (SchemeConfig, SerialArray) {
    let printed = SchemeConfig { write_queue: Some(WriteQueue::Printed), ..config("gftl") };
    let divide = |blocks| {
        bounds::gftl::space(
            &part(64),
            blocks,
            bounds::gftl::QueueBound::Printed,
            CollectionRam::States,
        )
        .unwrap()
    };
    let blocks = (8192..10_000).find(|blocks| divide(*blocks).logical_blocks == 8192).unwrap();
    (printed, bench(64, blocks, Store::Metadata))
}

#[test]
fn start_up_and_shutdown_of_section_6() {
    let (config, flash) = one_gib();
    let mut test = Test::formatted(&config, flash);
    assert_eq!(test.device.logical_pages(), 8192 * 64);
    (0..8192).for_each(|block| {
        test.write(block * 64);
    });
    (0..3 * 64).for_each(|page| {
        test.write(page % 64);
    });
    (0..400).for_each(|_| {
        test.read(64);
    });
    assert_eq!(test.timed(|device| device.shutdown().unwrap()).1, served(163_200));
    let free = test.device.free_pages();
    let flash = test.off();
    let before = *flash.counts();
    let mut test = Test::mounted(&config, flash);
    assert_eq!(test.device.free_pages() + 1, free, "one page says that the maps are in use");
    let reads = test.counts().since(&before);
    assert_eq!(reads.get(Operation::Read, Cause::Mount), 544);
    assert_eq!(reads.total(Operation::ReadOob), 0);
    assert_eq!(reads.total(Operation::Program), 1);
    (0..64).for_each(|page| {
        test.read(page);
    });
    (0..8192).for_each(|block| {
        test.read(block * 64);
    });
    assert!(!test.present(64 * 100 + 3).0);
    let flash = test.off();
    assert_eq!(544 * 25 * US, bounds::gftl::start_up_ns(&part(64), 8192, 57_344));
    assert_eq!(flash.counts().get(Operation::Program, Cause::Mount), 544 + 1);
}

#[test]
fn a_mount_after_a_cut_reads_what_section_6_counts_and_one_oob_a_block_more() {
    let (config, flash) = one_gib();
    let mut test = Test::formatted(&config, flash);
    test.fill();
    // The printed length is that of 13 steps, but a collection takes 15. So in the end it is too short even
    // in its own order.
    let queue = test.longest(90_000, in_turn(64));
    let flash = test.off();
    assert!(queue > 45_000, "{queue}");
    let before = *flash.counts();
    let test = &mut Test::mounted(&config, flash);
    let counts = test.counts().since(&before);
    let oobs = counts.get(Operation::ReadOob, Cause::Mount);
    println!("{oobs} OOBs read in {} ms; N and queue {}", oobs * 25 / 1000, 8192 + queue);
    assert!(oobs <= 2 * 8192 + queue + 896 + 200, "{oobs}");
    (0..8192).for_each(|block| {
        test.read(block * 64 + 7);
    });
}

/// The newest version of each page of a device, written and checked byte by byte.
#[derive(Default)]
struct Versions(std::collections::BTreeMap<u32, u64>, u64);

impl Versions {
    fn write(&mut self, test: &mut Test, lpn: u32) {
        self.1 += 1;
        let mut data = vec![0; 2048];
        data[..8].copy_from_slice(&self.1.to_le_bytes());
        test.device.write(Lpn(lpn), Some(&data)).unwrap();
        self.0.insert(lpn, self.1);
    }

    fn check(&self, test: &mut Test) {
        let mut data = vec![0; 2048];
        for (lpn, version) in &self.0 {
            assert!(test.device.read(Lpn(*lpn), Some(&mut data)).unwrap(), "page {lpn}");
            assert_eq!(data[..8], version.to_le_bytes(), "page {lpn}");
        }
    }
}

#[test]
fn saved_maps_are_used_once_and_never_when_out_of_date() {
    let config = config("gftl");
    let mut versions = Versions::default();
    let mut test = Test::formatted(&config, bench(16, 120, Store::All));
    for page in 0..test.device.logical_pages() {
        versions.write(&mut test, page);
    }
    test.device.shutdown().unwrap();
    let mut flash = test.off();
    for round in 0..60u32 {
        let before = *flash.counts();
        let mut test = Test::mounted(&config, flash);
        let mount = test.counts().since(&before);
        let scanned = mount.get(Operation::ReadOob, Cause::Mount) > 0;
        versions.check(&mut test);
        let pages = test.device.logical_pages();
        for at in 0..round * 37 % 1500 {
            versions.write(&mut test, (at * 7 + round * 131) % pages);
        }
        test.device.flush().unwrap();
        if round % 3 != 1 {
            test.device.shutdown().unwrap();
        }
        if round % 3 == 2 {
            // These writes follow the shutdown, and no other shutdown follows them.
            (0..1 + round % 5).for_each(|at| versions.write(&mut test, at * 16));
            test.device.flush().unwrap();
        }
        flash = test.off();
        // Rounds 0, 3, 6, … end with valid saved maps.
        let saved = round == 0 || round % 3 == 1;
        assert_eq!(scanned, !saved, "round {round}");
    }
}

/// An array on which this page cannot be read for the time being.
#[derive(Clone, Debug)]
struct NotNow {
    inner: SerialArray,
    page: Option<Ppn>,
}

impl DynFlash for NotNow {}

impl Layer for NotNow {
    flash::layer_on!(self, self.inner, SerialArray);

    fn read(&mut self, ppn: Ppn, data: Option<&mut [u8]>, cause: Cause) -> Result<Oob, FlashError> {
        let found = Flash::read(&mut self.inner, ppn, data, cause);
        if self.page == Some(ppn) { Err(FlashError::Uncorrectable(ppn)) } else { found }
    }

    fn read_oob(&mut self, ppn: Ppn, cause: Cause) -> Result<Oob, FlashError> {
        let found = Flash::read_oob(&mut self.inner, ppn, cause);
        if self.page == Some(ppn) { Err(FlashError::Uncorrectable(ppn)) } else { found }
    }
}

/// A mount cannot read a page of the maps and scans the array; data is written; the next mount can read that page. The maps are
/// out of date then.
#[test]
fn maps_that_one_mount_cannot_read_are_not_used_by_the_next() {
    let config = config("gftl");
    let mut test = Test::formatted(&config, bench(16, 120, Store::All));
    let mut versions = Versions::default();
    let pages = test.device.logical_pages();
    (0..pages).for_each(|page| versions.write(&mut test, page));
    // Many blocks wait, so that no step has time to erase maps.
    (0..pages).for_each(|page| versions.write(&mut test, page * 16 % pages + page * 16 / pages));
    assert!(test.queue_pages() > 200, "{}", test.queue_pages());
    test.device.shutdown().unwrap();
    let kept = test.off();
    let mut copy = kept.clone();
    let mut is_of_maps = |ppn: &Ppn| {
        Flash::read_oob(&mut copy, *ppn, Cause::Mount).is_ok_and(|oob| oob.kind == PageKind::Other)
    };
    let of_maps: Vec<Ppn> =
        (0..Flash::geometry(&kept).pages()).map(Ppn).filter(&mut is_of_maps).collect();
    assert!(of_maps.len() > 2, "{of_maps:?}");
    for page in of_maps {
        let array = AnyArray::new(NotNow { inner: kept.clone(), page: Some(page) });
        let mut test = Test::new(registry::mount(&config, array));
        let mut versions = Versions(versions.0.clone(), versions.1);
        (0..20).for_each(|at| versions.write(&mut test, at * 7 % pages));
        test.device.flush().unwrap();
        let NotNow { inner, .. } = test.device.into_flash().downcast().unwrap();
        let mut test = Test::mounted(&config, inner);
        versions.check(&mut test);
        (0..200).for_each(|at| versions.write(&mut test, at * 11 % pages));
        versions.check(&mut test);
    }
}
