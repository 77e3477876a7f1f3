//! Why a version of a page was rendered.

use serde::{Deserialize, Serialize};

/// Why a version of a page was rendered, and not carried over.
///
/// What stands further up is told where several hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RenderCause {
    /// The locale did not have the page.
    New,
    /// Everything was to be made again.
    Rebuild,
    /// The page stays in an older version, since a new one could not be made; its references are those of today.
    Kept,
    /// Something is said of it each time, such as a text that could not be put into it, or it has a file of its own.
    Said,
    /// Nobody knows what the published version was made of: another builder made it, a rollback brought it back, its bytes are
    /// damaged, or the state is new.
    Unknown,
    /// Another version of the program made it.
    Version,
    /// The site's settings changed, or its templates.
    Settings,
    /// Its source changed.
    Source,
    /// Its words changed.
    Words,
    /// What refers to other pages changed: links, alternates, the switcher.
    Graph,
}

impl RenderCause {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::New,
        Self::Rebuild,
        Self::Kept,
        Self::Said,
        Self::Unknown,
        Self::Version,
        Self::Settings,
        Self::Source,
        Self::Words,
        Self::Graph,
    ];

    /// Whether it holds for single pages, and not for all of a site or of a locale at once.
    pub fn is_of_one_page(self) -> bool {
        match self {
            Self::New | Self::Rebuild | Self::Unknown | Self::Version | Self::Settings => false,
            Self::Kept | Self::Said | Self::Source | Self::Words | Self::Graph => true,
        }
    }

    /// The name by which programs know it.
    pub fn code(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Rebuild => "rebuild",
            Self::Kept => "kept",
            Self::Said => "said",
            Self::Unknown => "unknown",
            Self::Version => "version",
            Self::Settings => "settings",
            Self::Source => "source",
            Self::Words => "words",
            Self::Graph => "graph",
        }
    }

    /// The cause in words, as the end of a sentence that begins with "rendered because".
    pub fn text(self) -> &'static str {
        match self {
            Self::New => "the language did not have the page",
            Self::Rebuild => "everything was to be made again",
            Self::Kept => "it stays in an older version",
            Self::Said => "something is said of it in every build, or it has a file of its own",
            Self::Unknown => "nobody knows what the published version was made of",
            Self::Version => "another version of Latimer made it",
            Self::Settings => "the settings or templates of the site changed",
            Self::Source => "its source changed",
            Self::Words => "its words changed",
            Self::Graph => "links, alternates or the switcher on it changed",
        }
    }

    /// The number by which the state knows it.
    pub(crate) fn number(self) -> u8 {
        self as u8
    }

    pub(crate) fn of_number(number: u8) -> Option<Self> {
        Self::ALL.get(usize::from(number)).copied()
    }
}
