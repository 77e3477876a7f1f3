//! Takes away what was added, and nothing else.

use std::fs;
use std::path::{Path, PathBuf};

use super::add::names;
use super::{ListedModel, ModelsError, failed, list};
use crate::engines::model_pins::{FILE, Pins};
use crate::model::{LanguagePair, Locale};

/// A removed model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Removed {
    /// The pair, such as `en-pt`.
    pub pair: String,
    /// Its former folder.
    pub folder: PathBuf,
    /// The names of its files.
    pub files: Vec<String>,
}

/// Removes the pinned model of a pair: its files, the pins, and their folder when nothing else is in it.
///
/// # Errors
/// A [`ModelsError`] when there is none, it is not pinned, or other files lie beside it; nothing is removed then.
pub fn remove(folder: &Path, pair: LanguagePair<&Locale>) -> Result<Removed, ModelsError> {
    let all = list(folder)?;
    let models: Vec<&ListedModel> = all.iter().filter(|model| model.translates(pair)).collect();
    let pair = pair.languages().hyphenated();
    let Some(first) = models.first() else {
        let mut known: Vec<String> = all.iter().map(|model| model.pair.clone()).collect();
        known.dedup();
        return Err(ModelsError::Unknown {
            pair,
            folder: folder.to_owned(),
            known,
        });
    };
    for model in &models {
        let Some(pins) = Pins::read(&model.folder)? else {
            continue;
        };
        let is_known = |name: &str| name == FILE || pins.files.contains_key(name);
        let others: Vec<String> = names(&model.folder)?
            .into_iter()
            .filter(|name| !is_known(name))
            .collect();
        if !others.is_empty() {
            return Err(ModelsError::Others {
                pair,
                folder: model.folder.clone(),
                files: others,
            });
        }
        // The pins go last: whoever is cut off can go on.
        for name in pins.files.keys().map(String::as_str).chain([FILE]) {
            let file = model.folder.join(name);
            match fs::remove_file(&file) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(failed("remove", &file)(error));
                }
                _ => {}
            }
        }
        if model.folder != folder {
            fs::remove_dir(&model.folder).map_err(failed("remove", &model.folder))?;
        }
        return Ok(Removed {
            pair,
            folder: model.folder.clone(),
            files: pins.files.into_keys().collect(),
        });
    }
    Err(ModelsError::Unpinned {
        pair,
        folder: first.folder.clone(),
    })
}
