//! Explanation of a page: the answer for people and programs.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::model::{Locale, PagePath, RenderCause, SiteId};
use crate::run::WordsBySource;

/// Explanation of a path.
#[derive(Clone, Debug)]
pub enum Explained {
    /// It is a page, a feed or a manifest.
    Page(Box<Explanation>),
    /// The site leaves it out; the pattern that says so, or none where no pattern of `include` names it.
    Excluded(PagePath, Option<String>),
    /// It is published as it is.
    File(PagePath),
    /// The bytes of its source are missing from the store.
    Missing(PagePath),
    /// The last build saw nothing there.
    Unknown(PagePath),
}

/// Sources of the texts of a page. It is also read as the API writes it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Explanation {
    /// The site.
    #[serde(alias = "siteId")]
    pub site: SiteId,
    /// The page's path in the source.
    #[serde(alias = "path")]
    pub page: PagePath,
    /// Sentences about the page that hold in every locale.
    pub notes: Vec<String>,
    /// The locales that were asked for.
    #[serde(alias = "languages")]
    pub locales: Vec<PageInLocale>,
    /// The texts that no locale translates.
    pub kept: Vec<KeptText>,
}

/// A page in a locale.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PageInLocale {
    /// The locale.
    #[serde(alias = "targetLang")]
    pub locale: Locale,
    /// Standing of the page, after the words that people and the memory have now.
    pub standing: PageStanding,
    /// True if the newest deployment has it in this locale.
    pub published: bool,
    /// If that is an older version because the new one could not be made: the deployment in which it was up to date
    /// for the last time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kept_since: Option<u64>,
    /// Cause of the last rendering, if this state knows it. A build carries the version over as long as nothing changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rendered_because: Option<RenderCause>,
    /// The share of its words that are translated, 0 to 1.
    #[serde(alias = "translated")]
    pub share: f64,
    /// The share that the site wants.
    pub min_translated: f64,
    /// Its words by where their translation comes from.
    pub words: WordsBySource,
    /// Its texts, in the order in which they stand.
    pub texts: Vec<TextSource>,
    /// Hints at engines for the texts that nobody has words for.
    pub hints: Vec<String>,
    /// True if an engine of the site takes the locale.
    #[serde(skip)]
    pub is_offered: bool,
}

impl PageInLocale {
    /// Number of different texts of the page that wait for a person.
    pub fn to_review(&self) -> usize {
        let mut waiting = BTreeSet::new();
        for text in &self.texts {
            if text.to_review {
                waiting.insert(text.source.as_str());
            }
        }
        waiting.len()
    }
}

/// Standing of a page in a locale.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum PageStanding {
    /// Enough of it is translated.
    Translated,
    /// Less of it is translated than the site wants.
    #[serde(alias = "too_little")]
    TooLittle,
    /// The locale is switched off.
    Off,
}

/// Source of a text.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TextSource {
    /// The source text, with inline codes.
    pub source: String,
    /// Words that stand there instead; `None` if the source text does.
    pub target: Option<String>,
    /// The element or attribute it stands in.
    pub place: String,
    /// Origin of the words.
    pub origin: TextOrigin,
    /// The file with a person's words, and the line.
    pub file: Option<PathBuf>,
    /// The line in that file.
    pub line: Option<usize>,
    /// The text that a person translated, where the words are carried from one of the same wording.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub carried_from: Option<String>,
    /// Words of a person that are not published: they are for a similar text, or marked as fuzzy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outdated: Option<OutdatedText>,
    /// True if a person's words for the text wait: they are refused, outdated or marked as fuzzy.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub to_review: bool,
    /// The engine that made it, with its version and model.
    pub engine: Option<String>,
    /// Translations that were refused, with the reasons.
    pub refused: Vec<String>,
    /// Names of the site in this text that are not translated.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
    /// Source and target as people read them, in lower case.
    #[serde(skip)]
    pub(super) read: String,
}

/// A translation whose text changed, so that a translator has to look at it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OutdatedText {
    /// The text that a person translated.
    pub source: String,
    /// The words.
    pub target: String,
}

/// Origin of the words of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum TextOrigin {
    /// A person, in the file of reviewed translations.
    Person,
    /// An engine, in an earlier build.
    Memory,
    /// Nobody: there is no word in it.
    Untouched,
    /// Nobody: its element is not there in this locale (`its-locale-filter-list`).
    #[serde(alias = "left_out")]
    LeftOut,
    /// Nobody: what a person or an engine gave was refused.
    Refused,
    /// Nobody has words for it.
    None,
}

/// A text of the page that no locale translates.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct KeptText {
    /// The text; of a tag or a comment, what is written there.
    pub text: String,
    /// The element it stands in.
    pub element: String,
    /// Rule that keeps it as it is.
    pub rule: String,
    /// True if browsers show it; the API lists no others.
    #[serde(default = "yes")]
    pub shown: bool,
}

/// Reason why a path has no texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoExplanation {
    /// For programs: `excluded`, `file` or `source_missing`.
    pub code: &'static str,
    /// For people.
    pub text: String,
}

impl Explained {
    /// The page's path in the source.
    pub fn path(&self) -> &PagePath {
        match self {
            Self::Page(explanation) => &explanation.page,
            Self::Excluded(path, _)
            | Self::File(path)
            | Self::Missing(path)
            | Self::Unknown(path) => path,
        }
    }

    /// Reason why a path of the site has no texts.
    pub fn why(&self) -> Option<NoExplanation> {
        let (code, text) = match self {
            Self::Page(_) | Self::Unknown(_) => return None,
            Self::Excluded(_, Some(pattern)) => ("excluded", format!("the pattern {pattern:?} leaves it out")),
            Self::Excluded(_, None) => ("excluded", "no pattern of `include` names it".to_owned()),
            Self::File(_) => (
                "file",
                "to this site it is a file, not a page: it is published as it is, in its own language".to_owned(),
            ),
            Self::Missing(_) => (
                "source_missing",
                "the bytes of its source are missing from the store, so its texts are not known; readers keep the version \
                 that is published, and the next `latimer build` fetches the source again"
                    .to_owned(),
            ),
        };
        Some(NoExplanation { code, text })
    }
}

impl Explanation {
    /// Leaves the texts that mention this one, or all that readers see. Kept texts that no reader sees stay where nothing
    /// else is left. Says whether anything is left.
    pub fn select(&mut self, text: Option<&str>) -> bool {
        let Some(text) = text else {
            self.kept.retain(|kept| kept.shown);
            return true;
        };
        self.locales
            .iter_mut()
            .for_each(|locale| locale.texts.retain(|source| source.mentions(text)));
        self.kept.retain(|kept| kept.mentions(text));
        let is_seen = self.locales.iter().any(|locale| !locale.texts.is_empty())
            || self.kept.iter().any(|kept| kept.shown);
        if is_seen {
            self.kept.retain(|kept| kept.shown);
        }
        is_seen || !self.kept.is_empty()
    }
}

fn yes() -> bool {
    true
}

impl TextSource {
    /// True if a text is part of the source or the target, in any case of letters.
    fn mentions(&self, text: &str) -> bool {
        self.read.contains(&text.to_lowercase())
    }
}

impl KeptText {
    /// True if a text is part of it, in any case of letters.
    fn mentions(&self, text: &str) -> bool {
        self.text.to_lowercase().contains(&text.to_lowercase())
    }
}
