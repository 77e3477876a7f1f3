//! The memory as text beside the configuration: read and written only when it or the rows of the state changed.
//!
//! The state remembers what the disk said of the file when both were the same. Times of files are not believed alone: a
//! checkout sets them anew, and then the bytes are compared by their hash. The file is its owner's: where it says
//! something else than the state, it is right.

use std::fs::Metadata;
use std::path::Path;
use std::time::UNIX_EPOCH;

use crate::exchange::{BrokenLine, MemoryLines};
use crate::model::Locale;
use crate::run::context::{Build, blocking};
use crate::run::error::BuildError;
use crate::state::LinesMark;

/// Takes what the file says into the state, unless that was done; gives the lines that could not be read.
pub(in crate::run) async fn read_lines(
    build: &Build<'_>,
    locale: &Locale,
) -> Result<Vec<BrokenLine>, BuildError> {
    let Some(file) = &build.site.memory else {
        return Ok(Vec::new());
    };
    let state = build.stores.state.clone();
    let id = build.site.id.clone();
    let tag = locale.clone();
    let path = file.path(locale);
    blocking(move || {
        // Before the bytes: what changes while they are read is read again the next time.
        let Some(stamp) = stamp(&path) else {
            return Ok(Vec::new());
        };
        let mark = state
            .memory_ledger(&id, &tag)?
            .lines
            .filter(|mark| mark.path == path.to_string_lossy());
        if mark.as_ref().is_some_and(|mark| mark.stamp == stamp) {
            return Ok(Vec::new());
        }
        let Some(bytes) = MemoryLines::read(&path)? else {
            return Ok(Vec::new());
        };
        let hash = blake3::hash(&bytes).to_hex().to_string();
        let same = mark.filter(|mark| mark.hash == hash);
        let changes = match &same {
            Some(mark) => mark.changes,
            None => {
                let (entries, broken) = MemoryLines::parse(&bytes).into_parts();
                drop(bytes);
                state.remember(&id, &tag, &entries)?;
                if !broken.is_empty() {
                    return Ok(broken);
                }
                None
            }
        };
        let mark = LinesMark {
            path: path.to_string_lossy().into_owned(),
            stamp,
            hash,
            changes,
        };
        state.change_memory_ledger(&id, &tag, |ledger| ledger.lines = Some(mark))?;
        Ok(Vec::new())
    })
    .await?
}

/// Writes the rows of the state into the file, unless it has them.
pub(in crate::run) async fn write_lines(
    build: &Build<'_>,
    locale: &Locale,
) -> Result<(), BuildError> {
    let Some(file) = &build.site.memory else {
        return Ok(());
    };
    let state = build.stores.state.clone();
    let id = build.site.id.clone();
    let tag = locale.clone();
    let path = file.path(locale);
    blocking(move || {
        let ledger = state.memory_ledger(&id, &tag)?;
        let is_same = |mark: &LinesMark| {
            let is_file =
                mark.path == path.to_string_lossy() && Some(&mark.stamp) == stamp(&path).as_ref();
            is_file && mark.changes == Some(ledger.changes)
        };
        if ledger.lines.as_ref().is_some_and(is_same) {
            return Ok(());
        }
        let hash = MemoryLines::from_entries(state.recall_all(&id, &tag)?).save(&path)?;
        let Some(stamp) = stamp(&path) else {
            return Ok(());
        };
        let changes = Some(ledger.changes);
        let mark = LinesMark {
            path: path.to_string_lossy().into_owned(),
            stamp,
            hash,
            changes,
        };
        state.change_memory_ledger(&id, &tag, |ledger| ledger.lines = Some(mark))?;
        Ok(())
    })
    .await?
}

/// What the disk says of a file: its length and its times; nothing where there is none.
fn stamp(path: &Path) -> Option<String> {
    let file = std::fs::metadata(path).ok()?;
    let written = file
        .modified()
        .ok()?
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .as_nanos();
    Some(format!("{} {written} {}", file.len(), changed(&file)))
}

/// When anything of a file changed, and which file it is: no program can set that back.
#[cfg(unix)]
fn changed(file: &Metadata) -> String {
    use std::os::unix::fs::MetadataExt;
    format!("{}.{:09} {}", file.ctime(), file.ctime_nsec(), file.ino())
}

#[cfg(not(unix))]
fn changed(_: &Metadata) -> String {
    String::new()
}
