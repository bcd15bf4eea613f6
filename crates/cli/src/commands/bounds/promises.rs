//! Bounds of the real-time schemes side by side; for all parts this is `docs/promises.md`.

use super::schemes::{kib, percent};
use crate::output::micros;
use flash::{Part, parts};
use ftl::Preset;
use lab::catalogue;
use lab::config::Bytes;
use lab::division::{Division, own_blocks};
use lab::report::Table;

/// One part, with the bounds of the real-time schemes.
struct Chapter<'a> {
    part: &'a Part,
    blocks: u32,
    divisions: Vec<Division>,
}

/// The page: two tables of all parts, and a chapter per part.
pub(super) fn page(parts: &[Part], blocks: &[u32]) -> String {
    let schemes: Vec<&'static Preset> = real_time_schemes().collect();
    let chapters: Vec<Chapter<'_>> = parts
        .iter()
        .zip(blocks)
        .map(|(part, &blocks)| {
            let mut divisions = Division::all(part, blocks);
            divisions.retain(|row| schemes.iter().any(|preset| preset.name == row.scheme()));
            Chapter { part, blocks, divisions }
        })
        .collect();
    let mut text = String::from(INTRODUCTION);
    text.push_str("\n## Response, µs\n\n");
    text.push_str(&side_by_side(&schemes, &chapters, |_, plan| {
        plan.guarantee.response_ns.map(micros)
    }));
    text.push_str("\n## Logical share, %\n\n");
    text.push_str(&side_by_side(&schemes, &chapters, |row, plan| Some(percent(row.share(plan)))));
    for chapter in &chapters {
        text.push_str(&chapter.text());
    }
    text
}

const INTRODUCTION: &str = "\
# Bounds of the real-time schemes

How long can a page task take? (A page task is the part of a host request that falls on one page: a request of n pages may
take n times as long.) This page has the bounds of every real-time scheme on every part. They hold for any workload and any
fill, with the times of the part as its source prints them. For a deadline, set the maxima of your data sheet:
`--set part.t_prog_ns=…`, `--set part.t_bers_ns=…`. `ftlkit bounds --part all --markdown` prints it.

Each part has its own capacity, and each scheme its default settings. `–`: the scheme cannot work on the part; the part's
section has the reason. The part with bus cycles (ddt-mlc) is one device; its times include commands and transfer, and it
copies through the controller (lcb).

- read, write: service time of a page read and of a page write.
- step: longest collection step within one task.
- response: service and the collection step after it. Every run is checked against this bound.
- share: logical pages / physical pages.
- victim: largest number of valid pages per victim.
- RAM: maps and state of a controller, without data buffers.
- †: a completed write may still be in RAM only. A power cut before the next flush loses it.

## How the bound of each scheme is known, real-time or not

- Derived: a closed form for any array, in the crate `ftlkit-bounds`, with the paper's equation or our own proof.
- Proved: all request sequences on small arrays (at most 98 pages), by a search of all states of the real code. It says
  nothing of larger arrays, whose bound rests on the derivation. States are merged by all that the next operations depend on;
  on the smaller arrays a test checks that merged states have the same successors.
- Searched: without that check, all states, or attacks (orders of requests that come close to the bound). Units: pages go
  to several write units in turns.
- Measured: every run compares each page task with the bound. The soaks are in CONTRIBUTING.md, with their last results.

| scheme | derived | proved | searched | measured |
| --- | --- | --- | --- | --- |
| `lazy-rtgc` | yes | 17 arrays of 3x3 to 5x12 pages, with trims and idle collection; 13 with two ways of copying | attacks; units in turns; split frontiers | 525 M page tasks of `promise_soak.py` |
| `lazy-rtgc-on-demand` | yes | 6x4 pages, two translation pages, write-back from 1 to 4 dirty entries on, the whole map cached (with an entry less a write breaks the bound); 5x8 to 7x6 pages without write-back; trims, flushes and idle collection. Not: evictions, copies of translation pages | attacks | 22.9 M |
| `gftl`, `gftl-priority`, `gftl-threshold` | yes (write queue: own proof; the printed length is refuted) | two logical blocks of 2 pages; one of 3 with trims and flushes; one or all pages programmed per step; the same with RAM in every state and with `enqueue=overflow`. Not: a read of a block over several steps | attacks, the worst order of writes | 22.9 M |
| `rftl` | yes | a logical block of 5 pages; logical blocks share nothing but the pool | attacks | 22.9 M |
| `nftl` (worst-case folds) | yes | 3x2 to 6x2 and 3x3 to 4x3 pages, with trims, and with two folds at a time | attacks | 22.9 M |
| `page-level`, `fsr` (whole-victim worst case) | yes | 3x4, 4x6 and 5x5 pages, with idle collection | attacks; units in turns; split frontiers | every run |
| `2lgc` (its share of a victim per write) | yes | 3x4 to 5x8 pages at four shares, with greedy victims | attacks; units in turns; the two-level list | every run |
| `dftl` (whole-victim worst case) | yes | no | attacks | every run |
| `bast`, `fast`, `superblock`, `ba-gc` (worst-case merges) | yes | no | attacks | every run |
| `zns` (a program per write; the erases of its blocks per reset) | yes | no | random commands; the state machine against a model | every run |

`cargo test -p ftlkit-testkit --test all -- exhaustive:: search:: two_level_gc:: frontiers:: --nocapture` runs all proofs and
searches but the largest (CONTRIBUTING.md has its command), and prints their counts of states.

| condition | bound | how it is known |
| --- | --- | --- |
| power cuts, several in a row, in mounts and in a shutdown | kept after each mount | measured: soaks `power-cut` and `storm` |
| failed programs and erases | none while blocks are replaced | data: nothing acknowledged is lost, and reads go on when no spare block is left: tested on every scheme |
| an SSD at queue depth 1 | kept | measured: soak `promises`, every pair of scheme and part |
| requests that queue at an SSD of queue depth 1 | kept | derived, see below; kept by runs of bursts to random addresses |
| an SSD at a higher queue depth, or with suspension | none | |
| pages lost to bit errors | none: what is done for a lost page is not bounded | data: until the next mount a read returns the newest version or an error, tested on every scheme; a mount cannot tell an unreadable page from a torn one, and may bring back an older version or none |

## Requests that queue

`ftlkit bounds --arrivals FILE|WORKLOAD|CURVE` tells the longest delay of page tasks that are served in order of arrival on one
device, for any workload that asks for no more in any window of time than a trace, the requests of a built-in workload or a
declared curve does. A Poisson process has no such curve: that of its generated requests is of these alone. With w(Δ) page writes and r(Δ)
page reads within any closed window of Δ, W(n) the longest time of n page writes in a row, and U(e_r) that of a read:

    H(Δ) = W(w(Δ)) + r(Δ) U(e_r)
    D = max (H(Δ) − Δ) over 0 ≤ Δ < L,    L the least Δ > 0 with H(Δ) ≤ Δ; without one there is no bound

This is the horizontal deviation of the arrivals from the service curve, the inverse of W (Cruz, A calculus for network delay,
part I, 1991; Le Boudec and Thiran, Network Calculus, 2001, Theorems 1.4.1 and 1.4.2); the proof is in
`ftlkit_bounds::service`. A request ends with its last page task, so D holds for it, too. The schemes of the table do nothing for a
trim; with all others each counts as a write in w. Flushes and forced writes of a trace are covered where nothing waits in
RAM. D is of requests of any length: a short one may wait for a long one, and no curve tells them apart. Nothing is proved with work
in idle time (`idle`, an SLC cache, refresh, read reclaim), which a request that comes then waits for; and after a program or an
erase failed, or a page was lost.

On an SSD (`--channels`) the same is proved of the simulated SSD with one request at a time, `--queue-depth 1`, and nothing else:

- Its controller takes a page task when all operations of the one before it, and its collection steps, have ended, and the next
  request when the one before it has ended. So page tasks follow one another, in order of arrival.
- A page task with its steps takes at most the sum of the times that its operations take alone. For between its beginning and the
  end of its last operation some command of it is on a bus or in a cell at every instant: an operation that waits for
  nothing asks for its bus at once, a free bus is granted at once to a die that asks, and an operation that waits, waits for
  another one of this task. And each is on the bus and in the cell for its own time and no longer.
- That sum may be more than U, which counts the copies of a victim between two devices as a run, whose reads run beside its programs. In
  the terms of `flash::copies` a copy alone takes F + D + t_PROG, and its share of a run is D + max(F, t_PROG), with cache
  program max(F + D, t_PROG). U times their ratio is at least the sum: it stands for U here. One die has no such runs and the ratio 1;
  where times depend on the page it is taken as 2. A page task may indeed take longer than in serial time: 11 of the
  756,498 of the test below did, which refuted the simpler proof with U itself.
- The link to the host (`--interface`) adds its time with the command and the data before the first page task, and after the last. Of one
  request at a time no transfer waits for another. The times of the pages one by one are at least that of a request of
  them, since each has the overhead of a command; so they are added to each page task. Where a command without data takes
  time on the link, a trim of a scheme that does nothing for it counts as a read, and requests without a page task, as
  flushes, are refused.
- So at every instant of a busy period the link, or a page task, is at work on what arrived in it, and D follows as above. With
  more than one die W(n) is n times U(R) times that ratio.

Held by tests: each page task of twelve schemes on three parts and four shapes takes at most the sum of its operations alone, and that is
within the ratio of its serial time; and no run of a trace is longer than D, which comes up to 0.798 of it (`cargo test -p ftlkit-lab --test all -- ssd_queueing:: --nocapture`).
Not derived, and refused: several requests at once, submission queues, planes (`--planes`), reclaim units, a write buffer, an SLC
cache, a processor's time, bit errors and read retry.

W(n) is n · U(R) at most. It is less where the next victim is taken only when the free pages have fallen to the same level again:
then the host writes at least `gain` = π − U(λ) pages from the beginning of a collection to that of the next, and at least
`gap` from an erase to the next beginning. With z = n − 1 − gap − (q − 2) gain ≥ 0 and f(y) the copies of y writes, at most C for a victim:

    W(n) = n U(e_w) + max over q of  q t_er + (q − 2) C + f(⌊z/2⌋) + f(⌈z/2⌉);    for q = 1  t_er + f(n − 1)

| scheme | gap | f(y) | W(n), how it is known |
| --- | --- | --- | --- |
| `lazy-rtgc` | π − ρ_th + 1 | min(C, y α (t_rd + t_wr)) | derived; proved for n up to 4π on the arrays above with trims, also with two ways of copying; the worst order (one hot page, all others spread evenly) takes at least 0.943 of it for each n up to 600, and 1.000 at 600 |
| `page-level`, `fsr`, with `frontiers=shared` | π − U(λ) | C | derived; proved for n up to 4π on 3x4, 4x6 and 5x5 pages; the worst order takes all of it for each n up to 600 |
| `2lgc` | 1 | min(C, (y + 1) k (t_rd + t_wr)), k copies with a write | derived; proved for n up to 4π on 3x4 to 5x8 pages with greedy victims; the worst order takes at least 0.697 of it for each n up to 600, and 0.997 at 600 |
| the same with victims by a list, `first-fit` or `yaffs2`, or with spare blocks | | | derived; kept by random and worst orders |
| all others, and these with split frontiers, `placement`, a buffer, several units, wear levelling, `refill`, or a policy that takes several victims at once | | | n · U(R) alone |

`cargo test -p ftlkit-testkit --test all -- in_a_row:: exhaustive:: two_level_gc:: --nocapture` prints the figures.
";

/// The schemes that have a real-time bound on any part of the catalogue.
pub(super) fn real_time_schemes() -> impl Iterator<Item = &'static Preset> {
    catalogue::schemes().iter().copied().filter(|preset| {
        parts::CATALOGUE.iter().any(|part| {
            let row = Division::of(preset, part, own_blocks(part));
            row.plan().is_some_and(|plan| plan.guarantee.real_time)
        })
    })
}

/// One line per part, one column per scheme.
fn side_by_side(
    schemes: &[&Preset],
    chapters: &[Chapter<'_>],
    cell: impl Fn(&Division, &ftl::Plan) -> Option<String>,
) -> String {
    let names: Vec<&str> = schemes.iter().map(|preset| preset.name).collect();
    let mut text =
        format!("| part | {} |\n|---{}|\n", names.join(" | "), "|---:".repeat(names.len()));
    for chapter in chapters {
        let cells: Vec<String> = chapter
            .divisions
            .iter()
            .map(|row| row.plan().and_then(|plan| cell(row, plan)).unwrap_or_else(|| "–".into()))
            .collect();
        text.push_str(&format!("| {} | {} |\n", chapter.part.name, cells.join(" | ")));
    }
    text
}

impl Chapter<'_> {
    fn text(&self) -> String {
        let part = self.part;
        let block = u64::from(part.pages_per_block) * u64::from(part.page_bytes);
        let mut text = format!(
            "\n## {}\n\n{} = {} blocks of {} pages of {}; tR {}, tPROG {}, tBERS {} µs\n\n",
            part.name,
            Bytes::new(u64::from(self.blocks) * block),
            self.blocks,
            part.pages_per_block,
            Bytes::new(part.page_bytes.into()),
            micros(part.t_r_ns),
            micros(part.t_prog_ns),
            micros(part.t_bers_ns),
        );
        let columns = [
            "<scheme",
            "read µs",
            "write µs",
            "step µs",
            "response µs",
            "share %",
            "victim",
            "RAM KiB",
        ];
        let rows: Vec<_> = self.divisions.iter().filter_map(row).collect();
        if !rows.is_empty() {
            text.push_str(&Table::new(columns, rows).markdown());
        }
        let mut reasons = self
            .divisions
            .iter()
            .filter_map(|row| {
                Some(format!("- `{}` cannot work: {}\n", row.scheme(), row.why_not()?))
            })
            .peekable();
        if reasons.peek().is_some() && self.divisions.iter().any(|row| row.plan().is_some()) {
            text.push('\n');
        }
        text.extend(reasons);
        text
    }
}

fn row(division: &Division) -> Option<[String; 8]> {
    let plan = division.plan()?;
    let promise = &plan.guarantee;
    let time = |ns: Option<u64>| ns.map_or_else(|| "–".into(), micros);
    Some([
        format!("{}{}", division.scheme(), if promise.volatile { " †" } else { "" }),
        time(promise.read_ns),
        time(promise.write_ns),
        time(promise.step_ns),
        time(promise.response_ns),
        percent(division.share(plan)),
        promise.victim_valid.map_or_else(|| "–".into(), |pages| pages.to_string()),
        kib(plan.ram.total()),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_scheme_has_a_row_that_says_how_its_bound_is_known() {
        for preset in catalogue::schemes() {
            let named = format!("`{}`", preset.name);
            let bounds = INTRODUCTION.split("## Requests that queue").next().unwrap();
            let rows = bounds.lines().filter(|line| line.starts_with("| `"));
            let of_it = rows.filter(|row| row.split(" | ").next().unwrap().contains(&named));
            assert_eq!(of_it.count(), 1, "{named}");
        }
    }
}
