//! The tables of an index, by what they keep. One that nobody has asked for in a while is let go.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::sync::{Arc, Weak};
use std::thread;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::{FromCard, Table};

/// Between two questions of one conversation less than this passes.
const KEPT_FOR: Duration = Duration::from_secs(10 * 60);
const LOOK_EVERY: Duration = Duration::from_secs(30);

#[derive(Default)]
pub(crate) struct Tables {
    kept: Mutex<HashMap<TypeId, Kept>>,
}

struct Kept {
    table: Arc<dyn Any + Send + Sync>,
    used: Instant,
}

impl Tables {
    pub(super) fn table<T: FromCard>(self: &Arc<Self>) -> Arc<Table<T>> {
        let mut kept = self.kept.lock();
        if kept.is_empty() {
            let tables = Arc::downgrade(self);
            thread::spawn(move || let_go_of_unused(&tables));
        }
        let fresh = || Kept { table: Arc::new(Table::<T>::default()), used: Instant::now() };
        let found = kept.entry(TypeId::of::<T>()).or_insert_with(fresh);
        found.used = Instant::now();
        found.table.clone().downcast().unwrap_or_default()
    }

    /// Lets go of what was last asked for before `since`. False when nothing is left.
    pub(super) fn drop_unused(&self, since: Instant) -> bool {
        let mut kept = self.kept.lock();
        kept.retain(|_, table| table.used >= since);
        !kept.is_empty()
    }
}

/// Runs while there are tables, on a thread of its own. It keeps nothing alive.
fn let_go_of_unused(tables: &Weak<Tables>) {
    loop {
        thread::sleep(LOOK_EVERY);
        let Some(tables) = tables.upgrade() else { return };
        let is_left = Instant::now().checked_sub(KEPT_FOR).is_none_or(|since| tables.drop_unused(since));
        if !is_left {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use quillgate_vault::NotePath;

    use super::*;
    use crate::card::Card;

    struct Thing;

    impl FromCard for Thing {
        fn from_card(_: &NotePath, _: &Card) -> Option<Thing> {
            None
        }
    }

    #[test]
    fn a_table_stays_while_it_is_used() {
        let tables = Arc::new(Tables::default());
        let first = tables.table::<Thing>();
        let before = Instant::now();
        assert!(Arc::ptr_eq(&first, &tables.table::<Thing>()));
        assert!(tables.drop_unused(before));
        assert!(Arc::ptr_eq(&first, &tables.table::<Thing>()));
        assert!(!tables.drop_unused(Instant::now() + Duration::from_secs(1)));
        assert!(!Arc::ptr_eq(&first, &tables.table::<Thing>()));
    }

    #[test]
    fn tables_go_with_their_index() {
        let tables = Arc::new(Tables::default());
        let table = Arc::downgrade(&tables.table::<Thing>());
        drop(tables);
        assert!(table.upgrade().is_none());
    }
}
