//! Locality of the stand-ins against the heads of the traces that they stand in for: figures of those heads, taken once.

use crate::common::{sequential, take};
use ftlkit_workload::{Op, Request, Space, WorkloadSpec};
use std::collections::HashMap;

/// The evaluation's device.
const SPACE: Space = Space { bytes: 32 << 30, page_bytes: 2048, pages_per_block: 64 };

/// A head of a trace: requests, LRU hit ratios in percent over pages of 2 KiB, and the share of requests that
/// start at the end of one of the last 16, in percent.
struct Head {
    requests: u64,
    hits: &'static [(usize, f64)],
    sequential: f64,
}

/// The first requests of Financial1 (SPC).
const FINANCIAL1: Head = Head {
    requests: 10_000,
    hits: &[
        (8, 8.6),
        (16, 13.5),
        (32, 18.1),
        (64, 22.5),
        (128, 31.8),
        (256, 41.4),
        (512, 45.1),
        (1024, 47.0),
        (2048, 47.8),
        (4096, 48.7),
        (8192, 56.8),
    ],
    sequential: 46.6,
};

/// The first requests of WebSearch1 (SPC).
const WEBSEARCH1: Head = Head {
    requests: 24_783,
    hits: &[(64, 0.0), (1024, 0.0), (8192, 0.3), (32_768, 0.3)],
    sequential: 22.2,
};

/// For each page access the number of different pages since the last access to that page, itself included.
fn stack_distances(requests: &[Request]) -> Vec<Option<usize>> {
    let pages = |request: &Request| {
        let device = request.device;
        let of = request.offset / 2048..(request.offset + request.length).div_ceil(2048);
        of.map(move |page| (device, page))
    };
    let accesses: Vec<_> = requests.iter().flat_map(pages).collect();
    // A Fenwick tree with a one at the last access to each page.
    let mut tree = vec![0i64; accesses.len() + 1];
    let mut last = HashMap::new();
    let mut out = Vec::new();
    for (at, page) in accesses.iter().enumerate() {
        let before = last.insert(*page, at);
        out.push(before.map(|before| (sum(&tree, at) - sum(&tree, before)) as usize));
        if let Some(before) = before {
            add(&mut tree, before, -1);
        }
        add(&mut tree, at, 1);
    }
    out
}

fn add(tree: &mut [i64], at: usize, by: i64) {
    let mut i = at + 1;
    while i < tree.len() {
        tree[i] += by;
        i += i & i.wrapping_neg();
    }
}

/// Ones before `end`.
fn sum(tree: &[i64], end: usize) -> i64 {
    let (mut i, mut sum) = (end, 0);
    while i > 0 {
        sum += tree[i];
        i &= i - 1;
    }
    sum
}

/// LRU hit ratios at the head's sizes, in percent.
fn hits(requests: &[Request], head: &Head) -> Vec<f64> {
    let distances = stack_distances(requests);
    let hits = |pages: usize| {
        let within = distances.iter().flatten().filter(|distance| **distance <= pages).count();
        within as f64 / distances.len() as f64 * 100.0
    };
    head.hits.iter().map(|(pages, _)| hits(*pages)).collect()
}

/// Greatest deviation of hit ratios from those of the head, in points.
fn worst(hits: &[f64], head: &Head) -> f64 {
    let points = hits.iter().zip(head.hits).map(|(hits, (_, right))| (hits - right).abs());
    points.fold(0.0, f64::max)
}

/// Mean hit ratios and share of requests that follow another, over eight seeds.
fn means(name: &str, head: &Head) -> (Vec<f64>, f64) {
    const SEEDS: u32 = 8;
    let (mut all, mut follow) = (vec![0.0; head.hits.len()], 0.0);
    for seed in 1..=SEEDS {
        let requests =
            take(&WorkloadSpec::builtin(name).limited(head.requests), SPACE, seed.into());
        let hits = hits(&requests, head);
        all.iter_mut().zip(hits).for_each(|(sum, hits)| *sum += hits / f64::from(SEEDS));
        follow += sequential_percent(&requests) / f64::from(SEEDS);
    }
    (all, follow)
}

fn sequential_percent(requests: &[Request]) -> f64 {
    sequential(requests).len() as f64 / requests.len() as f64 * 100.0
}

#[test]
fn stand_ins_have_the_locality_of_the_heads() {
    let (hits, follow) = means("financial-like", &FINANCIAL1);
    let points = worst(&hits, &FINANCIAL1);
    assert!(points < 3.0, "financial-like: {points} points off, {hits:.1?}");
    assert!((follow - FINANCIAL1.sequential).abs() < 6.0, "{follow} % follow another");
    let (hits, _) = means("websearch-like", &WEBSEARCH1);
    let points = worst(&hits, &WEBSEARCH1);
    assert!(points < 0.5, "websearch-like: {points} points off, {hits:.2?}");
}

#[test]
fn stack_distances_are_counted_right() {
    let page = |page: u64| Request { offset: page * 2048, length: 2048, ..request() };
    let two = Request { offset: 1024, length: 2048, ..request() };
    let distances = stack_distances(&[page(1), page(2), page(1), page(1), two, page(2)]);
    assert_eq!(distances, [None, None, Some(2), Some(1), None, Some(2), Some(3)]);
}

fn request() -> Request {
    Request {
        arrival_ns: 0,
        offset: 0,
        length: 0,
        device: 0,
        op: Op::Read,
        fua: false,
        stream: 0,
        response_ns: None,
    }
}
