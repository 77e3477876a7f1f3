//! Asking for addresses one group at a time, for whoever decides by the answers what to ask next: the audit.
//!
//! The same fetcher as for a crawl, the same obedience to robots.txt, for each origin that is asked. Only the host
//! that the user named may lie in a private network; hosts that pages name may not.

use std::collections::BTreeMap;

use futures::StreamExt as _;
use url::Url;

use super::preflight::fetch_robots;
use super::robots::{Robots, Tags};
use super::room::AddressBudget;
use super::sitemap::{self, Sitemap};
use super::{CrawlError, CrawlOptions, media};
use crate::net::{FetchError, FetchOptions, Fetcher, OversizePolicy};
use crate::page::PageFormat;
use crate::threads::on_thread;

/// Origins asked. A site has one for each language, but pages can name any number.
const MOST_ORIGINS: usize = 200;

/// What became of an address.
#[derive(Clone, Debug)]
pub(crate) enum SurveyReply {
    /// A page.
    Page(SurveyedPage),
    /// Something else that is there.
    File,
    /// It leads elsewhere.
    Redirect(Url),
    /// The origin says that there is nothing.
    Missing,
    /// Nothing can be said: robots.txt forbids it, or the origin does not answer.
    Unknown,
}

/// A page and what the headers said beside it.
#[derive(Clone, Debug)]
pub(crate) struct SurveyedPage {
    pub(crate) body: bytes::Bytes,
    pub(crate) charset: Option<String>,
    pub(crate) format: PageFormat,
    pub(crate) noindex: bool,
    /// The values of the Link headers.
    pub(crate) links: Vec<String>,
}

/// Asks for addresses.
pub(crate) struct Surveyor {
    options: CrawlOptions,
    /// Fetcher that may read a private network at the host and port that the user named.
    fetcher: Fetcher,
    robots: BTreeMap<String, Option<Robots>>,
}

impl Surveyor {
    /// Makes one for a site; fails when its robots.txt cannot be had or keeps everybody out of the first address.
    pub(crate) async fn start(start: &Url, concurrency: usize) -> Result<Self, CrawlError> {
        let options = CrawlOptions {
            concurrency,
            ..CrawlOptions::default()
        };
        let fetcher = Fetcher::for_named(FetchOptions::default(), start)?;
        let robots = fetch_robots(start, &options, &fetcher)
            .await?
            .without_text();
        if !allows(&robots, start) {
            return Err(CrawlError::Forbidden {
                url: start.to_string(),
                agent: options.fetch.user_agent,
            });
        }
        let robots = BTreeMap::from([(origin(start), Some(robots))]);
        Ok(Self {
            options,
            fetcher,
            robots,
        })
    }

    /// The sitemaps that robots.txt of an origin names, as far as it was asked.
    pub(crate) fn sitemaps(&self, url: &Url) -> Vec<String> {
        let robots = self.robots.get(&origin(url)).and_then(Option::as_ref);
        robots
            .map(|robots| robots.sitemaps.clone())
            .unwrap_or_default()
    }

    /// Asks for addresses; the replies come in the order of the addresses.
    pub(crate) async fn ask(&mut self, urls: Vec<Url>) -> Vec<(Url, SurveyReply)> {
        for url in &urls {
            if !self.robots.contains_key(&origin(url)) && self.robots.len() < MOST_ORIGINS {
                let robots = fetch_robots(url, &self.options, &self.fetcher)
                    .await
                    .ok()
                    .map(Robots::without_text);
                self.robots.insert(origin(url), robots);
            }
        }
        let this = &*self;
        let replies = urls.into_iter().map(|url| async move {
            let reply = this.ask_one(&url).await;
            (url, reply)
        });
        futures::stream::iter(replies)
            .buffered(self.options.concurrency.max(1))
            .collect()
            .await
    }

    /// Reads a sitemap as far as there is room for what it lists.
    pub(crate) async fn sitemap(
        &self,
        url: &Url,
        room: &mut AddressBudget,
    ) -> Result<Sitemap, FetchError> {
        let fetched = self
            .fetcher
            .follow(url, sitemap::LIMIT, OversizePolicy::Refuse)
            .await?;
        let mut left = *room;
        let read = on_thread(move || (sitemap::collect(&fetched.body, &mut left), left)).await;
        let (sitemap, left) =
            read.map_err(|error| FetchError::Broken(format!("it could not be read: {error}")))?;
        *room = left;
        Ok(sitemap)
    }

    async fn ask_one(&self, url: &Url) -> SurveyReply {
        if !self
            .robots
            .get(&origin(url))
            .and_then(Option::as_ref)
            .is_some_and(|robots| allows(robots, url))
        {
            return SurveyReply::Unknown;
        }
        let fetched = match self.fetcher.fetch(url).await {
            Ok(fetched) => fetched,
            Err(error) if error.code() == "page_too_large" => return SurveyReply::File,
            Err(FetchError::KeepsWaiting { .. }) => return SurveyReply::Unknown,
            // A site that wants a login or less haste is not a site without the page.
            Err(error) => match error.status() {
                Some(status) if !matches!(status, 401 | 403 | 407 | 408 | 425 | 429) => {
                    return SurveyReply::Missing;
                }
                _ => return SurveyReply::Unknown,
            },
        };
        if let Some(location) = fetched.location {
            return SurveyReply::Redirect(location);
        }
        let is_page = match &fetched.content_type {
            Some(content_type) => media::is_page(content_type),
            None => media::looks_like_page(&fetched.body),
        };
        if !is_page {
            return SurveyReply::File;
        }
        let noindex = Tags::parse(&fetched.robots_tags, &self.options.fetch.user_agent).noindex;
        let format = fetched
            .content_type
            .as_deref()
            .map_or(PageFormat::Html, media::format_of_page);
        let body = fetched.body;
        let charset = fetched.charset;
        let links = fetched.links;
        SurveyReply::Page(SurveyedPage {
            body,
            charset,
            format,
            noindex,
            links,
        })
    }
}

/// Whether the name in an address is that of a file that is no page.
pub(crate) fn names_file(url: &Url) -> bool {
    media::is_file_name(url.path())
}

fn origin(url: &Url) -> String {
    url.origin().ascii_serialization()
}

fn allows(robots: &Robots, url: &Url) -> bool {
    robots.allows(&url[url::Position::BeforePath..url::Position::AfterQuery])
}
