//! Tracks page versions from request to cell. Tests assert that dies keep the rules of NAND, and that every
//! read finds the version that was current when it was issued.

use super::operations::{ChannelWork, Side};
use crate::address::BlockId;
use crate::channels::Command;
use alloc::{collections::BTreeMap, format, string::String, vec::Vec};

/// Version of each programmed page.
type Versions = BTreeMap<(BlockId, u32), u64>;

#[derive(Clone, Debug, Default)]
pub(super) struct Contents {
    /// As the scheme sees the array.
    asked: Versions,
    /// As the cells are.
    cells: Versions,
    /// Version that each operation reads, moves or programs.
    of: BTreeMap<u32, u64>,
    versions: u64,
    /// Reads redirected to the source page of a copy.
    pub(super) redirected: u64,
    /// Violations found.
    pub(super) wrong: Vec<String>,
}

impl Contents {
    /// Records an issued operation, `side` as the scheme sees it; `from`: the page that it copies.
    pub(super) fn asked(&mut self, slot: u32, work: &ChannelWork, side: Side, from: Option<Side>) {
        let Side { block, page, command, .. } = side;
        let here = from.unwrap_or(side);
        let version = match command {
            Command::Erase => {
                self.asked.retain(|(of, _), _| *of != block);
                0
            }
            _ if command.is_read() || from.is_some() => {
                // Pages programmed while untimed were not recorded.
                self.asked.get(&(here.block, here.page)).copied().unwrap_or_default()
            }
            _ => {
                self.versions += 1;
                self.versions
            }
        };
        if side.programs() {
            self.asked.insert((block, page), version);
        }
        self.of.insert(slot, version);
        self.redirected += u64::from(command.is_read() && work.sides().0 != side);
    }

    /// Checks an operation that is done.
    pub(super) fn done(&mut self, slot: u32, work: &ChannelWork) {
        let version = self.of.remove(&slot).unwrap_or_default();
        let (first, second) = work.sides();
        for side in [Some(first), second].into_iter().flatten() {
            let at = (side.block, side.page);
            if side.command == Command::Erase {
                self.cells.retain(|(of, _), _| *of != side.block);
            } else if side.command.is_read() {
                let found = self.cells.get(&at).copied().unwrap_or_default();
                if found != version {
                    self.wrong.push(format!("{side:?} reads version {found}, not {version}"));
                }
            } else {
                let next =
                    self.cells.range((side.block, 0)..(BlockId(side.block.0 + 1), 0)).count();
                if next as u32 != side.page {
                    self.wrong.push(format!("{side:?}: page {next} is next"));
                }
                self.cells.insert(at, version);
            }
        }
    }
}
