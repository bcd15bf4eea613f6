//! The pages: one file each with its own style and script, which needs no network.

use crate::json::json_lines;
use crate::recording::Recording;
use std::io::{self, Write};

/// Style of the array, which saved pictures have, too.
const ARRAY_STYLE: &str = include_str!("page/array.css");
const STYLE: &str = include_str!("page/style.css");
const BODY: &str = include_str!("page/body.html");
const BESIDE: &str = include_str!("page/beside.html");
const CONTROLS: &str = include_str!("page/controls.html");
/// Where a body has its controls.
const PLACE: &str = "  <!-- controls -->\n";
/// Parts of the script of one scheme, in the order in which they build upon each other.
const OF_SCHEME: [&str; 6] = [
    include_str!("page/state.js"),
    include_str!("page/array.js"),
    include_str!("page/panels.js"),
    include_str!("page/timeline.js"),
    include_str!("page/lanes.js"),
    include_str!("page/side.js"),
];
/// What the controls step through: one scheme or two.
const ONE: &str = include_str!("page/single.js");
const TWO: &str = include_str!("page/beside.js");
const STEPS: &str = include_str!("page/controls.js");

/// Writes the page of a scheme.
///
/// # Errors
/// Those of `to`.
pub fn page(recording: &Recording, to: &mut impl Write) -> io::Result<()> {
    let body = BODY.replace(PLACE, CONTROLS);
    begin(&format!("{} explained", recording.header.scheme), &body, to)?;
    write!(
        to,
        "const LINES = {};\nconst ROOT = document;\nconst HOST = {{ longest: 0, go: (at) => show(at), move: (by) => move(by) }};\n",
        lines(recording)?
    )?;
    OF_SCHEME.iter().chain(&[ONE, STEPS]).try_for_each(|script| to.write_all(script.as_bytes()))?;
    end(to)
}

/// Writes the page of two schemes on the same requests, side by side: both recordings are of [`crate::record_beside`].
///
/// # Errors
/// Those of `to`.
pub fn page_beside([left, right]: &[Recording; 2], to: &mut impl Write) -> io::Result<()> {
    let side = BODY.replace(PLACE, "");
    let body = BESIDE.replace(PLACE, CONTROLS);
    let body = format!("{body}<template id=\"side-template\">\n{side}</template>\n");
    begin(&format!("{} beside {}", left.header.scheme, right.header.scheme), &body, to)?;
    // Each scheme has the same script in a scope of its own.
    write!(
        to,
        "const RECORDINGS = [{}, {}];\nfunction side(ROOT, LINES, HOST) {{\n",
        lines(left)?,
        lines(right)?
    )?;
    OF_SCHEME.iter().try_for_each(|script| to.write_all(script.as_bytes()))?;
    to.write_all(b"return { HEADER, FRAMES, TASKS, drawFrame, drawing, figures, timeText };\n}\n")?;
    [TWO, STEPS].iter().try_for_each(|script| to.write_all(script.as_bytes()))?;
    end(to)
}

fn begin(title: &str, body: &str, to: &mut impl Write) -> io::Result<()> {
    let title = escape(title);
    write!(
        to,
        "<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta http-equiv=\"Content-Security-Policy\" \
         content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style id=\"array-style\">\n{ARRAY_STYLE}</style>\n<style>\n{STYLE}</style>\n</head>\n<body>\n{body}\
         <footer>Keys: ← → one operation, Shift + ← → one page task, space plays, Home and End, s saves a picture. The address holds \
         the frame.</footer>\n<script>\n\"use strict\";\n"
    )
}

fn end(to: &mut impl Write) -> io::Result<()> {
    to.write_all(b"</script>\n</body>\n</html>\n")
}

/// The JSON lines of a recording as a list.
fn lines(recording: &Recording) -> io::Result<String> {
    let mut lines = Vec::new();
    json_lines(recording, &mut lines)?;
    let lines = String::from_utf8_lossy(&lines);
    // In a script element `</script>` would end it, and `<!--` begin a comment.
    Ok(format!("[\n{}\n]", lines.trim_end().replace('<', "\\u003c").replace('\n', ",\n")))
}

pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
