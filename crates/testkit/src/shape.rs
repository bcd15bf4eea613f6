//! Small arrays with timings that give a chosen α.

use flash::{Array, BlockId, Flash, Geometry, Part, Store, parts::EVALUATION_SLC};
use std::{borrow::Cow, fmt};

/// Shape of an array under test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    /// N: blocks.
    pub blocks: u32,
    /// π: pages a block.
    pub pages_per_block: u32,
    /// α: page copies that fit into one erase, ⌊t_er / (t_rd + t_wr)⌋.
    pub alpha: u32,
}

/// Arrays from tiny to ordinary: what every scheme is tested on, as far as it can work there.
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

/// Bytes of a page: enough to tell every version of every page apart.
const PAGE_BYTES: u32 = 32;

impl Shape {
    /// The shape of N × π with this α.
    pub const fn new(blocks: u32, pages_per_block: u32, alpha: u32) -> Self {
        Self { blocks, pages_per_block, alpha }
    }

    /// The evaluation part with blocks of this size, and an erase that takes α copies and half a copy
    /// more (so that α must be rounded down).
    pub fn part(&self) -> Part {
        let copy = EVALUATION_SLC.t_copy_ns();
        Part {
            name: Cow::Borrowed("test-slc"),
            page_bytes: PAGE_BYTES,
            pages_per_block: self.pages_per_block,
            capacity_bytes: self.geometry().capacity_bytes(),
            t_bers_ns: copy * u64::from(self.alpha) + copy / 2,
            ..EVALUATION_SLC.clone()
        }
    }

    /// The geometry.
    ///
    /// # Panics
    /// Where there is no such array.
    pub fn geometry(&self) -> Geometry {
        Geometry::new(self.blocks, self.pages_per_block, PAGE_BYTES).expect("a shape is an array")
    }

    /// An erased array of this shape, some of its blocks bad.
    ///
    /// # Panics
    /// Where a bad block is beyond the array.
    pub fn array(&self, store: Store, bad: &[u32]) -> Array {
        let mut array = Array::new(self.geometry(), self.part(), store);
        for block in bad {
            array.mark_bad(BlockId(*block)).expect("a bad block is one of the array's");
        }
        array
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{} alpha {}", self.blocks, self.pages_per_block, self.alpha)
    }
}
