//! Contents of a site: every distinct text, the page that holds it, and facts about pages.

use std::collections::{BTreeMap, BTreeSet};

use super::asked_texts::AskedTexts;
use super::canonical::Canonicals;
use super::facts::CorpusFacts;
use super::foreign_versions::ForeignVersions;
use super::indices::Indices;
use super::names::SiteNames;
use super::other_ranks::OtherRanks;
use super::parts::PageParts;
use super::scripted::Scripted;
use super::singles::{LeftOut, Singles};
use super::text_set::TextSet;
use super::text_table::{KnownTexts, TextTable};
use super::written::WrittenVersions;
use crate::model::{Locale, PagePath, SegmentKey, SourceSitemaps};
use crate::page::{Rendering, Segment};
use crate::run::source::address_spelling::AddressSpelling;
use crate::run::words::known_warnings::KnownWarnings;
use crate::search::{Pagefind, RecognizedIndex};
use crate::site_files::ServedPolicies;
use crate::state::{CachedPage, GonePages, MixedTexts};
use crate::translate::OutlineRank;

/// Every different text of a site, and which page holds which.
#[derive(Default)]
pub(crate) struct Corpus {
    pub(crate) texts: TextTable,
    /// The texts of each page.
    pub(crate) pages: BTreeMap<PagePath, Indices>,
    /// For pages that scripts draw, the texts that a browser showed or readers told of, and their HTML does not have.
    pub(in crate::run) found: BTreeMap<PagePath, Indices>,
    /// The same for feeds and web manifests.
    pub(crate) documents: BTreeMap<PagePath, Indices>,
    /// Pages that send their readers elsewhere.
    pub(in crate::run) forwarding: BTreeSet<PagePath>,
    /// Pages that are parts of others.
    pub(in crate::run) parts: PageParts,
    /// The canonical addresses that pages name, those excepted that name their own.
    pub(in crate::run) canonicals: Canonicals,
    /// Versions that the authors of pages name and this site does not make.
    pub(in crate::run) foreign_versions: ForeignVersions,
    /// The pages whose versions pages without versions name, and the other way round.
    pub(in crate::run) clusters: BTreeMap<PagePath, PagePath>,
    /// Pages and documents whose bytes are missing from the store, so that nobody knows their texts.
    pub(in crate::run) unreadable: BTreeSet<PagePath>,
    /// Pages that scripts draw, and those that have a policy.
    pub(in crate::run) scripted: BTreeMap<PagePath, Scripted>,
    /// Search indexes, which are made anew in every language.
    pub(in crate::run) indexes: Vec<RecognizedIndex>,
    /// Texts that those indexes look up.
    pub(in crate::run) asked_texts: AskedTexts,
    /// An index that Pagefind makes anew.
    pub(in crate::run) pagefind: Option<Pagefind>,
    /// Policies that a static host sends with pages, as files of the site configure.
    pub(in crate::run) served_policies: ServedPolicies,
    /// Entries of the sitemaps of a folder.
    pub(in crate::run) sitemaps: SourceSitemaps,
    /// How addresses spell pages.
    pub(in crate::run) spelling: AddressSpelling,
    /// Pages without versions: they are published once, as they are.
    pub(crate) singles: Singles,
    /// Versions that the author wrote.
    pub(crate) written: WrittenVersions,
    /// Pages and feeds that a locale lacks.
    pub(in crate::run) left_out: LeftOut,
    /// Whether texts of some pages come behind those of all others.
    pub(in crate::run) is_unsorted: bool,
    /// Pages that were not read, because all that counts of them is known. They are among the pages, without their texts.
    pub(in crate::run) cached: BTreeMap<PagePath, CachedPage>,
    /// The texts of those.
    pub(in crate::run) cached_texts: CachedTexts,
    /// What else is known of pages that were read; nothing of most.
    pub(in crate::run) facts: BTreeMap<PagePath, Box<CorpusFacts>>,
    /// The first text of the home page that is its title.
    pub(in crate::run) title: Option<u32>,
    /// The names of the site.
    pub(in crate::run) names: SiteNames,
    /// Ranks of texts in the outlines of pages, if they differ from the rank at the text's first place.
    pub(in crate::run) other_ranks: OtherRanks,
    /// What is worth knowing of the pages.
    pub(in crate::run) notices: Vec<String>,
}

/// The texts of cached pages, beside those that were read.
#[derive(Debug, Default)]
pub(in crate::run) struct CachedTexts {
    /// How many different ones there are.
    pub(in crate::run) different: usize,
    /// Those of the texts that were read that are among them.
    pub(in crate::run) read: TextSet,
    /// Pages of which what is known is true no longer.
    pub(in crate::run) gone: GonePages,
    /// Findings of checks in the texts of cached pages.
    pub(in crate::run) warnings: KnownWarnings,
    /// For each locale, the texts that were read and in which an earlier check noticed nothing.
    pub(in crate::run) fine: BTreeMap<Locale, TextSet>,
    /// First places of the texts whose codes differ between pages.
    pub(in crate::run) mixed: MixedTexts,
    /// Fingerprint of the site's names with which these texts were translated.
    pub(in crate::run) names: String,
    /// The texts that people translated and that are on no page, of each locale, where that is known.
    pub(in crate::run) vanished: Option<BTreeMap<Locale, BTreeSet<SegmentKey>>>,
    /// Number of texts that wait for a person and are on cached pages only, by locale.
    pub(in crate::run) waiting: BTreeMap<Locale, usize>,
}

impl CachedTexts {
    /// The texts that people translated and that are on no page; nothing where all pages were read.
    pub(in crate::run) fn vanished(&self, locale: &Locale) -> Option<&BTreeSet<SegmentKey>> {
        self.vanished.as_ref()?.get(locale)
    }

    /// Number of texts of a locale that wait for a person and are on cached pages only.
    pub(in crate::run) fn waiting(&self, locale: &Locale) -> usize {
        self.waiting.get(locale).copied().unwrap_or_default()
    }
}

impl Corpus {
    /// Whether scripts draw a page, or draw it again.
    pub(crate) fn is_drawn(&self, path: &PagePath) -> bool {
        self.scripted
            .get(path)
            .is_some_and(|page| page.rendering != Rendering::Static)
    }

    /// What readers see on a page or in a document: its texts, and those that scripts put in.
    pub(crate) fn shown(&self, path: &PagePath) -> Vec<u32> {
        let found = self.found.get(path).into_iter().flat_map(Indices::iter);
        self.indices(path).into_iter().chain(found).collect()
    }

    /// The texts of a page or document, in the order in which they stand.
    pub(in crate::run) fn indices(&self, path: &PagePath) -> Vec<u32> {
        let texts = self.pages.get(path).or_else(|| self.documents.get(path));
        texts.map(Indices::to_vec).unwrap_or_default()
    }

    /// Where texts stand: pages, documents, and what scripts put into pages.
    pub(crate) fn places(&self) -> impl Iterator<Item = (&PagePath, &Indices)> {
        self.pages.iter().chain(&self.documents).chain(&self.found)
    }

    /// Takes in the texts of a page.
    pub(in crate::run) fn take_page(
        &mut self,
        known: &mut KnownTexts,
        source: &Locale,
        path: &PagePath,
        segments: Vec<Segment>,
    ) -> Indices {
        let title = segments
            .iter()
            .position(|segment| segment.origin == "title");
        let ranks: Vec<OutlineRank> = segments.iter().map(OutlineRank::of).collect();
        let indices = self.take(known, source, path, segments);
        let mut others = Vec::new();
        for (place, (index, rank)) in (0..).zip(indices.iter().zip(ranks)) {
            if rank != self.texts.rank(index as usize) {
                others.push((place, rank));
            }
        }
        self.other_ranks.set(path, others);
        if *path == PagePath::of_file("index.html") {
            self.title = title.and_then(|place| indices.iter().nth(place));
        }
        indices
    }

    /// Takes in some texts, each different one once.
    pub(super) fn take(
        &mut self,
        known: &mut KnownTexts,
        source: &Locale,
        path: &PagePath,
        segments: Vec<Segment>,
    ) -> Indices {
        let index = |segment: Segment| {
            let key = segment.key(source);
            let Some(index) = known.find(key, &self.texts) else {
                let index = self.texts.push(key, segment, path);
                known.note(key, index);
                return index;
            };
            self.texts.stands_again(index, &segment);
            index
        };
        segments.into_iter().map(index).collect()
    }
}
