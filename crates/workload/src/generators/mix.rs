//! Common code of the generators that draw each request independently: an operation, a size, a place.

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

/// Shares of writes and trims in the requests.
pub(crate) static OPERATIONS: &[ParameterInfo] = &[
    ParameterInfo::share(
        "write_share",
        "1",
        "share of writes among the requests that are no trims; the others are reads",
    ),
    TRIM_SHARE,
];

/// Share of trims in the requests.
pub(crate) const TRIM_SHARE: ParameterInfo =
    ParameterInfo::share("trim_share", "0", "share of trims among all requests");

pub(crate) const SIZE: ParameterInfo =
    ParameterInfo::bytes("size", "page", "size of every request; page: one page of the device");

pub(crate) const ALIGN: ParameterInfo = ParameterInfo::bytes(
    "align",
    "size",
    "requests start at multiples of this; size: of their size, so that none overlap in part",
);

/// Share of the logical space in use.
pub(crate) const FOOTPRINT: ParameterInfo = ParameterInfo::share(
    "footprint",
    "1",
    "share of the logical space that is addressed, from its start",
);

/// Sizes, alignment and share of the space.
pub(crate) static SIZES: &[ParameterInfo] = &[SIZE, ALIGN, FOOTPRINT];

/// Draws operations without unpredictable branches.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operations {
    /// Draws below this, of 2⁶³, are trims.
    trims: u64,
    /// Draws from `trims` up to this are writes, all others reads.
    writes: u64,
    /// The operation if there is only one.
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

    /// Operations as set by `write_share` and `trim_share`.
    pub(crate) fn of(parameters: &Parameters) -> Self {
        Self::new(parameters.share("write_share"), parameters.share("trim_share"))
    }

    /// Draws an operation. If there is only one it takes no draw.
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

/// Places where a request may start: multiples of `align` at which the largest request ends within the
/// footprint.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slots {
    /// Bytes of the space in use.
    pub(crate) footprint: u64,
    /// Size of the largest request, bytes.
    pub(crate) size: u64,
    /// Distance between two places, bytes.
    pub(crate) align: u64,
    pub(crate) count: u64,
}

impl Slots {
    /// Places as set by `size`, `align` and `footprint`.
    pub(crate) fn of(parameters: &Parameters, space: &Space) -> Result<Self, WorkloadError> {
        let size = size_bytes(parameters, space);
        let align = parameters.bytes("align").unwrap_or(size);
        Self::within(parameters, "size", footprint_bytes(parameters, space), size, align)
    }

    /// Places in `footprint` bytes for requests of at most `size` bytes, the value of parameter `size_name`.
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

/// Refuses requests of `size` bytes, the value of parameter `size_name`, if `footprint` bytes hold none.
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

/// True if requests of `size` bytes fit the space, but not the share that `footprint` leaves.
fn hinders(parameters: &Parameters, footprint: u64, size: u64) -> bool {
    if !parameters.values().contains_key(FOOTPRINT.name) {
        return false;
    }
    let share = parameters.share(FOOTPRINT.name);
    share < 1.0 && (footprint == 0 || size as f64 * share <= footprint as f64)
}

/// Bytes per request as set by `size`.
pub(crate) fn size_bytes(parameters: &Parameters, space: &Space) -> u64 {
    parameters.bytes("size").unwrap_or(u64::from(space.page_bytes))
}

/// Bytes of the space as set by `footprint`, in whole pages.
pub(crate) fn footprint_bytes(parameters: &Parameters, space: &Space) -> u64 {
    let share = parameters.share("footprint");
    let pages = (space.pages() as f64 * share).round() as u64;
    pages.min(space.pages()) * u64::from(space.page_bytes)
}

/// Sizes of requests with their probabilities; the last size gets the remaining draws.
#[derive(Clone, Debug)]
pub(crate) struct Sizes(Vec<(u64, u64)>);

impl Sizes {
    pub(crate) fn fixed(bytes: u64) -> Self {
        Self(vec![(u64::MAX, bytes)])
    }

    /// Sizes with weights; at least one weight must be above 0.
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

    /// Draws a size. A single size takes no draw.
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

/// Requests drawn independently of each other.
pub(crate) struct Mix {
    pub(crate) rng: Pcg64,
    pub(crate) operations: Operations,
    pub(crate) law: Law,
    /// Bytes from one place to the next.
    pub(crate) align: u64,
    /// Sizes of reads, and of writes and trims.
    pub(crate) sizes: [Sizes; 2],
}

impl Pattern for Mix {
    #[inline]
    fn next(&mut self) -> Access {
        let op = self.operations.draw(&mut self.rng);
        let length = self.sizes[usize::from(op != Op::Read)].draw(&mut self.rng);
        Access::plain(op, self.law.draw(&mut self.rng) * self.align, length)
    }
}

/// Generator of requests of one size; `law` gives the distribution for a number of places.
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
