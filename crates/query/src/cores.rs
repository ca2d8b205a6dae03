//! Work that all cores share: the parts of a list at once, and many things put in order.

use std::cmp::Ordering;
use std::ops::Range;
use std::panic::resume_unwind;
use std::thread;

/// Fewer things are sorted sooner than a thread has started.
const SORTED_BY_ONE: usize = 10_000;

/// What `work` makes of the parts of a list of that length, in their order. No part but the last has fewer than `least` items.
pub(crate) fn in_parts<P: Send>(length: usize, least: usize, work: impl Fn(Range<usize>) -> P + Sync) -> Vec<P> {
    let size = length.div_ceil(cores()).max(least).max(1);
    let part = |start: usize| work(start..length.min(start + size));
    thread::scope(|scope| {
        let part = &part;
        let others: Vec<_> = (size..length).step_by(size).map(|start| scope.spawn(move || part(start))).collect();
        // The caller's own thread is one of them.
        let first = part(0);
        let others = others.into_iter().map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
        [first].into_iter().chain(others).collect()
    })
}

/// The places of the first `kept` things in their order, equal ones as they stand.
pub(crate) fn first_in_order(length: usize, kept: usize, compare: impl Fn(usize, usize) -> Ordering + Sync) -> Vec<u32> {
    let compare = |one: &u32, other: &u32| compare(*one as usize, *other as usize).then(one.cmp(other));
    let mut places: Vec<u32> = (0..).take(length).collect();
    if kept < length {
        places.select_nth_unstable_by(kept, compare);
        places.truncate(kept);
    }
    sort(&mut places, compare);
    places
}

/// Sorts parts at the same time; the sort of the whole then finds runs to merge.
pub(crate) fn sort<T: Send>(items: &mut [T], compare: impl Fn(&T, &T) -> Ordering + Sync) {
    if items.len() > SORTED_BY_ONE {
        let size = items.len().div_ceil(cores());
        thread::scope(|scope| {
            for part in items.chunks_mut(size) {
                let compare = &compare;
                scope.spawn(move || part.sort_by(compare));
            }
        });
    }
    items.sort_by(compare);
}

fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn parts_are_the_whole_in_order(length in 0usize..5000, least in 0usize..3000) {
            let parts = in_parts(length, least, |part| part);
            prop_assert_eq!(parts.iter().flat_map(Clone::clone).collect::<Vec<_>>(), (0..length).collect::<Vec<_>>());
            prop_assert!(parts.split_last().is_some_and(|(_, before)| before.iter().all(|part| part.len() >= least)));
        }

        #[test]
        fn the_first_are_those_of_a_stable_sort(keys in prop::collection::vec(0u8..20, 0..300), kept in 0usize..400) {
            let mut sorted: Vec<u32> = (0..).take(keys.len()).collect();
            sorted.sort_by_key(|place| keys[*place as usize]);
            sorted.truncate(kept);
            prop_assert_eq!(first_in_order(keys.len(), kept, |one, other| keys[one].cmp(&keys[other])), sorted);
        }
    }

    #[test]
    fn many_are_sorted_by_all_cores() {
        let mut items: Vec<(u32, u32)> = (0..50_000).map(|place: u32| (place.wrapping_mul(2_654_435_761) % 100, place)).collect();
        sort(&mut items, |one, other| one.0.cmp(&other.0));
        assert!(items.is_sorted());
    }
}
