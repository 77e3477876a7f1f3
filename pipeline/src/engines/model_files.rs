//! Finds the files of neural models below a folder by their names, as Mozilla publishes them:
//! `model.enpt.intgemm.alphas.bin` beside `vocab.enpt.spm` (or `srcvocab.enpt.spm` and `trgvocab.enpt.spm`) and,
//! optionally, `lex.….enpt.….bin`. The pair of languages is that of the pins, if there are any, or else that in the names.
//!
//! The engine `fx` and the commands about models see the same files. What is being put into the folder lies in folders
//! whose names begin with [`DRAFT`] and is not seen.

use std::fs;
use std::path::{Path, PathBuf};

use super::model_parts::{code_in_name, is_shortlist, is_vocabulary, languages};
use super::model_pins::Pins;
use crate::model::{LanguagePair, Locale};
use crate::text::{Han, foreign_script, han_in};

/// How the names of folders begin that hold what is not there yet.
pub(crate) const DRAFT: &str = ".latimer-";

/// The largest file of a model, in bytes.
pub(crate) const LARGEST: u64 = 256 << 20;

/// Folders below folders that are looked into.
const DEPTH: usize = 8;

/// Whether a model was tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Proof {
    /// The engine loaded it and translated these sentences with it: source and translation.
    Loaded(Vec<(String, String)>),
    /// The engine could not try it here, and why.
    NotTried(String),
}

/// Says why the neural engine cannot use a model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// The engine refuses a file of it, in words of its own.
    #[error("{0}")]
    Refused(String),
    /// The engine broke off over it.
    #[error("its files are damaged")]
    Damaged,
    /// It writes in letters of another script.
    #[error("it does not write {locale}: {reason}")]
    Script {
        /// The locale that it was taken for.
        locale: Locale,
        /// The difference.
        reason: String,
    },
}

/// The files of one pair of languages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelFiles {
    /// The pair as the names of files have it, such as `enpt`.
    pub code: String,
    /// The languages that it translates between.
    pub pair: LanguagePair,
    /// The network.
    pub file: PathBuf,
    /// The words of the source language.
    pub source_vocabulary: PathBuf,
    /// The words of the target language; often the same file.
    pub target_vocabulary: PathBuf,
    /// Which words are likely for which, where there is such a file.
    pub shortlist: Option<PathBuf>,
}

impl ModelFiles {
    /// Every complete model below a folder, by path. Of several for one pair the engine takes the last.
    pub fn below(folder: &Path) -> Vec<Self> {
        let files = files_below(folder);
        files
            .iter()
            .filter_map(|file| Self::of(file, &files))
            .collect()
    }

    /// The files around a model file; `None` when this is none or its vocabulary is missing.
    fn of(model: &Path, all: &[PathBuf]) -> Option<Self> {
        let code = code_in_name(name(model)?)?;
        let pins = Pins::read(model.parent()?)
            .ok()
            .flatten()
            .filter(|pins| pins.code() == Some(code));
        let pair = match pins {
            Some(pins) => pins.pair(),
            None => languages(code)?,
        };
        let beside: Vec<&Path> = all
            .iter()
            .map(PathBuf::as_path)
            .filter(|file| file.parent() == model.parent())
            .collect();
        Self::of_parts(model, &beside, code, pair)
    }

    /// The model of a pair, if these files are all that it needs.
    pub(crate) fn of_parts(
        model: &Path,
        files: &[&Path],
        code: &str,
        pair: LanguagePair,
    ) -> Option<Self> {
        let (source_vocabulary, target_vocabulary) = match vocabulary(files, "vocab", code) {
            Some(shared) => (shared.clone(), shared),
            None => (
                vocabulary(files, "srcvocab", code)?,
                vocabulary(files, "trgvocab", code)?,
            ),
        };
        let shortlist = files
            .iter()
            .find(|file| name(file).is_some_and(|name| is_shortlist(name, code)));
        Some(Self {
            code: code.to_owned(),
            pair,
            file: model.to_owned(),
            source_vocabulary,
            target_vocabulary,
            shortlist: shortlist.map(|file| file.to_path_buf()),
        })
    }

    /// Refuses a model whose translations are not in the script of its target language.
    pub(crate) fn check_script(&self, sentences: &[(String, String)]) -> Result<(), ModelError> {
        let locale = &self.pair.to;
        let wrong = sentences
            .iter()
            .find_map(|(source, translation)| foreign_script(source, translation, locale));
        let all: String = sentences
            .iter()
            .map(|(_, translation)| translation.as_str())
            .collect();
        let wrong = wrong.or_else(|| match (locale.script().as_str(), han_in(&all)?) {
            ("Hant", Han::Simplified) => Some("its characters are the simplified ones".to_owned()),
            ("Hans", Han::Traditional) => {
                Some("its characters are the traditional ones".to_owned())
            }
            _ => None,
        });
        match wrong {
            Some(reason) => Err(ModelError::Script {
                locale: locale.clone(),
                reason,
            }),
            None => Ok(()),
        }
    }

    /// Its files, each once.
    pub fn files(&self) -> Vec<&Path> {
        let mut files = vec![self.file.as_path(), &self.source_vocabulary];
        files.extend(
            (self.source_vocabulary != self.target_vocabulary)
                .then_some(self.target_vocabulary.as_path()),
        );
        files.extend(self.shortlist.as_deref());
        files
    }

    /// Where they lie.
    pub fn folder(&self) -> &Path {
        self.file.parent().unwrap_or(Path::new(""))
    }
}

/// Every file below a folder, sorted.
pub(crate) fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    list(folder, DEPTH, &mut files);
    files.sort();
    files
}

/// The vocabulary of a pair's model whose name begins so.
fn vocabulary(files: &[&Path], start: &str, code: &str) -> Option<PathBuf> {
    let found = files
        .iter()
        .find(|file| name(file).is_some_and(|name| is_vocabulary(name, start, code)));
    found.map(|file| file.to_path_buf())
}

fn name(file: &Path) -> Option<&str> {
    file.file_name()?.to_str()
}

fn list(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    for path in entries.map(|entry| entry.path()) {
        if !path.is_dir() {
            files.push(path);
        } else if depth > 0 && !name(&path).is_some_and(|name| name.starts_with(DRAFT)) {
            list(&path, depth - 1, files);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_are_found_by_name_anywhere_below_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        for file in [
            "a/enpt-1/model.enpt.intgemm.alphas.bin",
            "a/enpt-1/vocab.enpt.spm",
            "a/enpt-1/lex.50.50.enpt.s2t.bin",
            "enzh/model.enzh.intgemm8.bin",
            "enzh/srcvocab.enzh.spm",
            "enzh/trgvocab.enzh.spm",
            "alone/model.enfr.bin",
            ".latimer-adding-ende/model.ende.bin",
            ".latimer-adding-ende/vocab.ende.spm",
            "x/model.broken.bin",
            "x/vocab.broken.spm",
            "x/README",
        ] {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, file).unwrap();
        }
        let models = ModelFiles::below(folder.path());
        for (source, target, expected) in [
            ("en", "pt", Some(("en-pt", 3))),
            ("en-GB", "pt-BR", Some(("en-pt", 3))),
            ("en", "zh", Some(("en-zh", 3))),
            ("en", "zh-TW", None), // another script
            ("pt", "en", None),
            ("en", "fr", None), // no vocabulary
            ("en", "de", None), // not there yet
        ] {
            let [from, to] = [source, target].map(|tag| Locale::parse(tag).unwrap());
            let pair = LanguagePair {
                from: &from,
                to: &to,
            };
            let found = models.iter().find(|model| model.pair.same_languages(pair));
            let found = found.map(|found| (found.pair.hyphenated(), found.files().len()));
            assert_eq!(
                found,
                expected.map(|(pair, files)| (pair.to_owned(), files)),
                "{source} to {target}"
            );
        }
    }
}
