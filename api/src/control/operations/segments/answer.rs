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
use serde::Serialize;

use crate::http::time::Time;

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
    /// Number of pages with the text.
    pub(super) pages: usize,
}

/// Translation of a text in a language, with its state.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct InLanguage {
    /// The words that readers get; absent where they get the source text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) translation: Option<String>,
    #[schemars(extend("enum" = SegmentState::ALL.map(SegmentState::code)))]
    pub(super) state: &'static str,
    #[schemars(extend("enum" = SegmentOrigin::ALL.map(SegmentOrigin::code)))]
    pub(super) origin: &'static str,
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
    /// Reasons for refused words.
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
    /// Number of segments that match the query.
    pub(super) total: usize,
    pub(super) counts: Counts,
    /// The revision of the list, for `asOf` of a change of several texts.
    pub(super) revision: String,
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
    pub(super) rejected: usize,
    pub(super) approved: usize,
    pub(super) locked: usize,
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
    /// Subject of the author.
    pub(super) by: String,
    pub(super) at: Time,
    #[schemars(extend("enum" = EditVia::ALL.map(EditVia::code)))]
    pub(super) via: &'static str,
    #[schemars(extend("enum" = PersonState::ALL.map(PersonState::code)))]
    pub(super) state: &'static str,
    /// The words; empty where they were cleared.
    pub(super) translation: String,
    /// The batch of texts that were changed together.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(rename = "batchId")]
    #[serde(rename = "batchId")]
    pub(super) batch: Option<u64>,
}

impl Edit {
    pub(super) fn of((revision, edit): (u64, EditRecord)) -> Self {
        Self {
            revision,
            by: edit.row.by,
            at: Time::kept(edit.row.at),
            via: edit.row.via.code(),
            state: edit.row.state.code(),
            translation: edit.row.text,
            batch: edit.batch,
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
    /// Number of pages with the text.
    pub(super) pages: usize,
    /// Translations by language; languages that need no words for the text are left out.
    pub(super) languages: Vec<OneLanguage>,
}

/// Language of a text, with the translation.
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
            state: segment.state.code(),
            origin: segment.origin.code(),
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
