//! What is found out about a site before its pages are fetched: its robots.txt, where it lives, its sitemaps.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use url::Url;

use super::collector::Collector;
use super::entry::{FrontierEntry, NamedBy};
use super::frontier::AddressOutcome;
use super::lastmod::{self, Dates};
use super::robots::{self, Robots};
use super::room::AddressBudget;
use super::scope::{CrawlScope, LinkRole};
use super::sitemap::{self, ListedPage, MOST_SITEMAPS, SitemapItem};
use super::{CrawlError, CrawlFailure, CrawlOptions};
use crate::model::{PagePath, SitemapEntry, SourceSitemaps};
use crate::net::{FetchError, Fetched, Fetcher, OversizePolicy};
use crate::threads::on_thread;

/// How often the start page may move between `http`, `https` and `www` before we stop believing it.
const MAX_MOVES: usize = 4;

/// What was found out.
pub(super) struct Preflight {
    /// The start page, on the origin on which the site really lives.
    pub(super) start: Url,
    pub(super) fetcher: Fetcher,
    pub(super) scope: Arc<CrawlScope>,
    /// What the start page answered.
    pub(super) answer: Result<Fetched, FetchError>,
    /// The start page and what the sitemaps list, as if a page had linked to them.
    pub(super) outcome: AddressOutcome,
    /// What the sitemaps say of changes, where that is asked and can tell.
    pub(super) lastmods: BTreeMap<PagePath, String>,
    /// The pages that the sitemaps name, and what they say of them.
    pub(super) sitemaps: SourceSitemaps,
}

/// Looks at a site.
pub(super) async fn look(
    start: &Url,
    options: &CrawlOptions,
    fetcher: Fetcher,
) -> Result<Preflight, CrawlError> {
    let mut start = start.clone();
    start.set_fragment(None);
    start.set_query(None);
    for _ in 0..=MAX_MOVES {
        let robots = fetch_robots(&start, options, &fetcher).await?;
        let listed = robots.sitemaps.clone();
        let scope = Arc::new(CrawlScope::new(&start, options, robots));
        if !scope.robots_allow(&start) {
            return Err(CrawlError::Forbidden {
                url: start.into(),
                agent: options.fetch.user_agent.clone(),
            });
        }
        let answer = fetcher.fetch(&start).await;
        if let Some(target) = answer
            .as_ref()
            .ok()
            .and_then(|fetched| fetched.location.as_ref())
            && target.origin() != start.origin()
        {
            start = moved(&start, target)?;
            continue;
        }
        let begun = options.sitemaps.as_ref().map(|sitemaps| sitemaps.begun);
        let sitemaps = PreflightSitemaps::new(&start, &scope, options, begun);
        let SitemapListing {
            outcome,
            dates,
            said,
        } = sitemaps.read(&listed, &fetcher, options.delay).await?;
        let lastmods = dates.settled();
        let mut preflight = Preflight {
            start,
            fetcher,
            scope,
            answer,
            outcome,
            lastmods,
            sitemaps: said,
        };
        preflight.put_start_first();
        return Ok(preflight);
    }
    Err(CrawlError::Unreachable {
        url: start.into(),
        code: "too_many_redirects",
        reason: String::from("it keeps redirecting between http, https and www"),
    })
}

impl Preflight {
    fn put_start_first(&mut self) {
        let path = PagePath::of_url(&self.start);
        let target = super::scope::FetchTarget {
            url: self.start.clone(),
            role: LinkRole::Page,
            path,
            dropped: None,
        };
        let send = self.scope.allows_page(&target.path);
        self.outcome.found.insert(
            0,
            FrontierEntry {
                target,
                hops: 0,
                send,
                named_by: NamedBy::Page,
            },
        );
    }
}

/// The start page on its new origin, where that is the same site: `https` for `http`, with or without `www`.
fn moved(from: &Url, to: &Url) -> Result<Url, CrawlError> {
    let bare = |url: &Url| {
        url.host_str()
            .map(|host| host.strip_prefix("www.").unwrap_or(host).to_owned())
    };
    let downgrade = from.scheme() == "https" && to.scheme() != "https";
    let same_port =
        to.port() == from.port() && (to.port().is_none() || to.scheme() == from.scheme());
    let mut new = to.clone();
    new.set_path(from.path());
    new.set_query(None);
    new.set_fragment(None);
    if bare(from) == bare(to) && same_port && !downgrade && to.username().is_empty() {
        return Ok(new);
    }
    Err(CrawlError::Moved {
        from: from.to_string(),
        to: to.to_string(),
    })
}

pub(super) async fn fetch_robots(
    start: &Url,
    options: &CrawlOptions,
    fetcher: &Fetcher,
) -> Result<Robots, CrawlError> {
    let Ok(url) = start.join("/robots.txt") else {
        let reason = String::from("it is no address of a website");
        return Err(CrawlError::Unreachable {
            url: start.to_string(),
            code: "blocked_host",
            reason,
        });
    };
    match fetcher
        .follow(&url, robots::LIMIT, OversizePolicy::Cut)
        .await
    {
        Ok(fetched) => Ok(Robots::parse(&fetched.body, &options.fetch.user_agent)),
        Err(error) if error.status().is_some_and(|status| status >= 500) => {
            Err(CrawlError::RobotsFailed {
                url: url.into(),
                reason: error.to_string(),
            })
        }
        Err(
            FetchError::Status { .. }
            | FetchError::TooManyRedirects(_)
            | FetchError::BadRedirect(_),
        ) => Ok(Robots::default()),
        Err(
            error @ (FetchError::Timeout { .. }
            | FetchError::Broken(_)
            | FetchError::TooLarge(_)
            | FetchError::KeepsWaiting { .. }),
        ) => Err(CrawlError::RobotsFailed {
            url: url.into(),
            reason: error.to_string(),
        }),
        Err(error) => Err(CrawlError::Unreachable {
            url: start.to_string(),
            code: error.code(),
            reason: error.to_string(),
        }),
    }
}

/// Entries of the sitemaps of a site.
struct SitemapListing {
    outcome: AddressOutcome,
    dates: Dates,
    said: SourceSitemaps,
}

/// The sitemaps of a site, and what they list.
struct PreflightSitemaps {
    start: Url,
    scope: Arc<CrawlScope>,
    /// When the crawl began; nothing where nobody asks what they say of changes.
    begun: Option<SystemTime>,
    dates: Dates,
    /// Sitemaps still to be read. The flag is true if robots.txt or another sitemap names them.
    waiting: VecDeque<(Url, bool)>,
    seen: BTreeSet<Url>,
    found: Collector,
    /// Entries still to be looked at, whether or not they are of this site.
    entries: AddressBudget,
    said: SourceSitemaps,
    /// Room for what is said of pages.
    details: AddressBudget,
    failures: Vec<CrawlFailure>,
}

impl PreflightSitemaps {
    fn new(
        start: &Url,
        scope: &Arc<CrawlScope>,
        options: &CrawlOptions,
        begun: Option<SystemTime>,
    ) -> Self {
        let max_pages = options.max_pages;
        Self {
            start: start.clone(),
            scope: Arc::clone(scope),
            begun,
            dates: Dates::default(),
            waiting: VecDeque::new(),
            seen: BTreeSet::new(),
            found: Collector::new(AddressBudget::for_pages(max_pages)),
            entries: AddressBudget::for_entries(max_pages),
            said: SourceSitemaps::default(),
            details: AddressBudget::for_details(max_pages),
            failures: Vec::new(),
        }
    }

    /// Reads the sitemaps that robots.txt lists and those in the usual places.
    async fn read(
        mut self,
        listed: &[String],
        fetcher: &Fetcher,
        delay: Duration,
    ) -> Result<SitemapListing, CrawlError> {
        let start = self.start.clone();
        for address in listed {
            start
                .join(address)
                .into_iter()
                .for_each(|url| self.want(url, true));
        }
        for address in ["/sitemap.xml", "sitemap.xml"] {
            start
                .join(address)
                .into_iter()
                .for_each(|url| self.want(url, false));
        }
        while let Some((url, named)) = self.waiting.pop_front() {
            tokio::time::sleep(delay).await;
            match fetcher
                .follow(&url, sitemap::LIMIT, OversizePolicy::Refuse)
                .await
            {
                Ok(fetched) => {
                    let mut sitemaps = self;
                    let taken = on_thread(move || {
                        sitemaps.take(&fetched, named);
                        sitemaps
                    });
                    self = taken.await.map_err(|error| CrawlError::Unreachable {
                        url: url.into(),
                        code: "unknown",
                        reason: format!("the sitemap could not be read: {error}"),
                    })?;
                }
                Err(error) => {
                    // Most sites have no sitemap in the usual places.
                    self.said.is_partial |=
                        !matches!(error.code(), FetchError::NOT_FOUND | FetchError::GONE)
                            && (named || error.status().is_none_or(|status| status >= 500));
                    if named {
                        self.failures
                            .push(failure(&url, error.code(), error.to_string()));
                    }
                }
            }
            if self.found.is_full() {
                self.said.is_partial = true;
                break;
            }
        }
        let outcome = AddressOutcome {
            failures: self.failures,
            ..self.found.finish()
        };
        Ok(SitemapListing {
            outcome,
            dates: self.dates,
            said: self.said,
        })
    }

    /// Wants a sitemap of the site, once.
    fn want(&mut self, url: Url, named: bool) {
        let url = self.scope.here(&url).into_owned();
        let own = url.origin() == self.start.origin() && self.scope.robots_allow(&url);
        if !own || self.seen.contains(&url) {
            return;
        }
        if self.seen.len() >= MOST_SITEMAPS {
            self.found.cut();
            return;
        }
        self.seen.insert(url.clone());
        self.waiting.push_back((url, named));
    }

    fn take(&mut self, fetched: &Fetched, named: bool) {
        let seen = self
            .begun
            .map(|begun| lastmod::seen(begun, fetched.date.as_deref()));
        let listed = self.said.entries.len();
        let broken = sitemap::read_entries(&fetched.body, |item| {
            if !self.entries.take(0) {
                self.found.cut();
                return ControlFlow::Break(());
            }
            match item {
                SitemapItem::Page(page) => self.take_page(&fetched.url, page, seen),
                SitemapItem::Sitemap(address) => {
                    if let Ok(url) = fetched.url.join(&address) {
                        self.want(url, true);
                    }
                }
            }
            if self.found.is_full() {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        self.said.is_partial |= broken.is_some() && (named || self.said.entries.len() > listed);
        if let Some(reason) = broken.filter(|_| named) {
            self.failures.push(failure(
                &fetched.url,
                "broken_sitemap",
                format!("the sitemap is damaged: {reason}"),
            ));
        }
    }

    fn take_page(&mut self, sitemap: &Url, page: ListedPage, seen: Option<SystemTime>) {
        let Ok(url) = sitemap.join(&page.address) else {
            return;
        };
        let path = self.found.add(self.scope.judge(&url, LinkRole::Page));
        if let (Some(path), Some(seen)) = (&path, seen) {
            self.dates.note(path, page.lastmod.as_deref(), seen);
        }
        let size = page.size_of_details();
        let entry = page.into_entry();
        self.said.lists_pages |= !entry.is_only_news;
        let Some(path) = path else { return };
        match self.details.take(size) {
            true => self.said.note(path, entry),
            false => {
                self.said.note(
                    path,
                    SitemapEntry {
                        is_only_news: entry.is_only_news,
                        ..SitemapEntry::default()
                    },
                );
            }
        }
    }
}

fn failure(url: &Url, code: &'static str, reason: String) -> CrawlFailure {
    CrawlFailure {
        path: PagePath::of_url(url),
        code,
        reason,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_sitemaps_say_is_bounded_by_max_pages_r_s4() {
        let start = Url::parse("https://h.example/").unwrap();
        let options = CrawlOptions {
            max_pages: 0,
            ..CrawlOptions::default()
        };
        let scope = Arc::new(CrawlScope::new(&start, &options, Robots::default()));
        let mut sitemaps = PreflightSitemaps::new(&start, &scope, &options, None);
        let image = format!(
            "<image:image><image:loc>/{}</image:loc></image:image>",
            "x".repeat(50_000)
        );
        let entry = |number: usize| format!("<url><loc>/{number}</loc>{image}</url>");
        let xml: String = (0..100).map(entry).collect();
        sitemap::read_entries(format!("<urlset>{xml}</urlset>").as_bytes(), |item| {
            let SitemapItem::Page(page) = item else {
                return ControlFlow::Break(());
            };
            sitemaps.take_page(&start, page, None);
            ControlFlow::Continue(())
        });
        let entries = &sitemaps.said.entries;
        let kept = entries.values().map(|entry| {
            entry.extensions.len() + entry.images.iter().map(|it| it.len()).sum::<usize>()
        });
        let kept: usize = kept.sum();
        assert!(
            (1 << 20..8 * 1_000 * 256 + 100_000).contains(&kept),
            "{kept}"
        );
        // Pages that nothing more is kept of are listed all the same.
        assert_eq!(entries.len(), 100);
    }

    #[test]
    fn a_site_may_move_to_https_and_www_but_not_elsewhere() {
        for (from, to, new) in [
            (
                "http://a.example/docs/",
                "https://a.example/",
                Some("https://a.example/docs/"),
            ),
            (
                "https://a.example/",
                "https://www.a.example/home?x",
                Some("https://www.a.example/"),
            ),
            (
                "http://www.a.example/",
                "https://a.example/",
                Some("https://a.example/"),
            ),
            ("https://a.example/", "http://a.example/", None),
            ("http://a.example/", "https://b.example/", None),
            ("http://a.example/", "http://evil.a.example/", None),
            ("http://127.0.0.1:8000/", "http://127.0.0.1:8001/", None),
            ("http://a.example/", "http://a.example:8080/", None),
        ] {
            let given = moved(&Url::parse(from).unwrap(), &Url::parse(to).unwrap()).ok();
            assert_eq!(given.as_ref().map(Url::as_str), new, "{from} to {to}");
        }
    }
}
