//! One-time codes, by which whoever has the machine signs in at the admin screen.
//!
//! The server has the state open, so a code is a file beside it: named by the code's hash, readable by its owner alone, with
//! what is granted and until when. The server takes it by renaming it, so it is used once, whoever asks at the same time.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::Grant;

/// How long a code can be used.
const VALID: Duration = Duration::from_secs(10 * 60);

/// Why no code was written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write a code into {}: {source}", folder.display())]
pub struct SignInError {
    folder: PathBuf,
    source: std::io::Error,
}

/// What a code grants, as its file says it.
#[derive(Debug, Serialize, Deserialize)]
struct SignInCode {
    subject: String,
    scope: String,
    sites: Vec<String>,
    /// In seconds since 1970.
    expires: u64,
}

/// A key that no token was signed with: it ends with the process.
pub fn passing_key() -> String {
    (0..2)
        .map(|_| Uuid::new_v4().simple().to_string())
        .collect()
}

/// Where the codes of a state lie.
pub(crate) fn codes_of(state: &Path) -> PathBuf {
    let mut folder = state.as_os_str().to_owned();
    folder.push(".logins");
    folder.into()
}

/// Writes a code beside a state and gives it; those whose time is over are removed.
///
/// # Errors
/// A [`SignInError`] that names the folder.
pub fn write_code(state: &Path, grant: &Grant, now: SystemTime) -> Result<String, SignInError> {
    let folder = codes_of(state);
    let failed = |source| SignInError {
        folder: folder.clone(),
        source,
    };
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(&folder)
        .map_err(failed)?;
    for old in fs::read_dir(&folder).map_err(failed)?.flatten() {
        let is_old = old
            .metadata()
            .and_then(|about| about.modified())
            .is_ok_and(|since| since + VALID < now);
        if is_old {
            // Whoever is faster has removed it.
            let _ = fs::remove_file(old.path());
        }
    }
    let code = format!("{}{}", Uuid::new_v4().simple(), Uuid::new_v4().simple());
    let record = SignInCode {
        subject: grant.subject.clone(),
        scope: grant.scope.clone(),
        sites: grant.sites.clone(),
        expires: seconds(now + VALID),
    };
    let text = serde_json::to_vec(&record).map_err(|error| failed(error.into()))?;
    let path = folder.join(file_of(&code));
    let mut file = fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)
        .map_err(failed)?;
    file.write_all(&text)
        .and_then(|()| file.sync_all())
        .map_err(failed)?;
    Ok(code)
}

/// Takes a code that nobody took before and whose time is not over; gives what it grants.
pub(crate) fn take_code(folder: &Path, code: &str, now: SystemTime) -> Option<Grant> {
    if code.len() != 64 || !code.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let taken = folder.join(format!("{}.taken", Uuid::new_v4().simple()));
    fs::rename(folder.join(file_of(code)), &taken).ok()?;
    let text = fs::read(&taken);
    // What stays is swept with the next code, and opens nothing.
    let _ = fs::remove_file(&taken);
    let record: SignInCode = serde_json::from_slice(&text.ok()?).ok()?;
    let SignInCode {
        subject,
        scope,
        sites,
        expires,
    } = record;
    (seconds(now) < expires).then_some(Grant {
        subject,
        scope,
        sites,
        ttl: Duration::ZERO,
    })
}

fn file_of(code: &str) -> String {
    format!("{}.json", blake3::hash(code.as_bytes()).to_hex())
}

fn seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .as_secs()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn a_code_is_used_once_and_in_time_and_nobody_else_reads_it() {
        let folder = tempfile::TempDir::new().unwrap();
        let state = folder.path().join("state.redb");
        let now = SystemTime::now();
        let grant = Grant {
            subject: "ana".to_owned(),
            scope: "sites:read".to_owned(),
            sites: vec!["bakery".to_owned()],
            ttl: Duration::ZERO,
        };
        let codes = codes_of(&state);
        let code = write_code(&state, &grant, now).unwrap();
        let file = fs::read_dir(&codes).unwrap().next().unwrap().unwrap();
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(
            fs::metadata(&codes).unwrap().permissions().mode() & 0o777,
            0o700
        );
        assert!(!file.file_name().to_string_lossy().contains(&code));
        for wrong in ["", "../state.redb", &"0".repeat(64), &code[1..]] {
            assert!(take_code(&codes, wrong, now).is_none(), "{wrong}");
        }
        let taken = take_code(&codes, &code, now).unwrap();
        assert_eq!(
            (taken.subject, taken.scope, taken.sites),
            (
                grant.subject.clone(),
                grant.scope.clone(),
                grant.sites.clone()
            )
        );
        assert!(take_code(&codes, &code, now).is_none());
        let late = write_code(&state, &grant, now).unwrap();
        assert!(take_code(&codes, &late, now + VALID).is_none());
        assert_eq!(fs::read_dir(&codes).unwrap().count(), 0);
    }
}
