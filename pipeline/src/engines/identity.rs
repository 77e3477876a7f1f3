//! Returns every text as it is: for trying the pipeline, and for proving that a page comes out as it went in.

use async_trait::async_trait;

use super::{AskError, Caps, Done, Engine, EngineError, Markup, Place, Request, Unit};
use crate::model::{LanguagePair, Locale};

/// The engine that changes nothing.
pub(super) struct Identity {
    caps: Caps,
}

impl Identity {
    pub(super) fn new() -> Self {
        Self { caps: in_process() }
    }
}

/// What engines that only rewrite characters can do.
pub(super) fn in_process() -> Caps {
    Caps {
        markup: Markup::Codes,
        unit: Unit::Block,
        max_items: 256,
        max_chars: usize::MAX,
        parallel: 1,
        place: Place::InProcess,
        deterministic: true,
        billed: false,
    }
}

#[async_trait]
impl Engine for Identity {
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
        request: Request<'_>,
    ) -> Result<Vec<Result<Done, AskError>>, EngineError> {
        Ok(request
            .asks
            .iter()
            .map(|ask| {
                Ok(Done {
                    text: ask.text.clone(),
                    links: None,
                })
            })
            .collect())
    }
}
