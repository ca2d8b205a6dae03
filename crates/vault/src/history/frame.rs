//! Records in a segment: framed with a mark, a length and a check sum, so that damage costs the records it hit and no others.

use memchr::memmem;

/// `mark, kind, length of the body (u32), CRC-32 of kind, length and body (u32), body`; numbers little-endian.
const MARK: [u8; 2] = [0xa7, b'Q'];
pub(crate) const FRAME_BYTES: usize = 2 + 1 + 4 + 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Blob = 1,
    Change = 2,
    Settled = 3,
}

impl Kind {
    fn from_byte(byte: u8) -> Option<Kind> {
        [Kind::Blob, Kind::Change, Kind::Settled].into_iter().find(|kind| *kind as u8 == byte)
    }
}

/// Appends a record to `bytes`.
pub(crate) fn frame(bytes: &mut Vec<u8>, kind: Kind, body: &[u8]) {
    let length = u32::try_from(body.len()).expect("no file the vault handles has four gigabytes").to_le_bytes();
    let mut sum = crc32fast::Hasher::new();
    sum.update(&[kind as u8]);
    sum.update(&length);
    sum.update(body);
    bytes.extend_from_slice(&MARK);
    bytes.push(kind as u8);
    bytes.extend_from_slice(&length);
    bytes.extend_from_slice(&sum.finalize().to_le_bytes());
    bytes.extend_from_slice(body);
}

/// What stands at a place of a segment.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Met<'a> {
    /// A whole record and where the next one begins.
    Record {
        kind: Kind,
        body: &'a [u8],
        next: usize,
    },
    /// Something else, and where the next whole record begins.
    Damage {
        next: usize,
    },
    /// Nothing whole follows: the last record is being written, or its end is lost.
    Tail,
    End,
}

/// Looks at what begins at `at`.
pub(crate) fn meet(bytes: &[u8], at: usize) -> Met<'_> {
    if at >= bytes.len() {
        return Met::End;
    }
    if let Some((kind, body)) = whole(&bytes[at..]) {
        return Met::Record { kind, body, next: at + FRAME_BYTES + body.len() };
    }
    let after = at + 1;
    let next = memmem::find_iter(&bytes[after..], &MARK).map(|found| after + found).find(|next| whole(&bytes[*next..]).is_some());
    next.map_or(Met::Tail, |next| Met::Damage { next })
}

/// The record at the beginning of `bytes`, if its check sum fits.
pub(crate) fn whole(bytes: &[u8]) -> Option<(Kind, &[u8])> {
    let head = bytes.get(..FRAME_BYTES)?;
    let kind = Kind::from_byte(head[2]).filter(|_| head[..2] == MARK)?;
    let body = bytes.get(FRAME_BYTES..)?.get(..body_length(head)?)?;
    let mut sum = crc32fast::Hasher::new();
    sum.update(&head[2..7]);
    sum.update(body);
    (sum.finalize().to_le_bytes() == head[7..]).then_some((kind, body))
}

/// How long the record is of which these are the first bytes.
pub(crate) fn body_length(head: &[u8]) -> Option<usize> {
    let length = head.get(3..7)?.try_into().ok()?;
    usize::try_from(u32::from_le_bytes(length)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bodies(bytes: &[u8]) -> Vec<String> {
        let (mut at, mut met) = (0, Vec::new());
        loop {
            at = match meet(bytes, at) {
                Met::Record { body, next, .. } => {
                    met.push(String::from_utf8_lossy(body).into_owned());
                    next
                }
                Met::Damage { next } => {
                    met.push("damage".to_owned());
                    next
                }
                Met::Tail => {
                    met.push("tail".to_owned());
                    return met;
                }
                Met::End => return met,
            };
        }
    }

    const BODIES: [&str; 3] = ["one", "two", "six"];
    const EACH: usize = FRAME_BYTES + 3;

    fn three() -> Vec<u8> {
        let mut bytes = Vec::new();
        BODIES.iter().for_each(|body| frame(&mut bytes, Kind::Blob, body.as_bytes()));
        bytes
    }

    #[test]
    fn records_are_read_as_they_were_written() {
        assert_eq!(bodies(&three()), BODIES);
        assert!(bodies(&[]).is_empty());
    }

    #[test]
    fn a_byte_that_was_changed_costs_one_record() {
        for at in 0..three().len() {
            let mut bytes = three();
            bytes[at] ^= 0x10;
            let expected = match at / EACH {
                0 => ["damage", "two", "six"],
                1 => ["one", "damage", "six"],
                _ => ["one", "two", "tail"],
            };
            assert_eq!(bodies(&bytes), expected, "{at}");
        }
    }

    #[test]
    fn a_segment_that_was_cut_keeps_its_beginning() {
        for length in 0..three().len() {
            let mut expected = BODIES[..length / EACH].to_vec();
            if length % EACH > 0 {
                expected.push("tail");
            }
            assert_eq!(bodies(&three()[..length]), expected, "{length}");
        }
    }
}
