//! Puts the model of a pair into the models' folder: as a whole, or not at all.
//!
//! Everything happens in a folder `.latimer-adding-…` beside the models, which the engine does not see and which is
//! removed whatever happens; the last step is a rename. Where a model is replaced there is a moment between two renames in
//! which the pair has none; a failure in it brings the old one back.

use futures::future::BoxFuture;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Serialize;
use url::Url;

use super::archive::UnpackedFiles;
use super::draft::ModelDraft;
use super::hash::sha256;
use super::list::list_those;
use super::registry::check_space;
use super::{AvailableModel, ListedModel, ModelState, ModelsError, Supplier, failed};
use crate::engines::model_names::serves;
use crate::engines::model_parts::{code_of_pair, is_part};
use crate::engines::model_pins::{FILE, Pins};
use crate::engines::{ModelError, ModelFiles, Proof};
use crate::model::{LanguagePair, without_user};
use crate::net::{DownloadProgress, Downloader};

/// The largest archive that is fetched, in bytes.
const LARGEST_DOWNLOAD: u64 = 2 << 30;

/// Pairs to add, and the folder for them.
#[derive(Clone, Debug)]
pub struct AddOrder {
    /// The models' folder.
    pub folder: PathBuf,
    /// The languages that it translates between.
    pub pair: LanguagePair,
    /// Source of the files.
    pub from: ModelOrigin,
    /// The SHA-256 that the archive must have, in lower case.
    pub sha256: Option<String>,
    /// Whether another model for the pair may be replaced.
    pub replace: bool,
    /// Processor features that this machine lacks to run a model; nothing is fetched from a registry then.
    pub lacks: Option<String>,
    /// Lets the engine try the model.
    pub prove: fn(&ModelFiles) -> Result<Proof, ModelError>,
}

/// Source of a model.
#[derive(Clone, Debug)]
pub enum ModelOrigin {
    /// A folder with its files, at any depth.
    Folder(PathBuf),
    /// An archive with its files.
    Archive(PathBuf),
    /// The address of an archive.
    Web {
        /// The address.
        url: Url,
        /// The client.
        downloader: Arc<Downloader>,
    },
    /// A registry that describes each file.
    Registry {
        /// The model.
        model: AvailableModel,
        /// Folder of its files.
        supplier: Arc<Supplier>,
    },
}

/// Models that were added.
#[derive(Clone, Debug)]
pub struct Added {
    /// Its outcome.
    pub outcome: AddOutcome,
    /// The model as it is now.
    pub model: ListedModel,
    /// Why the engine did not try it, where it did not.
    pub not_tried: Option<String>,
}

/// Outcome for a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum AddOutcome {
    /// It is there now.
    Added,
    /// It took the place of another one.
    Replaced,
    /// The same files were there already, and are pinned now.
    Pinned,
    /// The same files were there already.
    Present,
}

impl ModelOrigin {
    /// Its name in messages and pins, without passwords and signatures of an address.
    fn name(&self) -> String {
        match self {
            Self::Folder(path) | Self::Archive(path) => path.display().to_string(),
            Self::Web { url, .. } => {
                let mut url = url.clone();
                url.set_query(None);
                url.set_fragment(None);
                without_user(url.as_str()).into_owned()
            }
            Self::Registry { supplier, .. } => supplier.name(),
        }
    }

    fn version(&self) -> Option<String> {
        match self {
            Self::Registry { model, .. } => Some(model.version.clone()),
            Self::Folder(_) | Self::Archive(_) | Self::Web { .. } => None,
        }
    }
}

/// Adds a model; `progress` gets the bytes that were fetched and their number, where that is known.
///
/// # Errors
/// A [`ModelsError`] that says why nothing was added; the folder is then as it was.
pub fn add<'a>(
    order: AddOrder,
    progress: &'a DownloadProgress<'a>,
) -> BoxFuture<'a, Result<Added, ModelsError>> {
    Box::pin(async move {
        if let ModelOrigin::Registry { model, supplier } = &order.from {
            if let Some(known) =
                same(&order, &model.hashes())?.filter(|known| known.state == ModelState::Pinned)
            {
                return Ok(Added {
                    outcome: AddOutcome::Present,
                    model: known,
                    not_tried: None,
                });
            }
            if let Some(lack) = &order.lacks
                && matches!(**supplier, Supplier::Web { .. })
            {
                return Err(ModelsError::CannotRun(lack.clone()));
            }
            check_space(&order.folder, model.size() + model.download_size())?;
        }
        let making = Making {
            draft: ModelDraft::begin(&order.folder, &code_of_pair(order.pair.as_ref()))?,
        };
        match &order.from {
            ModelOrigin::Folder(_) | ModelOrigin::Archive(_) => {}
            ModelOrigin::Web { url, downloader } => {
                let fetched = downloader
                    .file(url, &making.archive(), LARGEST_DOWNLOAD, progress)
                    .await;
                fetched.map_err(|source| ModelsError::Fetch {
                    from: order.from.name(),
                    source,
                })?;
            }
            ModelOrigin::Registry { model, supplier } => {
                supplier
                    .bring(model, &making.draft.folder, progress)
                    .await?
            }
        }
        let work = tokio::task::spawn_blocking(move || making.finish(&order));
        work.await
            .map_err(|error| ModelsError::Broken(error.to_string()))?
    })
}

/// A model that is being made ready.
struct Making {
    draft: ModelDraft,
}

impl Making {
    fn archive(&self) -> PathBuf {
        self.draft.folder.join("archive")
    }

    fn finish(self, order: &AddOrder) -> Result<Added, ModelsError> {
        let from = order.from.name();
        let archive = self.check_hash(order, &from)?;
        let model = self.take(order, &from)?;
        let mut files = BTreeMap::new();
        for file in model.files() {
            let name = file
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            files.insert(name, sha256(file)?.0);
        }
        let LanguagePair {
            from: source,
            to: target,
        } = model.pair.clone();
        let pins = Pins {
            source,
            target,
            from: from.clone(),
            version: order.from.version(),
            archive,
            files,
        };
        let place = order.folder.join(&model.code);
        if let Some(known) = same(order, &pins.files)? {
            let is_pinned = known.state == ModelState::Pinned;
            if !is_pinned {
                pins.write(&known.folder)?;
            }
            let outcome = if is_pinned {
                AddOutcome::Present
            } else {
                AddOutcome::Pinned
            };
            return Ok(Added {
                outcome,
                model: found(order, &known.folder)?,
                not_tried: None,
            });
        }
        let replaces = may_take(order, &place, &model.code)?;
        let not_tried = prove(order, &model).map_err(|reason| ModelsError::Unusable {
            pair: model.pair.hyphenated(),
            from: from.clone(),
            reason,
        })?;
        let ready = self.draft.new_folder("ready")?;
        for file in model.files() {
            let target = ready.join(file.file_name().unwrap_or_default());
            fs::rename(file, &target).map_err(failed("write", &target))?;
        }
        pins.write(&ready)?;
        self.install(&ready, &place)?;
        let outcome = if replaces {
            AddOutcome::Replaced
        } else {
            AddOutcome::Added
        };
        Ok(Added {
            outcome,
            model: found(order, &place)?,
            not_tried,
        })
    }

    /// Gives the SHA-256 of an archive, if it is the one that was meant.
    fn check_hash(&self, order: &AddOrder, from: &str) -> Result<Option<String>, ModelsError> {
        let file = match &order.from {
            ModelOrigin::Folder(_) | ModelOrigin::Registry { .. } => return Ok(None),
            ModelOrigin::Archive(file) => file.clone(),
            ModelOrigin::Web { .. } => self.archive(),
        };
        let (hash, _) = sha256(&file)?;
        match &order.sha256 {
            Some(wanted) if *wanted != hash => Err(ModelsError::Hash {
                from: from.to_owned(),
                found: hash,
                wanted: wanted.clone(),
            }),
            Some(_) | None => Ok(Some(hash)),
        }
    }

    /// Takes the files of the pair's only model.
    fn take(&self, order: &AddOrder, from: &str) -> Result<ModelFiles, ModelsError> {
        if let ModelOrigin::Registry { model, supplier } = &order.from {
            return self.take_described(model, supplier);
        }
        let into = self.draft.folder.join("taken");
        let mut taken = UnpackedFiles::new(order.pair.as_ref(), from, &into);
        match &order.from {
            ModelOrigin::Folder(folder) => taken.take_folder(folder)?,
            ModelOrigin::Archive(file) => taken.take_archive(file)?,
            ModelOrigin::Web { .. } => taken.take_archive(&self.archive())?,
            ModelOrigin::Registry { .. } => {}
        }
        let mut models = ModelFiles::below(&into);
        let pair = order.pair.languages().hyphenated();
        match (models.pop(), models.is_empty()) {
            (Some(model), true) => Ok(model),
            (Some(last), false) => {
                let places = models
                    .iter()
                    .chain([&last])
                    .map(|model| taken.origin(model.folder()))
                    .collect();
                Err(ModelsError::Several {
                    pair,
                    from: from.to_owned(),
                    places,
                })
            }
            (None, _) => {
                let found = match taken.others.contains(&pair) {
                    true => {
                        "there is a model file, but its vocabulary (vocab.*.spm) is not beside it"
                            .to_owned()
                    }
                    false if taken.others.is_empty() => {
                        "no file in it is called model.*.bin".to_owned()
                    }
                    false => format!(
                        "it has {}",
                        taken.others.iter().cloned().collect::<Vec<_>>().join(", ")
                    ),
                };
                Err(ModelsError::NoModel {
                    pair,
                    from: from.to_owned(),
                    found,
                })
            }
        }
    }

    /// Takes the files that a registry describes.
    fn take_described(
        &self,
        model: &AvailableModel,
        supplier: &Supplier,
    ) -> Result<ModelFiles, ModelsError> {
        let into = self.draft.new_folder("taken")?;
        supplier.take(model, &self.draft.folder, &into)?;
        let files: Vec<PathBuf> = model.hashes().keys().map(|name| into.join(name)).collect();
        let code = code_of_pair(model.pair.as_ref());
        let network = files.iter().find(|file| {
            file.file_name()
                .is_some_and(|name| name.to_str().is_some_and(|name| name.starts_with("model.")))
        });
        let parts: Vec<&Path> = files.iter().map(PathBuf::as_path).collect();
        let files =
            network.and_then(|file| ModelFiles::of_parts(file, &parts, &code, model.pair.clone()));
        files.ok_or_else(|| ModelsError::Broken(format!("the model {code} lacks a file")))
    }

    fn install(&self, ready: &Path, place: &Path) -> Result<(), ModelsError> {
        let old = self.draft.folder.join("old");
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

/// Lets the engine try a model. Returns the reason if it could not.
fn prove(order: &AddOrder, model: &ModelFiles) -> Result<Option<String>, ModelError> {
    match (order.prove)(model)? {
        Proof::Loaded(sentences) => {
            model.check_script(&sentences)?;
            Ok(None)
        }
        Proof::NotTried(reason) => Ok(Some(reason)),
    }
}

/// True if the model takes the place of another one; an error if it may not.
fn may_take(order: &AddOrder, place: &Path, code: &str) -> Result<bool, ModelsError> {
    let pair = order.pair.languages().hyphenated();
    let others = models(order)?
        .into_iter()
        .map(|model| model.folder)
        .find(|folder| folder != place);
    if let Some(folder) = others {
        return Err(ModelsError::Elsewhere { pair, folder });
    }
    if !place.exists() {
        return Ok(false);
    }
    let names = names(place)?;
    let strange: Vec<String> = names
        .iter()
        .filter(|name| *name != FILE && !is_part(name, code))
        .cloned()
        .collect();
    match (strange.is_empty(), names.is_empty(), order.replace) {
        (false, ..) => Err(ModelsError::Others {
            pair,
            folder: place.to_owned(),
            files: strange,
        }),
        (true, true, _) => Ok(false),
        (true, false, true) => Ok(true),
        (true, false, false) => Err(ModelsError::Another {
            pair,
            folder: place.to_owned(),
        }),
    }
}

/// The models for the pair that are there.
fn models(order: &AddOrder) -> Result<Vec<ListedModel>, ModelsError> {
    list_those(&order.folder, &|pair| {
        serves(pair.as_ref(), order.pair.as_ref())
    })
}

/// The model that has the same files already.
fn same(
    order: &AddOrder,
    wanted: &BTreeMap<String, String>,
) -> Result<Option<ListedModel>, ModelsError> {
    let hashes = |model: &ListedModel| -> BTreeMap<String, String> {
        model
            .files
            .iter()
            .map(|file| (file.name.clone(), file.sha256.clone()))
            .collect()
    };
    Ok(models(order)?
        .into_iter()
        .find(|model| model.used && hashes(model) == *wanted))
}

fn found(order: &AddOrder, folder: &Path) -> Result<ListedModel, ModelsError> {
    let found = models(order)?
        .into_iter()
        .find(|model| model.folder == folder);
    found.ok_or_else(|| ModelsError::Broken(format!("the model in {} is gone", folder.display())))
}

/// The names of everything in a folder.
pub(super) fn names(folder: &Path) -> Result<Vec<String>, ModelsError> {
    let entries = fs::read_dir(folder).map_err(failed("read", folder))?;
    let name = |entry: std::io::Result<fs::DirEntry>| {
        Ok(entry?.file_name().to_string_lossy().into_owned())
    };
    let mut names: Vec<String> = entries
        .map(name)
        .collect::<Result<_, _>>()
        .map_err(failed("read", folder))?;
    names.sort();
    Ok(names)
}
