//! JSON against a JSON Schema, with the keywords that the published one uses.

use serde_json::Value;

/// Checks a value against a schema of the document `root`.
///
/// # Errors
/// Where the value differs. A keyword that is not known is an error, too.
pub(crate) fn check(root: &Value, schema: &Value, value: &Value, at: &str) -> Result<(), String> {
    let Value::Object(schema) = schema else {
        return if *schema == Value::Bool(true) {
            Ok(())
        } else {
            Err(format!("{at}: not allowed"))
        };
    };
    let fields = value.as_object();
    for (keyword, wanted) in schema {
        let holds = match keyword.as_str() {
            "$defs" | "$schema" | "title" | "description" | "format" => true,
            "$ref" => {
                let pointer = wanted.as_str().and_then(|text| text.strip_prefix('#'));
                let target = pointer.and_then(|pointer| root.pointer(pointer));
                check(root, target.ok_or(format!("{at}: no {wanted}"))?, value, at)?;
                true
            }
            "anyOf" => list(wanted).iter().any(|schema| check(root, schema, value, at).is_ok()),
            "type" => match wanted {
                Value::Array(types) => types.iter().any(|wanted| is_of(value, wanted)),
                wanted => is_of(value, wanted),
            },
            "minimum" => value.as_f64().is_none_or(|value| Some(value) >= wanted.as_f64()),
            "maximum" => value.as_f64().is_none_or(|value| Some(value) <= wanted.as_f64()),
            "minItems" => {
                value.as_array().is_none_or(|items| Some(items.len() as u64) >= wanted.as_u64())
            }
            "maxItems" => {
                value.as_array().is_none_or(|items| Some(items.len() as u64) <= wanted.as_u64())
            }
            "required" => fields.is_none_or(|fields| {
                list(wanted)
                    .iter()
                    .all(|name| name.as_str().is_some_and(|name| fields.contains_key(name)))
            }),
            "properties" => {
                for (name, field) in fields.into_iter().flatten() {
                    if let Some(schema) = wanted.get(name) {
                        check(root, schema, field, &format!("{at}.{name}"))?;
                    }
                }
                true
            }
            "additionalProperties" => {
                let named = schema.get("properties").and_then(Value::as_object);
                for (name, field) in fields.into_iter().flatten() {
                    if !named.is_some_and(|named| named.contains_key(name)) {
                        check(root, wanted, field, &format!("{at}.{name}"))?;
                    }
                }
                true
            }
            "items" | "prefixItems" => {
                for (number, item) in value.as_array().into_iter().flatten().enumerate() {
                    let schema = if keyword == "items" { Some(wanted) } else { wanted.get(number) };
                    if let Some(schema) = schema {
                        check(root, schema, item, &format!("{at}[{number}]"))?;
                    }
                }
                true
            }
            _ => return Err(format!("{at}: this check does not know `{keyword}`")),
        };
        if !holds {
            return Err(format!("{at}: {value} is not of {keyword} {wanted}"));
        }
    }
    Ok(())
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn is_of(value: &Value, wanted: &Value) -> bool {
    match wanted.as_str().unwrap_or_default() {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => false,
    }
}
