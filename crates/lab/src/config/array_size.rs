//! The size of an experiment's array: as given, as much as is to be exported needs, or to fit the workload.

use super::device::Sizing;
use super::error::ConfigError;
use super::experiment::Experiment;
use super::notation::Word;
use super::share::{DefaultShare, Exported};
use ::run::report::units;
use ::workload::quantity::Bytes;
use flash::Geometry;
use workload::{AddressPolicy, Space, WorkloadSpec};

/// Share of the exported space that a trace's footprint fills; sizes the array without a set capacity.
const FOOTPRINT_SHARE_PERCENT: u64 = 85;

/// Fewest blocks of an array that is sized for a trace.
const LEAST_BLOCKS: u32 = 64;
/// Fewest blocks of each die of an SSD that is sized for a trace.
const LEAST_BLOCKS_PER_DIE: u32 = 8;

/// Default capacity for a built-in workload.
const BUILTIN_CAPACITY: Bytes = Bytes::new(1 << 30);
/// Default number of blocks per die of an SSD, if no capacity is set.
const BUILTIN_BLOCKS_PER_DIE: u32 = 32;

/// The array of an experiment, with notes on what was chosen.
///
/// # Errors
/// The setting at fault: no such array.
pub(super) fn sized_array(
    sizing: &Sizing<'_>,
    of: &Experiment,
    notes: &mut Vec<String>,
) -> Result<Geometry, ConfigError> {
    match (of.capacity, of.exported) {
        (Some(_), Some(_)) => {
            Err(ConfigError::setting("exported", "sets the capacity; omit one of the two"))
        }
        (Some(capacity), None) => given_array(sizing, capacity, notes),
        (None, Some(Word(exported))) => exporting(sizing, exported, &of.workload.0, notes),
        (None, None) => size_for(sizing, &of.workload.0, of.default_share.0, notes),
    }
}

/// The smallest array of which each scheme exports so much.
fn exporting(
    sizing: &Sizing<'_>,
    exported: Exported,
    workload: &WorkloadSpec,
    notes: &mut Vec<String>,
) -> Result<Geometry, ConfigError> {
    let page = u64::from(sizing.channel.page_bytes());
    let (pages, why) = match exported {
        Exported::Bytes(bytes) => (bytes.0.div_ceil(page), String::new()),
        Exported::Trace => {
            let (footprint, extent) = needed(sizing, workload)?;
            let takes = units::bytes(footprint);
            let why = format!(
                ", so that the trace's {extent} ({takes}) takes at most {FOOTPRINT_SHARE_PERCENT} % of it"
            );
            (with_room(footprint, page), why)
        }
    };
    let least = sizing.array_of_at_least(Bytes::new(1), least_blocks(sizing))?;
    let geometry = sizing.smallest_with(pages).ok_or_else(|| {
        let on_largest = sizing.schemes_on(&least).err();
        on_largest.unwrap_or_else(|| {
            let bytes = units::bytes(pages.saturating_mul(page));
            let name = &sizing.channel.part().name;
            let reason = format!("is {bytes}, more than any array of part `{name}` exports");
            ConfigError::setting("exported", reason)
        })
    })?;
    let geometry = if geometry.blocks() < least.blocks() { least } else { geometry };
    notes.push(format!(
        "capacity {}: the least of which each scheme exports {} or more{why}",
        units::bytes(geometry.capacity_bytes()),
        units::bytes(pages * page),
    ));
    Ok(geometry)
}

/// Fewest blocks of each die that is sized for a workload; without dies, of the array.
fn least_blocks(sizing: &Sizing<'_>) -> u32 {
    match sizing.channel.channels {
        None => LEAST_BLOCKS,
        Some(_) => LEAST_BLOCKS.div_ceil(sizing.channel.units()).max(LEAST_BLOCKS_PER_DIE),
    }
}

/// What a trace addresses, bytes, and what that is called.
fn needed(
    sizing: &Sizing<'_>,
    workload: &WorkloadSpec,
) -> Result<(u64, &'static str), ConfigError> {
    let extent = match workload {
        WorkloadSpec::Trace { addresses, .. } => match addresses {
            AddressPolicy::Exact | AddressPolicy::Spaces => "address span",
            AddressPolicy::Dense => "footprint",
            AddressPolicy::Wrap => {
                let reason =
                    "cannot be `trace` with addresses that wrap, which fit any size; give a size";
                return Err(ConfigError::setting("exported", reason));
            }
        },
        _ => {
            let reason = "can be `trace` for a trace alone; give a size, such as 1GiB";
            return Err(ConfigError::setting("exported", reason));
        }
    };
    let anything = Space {
        bytes: u64::from(u32::MAX - 1) * u64::from(sizing.channel.page_bytes()),
        page_bytes: sizing.channel.page_bytes(),
        pages_per_block: sizing.channel.part().pages_per_block,
    };
    Ok((workload.check(anything)?.footprint_bytes, extent))
}

/// Pages of which so many bytes are as much as a trace's footprint may be.
fn with_room(footprint: u64, page_bytes: u64) -> u64 {
    (footprint.div_ceil(page_bytes) * 100).div_ceil(FOOTPRINT_SHARE_PERCENT)
}

/// The array of a given capacity.
fn given_array(
    sizing: &Sizing<'_>,
    capacity: Bytes,
    notes: &mut Vec<String>,
) -> Result<Geometry, ConfigError> {
    let geometry = sizing.array(capacity)?;
    let left_out = sizing.whole_blocks(capacity)?.blocks() - geometry.blocks();
    if left_out > 0 {
        notes.push(format!(
            "capacity {}: {capacity} less {left_out} blocks, so that all {} {}s have equally many",
            Bytes::new(geometry.capacity_bytes()),
            units::grouped(match sizing.channel.channels {
                None => sizing.channel.stripes().groups.into(),
                Some(_) => sizing.channel.units().into(),
            }),
            sizing.unit_name(),
        ));
    }
    Ok(geometry)
}

/// The array if no capacity is given.
fn size_for(
    sizing: &Sizing<'_>,
    workload: &WorkloadSpec,
    share: DefaultShare,
    notes: &mut Vec<String>,
) -> Result<Geometry, ConfigError> {
    let channel = sizing.channel;
    let WorkloadSpec::Trace { addresses, .. } = workload else {
        return builtin_array(sizing, notes);
    };
    if *addresses == AddressPolicy::Wrap {
        let capacity = Bytes::new(channel.capacity_bytes());
        let whose = match channel.devices() {
            1 => String::from("that"),
            devices => format!("{devices} times that"),
        };
        notes.push(format!(
            "capacity {}: {whose} of part `{}`, since with `wrap` any size fits the trace",
            units::bytes(capacity.0),
            channel.part().name
        ));
        return sizing.array(capacity);
    }
    let (footprint, extent) = needed(sizing, workload)?;
    let needed = with_room(footprint, channel.page_bytes().into());
    let (geometry, of) = match share {
        DefaultShare::Own => {
            (sizing.smallest_with(needed), "the smallest scheme's logical space".into())
        }
        DefaultShare::Of(share) | DefaultShare::Exactly(share) => {
            let physical = (needed as f64 / share).ceil() as u64;
            let bytes = Bytes::new(physical.saturating_mul(channel.page_bytes().into()));
            let geometry = sizing.array_of_at_least(bytes, least_blocks(sizing));
            (geometry.ok(), format!("a share of {share} of it"))
        }
    };
    let geometry = geometry.ok_or_else(|| unfit(sizing, footprint))?;
    notes.push(format!(
        "capacity {}: chosen so that the trace's {extent} ({}) takes at most {FOOTPRINT_SHARE_PERCENT} % \
         of {of}",
        units::bytes(geometry.capacity_bytes()),
        units::bytes(footprint),
    ));
    Ok(geometry)
}

/// The array of a built-in workload: default capacity, or more if an SSD would have too few blocks per die.
fn builtin_array(sizing: &Sizing<'_>, notes: &mut Vec<String>) -> Result<Geometry, ConfigError> {
    if sizing.channel.channels.is_none() {
        notes.push(format!(
            "capacity {}: the default for a built-in workload",
            units::bytes(BUILTIN_CAPACITY.0)
        ));
        return sizing.array(BUILTIN_CAPACITY);
    }
    let geometry = sizing.array_of_at_least(BUILTIN_CAPACITY, BUILTIN_BLOCKS_PER_DIE)?;
    notes.push(format!(
        "capacity {}: the default for a built-in workload: at least {} and {BUILTIN_BLOCKS_PER_DIE} blocks per \
        {}",
        units::bytes(geometry.capacity_bytes()),
        units::bytes(BUILTIN_CAPACITY.0),
        sizing.channel.unit_name(),
    ));
    Ok(geometry)
}

/// Cause why no array is large enough: a scheme works on none, or the trace's address span is too large.
fn unfit(sizing: &Sizing<'_>, footprint: u64) -> ConfigError {
    let capacity = Bytes::new(sizing.channel.capacity_bytes());
    let cause = sizing.array(capacity).and_then(|geometry| sizing.schemes_on(&geometry));
    cause.err().unwrap_or_else(|| {
        ConfigError::setting(
            "capacity",
            format!(
                "the trace's addresses span {}, more than any device of part `{}` exports; use `addresses = \
                 \"dense\"` (pack the touched pages) or \"wrap\"",
                units::bytes(footprint),
                sizing.channel.part().name
            ),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_to_be_exported_sizes_the_array_for_all_schemes() {
        let resolve = |text: &str| {
            let experiment = Experiment::from_toml(text, "test").unwrap();
            experiment.resolve().map_err(|error| error.to_string())
        };
        let of = |schemes: &str| {
            let text = format!("workload = 'uniform'\nexported = '20MiB'\nschemes = {schemes}");
            resolve(&text).unwrap()
        };
        let both = of("['page-level', 'lazy-rtgc+share=0.5']");
        assert_eq!(
            both.geometry.capacity_bytes(),
            of("['lazy-rtgc+share=0.5']").geometry.capacity_bytes()
        );
        assert!(both.schemes.iter().all(|scheme| scheme.plan.logical_pages >= 20 * 512));
        // One block less is too few.
        assert!(both.schemes[1].plan.logical_pages < 20 * 512 + 64);
        // What was resolved is repeated by its capacity.
        assert_eq!(
            (both.experiment.exported, both.experiment.capacity.map(|of| of.0)),
            (None, Some(both.geometry.capacity_bytes()))
        );
        assert_eq!(of("['page-level+share=0.99']").geometry.blocks(), 162);
        assert_eq!(
            resolve("workload = 'uniform'\nexported = '1MiB'").unwrap().geometry.blocks(),
            LEAST_BLOCKS
        );
        for (text, said) in [
            ("workload = 'uniform'\nexported = 'trace'", "for a trace alone"),
            ("exported = 'trace'\n[workload]\ntrace = 'sqlite-wal'\naddresses = 'wrap'", "wrap"),
            ("workload = 'uniform'\nexported = '1GiB'\ncapacity = '2GiB'", "omit one"),
            ("workload = 'uniform'\nexported = '1000TiB'", "more than any array"),
            ("workload = 'uniform'\nexported = '1GiB'\nschemes = ['page-level+share=1']", "share"),
        ] {
            let error = resolve(text).unwrap_err();
            assert!(error.contains(said), "{text}: {error}");
        }
    }
}
