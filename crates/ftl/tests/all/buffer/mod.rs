//! Write buffers above `page-level`, through the public interface: a reference, worked examples, refused
//! settings.

mod bench;
mod examples;
mod oracle;
mod policies;
mod reference;
mod settings;
