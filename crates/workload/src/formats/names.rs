//! Numbers for the host and file names in traces.

use std::collections::HashMap;

/// Limit above the names of any trace, so that a nonsense file cannot fill the memory.
const MOST: usize = 1 << 16;

/// Names in order of appearance.
#[derive(Default)]
pub(super) struct Names {
    numbers: HashMap<Box<[u8]>, u32>,
    names: Vec<Box<[u8]>>,
    last: u32,
}

impl Names {
    /// The number of this name; `None` if there are too many names.
    pub(super) fn number(&mut self, name: &[u8]) -> Option<u32> {
        // Consecutive lines mostly have the same name.
        if self.names.get(self.last as usize).is_some_and(|last| **last == *name) {
            return Some(self.last);
        }
        if let Some(&number) = self.numbers.get(name) {
            self.last = number;
            return Some(number);
        }
        if self.names.len() == MOST || name.len() > 4096 {
            return None;
        }
        self.last = self.names.len() as u32;
        self.names.push(name.into());
        self.numbers.insert(name.into(), self.last);
        Some(self.last)
    }

    pub(super) fn name(&self, number: u32) -> Option<String> {
        self.names.get(number as usize).map(|name| String::from_utf8_lossy(name).into_owned())
    }
}
