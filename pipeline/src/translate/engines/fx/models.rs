//! Finds model files below a folder by their names, as Mozilla publishes them: `model.enpt.intgemm.alphas.bin`
//! beside `vocab.enpt.spm` (or `srcvocab.enpt.spm` and `trgvocab.enpt.spm`) and, optionally, `lex.….enpt.….bin`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::workers::Workers;
use crate::model::Locale;

/// Folders below folders that are looked into.
const DEPTH: usize = 8;

/// The files of one pair.
#[derive(Clone)]
pub(super) struct Model {
    /// Such as `en-pt`.
    pub(super) pair: String,
    pub(super) file: PathBuf,
    pub(super) source_vocabulary: PathBuf,
    pub(super) target_vocabulary: PathBuf,
    pub(super) shortlist: Option<PathBuf>,
}

/// A pair, and what is started and computed when it is first needed.
pub(super) struct Pair {
    source: Locale,
    target: Locale,
    pub(super) model: Model,
    workers: OnceLock<Workers>,
    fingerprint: OnceLock<String>,
}

/// The pairs below a folder; of several models for one pair the last by path.
pub(super) struct Models {
    folder: PathBuf,
    pairs: BTreeMap<String, Pair>,
}

impl Models {
    pub(super) fn below(folder: &Path) -> Self {
        let mut files = Vec::new();
        list(folder, DEPTH, &mut files);
        files.sort();
        let pairs = files.iter().filter_map(|file| Pair::of(file, &files)).map(|pair| (pair.model.pair.clone(), pair));
        Self { folder: folder.to_owned(), pairs: pairs.collect() }
    }

    /// The model for two locales: regions do not matter, scripts do. The error says where to put one.
    pub(super) fn find(&self, source: &Locale, target: &Locale) -> Result<&Pair, String> {
        let fits = |pair: &&Pair| pair.source.same_language(source) && pair.target.same_language(target);
        self.pairs.values().find(fits).ok_or_else(|| {
            let pair = format!("{}{}", source.language(), target.language());
            format!(
                "no model for {source} to {target} below {}; put the files model.{pair}.intgemm.alphas.bin, \
                 vocab.{pair}.spm and lex.50.50.{pair}.s2t.bin of Firefox Translations there (see README.md of latimer)",
                self.folder.display()
            )
        })
    }
}

impl Pair {
    /// The files around a model file; `None` when this is none or its vocabulary is missing.
    fn of(model: &Path, all: &[PathBuf]) -> Option<Self> {
        let code = name(model)?.strip_prefix("model.")?.strip_suffix(".bin")?.split('.').next()?;
        let (from, to) = languages(code)?;
        let (source, target) = (Locale::parse(from).ok()?, Locale::parse(to).ok()?);
        let beside = |test: &dyn Fn(&str) -> bool| {
            all.iter().find(|file| file.parent() == model.parent() && name(file).is_some_and(test)).cloned()
        };
        let vocabulary = |start: &str| {
            let start = format!("{start}.{code}.");
            beside(&|name| name.starts_with(&start) && name.ends_with(".spm"))
        };
        let (source_vocabulary, target_vocabulary) = match vocabulary("vocab") {
            Some(shared) => (shared.clone(), shared),
            None => (vocabulary("srcvocab")?, vocabulary("trgvocab")?),
        };
        let middle = format!(".{code}.");
        let shortlist = beside(&|name| name.starts_with("lex.") && name.contains(&middle) && name.ends_with(".bin"));
        let file = model.to_owned();
        let model = Model { pair: format!("{from}-{to}"), file, source_vocabulary, target_vocabulary, shortlist };
        Some(Self { source, target, model, workers: OnceLock::new(), fingerprint: OnceLock::new() })
    }

    /// The threads that translate with this model.
    pub(super) fn workers(&self) -> &Workers {
        self.workers.get_or_init(|| Workers::start(self.model.clone()))
    }

    /// A hash of the files, read when first asked for: another model, another fingerprint.
    pub(super) fn fingerprint(&self) -> &str {
        self.fingerprint.get_or_init(|| {
            let mut hasher = blake3::Hasher::new();
            let Model { file, source_vocabulary, target_vocabulary, shortlist, .. } = &self.model;
            for file in [Some(file), Some(source_vocabulary), Some(target_vocabulary), shortlist.as_ref()] {
                hasher.update(&file.and_then(|file| fs::read(file).ok()).unwrap_or_default());
            }
            hasher.finalize().to_hex()[..12].to_owned()
        })
    }
}

fn name(file: &Path) -> Option<&str> {
    file.file_name()?.to_str()
}

/// Splits `enpt` or `en-pt`.
fn languages(code: &str) -> Option<(&str, &str)> {
    let two_letters = |text: &str| (2..=3).contains(&text.len()) && text.chars().all(|c| c.is_ascii_lowercase());
    let (from, to) = match code.split_once(['-', '_']) {
        Some(pair) => pair,
        None if code.len() == 4 && code.is_ascii() => code.split_at(2),
        None => return None,
    };
    (two_letters(from) && two_letters(to)).then_some((from, to))
}

fn list(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    for path in entries.map(|entry| entry.path()) {
        if !path.is_dir() {
            files.push(path);
        } else if depth > 0 {
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
            "x/model.broken.bin",
            "x/vocab.broken.spm",
            "x/README",
        ] {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, file).unwrap();
        }
        let models = Models::below(folder.path());
        for (source, target, expected) in [
            ("en", "pt", Some(("en-pt", true))),
            ("en-GB", "pt-BR", Some(("en-pt", true))),
            ("en", "zh", Some(("en-zh", false))),
            ("en", "zh-TW", None), // another script
            ("pt", "en", None),
            ("en", "fr", None), // no vocabulary
        ] {
            let found = models.find(&Locale::parse(source).unwrap(), &Locale::parse(target).unwrap());
            let found = found.as_ref().map(|found| (found.model.pair.as_str(), found.model.shortlist.is_some()));
            assert_eq!(found.ok(), expected, "{source} to {target}");
        }
        let (en, de) = (Locale::parse("en").unwrap(), Locale::parse("de").unwrap());
        let hint = models.find(&en, &de).err().unwrap();
        assert!(hint.contains("model.ende.") && hint.contains(folder.path().to_str().unwrap()), "{hint}");
    }
}
