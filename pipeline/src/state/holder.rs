//! A note beside the state that says who has it open, for the message that another process shows.
//!
//! Best effort: the lock is the database's own. A note that a killed process left behind is overwritten by the next
//! owner and never read while the state is free.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};

/// The note; dropping it removes the file.
#[derive(Debug)]
pub(super) struct HolderNote(PathBuf);

impl HolderNote {
    pub(super) fn write(state: &Path) -> Self {
        let path = place(state);
        let command: Vec<String> = std::env::args_os()
            .map(|argument| argument.to_string_lossy().into_owned())
            .take(3)
            .collect();
        let text = format!("process {} ({})\n", std::process::id(), command.join(" "));
        // Without the note only the message is poorer.
        let _ = std::fs::write(&path, text);
        Self(path)
    }
}

impl Drop for HolderNote {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Who has the state, as its note says.
pub(super) fn read(state: &Path) -> String {
    match std::fs::read_to_string(place(state)) {
        Ok(text) if !text.trim().is_empty() => text.trim().to_owned(),
        _ => "another process".to_owned(),
    }
}

/// True if the process that the note names is gone.
///
/// Whoever then still has the state got it from that process: a program that it was starting when it was killed holds its files
/// until it runs.
pub(super) fn is_gone(state: &Path) -> bool {
    let note = read(state);
    let number = note
        .strip_prefix("process ")
        .and_then(|rest| rest.split(' ').next());
    let process = number
        .and_then(|number| number.parse().ok())
        .and_then(Pid::from_raw);
    process.is_some_and(|process| test_kill_process(process) == Err(Errno::SRCH))
}

fn place(state: &Path) -> PathBuf {
    let mut name = OsString::from(state);
    name.push(".holder");
    PathBuf::from(name)
}
