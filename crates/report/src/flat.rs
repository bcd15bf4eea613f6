//! A scheme's report as flat (name, value) pairs, named as in the JSON.

use ::run::report::SchemeReport;
use serde_json::Value;

/// Top-level names in the order of columns; all other names follow.
const ORDER: &str = "name tasks read_tasks write_tasks trim_tasks requests_taken requests requests_refused bound_ns \
    real_time violations first_violation response_ns service_ns step_ns completion_ns waf waf_by_cause copies erases \
    logical_share ram";

/// Fields without a column if no scheme has them, because each one stands for several columns.
const LEFT_OUT: [&str; 8] = [
    "first_violation",
    "copies_by_path",
    "bit_errors",
    "bit_errors.retry",
    "victim_work",
    "deadlines",
    "request_deadline",
    "ssd",
];

/// Fields by which the objects of a list are named.
const KEYS: [&str; 4] = ["task", "job", "handle", "cause"];

/// Every scalar of a scheme with its name in the JSON, in the order of the columns; `null` where not measured.
pub fn values(scheme: &SchemeReport) -> Vec<(String, Value)> {
    let value = serde_json::to_value(scheme).expect("a report has only text keys");
    let Value::Object(mut fields) = value else { return Vec::new() };
    let mut out = Vec::new();
    for name in ORDER.split_whitespace() {
        if let Some(value) = fields.remove(name) {
            push(&mut out, name, &value);
        }
    }
    for (name, value) in &fields {
        push(&mut out, name, value);
    }
    out
}

/// Every scalar of an object in its own order, with the names of objects within it before theirs.
pub fn fields(value: &Value) -> Vec<(String, Value)> {
    let mut out = Vec::new();
    for (name, value) in value.as_object().into_iter().flatten() {
        push(&mut out, name, value);
    }
    out
}

fn push(out: &mut Vec<(String, Value)>, name: &str, value: &Value) {
    match value {
        Value::Null if LEFT_OUT.contains(&name) => {}
        Value::Object(fields) => {
            for (key, field) in fields {
                push(out, &format!("{name}.{key}"), field);
            }
        }
        Value::Array(items) => push_items(out, name, items),
        scalar => out.push((name.to_owned(), scalar.clone())),
    }
}

/// Lists are (cause, number) pairs, objects with a cause, a path or steps, least–mean–most, or sentences.
fn push_items(out: &mut Vec<(String, Value)>, name: &str, items: &[Value]) {
    if let ("erases_per_block", [least, mean, most]) = (name, items) {
        for (part, value) in [("least", least), ("mean", mean), ("most", most)] {
            push(out, &format!("{name}.{part}"), value);
        }
        return;
    }
    let sentences: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
    if sentences.len() == items.len() {
        out.push((name.to_owned(), sentences.join("; ").into()));
        return;
    }
    for (at, item) in items.iter().enumerate() {
        match item {
            Value::Array(pair) if matches!(&pair[..], [Value::String(_), _]) => {
                push(out, &format!("{name}.{}", pair[0].as_str().unwrap_or_default()), &pair[1]);
            }
            Value::Object(fields) if fields.contains_key("steps") => {
                let steps = fields["steps"].as_str().unwrap_or_default();
                push(out, &format!("{name}.{steps}"), &fields["reads"]);
            }
            Value::Object(fields) if fields.contains_key("path") => {
                let path = fields["path"].as_str().unwrap_or_default();
                push(out, &format!("{name}.{path}_pages"), &fields["copies"]);
            }
            Value::Object(fields) if KEYS.iter().any(|key| fields.contains_key(*key)) => {
                let of = KEYS.into_iter().find(|key| fields.contains_key(*key)).unwrap_or_default();
                let part =
                    fields[of].as_str().map_or_else(|| fields[of].to_string(), str::to_owned);
                for (key, field) in fields.iter().filter(|(key, _)| *key != of) {
                    push(out, &format!("{name}.{part}.{key}"), field);
                }
            }
            other => push(out, &format!("{name}.{at}"), other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::{OF_SCHEMES, scalars};
    use crate::samples;

    #[test]
    fn all_scalars_are_there_once() {
        for scheme in samples::on_channels().schemes {
            let scheme = &SchemeReport { waf_above_oracle: Some(0.5), ..scheme };
            let flat = scalars(scheme);
            let of = |name: &str| -> &str {
                let mut found = flat.iter().filter(|(n, _)| n == name);
                let value = &found.next().unwrap_or_else(|| panic!("{name} in {flat:?}")).1;
                assert!(found.next().is_none(), "{name} twice");
                value
            };
            assert_eq!(flat[0], ("name".to_owned(), scheme.name.clone()));
            assert_eq!(of("response_ns.max"), scheme.response_ns.max.to_string());
            assert_eq!(of("response_ns.p99.9"), scheme.response_ns.p99_9.unwrap().to_string());
            assert_eq!(of("response_ns.p99.9999"), "");
            assert_eq!(of("waf_by_cause.host"), "1.0");
            assert_eq!(of("counts.host.programs"), "140000");
            assert_eq!(of("erases_per_block.most"), scheme.erases_per_block.2.to_string());
            assert_eq!(of("ram.map_bytes"), "4194304");
            let requests = ["requests_taken", "requests", "requests_refused"].map(of);
            assert_eq!(requests, ["200000", "200000", "0"]);
            assert_eq!(of("bound_ns"), scheme.bound_ns.map_or(String::new(), |ns| ns.to_string()));
            assert!(of("warnings").contains("too few"));
            assert_eq!(of("victim_work.chosen.reads"), "600000");
            assert_eq!(of("ssd.window_ns"), "100000000");
            let serial = SchemeReport { ssd: None, ..scheme.clone() };
            assert!(scalars(&serial).iter().all(|(name, _)| !name.starts_with("ssd")));
            for (figure, column) in OF_SCHEMES.iter().filter_map(|f| Some((f, f.column?))) {
                assert!(!flat.iter().any(|(n, _)| n == figure.name), "{}", figure.name);
                of(column);
            }
        }
    }
}
