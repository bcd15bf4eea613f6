//! The schemes and the policies of victims, placement and buffers that configurations may name: this workspace's and those of
//! other crates.
//!
//! A program installs its own ones before any configuration is read. They then appear next to the workspace's own
//! in `compare`, `bench`, bounds, lists and suites.

use ftl::{BUFFER_POLICIES, BufferPolicy, PLACEMENT_POLICIES, Preset, VICTIM_POLICIES};
use ftl::{Policy, placement::PlacementPolicy, victims::VictimPolicy};
use std::sync::{PoisonError, RwLock};

static INSTALLED: RwLock<Option<&'static Catalogue>> = RwLock::new(None);

/// Names that configurations may use.
#[derive(Clone, Debug)]
pub struct Catalogue {
    schemes: Vec<&'static Preset>,
    victims: Vec<&'static VictimPolicy>,
    placements: Vec<&'static PlacementPolicy>,
    buffers: Vec<&'static BufferPolicy>,
    /// Policies of victims and of placement added while the program runs: their names, and their code.
    added: [Vec<(&'static str, String)>; 2],
    /// True if it has more than the workspace's own.
    extended: bool,
}

impl Default for Catalogue {
    /// The catalogue of this workspace.
    fn default() -> Self {
        Self {
            schemes: ftl::registry::all().collect(),
            victims: VICTIM_POLICIES.to_vec(),
            placements: PLACEMENT_POLICIES.to_vec(),
            buffers: BUFFER_POLICIES.to_vec(),
            added: Default::default(),
            extended: false,
        }
    }
}

/// Reason why a catalogue is rejected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CatalogueError {
    /// Two entries of a kind have the same name.
    #[error("two {what} are called `{name}`; give yours another name")]
    Twice {
        /// `schemes`, or the policies: `victim policies`.
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

    /// Adds this placement policy at the end.
    pub fn placement(mut self, policy: &'static PlacementPolicy) -> Self {
        self.placements.push(policy);
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
        let placements = self.placements.iter().map(|policy| policy.name).collect();
        // The name `none` is reserved: it selects no buffer.
        let buffers = self.buffers.iter().map(|policy| policy.name).chain(["none"]).collect();
        let all = [
            ("schemes", schemes),
            ("victim policies", victims),
            ("placement policies", placements),
            ("buffer policies", buffers),
        ];
        for (what, names) in all {
            if let Some(name) = repeated(names) {
                return Err(CatalogueError::Twice { what, name });
            }
        }
        let mut installed = INSTALLED.write().unwrap_or_else(PoisonError::into_inner);
        if installed.is_some() {
            return Err(CatalogueError::InUse);
        }
        let own = Self::default();
        let extended = self.schemes.len() > own.schemes.len()
            || self.victims.len() > own.victims.len()
            || self.placements.len() > own.placements.len()
            || self.buffers.len() > own.buffers.len();
        *installed = Some(Box::leak(Box::new(Self { extended, ..self })));
        Ok(())
    }
}

/// Adds a victim policy while the program runs, or replaces one that was added so; `code` is what it does, by which kept
/// runs know it. For programs that take policies from their users.
///
/// # Errors
/// If a policy that was not added so has its name.
pub fn add_victim(policy: &'static VictimPolicy, code: String) -> Result<(), CatalogueError> {
    add((VICTIMS, "victim policies"), policy, code, |catalogue| &mut catalogue.victims)
}

/// The same of a placement policy.
///
/// # Errors
/// As [`add_victim`].
pub fn add_placement(policy: &'static PlacementPolicy, code: String) -> Result<(), CatalogueError> {
    add((PLACEMENTS, "placement policies"), policy, code, |catalogue| &mut catalogue.placements)
}

/// Places of the kinds among those that were added.
const VICTIMS: usize = 0;
const PLACEMENTS: usize = 1;

fn add<P: Policy>(
    (kind, what): (usize, &'static str),
    policy: &'static P,
    code: String,
    list: fn(&mut Catalogue) -> &mut Vec<&'static P>,
) -> Result<(), CatalogueError> {
    let mut installed = INSTALLED.write().unwrap_or_else(PoisonError::into_inner);
    let mut catalogue = installed.cloned().unwrap_or_default();
    let name = policy.name();
    let before = catalogue.added[kind].len();
    catalogue.added[kind].retain(|(other, _)| *other != name);
    if catalogue.added[kind].len() < before {
        list(&mut catalogue).retain(|other| other.name() != name);
    }
    if list(&mut catalogue).iter().any(|other| other.name() == name) {
        return Err(CatalogueError::Twice { what, name });
    }
    list(&mut catalogue).push(policy);
    catalogue.added[kind].push((name, code));
    // A catalogue is some hundred bytes, and references to the one before may be in use.
    *installed = Some(Box::leak(Box::new(catalogue)));
    Ok(())
}

/// True if the program installed schemes or policies of its own.
pub(crate) fn is_extended() -> bool {
    installed().extended
}

/// Code of the policies of victims and of placement with these names that were added while the program runs.
pub(crate) fn code_of(names: [Option<&str>; 2]) -> String {
    let code = names.iter().zip(&installed().added).flat_map(|(name, added)| {
        added.iter().filter(move |(other, _)| Some(*other) == *name).map(|(_, code)| code.as_str())
    });
    code.collect::<Vec<_>>().join("\n")
}

fn repeated(mut names: Vec<&'static str>) -> Option<&'static str> {
    names.sort_unstable();
    names.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0])
}

fn installed() -> &'static Catalogue {
    if let Some(catalogue) = *INSTALLED.read().unwrap_or_else(PoisonError::into_inner) {
        return catalogue;
    }
    let mut installed = INSTALLED.write().unwrap_or_else(PoisonError::into_inner);
    installed.get_or_insert_with(|| Box::leak(Box::default()))
}

/// All schemes, in the order of the lists.
pub fn schemes() -> &'static [&'static Preset] {
    &installed().schemes
}

/// The schemes that take writes of any page: all but those with zones.
pub fn schemes_for_any_page() -> impl Iterator<Item = &'static Preset> {
    schemes().iter().copied().filter(|preset| !preset.is_zoned())
}

/// Why a scheme with zones cannot run what writes any page.
pub const ONLY_IN_ZONES: &str = "takes writes only at the write pointers of its zones; `compare host-log --schemes zns`, or a \
    trace, writes there";

/// All victim policies, in the order of the lists.
pub fn victims() -> &'static [&'static VictimPolicy] {
    &installed().victims
}

/// All placement policies, in the order of the lists.
pub fn placements() -> &'static [&'static PlacementPolicy] {
    &installed().placements
}

/// A kind of policy that configurations name with numbers.
pub(crate) trait Listed: Policy {
    /// What it is, in errors.
    const WHAT: &'static str;

    /// All there are, in the order of the lists.
    fn all() -> &'static [&'static Self];
}

impl Listed for VictimPolicy {
    const WHAT: &'static str = "victim selection";

    fn all() -> &'static [&'static Self] {
        victims()
    }
}

impl Listed for PlacementPolicy {
    const WHAT: &'static str = "placement";

    fn all() -> &'static [&'static Self] {
        placements()
    }
}

/// All write buffer policies, in the order of the lists.
pub fn buffers() -> &'static [&'static BufferPolicy] {
    &installed().buffers
}

#[cfg(test)]
mod tests {
    use super::*;
    use ftl::registry::REGISTRY;

    #[test]
    fn two_of_one_name_are_refused() {
        let twice = Catalogue::default().scheme(REGISTRY[0]).install();
        let name = REGISTRY[0].name;
        assert_eq!(twice, Err(CatalogueError::Twice { what: "schemes", name }));
        let twice = Catalogue::default().victim(VICTIM_POLICIES[1]).install();
        let name = VICTIM_POLICIES[1].name;
        assert_eq!(twice, Err(CatalogueError::Twice { what: "victim policies", name }));
        let name = PLACEMENT_POLICIES[0].name;
        let twice = Catalogue::default().placement(PLACEMENT_POLICIES[0]).install();
        assert_eq!(twice, Err(CatalogueError::Twice { what: "placement policies", name }));
        let twice = Catalogue::default().buffer(BufferPolicy::FAB).install();
        assert_eq!(twice, Err(CatalogueError::Twice { what: "buffer policies", name: "fab" }));
    }

    #[test]
    fn it_is_chosen_once() {
        assert_eq!(schemes().len(), ftl::registry::all().count());
        assert_eq!(Catalogue::default().install(), Err(CatalogueError::InUse));
    }
}
