//! Answers about segments.

use std::sync::Arc;

use pipeline::config::SiteConfig;
use pipeline::inspect::{
    LocaleSegments, SegmentCode, SegmentOnPage, SegmentOrigin, SegmentState, SegmentView,
    SiteSegment,
};
use pipeline::model::Locale;
use pipeline::page::CodeKind;
use pipeline::state::{EditRecord, EditVia, PersonState};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::http::time::Time;

/// State of a segment in a language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "SegmentState")]
pub(super) enum StateWord {
    /// Nobody has words for it, or the words of an engine were refused.
    Untranslated,
    /// An engine made the words that readers get.
    Machine,
    /// Words of a person wait, marked as fuzzy.
    Draft,
    /// Words of a person wait, because the source text changed.
    Outdated,
    /// Words of a person are refused, because their codes are wrong.
    Refused,
    /// Words of a person stand.
    Approved,
    /// It needs no translation.
    Untouched,
}

/// Origin of the words that readers get.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "SegmentOrigin")]
pub(super) enum OriginWord {
    /// The source text stands.
    Source,
    /// A person wrote them.
    Person,
    /// A person wrote them for a text of the same wording.
    Carried,
    /// An engine made them.
    Machine,
    /// Rules reformatted values such as dates.
    Rules,
}

/// A text of the site in a language.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "Segment")]
pub(super) struct Item {
    pub(super) segment_id: String,
    /// The source text, with inline codes.
    pub(super) source: String,
    #[serde(flatten)]
    pub(super) in_language: InLanguage,
    /// Its first page, as a path of the source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) page: Option<String>,
    /// How many pages it stands on.
    pub(super) pages: usize,
}

/// What a language has for a text.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct InLanguage {
    /// The words that readers get; absent where they get the source text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) translation: Option<String>,
    pub(super) state: StateWord,
    pub(super) origin: OriginWord,
    /// The engine that made the words, with its version and model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) engine: Option<String>,
    /// The name of the file with a person's words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) file: Option<String>,
    /// The line in that file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) line: Option<u32>,
    /// The text that a person translated, where the words are carried from one of the same wording.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) carried_from: Option<String>,
    /// Words of a person that readers do not get yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) waiting: Option<Waiting>,
    /// Why words were refused.
    pub(super) refused: Vec<String>,
}

/// Words of a person that wait.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "WaitingTranslation")]
pub(super) struct Waiting {
    pub(super) translation: String,
    /// The text that they were written for, where it is another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) former: Option<String>,
}

/// A part of a list of segments.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SegmentList")]
pub(super) struct Listed {
    pub(super) items: Vec<Item>,
    /// How many there are in all.
    pub(super) total: usize,
    pub(super) counts: Counts,
}

/// Segments of each state that the other parameters allow.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SegmentCounts")]
pub(super) struct Counts {
    pub(super) untranslated: usize,
    pub(super) machine: usize,
    pub(super) draft: usize,
    pub(super) outdated: usize,
    pub(super) refused: usize,
    pub(super) approved: usize,
    pub(super) untouched: usize,
}

/// A segment with its surroundings.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "SegmentDetail")]
pub(super) struct Detail {
    #[serde(flatten)]
    pub(super) segment: Item,
    /// The inline codes of the source text.
    pub(super) codes: Vec<Code>,
    /// Its first pages, at most twenty.
    pub(super) on_pages: Vec<OnPage>,
    /// The version, as `If-Match` wants it: it changes with each edit and with the words that readers get.
    pub(super) revision: String,
    /// Edits of people on the screen and over the API, the newest first; at most fifty and the last approved one.
    pub(super) history: Vec<Edit>,
}

/// An edit of a person.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SegmentEdit")]
pub(super) struct Edit {
    /// Its number, counted by language.
    pub(super) revision: u64,
    /// Who made it.
    pub(super) by: String,
    pub(super) at: Time,
    pub(super) via: ViaWord,
    pub(super) state: EditStateWord,
    /// The words; empty where they were cleared.
    pub(super) translation: String,
}

/// How an edit came.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "SegmentEditVia")]
pub(super) enum ViaWord {
    Api,
    Screen,
}

/// State that an edit gave a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "SegmentEditState")]
pub(super) enum EditStateWord {
    /// Readers get the words.
    Approved,
    /// The words wait.
    Draft,
    /// The words are cleared: readers get the text as if no person had translated it.
    Untranslated,
}

impl EditStateWord {
    pub(super) fn of(state: PersonState) -> Self {
        match state {
            PersonState::Approved => Self::Approved,
            PersonState::Draft => Self::Draft,
            PersonState::Untranslated => Self::Untranslated,
        }
    }

    pub(super) fn to_keep(self) -> PersonState {
        match self {
            Self::Approved => PersonState::Approved,
            Self::Draft => PersonState::Draft,
            Self::Untranslated => PersonState::Untranslated,
        }
    }
}

impl Edit {
    pub(super) fn of((revision, edit): (u64, EditRecord)) -> Self {
        Self {
            revision,
            by: edit.row.by,
            at: Time::kept(edit.row.at),
            via: match edit.row.via {
                EditVia::Api => ViaWord::Api,
                EditVia::Screen => ViaWord::Screen,
            },
            state: EditStateWord::of(edit.row.state),
            translation: edit.row.text,
        }
    }
}

/// An inline code.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SegmentCode")]
pub(super) struct Code {
    /// Its number in source and translation.
    pub(super) id: usize,
    pub(super) kind: KindWord,
    /// Its element.
    pub(super) element: String,
}

#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "SegmentCodeKind")]
pub(super) enum KindWord {
    /// It has a start and an end, and words between them.
    Paired,
    /// It stands alone, such as a line break.
    Single,
    /// It holds something that stays as it is, such as code.
    Protected,
    /// A start tag whose end is elsewhere, or an end tag whose start is.
    Half,
}

/// A page of a segment.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SegmentPage")]
pub(super) struct OnPage {
    /// The page's path in the source.
    pub(super) path: String,
    /// The source text before it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) previous: Option<String>,
    /// The source text behind it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) next: Option<String>,
}

/// A text of the site in its languages.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "SiteSegment")]
pub(super) struct OfSite {
    pub(super) segment_id: String,
    /// The source text, with inline codes.
    pub(super) source: String,
    /// Its first page, as a path of the source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) page: Option<String>,
    /// How many pages it stands on.
    pub(super) pages: usize,
    /// What each language has for it; a language that needs no words for it is not there.
    pub(super) languages: Vec<OneLanguage>,
}

/// What a language has for a text.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "SegmentLanguage")]
pub(super) struct OneLanguage {
    pub(super) target_lang: String,
    #[serde(flatten)]
    pub(super) in_language: InLanguage,
}

impl Item {
    pub(super) fn of(segment: &SegmentView<'_>, site: &SiteConfig, locale: &Locale) -> Self {
        Self {
            segment_id: segment.key.to_string(),
            source: segment.source.to_owned(),
            in_language: InLanguage::of(segment, site, locale),
            page: segment.page.map(ToString::to_string),
            pages: segment.pages,
        }
    }
}

impl InLanguage {
    pub(super) fn of(segment: &SegmentView<'_>, site: &SiteConfig, locale: &Locale) -> Self {
        let file = site.translations.as_ref().map(|file| file.path(locale));
        let name = file.as_ref().and_then(|file| file.file_name());
        let name = name.filter(|_| segment.line.is_some());
        let waiting = segment.waiting.map(|waiting| Waiting {
            translation: waiting.words.clone(),
            former: waiting.former.clone(),
        });
        Self {
            translation: segment.translation.map(str::to_owned),
            state: StateWord::of(segment.state),
            origin: OriginWord::of(segment.origin),
            engine: segment.engine.map(str::to_owned),
            file: name.map(|name| name.to_string_lossy().into_owned()),
            line: segment.line,
            carried_from: segment.carried_from.map(str::to_owned),
            waiting,
            refused: segment.refused.to_vec(),
        }
    }
}

impl OfSite {
    pub(super) fn of(
        text: SiteSegment<'_>,
        site: &SiteConfig,
        all: &[Arc<LocaleSegments>],
    ) -> Self {
        let mut languages = Vec::new();
        for (segments, segment) in all.iter().zip(&text.locales) {
            if let Some(segment) = segment {
                languages.push(OneLanguage {
                    target_lang: segments.locale().to_string(),
                    in_language: InLanguage::of(segment, site, segments.locale()),
                });
            }
        }
        Self {
            segment_id: text.key.to_string(),
            source: text.source.to_owned(),
            page: text.page.map(ToString::to_string),
            pages: text.pages,
            languages,
        }
    }
}

impl StateWord {
    pub(super) fn of(state: SegmentState) -> Self {
        match state {
            SegmentState::Untranslated => Self::Untranslated,
            SegmentState::Machine => Self::Machine,
            SegmentState::Draft => Self::Draft,
            SegmentState::Outdated => Self::Outdated,
            SegmentState::Refused => Self::Refused,
            SegmentState::Approved => Self::Approved,
            SegmentState::Untouched => Self::Untouched,
        }
    }

    /// The word on the wire.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Untranslated => "untranslated",
            Self::Machine => "machine",
            Self::Draft => "draft",
            Self::Outdated => "outdated",
            Self::Refused => "refused",
            Self::Approved => "approved",
            Self::Untouched => "untouched",
        }
    }
}

impl OriginWord {
    pub(super) fn of(origin: SegmentOrigin) -> Self {
        match origin {
            SegmentOrigin::None => Self::Source,
            SegmentOrigin::Person => Self::Person,
            SegmentOrigin::Carried => Self::Carried,
            SegmentOrigin::Machine => Self::Machine,
            SegmentOrigin::Rules => Self::Rules,
        }
    }
}

impl Code {
    pub(super) fn of(code: SegmentCode) -> Self {
        Self {
            id: code.id,
            kind: match code.kind {
                CodeKind::Paired => KindWord::Paired,
                CodeKind::Void => KindWord::Single,
                CodeKind::Protected => KindWord::Protected,
                CodeKind::LoneStart | CodeKind::LoneEnd => KindWord::Half,
            },
            element: code.element,
        }
    }
}

impl OnPage {
    pub(super) fn of(page: SegmentOnPage) -> Self {
        Self {
            path: page.path.to_string(),
            previous: page.previous,
            next: page.next,
        }
    }
}
