//! Learning of changes that others make: by events where they come, by polling where they do not.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use notify::event::Flag;
use notify::{Config, Event, EventKind, EventKindMask, RecommendedWatcher, RecursiveMode, Watcher};

use crate::{NotePath, Vault};

/// Events within this time of each other are told together.
const SETTLE: Duration = Duration::from_millis(40);
/// However busy the vault is, changes are told at least this often.
const LONGEST_SETTLE: Duration = Duration::from_millis(150);
const SHORTEST_POLL: Duration = Duration::from_secs(2);
const LONGEST_POLL: Duration = Duration::from_secs(60);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WatchMode {
    Events,
    Polling,
}

/// What may have changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Dirty {
    /// These files or folders; some may be gone.
    Paths(BTreeSet<NotePath>),
    /// Anything: look at the whole vault.
    Everything,
}

/// Watches until dropped.
pub struct Watch {
    pub mode: WatchMode,
    _running: Running,
}

/// Dropping either ends its thread: the watcher owns the sending end of the events, polling waits on a channel nobody sends to.
#[expect(dead_code, reason = "held only to be dropped")]
enum Running {
    Events(RecommendedWatcher),
    Polling(mpsc::Sender<()>),
}

impl Vault {
    /// Calls `tell` on a thread of its own. `tell` returns whether anything had really changed, which sets the pace of polling.
    pub fn watch(&self, tell: impl Fn(Dirty) -> bool + Send + 'static) -> Watch {
        let root = self.root_path().to_owned();
        let handle = self.clone();
        let tell = move |dirty| match handle.news(dirty) {
            Some(news) => tell(news),
            None => false,
        };
        if !self.is_remote() {
            let (events, incoming) = mpsc::channel();
            match watch_events(&root, events) {
                Ok(watcher) => {
                    thread::spawn(move || gather(&root, &incoming, &tell));
                    return Watch { mode: WatchMode::Events, _running: Running::Events(watcher) };
                }
                Err(error) => tracing::warn!(%error, "change events are not to be had; polling instead"),
            }
        }
        let (stop, stopped) = mpsc::channel();
        thread::spawn(move || poll(&stopped, &tell));
        Watch { mode: WatchMode::Polling, _running: Running::Polling(stop) }
    }

    /// Whether the vault is on a network or FUSE mount: those do not report what other machines change, and may stall.
    #[cfg(target_os = "linux")]
    pub fn is_remote(&self) -> bool {
        const REMOTE: [u32; 9] = [
            0x6969,      // NFS
            0x517b,      // SMB
            0xff53_4d42, // CIFS
            0xfe53_4d42, // SMB2
            0x6573_5546, // FUSE: rclone, sshfs
            0x0102_1997, // 9P
            0x00c3_6400, // Ceph
            0x5346_414f, // AFS
            0x786f_4256, // VirtualBox shared folders
        ];
        rustix::fs::fstatfs(&self.core.root).is_ok_and(|about| REMOTE.contains(&(about.f_type as u32)))
    }

    #[cfg(not(target_os = "linux"))]
    pub fn is_remote(&self) -> bool {
        false
    }
}

fn watch_events(root: &Path, events: mpsc::Sender<Event>) -> notify::Result<RecommendedWatcher> {
    // Opening and reading are no changes, and we do a lot of both.
    let config = Config::default().with_event_kinds(EventKindMask::CORE).with_follow_symlinks(false);
    let tell = move |event: notify::Result<Event>| match event {
        Ok(event) => drop(events.send(event)),
        // Whatever it missed, a look at everything finds.
        Err(error) => {
            tracing::warn!(%error, "the file watcher reported a problem");
            drop(events.send(Event::new(EventKind::Other).set_flag(Flag::Rescan)));
        }
    };
    let mut watcher = RecommendedWatcher::new(tell, config)?;
    watcher.watch(root, RecursiveMode::Recursive)?;
    Ok(watcher)
}

/// Collects events until they pause, then tells them at once.
fn gather(root: &Path, incoming: &mpsc::Receiver<Event>, tell: &impl Fn(Dirty) -> bool) {
    while let Ok(first) = incoming.recv() {
        let started = Instant::now();
        let mut events = vec![first];
        while started.elapsed() < LONGEST_SETTLE {
            match incoming.recv_timeout(SETTLE) {
                Ok(event) => events.push(event),
                Err(RecvTimeoutError::Timeout) => break,
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
        let dirty = dirty_of(root, &events);
        if dirty != Dirty::Paths(BTreeSet::new()) {
            tell(dirty);
        }
    }
}

fn dirty_of(root: &Path, events: &[Event]) -> Dirty {
    if events.iter().any(Event::need_rescan) {
        return Dirty::Everything;
    }
    let paths = events.iter().flat_map(|event| &event.paths);
    Dirty::Paths(paths.filter_map(|path| path_in_vault(root, path)).collect())
}

/// Hidden files, our own temporary ones among them, are no paths and fall out here.
fn path_in_vault(root: &Path, path: &Path) -> Option<NotePath> {
    NotePath::parse(path.strip_prefix(root).ok()?.to_str()?).ok()
}

/// Looks often while things change and after that ever less, never spending more than a twentieth of the time on looking.
fn poll(stopped: &mpsc::Receiver<()>, tell: &impl Fn(Dirty) -> bool) {
    let mut pause = SHORTEST_POLL;
    while stopped.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
        let started = Instant::now();
        let changed = tell(Dirty::Everything);
        pause = next_pause(pause, changed, started.elapsed());
    }
}

fn next_pause(pause: Duration, changed: bool, cost: Duration) -> Duration {
    let wanted = if changed { SHORTEST_POLL } else { pause * 3 / 2 };
    wanted.max(cost * 20).clamp(SHORTEST_POLL, LONGEST_POLL)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn polling_slows_down_when_quiet_and_speeds_up_on_change() {
        let second = Duration::from_secs(1);
        assert_eq!(next_pause(4 * second, false, second / 100), 6 * second);
        assert_eq!(next_pause(50 * second, false, second / 100), LONGEST_POLL);
        assert_eq!(next_pause(50 * second, true, second / 100), SHORTEST_POLL);
        assert_eq!(next_pause(2 * second, true, second), 20 * second);
    }

    #[test]
    fn changes_are_told_while_others_go_on() {
        let (events, incoming) = mpsc::channel();
        let (told, telling) = mpsc::channel();
        let gathering = thread::spawn(move || gather(Path::new("/vault"), &incoming, &|dirty| told.send(dirty).is_ok()));
        let is_told = || telling.try_recv().is_ok();
        let started = Instant::now();
        // Without a pause in which it could settle.
        while !is_told() {
            assert!(started.elapsed() < Duration::from_millis(450), "nothing was told while events kept coming");
            events.send(Event::new(EventKind::Any).add_path("/vault/a.md".into())).expect("somebody gathers");
            thread::sleep(Duration::from_millis(1));
        }
        drop(events);
        gathering.join().expect("it ends with its events");
    }

    #[test]
    fn hidden_files_are_no_news() {
        let root = Path::new("/vault");
        assert_eq!(path_in_vault(root, Path::new("/vault/.obsidian/workspace.json")), None);
        assert_eq!(path_in_vault(root, Path::new("/vault/a/.quillgate-1.tmp")), None);
        assert_eq!(path_in_vault(root, Path::new("/elsewhere/a.md")), None);
        assert_eq!(path_in_vault(root, Path::new("/vault/a/b.md")), NotePath::parse("a/b.md").ok());
    }
}
