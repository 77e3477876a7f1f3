//! The Chrome DevTools Protocol over a pipe: messages in JSON, each ended by a zero byte.
//!
//! A handful of commands is all that is needed, so they are written here as they are on the wire. Libraries of the protocol
//! type every message of one version of it, and fail at what a later browser says.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::{ChildStdin, ChildStdout};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

use super::error::BrowserError;

/// The longest message; beyond it something runs wild.
const LONGEST: u64 = 64 << 20;

/// Something that happened on a page.
#[derive(Debug)]
pub(super) struct BrowserEvent {
    pub(super) method: String,
    pub(super) params: Value,
}

/// Both directions of the pipe; dropping it closes both.
pub(super) struct BrowserPipe {
    lines: mpsc::UnboundedSender<Vec<u8>>,
    last: AtomicU64,
    waiting: Arc<PendingCalls>,
    tasks: [JoinHandle<()>; 2],
}

/// Who waits for what.
#[derive(Default)]
struct PendingCalls {
    calls: Mutex<Calls>,
    sessions: Mutex<HashMap<String, mpsc::UnboundedSender<BrowserEvent>>>,
}

/// Commands without an answer; none are taken once the browser has ended.
#[derive(Default)]
struct Calls {
    open: HashMap<u64, oneshot::Sender<Result<Value, String>>>,
    ended: bool,
}

/// A message of the browser: an answer where it has an id, else an event.
#[derive(Deserialize)]
struct BrowserMessage {
    id: Option<u64>,
    #[serde(default)]
    result: Value,
    error: Option<ProtocolFailure>,
    #[serde(default)]
    method: String,
    #[serde(default)]
    params: Value,
    #[serde(rename = "sessionId")]
    session: Option<String>,
}

#[derive(Deserialize)]
struct ProtocolFailure {
    message: String,
}

impl BrowserPipe {
    pub(super) fn new(input: ChildStdin, output: ChildStdout) -> Self {
        let waiting = Arc::<PendingCalls>::default();
        let (lines, unsent) = mpsc::unbounded_channel();
        let tasks = [
            tokio::spawn(read(output, Arc::clone(&waiting))),
            tokio::spawn(write(input, unsent)),
        ];
        Self {
            lines,
            last: AtomicU64::new(0),
            waiting,
            tasks,
        }
    }

    /// Sends a command, to a page where one is named, and waits for its answer.
    pub(super) async fn call(
        &self,
        session: Option<&str>,
        method: &'static str,
        params: Value,
    ) -> Result<Value, BrowserError> {
        let id = self.last.fetch_add(1, Ordering::Relaxed) + 1;
        let (sender, receiver) = oneshot::channel();
        {
            let mut calls = lock(&self.waiting.calls);
            if calls.ended {
                return Err(BrowserError::Ended(None));
            }
            calls.open.insert(id, sender);
        }
        let mut message = json!({ "id": id, "method": method, "params": params });
        if let Some(session) = session {
            message["sessionId"] = session.into();
        }
        let mut line = message.to_string().into_bytes();
        line.push(0);
        self.lines
            .send(line)
            .map_err(|_| BrowserError::Ended(None))?;
        match receiver.await {
            Ok(Ok(result)) => Ok(result),
            Ok(Err(reason)) => Err(BrowserError::Refused { method, reason }),
            Err(_) => Err(BrowserError::Ended(None)),
        }
    }

    /// What happens on a page from now on.
    pub(super) fn events(&self, session: &str) -> mpsc::UnboundedReceiver<BrowserEvent> {
        let (sender, receiver) = mpsc::unbounded_channel();
        lock(&self.waiting.sessions).insert(session.to_owned(), sender);
        receiver
    }

    /// A page is closed.
    pub(super) fn forget(&self, session: &str) {
        lock(&self.waiting.sessions).remove(session);
    }
}

impl PendingCalls {
    /// Hands a message to whom it is for.
    fn take(&self, line: &[u8]) {
        let Ok(message) = serde_json::from_slice::<BrowserMessage>(line) else {
            return;
        };
        match message.id {
            Some(id) => {
                let answer = message
                    .error
                    .map_or(Ok(message.result), |failure| Err(failure.message));
                if let Some(call) = lock(&self.calls).open.remove(&id) {
                    let _ = call.send(answer);
                }
            }
            None => {
                let session = message.session.unwrap_or_default();
                if let Some(sender) = lock(&self.sessions).get(&session) {
                    let _ = sender.send(BrowserEvent {
                        method: message.method,
                        params: message.params,
                    });
                }
            }
        }
    }
}

impl Drop for BrowserPipe {
    fn drop(&mut self) {
        self.tasks.iter().for_each(JoinHandle::abort);
    }
}

/// Writes whole messages: a caller that gives up in the middle leaves no half of one.
async fn write(mut input: ChildStdin, mut lines: mpsc::UnboundedReceiver<Vec<u8>>) {
    while let Some(line) = lines.recv().await {
        if input.write_all(&line).await.is_err() {
            break;
        }
    }
}

/// Hands out what the browser says until it ends.
async fn read(output: ChildStdout, waiting: Arc<PendingCalls>) {
    let mut output = BufReader::new(output);
    let mut line = Vec::new();
    // Of a message that is too long, the rest goes, too; whoever waits for it has a time limit.
    let mut is_passed_over = false;
    loop {
        line.clear();
        let read = (&mut output).take(LONGEST).read_until(0, &mut line).await;
        if !matches!(read, Ok(length) if length > 0) {
            break;
        }
        is_passed_over = match (line.last() == Some(&0), is_passed_over) {
            (false, _) => true,
            (true, true) => false,
            (true, false) => {
                line.pop();
                waiting.take(&line);
                false
            }
        };
    }
    let mut calls = lock(&waiting.calls);
    calls.ended = true;
    calls.open.clear();
    lock(&waiting.sessions).clear();
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
