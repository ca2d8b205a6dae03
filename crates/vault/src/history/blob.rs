//! The bytes of a file as a segment keeps them: small beside an earlier state of the same file, compressed otherwise.

use std::io;

use serde::{Deserialize, Serialize};
use zstd::zstd_safe::{CParameter, DCtx, get_error_name};

use super::record::encode as encode_head;
use crate::ContentHash;

/// How many bytes have to be decoded to read one: each needs the one it is kept beside.
pub(crate) const LONGEST_CHAIN: u8 = 32;
/// A new piece up to this length is kept as it is, between what stayed the same.
const SMALL_PIECE: usize = 256;
/// Notes are read by people: what the best levels would save is not worth the time of a write.
const LEVEL: i32 = 1;
/// What zstd sees of earlier bytes at this level unless told otherwise.
const SMALLEST_WINDOW: u32 = 19;
/// No file that the vault handles is larger.
const LARGEST: u64 = 1 << 30;

/// Stands before the coded bytes.
#[derive(Debug, Serialize, Deserialize)]
struct Head {
    hash: [u8; 32],
    size: u64,
    coding: Coding,
}

/// `back` is how far before this record the one begins that it is kept beside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Coding {
    Plain,
    Zstd,
    /// With the earlier bytes as zstd's prefix.
    Delta {
        back: u64,
        depth: u8,
    },
    /// The first and last so many bytes of the earlier ones, and a new piece between.
    Splice {
        back: u64,
        depth: u8,
        first: u64,
        last: u64,
    },
}

/// Where a blob is in its segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BlobAt {
    pub(crate) offset: u64,
    /// How many others have to be decoded for it.
    pub(crate) depth: u8,
}

/// Earlier bytes in the same segment.
pub(crate) struct Base<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) at: BlobAt,
}

/// The body of the record that will begin at `offset`, and its depth.
pub(crate) fn encode(bytes: &[u8], hash: ContentHash, offset: u64, base: Option<&Base<'_>>) -> io::Result<(Vec<u8>, u8)> {
    let body = |coding, coded: &[u8]| {
        let mut body = encode_head(&Head { hash: hash.0, size: bytes.len() as u64, coding });
        body.extend_from_slice(coded);
        body
    };
    if let Some(base) = base.filter(|base| base.at.depth < LONGEST_CHAIN) {
        let (back, depth) = (offset - base.at.offset, base.at.depth + 1);
        let (first, last) = common_ends(base.bytes, bytes);
        let piece = &bytes[first..bytes.len() - last];
        if piece.len() <= SMALL_PIECE {
            let coding = Coding::Splice { back, depth, first: first as u64, last: last as u64 };
            return Ok((body(coding, piece), depth));
        }
        let delta = compress(bytes, Some(base.bytes))?;
        if delta.len() < bytes.len() / 4 {
            return Ok((body(Coding::Delta { back, depth }, &delta), depth));
        }
    }
    let compressed = compress(bytes, None)?;
    match compressed.len() < bytes.len() {
        true => Ok((body(Coding::Zstd, &compressed), 0)),
        false => Ok((body(Coding::Plain, bytes), 0)),
    }
}

fn common_ends(old: &[u8], new: &[u8]) -> (usize, usize) {
    let first = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let last = old[first..].iter().rev().zip(new[first..].iter().rev()).take_while(|(old, new)| old == new).count();
    (first, last)
}

fn compress(bytes: &[u8], prefix: Option<&[u8]>) -> io::Result<Vec<u8>> {
    let mut compressor = zstd::bulk::Compressor::new(LEVEL)?;
    if let Some(prefix) = prefix {
        let reach = (prefix.len() + bytes.len()).next_power_of_two().ilog2();
        if reach > SMALLEST_WINDOW {
            compressor.set_parameter(CParameter::WindowLog(reach))?;
            compressor.set_parameter(CParameter::EnableLongDistanceMatching(true))?;
        }
        compressor.context_mut().ref_prefix(prefix).map_err(from_zstd)?;
    }
    compressor.compress(bytes)
}

fn from_zstd(code: usize) -> io::Error {
    io::Error::other(get_error_name(code))
}

fn damaged(why: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why)
}

/// What a record's body says of itself.
pub(crate) fn look(body: &[u8]) -> Option<(ContentHash, u8)> {
    let (head, _) = postcard::take_from_bytes::<Head>(body).ok()?;
    Some((ContentHash(head.hash), head.coding.depth()))
}

impl Coding {
    fn depth(self) -> u8 {
        match self {
            Coding::Plain | Coding::Zstd => 0,
            Coding::Delta { depth, .. } | Coding::Splice { depth, .. } => depth,
        }
    }

    fn back(self) -> Option<u64> {
        match self {
            Coding::Plain | Coding::Zstd => None,
            Coding::Delta { back, .. } | Coding::Splice { back, .. } => Some(back),
        }
    }
}

/// Where the chain of the blob at `offset` begins: the one that needs no other.
pub(crate) fn root_of(offset: u64, mut body_at: impl FnMut(u64) -> io::Result<Vec<u8>>) -> io::Result<u64> {
    let mut at = offset;
    for _ in 0..=LONGEST_CHAIN {
        let body = body_at(at)?;
        let (head, _) = postcard::take_from_bytes::<Head>(&body).map_err(|_| damaged("it makes no sense"))?;
        let Some(back) = head.coding.back() else { return Ok(at) };
        at = earlier(at, back)?;
    }
    Err(damaged("it needs too many others"))
}

fn earlier(at: u64, back: u64) -> io::Result<u64> {
    at.checked_sub(back).filter(|_| back > 0).ok_or_else(|| damaged("it needs one that cannot be"))
}

/// Reads the blob at `offset`. `body_at` reads the body of the record that begins at a place.
pub(crate) fn decode(offset: u64, mut body_at: impl FnMut(u64) -> io::Result<Vec<u8>>) -> io::Result<Vec<u8>> {
    let (mut chain, mut at, mut wanted) = (Vec::new(), offset, None);
    loop {
        let body = body_at(at)?;
        let (head, coded) = postcard::take_from_bytes::<Head>(&body).map_err(|_| damaged("it makes no sense"))?;
        let (coding, coded) = (head.coding, coded.to_vec());
        if head.size > LARGEST || chain.len() > usize::from(LONGEST_CHAIN) {
            return Err(damaged("it is too large"));
        }
        wanted.get_or_insert(head.hash);
        chain.push((head.size as usize, coding, coded));
        match coding.back() {
            None => break,
            Some(back) => at = earlier(at, back)?,
        }
    }
    let mut bytes = Vec::new();
    while let Some((size, coding, coded)) = chain.pop() {
        bytes = decode_one(&bytes, size, coding, coded)?;
    }
    if wanted != Some(ContentHash::of(&bytes).0) {
        return Err(damaged("its hash does not fit"));
    }
    Ok(bytes)
}

fn decode_one(base: &[u8], size: usize, coding: Coding, coded: Vec<u8>) -> io::Result<Vec<u8>> {
    match coding {
        Coding::Plain => Ok(coded),
        Coding::Zstd => zstd::bulk::decompress(&coded, size),
        Coding::Delta { .. } => {
            let (mut context, mut bytes) = (DCtx::create(), Vec::with_capacity(size));
            context.ref_prefix(base).map_err(from_zstd)?;
            context.decompress(&mut bytes, &coded).map_err(from_zstd)?;
            Ok(bytes)
        }
        Coding::Splice { first, last, .. } => {
            let [first, last] = [first, last].map(|length| usize::try_from(length).unwrap_or(usize::MAX));
            let start = base.get(..first).ok_or_else(|| damaged("it does not fit the one before"))?;
            let end = base.len().checked_sub(last).ok_or_else(|| damaged("it does not fit the one before"))?;
            Ok([start, &coded, &base[end..]].concat())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Keeps each of `states` beside the one before, and reads all of them back. Returns the lengths of the bodies.
    fn check(states: &[Vec<u8>]) -> Vec<usize> {
        let (mut bodies, mut at): (Vec<Vec<u8>>, Option<BlobAt>) = (Vec::new(), None);
        for (number, state) in states.iter().enumerate() {
            let base = at.map(|at| Base { bytes: &states[number - 1], at });
            let (body, depth) = encode(state, ContentHash::of(state), number as u64, base.as_ref()).expect("encoded");
            assert_eq!(look(&body), Some((ContentHash::of(state), depth)));
            bodies.push(body);
            at = Some(BlobAt { offset: number as u64, depth });
        }
        for (number, state) in states.iter().enumerate() {
            let read = decode(number as u64, |at| Ok(bodies[at as usize].clone()));
            assert_eq!(&read.expect("decoded"), state, "{number}");
        }
        bodies.iter().map(Vec::len).collect()
    }

    fn text(lines: usize) -> Vec<u8> {
        (0..lines).flat_map(|line| format!("line {line} of {:x}\n", line * line * 7919).into_bytes()).collect()
    }

    #[test]
    fn a_small_edit_takes_a_few_bytes() {
        let (old, mut new) = (text(400), text(400));
        new.splice(2000..2010, *b"edited");
        let lengths = check(&[old.clone(), new, old.clone(), Vec::new(), old]);
        assert!(lengths[1] < 60 && lengths[2] < 60 && lengths[3] < 60, "{lengths:?}");
    }

    #[test]
    fn edits_in_many_places_take_little() {
        let old = text(4000);
        let new = String::from_utf8(old.clone()).expect("text").replace("9 of", "nine of").into_bytes();
        let lengths = check(&[old, new]);
        assert!(lengths[1] < lengths[0] / 4, "{lengths:?}");
    }

    #[test]
    fn what_has_nothing_in_common_is_kept_by_itself() {
        let noise: Vec<u8> = (0..3000u64).map(|at| (at.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8).collect();
        let digest = |seed: u8| (0..100).flat_map(move |at| ContentHash::of(&[seed, at]).0).collect::<Vec<u8>>();
        check(&[text(100), digest(1), noise, digest(2), vec![0; 100_000], b"\x37\xa4\x30\xec and on".to_vec(), digest(3)]);
    }

    #[test]
    fn chains_are_short() {
        let mut states = vec![text(100)];
        for edit in 0..100 {
            let mut next = states[edit].clone();
            next.insert(edit * 3, b'x');
            states.push(next);
        }
        check(&states);
    }

    #[test]
    fn large_files_are_kept_beside_each_other_too() {
        let old: Vec<u8> = (0..60_000u32).flat_map(|at| ContentHash::of(&at.to_le_bytes()).0).collect();
        let mut new = old.clone();
        new.splice(1000..1000, [7; 2000]);
        new.splice(1_500_000..1_500_100, [9; 3000]);
        let lengths = check(&[old, new]);
        assert!(lengths[1] < 20_000, "{lengths:?}");
    }

    #[test]
    fn a_body_that_was_tampered_with_is_refused() {
        let (old, mut new) = (text(50), text(50));
        new.splice(100..103, *b"changed");
        let (first, depth) = encode(&old, ContentHash::of(&old), 0, None).expect("encoded");
        let base = Base { bytes: &old, at: BlobAt { offset: 0, depth } };
        let (second, _) = encode(&new, ContentHash::of(&new), 1, Some(&base)).expect("encoded");
        for at in 0..second.len() {
            let mut tampered = second.clone();
            tampered[at] ^= 0x41;
            let read = decode(1, |offset| Ok(if offset == 0 { first.clone() } else { tampered.clone() }));
            // A length or depth may have been changed without harm; wrong bytes never come out.
            assert!(read.is_err() || read.is_ok_and(|bytes| bytes == new), "{at}");
        }
    }
}
