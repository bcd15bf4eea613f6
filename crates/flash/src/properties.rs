//! Configuration of this crate's property tests, and numbers for random ones without shrinking.

use proptest::prelude::ProptestConfig;

/// Default configuration without a failure file: a failing case prints its input.
pub(crate) fn config() -> ProptestConfig {
    ProptestConfig { failure_persistence: None, ..ProptestConfig::default() }
}

/// Numbers below what is asked for, the same in each run: the multiplicative generator of Park and Miller.
pub(crate) fn draw() -> impl FnMut(u64) -> u64 {
    let mut random = 1u64;
    move |below| {
        random = random * 48_271 % 0x7fff_ffff;
        random % below
    }
}
