//! A rough picture of a file that waits to be indexed, good enough to tell that it cannot contain a text.
//!
//! While a large vault is indexed for the first time, every search would otherwise have to read all files that are not done.

use super::grams::{Gram, Needed, grams_of};

/// Bits of a sketch: a note of usual length sets about a sixth of them.
const BITS: usize = 4096;

/// One bit for every sequence of the text and of the path; several sequences share a bit.
pub(crate) struct Sketch(Box<[u64; BITS / 64]>);

impl Sketch {
    pub(crate) fn of(path: &str, text: &str) -> Sketch {
        let mut sketch = Sketch(Box::new([0; BITS / 64]));
        for gram in grams_of(path).into_iter().chain(grams_of(text)) {
            let bit = bit_of(gram);
            sketch.0[bit / 64] |= 1 << (bit % 64);
        }
        sketch
    }

    /// False only if the file cannot have what is needed.
    pub(crate) fn may_have(&self, needed: &Needed) -> bool {
        match needed {
            Needed::Anything => true,
            Needed::Grams(grams) => grams.iter().all(|gram| self.may_have_gram(*gram)),
            Needed::All(parts) => parts.iter().all(|part| self.may_have(part)),
            Needed::AnyOf(parts) => parts.iter().any(|part| self.may_have(part)),
        }
    }

    fn may_have_gram(&self, gram: Gram) -> bool {
        let bit = bit_of(gram);
        self.0[bit / 64] & (1 << (bit % 64)) != 0
    }
}

/// Spreads sequences evenly, however alike they are.
fn bit_of(gram: Gram) -> usize {
    (gram.wrapping_mul(0x9e37_79b1) >> 20) as usize
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_is_in_a_text_is_never_ruled_out(before in "\\PC{0,40}", inside in "\\PC{0,20}", after in "\\PC{0,40}") {
            let sketch = Sketch::of("folder/note.md", &format!("{before}{inside}{after}"));
            prop_assert!(sketch.may_have(&Needed::for_literal(&inside)));
            prop_assert!(sketch.may_have(&Needed::any_of(vec![Needed::for_literal("qqqq"), Needed::for_literal(&inside)])));
            prop_assert!(sketch.may_have(&Needed::for_literal(&inside.to_ascii_uppercase())));
        }
    }

    #[test]
    fn most_of_what_is_not_in_a_text_is_ruled_out() {
        let sketch = Sketch::of("folder/note.md", "a few words about kestrels");
        assert!(sketch.may_have(&Needed::for_literal("FOLDER")) && sketch.may_have(&Needed::for_literal("kestrel")));
        assert!(!sketch.may_have(&Needed::for_literal("barn owl")));
    }
}
