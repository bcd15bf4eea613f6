//! The page: one file with its own style and script, which needs no network.

use crate::json::json_lines;
use crate::recording::Recording;
use std::io::{self, Write};

const STYLE: &str = include_str!("page/style.css");
const BODY: &str = include_str!("page/body.html");
/// Parts of the script, in the order in which they build upon each other.
const SCRIPTS: [&str; 5] = [
    include_str!("page/state.js"),
    include_str!("page/array.js"),
    include_str!("page/panels.js"),
    include_str!("page/timeline.js"),
    include_str!("page/main.js"),
];

/// Writes the page.
///
/// # Errors
/// Those of `to`.
pub fn page(recording: &Recording, to: &mut impl Write) -> io::Result<()> {
    let mut lines = Vec::new();
    json_lines(recording, &mut lines)?;
    let lines = String::from_utf8_lossy(&lines);
    // In a script element `</script>` would end it, and `<!--` begin a comment.
    let data = lines.trim_end().replace('<', "\\u003c").replace('\n', ",\n");
    let title = escape(&format!("{} explained", recording.header.scheme));
    write!(
        to,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n{BODY}\
         <script>\n\"use strict\";\nconst LINES = [\n{data}\n];\n"
    )?;
    SCRIPTS.iter().try_for_each(|script| to.write_all(script.as_bytes()))?;
    to.write_all(b"</script>\n</body>\n</html>\n")
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
