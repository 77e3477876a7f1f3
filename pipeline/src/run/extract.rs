//! Stage two: which texts the pages hold, each different one once.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use futures::{StreamExt, TryStreamExt, stream};

use super::report::Report;
use super::{Build, RunError, Sources, blocking};
use crate::model::{PagePath, SegmentKey};
use crate::page::{Page, Segment};
use crate::store::{SourceKind, SourceRecord, Stage};

/// Every different text of a site, and which page holds which.
#[derive(Debug, Default)]
pub(super) struct Corpus {
    pub(super) texts: Vec<Text>,
    /// For each page, the indices of its texts in the order in which they stand.
    pub(super) pages: BTreeMap<PagePath, Vec<u32>>,
}

/// A text of the site.
#[derive(Debug)]
pub(super) struct Text {
    pub(super) key: SegmentKey,
    pub(super) segment: Segment,
    pub(super) words: usize,
    /// The first page on which it stands.
    pub(super) path: PagePath,
}

impl Build<'_> {
    /// Parses every page and collects its texts.
    pub(super) async fn extract(&self, sources: &Sources, report: &mut Report) -> Result<Corpus, RunError> {
        let total = sources.of_kind(SourceKind::Page).count();
        let pages = stream::iter(sources.of_kind(SourceKind::Page))
            .map(|(path, record)| self.segments(path, record))
            .buffered(self.options.jobs.get());
        let mut pages = std::pin::pin!(pages);
        let mut corpus = Corpus::default();
        let mut known: HashMap<SegmentKey, u32> = HashMap::new();
        while let Some((path, segments)) = pages.try_next().await? {
            let indices = segments.into_iter().map(|segment| {
                let key = segment.key(&self.site.source_locale);
                *known.entry(key).or_insert_with(|| {
                    let words = segment.text.words();
                    corpus.texts.push(Text { key, segment, words, path: path.clone() });
                    u32::try_from(corpus.texts.len() - 1).unwrap_or(u32::MAX)
                })
            });
            let indices = indices.collect();
            corpus.pages.insert(path, indices);
            self.step(Stage::Extract, corpus.pages.len(), Some(total));
        }
        report.segments = corpus.texts.len();
        Ok(corpus)
    }

    async fn segments(&self, path: &PagePath, record: &SourceRecord) -> Result<(PagePath, Vec<Segment>), RunError> {
        let page = self.parse(record).await?;
        Ok((path.clone(), page.map(|page| page.segments().cloned().collect()).unwrap_or_default()))
    }

    /// Parses a stored page; nothing when its bytes are gone from the store.
    pub(super) async fn parse(&self, record: &SourceRecord) -> Result<Option<Arc<Page>>, RunError> {
        let Some(bytes) = self.source(record).await? else { return Ok(None) };
        let (charset, locale) = (record.charset.clone(), self.site.source_locale.clone());
        blocking(move || Some(Arc::new(Page::parse(&bytes, charset.as_deref(), &locale)))).await
    }
}
