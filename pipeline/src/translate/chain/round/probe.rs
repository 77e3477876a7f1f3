//! A round for one text that is asked once.

use super::super::failure::{FailureReason, TextFailure};
use super::super::probe::ProbeAnswer;
use super::Round;

impl Round<'_> {
    /// Asks for the only text and returns its answer as it came.
    pub(in super::super) async fn probe(mut self) -> Result<ProbeAnswer, FailureReason> {
        for batch in self.batches() {
            let asks: Vec<_> = batch.iter().map(|&ask| self.asks[ask].clone()).collect();
            let answers = self.line.call(&asks).await.map_err(FailureReason::Failed)?;
            for (ask, answer) in batch.into_iter().zip(answers) {
                self.answers[ask] =
                    Some(answer.map_err(|error| TextFailure::answer(error.to_string())));
            }
        }
        let Some(entry) = self.entries.first() else {
            let failed = self.failed.first().map(|text| text.reasons.to_string());
            return Err(FailureReason::Said(failed.unwrap_or_else(|| {
                "the engine is not asked for this text".to_owned()
            })));
        };
        let text = self.assembled(entry).map_err(TextFailure::into_reason)?;
        let flaw = self
            .judge(0)
            .err()
            .map(|failure| failure.into_reason().to_string());
        Ok(ProbeAnswer { text, flaw })
    }
}
