//! What `trace info` draws of a trace: lengths, reuse distances and hot spots, each in bounded memory.

use crate::request::{Op, Request};
use crate::units::round_bytes;
use serde::Serialize;
use std::collections::HashMap;
use std::fmt;

/// Page of reuse distances.
const PAGE: u64 = 4096;
/// Most pages whose last use is known; beyond, only pages of fewer hashes are followed.
const FOLLOWED: usize = 1 << 18;
/// Cells of the address space.
const CELLS: usize = 72;
/// Columns of the longest bar.
const BAR: usize = 48;

/// Requests by length, reuse distances of pages, and requests by address.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Picture {
    /// Requests by the power of two that their length reaches: (bytes, requests).
    pub lengths: Vec<(u64, u64)>,
    /// Uses of a 4 KiB page by the number of other pages used since its last use (LRU stack distance), up to a power of
    /// two: (distance, uses); of a sample of pages, scaled to all.
    pub reuse_distances: Vec<(u64, u64)>,
    /// First uses of a page, likewise.
    pub first_uses: u64,
    /// Share of pages that are sampled for reuse distances.
    pub sampled_share: f64,
    /// Bytes of one cell of the address space.
    pub cell_bytes: u64,
    /// Requests that begin in each cell, from address 0, over all devices.
    pub cells: Vec<u64>,
    /// Share of the requests that begin in the tenth of the cells with the most, of all with any.
    pub hottest_tenth_share: f64,
}

/// Gathers a picture.
#[derive(Debug)]
pub(crate) struct Pictured {
    lengths: [u64; 64],
    reuse: Reuse,
    cell_bytes: u64,
    cells: Vec<u64>,
}

impl Default for Pictured {
    fn default() -> Self {
        Self {
            lengths: [0; 64],
            reuse: Reuse::default(),
            cell_bytes: 1 << 20,
            cells: vec![0; CELLS],
        }
    }
}

impl Pictured {
    pub(crate) fn take(&mut self, request: &Request) {
        if request.op == Op::Flush || request.length == 0 {
            return;
        }
        self.lengths[request.length.ilog2() as usize] += 1;
        while request.offset / self.cell_bytes >= CELLS as u64 {
            // Two cells become one.
            for at in 0..CELLS {
                let pair = |n: usize| self.cells.get(n).copied().unwrap_or(0);
                self.cells[at] = pair(2 * at) + pair(2 * at + 1);
            }
            self.cell_bytes *= 2;
        }
        self.cells[(request.offset / self.cell_bytes) as usize] += 1;
        if request.op.has_data() {
            let first = request.offset / PAGE;
            let last = request.offset.saturating_add(request.length - 1) / PAGE;
            // Of very long requests the first 1 MiB counts.
            for page in first..=last.min(first + 255) {
                self.reuse.touch(u64::from(request.device) << 52 ^ page);
            }
        }
    }

    pub(crate) fn finish(self) -> Picture {
        let powers = |counts: &[u64]| -> Vec<(u64, u64)> {
            let used = counts.iter().enumerate().filter(|(_, count)| **count > 0);
            used.map(|(power, count)| (1 << power, *count)).collect()
        };
        let mut cells = self.cells;
        while cells.len() > 1 && cells.last() == Some(&0) {
            cells.pop();
        }
        let mut hottest: Vec<u64> = cells.iter().copied().filter(|count| *count > 0).collect();
        hottest.sort_unstable_by(|a, b| b.cmp(a));
        let all: u64 = hottest.iter().sum();
        let tenth: u64 = hottest.iter().take(hottest.len().div_ceil(10)).sum();
        let scale = 1u64 << self.reuse.shift;
        let scaled: Vec<u64> = self.reuse.distances.iter().map(|count| count * scale).collect();
        Picture {
            lengths: powers(&self.lengths),
            reuse_distances: powers(&scaled),
            first_uses: self.reuse.first * scale,
            sampled_share: 1.0 / scale as f64,
            cell_bytes: self.cell_bytes,
            cells,
            hottest_tenth_share: if all == 0 { 0.0 } else { tenth as f64 / all as f64 },
        }
    }
}

/// LRU stack distances: a tree of counts over the order of last uses. Of many pages it follows those with low hashes, as in
/// SHARDS (Waldspurger et al., FAST 2015), and scales the distances.
#[derive(Debug, Default)]
struct Reuse {
    /// Place of each followed page's last use in the order.
    last: HashMap<u64, u32, std::hash::BuildHasherDefault<Spread>>,
    /// Fenwick tree: 1 at each place that is a last use.
    tree: Vec<u32>,
    next: u32,
    /// Pages are followed if so many low bits of their hash are 0.
    shift: u32,
    /// By the power of two that the distance reaches.
    distances: Vec<u64>,
    first: u64,
}

/// A hash that mixes all bits.
fn spread(page: u64) -> u64 {
    let mixed = (page ^ page >> 31).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) ^ mixed >> 32
}

/// Hashes one `u64`.
#[derive(Clone, Copy, Debug, Default)]
struct Spread(u64);

impl std::hash::Hasher for Spread {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = spread(self.0 ^ u64::from(*byte));
        }
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = spread(value);
    }
}

impl Reuse {
    fn touch(&mut self, page: u64) {
        let hash = spread(page ^ 0x5eed);
        if hash & ((1 << self.shift) - 1) != 0 {
            return;
        }
        if self.next as usize == 4 * FOLLOWED {
            self.renumber();
        }
        if self.tree.is_empty() {
            self.tree = vec![0; 4 * FOLLOWED + 1];
            self.distances = vec![0; 64];
        }
        match self.last.insert(page, self.next) {
            None => self.first += 1,
            Some(before) => {
                // Places after the last use are pages used since.
                let since = self.last.len() as u64 - u64::from(self.count_to(before));
                let distance = since << self.shift;
                self.distances[distance.max(1).ilog2() as usize] += 1;
                self.add(before, -1);
            }
        }
        self.add(self.next, 1);
        self.next += 1;
        if self.last.len() > FOLLOWED {
            self.thin();
        }
    }

    fn add(&mut self, place: u32, change: i32) {
        let mut at = place as usize + 1;
        while at < self.tree.len() {
            self.tree[at] = self.tree[at].wrapping_add_signed(change);
            at += at & at.wrapping_neg();
        }
    }

    /// Last uses at this place or before.
    fn count_to(&self, place: u32) -> u32 {
        let (mut at, mut count) = (place as usize + 1, 0);
        while at > 0 {
            count += self.tree[at];
            at -= at & at.wrapping_neg();
        }
        count
    }

    /// Follows half of the pages.
    fn thin(&mut self) {
        self.shift += 1;
        let mask = (1 << self.shift) - 1;
        self.last.retain(|page, _| spread(page ^ 0x5eed) & mask == 0);
        // What was counted stands for half as much each from now on.
        self.distances.iter_mut().for_each(|count| *count /= 2);
        self.first /= 2;
        self.renumber();
    }

    /// Places without gaps, in the same order.
    fn renumber(&mut self) {
        let mut order: Vec<(u32, u64)> = self.last.iter().map(|(page, at)| (*at, *page)).collect();
        order.sort_unstable();
        self.tree = vec![0; 4 * FOLLOWED + 1];
        for (place, (_, page)) in order.iter().enumerate() {
            self.last.insert(*page, place as u32);
            self.add(place as u32, 1);
        }
        self.next = order.len() as u32;
    }
}

/// A bar of eighths of a column.
fn bar(count: u64, most: u64, room: usize) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let eighths = (count as f64 / most.max(1) as f64 * (room * 8) as f64).round() as usize;
    let eighths = if count > 0 { eighths.max(1) } else { 0 };
    format!("{}{}", "█".repeat(eighths / 8), EIGHTHS[eighths % 8])
}

/// Columns of the terminal: the width that the format asks for.
pub(crate) fn columns(f: &fmt::Formatter<'_>) -> usize {
    f.width().unwrap_or(100)
}

fn rows(f: &mut fmt::Formatter<'_>, rows: &[(String, u64)]) -> fmt::Result {
    // Beside names and shares.
    let room = columns(f).saturating_sub(30).clamp(8, BAR);
    let most = rows.iter().map(|row| row.1).max().unwrap_or(0);
    let all: u64 = rows.iter().map(|row| row.1).sum();
    for (name, count) in rows {
        let percent = 100.0 * *count as f64 / all.max(1) as f64;
        writeln!(f, "  {name:>19} {percent:>5.1} % {}", bar(*count, most, room))?;
    }
    Ok(())
}

/// Powers of two from the first to the last, those without any as well.
fn all_powers(counts: &[(u64, u64)]) -> Vec<(u64, u64)> {
    let (Some(first), Some(last)) = (counts.first(), counts.last()) else { return Vec::new() };
    let count =
        |power: u64| counts.iter().find(|(at, _)| *at == power).map_or(0, |(_, count)| *count);
    (first.0.ilog2()..=last.0.ilog2()).map(|power| (1 << power, count(1 << power))).collect()
}

impl fmt::Display for Picture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.lengths.is_empty() {
            return Ok(());
        }
        let size = |bytes: u64| round_bytes(bytes as f64).replace(".0 ", " ");
        writeln!(f, "lengths      requests from this length to below twice it")?;
        let lengths = all_powers(&self.lengths);
        rows(f, &lengths.iter().map(|(bytes, count)| (size(*bytes), *count)).collect::<Vec<_>>())?;
        let sample = match self.sampled_share {
            1.0 => String::new(),
            share => format!("; a sample of {:.2} % of the pages", share * 100.0),
        };
        writeln!(
            f,
            "reuse        4 KiB pages by the data used since their last use (LRU){sample}"
        )?;
        let mut reuse: Vec<(String, u64)> = all_powers(&self.reuse_distances)
            .iter()
            .map(|(pages, count)| {
                (format!("below {}", size(pages.saturating_mul(2 * PAGE))), *count)
            })
            .collect();
        reuse.push(("first use".into(), self.first_uses));
        rows(f, &reuse)?;
        const LEVELS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
        let of_column = self.cells.len().div_ceil(columns(f).saturating_sub(4).max(8)).max(1);
        let cells = self.cells.chunks(of_column).map(|cells| cells.iter().sum());
        let cells: Vec<u64> = cells.collect();
        let most = cells.iter().copied().max().unwrap_or(0).max(1);
        // By the logarithm: cells with few requests are seen, too.
        let level = |count: &u64| match count {
            0 => LEVELS[0],
            count => {
                let share = (*count as f64).ln_1p() / (most as f64).ln_1p();
                LEVELS[((share * 8.0).ceil() as usize).clamp(1, 8)]
            }
        };
        let drawn: String = cells.iter().map(level).collect();
        writeln!(
            f,
            "hot spots    requests by address, logarithmic, {} a column",
            size(self.cell_bytes.saturating_mul(of_column as u64))
        )?;
        writeln!(f, "  |{drawn}|")?;
        let share = self.hottest_tenth_share * 100.0;
        writeln!(f, "  {share:.1} % of the requests are in the hottest tenth of the columns")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::format::request;

    fn of(requests: impl Iterator<Item = (u64, u64)>) -> Picture {
        let mut picture = Pictured::default();
        for (offset, length) in requests {
            picture.take(&request(0, Op::Write, offset, length, 0));
        }
        picture.finish()
    }

    #[test]
    fn reuse_distances_are_those_of_a_stack() {
        // Pages 0 to 9 in turn: each is used again after nine others.
        let cyclic = of((0..100).map(|n| (n % 10 * PAGE, PAGE)));
        assert_eq!((cyclic.first_uses, cyclic.reuse_distances), (10, vec![(8, 90)]));
        let same = of((0..50).map(|_| (PAGE, PAGE)));
        assert_eq!((same.first_uses, same.reuse_distances), (1, vec![(1, 49)]));
        // Against a stack that is searched.
        let mut random = 1u64;
        let pages: Vec<u64> = (0..3000)
            .map(|_| {
                random = spread(random);
                random % 200
            })
            .collect();
        let mut stack: Vec<u64> = Vec::new();
        let mut expected = [0u64; 64];
        for page in &pages {
            if let Some(at) = stack.iter().position(|other| other == page) {
                expected[(at.max(1)).ilog2() as usize] += 1;
                stack.remove(at);
            }
            stack.insert(0, *page);
        }
        let found = of(pages.iter().map(|page| (page * PAGE, PAGE)));
        let used: Vec<(u64, u64)> =
            (0..64).filter(|n| expected[*n] > 0).map(|n| (1 << n, expected[n])).collect();
        assert_eq!(found.reuse_distances, used);
    }

    #[test]
    fn many_pages_are_sampled() {
        let pages = 3 * FOLLOWED as u64;
        let found = of((0..2 * pages).map(|n| (n % pages * PAGE, PAGE)));
        assert!(found.sampled_share < 1.0, "{}", found.sampled_share);
        let near = |found: u64, expected: u64| found.abs_diff(expected) < expected / 20;
        assert!(near(found.first_uses, pages), "{}", found.first_uses);
        let reused: u64 = found.reuse_distances.iter().map(|(_, count)| count).sum();
        assert!(near(reused, pages), "{reused}");
        // What was counted before fewer pages were followed stands for as much.
        let few = FOLLOWED as u64 / 2;
        let twice = (0..2 * few).map(|n| n % few).chain(few..few + 2 * FOLLOWED as u64);
        let early = of(twice.map(|page| (page * PAGE, PAGE)));
        let reused: u64 = early.reuse_distances.iter().map(|(_, count)| count).sum();
        assert!(early.sampled_share < 1.0 && near(reused, few), "{reused} of {few}");
        let [(distance, _)] = found.reuse_distances[..] else { panic!("{found:?}") };
        assert_eq!(distance, 1 << (pages.ilog2()), "all are as far");
    }

    #[test]
    fn cells_hold_all_requests_and_the_picture_fits_a_screen() {
        let picture = of((0..1000).map(|n| (if n < 900 { 0 } else { n << 30 }, 512 << (n % 8))));
        assert_eq!(picture.cells.iter().sum::<u64>(), 1000);
        assert!(picture.cells.len() <= CELLS && picture.hottest_tenth_share >= 0.9);
        let text = picture.to_string();
        assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
        assert!(
            text.contains("64 KiB") && text.contains("first use") && text.contains('█'),
            "{text}"
        );
        assert_eq!(of(std::iter::empty()).to_string(), "");
    }
}
