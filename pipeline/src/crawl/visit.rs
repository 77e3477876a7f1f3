//! One address: fetch it, send what it holds, and say what it links to.

use std::sync::{Mutex, PoisonError};

use tokio::sync::mpsc::Sender;
use url::Url;

use super::frontier::{Entry, Outcome};
use super::robots::Tags;
use super::scope::{self, Role, Scope, Verdict};
use super::spared::Spared;
use super::{Failure, KnownAnswers, Redirect, Resource, css, media};
use crate::model::{PagePath, SourceKind};
use crate::net::{FetchError, Fetched, Fetcher};
use crate::page::{self, Format, PageLinks};
use crate::threads::on_thread;

/// Bodies up to this size are searched for links where they are; larger ones move to the threads of a build.
const SMALL: usize = 16 << 10;

/// Fetches addresses and sends what they hold.
pub(super) struct Visitor {
    pub(super) fetcher: Fetcher,
    pub(super) scope: Scope,
    pub(super) user_agent: String,
    pub(super) sink: Sender<Resource>,
    /// What servers said of what is known.
    pub(super) known: KnownAnswers,
    /// Pages that are taken as they are known, without a question.
    pub(super) spared: Spared,
    /// What the start page answered when the site was looked at; used once, so that it is not fetched twice.
    pub(super) first: Mutex<Option<(Url, Result<Fetched, FetchError>)>>,
}

/// Whoever takes the resources has gone.
pub(super) struct Closed;

impl Visitor {
    pub(super) async fn visit(&self, entry: &Entry) -> Result<Outcome, Closed> {
        let target = &entry.target;
        let mut fetched = match self.fetch(&target.path, &target.url).await {
            Ok(fetched) => fetched,
            Err(error) => return Ok(failed(&target.path, &error)),
        };
        let mut hops = entry.hops;
        // A redirect to the same path is one page that wants a query or a cookie-free second try.
        while let Some(next) = fetched.location.clone() {
            hops += 1;
            if hops > self.fetcher.max_redirects() {
                return Ok(failed(&target.path, &FetchError::TooManyRedirects(self.fetcher.max_redirects())));
            }
            if next.origin() != target.url.origin()
                || self.scope.path(&next, target.role) != target.path
                || next == fetched.url
            {
                return Ok(self.redirected(entry, &fetched, &next, hops));
            }
            fetched = match self.known.fetch(&self.fetcher, &target.path, &next).await {
                Ok(fetched) => fetched,
                Err(error) => return Ok(failed(&target.path, &error)),
            };
        }
        self.deliver(entry, fetched).await
    }

    async fn fetch(&self, path: &PagePath, url: &Url) -> Result<Fetched, FetchError> {
        let first = self.first.lock().unwrap_or_else(PoisonError::into_inner).take_if(|(known, _)| known == url);
        if let Some((_, answer)) = first {
            return answer;
        }
        match self.spared.kept(&self.known, path, url).await {
            Some(kept) => Ok(kept),
            None => self.known.fetch(&self.fetcher, path, url).await,
        }
    }

    fn redirected(&self, entry: &Entry, fetched: &Fetched, next: &Url, hops: usize) -> Outcome {
        let from = entry.target.path.clone();
        match self.scope.judge(next, entry.target.role) {
            Verdict::Take(target) => Outcome {
                redirect: Some(Redirect { from, to: target.path.clone(), status: fetched.status }),
                found: vec![Entry { target, hops, send: true }],
                ..Outcome::default()
            },
            Verdict::Excluded(_) | Verdict::Outside => Outcome { excluded: vec![from], ..Outcome::default() },
        }
    }

    /// Sends a page or file and collects its links.
    async fn deliver(&self, entry: &Entry, fetched: Fetched) -> Result<Outcome, Closed> {
        let target = &entry.target;
        let is_page = match &fetched.content_type {
            Some(content_type) => media::is_page(content_type),
            None => media::looks_like_page(&fetched.body),
        };
        let content_type = match &fetched.content_type {
            Some(content_type) => content_type.clone(),
            None if is_page => String::from("text/html"),
            None => media::by_ending(target.path.path()).unwrap_or(media::UNKNOWN).to_owned(),
        };
        let kind = match is_page && target.role == Role::Page {
            true => SourceKind::Page,
            false => media::kind_of_file(&content_type, target.path.path(), &fetched.body),
        };
        let tags = Tags::parse(&fetched.robots_tags, &self.user_agent);
        let (head, sent) = match fetched.known.as_deref() {
            Some(known) => (Some(known.head.clone()), Some(known.sent)),
            None => (fetched.head().kept(), None),
        };
        let mut outcome = Outcome::default();
        let mut noindex = tags.noindex;
        match kind {
            SourceKind::Page => match find_links(&fetched, media::format_of_page(&content_type)).await {
                Ok(links) => {
                    noindex |= links.noindex;
                    self.collect_links(&fetched.url, &links, tags.nofollow, &mut outcome);
                }
                Err(reason) => outcome.failures.push(Failure { path: target.path.clone(), code: "unknown", reason }),
            },
            SourceKind::File if content_type == "text/css" => {
                let addresses = css::addresses(&fetched.body);
                addresses.iter().for_each(|address| self.collect(&fetched.url, address, Role::File, &mut outcome));
            }
            SourceKind::Document | SourceKind::File => {}
        }
        if entry.send {
            let is_sent_page = kind == SourceKind::Page;
            let resource = Resource {
                path: target.path.clone(),
                policies: if is_sent_page { fetched.policies } else { Vec::new() },
                kind,
                content_type,
                charset: fetched.charset,
                body: fetched.body,
                noindex,
                etag: fetched.etag,
                last_modified: fetched.last_modified,
                head,
                sent,
            };
            self.sink.send(resource).await.map_err(|_| Closed)?;
            outcome.sent = Some(kind);
        } else {
            outcome.excluded.push(target.path.clone());
        }
        Ok(outcome)
    }

    fn collect_links(&self, page: &Url, links: &PageLinks, nofollow: bool, outcome: &mut Outcome) {
        let base = links.base.as_deref().and_then(|base| page.join(base.trim()).ok());
        let base = base.filter(|base| !base.cannot_be_a_base()).unwrap_or_else(|| page.clone());
        for link in &links.links {
            let Some(role) = scope::role(link) else { continue };
            if role == Role::Page && (nofollow || links.nofollow) && link.element != "iframe" {
                continue;
            }
            if link.attribute == "style" {
                self.collect(&base, &css::unescape(&link.address), role, outcome);
            } else {
                self.collect(&base, &link.address, role, outcome);
            }
        }
    }

    fn collect(&self, base: &Url, address: &str, role: Role, outcome: &mut Outcome) {
        let Ok(url) = base.join(address) else { return };
        match self.scope.judge(&url, role) {
            Verdict::Take(target) => outcome.found.push(Entry { target, hops: 0, send: true }),
            Verdict::Excluded(path) => outcome.excluded.push(path),
            Verdict::Outside => {}
        }
    }
}

async fn find_links(fetched: &Fetched, format: Format) -> Result<PageLinks, String> {
    if fetched.body.len() <= SMALL {
        return Ok(page::find_links(format, &fetched.body, fetched.charset.as_deref()));
    }
    let (body, charset) = (fetched.body.clone(), fetched.charset.clone());
    let search = on_thread(move || page::find_links(format, &body, charset.as_deref()));
    search.await.map_err(|error| format!("its links could not be read: {error}"))
}

fn failed(path: &PagePath, error: &FetchError) -> Outcome {
    let failure = Failure { path: path.clone(), code: error.code(), reason: error.to_string() };
    Outcome { failures: vec![failure], ..Outcome::default() }
}
