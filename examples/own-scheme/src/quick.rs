//! `quick[:N]`: host writes that overwrite a young page apart from the others.
//!
//! ```text
//! write:  class 0 if the version that it overwrites lived for less than Λ/N host writes, else class 1
//! copy:   class 2
//! ```
//!
//! Λ: logical pages. Work: none besides the times.

use ftlkit::ftl::Accesses;
use ftlkit::ftl::PolicyNumber;
use ftlkit::ftl::placement::{
    ByState, Classes, PlacedCopy, PlacedWrite, Placement, PlacementPolicy, Places, Times,
};

/// Declaration of this policy.
pub static POLICY: PlacementPolicy = PlacementPolicy {
    name: "quick",
    // Numbers behind the name, `:8` by default.
    numbers: &[PolicyNumber::count('N', 1000, Some(8))],
    summary: "host writes that overwrite a young page apart from others, and copies from both",
    source: "an example",
    // What it knows after a power cut or a restart, in words.
    after_mount: "classes of blocks are found again; times are forgotten and learnt anew",
    victims: &[],
    places: Places::ByState(ByState {
        // Open blocks: host writes go to the first two, copies to any of the three.
        classes: |_| Classes { hosts: 2, count: 3 },
        // What is kept for it: nothing, when each block was opened, or when each page was written.
        times: Times::OfPages,
        future: false,
        controller_bytes: |_| 4,
        make: |space| {
            let young = space.logical_pages / u32::from(space.numbers[0].max(1));
            Box::new(State { young })
        },
    }),
};

/// See the module.
#[derive(Clone, Debug)]
struct State {
    /// Host writes; a lifespan below that is short.
    young: u32,
}

impl Placement for State {
    /// Class of a host write, below `hosts`; `write` has what `times` asks for.
    fn of_write(&mut self, write: &PlacedWrite) -> usize {
        usize::from(write.lifespan.is_none_or(|lifespan| lifespan >= self.young))
    }

    /// Class of a page that collection copies, below `count`.
    fn of_copy(&mut self, _copy: &PlacedCopy) -> usize {
        2
    }

    /// Entries that it read and wrote itself, for reports.
    fn work(&self) -> Accesses {
        Accesses::default()
    }

    /// Memory of the simulation, bytes.
    fn heap_bytes(&self) -> usize {
        size_of::<Self>()
    }
}
