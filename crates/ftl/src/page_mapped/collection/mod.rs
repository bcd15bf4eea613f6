//! Collectors: the trigger of collection and the amount of work at once.

mod interface;
mod partial;
mod preemptible;
mod whole_block;

pub use interface::Collection;
pub use partial::Partial;
pub use preemptible::Preemptible;
pub(super) use preemptible::operations_behind_a_write;
pub use whole_block::WholeBlock;
