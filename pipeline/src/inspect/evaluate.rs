//! How good engines are on a site's own words: what they make of texts that people have translated.
//!
//! Texts go the way of a build (the same chain, fallbacks and checks), but neither people's words nor the memory answer
//! for an engine, and nothing is written: what was made is compared and forgotten. A text that stands in the source
//! folder is asked for as it stands there, with the words that are carried to it where its source changed; one that does
//! not, or whose site is on the web, as the file of translations writes it.

use futures::future::BoxFuture;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use serde::Serialize;
use tokio::sync::mpsc;

use super::{Score, chrf};
use crate::config::{SiteConfig, SourceLocation};
use crate::crawl::{self, Resource, format_of};
use crate::engines::EnginePlace;
use crate::exchange::Catalogue;
use crate::model::{LanguagePair, Locale, SegmentKey, SiteId, SourceKind};
use crate::page::{CodeKind, CodedText, InlineCode, Page, Segment, TextClass, TextPiece, check};
use crate::run::{
    BuildError, BuildOptions, BuildProgress, BuildStep, Corpus, People, RunEngines, blocking,
    crawl_options, glossary, limit_of_run,
};
use crate::state::Stage;
use crate::text::{excerpt, is_dense};
use crate::translate::{Chain, CharacterBudget, Cost, EngineUsage, SegmentOutcome, settle};

/// Resources in flight between the crawler and the parser.
const IN_FLIGHT: usize = 16;

/// A text and what people made of it.
#[derive(Clone, Debug)]
struct Reviewed {
    segment: Segment,
    wanted: String,
    /// Whether it stands in the source as it is now.
    found: bool,
}

/// Texts and engines that are ready; nothing was sent yet.
pub struct Examination {
    site: SiteId,
    pair: LanguagePair,
    texts: Vec<Reviewed>,
    chain: Chain,
    costs: Vec<Cost>,
    notices: Vec<String>,
}

/// What engines made of the texts.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Evaluation {
    /// The site.
    pub site: SiteId,
    /// The language translated into.
    pub locale: Locale,
    /// Texts that people translated.
    pub texts: usize,
    /// Texts among them that stand in the source as it is now.
    pub found: usize,
    /// Texts that engines translated; the figures are of these.
    pub scored: usize,
    /// Texts that engines got wrong, so that the source text would stay.
    pub refused: usize,
    /// Texts that no engine is asked for, because there is no word of the source language in them.
    pub untouched: usize,
    /// Characters that were sent.
    pub characters_sent: u64,
    /// What the engines made, compared with what people made.
    pub score: Score,
    /// The yardstick: the same texts left in the source language.
    pub source_score: Score,
    /// All texts as a build would publish them, those in the source language that were refused or left alone.
    pub published_score: Score,
    /// How many texts each engine translated.
    pub engines: BTreeMap<String, u64>,
    /// The texts that engines translated, from the worst to the best.
    #[serde(rename = "worst")]
    pub marks: Vec<TextScore>,
    /// Texts that were refused: source text and reason.
    pub refusals: Vec<(String, String)>,
    /// What else is worth knowing.
    pub notices: Vec<String>,
}

/// How one text was translated.
#[derive(Clone, Debug, Serialize)]
pub struct TextScore {
    /// Its chrF.
    pub chrf: f64,
    /// The source text, without codes.
    pub source: String,
    /// What an engine made of it.
    pub made: String,
    /// What people made of it.
    pub wanted: String,
}

/// Gets everything ready to ask a site's engines for the texts that people translated; asks none yet.
///
/// # Errors
/// A [`BuildError`] when the translations cannot be read, or more would be sent than is allowed.
pub fn examine<'a>(
    site: &'a SiteConfig,
    options: &'a BuildOptions,
    locale: &'a Locale,
    progress: &'a BuildProgress<'a>,
) -> BoxFuture<'a, Result<Examination, BuildError>> {
    Box::pin(async move {
        let mut notices = Vec::new();
        let catalogue = match &site.translations {
            Some(file) => Catalogue::open(&file.path(locale))?,
            None => Catalogue::default(),
        };
        let standing = match &site.source {
            SourceLocation::Folder(_) => {
                cached_texts(site, progress).await.unwrap_or_else(|error| {
                    notices.push(format!(
                        "texts are taken from the translations alone: {error}"
                    ));
                    Corpus::default()
                })
            }
            SourceLocation::Web(_) => {
                notices.push(
                    "texts are taken from the translations alone: the site is not fetched for this"
                        .into(),
                );
                Corpus::default()
            }
        };
        let people = People::of_site(site, locale, catalogue, &standing).await?;
        let mut engines = RunEngines::of(site, &options.meter);
        let chain = engines.chain(locale);
        notices.extend(engines.take_notices());
        let limit = limit_of_run(site, options);
        let budget = CharacterBudget::new(limit.as_ref().map(|limit| limit.left));
        let chain = chain
            .within(Arc::new(budget))
            .with_terms(glossary(site)?.terms(site.pair_to(locale)));
        let texts = reviewed(site, locale, &people, &standing, &mut notices);
        let segments: Vec<Segment> = texts.iter().map(|text| text.segment.clone()).collect();
        let costs = chain.costs(site.pair_to(locale), &segments).engines;
        let planned = costs.iter().map(|cost| cost.characters).sum();
        if let Some(limit) = limit.filter(|limit| planned > limit.left) {
            return Err(BuildError::Budget {
                planned,
                limit,
                by_locale: vec![(locale.clone(), planned)],
            });
        }
        Ok(Examination {
            site: site.id.clone(),
            pair: site.pair_to(locale).cloned(),
            texts,
            chain,
            costs,
            notices,
        })
    })
}

/// The texts of a source folder as they stand there now.
async fn cached_texts(
    site: &SiteConfig,
    progress: &BuildProgress<'_>,
) -> Result<Corpus, BuildError> {
    let options = crawl_options(site)?;
    let (sender, mut receiver) = mpsc::channel::<Resource>(IN_FLIGHT);
    let read = async {
        let mut corpus = Corpus::default();
        let mut known = HashSet::new();
        let mut done = 0;
        while let Some(resource) = receiver.recv().await {
            if resource.kind == SourceKind::File {
                continue;
            }
            let path = resource.path.clone();
            for segment in segments_of(site, resource).await? {
                let key = segment.key(&site.source_locale);
                if known.insert(key) {
                    corpus.texts.push(key, segment, &path);
                }
            }
            done += 1;
            progress(&BuildStep {
                stage: Stage::Extract,
                locale: None,
                done,
                total: None,
            });
        }
        Ok::<_, BuildError>(corpus)
    };
    let own = site.own_files.resolve(&site.locales);
    let (crawled, corpus) = tokio::join!(
        crawl::begin(&site.source, own).crawl(&options, sender),
        read
    );
    crawled?;
    corpus
}

async fn segments_of(site: &SiteConfig, resource: Resource) -> Result<Vec<Segment>, BuildError> {
    let locale = site.source_locale.clone();
    let rules = site.rules.clone();
    blocking(move || {
        let format = format_of(
            resource.kind,
            &resource.content_type,
            resource.path.path(),
            &resource.body,
        );
        let page = Page::parse_as(
            format,
            &resource.body,
            resource.charset.as_deref(),
            &locale,
            &rules,
        );
        page.segments().collect()
    })
    .await
}

/// What people translated, without what a build would refuse or leave out.
fn reviewed(
    site: &SiteConfig,
    locale: &Locale,
    people: &People,
    standing: &Corpus,
    notices: &mut Vec<String>,
) -> Vec<Reviewed> {
    let mut texts = Vec::new();
    let mut wrong = 0;
    let standing: HashMap<SegmentKey, Segment> = standing
        .texts
        .iter()
        .map(|text| (text.key, text.segment))
        .collect();
    let heirs = people.heirs();
    for (source, class, wanted) in people.catalogue().reviewed() {
        let heir = heirs.get(&(class, source));
        let (class, source) = heir.map_or((class, source), |(heir, _)| *heir);
        let wanted = heir.map_or_else(
            || CodedText::from_markup(wanted).ok(),
            |(_, words)| Some((*words).clone()),
        );
        let place = |class: TextClass| {
            standing.get(&SegmentKey::new(
                &site.source_locale,
                class.as_str(),
                source,
            ))
        };
        // What is written for prose does for a label too.
        let found = place(class).or_else(|| place(TextClass::Label));
        let segment = found.cloned().or_else(|| written(source, class));
        if segment.as_ref().is_some_and(|text| {
            text.filter
                .as_ref()
                .is_some_and(|filter| !filter.admits(locale))
        }) {
            continue;
        }
        match (segment, wanted) {
            (Some(segment), Some(wanted)) if check(&segment, &wanted).is_ok() => {
                texts.push(Reviewed {
                    segment,
                    wanted: wanted.into_text(),
                    found: found.is_some(),
                });
            }
            _ => wrong += 1,
        }
    }
    if wrong > 0 {
        notices.push(format!(
            "{wrong} reviewed translations are left out, because a build would refuse them"
        ));
    }
    texts
}

/// A text as the file of translations writes it; what its codes stand for is not said there.
fn written(source: &str, class: TextClass) -> Option<Segment> {
    let text = CodedText::from_markup(source).ok()?;
    let count = text
        .pieces()
        .filter_map(TextPiece::id)
        .max()
        .unwrap_or_default();
    // A number that no segment has: the file was not written by us.
    if !usize::try_from(count).is_ok_and(|count| count <= text.pieces().count()) {
        return None;
    }
    let kind = |id: u32| match text.pieces().any(|piece| piece == TextPiece::Open(id)) {
        true => InlineCode::new(CodeKind::Paired, "span"),
        false => InlineCode::new(CodeKind::Protected, "code"),
    };
    let codes = (1..=count).map(kind).collect();
    Some(Segment {
        text,
        codes,
        class,
        origin: "p".into(),
        filter: None,
        keeps_nodes: false,
    })
}

impl Examination {
    /// How many texts people translated.
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// Whether there is nothing to compare with.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// What each engine would get if it answered well.
    pub fn costs(&self) -> &[Cost] {
        &self.costs
    }

    /// The engines that have the pair, and where texts go with them.
    pub fn route(&self) -> Vec<(&str, EnginePlace)> {
        let route = self.chain.route(self.pair.as_ref());
        route
            .into_iter()
            .map(|(name, caps)| (name, caps.place))
            .collect()
    }

    /// What would make engines have the pair.
    pub fn hints(&self) -> Vec<String> {
        self.chain.hints(self.pair.as_ref())
    }

    /// What is worth knowing before anything is sent.
    pub fn notices(&self) -> &[String] {
        &self.notices
    }

    /// Asks the engines and compares.
    pub fn run<'a>(self, progress: &'a BuildProgress<'a>) -> BoxFuture<'a, Evaluation> {
        Box::pin(async move {
            let segments: Vec<Segment> =
                self.texts.iter().map(|text| text.segment.clone()).collect();
            let mut outcomes: Vec<Option<SegmentOutcome>> = vec![None; segments.len()];
            let mut done = 0;
            let total = Some(segments.len());
            let mut take = |index: usize, outcome: SegmentOutcome| {
                done += 1;
                progress(&BuildStep {
                    stage: Stage::Translate,
                    locale: Some(&self.pair.to),
                    done,
                    total,
                });
                if let Some(place) = outcomes.get_mut(index) {
                    *place = Some(outcome);
                }
            };
            let tally = self
                .chain
                .translate(self.pair.as_ref(), &segments, &mut take)
                .await;
            let used = |(name, usage): (&String, &EngineUsage)| (name.clone(), usage.translated);
            let engines = tally.engines.iter().map(used).collect();
            self.compare(outcomes, tally.characters, engines)
        })
    }

    fn compare(
        self,
        outcomes: Vec<Option<SegmentOutcome>>,
        characters_sent: u64,
        engines: BTreeMap<String, u64>,
    ) -> Evaluation {
        let mut marks = Vec::new();
        let mut refusals = Vec::new();
        let mut published = Vec::new();
        let mut untouched = 0;
        for (text, outcome) in self.texts.iter().zip(outcomes) {
            let source = text.segment.text.text();
            untouched += usize::from(outcome == Some(SegmentOutcome::Untouched));
            let settled = settle(&text.segment, |_| None, |_| None, |_| outcome);
            let refused = || excerpt(&text.segment.text.to_markup()).into_owned();
            refusals.extend(
                settled
                    .notices
                    .into_iter()
                    .map(|reason| (refused(), reason.to_string())),
            );
            let shown = settled.text.as_ref().map_or(source, CodedText::text);
            published.push((shown.to_owned(), &text.wanted));
            if let Some(made) = settled.text {
                let made = made.into_text();
                let wanted = text.wanted.clone();
                marks.push(TextScore {
                    chrf: chrf(&made, &wanted),
                    source: source.to_owned(),
                    made,
                    wanted,
                });
            }
        }
        let of = |made: fn(&TextScore) -> &str| {
            Score::of(marks.iter().map(|mark| (made(mark), mark.wanted.as_str())))
        };
        let score = of(|mark| &mark.made);
        let source_score = of(|mark| &mark.source);
        let mut notices = self.notices;
        if is_dense(
            &self
                .texts
                .iter()
                .map(|text| text.wanted.as_str())
                .collect::<String>(),
        ) {
            notices.push(format!(
                "BLEU counts words between spaces, of which {} has few: look at chrF",
                self.pair.to
            ));
        }
        marks.sort_by(|one, other| {
            one.chrf
                .total_cmp(&other.chrf)
                .then_with(|| one.source.cmp(&other.source))
        });
        Evaluation {
            texts: self.texts.len(),
            found: self.texts.iter().filter(|text| text.found).count(),
            scored: marks.len(),
            refused: refusals.len(),
            untouched,
            characters_sent,
            score,
            source_score,
            published_score: Score::of(
                published
                    .iter()
                    .map(|(made, wanted)| (made.as_str(), wanted.as_str())),
            ),
            engines,
            marks,
            refusals,
            notices,
            site: self.site,
            locale: self.pair.to,
        }
    }
}
