//! Names of changes, in the order in which they were made.

use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::str::FromStr;

use parking_lot::Mutex;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Crockford's alphabet: no letter that is taken for a digit.
const DIGITS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
const LENGTH: usize = 20;
const RANDOM_BITS: u32 = 48;

/// A change in the history: 52 bits of time (microseconds since 1970) and 48 bits of chance, shown as 20 letters and digits
/// that sort as the changes do.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChangeId(u128);

impl ChangeId {
    pub(crate) const FIRST: ChangeId = ChangeId(0);
    pub(crate) const LAST: ChangeId = ChangeId((1 << 100) - 1);

    /// When the change was made, in microseconds since 1970 UTC.
    pub fn at(self) -> i64 {
        (self.0 >> RANDOM_BITS) as i64
    }

    pub(crate) fn next(self) -> ChangeId {
        ChangeId(self.0 + 1)
    }

    /// The first name that a change of this time could have.
    pub(crate) fn first_at(at: i64) -> ChangeId {
        let at = at.clamp(0, (1 << 52) - 1) as u128;
        ChangeId(at << RANDOM_BITS)
    }
}

/// Makes names, each later than the one before, also when the clock goes back.
pub(crate) struct Ids {
    clock: super::Clock,
    last: Mutex<i64>,
}

impl Ids {
    pub(crate) fn new(clock: super::Clock) -> Ids {
        Ids { clock, last: Mutex::new(0) }
    }

    pub(crate) fn now(&self) -> i64 {
        (self.clock)()
    }

    /// Names from now on are later than this one.
    pub(crate) fn follow(&self, id: ChangeId) {
        let mut last = self.last.lock();
        *last = id.at().max(*last);
    }

    pub(crate) fn fresh(&self) -> ChangeId {
        let mut last = self.last.lock();
        *last = self.now().max(*last + 1);
        let chance = RandomState::new().hash_one(std::process::id()) >> (64 - RANDOM_BITS);
        ChangeId(ChangeId::first_at(*last).0 | u128::from(chance))
    }
}

impl fmt::Display for ChangeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for place in (0..LENGTH).rev() {
            let digit = DIGITS[(self.0 >> (5 * place)) as usize & 31];
            fmt::Write::write_char(f, digit.into())?;
        }
        Ok(())
    }
}

impl fmt::Debug for ChangeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for ChangeId {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<ChangeId, Self::Err> {
        const WRONG: &str = "a change is named by 20 letters and digits, as history_list shows them";
        if text.len() != LENGTH {
            return Err(WRONG);
        }
        let value = text.bytes().try_fold(0u128, |value, byte| {
            let digit = DIGITS.iter().position(|digit| *digit == byte.to_ascii_lowercase())?;
            Some(value << 5 | digit as u128)
        });
        value.map(ChangeId).ok_or(WRONG)
    }
}

/// Text where people may read it, a number in the history's own files.
impl Serialize for ChangeId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match serializer.is_human_readable() {
            true => serializer.collect_str(self),
            false => serializer.serialize_u128(self.0),
        }
    }
}

impl<'de> Deserialize<'de> for ChangeId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<ChangeId, D::Error> {
        use serde::de::Error;
        if deserializer.is_human_readable() {
            return String::deserialize(deserializer)?.parse().map_err(D::Error::custom);
        }
        let value = u128::deserialize(deserializer)?;
        if value > ChangeId::LAST.0 {
            return Err(D::Error::custom("too large for the name of a change"));
        }
        Ok(ChangeId(value))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicI64, Ordering};

    use super::*;

    #[test]
    fn names_sort_by_time_also_when_the_clock_goes_back() {
        let time = Arc::new(AtomicI64::new(1_800_000_000_000_000));
        let ids = Ids::new(Arc::new({
            let time = time.clone();
            move || time.load(Ordering::Relaxed)
        }));
        let (first, same) = (ids.fresh(), ids.fresh());
        time.fetch_sub(5_000_000, Ordering::Relaxed);
        let earlier = ids.fresh();
        assert!(first < same && same < earlier);
        assert!(first.to_string() < same.to_string() && same.to_string() < earlier.to_string());
        assert_eq!(first.at(), 1_800_000_000_000_000);
    }

    #[test]
    fn a_name_is_read_as_it_was_written() {
        for id in [ChangeId::FIRST, ChangeId::LAST, ChangeId::first_at(1_800_000_000_000_000)] {
            assert_eq!(id.to_string().to_uppercase().parse(), Ok(id));
            assert_eq!(postcard::from_bytes::<ChangeId>(&postcard::to_allocvec(&id).expect("encoded")), Ok(id));
            assert_eq!(serde_json::from_str::<ChangeId>(&serde_json::to_string(&id).expect("encoded")).expect("read"), id);
        }
        assert!("0123".parse::<ChangeId>().is_err());
        assert!("uuuuuuuuuuuuuuuuuuuu".parse::<ChangeId>().is_err());
    }
}
