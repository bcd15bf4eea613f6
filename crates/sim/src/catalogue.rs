//! The schemes, victim policies and buffer policies that configurations may name: this workspace's and those of
//! other crates.
//!
//! A program installs its own ones before any configuration is read. They then appear next to the workspace's own
//! in `compare`, `bench`, bounds, lists and suites.

use ftl::page_mapped::victims::VictimPolicy;
use ftl::{BUFFER_POLICIES, BufferPolicy, Preset, VICTIM_POLICIES, registry::REGISTRY};
use std::sync::OnceLock;

static INSTALLED: OnceLock<Catalogue> = OnceLock::new();

/// Names that configurations may use.
#[derive(Clone, Debug)]
pub struct Catalogue {
    schemes: Vec<&'static Preset>,
    victims: Vec<&'static VictimPolicy>,
    buffers: Vec<&'static BufferPolicy>,
}

impl Default for Catalogue {
    /// The catalogue of this workspace.
    fn default() -> Self {
        Self {
            schemes: REGISTRY.to_vec(),
            victims: VICTIM_POLICIES.to_vec(),
            buffers: BUFFER_POLICIES.to_vec(),
        }
    }
}

/// Reason why a catalogue is rejected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CatalogueError {
    /// Two entries of a kind have the same name.
    #[error("two {what} are called `{name}`; give yours another name")]
    Twice {
        /// `schemes`, `victim policies` or `buffer policies`.
        what: &'static str,
        /// Their name.
        name: &'static str,
    },
    /// A catalogue is already in use.
    #[error("a catalogue is in use already: install yours before anything is read, once")]
    InUse,
}

impl Catalogue {
    /// Adds this scheme at the end.
    pub fn scheme(mut self, preset: &'static Preset) -> Self {
        self.schemes.push(preset);
        self
    }

    /// Adds this victim policy at the end.
    pub fn victim(mut self, policy: &'static VictimPolicy) -> Self {
        self.victims.push(policy);
        self
    }

    /// Adds this write buffer policy at the end.
    pub fn buffer(mut self, policy: &'static BufferPolicy) -> Self {
        self.buffers.push(policy);
        self
    }

    /// Makes this the catalogue of the process.
    ///
    /// # Errors
    /// If two entries have one name, or a catalogue is already in use.
    pub fn install(self) -> Result<(), CatalogueError> {
        let schemes = self.schemes.iter().map(|preset| preset.name).collect();
        let victims = self.victims.iter().map(|policy| policy.name).collect();
        // The name `none` is reserved: it selects no buffer.
        let buffers = self.buffers.iter().map(|policy| policy.name).chain(["none"]).collect();
        let all =
            [("schemes", schemes), ("victim policies", victims), ("buffer policies", buffers)];
        for (what, names) in all {
            if let Some(name) = repeated(names) {
                return Err(CatalogueError::Twice { what, name });
            }
        }
        INSTALLED.set(self).map_err(|_| CatalogueError::InUse)
    }
}

fn repeated(mut names: Vec<&'static str>) -> Option<&'static str> {
    names.sort_unstable();
    names.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0])
}

fn installed() -> &'static Catalogue {
    INSTALLED.get_or_init(Catalogue::default)
}

/// All schemes, in the order of the lists.
pub fn schemes() -> &'static [&'static Preset] {
    &installed().schemes
}

/// All victim policies, in the order of the lists.
pub fn victims() -> &'static [&'static VictimPolicy] {
    &installed().victims
}

/// All write buffer policies, in the order of the lists.
pub fn buffers() -> &'static [&'static BufferPolicy] {
    &installed().buffers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_of_one_name_are_refused() {
        let twice = Catalogue::default().scheme(REGISTRY[0]).install();
        let name = REGISTRY[0].name;
        assert_eq!(twice, Err(CatalogueError::Twice { what: "schemes", name }));
        let twice = Catalogue::default().victim(VICTIM_POLICIES[1]).install();
        let name = VICTIM_POLICIES[1].name;
        assert_eq!(twice, Err(CatalogueError::Twice { what: "victim policies", name }));
        let twice = Catalogue::default().buffer(BufferPolicy::FAB).install();
        assert_eq!(twice, Err(CatalogueError::Twice { what: "buffer policies", name: "fab" }));
    }

    #[test]
    fn it_is_chosen_once() {
        assert_eq!(schemes().len(), REGISTRY.len());
        assert_eq!(Catalogue::default().install(), Err(CatalogueError::InUse));
    }
}
