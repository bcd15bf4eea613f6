//! Format detection: by content if that suffices, else by the end of the file name.

use std::path::Path;

use memchr::{memchr_iter, memrchr};

use crate::formats::buffer::HEAD_BYTES;
use crate::formats::csv;
use crate::formats::fields::shortened;
use crate::formats::format::FormatInfo;
use crate::formats::head::{Head, Looks, is_aside};
use crate::formats::{FORMATS, find, names};
use crate::input::plain_name;

/// A detected format and the reason for it.
pub(crate) struct Detected {
    pub(crate) format: &'static FormatInfo,
    pub(crate) how: String,
    /// Format that the content resembles, if it is a different one.
    pub(crate) looks_like: Option<&'static str>,
}

/// Returns the requested format or the detected one, or an error text if there is none.
pub(crate) fn detect(
    path: &Path,
    head: &Head<'_>,
    asked: Option<&str>,
) -> Result<Detected, String> {
    if head.bytes.is_empty() {
        return Err("the file is empty".into());
    }
    if let Some(name) = asked {
        let format = find(name).ok_or_else(|| {
            format!("no trace format is called `{name}`; the formats are {}", all())
        })?;
        let other = by_content(head).ok().filter(|d| d.format.name != name);
        let looks_like = other.map(|d| d.format.name);
        return Ok(Detected { format, how: "as requested".into(), looks_like });
    }
    let why = match by_content(head) {
        Ok(detected) => return Ok(detected),
        Err(why) => why,
    };
    let plain = plain_name(path).to_ascii_lowercase();
    let plain = plain.strip_suffix(".bin").unwrap_or(&plain);
    let by_name = |info: &&FormatInfo| matches!((info.looks)(head), Looks::ByName(_));
    match FORMATS.iter().copied().find(|info| by_name(info) && plain.ends_with(info.name)) {
        Some(format) => Ok(Detected { format, how: "by the file's name".into(), looks_like: None }),
        None => Err(why),
    }
}

fn all() -> String {
    FORMATS.iter().map(|info| info.name).collect::<Vec<_>>().join(", ")
}

fn by_content(head: &Head<'_>) -> Result<Detected, String> {
    let mut best = (0, 0, None);
    let mut fits = Vec::new();
    for &format in FORMATS {
        let looks = (format.looks)(head);
        if let Looks::Lines(n, of) = looks
            && 2 * n > of
        {
            fits.push((format.name, n));
        }
        match looks {
            Looks::Sure => {
                let how = format!("recognised {}", format.detection);
                return Ok(Detected { format, how, looks_like: None });
            }
            // Of as many lines, a format that reads the header as one is more likely.
            Looks::Lines(n, of) if n > best.0 || (n == best.0 && of < best.1) => {
                best = (n, of, Some(format));
            }
            Looks::Lines(..) | Looks::No | Looks::ByName(_) => {}
        }
    }
    let table =
        || csv::refused(head).map(|why| format!("the first line is the header of a table: {why}"));
    match best {
        (n, of, Some(format)) if 2 * n > of => Ok(Detected {
            format,
            how: format!(
                "recognised by its lines: {n} of the first {of} fit{}",
                others(&fits, format)
            ),
            looks_like: None,
        }),
        (n, of, Some(format)) => Err(table().unwrap_or_else(|| {
            format!(
                "the format cannot be detected: only {n} of the first {of} lines fit `{}`, and other formats fit \
                 less; name it with --format NAME",
                format.name
            )
        })),
        (_, _, None) => Err(table().unwrap_or_else(|| unknown(head))),
    }
}

/// The other formats that most lines fit.
fn others(fits: &[(&str, usize)], best: &FormatInfo) -> String {
    let others = fits.iter().filter(|(name, _)| *name != best.name);
    let others: Vec<_> = others.map(|(name, n)| format!("{n} fit `{name}`, too")).collect();
    if others.is_empty() {
        String::new()
    } else {
        format!("; {}: --format names the right one", others.join(", "))
    }
}

/// Error text for content that matches no format.
fn unknown(head: &Head<'_>) -> String {
    let bytes = head.bytes;
    let packed = match bytes {
        [b'P', b'K', 3, 4, ..] => Some("a zip archive"),
        [b'7', b'z', 0xbc, 0xaf, ..] => Some("a 7z archive"),
        _ if bytes.get(257..262) == Some(b"ustar") => Some("a tar archive"),
        _ => None,
    };
    if let Some(packed) = packed {
        return format!("this is {packed}: unpack it and read the files within");
    }
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        return "this is UTF-16 text: convert it to UTF-8 (iconv -f UTF-16 -t UTF-8)".into();
    }
    let perhaps = names(|info| (info.looks)(head) == Looks::ByName(true));
    if bytes.contains(&0) {
        let told = names(|info| info.binary && (info.looks)(head) == Looks::No);
        return format!(
            "this is binary, and none of {told}: if it is a format that cannot be detected, give --format \
            {perhaps} ({} bytes examined)",
            bytes.len()
        );
    }
    let Some(first) = head.lines.first() else {
        return no_line(head);
    };
    if !perhaps.is_empty() {
        return format!(
            "{perhaps} look the same; name the format with --format NAME, or by the ending of the file name"
        );
    }
    let is_separator = |byte: &u8| b",;\t".contains(byte);
    let is_header = first.iter().any(is_separator) && !first.iter().any(u8::is_ascii_digit);
    if head.all && head.lines.len() == 1 && is_header {
        return format!(
            "no records: the only line is `{}`, which looks like a header",
            shortened(first)
        );
    }
    format!(
        "the format cannot be detected: no format fits the first line, `{}`; name it with --format NAME, one of \
         {}. A table is read if its first line is as `time_s,op,offset_bytes,length_bytes` and the others as \
         `0.5,read,4096,512`",
        shortened(first),
        all()
    )
}

/// Error text for content without a line that could be a record.
fn no_line(head: &Head<'_>) -> String {
    let begin = memrchr(b'\n', head.bytes).map_or(0, |at| at + 1);
    let line = 1 + memchr_iter(b'\n', head.bytes).count();
    let rest = &head.bytes[begin..];
    if !head.all && 2 * rest.len() > HEAD_BYTES && !is_aside(rest) {
        return format!(
            "the format cannot be detected: line {line} does not end within the first {} KiB, which are \
            examined. If this is a trace, name its format with --format NAME",
            HEAD_BYTES >> 10
        );
    }
    let place = if head.all { "the file" } else { "its first 64 KiB" };
    format!("no records: {place} holds only empty lines and comments")
}
