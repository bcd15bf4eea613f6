//! Experiments on schemes with zones: what they would refuse, and what is said of a trace's addresses.

use super::device::ResolvedScheme;
use super::error::ConfigError;
use crate::catalogue;
use ::run::precondition::{Fill, Preconditioning};
use ftl::Layout;
use workload::quantity::Bytes;
use workload::{AddressPolicy, Facts, WorkloadSpec};

/// Refuses what a scheme with zones would refuse page by page.
pub(super) fn check(
    schemes: &[ResolvedScheme],
    workload: &WorkloadSpec,
    facts: &Facts,
    precondition: &Preconditioning,
) -> Result<(), ConfigError> {
    let logs =
        facts.workload == "host-log" && facts.parameters.get("log").is_none_or(|log| log != "no");
    if logs && precondition.by_workload() {
        let reason = "the host begins its log anew in the measured part, so what it wrote before says nothing; let it \
                      write more with --requests, and use `none`, `full` or `footprint`";
        return Err(ConfigError::setting("precondition", reason));
    }
    for scheme in schemes {
        let Layout::Zoned(layout) = scheme.plan.layout else { continue };
        let refuse = |setting: &str, reason: String| {
            Err(ConfigError::setting(format!("scheme `{}`: {setting}", scheme.label), reason))
        };
        if workload.tasks().is_some() {
            return refuse("tasks", format!("write any page, and it {}", catalogue::ONLY_IN_ZONES));
        }
        if precondition.fill != Fill::None && precondition.age > 0.0 {
            let reason = "writes at random, which zones refuse; omit `age`, or use `none`";
            return refuse("precondition", reason.into());
        }
        if precondition.collecting || precondition.steady {
            let reason = "waits for the scheme to collect, and a device with zones never does; use `none`, `full` or `footprint`";
            return refuse("precondition", reason.into());
        }
        if let Some(zone) = facts.parameters.get("zone").filter(|_| logs) {
            let block = u64::from(scheme.part.pages_per_block) * u64::from(scheme.part.page_bytes);
            let expected = u64::from(layout.zone_blocks) * block;
            let given = zone.parse::<Bytes>().map_or(block, |bytes| bytes.0);
            if given != expected {
                return refuse(
                    "zone",
                    format!(
                        "is {expected} bytes, and the workload writes zones of {given}; add `--set zone={expected}`"
                    ),
                );
            }
        }
    }
    Ok(())
}

/// A note where zones meet a trace whose addresses are changed.
pub(super) fn note(schemes: &[ResolvedScheme], workload: &WorkloadSpec) -> Option<String> {
    let zoned = schemes.iter().any(|scheme| scheme.config.preset.is_zoned());
    let WorkloadSpec::Trace { addresses, .. } = workload else { return None };
    (zoned && *addresses != AddressPolicy::Exact).then(|| {
        "the trace's addresses may be changed, and its zones with them; --addresses exact keeps them".into()
    })
}
