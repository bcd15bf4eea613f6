//! `--export`: the names under which clients open the device.

use crate::failure::Failure;
use device::BlockDevice;
use device::nbd::Export;
use ftl::placement::PlacementKind;
use ftl::placement::stream::MOST_HANDLES;
use lab::config::ResolvedScheme;
use std::str::FromStr;

/// Last stream for which a placement can have a handle: the device has one reclaim group.
const MOST_STREAM: u8 = MOST_HANDLES as u8 - 1;

/// Longest name by the protocol.
const MOST_NAME_BYTES: usize = 4096;

/// A name, whether changes under it are refused, and the placement stream of its writes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ExportChoice {
    name: String,
    read_only: bool,
    stream: u8,
}

impl ExportChoice {
    /// True if its writes are those of a placement stream.
    pub(super) fn has_stream(&self) -> bool {
        self.stream > 0
    }
}

impl FromStr for ExportChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut words = text.split(':');
        let name = words.next().unwrap_or_default().to_owned();
        let mut choice = Self { name, ..Self::default() };
        for suffix in words {
            if choice.read_only && suffix == "ro"
                || choice.has_stream() && suffix.starts_with("stream=")
            {
                return Err(format!("`:{suffix}` stands twice"));
            }
            match suffix.split_once('=') {
                None if suffix == "ro" => choice.read_only = true,
                Some(("stream", number)) => {
                    let stream =
                        number.parse().ok().filter(|stream| (1..=MOST_STREAM).contains(stream));
                    choice.stream = stream.ok_or_else(|| {
                        format!("stream `{number}` is not a number from 1 to {MOST_STREAM}")
                    })?;
                }
                _ => {
                    return Err(format!(
                        "`:{suffix}` is unknown: a name has no colon, and `:ro` or `:stream=N` behind it"
                    ));
                }
            }
        }
        if choice.read_only && choice.has_stream() {
            return Err("`:ro` and `:stream` exclude each other: a stream is that of writes".into());
        }
        Ok(choice)
    }
}

/// Refuses streams that the scheme has no placement handle for.
pub(super) fn have_handles(
    exports: &[ExportChoice],
    scheme: &ResolvedScheme,
) -> Result<(), Failure> {
    let handles = scheme.config.placement.and_then(PlacementKind::handles);
    let Some(of) = exports.iter().find(|of| usize::from(of.stream) >= handles.unwrap_or(1)) else {
        return Ok(());
    };
    let ExportChoice { name, stream, .. } = of;
    let (why, help) = match handles {
        None => (
            format!("{} ignores streams", scheme.label),
            format!(
                "use page-level or fsr with +placement=stream:{}, or more",
                u32::from(*stream) + 1
            ),
        ),
        Some(handles) => (
            format!("{} has handles for streams 1 to {}", scheme.label, handles - 1),
            "name one of these, or give the placement more handles".to_owned(),
        ),
    };
    Err(Failure::input_with_help(format!("--export {name}:stream={stream}: {why}"), help))
}

/// Refuses a name that stands twice or is too long.
pub(super) fn named_apart(exports: &[ExportChoice]) -> Result<(), Failure> {
    for (at, ExportChoice { name, .. }) in exports.iter().enumerate() {
        if exports[..at].iter().any(|before| before.name == *name) {
            return Err(Failure::input(format!("--export `{name}` is given twice")));
        }
        if name.len() > MOST_NAME_BYTES {
            let what = format!("--export: a name has {MOST_NAME_BYTES} bytes at most");
            return Err(Failure::input(format!("{what}, not {}", name.len())));
        }
    }
    Ok(())
}

/// The exports of this device; without a choice one that has no name.
pub(super) fn of_device(
    chosen: &[ExportChoice],
    device: &BlockDevice,
    description: &str,
    read_only: bool,
) -> Vec<Export> {
    let nameless = [ExportChoice::default()];
    let chosen = if chosen.is_empty() { &nameless } else { chosen };
    let export = |choice: &ExportChoice| Export {
        name: choice.name.clone(),
        description: description.to_owned(),
        bytes: device.bytes(),
        page_bytes: device.page_bytes() as u32,
        read_only: read_only || choice.read_only,
        stream: choice.stream,
        deallocates: device.deallocates(),
    };
    chosen.iter().map(export).collect()
}
