//! The span of a client, as the `traceparent` of W3C Trace Context names it.

use std::fmt;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TraceParent {
    pub(super) trace: u128,
    pub(super) span: u64,
    pub(super) flags: u8,
}

/// `00-<32 digits>-<16 digits>-<2 digits>`.
const LENGTH: usize = 55;

impl TraceParent {
    /// None for anything that the specification tells to ignore.
    pub(crate) fn parse(text: &str) -> Option<TraceParent> {
        let (known, rest) = text.trim_matches([' ', '\t']).split_at_checked(LENGTH)?;
        let mut parts = known.split('-');
        let (version, trace, span, flags) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
        let version = u8::try_from(hex(version, 2)?).ok()?;
        // Later versions may say more, after another dash.
        if parts.next().is_some() || version == 0xff || (version == 0 && !rest.is_empty()) {
            return None;
        }
        if !(rest.is_empty() || rest.starts_with('-')) {
            return None;
        }
        let trace = hex(trace, 32).filter(|trace| *trace != 0)?;
        let span = hex(span, 16).filter(|span| *span != 0)?;
        Some(TraceParent { trace, span: u64::try_from(span).ok()?, flags: u8::try_from(hex(flags, 2)?).ok()? })
    }
}

/// Exactly so many digits, none of them a capital.
fn hex(text: &str, digits: usize) -> Option<u128> {
    let is_hex = text.len() == digits && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    is_hex.then(|| u128::from_str_radix(text, 16).ok()).flatten()
}

impl fmt::Display for TraceParent {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "00-{:032x}-{:016x}-{:02x}", self.trace, self.span, self.flags)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    #[test]
    fn what_the_specification_gives_as_an_example_is_read_and_written() {
        let parent = TraceParent::parse(GOOD).expect("a parent");
        assert_eq!(parent.trace, 0x4bf9_2f35_77b3_4da6_a3ce_929d_0e0e_4736);
        assert_eq!((parent.span, parent.flags), (0x00f0_67aa_0ba9_02b7, 1));
        assert_eq!(parent.to_string(), GOOD);
        assert_eq!(TraceParent::parse(&format!(" {GOOD}\t")), Some(parent));
    }

    #[test]
    fn what_is_no_parent_is_ignored() {
        for bad in [
            "",
            "00",
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
            "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
            "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0",
            "00-4bf92f3577b34da6a3ce929d0e0e473-00f067aa0ba902b7-001",
            "00-+bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01more",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7é-1",
        ] {
            assert_eq!(TraceParent::parse(bad), None, "{bad:?}");
        }
        assert!(TraceParent::parse("01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more").is_some());
    }
}
