//! Crawling over HTTP. spider is the scheduler: it decides what runs when, with how many at a time and which pause.
//!
//! Everything else is ours, because spider's own path bends results and loses pages: it treats addresses that differ
//! in case as one, sends `&amp;` as written, drops links by ending, and hands pages out through a channel that
//! forgets. So spider never sees an address of the site. It is given tickets, `http://crawl.invalid/17`, through its
//! hook for fetching, and for each the links that are to be fetched next; what they mean is in the
//! [`Frontier`]. Nothing that spider could rewrite, compare or drop is in a ticket, and none of its own
//! requests could reach anything. Should it ever end early, it is started again with what is left.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use spider::fetch_engine::{EngineError, EngineRequest, EngineResponse, HttpFetchEngine};
use spider::website::Website;
use tokio::sync::mpsc::Sender;
use url::Url;

use super::fetch::Fetcher;
use super::frontier::Frontier;
use super::preflight;
use super::visit::Visitor;
use super::{CrawlError, CrawlOptions, Crawled, Resource};
use crate::model::PagePath;

/// Where tickets live: a name that never resolves.
const TICKETS: &str = "http://crawl.invalid/";

/// Crawls a site.
pub(super) async fn crawl(
    start: &Url,
    options: &CrawlOptions,
    fetcher: Fetcher,
    sink: Sender<Resource>,
) -> Result<Crawled, CrawlError> {
    let look = preflight::look(start, options, fetcher).await?;
    let mut frontier = Frontier::new(options.max_pages);
    frontier.record(0, look.outcome);
    let visitor = Visitor {
        fetcher: look.fetcher,
        scope: look.scope,
        user_agent: options.fetch.user_agent.clone(),
        sink,
        first: Mutex::new(Some((look.start.clone(), look.answer))),
    };
    let crawl = Arc::new(Crawl { visitor, state: Mutex::new(State { frontier, stopped: false }) });
    crawl.run(options).await?;
    let crawled = std::mem::replace(&mut crawl.state().frontier, Frontier::new(0)).finish();
    if crawled.pages + crawled.files > 0 {
        return Ok(crawled);
    }
    let start_path = PagePath::of_url(&look.start);
    Err(match crawled.failures.into_iter().find(|failure| failure.path == start_path) {
        Some(failure) => CrawlError::Unreachable { url: look.start, code: failure.code, reason: failure.reason },
        None => CrawlError::Nothing { source_name: look.start.into(), excluded: crawled.excluded },
    })
}

struct Crawl {
    visitor: Visitor,
    state: Mutex<State>,
}

struct State {
    frontier: Frontier,
    /// Whoever takes the resources has gone.
    stopped: bool,
}

impl Crawl {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets spider work off the frontier; starts it again as long as that leads on.
    async fn run(self: &Arc<Self>, options: &CrawlOptions) -> Result<(), CrawlError> {
        let mut left_before = usize::MAX;
        for round in 0u64.. {
            let mut website = Website::new(&format!("{TICKETS}start-{round}"));
            website
                .with_concurrency_limit(Some(options.concurrency.max(1)))
                .with_delay(u64::try_from(options.delay.as_millis()).unwrap_or(u64::MAX))
                .with_ignore_sitemap(true)
                .with_full_resources(true)
                .with_no_control_thread(true)
                .with_retry(0)
                .with_fetch_engine(Engine(Arc::clone(self)));
            Box::pin(website.crawl()).await;
            let mut state = self.state();
            if state.stopped {
                return Err(CrawlError::Stopped);
            }
            state.frontier.give_up_running();
            let left = state.frontier.tickets().len();
            if left == 0 {
                break;
            }
            if left >= left_before {
                return Err(CrawlError::Unfinished { left });
            }
            left_before = left;
        }
        Ok(())
    }

    /// Works on a ticket and gives back those that come next: all of a batch, when the one before it is done.
    async fn work(&self, ticket: Option<u64>) -> Vec<u64> {
        let Some(ticket) = ticket else { return self.state().frontier.tickets() };
        let Some(entry) = self.state().frontier.take(ticket) else { return Vec::new() };
        let outcome = self.visitor.visit(&entry).await;
        let mut state = self.state();
        match outcome {
            Ok(outcome) if !state.stopped => {
                state.frontier.record(ticket, outcome);
                if state.frontier.batch_is_done() { state.frontier.tickets() } else { Vec::new() }
            }
            Ok(_) | Err(_) => {
                state.stopped = true;
                Vec::new()
            }
        }
    }
}

/// What spider calls instead of fetching.
struct Engine(Arc<Crawl>);

#[async_trait]
impl HttpFetchEngine for Engine {
    async fn fetch(&self, request: EngineRequest<'_>) -> Result<EngineResponse, EngineError> {
        let ticket = request.url.strip_prefix(TICKETS).and_then(|name| name.parse().ok());
        let tickets = self.0.work(ticket).await;
        Ok(EngineResponse { body: link_document(&tickets), served: true, ..EngineResponse::default() })
    }
}

/// A document that links to tickets. It is never empty, because spider takes an empty answer for a failed one.
fn link_document(tickets: &[u64]) -> Vec<u8> {
    let links: String = tickets.iter().map(|ticket| format!("<a href=\"{TICKETS}{ticket}\"></a>")).collect();
    format!("<html><body>x{links}</body></html>").into_bytes()
}
