//! `--export`: the names under which clients open the device.

use crate::failure::Failure;
use device::image::Clock;
use device::nbd::Export;
use device::{Below, BlockDevice};
use std::str::FromStr;

/// Longest name by the protocol.
const MOST_NAME_BYTES: usize = 4096;

/// A name, and whether changes under it are refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ExportChoice {
    name: String,
    read_only: bool,
}

impl FromStr for ExportChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.rsplit_once(':') {
            None => Ok(Self { name: text.to_owned(), read_only: false }),
            Some((name, "ro")) => Ok(Self { name: name.to_owned(), read_only: true }),
            Some((_, suffix)) => {
                Err(format!("`:{suffix}` is unknown: a name has no colon, and `:ro` behind it"))
            }
        }
    }
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
pub(super) fn of_device<C: Clock<Below: Below>>(
    chosen: &[ExportChoice],
    device: &BlockDevice<C>,
    description: &str,
    read_only: bool,
) -> Vec<Export> {
    let nameless = [ExportChoice { name: String::new(), read_only: false }];
    let chosen = if chosen.is_empty() { &nameless } else { chosen };
    let export = |choice: &ExportChoice| Export {
        name: choice.name.clone(),
        description: description.to_owned(),
        bytes: device.bytes(),
        page_bytes: device.page_bytes() as u32,
        read_only: read_only || choice.read_only,
    };
    chosen.iter().map(export).collect()
}
