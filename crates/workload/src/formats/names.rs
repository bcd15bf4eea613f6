//! Numbers for the names that traces give to hosts and files.

use std::collections::HashMap;

/// Names in the order in which they came up.
pub(super) struct Names {
    numbers: HashMap<Box<[u8]>, u32>,
    names: Vec<Box<[u8]>>,
    last: u32,
    limit: usize,
}

impl Names {
    /// Takes at most `limit` names, so that a file of nonsense cannot fill the memory.
    pub(super) fn at_most(limit: usize) -> Self {
        Self { numbers: HashMap::new(), names: Vec::new(), last: 0, limit }
    }

    /// The number of this name; `None` where there are too many already.
    pub(super) fn number(&mut self, name: &[u8]) -> Option<u32> {
        // Neighbouring lines mostly name the same.
        if self.names.get(self.last as usize).is_some_and(|last| **last == *name) {
            return Some(self.last);
        }
        if let Some(&number) = self.numbers.get(name) {
            self.last = number;
            return Some(number);
        }
        if self.names.len() == self.limit || name.len() > 4096 {
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
