//! What a build did, for people and programs.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::time::SystemTime;

use serde::{Deserialize, Serialize, Serializer};

use super::derived_rows::DerivedRows;
use super::work::BuildWork;
use crate::crawl::Trap;
use crate::engines::{Price, TokenUsage};
use crate::model::{DeploymentId, Locale, Moment, PagePath, RunId, SiteId, SourceSuspect};
use crate::net::FetchError;
use crate::page::{CodedText, Page, TextError};
use crate::run::words::word_counts::WordsBySource;
use crate::run::words::word_files::BrokenWordFile;
use crate::state::{PagesWords, RunOutcome, RunWarning};
use crate::text::excerpt;
use crate::translate::{Check, Steps};

/// What a build did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// The site.
    pub site: SiteId,
    /// The number of the deployment that is the site now.
    pub deployment: u64,
    /// Its id.
    pub deployment_id: DeploymentId,
    /// Whether this build made it; without any change there is no new deployment.
    pub created: bool,
    /// Pages of the source.
    pub pages: usize,
    /// Other files of the source.
    pub files: usize,
    /// Different texts on all pages.
    pub segments: usize,
    /// Paths that rules kept out.
    pub excluded: usize,
    /// Whether `max_pages` cut the crawl.
    pub truncated: bool,
    /// Kinds of pages that lead to nothing but more of their kind, and of which the rest was left out.
    pub traps: Vec<Trap>,
    /// Objects written.
    pub written: u64,
    /// Objects of the previous deployment that are gone.
    pub removed: u64,
    /// Objects that stayed as they were.
    pub unchanged: u64,
    /// How much of the site was worked on.
    #[serde(default)]
    pub work: BuildWork,
    /// Each locale that was built.
    pub locales: Vec<LocaleReport>,
    /// What could not be fetched.
    pub failures: Vec<FetchFailure>,
    /// Pages that scripts draw.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub drawn: Vec<DrawnPage>,
    /// Search indexes, which every language has of its own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub search: Vec<SearchIndex>,
    /// What else the owner should know.
    pub notices: Vec<String>,
    /// How the run ended that did this.
    pub outcome: RunOutcome,
    /// What is worth knowing of it, for programs.
    pub warnings: Vec<RunWarning>,
    /// Engines of the site that could not be started; the notices say why.
    pub absent_engines: BTreeSet<String>,
    /// Files of translations that cannot be read; their locales keep the words that they have.
    #[serde(skip)]
    pub broken_words: Vec<BrokenWordFile>,
    /// The run that did this; a build outside of the state has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_id: Option<RunId>,
    /// Why part of the last accepted source stays.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_suspect: Option<SourceSuspect>,
    /// True if the source was published although no text is translated: no language has an engine or a published page.
    #[serde(skip)]
    pub is_source_alone: bool,
    /// Search work that the next build must do.
    #[serde(skip)]
    pub(in crate::run) search_left: SearchLeft,
    /// How much of each page is translated, for the state.
    #[serde(skip)]
    pub(in crate::run) page_words: BTreeMap<Locale, PagesWords>,
    /// Pages with words of a locale whose files are new or changed.
    #[serde(skip)]
    pub(in crate::run) rewritten: BTreeMap<Locale, BTreeSet<PagePath>>,
    /// Derived rows for the state.
    #[serde(skip)]
    pub(in crate::run) derived: DerivedRows,
    /// Revision of people's words of each locale that it took.
    #[serde(skip)]
    pub(in crate::run) edits: BTreeMap<Locale, u64>,
}

/// A search index that every language has of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SearchIndex {
    /// Its path.
    pub path: String,
    /// What made it.
    pub generator: Cow<'static, str>,
    /// How many entries it has in the source.
    pub entries: usize,
}

/// A page that scripts draw.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DrawnPage {
    /// Its path.
    pub path: PagePath,
    /// Whether its HTML has the words, too, or scripts alone.
    pub kind: DrawnKind,
    /// What draws it.
    pub framework: Cow<'static, str>,
    /// Whether its words last; those that do not count as not translated.
    pub lasts: bool,
}

/// Where the words of a page that scripts draw stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum DrawnKind {
    /// In its HTML, which scripts compare with a state of their own.
    Hydrated,
    /// In scripts.
    ByScripts,
}

/// What could not be fetched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FetchFailure {
    /// Its path.
    pub path: PagePath,
    /// A stable code.
    pub code: String,
    /// The reason as a sentence.
    pub reason: String,
    /// Whether a previous version stays published.
    pub kept: bool,
}

impl FetchFailure {
    /// Whether the origin says that there is no such page.
    pub(in crate::run) fn says_missing(&self) -> bool {
        self.code == FetchError::NOT_FOUND || self.says_gone()
    }

    /// Whether the origin says that the page is gone for good.
    pub(in crate::run) fn says_gone(&self) -> bool {
        self.code == FetchError::GONE
    }
}

/// What a build did for one locale.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LocaleReport {
    /// The locale.
    pub locale: Locale,
    /// Pages that exist in it.
    pub pages: usize,
    /// Those of them that are new or changed.
    pub updated: usize,
    /// Pages among those that exist that have words in the locale's language.
    pub with_words: usize,
    /// Those of them whose words are new or changed.
    pub reworded: usize,
    /// Pages of the source that do not, because too little of them is translated.
    pub missing: usize,
    /// Pages among those that exist, and documents, that stay in an older version because the new one could not be made.
    #[serde(skip_deserializing)]
    pub kept_pages: Vec<KeptPage>,
    /// Words of all pages by where their translation comes from.
    pub words: WordsBySource,
    /// Texts that engines were to translate and none took.
    pub unavailable: usize,
    /// Requests to engines.
    pub engine_calls: u64,
    /// Characters sent to engines.
    pub characters_sent: u64,
    /// Tokens as the services of engines counted them; `None` if they reported none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<TokenUsage>,
    /// Tokens by the engine's name, for the state.
    #[serde(skip)]
    pub(in crate::run) engine_tokens: BTreeMap<String, TokenUsage>,
    /// Fingerprints of the engines that are asked, in their order; empty if no engine has the languages.
    #[serde(skip)]
    pub(in crate::run) route: String,
    /// Price of the requests to engines; `None` if the configuration has no price for them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<Price>,
    /// Texts translated by engine, in this build.
    pub engines: BTreeMap<String, u64>,
    /// How inline codes were kept in the texts translated in this build.
    pub markup: Steps,
    /// Translations that were refused, or that no engine could give: the first [`MOST_REFUSED`].
    pub refused: Vec<RefusedText>,
    /// How many texts there are of which translations were.
    pub refusals: usize,
    /// Reviewed translations that stay approved for a text of the same wording.
    pub carried: usize,
    /// Reviewed translations whose text changed too much, so that they are offered to the translator.
    pub outdated: usize,
    /// Reviewed translations whose text is gone.
    pub vanished: usize,
    /// Each of these three.
    pub changed: Vec<ChangedTranslation>,
    /// Texts for which a person's words wait: their codes are wrong, their text changed, or their entry is fuzzy.
    pub to_review: usize,
    /// What checks noticed in translations by engines that stand in the pages all the same: of each check the first
    /// [`MOST_WARNED`](crate::run::MOST_WARNED), of terms [`MOST_TERMS`](crate::run::MOST_TERMS).
    pub warnings: Vec<Warned>,
    /// How often each check noticed something: in how many texts, and of terms how many.
    pub warned: BTreeMap<Check, u64>,
    /// Terms of the glossary in texts that engines translated.
    pub terms: TermCount,
    /// What would give a translation where there is none.
    pub hints: Vec<String>,
    /// True if the run asks engines for other languages only.
    #[serde(skip)]
    pub(in crate::run) is_left_alone: bool,
}

impl LocaleReport {
    /// True if a page stays in an older version although this run was to bring it up to date.
    fn has_failed_pages(&self) -> bool {
        self.kept_pages
            .iter()
            .any(|page| !self.is_left_alone || page.trouble != PageTrouble::Engine)
    }

    /// True if translations were refused or pages failed.
    fn is_partial(&self) -> bool {
        !self.refused.is_empty() || self.has_failed_pages()
    }
}

/// A page or document that a locale has in an older version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct KeptPage {
    /// Its path in the source.
    pub path: PagePath,
    /// The deployment in which it was up to date for the last time.
    pub deployment: u64,
    /// When that one became the site; absent where it is not kept any more.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "time")]
    pub published_at: Option<SystemTime>,
    /// Why it stays.
    pub trouble: PageTrouble,
    /// Whether its words and source are gone too, so that the published bytes are taken again and only alternates,
    /// switcher and links are written anew.
    pub as_published: bool,
}

/// Why a new version of a page could not be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum PageTrouble {
    /// The bytes of its source are missing.
    Source,
    /// An engine failed, could not start, was stopped by a budget or was not asked.
    Engine,
}

#[expect(clippy::ref_option, reason = "serde wants it so")]
fn time<S: Serializer>(time: &Option<SystemTime>, serializer: S) -> Result<S::Ok, S::Error> {
    match time {
        Some(time) => serializer.collect_str(&humantime::format_rfc3339_seconds(*time)),
        None => serializer.serialize_none(),
    }
}

/// How many texts a report names at most whose translations were refused, for each locale.
pub const MOST_REFUSED: usize = 1_000;

/// A text that has no translation although somebody tried.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RefusedText {
    /// The first page on which it stands.
    pub path: PagePath,
    /// The source text, with inline codes; of a long one the beginning.
    pub source: String,
    /// Why its translation was refused.
    pub reason: String,
    /// The same with the source text, for people who read it on a screen: nothing is escaped, and no folder is named.
    #[serde(skip)]
    pub(in crate::run) for_callers: String,
}

impl RefusedText {
    /// A segment of a page whose translation the page did not take.
    pub(in crate::run) fn of(
        path: &PagePath,
        page: &Page,
        index: usize,
        error: &TextError,
    ) -> Self {
        let segment = page.segment(index);
        let text = segment.as_ref().map(|segment| &segment.text);
        let source = text.map(|text| excerpt(&text.to_markup()).into_owned());
        let reason = error.to_string();
        Self {
            path: path.clone(),
            source: source.unwrap_or_default(),
            for_callers: Self::said(&reason, text),
            reason,
        }
    }

    /// A reason with the text, as people read it.
    pub(in crate::run) fn said(reason: &str, text: Option<&CodedText>) -> String {
        let shown = text.map(CodedText::to_numbered).unwrap_or_default();
        format!("{reason}: {}", excerpt(&shown))
    }
}

/// A reviewed translation whose source text changed since it was written down.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ChangedTranslation {
    /// What became of the words.
    pub state: ChangedWords,
    /// The first page on which the new text stands; of what has vanished, a page on which it stood, if that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<PagePath>,
    /// The text that people translated, with inline codes.
    pub old_source: String,
    /// The text that took its place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new_source: Option<String>,
    /// The words: as they are published where they are carried, else as people wrote them.
    pub words: String,
    /// How many percent of the words of both texts are the same, for what is outdated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub similarity: Option<u8>,
    /// The line of the translation in its file.
    pub line: usize,
}

/// What becomes of a reviewed translation when its source changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ChangedWords {
    /// It is published: the wording of the new text is the same.
    Carried,
    /// It is offered to the translator: the new text is similar.
    Outdated,
    /// No text has taken the old one's place.
    Vanished,
}

/// Something odd in a translation by an engine.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Warned {
    /// The first page on which it stands.
    pub path: PagePath,
    /// The source text, with inline codes; of a long one the beginning.
    pub source: String,
    /// Its translation, in the same way.
    pub translation: String,
    /// The check that noticed it.
    pub check: Check,
    /// What it noticed.
    pub message: String,
}

/// How often terms of the glossary stand in source texts, and how often their translations lack them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TermCount {
    /// In source texts.
    pub found: usize,
    /// Missing in their translations.
    pub missed: usize,
}

/// What a stage of a build noticed.
pub(in crate::run) enum Noticed {
    /// Something that its owner should know.
    Notice(String),
    /// A file whose source is missing from the store, and whether its published version stays.
    Lacking(PagePath, bool),
    /// A segment of a locale whose translation a page did not take.
    Refused(Locale, RefusedText),
}

/// Unfinished search work of a build.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::run) enum SearchLeft {
    #[default]
    Nothing,
    /// Pagefind could not make its index.
    Failed,
    /// Published indexes are outdated because the build deferred their update.
    Deferred,
}

impl Report {
    /// Takes up what a stage noticed.
    pub(in crate::run) fn note(&mut self, noticed: impl IntoIterator<Item = Noticed>) {
        for one in noticed {
            match one {
                Noticed::Notice(notice) => self.notices.push(notice),
                Noticed::Lacking(path, is_kept) => self.lacks_source(&path, is_kept),
                Noticed::Refused(locale, refused) => {
                    if let Some(report) = self
                        .locales
                        .iter_mut()
                        .find(|report| report.locale == locale)
                    {
                        report.refusals += 1;
                        if report.refused.len() < MOST_REFUSED {
                            report.refused.push(refused);
                        }
                    }
                }
            }
        }
    }

    pub(in crate::run) fn new(site: &SiteId) -> Self {
        Self {
            site: site.clone(),
            deployment: 0,
            deployment_id: DeploymentId::new(Moment::default(), &[0; 32]),
            created: false,
            pages: 0,
            files: 0,
            segments: 0,
            excluded: 0,
            truncated: false,
            traps: Vec::new(),
            written: 0,
            removed: 0,
            unchanged: 0,
            work: BuildWork::default(),
            locales: Vec::new(),
            failures: Vec::new(),
            drawn: Vec::new(),
            search: Vec::new(),
            notices: Vec::new(),
            outcome: RunOutcome::Ok,
            warnings: Vec::new(),
            absent_engines: BTreeSet::new(),
            broken_words: Vec::new(),
            run_id: None,
            source_suspect: None,
            is_source_alone: false,
            search_left: SearchLeft::Nothing,
            page_words: BTreeMap::new(),
            rewritten: BTreeMap::new(),
            derived: DerivedRows::Unchanged,
            edits: BTreeMap::new(),
        }
    }

    /// Whether pages failed, were left out because of `max_pages` or stay in an older version, or texts were refused.
    pub fn is_partial(&self) -> bool {
        self.truncated
            || !self.failures.is_empty()
            || !self.broken_words.is_empty()
            || self.locales.iter().any(LocaleReport::is_partial)
    }

    /// True if search indexes are outdated until another build updates them.
    pub fn search_waits(&self) -> bool {
        self.search_left == SearchLeft::Deferred
    }

    /// Whether there were words to translate and not one of them is.
    pub fn is_untranslated(&self) -> bool {
        WordsBySource::are_untranslated(self.locales.iter().map(|locale| locale.words))
    }
}
