//! Which runs have a future that can be known before.

use super::device::ResolvedScheme;
use ::run::precondition::Preconditioning;

/// Checks that the future of a run is known where a placement needs it: what is written must not depend on the scheme.
///
/// # Errors
/// The scheme, why its future cannot be known, and what to leave out.
pub(crate) fn check(
    schemes: &[ResolvedScheme],
    on_ssd: bool,
    precondition: &Preconditioning,
) -> Result<(), String> {
    let needs = |scheme: &&ResolvedScheme| {
        scheme.config.placement.is_some_and(|placement| placement.needs_future())
    };
    for scheme in schemes.iter().filter(needs) {
        let why = if on_ssd {
            "on an SSD page tasks overtake each other; leave out the channels"
        } else if scheme.plan.buffer.is_some() {
            "a write buffer decides what is written; leave out `buffer`"
        } else if precondition.collecting || precondition.steady {
            "the state of the scheme ends this precondition; leave out `collecting` and `steady`"
        } else {
            continue;
        };
        let label = &scheme.label;
        return Err(format!("`{label}` needs a future that does not depend on the scheme: {why}"));
    }
    Ok(())
}
