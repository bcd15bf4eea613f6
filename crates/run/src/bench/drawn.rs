//! Subjects of measurement: shapes of arrays, and random page writes.

use rand::RngExt;
use rand_pcg::Pcg64;
use workload::{Op, Request, Source, WorkloadError};

/// One shape of device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Raw capacity, bytes.
    pub capacity_bytes: u64,
    /// Page size, bytes.
    pub page_bytes: u32,
    /// Pages per block.
    pub pages_per_block: u32,
}

impl Shape {
    /// Peak memory of its measurement, bytes: about 9 per physical page, for the map, the array and the state of
    /// blocks.
    pub fn memory_bytes(&self) -> u64 {
        (self.capacity_bytes / u64::from(self.page_bytes)).saturating_mul(9)
    }
}

/// Default shapes.
pub const SHAPES: [Shape; 5] = [
    Shape { capacity_bytes: 1 << 30, page_bytes: 4096, pages_per_block: 256 },
    Shape { capacity_bytes: 4 << 30, page_bytes: 4096, pages_per_block: 256 },
    Shape { capacity_bytes: 32 << 30, page_bytes: 4096, pages_per_block: 256 },
    Shape { capacity_bytes: 256 << 30, page_bytes: 4096, pages_per_block: 256 },
    Shape { capacity_bytes: 32 << 30, page_bytes: 2048, pages_per_block: 64 },
];

/// Rounds per measurement. The best one counts, as for the roofline: other load on the machine can only add time.
pub const ROUNDS: u32 = 8;

/// Host writes per round.
pub const WRITES: usize = 1 << 19;

/// Uniform page overwrites, drawn in advance like the roofline's accesses.
pub struct Drawn {
    /// The pages, in order.
    pub lpns: Vec<u32>,
    next: usize,
    page_bytes: u64,
}

impl Drawn {
    /// Draws them from the first `pages` pages.
    pub fn new(pages: u32, page_bytes: u32, random: &mut Pcg64) -> Self {
        let lpns = (0..WRITES).map(|_| random.random_range(0..pages)).collect();
        Self { lpns, next: 0, page_bytes: page_bytes.into() }
    }

    /// All requests at once.
    pub fn all(mut self) -> Vec<Request> {
        let mut requests = Vec::new();
        // `fill` never fails.
        let _ = self.fill(&mut requests, WRITES);
        requests
    }
}

impl Source for Drawn {
    fn fill(&mut self, out: &mut Vec<Request>, max: usize) -> Result<usize, WorkloadError> {
        let end = self.lpns.len().min(self.next + max);
        let page_bytes = self.page_bytes;
        out.extend(self.lpns[self.next..end].iter().map(|lpn| Request {
            arrival_ns: 0,
            offset: u64::from(*lpn) * page_bytes,
            length: page_bytes,
            device: 0,
            op: Op::Write,
            fua: false,
            stream: 0,
            response_ns: None,
        }));
        let filled = end - self.next;
        self.next = end;
        Ok(filled)
    }

    fn has_arrivals(&self) -> bool {
        false
    }
}
