//! One address: fetch it, send what it holds, and say what it links to.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Semaphore;
use tokio::sync::mpsc::Sender;
use url::Url;

use super::collector::Collector;
use super::echo;
use super::entry::{FrontierEntry, NamedBy};
use super::frontier::AddressOutcome;
use super::proof::is_proof;
use super::robots::{self, Tags};
use super::room::{AddressBudget, LONGEST_ADDRESS};
use super::scope::{self, CrawlScope, LinkRole, ScopeVerdict};
use super::spared::Spared;
use super::{CrawlFailure, CrawlRedirect, KnownAnswers, Resource, css, media, script_links};
use crate::model::{AddressForms, LinkHeader, PagePath, SourceKind, added_rtl_sheet, rtl_sheets};
use crate::net::{FetchError, Fetched, Fetcher};
use crate::page::{self, FoundLink, PageFormat, PageLinks};
use crate::threads::on_thread;

/// Bodies up to this size are searched for links where they are; larger ones move to the threads of a build.
const SMALL: usize = 16 << 10;

/// Bodies above this size are searched one at a time: the search takes some ten times their size.
const LARGE: usize = 1 << 20;

/// Fetches addresses and sends what they hold.
pub(super) struct Visitor {
    pub(super) fetcher: Fetcher,
    pub(super) scope: Arc<CrawlScope>,
    /// Room for what one page or style sheet names.
    pub(super) room: AddressBudget,
    /// Turn for searching a large body.
    pub(super) large: Semaphore,
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
pub(super) struct ReceiverClosed;

impl Visitor {
    pub(super) async fn visit(
        &self,
        entry: &FrontierEntry,
    ) -> Result<AddressOutcome, ReceiverClosed> {
        let target = &entry.target;
        let mut fetched = match self.fetch(&target.path, &target.url).await {
            Ok(fetched) => fetched,
            Err(error) => return Ok(self.failed(entry, &error)),
        };
        let mut hops = entry.hops;
        // A redirect to the same path is one page that wants a query or a cookie-free second try.
        while let Some(next) = fetched.location.clone() {
            hops += 1;
            if hops > self.fetcher.max_redirects() {
                return Ok(self.failed(
                    entry,
                    &FetchError::TooManyRedirects(self.fetcher.max_redirects()),
                ));
            }
            if next.origin() != target.url.origin()
                || self.scope.path(&next, target.role) != target.path
                || next == fetched.url
            {
                return Ok(self.redirected(entry, &fetched, &next, hops));
            }
            fetched = match self.known.fetch(&self.fetcher, &target.path, &next).await {
                Ok(fetched) => fetched,
                Err(error) => return Ok(self.failed(entry, &error)),
            };
        }
        self.deliver(entry, fetched).await
    }

    async fn fetch(&self, path: &PagePath, url: &Url) -> Result<Fetched, FetchError> {
        let first = self
            .first
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take_if(|(known, _)| known == url);
        if let Some((_, answer)) = first {
            return answer;
        }
        match self.spared.kept(&self.known, path, url).await {
            Some(kept) => Ok(kept),
            None => self.known.fetch(&self.fetcher, path, url).await,
        }
    }

    fn failed(&self, entry: &FrontierEntry, error: &FetchError) -> AddressOutcome {
        let code = error.code();
        if code == FetchError::NOT_FOUND || code == FetchError::GONE {
            if entry.named_by > NamedBy::Page {
                return missing(entry);
            }
            if self.scope.may_be_version(&entry.target.path) {
                return AddressOutcome::default();
            }
        }
        let failure = CrawlFailure {
            path: entry.target.path.clone(),
            code,
            reason: error.to_string(),
        };
        AddressOutcome {
            failures: vec![failure],
            ..AddressOutcome::default()
        }
    }

    fn redirected(
        &self,
        entry: &FrontierEntry,
        fetched: &Fetched,
        next: &Url,
        hops: usize,
    ) -> AddressOutcome {
        let from = entry.target.path.clone();
        match self.scope.judge(next, entry.target.role) {
            ScopeVerdict::Take(target) => AddressOutcome {
                redirect: Some(CrawlRedirect {
                    from,
                    to: target.path.clone(),
                    status: fetched.status,
                }),
                found: vec![FrontierEntry {
                    target,
                    hops,
                    send: true,
                    named_by: entry.named_by,
                }],
                ..AddressOutcome::default()
            },
            ScopeVerdict::Excluded(_) | ScopeVerdict::Outside => AddressOutcome {
                excluded: vec![from],
                ..AddressOutcome::default()
            },
        }
    }

    /// Sends a page or file and collects its links.
    #[expect(
        clippy::too_many_lines,
        reason = "one arm for each answer of an origin"
    )]
    async fn deliver(
        &self,
        entry: &FrontierEntry,
        fetched: Fetched,
    ) -> Result<AddressOutcome, ReceiverClosed> {
        let target = &entry.target;
        let is_page = match &fetched.content_type {
            Some(content_type) => media::is_page(content_type),
            None => media::looks_like_page(&fetched.body),
        };
        // Servers of one-page applications answer every address with their page, which is no module and no data.
        if is_page && entry.named_by > NamedBy::Page && target.role == LinkRole::File {
            return Ok(missing(entry));
        }
        let content_type = match &fetched.content_type {
            Some(content_type) => content_type.clone(),
            None if is_page => String::from("text/html"),
            None => media::by_ending(target.path.path())
                .unwrap_or(media::UNKNOWN)
                .to_owned(),
        };
        let kind = match is_page && target.role == LinkRole::Page {
            true => SourceKind::Page,
            false => media::kind_of_file(&content_type, target.path.path(), &fetched.body),
        };
        let tags = Tags::parse(&fetched.robots_tags, &self.user_agent);
        let (head, sent) = match fetched.known.as_deref() {
            Some(known) => (Some(known.head.clone()), Some(known.sent)),
            None => (fetched.head().kept(), None),
        };
        let searched = match kind {
            SourceKind::Page => {
                let format = media::format_of_page(&content_type);
                self.search(
                    &fetched,
                    SearchedBody::Page {
                        format,
                        nofollow: tags.nofollow,
                    },
                )
                .await
            }
            SourceKind::Document => Ok((PageLinks::default(), AddressOutcome::default())),
            SourceKind::File => match SearchedBody::of_file(&content_type, target.path.path()) {
                Some(search) => self.search(&fetched, search).await,
                None => Ok((PageLinks::default(), AddressOutcome::default())),
            },
        };
        let (
            PageLinks {
                noindex: says_noindex,
                form,
                frames,
                canonical,
                ..
            },
            mut outcome,
        ) = match searched {
            Ok(searched) => searched,
            Err(reason) => (
                PageLinks::default(),
                AddressOutcome {
                    failures: vec![CrawlFailure {
                        path: target.path.clone(),
                        code: "unknown",
                        reason,
                    }],
                    ..AddressOutcome::default()
                },
            ),
        };
        let noindex = tags.noindex || says_noindex;
        let kind = match kind {
            SourceKind::Page if is_proof(target.path.path(), &form) => SourceKind::File,
            kind => kind,
        };
        if entry.send {
            let is_sent_page = kind == SourceKind::Page;
            let resource = Resource {
                path: target.path.clone(),
                policies: if is_sent_page {
                    fetched.policies
                } else {
                    Vec::new()
                },
                kind,
                content_type,
                charset: fetched.charset,
                body: fetched.body,
                noindex,
                fragment: is_sent_page && form.is_fragment,
                frames: if is_sent_page { frames } else { Vec::new() },
                addresses: canonical
                    .map(|address| canonical_form(&target.path, &address))
                    .unwrap_or_default(),
                robots: robots::header(&fetched.robots_tags),
                links: LinkHeader::read(&fetched.links),
                etag: fetched.etag,
                last_modified: fetched.last_modified,
                head,
                sent,
            };
            // A page under such an address is none of its own unless `query` says so.
            if entry.named_by == NamedBy::Retry
                && (is_page || media::is_page(&resource.content_type))
            {
                return Ok(AddressOutcome::default());
            }
            if is_sent_page {
                outcome.print = Some(echo::print(&target.path, &resource.body));
            } else if target.path.query().is_some() {
                outcome.print = Some(echo::print_of_file(&resource.body));
            }
            self.sink.send(resource).await.map_err(|_| ReceiverClosed)?;
            outcome.sent = Some(kind);
        } else {
            outcome.excluded.push(target.path.clone());
        }
        Ok(outcome)
    }

    /// Searches a body for addresses, and for what a page says beside them.
    async fn search(
        &self,
        fetched: &Fetched,
        search: SearchedBody,
    ) -> Result<(PageLinks, AddressOutcome), String> {
        let scope = Arc::clone(&self.scope);
        let room = self.room;
        let Fetched {
            url, body, charset, ..
        } = fetched;
        if body.len() <= SMALL {
            return Ok(search.run(&scope, room, url, body, charset.as_deref()));
        }
        let _turn = match body.len() > LARGE {
            true => self.large.acquire().await.ok(),
            false => None,
        };
        let url = url.clone();
        let body = body.clone();
        let charset = charset.clone();
        let searched = on_thread(move || search.run(&scope, room, &url, &body, charset.as_deref()));
        searched
            .await
            .map_err(|error| format!("its links could not be read: {error}"))
    }
}

/// Kinds of bodies that are searched for addresses.
#[derive(Clone, Copy, Debug)]
enum SearchedBody {
    Page { format: PageFormat, nofollow: bool },
    StyleSheet,
    Program,
    Picture,
}

impl SearchedBody {
    /// How a file is searched. `None` if files of its type name no others.
    fn of_file(content_type: &str, path: &str) -> Option<Self> {
        match content_type {
            "text/css" => Some(Self::StyleSheet),
            "image/svg+xml" => Some(Self::Picture),
            _ if script_links::is_program(content_type, path) => Some(Self::Program),
            _ => None,
        }
    }

    fn run(
        self,
        scope: &CrawlScope,
        room: AddressBudget,
        url: &Url,
        body: &[u8],
        charset: Option<&str>,
    ) -> (PageLinks, AddressOutcome) {
        let mut found = Collector::new(room);
        let head = match self {
            Self::Page { format, nofollow } => {
                let mut base = None;
                page::each_link(format, body, charset, |head, link| {
                    let base = base.get_or_insert_with(|| base_of(head, url));
                    collect_link(scope, base, link, nofollow || head.nofollow, &mut found);
                })
            }
            Self::StyleSheet => {
                css::addresses(body)
                    .iter()
                    .for_each(|address| collect(scope, url, address, &mut found));
                PageLinks::default()
            }
            Self::Program => {
                script_links::collect(scope, url, body, &mut found);
                PageLinks::default()
            }
            Self::Picture => page::each_link(PageFormat::Xhtml, body, charset, |_, link| {
                collect_link(scope, url, link, false, &mut found);
            }),
        };
        (head, found.finish())
    }
}

/// The spelling of the address that a page names as its canonical one.
fn canonical_form(path: &PagePath, address: &str) -> AddressForms {
    let mut forms = AddressForms::default();
    forms.note_canonical(path, address);
    forms
}

fn base_of(head: &PageLinks, page: &Url) -> Url {
    let base = head
        .base
        .as_deref()
        .and_then(|base| page.join(base.trim()).ok());
    base.filter(|base| !base.cannot_be_a_base())
        .unwrap_or_else(|| page.clone())
}

fn collect_link(
    scope: &CrawlScope,
    base: &Url,
    link: &FoundLink,
    nofollow: bool,
    found: &mut Collector,
) {
    let Some(role) = scope::role(link) else {
        return;
    };
    if role == LinkRole::Page && nofollow && link.element != "iframe" {
        return;
    }
    if found.is_full() || link.address.len() > LONGEST_ADDRESS {
        return;
    }
    let named_by = match link.attribute.as_str() {
        "module" | "possible" => NamedBy::Script,
        _ => NamedBy::Page,
    };
    if let Ok(url) = base.join(&link.address) {
        found.add_named_by(scope.judge(&url, role), named_by);
        if scope.asks_for_rtl
            && link.element == "link"
            && link.rel.iter().any(|rel| rel == "stylesheet")
        {
            ask_for_rtl(scope, &url, found);
        }
    }
}

/// Adds the style sheets for right-to-left languages that may lie beside another one (R-S26).
fn ask_for_rtl(scope: &CrawlScope, sheet: &Url, found: &mut Collector) {
    for name in rtl_sheets(sheet.path())
        .into_iter()
        .chain(added_rtl_sheet(sheet.path()))
    {
        let mut url = sheet.clone();
        url.set_path(&name);
        found.add_named_by(scope.judge(&url, LinkRole::File), NamedBy::Guess);
    }
}

fn collect(scope: &CrawlScope, base: &Url, address: &str, found: &mut Collector) {
    if found.is_full() || address.len() > LONGEST_ADDRESS {
        return;
    }
    if let Ok(url) = base.join(address) {
        found.add(scope.judge(&url, LinkRole::File));
    }
}

/// The outcome of an address that only programs name and where there is no file. One that was a guess is nothing to report.
fn missing(entry: &FrontierEntry) -> AddressOutcome {
    let mut outcome = AddressOutcome::default();
    if entry.named_by == NamedBy::Script {
        outcome.unfollowed.missing.insert(entry.target.path.clone());
    }
    outcome
}
