//! Finds the files of neural models below a folder by their names, as Mozilla publishes them:
//! `model.enpt.intgemm.alphas.bin` beside `vocab.enpt.spm` (or `srcvocab.enpt.spm` and `trgvocab.enpt.spm`) and,
//! optionally, `lex.….enpt.….bin`.
//!
//! The engine `fx` and the commands about models see the same files. What is being put into the folder lies in folders
//! whose names begin with [`DRAFT`] and is not seen.

use std::fs;
use std::path::{Path, PathBuf};

use crate::model::{LanguagePair, Locale};

/// How the names of folders begin that hold what is not there yet.
pub(crate) const DRAFT: &str = ".latimer-";

/// Folders below folders that are looked into.
const DEPTH: usize = 8;

/// Whether a model was tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// The engine loaded it and translated a text with it.
    Loaded,
    /// The engine could not try it here, and why.
    NotTried(&'static str),
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
        files.iter().filter_map(|file| Self::of(file, &files)).collect()
    }

    /// The files around a model file; `None` when this is none or its vocabulary is missing.
    fn of(model: &Path, all: &[PathBuf]) -> Option<Self> {
        let code = code_of_model(name(model)?)?;
        let pair = languages(code)?;
        let beside = |test: &dyn Fn(&str) -> bool| {
            all.iter().find(|file| file.parent() == model.parent() && name(file).is_some_and(test)).cloned()
        };
        let vocabulary = |start: &str| beside(&|name| is_vocabulary(name, start, code));
        let (source_vocabulary, target_vocabulary) = match vocabulary("vocab") {
            Some(shared) => (shared.clone(), shared),
            None => (vocabulary("srcvocab")?, vocabulary("trgvocab")?),
        };
        let shortlist = beside(&|name| is_shortlist(name, code));
        let file = model.to_owned();
        Some(Self { code: code.to_owned(), pair, file, source_vocabulary, target_vocabulary, shortlist })
    }

    /// Its files, each once.
    pub fn files(&self) -> Vec<&Path> {
        let mut files = vec![self.file.as_path(), &self.source_vocabulary];
        files.extend((self.source_vocabulary != self.target_vocabulary).then_some(self.target_vocabulary.as_path()));
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

/// The pair in the name of a model file.
pub(crate) fn code_of_model(name: &str) -> Option<&str> {
    let code = name.strip_prefix("model.")?.strip_suffix(".bin")?.split('.').next()?;
    languages(code).map(|_| code)
}

/// Whether a name is that of a file of a pair's model.
pub(crate) fn is_part(name: &str, code: &str) -> bool {
    let is_plain = name.chars().all(|one| one.is_ascii_alphanumeric() || matches!(one, '.' | '-' | '_'));
    let is_vocabulary = ["vocab", "srcvocab", "trgvocab"].iter().any(|start| is_vocabulary(name, start, code));
    is_plain && (code_of_model(name) == Some(code) || is_vocabulary || is_shortlist(name, code))
}

/// What a model cannot do without and a folder lacks: what its file would be called.
pub(crate) fn lacks(names: &[&str], code: &str) -> Option<String> {
    let has = |start: &str| names.iter().any(|name| is_vocabulary(name, start, code));
    if !names.iter().any(|name| code_of_model(name) == Some(code)) {
        return Some(format!("model.{code}.*.bin"));
    }
    match (has("vocab"), has("srcvocab"), has("trgvocab")) {
        (true, ..) | (_, true, true) => None,
        (_, true, false) => Some(format!("trgvocab.{code}.spm")),
        (_, false, true) => Some(format!("srcvocab.{code}.spm")),
        (_, false, false) => Some(format!("vocab.{code}.spm")),
    }
}

fn is_vocabulary(name: &str, start: &str, code: &str) -> bool {
    let rest = name.strip_prefix(start).and_then(|rest| rest.strip_prefix('.'));
    let rest = rest.and_then(|rest| rest.strip_prefix(code)).and_then(|rest| rest.strip_prefix('.'));
    rest.is_some() && name.ends_with(".spm")
}

fn is_shortlist(name: &str, code: &str) -> bool {
    name.starts_with("lex.") && name.contains(&format!(".{code}.")) && name.ends_with(".bin")
}

fn name(file: &Path) -> Option<&str> {
    file.file_name()?.to_str()
}

/// Splits `enpt` or `en-pt`.
pub(crate) fn languages(code: &str) -> Option<LanguagePair> {
    let is_language = |text: &str| (2..=3).contains(&text.len()) && text.chars().all(|c| c.is_ascii_lowercase());
    let (from, to) = match code.split_once(['-', '_']) {
        Some(pair) => pair,
        None if code.len() == 4 && code.is_ascii() => code.split_at(2),
        None => return None,
    };
    if !is_language(from) || !is_language(to) {
        return None;
    }
    Some(LanguagePair { from: Locale::parse(from).ok()?, to: Locale::parse(to).ok()? })
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
            let pair = LanguagePair { from: &from, to: &to };
            let found = models.iter().find(|model| model.pair.same_languages(pair));
            let found = found.map(|found| (found.pair.hyphenated(), found.files().len()));
            assert_eq!(found, expected.map(|(pair, files)| (pair.to_owned(), files)), "{source} to {target}");
        }
    }

    #[test]
    fn what_is_missing_is_named() {
        for (names, expected) in [
            (&["model.enpt.bin", "vocab.enpt.spm"][..], None),
            (&["model.enpt.bin", "srcvocab.enpt.spm", "trgvocab.enpt.spm"], None),
            (&["model.enpt.bin"], Some("vocab.enpt.spm")),
            (&["model.enpt.bin", "srcvocab.enpt.spm"], Some("trgvocab.enpt.spm")),
            (&["model.enpt.bin", "trgvocab.enpt.spm", "vocab.ende.spm"], Some("srcvocab.enpt.spm")),
            (&["vocab.enpt.spm"], Some("model.enpt.*.bin")),
        ] {
            assert_eq!(lacks(names, "enpt").as_deref(), expected, "{names:?}");
        }
    }
}
