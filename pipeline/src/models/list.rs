//! Which models there are below a folder, and whether they are what was added.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::ModelsError;
use super::hash::sha256;
use crate::engines::ModelFiles;
use crate::engines::model_files::files_below;
use crate::engines::model_names::serves;
use crate::engines::model_parts::{code_of_model, is_part, lacks, languages};
use crate::engines::model_pins::{FILE, Pins, PinsError};
use crate::model::{LanguagePair, Locale};

/// A model below the folder.
#[derive(Clone, Debug, Serialize)]
pub struct ListedModel {
    /// The pair, such as `en-pt`.
    pub pair: String,
    /// The language translated from.
    pub source: Locale,
    /// The language translated into.
    pub target: Locale,
    /// Where its files lie.
    pub folder: PathBuf,
    /// How it is.
    pub state: ModelState,
    /// The defect.
    pub problems: Vec<String>,
    /// Whether the engine takes this one for the pair.
    pub used: bool,
    /// Where it came from, where that is known.
    pub from: Option<String>,
    /// The version in the registry, if it came from one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Its files.
    pub files: Vec<ListedFile>,
}

/// A file of a model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ListedFile {
    /// Its name.
    pub name: String,
    /// Its size.
    pub bytes: u64,
    /// Its SHA-256.
    pub sha256: String,
    /// Whether that is the pinned one; absent where nothing is pinned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matches: Option<bool>,
}

/// How a model is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ModelState {
    /// Its files are what was added.
    Pinned,
    /// It can be used; nobody wrote down what it has to be.
    Unpinned,
    /// It can perhaps be used, and is not what was added.
    Changed,
    /// A file is missing, or the pins cannot be read.
    Damaged,
}

impl ModelState {
    /// The name under which reports know it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pinned => "pinned",
            Self::Unpinned => "unpinned",
            Self::Changed => "changed",
            Self::Damaged => "damaged",
        }
    }
}

impl ListedModel {
    /// Whether the model is for two locales, as the engine sees it.
    pub fn translates(&self, pair: LanguagePair<&Locale>) -> bool {
        serves(
            LanguagePair {
                from: &self.source,
                to: &self.target,
            },
            pair,
        )
    }
}

/// Lists the models below a folder and hashes their files; a folder that is not there has none.
///
/// # Errors
/// A [`ModelsError`] when a model's file cannot be read.
pub fn list(folder: &Path) -> Result<Vec<ListedModel>, ModelsError> {
    list_those(folder, &|_| true)
}

/// Lists the models of some pairs.
pub(super) fn list_those(
    folder: &Path,
    is_wanted: &dyn Fn(&LanguagePair) -> bool,
) -> Result<Vec<ListedModel>, ModelsError> {
    let files = files_below(folder);
    let mut names: BTreeMap<&Path, BTreeSet<&str>> = BTreeMap::new();
    for file in &files {
        if let (Some(parent), Some(name)) = (
            file.parent(),
            file.file_name().and_then(|name| name.to_str()),
        ) {
            names.entry(parent).or_default().insert(name);
        }
    }
    // Of several for one pair the engine takes the last.
    let used: BTreeMap<String, PathBuf> = ModelFiles::below(folder)
        .into_iter()
        .map(|model| (model.pair.hyphenated(), model.folder().to_owned()))
        .collect();
    let mut listed = Vec::new();
    for (parent, names) in names {
        let pins = if names.contains(FILE) {
            Pins::read(parent)
        } else {
            Ok(None)
        };
        let mut codes: BTreeSet<String> = names
            .iter()
            .filter_map(|name| code_of_model(name))
            .map(str::to_owned)
            .collect();
        codes.extend(
            pins.iter()
                .flatten()
                .filter_map(Pins::code)
                .map(str::to_owned),
        );
        for code in codes {
            let pinned = pins
                .iter()
                .flatten()
                .find(|pins| pins.code() == Some(&code))
                .map(Pins::pair);
            let Some(pair) = pinned.or_else(|| languages(&code)).filter(is_wanted) else {
                continue;
            };
            let mut model = look(parent, &names, &code, &pins, pair)?;
            model.used = used.get(&model.pair).is_some_and(|used| used == parent);
            listed.push(model);
        }
    }
    listed.sort_by(|one, other| (&one.pair, &one.folder).cmp(&(&other.pair, &other.folder)));
    Ok(listed)
}

fn look(
    folder: &Path,
    names: &BTreeSet<&str>,
    code: &str,
    pins: &Result<Option<Pins>, PinsError>,
    pair: LanguagePair,
) -> Result<ListedModel, ModelsError> {
    let names: Vec<&str> = names
        .iter()
        .copied()
        .filter(|name| is_part(name, code))
        .collect();
    let (pins, wrong) = match pins {
        Ok(pins) => (pins.as_ref().filter(|pins| pins.code() == Some(code)), None),
        Err(error) => (None, Some(crate::causes::chain(error))),
    };
    let pinned = pins.iter().flat_map(|pins| pins.files.keys());
    let mut missing: Vec<String> = pinned
        .filter(|name| !names.contains(&name.as_str()))
        .cloned()
        .collect();
    if missing.is_empty() {
        missing.extend(lacks(&names, code));
    }
    let mut problems: Vec<String> = missing
        .iter()
        .map(|name| format!("{name} is missing"))
        .chain(wrong)
        .collect();
    let is_damaged = !problems.is_empty();
    let mut files = Vec::new();
    for name in &names {
        let (sha256, bytes) = sha256(&folder.join(name))?;
        let matches = pins.map(|pins| pins.files.get(*name) == Some(&sha256));
        match pins.map(|pins| pins.files.get(*name)) {
            Some(None) => problems.push(format!("{name} was not there when the model was added")),
            Some(Some(pinned)) if *pinned != sha256 => {
                problems.push(format!(
                    "{name} has the SHA-256 {sha256}, and {pinned} was added"
                ));
            }
            Some(Some(_)) | None => {}
        }
        files.push(ListedFile {
            name: (*name).to_owned(),
            bytes,
            sha256,
            matches,
        });
    }
    let state = match (is_damaged, problems.is_empty(), pins) {
        (true, ..) => ModelState::Damaged,
        (false, false, _) => ModelState::Changed,
        (false, true, Some(_)) => ModelState::Pinned,
        (false, true, None) => ModelState::Unpinned,
    };
    Ok(ListedModel {
        pair: pair.hyphenated(),
        source: pair.from,
        target: pair.to,
        folder: folder.to_owned(),
        state,
        problems,
        used: false,
        from: pins.map(|pins| pins.from.clone()),
        version: pins.and_then(|pins| pins.version.clone()),
        files,
    })
}
