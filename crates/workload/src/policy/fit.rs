//! Check of a trace's extent against the space under a policy, and alternatives if it does not fit.

use crate::error::WorkloadError;
use crate::policy::packed::Packed;
use crate::policy::touched::Interval;
use crate::policy::wrap::Wrap;
use crate::policy::{AddressPolicy, Mapping};
use crate::space::Space;
use crate::units::show_bytes;
use std::path::Path;

/// Extent of a trace.
pub(crate) struct TraceExtent<'a> {
    pub(crate) path: &'a Path,
    pub(crate) devices: usize,
    /// One past the last accessed byte over all devices.
    pub(crate) farthest: u64,
    /// The longest read or write, bytes.
    pub(crate) longest: u64,
    /// Pages that reads and writes touch.
    pub(crate) intervals: Vec<Interval>,
}

/// The prepared policy, and the bytes from the start of the space that the trace occupies under it.
///
/// # Errors
/// The part that does not fit, the excess, and alternatives that would fit.
pub(crate) fn fit(
    policy: AddressPolicy,
    asked: TraceExtent<'_>,
    space: Space,
) -> Result<(Mapping, u64), WorkloadError> {
    let page_bytes = u64::from(space.page_bytes);
    let place = Target { policy, path: asked.path, page_bytes, usable: space.pages() * page_bytes };
    match policy {
        AddressPolicy::Dense => place.dense(asked.intervals),
        AddressPolicy::Spaces => place.spaces(asked.intervals, asked.devices),
        AddressPolicy::Exact => place.exact(asked, space.bytes),
        AddressPolicy::Wrap => place.wrap(asked.farthest, asked.longest),
    }
}

struct Target<'a> {
    policy: AddressPolicy,
    path: &'a Path,
    page_bytes: u64,
    /// Bytes of the whole pages of the space.
    usable: u64,
}

impl Target<'_> {
    fn dense(&self, intervals: Vec<Interval>) -> Result<(Mapping, u64), WorkloadError> {
        let dense = Packed::new(intervals, self.page_bytes);
        let bytes = self.bytes(&dense);
        if bytes <= self.usable {
            return Ok((Mapping::Packed(dense), bytes));
        }
        let (pages, bytes) = (self.page_bytes, show_bytes(bytes));
        self.misfit(
            &format!("the trace touches {bytes} in pages of {pages} bytes"),
            &format!(
                "use a device with at least {bytes} of logical space, `requests` to run less of the trace, \
                 or addresses = wrap, which fits any"
            ),
        )
    }

    fn spaces(
        &self,
        intervals: Vec<Interval>,
        devices: usize,
    ) -> Result<(Mapping, u64), WorkloadError> {
        let regions = Packed::regions(&intervals, self.page_bytes);
        let bytes = self.bytes(&regions);
        if bytes <= self.usable {
            return Ok((Mapping::Packed(regions), bytes));
        }
        let advice = self.instead(intervals, bytes);
        self.misfit(
            &format!("the ranges of its {devices} devices take {}", show_bytes(bytes)),
            &advice,
        )
    }

    fn exact(
        &self,
        asked: TraceExtent<'_>,
        space_bytes: u64,
    ) -> Result<(Mapping, u64), WorkloadError> {
        let TraceExtent { devices, farthest, intervals, .. } = asked;
        if devices > 1 {
            return Err(WorkloadError::Unfit(format!(
                "{}: addresses = exact takes a trace of one device, and this one has {devices}, each an \
                 address space of its own: use addresses = spaces, or dense",
                self.path.display()
            )));
        }
        if farthest <= space_bytes {
            return Ok((Mapping::Exact, farthest));
        }
        let advice = self.instead(intervals, farthest);
        self.misfit(&format!("the trace reaches up to byte {farthest}"), &advice)
    }

    fn wrap(&self, farthest: u64, longest: u64) -> Result<(Mapping, u64), WorkloadError> {
        if longest <= self.usable {
            return Ok((Mapping::Wrap(Wrap { bytes: self.usable }), farthest.min(self.usable)));
        }
        let longest = show_bytes(longest);
        self.misfit(
            &format!("the longest request asks for {longest}"),
            &format!("use a device with at least {longest}"),
        )
    }

    fn bytes(&self, packed: &Packed) -> u64 {
        packed.pages().saturating_mul(self.page_bytes)
    }

    /// Alternatives that fit, if a policy stricter than dense packing needs `least` bytes.
    fn instead(&self, intervals: Vec<Interval>, least: u64) -> String {
        let dense = self.bytes(&Packed::new(intervals, self.page_bytes));
        let (least, takes) = (show_bytes(least), show_bytes(dense));
        if dense <= self.usable {
            format!("addresses = dense takes {takes}, or use a device with at least {least}")
        } else {
            format!(
                "use a device with at least {least}; addresses = dense takes {takes}, addresses = wrap fits any"
            )
        }
    }

    fn misfit<T>(&self, why: &str, advice: &str) -> Result<T, WorkloadError> {
        Err(WorkloadError::Unfit(format!(
            "{}: with addresses = {}, {why}, but the logical space has {}: {advice}",
            self.path.display(),
            self.policy.name(),
            show_bytes(self.usable)
        )))
    }
}
