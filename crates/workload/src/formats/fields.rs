//! Parsing of the fields of one line: integers and decimals directly from the bytes, never through floats.

use crate::escape::escaped;

/// Error with position in a line or record. Boxed to keep the success path small.
pub(crate) type Bad = Box<BadField>;

/// A field with invalid content.
#[derive(Debug)]
pub(crate) struct BadField {
    /// Column from 1 (byte within the record for binary formats); 0 if none is known.
    pub(crate) column: usize,
    pub(crate) expected: String,
    pub(crate) found: String,
}

impl BadField {
    #[cold]
    pub(crate) fn at(at: usize, expected: impl Into<String>, found: impl Into<String>) -> Bad {
        Box::new(Self { column: at + 1, expected: expected.into(), found: found.into() })
    }
}

/// At most 40 characters of `bytes`, with control characters escaped.
pub(crate) fn shortened(bytes: &[u8]) -> String {
    let cut = &bytes[..bytes.len().min(40)];
    let mut text = escaped(&String::from_utf8_lossy(cut)).into_owned();
    if cut.len() < bytes.len() {
        text.push('…');
    }
    text
}

/// Position in a line.
///
/// `SEP` separates the fields: `b','`, `b';'` or `b'\t'` (exactly one, with optional blanks around it), or `b' '`
/// (any run of blanks).
pub(crate) struct Fields<'a, const SEP: u8> {
    line: &'a [u8],
    at: usize,
    field: usize,
    first: bool,
}

impl<'a, const SEP: u8> Fields<'a, SEP> {
    #[inline]
    pub(crate) fn new(line: &'a [u8]) -> Self {
        Self { line, at: 0, field: 0, first: true }
    }

    /// Starts in the middle of a line; the next field is treated as the first.
    pub(crate) fn within(line: &'a [u8], at: usize) -> Self {
        Self { line, at, field: at, first: true }
    }

    #[inline]
    fn peek(&self) -> Option<u8> {
        self.line.get(self.at).copied()
    }

    #[inline]
    fn blanks(&mut self) {
        while let Some(b) = self.peek()
            && (b == b' ' || (b == b'\t' && SEP != b'\t'))
        {
            self.at += 1;
        }
    }

    /// Skips the separator before a field, except before the first.
    #[inline]
    fn begin(&mut self, what: &str) -> Result<(), Bad> {
        let before = self.at;
        self.blanks();
        if !std::mem::take(&mut self.first) {
            if SEP == b' ' {
                if self.at == before && self.at < self.line.len() {
                    return Err(self.bad(&format!("a blank before {what}")));
                }
            } else if self.peek() == Some(SEP) {
                self.at += 1;
                self.blanks();
            } else {
                self.field = self.at;
                let name = match SEP {
                    b',' => "a comma",
                    b';' => "a semicolon",
                    _ => "a tab",
                };
                return Err(self.bad(&format!("{name} and then {what}")));
            }
        }
        self.field = self.at;
        Ok(())
    }

    /// Error that shows the rest of the current field.
    #[cold]
    pub(crate) fn bad(&self, expected: &str) -> Bad {
        let rest = &self.line[self.field..];
        let end = rest.iter().position(|&b| is_end::<SEP>(b)).unwrap_or(rest.len());
        let found = match &rest[..end] {
            [] if rest.is_empty() => "end of line".into(),
            [] => shortened(&rest[..1]),
            field => shortened(field),
        };
        BadField::at(self.field, expected, found)
    }

    /// Parses digits: the value and their number. The value is `None` beyond 64 bits.
    #[inline]
    fn digits(&mut self) -> (Option<u64>, usize) {
        let from = self.at;
        let mut value = 0_u64;
        while let Some(d) = self.line.get(self.at).map(|b| b.wrapping_sub(b'0'))
            && d < 10
        {
            value = value.wrapping_mul(10).wrapping_add(u64::from(d));
            self.at += 1;
        }
        let n = self.at - from;
        // 19 digits always fit 64 bits.
        if n <= 19 { (Some(value), n) } else { (checked_digits(&self.line[from..self.at]), n) }
    }

    /// An unsigned integer.
    #[inline]
    pub(crate) fn uint(&mut self, what: &str) -> Result<u64, Bad> {
        self.begin(what)?;
        match self.digits() {
            (Some(value), 1..) => Ok(value),
            (None, _) => Err(self.bad(&format!("{what}, an integer below 2^64"))),
            _ => Err(self.bad(&format!("{what}, an unsigned integer"))),
        }
    }

    /// An unsigned integer of at most 32 bits.
    #[inline]
    pub(crate) fn uint32(&mut self, what: &str) -> Result<u32, Bad> {
        let value = self.uint(what)?;
        u32::try_from(value).map_err(|_| self.bad(&format!("{what}, an integer below 2^32")))
    }

    /// An unsigned integer in units of `unit` (bytes, ns).
    #[inline]
    pub(crate) fn scaled(&mut self, what: &str, unit: u64) -> Result<u64, Bad> {
        let value = self.uint(what)?;
        value
            .checked_mul(unit)
            .ok_or_else(|| self.bad(&format!("{what}, at most {}", u64::MAX / unit)))
    }

    /// A count of 512-byte sectors, as bytes.
    #[inline]
    pub(crate) fn sectors(&mut self, what: &str) -> Result<u64, Bad> {
        self.scaled(what, 512)
    }

    /// An unsigned decimal × 10^`places`; further decimals are truncated. Accepts `12`, `12.5`, `.5` and
    /// `1e-05`.
    #[inline]
    pub(crate) fn decimal(&mut self, what: &str, places: u32) -> Result<u64, Bad> {
        self.begin(what)?;
        self.decimal_here(what, places)
    }

    /// Skips the separator before an optional field; true if the field is empty.
    ///
    /// If it is not empty, one of the `_here` functions must follow.
    #[inline]
    pub(crate) fn is_empty(&mut self, what: &str) -> Result<bool, Bad> {
        self.begin(what)?;
        Ok(self.peek().is_none_or(is_end::<SEP>))
    }

    /// Parses a decimal whose separator has been skipped.
    #[inline]
    pub(crate) fn decimal_here(&mut self, what: &str, places: u32) -> Result<u64, Bad> {
        let (whole, whole_digits) = self.digits();
        let mut fraction = 0_u64;
        let mut got = 0;
        let mut fraction_digits = 0;
        if self.peek() == Some(b'.') || (SEP != b',' && self.peek() == Some(b',')) {
            self.at += 1;
            while let Some(d) = self.line.get(self.at).map(|b| b.wrapping_sub(b'0'))
                && d < 10
            {
                if got < places {
                    fraction = fraction * 10 + u64::from(d);
                    got += 1;
                }
                fraction_digits += 1;
                self.at += 1;
            }
        }
        if whole_digits + fraction_digits == 0 {
            return Err(self.bad(&format!("{what}, an unsigned decimal")));
        }
        if let Some(b'e' | b'E') = self.peek() {
            return self.exponent(what, places);
        }
        whole
            .and_then(|whole| whole.checked_mul(POWERS[places as usize]))
            .and_then(|whole| whole.checked_add(fraction * POWERS[(places - got) as usize]))
            .ok_or_else(|| {
                self.bad(&format!("{what}, below {}", u64::MAX / POWERS[places as usize]))
            })
    }

    /// Rare case: a decimal with an exponent, as C's `%g` prints small numbers.
    #[cold]
    fn exponent(&mut self, what: &str, places: u32) -> Result<u64, Bad> {
        let mut value = 0_u128;
        let mut power = i64::from(places);
        let mut point = false;
        let mantissa = &self.line[self.field..self.at];
        self.at += 1;
        let negative = match self.peek() {
            Some(sign @ (b'+' | b'-')) => {
                self.at += 1;
                sign == b'-'
            }
            _ => false,
        };
        let (Some(exponent @ ..=99), 1..) = self.digits() else {
            return Err(self.bad(&format!("{what}, a decimal with an exponent below 100")));
        };
        power += if negative { -(exponent as i64) } else { exponent as i64 };
        for &b in mantissa {
            if !b.is_ascii_digit() {
                point = true;
            } else if value < 10_u128.pow(30) {
                value = value * 10 + u128::from(b - b'0');
                power -= i64::from(point);
            } else {
                power += i64::from(!point);
            }
        }
        while power < 0 && value > 0 {
            value /= 10;
            power += 1;
        }
        while power > 0 && value > 0 && value <= u128::from(u64::MAX) {
            value *= 10;
            power -= 1;
        }
        u64::try_from(value).map_err(|_| self.bad(&format!("{what}, a smaller decimal")))
    }

    /// An unsigned hexadecimal number, with or without `0x`.
    #[inline]
    pub(crate) fn hex(&mut self, what: &str) -> Result<u64, Bad> {
        self.begin(what)?;
        if let [b'0', b'x' | b'X', ..] = &self.line[self.at..] {
            self.at += 2;
        }
        let from = self.at;
        let mut value = 0_u64;
        while let Some(d) = self.peek().and_then(|b| char::from(b).to_digit(16)) {
            value = value << 4 | u64::from(d);
            self.at += 1;
        }
        if (1..=16).contains(&(self.at - from)) {
            return Ok(value);
        }
        Err(self.bad(&format!("{what}, a hexadecimal number below 2^64")))
    }

    /// A text field without surrounding blanks; it may be empty unless blanks separate the fields.
    #[inline]
    pub(crate) fn text(&mut self, what: &str) -> Result<&'a [u8], Bad> {
        self.begin(what)?;
        while let Some(b) = self.peek()
            && !is_end::<SEP>(b)
        {
            self.at += 1;
        }
        Ok(self.line[self.field..self.at].trim_ascii_end())
    }

    /// A non-empty text field.
    #[inline]
    pub(crate) fn word(&mut self, what: &str) -> Result<&'a [u8], Bad> {
        let word = self.text(what)?;
        if word.is_empty() { Err(self.bad(what)) } else { Ok(word) }
    }

    /// One byte within a field, without a separator before it.
    #[inline]
    pub(crate) fn byte(&mut self, byte: u8, what: &str) -> Result<(), Bad> {
        if self.peek() == Some(byte) {
            self.at += 1;
            // The following bytes belong to the same field.
            return Ok(());
        }
        self.field = self.at;
        Err(self.bad(what))
    }

    /// An unsigned integer within a field, without a separator before it.
    #[inline]
    pub(crate) fn uint_here(&mut self, what: &str) -> Result<u64, Bad> {
        self.field = self.at;
        match self.digits() {
            (Some(value), 1..) => Ok(value),
            _ => Err(self.bad(&format!("{what}, an unsigned integer"))),
        }
    }

    /// The next non-blank byte, not consumed.
    pub(crate) fn after_blanks(&mut self) -> Option<u8> {
        let at = self.at;
        self.blanks();
        let next = self.peek();
        self.at = at;
        next
    }

    /// End of the last parsed field.
    pub(crate) fn place(&self) -> usize {
        self.at
    }

    /// True if only blanks are left.
    #[inline]
    pub(crate) fn is_end(&mut self) -> bool {
        let at = self.at;
        self.blanks();
        let end = self.at == self.line.len();
        if !end {
            self.at = at;
        }
        end
    }

    /// Checks that only blanks are left.
    #[inline]
    pub(crate) fn end(&mut self) -> Result<(), Bad> {
        if self.is_end() {
            return Ok(());
        }
        self.blanks();
        self.field = self.at;
        Err(self.bad("the end of the line"))
    }

    /// Checks that `offset + length` is a valid address; call it after parsing the later of the two.
    #[inline]
    pub(crate) fn extent(&self, offset: u64, length: u64) -> Result<(), Bad> {
        if offset.checked_add(length).is_some() {
            return Ok(());
        }
        Err(self.bad("an offset and a length that end below 2^64 bytes"))
    }
}

/// True for a byte that ends a field.
#[inline]
fn is_end<const SEP: u8>(b: u8) -> bool {
    b == SEP || (SEP == b' ' && b == b'\t')
}

const POWERS: [u64; 10] = {
    let mut powers = [1; 10];
    let mut i = 1;
    while i < 10 {
        powers[i] = powers[i - 1] * 10;
        i += 1;
    }
    powers
};

#[cold]
fn checked_digits(digits: &[u8]) -> Option<u64> {
    digits
        .iter()
        .try_fold(0_u64, |v, b| v.checked_mul(10)?.checked_add(u64::from(b.wrapping_sub(b'0'))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(text: &str, places: u32) -> Result<u64, Bad> {
        let mut f = Fields::<b' '>::new(text.as_bytes());
        let value = f.decimal("time", places)?;
        f.end()?;
        Ok(value)
    }

    #[test]
    fn decimals_are_read_exactly() {
        for (text, ns) in [
            ("0", 0),
            ("1", 1_000_000_000),
            ("0.000000001", 1),
            ("1455590400.010024017", 1_455_590_400_010_024_017),
            (".5", 500_000_000),
            ("7.", 7_000_000_000),
            ("0.0000000019", 1),
            ("18446744073.709551615", u64::MAX),
            ("1e-05", 10_000),
            ("2.5E+1", 25_000_000_000),
            ("12.5e-9", 12),
            ("0,25", 250_000_000),
        ] {
            assert_eq!(decimal(text, 9).unwrap(), ns, "{text}");
        }
    }

    #[test]
    fn decimals_beyond_64_bits_and_nonsense_are_refused() {
        for text in [
            "18446744073.709551616",
            "18446744074",
            "-1",
            "",
            ".",
            "e5",
            "1e",
            "1e100",
            "1e99",
            "1.2.3",
        ] {
            assert!(decimal(text, 9).is_err(), "{text}");
        }
    }

    #[test]
    fn integers_keep_all_64_bits() {
        let read = |text: &str| Fields::<b','>::new(text.as_bytes()).uint("x").ok();
        assert_eq!(read("18446744073709551615"), Some(u64::MAX));
        assert_eq!(read("00000000000000000000000012"), Some(12));
        assert_eq!(read("18446744073709551616"), None);
        assert_eq!(read("99999999999999999999999"), None);
        assert_eq!(read("-1"), None);
    }

    #[test]
    fn errors_name_the_column_and_what_was_there() {
        let mut f = Fields::<b','>::new(b"12, 3x4 ,R");
        assert_eq!(f.uint("ASU").unwrap(), 12);
        assert_eq!(f.uint("LBA").unwrap(), 3);
        let bad = f.uint("size").unwrap_err();
        assert_eq!((bad.column, bad.found.as_str()), (6, "x4 "));
        let mut f = Fields::<b','>::new(b"12,R");
        f.uint("ASU").unwrap();
        let bad = f.uint("LBA").unwrap_err();
        assert_eq!((bad.column, bad.found.as_str()), (4, "R"));
        let mut f = Fields::<b' '>::new(b"12");
        f.uint("ASU").unwrap();
        assert_eq!(f.uint("LBA").unwrap_err().found, "end of line");
    }

    #[test]
    fn hexadecimal_flags_have_an_optional_prefix() {
        let read = |text: &str| Fields::<b' '>::new(text.as_bytes()).hex("flags").ok();
        assert_eq!((read("1"), read("0x2A"), read("ff")), (Some(1), Some(42), Some(255)));
        assert_eq!((read("0x"), read("g"), read("11111111111111111")), (None, None, None));
    }
}
