//! Puts the model of a pair into the models' folder: as a whole, or not at all.
//!
//! Everything happens in a folder `.latimer-adding-…` beside the models, which the engine does not see and which is
//! removed whatever happens; the last step is a rename. Where a model is replaced there is a moment between two renames in
//! which the pair has none; a failure in it brings the old one back.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Serialize;
use url::Url;

use super::archive::Taken;
use super::list::list_those;
use super::pins::{FILE, Pins, sha256};
use super::{Listed, ModelsError, State, failed};
use crate::engines::model_files::{DRAFT, is_part};
use crate::engines::{ModelError, ModelFiles, Proof};
use crate::model::{LanguagePair, without_user};
use crate::net::download;

/// The largest archive that is fetched, in bytes.
const LARGEST_DOWNLOAD: u64 = 2 << 30;

/// What to add, and where.
#[derive(Clone, Debug)]
pub struct AddOrder {
    /// The models' folder.
    pub folder: PathBuf,
    /// The languages that it translates between.
    pub pair: LanguagePair,
    /// Where the files come from.
    pub from: Origin,
    /// The SHA-256 that the archive must have, in lower case.
    pub sha256: Option<String>,
    /// Whether another model for the pair may be replaced.
    pub replace: bool,
    /// Lets the engine try the model.
    pub prove: fn(&ModelFiles) -> Result<Proof, ModelError>,
}

/// Where a model comes from.
#[derive(Clone, Debug)]
pub enum Origin {
    /// A folder with its files, at any depth.
    Folder(PathBuf),
    /// An archive with its files.
    Archive(PathBuf),
    /// The address of an archive.
    Web {
        /// The address.
        url: Url,
        /// Whether it may lie in a private network.
        allow_private: bool,
    },
}

/// What was done.
#[derive(Clone, Debug)]
pub struct Added {
    /// What became of it.
    pub outcome: Outcome,
    /// The model as it is now.
    pub model: Listed,
    /// Why the engine did not try it, where it did not.
    pub not_tried: Option<&'static str>,
}

/// What became of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// It is there now.
    Added,
    /// It took the place of another one.
    Replaced,
    /// The same files were there already, and are pinned now.
    Pinned,
    /// The same files were there already.
    Present,
}

impl Origin {
    /// What messages and pins call it; neither passwords nor signatures in an address belong there.
    fn name(&self) -> String {
        match self {
            Self::Folder(path) | Self::Archive(path) => path.display().to_string(),
            Self::Web { url, .. } => {
                let mut url = url.clone();
                url.set_query(None);
                url.set_fragment(None);
                without_user(url.as_str()).into_owned()
            }
        }
    }
}

/// Adds a model; `progress` gets the bytes that were fetched and their number, where that is known.
///
/// # Errors
/// A [`ModelsError`] that says why nothing was added; the folder is then as it was.
pub async fn add(order: AddOrder, progress: &(dyn Fn(u64, Option<u64>) + Send + Sync)) -> Result<Added, ModelsError> {
    let draft = Draft::begin(&order)?;
    if let Origin::Web { url, allow_private } = &order.from {
        let fetched = download(url, &draft.archive(), LARGEST_DOWNLOAD, *allow_private, progress).await;
        fetched.map_err(|source| ModelsError::Fetch { from: order.from.name(), source })?;
    }
    let work = tokio::task::spawn_blocking(move || draft.finish(&order));
    work.await.map_err(|error| ModelsError::Broken(error.to_string()))?
}

/// A folder in which a model is made ready; it goes with this value.
struct Draft {
    folder: PathBuf,
    /// The models' folder, where it was made for this.
    made: Option<PathBuf>,
}

impl Drop for Draft {
    fn drop(&mut self) {
        // What cannot be removed is in the way of the next one, which says so.
        let _ = fs::remove_dir_all(&self.folder);
        if let Some(made) = &self.made {
            let _ = fs::remove_dir(made); // only where nothing was added
        }
    }
}

impl Draft {
    fn begin(order: &AddOrder) -> Result<Self, ModelsError> {
        let made = (!order.folder.exists()).then(|| order.folder.clone());
        fs::create_dir_all(&order.folder).map_err(failed("create", &order.folder))?;
        let folder = order.folder.join(format!("{DRAFT}adding-{}", order.pair.languages().hyphenated()));
        match fs::create_dir(&folder) {
            Ok(()) => Ok(Self { folder, made }),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Err(ModelsError::Busy { folder }),
            Err(error) => Err(failed("create", &folder)(error)),
        }
    }

    fn archive(&self) -> PathBuf {
        self.folder.join("archive")
    }

    fn finish(self, order: &AddOrder) -> Result<Added, ModelsError> {
        let from = order.from.name();
        let archive = self.check_hash(order, &from)?;
        let model = self.take(order, &from)?;
        let mut pins = Pins { from: from.clone(), archive, files: BTreeMap::new() };
        for file in model.files() {
            let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
            pins.files.insert(name, sha256(file)?.0);
        }
        let place = order.folder.join(&model.code);
        if let Some(known) = same(order, &pins)? {
            let is_pinned = known.state == State::Pinned;
            if !is_pinned {
                pins.write(&known.folder)?;
            }
            let outcome = if is_pinned { Outcome::Present } else { Outcome::Pinned };
            return Ok(Added { outcome, model: found(order, &known.folder)?, not_tried: None });
        }
        let replaces = self.may_take(order, &place, &model.code)?;
        let unusable = |reason| ModelsError::Unusable { pair: model.pair.hyphenated(), from: from.clone(), reason };
        let not_tried = match (order.prove)(&model).map_err(unusable)? {
            Proof::Loaded => None,
            Proof::NotTried(reason) => Some(reason),
        };
        let ready = self.folder.join("ready");
        fs::create_dir(&ready).map_err(failed("create", &ready))?;
        for file in model.files() {
            let target = ready.join(file.file_name().unwrap_or_default());
            fs::rename(file, &target).map_err(failed("write", &target))?;
        }
        pins.write(&ready)?;
        self.install(&ready, &place)?;
        let outcome = if replaces { Outcome::Replaced } else { Outcome::Added };
        Ok(Added { outcome, model: found(order, &place)?, not_tried })
    }

    /// Gives the SHA-256 of an archive, if it is the one that was meant.
    fn check_hash(&self, order: &AddOrder, from: &str) -> Result<Option<String>, ModelsError> {
        let file = match &order.from {
            Origin::Folder(_) => return Ok(None),
            Origin::Archive(file) => file.clone(),
            Origin::Web { .. } => self.archive(),
        };
        let (hash, _) = sha256(&file)?;
        match &order.sha256 {
            Some(wanted) if *wanted != hash => {
                Err(ModelsError::Hash { from: from.to_owned(), found: hash, wanted: wanted.clone() })
            }
            Some(_) | None => Ok(Some(hash)),
        }
    }

    /// Takes the files of the pair's only model.
    fn take(&self, order: &AddOrder, from: &str) -> Result<ModelFiles, ModelsError> {
        let into = self.folder.join("taken");
        let mut taken = Taken::new(order.pair.as_ref(), from, &into);
        match &order.from {
            Origin::Folder(folder) => taken.take_folder(folder)?,
            Origin::Archive(file) => taken.take_archive(file)?,
            Origin::Web { .. } => taken.take_archive(&self.archive())?,
        }
        let mut models = ModelFiles::below(&into);
        let pair = order.pair.languages().hyphenated();
        match (models.pop(), models.is_empty()) {
            (Some(model), true) => Ok(model),
            (Some(last), false) => {
                let places = models.iter().chain([&last]).map(|model| taken.origin(model.folder())).collect();
                Err(ModelsError::Several { pair, from: from.to_owned(), places })
            }
            (None, _) => {
                let found = match taken.others.contains(&pair) {
                    true => "there is a model file, but its vocabulary (vocab.*.spm) is not beside it".to_owned(),
                    false if taken.others.is_empty() => "no file in it is called model.*.bin".to_owned(),
                    false => format!("it has {}", taken.others.iter().cloned().collect::<Vec<_>>().join(", ")),
                };
                Err(ModelsError::NoModel { pair, from: from.to_owned(), found })
            }
        }
    }

    /// Whether the model takes the place of another one; an error where it may not.
    fn may_take(&self, order: &AddOrder, place: &Path, code: &str) -> Result<bool, ModelsError> {
        let pair = order.pair.languages().hyphenated();
        let others = models(order)?.into_iter().map(|model| model.folder).find(|folder| folder != place);
        if let Some(folder) = others {
            return Err(ModelsError::Elsewhere { pair, folder });
        }
        if !place.exists() {
            return Ok(false);
        }
        let names = names(place)?;
        let strange: Vec<String> = names.iter().filter(|name| *name != FILE && !is_part(name, code)).cloned().collect();
        match (strange.is_empty(), names.is_empty(), order.replace) {
            (false, ..) => Err(ModelsError::Others { pair, folder: place.to_owned(), files: strange }),
            (true, true, _) => Ok(false),
            (true, false, true) => Ok(true),
            (true, false, false) => Err(ModelsError::Another { pair, folder: place.to_owned() }),
        }
    }

    fn install(&self, ready: &Path, place: &Path) -> Result<(), ModelsError> {
        let old = self.folder.join("old");
        let had_one = place.exists();
        if had_one {
            fs::rename(place, &old).map_err(failed("move", place))?;
        }
        fs::rename(ready, place).map_err(|error| {
            if had_one {
                let _ = fs::rename(&old, place); // the error says what went wrong first
            }
            failed("write", place)(error)
        })
    }
}

/// The models for the pair that are there.
fn models(order: &AddOrder) -> Result<Vec<Listed>, ModelsError> {
    list_those(&order.folder, &|pair| pair.same_languages(order.pair.as_ref()))
}

/// The model that has the same files already.
fn same(order: &AddOrder, pins: &Pins) -> Result<Option<Listed>, ModelsError> {
    let hashes = |model: &Listed| -> BTreeMap<String, String> {
        model.files.iter().map(|file| (file.name.clone(), file.sha256.clone())).collect()
    };
    Ok(models(order)?.into_iter().find(|model| model.used && hashes(model) == pins.files))
}

fn found(order: &AddOrder, folder: &Path) -> Result<Listed, ModelsError> {
    let found = models(order)?.into_iter().find(|model| model.folder == folder);
    found.ok_or_else(|| ModelsError::Broken(format!("the model in {} is gone", folder.display())))
}

/// The names of everything in a folder.
pub(super) fn names(folder: &Path) -> Result<Vec<String>, ModelsError> {
    let entries = fs::read_dir(folder).map_err(failed("read", folder))?;
    let name = |entry: std::io::Result<fs::DirEntry>| Ok(entry?.file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> = entries.map(name).collect::<Result<_, _>>().map_err(failed("read", folder))?;
    names.sort();
    Ok(names)
}
