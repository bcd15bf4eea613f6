//! Documentation pages of schemes, cut from their module headers so that a page and its code stay together.

/// The header of a scheme's source file (the first block of `//!` lines) as Markdown. It is cut out at compile time,
/// so a binary holds the header without the source.
macro_rules! page {
    ($file:literal) => {{
        const SOURCE: &str = include_str!($file);
        const TEXT: [u8; $crate::page::header_bytes(SOURCE)] = $crate::page::header(SOURCE);
        match core::str::from_utf8(&TEXT) {
            Ok(text) => text,
            Err(_) => panic!("whole lines of UTF-8 are UTF-8"),
        }
    }};
}
pub(crate) use page;

const MARK: &[u8] = b"//!";

/// Length of the header of this source, bytes.
pub(crate) const fn header_bytes(source: &str) -> usize {
    copy_header(source.as_bytes(), &mut [])
}

/// The header of this source; `BYTES` is its length.
pub(crate) const fn header<const BYTES: usize>(source: &str) -> [u8; BYTES] {
    let mut text = [0; BYTES];
    copy_header(source.as_bytes(), &mut text);
    text
}

/// Copies the header without comment marks as far as `text` has room; returns the header's length.
const fn copy_header(source: &[u8], text: &mut [u8]) -> usize {
    let (mut at, mut length) = (0, 0);
    while is_mark(source, at) {
        at += MARK.len();
        if at < source.len() && source[at] == b' ' {
            at += 1;
        }
        let mut in_line = true;
        while in_line && at < source.len() {
            if length < text.len() {
                text[length] = source[at];
            }
            in_line = source[at] != b'\n';
            length += 1;
            at += 1;
        }
    }
    length
}

const fn is_mark(source: &[u8], at: usize) -> bool {
    at + MARK.len() <= source.len()
        && source[at] == MARK[0]
        && source[at + 1] == MARK[1]
        && source[at + 2] == MARK[2]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::REGISTRY;
    use alloc::{format, string::String};

    #[test]
    fn a_header_ends_with_its_comment() {
        const SOURCE: &str = "//! `λ`:\n//!\n//!   in\n//! end\n\n//! not this\nuse x;\n";
        const TEXT: [u8; header_bytes(SOURCE)] = header(SOURCE);
        assert_eq!(core::str::from_utf8(&TEXT), Ok("`λ`:\n\n  in\nend\n"));
        assert_eq!(header_bytes("use x;"), 0);
        assert_eq!(header_bytes("//! unended"), 7);
    }

    #[test]
    fn every_scheme_has_the_page_of_its_own_file() {
        for preset in REGISTRY {
            let start = format!("`{}`: ", preset.name);
            assert!(preset.page.starts_with(&start), "{start}… is not: {}", preset.page);
            let missing: String = ["```text\n", "Parameters", "Errors", "Source"]
                .into_iter()
                .filter(|section| !preset.page.contains(section))
                .collect();
            assert_eq!(missing, "", "missing in the header of {}", preset.name);
        }
    }
}
