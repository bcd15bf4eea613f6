//! Text of others on a terminal.

use std::borrow::Cow;

/// The text with its control characters escaped, as in a string of Rust (`\n`, `\u{1b}`): a terminal does not obey what a file says.
///
/// For what comes from outside: names of files, devices and parts, fields of a trace, settings of an image.
#[must_use]
pub fn escaped(text: &str) -> Cow<'_, str> {
    escaped_but(text, &[])
}

/// As [`escaped`], of a text of several lines: line breaks and tabs stay.
#[must_use]
pub fn escaped_lines(text: &str) -> Cow<'_, str> {
    escaped_but(text, &['\n', '\t'])
}

fn escaped_but<'a>(text: &'a str, plain: &[char]) -> Cow<'a, str> {
    // Marks that turn the direction of writing around change what a line seems to say.
    let turns = |c| matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let obeyed = |c: char| (c.is_control() || turns(c)) && !plain.contains(&c);
    if !text.contains(obeyed) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if obeyed(c) { out.extend(c.escape_default()) } else { out.push(c) }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_obeys_is_escaped_and_all_else_is_as_it_was() {
        for (text, shown) in [
            ("plain, ä µ 見 `x`", "plain, ä µ 見 `x`"),
            ("a\x1b[2Jb\x07", "a\\u{1b}[2Jb\\u{7}"),
            ("two\nlines\r\t", "two\\nlines\\r\\t"),
            ("\u{9b}31m\u{7f}", "\\u{9b}31m\\u{7f}"),
            ("\u{202e}txt.exe", "\\u{202e}txt.exe"),
        ] {
            assert_eq!(escaped(text), shown);
        }
        assert_eq!(escaped_lines("a\u{1b}[2J\tb\r\n\u{9b}"), "a\\u{1b}[2J\tb\\r\n\\u{9b}");
    }
}
