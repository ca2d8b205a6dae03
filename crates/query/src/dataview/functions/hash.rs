//! A number from a text that is always the same, for an order that looks like chance.

use super::super::dialect::Eval;
use super::{Outcome, some};
use crate::value::Value;

pub(super) fn hash(_: &mut Eval<'_, '_>, arguments: &[Value]) -> Outcome {
    let (text, variant) = match arguments {
        [Value::Text(seed), Value::Number(variant)] => (seed.to_string(), *variant),
        [Value::Text(seed), Value::Text(text)] => (format!("{seed}{text}"), 0.0),
        [Value::Text(seed), Value::Text(text), Value::Number(variant)] => (format!("{seed}{text}"), *variant),
        _ => return Ok(None),
    };
    // Numbers wrap at thirty-two bits, as the sign operators of JavaScript have it.
    some(cyrb53(&text, variant.rem_euclid(4_294_967_296.0) as u32) as f64)
}

/// A known public-domain hash with fifty-three bits, as many as a number of JavaScript holds exactly.
fn cyrb53(text: &str, seed: u32) -> u64 {
    let (mut one, mut other) = (0xdead_beef ^ seed, 0x41c6_ce57 ^ seed);
    for unit in text.encode_utf16() {
        one = (one ^ u32::from(unit)).wrapping_mul(2_654_435_761);
        other = (other ^ u32::from(unit)).wrapping_mul(1_597_334_677);
    }
    let mix = |this: u32, that: u32| {
        (this ^ (this >> 16)).wrapping_mul(2_246_822_507) ^ (that ^ (that >> 13)).wrapping_mul(3_266_489_909)
    };
    one = mix(one, other);
    other = mix(other, one);
    (u64::from(other & 0x1f_ffff) << 32) + u64::from(one)
}

#[cfg(test)]
mod tests {
    use super::cyrb53;

    #[test]
    fn numbers_are_those_of_the_plugin() {
        assert_eq!(cyrb53("2024-03-17", 0), 3_259_376_374_957_153);
        assert_eq!(cyrb53("2024-03-17", 2), 271_608_741_894_590);
        assert_eq!(cyrb53("2024-03-17Home", 0), 3_041_844_187_830_523);
        assert_eq!(cyrb53("2024-03-17note a1", 21), 1_143_088_188_331_616);
    }
}
