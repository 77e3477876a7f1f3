//! The parts of a deployment: one for each locale, and one that all of them share.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::model::{Locale, LocaleError};

/// A part of a deployment: the files of one locale, or what all locales share.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Tree {
    /// Files that are the same in every locale: images, styles, scripts, Latimer's own.
    Shared,
    /// The files of one locale, the source locale included.
    Locale(Locale),
}

/// The folder of what all locales share.
const SHARED: &str = "_assets";

impl Tree {
    /// The tree's folder in a deployment: the locale's tag, or `_assets`.
    pub fn label(&self) -> &str {
        match self {
            Self::Shared => SHARED,
            Self::Locale(locale) => locale.as_str(),
        }
    }
}

impl fmt::Display for Tree {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.label())
    }
}

impl TryFrom<String> for Tree {
    type Error = LocaleError;

    fn try_from(label: String) -> Result<Self, LocaleError> {
        if label == SHARED {
            Ok(Self::Shared)
        } else {
            Locale::parse(&label).map(Self::Locale)
        }
    }
}

impl From<Tree> for String {
    fn from(tree: Tree) -> Self {
        tree.label().to_owned()
    }
}
