//! What changed on the disk, as paths: the one place that names notify.
//!
//! A change is a file or folder that was made, written, moved or removed; that one was read is none, or a build would
//! begin itself again. Changes are collected until none came for a moment, because programs write a file in several
//! steps and a site in thousands. Where too many came or the system lost some, that is said instead.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};
use tokio::sync::Notify;
use tokio::time::{Instant, timeout};

/// How long nothing must come until what came is told, where that is little: an editor has written a file.
const QUIET: Duration = Duration::from_millis(30);
/// The same where it is more: a generator writes a site.
const QUIET_OF_MANY: Duration = Duration::from_millis(200);
/// As many paths an editor touches when it writes one file.
const FEW: usize = 8;
/// How long something that never rests is waited for.
const LONGEST: Duration = Duration::from_secs(3);
/// Most paths that are kept; beyond it, everything counts as changed.
const MOST: usize = 100_000;

/// Watches folders.
#[derive(Debug)]
pub(crate) struct Watcher {
    system: RecommendedWatcher,
    pending: Arc<PendingChanges>,
    watched: BTreeSet<PathBuf>,
}

/// How far below a folder is watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum WatchDepth {
    /// What lies in it.
    Entries,
    /// Everything below it.
    Everything,
}

/// What changed since the last time.
#[derive(Debug, Default)]
pub(crate) struct FileChanges {
    /// The files and folders.
    pub(crate) paths: BTreeSet<PathBuf>,
    /// Whether there was more than that.
    pub(crate) more: bool,
}

#[derive(Debug, Default)]
struct PendingChanges {
    changes: Mutex<FileChanges>,
    changed: Notify,
}

impl Watcher {
    /// A watcher of nothing yet; the error is a sentence.
    pub(crate) fn new() -> Result<Self, String> {
        let pending = Arc::new(PendingChanges::default());
        let put = Arc::clone(&pending);
        let system =
            notify::recommended_watcher(move |event: notify::Result<Event>| put.take(event));
        let system = system.map_err(|error| format!("cannot watch files: {error}"))?;
        Ok(Self {
            system,
            pending,
            watched: BTreeSet::new(),
        })
    }

    /// Forgets what is watched: a folder that was removed and made again is another one to the system.
    pub(crate) fn forget(&mut self) {
        for path in std::mem::take(&mut self.watched) {
            // One that is gone is not watched anyway.
            let _ = self.system.unwatch(&path);
        }
    }

    /// Watches these folders too; gives a sentence for each that cannot be watched.
    pub(crate) fn watch(&mut self, folders: &BTreeMap<PathBuf, WatchDepth>) -> Vec<String> {
        let mut troubles = Vec::new();
        for (path, depth) in folders
            .iter()
            .filter(|(path, _)| !self.watched.contains(*path))
            .collect::<Vec<_>>()
        {
            let mode = match depth {
                WatchDepth::Entries => RecursiveMode::NonRecursive,
                WatchDepth::Everything => RecursiveMode::Recursive,
            };
            match self.system.watch(path, mode) {
                Ok(()) => drop(self.watched.insert(path.clone())),
                Err(error) => troubles.push(format!("cannot watch {}: {error}", path.display())),
            }
        }
        troubles
    }

    /// Waits for changes, until no more come; nothing where none begin within a time.
    pub(crate) async fn changed(&self, within: Option<Duration>) -> Option<FileChanges> {
        match within {
            Some(within) => timeout(within, self.pending.changed.notified())
                .await
                .ok()?,
            None => self.pending.changed.notified().await,
        }
        let began = Instant::now();
        while began.elapsed() < LONGEST
            && timeout(self.pending.quiet(), self.pending.changed.notified())
                .await
                .is_ok()
        {}
        Some(self.pending.empty())
    }
}

impl PendingChanges {
    fn take(&self, event: notify::Result<Event>) {
        let mut changes = self.changes.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            Ok(event) if event.need_rescan() => changes.more = true,
            Ok(event) if is_change(event.kind) && changes.paths.len() < MOST => {
                changes.paths.extend(event.paths)
            }
            Ok(event) if is_change(event.kind) => changes.more = true,
            Ok(_) => return,
            Err(_) => changes.more = true,
        }
        drop(changes);
        self.changed.notify_one();
    }

    fn quiet(&self) -> Duration {
        let changes = self.changes.lock().unwrap_or_else(PoisonError::into_inner);
        if changes.more || changes.paths.len() > FEW {
            QUIET_OF_MANY
        } else {
            QUIET
        }
    }

    fn empty(&self) -> FileChanges {
        std::mem::take(&mut *self.changes.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Whether something is other than before.
fn is_change(kind: EventKind) -> bool {
    matches!(
        kind,
        EventKind::Create(_) | EventKind::Modify(_) | EventKind::Remove(_)
    )
}

#[cfg(test)]
mod tests {
    use notify::event::{
        AccessKind, AccessMode, CreateKind, Flag, ModifyKind, RemoveKind, RenameMode,
    };

    use super::*;

    #[test]
    fn reading_is_no_change() {
        for (kind, expected) in [
            (EventKind::Access(AccessKind::Open(AccessMode::Any)), false),
            (
                EventKind::Access(AccessKind::Close(AccessMode::Write)),
                false,
            ),
            (EventKind::Other, false),
            (EventKind::Create(CreateKind::File), true),
            (EventKind::Modify(ModifyKind::Name(RenameMode::To)), true),
            (EventKind::Remove(RemoveKind::Any), true),
        ] {
            assert_eq!(is_change(kind), expected, "{kind:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_change_that_begins_while_nobody_waits_any_more_is_told_to_the_next_who_does() {
        let watcher = Watcher::new().unwrap();
        let take = |name: &str| {
            watcher.pending.take(Ok(
                Event::new(EventKind::Create(CreateKind::File)).add_path(name.into())
            ));
        };
        let idle = Duration::from_secs(5);
        assert!(watcher.changed(Some(idle)).await.is_none());
        // It comes just before the time is over, and more of it after that.
        let late = async {
            tokio::time::sleep(idle - QUIET / 2).await;
            take("a");
            tokio::time::sleep(QUIET * 2 / 3).await;
            take("b");
        };
        let (changes, ()) = tokio::join!(watcher.changed(Some(idle)), late);
        assert_eq!(changes.unwrap().paths, ["a", "b"].map(PathBuf::from).into());
        assert!(watcher.changed(Some(idle)).await.is_none());
    }

    #[test]
    fn what_the_system_lost_is_more_than_paths() {
        let pending = PendingChanges::default();
        pending.take(Ok(
            Event::new(EventKind::Create(CreateKind::File)).add_path("a".into())
        ));
        pending.take(Ok(
            Event::new(EventKind::Access(AccessKind::Any)).add_path("b".into())
        ));
        assert_eq!(pending.quiet(), QUIET);
        let changes = pending.empty();
        assert_eq!(
            (changes.paths, changes.more),
            ([PathBuf::from("a")].into(), false)
        );
        let create = || Event::new(EventKind::Create(CreateKind::File));
        pending.take(Ok((0..=FEW).fold(create(), |event, number| {
            event.add_path(number.to_string().into())
        })));
        assert_eq!(pending.quiet(), QUIET_OF_MANY);
        pending.empty();
        pending.take(Ok(Event::new(EventKind::Other).set_flag(Flag::Rescan)));
        assert!(pending.empty().more && !pending.empty().more);
    }
}
