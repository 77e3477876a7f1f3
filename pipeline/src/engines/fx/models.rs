//! The models of the engine: which pair has which, and what is computed when it is first needed.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use super::super::ModelFiles;
use super::super::model_names::serves;
use crate::model::{LanguagePair, Locale};

/// A pair, and what is computed when it is first needed.
pub(super) struct ModelPair {
    pub(super) files: Arc<ModelFiles>,
    fingerprint: OnceLock<String>,
}

/// The pairs below a folder; of several models for one pair the last by path.
pub(super) struct Models {
    folder: PathBuf,
    pairs: BTreeMap<String, ModelPair>,
}

impl Models {
    pub(super) fn below(folder: &Path) -> Self {
        let pair = |files: ModelFiles| {
            let code = files.pair.hyphenated();
            (
                code,
                ModelPair {
                    files: Arc::new(files),
                    fingerprint: OnceLock::new(),
                },
            )
        };
        Self {
            folder: folder.to_owned(),
            pairs: ModelFiles::below(folder).into_iter().map(pair).collect(),
        }
    }

    /// Says that there is no model at all.
    pub(super) fn lack(&self) -> Option<String> {
        let folder = self.folder.display();
        self.pairs.is_empty().then(|| {
            format!(
                "there is no model below {folder}; `latimer models add` gets those that Mozilla has"
            )
        })
    }

    /// The model for two locales. The error says how to get one.
    pub(super) fn find(&self, pair: LanguagePair<&Locale>) -> Result<&ModelPair, String> {
        self.pairs.values().find(|own| serves(own.files.pair.as_ref(), pair)).ok_or_else(|| {
            let LanguagePair { from, to } = pair;
            format!(
                "no model for {pair} below {}; `latimer models add {from} {to}` gets one, if Mozilla has it",
                self.folder.display()
            )
        })
    }
}

impl ModelPair {
    /// Key of its network: the files' place and content, because a model may be replaced while it is used.
    pub(super) fn key(&self) -> String {
        format!("{} {}", self.fingerprint(), self.files.file.display())
    }

    /// A hash of the files, read when first asked for: another model, another fingerprint.
    pub(super) fn fingerprint(&self) -> &str {
        self.fingerprint.get_or_init(|| {
            let mut hasher = blake3::Hasher::new();
            let ModelFiles {
                file,
                source_vocabulary,
                target_vocabulary,
                shortlist,
                ..
            } = &*self.files;
            for file in [
                Some(file),
                Some(source_vocabulary),
                Some(target_vocabulary),
                shortlist.as_ref(),
            ] {
                hasher.update(
                    &file
                        .and_then(|file| fs::read(file).ok())
                        .unwrap_or_default(),
                );
            }
            hasher.finalize().to_hex()[..12].to_owned()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_model_is_an_error_that_says_how_to_get_it() {
        let folder = tempfile::tempdir().unwrap();
        let models = Models::below(folder.path());
        let languages = LanguagePair::of_tags("en", "de");
        let hint = models.find(languages.as_ref()).err().unwrap();
        for part in ["latimer models add en de", folder.path().to_str().unwrap()] {
            assert!(hint.contains(part), "{hint}");
        }
    }
}
