//! A sorted set of numbers that mostly has one member.

/// Small, since there are hundreds of thousands of these.
#[derive(Debug, Default)]
pub(crate) enum Ids<T> {
    #[default]
    None,
    One(T),
    #[allow(clippy::box_collection, reason = "half the size where it matters, in the sets of one")]
    Many(Box<Vec<T>>),
}

impl<T: Copy + Ord> Ids<T> {
    pub(crate) fn as_slice(&self) -> &[T] {
        match self {
            Ids::None => &[],
            Ids::One(only) => std::slice::from_ref(only),
            Ids::Many(all) => all,
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.as_slice().is_empty()
    }

    pub(crate) fn insert(&mut self, id: T) {
        match self {
            Ids::None => *self = Ids::One(id),
            Ids::One(only) if *only == id => {}
            Ids::One(only) => *self = Ids::Many(Box::new(vec![id.min(*only), id.max(*only)])),
            // New files mostly come last.
            Ids::Many(all) if all.last().is_some_and(|last| *last < id) => all.push(id),
            Ids::Many(all) => {
                if let Err(at) = all.binary_search(&id) {
                    all.insert(at, id);
                }
            }
        }
    }

    pub(crate) fn remove(&mut self, id: T) {
        match self {
            Ids::One(only) if *only == id => *self = Ids::None,
            Ids::Many(all) => {
                if let Ok(at) = all.binary_search(&id) {
                    all.remove(at);
                }
                if let [only] = all[..] {
                    *self = Ids::One(only);
                }
            }
            Ids::None | Ids::One(_) => {}
        }
    }

    pub(crate) fn shrink(&mut self) {
        if let Ids::Many(all) = self {
            all.shrink_to_fit();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::Ids;

    proptest! {
        #[test]
        fn it_is_a_sorted_set(steps in prop::collection::vec((any::<bool>(), 0..8u32), 0..40)) {
            let (mut ids, mut expected) = (Ids::default(), BTreeSet::new());
            for (is_new, id) in steps {
                if is_new {
                    ids.insert(id);
                    expected.insert(id);
                } else {
                    ids.remove(id);
                    expected.remove(&id);
                }
                prop_assert_eq!(ids.as_slice(), expected.iter().copied().collect::<Vec<_>>());
            }
        }
    }
}
