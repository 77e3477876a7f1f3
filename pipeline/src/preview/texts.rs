//! What a page says: the words that there are for it, and the texts that nobody has words for yet.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;

use super::fault::{PreviewFault, fault};
use super::source::PreviewPage;
use super::{PreviewRequest, Previewer};
use crate::engines::Context;
use crate::exchange::{Catalogue, MemoryLines};
use crate::model::SegmentKey;
use crate::page::{CodedText, Segment};
use crate::run::words::word_files::lay_rows_over;
use crate::state::PreviewCode;
use crate::translate::{Remembered, TranslationOrigin, contexts_of_page, settle};

/// Words by text.
pub(super) type WordsByKey = HashMap<SegmentKey, CodedText>;

/// The texts of a page.
pub(super) struct PreviewTexts {
    pub(super) words: WordsByKey,
    /// Those without words, in the order of their keys; no more of them than may be sent.
    pub(super) open: Vec<(SegmentKey, Segment)>,
    /// How long they are all together.
    pub(super) characters: usize,
    /// Context of each text of the page.
    pub(super) contexts: HashMap<SegmentKey, Arc<Context>>,
}

impl Previewer {
    /// Reads a page for its texts, and what people and the memory of its site have for them.
    pub(super) fn texts_of(
        &self,
        found: &PreviewPage,
        wanted: &PreviewRequest,
    ) -> Result<PreviewTexts, PreviewFault> {
        let failed = |error: &dyn std::error::Error| fault(PreviewCode::Unknown, error.to_string());
        let page = found.page(&wanted.source);
        let all: Vec<Segment> = page.segments().collect();
        let mut contexts = HashMap::new();
        for (segment, context) in all.iter().zip(contexts_of_page(&all)) {
            if let Some(context) = context {
                contexts
                    .entry(segment.key(&wanted.source))
                    .or_insert(context);
            }
        }
        let segments: BTreeMap<SegmentKey, Segment> = all
            .into_iter()
            .map(|segment| (segment.key(&wanted.source), segment))
            .collect();
        let mut catalogue = Catalogue::default();
        let mut memory = HashMap::new();
        if let Some(site) = &found.site {
            let file = site
                .translations
                .as_ref()
                .map(|file| Catalogue::open(&file.path(&wanted.target)));
            catalogue = file
                .transpose()
                .map_err(|error| failed(&error))?
                .unwrap_or_default();
            if let Some(state) = &self.state {
                let people = state.people(&site.id, &wanted.target);
                lay_rows_over(&mut catalogue, &people.map_err(|error| failed(&error))?);
            }
            let pick = |path: &Path| MemoryLines::pick(path, |key| segments.contains_key(key));
            let file = site
                .memory
                .as_ref()
                .map(|file| pick(&file.path(&wanted.target)));
            memory.extend(
                file.transpose()
                    .map_err(|error| failed(&error))?
                    .unwrap_or_default(),
            );
            let keys: Vec<SegmentKey> = segments.keys().copied().collect();
            let recalled = self
                .state
                .as_ref()
                .map(|state| state.recall(&site.id, &wanted.target, &keys));
            memory.extend(
                recalled
                    .transpose()
                    .map_err(|error| failed(&error))?
                    .unwrap_or_default(),
            );
        }
        Ok(PreviewTexts {
            contexts,
            ..settled(segments, &catalogue, memory, self.settings().max_chars)
        })
    }
}

fn settled(
    segments: BTreeMap<SegmentKey, Segment>,
    catalogue: &Catalogue,
    mut memory: HashMap<SegmentKey, Remembered>,
    most: usize,
) -> PreviewTexts {
    let mut texts = PreviewTexts {
        words: HashMap::new(),
        open: Vec::new(),
        characters: 0,
        contexts: HashMap::new(),
    };
    for (key, segment) in segments {
        if catalogue.is_rejected(&segment) {
            continue;
        }
        // A refusal counts for the engines that were asked then, which may be others.
        let remembered = memory
            .remove(&key)
            .filter(|memory| memory.refused.is_none());
        let settled = settle(
            &segment,
            |segment| catalogue.get(segment),
            |_| remembered,
            |_| None,
        );
        match settled.text {
            Some(text) => drop(texts.words.insert(key, text)),
            None if settled.origin == TranslationOrigin::None => {
                texts.characters += segment.text.text().chars().count();
                if texts.characters <= most {
                    texts.open.push((key, segment));
                }
            }
            None => {}
        }
    }
    texts
}
