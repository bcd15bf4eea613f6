//! Cost of measurement: ns per page task of each call of the measures, with latencies typical of flash.
//!
//! `cargo run --release -p ftlkit-lab --example measure_speed`

use ftlkit_lab::measures::{Arrivals, Measures, TaskKind, TaskSample};
use ftlkit_lab::report::SchemeReport;
use std::hint::black_box;
use std::time::Instant;

const TASKS: u64 = 50_000_000;

/// Draws from a fixed sequence (Weyl), cheap compared to the measured code.
#[inline]
fn draw(n: u64) -> u64 {
    n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32
}

/// Mixed reads and writes; one in 16 writes collects, with `victims` different numbers of copies.
#[inline]
fn flash_task(n: u64, victims: u64) -> TaskSample {
    let drawn = draw(n);
    let (kind, service_ns) =
        if drawn & 1 == 0 { (TaskKind::Write, 220_900) } else { (TaskKind::Read, 25_000) };
    let collects = kind == TaskKind::Write && drawn & 0x1e == 0;
    let step_ns = if collects { 1_500_000 + (drawn >> 8) % victims * 245_900 } else { 0 };
    TaskSample { kind, service_ns, step_ns, completion_ns: service_ns + step_ns }
}

/// Prints the fastest of three rounds: other load on the machine can only add time.
fn time(what: &str, mut task: impl FnMut(u64)) {
    let mut best = f64::INFINITY;
    for _ in 0..3 {
        let before = Instant::now();
        for n in 0..TASKS {
            task(n);
        }
        best = best.min(before.elapsed().as_nanos() as f64 / TASKS as f64);
    }
    println!("{what:<48} {best:6.2} ns/task");
}

fn end(measures: Measures) {
    let mut report = SchemeReport::default();
    measures.finish(&mut report);
    black_box(report);
}

fn main() {
    println!("{TASKS} page tasks each, the making of the samples included:");
    time("the samples alone", |n| {
        black_box(flash_task(n, 4));
    });
    for (what, victims) in [("4 step times", 4), ("200 step times", 200)] {
        let mut m = Measures::new(0, Arrivals::Closed);
        time(&format!("task, {what}"), |n| m.task(&flash_task(black_box(n), victims)));
        end(m);
    }
    let mut m = Measures::new(0, Arrivals::Closed);
    let mut now = 0;
    time("task + request + tick, 4 step times", |n| {
        let s = flash_task(black_box(n), 4);
        now += s.completion_ns;
        m.task(&s);
        m.request(s.completion_ns, s.completion_ns);
        m.tick(now, 10_000 - (n & 1023));
    });
    end(m);
    let mut m = Measures::new(0, Arrivals::Timed);
    time("task with queueing: completions hardly repeat", |n| {
        let mut s = flash_task(black_box(n), 4);
        s.completion_ns += draw(n.wrapping_mul(31)) % 10_000_000;
        m.task(&s);
    });
    end(m);
}
