//! Every policy against the reference. After each of thousands of operations both have the same log, and have
//! given the same pages to the scheme below in the same order.

use super::bench::{self, BLOCK, buffer, programmed};
use super::reference::Reference;
use crate::bench::Device;
use flash::{Lpn, Probe, Store};
use ftlkit_ftl::{BUFFER_POLICIES, BufferPlan, BufferPolicy, BufferSettings, CleanUnits, Regions};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::ops::Range;

#[derive(Clone, Copy, Debug)]
enum Task {
    Write(u32),
    WriteThrough(u32),
    Read(u32),
    Trim(u32),
    Flush,
    /// Advances the clock by this many ms.
    Wait(u64),
}

/// Mixed tasks: hot and cold pages, blocks written from end to end, and an occasional flush.
fn tasks(seed: u64, count: usize) -> Vec<Task> {
    let mut random = Pcg64::seed_from_u64(seed);
    let mut tasks = Vec::new();
    while tasks.len() < count {
        let lpn = match random.random_range(0..3) {
            0 => random.random_range(0..8),
            1 => random.random_range(0..30),
            _ => random.random_range(0..100),
        };
        match random.random_range(0..200) {
            0..110 => tasks.push(Task::Write(lpn)),
            110..115 => tasks.push(Task::WriteThrough(lpn)),
            115..150 => tasks.push(Task::Read(lpn)),
            150..164 => tasks.push(Task::Trim(lpn)),
            164..172 => {
                let first = lpn / BLOCK * BLOCK;
                tasks.extend((first..(first + BLOCK).min(100)).map(Task::Write));
            }
            172 => tasks.push(Task::Flush),
            173..176 => tasks.push(Task::Wait(random.random_range(5_000..40_000))),
            _ => tasks.push(Task::Wait(random.random_range(0..500))),
        }
    }
    tasks
}

/// Runs a task on both, after writing the due units one at a time.
fn apply(scheme: &mut Device, reference: &mut Reference, task: Task, now_ns: u64) {
    loop {
        let due_ns = scheme.due_ns();
        assert_eq!(due_ns, reference.due_ns());
        scheme.advance(now_ns).unwrap();
        reference.advance(now_ns);
        if due_ns > now_ns {
            break;
        }
    }
    match task {
        Task::Write(lpn) => {
            scheme.write(Lpn(lpn), None).unwrap();
            reference.write(lpn);
        }
        Task::WriteThrough(lpn) => {
            scheme.write_through(Lpn(lpn), None).unwrap();
            reference.write_through(lpn);
        }
        Task::Read(lpn) => {
            assert_eq!(scheme.read(Lpn(lpn), None).unwrap(), reference.read(lpn));
        }
        Task::Trim(lpn) => {
            scheme.trim(Lpn(lpn)).unwrap();
            reference.trim(lpn);
        }
        Task::Flush => {
            scheme.flush().unwrap();
            reference.flush();
        }
        Task::Wait(_) => {}
    }
}

/// Returns the number of evictions, and of pages written below because of their age.
fn compare_once(mut scheme: Box<Device>, plan: BufferPlan, tasks: Vec<Task>) -> [u64; 2] {
    let mut reference = Reference::new(plan, scheme.logical_pages());
    let mut now_ns = 0;
    for (at, task) in tasks.into_iter().enumerate() {
        if let Task::Wait(ms) = task {
            now_ns += ms * 1_000_000;
        }
        apply(&mut *scheme, &mut reference, task, now_ns);
        let what = format!("{plan:?}: task {at}: {task:?} at {now_ns} ns");
        assert_eq!(programmed(&mut *scheme), std::mem::take(&mut reference.programmed), "{what}");
        let (_, log) = scheme.telemetry().buffer.unwrap();
        assert_eq!(*log, reference.seen(), "{what}");
        assert!(log.held <= plan.pages.into(), "{what}");
    }
    [reference.log.evictions, reference.log.aged]
}

fn compare(settings: BufferSettings, seeds: Range<u64>) {
    for seed in seeds {
        let plan = bench::plan(&bench::config("page-level", settings)).unwrap().buffer.unwrap();
        let scheme = bench::on(settings, Store::Metadata);
        let [evictions, aged] = compare_once(scheme, plan, tasks(seed, 1500));
        assert!(evictions > 20 && aged > 5, "{plan:?}: {evictions} evictions, {aged} aged");
    }
}

/// Each unit of the policy, with and without buffered reads, with a buffer of two blocks and a larger one.
fn compare_all(policy: &'static BufferPolicy, others: &[BufferSettings]) {
    for pages in [BLOCK * 2, 29] {
        for unit in policy.units {
            for reads in [false, true] {
                for other in others {
                    let settings = buffer(policy, pages);
                    let settings = BufferSettings {
                        unit: Some(*unit),
                        reads: Some(reads),
                        window_percent: other.window_percent,
                        regions: other.regions,
                        ..settings
                    };
                    compare(settings, 0..12);
                }
            }
        }
    }
}

/// Default settings, except where given.
#[test]
fn every_listed_policy_is_as_the_reference() {
    for policy in BUFFER_POLICIES {
        compare(buffer(policy, 29), 12..24);
        let first = BufferSettings { clean: Some(CleanUnits::First), ..buffer(policy, 29) };
        compare(first, 30..42);
        compare(BufferSettings { reads: Some(true), ..first }, 42..48);
        for unit in policy.units {
            compare(BufferSettings { unit: Some(*unit), ..buffer(policy, 17) }, 24..30);
        }
    }
}

#[test]
fn lru_is_as_the_reference() {
    compare_all(BufferPolicy::LRU, &[BufferSettings::default()]);
}

#[test]
fn cflru_is_as_the_reference() {
    let of =
        |percent| BufferSettings { window_percent: Some(percent), ..BufferSettings::default() };
    compare_all(BufferPolicy::CFLRU, &[0, 25, 60, 100].map(of));
}

#[test]
fn fab_is_as_the_reference() {
    compare_all(BufferPolicy::FAB, &[BufferSettings::default()]);
}

#[test]
fn bplru_is_as_the_reference() {
    compare_all(BufferPolicy::BPLRU, &[BufferSettings::default()]);
}

#[test]
fn three_region_is_as_the_reference() {
    let regions = [
        Regions::ADAPTIVE,
        Regions::Adaptive { least: 1, most: 49 },
        Regions::Fixed { initial: 30, updated: 40 },
        Regions::Fixed { initial: 1, updated: 98 },
        Regions::Fixed { initial: 60, updated: 1 },
    ];
    let of = |regions| BufferSettings { regions: Some(regions), ..BufferSettings::default() };
    compare_all(BufferPolicy::THREE_REGION, &regions.map(of));
}

/// `trim` and `advance` cause no operation of the array if nothing is due.
#[test]
fn a_buffer_that_nothing_is_written_to_does_nothing() {
    let mut scheme = bench::on(buffer(BufferPolicy::LRU, 4), Store::All);
    assert_eq!(scheme.due_ns(), u64::MAX);
    scheme.advance(u64::MAX).unwrap();
    scheme.trim(Lpn(5)).unwrap();
    assert!(!scheme.read(Lpn(5), None).unwrap());
    scheme.flush().unwrap();
    let (_, log) = scheme.telemetry().buffer.unwrap();
    assert_eq!((log.held, log.dirty, log.read_misses), (0, 0, 1));
    assert!(programmed(&mut *scheme).is_empty() && scheme.flash().keeps_user_bytes());
}
