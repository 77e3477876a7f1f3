//! Crawling over HTTP. spider is the scheduler: it decides what runs when, with how many at a time and which pause.
//!
//! Everything else is ours, because spider's own path bends results and loses pages: it treats addresses that differ
//! in case as one, sends `&amp;` as written, drops links by ending, and hands pages out through a channel that
//! forgets. So spider never sees an address of the site. It is given tickets, `http://crawl.invalid/17`, through its
//! hook for fetching; what they mean is in the [`Frontier`]. Nothing that spider could rewrite, compare or drop is in
//! a ticket, and none of its own requests could reach anything. Which address is fetched next is not left to spider either: a
//! ticket of the batch is a place to work in, and who has one takes the lowest address that waits.
//!
//! Its loop (`crawl_concurrent_raw` in 2.53.9) ends as soon as nothing runs and nothing new was found, even where
//! links of the current round are still waiting. So every ticket answers with one link, to the round after this one,
//! which makes sure that something new is always there; that link's answer is the next batch. Should spider end
//! early all the same, it is started again with what is left.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use spider::fetch_engine::{EngineError, EngineRequest, EngineResponse, HttpFetchEngine};
use spider::website::Website;
use tokio::sync::mpsc::Sender;
use tokio::sync::{Notify, Semaphore};
use url::Url;

use super::frontier::{AddressOutcome, Frontier};
use super::preflight;
use super::room::AddressBudget;
use super::spared;
use super::visit::{ReceiverClosed, Visitor};
use super::{CrawlError, CrawlOptions, Crawled, Resource};
use crate::model::PagePath;
use crate::net::Fetcher;

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
    let known = options
        .known
        .among(&PagePath::of_url(&look.start), look.answer.as_ref().ok());
    let (spared, lastmods) = spared::choose(&look, &known, options).await;
    let mut frontier = Frontier::new(options.max_pages);
    frontier.begin(look.outcome);
    let visitor = Visitor {
        fetcher: look.fetcher,
        scope: look.scope,
        room: AddressBudget::for_links(options.max_pages),
        large: Semaphore::new(1),
        user_agent: options.fetch.user_agent.clone(),
        sink,
        known,
        spared,
        first: Mutex::new(Some((look.start.clone(), look.answer))),
    };
    let state = Mutex::new(CrawlState {
        frontier,
        round: 0,
        stopped: false,
    });
    let crawl = Arc::new(Crawl {
        visitor,
        state,
        recorded: Notify::new(),
    });
    crawl.run(options).await?;
    let crawled = std::mem::replace(&mut crawl.state().frontier, Frontier::new(0)).finish();
    let mut crawled = Crawled {
        lastmods,
        sitemaps: look.sitemaps,
        ..crawled
    };
    let robots = crawl.visitor.scope.robots_text();
    if !robots.trim().is_empty() {
        crawled
            .rules
            .insert("robots.txt".to_owned(), robots.to_owned());
    }
    if crawled.pages + crawled.files > 0 {
        return Ok(crawled);
    }
    let start_path = PagePath::of_url(&look.start);
    Err(
        match crawled
            .failures
            .into_iter()
            .find(|failure| failure.path == start_path)
        {
            Some(failure) => CrawlError::Unreachable {
                url: look.start.into(),
                code: failure.code,
                reason: failure.reason,
            },
            None => CrawlError::Nothing {
                source_name: look.start.into(),
                excluded: crawled.excluded,
            },
        },
    )
}

struct Crawl {
    visitor: Visitor,
    state: Mutex<CrawlState>,
    /// Wakes those whose outcomes came early.
    recorded: Notify,
}

struct CrawlState {
    frontier: Frontier,
    /// How many batches were handed out.
    round: u64,
    /// Whoever takes the resources has gone.
    stopped: bool,
}

impl Crawl {
    fn state(&self) -> MutexGuard<'_, CrawlState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets spider work off the frontier; starts it again as long as that leads on.
    async fn run(self: &Arc<Self>, options: &CrawlOptions) -> Result<(), CrawlError> {
        loop {
            let (round, taken_before) = {
                let state = self.state();
                (state.round, state.frontier.taken())
            };
            let mut website = Website::new(&Task::Round(round).address());
            website
                .with_concurrency_limit(Some(options.concurrency.max(1)))
                .with_delay(u64::try_from(options.delay.as_millis()).unwrap_or(u64::MAX))
                .with_ignore_sitemap(true)
                .with_full_resources(true)
                .with_no_control_thread(true)
                .with_retry(0)
                .with_fetch_engine(SpiderEngine(Arc::clone(self)));

            Box::pin(website.crawl()).await;
            let mut state = self.state();
            if state.stopped {
                return Err(CrawlError::Stopped);
            }
            state.frontier.give_up_running();
            let left = state.frontier.tickets().len();
            if left == 0 {
                return Ok(());
            }
            if state.frontier.taken() == taken_before {
                return Err(CrawlError::Unfinished { left });
            }
        }
    }

    /// Does what spider was given to do and says what it is to do next.
    async fn work(&self, task: Task) -> Vec<Task> {
        if let Task::Round(_) = task {
            let mut state = self.state();
            state.round += 1;
            return state
                .frontier
                .tickets()
                .into_iter()
                .map(Task::Ticket)
                .collect();
        }
        let taken = {
            let mut state = self.state();
            if state.stopped {
                None
            } else {
                state.frontier.take()
            }
        };
        if let Some((ticket, entry)) = taken {
            let taken = TakenTicket {
                crawl: self,
                ticket,
            };
            match self.visitor.visit(&entry).await {
                Ok(outcome) => taken.record(outcome).await,
                Err(ReceiverClosed) => self.state().stopped = true,
            }
        }
        let state = self.state();
        if state.stopped {
            Vec::new()
        } else {
            vec![Task::Round(state.round)]
        }
    }
}

/// A ticket that is worked on. Others wait for its outcome, so it is given up where there is none.
struct TakenTicket<'c> {
    crawl: &'c Crawl,
    ticket: u64,
}

impl TakenTicket<'_> {
    /// Records what came of it, as soon as there is room.
    async fn record(self, outcome: AddressOutcome) {
        loop {
            // Made before looking, or a change in between is missed.
            let recorded = self.crawl.recorded.notified();
            {
                let mut state = self.crawl.state();
                if state.stopped || state.frontier.has_room(self.ticket, &outcome) {
                    state.frontier.record(self.ticket, outcome);
                    return;
                }
            }
            recorded.await;
        }
    }
}

impl Drop for TakenTicket<'_> {
    fn drop(&mut self) {
        self.crawl.state().frontier.give_up(self.ticket);
        self.crawl.recorded.notify_waiters();
    }
}

/// What spider is given in place of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Task {
    /// Hand out the next batch.
    Round(u64),
    /// Fetch what the ticket stands for.
    Ticket(u64),
}

impl Task {
    fn address(self) -> String {
        match self {
            Self::Round(number) => format!("{TICKETS}round-{number}"),
            Self::Ticket(number) => format!("{TICKETS}{number}"),
        }
    }

    fn parse(address: &str) -> Option<Self> {
        let name = address.strip_prefix(TICKETS)?;
        match name.strip_prefix("round-") {
            Some(number) => number.parse().ok().map(Self::Round),
            None => name.parse().ok().map(Self::Ticket),
        }
    }
}

/// What spider calls instead of fetching.
struct SpiderEngine(Arc<Crawl>);

#[async_trait]
impl HttpFetchEngine for SpiderEngine {
    async fn fetch(&self, request: EngineRequest<'_>) -> Result<EngineResponse, EngineError> {
        let Some(task) = Task::parse(request.url) else {
            return Err(EngineError::Request);
        };
        let body = link_document(&self.0.work(task).await);
        Ok(EngineResponse {
            body,
            served: true,
            ..EngineResponse::default()
        })
    }
}

/// A document that links to tasks. It is never empty, because spider takes an empty answer for a failed one.
fn link_document(tasks: &[Task]) -> Vec<u8> {
    let links: String = tasks
        .iter()
        .map(|task| format!("<a href=\"{}\"></a>", task.address()))
        .collect();
    format!("<html><body>x{links}</body></html>").into_bytes()
}
