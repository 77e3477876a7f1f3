//! Whether the state can be read from its first page to its last, and by nobody but its owner.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use pipeline::causes::chain;
use pipeline::config::Config;
use pipeline::state::{self, Trouble};

use super::disk::writable;
use super::finding::{Finding, Health};
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
pub(super) fn look(config: &Config, state: StateAt<'_>, findings: &mut Vec<Finding>) {
    let file = config.store.state.as_path();
    match state {
        StateAt::Disk => on_disk(config, findings),
        StateAt::Here(state) => findings.push(match state.trouble() {
            None => Finding::new(
                "state",
                Health::Good,
                format!("{} is in use by this server", file.display()),
            ),
            Some(Trouble::NoRoom) => Finding::new(
                "state",
                Health::Bad,
                format!("{}: the disk is full", file.display()),
            ),
            Some(Trouble::Unusable) => Finding::new(
                "state",
                Health::Bad,
                format!("{} cannot be written; see the log", file.display()),
            ),
        }),
    }
    findings.extend(rights(file));
}

/// Whether others may read the file: it holds addresses of people, secrets of webhooks and pages of others.
fn rights(file: &Path) -> Option<Finding> {
    let mode = std::fs::metadata(file).ok()?.permissions().mode() & 0o777;
    let place = file.display();
    let found =
        format!("{place}: others may read or change it (mode {mode:o}); run `chmod 600 {place}`");
    (mode & OTHERS != 0).then(|| Finding::new("state", Health::Poor, found))
}

/// Whether the state can be read from its first page to its last.
fn on_disk(config: &Config, findings: &mut Vec<Finding>) {
    let file = config.store.state.as_path();
    let place = file.display();
    let is_empty = std::fs::metadata(file).is_ok_and(|found| found.len() == 0);
    let health = state::State::health(file);
    let is_sound = matches!(health, Ok(state::Health::Sound));
    findings.push(match health {
        Ok(state::Health::Sound) => Finding::new("state", Health::Good, place.to_string()),
        // A server at work reads it all the time, and says in its log and to its callers what is wrong.
        Ok(state::Health::Unusable(state::StateError::Held { holder, .. }))
        | Err(state::StateError::Held { holder, .. }) => {
            Finding::new("state", Health::Good, format!("{place} is in use by {holder}, so it was not checked"))
        }
        Ok(state::Health::Missing) if is_empty => {
            let found =
                format!("{place} is empty; the next build, or `latimer state rebuild`, recovers what the store has");
            Finding::new("state", Health::Poor, found)
        }
        Ok(state::Health::Missing) => {
            let outcome = writable(file.parent().unwrap_or(file));
            Finding::of("state", outcome.map(|()| format!("{place}, which the first build makes")))
        }
        Ok(state::Health::Unusable(error)) | Err(error) => Finding::new("state", Health::Bad, chain(&error)),
    });
    if is_sound {
        added_sites(config, findings);
    }
}

/// Sites that callers of the API added and that are not served or cannot be used.
fn added_sites(config: &Config, findings: &mut Vec<Finding>) {
    let found = state::State::open(&config.store.state).and_then(|state| unserved(config, &state));
    let finding = |found| Finding::new("sites of the API", Health::Bad, found);
    match found {
        Ok(found) => findings.extend(found.into_iter().map(finding)),
        Err(error) => findings.push(finding(chain(&error))),
    }
}
