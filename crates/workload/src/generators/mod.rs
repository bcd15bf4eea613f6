//! The built-in workloads. To add one: its file, its `mod` here and its line in [`BUILTIN`].

mod character;
pub(crate) mod draw;
pub(crate) mod generated;
pub(crate) mod generator;
mod law;
mod mix;
pub(crate) mod pace;
mod quota;
mod ranks;
mod replay;
pub(crate) mod scramble;
mod written_once;

mod ba_gc;
mod beta;
mod fio_zipf;
mod flash_cache;
mod gftl_traces;
mod host_log;
mod hot_cold;
mod iozone;
mod lazy_rtgc_traces;
mod lsm;
mod map_misses;
mod mixed;
mod nested_zones;
mod pareto;
mod randrw;
mod sequential;
pub(crate) mod snia;
mod switched;
mod three_streams;
mod uniform;
mod worst_case;
mod write_bursts;
mod zipf;

use crate::captured::captured;
use crate::error::WorkloadError;
use crate::units;
use generator::BuiltinInfo;

/// All built-in workloads, in list order.
pub static BUILTIN: &[&BuiltinInfo] = &[
    &uniform::INFO,
    &zipf::INFO,
    &pareto::INFO,
    &hot_cold::INFO,
    &nested_zones::INFO,
    &beta::INFO,
    &fio_zipf::INFO,
    &sequential::INFO,
    &write_bursts::INFO,
    &mixed::INFO,
    &randrw::INFO,
    &snia::INFO,
    &flash_cache::INFO,
    &three_streams::INFO,
    &lsm::INFO,
    &host_log::INFO,
    &switched::INFO,
    &lazy_rtgc_traces::WEBSEARCH,
    &lazy_rtgc_traces::FINANCIAL,
    &lazy_rtgc_traces::COPY_FILE,
    &lazy_rtgc_traces::DOWNLOAD_FILE,
    &lazy_rtgc_traces::PLAY_VIDEO,
    &gftl_traces::FORMAT,
    &gftl_traces::ANDREW,
    &gftl_traces::POSTMARK,
    &gftl_traces::POSTMARK_LONG,
    &gftl_traces::IOZONE,
    &gftl_traces::CONSUMER,
    &gftl_traces::SYNTHETIC,
    &ba_gc::iozone::INFO,
    &ba_gc::bonnie::INFO,
    &ba_gc::postmark::INFO,
    &ba_gc::tiobench::INFO,
    &ba_gc::desktop::DESKTOP_1,
    &ba_gc::desktop::DESKTOP_2,
    &worst_case::GFTL,
    &worst_case::GFTL_QUEUE,
    &worst_case::LAZY_RTGC,
    &worst_case::RANDOM,
    &map_misses::INFO,
];

/// The built-in workload of this name.
///
/// # Errors
/// [`WorkloadError::Unknown`] with the nearest name.
pub fn builtin(name: &str) -> Result<&'static BuiltinInfo, WorkloadError> {
    BUILTIN.iter().copied().find(|info| info.name == name).ok_or_else(|| WorkloadError::Unknown {
        name: name.to_owned(),
        hint: match units::nearest(name, BUILTIN.iter().map(|info| info.name)) {
            Some(nearest) => {
                format!("did you mean `{nearest}`? `ftlkit list workloads` names them all")
            }
            None if captured(name).is_some() => format!(
                "it is a captured trace, which `compare {name}` runs; `ftlkit list traces {name}` describes it"
            ),
            None => "`ftlkit list workloads` names them all".to_owned(),
        },
    })
}
