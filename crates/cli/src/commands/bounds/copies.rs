//! Bounds of the real-time schemes for every way of copying on a channel.

use super::promises::real_time_schemes;
use super::schemes::percent;
use crate::output::{self, micros, table};
use bounds::lazy_rtgc::{Space, WholeArray};
use flash::{Copies, CopyPath, CopyTimes, Part};
use lab::config::{Channel, CopyChoice, CopyFault};
use lab::division::{Division, own_blocks};
use lab::report::units;
use serde_json::{Value, json};

/// One way of copying, with the bounds of the schemes.
struct Way {
    path: CopyPath,
    cache: bool,
    name: String,
    copies: Copies,
    /// Lazy-RTGC's division, if it has one.
    space: Option<Space>,
    divisions: Vec<Division>,
}

/// Every way of copying on one channel.
pub(super) struct Ways {
    title: String,
    ways: Vec<Way>,
}

impl Ways {
    /// The ways of copying on a channel, on `blocks` blocks or the part's whole capacity.
    ///
    /// # Errors
    /// If the part does not distinguish copy paths.
    pub(super) fn of(channel: &Channel, blocks: Option<u32>) -> Result<Self, CopyFault> {
        let mut ways = Vec::new();
        let mut last = None;
        for path in CopyPath::ALL {
            let between = path.between_devices();
            if between && channel.ways == 1 {
                continue;
            }
            for cache in [false, true] {
                if cache && channel.ways == 1 {
                    continue;
                }
                let choice = CopyChoice { path: Some(path), cache_program: Some(cache) };
                let part = channel.part_for(choice)?;
                ways.extend(Way::new(path, cache, &part, blocks));
                last = Some(part);
            }
        }
        // For a part without copy paths, the first path already returned an error.
        let part = last.map_or_else(|| channel.part_for(CopyChoice::default()), Ok)?;
        Ok(Self {
            title: format!(
                "{}: {} on a channel, {} as one; {} blocks of {} pages",
                part.name,
                units::counted(channel.ways.into(), "device"),
                units::counted(channel.planes.into(), "plane"),
                blocks.unwrap_or_else(|| own_blocks(&part)),
                part.pages_per_block,
            ),
            ways,
        })
    }

    pub(super) fn text(&self) -> String {
        format!(
            "Copies by path, µs per page (and for each further page of a run), and copies per step of one erase \
            (α)\n\
             {}\n{}\n\n\
             Bounds of real-time schemes by path, µs and pages\n{}\n{}",
            self.title,
            self.copies_table(),
            self.promises_table(),
            output::wrapped(LEGEND),
        )
    }

    fn copies_table(&self) -> String {
        let columns = [
            "<copy",
            "<within a device",
            "µs",
            "further",
            "α",
            "<between two",
            "µs",
            "further",
            "α",
        ];
        table(columns, self.ways.iter().map(Way::cells))
    }

    fn promises_table(&self) -> String {
        let columns = ["<scheme", "<copy", "U(e_w)", "step", "U(R)", "U(λ)", "U(σ) %"];
        let rows = real_time_schemes()
            .flat_map(|preset| self.ways.iter().filter_map(|way| way.promise(preset.name)));
        let mut text = table(columns, rows);
        for preset in real_time_schemes() {
            text.extend(self.reasons(preset.name).into_iter().map(|(why, ways)| {
                let by = match ways.len() == self.ways.len() {
                    true => "any path".into(),
                    false => ways.join(", "),
                };
                let line = format!("{} by {by}  cannot work: {why}", preset.name);
                format!("\n{}", output::wrapped(&line).trim_end())
            }));
        }
        text
    }

    /// Reasons why a scheme cannot work, each with its ways of copying.
    fn reasons(&self, scheme: &str) -> Vec<(&str, Vec<&str>)> {
        let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
        for way in &self.ways {
            let Some(why) = way.division(scheme).and_then(Division::why_not) else { continue };
            match reasons.iter_mut().find(|(known, _)| *known == why) {
                Some((_, ways)) => ways.push(&way.name),
                None => reasons.push((why, vec![&way.name])),
            }
        }
        reasons
    }

    pub(super) fn json(&self) -> Value {
        json!({
            "channel": self.title,
            "ways": self.ways.iter().map(Way::json).collect::<Vec<_>>(),
        })
    }
}

const LEGEND: &str = "
copy: the scheme setting; + cache: with cache program, which has an effect between devices only. Block b is on device \
    b mod the number of devices, so a path within a device is taken where both blocks are on one, else the other.
α: 0 if a copy is longer than an erase. U(e_w), step, U(R), U(λ), U(σ): as in `ftlkit bounds`.
";

impl Way {
    fn new(path: CopyPath, cache: bool, part: &Part, blocks: Option<u32>) -> Option<Self> {
        let blocks = blocks.unwrap_or_else(|| own_blocks(part));
        let array = WholeArray { blocks, spare_blocks: 0, from_buffer: false };
        Some(Self {
            path,
            cache,
            name: format!("{path}{}", if cache { " + cache" } else { "" }),
            copies: part.copies?,
            space: array.space(part, None).ok(),
            divisions: Division::all(part, blocks),
        })
    }

    fn division(&self, scheme: &str) -> Option<&Division> {
        self.divisions.iter().find(|row| row.scheme() == scheme)
    }

    fn cells(&self) -> [String; 9] {
        let none = || "–".to_owned();
        let alpha = |far: bool| {
            let of = |space: &Space| if far { space.alpha_far } else { space.alpha };
            self.space.as_ref().map_or_else(none, |space| of(space).to_string())
        };
        let times = |times: &CopyTimes| {
            let [first, further] = self.page_and_further(times);
            (times.path.name().to_owned(), micros(first), micros(further))
        };
        let (near, near_page, near_further) = times(&self.copies.near);
        let (far, far_page, far_further, far_alpha) = match self.copies.ways {
            1 => (none(), none(), none(), none()),
            _ => {
                let (path, page, further) = times(&self.copies.far);
                (path, page, further, alpha(true))
            }
        };
        [
            self.name.clone(),
            near,
            near_page,
            near_further,
            alpha(false),
            far,
            far_page,
            far_further,
            far_alpha,
        ]
    }

    fn page_and_further(&self, times: &CopyTimes) -> [u64; 2] {
        let run = |pages| times.run_ns(pages, self.copies.most_corrected_bytes.into());
        [run(1), run(2) - run(1)]
    }

    fn promise(&self, scheme: &str) -> Option<[String; 7]> {
        let row = self.division(scheme)?;
        let plan = row.plan()?;
        let promise = &plan.guarantee;
        let time = |ns: Option<u64>| ns.map_or_else(|| "–".into(), micros);
        Some([
            scheme.to_owned(),
            self.name.clone(),
            time(promise.write_ns),
            time(promise.step_ns),
            time(promise.response_ns),
            promise.victim_valid.map_or_else(|| "–".into(), |pages| pages.to_string()),
            percent(row.share(plan)),
        ])
    }

    fn json(&self) -> Value {
        let times = |times: &CopyTimes| {
            let [page_ns, further_ns] = self.page_and_further(times);
            json!({ "path": times.path.name(), "page_ns": page_ns, "further_page_ns": further_ns })
        };
        let space = self.space.as_ref();
        let schemes = real_time_schemes().filter_map(|preset| self.division(preset.name));
        json!({
            "copy": self.path.name(),
            "cache_program": self.cache,
            "within_a_device": times(&self.copies.near),
            "between_devices": (self.copies.ways > 1).then(|| times(&self.copies.far)),
            "lazy_rtgc_alpha": space.map(|space| space.alpha),
            "lazy_rtgc_alpha_far": space.filter(|_| self.copies.ways > 1).map(|space| space.alpha_far),
            "schemes": schemes.map(Division::json).collect::<Vec<_>>(),
        })
    }
}
