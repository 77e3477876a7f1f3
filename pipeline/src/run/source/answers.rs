//! Servers are asked whether a page or file changed since it was fetched last, and what did not comes from the store. Where a
//! sitemap says so and proved right, they are not asked (`crawl/spared.rs`); whether it did is found out here, after each crawl.
//!
//! What is found out is written down together with the answers, when the crawl ended well: whoever ends before that has found
//! out nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use super::files::Sizes;
use super::sources::Sources;
use crate::config::{SiteConfig, SourceChanges, SourceLocation};
use crate::crawl::{CrawlFailure, Crawled, KnownAnswers, KnownBytes, Resource, SitemapUse};
use crate::model::{KnownAnswer, PagePath, SitemapFinding, SitemapTrust};
use crate::net::FetchError;
use crate::run::clock::now;
use crate::run::context::Build;
use crate::run::corpus::policies::kept_policies;
use crate::run::error::BuildError;
use crate::run::report::named::named;
use crate::state::{SourceRecord, State};
use crate::store;

/// How long what a server said counts: what it says beside the bytes may change without a sign.
const COUNTS: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// What is known of the last crawl, and what this one brings.
pub(in crate::run) struct CrawlAnswers {
    /// What servers need not send again.
    pub(in crate::run) known: KnownAnswers,
    /// How far sitemaps are relied on.
    pub(in crate::run) sitemaps: Option<SitemapUse>,
    /// The hash and `lastmod` of what servers have to send again: sitemaps are held against it, too.
    old: BTreeMap<PagePath, (String, String)>,
    /// Fingerprint of how servers are asked: what they say to others may be something else.
    asker: String,
    /// What they said in this crawl.
    said: BTreeMap<PagePath, KnownAnswer>,
    /// Bytes that the store should have and has not, or not as they were.
    damaged: Arc<Mutex<BTreeSet<String>>>,
}

impl CrawlAnswers {
    /// Takes note of what a server said of a page or file.
    pub(in crate::run) fn take(&mut self, resource: &Resource, record: &SourceRecord) {
        let Some(mut head) = resource.head.clone() else {
            return;
        };
        head.policies = record.policies.to_vec();
        let hash = record.hash.to_string();
        let sent = resource.sent.unwrap_or_else(now);
        self.said.insert(
            resource.path.clone(),
            KnownAnswer {
                head,
                hash,
                sent,
                lastmod: None,
            },
        );
    }

    /// Whether the bytes of a hash are to be written although the store seems to have them.
    pub(in crate::run) fn wants(&self, hash: &str) -> bool {
        self.damaged
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .contains(hash)
    }

    /// The hash and `lastmod` that were noted of a page.
    fn noted(&self, path: &PagePath) -> Option<(&str, &str)> {
        let known = self
            .known
            .heads
            .get(path)
            .and_then(|known| Some((&*known.hash, known.lastmod.as_deref()?)));
        known.or_else(|| {
            self.old
                .get(path)
                .map(|(hash, lastmod)| (&**hash, &**lastmod))
        })
    }

    /// Holds what a crawl brought against what sitemaps say of changes; with the pages by which they are wrong.
    fn hold(&self, crawled: &Crawled, sources: &Sources) -> (SitemapFinding, BTreeSet<PagePath>) {
        let gone = crawled
            .failures
            .iter()
            .filter(|failed| matches!(failed.code, FetchError::NOT_FOUND | FetchError::GONE));
        let gone = gone
            .map(|failed| &failed.path)
            .chain(crawled.redirects.iter().map(|led| &led.from));
        let gone: BTreeSet<&PagePath> = gone.collect();
        let mut refuted = crawled.lastmods.refuted.clone();
        let mut finding = SitemapFinding::Nothing;
        for (path, lastmod) in &crawled.lastmods.listed {
            let Some((hash, _)) = self.noted(path).filter(|(_, noted)| noted == lastmod) else {
                continue;
            };
            match sources.records.get(path) {
                Some(record) if *record.hash == *hash => finding = SitemapFinding::Right,
                Some(_) => drop(refuted.insert(path.clone())),
                None if gone.contains(path) => drop(refuted.insert(path.clone())),
                None => {}
            }
        }
        (
            if refuted.is_empty() {
                finding
            } else {
                SitemapFinding::Wrong
            },
            refuted,
        )
    }
}

/// What is known of the last crawl; nothing of it where everything is to be fetched.
pub(super) async fn known_answers(
    build: &Build<'_>,
    stored: &Sizes,
) -> Result<CrawlAnswers, BuildError> {
    let is_web = matches!(build.site.source, SourceLocation::Web(_));
    let asker = if is_web { asker(build) } else { String::new() };
    let damaged = Arc::<Mutex<BTreeSet<String>>>::default();
    let mut known = KnownAnswers::default();
    let mut sitemaps = None;
    let mut old = BTreeMap::new();
    if asks_for_changes(build.site) {
        let id = build.site.id.clone();
        let by = asker.clone();
        let read = move |state: &State| {
            let answers = state.known_answers(&id, &by)?;
            Ok((answers, state.sitemap_trust(&id, &by)?))
        };
        let (answers, trust) = build.stores.with_state(read).await?;
        let counts = |known: &KnownAnswer| {
            let size = stored.get(&known.hash);
            let is_there = size.is_some_and(|&size| size <= build.site.crawl.max_page_bytes);
            is_there && now().since(known.sent) < COUNTS && !build.options.rebuild
        };
        let (heads, past): (BTreeMap<_, _>, BTreeMap<_, _>) =
            answers.into_iter().partition(|(_, known)| counts(known));
        let noted =
            |(path, known): (PagePath, KnownAnswer)| Some((path, (known.hash, known.lastmod?)));
        old = past.into_iter().filter_map(noted).collect();
        let bytes = known_bytes(build, Arc::clone(&damaged));
        known = KnownAnswers {
            heads: Arc::new(heads),
            bytes,
            policies: kept_policies,
        };
        let uses_sitemaps = build.site.crawl.changed == SourceChanges::Auto;
        sitemaps = uses_sitemaps.then(|| SitemapUse {
            trust,
            begun: SystemTime::now(),
        });
    }
    Ok(CrawlAnswers {
        known,
        sitemaps,
        old,
        asker,
        said: BTreeMap::new(),
        damaged,
    })
}

fn known_bytes(build: &Build<'_>, damaged: Arc<Mutex<BTreeSet<String>>>) -> KnownBytes {
    let objects = build.stores.objects.clone();
    let site = build.site.id.clone();
    Arc::new(move |hash| {
        let objects = objects.clone();
        let site = site.clone();
        let damaged = Arc::clone(&damaged);
        Box::pin(async move {
            let found = store::source(&objects, &site, &hash).await.ok().flatten();
            let found = found.filter(|bytes| *blake3::hash(bytes).to_hex() == *hash);
            if found.is_none() {
                damaged
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .insert(hash);
            }
            found
        })
    })
}

/// Keeps what servers said, for the next crawl; of what could not be had this time, what they said before. Says so where
/// sitemaps turn out to be wrong.
pub(in crate::run) async fn keep_answers(
    build: &Build<'_>,
    mut answers: CrawlAnswers,
    crawled: &Crawled,
    sources: &Sources,
) -> Result<Option<String>, BuildError> {
    let SourceLocation::Web(start) = &build.site.source else {
        return Ok(None);
    };
    let start = PagePath::of_url(start);
    let (finding, refuted) = answers.hold(crawled, sources);
    let mut said = std::mem::take(&mut answers.said);
    let listed = &crawled.lastmods.listed;
    said.iter_mut()
        .for_each(|(path, answer)| answer.lastmod = listed.get(path).cloned());
    // What the start page says beside its bytes counts for all.
    let is_of_use = |path: &PagePath, answer: &KnownAnswer| {
        !answer.head.silent
            || answers.sitemaps.is_some() && (answer.lastmod.is_some() || *path == start)
    };
    said.retain(|path, answer| is_of_use(path, answer));
    match asks_for_changes(build.site) {
        // Whoever asks for changes again begins anew.
        false => said.clear(),
        true => {
            for CrawlFailure { path, .. } in &crawled.failures {
                let Some(known) = answers.known.heads.get(path) else {
                    continue;
                };
                // A page that is gone and still listed is wrong once, and not in every crawl from now on.
                let lastmod = known.lastmod.clone().filter(|_| !refuted.contains(path));
                said.entry(path.clone()).or_insert_with(|| KnownAnswer {
                    lastmod,
                    ..known.clone()
                });
            }
        }
    }
    let before = answers.sitemaps.map(|sitemaps| sitemaps.trust);
    let (trust, tell) = before.clone().map(|trust| trust.after(finding)).unzip();
    let turned = |trust: SitemapTrust| match &crawled.lastmods.turn {
        Some(turn) => SitemapTrust {
            turn: turn.clone(),
            ..trust
        },
        None => trust,
    };
    let trust = trust.map(turned);
    let knows_all =
        answers.old.is_empty() && asks_for_changes(build.site) && !build.options.rebuild;
    let is_same = knows_all && *answers.known.heads == said;
    if !is_same || trust != before {
        let id = build.site.id.clone();
        let asker = answers.asker;
        let said = (!is_same).then_some(said);
        build
            .stores
            .with_state(move |state| {
                state.keep_known_answers(&id, &asker, said.as_ref(), trust.as_ref())
            })
            .await?;
    }
    Ok(tell
        .is_some_and(|tell| tell)
        .then(|| notice_of_sitemaps(&refuted)))
}

fn asks_for_changes(site: &SiteConfig) -> bool {
    let asks = match site.crawl.changed {
        SourceChanges::Auto | SourceChanges::Conditional => true,
        SourceChanges::All => false,
    };
    asks && matches!(site.source, SourceLocation::Web(_))
}

fn asker(build: &Build<'_>) -> String {
    let crawl = &build.site.crawl;
    let mut key = build.options.inputs.key();
    key.add_program();
    key.add_debug(&(&build.site.source, &crawl.user_agent));
    crawl
        .headers_file
        .iter()
        .for_each(|file| key.add_file(file));
    key.hex()
}

/// What is said when pages changed although their `lastmod` did not.
fn notice_of_sitemaps(refuted: &BTreeSet<PagePath>) -> String {
    let pages: Vec<String> = refuted.iter().map(ToString::to_string).collect();
    format!(
        "the sitemap gives a page the same `lastmod` although the page changed, so `lastmod` is not relied on until two crawls in \
         a row find it right, and every page is asked for: {}",
        named(&pages)
    )
}
