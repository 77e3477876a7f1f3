//! Who is signed in at the admin screen: in memory, so a restart signs everybody out, and by the hash of what the browser
//! holds, so nothing here opens a session.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use uuid::Uuid;

use super::Caller;

/// How long a session lasts, and how long unused.
const LONGEST: Duration = Duration::from_secs(12 * 60 * 60);
const UNUSED: Duration = Duration::from_secs(2 * 60 * 60);
/// Sessions of one subject; the oldest one ends where there are more.
const MOST_OF_ONE: usize = 20;
/// Sessions of all.
const MOST: usize = 10_000;

/// Somebody who is signed in.
#[derive(Clone, Debug)]
pub(crate) struct Session {
    /// What names it to people; it opens nothing.
    pub(crate) id: String,
    pub(crate) caller: Caller,
    pub(crate) began: SystemTime,
    pub(crate) used: SystemTime,
    ends: SystemTime,
    /// Whether a token opened it.
    is_by_token: bool,
}

/// Everybody who is signed in.
#[derive(Debug, Default)]
pub(crate) struct Sessions(Mutex<HashMap<[u8; 32], Session>>);

impl Sessions {
    /// Signs somebody in, until a time at the latest; gives what the browser holds: 366 random bits.
    pub(crate) fn open(&self, caller: Caller, ends: Option<SystemTime>, now: SystemTime) -> String {
        let secret: String = (0..3)
            .map(|_| Uuid::new_v4().simple().to_string())
            .collect();
        let latest = now + LONGEST;
        let session = Session {
            id: Uuid::new_v4().simple().to_string(),
            caller,
            began: now,
            used: now,
            ends: ends.map_or(latest, |ends| ends.min(latest)),
            is_by_token: ends.is_some(),
        };
        let mut all = self.all();
        all.retain(|_, known| known.is_open(now));
        let is_own = |known: &&Session| known.caller.subject == session.caller.subject;
        let too_many = all.values().filter(is_own).count() >= MOST_OF_ONE || all.len() >= MOST;
        let candidates = all
            .iter()
            .filter(|(_, known)| all.len() >= MOST || is_own(known));
        let oldest = candidates
            .min_by_key(|(_, known)| known.used)
            .map(|(key, _)| *key);
        if let Some(oldest) = oldest.filter(|_| too_many) {
            all.remove(&oldest);
        }
        all.insert(hash(&secret), session);
        secret
    }

    /// Who holds this, if that is anybody.
    pub(crate) fn find(&self, secret: &str, now: SystemTime) -> Option<Session> {
        let mut all = self.all();
        let key = hash(secret);
        let session = all.get_mut(&key)?;
        if !session.is_open(now) {
            all.remove(&key);
            return None;
        }
        session.used = now;
        Some(session.clone())
    }

    /// The sessions of a subject, or all, newest first.
    pub(crate) fn list(&self, subject: Option<&str>, now: SystemTime) -> Vec<Session> {
        let all = self.all();
        let is_meant = |session: &&Session| {
            session.is_open(now) && subject.is_none_or(|subject| session.caller.subject == subject)
        };
        let mut found: Vec<_> = all.values().filter(is_meant).cloned().collect();
        found.sort_by_key(|session| std::cmp::Reverse(session.began));
        found
    }

    /// Ends a session by its name; only of a subject, where one is given.
    pub(crate) fn end(&self, id: &str, subject: Option<&str>) {
        let stays = |session: &Session| {
            session.id != id || subject.is_some_and(|subject| session.caller.subject != subject)
        };
        self.all().retain(|_, session| stays(session));
    }

    /// Ends all sessions that a token opened: tokens are checked by another key now.
    pub(crate) fn end_those_of_tokens(&self) {
        self.all().retain(|_, session| !session.is_by_token);
    }

    fn all(&self) -> MutexGuard<'_, HashMap<[u8; 32], Session>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Session {
    fn is_open(&self, now: SystemTime) -> bool {
        now < self.ends && now < self.used + UNUSED
    }
}

fn hash(secret: &str) -> [u8; 32] {
    *blake3::hash(secret.as_bytes()).as_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auth::Grant;

    fn caller(subject: &str) -> Caller {
        let scope = "sites:read".to_owned();
        let sites = vec!["*".to_owned()];
        let ttl = Duration::ZERO;
        Caller::granted(&Grant {
            subject: subject.to_owned(),
            scope,
            sites,
            ttl,
        })
    }

    #[test]
    fn a_session_ends_with_its_token_after_twelve_hours_or_two_unused() {
        let sessions = Sessions::default();
        let now = SystemTime::now();
        let hour = Duration::from_secs(60 * 60);
        let short = sessions.open(caller("ana"), Some(now + hour), now);
        let long = sessions.open(caller("ana"), None, now);
        assert!(
            sessions.find(&short, now + hour / 2).is_some() && sessions.find("", now).is_none()
        );
        assert!(sessions.find(&short, now + hour).is_none());
        let by_token = sessions.open(caller("ana"), Some(now + hour), now);
        sessions.end_those_of_tokens();
        assert!(sessions.find(&by_token, now).is_none() && sessions.find(&long, now).is_some());
        for hours in 1..12 {
            assert!(
                sessions.find(&long, now + hour * hours).is_some(),
                "{hours}"
            );
        }
        assert!(sessions.find(&long, now + hour * 12).is_none());
        let unused = sessions.open(caller("ana"), None, now);
        assert!(sessions.find(&unused, now + hour * 2).is_none());
    }

    #[test]
    fn a_subject_ends_its_own_sessions_alone_and_has_twenty() {
        let sessions = Sessions::default();
        let now = SystemTime::now();
        let secret = sessions.open(caller("bob"), None, now);
        let id = sessions.find(&secret, now).unwrap().id;
        sessions.end(&id, Some("ana"));
        assert!(sessions.find(&secret, now).is_some());
        sessions.end(&id, Some("bob"));
        assert!(sessions.find(&secret, now).is_none());
        let all: Vec<_> = (0..25)
            .map(|second| sessions.open(caller("ana"), None, now + Duration::from_secs(second)))
            .collect();
        let later = now + Duration::from_secs(30);
        assert_eq!(sessions.list(Some("ana"), later).len(), 20);
        assert!(
            sessions.find(&all[0], later).is_none() && sessions.find(&all[24], later).is_some()
        );
    }
}
