//! What a translation run cost: calls and characters, in all and by engine.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::chain::SegmentOutcome;
use crate::engines::TokenUsage;

/// What was asked of one engine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EngineUsage {
    /// Requests sent.
    pub calls: u64,
    /// Characters sent, codes not counted; texts that were sent twice count twice.
    pub characters: u64,
    /// Texts that this engine translated.
    pub translated: u64,
    /// Tokens as its service counted them.
    pub tokens: TokenUsage,
}

/// How the inline codes of translated texts were kept, in texts that have any.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Steps {
    /// The engine kept them.
    pub kept: u64,
    /// Pairs were put around the words that theirs became.
    pub projected: u64,
    /// Words before, in and after pairs were translated apart; single codes travelled as marker words.
    pub cut: u64,
    /// Every code cut the text.
    pub apart: u64,
}

/// How the inline codes of one text were kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CodeStep {
    Kept,
    Projected,
    Cut,
    Apart,
}

impl EngineUsage {
    pub(super) fn add(
        &mut self,
        Self {
            calls,
            characters,
            translated,
            tokens,
        }: Self,
    ) {
        self.calls += calls;
        self.characters += characters;
        self.translated += translated;
        self.tokens.add(tokens);
    }
}

impl Steps {
    fn add(
        &mut self,
        Self {
            kept,
            projected,
            cut,
            apart,
        }: Self,
    ) {
        self.kept += kept;
        self.projected += projected;
        self.cut += cut;
        self.apart += apart;
    }

    pub(super) fn count(&mut self, step: Option<CodeStep>) {
        match step {
            None => {}
            Some(CodeStep::Kept) => self.kept += 1,
            Some(CodeStep::Projected) => self.projected += 1,
            Some(CodeStep::Cut) => self.cut += 1,
            Some(CodeStep::Apart) => self.apart += 1,
        }
    }
}

/// What a translation run did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Requests sent.
    pub calls: u64,
    /// Characters sent.
    pub characters: u64,
    /// Texts translated.
    pub translated: u64,
    /// Texts refused by every engine that offers the pair.
    pub refused: u64,
    /// Texts without a letter: nothing was sent, the source text stands.
    pub untouched: u64,
    /// Texts for which no engine offers the pair.
    pub unavailable: u64,
    /// How inline codes were kept.
    pub steps: Steps,
    /// The same by the engine's name in the configuration.
    pub engines: BTreeMap<String, EngineUsage>,
}

impl Tally {
    /// Adds what the same engines did for other texts.
    pub(crate) fn add(&mut self, other: Self) {
        let Self {
            calls,
            characters,
            translated,
            refused,
            untouched,
            unavailable,
            steps,
            engines,
        } = other;
        self.calls += calls;
        self.characters += characters;
        self.translated += translated;
        self.refused += refused;
        self.untouched += untouched;
        self.unavailable += unavailable;
        self.steps.add(steps);
        for (name, usage) in engines {
            self.engines.entry(name).or_default().add(usage);
        }
    }

    /// Counts what became of one text; engines are named by their fingerprints. What rules wrote is not counted.
    pub(super) fn count(&mut self, outcome: &SegmentOutcome, names: &BTreeMap<String, &str>) {
        match outcome {
            SegmentOutcome::Translated { engine, .. } => {
                if let Some(name) = names.get(engine) {
                    self.translated += 1;
                    self.engines
                        .entry((*name).to_owned())
                        .or_default()
                        .translated += 1;
                }
            }
            SegmentOutcome::Untouched => self.untouched += 1,
            SegmentOutcome::Refused(_) => self.refused += 1,
            SegmentOutcome::Unavailable => self.unavailable += 1,
        }
    }

    /// Whether nothing was answered to any text.
    pub(crate) fn is_silent(&self) -> bool {
        self.unavailable > 0 && self.translated + self.refused + self.untouched == 0
    }

    /// Tokens of all engines together.
    pub(crate) fn tokens(&self) -> TokenUsage {
        let mut all = TokenUsage::default();
        for usage in self.engines.values() {
            all.add(usage.tokens);
        }
        all
    }

    pub(super) fn sent(&mut self, engine: &str, sent: EngineUsage) {
        if sent.calls > 0 {
            self.calls += sent.calls;
            self.characters += sent.characters;
            self.engines.entry(engine.to_owned()).or_default().add(sent);
        }
    }
}
