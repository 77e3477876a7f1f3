//! The access log: a line of JSON for each request that was answered.
//!
//! A line holds nothing that opens a door: of the address no query, no header at all, and the id of a preview or of a link
//! in a mail only as its hash, by which its lines can still be found. The path is ASCII without control characters, so a request
//! cannot write a line of its own. Answering never waits for the log: lines go through a bounded queue to a
//! thread that writes them, and what has no room is dropped and counted, here and in the metrics.

use std::io::{self, Write};
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use percent_encoding::{CONTROLS, percent_decode_str, utf8_percent_encode};
use serde::Serialize;

use super::time::Time;

/// How many lines may wait.
const QUEUE: usize = 4096;
/// How many lines are written at once.
const BATCH: usize = 256;
/// How long the end of the process waits for the last lines.
const PATIENCE: Duration = Duration::from_secs(1);
/// The longest path that is written; more is cut off.
const LONGEST_PATH: usize = 1024;
/// What stands before the id of a preview, or of a link in a mail, in a path.
const BEFORE_IDS: [&str; 4] = ["_preview", "previews", "confirm", "unsubscribe"];
/// Hexadecimal digits of a hash.
const HASH_DIGITS: usize = 16;

/// Where lines go.
#[derive(Debug)]
pub(crate) struct AccessLog {
    queue: Option<SyncSender<AccessLogEntry>>,
    dropped: Arc<AtomicU64>,
    ended: Mutex<Receiver<()>>,
}

/// What is written about an answer.
#[derive(Debug)]
pub(crate) struct AccessLogEntry {
    pub(crate) time: SystemTime,
    pub(crate) client: IpAddr,
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) status: u16,
    pub(crate) bytes: u64,
    pub(crate) duration: Duration,
    /// The id by which an operation's caller knows the request.
    pub(crate) request_id: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AccessLogLine<'a> {
    time: Time,
    client: IpAddr,
    method: &'a str,
    path: &'a str,
    status: u16,
    bytes: u64,
    ms: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    request_id: Option<&'a str>,
}

impl AccessLog {
    /// Starts the thread that writes.
    pub(crate) fn start(to: impl Write + Send + 'static) -> io::Result<Self> {
        let (queue, entries) = sync_channel(QUEUE);
        let (end, ended) = sync_channel(1);
        let dropped = Arc::new(AtomicU64::new(0));
        let seen = Arc::clone(&dropped);
        std::thread::Builder::new()
            .name("access log".to_owned())
            .spawn(move || {
                write(&entries, &seen, to);
                let _ = end.send(());
            })?;
        Ok(Self {
            queue: Some(queue),
            dropped,
            ended: Mutex::new(ended),
        })
    }

    /// Writes a line soon, if there is room.
    pub(crate) fn put(&self, entry: AccessLogEntry) {
        if self
            .queue
            .as_ref()
            .is_some_and(|queue| queue.try_send(entry).is_err())
        {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// How many lines had no room.
    pub(crate) fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }
}

impl Drop for AccessLog {
    /// Lets the last lines be written, for a while: whoever reads them may be stuck.
    fn drop(&mut self) {
        self.queue = None;
        if let Ok(ended) = self.ended.get_mut() {
            let _ = ended.recv_timeout(PATIENCE);
        }
    }
}

fn write(entries: &Receiver<AccessLogEntry>, dropped: &AtomicU64, mut to: impl Write) {
    let mut told = 0;
    while let Ok(first) = entries.recv() {
        let mut lines = String::new();
        for entry in std::iter::once(first).chain(entries.try_iter().take(BATCH)) {
            lines.push_str(&entry.line());
        }
        let now = dropped.load(Ordering::Relaxed);
        if now > told {
            lines.push_str(&format!("{{\"dropped\":{}}}\n", now - told));
            told = now;
        }
        // Where nobody reads any more, there is nobody to tell.
        let _ = to.write_all(lines.as_bytes()).and_then(|()| to.flush());
    }
}

impl AccessLogEntry {
    fn line(&self) -> String {
        let line = AccessLogLine {
            time: Time::of(self.time),
            client: self.client,
            method: &self.method,
            path: &self.path,
            status: self.status,
            bytes: self.bytes,
            ms: self.duration.as_micros() as f64 / 1000.0,
            request_id: self.request_id.as_deref(),
        };
        serde_json::to_string(&line)
            .map(|line| line + "\n")
            .unwrap_or_default()
    }
}

/// A path as it is written down.
pub(crate) fn path(sent: &str) -> String {
    let mut path = String::with_capacity(sent.len());
    let mut before_id = false;
    for (at, segment) in sent.split('/').enumerate() {
        if at > 0 {
            path.push('/');
        }
        let plain = percent_decode_str(segment).decode_utf8_lossy();
        if before_id && !segment.is_empty() || is_uuid(&plain) {
            path.push_str(
                &blake3::hash(plain.to_ascii_lowercase().as_bytes()).to_hex()[..HASH_DIGITS],
            );
        } else {
            path.extend(utf8_percent_encode(segment, CONTROLS));
        }
        before_id = BEFORE_IDS.contains(&plain.as_ref());
        if path.len() > LONGEST_PATH {
            path.truncate(path.floor_char_boundary(LONGEST_PATH));
            path.push('…');
            break;
        }
    }
    path
}

/// Whether this is a random UUID, as ids of previews are, wherever it stands.
fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            14 => byte == b'4',
            _ => byte.is_ascii_hexdigit(),
        })
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;
    use std::sync::mpsc::channel;

    use super::*;

    const ID: &str = "3f2b8c1e-9a47-4d05-8e61-7c0d52f4ab19";

    fn entry(path: &str) -> AccessLogEntry {
        AccessLogEntry {
            time: SystemTime::UNIX_EPOCH,
            client: Ipv4Addr::LOCALHOST.into(),
            method: "GET".to_owned(),
            path: super::path(path),
            status: 200,
            bytes: 5,
            duration: Duration::from_micros(1250),
            request_id: None,
        }
    }

    #[test]
    fn lines_are_json_that_no_path_can_forge() {
        let expected = "{\"time\":\"1970-01-01T00:00:00.000Z\",\"client\":\"127.0.0.1\",\"method\":\"GET\",\
                        \"path\":\"/es/\",\"status\":200,\"bytes\":5,\"ms\":1.25}\n";
        assert_eq!(entry("/es/").line(), expected);
        for path in [
            "/a\r\n{\"forged\":1}",
            "/\u{1b}[31m\"\\",
            "/\u{2028}\u{85}ü\u{7f}",
            &"/x".repeat(5000),
        ] {
            let line = entry(path).line();
            assert!(
                line.bytes()
                    .filter(|byte| byte.is_ascii_control())
                    .eq([b'\n']),
                "{line:?}"
            );
            assert!(line.len() < 2 * LONGEST_PATH);
            let parsed: serde_json::Value = serde_json::from_str(&line).unwrap();
            assert_eq!(parsed["status"], 200);
        }
    }

    #[test]
    fn ids_of_previews_are_hashed() {
        let hash = &blake3::hash(ID.as_bytes()).to_hex()[..HASH_DIGITS];
        for (sent, expected) in [
            (format!("/_preview/{ID}"), format!("/_preview/{hash}")),
            (
                format!("/api/previews/{ID}/stream"),
                format!("/api/previews/{hash}/stream"),
            ),
            (
                format!("/_preview/{}", ID.to_uppercase()),
                format!("/_preview/{hash}"),
            ),
            (format!("/%5fpreview/{ID}"), format!("/%5fpreview/{hash}")),
            (
                format!("/_preview/./{ID}"),
                format!(
                    "/_preview/{}/{hash}",
                    &blake3::hash(b".").to_hex()[..HASH_DIGITS]
                ),
            ),
            (format!("/_preview//{ID}"), format!("/_preview//{hash}")),
            (
                format!("/elsewhere/{}", ID.replace("4d05", "%34d05")),
                format!("/elsewhere/{hash}"),
            ),
            ("/es/about.html".to_owned(), "/es/about.html".to_owned()),
        ] {
            assert_eq!(path(&sent), expected, "{sent}");
        }
        let guess = path("/_preview/not-an-id");
        assert!(!guess.contains("not-an-id"), "{guess}");
    }

    /// Hands on each write, and waits with it until it is taken.
    struct Stuck(SyncSender<String>);

    impl Write for Stuck {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let _ = self.0.send(String::from_utf8_lossy(bytes).into_owned());
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn log_that_nobody_reads_keeps_nobody_waiting() {
        let (written, reader) = sync_channel(0);
        let log = AccessLog::start(Stuck(written)).unwrap();
        let sent = 2 * QUEUE;
        (0..sent).for_each(|_| log.put(entry("/")));
        let dropped = usize::try_from(log.dropped()).unwrap();
        assert!(dropped >= sent - QUEUE - BATCH - 1, "{dropped}");
        let (done, lines) = channel();
        std::thread::spawn(move || done.send(reader.iter().collect::<String>()));
        drop(log);
        let lines = lines.recv().unwrap();
        let told = lines
            .lines()
            .filter_map(|line| line.strip_prefix("{\"dropped\":")?.strip_suffix('}'));
        let told: Vec<usize> = told.map(|count| count.parse().unwrap()).collect();
        assert_eq!(told.iter().sum::<usize>(), dropped);
        assert_eq!(lines.lines().count(), sent - dropped + told.len());
    }
}
