//! A registry of neural models on this machine: records, attachments compressed with zstd, and what may go wrong with them.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::web::{Loopback, Reply, Request};

/// Faults of a registry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    None,
    /// The attachment of this kind is another file.
    OtherAttachment(&'static str),
    /// The record of this kind names the hash of other content.
    OtherContent(&'static str),
    /// The record of this kind names another size.
    OtherSize(&'static str),
    /// There is no attachment of this kind.
    Missing(&'static str),
    /// The connection ends after half of what is left, so many times for each attachment.
    Cut(usize),
    /// The attachments never end.
    Stuck,
    /// There are no records.
    NoRecords,
}

/// A registry that serves until the test ends.
pub struct Registry {
    pub address: String,
    server: Loopback,
    /// Receives when an answer is stuck.
    pub stuck: Receiver<()>,
}

/// A file of a model: its kind and its content.
pub type Part = (&'static str, Vec<u8>);

struct Served {
    records: Vec<u8>,
    attachments: BTreeMap<String, Vec<u8>>,
    trouble: Trouble,
    cuts: Mutex<BTreeMap<String, usize>>,
    stuck: Sender<()>,
}

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// Files of a model that no engine can load.
pub fn rubbish() -> Vec<Part> {
    let mut words = String::new();
    for number in 0..2_000 {
        words += &format!("{}\n", number * number);
    }
    vec![
        ("model", format!("no network {words}").into_bytes()),
        ("vocab", words.clone().into_bytes()),
        ("lex", words.into_bytes()),
    ]
}

/// The files of the model for English to Portuguese in a folder of the tools.
pub fn parts_in(folder: &Path) -> Vec<Part> {
    let mut parts = Vec::new();
    for (name, bytes) in super::files(folder) {
        let name = name.rsplit('/').next().unwrap();
        let kinds = ["model", "vocab", "srcvocab", "trgvocab", "lex"];
        let kind = kinds
            .into_iter()
            .find(|kind| name.starts_with(&format!("{kind}.")));
        if let Some(kind) = kind.filter(|_| name.contains(".enpt.")) {
            parts.push((kind, bytes));
        }
    }
    assert!(
        parts.len() >= 2,
        "there is a model for en to pt below {}",
        folder.display()
    );
    parts
}

impl Registry {
    /// Serves the same files as the models of several pairs.
    pub fn serve(pairs: &[[&str; 2]], parts: &[Part], trouble: Trouble, padding: usize) -> Self {
        let mut records = Vec::new();
        let mut attachments = BTreeMap::new();
        for [from, to] in pairs {
            for (kind, content) in parts {
                let ending = if kind.ends_with("vocab") {
                    "spm"
                } else {
                    "bin"
                };
                let name = format!("{kind}.{from}{to}.{ending}");
                let location = format!("main-workspace/{from}-{to}-{kind}.zst");
                let packed = zstd::encode_all(content.as_slice(), 1).unwrap();
                records.push(record(
                    [from, to],
                    kind,
                    (&name, &location),
                    (content, &packed),
                    &trouble,
                ));
                let is_other = trouble == Trouble::OtherAttachment(kind);
                let packed = if is_other {
                    packed.iter().rev().copied().collect()
                } else {
                    packed
                };
                if trouble != Trouble::Missing(kind) {
                    attachments.insert(format!("/{location}"), packed);
                }
            }
        }
        records.push(json!({ "id": "padding", "text": "x".repeat(padding) }));
        let records = json!({ "data": records, "timestamp": 1 })
            .to_string()
            .into_bytes();
        let (sender, stuck) = channel();
        let served = Served {
            records,
            attachments,
            trouble,
            cuts: Mutex::default(),
            stuck: sender,
        };
        let server = Loopback::start(move |request| served.answer(request));
        Self {
            address: format!("{}/records", server.address),
            server,
            stuck,
        }
    }

    /// The requests so far: a path each, with the range that was asked for.
    pub fn asked(&self) -> Vec<String> {
        self.server.requests().iter().map(said).collect()
    }

    /// The table of a configuration that names it.
    pub fn table(&self) -> String {
        format!(
            "[models]\nregistry = \"{}\"\nallow_private = true\n",
            self.address
        )
    }
}

fn record(
    [from, to]: [&str; 2],
    kind: &'static str,
    (name, location): (&str, &str),
    (content, packed): (&[u8], &[u8]),
    trouble: &Trouble,
) -> Value {
    let hash = if *trouble == Trouble::OtherContent(kind) {
        "0".repeat(64)
    } else {
        sha256(content)
    };
    let size = if *trouble == Trouble::OtherSize(kind) {
        packed.len() + 1
    } else {
        packed.len()
    };
    json!({
        "id": location, "schema": 1, "last_modified": 2, "unknown": { "to": ["us"] },
        "name": name, "fileType": kind, "sourceLanguage": from, "targetLanguage": to,
        "version": "3.1", "architecture": "tiny", "filter_expression": "",
        "decompressedHash": hash, "decompressedSize": content.len(),
        "attachment": { "location": location, "hash": sha256(packed), "size": size, "mimetype": "application/zstd" },
    })
}

/// The path of a request, or the first line of one to a proxy, with the range.
fn said(request: &Request) -> String {
    let said = if request.head.starts_with("CONNECT") {
        request.head.lines().next().unwrap()
    } else {
        &request.path
    };
    match request.header("range") {
        Some(range) => format!("{said} {range}"),
        None => said.to_owned(),
    }
}

impl Served {
    fn answer(&self, request: &Request) -> Reply {
        // A proxy is asked for whole addresses.
        let path = request.path.as_str();
        let path = path
            .split_once("://")
            .map_or(path, |(_, rest)| &rest[rest.find('/').unwrap_or(0)..]);
        let found = match path {
            "/records" if self.trouble != Trouble::NoRecords => Some(&self.records),
            path => self.attachments.get(path),
        };
        let Some(body) = found else {
            return Reply::status(404);
        };
        let start = request
            .header("range")
            .and_then(|range| {
                range
                    .strip_prefix("bytes=")?
                    .trim_end_matches('-')
                    .parse()
                    .ok()
            })
            .unwrap_or(0);
        let rest = &body[start..];
        let reply = match start {
            0 => Reply::new(200, rest),
            _ => Reply::new(206, rest).with(&format!(
                "Content-Range: bytes {start}-{}/{}",
                body.len() - 1,
                body.len()
            )),
        };
        if path == "/records" || !self.cuts(path) {
            return reply;
        }
        let half = rest.len() / 2;
        if self.trouble != Trouble::Stuck {
            return reply.cut(half, |_| ());
        }
        let stuck = self.stuck.clone();
        reply.cut(half, move |mut stream| {
            let _ = stuck.send(());
            let _ = stream.read(&mut [0]); // until the client is gone
        })
    }

    /// True if the next answer for an attachment is cut off.
    fn cuts(&self, path: &str) -> bool {
        match self.trouble {
            Trouble::Cut(times) => {
                let mut cuts = self.cuts.lock().unwrap();
                let count = cuts.entry(path.to_owned()).or_default();
                *count += 1;
                *count <= times
            }
            Trouble::Stuck => true,
            _ => false,
        }
    }
}
