//! Write buffers above `page-level`, through the public interface: against a plain reference, in worked
//! examples, and what settings are refused.

mod bench;
mod examples;
mod oracle;
mod policies;
mod reference;
mod settings;
