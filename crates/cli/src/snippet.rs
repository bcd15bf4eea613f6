//! A picture of the lines at fault of a text.

use std::ops::Range;
use unicode_width::UnicodeWidthChar;

/// Columns from one tab stop to the next.
const TAB: usize = 4;

struct Line<'a> {
    number: usize,
    /// Bytes in the text, with the line break.
    at: Range<usize>,
    text: &'a str,
}

impl Line<'_> {
    /// True if some of the span is in this line; an empty span is as one of a byte.
    fn is_marked(&self, span: &Range<usize>) -> bool {
        span.start < self.at.end && span.end.max(span.start + 1) > self.at.start
    }

    /// True if nothing of the span is in another line.
    fn has_all(&self, span: &Range<usize>) -> bool {
        span.start >= self.at.start && span.end <= self.at.end
    }

    /// Columns before a place in the text; a line break takes one.
    fn column(&self, place: usize) -> usize {
        let before = place - self.at.start;
        let text = self.text.get(..before).unwrap_or(self.text);
        columns(text).map(|(_, width)| width).sum::<usize>() + usize::from(before > self.text.len())
    }
}

/// A control character, which a terminal might take as a command, as its picture.
fn shown(c: char) -> char {
    match c {
        '\t' => c,
        '\0'..='\u{1f}' => char::from_u32(0x2400 + u32::from(c)).unwrap_or(c),
        c if c.is_control() => char::REPLACEMENT_CHARACTER,
        c => c,
    }
}

/// Characters and their columns.
fn columns(text: &str) -> impl Iterator<Item = (char, usize)> {
    text.chars().map(shown).scan(0, |column, c| {
        let width = if c == '\t' { TAB - *column % TAB } else { c.width().unwrap_or(0) };
        *column += width;
        Some((c, width))
    })
}

/// The lines of a span of bytes of `text`, one before and one after them, with a mark; nothing if the text has no such span.
pub(crate) fn snippet(place: &str, text: &str, span: &Range<usize>, color: bool) -> String {
    if span.end > text.len() + 1 {
        return String::new();
    }
    let [dim, bright, marked, plain] =
        if color { ["\x1b[2m", "\x1b[36;1;4m", "\x1b[35;1m", "\x1b[0m"] } else { [""; 4] };
    let mut from = 0;
    let lines: Vec<Line<'_>> = { text.split_inclusive('\n').enumerate() }
        .map(|(n, whole)| {
            let at = from..from + whole.len();
            from = at.end;
            let text =
                whole.strip_suffix('\n').map_or(whole, |t| t.strip_suffix('\r').unwrap_or(t));
            Line { number: n + 1, at, text }
        })
        .collect();
    let before = { lines.iter() }
        .take_while(|line| line.at.end <= span.start && text[..line.at.end].ends_with('\n'))
        .count();
    let mut after = 0;
    let shown: Vec<&Line<'_>> = { lines[before.saturating_sub(1)..].iter() }
        .take_while(|line| {
            let is_shown = after < 2;
            after += usize::from(line.at.end > span.end.max(1));
            is_shown
        })
        .collect();

    let width = shown.last().map_or(1, |line| line.number.to_string().len());
    let start = span.start - lines.get(before).map_or(from, |line| line.at.start);
    let mut out =
        format!("{:1$}╭─[{bright}{place}:{2}:{3}{plain}]\n", "", width + 2, before + 1, start + 1);
    let beside = shown.iter().any(|line| line.is_marked(span) && !line.has_all(span));
    for line in shown {
        let (is_marked, has_all) = (line.is_marked(span), line.has_all(span));
        let ends = is_marked && span.end <= line.at.end;
        let gutter = match is_marked && !has_all {
            true if span.start >= line.at.start => format!("{marked}╭─▶{plain} "),
            true if ends => format!("{marked}├─▶{plain} "),
            true => format!("{marked}│{plain}   "),
            false if beside => "    ".into(),
            false => String::new(),
        };
        let text: String = columns(line.text)
            .map(|(c, width)| if c == '\t' { " ".repeat(width) } else { c.into() })
            .collect();
        out += &format!(" {dim}{:width$}{plain} │ {gutter}{text}\n", line.number);
        let margin = format!(" {:width$} · ", "");
        if is_marked && has_all {
            let left = line.column(span.start);
            let right =
                if span.is_empty() { left + 1 } else { line.column(span.end).max(left + 1) };
            let middle = (left + right) / 2;
            let mark = if span.is_empty() { '▲' } else { '┬' };
            let [dashes, rest] = [middle - left, right - middle - 1].map(|n| "─".repeat(n));
            let space = " ".repeat(left);
            out += &format!("{margin}{marked}{space}{dashes}{mark}{rest}{plain}\n");
            out += &format!("{margin}{:middle$}{marked}╰── here{plain}\n", "");
        } else if ends {
            out += &format!("{margin}{marked}╰──── here{plain}\n");
        }
    }
    out + &format!("{:1$}╰────\n", "", width + 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, marked: &str) -> String {
        let start = text.find(marked).unwrap();
        snippet("x.toml", text, &(start..start + marked.len()), false)
    }

    #[test]
    fn what_is_wrong_is_marked_below_its_line() {
        let text = "a = 1\r\n\t漢 = \"wrong\"\nc = 3\nd = 4\n";
        let picture = "   ╭─[x.toml:2:8]
 1 │ a = 1
 2 │     漢 = \"wrong\"
   ·          ───┬───
   ·             ╰── here
 3 │ c = 3
   ╰────
";
        assert_eq!(shown(text, "\"wrong\""), picture);
        assert!(shown(text, "").contains(" · ▲\n   · ╰── here\n"));
        assert_eq!(snippet("x.toml", "a", &(1..9), false), "", "no such place");
    }

    #[test]
    fn what_is_wrong_in_several_lines_is_marked_beside_them() {
        let picture = "   ╭─[x.toml:1:5]
 1 │ ╭─▶ a = [
 2 │ │     1,
 3 │ ├─▶ ]
   · ╰──── here
 4 │     b = 2
   ╰────
";
        assert_eq!(shown("a = [\n  1,\n]\nb = 2\n", "[\n  1,\n]"), picture);
    }
}
