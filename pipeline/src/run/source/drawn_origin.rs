//! The site as a browser finds it that draws its pages: what the crawl has taken, and, for a site on the web, what else its
//! own host gives to a GET. No other host is asked for anything.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use tokio::sync::Semaphore;
use url::{Origin as HostOrigin, Url};

use super::crawl_options::crawl_options;
use super::sources::{self, Sources};
use crate::addresses::PublicAddresses;
use crate::browser::{OriginAnswer, PageOrigin};
use crate::config::SourceLocation;
use crate::crawl::CrawlError;
use crate::model::PagePath;
use crate::net::{FetchError, Fetched, Fetcher};
use crate::run::context::Build;
use crate::run::error::BuildError;
use crate::state::{SourceKind, SourceRecord};

/// Stands for the host of a site whose public address is not known. Scripts find the functions there that browsers keep for
/// secure addresses.
const NOWHERE: &str = "https://site.invalid";
/// The largest answer that is remembered for the next page, and all of them together, in bytes.
const REMEMBERED: (usize, usize) = (2 << 20, 64 << 20);
/// How many hosts a notice names.
const NAMED: usize = 5;

/// Who answers a browser for a site.
pub(super) struct SiteOrigin<'b> {
    build: &'b Build<'b>,
    home: Url,
    /// The pages and files by their paths at the source's own address.
    places: HashMap<String, (PagePath, Arc<SourceRecord>)>,
    addresses: HashMap<PagePath, String>,
    redirects: HashMap<String, String>,
    fetcher: Option<Fetcher>,
    remembered: Mutex<FetchedAnswers>,
    refused: Mutex<BTreeSet<String>>,
    /// Requests to the source at the same time, as many as those of a crawl.
    turns: Semaphore,
}

/// What was fetched for other pages.
#[derive(Default)]
struct FetchedAnswers {
    answers: HashMap<Url, Option<OriginAnswer>>,
    bytes: usize,
}

impl<'b> SiteOrigin<'b> {
    pub(in crate::run) fn new(build: &'b Build<'b>, sources: &Sources) -> Result<Self, BuildError> {
        let public = PublicAddresses::of_site(build.site);
        let locale = &build.site.source_locale;
        let (home, fetcher) = match &build.site.source {
            SourceLocation::Web(url) => (Some(url.clone()), Some(url)),
            SourceLocation::Folder(_) => (
                public
                    .page(locale, &PagePath::of_file("index.html"))
                    .and_then(|home| Url::parse(&home).ok()),
                None,
            ),
        };
        let home = home
            .or_else(|| Url::parse(NOWHERE).ok())
            .ok_or(BuildError::NothingStored)?;
        let fetcher = match fetcher {
            Some(url) => {
                let fetcher = Fetcher::new(crawl_options(build.site)?.fetch, url);
                Some(fetcher.map_err(CrawlError::from)?)
            }
            None => None,
        };
        let path = |page: &PagePath| match &build.site.source {
            SourceLocation::Web(_) => page.as_str().to_owned(),
            SourceLocation::Folder(_) => public.path(locale, page),
        };
        let places = sources
            .records
            .iter()
            .map(|(page, record)| (path(page), (page.clone(), record.clone())));
        Ok(Self {
            build,
            home,
            places: places.collect(),
            addresses: sources
                .records
                .keys()
                .map(|page| (page.clone(), path(page)))
                .collect(),
            redirects: sources
                .redirects
                .iter()
                .map(|(from, redirect)| (path(from), path(&redirect.to)))
                .collect(),
            fetcher,
            remembered: Mutex::default(),
            refused: Mutex::default(),
            turns: Semaphore::new(build.site.crawl.concurrency),
        })
    }

    /// Where a page is found.
    pub(in crate::run) fn address(&self, page: &PagePath) -> Option<Url> {
        self.addresses
            .get(page)
            .and_then(|path| self.home.join(path).ok())
    }

    /// The hash of what an address holds now.
    pub(in crate::run) async fn hash(&self, address: &str) -> Option<String> {
        let url = Url::parse(address).ok()?;
        if let Some(KnownAddress::Known(record)) = self.place(&url) {
            return Some(record.hash.to_string());
        }
        let answer = self.get(&url).await?;
        Some(blake3::hash(&answer.body).to_hex().to_string())
    }

    /// What pages wanted of others and did not get.
    pub(in crate::run) fn notice(&self) -> Option<String> {
        let refused = lock(&self.refused);
        let named: Vec<&str> = refused.iter().take(NAMED).map(String::as_str).collect();
        let more = refused.len().saturating_sub(NAMED);
        let more = if more > 0 {
            format!(" and {more} more")
        } else {
            String::new()
        };
        (!named.is_empty()).then(|| {
            format!(
                "the browser was refused requests to other hosts: {}{more}; texts that depend on them were not found",
                named.join(", ")
            )
        })
    }

    /// What the crawl knows of an address.
    fn place(&self, url: &Url) -> Option<KnownAddress<'_>> {
        if url.origin() != self.home.origin() {
            return None;
        }
        let asked = PagePath::of_url(url);
        let path = asked.path();
        let asked = asked.as_str();
        let known = |path: &str| {
            self.places
                .get(path)
                .map(|(_, record)| KnownAddress::Known(record))
        };
        let leads = |path: &str| {
            self.redirects
                .get(path)
                .map(|to| KnownAddress::Elsewhere(to.clone()))
        };
        let folder = format!("{path}/");
        // A folder has one file for all queries, a server on the web has not.
        let is_one = self.fetcher.is_none() || url.query().is_none();
        known(asked)
            .or_else(|| leads(asked))
            .or_else(|| is_one.then(|| known(path)).flatten())
            .or_else(|| known(&format!("{path}.html")))
            .or_else(|| {
                self.places
                    .contains_key(&folder)
                    .then_some(KnownAddress::Elsewhere(folder))
            })
    }

    async fn known(&self, record: &SourceRecord) -> Option<OriginAnswer> {
        let body = sources::read_source(self.build, record)
            .await
            .ok()
            .flatten()?;
        let charset = record
            .charset
            .as_ref()
            .map(|charset| format!("; charset={charset}"))
            .unwrap_or_default();
        let content_type = format!("{}{charset}", record.content_type);
        Some(OriginAnswer {
            status: 200,
            content_type,
            location: None,
            body,
        })
    }

    /// What the site's own host says.
    async fn fetched(&self, fetcher: &Fetcher, url: &Url) -> Option<OriginAnswer> {
        if let Some(answer) = lock(&self.remembered).answers.get(url) {
            return answer.clone();
        }
        let _turn = self.turns.acquire().await.ok()?;
        let answer = match fetcher.fetch(url).await {
            Ok(fetched) => Some(answer(fetched)),
            Err(FetchError::Status { status, .. }) => Some(empty(status)),
            Err(_) => None,
        };
        let mut remembered = lock(&self.remembered);
        let size = answer.as_ref().map_or(0, |answer| answer.body.len());
        if size <= REMEMBERED.0 && remembered.bytes + size <= REMEMBERED.1 {
            remembered.bytes += size;
            remembered.answers.insert(url.clone(), answer.clone());
        }
        answer
    }

    /// What a folder's server says where nothing is.
    async fn missing(&self) -> OriginAnswer {
        let errors = self
            .places
            .values()
            .find(|(page, _)| page.as_str() == "/404.html" || page.as_str() == "/404");
        let page = match errors.filter(|(_, record)| record.kind == SourceKind::Page) {
            Some((_, record)) => self.known(record).await,
            None => None,
        };
        page.map_or_else(
            || empty(404),
            |page| OriginAnswer {
                status: 404,
                ..page
            },
        )
    }
}

/// What is known of an address.
enum KnownAddress<'p> {
    Known(&'p SourceRecord),
    /// It redirects to a path.
    Elsewhere(String),
}

impl PageOrigin for SiteOrigin<'_> {
    fn has(&self, url: &Url) -> bool {
        url.origin() == self.home.origin()
    }

    async fn get(&self, url: &Url) -> Option<OriginAnswer> {
        if url.origin() != self.home.origin() {
            if let HostOrigin::Tuple(_, host, _) = url.origin() {
                lock(&self.refused).insert(host.to_string());
            }
            return None;
        }
        let path = PagePath::of_url(url);
        if !self.build.site.paths.allows_file(&path) && !self.build.site.paths.allows_page(&path) {
            return None;
        }
        match (self.place(url), &self.fetcher) {
            (Some(KnownAddress::Known(record)), _) => self.known(record).await,
            (Some(KnownAddress::Elsewhere(path)), _) => Some(OriginAnswer {
                location: Some(path),
                ..empty(301)
            }),
            (None, Some(fetcher)) => self.fetched(fetcher, url).await,
            (None, None) => Some(self.missing().await),
        }
    }
}

fn answer(fetched: Fetched) -> OriginAnswer {
    let charset = fetched
        .charset
        .map(|charset| format!("; charset={charset}"))
        .unwrap_or_default();
    let content_type = fetched
        .content_type
        .unwrap_or_else(|| "application/octet-stream".to_owned())
        + &charset;
    let location = fetched.location.map(String::from);
    OriginAnswer {
        status: fetched.status,
        content_type,
        location,
        body: fetched.body,
    }
}

fn empty(status: u16) -> OriginAnswer {
    OriginAnswer {
        status,
        content_type: "text/plain".to_owned(),
        location: None,
        body: Bytes::new(),
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
