//! One page: loaded, left alone until its scripts are done, and read.

use std::collections::BTreeMap;
use std::mem::replace;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use futures::StreamExt as _;
use futures::future::BoxFuture;
use futures::stream::FuturesUnordered;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout};
use url::{Origin as HostOrigin, Url};

use super::error::BrowserError;
use super::pipe::{BrowserEvent, BrowserPipe};
use super::request::{OriginAnswer, PageOrigin, Paused};
use super::start::Browser;

/// A page is quiet after this long without a change.
const QUIET: Duration = Duration::from_millis(150);
/// But not before this long after its load event: some texts come a moment later.
const FIRST: Duration = Duration::from_millis(600);
/// How long closing a page may take.
const CLOSING: Duration = Duration::from_secs(5);
/// The command that makes room for a page that shares nothing with others.
const CREATE: &str = "Target.createBrowserContext";
/// Most requests of one page.
const REQUESTS: usize = 2_000;

/// What a page may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DrawLimits {
    /// From the load event to the last look at it.
    pub(crate) wait: Duration,
    /// In all.
    pub(crate) total: Duration,
    /// The bytes of what is read.
    pub(crate) bytes: usize,
}

/// A page as its scripts left it.
#[derive(Debug)]
pub(crate) struct Drawing {
    /// Its elements as HTML, open shadow roots as templates among them.
    pub(crate) html: String,
    /// What decided its words: addresses with the hashes (blake3) of what they held.
    pub(crate) loaded: BTreeMap<String, String>,
    /// Whether something that may decide them was not to be had: another time there may be more.
    pub(crate) lacks: bool,
}

/// Waits in a world of its own, where the page's scripts cannot reach it, until nothing changes any more: whether that came
/// about in time (milliseconds).
const SETTLED: &str = "(first, quiet, wait) => new Promise((done) => {
  let timer = setTimeout(done, first, true);
  setTimeout(done, wait, false);
  const start = performance.now();
  const again = () => setTimeout(done, Math.max(quiet, first - (performance.now() - start)), true);
  new MutationObserver(() => { clearTimeout(timer); timer = again(); })
    .observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
})";

/// The page as HTML; nothing where it is too large (UTF-16 units).
const READ: &str = "(limit) => {
  const roots = [];
  const look = (under) => under.querySelectorAll('*').forEach((element) => {
    if (element.shadowRoot) { roots.push(element.shadowRoot); look(element.shadowRoot); }
  });
  look(document);
  const root = document.documentElement;
  const [open, close] = root.cloneNode(false).outerHTML.split(/(?=<\\/html>$)/);
  const html = '<!DOCTYPE html>' + open + root.getHTML({ shadowRoots: roots }) + close;
  return html.length > limit ? null : html;
}";

impl Browser {
    /// Draws a page; what it asks for comes from an origin.
    pub(crate) async fn draw(
        &self,
        url: &Url,
        origin: &impl PageOrigin,
        limits: DrawLimits,
    ) -> Result<Drawing, BrowserError> {
        let slow = |_| BrowserError::Timeout(limits.total);
        let create = self
            .pipe
            .call(None, CREATE, json!({ "disposeOnDetach": true }));
        let context = text(
            &timeout(limits.total, create).await.map_err(slow)??,
            "browserContextId",
            CREATE,
        )?;
        let drawn = timeout(
            limits.total,
            drawn(&self.pipe, &context, url, origin, limits),
        )
        .await;
        let closing = self.pipe.call(
            None,
            "Target.disposeBrowserContext",
            json!({ "browserContextId": context }),
        );
        let _ = timeout(CLOSING, closing).await;
        drawn.map_err(slow)?
    }
}

async fn drawn(
    pipe: &BrowserPipe,
    context: &str,
    url: &Url,
    origin: &impl PageOrigin,
    limits: DrawLimits,
) -> Result<Drawing, BrowserError> {
    let downloads = json!({ "behavior": "deny", "browserContextId": context });
    pipe.call(None, "Browser.setDownloadBehavior", downloads)
        .await?;
    let target = json!({ "url": "about:blank", "browserContextId": context });
    let target = text(
        &pipe.call(None, "Target.createTarget", target).await?,
        "targetId",
        "Target.createTarget",
    )?;
    let attach = json!({ "targetId": target, "flatten": true });
    let session = pipe.call(None, "Target.attachToTarget", attach).await?;
    let session = text(&session, "sessionId", "Target.attachToTarget")?;
    let events = pipe.events(&session);
    let page = PageDrawing {
        pipe,
        session: &session,
        frame: &target,
        origin,
    };
    let _listens = Listens {
        pipe,
        session: &session,
    };
    page.draw(url, events, limits).await
}

/// Ends what listens to a page, also where the page takes too long.
struct Listens<'p> {
    pipe: &'p BrowserPipe,
    session: &'p str,
}

impl Drop for Listens<'_> {
    fn drop(&mut self) {
        self.pipe.forget(self.session);
    }
}

/// A page that is being drawn.
struct PageDrawing<'p, O> {
    pipe: &'p BrowserPipe,
    session: &'p str,
    /// The page's own frame.
    frame: &'p str,
    origin: &'p O,
}

/// The address of what was asked for, and the hash of what it held if it was to be had.
type LoadedRequest = (String, Option<String>);

/// What a page has asked for.
struct Traffic<'p> {
    events: mpsc::UnboundedReceiver<BrowserEvent>,
    requests: usize,
    /// Requests that are being answered.
    open: FuturesUnordered<BoxFuture<'p, Result<Option<LoadedRequest>, BrowserError>>>,
    loaded: BTreeMap<String, String>,
    lacks: bool,
    is_loaded: bool,
    /// The page's own host, and how often a page of it was asked for.
    host: HostOrigin,
    documents: usize,
}

impl<'p, O: PageOrigin> PageDrawing<'p, O> {
    async fn call(&self, method: &'static str, params: Value) -> Result<Value, BrowserError> {
        self.pipe.call(Some(self.session), method, params).await
    }

    async fn draw(
        &'p self,
        url: &Url,
        events: mpsc::UnboundedReceiver<BrowserEvent>,
        limits: DrawLimits,
    ) -> Result<Drawing, BrowserError> {
        self.call(
            "Fetch.enable",
            json!({ "patterns": [{ "urlPattern": "*" }] }),
        )
        .await?;
        self.call("Page.enable", json!({})).await?;
        self.call(
            "Emulation.setTimezoneOverride",
            json!({ "timezoneId": "UTC" }),
        )
        .await?;
        let open = FuturesUnordered::new();
        let loaded = BTreeMap::new();
        let mut traffic = Traffic {
            events,
            requests: 0,
            open,
            loaded,
            lacks: false,
            is_loaded: false,
            host: url.origin(),
            documents: 0,
        };
        let start = self.call("Page.navigate", json!({ "url": url.as_str() }));
        let started = self.beside(start, &mut traffic).await??;
        if let Some(reason) = started["errorText"].as_str() {
            return Err(BrowserError::Refused {
                method: "Page.navigate",
                reason: reason.to_owned(),
            });
        }
        while !traffic.is_loaded {
            self.go_on(&mut traffic).await?;
        }
        self.settle(&mut traffic, limits.wait).await?;
        let read = format!("({READ})({})", limits.bytes);
        match self.beside(self.evaluate(&read), &mut traffic).await?? {
            Value::String(html) if html.len() <= limits.bytes => {
                let lacks = traffic.lacks || !traffic.open.is_empty();
                Ok(Drawing {
                    html,
                    loaded: traffic.loaded,
                    lacks,
                })
            }
            _ => Err(BrowserError::TooLarge(limits.bytes)),
        }
    }

    /// Waits until the page is quiet, at most so long.
    async fn settle(
        &'p self,
        traffic: &mut Traffic<'p>,
        wait: Duration,
    ) -> Result<(), BrowserError> {
        let end = Instant::now() + wait;
        let mut first = FIRST;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let [first, quiet, wait] =
                [replace(&mut first, QUIET).min(left), QUIET, left].map(|span| span.as_millis());
            let asked = traffic.requests;
            let settled = format!("({SETTLED})({first}, {quiet}, {wait})");
            let is_quiet = self.beside(self.evaluate(&settled), traffic).await??;
            // What is on its way has yet to be put on the page.
            if is_quiet != Value::Bool(true)
                || (traffic.requests == asked && traffic.open.is_empty())
            {
                return Ok(());
            }
        }
    }

    /// Evaluates an expression of ours in a world of its own.
    async fn evaluate(&self, expression: &str) -> Result<Value, BrowserError> {
        const METHOD: &str = "Runtime.evaluate";
        let world = json!({ "frameId": self.frame, "worldName": "latimer" });
        let world = self.call("Page.createIsolatedWorld", world).await?;
        let evaluate = json!({
            "expression": expression,
            "contextId": world["executionContextId"],
            "awaitPromise": true,
            "returnByValue": true,
        });
        let mut answer = self.call(METHOD, evaluate).await?;
        match answer.get("exceptionDetails") {
            Some(_) => Err(BrowserError::Answer(METHOD)),
            None => Ok(answer["result"]["value"].take()),
        }
    }

    /// Lets the page ask while something else is waited for.
    async fn beside<T>(
        &'p self,
        work: impl Future<Output = T>,
        traffic: &mut Traffic<'p>,
    ) -> Result<T, BrowserError> {
        let mut work = std::pin::pin!(work);
        loop {
            tokio::select! {
                biased;
                gone_on = self.go_on(traffic) => gone_on?,
                done = &mut work => return Ok(done),
            }
        }
    }

    /// Takes what happens next on the page.
    async fn go_on(&'p self, traffic: &mut Traffic<'p>) -> Result<(), BrowserError> {
        tokio::select! {
            event = traffic.events.recv() => self.take(event, traffic),
            Some(answered) = traffic.open.next() => {
                match answered? {
                    Some((address, Some(hash))) => drop(traffic.loaded.insert(address, hash)),
                    Some((_, None)) => traffic.lacks = true,
                    None => {}
                }
                Ok(())
            }
        }
    }

    fn take(
        &'p self,
        event: Option<BrowserEvent>,
        traffic: &mut Traffic<'p>,
    ) -> Result<(), BrowserError> {
        let Some(BrowserEvent { method, params }) = event else {
            return Err(BrowserError::Ended(None));
        };
        match method.as_str() {
            "Fetch.requestPaused" => {
                let Ok(paused) = serde_json::from_value::<Paused>(params) else {
                    return Ok(());
                };
                traffic.requests += 1;
                let is_own =
                    |url: &str| Url::parse(url).is_ok_and(|url| url.origin() == traffic.host);
                if paused.is_document()
                    && paused.frame_id == self.frame
                    && is_own(&paused.request.url)
                {
                    traffic.documents += 1;
                    if traffic.documents > 1 {
                        return Err(BrowserError::Moved(paused.request.url));
                    }
                }
                let is_one_too_many = traffic.requests > REQUESTS;
                traffic
                    .open
                    .push(Box::pin(self.answer(paused, is_one_too_many)));
            }
            "Page.loadEventFired" => traffic.is_loaded = true,
            // A page that went elsewhere before and was not let go there is never loaded.
            "Page.frameStoppedLoading" if params["frameId"] == self.frame => {
                traffic.is_loaded = true
            }
            "Page.javascriptDialogOpening" => traffic.open.push(Box::pin(async {
                self.send("Page.handleJavaScriptDialog", json!({ "accept": false }))
                    .await
                    .map(|()| None)
            })),
            "Inspector.targetCrashed" => return Err(BrowserError::Crashed),
            _ => {}
        }
        Ok(())
    }

    /// Answers a request of the page, or refuses it; says what it got where that decides the page's words.
    async fn answer(
        &self,
        paused: Paused,
        is_refused: bool,
    ) -> Result<Option<LoadedRequest>, BrowserError> {
        let is_wanted = paused.request.method == "GET" && !is_refused && !paused.is_idle();
        let url = Url::parse(&paused.request.url)
            .ok()
            .filter(|url| is_wanted && matches!(url.scheme(), "http" | "https"));
        let answer = match &url {
            Some(_) if paused.resource_type == "Image" => Some(picture()),
            Some(url) => self.origin.get(url).await,
            None => None,
        };
        let is_own = url.as_ref().is_some_and(|url| self.origin.has(url));
        let Some(answer) = answer else {
            // A page that is refused another address stays what it is; for other reasons it would become an error page.
            let reason = if paused.is_document() {
                "Aborted"
            } else {
                "BlockedByClient"
            };
            let refusal = json!({ "requestId": paused.request_id, "errorReason": reason });
            let lacked = (is_own && paused.decides()).then_some((paused.request.url, None));
            return self
                .send("Fetch.failRequest", refusal)
                .await
                .map(|()| lacked);
        };
        self.send(
            "Fetch.fulfillRequest",
            fulfilment(&paused.request_id, &answer),
        )
        .await?;
        let decides = paused.decides() && answer.location.is_none();
        let hash = (answer.status < 500).then(|| blake3::hash(&answer.body).to_hex().to_string());
        Ok(decides.then_some((paused.request.url, hash)))
    }

    /// Sends a command whose failure means that its subject is gone already.
    async fn send(&self, method: &'static str, params: Value) -> Result<(), BrowserError> {
        match self.call(method, params).await {
            Err(BrowserError::Refused { .. }) | Ok(_) => Ok(()),
            Err(error) => Err(error),
        }
    }
}

/// Stands for every picture: words do not depend on what it shows, but may on whether it is there.
fn picture() -> OriginAnswer {
    let body = "<svg xmlns=\"http://www.w3.org/2000/svg\"/>".into();
    OriginAnswer {
        status: 200,
        content_type: "image/svg+xml".to_owned(),
        location: None,
        body,
    }
}

fn fulfilment(request: &str, answer: &OriginAnswer) -> Value {
    let mut headers = vec![json!({ "name": "Content-Type", "value": answer.content_type })];
    headers.extend(
        answer
            .location
            .iter()
            .map(|to| json!({ "name": "Location", "value": to })),
    );
    json!({
        "requestId": request,
        "responseCode": answer.status,
        "responseHeaders": headers,
        "body": STANDARD.encode(&answer.body),
    })
}

fn text(answer: &Value, key: &str, method: &'static str) -> Result<String, BrowserError> {
    answer[key]
        .as_str()
        .map(str::to_owned)
        .ok_or(BrowserError::Answer(method))
}
