//! A preview from its order to its bytes: the page is found, its texts get words, and it is rendered.

use futures::future::BoxFuture;
use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};

use serde::Serialize;

use super::fault::{broken, fault};
use super::source::PreviewPage;
use super::texts::{PreviewTexts, WordsByKey};
use super::{PreviewFault, PreviewRequest, Previewer};
use crate::config::{NamedEngine, SiteConfig};
use crate::engines::start;
use crate::exchange::Glossary;
use crate::model::{LanguagePair, Locale, SegmentKey, SiteId};
use crate::page::{PageChanges, PageFormat, PageHead, PageLink, Rendering, Segment};
use crate::run::month;
use crate::state::{PreviewCode, PreviewStage, Spent, State, StateError};
use crate::translate::{
    Chain, CharacterBudget, NotTaken, SegmentOutcome, TranslationOrigin, WantedTexts, settle,
};

/// A page in another language, and the texts that stay in the source language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PagePreview {
    /// The page, in its own encoding.
    pub html: Vec<u8>,
    /// Texts without a translation, in the order of their keys.
    pub untranslated: Vec<UntranslatedText>,
}

/// A text that stays in the source language.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UntranslatedText {
    /// The source text.
    pub source: String,
    /// The reason, with the names of the engines.
    pub reason: String,
}

/// The answers of engines to the texts of a page.
#[derive(Default)]
struct PreviewAnswers {
    words: WordsByKey,
    /// Number of texts with a translation, or that need none.
    made: usize,
    /// True if an engine answered and the answer was refused.
    has_answer: bool,
    /// Texts without a translation, by their index: answers come in any order.
    untranslated: BTreeMap<usize, UntranslatedText>,
}

impl PreviewAnswers {
    fn take(&mut self, open: &[(SegmentKey, Segment)], index: usize, outcome: SegmentOutcome) {
        let Some((key, segment)) = open.get(index) else {
            return;
        };
        let settled = settle(segment, |_| None, |_| None, |_| Some(outcome));
        self.made += usize::from(matches!(
            settled.origin,
            TranslationOrigin::Engine(_) | TranslationOrigin::Untouched
        ));
        for notice in settled.notices {
            let reason = notice.to_string();
            if let NotTaken::Engines(reasons) = notice {
                self.has_answer |= reasons.has_answer();
            }
            self.untranslated.insert(
                index,
                UntranslatedText {
                    source: segment.text.text().to_owned(),
                    reason,
                },
            );
        }
        self.words.extend(settled.text.map(|text| (*key, text)));
    }
}

/// Hears which part of the work begins.
pub type Stages<'a> = dyn Fn(PreviewStage) + Send + Sync + 'a;

impl Previewer {
    /// Fetches and localizes a page; `sites` are those whose pages may be read from their sources.
    ///
    /// # Errors
    /// A [`PreviewFault`] that says what failed, in which part of the work.
    pub fn localize<'a>(
        &'a self,
        sites: &'a [Arc<SiteConfig>],
        wanted: &'a PreviewRequest,
        stages: &'a Stages<'a>,
    ) -> BoxFuture<'a, Result<PagePreview, PreviewFault>> {
        Box::pin(async move {
            stages(PreviewStage::FetchingPage);
            let found = self.find(sites, &wanted.url).await?;
            stages(PreviewStage::AnalyzingContent);
            if found.page(&wanted.source).rendering() == Rendering::ByScripts {
                let reason = "scripts draw this page in the browser, and a preview runs none: its HTML has no words";
                return Err(fault(PreviewCode::RenderFailed, reason));
            }
            let texts = self.texts_of(&found, wanted)?;
            stages(PreviewStage::Translating);
            let taken = self
                .translated(texts, found.site.as_deref(), wanted)
                .await?;
            stages(PreviewStage::GeneratingPreview);
            let html = render(&found, &taken.words, wanted);
            Ok(PagePreview {
                html,
                untranslated: taken.untranslated.into_values().collect(),
            })
        })
    }

    /// Lets engines translate the rest, if it is not too much. As in a build, a refused text stays in the source language.
    async fn translated(
        &self,
        texts: PreviewTexts,
        site: Option<&SiteConfig>,
        wanted: &PreviewRequest,
    ) -> Result<PreviewAnswers, PreviewFault> {
        let PreviewTexts {
            words,
            open,
            characters,
            contexts,
        } = texts;
        let most = self.settings().max_chars;
        if characters > most {
            let reason = format!(
                "the page has {characters} characters to translate, and max_chars is {most}"
            );
            return Err(fault(PreviewCode::PageTooLarge, reason));
        }
        if open.is_empty() {
            return Ok(PreviewAnswers {
                words,
                ..PreviewAnswers::default()
            });
        }
        let left = self.left_of_month(site, characters)?;
        let subject_budget = self.subject_budget(wanted, characters)?;
        let (chain, mut hints) = self.chain(site, wanted.pair());
        if !chain.offers(wanted.pair()) {
            hints.extend(chain.hints(wanted.pair()));
            let hints = hints.join("; ");
            let hints = if hints.is_empty() {
                "no engine is configured in [preview]".to_owned()
            } else {
                hints
            };
            return Err(fault(PreviewCode::TranslateFailed, hints));
        }
        let segments: Vec<Segment> = open.iter().map(|(_, segment)| segment.clone()).collect();
        let mut taken = PreviewAnswers {
            words,
            ..PreviewAnswers::default()
        };
        let mut take = |index: usize, outcome: SegmentOutcome| taken.take(&open, index, outcome);
        let budget = Arc::new(CharacterBudget::part(left, subject_budget));
        let chain = chain.within(Arc::clone(&budget));
        let subject = wanted.payer.as_ref().map(|payer| payer.subject.clone());
        let site = site.map(|site| site.id.clone());
        let booking = self.state.clone().map(|state| Booking {
            site,
            locale: wanted.target.clone(),
            subject,
            state,
            budget,
        });
        let around: Vec<_> = open
            .iter()
            .map(|(key, _)| contexts.get(key).cloned())
            .collect();
        chain
            .translate(
                wanted.pair(),
                WantedTexts::from(&segments).with_contexts(&around),
                &mut take,
            )
            .await;
        if let Some(booking) = booking {
            booking.finish().await?;
        }
        if taken.made == 0 && !taken.has_answer {
            let first = taken
                .untranslated
                .into_values()
                .next()
                .map(|text| text.reason);
            return Err(fault(
                PreviewCode::TranslateFailed,
                first.unwrap_or_else(|| "no engine has an answer".to_owned()),
            ));
        }
        Ok(taken)
    }

    /// What is left of the site's budget of the month, in characters; refuses a page that it has no room for.
    fn left_of_month(
        &self,
        site: Option<&SiteConfig>,
        characters: usize,
    ) -> Result<Option<u64>, PreviewFault> {
        let Some((site, allowed)) = site.and_then(|site| Some((site, site.max_chars_per_month?)))
        else {
            return Ok(None);
        };
        let spent = self
            .state
            .as_ref()
            .map(|state| state.spent(&site.id, month()))
            .transpose();
        let spent = spent
            .map_err(|error| fault(PreviewCode::Unknown, error.to_string()))?
            .unwrap_or_default();
        let left = allowed.saturating_sub(spent);
        if u64::try_from(characters).unwrap_or(u64::MAX) <= left {
            return Ok(Some(left));
        }
        let reason = format!(
            "the page has {characters} characters to translate, and {left} are left of the site's month"
        );
        Err(fault(PreviewCode::TranslateFailed, reason))
    }

    /// What whoever ordered the preview may still send; refuses a page that there is no room for.
    fn subject_budget(
        &self,
        wanted: &PreviewRequest,
        characters: usize,
    ) -> Result<Option<Arc<CharacterBudget>>, PreviewFault> {
        let payer = wanted.payer.as_ref();
        let (Some((payer, allowed)), Some(state)) = (
            payer.and_then(|payer| Some((payer, payer.max_chars_per_month?))),
            &self.state,
        ) else {
            return Ok(None);
        };
        let subject_budget = state.subject_budget(&payer.subject, month(), allowed);
        let subject_budget =
            subject_budget.map_err(|error| fault(PreviewCode::Unknown, error.to_string()))?;
        let left = subject_budget.left().unwrap_or(u64::MAX);
        if u64::try_from(characters).unwrap_or(u64::MAX) <= left {
            return Ok(Some(subject_budget));
        }
        let reason = format!(
            "the page has {characters} characters to translate, and {left} are left of your month"
        );
        Err(fault(PreviewCode::TranslateFailed, reason))
    }

    /// The engines of `[preview]`, else those of the page's site, each started once; and why some cannot be.
    fn chain(
        &self,
        site: Option<&SiteConfig>,
        pair: LanguagePair<&Locale>,
    ) -> (Chain, Vec<String>) {
        let settings = self.settings();
        let named = match site {
            _ if pair.to.is_pseudo() => vec![NamedEngine::pseudo()],
            Some(site) if settings.engines.is_empty() => site.engines_for(pair.to),
            Some(_) | None => settings.engines.clone(),
        };
        let mut engines = self.engines.lock().unwrap_or_else(PoisonError::into_inner);
        let mut started = Vec::new();
        let mut faults = Vec::new();
        for NamedEngine { name, spec, .. } in named {
            let engine = match engines.get(&name) {
                Some(engine) => Ok(Arc::clone(engine)),
                None => start(&spec),
            };
            self.meter.started(&name, engine.is_ok());
            match engine {
                Ok(engine) => {
                    engines.insert(name.clone(), Arc::clone(&engine));
                    started.push((name, engine));
                }
                // The cause may name files of this machine, and who asks may be anybody with a token.
                Err(_) => faults.push(format!("{name} cannot be started; run `latimer doctor`")),
            }
        }
        let manner = site.map(|site| site.manner_in(pair.to)).unwrap_or_default();
        let routes = site.map(|site| site.routes.clone()).unwrap_or_default();
        let chain = Chain::of_pair(started, pair, &routes)
            .metered(&self.meter)
            .with_manner(manner);
        match site
            .and_then(|site| site.glossary.as_ref())
            .map(|file| Glossary::open(file, pair.from))
        {
            None => (chain, faults),
            Some(Ok(glossary)) => (chain.with_terms(glossary.terms(pair)), faults),
            Some(Err(_)) => {
                faults.push("the glossary cannot be read; run `latimer doctor`".to_owned());
                (chain, faults)
            }
        }
    }
}

/// Books what was sent for a site, also if whoever waits for the page goes away.
struct Booking {
    site: Option<SiteId>,
    locale: Locale,
    subject: Option<String>,
    state: Arc<State>,
    budget: Arc<CharacterBudget>,
}

impl Booking {
    async fn finish(self) -> Result<(), PreviewFault> {
        let book = tokio::task::spawn_blocking(move || self.book())
            .await
            .map_err(broken)?;
        book.map_err(|error| fault(PreviewCode::Unknown, error.to_string()))
    }

    fn book(&self) -> Result<(), StateError> {
        let engines = self.budget.unaccounted();
        let site = self.site.as_ref();
        let locale = Some(&self.locale);
        let subject = self.subject.as_deref();
        if engines.is_empty() {
            Ok(())
        } else {
            self.state.spend(&Spent {
                site,
                locale,
                subject,
                month: month(),
                engines,
            })
        }
    }
}

impl Drop for Booking {
    fn drop(&mut self) {
        // Nobody is left to be told of an error.
        let _ = self.book();
    }
}

/// Says in a preview that its scripts are to stay off, to the server that shows it.
pub const WITHOUT_SCRIPTS: &str = "<meta name=\"latimer-scripts\" content=\"off\" />";

/// Says in a preview of XHTML that it is XML, to the server that shows it.
pub const AS_XML: &str = "<meta name=\"latimer-type\" content=\"application/xhtml+xml\" />";

/// Says of scripts to whoever looks at it that they are off.
const NOTE: &str = "<p role=\"note\" lang=\"en\" dir=\"ltr\" style=\"margin:0;padding:.5em 1em;background:#fff8d6;color:#222;\
                    font:14px/1.4 sans-serif\">Scripts are off in this preview.</p>";

fn render(found: &PreviewPage, words: &WordsByKey, wanted: &PreviewRequest) -> Vec<u8> {
    let page = found.page(&wanted.source);
    let url = &found.url;
    let keys: Vec<SegmentKey> = page
        .segments()
        .map(|segment| segment.key(&wanted.source))
        .collect();
    let base = page.base().and_then(|base| url.join(base).ok());
    let from = base.as_ref().unwrap_or(url);
    let link = |link: &PageLink<'_>| {
        // A place on the page itself stays one.
        let stays = link.address.is_empty() || (base.is_none() && link.address.starts_with('#'));
        if stays {
            None
        } else {
            from.join(link.address).ok().map(String::from)
        }
    };
    // A framework would put the source language back, so whoever serves the page is told to run no scripts.
    let is_hydrated = page.rendering() == Rendering::Hydrated;
    let (scripts, body_start) = if is_hydrated {
        (WITHOUT_SCRIPTS, NOTE)
    } else {
        ("", "")
    };
    let extra = [
        scripts,
        if found.format == PageFormat::Xhtml {
            AS_XML
        } else {
            ""
        },
    ]
    .concat();
    let head = PageHead {
        alone: true,
        noindex: true,
        extra: &extra,
        body_start,
        ..PageHead::default()
    };
    let changes = PageChanges {
        speak: Some(&wanted.target),
        head: Some(&head),
        link: Some(&link),
        ..PageChanges::default()
    };
    page.render(|index| words.get(keys.get(index)?), &changes)
        .html
}
