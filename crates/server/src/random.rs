//! Random bytes of the operating system, as text.

use aws_lc_rs::rand;

/// So many random bytes in hexadecimal digits.
pub(crate) fn hex(bytes: usize) -> String {
    let mut buffer = vec![0; bytes];
    rand::fill(&mut buffer).expect("the operating system gives random bytes");
    buffer.iter().map(|byte| format!("{byte:02x}")).collect()
}
