//! Whether the state can be read from its first page to its last, and by nobody but its owner.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use pipeline::causes::chain;
use pipeline::config::Config;
use pipeline::state::{self, DiskTrouble};

use super::disk::writable;
use super::finding::{DoctorFinding, DoctorHealth};
use crate::public::sites::unserved;

/// Rights of everybody but the owner.
const OTHERS: u32 = 0o077;

/// Who has the state.
#[derive(Clone, Copy, Debug)]
pub enum StateAt<'a> {
    /// Nobody, or another process.
    Disk,
    /// This process, which works with it.
    Here(&'a state::State),
}

/// Looks at the state.
pub(super) fn look(config: &Config, state: StateAt<'_>, findings: &mut Vec<DoctorFinding>) {
    let file = config.store.state.as_path();
    match state {
        StateAt::Disk => on_disk(config, findings),
        StateAt::Here(state) => findings.push(match state.trouble() {
            None => DoctorFinding::new(
                "state",
                DoctorHealth::Good,
                format!("{} is in use by this server", file.display()),
            ),
            Some(DiskTrouble::NoRoom) => DoctorFinding::new(
                "state",
                DoctorHealth::Bad,
                format!("{}: the disk is full", file.display()),
            ),
            Some(DiskTrouble::Unusable) => DoctorFinding::new(
                "state",
                DoctorHealth::Bad,
                format!("{} cannot be written; see the log", file.display()),
            ),
        }),
    }
    findings.extend(rights(file));
}

/// Whether others may read the file: it holds addresses of people, secrets of webhooks and pages of others.
fn rights(file: &Path) -> Option<DoctorFinding> {
    let mode = std::fs::metadata(file).ok()?.permissions().mode() & 0o777;
    let place = file.display();
    let found =
        format!("{place}: others may read or change it (mode {mode:o}); run `chmod 600 {place}`");
    (mode & OTHERS != 0).then(|| DoctorFinding::new("state", DoctorHealth::Poor, found))
}

/// Whether the state can be read from its first page to its last.
fn on_disk(config: &Config, findings: &mut Vec<DoctorFinding>) {
    let file = config.store.state.as_path();
    let place = file.display();
    let is_empty = std::fs::metadata(file).is_ok_and(|found| found.len() == 0);
    let health = state::State::health(file);
    let is_sound = matches!(health, Ok(state::StateHealth::Sound));
    findings.push(match health {
        Ok(state::StateHealth::Sound) => DoctorFinding::new("state", DoctorHealth::Good, place.to_string()),
        // A server at work reads it all the time, and says in its log and to its callers what is wrong.
        Ok(state::StateHealth::Unusable(state::StateError::Held { holder, .. }))
        | Err(state::StateError::Held { holder, .. }) => {
            DoctorFinding::new("state", DoctorHealth::Good, format!("{place} is in use by {holder}, so it was not checked"))
        }
        Ok(state::StateHealth::Missing) if is_empty => {
            let found =
                format!("{place} is empty; the next build, or `latimer state rebuild`, recovers what the store has");
            DoctorFinding::new("state", DoctorHealth::Poor, found)
        }
        Ok(state::StateHealth::Missing) => {
            let outcome = writable(file.parent().unwrap_or(file));
            DoctorFinding::of("state", outcome.map(|()| format!("{place}, which the first build makes")))
        }
        Ok(state::StateHealth::Unusable(error)) | Err(error) => DoctorFinding::new("state", DoctorHealth::Bad, chain(&error)),
    });
    if is_sound {
        added_sites(config, findings);
    }
}

/// Sites that callers of the API added and that are not served or cannot be used.
fn added_sites(config: &Config, findings: &mut Vec<DoctorFinding>) {
    let found = state::State::open(&config.store.state).and_then(|state| unserved(config, &state));
    let finding = |found| DoctorFinding::new("sites of the API", DoctorHealth::Bad, found);
    match found {
        Ok(found) => findings.extend(found.into_iter().map(finding)),
        Err(error) => findings.push(finding(chain(&error))),
    }
}
