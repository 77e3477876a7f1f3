//! Servers are asked whether a page or file changed since it was fetched last, and what did not comes from the store.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::context::{Build, blocking};
use super::error::RunError;
use super::key::Key;
use crate::config::{Source, SourceChanges};
use crate::crawl::{KnownAnswers, KnownBytes};
use crate::model::{KnownAnswer, PagePath};
use crate::publish;

impl Build<'_> {
    /// What is known of the last crawl, and where its bytes are; nothing where everything is to be fetched.
    pub(super) async fn known_answers(&self, stored: &BTreeMap<String, usize>) -> Result<KnownAnswers, RunError> {
        if !self.asks_for_changes() {
            return Ok(KnownAnswers::default());
        }
        let (state, id, asker) = (self.stores.state.clone(), self.site.id.clone(), self.asker());
        let mut heads = blocking(move || state.known_answers(&id, &asker)).await??;
        heads.retain(|_, known| stored.get(&known.hash).is_some_and(|&size| size <= self.site.crawl.max_page_bytes));
        let (objects, site) = (self.stores.objects.clone(), self.site.id.clone());
        let bytes: KnownBytes = Arc::new(move |hash| {
            let (objects, site) = (objects.clone(), site.clone());
            Box::pin(async move {
                let found = publish::source(&objects, &site, &hash).await.ok().flatten();
                found.filter(|bytes| *blake3::hash(bytes).to_hex() == *hash)
            })
        });
        Ok(KnownAnswers { heads: Arc::new(heads), bytes })
    }

    /// Keeps what servers said, for the next crawl.
    pub(super) async fn keep_known_answers(
        &self,
        known: &KnownAnswers,
        answers: BTreeMap<PagePath, KnownAnswer>,
    ) -> Result<(), RunError> {
        if !self.asks_for_changes() || *known.heads == answers {
            return Ok(());
        }
        let (state, id, asker) = (self.stores.state.clone(), self.site.id.clone(), self.asker());
        Ok(blocking(move || state.keep_known_answers(&id, &asker, &answers)).await??)
    }

    fn asks_for_changes(&self) -> bool {
        let is_asked = self.site.crawl.changed == SourceChanges::Conditional && !self.options.rebuild;
        is_asked && matches!(self.site.source, Source::Web(_))
    }

    /// Signs for how servers are asked: what they say to others may be something else.
    fn asker(&self) -> String {
        let crawl = &self.site.crawl;
        let mut key = Key::default();
        key.add_program();
        key.add_debug(&(&self.site.source, &crawl.user_agent));
        crawl.headers_file.iter().for_each(|file| key.add_file(file));
        key.hex()
    }
}
