//! How property tests of this crate run.

use proptest::prelude::ProptestConfig;

/// As always, but a failure leaves no file behind: it prints its input.
pub(crate) fn config() -> ProptestConfig {
    ProptestConfig { failure_persistence: None, ..ProptestConfig::default() }
}
