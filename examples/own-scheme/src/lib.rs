//! What this crate adds to ftlkit.

pub mod block_per_page;
pub mod paced;
pub mod quick;
pub mod second_look;
mod told;

use ftlkit::lab::catalogue::Catalogue;

/// Catalogue of ftlkit's schemes and policies plus this crate's.
pub fn catalogue() -> Catalogue {
    Catalogue::default()
        .victim(&second_look::POLICY)
        .placement(&quick::POLICY)
        .scheme(&paced::PRESET)
        .scheme(&block_per_page::PRESET)
}
