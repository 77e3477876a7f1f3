//! What was found of something that was looked at.

/// How something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Health {
    /// As it should be.
    Good,
    /// It works, but not as well as it could.
    Poor,
    /// It does not work.
    Bad,
}

/// Something that was looked at.
#[derive(Debug)]
pub(super) struct Finding {
    /// What was looked at.
    pub(super) what: String,
    pub(super) health: Health,
    /// What was seen, and what to do about it.
    pub(super) found: String,
}

impl Finding {
    pub(super) fn new(what: impl Into<String>, health: Health, found: impl Into<String>) -> Self {
        Self { what: what.into(), health, found: found.into() }
    }

    pub(super) fn of(what: impl Into<String>, outcome: Result<String, String>) -> Self {
        match outcome {
            Ok(found) => Self::new(what, Health::Good, found),
            Err(found) => Self::new(what, Health::Bad, found),
        }
    }
}
