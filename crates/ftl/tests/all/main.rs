//! Schemes, through the public interface alone.

mod bench;
mod buffer;
mod buffer_aware;
mod gftl;
mod lost_pages;
mod victim_policies;
