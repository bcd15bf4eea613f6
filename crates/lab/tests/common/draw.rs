//! Randomly drawn runs.

use super::case::{Case, Load, request};
use flash::parts::CATALOGUE;
use ftl::{BufferPolicy, Preset, VICTIM_POLICIES};
use rand::{Rng, RngExt};
use rand_pcg::Pcg64;
use std::fmt::Display;
use workload::{Op, Request};

/// Ranges of the drawn values.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Range {
    /// Channels, ways and dies of the SSD.
    pub(crate) boards: &'static [[u32; 3]],
    /// Queue depths.
    pub(crate) depths: &'static [u32],
    /// Most blocks of the array.
    pub(crate) most_blocks: u32,
    /// Most requests.
    pub(crate) most_requests: u64,
    /// One in this number of cases uses a built-in workload; the others have flushes and forced writes.
    pub(crate) builtin_one_in: u32,
}

/// Bus cycles for parts that give none; the long ones do not fit fast parts.
pub(crate) const CYCLES: [&str; 4] = ["25ns", "10ns", "5ns", "2ns"];

/// Pages per block beyond which a scheme exports 85 % at most: one that exports all it can copies nearly whole victims.
const MANY_PAGES: u32 = 256;

/// Workloads that accept any number of requests.
const BUILTIN: [&str; 12] = [
    "uniform",
    "zipf",
    "hot-cold",
    "pareto",
    "sequential",
    "mixed",
    "random-adversary",
    "gftl-worst-case",
    "gftl-queue-worst-case",
    "lazy-rtgc-worst-case",
    "financial-like",
    "websearch-like",
];

/// A run of this scheme with this buffer. It may be invalid, because each setting is drawn independently.
pub(crate) fn case(
    random: &mut Pcg64,
    range: &Range,
    scheme: &Preset,
    buffer: Option<&BufferPolicy>,
    name: &str,
) -> Case {
    let mut options = Vec::new();
    let mut push = |option: &'static str, value: String| options.push((option, value));
    let part = one_of(random, CATALOGUE);
    push("--part", part.name.to_string());
    // Small blocks give even a small array many blocks.
    let pages_per_block = match random.random_range(0..4) {
        0 => part.pages_per_block,
        _ => one_of(random, &[8, 12, 16, 32, 64]),
    };
    if pages_per_block != part.pages_per_block {
        push("--set", format!("part.pages_per_block={pages_per_block}"));
    }
    if !part.gives_bus() {
        push("--bus-cycle", one_of(random, &CYCLES).to_owned());
    }
    seldom(random, 5, &["100MT/s", "1600MT/s"], |rate| push("--bus", rate.into()));
    let [channels, ways, dies] = one_of(random, range.boards);
    // From a few per die to the maximum, log-uniform.
    let (planes, plane_use) = match random.random_ratio(1, 3) {
        false => (1, "ganged"),
        true => {
            let uses = ["ganged", "own", "own", "own:same-place", "own:single"];
            (one_of(random, &[2, 4]), one_of(random, &uses))
        }
    };
    let (ganged, own) = if plane_use == "ganged" { (planes, 1) } else { (1, planes) };
    if planes > 1 {
        push("--planes", planes.to_string());
        push("--plane-use", plane_use.to_owned());
        seldom(random, 2, &["part.independent_plane_reads=true"], |set| push("--set", set.into()));
    }
    // A merge copies a whole block: large blocks make few writes expensive.
    let few = MANY_PAGES / 4 * range.most_blocks / pages_per_block;
    let most = if pages_per_block > MANY_PAGES { few.max(8) } else { range.most_blocks };
    let (units, orders) = (channels * ways * dies * own, f64::from(most).log2());
    let blocks = random.random_range(2.0..=orders).exp2() as u32;
    let blocks = blocks.max(4 * units).next_multiple_of(units);
    let page = u64::from(part.page_bytes * ganged);
    push("--capacity", (u64::from(blocks * pages_per_block) * page).to_string());
    let logical = u64::from(blocks * pages_per_block);
    let name_of_scheme = scheme.name;
    let shape = (blocks, page, pages_per_block > MANY_PAGES);
    let scheme = scheme_text(random, scheme, buffer, shape);
    if scheme.contains("+slc=") {
        push("--set", format!("part.cell={}", one_of(random, &["mlc", "tlc", "qlc"])));
        let [t_r, t_prog] = [part.t_r_ns / 2, part.t_prog_ns / 4].map(|ns| ns.max(1));
        let times = [("t_r_ns", t_r), ("t_prog_ns", t_prog), ("t_bers_ns", part.t_bers_ns)];
        for (key, ns) in times {
            push("--set", format!("part.slc.{key}={ns}"));
        }
    }
    push("--schemes", scheme);
    push("--channels", channels.to_string());
    push("--ways", ways.to_string());
    push("--dies", dies.to_string());
    // Three in ten or more run at depth 1, because bounds hold for one task at a time.
    let depth = if random.random_bool(0.3) { 1 } else { one_of(random, range.depths) };
    push("--queue-depth", depth.to_string());
    seldom(random, 4, &["wcdp", "dcwp", "pdwc"], |order| push("--allocation", order.into()));
    seldom(random, 3, &["read-first", "round-robin"], |policy| push("--arbiter", policy.into()));
    seldom(random, 3, &["exclusive"], |place| push("--collection", place.into()));
    match random.random_range(0..4) {
        0 => push("--host-first", one_of(random, &["0", "1", "4", "1000"]).into()),
        1 if depth > 1 => {
            push("--host-first", one_of(random, &["1", "4", "1000"]).into());
            push("--set", "part.t_erase_suspend_ns=40us".into());
            push("--set", "part.t_program_suspend_ns=20us".into());
            push("--suspend", one_of(random, &["erase", "program"]).into());
        }
        _ => {}
    }
    let links = ["sata2", "400MB/s:64", "nvme:gen3x4", "nvme:gen5x4+payload=128B+latency=2us"];
    seldom(random, 4, &links, |link| push("--interface", link.into()));
    seldom(random, 4, &["arm7", "2xarm7", "4x50MHz:10:4"], |processor| {
        push("--cpu", processor.into());
    });
    if options.last().is_some_and(|(option, cores)| *option == "--cpu" && cores != "arm7") {
        seldom(random, 2, &["pinned"], |sharing| options.push(("--cpu-sharing", sharing.into())));
        seldom(random, 3, &["2000"], |cycles| options.push(("--cpu-command", cycles.into())));
    }
    let mut push = |option: &'static str, value: String| options.push((option, value));
    // Few enough that ECC or a retry step corrects all of them: no page is lost.
    match random.random_range(0..12) {
        0 => push("--bit-errors", "1+ecc=24".into()),
        1 | 2 => {
            let age = one_of(random, &["cycles=0", "cycles=1500+age=30d", "cycles=3000+age=90d"]);
            // As tlc-72-layer, without read disturb: hot reads of small blocks would lose pages.
            let law = "power:1.48e-3,3.9e-10,2.05,6.28e-5,0.14,0.54,0,0,0";
            push("--bit-errors", format!("{law}+{age}+ecc={}", one_of(random, &[24, 72])));
            let soft = ["+soft=512,2,60us", "+soft=512,1,0+decode=10us", "+soft=512,8,9us+set=1us"];
            let steps = one_of(random, &["90-200:10", "100,200,300", "none"]);
            push("--read-retry", format!("{steps}{}", one_of(random, &soft)));
        }
        _ => {}
    }
    // Page-mapped schemes alone can move the pages of one block.
    if ["page-level", "fsr", "lazy-rtgc", "2lgc"].contains(&name_of_scheme) {
        seldom(random, 3, &["20", "100", "3k"], |reads| push("--read-reclaim", reads.into()));
        seldom(random, 4, &["age=1s", "age=5s", "age=10d"], |age| push("--refresh", age.into()));
    }
    let fills = ["none", "full", "full+age=1", "full+age=0.5+sequential=50%", "footprint"];
    push("--precondition", one_of(random, &fills).to_owned());
    let requests = random.random_range(range.most_requests / 8..=range.most_requests);
    // About as fast as the array, or far slower: full queues, or idle time.
    let write_ns = (part.t_prog_ns + part.t_bers_ns / u64::from(pages_per_block)) as f64;
    let gap_ns =
        write_ns * 2f64.powi(random.random_range(-3..7)) / f64::from(channels * ways * dies);
    if random.random_ratio(1, 3) {
        push("--command-slots", one_of(random, &["1", "2", "7", "64"]).into());
    }
    if random.random_ratio(1, 4) {
        let jobs = jobs(random, requests, gap_ns);
        push("--requests", requests.to_string());
        // Half of the jobs have a class, if the first one has.
        let weighted = jobs[0].contains("class=");
        let how = if weighted {
            &["weighted:8:4:1", "weighted:1:1:3+burst=4"]
        } else {
            &["round-robin", "round-robin+burst=none"]
        };
        push("--arbitration", one_of(random, how).into());
        push("--seed", random.random_range(1..1000u32).to_string());
        return Case { load: Load::Jobs(jobs), options };
    }
    if random.random_ratio(1, 4) {
        push("--queues", one_of(random, &["2", "3", "16"]).into());
        push("--arbitration", one_of(random, &["round-robin", "round-robin+burst=8"]).into());
    }
    let load = match random.random_ratio(1, range.builtin_one_in) {
        true => {
            push("--requests", requests.to_string());
            push("--loops", "0".into());
            let name = one_of(random, &BUILTIN);
            builtin(random, name, gap_ns).into_iter().for_each(|value| push("--set", value));
            Load::Builtin(name)
        }
        false => {
            push("--addresses", "wrap".into());
            drawn(random, requests, logical, page, gap_ns, name)
        }
    };
    if random.random_ratio(1, 10) {
        push("--closed", String::new());
    }
    push("--seed", random.random_range(1..1000u32).to_string());
    Case { load, options }
}

fn one_of<T: Copy>(random: &mut Pcg64, all: &[T]) -> T {
    all[random.random_range(0..all.len())]
}

/// Passes one of `values` to `then` with probability 1 / `one_in`.
fn seldom(
    random: &mut Pcg64,
    one_in: u32,
    values: &[&'static str],
    mut then: impl FnMut(&'static str),
) {
    if random.random_ratio(1, one_in) {
        then(one_of(random, values));
    }
}

/// The scheme with some random settings: its own and those that all schemes have.
fn scheme_text(
    random: &mut Pcg64,
    scheme: &Preset,
    buffer: Option<&BufferPolicy>,
    (blocks, page, shared): (u32, u64, bool),
) -> String {
    let mut text = scheme.name.to_owned();
    let mut set = |key: &str, value: &dyn Display| text.push_str(&format!("+{key}={value}"));
    let victims = [1, 3].map(|number| one_of(random, VICTIM_POLICIES).kind(&[number]));
    for key in scheme.settings {
        if random.random_ratio(2, 3) {
            continue;
        }
        match *key {
            "victim" => {
                let plain = one_of(random, VICTIM_POLICIES).kind(&[]);
                if let Some(kind) = plain.or(victims[0]).or(victims[1]) {
                    set(key, &kind);
                }
            }
            "idle" | "aware" | "merge" | "one_pool" => set(key, &true),
            "cmt" => set(key, &format!("{}", page * random.random_range(1..8u64))),
            "cmt_policy" => set(key, &"slru"),
            "cmt_evict" => set(key, &one_of(random, &["page", "reads", "mapping"])),
            "threshold" => set(key, &"80%"),
            "frontiers" => set(key, &one_of(random, &["split", "shared"])),
            "ram" => set(key, &"collection"),
            "enqueue" => set(key, &"overflow"),
            "refill" if random.random_bool(0.2) => {
                set(key, &random.random_range(1..=2));
                set("frontiers", &"shared");
            }
            "folds" => set(key, &random.random_range(1..=8)),
            "alpha" => set(key, &one_of(random, &["0", "1.125", "40"])),
            "slc" => {
                set(key, &one_of(random, &["static:5%", "static:20%", "static:45%", "dynamic"]))
            }
            "slc_full" => set(key, &one_of(random, &["direct", "fold"])),
            "superblock" => set(key, &one_of(random, &["1", "2", "16"])),
            "log_blocks" => set(key, &random.random_range(1..=8)),
            // The printed length of GFTL's queue is too short for some orders: an erratum, not a bug.
            _ => {}
        }
    }
    match buffer {
        // Some schemes have a buffer of their own.
        None => set("buffer", &"none"),
        Some(policy) => {
            set("buffer", &policy.name);
            set("buffer_size", &(page * random.random_range(1..=128u64)));
            seldom(random, 4, &["page", "block"], |unit| set("buffer_unit", &unit));
            seldom(random, 2, &["1ms", "20ms", "0"], |age| set("buffer_age", &age));
            if policy.settings.contains(&"buffer_regions") {
                seldom(random, 3, &["20%:40%", "adaptive:1%:49%"], |it| set("buffer_regions", &it));
                seldom(random, 3, &["0%:0%:0%", "10%:50%:90%"], |it| set("buffer_updates", &it));
            }
            seldom(random, 3, &["first", "order"], |clean| set("buffer_clean", &clean));
            seldom(random, 3, &["500ns", "3us"], |time| set("buffer_time", &time));
            seldom(random, 4, &["true", "false"], |reads| set("buffer_reads", &reads));
        }
    }
    seldom(random, 5, &["gap:3", "gap:20", "bet:4", "bet:10:1"], |rule| set("wear", &rule));
    seldom(random, 8, &["true", "false"], |wear| set("dynamic_wear", &wear));
    seldom(random, 5, &["lcb", "gcb", "dgcb"], |path| set("copy", &path));
    if random.random_ratio(1, 5) {
        set("spare", &random.random_range(1..=(blocks / 8).max(1)));
    }
    if shared || random.random_ratio(1, 4) {
        let most = if shared { 86u32 } else { 90 };
        set("share", &(f64::from(random.random_range(30..most)) / 100.0));
    }
    text
}

/// Parameters of a built-in workload; set only for uniform and similar ones.
fn builtin(random: &mut Pcg64, name: &str, gap_ns: f64) -> Vec<String> {
    let mut out = Vec::new();
    if ["uniform", "zipf", "hot-cold", "pareto"].contains(&name) {
        out.push(format!("write_share={}", one_of(random, &["1", "0.9", "0.5"])));
        out.push(format!("trim_share={}", one_of(random, &["0", "0.1", "0.3"])));
        if random.random_bool(0.5) {
            out.push(format!("rate={:.3}", 1e9 / gap_ns));
            out.push(format!("arrivals={}", one_of(random, &["fixed", "poisson"])));
        }
    }
    out
}

/// Two to four jobs on parts of the space, with and without arrivals, weights and queues of their own.
fn jobs(random: &mut Pcg64, requests: u64, gap_ns: f64) -> Vec<String> {
    let count = random.random_range(2..=4u64);
    let weighted = random.random_bool(0.5);
    let one = |at: u64| {
        let name = one_of(random, &["uniform", "zipf", "hot-cold", "pareto", "sequential"]);
        let each = (requests / count).max(1);
        let each = random.random_range(each.div_ceil(4)..=each);
        let mut text = format!("name=job{at},workload={name},requests={each},loops=0");
        for value in builtin(random, name, gap_ns * count as f64) {
            text.push_str(&format!(",set.{value}"));
        }
        let mut seldom = |one_in: u32, values: &[&'static str]| {
            if random.random_ratio(1, one_in) {
                text.push_str(one_of(random, values));
            }
        };
        seldom(2, &[",iodepth=1", ",iodepth=4", ",iodepth=30"]);
        seldom(3, &[",queues=2", ",queues=5"]);
        seldom(3, &[",size=10%", ",size=25%"]);
        seldom(4, &[",closed"]);
        seldom(4, &[",seed=77"]);
        if weighted {
            text.push_str([",class=high", ",class=low", ",class=urgent", ""][at as usize]);
        }
        text
    };
    (0..count).map(one).collect()
}

/// Requests of all kinds, most of few pages, half of them to an eighth of the space. They come back to back, at random
/// times, or in bursts.
fn drawn(random: &mut Pcg64, count: u64, pages: u64, page: u64, gap_ns: f64, name: &str) -> Load {
    let burst = one_of(random, &[0, 1, 1, 32, 200]);
    let most_pages = one_of(random, &[1, 1, 4, 16]);
    let writes = one_of(random, &[0.95, 0.7, 0.4]);
    let [trims, flushes, forced] =
        [0.1, 0.02, 0.1].map(|share| share * f64::from(random.random_range(0..3u8)));
    let whole = random.random_bool(0.6);
    let mut at_ns = 0.0;
    let mut one = |at: u64| {
        if burst > 0 && at.is_multiple_of(burst) {
            at_ns += -(1.0 - random.random::<f64>()).ln() * gap_ns * burst as f64;
        }
        let at_ns = at_ns as u64;
        let draw: f64 = random.random();
        if draw < flushes {
            return request(at_ns, Op::Flush, 0, 0);
        }
        let op = match draw {
            _ if draw < flushes + trims && random.random_bool(0.2) => {
                one_of(random, &[Op::WriteZeroes, Op::DeallocateZeroes])
            }
            _ if draw < flushes + trims => Op::Trim,
            _ if random.random_bool(writes) => Op::Write,
            _ => Op::Read,
        };
        let hot = if random.random_bool(0.5) { pages.div_ceil(8) } else { pages };
        let bytes = |random: &mut Pcg64, unit: u64, most: u64| random.random_range(0..most) * unit;
        let unit = if whole { page } else { 512 };
        let offset = bytes(random, unit, hot * page / unit);
        let length = unit + bytes(random, unit, most_pages * page / unit);
        let fua = op == Op::Write && random.random_bool(forced);
        Request { fua, ..request(at_ns, op, offset, length) }
    };
    let requests = (0..count).map(&mut one).collect();
    Load::Trace { requests, arrivals: burst > 0, name: name.to_owned() }
}

/// An independent random stream for each number.
pub(crate) fn seeded(seed: u64, number: u64) -> Pcg64 {
    use rand::SeedableRng;
    let mut random = Pcg64::seed_from_u64(seed.wrapping_add(number));
    random.next_u64();
    random
}
