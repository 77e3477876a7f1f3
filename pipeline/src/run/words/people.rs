//! People's words for the texts that a site has now: what the file of translations says, and what follows from it for
//! texts whose source changed.
//!
//! Everything follows from the file and the source alone, so a fresh checkout has the same words; the file is only
//! written by an export. What is carried counts as a person's; what is outdated is an offer and never published.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::config::SiteConfig;
use crate::exchange::{Catalogue, InheritedTranslation, Vanished, WaitingWords};
use crate::model::{Locale, PagePath, SegmentKey};
use crate::page::{CodedText, Segment, TextClass};
use crate::run::context::blocking;
use crate::run::corpus::contents::Corpus;
use crate::run::corpus::text_set::TextSet;
use crate::run::corpus::text_table::SiteText;
use crate::run::error::BuildError;
use crate::run::report::build_report::{ChangedTranslation, ChangedWords};
use crate::translate::{FormerText, Fresh, Heirs, Match, RefusedWords, TranslationFate, matches};

/// People's words in one locale.
#[derive(Debug, Default)]
pub(crate) struct People {
    catalogue: Catalogue,
    /// True if the file has fuzzy entries.
    has_waiting: bool,
    /// The texts that took the place of former ones.
    moved: HashMap<(TextClass, String), Moved>,
    /// What became of each translation whose text is gone, in the order of the site, for the report.
    pub(in crate::run) changes: Vec<ChangedTranslation>,
    /// The texts that people translated and that are gone.
    pub(in crate::run) vanished: BTreeSet<SegmentKey>,
    /// Texts that could take the place of one, and those on which that depends.
    pub(super) heirs: TextSet,
}

/// A text by its kind and notation.
type ClassedText<'a> = (TextClass, &'a str);

/// What a text has from the one that stood there before.
#[derive(Debug)]
pub(crate) struct Moved {
    /// The text before.
    pub(crate) source: String,
    class: TextClass,
    /// People's words for it.
    pub(crate) words: String,
    /// Where they stand.
    line: usize,
    /// The words as they are published for the new text.
    carried: Option<CodedText>,
}

impl Moved {
    /// Whether the words are published.
    pub(in crate::run) fn is_carried(&self) -> bool {
        self.carried.is_some()
    }
}

impl People {
    /// The words of a file, with nothing carried to other texts.
    pub(in crate::run) fn of(catalogue: Catalogue) -> Self {
        Self {
            has_waiting: catalogue.has_waiting(),
            catalogue,
            ..Self::default()
        }
    }

    /// The words of a file for the texts of a site; finds out what became of those whose texts are gone.
    pub(crate) async fn of_site(
        site: &SiteConfig,
        locale: &Locale,
        catalogue: Catalogue,
        corpus: &Corpus,
    ) -> Result<Self, BuildError> {
        let vanished = match corpus.cached_texts.vanished(locale) {
            Some(known) if known.is_empty() => Vec::new(),
            known => {
                let mut vanished = catalogue.vanished(corpus.texts.iter().map(|text| text.segment));
                vanished
                    .retain(|gone| known.is_none_or(|known| known.contains(&key_of(site, gone))));
                vanished
            }
        };
        if vanished.is_empty() {
            return Ok(Self::of(catalogue));
        }
        let formers: Vec<FormerText> = vanished.iter().map(former).collect();
        let (texts, fresh, heirs) = without_entry(corpus, locale, &catalogue, &Heirs::of(&formers));
        let pair = site.pair_to(locale).cloned();
        let found = blocking(move || matches(&formers, &fresh, pair.as_ref())).await?;
        let moved = found
            .iter()
            .filter_map(|found| moved(found, &vanished, &texts))
            .collect();
        let changes = changes(&found, &vanished, &texts);
        let vanished = vanished.iter().map(|gone| key_of(site, gone)).collect();
        Ok(Self {
            has_waiting: catalogue.has_waiting(),
            moved,
            changes,
            vanished,
            heirs,
            catalogue,
        })
    }

    /// The words for a text, checked: its own, then those carried to it; a label without either takes those for prose.
    pub(crate) fn words(&self, segment: &Segment) -> Option<Result<CodedText, RefusedWords>> {
        let carried = |class| {
            self.moved(segment, class)
                .and_then(|moved| moved.carried.clone())
                .map(Ok)
        };
        carried(segment.class)
            .or_else(|| self.catalogue.get(segment))
            .or_else(|| carried(TextClass::Prose))
    }

    /// The line of the file in which the words for a text stand.
    pub(crate) fn line(&self, segment: &Segment) -> Option<usize> {
        let carried = self.carried(segment).map(|moved| moved.line);
        carried.or_else(|| self.catalogue.line(segment))
    }

    /// What is carried to a text.
    pub(crate) fn carried(&self, segment: &Segment) -> Option<&Moved> {
        let carried = |class| {
            self.moved(segment, class)
                .filter(|moved| moved.is_carried())
        };
        carried(segment.class).or_else(|| {
            carried(TextClass::Prose).filter(|_| self.catalogue.line(segment).is_none())
        })
    }

    /// What is offered for a text: people's words for one that was similar.
    pub(crate) fn outdated(&self, segment: &Segment) -> Option<&Moved> {
        self.moved(segment, segment.class)
            .filter(|moved| !moved.is_carried())
    }

    /// Words that wait for a person: those of a fuzzy entry, or people's words for a text that was similar.
    pub(crate) fn waiting(&self, segment: &Segment) -> Option<WaitingWords<'_>> {
        // Most files have no fuzzy entry, and then no text needs to be spelled.
        if self.has_waiting
            && let Some(waiting) = self.catalogue.waiting(segment)
        {
            return Some(waiting);
        }
        let moved = self.outdated(segment)?;
        Some(WaitingWords {
            words: &moved.words,
            former: Some(moved.source.clone()),
        })
    }

    /// What an export writes into the entry of a text that has none.
    pub(crate) fn inherited(&self, segment: &Segment) -> Option<InheritedTranslation> {
        let moved = self.moved(segment, segment.class)?;
        let carried = moved.carried.as_ref().map(CodedText::to_markup);
        Some(InheritedTranslation {
            source: moved.source.clone(),
            class: moved.class,
            carried,
        })
    }

    /// The texts to which words are carried, with those words, by the texts that people translated.
    pub(crate) fn heirs(&self) -> HashMap<ClassedText<'_>, (ClassedText<'_>, &CodedText)> {
        let carried = self.moved.iter().filter_map(|((class, text), moved)| {
            let former = (moved.class, moved.source.as_str());
            let heir = (*class, text.as_str());
            Some((former, (heir, moved.carried.as_ref()?)))
        });
        carried.collect()
    }

    /// The file of translations.
    pub(crate) fn catalogue(&self) -> &Catalogue {
        &self.catalogue
    }

    fn moved(&self, segment: &Segment, class: TextClass) -> Option<&Moved> {
        // Mostly nothing has moved, and then no text needs to be spelled.
        if self.moved.is_empty() {
            None
        } else {
            self.moved.get(&(class, segment.text.to_markup()))
        }
    }
}

fn former(gone: &Vanished<'_>) -> FormerText {
    FormerText {
        source: CodedText::from_markup(gone.source)
            .unwrap_or_else(|_| CodedText::plain(gone.source)),
        words: gone.words.to_owned(),
        class: gone.class,
        is_recent: !gone.is_obsolete,
        pages: gone.pages.clone(),
    }
}

/// The key of a text that is gone.
pub(in crate::run) fn key_of(site: &SiteConfig, gone: &Vanished<'_>) -> SegmentKey {
    SegmentKey::new(&site.source_locale, gone.class.as_str(), gone.source)
}

/// The texts for which the file has no entry and that could take the place of others, what matching has to know of them, and
/// all texts that are near to those others.
fn without_entry(
    corpus: &Corpus,
    locale: &Locale,
    catalogue: &Catalogue,
    heirs: &Heirs,
) -> (Vec<SiteText>, Vec<Fresh>, TextSet) {
    let mut near: BTreeMap<usize, SiteText> = corpus
        .texts
        .indexed()
        .filter(|(_, text)| heirs.may_include(&text.segment.text))
        .collect();
    // Whether prose has a text counts for labels, whatever becomes of the prose.
    let indices = near.keys().copied().collect();
    near.retain(|_, SiteText { segment, .. }| {
        !catalogue.has(segment)
            && segment
                .filter
                .as_ref()
                .is_none_or(|filter| filter.admits(locale))
    });
    let new = near;
    let mut pages: BTreeMap<usize, BTreeSet<String>> = BTreeMap::new();
    for (path, indices) in corpus.places() {
        for index in indices
            .iter()
            .filter_map(|index| usize::try_from(index).ok())
            .filter(|at| new.contains_key(at))
        {
            pages.entry(index).or_default().insert(path.to_string());
        }
    }
    let labels: BTreeSet<String> = new
        .values()
        .filter(|text| !is_prose(text))
        .map(|text| text.segment.text.to_markup())
        .collect();
    let prose: BTreeSet<String> = match labels.is_empty() {
        true => BTreeSet::new(),
        false => {
            let prose = corpus
                .texts
                .iter()
                .filter(is_prose)
                .map(|text| text.segment.text.to_markup());
            prose.filter(|markup| labels.contains(markup)).collect()
        }
    };
    let fresh = new.iter().map(|(index, text)| {
        let as_prose = || Segment {
            class: TextClass::Prose,
            ..text.segment.clone()
        };
        let own_class_only = !is_prose(text)
            && (prose.contains(&text.segment.text.to_markup()) || catalogue.has(&as_prose()));
        Fresh {
            segment: text.segment.clone(),
            own_class_only,
            pages: pages.remove(index).unwrap_or_default(),
        }
    });
    let fresh = fresh.collect();
    (new.into_values().collect(), fresh, indices)
}

fn is_prose(text: &SiteText) -> bool {
    text.segment.class == TextClass::Prose
}

fn moved(
    found: &Match,
    vanished: &[Vanished<'_>],
    texts: &[SiteText],
) -> Option<((TextClass, String), Moved)> {
    let gone = vanished.get(found.former)?;
    let text = texts.get(found.fresh)?;
    let carried = match &found.fate {
        TranslationFate::Carried(words) => Some(words.clone()),
        TranslationFate::Outdated(_) => None,
    };
    let source = gone.source.to_owned();
    let words = gone.words.to_owned();
    let moved = Moved {
        source,
        class: gone.class,
        words,
        line: gone.line,
        carried,
    };
    Some(((text.segment.class, text.segment.text.to_markup()), moved))
}

/// What the report lists: what is carried and outdated in the order of the site, then what has vanished.
fn changes(
    found: &[Match],
    vanished: &[Vanished<'_>],
    texts: &[SiteText],
) -> Vec<ChangedTranslation> {
    let matched: BTreeSet<usize> = found.iter().map(|found| found.former).collect();
    let changed = found.iter().filter_map(|found| {
        let gone = vanished.get(found.former)?;
        let text = texts.get(found.fresh)?;
        let (state, words, similarity) = match &found.fate {
            TranslationFate::Carried(words) => (ChangedWords::Carried, words.to_markup(), None),
            TranslationFate::Outdated(percent) => (
                ChangedWords::Outdated,
                gone.words.to_owned(),
                Some(*percent),
            ),
        };
        Some(ChangedTranslation {
            state,
            path: Some(text.path.clone()),
            old_source: gone.source.to_owned(),
            new_source: Some(text.segment.text.to_markup()),
            words,
            similarity,
            line: gone.line,
        })
    });
    // What is obsolete in the file was said when that was written down.
    let is_news =
        |(index, gone): &(usize, &Vanished<'_>)| !gone.is_obsolete && !matched.contains(index);
    let lost = vanished
        .iter()
        .enumerate()
        .filter(is_news)
        .map(|(_, gone)| ChangedTranslation {
            state: ChangedWords::Vanished,
            path: gone
                .pages
                .iter()
                .find_map(|page| PagePath::parse(page).ok()),
            old_source: gone.source.to_owned(),
            new_source: None,
            words: gone.words.to_owned(),
            similarity: None,
            line: gone.line,
        });
    let mut lost: Vec<ChangedTranslation> = lost.collect();
    lost.sort_by_key(|lost| lost.line);
    changed.chain(lost).collect()
}

/// Number of reviewed translations with this fate.
pub(in crate::run) fn count(changed: &[ChangedTranslation], state: ChangedWords) -> usize {
    changed
        .iter()
        .filter(|changed| changed.state == state)
        .count()
}
