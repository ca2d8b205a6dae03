//! How often somebody may do something, by the generic cell rate algorithm: all that is kept of a key is one time.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Mutex, PoisonError};

use crate::database::{Database, Row, values};
use crate::{SecretHash, State, StateError};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spend {
    Allowed,
    /// Seconds until it may be tried again.
    Wait(u64),
}

/// Times are microseconds here, so that any number per minute divides a minute well enough.
#[derive(Clone, Copy)]
struct Rate {
    now: i64,
    interval: i64,
    /// How far ahead of its time the next one may come.
    ahead: i64,
    latest: i64,
    /// No honest time lies beyond this; it was noted before the clock went back or the limit changed.
    absurd: i64,
}

impl Rate {
    /// `None`: never allowed.
    fn new(per_minute: u32, burst: u32, now_ms: i64) -> Option<Rate> {
        let interval = 60_000_000 / i64::from((per_minute > 0).then_some(per_minute)?);
        let ahead = interval * (i64::from(burst.max(1)) - 1);
        let now = now_ms.saturating_mul(1000);
        let latest = now.saturating_add(ahead);
        Some(Rate { now, interval, ahead, latest, absurd: latest.saturating_add(interval + 60_000_000) })
    }

    /// The next time that is due, if one may go now.
    fn after(&self, due: i64) -> Option<i64> {
        if due > self.absurd || due <= self.now {
            return Some(self.now.saturating_add(self.interval));
        }
        (due <= self.latest).then_some(due.saturating_add(self.interval))
    }

    fn wait(&self, due: i64) -> Spend {
        let microseconds = due.saturating_sub(self.ahead).saturating_sub(self.now);
        Spend::Wait(u64::try_from(microseconds).unwrap_or_default().div_ceil(1_000_000).max(1))
    }
}

impl State {
    /// Whether one more may go under this key, where up to `burst` may go at once. Being refused costs nothing.
    pub async fn spend(&self, key: &str, per_minute: u32, burst: u32, now_ms: i64) -> Result<Spend, StateError> {
        let Some(rate) = Rate::new(per_minute, burst, now_ms) else { return Ok(Spend::Wait(60)) };
        let Database::Postgres(_) = self.database() else { return Ok(self.counters().spend(key, rate)) };
        // Keys hold addresses and names; the table need not.
        let name = SecretHash::of(key);
        let sql = "INSERT INTO limits (name, due) VALUES ($1, $2 + $3) ON CONFLICT (name) DO UPDATE
            SET due = (CASE WHEN limits.due > $2 AND limits.due <= $5 THEN limits.due ELSE $2 END) + $3
            WHERE limits.due <= $4 OR limits.due > $5 RETURNING due";
        let values = values![&name, rate.now, rate.interval, rate.latest, rate.absurd];
        if self.database().find(sql, values, Row::integer).await?.is_some() {
            return Ok(Spend::Allowed);
        }
        let due = self.database().find("SELECT due FROM limits WHERE name = $1", values![&name], Row::integer).await?;
        Ok(rate.wait(due.unwrap_or(rate.now)))
    }
}

impl State {
    /// The same for this process alone, whatever the database: it waits for nothing.
    pub fn spend_here(&self, key: &str, per_minute: u32, burst: u32, now_ms: i64) -> Spend {
        Rate::new(per_minute, burst, now_ms).map_or(Spend::Wait(60), |rate| self.counters().spend(key, rate))
    }
}

const MOST_KEYS: usize = 100_000;
const SHARED: usize = 4096;

/// The limits of one process.
///
/// A key is forgotten only when it holds nobody back any more, so no flood of keys can free another one. New keys that find no
/// room share a few counters, which no one outside can predict.
pub(crate) struct Counters {
    hashers: [RandomState; 2],
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    due: HashMap<u128, i64>,
    shared: Vec<i64>,
    swept: i64,
}

impl Default for Counters {
    fn default() -> Counters {
        Counters { hashers: [RandomState::new(), RandomState::new()], kept: Mutex::default() }
    }
}

impl Counters {
    fn spend(&self, key: &str, rate: Rate) -> Spend {
        let [high, low] = [0, 1].map(|which: usize| u128::from(self.hashers[which].hash_one(key)));
        let key = high << 64 | low;
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.due.len() >= MOST_KEYS && !kept.due.contains_key(&key) && (rate.now - kept.swept).abs() >= 1_000_000 {
            kept.sweep(rate.now);
        }
        let has_room = kept.due.len() < MOST_KEYS || kept.due.contains_key(&key);
        let due = if has_room { kept.due.entry(key).or_insert(i64::MIN) } else { kept.shared(key) };
        match rate.after(*due) {
            Some(next) => {
                *due = next;
                Spend::Allowed
            }
            None => rate.wait(*due),
        }
    }

    pub(crate) fn sweep(&self, now: i64) -> u64 {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).sweep(now.saturating_mul(1_000_000))
    }
}

impl Kept {
    fn sweep(&mut self, now: i64) -> u64 {
        let before = self.due.len();
        self.due.retain(|_, due| *due > now);
        self.swept = now;
        (before - self.due.len()) as u64
    }

    fn shared(&mut self, key: u128) -> &mut i64 {
        self.shared.resize(SHARED, i64::MIN);
        &mut self.shared[(key % SHARED as u128) as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spend(counters: &Counters, key: &str, now_ms: i64) -> Spend {
        counters.spend(key, Rate::new(60, 5, now_ms).unwrap())
    }

    #[test]
    fn a_flood_of_keys_does_not_free_another_key() {
        let counters = Counters::default();
        let now = 1_800_000_000_000;
        (0..5).for_each(|_| assert_eq!(spend(&counters, "victim", now), Spend::Allowed));
        assert_eq!(spend(&counters, "victim", now), Spend::Wait(1));
        let allowed = (0..3 * MOST_KEYS).filter(|key| spend(&counters, &key.to_string(), now) == Spend::Allowed).count();
        assert_eq!(spend(&counters, "victim", now), Spend::Wait(1));
        assert!(counters.kept.lock().unwrap().due.len() <= MOST_KEYS);
        assert!(allowed <= MOST_KEYS + 5 * SHARED, "{allowed}");
        // Later there is room again.
        assert_eq!(spend(&counters, "newcomer", now + 10_000), Spend::Allowed);
        assert_eq!(counters.kept.lock().unwrap().due.len(), 1);
    }

    #[test]
    fn extreme_numbers_do_no_harm() {
        for (per_minute, burst, now) in
            [(u32::MAX, u32::MAX, i64::MAX / 1000), (1, u32::MAX, 0), (1, 0, i64::MIN / 1000), (1, 1, -5)]
        {
            let rate = Rate::new(per_minute, burst, now).unwrap();
            let counters = Counters::default();
            assert_eq!(counters.spend("key", rate), Spend::Allowed, "{per_minute} {burst} {now}");
        }
        assert!(Rate::new(0, 5, 0).is_none());
    }
}
