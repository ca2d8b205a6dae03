//! Compares how long two things take, on a machine that has other work.

use std::time::Duration;

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort();
    times[times.len() / 2].as_secs_f64()
}

/// What is measured: the time from sending the form to the whole answer, 200 times for each of the two, in turns, so that what
/// else the machine does falls on both alike. A difference that the server makes is there in every round; one that the machine
/// makes is not, so it is enough that one of a few rounds is within the tenth.
pub(crate) async fn assert_same_time<F: AsyncFnMut(usize) -> Duration>(mut time_of: F, within: f64) {
    let mut ratios = Vec::new();
    for _ in 0..6 {
        let mut times = [Vec::new(), Vec::new()];
        for turn in 0..200 {
            for which in [turn % 2, (turn + 1) % 2] {
                times[which].push(time_of(which).await);
            }
        }
        let [one, other] = times.map(median);
        ratios.push(one / other);
        if (one / other - 1.0).abs() <= within {
            return;
        }
    }
    panic!("one takes {ratios:?} times as long as the other");
}
