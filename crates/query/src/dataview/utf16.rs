//! Texts counted as JavaScript counts them, in units of sixteen bits.

pub(crate) fn length_of(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.encode_utf16().count() }
}

/// From one place up to another; half of a character that needs two units is shown as �.
pub(crate) fn part_of(text: &str, start: usize, end: usize) -> String {
    if text.is_ascii() {
        return text.get(start.min(text.len())..end.min(text.len())).unwrap_or_default().to_owned();
    }
    let units: Vec<u16> = text.encode_utf16().skip(start).take(end.saturating_sub(start)).collect();
    String::from_utf16_lossy(&units)
}

pub(crate) fn reversed(text: &str) -> String {
    // Characters of two units stay whole, which JavaScript would break.
    text.chars().rev().collect()
}
