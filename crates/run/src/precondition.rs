//! The array's precondition, shared by experiments and runs.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Sequential fill before measurement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Fill {
    /// Every logical page: the state that a device reaches in use, and the hardest one for its collector.
    #[default]
    Full,
    /// The pages that the workload can address.
    Footprint,
    /// Nothing: a fresh device. Collection may never run.
    None,
}

/// Fill and age. Text: `full`, `footprint+age=2`, `full+age=1+sequential=50%`, `full+workload=1+collecting`, `none`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Preconditioning {
    /// Pages written once, sequentially.
    #[serde(default)]
    pub fill: Fill,
    /// Overwrites after the fill, as a multiple of the filled size.
    #[serde(default)]
    pub age: f64,
    /// Share of sequential overwrites; the others are uniformly random, and each overwrite's type is drawn. A
    /// sequential overwrite continues after the last one and wraps from the last page to the first. Default: 0.
    #[serde(
        default,
        skip_serializing_if = "is_zero",
        deserialize_with = "workload::quantity::read_share"
    )]
    pub sequential: f64,
    /// Page writes of the workload itself, which runs after fill and age, as a multiple of the pages that it can address.
    /// It is repeated as needed, a built-in workload with another seed each time. Of reads in a row 64 are run. Default:
    /// 0.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub workload: f64,
    /// Go on with the workload until the scheme's first collection, so that the measured part begins with it. Ends
    /// without one after as many page writes as four times the array. Default: false.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub collecting: bool,
    /// Go on with the workload until write amplification has settled, over rounds of a tenth of the exported space. Ends
    /// without that after as many page writes as sixteen times the array. Default: false.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub steady: bool,
}

impl Preconditioning {
    /// True if the workload itself ages the array.
    pub fn by_workload(&self) -> bool {
        self.workload > 0.0 || self.collecting || self.steady
    }
}

fn is_zero(share: &f64) -> bool {
    *share == 0.0
}

impl fmt::Display for Preconditioning {
    /// The text notation.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.fill {
            Fill::Full => "full",
            Fill::Footprint => "footprint",
            Fill::None => "none",
        })?;
        for (name, number) in
            [("age", self.age), ("sequential", self.sequential), ("workload", self.workload)]
        {
            if number > 0.0 {
                write!(f, "+{name}={number}")?;
            }
        }
        f.write_str(if self.collecting { "+collecting" } else { "" })?;
        f.write_str(if self.steady { "+steady" } else { "" })
    }
}
