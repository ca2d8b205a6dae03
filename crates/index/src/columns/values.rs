//! The distinct values of one property, each stored once, as JSON text.

use std::hash::{BuildHasher, RandomState};

/// Marks an empty slot, and the cell of a note without the property.
pub(crate) const NONE: u32 = u32::MAX;

/// Numbers for distinct texts. A number stays the same until [`Values::compact`].
#[derive(Default)]
pub(crate) struct Values {
    text: String,
    ends: Vec<usize>,
    uses: Vec<u32>,
    /// Open addressing, at most half full. Values that nobody uses stay in it until the next compaction.
    slots: Vec<u32>,
    unused: usize,
    hasher: RandomState,
}

impl Values {
    /// The number of a text, which has one more use from now on.
    pub(crate) fn take(&mut self, text: &str) -> u32 {
        if self.slots.len() < 2 * (self.ends.len() + 1) {
            self.grow();
        }
        let slot = self.find_slot(text);
        if self.slots[slot] == NONE {
            self.slots[slot] = u32::try_from(self.ends.len()).unwrap_or(NONE);
            self.text.push_str(text);
            self.ends.push(self.text.len());
            self.uses.push(0);
            self.unused += 1;
        }
        let value = self.slots[slot];
        let uses = &mut self.uses[value as usize];
        if *uses == 0 {
            self.unused -= 1;
        }
        *uses += 1;
        value
    }

    pub(crate) fn release(&mut self, value: u32) {
        let uses = &mut self.uses[value as usize];
        *uses -= 1;
        if *uses == 0 {
            self.unused += 1;
        }
    }

    /// All numbers given so far; some may be unused.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn uses(&self, value: u32) -> u32 {
        self.uses[value as usize]
    }

    pub(crate) fn text(&self, value: u32) -> &str {
        let at = value as usize;
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.text[start..self.ends[at]]
    }

    pub(crate) fn is_mostly_unused(&self) -> bool {
        self.unused > 64 && 2 * self.unused > self.ends.len()
    }

    /// Lets go of the unused values and says what the others are called now.
    pub(crate) fn compact(&mut self) -> Vec<u32> {
        let old = std::mem::take(self);
        let mut renamed = vec![NONE; old.len()];
        for (at, new) in renamed.iter_mut().enumerate() {
            let value = u32::try_from(at).unwrap_or(NONE);
            if old.uses(value) > 0 {
                *new = self.take(old.text(value));
                self.uses[*new as usize] = old.uses(value);
            }
        }
        self.text.shrink_to_fit();
        renamed
    }

    fn find_slot(&self, text: &str) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = usize::try_from(self.hasher.hash_one(text)).unwrap_or(usize::MAX) & mask;
        while self.slots[slot] != NONE && self.text(self.slots[slot]) != text {
            slot = (slot + 1) & mask;
        }
        slot
    }

    fn grow(&mut self) {
        let size = (4 * (self.ends.len() + 1)).next_power_of_two().max(8);
        self.slots.clear();
        self.slots.resize(size, NONE);
        for at in 0..self.ends.len() {
            let value = u32::try_from(at).unwrap_or(NONE);
            let slot = self.find_slot(self.text(value));
            self.slots[slot] = value;
        }
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        self.text.capacity() + 8 * self.ends.capacity() + 4 * (self.uses.capacity() + self.slots.capacity())
    }
}

#[cfg(test)]
mod tests {
    use super::Values;

    #[test]
    fn equal_texts_share_a_number() {
        let mut values = Values::default();
        let numbers: Vec<u32> = (0..1000).map(|number| values.take(&(number % 100).to_string())).collect();
        assert_eq!((values.len(), values.uses(numbers[7])), (100, 10));
        assert_eq!(values.text(numbers[107]), "7");
    }

    #[test]
    fn unused_values_go_away() {
        let mut values = Values::default();
        let numbers: Vec<u32> = (0..200).map(|number| values.take(&number.to_string())).collect();
        numbers.iter().filter(|&&number| number % 4 != 0).for_each(|&number| values.release(number));
        assert!(values.is_mostly_unused());
        let renamed = values.compact();
        assert_eq!((values.len(), values.text(renamed[8])), (50, "8"));
        assert_eq!(values.take("8"), renamed[8]);
    }
}
