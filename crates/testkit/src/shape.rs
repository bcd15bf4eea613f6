//! Small arrays, with timings that give a chosen α.

use bounds::moves::RUN_PAGES;
use flash::{
    Array, BlockId, Cell, Copies, CopyPath, CopyTimes, Flash, Geometry, Ns, Part, SlcMode, Store,
    parts::EVALUATION_SLC,
};
use ftl::SchemeConfig;
use std::{borrow::Cow, fmt};

/// Shape of an array under test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    /// N: blocks.
    pub blocks: u32,
    /// π: pages per block.
    pub pages_per_block: u32,
    /// α: page copies that fit into one erase, ⌊t_er / (t_rd + t_wr)⌋.
    pub alpha: u32,
    /// The channel of devices, if the array is not one device with copies of t_rd + t_wr.
    pub channel: Option<Channel>,
    /// Bits per cell; from 2 on the part has an SLC mode.
    pub bits: u8,
}

/// Devices that share an array, and the number of copies per erase time for each copy path. The number is exact, so
/// that a step has no time to spare. 0 means that one copy takes longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Channel {
    /// Number of devices.
    pub ways: u32,
    /// From a block to another of the same device. All copies take equally long.
    pub near: u32,
    /// To a block of another device. In a run, each copy but the first takes less time than a single one.
    pub far: u32,
}

/// Arrays with two copy paths, either of which allows more copies per step. They have two to sixteen devices, with
/// equal numbers of blocks or not.
pub const CHANNEL_SHAPES: &[Shape] = &[
    Shape::new(5, 6, 2).on(2, 1, 3),
    Shape::new(6, 8, 3).on(2, 7, 1),
    Shape::new(7, 8, 3).on(3, 1, 4),
    Shape::new(10, 8, 1).on(4, 3, 1),
    Shape::new(11, 8, 3).on(2, 3, 8),
    Shape::new(12, 16, 8).on(4, 8, 2),
    Shape::new(14, 12, 2).on(3, 0, 2),
    Shape::new(24, 16, 8).on(4, 2, 8),
    Shape::new(25, 8, 3).on(2, 2, 0),
    Shape::new(40, 16, 8).on(16, 3, 9),
    Shape::new(9, 64, 8).on(2, 8, 40),
    Shape::new(33, 64, 8).on(8, 50, 8),
];

/// Arrays from tiny to ordinary, on which each scheme is tested if it can work there.
pub const SHAPES: &[Shape] = &[
    Shape::new(3, 2, 1),
    Shape::new(4, 4, 1),
    Shape::new(4, 6, 2),
    Shape::new(5, 8, 3),
    Shape::new(7, 6, 8),
    Shape::new(6, 16, 8),
    Shape::new(10, 16, 2),
    Shape::new(12, 8, 8),
    Shape::new(16, 8, 4),
    Shape::new(24, 8, 3),
    Shape::new(24, 16, 8),
    Shape::new(40, 16, 2),
    Shape::new(48, 8, 8),
    Shape::new(4, 192, 8),
    Shape::new(9, 64, 8),
    Shape::new(32, 64, 8),
];

/// Arrays whose part has an SLC mode, on which schemes with an SLC cache are tested.
pub const SLC_SHAPES: &[Shape] = &[
    Shape::new(5, 4, 1).with_bits(2),
    Shape::new(7, 6, 2).with_bits(3),
    Shape::new(8, 4, 2).with_bits(4),
    Shape::new(9, 6, 8).with_bits(2),
    Shape::new(12, 9, 8).with_bits(3),
    Shape::new(16, 8, 4).with_bits(4),
    Shape::new(24, 16, 8).with_bits(3),
    Shape::new(40, 16, 2).with_bits(4),
    Shape::new(32, 66, 8).with_bits(3),
];

/// The shapes on which a scheme is tested: those with an SLC mode if it has an SLC cache.
pub fn shapes_for(scheme: &SchemeConfig) -> &'static [Shape] {
    if scheme.slc.is_some() { SLC_SHAPES } else { SHAPES }
}

/// Bytes per page: enough to distinguish all versions of all pages.
const PAGE_BYTES: u32 = 32;

impl Shape {
    /// The shape of N × π with this α.
    pub const fn new(blocks: u32, pages_per_block: u32, alpha: u32) -> Self {
        Self { blocks, pages_per_block, alpha, channel: None, bits: 1 }
    }

    /// The same shape on a channel of devices: see [`Channel`].
    pub const fn on(self, ways: u32, near: u32, far: u32) -> Self {
        Self { channel: Some(Channel { ways, near, far }), ..self }
    }

    /// The same shape of an MLC (2), TLC (3) or QLC (4) part that has an SLC mode.
    pub const fn with_bits(self, bits: u8) -> Self {
        Self { bits, ..self }
    }

    /// Times of the SLC mode: all shorter than the part's own.
    fn slc(&self, t_bers_ns: Ns) -> Option<SlcMode> {
        let Part { t_r_ns, t_prog_ns, .. } = EVALUATION_SLC;
        let shorter = SlcMode { t_r_ns: t_r_ns / 2, t_prog_ns: t_prog_ns / 5, t_bers_ns };
        (self.bits > 1).then_some(shorter)
    }

    fn cell(&self) -> Cell {
        match self.bits {
            0 | 1 => Cell::Slc,
            2 => Cell::Mlc,
            3 => Cell::Tlc,
            _ => Cell::Qlc,
        }
    }

    /// The evaluation part with blocks of this size. Its erase takes α and a half copies, so that α must be rounded
    /// down.
    pub fn part(&self) -> Part {
        let copy = EVALUATION_SLC.t_copy_ns();
        let t_bers_ns = copy * u64::from(self.alpha) + copy / 2;
        Part {
            name: Cow::Borrowed("test-slc"),
            page_bytes: PAGE_BYTES,
            pages_per_block: self.pages_per_block,
            capacity_bytes: self.geometry().capacity_bytes(),
            t_bers_ns,
            cell: self.cell(),
            slc: self.slc(t_bers_ns - t_bers_ns / 8),
            copies: self.channel.map(|channel| channel.copies(t_bers_ns)),
            ..EVALUATION_SLC.clone()
        }
    }

    /// The geometry.
    ///
    /// # Panics
    /// If there is no such array.
    pub fn geometry(&self) -> Geometry {
        Geometry::new(self.blocks, self.pages_per_block, PAGE_BYTES).expect("a shape is an array")
    }

    /// An erased array of this shape whose pages have this many bytes, of which none is kept.
    ///
    /// # Panics
    /// If there is no such array.
    pub fn array_of(&self, page_bytes: u32) -> Array {
        let geometry = Geometry::new(self.blocks, self.pages_per_block, page_bytes);
        let geometry = geometry.expect("a shape is an array");
        let capacity_bytes = geometry.capacity_bytes();
        let part = Part { page_bytes, capacity_bytes, ..self.part() };
        Array::new(geometry, part, Store::Metadata)
    }

    /// An erased array of this shape, some of its blocks bad.
    ///
    /// # Panics
    /// If a bad block is beyond the array.
    pub fn array(&self, store: Store, bad: &[u32]) -> Array {
        let mut array = Array::new(self.geometry(), self.part(), store);
        for block in bad {
            array.mark_bad(BlockId(*block)).expect("a bad block is one of the array's");
        }
        array
    }
}

impl Channel {
    fn copies(&self, t_bers_ns: Ns) -> Copies {
        let times = |path, fetch_ns, prog_ns| CopyTimes {
            path,
            cache_program: true,
            fetch_ns,
            load_ns: 0,
            prog_ns,
            repair_ns: 0,
        };
        // n copies of time t take n·t, plus t/3 for the first fetch of each run.
        let runs = u64::from(self.far.div_ceil(RUN_PAGES)).max(1);
        let near = t_bers_ns.checked_div(self.near.into()).unwrap_or(t_bers_ns + 1);
        let far = t_bers_ns * 3 / (3 * u64::from(self.far) + runs);
        Copies {
            ways: self.ways,
            near: times(CopyPath::IcbUnchecked, 0, near),
            far: times(CopyPath::Dgcb, far / 3, far),
            most_corrected_bytes: 0,
        }
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{} alpha {}", self.blocks, self.pages_per_block, self.alpha)?;
        if self.bits > 1 {
            write!(f, " {} bits per cell", self.bits)?;
        }
        let Some(Channel { ways, near, far }) = self.channel else { return Ok(()) };
        write!(f, " on {ways} devices, {near} near and {far} far")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bounds::lazy_rtgc::WholeArray;

    #[test]
    fn as_many_copies_as_are_asked_for_fit_into_an_erase() {
        for shape in CHANNEL_SHAPES {
            let Some(Channel { near, far, .. }) = shape.channel else { panic!("{shape}") };
            let array = WholeArray { blocks: shape.blocks, spare_blocks: 0, from_buffer: false };
            let space = array.space(&shape.part(), None).expect("a channel has a division");
            assert_eq!((space.alpha, space.alpha_far), (near, far), "{shape}");
        }
    }
}
