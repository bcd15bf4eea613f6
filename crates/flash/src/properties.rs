//! Configuration of this crate's property tests.

use proptest::prelude::ProptestConfig;

/// Default configuration without a failure file: a failing case prints its input.
pub(crate) fn config() -> ProptestConfig {
    ProptestConfig { failure_persistence: None, ..ProptestConfig::default() }
}
