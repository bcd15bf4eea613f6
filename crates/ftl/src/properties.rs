//! Configuration of this crate's property tests.

use proptest::prelude::ProptestConfig;

/// The default configuration, except that a failure leaves no file and only prints its input.
pub(crate) fn config() -> ProptestConfig {
    ProptestConfig { failure_persistence: None, ..ProptestConfig::default() }
}
