//! Servers are asked whether a page or file changed since it was fetched last, and what did not comes from the store.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::clock::now;
use super::context::{Build, blocking};
use super::error::RunError;
use super::key::Key;
use super::policies::policies_of_scripts;
use crate::config::{Source, SourceChanges};
use crate::crawl::{self, KnownAnswers, KnownBytes, Resource};
use crate::model::{KnownAnswer, PagePath};
use crate::publish;
use crate::store::SourceRecord;

/// How long what a server said counts: what it says beside the bytes may change without a sign.
const COUNTS: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// What is known of the last crawl, and what this one brings.
pub(super) struct Answers {
    /// What servers need not send again.
    pub(super) known: KnownAnswers,
    /// Signs for how servers are asked: what they say to others may be something else.
    asker: String,
    /// What they said in this crawl.
    said: BTreeMap<PagePath, KnownAnswer>,
    /// Bytes that the store should have and has not, or not as they were.
    damaged: Arc<Mutex<BTreeSet<String>>>,
}

impl Answers {
    /// Takes note of what a server said of a page or file.
    pub(super) fn take(&mut self, resource: &Resource, record: &SourceRecord) {
        let Some(mut head) = resource.head.clone() else { return };
        head.policies.clone_from(&record.policies);
        let (hash, sent) = (record.hash.clone(), resource.sent.unwrap_or_else(now));
        self.said.insert(resource.path.clone(), KnownAnswer { head, hash, sent });
    }

    /// Whether the bytes of a hash are to be written although the store seems to have them.
    pub(super) fn wants(&self, hash: &str) -> bool {
        self.damaged.lock().unwrap_or_else(PoisonError::into_inner).contains(hash)
    }
}

impl Build<'_> {
    /// What is known of the last crawl; nothing where everything is to be fetched.
    pub(super) async fn known_answers(&self, stored: &BTreeMap<String, usize>) -> Result<Answers, RunError> {
        let is_web = matches!(self.site.source, Source::Web(_));
        let asker = if is_web { self.asker() } else { String::new() };
        let damaged = Arc::<Mutex<BTreeSet<String>>>::default();
        let known = match self.asks_for_changes() && !self.options.rebuild {
            false => KnownAnswers::default(),
            true => {
                let (state, id, by) = (self.stores.state.clone(), self.site.id.clone(), asker.clone());
                let mut heads = blocking(move || state.known_answers(&id, &by)).await??;
                let is_there = |known: &KnownAnswer| {
                    stored.get(&known.hash).is_some_and(|&size| size <= self.site.crawl.max_page_bytes)
                };
                heads.retain(|_, known| is_there(known) && now().since(known.sent) < COUNTS);
                KnownAnswers {
                    heads: Arc::new(heads),
                    bytes: self.known_bytes(Arc::clone(&damaged)),
                    policies: policies_of_scripts,
                }
            }
        };
        Ok(Answers { known, asker, said: BTreeMap::new(), damaged })
    }

    fn known_bytes(&self, damaged: Arc<Mutex<BTreeSet<String>>>) -> KnownBytes {
        let (objects, site) = (self.stores.objects.clone(), self.site.id.clone());
        Arc::new(move |hash| {
            let (objects, site, damaged) = (objects.clone(), site.clone(), Arc::clone(&damaged));
            Box::pin(async move {
                let found = publish::source(&objects, &site, &hash).await.ok().flatten();
                let found = found.filter(|bytes| *blake3::hash(bytes).to_hex() == *hash);
                if found.is_none() {
                    damaged.lock().unwrap_or_else(PoisonError::into_inner).insert(hash);
                }
                found
            })
        })
    }

    /// Keeps what servers said, for the next crawl; of what could not be had this time, what they said before.
    pub(super) async fn keep_answers(&self, answers: Answers, failures: &[crawl::Failure]) -> Result<(), RunError> {
        if !matches!(self.site.source, Source::Web(_)) {
            return Ok(());
        }
        let Answers { known, asker, mut said, .. } = answers;
        match self.asks_for_changes() {
            // Whoever asks for changes again begins anew.
            false => said.clear(),
            true => {
                let failed = failures.iter().filter_map(|failure| known.heads.get_key_value(&failure.path));
                for (path, known) in failed {
                    said.entry(path.clone()).or_insert_with(|| known.clone());
                }
                if *known.heads == said && !self.options.rebuild {
                    return Ok(());
                }
            }
        }
        let (state, id) = (self.stores.state.clone(), self.site.id.clone());
        Ok(blocking(move || state.keep_known_answers(&id, &asker, &said)).await??)
    }

    fn asks_for_changes(&self) -> bool {
        self.site.crawl.changed == SourceChanges::Conditional && matches!(self.site.source, Source::Web(_))
    }

    fn asker(&self) -> String {
        let crawl = &self.site.crawl;
        let mut key = Key::default();
        key.add_program();
        key.add_debug(&(&self.site.source, &crawl.user_agent));
        crawl.headers_file.iter().for_each(|file| key.add_file(file));
        key.hex()
    }
}
