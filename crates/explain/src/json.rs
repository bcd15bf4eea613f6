//! JSON lines: the header, then one line per frame.

use crate::recording::Recording;
use std::io::{self, Write};

/// Writes a recording as JSON lines: the header (`"type": "header"`), then a line per frame.
///
/// # Errors
/// Those of `to`.
pub fn json_lines(recording: &Recording, to: &mut impl Write) -> io::Result<()> {
    let header = serde_json::to_value(&recording.header)?;
    let mut line = serde_json::Map::from_iter([("type".to_owned(), "header".into())]);
    if let serde_json::Value::Object(fields) = header {
        line.extend(fields);
    }
    serde_json::to_writer(&mut *to, &line)?;
    to.write_all(b"\n")?;
    for frame in &recording.frames {
        serde_json::to_writer(&mut *to, frame)?;
        to.write_all(b"\n")?;
    }
    Ok(())
}
