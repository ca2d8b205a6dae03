//! What a match is replaced by, as JavaScript writes it: `$1`, `$&`, `$<name>`, `$$`.

use super::Captures;

/// Appends the replacement of one match; what names no group stands for itself.
pub(super) fn expand(out: &mut String, template: &str, captures: &Captures<'_>) {
    let mut rest = template;
    while let Some(dollar) = rest.find('$') {
        out.push_str(&rest[..dollar]);
        rest = &rest[dollar..];
        let taken = one(out, rest, captures);
        if taken == 0 {
            out.push('$');
        }
        rest = &rest[taken.max(1)..];
    }
    out.push_str(rest);
}

/// What the dollar at the start means; how many bytes that took, none if it is only a dollar.
fn one(out: &mut String, rest: &str, captures: &Captures<'_>) -> usize {
    let whole = captures.range();
    match rest.as_bytes().get(1) {
        Some(b'$') => out.push('$'),
        Some(b'&') => out.push_str(&captures.text()[whole]),
        Some(b'`') => out.push_str(&captures.text()[..whole.start]),
        Some(b'\'') => out.push_str(&captures.text()[whole.end..]),
        Some(b'<') if captures.has_names() => {
            let Some(end) = rest.find('>') else { return 0 };
            out.push_str(captures.named(&rest[2..end]).unwrap_or_default());
            return end + 1;
        }
        Some(b'0'..=b'9') => {
            let digits = rest[1..].bytes().take(2).take_while(u8::is_ascii_digit).count();
            // `$12` is group 12 if there is one, else group 1 and a 2.
            let of_length = |length: usize| Some((rest.get(1..=length)?.parse::<usize>().ok()?, length));
            let group = (1..=digits).rev().filter_map(of_length).find(|(group, _)| (1..captures.len()).contains(group));
            let Some((group, length)) = group else { return 0 };
            out.push_str(captures.group(group).unwrap_or_default());
            return 1 + length;
        }
        _ => return 0,
    }
    2
}
