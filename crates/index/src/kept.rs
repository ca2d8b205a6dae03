//! Where a card is: in memory until it is stored, from then on in the log.

use std::fs::File;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::card::Card;
use crate::mentions::Mentions;
use crate::read_at::read_exact_at;

#[derive(Clone, Debug)]
pub(crate) enum Kept {
    /// Files that are not parsed have none.
    NoCard,
    Memory(Arc<Encoded>),
    Stored(Stored),
}

#[derive(Debug)]
pub(crate) struct Encoded {
    pub(crate) mentions: Box<[u8]>,
    pub(crate) card: Box<[u8]>,
}

/// A card in a log. The log stays readable after another one has taken its place.
#[derive(Clone, Debug)]
pub(crate) struct Stored {
    pub(crate) log: Arc<CardLog>,
    pub(crate) at: u64,
    pub(crate) length: u32,
    pub(crate) sum: u32,
}

#[derive(Debug)]
pub(crate) struct CardLog {
    file: File,
    is_damaged: AtomicBool,
}

impl CardLog {
    pub(crate) fn new(file: File) -> CardLog {
        CardLog { file, is_damaged: AtomicBool::new(false) }
    }
}

impl Kept {
    pub(crate) fn of(card: &Card) -> Kept {
        Kept::Memory(Arc::new(Encoded { mentions: Mentions::of(card).encode(), card: card.encode() }))
    }

    /// None when the card is stored and cannot be read.
    pub(crate) fn card(&self) -> Option<Card> {
        match self {
            Kept::NoCard => Some(Card::default()),
            Kept::Memory(encoded) => Card::decode(&encoded.card),
            Kept::Stored(stored) => Card::decode(&stored.read()?),
        }
    }

    /// Mentions and card, as they are stored.
    pub(crate) fn encoded(&self) -> Option<Arc<Encoded>> {
        match self {
            Kept::NoCard => Some(Arc::new(Encoded { mentions: Mentions::default().encode(), card: Box::default() })),
            Kept::Memory(encoded) => Some(encoded.clone()),
            Kept::Stored(stored) => {
                let card = stored.read()?.into_boxed_slice();
                Some(Arc::new(Encoded { mentions: Mentions::of(&Card::decode(&card)?).encode(), card }))
            }
        }
    }

    pub(crate) fn length(&self) -> usize {
        match self {
            Kept::NoCard => 0,
            Kept::Memory(encoded) => encoded.card.len(),
            Kept::Stored(stored) => stored.length as usize,
        }
    }

    /// Whether the card can still be read. Looked into only where damage was met before.
    pub(crate) fn is_readable(&self) -> bool {
        match self {
            Kept::NoCard | Kept::Memory(_) => true,
            Kept::Stored(stored) => !stored.log.is_damaged.load(Ordering::Relaxed) || stored.read().is_some(),
        }
    }
}

impl Stored {
    pub(crate) fn is_in(&self, log: &Arc<CardLog>) -> bool {
        Arc::ptr_eq(&self.log, log)
    }

    fn read(&self) -> Option<Vec<u8>> {
        let mut bytes = vec![0; self.length as usize];
        let read = read_exact_at(&self.log.file, &mut bytes, self.at);
        if read.is_ok() && crc32fast::hash(&bytes) == self.sum {
            return Some(bytes);
        }
        if !self.log.is_damaged.swap(true, Ordering::Relaxed) {
            let error = read.err().map(|error| error.to_string()).unwrap_or_else(|| "its check sum is wrong".to_owned());
            tracing::warn!(error, "a note cannot be read from the stored catalogue; the next look at the vault mends it");
        }
        None
    }
}
