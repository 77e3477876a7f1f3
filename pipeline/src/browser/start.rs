//! A browser of our own, from its start to its end.

use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tokio::io::{AsyncReadExt as _, BufReader};
use tokio::process::ChildStderr;
use tokio::sync::Mutex;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::error::BrowserError;
use super::pipe::BrowserPipe;
use super::refusal::RefusingProxy;
use crate::passing::PassingFolder;
use crate::processes::{self, ProcessEnvironment, ProcessGroup};

/// How long the browser may take to answer for the first time.
const START: Duration = Duration::from_secs(30);
/// What is kept of what it says of itself.
const SAID: usize = 1 << 16;

/// The command that any browser answers.
const VERSION: &str = "Browser.getVersion";

/// Joins the pipe's ends to the file descriptors that the browser reads and writes them at.
const JOINED: &str = r#"exec "$0" "$@" 3<&0 4>&1 0</dev/null 1>/dev/null"#;

/// What it is started with, beside its profile and its proxy.
const ARGUMENTS: &[&str] = &[
    "--headless=new",
    "--remote-debugging-pipe",
    // Nothing reaches the network: all goes to the proxy, loopback too, no name is looked up, and there is no UDP.
    "--proxy-bypass-list=<-loopback>",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
    "--disable-quic",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    // It does nothing but show pages.
    "--disable-background-networking",
    "--disable-breakpad",
    "--disable-client-side-phishing-detection",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-extensions",
    "--disable-sync",
    "--no-default-browser-check",
    "--no-first-run",
    "--no-pings",
    "--metrics-recording-only",
    "--deny-permission-prompts",
    "--mute-audio",
    "--disable-gpu",
    "--password-store=basic",
    "--use-mock-keychain",
    // /dev/shm is small in containers.
    "--disable-dev-shm-usage",
    // Pages that are drawn side by side are all in the foreground.
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
];

/// A running browser with a profile that nobody had before. Dropping it kills it with all its processes.
pub(crate) struct Browser {
    pub(super) pipe: BrowserPipe,
    said: Arc<Mutex<Vec<u8>>>,
    listener: JoinHandle<()>,
    group: ProcessGroup,
    profile: PassingFolder,
    _refusal: RefusingProxy,
}

/// Starts a browser and ends it again; says which it is.
///
/// # Errors
/// A [`BrowserError`] when it cannot be used.
pub async fn try_out(program: &str, variables: &[String]) -> Result<String, BrowserError> {
    let browser = Browser::start(program, variables, "en").await?;
    let version = browser.pipe.call(None, VERSION, json!({})).await;
    browser.end().await;
    version?["product"]
        .as_str()
        .map(str::to_owned)
        .ok_or(BrowserError::Answer(VERSION))
}

impl Browser {
    /// Starts a program as a browser whose reader wants this language, with these variables of the environment beside the
    /// usual ones.
    pub(crate) async fn start(
        program: &str,
        variables: &[String],
        language: &str,
    ) -> Result<Self, BrowserError> {
        let failed = |source| BrowserError::Start {
            program: program.to_owned(),
            source,
        };
        let refusal = RefusingProxy::open().await.map_err(failed)?;
        let profile = PassingFolder::make("browser").map_err(failed)?;
        let mut arguments = vec!["-c".to_owned(), JOINED.to_owned(), program.to_owned()];
        arguments.extend(ARGUMENTS.iter().map(|&argument| argument.to_owned()));
        arguments.push(format!("--lang={language}"));
        arguments.push(format!("--accept-lang={language}"));
        arguments.push(format!("--proxy-server=http://{}", refusal.address));
        arguments.push(format!("--user-data-dir={}", profile.path().display()));
        let mut group = ProcessGroup::new();
        let mut command = processes::command("sh", ProcessEnvironment::Named(variables));
        command.args(&arguments);
        let child = group
            .spawn(command, Stdio::piped(), Stdio::piped())
            .map_err(failed)?;
        let streams = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(input), Some(output), Some(errors)) = streams else {
            return Err(failed(std::io::Error::other("it has no standard streams")));
        };
        let said = Arc::<Mutex<Vec<u8>>>::default();
        let listener = tokio::spawn(listen(errors, Arc::clone(&said)));
        let browser = Self {
            pipe: BrowserPipe::new(input, output),
            said,
            listener,
            group,
            profile,
            _refusal: refusal,
        };
        let greeting = timeout(START, browser.pipe.call(None, VERSION, json!({}))).await;
        match greeting {
            Ok(Ok(_)) => Ok(browser),
            Ok(Err(_)) | Err(_) => Err(browser.reason(program).await),
        }
    }

    /// Why it did not start, from what it said.
    async fn reason(mut self, program: &str) -> BrowserError {
        // What it said last may still be on its way.
        let _ = timeout(Duration::from_millis(500), &mut self.listener).await;
        let said = String::from_utf8_lossy(&self.said.lock().await).into_owned();
        let program = program.to_owned();
        let line = |word: &str| {
            said.lines()
                .find(|line| line.contains(word))
                .map(|line| line.trim().to_owned())
        };
        self.end().await;
        if let Some(said) = line("--no-sandbox").or_else(|| line("No usable sandbox")) {
            return BrowserError::Sandbox { program, said };
        }
        let last = said
            .lines()
            .rfind(|line| !line.trim().is_empty())
            .unwrap_or("it does not answer")
            .trim()
            .to_owned();
        BrowserError::Start {
            program,
            source: std::io::Error::other(last),
        }
    }

    /// Ends it and waits until it is gone.
    pub(crate) async fn end(self) {
        let Self {
            pipe,
            group,
            listener,
            profile,
            ..
        } = self;
        drop(pipe);
        group.end().await;
        listener.abort();
        // A process of the browser that is just dying may write once more.
        for _ in 0..10 {
            if tokio::fs::remove_dir_all(profile.path()).await.is_ok() {
                break;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
}

/// Keeps the beginning of what the browser says of itself, and lets it go on speaking.
async fn listen(errors: ChildStderr, said: Arc<Mutex<Vec<u8>>>) {
    let mut errors = BufReader::new(errors);
    let mut chunk = [0; 4096];
    while let Ok(length @ 1..) = errors.read(&mut chunk).await {
        let mut said = said.lock().await;
        let room = SAID.saturating_sub(said.len()).min(length);
        said.extend_from_slice(&chunk[..room]);
    }
}
