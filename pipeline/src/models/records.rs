//! Records of a registry of models: its models, their versions, and the files for a pair. Pure.
//!
//! A record is one file. Records that lack something or make no sense are passed over, and fields of other programs are
//! not looked at, because the collection grows with Firefox. No name or path in a record becomes a path on this machine.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::engines::model_files::LARGEST;
use crate::engines::model_names::{locale_of_record, serves};
use crate::engines::model_parts::code_of_pair;
use crate::model::{LanguagePair, Locale};

/// The major version of models that the engine reads.
const MAJOR: u64 = 3;
/// The language that pairs go through if they have no model.
const BETWEEN: &str = "en";

/// One file of a model, as the registry describes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelRecord {
    /// The file's name.
    pub name: String,
    file_type: FileType,
    source_language: String,
    target_language: String,
    version: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    architecture: Option<String>,
    /// The SHA-256 of the file that the engine reads.
    pub decompressed_hash: String,
    /// The size of the file that the engine reads.
    pub decompressed_size: u64,
    /// The file that is fetched.
    pub attachment: Attachment,
    /// The versions of Firefox that take it; empty if all do.
    #[serde(
        default,
        rename = "filter_expression",
        skip_serializing_if = "Option::is_none"
    )]
    filter: Option<String>,
    /// The licence, if the registry says one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    license: Option<String>,
}

/// A file that is fetched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attachment {
    /// Its address, relative to that of all attachments.
    pub location: String,
    /// Its SHA-256.
    pub hash: String,
    /// Its size.
    pub size: u64,
}

/// Role of a file in a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum FileType {
    Model,
    Vocab,
    SrcVocab,
    TrgVocab,
    Lex,
}

/// A complete model of one pair and version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AvailableModel {
    /// The languages that it translates between.
    pub pair: LanguagePair,
    /// The version.
    pub version: String,
    /// The size class of the network, such as `tiny` or `base-memory`.
    pub architecture: Option<String>,
    /// The licence, if the registry says one.
    pub license: Option<String>,
    /// Its files, the network first.
    pub files: Vec<ModelRecord>,
}

/// The models of a registry: the best of each pair, by pair.
#[derive(Clone, Debug, Default)]
pub struct Registry {
    models: Vec<AvailableModel>,
}

/// Available models that translate one language into another: one, or two with English between. They need not be installed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModelRoute<'r> {
    /// One model.
    Direct(&'r AvailableModel),
    /// Two models in the order of their use: into English, then from English.
    Through([&'r AvailableModel; 2]),
}

impl ModelRecord {
    /// True if its hashes and sizes can be those of a file that the engine reads.
    fn is_sound(&self) -> bool {
        is_hash(&self.decompressed_hash)
            && is_hash(&self.attachment.hash)
            && (1..=LARGEST).contains(&self.decompressed_size)
            && (1..=LARGEST).contains(&self.attachment.size)
    }

    fn pair(&self) -> Option<LanguagePair> {
        let from = locale_of_record(&self.source_language)?;
        let to = locale_of_record(&self.target_language)?;
        Some(LanguagePair { from, to })
    }

    /// The name of the file in the models' folder. It is made of the pair and not taken from the record.
    pub(super) fn file_name(&self, code: &str) -> String {
        match self.file_type {
            FileType::Model => format!("model.{code}.intgemm.alphas.bin"),
            FileType::Vocab => format!("vocab.{code}.spm"),
            FileType::SrcVocab => format!("srcvocab.{code}.spm"),
            FileType::TrgVocab => format!("trgvocab.{code}.spm"),
            FileType::Lex => format!("lex.50.50.{code}.s2t.bin"),
        }
    }
}

fn is_hash(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

impl AvailableModel {
    /// True if it translates between two locales.
    pub fn translates(&self, pair: LanguagePair<&Locale>) -> bool {
        serves(self.pair.as_ref(), pair)
    }

    /// Bytes that are fetched.
    pub fn download_size(&self) -> u64 {
        self.files.iter().map(|record| record.attachment.size).sum()
    }

    /// Bytes that it takes on the disk.
    pub fn size(&self) -> u64 {
        self.files
            .iter()
            .map(|record| record.decompressed_size)
            .sum()
    }

    /// The part of its files' names that stands for the pair.
    pub(super) fn code(&self) -> String {
        code_of_pair(self.pair.as_ref())
    }

    /// The SHA-256 of each file by its name in the models' folder.
    pub(super) fn hashes(&self) -> BTreeMap<String, String> {
        let code = self.code();
        self.files
            .iter()
            .map(|record| (record.file_name(&code), record.decompressed_hash.clone()))
            .collect()
    }

    /// The model of some records of one pair and version, if nothing is missing.
    fn of(pair: LanguagePair, records: Vec<ModelRecord>) -> Option<Self> {
        let mut files: BTreeMap<FileType, ModelRecord> = BTreeMap::new();
        for record in records {
            files.entry(record.file_type).or_insert(record);
        }
        if !files.contains_key(&FileType::Model) {
            return None;
        }
        let has_both =
            files.contains_key(&FileType::SrcVocab) && files.contains_key(&FileType::TrgVocab);
        match (files.contains_key(&FileType::Vocab), has_both) {
            (true, _) => {
                files.remove(&FileType::SrcVocab);
                files.remove(&FileType::TrgVocab);
            }
            (false, true) => {}
            (false, false) => return None,
        }
        let files: Vec<ModelRecord> = files.into_values().collect();
        let first = files.first()?;
        Some(Self {
            pair,
            version: first.version.clone(),
            architecture: first.architecture.clone(),
            license: first.license.clone(),
            files,
        })
    }

    /// Rank of a model among those of its pair: a final version before a trial, one for every Firefox before one
    /// for some, the newer version, the larger network.
    fn rank(&self) -> (bool, bool, ModelVersion, u64) {
        let version = ModelVersion::parse(&self.version).unwrap_or_default();
        let for_all = self
            .files
            .iter()
            .all(|record| record.filter.as_deref().unwrap_or_default().is_empty());
        (version.is_final, for_all, version, self.size())
    }
}

/// A version such as `3.1`, or `3.0a1` for a trial of 3.0.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct ModelVersion {
    numbers: Vec<u64>,
    is_final: bool,
    trial: String,
}

impl ModelVersion {
    fn parse(text: &str) -> Option<Self> {
        let end = text
            .find(|character: char| !character.is_ascii_digit() && character != '.')
            .unwrap_or(text.len());
        let (numbers, trial) = text.split_at(end);
        let numbers: Result<Vec<u64>, _> = numbers.split('.').map(str::parse).collect();
        Some(Self {
            numbers: numbers.ok()?,
            is_final: trial.is_empty(),
            trial: trial.to_owned(),
        })
    }

    fn is_readable(&self) -> bool {
        self.numbers.first() == Some(&MAJOR)
    }
}

impl Registry {
    /// Reads the answer of a registry: an object whose `data` is a list of records.
    ///
    /// # Errors
    /// A sentence if it is none.
    pub fn parse(bytes: &[u8]) -> Result<Self, String> {
        #[derive(Deserialize)]
        struct RegistryAnswer {
            data: Vec<serde_json::Value>,
        }
        let answer: RegistryAnswer =
            serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        let records = answer
            .data
            .into_iter()
            .filter_map(|record| serde_json::from_value(record).ok());
        Ok(Self::of(records))
    }

    fn of(records: impl Iterator<Item = ModelRecord>) -> Self {
        // One model has files of one version, one architecture and one audience.
        let mut groups: BTreeMap<[Option<String>; 5], Vec<ModelRecord>> = BTreeMap::new();
        for mut record in records.filter(ModelRecord::is_sound) {
            let is_readable =
                ModelVersion::parse(&record.version).is_some_and(|version| version.is_readable());
            let Some(pair) = record.pair().filter(|_| is_readable) else {
                continue;
            };
            record.decompressed_hash.make_ascii_lowercase();
            record.attachment.hash.make_ascii_lowercase();
            let key = [
                Some(pair.from.to_string()),
                Some(pair.to.to_string()),
                Some(record.version.clone()),
                record.architecture.clone(),
                record.filter.clone(),
            ];
            groups.entry(key).or_default().push(record);
        }
        let mut models: Vec<AvailableModel> = Vec::new();
        for records in groups.into_values() {
            let pair = records.first().and_then(ModelRecord::pair);
            models.extend(pair.and_then(|pair| AvailableModel::of(pair, records)));
        }
        models.sort_by_key(|model| (model.pair.hyphenated(), Reverse(model.rank())));
        models.dedup_by(|next, kept| next.pair == kept.pair);
        Self { models }
    }

    /// The best model of each pair, by pair.
    pub fn models(&self) -> &[AvailableModel] {
        &self.models
    }

    /// The model that translates a pair directly. A model of the very locale goes before one of its language.
    pub fn direct(&self, pair: LanguagePair<&Locale>) -> Option<&AvailableModel> {
        let exact = self.models.iter().find(|model| model.pair.as_ref() == pair);
        exact.or_else(|| self.models.iter().find(|model| model.translates(pair)))
    }

    /// The models for a pair: one, or two through English. The error names what there is instead.
    ///
    /// # Errors
    /// A sentence if a model is missing.
    pub fn way(&self, pair: LanguagePair<&Locale>) -> Result<ModelRoute<'_>, String> {
        if let Some(model) = self.direct(pair) {
            return Ok(ModelRoute::Direct(model));
        }
        let Ok(english) = Locale::parse(BETWEEN) else {
            return Err("it has none".into());
        };
        let [first, second] = pair.via(&english).map(|leg| self.direct(leg));
        match first.zip(second) {
            Some((first, second)) => Ok(ModelRoute::Through([first, second])),
            None => Err(self.lack(pair, &english)),
        }
    }

    /// The model that is missing for a pair.
    fn lack(&self, pair: LanguagePair<&Locale>, english: &Locale) -> String {
        for (locale, is_source) in [(pair.from, true), (pair.to, false)] {
            let with_english = match is_source {
                true => LanguagePair {
                    from: locale,
                    to: english,
                },
                false => LanguagePair {
                    from: english,
                    to: locale,
                },
            };
            if locale.same_language(english) || self.direct(with_english).is_some() {
                continue;
            }
            let sides = self.models.iter().map(|model| {
                if is_source {
                    &model.pair.from
                } else {
                    &model.pair.to
                }
            });
            let of_language = sides
                .into_iter()
                .find(|own| own.language() == locale.language());
            let direction = if is_source { "from" } else { "into" };
            let name = locale.english_name();
            return match of_language {
                Some(own) => format!(
                    "none translates {direction} {name} ({locale}) in this script; it has {own}"
                ),
                None => format!("none translates {direction} {name} ({locale})"),
            };
        }
        "none translates this pair".into()
    }
}
