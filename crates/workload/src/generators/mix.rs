//! The common body of the generators that draw each request on its own: an operation, a size, a place.

use super::draw::Chance;
use super::generated::{Access, Pattern};
use crate::parameters::{Kind, ParameterInfo, Parameters};
use crate::{Op, Space, WorkloadError, units};
use rand_pcg::Pcg64;

/// Which share of the requests writes and trims.
pub(crate) static OPERATIONS: &[ParameterInfo] = &[
    ParameterInfo {
        name: "write_share",
        summary: "share of writes among the requests that are no trims; the others are reads",
        unit: "share",
        kind: Kind::Share,
        default: "1",
    },
    TRIM_SHARE,
];

/// Which share of the requests trims.
pub(crate) const TRIM_SHARE: ParameterInfo = ParameterInfo {
    name: "trim_share",
    summary: "share of trims among all requests",
    unit: "share",
    kind: Kind::Share,
    default: "0",
};

/// How large requests are, and where they may start.
pub(crate) static SIZES: &[ParameterInfo] = &[
    ParameterInfo {
        name: "size",
        summary: "size of every request; page: one page of the device",
        unit: "bytes",
        kind: Kind::Bytes,
        default: "page",
    },
    ParameterInfo {
        name: "align",
        summary: "requests start at multiples of this; size: of their size, so that they never overlap in part",
        unit: "bytes",
        kind: Kind::Bytes,
        default: "size",
    },
];

/// How much of the logical space is used.
pub(crate) const FOOTPRINT: ParameterInfo = ParameterInfo {
    name: "footprint",
    summary: "share of the logical space that is addressed, from its start",
    unit: "share",
    kind: Kind::Share,
    default: "1",
};

/// [`FOOTPRINT`] as a list of its own.
pub(crate) static WHOLE_SPACE: &[ParameterInfo] = &[FOOTPRINT];

/// Draws operations.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operations {
    trim: Chance,
    write: Chance,
}

impl Operations {
    pub(crate) fn new(write_share: f64, trim_share: f64) -> Self {
        Self { trim: Chance::new(trim_share), write: Chance::new(write_share) }
    }

    /// As `write_share` and `trim_share` say.
    pub(crate) fn of(parameters: &Parameters) -> Self {
        Self::new(parameters.share("write_share"), parameters.share("trim_share"))
    }

    #[inline]
    pub(crate) fn draw(self, rng: &mut Pcg64) -> Op {
        if self.trim.happens(rng) {
            Op::Trim
        } else if self.write.happens(rng) {
            Op::Write
        } else {
            Op::Read
        }
    }
}

/// The places where a request may start: multiples of `align`, so that `size` bytes end within the footprint.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slots {
    /// Bytes of the space that are used.
    pub(crate) footprint: u64,
    /// Size of the largest request, bytes.
    pub(crate) size: u64,
    /// Distance of two places, bytes.
    pub(crate) align: u64,
    /// Places.
    pub(crate) count: u64,
}

impl Slots {
    /// As `size`, `align` and `footprint` say.
    pub(crate) fn of(parameters: &Parameters, space: &Space) -> Result<Self, WorkloadError> {
        let size = parameters.bytes("size").unwrap_or(u64::from(space.page_bytes));
        let align = parameters.bytes("align").unwrap_or(size);
        Self::within(parameters, "size", footprint_bytes(parameters, space), size, align)
    }

    /// Places for requests of at most `size` bytes, the value of parameter `size_name`, in `footprint` bytes.
    pub(crate) fn within(
        parameters: &Parameters,
        size_name: &str,
        footprint: u64,
        size: u64,
        align: u64,
    ) -> Result<Self, WorkloadError> {
        if size > footprint {
            let expected =
                format!("at most {}, the space that is addressed", units::show_bytes(footprint));
            return Err(parameters.refuse(size_name, expected));
        }
        Ok(Self { footprint, size, align, count: (footprint - size) / align + 1 })
    }
}

/// Bytes of the space that `footprint` leaves, in whole pages where that is at least one.
pub(crate) fn footprint_bytes(parameters: &Parameters, space: &Space) -> u64 {
    let share = parameters.share("footprint");
    let page = u64::from(space.page_bytes);
    let bytes = if share >= 1.0 { space.bytes } else { (space.bytes as f64 * share) as u64 };
    bytes.min(space.bytes) / page * page
}

/// Draws places.
pub(crate) trait Place: Send {
    /// The number of a place.
    fn draw(&mut self, rng: &mut Pcg64) -> u64;
}

/// Requests of one size, each drawn on its own.
pub(crate) struct Mix<P> {
    pub(crate) rng: Pcg64,
    pub(crate) operations: Operations,
    pub(crate) place: P,
    pub(crate) align: u64,
    pub(crate) size: u64,
}

impl<P: Place> Pattern for Mix<P> {
    #[inline]
    fn next(&mut self) -> Access {
        let op = self.operations.draw(&mut self.rng);
        Access { op, offset: self.place.draw(&mut self.rng) * self.align, length: self.size }
    }
}

/// The source that draws each request on its own: every generator of one size and one law of places.
pub(crate) fn source<P: Place + 'static>(
    request: &crate::catalogue::Build<'_>,
    slots: Slots,
    place: P,
) -> Built {
    let pattern = Mix {
        rng: request.rng(),
        operations: Operations::of(request.parameters),
        place,
        align: slots.align,
        size: slots.size,
    };
    request.paced(pattern, slots.footprint)
}

use crate::catalogue::Built;
