//! What a run reports: data, whose serialization is the output of `--json`. Whoever shows it renders it.

mod contents;
mod deadlines;
mod jobs;
mod request_deadline;
mod request_deadline_text;
mod ssd;
mod title;
pub mod units;

pub use crate::batch_means::{BatchMeans, RunMean};
pub use crate::summary::Summary;
pub use contents::{
    BitErrorReport, BufferReport, CauseCounts, CollectionReport, CopyCount, HandleReport,
    HostLogReport, LargestRequest, LeftOut, MapCacheReport, MergeReport, RamReport, RefreshReport,
    RefusedReport, Report, RetriedReads, RetryReport, SchemeReport, Series, SlcCacheReport,
    StreamsReport, Violation, ZonesReport, waf_by_cause,
};
pub use deadlines::{DeadlineReport, LateJob, TaskDeadlines};
pub use jobs::JobReport;
pub use request_deadline::{LimitReport, RequestDeadline};
pub use ssd::{EntryCount, PlaneReport, SsdReport, VictimWorkReport, WindowSample};

#[cfg(test)]
mod tests {
    use super::Report;
    use serde_json::Value;
    use std::path::Path;

    /// Objects with named fields have no others.
    fn close(schema: &mut Value) {
        match schema {
            Value::Object(fields) => {
                fields.values_mut().for_each(close);
                if fields.contains_key("properties") {
                    fields.insert("additionalProperties".into(), false.into());
                }
            }
            Value::Array(items) => items.iter_mut().for_each(close),
            _ => {}
        }
    }

    #[test]
    fn the_published_schema_is_of_this_report() {
        let settings = schemars::generate::SchemaSettings::draft2020_12().for_serialize();
        let mut schema = settings.into_generator().into_root_schema_for::<Report>().to_value();
        close(&mut schema);
        let text = serde_json::to_string_pretty(&schema).unwrap() + "\n";
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/report.schema.json");
        if std::env::var_os("FTLKIT_WRITE_SCHEMA").is_some() {
            std::fs::write(&path, &text).unwrap();
        }
        let published = std::fs::read_to_string(&path).unwrap_or_default();
        let told = "docs/report.schema.json is of another report; write it with \
                    FTLKIT_WRITE_SCHEMA=1 cargo test -p ftlkit-run the_published_schema";
        assert!(published == text, "{told}");
    }
}
