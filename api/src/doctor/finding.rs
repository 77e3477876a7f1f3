//! How much is looked at, and what was found of it.

/// How much is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DoctorDepth {
    /// Every byte that is published is read and compared with its hash.
    Whole,
    /// What a server looks at all the time by itself is left to it.
    Quick,
}

/// How something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DoctorHealth {
    /// As it should be.
    Good,
    /// It works, but not as well as it could.
    Poor,
    /// It does not work.
    Bad,
}

/// Something that was looked at.
#[derive(Debug)]
pub struct DoctorFinding {
    /// What was looked at.
    pub what: String,
    /// How it is.
    pub health: DoctorHealth,
    /// What was seen, and what to do about it.
    pub found: String,
}

impl DoctorHealth {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Poor => "poor",
            Self::Bad => "bad",
        }
    }
}

impl DoctorFinding {
    /// Says what was seen of something.
    pub fn new(what: impl Into<String>, health: DoctorHealth, found: impl Into<String>) -> Self {
        Self {
            what: what.into(),
            health,
            found: found.into(),
        }
    }

    pub(super) fn of(what: impl Into<String>, outcome: Result<String, String>) -> Self {
        match outcome {
            Ok(found) => Self::new(what, DoctorHealth::Good, found),
            Err(found) => Self::new(what, DoctorHealth::Bad, found),
        }
    }
}
