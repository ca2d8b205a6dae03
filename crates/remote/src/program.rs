//! Running a program to its end: no shell, no input, a time limit, and only the end of what it prints.

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, PipeReader, Read};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// How much of the output is kept.
const TAIL_LINES: usize = 50;
const LONGEST_LINE: u64 = 8000;
/// How often a quiet program is looked at.
const GLANCE: Duration = Duration::from_millis(25);
/// How long output may still trickle in after the program has ended: a background child may hold the pipe open.
const LAST_WORDS: Duration = Duration::from_millis(200);

#[derive(Debug, thiserror::Error)]
pub enum ProgramError {
    #[error("the program {program:?} is not installed")]
    Missing { program: String },
    #[error("the program {program:?} could not be started: {source}")]
    Start { program: String, source: io::Error },
    #[error("the program {program:?} did not finish in {} s and was stopped", .limit.as_secs())]
    Timeout { program: String, limit: Duration },
    #[error("stopped, because the call was cancelled")]
    Cancelled,
}

#[derive(Debug)]
pub struct Finished {
    pub status: ExitStatus,
    /// The last lines of standard output and standard error, as they came.
    pub tail: String,
    pub took: Duration,
}

/// `line` is called for every line of output, and with an empty one while there is none; it returns false to stop the program.
pub fn run_program(
    command: &[String],
    folder: &Path,
    limit: Duration,
    mut line: impl FnMut(&str) -> bool,
) -> Result<Finished, ProgramError> {
    let program = command.first().cloned().unwrap_or_default();
    let started = Instant::now();
    let (mut child, output) = start(&program, command.get(1..).unwrap_or_default(), folder)?;
    let lines = read_lines(output);
    let mut tail = VecDeque::new();
    let mut ended: Option<(ExitStatus, Instant)> = None;
    let mut is_open = true;
    loop {
        let heard = if is_open { lines.recv_timeout(GLANCE) } else { pause() };
        let is_quiet = heard.is_err();
        is_open &= heard != Err(RecvTimeoutError::Disconnected);
        let text = heard.unwrap_or_default();
        if !line(&text) {
            stop(&mut child);
            return Err(ProgramError::Cancelled);
        }
        if !is_quiet {
            keep(&mut tail, text);
        }
        if ended.is_none()
            && let Ok(Some(status)) = child.try_wait()
        {
            ended = Some((status, Instant::now()));
        }
        let is_late = started.elapsed() > limit;
        match ended {
            Some((status, at)) if !is_open || is_late || (is_quiet && at.elapsed() > LAST_WORDS) => {
                return Ok(Finished { status, tail: Vec::from(tail).join("\n"), took: started.elapsed() });
            }
            None if is_late => {
                stop(&mut child);
                return Err(ProgramError::Timeout { program, limit });
            }
            _ => {}
        }
    }
}

/// The output is closed, but the program still runs.
fn pause() -> Result<String, RecvTimeoutError> {
    thread::sleep(GLANCE);
    Err(RecvTimeoutError::Timeout)
}

/// Both outputs share one pipe: what was said in which order matters when only the end is kept.
fn start(program: &str, arguments: &[String], folder: &Path) -> Result<(Child, PipeReader), ProgramError> {
    let failed = |source: io::Error| match source.kind() {
        io::ErrorKind::NotFound => ProgramError::Missing { program: program.to_owned() },
        _ => ProgramError::Start { program: program.to_owned(), source },
    };
    let (output, input) = io::pipe().map_err(failed)?;
    let mut command = Command::new(program);
    command.args(arguments).current_dir(folder).stdin(Stdio::null());
    command.stdout(input.try_clone().map_err(failed)?).stderr(input);
    // A group of its own, so that what it started ends with it.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    Ok((command.spawn().map_err(failed)?, output))
}

fn read_lines(output: PipeReader) -> mpsc::Receiver<String> {
    let (sender, lines) = mpsc::channel();
    thread::spawn(move || {
        let mut output = BufReader::new(output);
        while let Some(line) = read_line(&mut output) {
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    lines
}

/// A line, or a piece of one that is too long to wait for its end.
fn read_line(output: &mut impl BufRead) -> Option<String> {
    let mut line = Vec::new();
    let read = output.take(LONGEST_LINE).read_until(b'\n', &mut line).ok()?;
    (read > 0).then(|| String::from_utf8_lossy(&line).trim_end().to_owned())
}

fn keep(tail: &mut VecDeque<String>, line: String) {
    if tail.len() == TAIL_LINES {
        tail.pop_front();
    }
    tail.push_back(line);
}

fn stop(child: &mut Child) {
    #[cfg(unix)]
    if let Some(group) = rustix::process::Pid::from_raw(child.id().cast_signed()) {
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = child.kill();
    let _ = child.wait();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Vec<String> {
        ["sh", "-c", script].map(str::to_owned).to_vec()
    }

    #[test]
    fn the_end_of_the_output_is_kept() {
        let mut seen = 0;
        let count = |_: &str| {
            seen += 1;
            true
        };
        let finished = run_program(&shell("seq 1 100; echo oops >&2; exit 3"), Path::new("/"), Duration::from_secs(10), count);
        let finished = finished.expect("it runs");
        assert_eq!(finished.status.code(), Some(3));
        assert!(finished.tail.contains("100") && finished.tail.contains("oops"), "{}", finished.tail);
        assert!(!finished.tail.lines().any(|line| line == "1"));
        assert!(seen >= 101);
    }

    #[test]
    fn output_without_an_end_does_not_pile_up() {
        let finished =
            run_program(&shell("yes | tr -d '\\n' | head -c 3000000"), Path::new("/"), Duration::from_secs(10), |_| true);
        let finished = finished.expect("it runs");
        let longest = finished.tail.lines().map(str::len).max();
        assert!(longest.is_some_and(|longest| longest as u64 <= LONGEST_LINE) && finished.tail.lines().count() <= TAIL_LINES);
    }

    #[test]
    fn a_program_that_hangs_is_stopped_with_its_children() {
        let started = Instant::now();
        let failed = run_program(&shell("sleep 60 & sleep 60"), Path::new("/"), Duration::from_millis(200), |_| true);
        assert!(matches!(failed, Err(ProgramError::Timeout { .. })), "{failed:?}");
        assert!(started.elapsed() < Duration::from_secs(5));
    }

    #[test]
    fn a_missing_program_is_named() {
        let failed = run_program(&["no-such-program-here".into()], Path::new("/"), Duration::from_secs(1), |_| true);
        assert!(matches!(failed, Err(ProgramError::Missing { .. })), "{failed:?}");
    }

    #[test]
    fn a_cancelled_call_stops_the_program() {
        let failed = run_program(&shell("sleep 60"), Path::new("/"), Duration::from_secs(60), |_| false);
        assert!(matches!(failed, Err(ProgramError::Cancelled)), "{failed:?}");
    }
}
