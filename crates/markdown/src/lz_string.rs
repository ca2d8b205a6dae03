//! LZ-String in Base64, the compression of Excalidraw drawings: codes of growing width for sequences of UTF-16 units.

use std::collections::HashMap;

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const BITS_PER_LETTER: u32 = 6;
/// Codes with a meaning of their own: a new unit of one byte, one of two bytes, and the end.
const NEW_BYTE: u32 = 0;
const NEW_UNIT: u32 = 1;
const END: u32 = 2;

/// Why something cannot be decompressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LzStringError {
    #[error("{0:?} is no letter of Base64")]
    Letter(char),
    #[error("the compressed data ends too early")]
    Short,
    #[error("the compressed data is damaged")]
    Damaged,
    #[error("the data would have more than {0} characters")]
    TooLarge(usize),
}

/// Compresses a text, padded to a multiple of four letters.
pub fn compress_to_base64(text: &str) -> String {
    let mut writer = Writer::default();
    // A sequence is known by the one it continues and its last unit; a sequence of one unit continues nothing.
    let mut known: HashMap<(Option<u32>, u16), u32> = HashMap::new();
    let mut fresh: HashMap<u32, u16> = HashMap::new();
    let mut next = END + 1;
    let mut current: Option<u32> = None;
    for unit in text.encode_utf16() {
        let single = *known.entry((None, unit)).or_insert_with(|| {
            fresh.insert(next, unit);
            next += 1;
            next - 1
        });
        match (current, known.get(&(current, unit))) {
            (None, _) => current = Some(single),
            (Some(_), Some(&longer)) => current = Some(longer),
            (Some(code), None) => {
                writer.sequence(code, &mut fresh);
                known.insert((Some(code), unit), next);
                next += 1;
                current = Some(single);
            }
        }
    }
    if let Some(code) = current {
        writer.sequence(code, &mut fresh);
    }
    writer.bits(END, writer.width.bits);
    writer.finish()
}

/// Decompresses to a text of at most `most` UTF-16 units. White space among the letters and padding behind them do not count;
/// halves of characters become what stands for a character that cannot be read.
pub fn decompress_from_base64(letters: &str, most: usize) -> Result<String, LzStringError> {
    let mut reader = Reader { letters: letters.chars(), letter: 0, left: 0 };
    let mut width = Width { bits: 2, room: 1 };
    // Every sequence as the one it continues, its first and its last unit, and its length.
    let mut sequences: Vec<Sequence> = Vec::new();
    let mut units: Vec<u16> = Vec::new();
    let mut previous: Option<u32> = None;
    loop {
        let code = reader.bits(width.bits)?;
        let code = match code {
            END => return Ok(String::from_utf16_lossy(&units)),
            NEW_BYTE | NEW_UNIT => {
                let unit = reader.bits(if code == NEW_BYTE { 8 } else { 16 })? as u16;
                sequences.push(Sequence { continues: None, first: unit, last: unit, length: 1 });
                width.count();
                END + sequences.len() as u32
            }
            known => known,
        };
        let mut is_counted = false;
        // A sequence may be used in the moment in which it is made: it continues the one before by that one's first unit.
        if let Some(before) = previous {
            let next = END + 1 + sequences.len() as u32;
            let old = find(&sequences, before)?;
            let first = if code == next { old.first } else { find(&sequences, code)?.first };
            let length = old.length + 1;
            sequences.push(Sequence { continues: Some(before), first: old.first, last: first, length });
            is_counted = true;
        }
        let sequence = find(&sequences, code)?;
        if units.len() + sequence.length as usize > most {
            return Err(LzStringError::TooLarge(most));
        }
        write_out(&sequences, sequence, &mut units);
        if is_counted {
            width.count();
        }
        previous = Some(code);
    }
}

#[derive(Clone, Copy)]
struct Sequence {
    continues: Option<u32>,
    first: u16,
    last: u16,
    length: u32,
}

fn find(sequences: &[Sequence], code: u32) -> Result<Sequence, LzStringError> {
    let place = code.checked_sub(END + 1).and_then(|place| sequences.get(place as usize));
    place.copied().ok_or(LzStringError::Damaged)
}

fn write_out(sequences: &[Sequence], sequence: Sequence, units: &mut Vec<u16>) {
    let start = units.len();
    units.resize(start + sequence.length as usize, 0);
    let mut part = Some(sequence);
    for unit in units[start..].iter_mut().rev() {
        let Some(here) = part else { return };
        *unit = here.last;
        part = here.continues.and_then(|code| find(sequences, code).ok());
    }
}

/// How many bits a code has: one more whenever all numbers of the present width are given away.
#[derive(Clone, Copy)]
struct Width {
    bits: u32,
    room: u64,
}

impl Width {
    fn count(&mut self) {
        self.room -= 1;
        if self.room == 0 {
            self.room = 1 << self.bits;
            self.bits += 1;
        }
    }
}

struct Writer {
    letters: String,
    letter: u8,
    filled: u32,
    width: Width,
}

impl Default for Writer {
    fn default() -> Writer {
        Writer { letters: String::new(), letter: 0, filled: 0, width: Width { bits: 2, room: 2 } }
    }
}

impl Writer {
    /// A known sequence by its code, a unit that was never written as itself.
    fn sequence(&mut self, code: u32, fresh: &mut HashMap<u32, u16>) {
        match fresh.remove(&code) {
            Some(unit) => {
                let (kind, bits) = if unit < 256 { (NEW_BYTE, 8) } else { (NEW_UNIT, 16) };
                self.bits(kind, self.width.bits);
                self.bits(u32::from(unit), bits);
                self.width.count();
            }
            None => self.bits(code, self.width.bits),
        }
        self.width.count();
    }

    /// The lowest bit comes first.
    fn bits(&mut self, value: u32, count: u32) {
        for place in 0..count {
            let bit = value.checked_shr(place).unwrap_or(0) & 1;
            self.letter = self.letter << 1 | bit as u8;
            self.filled += 1;
            if self.filled == BITS_PER_LETTER {
                self.letters.push(char::from(ALPHABET[usize::from(self.letter)]));
                (self.letter, self.filled) = (0, 0);
            }
        }
    }

    fn finish(mut self) -> String {
        // The last letter is filled up, and there is one more if there was nothing to fill up.
        self.bits(0, BITS_PER_LETTER - self.filled);
        while !self.letters.len().is_multiple_of(4) {
            self.letters.push('=');
        }
        self.letters
    }
}

struct Reader<'t> {
    letters: std::str::Chars<'t>,
    letter: u32,
    left: u32,
}

impl Reader<'_> {
    fn bits(&mut self, count: u32) -> Result<u32, LzStringError> {
        let mut value = 0;
        for place in 0..count {
            if self.left == 0 {
                self.letter = self.next_letter()?;
                self.left = BITS_PER_LETTER;
            }
            self.left -= 1;
            let bit = self.letter >> self.left & 1;
            value |= bit.checked_shl(place).unwrap_or(0);
        }
        Ok(value)
    }

    fn next_letter(&mut self) -> Result<u32, LzStringError> {
        let letter = self.letters.find(|letter| !letter.is_whitespace()).ok_or(LzStringError::Short)?;
        match letter {
            'A'..='Z' => Ok(letter as u32 - 'A' as u32),
            'a'..='z' => Ok(letter as u32 - 'a' as u32 + 26),
            '0'..='9' => Ok(letter as u32 - '0' as u32 + 52),
            '+' => Ok(62),
            '/' => Ok(63),
            '=' => Err(LzStringError::Short),
            other => Err(LzStringError::Letter(other)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_texts_have_known_forms() {
        for (text, letters) in [
            ("", "Q==="),
            ("{\"a\":1}", "N4IghiBcCMC+Q==="),
            ("{\"type\":\"excalidraw\",\"version\":2}", "N4IgLgngDgpiBcIYA8DGBDANgSwCYCd0B3EAGhADcZ8BnbAewDsEAmAXyA=="),
        ] {
            assert_eq!(compress_to_base64(text), letters);
            assert_eq!(decompress_from_base64(letters, 100).as_deref(), Ok(text));
        }
    }

    #[test]
    fn what_is_damaged_or_too_large_is_told() {
        assert_eq!(decompress_from_base64("", 10), Err(LzStringError::Short));
        assert_eq!(decompress_from_base64("N4Ig", 10), Err(LzStringError::Short));
        assert_eq!(decompress_from_base64("N4Ig-", 10), Err(LzStringError::Letter('-')));
        assert_eq!(decompress_from_base64("////", 10), Err(LzStringError::Damaged));
        let bomb = compress_to_base64(&"a".repeat(1_000_000));
        assert!(bomb.len() < 4000);
        assert_eq!(decompress_from_base64(&bomb, 999_999), Err(LzStringError::TooLarge(999_999)));
        assert_eq!(decompress_from_base64(&bomb, 1_000_000).map(|text| text.len()), Ok(1_000_000));
    }
}
