//! The list of policies, and a policy defined outside the crate.

use super::bench::{self, buffer, programmed};
use crate::bench::Device;
use flash::{Lpn, Store};
use ftlkit_ftl::buffer::{BufferPolicy, BufferUnit, Evictor, Room, Use, Used};
use ftlkit_ftl::{
    AgeClock, BUFFER_POLICIES, BufferSettings, Done, HostClock, PageTask, Probability, Regions,
    TaskKind, UPDATE_PROBABILITIES,
};
use std::collections::VecDeque;

/// A policy that is implemented but not listed could not be selected.
#[test]
fn every_file_that_declares_a_policy_is_listed() {
    let declared = crate::declared_in("src/buffer/policy", ": BufferPolicy = ");
    assert_eq!(declared, BUFFER_POLICIES.len());
}

#[test]
fn every_policy_has_a_name_of_its_own_and_a_unit() {
    for policy in BUFFER_POLICIES {
        assert_eq!(BUFFER_POLICIES.iter().filter(|other| other == &policy).count(), 1);
        assert!(!policy.summary.is_empty() && !policy.source.is_empty(), "{policy:?}");
        let pages = policy.units.contains(&BufferUnit::Page);
        assert!(!policy.units.is_empty(), "{policy:?}");
        // Padding needs blocks as units.
        assert!(!policy.pads || !pages, "{policy:?}");
    }
}

#[test]
fn a_fork_goes_its_own_way() {
    for policy in BUFFER_POLICIES {
        let mut first = bench::on(buffer(policy, 12), Store::Metadata);
        let put = |scheme: &mut Device, pages: &[u32]| {
            pages.iter().for_each(|lpn| scheme.write(Lpn(*lpn), None).unwrap());
            programmed(scheme)
        };
        put(&mut *first, &[0, 1, 2, 6, 7, 12]);
        let mut second = first.fork();
        let more: Vec<u32> = (24..48).collect();
        put(&mut *second, &more);
        assert_eq!(first.telemetry().buffer.unwrap().1.held, 6, "{policy:?}");
        let mut third = first.fork();
        assert_eq!(put(&mut *first, &more), put(&mut *third, &more), "{policy:?}");
    }
}

/// P(U) of a unit in the initial, the to-be-updated and the to-be-evicted region is as set.
#[test]
fn update_probabilities_of_the_regions_are_settings() {
    let updates = [700, 200, 50].map(Probability::thousandths);
    for (asked, expected) in [(None, UPDATE_PROBABILITIES), (Some(updates), updates)] {
        let regions = Some(Regions::Fixed { initial: 40, updated: 40 });
        let settings =
            BufferSettings { updates: asked, regions, ..buffer(BufferPolicy::THREE_REGION, 30) };
        let plan = bench::plan(&bench::config("page-level", settings)).unwrap().buffer.unwrap();
        let room = Room {
            pages: 10,
            unit_pages: 1,
            slots: 10,
            window_pages: 0,
            regions: plan.regions,
            updates: plan.updates,
        };
        let mut policy = (BufferPolicy::THREE_REGION.make)(&room);
        let mut comes = |slot, how| policy.used(Used { slot, page: 0, of: 1, how, left: None });
        // Four pages fit into the initial region; the fifth releases the oldest.
        (0..5).for_each(|slot| comes(slot, Use::New));
        comes(4, Use::Updated);
        let seen = [3, 4, 0].map(|slot| policy.update_probability(slot));
        assert_eq!(seen, expected);
    }
}

/// A host that falls behind ages nothing by the clock of arrivals, and does by the device's.
#[test]
fn data_ages_by_the_clock_that_is_set() {
    const SECOND: u64 = 1_000_000_000;
    // One access takes 40 s, so the device is 40 s behind after the first write.
    let settings = BufferSettings { ram_ns: Some(40 * SECOND), ..buffer(BufferPolicy::LRU, 12) };
    let write = |lpn, seconds| PageTask {
        arrival_ns: seconds * SECOND,
        ..PageTask::page(TaskKind::Write, lpn)
    };
    let work = [write(0, 0), write(1, 1), write(2, 2), write(3, 31), write(4, 70)];
    // Pages written below because of their age, after each task.
    let aged = |ages_by, timed| {
        let mut scheme = bench::on(settings, Store::Metadata);
        let mut clock = HostClock { timed, ages_by, ..HostClock::default() };
        let mut done = [Done::default(); 1];
        [0, 1, 2, 3, 4].map(|at| {
            scheme.run(&work, at..at + 1, &mut clock, &mut done).unwrap();
            scheme.telemetry().buffer.unwrap().1.aged
        })
    };
    assert_eq!(aged(AgeClock::Arrival, true), [0, 0, 0, 2, 4]);
    assert_eq!(aged(AgeClock::Device, true), [0, 1, 2, 3, 4]);
    // Without arrival times there is only the device's.
    assert_eq!(aged(AgeClock::Device, false), [0, 1, 2, 3, 4]);
    assert_eq!(aged(AgeClock::Arrival, false), [0, 1, 2, 3, 4]);
}

/// Without arrival times too, what enters the buffer is dated by the clock of the device at that time.
#[test]
fn data_are_dated_when_they_enter() {
    const SECOND: u64 = 1_000_000_000;
    let settings = BufferSettings { ram_ns: Some(14 * SECOND), ..buffer(BufferPolicy::LRU, 12) };
    let kinds = [TaskKind::Write, TaskKind::Read, TaskKind::Write, TaskKind::Read, TaskKind::Read];
    let work = kinds.iter().zip([0, 0, 1, 0, 0]).map(|(kind, lpn)| PageTask::page(*kind, lpn));
    let work: Vec<PageTask> = work.collect();
    let mut scheme = bench::on(settings, Store::Metadata);
    let mut clock = HostClock::default();
    let mut done = [Done::default(); 1];
    let aged = [0, 1, 2, 3, 4].map(|at| {
        scheme.run(&work, at..at + 1, &mut clock, &mut done).unwrap();
        scheme.telemetry().buffer.unwrap().1.aged
    });
    // Page 0 is 30 s old after the third task, page 1 not before the fifth.
    assert_eq!(aged, [0, 0, 0, 1, 1]);
}

/// Built on the public interface only: the unit that entered first is evicted first, whatever happens to it.
static FIRST_IN: BufferPolicy = BufferPolicy {
    name: "first-in",
    summary: "the one that came first",
    source: "this test",
    units: &[BufferUnit::Page, BufferUnit::Block],
    reads: false,
    pads: false,
    settings: &[],
    make: |room: &Room| Box::new(FirstIn(VecDeque::with_capacity(room.slots as usize))),
};

#[derive(Clone, Debug)]
struct FirstIn(VecDeque<u32>);

impl Evictor for FirstIn {
    fn used(&mut self, used: Used) {
        if used.how == Use::New {
            self.0.push_back(used.slot);
        }
    }

    fn removed(&mut self, slot: u32) {
        self.0.retain(|other| *other != slot);
    }

    fn victim(&self) -> Option<u32> {
        self.0.front().copied()
    }

    fn heap_bytes(&self) -> usize {
        self.0.capacity() * 4
    }
}

#[test]
fn a_policy_of_ones_own_is_as_good_as_ours() {
    let mut scheme = bench::on(buffer(&FIRST_IN, 3), Store::Metadata);
    let mut put = |lpn| {
        scheme.write(Lpn(lpn), None).unwrap();
        programmed(&mut *scheme)
    };
    assert_eq!([1, 2, 3, 1].map(&mut put).concat(), []);
    assert_eq!([4, 5, 1, 4].map(&mut put), [vec![1], vec![2], vec![3], vec![]]);
    let plan = bench::plan(&bench::config("page-level", buffer(&FIRST_IN, 3))).unwrap();
    assert_eq!(
        (plan.buffer.unwrap().policy.name, plan.buffer.unwrap().unit_pages),
        ("first-in", 1)
    );
}
