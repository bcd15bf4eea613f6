//! The roofline: cost of a bare random load and store over an array of the map's size on this machine.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::hint::black_box;
use std::time::Instant;

/// ns per random load + store of 4 bytes over `entries` × 4 bytes.
///
/// The accesses are independent of each other and drawn in advance, so that the processor overlaps as many as it
/// can. This is a lower bound for any map of that size. The best of three rounds is taken.
pub fn load_store_ns(entries: u32) -> f64 {
    const ACCESSES: usize = 1 << 22;
    let mut map = vec![0u32; entries as usize];
    for (value, entry) in map.iter_mut().enumerate() {
        *entry = value as u32;
    }
    let mut random = Pcg64::seed_from_u64(7);
    let places: Vec<u32> = (0..ACCESSES).map(|_| random.random_range(0..entries)).collect();
    let round = |map: &mut [u32]| {
        let start = Instant::now();
        let mut sum = 0u32;
        for (value, place) in places.iter().enumerate() {
            let entry = &mut map[*place as usize];
            sum = sum.wrapping_add(*entry);
            *entry = value as u32;
        }
        black_box(sum);
        start.elapsed().as_nanos() as f64 / ACCESSES as f64
    };
    (0..3).map(|_| round(&mut map)).fold(f64::INFINITY, f64::min)
}
