//! Neural translation in this process, with the models of Firefox Translations from a local folder.
//!
//! Only `network.rs` and `links.rs` name fxtranslate, which is young and single-handed: it runs on threads of our own, its panics
//! are caught and cost one text, and what it is known to do wrong is kept from it or taken out. Sentences arrive one by one and
//! sorted by length; a sentence that is longer than the model's window is cut at a comma or space, because it would be cut off
//! silently. Batches do not change what a sentence becomes.

mod links;
mod models;
mod network;
mod pool;
mod proof;
mod sentences;

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use tokio::sync::oneshot;
use tokio::time::timeout;

use self::models::{ModelPair, Models};
use self::pool::{BatchJob, Pool};
use super::{
    AskError, Caps, Engine, EngineAnswer, EngineError, EnginePlace, EngineRequest, Markup,
    ModelError, ModelFiles, Offer, Proof, TranslationUnit,
};
use crate::model::{LanguagePair, Locale};

/// The neural engine.
pub(super) struct Fx {
    caps: Caps,
    models: Models,
    pool: Arc<Pool>,
}

impl Fx {
    /// The models that lie anywhere below a folder.
    pub(super) fn below(folder: &Path) -> Self {
        let caps = Caps {
            markup: Markup::Links,
            unit: TranslationUnit::Sentence,
            max_items: 32,
            max_chars: 2_000,
            parallel: pool::count(),
            place: EnginePlace::InProcess,
            deterministic: true,
            billed: false,
        };
        Self {
            caps,
            models: Models::below(folder),
            pool: Pool::shared(),
        }
    }

    fn find(&self, pair: LanguagePair<&Locale>) -> Result<&ModelPair, String> {
        let found = self.models.find(pair)?;
        match lacks() {
            None => Ok(found),
            Some(lack) => Err(lack),
        }
    }
}

/// Loads a model and lets it translate three sentences, on a thread of its own.
pub(super) fn prove(files: &ModelFiles) -> Result<Proof, ModelError> {
    match lacks() {
        None => proof::prove(files).map(Proof::Loaded),
        Some(lack) => Ok(Proof::NotTried(lack)),
    }
}

/// The instructions that the kernel was compiled for and this processor lacks: the crate itself does not look.
pub(super) fn lacks() -> Option<String> {
    #[cfg(target_arch = "x86_64")]
    return lack(
        std::arch::is_x86_feature_detected!("avx2"),
        "AVX2 (Intel since 2013, AMD since 2015)",
    );
    #[cfg(target_arch = "aarch64")]
    return lack(
        std::arch::is_aarch64_feature_detected!("i8mm"),
        "i8mm (Apple since M2, AWS since Graviton3)",
    );
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    return None; // the portable kernel
}

#[cfg_attr(
    not(any(target_arch = "x86_64", target_arch = "aarch64")),
    expect(dead_code, reason = "nothing is needed")
)]
fn lack(has: bool, name: &str) -> Option<String> {
    if has {
        None
    } else {
        Some(format!(
            "this processor lacks the instructions {name}, which the neural engine needs"
        ))
    }
}

#[async_trait]
impl Engine for Fx {
    fn caps(&self) -> &Caps {
        &self.caps
    }

    fn kind(&self) -> &'static str {
        "fx"
    }

    fn fingerprint(&self, pair: LanguagePair<&Locale>) -> String {
        match self.find(pair) {
            Ok(model) => format!(
                "fx {} {} {}",
                network::VERSION,
                model.files.pair.hyphenated(),
                model.fingerprint()
            ),
            Err(_) => format!("fx {}", network::VERSION),
        }
    }

    fn offers(&self, pair: LanguagePair<&Locale>) -> Offer {
        match self.find(pair) {
            Ok(_) => Offer::Yes,
            Err(hint) => Offer::No(hint),
        }
    }

    fn lack(&self) -> Option<String> {
        lacks().or_else(|| self.models.lack())
    }

    async fn translate(
        &self,
        request: EngineRequest<'_>,
    ) -> Result<Vec<Result<EngineAnswer, AskError>>, EngineError> {
        let model = self
            .find(request.pair)
            .map_err(|hint| EngineError::Unsupported {
                pair: request.pair.cloned(),
                hint,
            })?;
        let (sender, receiver) = oneshot::channel();
        self.pool.run(
            &model.key(),
            &model.files,
            BatchJob {
                asks: request.asks.to_vec(),
                answer: sender,
            },
        );
        let answers = timeout(request.deadline, receiver)
            .await
            .map_err(|_| EngineError::Deadline(request.deadline))?;
        answers.map_err(|_| EngineError::Bad("the neural engine's threads are gone".into()))?
    }
}

#[cfg(test)]
mod tests;
