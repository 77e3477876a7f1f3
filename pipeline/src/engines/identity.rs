//! Returns every text as it is: for trying the pipeline, and for proving that a page comes out as it went in.

use async_trait::async_trait;

use super::{
    AskError, Caps, Engine, EngineAnswer, EngineError, EnginePlace, EngineRequest, Markup,
    TranslationUnit,
};
use crate::model::{LanguagePair, Locale};

/// The engine that changes nothing.
pub(super) struct IdentityEngine {
    caps: Caps,
}

impl IdentityEngine {
    pub(super) fn new() -> Self {
        Self { caps: in_process() }
    }
}

/// What engines that only rewrite characters can do.
pub(super) fn in_process() -> Caps {
    Caps {
        markup: Markup::Codes,
        unit: TranslationUnit::Block,
        max_items: 256,
        max_chars: usize::MAX,
        parallel: 1,
        place: EnginePlace::InProcess,
        deterministic: true,
        billed: false,
    }
}

#[async_trait]
impl Engine for IdentityEngine {
    fn caps(&self) -> &Caps {
        &self.caps
    }

    fn fingerprint(&self, _pair: LanguagePair<&Locale>) -> String {
        "identity 1".into()
    }

    fn translates(&self) -> bool {
        false
    }

    async fn translate(
        &self,
        request: EngineRequest<'_>,
    ) -> Result<Vec<Result<EngineAnswer, AskError>>, EngineError> {
        Ok(request
            .asks
            .iter()
            .map(|ask| {
                Ok(EngineAnswer {
                    text: ask.text.clone(),
                    links: None,
                })
            })
            .collect())
    }
}
