//! A device on the channels of an SSD: requests overlap, and each is answered when its modelled time has come.

use crate::served::{Answer, Client, Served, patient, preset, random_requests};
use crate::wait::wait_until;
use flash::channels::{Channels, Command, Policy, Precedence, Timing, Topology};
use flash::parts;
use ftl::{
    Allocation, AllocationOrder, BufferPolicy, BufferSettings, SchemeConfig, registry::REGISTRY,
};
use ftlkit_device::nbd::Limits;
use ftlkit_device::{Latency, ModelClock};
use lab::ssd::{CollectionPlace, CoreSettings, SsdSetup};
use rand::SeedableRng;
use rand_pcg::Pcg64;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

const PAGE: u32 = 512;

/// A microsecond of the part takes more than a quarter of an hour.
const FROZEN: Latency = Latency::Scaled(1_000_000_000_000);

/// Two channels of two dies, with the times of the DDT paper's MLC.
pub(crate) fn ssd() -> SsdSetup {
    let topology = Topology {
        channels: 2,
        ways: 2,
        dies: 1,
        planes: 1,
        blocks_per_plane: 16,
        pages_per_block: 16,
        paired_blocks: true,
    };
    SsdSetup {
        topology,
        timing: Timing::of(&parts::DDT_MLC).unwrap(),
        policy: Policy::Fifo,
        ganged: false,
        stripes: flash::parallel::Stripes::default(),
        multi_plane: None,
        queue_depth: 32,
        host: None,
        interface: None,
        collection: CollectionPlace::PerDie,
        cores: CoreSettings::ONE,
        precedence: Precedence::default(),
        window_ns: 100_000_000,
    }
}

pub(crate) fn on_dies(config: SchemeConfig) -> SchemeConfig {
    SchemeConfig { allocation: Allocation::new([2, 2, 1, 1], AllocationOrder::default()), ..config }
}

fn served(config: &SchemeConfig) -> Served {
    Served::on(config, [64, 16], PAGE, Some(ssd()))
}

/// Starts the server of such a device anew, with replies at these times.
fn again(served: &mut Served, config: &SchemeConfig, latency: Latency) {
    served.stop();
    served.start(config, patient(), latency, false);
}

#[test]
fn a_read_takes_what_the_channel_takes_and_reads_of_different_dies_overlap() {
    let config = on_dies(preset("page-level"));
    let mut device = served(&config);
    let mut client = Client::new(&device.socket(), "disk", true);
    let data = vec![7; 16 * PAGE as usize];
    assert_eq!(client.ask(0, 1, 0, data.len() as u32, &data), Answer::Done);
    drop(client);
    // Ten times as slow: what the machine takes is little beside it.
    again(&mut device, &config, Latency::Scaled(10_000));
    let mut client = Client::new(&device.socket(), "disk", true);
    let channels = Channels::new(ssd().topology, ssd().timing, Policy::Fifo).unwrap();
    let alone_ns = channels.alone_ns(Command::Read, 1);
    let begun = Instant::now();
    assert_eq!(client.bytes(0, PAGE as usize), data[..PAGE as usize]);
    assert!(begun.elapsed() >= Duration::from_nanos(10 * alone_ns), "{:?}", begun.elapsed());
    drop(client);
    let summary = device.stop();
    assert_eq!(summary.clock, ModelClock::Channels);
    assert_eq!((summary.run.requests_taken, summary.run.requests), (1, 1));
    assert_eq!(
        (summary.run.read_response_ns.max, summary.run.request_response_ns.max),
        (alone_ns, alone_ns)
    );
    assert_eq!((summary.run.bound_ns, summary.busy_ns), (None, None));

    // So slow that requests which are sent at once also arrive at once, on any machine; the end of the server ends them.
    device.start(&config, Limits { write: Duration::from_millis(1), ..patient() }, FROZEN, false);
    let mut client = Client::new(&device.socket(), "disk", true);
    // Consecutive pages went to the four dies in turns.
    let sent: Vec<u64> =
        (0..4).map(|page| client.send(0, 0, page * u64::from(PAGE), PAGE, &[])).collect();
    wait_until(|| device.taken.load(Ordering::Relaxed) == 4);
    let summary = device.stop();
    let mut answered: Vec<u64> = (0..4).map(|_| client.receive(PAGE).0).collect();
    answered.sort_unstable();
    assert_eq!(answered, sent);
    // On a bus one page goes after the other; the cells of two dies work at a time.
    let summary = summary.run.read_response_ns;
    assert!(
        summary.count == 4 && summary.max > alone_ns && summary.max < 2 * alone_ns,
        "{summary:?}"
    );
}

#[test]
fn every_byte_is_kept_on_channels_and_every_request_is_answered() {
    for (seed, scheme) in (0..).zip(REGISTRY) {
        let config = on_dies(SchemeConfig::preset(scheme));
        let mut random = Pcg64::seed_from_u64(seed);
        let mut device = served(&config);
        let mut model = vec![Some(0); device.bytes as usize];
        for latency in [Latency::None, Latency::Scaled(1)] {
            again(&mut device, &config, latency);
            let mut client = Client::new(&device.socket(), "disk", true);
            let found = client.bytes(0, model.len());
            for (at, (found, expected)) in found.iter().zip(&model).enumerate() {
                assert!(expected.is_none_or(|byte| byte == *found), "{}: byte {at}", scheme.name);
            }
            random_requests(&mut client, &mut model, &mut random, 120);
        }
        let summary = device.stop();
        assert!(summary.run.requests_taken >= 120, "{summary:?}");
        assert_eq!(summary.run.requests_refused, 0, "{}", scheme.name);
        assert_eq!(summary.run.request_response_ns.count, summary.run.requests_taken);
        assert!(summary.run.write_response_ns.max > 0, "{}", scheme.name);
    }
}

#[test]
fn many_requests_at_a_time_keep_every_byte() {
    for scheme in ["page-level", "lazy-rtgc", "nftl", "ba-gc"] {
        let config = on_dies(preset(scheme));
        let mut device = served(&config);
        again(&mut device, &config, Latency::Scaled(10));
        let mut client = Client::new(&device.socket(), "disk", true);
        let pages = device.bytes / u64::from(PAGE);
        for round in 1..6u8 {
            // Each page is in one request of a round; requests are answered in any order.
            for first in (0..pages).step_by(24) {
                let of_group: Vec<u64> = (first..pages.min(first + 24)).collect();
                let byte = |page: u64| (page as u8).wrapping_mul(round);
                let sent: Vec<u64> = of_group
                    .iter()
                    .map(|page| {
                        let data = [byte(*page); PAGE as usize];
                        client.send(0, 1, page * u64::from(PAGE), PAGE, &data)
                    })
                    .collect();
                let mut answered: Vec<u64> = of_group
                    .iter()
                    .map(|_| match client.receive(0) {
                        (cookie, Answer::Done) => cookie,
                        (_, answer) => panic!("{answer:?}"),
                    })
                    .collect();
                answered.sort_unstable();
                assert_eq!(answered, sent);
                let sent: Vec<u64> = of_group
                    .iter()
                    .map(|page| client.send(0, 0, page * u64::from(PAGE), PAGE, &[]))
                    .collect();
                for _ in &sent {
                    let (cookie, answer) = client.receive(PAGE);
                    let page = of_group[sent.iter().position(|at| *at == cookie).unwrap()];
                    assert_eq!(answer, Answer::Bytes(vec![byte(page); PAGE as usize]), "{scheme}");
                }
            }
        }
        drop(client);
        let summary = device.stop();
        assert_eq!(summary.run.requests_taken, summary.run.requests);
        assert_eq!(summary.run.requests, 2 * 5 * pages);
    }
}

#[test]
fn idle_dies_collect_one_after_another() {
    // It collects every block without a valid page; 2lgc those that its lists hold.
    let config = SchemeConfig { idle_collection: true, ..on_dies(preset("page-level")) };
    let mut device = served(&config);
    let bytes = device.bytes;
    for latency in [Latency::None, Latency::Scaled(100)] {
        again(&mut device, &config, latency);
        let mut client = Client::new(&device.socket(), "disk", true);
        for round in 0..3u8 {
            for at in (0..bytes).step_by(PAGE as usize * 8) {
                let length = (bytes - at).min(u64::from(PAGE) * 8) as usize;
                assert_eq!(client.ask(0, 1, at, length as u32, &vec![round; length]), Answer::Done);
            }
        }
        // A trim leaves a quarter of the blocks, or more, without a valid page, whatever was collected in pauses before.
        let half = bytes / 2 / u64::from(PAGE) * u64::from(PAGE);
        let before = device.look().idle_steps;
        assert_eq!(client.ask(0, 4, 0, half as u32, &[]), Answer::Done);
        assert_eq!(client.ask(0, 1, 0, PAGE, &[2; PAGE as usize]), Answer::Done);
        wait_until(|| device.look().idle_steps >= before + 8);
        let found = client.bytes(0, bytes as usize);
        let expected = |at: usize| if (PAGE as usize..half as usize).contains(&at) { 0 } else { 2 };
        assert!(found.iter().enumerate().all(|(at, byte)| *byte == expected(at)));
        drop(client);
        device.stop();
        device.start(&config, patient(), Latency::None, false);
    }
    let without = SchemeConfig { idle_collection: false, ..config };
    again(&mut device, &without, Latency::None);
    let mut client = Client::new(&device.socket(), "disk", true);
    assert_eq!(client.ask(0, 1, 0, PAGE, &[3; PAGE as usize]), Answer::Done);
    // More than the erase after which it would begin.
    std::thread::sleep(Duration::from_millis(30));
    assert_eq!(device.look().idle_steps, 0);
    drop(client);
    device.stop();
}

#[test]
fn requests_that_wait_for_their_time_have_their_replies_at_the_end_of_the_server() {
    let config = on_dies(preset("page-level"));
    let mut device = served(&config);
    again(&mut device, &config, Latency::Scaled(100_000));
    let mut client = Client::new(&device.socket(), "disk", true);
    // Each takes most of a tenth of a second.
    let begun = Instant::now();
    for page in 0..8 {
        client.send(0, 1, page * u64::from(PAGE), PAGE, &[9; PAGE as usize]);
    }
    client.send(0, 3, 0, 0, &[]);
    let summary = device.stop();
    assert!(begun.elapsed() >= Duration::from_millis(50), "{:?}", begun.elapsed());
    assert_eq!((summary.run.requests_taken, summary.run.requests), (9, 9));
    assert!((0..9).all(|_| client.receive(0).1 == Answer::Done));
}

#[test]
fn a_page_written_in_part_is_read_before_it_is_programmed() {
    let config = on_dies(preset("page-level"));
    let mut device = served(&config);
    let mut client = Client::new(&device.socket(), "disk", true);
    assert_eq!(client.ask(0, 1, 0, PAGE, &[7; PAGE as usize]), Answer::Done);
    drop(client);
    again(&mut device, &config, Latency::Scaled(1000));
    let mut client = Client::new(&device.socket(), "disk", true);
    assert_eq!(client.ask(0, 1, 5, 1, &[9]), Answer::Done);
    drop(client);
    let summary = device.stop();
    let channels = Channels::new(ssd().topology, ssd().timing, Policy::Fifo).unwrap();
    let least = channels.alone_ns(Command::Read, 1) + channels.alone_ns(Command::Program, 1);
    assert_eq!(summary.run.request_response_ns.max, least);
    let run = &summary.run;
    assert_eq!((run.read_tasks, run.write_tasks, run.partial_pages), (1, 1, 1));
}

#[test]
fn a_flush_waits_for_what_the_one_before_it_writes_out() {
    let buffer = BufferSettings {
        policy: Some(Some(BufferPolicy::LRU)),
        bytes: Some(64 << 10),
        ..BufferSettings::default()
    };
    let config = SchemeConfig { buffer, ..on_dies(preset("page-level")) };
    let mut device = served(&config);
    again(&mut device, &config, Latency::Scaled(10_000));
    let mut client = Client::new(&device.socket(), "disk", true);
    let write = client.send(0, 1, 0, PAGE, &[7; PAGE as usize]);
    let flushes = [(); 3].map(|()| client.send(0, 3, 0, 0, &[]));
    let answered = [(); 4].map(|()| client.receive(0).0);
    assert_eq!(answered[0], write);
    assert_eq!(answered[1..], flushes);
    drop(client);
    let summary = device.stop();
    let channels = Channels::new(ssd().topology, ssd().timing, Policy::Fifo).unwrap();
    let program_ns = channels.alone_ns(Command::Program, 1);
    assert!(summary.run.request_response_ns.p50.unwrap() > program_ns / 2, "{summary:?}");
}

#[test]
fn a_server_that_may_wait_no_longer_sends_what_is_left() {
    for ssd in [None, Some(ssd())] {
        let config = match ssd {
            None => preset("page-level"),
            Some(_) => on_dies(preset("page-level")),
        };
        let mut device = Served::on(&config, [64, 16], PAGE, ssd);
        device.stop();
        // A program would take days.
        let limits = Limits { write: Duration::from_millis(300), ..patient() };
        device.start(&config, limits, FROZEN, false);
        let mut client = Client::new(&device.socket(), "disk", true);
        for page in 0..4 {
            client.send(0, 1, page * u64::from(PAGE), PAGE, &[9; PAGE as usize]);
        }
        wait_until(|| device.taken.load(Ordering::Relaxed) == 4);
        let begun = Instant::now();
        let summary = device.stop();
        assert!(begun.elapsed() >= limits.write, "{:?}", begun.elapsed());
        assert_eq!((summary.run.requests_taken, summary.run.requests), (4, 4));
        assert!((0..4).all(|_| client.receive(0).1 == Answer::Done));
    }
}
