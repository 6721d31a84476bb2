//! Text files as bytes: a cursor, numbers, and errors that show the line they speak of.
//!
//! Lines and columns are counted only when an error needs them, so that reading pays nothing for them.

use super::{ImportError, Place, Warning};

/// The largest number a text capture may hold, in the file's units or degrees. The lengths of bodies and
/// rooms are far below it, and sums and squares of such numbers stay finite in `f32`.
pub(super) const MAX_MAGNITUDE: f64 = 1e9;

/// How many bytes of an offending line an error shows.
const EXCERPT: usize = 96;

/// How many bytes of an offending word an error shows.
const WORD: usize = 40;

/// How many warnings of one kind of oddity a file gets. Each costs a count of lines, and nobody reads more.
const MAX_WARNINGS: usize = 16;

/// A place in the bytes of a text file that moves forward only.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'a> {
    bytes: &'a [u8],
    /// The byte that is read next.
    pub(super) at: usize,
}

impl<'a> Cursor<'a> {
    /// At the start, after a byte-order mark.
    pub(super) fn new(bytes: &'a [u8]) -> Cursor<'a> {
        let at = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        Cursor { bytes, at }
    }

    /// What has not been read.
    pub(super) fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    /// Skips blanks and line ends.
    pub(super) fn skip_space(&mut self) {
        self.skip_while(|byte| is_blank(byte) || is_line_end(byte));
    }

    /// Skips blanks of this line.
    pub(super) fn skip_blanks(&mut self) {
        self.skip_while(is_blank);
    }

    /// Skips to the end of this line, but not over it.
    pub(super) fn skip_line(&mut self) {
        self.skip_while(|byte| !is_line_end(byte));
    }

    fn skip_while(&mut self, skip: impl Fn(u8) -> bool) {
        while self.bytes.get(self.at).is_some_and(|byte| skip(*byte)) {
            self.at += 1;
        }
    }

    /// Whether nothing is left.
    pub(super) fn is_at_end(&self) -> bool {
        self.at >= self.bytes.len()
    }

    /// Whether nothing is left of this line.
    pub(super) fn is_at_line_end(&self) -> bool {
        self.bytes.get(self.at).is_none_or(|byte| is_line_end(*byte))
    }

    /// The next word, whatever lines stand before it: up to a blank, line end or brace; a brace is a word
    /// of its own. Empty at the end of the file.
    pub(super) fn word(&mut self) -> &'a [u8] {
        self.skip_space();
        let start = self.at;
        self.skip_while(|byte| !ends_word(byte));
        if self.at == start && self.at < self.bytes.len() {
            self.at += 1;
        }
        &self.bytes[start..self.at]
    }

    /// The next word of this line; empty at its end.
    pub(super) fn line_word(&mut self) -> &'a [u8] {
        self.skip_blanks();
        if self.is_at_line_end() { &[] } else { self.word() }
    }

    /// Moves to the next line that holds more than blanks and a `#` comment; whether there is one.
    pub(super) fn next_line(&mut self) -> bool {
        self.skip_space();
        while self.rest().first() == Some(&b'#') {
            self.skip_line();
            self.skip_space();
        }
        !self.is_at_end()
    }

    /// Checks that nothing is left of this line.
    pub(super) fn expect_line_end(&mut self, after: &str) -> Result<(), ImportError> {
        self.skip_blanks();
        match self.is_at_line_end() {
            true => Ok(()),
            false => Err(self.error(self.at, format!("the end of the line after {after}"))),
        }
    }

    /// Reads a word that must be `keyword`, in any case.
    pub(super) fn expect(&mut self, keyword: &str) -> Result<(), ImportError> {
        self.skip_space();
        let start = self.at;
        if self.word().eq_ignore_ascii_case(keyword.as_bytes()) {
            return Ok(());
        }
        Err(self.error(start, keyword))
    }

    /// Reads the next number of this line, which must be finite and no larger than [`MAX_MAGNITUDE`].
    pub(super) fn number(&mut self, expected: impl FnOnce() -> String) -> Result<f64, ImportError> {
        self.skip_blanks();
        match number(self.rest()) {
            Some((value, length)) if self.rest().get(length).is_none_or(|b| ends_word(*b)) => {
                if value.abs() > MAX_MAGNITUDE {
                    let expected = format!("{}, no larger than {MAX_MAGNITUDE:e}", expected());
                    return Err(self.error(self.at, expected));
                }
                self.at += length;
                Ok(value)
            }
            _ => Err(self.error(self.at, expected())),
        }
    }

    /// Reads the next whole number, whatever lines stand before it.
    pub(super) fn count(&mut self, expected: &str) -> Result<usize, ImportError> {
        self.skip_space();
        let start = self.at;
        let word = std::str::from_utf8(self.word()).unwrap_or_default();
        word.parse().map_err(|_| self.error(start, expected))
    }

    /// Reads what is left of this line up to a brace, without the blanks around it, as a name.
    pub(super) fn name(&mut self, expected: &str) -> Result<&'a str, ImportError> {
        self.skip_blanks();
        let start = self.at;
        self.skip_while(|byte| !is_line_end(byte) && byte != b'{');
        let name = std::str::from_utf8(self.bytes[start..self.at].trim_ascii());
        match name {
            Ok(name) if !name.is_empty() && !name.chars().any(char::is_control) => Ok(name),
            Ok(_) => Err(self.error(start, expected)),
            Err(_) => Err(self.error(start, format!("{expected} in UTF-8"))),
        }
    }

    /// An error at a byte of the file: what stands there is looked up.
    pub(super) fn error(&self, at: usize, expected: impl Into<String>) -> ImportError {
        let found = match self.bytes.get(at) {
            None => "the end of the file".to_owned(),
            Some(byte) if is_line_end(*byte) => "the end of the line".to_owned(),
            Some(_) => {
                let word = Cursor { bytes: self.bytes, at }.word();
                match word.len() > WORD {
                    true => format!("\"{}…\"", printable(&word[..WORD])),
                    false => format!("\"{}\"", printable(word)),
                }
            }
        };
        self.error_found(at, expected, found)
    }

    /// An error at a byte of the file.
    pub(super) fn error_found(
        &self,
        at: usize,
        expected: impl Into<String>,
        found: impl Into<String>,
    ) -> ImportError {
        let at = at.min(self.bytes.len());
        let before = &self.bytes[..at];
        let line = 1 + n_line_ends(before);
        let start = before.iter().rposition(|byte| is_line_end(*byte)).map_or(0, |end| end + 1);
        let length = self.bytes[at..].iter().position(|byte| is_line_end(*byte));
        let end = length.map_or(self.bytes.len(), |length| at + length);
        // Rows of motion are long: show the surroundings of the place.
        let from = if end - start <= EXCERPT { start } else { start.max(at.saturating_sub(EXCERPT / 2)) };
        let to = end.min(from + EXCERPT);
        let excerpt = format!(
            "{}{}{}",
            if from > start { "…" } else { "" },
            printable(&self.bytes[from..to]),
            if to < end { "…" } else { "" },
        );
        let place = Place::Line { line, column: at - start + 1 };
        ImportError { excerpt: Some(excerpt), ..ImportError::new(place, expected, found) }
    }

    /// Adds a warning about a byte of the file, unless there are [`MAX_WARNINGS`].
    pub(super) fn warn(&self, warnings: &mut Vec<Warning>, at: usize, message: String) {
        if warnings.len() < MAX_WARNINGS {
            warnings.push(Warning { place: self.error_found(at, "", "").place, message });
        }
    }
}

/// Line ends are LF, CR LF or a lone CR.
fn is_line_end(byte: u8) -> bool {
    byte == b'\n' || byte == b'\r'
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | 0x0b | 0x0c)
}

fn ends_word(byte: u8) -> bool {
    is_blank(byte) || is_line_end(byte) || byte == b'{' || byte == b'}'
}

fn n_line_ends(bytes: &[u8]) -> usize {
    let next = bytes.iter().skip(1).chain([&0]);
    bytes
        .iter()
        .zip(next)
        .filter(|(byte, next)| **byte == b'\n' || (**byte == b'\r' && **next != b'\n'))
        .count()
}

fn printable(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes.trim_ascii_end());
    text.chars().map(|c| if c == '\t' { ' ' } else { c }).filter(|c| !c.is_control()).collect()
}

/// The decimal number at the start of `bytes` and how many bytes it takes: an optional sign, digits with an
/// optional point among or around them, an optional exponent. `nan` and `inf` are no numbers.
///
/// The result is the `f64` nearest to the decimal. A number of up to 19 digits that fits in 53 bits, with a
/// power of ten that `f64` holds exactly, needs one rounding: that of the division (Clinger's fast path).
/// Captures hold hardly any other; those go to the standard library.
pub(super) fn number(bytes: &[u8]) -> Option<(f64, usize)> {
    const POWERS: [f64; 23] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17,
        1e18, 1e19, 1e20, 1e21, 1e22,
    ];
    const EXACT: u64 = 1 << 53;
    let digit = |at: usize| bytes.get(at).map(|byte| byte.wrapping_sub(b'0')).filter(|digit| *digit < 10);

    let sign = *bytes.first()?;
    let mut at = usize::from(sign == b'-' || sign == b'+');
    let mut mantissa = 0u64;
    let first = at;
    while let Some(digit) = digit(at) {
        mantissa = mantissa.wrapping_mul(10).wrapping_add(u64::from(digit));
        at += 1;
    }
    let mut n_digits = at - first;
    let mut exponent = 0i64;
    if bytes.get(at) == Some(&b'.') {
        at += 1;
        let first = at;
        while let Some(digit) = digit(at) {
            mantissa = mantissa.wrapping_mul(10).wrapping_add(u64::from(digit));
            at += 1;
        }
        n_digits += at - first;
        exponent = -((at - first) as i64);
    }
    if n_digits == 0 {
        return None;
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        let sign = bytes.get(at + 1).copied();
        at += if matches!(sign, Some(b'-' | b'+')) { 2 } else { 1 };
        let mut written = 0i64;
        digit(at)?;
        while let Some(digit) = digit(at) {
            written = (written * 10 + i64::from(digit)).min(99_999);
            at += 1;
        }
        exponent += if sign == Some(b'-') { -written } else { written };
    }

    let power = POWERS.get(exponent.unsigned_abs() as usize);
    let Some(power) = power.filter(|_| n_digits <= 19 && mantissa <= EXACT) else {
        let value = std::str::from_utf8(&bytes[..at]).ok()?.parse().ok()?;
        return Some((value, at));
    };
    let magnitude = if exponent < 0 { mantissa as f64 / power } else { mantissa as f64 * power };
    Some((if sign == b'-' { -magnitude } else { magnitude }, at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_the_standard_library() {
        for text in [
            "0",
            "-0",
            "1",
            "-12.3456",
            ".0083333",
            "-.5",
            "+3",
            "5.",
            "1e5",
            "1E-5",
            "2.5e+3",
            "1e-400",
            "1e400",
            "123456789012345678901234567890",
            "0.1",
            "0.30000000000000004",
            "9007199254740993",
            "1.7976931348623157e308",
            "0000000000000000000000000000001.5",
            "4.35",
            "1e23",
            "8.5e-23",
            "179.999999",
            "-0.000001",
        ] {
            let (value, length) = number(text.as_bytes()).unwrap();
            let expected: f64 = text.parse().unwrap();
            assert_eq!((value.to_bits(), length), (expected.to_bits(), text.len()), "{text}");
        }
    }

    #[test]
    fn numbers_end_where_they_end() {
        for (text, expected) in [("1 2", 1), ("1-2", 1), ("1.5}", 3), ("1.2.3", 3), ("7e2x", 3), ("0x10", 1)]
        {
            assert_eq!(number(text.as_bytes()).unwrap().1, expected, "{text}");
        }
        for text in ["", "-", ".", "+.", "e5", "1e", "1e+", "nan", "inf", "--5", "é"] {
            assert_eq!(number(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn places_are_counted_over_all_line_ends() {
        let cursor = Cursor::new(b"a\r\nbb\ncc\rdd");
        for (at, line, column) in
            [(0, 1, 1), (1, 1, 2), (3, 2, 1), (7, 3, 2), (9, 4, 1), (11, 4, 3), (99, 4, 3)]
        {
            assert_eq!(cursor.error(at, "").place, Place::Line { line, column }, "{at}");
        }
    }
}
