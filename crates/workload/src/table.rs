//! A workload as a table of a configuration file.

use crate::{AddressPolicy, Replay, TraceOptions, WorkloadSpec};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The keys of both kinds of workload. A tagged enumeration would make the user name the kind as well.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Table {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    trace: Option<PathBuf>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    requests: Option<u64>,
    #[serde(default = "once")]
    loops: u64,
    #[serde(default = "as_it_is")]
    time_scale: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    addresses: Option<AddressPolicy>,
    // Tables come last, as TOML wants them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    parameters: BTreeMap<String, Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    options: Option<TraceOptions>,
}

fn once() -> u64 {
    Replay::default().loops
}

fn as_it_is() -> f64 {
    Replay::default().time_scale
}

/// A parameter's value: `theta = 0.99` reads as well as `theta = "0.99"`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum Value {
    Flag(bool),
    Whole(i64),
    Decimal(f64),
    Text(String),
}

impl Value {
    fn into_text(self) -> String {
        match self {
            Self::Flag(true) => "yes".to_owned(),
            Self::Flag(false) => "no".to_owned(),
            Self::Whole(value) => value.to_string(),
            Self::Decimal(value) => value.to_string(),
            Self::Text(value) => value,
        }
    }
}

impl TryFrom<Table> for WorkloadSpec {
    type Error = String;

    fn try_from(table: Table) -> Result<Self, String> {
        let replay =
            Replay { requests: table.requests, loops: table.loops, time_scale: table.time_scale };
        match (table.name, table.trace) {
            (Some(name), None) => {
                if table.addresses.is_some() || table.options.is_some() {
                    let error = "`addresses` and `options` are for traces; a built-in workload takes `parameters`";
                    return Err(error.to_owned());
                }
                let parameters = table
                    .parameters
                    .into_iter()
                    .map(|(key, value)| (key, value.into_text()))
                    .collect();
                Ok(Self::Builtin { name, parameters, replay })
            }
            (None, Some(path)) => {
                if !table.parameters.is_empty() {
                    return Err(
                        "`parameters` are for built-in workloads; a trace takes `addresses` and `options`"
                            .to_owned(),
                    );
                }
                Ok(Self::Trace {
                    path,
                    options: table.options.unwrap_or_default(),
                    addresses: table.addresses.unwrap_or_default(),
                    replay,
                })
            }
            (Some(_), Some(_)) => {
                Err("a workload has a `name` (built in) or a `trace` (a file), not both".to_owned())
            }
            (None, None) => {
                Err("a workload needs a `name` (built in) or a `trace` (a file)".to_owned())
            }
        }
    }
}

impl From<WorkloadSpec> for Table {
    fn from(spec: WorkloadSpec) -> Self {
        let replay = *spec.replay();
        let mut table = Self {
            name: None,
            trace: None,
            requests: replay.requests,
            loops: replay.loops,
            time_scale: replay.time_scale,
            addresses: None,
            parameters: BTreeMap::new(),
            options: None,
        };
        match spec {
            WorkloadSpec::Builtin { name, parameters, .. } => {
                table.name = Some(name);
                table.parameters =
                    parameters.into_iter().map(|(key, value)| (key, Value::Text(value))).collect();
            }
            WorkloadSpec::Trace { path, addresses, options, .. } => {
                table.trace = Some(path);
                table.options = Some(options).filter(|options| *options != TraceOptions::default());
                table.addresses = Some(addresses);
            }
        }
        table
    }
}
