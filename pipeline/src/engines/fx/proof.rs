//! The proof that a model can be used: it is loaded and translates three sentences.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::super::{Ask, ModelError, ModelFiles};
use super::network::Network;
use super::sentences;

/// Loads a network and translates three sentences with it, in languages that have some. Returns source and translation.
pub(super) fn prove(model: &ModelFiles) -> Result<Vec<(String, String)>, ModelError> {
    catch_unwind(AssertUnwindSafe(|| try_out(model))).unwrap_or(Err(ModelError::Damaged))
}

fn try_out(model: &ModelFiles) -> Result<Vec<(String, String)>, ModelError> {
    let network = Network::load(model)?;
    let sentences = sentences::in_language(model.pair.from.language());
    let asks: Vec<Ask> = sentences
        .iter()
        .map(|sentence| Ask::plain(sentence))
        .collect();
    let mut translated = Vec::new();
    for (sentence, answer) in sentences.iter().zip(network.translate(&asks)) {
        let text = answer
            .map_err(|error| ModelError::Refused(error.to_string()))?
            .text;
        translated.push(((*sentence).to_owned(), text.text().to_owned()));
    }
    Ok(translated)
}
