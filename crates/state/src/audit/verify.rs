//! Reading every chain again, in order, and saying what is not as it was written.

use super::chain::{Link, first_link};
use super::{AuditRow, Stored};
use crate::database::{Row, values};
use crate::{State, StateError};

/// Rows, and heads, that are in memory at once.
const PAGE: i64 = 500;
const MOST_PROBLEMS: usize = 1000;
/// Places whose next row was not found yet; a row that turns up elsewhere is recognised by them.
const MOST_OPEN: usize = 16;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditReport {
    pub chains: u64,
    pub rows: u64,
    pub problems: Vec<AuditProblem>,
    /// Problems beyond those that are listed.
    pub more_problems: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditProblem {
    pub chain: String,
    pub seq: i64,
    pub what: AuditFault,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuditFault {
    /// The row is not the one that was written after the row before it: this one was changed, or the one before it with its hash.
    Changed,
    /// From this place on, so many rows are gone. The row after them cannot be checked.
    Missing { rows: i64 },
    /// The row is genuine, but belongs at this other place.
    Misplaced { belongs_at: i64 },
    /// The chain does not end, or begin, where its head says; or it has rows and no head.
    Head,
    /// So many whole chains, started before this one (or, without a name, last of all), are gone.
    MissingChains { chains: i64 },
}

struct Head {
    chain: String,
    number: i64,
    started: i64,
    end: Link,
    anchor: Link,
}

impl State {
    /// Reads all rows, a few at a time. Others may write and trim meanwhile.
    pub async fn verify_audit(&self) -> Result<AuditReport, StateError> {
        let mut report = AuditReport::default();
        let counted = self.chains_counted().await?;
        if counted.is_none() {
            report.note("", 0, AuditFault::Head);
        }
        let (started, _) = counted.unwrap_or_default();
        let mut number = 0;
        loop {
            let heads = self.heads_after(number).await?;
            for head in &heads {
                self.note_missing_chains(number, head.number, &head.chain, &mut report).await?;
                number = head.number;
                report.chains += 1;
                self.verify_chain(head, &mut report).await?;
            }
            if heads.is_empty() {
                break;
            }
        }
        self.note_missing_chains(number, started.saturating_add(1), "", &mut report).await?;
        self.note_rows_without_head(&mut report).await?;
        Ok(report)
    }

    /// How many there ever were, and how many of those were trimmed away.
    async fn chains_counted(&self) -> Result<Option<(i64, i64)>, StateError> {
        let sql = "SELECT started, retired FROM audit_chains";
        self.database().find(sql, vec![], |row| Ok((row.integer()?, row.integer()?))).await
    }

    async fn heads_after(&self, number: i64) -> Result<Vec<Head>, StateError> {
        let sql = "SELECT chain, number, started, seq, hash, anchor_seq, anchor_hash FROM audit_heads
            WHERE number > $1 ORDER BY number LIMIT $2";
        self.database().list(sql, values![number, PAGE], read_head).await
    }

    async fn note_missing_chains(&self, before: i64, next: i64, chain: &str, report: &mut AuditReport) -> Result<(), StateError> {
        if next.saturating_sub(before) <= 1 {
            return Ok(());
        }
        // They may have been trimmed away since the first look.
        let (_, retired) = self.chains_counted().await?.unwrap_or_default();
        let chains = next.saturating_sub(before.max(retired)).saturating_sub(1);
        if chains > 0 {
            report.note(chain, 0, AuditFault::MissingChains { chains });
        }
        Ok(())
    }

    async fn verify_chain(&self, head: &Head, report: &mut AuditReport) -> Result<(), StateError> {
        let begins_wrong = head.anchor.seq == 0 && head.anchor != first_link(&head.chain, head.started);
        if begins_wrong || head.anchor.seq > head.end.seq {
            report.note(&head.chain, 0, AuditFault::Head);
        }
        let mut walk = Walk { chain: &head.chain, last: head.anchor.clone(), place: head.anchor.seq, open: Vec::new(), report };
        while walk.place < head.end.seq {
            let page = self.rows_after(&head.chain, walk.place, head.end.seq).await?;
            let next = page.first().map_or(head.end.seq.saturating_add(1), |row| row.seq);
            if next > walk.place.saturating_add(1)
                && let Some(anchor) = self.trimmed_to(head, walk.place).await?
            {
                (walk.place, walk.last) = (anchor.seq, anchor);
                continue;
            }
            for row in &page {
                walk.step(row);
            }
            if page.is_empty() {
                walk.miss(next);
                break;
            }
        }
        // Otherwise the last row is missing, or was trimmed with all others.
        let is_at_end = walk.place == head.end.seq;
        if is_at_end && walk.last != head.end {
            walk.report.note(&head.chain, head.end.seq, AuditFault::Head);
        }
        self.note_rows_outside(&head.chain, report).await
    }

    async fn rows_after(&self, chain: &str, seq: i64, end: i64) -> Result<Vec<Stored>, StateError> {
        let sql =
            "SELECT chain, seq, hash, at, vault, surface, tool, caller, client, session, args_hash, status, code, confirmed,
                bytes_out, duration, dropped
            FROM audit WHERE chain = $1 AND seq > $2 AND seq <= $3 ORDER BY seq LIMIT $4";
        self.database().list(sql, values![chain, seq, end, PAGE], Stored::read).await
    }

    /// Where the chain begins, if it was trimmed beyond this place since its head was read.
    async fn trimmed_to(&self, head: &Head, place: i64) -> Result<Option<Link>, StateError> {
        let sql = "SELECT anchor_seq, anchor_hash FROM audit_heads WHERE chain = $1";
        let read = |row: &mut Row| Ok(Link { seq: row.integer()?, hash: row.text()? });
        if let Some(anchor) = self.database().find(sql, values![&head.chain], read).await? {
            return Ok((anchor.seq > place).then_some(anchor));
        }
        let (_, retired) = self.chains_counted().await?.unwrap_or_default();
        Ok((retired >= head.number).then(|| head.end.clone()))
    }

    /// Rows after the end, or before the beginning: somebody put them there, or set the head back.
    async fn note_rows_outside(&self, chain: &str, report: &mut AuditReport) -> Result<(), StateError> {
        let after = "SELECT audit.seq FROM audit JOIN audit_heads ON audit_heads.chain = audit.chain
            WHERE audit.chain = $1 AND audit.seq > audit_heads.seq ORDER BY audit.seq LIMIT 1";
        let before = "SELECT audit.seq FROM audit JOIN audit_heads ON audit_heads.chain = audit.chain
            WHERE audit.chain = $1 AND audit.seq <= audit_heads.anchor_seq ORDER BY audit.seq LIMIT 1";
        for sql in [after, before] {
            if let Some(seq) = self.database().find(sql, values![chain], Row::integer).await? {
                report.note(chain, seq, AuditFault::Head);
            }
        }
        Ok(())
    }

    async fn note_rows_without_head(&self, report: &mut AuditReport) -> Result<(), StateError> {
        let sql = "SELECT chain, seq, (SELECT number FROM audit_heads WHERE audit_heads.chain = audit.chain) FROM audit
            WHERE chain > $1 ORDER BY chain, seq LIMIT 1";
        let read = |row: &mut Row| Ok((row.text()?, row.integer()?, row.optional_integer()?));
        let mut after = String::new();
        while let Some((chain, seq, head)) = self.database().find(sql, values![&after], read).await? {
            if head.is_none() {
                report.note(&chain, seq, AuditFault::Head);
            }
            after = chain;
        }
        Ok(())
    }
}

impl AuditReport {
    fn note(&mut self, chain: &str, seq: i64, what: AuditFault) {
        if self.problems.len() < MOST_PROBLEMS {
            self.problems.push(AuditProblem { chain: chain.to_owned(), seq, what });
        } else {
            self.more_problems += 1;
        }
    }
}

/// One way through the rows of a chain.
struct Walk<'walk> {
    chain: &'walk str,
    /// The row before, by the place that it was written at.
    last: Link,
    /// The place where that row stands.
    place: i64,
    open: Vec<Link>,
    report: &'walk mut AuditReport,
}

impl Walk<'_> {
    fn step(&mut self, stored: &Stored) {
        self.report.rows += 1;
        let is_next = stored.seq == self.place.saturating_add(1);
        if !is_next {
            self.miss(stored.seq);
        }
        let written_at = match self.written_at(stored, is_next) {
            Some(place) if place == stored.seq => place,
            Some(belongs_at) => {
                self.report.note(self.chain, stored.seq, AuditFault::Misplaced { belongs_at });
                self.leave_open();
                belongs_at
            }
            // After a hole there is nothing to compare it with.
            None if !is_next && stored.row.is_ok() => stored.seq,
            None => {
                self.report.note(self.chain, stored.seq, AuditFault::Changed);
                self.leave_open();
                stored.seq
            }
        };
        self.place = stored.seq;
        self.last = Link { seq: written_at, hash: stored.hash.clone() };
    }

    /// The place that the row's own hash names: after the row before it, or after one whose next row was not found yet.
    fn written_at(&self, stored: &Stored, is_next: bool) -> Option<i64> {
        let row: &AuditRow = stored.row.as_ref().ok()?;
        let last = is_next.then_some(&self.last);
        for link in last.into_iter().chain(&self.open) {
            // A row that stood at a wrong place still has its right place before the next one.
            let here = Link { seq: stored.seq.saturating_sub(1), hash: link.hash.clone() };
            let fits = [link, &here].into_iter().find(|link| link.hash_of_next(self.chain, row) == stored.hash);
            if let Some(link) = fits {
                return Some(link.seq.saturating_add(1));
            }
        }
        None
    }

    /// Up to this place there is nothing.
    fn miss(&mut self, until: i64) {
        let from = self.place.saturating_add(1);
        self.report.note(self.chain, from, AuditFault::Missing { rows: until.saturating_sub(from) });
        self.leave_open();
    }

    fn leave_open(&mut self) {
        if self.open.len() == MOST_OPEN {
            self.open.remove(0);
        }
        self.open.push(self.last.clone());
    }
}

fn read_head(row: &mut Row) -> Result<Head, StateError> {
    Ok(Head {
        chain: row.text()?,
        number: row.integer()?,
        started: row.integer()?,
        end: Link { seq: row.integer()?, hash: row.text()? },
        anchor: Link { seq: row.integer()?, hash: row.text()? },
    })
}
