//! A flash cache with an engine for small objects and one for large objects, each with its placement stream.
//!
//! Small objects lie in buckets at the end of the space; a hash chooses the bucket, so each write goes to a uniform one.
//! Large objects are appended to regions, which are written in order, one after the other, and from the first again.

use crate::error::WorkloadError;
use crate::generators::draw;
use crate::generators::generated::{Access, Pattern};
use crate::generators::generator::{Build, Built, BuiltinInfo};
use crate::generators::mix::{self, FOOTPRINT, Sizes};
use crate::generators::pace;
use crate::generators::sequential::Cursor;
use crate::parameters::ParameterInfo;
use crate::request::Op;
use rand_pcg::Pcg64;

static ENGINES: &[ParameterInfo] = &[
    ParameterInfo::share(
        "small_space",
        "0.04",
        "share of the space that small objects have, at its end (stream 1)",
    ),
    ParameterInfo::share(
        "small_writes",
        "0.5",
        "share of the bytes written that are of small objects; the others are of large ones (stream 2)",
    ),
    ParameterInfo::bytes("bucket", "4k", "size of every write of small objects"),
    ParameterInfo::bytes("region", "16MiB", "size of the regions of large objects"),
    ParameterInfo::bytes(
        "large",
        "128k",
        "size of writes within a region; the last may be shorter",
    ),
    FOOTPRINT,
];

pub(crate) static INFO: BuiltinInfo = BuiltinInfo {
    name: "flash-cache",
    summary: "a cache: small objects at random in a small part of the space, large ones in regions written in order",
    parameters: &[ENGINES, pace::PARAMETERS],
    requests: Some(1_000_000),
    source: "B. Berg et al., The CacheLib Caching Engine, OSDI 2020 (BigHash and BlockCache); shares of CacheLib's \
             documentation of FDP. The share of bytes per engine follows from objects there, and is a choice here",
    build,
};

/// Streams of the engines.
const SMALL: u8 = 1;
const LARGE: u8 = 2;

fn build(request: &Build<'_>) -> Result<Built, WorkloadError> {
    let parameters = request.parameters;
    let footprint = mix::footprint_bytes(parameters, request.space);
    let bytes = |name| parameters.bytes(name).unwrap_or(4096);
    let (bucket, region, large) = (bytes("bucket"), bytes("region"), bytes("large"));
    let page = u64::from(request.space.page_bytes);
    let pages = footprint / page;
    let small_pages = (pages as f64 * parameters.share("small_space")).round() as u64;
    let small_base = (pages - small_pages.min(pages)) * page;
    let (buckets, regions) = ((footprint - small_base) / bucket, small_base / region);
    let small_writes = parameters.share("small_writes");
    if small_writes > 0.0 && buckets == 0 {
        let expected =
            format!("such that a bucket of {bucket} bytes fits its share of {footprint} bytes");
        return Err(parameters.refuse("small_space", expected));
    }
    if small_writes < 1.0 && regions == 0 {
        let expected =
            format!("such that regions fit the {small_base} bytes that small objects leave them");
        return Err(parameters.refuse("region", expected));
    }
    // A byte is written by as many requests as it has of the engine's size.
    let requests =
        [(0, small_writes / bucket as f64), (1, (1.0 - small_writes) / large.min(region) as f64)];
    let pattern = Cache {
        rng: request.rng(),
        engine: Sizes::weighted(requests.into_iter()),
        small_base,
        bucket,
        buckets,
        cursor: Cursor { at: 0, end: regions * region },
        region,
        large,
    };
    Ok(request.paced(pattern, footprint))
}

struct Cache {
    rng: Pcg64,
    /// Draws 0 for small objects, 1 for large ones.
    engine: Sizes,
    small_base: u64,
    bucket: u64,
    buckets: u64,
    /// Position in all regions, one behind the other.
    cursor: Cursor,
    region: u64,
    large: u64,
}

impl Pattern for Cache {
    #[inline]
    fn next(&mut self) -> Access {
        if self.engine.draw(&mut self.rng) == 0 {
            let offset = self.small_base + draw::below(&mut self.rng, self.buckets) * self.bucket;
            return Access { op: Op::Write, offset, length: self.bucket, stream: SMALL };
        }
        let rest = self.region - self.cursor.at % self.region;
        let (offset, length) = self.cursor.take(self.large.min(rest));
        Access { op: Op::Write, offset, length, stream: LARGE }
    }
}
