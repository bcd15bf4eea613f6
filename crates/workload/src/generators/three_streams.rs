//! Three writers at once: a sequential one, a random one, and one that overwrites the sequential one's data.
//!
//! The source gives each writer's place, request size and queue depth, and runs them for a time. How much each writes is
//! therefore the drive's doing. Here it is a choice: as all have 128 KiB outstanding there, equal bytes by default.

use crate::error::WorkloadError;
use crate::generators::draw;
use crate::generators::generated::{Access, Pattern};
use crate::generators::generator::{Build, Built, BuiltinInfo};
use crate::generators::law::Law;
use crate::generators::mix::{self, FOOTPRINT, Sizes};
use crate::generators::pace;
use crate::generators::randrw::{self, DISTRIBUTIONS};
use crate::generators::sequential::Cursor;
use crate::parameters::{Kind, ParameterInfo};
use crate::request::Op;
use rand_pcg::Pcg64;

const fn weight(name: &'static str, summary: &'static str) -> ParameterInfo {
    ParameterInfo {
        name,
        summary,
        unit: "",
        kind: Kind::Number { min: 0.0, max: 1000.0 },
        default: "1",
    }
}

static WRITERS: &[ParameterInfo] = &[
    ParameterInfo::share(
        "sequential_space",
        "0.9",
        "share of the space, from its start, that is written in order; random writes go to the rest",
    ),
    ParameterInfo::bytes("sequential_size", "128k", "size of sequential writes (stream 1)"),
    ParameterInfo::bytes(
        "size",
        "4k",
        "size of random writes (stream 2) and of overwrites (stream 3)",
    ),
    ParameterInfo {
        name: "jumper",
        summary: "where overwrites go in the sequential part: fio's random_distribution",
        unit: "",
        kind: Kind::Text(DISTRIBUTIONS),
        default: "uniform",
    },
    weight(
        "sequential_weight",
        "bytes of sequential writes, in proportion to the other two weights",
    ),
    weight("random_weight", "bytes of random writes, in proportion to the other two weights"),
    weight("jumper_weight", "bytes of overwrites, in proportion to the other two weights"),
    FOOTPRINT,
];

pub(crate) static INFO: BuiltinInfo = BuiltinInfo {
    name: "three-streams",
    summary: "90 % of the space written in order, 10 % at random, and a jumper that overwrites the 90 % at random",
    parameters: &[WRITERS, pace::PARAMETERS],
    requests: Some(1_000_000),
    source: "WARP, FAST 2026, fio jobs of three streams in its artifact (uniform, zipf:1.2, zipf:2.2, \
             zoned:80/20:10/20:10/60); the bytes of each writer are a choice here",
    build,
};

fn build(request: &Build<'_>) -> Result<Built, WorkloadError> {
    let parameters = request.parameters;
    let footprint = mix::footprint_bytes(parameters, request.space);
    let bytes = |name| parameters.bytes(name).unwrap_or(4096);
    let (sequential_size, size) = (bytes("sequential_size"), bytes("size"));
    let page = u64::from(request.space.page_bytes);
    let pages = footprint / page;
    let share = parameters.share("sequential_space");
    let border = ((pages as f64 * share).round() as u64).min(pages) * page;
    let weights = ["sequential_weight", "random_weight", "jumper_weight"];
    let weights = weights.map(|name| parameters.number(name).unwrap_or(1.0));
    if weights.iter().all(|weight| *weight == 0.0) {
        return Err(parameters.refuse("sequential_weight", "above 0 where the other weights are 0"));
    }
    let (jumps, places) = (border / size, (footprint - border) / size);
    let lacks = [border == 0, places == 0, jumps == 0];
    if weights.iter().zip(lacks).any(|(weight, lacks)| *weight > 0.0 && lacks) {
        let expected =
            format!("such that writes of {size} bytes fit both parts of {footprint} bytes");
        return Err(parameters.refuse("sequential_space", expected));
    }
    let sizes = [sequential_size.min(border.max(1)), size, size];
    let requests = [0, 1, 2].map(|at| (at as u64, weights[at] / sizes[at] as f64));
    let jumper = randrw::law(request, "jumper", jumps.max(1))?;
    let pattern = Three {
        rng: request.rng(),
        writer: Sizes::weighted(requests.into_iter()),
        cursor: Cursor { at: 0, end: border },
        sequential_size,
        border,
        size,
        places,
        jumper,
    };
    Ok(request.paced(pattern, footprint))
}

struct Three {
    rng: Pcg64,
    /// Draws the number of a writer, from 0.
    writer: Sizes,
    cursor: Cursor,
    sequential_size: u64,
    border: u64,
    size: u64,
    places: u64,
    jumper: Law,
}

impl Pattern for Three {
    #[inline]
    fn next(&mut self) -> Access {
        let (stream, (offset, length)) = match self.writer.draw(&mut self.rng) {
            0 => (1, self.cursor.take(self.sequential_size)),
            1 => {
                let place = draw::below(&mut self.rng, self.places);
                (2, (self.border + place * self.size, self.size))
            }
            _ => (3, (self.jumper.draw(&mut self.rng) * self.size, self.size)),
        };
        Access { op: Op::Write, offset, length, stream }
    }
}
