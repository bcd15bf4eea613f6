//! The common body of the generators that draw each request on its own: an operation, a size, a place.

use crate::error::WorkloadError;
use crate::generators::generated::{Access, Pattern};
use crate::generators::generator::{Build, Built};
use crate::generators::law::Law;
use crate::parameters::{ParameterInfo, Parameters};
use crate::request::Op;
use crate::space::Space;
use crate::units;
use rand::Rng;
use rand_pcg::Pcg64;

/// Which share of the requests writes and trims.
pub(crate) static OPERATIONS: &[ParameterInfo] = &[
    ParameterInfo::share(
        "write_share",
        "1",
        "share of writes among the requests that are no trims; the others are reads",
    ),
    TRIM_SHARE,
];

/// Which share of the requests trims.
pub(crate) const TRIM_SHARE: ParameterInfo =
    ParameterInfo::share("trim_share", "0", "share of trims among all requests");

pub(crate) const SIZE: ParameterInfo =
    ParameterInfo::bytes("size", "page", "size of every request; page: one page of the device");

pub(crate) const ALIGN: ParameterInfo = ParameterInfo::bytes(
    "align",
    "size",
    "requests start at multiples of this; size: of their size, so that none overlap in part",
);

/// How much of the logical space is used.
pub(crate) const FOOTPRINT: ParameterInfo = ParameterInfo::share(
    "footprint",
    "1",
    "share of the logical space that is addressed, from its start",
);

/// Sizes, places and the share of the space.
pub(crate) static SIZES: &[ParameterInfo] = &[SIZE, ALIGN, FOOTPRINT];

/// Draws operations, without a branch that cannot be foreseen.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operations {
    /// Of 2⁶³: draws below it are trims.
    trims: u64,
    /// Draws from there to here are writes, the others reads.
    writes: u64,
    /// The operation, where there is only one.
    only: Option<Op>,
}

impl Operations {
    pub(crate) fn new(write_share: f64, trim_share: f64) -> Self {
        let of = |share: f64| (share * (1u64 << 63) as f64) as u64;
        let only = match (write_share, trim_share) {
            (_, 1.0) => Some(Op::Trim),
            (1.0, 0.0) => Some(Op::Write),
            (0.0, 0.0) => Some(Op::Read),
            _ => None,
        };
        Self {
            trims: of(trim_share),
            writes: of(trim_share + (1.0 - trim_share) * write_share),
            only,
        }
    }

    /// As `write_share` and `trim_share` say.
    pub(crate) fn of(parameters: &Parameters) -> Self {
        Self::new(parameters.share("write_share"), parameters.share("trim_share"))
    }

    /// An operation. Where there is only one it takes no draw.
    #[inline]
    pub(crate) fn draw(self, rng: &mut Pcg64) -> Op {
        if let Some(only) = self.only {
            return only;
        }
        let draw = rng.next_u64() >> 1;
        let index = usize::from(draw >= self.trims) + usize::from(draw >= self.writes);
        [Op::Trim, Op::Write, Op::Read][index]
    }
}

/// The places where a request may start: multiples of `align` from where the largest ends within the
/// footprint.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slots {
    /// Bytes of the space that are used.
    pub(crate) footprint: u64,
    /// Size of the largest request, bytes.
    pub(crate) size: u64,
    /// Distance of two places, bytes.
    pub(crate) align: u64,
    pub(crate) count: u64,
}

impl Slots {
    /// As `size`, `align` and `footprint` say.
    pub(crate) fn of(parameters: &Parameters, space: &Space) -> Result<Self, WorkloadError> {
        let size = size_bytes(parameters, space);
        let align = parameters.bytes("align").unwrap_or(size);
        Self::within(parameters, "size", footprint_bytes(parameters, space), size, align)
    }

    /// Places for requests of at most `size` bytes, which parameter `size_name` set, in `footprint` bytes.
    pub(crate) fn within(
        parameters: &Parameters,
        size_name: &str,
        footprint: u64,
        size: u64,
        align: u64,
    ) -> Result<Self, WorkloadError> {
        check_fits(parameters, size_name, footprint, size)?;
        Ok(Self { footprint, size, align, count: (footprint - size) / align + 1 })
    }
}

/// Refuses requests of `size` bytes, which parameter `size_name` set, where `footprint` bytes hold none.
pub(crate) fn check_fits(
    parameters: &Parameters,
    size_name: &str,
    footprint: u64,
    size: u64,
) -> Result<(), WorkloadError> {
    if size <= footprint {
        return Ok(());
    }
    let expected = format!(
        "such that requests of {} fit the space that is addressed, {}",
        units::show_bytes(size),
        units::show_bytes(footprint)
    );
    let hinders = hinders(parameters, footprint, size);
    Err(parameters.refuse(if hinders { FOOTPRINT.name } else { size_name }, expected))
}

/// True where requests of `size` bytes would fit the space, but not the share of it that `footprint` leaves.
fn hinders(parameters: &Parameters, footprint: u64, size: u64) -> bool {
    if !parameters.values().contains_key(FOOTPRINT.name) {
        return false;
    }
    let share = parameters.share(FOOTPRINT.name);
    share < 1.0 && (footprint == 0 || size as f64 * share <= footprint as f64)
}

/// Bytes of a request as `size` says.
pub(crate) fn size_bytes(parameters: &Parameters, space: &Space) -> u64 {
    parameters.bytes("size").unwrap_or(u64::from(space.page_bytes))
}

/// Bytes of the space that `footprint` leaves, in whole pages.
pub(crate) fn footprint_bytes(parameters: &Parameters, space: &Space) -> u64 {
    let share = parameters.share("footprint");
    let pages = (space.pages() as f64 * share).round() as u64;
    pages.min(space.pages()) * u64::from(space.page_bytes)
}

/// Sizes of requests and how often each is drawn; the last takes what the others leave.
#[derive(Clone, Debug)]
pub(crate) struct Sizes(Vec<(u64, u64)>);

impl Sizes {
    pub(crate) fn fixed(bytes: u64) -> Self {
        Self(vec![(u64::MAX, bytes)])
    }

    /// Sizes with weights; at least one of these is above 0.
    pub(crate) fn weighted(sizes: impl Iterator<Item = (u64, f64)> + Clone) -> Self {
        let total: f64 = sizes.clone().map(|(_, weight)| weight).sum();
        let mut sum = 0.0;
        let mut table: Vec<_> = sizes
            .filter(|&(_, weight)| weight > 0.0)
            .map(|(bytes, weight)| {
                sum += weight;
                ((sum / total * 18_446_744_073_709_551_616.0) as u64, bytes)
            })
            .collect();
        if let Some(last) = table.last_mut() {
            last.0 = u64::MAX;
        }
        Self(table)
    }

    pub(crate) fn largest(&self) -> u64 {
        self.0.iter().map(|&(_, bytes)| bytes).max().unwrap_or_default()
    }

    pub(crate) fn smallest(&self) -> u64 {
        self.0.iter().map(|&(_, bytes)| bytes).min().unwrap_or_default()
    }

    /// A size. A single one takes no draw.
    #[inline]
    pub(crate) fn draw(&self, rng: &mut Pcg64) -> u64 {
        if let [(_, only)] = self.0[..] {
            return only;
        }
        let draw = rng.next_u64();
        let index: usize = self.0.iter().map(|&(end, _)| usize::from(draw >= end)).sum();
        self.0[index.min(self.0.len() - 1)].1
    }
}

/// Requests drawn one by one, each on its own.
pub(crate) struct Mix {
    pub(crate) rng: Pcg64,
    pub(crate) operations: Operations,
    pub(crate) law: Law,
    /// Bytes from a place to the next.
    pub(crate) align: u64,
    /// Of reads, and of writes and trims.
    pub(crate) sizes: [Sizes; 2],
}

impl Pattern for Mix {
    #[inline]
    fn next(&mut self) -> Access {
        let op = self.operations.draw(&mut self.rng);
        let length = self.sizes[usize::from(op != Op::Read)].draw(&mut self.rng);
        Access { op, offset: self.law.draw(&mut self.rng) * self.align, length }
    }
}

/// The generator of requests of one size at places that follow the `law` for so many places.
pub(crate) fn generator(
    request: &Build<'_>,
    law: impl FnOnce(u64) -> Result<Law, WorkloadError>,
) -> Result<Built, WorkloadError> {
    let Slots { size, align, count, footprint } = Slots::of(request.parameters, request.space)?;
    let operations = Operations::of(request.parameters);
    let sizes = [Sizes::fixed(size), Sizes::fixed(size)];
    let pattern = Mix { rng: request.rng(), operations, law: law(count)?, align, sizes };
    Ok(request.paced(pattern, footprint))
}
