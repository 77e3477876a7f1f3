//! What is found out about a site before its pages are fetched: its robots.txt, where it lives, its sitemaps.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::{Duration, SystemTime};

use url::Url;

use super::frontier::{Entry, Outcome};
use super::lastmod::{self, Dates};
use super::robots::{self, Robots};
use super::scope::{Role, Scope, Verdict};
use super::{CrawlError, CrawlOptions, Failure, sitemap};
use crate::model::PagePath;
use crate::net::{Excess, FetchError, Fetched, Fetcher};

/// How many sitemaps are read.
const MAX_SITEMAPS: usize = 500;

/// How often the start page may move between `http`, `https` and `www` before we stop believing it.
const MAX_MOVES: usize = 4;

/// What was found out.
pub(super) struct Preflight {
    /// The start page, on the origin on which the site really lives.
    pub(super) start: Url,
    pub(super) fetcher: Fetcher,
    pub(super) scope: Scope,
    /// What the start page answered.
    pub(super) answer: Result<Fetched, FetchError>,
    /// The start page and what the sitemaps list, as if a page had linked to them.
    pub(super) outcome: Outcome,
    /// What the sitemaps say of changes, where that is asked and can tell.
    pub(super) lastmods: BTreeMap<PagePath, String>,
}

/// Looks at a site.
pub(super) async fn look(start: &Url, options: &CrawlOptions, fetcher: Fetcher) -> Result<Preflight, CrawlError> {
    let mut start = start.clone();
    start.set_fragment(None);
    start.set_query(None);
    for _ in 0..=MAX_MOVES {
        let robots = fetch_robots(&start, options, &fetcher).await?;
        let listed = robots.sitemaps.clone();
        let scope = Scope::new(&start, options, robots);
        if !scope.robots_allow(&start) {
            return Err(CrawlError::Forbidden { url: start.into(), agent: options.fetch.user_agent.clone() });
        }
        let answer = fetcher.fetch(&start).await;
        if let Some(target) = answer.as_ref().ok().and_then(|fetched| fetched.location.as_ref())
            && target.origin() != start.origin()
        {
            start = moved(&start, target)?;
            continue;
        }
        let begun = options.sitemaps.as_ref().map(|sitemaps| sitemaps.begun);
        let mut sitemaps =
            Sitemaps { fetcher: &fetcher, scope: &scope, delay: options.delay, begun, dates: Dates::default() };
        let outcome = sitemaps.read(&start, &listed).await;
        let lastmods = sitemaps.dates.settled();
        let mut preflight = Preflight { start, fetcher, scope, answer, outcome, lastmods };
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
        let target = super::scope::Target { url: self.start.clone(), role: Role::Page, path };
        let send = self.scope.allows_page(&target.path);
        self.outcome.found.insert(0, Entry { target, hops: 0, send });
    }
}

/// The start page on its new origin, where that is the same site: `https` for `http`, with or without `www`.
fn moved(from: &Url, to: &Url) -> Result<Url, CrawlError> {
    let bare = |url: &Url| url.host_str().map(|host| host.strip_prefix("www.").unwrap_or(host).to_owned());
    let downgrade = from.scheme() == "https" && to.scheme() != "https";
    let same_port = to.port() == from.port() && (to.port().is_none() || to.scheme() == from.scheme());
    let mut new = to.clone();
    new.set_path(from.path());
    new.set_query(None);
    new.set_fragment(None);
    if bare(from) == bare(to) && same_port && !downgrade && to.username().is_empty() {
        return Ok(new);
    }
    Err(CrawlError::Moved { from: from.to_string(), to: to.to_string() })
}

pub(super) async fn fetch_robots(start: &Url, options: &CrawlOptions, fetcher: &Fetcher) -> Result<Robots, CrawlError> {
    let Ok(url) = start.join("/robots.txt") else {
        let reason = String::from("it is no address of a website");
        return Err(CrawlError::Unreachable { url: start.to_string(), code: "blocked_host", reason });
    };
    match fetcher.follow(&url, robots::LIMIT, Excess::Cut).await {
        Ok(fetched) => Ok(Robots::parse(&fetched.body, &options.fetch.user_agent)),
        Err(error) if error.status().is_some_and(|status| status >= 500) => {
            Err(CrawlError::RobotsFailed { url: url.into(), reason: error.to_string() })
        }
        Err(FetchError::Status { .. } | FetchError::TooManyRedirects(_) | FetchError::BadRedirect(_)) => {
            Ok(Robots::default())
        }
        Err(
            error @ (FetchError::Timeout { .. }
            | FetchError::Broken(_)
            | FetchError::TooLarge(_)
            | FetchError::KeepsWaiting { .. }),
        ) => Err(CrawlError::RobotsFailed { url: url.into(), reason: error.to_string() }),
        Err(error) => {
            Err(CrawlError::Unreachable { url: start.to_string(), code: error.code(), reason: error.to_string() })
        }
    }
}

struct Sitemaps<'a> {
    fetcher: &'a Fetcher,
    scope: &'a Scope,
    delay: Duration,
    /// When the crawl began; nothing where nobody asks what they say of changes.
    begun: Option<SystemTime>,
    dates: Dates,
}

impl Sitemaps<'_> {
    /// Reads the sitemaps that robots.txt lists and those in the usual places.
    async fn read(&mut self, start: &Url, listed: &[String]) -> Outcome {
        let mut outcome = Outcome::default();
        let named = listed.iter().filter_map(|address| start.join(address).ok()).map(|url| (url, true));
        let usual = ["/sitemap.xml", "sitemap.xml"].into_iter().filter_map(|name| start.join(name).ok());
        let mut queue: VecDeque<(Url, bool)> = named.chain(usual.map(|url| (url, false))).collect();
        let mut seen = BTreeSet::new();
        while let Some((url, named)) = queue.pop_front() {
            let own = url.origin() == start.origin() && self.scope.robots_allow(&url);
            if !own || seen.len() >= MAX_SITEMAPS || !seen.insert(url.clone()) {
                continue;
            }
            tokio::time::sleep(self.delay).await;
            match self.fetcher.follow(&url, sitemap::LIMIT, Excess::Refuse).await {
                Ok(fetched) => self.take(&fetched, named, &mut queue, &mut outcome),
                Err(error) if named => outcome.failures.push(failure(&url, error.code(), error.to_string())),
                Err(_) => {}
            }
        }
        outcome
    }

    fn take(&mut self, fetched: &Fetched, named: bool, queue: &mut VecDeque<(Url, bool)>, outcome: &mut Outcome) {
        let found = sitemap::parse(&fetched.body);
        if let Some(reason) = found.broken.filter(|_| named) {
            outcome.failures.push(failure(&fetched.url, "broken_sitemap", format!("the sitemap is damaged: {reason}")));
        }
        queue.extend(found.sitemaps.iter().filter_map(|address| fetched.url.join(address).ok()).map(|url| (url, true)));
        let seen = self.begun.map(|begun| lastmod::seen(begun, fetched.date.as_deref()));
        for (url, page) in found.pages.iter().filter_map(|page| Some((fetched.url.join(&page.address).ok()?, page))) {
            match self.scope.judge(&url, Role::Page) {
                Verdict::Take(target) => {
                    seen.into_iter().for_each(|seen| self.dates.note(&target.path, page.lastmod.as_deref(), seen));
                    outcome.found.push(Entry { target, hops: 0, send: true });
                }
                Verdict::Excluded(path) => outcome.excluded.push(path),
                Verdict::Outside => {}
            }
        }
    }
}

fn failure(url: &Url, code: &'static str, reason: String) -> Failure {
    Failure { path: PagePath::of_url(url), code, reason }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_site_may_move_to_https_and_www_but_not_elsewhere() {
        for (from, to, new) in [
            ("http://a.example/docs/", "https://a.example/", Some("https://a.example/docs/")),
            ("https://a.example/", "https://www.a.example/home?x", Some("https://www.a.example/")),
            ("http://www.a.example/", "https://a.example/", Some("https://a.example/")),
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
