//! Summary of a set of times.

use serde::Serialize;

/// Mean, percentiles (those that the sample size allows) and exact maximum of a set of times.
#[derive(Clone, Debug, PartialEq, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Summary {
    /// Number of samples.
    pub count: u64,
    /// Exact mean.
    pub mean: f64,
    /// Median.
    pub p50: Option<u64>,
    /// 90 %: from 10 samples on.
    pub p90: Option<u64>,
    /// 99 %: from 100 samples on.
    pub p99: Option<u64>,
    /// 99.9 %: from 1,000 samples on.
    #[serde(rename = "p99.9")]
    pub p99_9: Option<u64>,
    /// 99.99 %: from 10,000 samples on.
    #[serde(rename = "p99.99")]
    pub p99_99: Option<u64>,
    /// 99.999 %: from 100,000 samples on.
    #[serde(rename = "p99.999")]
    pub p99_999: Option<u64>,
    /// 99.9999 %: from 1,000,000 samples on.
    #[serde(rename = "p99.9999")]
    pub p99_9999: Option<u64>,
    /// Exact maximum.
    pub max: u64,
}
