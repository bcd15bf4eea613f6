//! Size of an experiment's array, and check that every scheme works on it.

use super::channel::Channel;
use super::error::ConfigError;
use super::map_ram::{is_smaller, largest_with_point};
use super::notation::Word;
use super::scheme_settings::SchemeTable;
use super::share::DefaultShare;
use ::run::report::units;
use flash::parallel::Stripes;
use flash::{Geometry, Part};
use ftl::{AgeClock, Allocation, FtlError, Plan, Processor, SchemeConfig, registry};
use workload::Facts;
use workload::quantity::Bytes;

/// A scheme on the array of an experiment.
#[derive(Clone, Debug)]
pub struct ResolvedScheme {
    /// Name in the report.
    pub label: String,
    /// Configuration for `ftl`.
    pub config: SchemeConfig,
    /// The part as the scheme sees it: with the channel's transfers and its copy path.
    pub part: Part,
    /// Its logical pages, threshold and bound.
    pub plan: Plan,
    /// Logical pages that the workload may address.
    pub space_pages: u32,
    /// Facts on the workload over this scheme's space, if it differs from the others'.
    pub facts: Option<Facts>,
}

/// Sizing of an array on this channel for these schemes.
pub(super) struct Sizing<'a> {
    pub(super) channel: &'a Channel,
    /// Schemes, each with the part as it sees it.
    schemes: Vec<(&'a SchemeTable, Part)>,
    seed: u64,
    allocation: Allocation,
    processor: Option<Processor>,
    /// True if blocks may be due for a refresh or a read reclaim.
    refresh: bool,
    /// What schemes without a share of their own export.
    share: DefaultShare,
}

impl<'a> Sizing<'a> {
    /// Schemes with their own copy settings.
    pub(super) fn new(
        channel: &'a Channel,
        schemes: &'a [SchemeTable],
        seed: u64,
        share: DefaultShare,
    ) -> Result<Self, ConfigError> {
        let with_part = |scheme: &'a SchemeTable| {
            if channel.channels.is_some() && scheme.buffer_clock == Some(Word(AgeClock::Arrival)) {
                let reason = "is `device` on an SSD, which takes requests when it can";
                return Err(scheme.fault("buffer_clock", reason));
            }
            let part = channel.part_for(scheme.copies());
            Ok((scheme, part.map_err(|fault| scheme.fault(fault.setting, &fault.reason))?))
        };
        let schemes = schemes.iter().map(with_part).collect::<Result<_, ConfigError>>()?;
        let (allocation, processor, refresh) = (Allocation::default(), None, false);
        Ok(Self { channel, schemes, seed, allocation, processor, refresh, share })
    }

    /// Same schemes with this allocation of writes and this processor for victim selection.
    pub(super) fn with(self, allocation: Allocation, processor: Option<Processor>) -> Self {
        Self { allocation, processor, ..self }
    }

    /// Same schemes, which move pages of blocks that are due if `refresh`.
    pub(super) fn refreshing(self, refresh: bool) -> Self {
        Self { refresh, ..self }
    }

    /// With the default share where the scheme gives none and can export as much.
    fn config(
        &self,
        scheme: &SchemeTable,
        part: &Part,
        geometry: &Geometry,
    ) -> Result<SchemeConfig, ConfigError> {
        let Self { allocation, processor, refresh, .. } = *self;
        let config = SchemeConfig {
            allocation,
            processor,
            refresh,
            reclaim_groups: self.channel.stripes().groups > 1,
            ..scheme.to_config(geometry, self.seed)?
        };
        if config.logical_pages.is_some() {
            return Ok(config);
        }
        let shared = SchemeConfig { logical_pages: self.share.pages(geometry), ..config.clone() };
        let Ok(plan) = registry::plan(&shared, part, geometry, geometry.blocks()) else {
            return Ok(config);
        };
        let shrinks = matches!(self.share, DefaultShare::Of(_)) && scheme.cmt_bytes.is_none();
        let least = (shrinks && !is_smaller(&plan))
            .then(|| largest_with_point(&config, part, geometry, plan.logical_pages));
        Ok(match least.flatten() {
            Some((pages, _)) => SchemeConfig { logical_pages: Some(pages), ..config },
            None => shared,
        })
    }

    /// Step of the number of blocks: all reclaim groups have the same number, and on an SSD all dies.
    fn block_step(&self) -> u32 {
        let Stripes { blocks, groups } = self.channel.stripes();
        if self.channel.channels.is_none() {
            return groups;
        }
        let units = self.channel.units();
        let step = units / common_divisor(units, blocks);
        step * (groups / common_divisor(step, groups))
    }

    /// What has a step's share of the blocks.
    pub(super) fn unit_name(&self) -> &'static str {
        if self.channel.channels.is_some() { self.channel.unit_name() } else { "reclaim group" }
    }

    /// Blocks of the largest array that page numbers can address.
    fn most_blocks(&self) -> u32 {
        let most = (u32::MAX - 1) / self.channel.part().pages_per_block;
        most / self.block_step() * self.block_step()
    }

    fn geometry(&self, blocks: u32) -> Option<Geometry> {
        let pages_per_block = self.channel.part().pages_per_block;
        Geometry::new(blocks, pages_per_block, self.channel.page_bytes()).ok()
    }

    pub(super) fn block_bytes(&self) -> u64 {
        u64::from(self.channel.part().pages_per_block) * u64::from(self.channel.page_bytes())
    }

    /// The array of this raw capacity, in whole blocks; on an SSD, the same number on each die.
    pub(super) fn array(&self, capacity: Bytes) -> Result<Geometry, ConfigError> {
        let whole = self.whole_blocks(capacity)?;
        let step = self.block_step();
        let blocks = whole.blocks() / step * step;
        match self.geometry(blocks).filter(|_| blocks > 0) {
            Some(geometry) => Ok(geometry),
            None => Err(ConfigError::setting(
                "capacity",
                format!(
                    "{capacity} is less than one block of {} on each of {step} {}s; give {} at least",
                    Bytes::new(self.block_bytes()),
                    self.unit_name(),
                    Bytes::new(u64::from(step) * self.block_bytes()),
                ),
            )),
        }
    }

    /// The smallest array with at least this raw capacity and at least this number of blocks per die.
    pub(super) fn array_of_at_least(
        &self,
        capacity: Bytes,
        blocks_per_die: u32,
    ) -> Result<Geometry, ConfigError> {
        let step = u64::from(self.block_step());
        let blocks = capacity.0.div_ceil(self.block_bytes()).max(step * u64::from(blocks_per_die));
        self.array(Bytes::new(blocks.next_multiple_of(step) * self.block_bytes()))
    }

    /// Whole blocks of this raw capacity, regardless of dies.
    pub(super) fn whole_blocks(&self, capacity: Bytes) -> Result<Geometry, ConfigError> {
        self.channel.geometry(capacity.0).map_err(|error| {
            let most = Bytes::new(u64::from(self.most_blocks()) * self.block_bytes());
            let reason = if capacity.0 < self.block_bytes() {
                let block = Bytes::new(self.block_bytes());
                format!("{capacity} is less than one block of {block}")
            } else {
                let name = &self.channel.part().name;
                format!("{error}; with part `{name}` at most {}", most.rounded_down())
            };
            ConfigError::setting("capacity", reason)
        })
    }

    /// Every scheme on this array.
    pub(super) fn schemes_on(
        &self,
        geometry: &Geometry,
    ) -> Result<Vec<ResolvedScheme>, ConfigError> {
        self.schemes
            .iter()
            .map(|(scheme, part)| {
                let config = self.config(scheme, part, geometry)?;
                let plan = registry::plan(&config, part, geometry, geometry.blocks());
                let plan =
                    plan.map_err(|error| self.explain((scheme, part), &config, geometry, &error))?;
                let (label, space_pages) = (scheme.label(), plan.logical_pages);
                let part = part.clone();
                Ok(ResolvedScheme { label, config, part, plan, space_pages, facts: None })
            })
            .collect()
    }

    /// The smallest array on which every scheme works and exports at least `pages` logical pages.
    pub(super) fn smallest_with(&self, pages: u64) -> Option<Geometry> {
        let step = self.block_step();
        let fits = |steps: u32| {
            let geometry = self.geometry(steps * step)?;
            let schemes = self.schemes_on(&geometry).ok()?;
            let least = schemes.iter().map(|scheme| scheme.plan.logical_pages).min()?;
            (u64::from(least) >= pages).then_some(geometry)
        };
        fits(least(1, self.most_blocks() / step, |steps| fits(steps).is_some())?)
    }

    /// The smallest array on which the first scheme exports so many bytes.
    ///
    /// # Errors
    /// Why none of up to `largest` times that is one.
    pub(super) fn exporting(&self, bytes: u64, largest: u32) -> Result<Geometry, ConfigError> {
        let none = |why: String| {
            let bytes = units::bytes(bytes);
            let reason = format!("no array of up to {largest} times that exports {bytes}{why}");
            ConfigError::setting("exported", reason)
        };
        let Some((scheme, part)) = self.schemes.first() else { return Err(none(String::new())) };
        let (step, page) = (self.block_step(), u64::from(self.channel.page_bytes()));
        let exports = |steps: u32| -> Result<bool, ConfigError> {
            let geometry = steps.checked_mul(step).and_then(|blocks| self.geometry(blocks));
            let geometry = geometry.ok_or_else(|| {
                none(": it has more pages than page numbers of 32 bits address".into())
            })?;
            let config = self.config(scheme, part, &geometry);
            let config = config.map_err(|error| none(format!(": {error}")))?;
            let plan = registry::plan(&config, part, &geometry, geometry.blocks());
            plan.map(|plan| u64::from(plan.logical_pages) * page >= bytes).map_err(|error| {
                match &error {
                    // The part's fault, of whatever size the array is.
                    FtlError::Config { setting: "part", .. } => {
                        self.explain((scheme, part), &config, &geometry, &error)
                    }
                    FtlError::Config { setting, reason, .. } => {
                        none(format!(": {setting} {reason}"))
                    }
                    other => none(format!(": {other}")),
                }
            })
        };
        let step_bytes = self.block_bytes() * u64::from(step);
        let from = u32::try_from(bytes.div_ceil(step_bytes)).unwrap_or(u32::MAX).max(1);
        let to = from.saturating_mul(largest);
        let Some(steps) = least(from, to, |steps| matches!(exports(steps), Ok(true))) else {
            return Err(exports(to).err().unwrap_or_else(|| none(String::new())));
        };
        self.geometry(steps * step).ok_or_else(|| none(String::new()))
    }

    /// The error of a scheme that cannot work, with a value that works.
    fn explain(
        &self,
        (scheme, part): (&SchemeTable, &Part),
        config: &SchemeConfig,
        geometry: &Geometry,
        error: &FtlError,
    ) -> ConfigError {
        let FtlError::Config { setting, reason, .. } = error else {
            return scheme.fault("", &error.to_string());
        };
        let works = |config: &SchemeConfig, geometry: &Geometry| {
            registry::plan(config, part, geometry, geometry.blocks()).is_ok()
        };
        let with_share = |pages: u32| SchemeConfig { logical_pages: Some(pages), ..config.clone() };
        let step = self.block_step();
        let enough = |steps: u32| {
            self.geometry(steps * step).is_some_and(|geometry| {
                self.config(scheme, part, &geometry).is_ok_and(|config| works(&config, &geometry))
            })
        };
        let too_many = |pages: u32| !works(&with_share(pages), geometry);
        let hint = if config.logical_pages.is_some() && works(&with_share(1), geometry) {
            let most =
                least(1, geometry.pages(), too_many).map_or(geometry.pages(), |pages| pages - 1);
            format!(
                "the largest share that works here is {}",
                share_at_most(most, geometry.pages())
            )
        } else if let Some(steps) =
            least(geometry.blocks() / step, self.most_blocks() / step, enough)
                .filter(|_| *setting != "part")
        {
            let blocks = steps * step;
            let capacity = Bytes::new(u64::from(blocks) * self.block_bytes());
            format!("the smallest capacity that works is {capacity} ({blocks} blocks)")
        } else if *setting == "part" {
            format!("choose another part than `{}`, or other settings of the scheme", part.name)
        } else {
            return scheme.fault(setting, reason);
        };
        scheme.fault(setting, &format!("{reason}; {hint}"))
    }
}

/// The greatest common divisor of two numbers above 0.
fn common_divisor(a: u32, b: u32) -> u32 {
    let (mut a, mut b) = (a, b);
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// `pages` / `all` with four decimals, rounded down so that the printed value works as input.
fn share_at_most(pages: u32, all: u32) -> f64 {
    f64::floor(f64::from(pages) / f64::from(all) * 1e4) / 1e4
}

/// The least number in `from..=to` with a condition that, once true at `n`, stays true up to `2n`.
fn least(from: u32, to: u32, satisfies: impl Fn(u32) -> bool) -> Option<u32> {
    if from > to {
        return None;
    }
    // Searches upwards: an array too large for a scheme's tables satisfies no condition.
    let (mut low, mut high) = (from, from);
    while !satisfies(high) {
        if high == to {
            return None;
        }
        low = high + 1;
        high = high.saturating_mul(2).clamp(low, to);
    }
    while low < high {
        let middle = low + (high - low) / 2;
        if satisfies(middle) { high = middle } else { low = middle + 1 }
    }
    Some(low)
}

#[cfg(test)]
mod tests {
    use super::*;
    use flash::parts::EVALUATION_SLC;

    fn evaluation_slc() -> Channel {
        Channel::plain(EVALUATION_SLC.clone()).unwrap()
    }

    fn schemes(texts: &[&str]) -> Vec<SchemeTable> {
        texts.iter().map(|text| text.parse().unwrap()).collect()
    }

    #[test]
    fn least_is_the_first() {
        for first in 0..20 {
            assert_eq!(least(0, 19, |n| n >= first), (first < 20).then_some(first));
        }
        assert_eq!(least(3, 19, |_| true), Some(3));
        assert_eq!(least(1, 1000, |n| (70..140).contains(&n)), Some(70));
        assert_eq!(least(0, 19, |_| false), None);
    }

    #[test]
    fn the_smallest_array_is_just_large_enough() {
        let schemes = schemes(&["page-level", "fsr", "lazy-rtgc"]);
        let channel = evaluation_slc();
        let sizing = Sizing::new(&channel, &schemes, 1, DefaultShare::Own).unwrap();
        for pages in [1, 1000, 100_000, 12_345_678] {
            let geometry = sizing.smallest_with(pages).unwrap();
            let smallest = |geometry: &Geometry| {
                let schemes = sizing.schemes_on(geometry).ok()?;
                schemes.iter().map(|s| u64::from(s.plan.logical_pages)).min()
            };
            assert!(smallest(&geometry).unwrap() >= pages);
            if let Some(smaller) = sizing.geometry(geometry.blocks() - 1) {
                assert!(smallest(&smaller).is_none_or(|least| least < pages), "{pages}");
            }
        }
        assert!(sizing.smallest_with(u64::from(u32::MAX)).is_none());
    }

    #[test]
    fn a_part_is_advised_only_where_it_would_help() {
        let schemes = schemes(&["lazy-rtgc+victim=fifo"]);
        let channel = evaluation_slc();
        let sizing = Sizing::new(&channel, &schemes, 1, DefaultShare::Own).unwrap();
        let geometry = sizing.geometry(1000).unwrap();
        let error = sizing.schemes_on(&geometry).map(|_| ()).unwrap_err().to_string();
        assert!(error.contains("must be greedy") && !error.contains("another part"), "{error}");
    }

    #[test]
    fn the_largest_capacity_is_told_in_a_unit_for_people_and_works() {
        let schemes = schemes(&["page-level"]);
        let channel = evaluation_slc();
        let sizing = Sizing::new(&channel, &schemes, 1, DefaultShare::Own).unwrap();
        let error = sizing.array(Bytes::new(900 << 40)).unwrap_err().to_string();
        let (_, most) = error.split_once("at most ").unwrap();
        assert_eq!(most, "8191GiB");
        sizing.array(most.parse().unwrap()).unwrap();
    }

    #[test]
    fn what_is_said_to_work_works() {
        let error_of = |text: &str, blocks: u32| {
            let schemes = schemes(&[text]);
            let channel = evaluation_slc();
            let sizing = Sizing::new(&channel, &schemes, 1, DefaultShare::Own).unwrap();
            let geometry = sizing.geometry(blocks).unwrap();
            sizing.schemes_on(&geometry).map(|_| ()).map_err(|error| error.to_string())
        };
        let error = error_of("lazy-rtgc+share=0.99", 100).unwrap_err();
        let (_, share) = error.split_once("largest share that works here is ").unwrap();
        error_of(&format!("lazy-rtgc+share={share}"), 100).unwrap();

        let error = error_of("lazy-rtgc", 1).unwrap_err();
        let (_, rest) = error.split_once("smallest capacity that works is ").unwrap();
        let blocks = rest.split_once('(').unwrap().1.split_once(' ').unwrap().0;
        error_of("lazy-rtgc", blocks.parse().unwrap()).unwrap();
    }
}
