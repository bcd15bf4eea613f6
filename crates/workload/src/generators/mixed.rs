//! Sequential streams mixed with random requests.

use crate::error::WorkloadError;
use crate::generators::draw::{self, Chance};
use crate::generators::generated::{Access, Pattern};
use crate::generators::generator::{Build, Built, BuiltinInfo};
use crate::generators::mix::{OPERATIONS, Operations, SIZES, Slots};
use crate::generators::pace;
use crate::generators::sequential::Cursor;
use crate::parameters::{Kind, ParameterInfo};
use crate::request::Op;
use rand_pcg::Pcg64;

static STREAMS: &[ParameterInfo] = &[
    ParameterInfo::share(
        "sequential_share",
        "0.5",
        "share of the requests that goes on where its stream stopped; the others are uniform",
    ),
    ParameterInfo {
        name: "streams",
        summary: "sequential streams, which start at equal distances and take turns at random",
        unit: "streams",
        kind: Kind::Count { min: 1, max: 1024 },
        default: "1",
    },
    ParameterInfo {
        name: "positions",
        summary: "where reads go on: behind the stream's last request, or behind its last read, as writes then do \
            behind its last write",
        unit: "",
        kind: Kind::Choice(&["shared", "own"]),
        default: "shared",
    },
];

pub(crate) static INFO: BuiltinInfo = BuiltinInfo {
    name: "mixed",
    summary: "sequential streams through the whole space among uniform random requests",
    parameters: &[STREAMS, OPERATIONS, SIZES, pace::PARAMETERS],
    requests: Some(1_000_000),
    source: "fio, readwrite=randrw with percentage_random",
    build,
};

fn build(request: &Build<'_>) -> Result<Built, WorkloadError> {
    let slots = Slots::of(request.parameters, request.space)?;
    let streams = request.parameters.count("streams").unwrap_or(1);
    if streams > slots.count {
        let expected = format!("at most the places of the space, {}", slots.count);
        return Err(request.parameters.refuse("streams", expected));
    }
    let start =
        |stream: u64| (u128::from(stream) * u128::from(slots.count) / u128::from(streams)) as u64;
    let cursors = (0..streams).map(|i| Cursor { at: start(i) * slots.align, end: slots.footprint });
    let pattern = Mixed {
        rng: request.rng(),
        operations: Operations::of(request.parameters),
        sequential: Chance::new(request.parameters.share("sequential_share")),
        read_cursors: match request.parameters.text("positions") {
            "own" => cursors.clone().collect(),
            _ => Vec::new(),
        },
        cursors: cursors.collect(),
        slots,
    };
    Ok(request.paced(pattern, slots.footprint))
}

struct Mixed {
    rng: Pcg64,
    operations: Operations,
    sequential: Chance,
    cursors: Vec<Cursor>,
    /// Cursors of reads; empty if they share those of the other requests.
    read_cursors: Vec<Cursor>,
    slots: Slots,
}

impl Pattern for Mixed {
    #[inline]
    fn next(&mut self) -> Access {
        let op = self.operations.draw(&mut self.rng);
        if self.sequential.happens(&mut self.rng) {
            let stream = match self.cursors.len() as u64 {
                1 => 0,
                streams => draw::below(&mut self.rng, streams),
            };
            let own = op == Op::Read && !self.read_cursors.is_empty();
            let cursors = if own { &mut self.read_cursors } else { &mut self.cursors };
            let (offset, length) = cursors[stream as usize].take(self.slots.size);
            Access::plain(op, offset, length)
        } else {
            let offset = draw::below(&mut self.rng, self.slots.count) * self.slots.align;
            Access::plain(op, offset, self.slots.size)
        }
    }
}
