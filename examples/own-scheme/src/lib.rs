//! Three additions to ftlkit from outside: a victim policy, a collector, a scheme.

pub mod block_per_page;
pub mod paced;
pub mod second_look;

use sim::catalogue::Catalogue;

/// ftlkit's schemes and policies, and these.
pub fn catalogue() -> Catalogue {
    Catalogue::default()
        .victim(&second_look::POLICY)
        .scheme(&paced::PRESET)
        .scheme(&block_per_page::PRESET)
}
