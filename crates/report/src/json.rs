//! The report as JSON.

use ::run::report::Report;

/// The report as one indented JSON object. Times are integers in ns; values not measured are `null`.
pub fn to_json(report: &Report) -> String {
    serde_json::to_string_pretty(report).expect("a report has only text keys")
}

#[cfg(test)]
mod tests {
    use super::to_json;
    use crate::samples;
    use serde_json::{Value, json};

    #[test]
    fn titles() {
        let mut report = samples::report();
        report.workload = json!({"file": "/data/traces/vm-2h.csv", "format": "csv"});
        report.configuration = json!({"part": {"name": "slc-2k"}});
        assert_eq!(report.title(), "vm-2h.csv on slc-2k");
        report.configuration = json!({"device": {"part": "mlc"}});
        report.workload = json!("uniform");
        assert_eq!(report.title(), "uniform on mlc");
        report.configuration = json!({"workload": {"kind": {"name": "zipf"}}});
        report.workload = json!(null);
        assert_eq!(report.title(), "zipf");
        report.configuration = json!(null);
        assert_eq!(report.title(), "workload");
    }

    #[test]
    fn keys_by_which_others_read_it() {
        let json: Value = serde_json::from_str(&to_json(&samples::report())).unwrap();
        for key in ["version", "configuration", "seed", "workload", "interrupted"] {
            assert!(json.get(key).is_some(), "{key}");
        }
        let scheme = &json["schemes"][2];
        for key in [
            "name",
            "tasks",
            "bound_ns",
            "violations",
            "copies",
            "erases",
            "waf",
            "waf_by_cause",
            "logical_share",
            "ram",
            "ram_bytes",
            "energy_nj",
            "energy_nj_per_task",
            "victim_work",
            "ssd",
            "wear_index",
            "collection",
            "counts",
        ] {
            assert!(scheme.get(key).is_some(), "{key}");
        }
        assert!(scheme.get("series").is_none(), "series go to CSV");
        for times in ["service_ns", "step_ns", "response_ns", "completion_ns"] {
            for key in [
                "count", "mean", "p50", "p90", "p99", "p99.9", "p99.99", "p99.999", "p99.9999",
                "max",
            ] {
                assert!(scheme[times].get(key).is_some(), "{times}.{key}");
            }
        }
        assert_eq!(scheme["bound_ns"], 2_220_900);
        assert_eq!(scheme["response_ns"]["max"], 2_220_900);
        assert_eq!(json["schemes"][0]["bound_ns"], Value::Null);
        assert_eq!(json["schemes"][0]["ssd"], Value::Null);
        let on_channels = to_json(&samples::on_channels());
        let json: Value = serde_json::from_str(&on_channels).unwrap();
        for key in ["page_commands", "window_least_per_second", "longest_stall_ns", "link_use"] {
            assert!(!json["schemes"][0]["ssd"][key].is_null(), "{key}");
        }
        assert_eq!(json["schemes"][0]["victim_work"]["chosen"]["reads"], 600_000);
    }
}
