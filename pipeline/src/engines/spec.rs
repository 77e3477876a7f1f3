//! Which engine to start: the parsed form of an `[engine.NAME]` table or of `--engine`, and the one place that
//! turns it into an [`Engine`].

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::apertium::Apertium;
use super::command::CommandEngine;
use super::identity::IdentityEngine;
use super::pivot::Pivot;
use super::pseudo::Pseudo;
use super::{
    ApiKey, Engine, EngineError, HttpService, ModelError, ModelFiles, Proof, SERVICES, ServiceKind,
};
use crate::model::Locale;

/// Which engine to start, and with what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EngineSpec {
    /// Returns every text as it is.
    Identity,
    /// Decorates every text, for trying a site's layout; never a translation.
    Pseudo,
    /// Neural models in this process.
    Fx {
        /// Folder below which model files are looked for.
        models: PathBuf,
    },
    /// Apertium's programs on this machine.
    Apertium,
    /// A program that speaks JSON lines.
    Command {
        /// The program; found as the operating system finds programs.
        program: String,
        /// Its arguments.
        arguments: Vec<String>,
        /// Variables of the environment that it is given beside the usual ones.
        variables: Vec<String>,
    },
    /// A service that is asked over HTTP.
    Service(&'static ServiceKind, HttpService),
    /// Two engines, the second translating what the first made.
    Pivot {
        /// The engine that translates from the source.
        first: Box<EngineSpec>,
        /// The language in between.
        via: Locale,
        /// The engine that translates to the target.
        second: Box<EngineSpec>,
    },
}

impl EngineSpec {
    /// False for engines that only show where texts are.
    pub fn translates(&self) -> bool {
        match self {
            Self::Identity | Self::Pseudo => false,
            Self::Fx { .. }
            | Self::Apertium
            | Self::Command { .. }
            | Self::Service(..)
            | Self::Pivot { .. } => true,
        }
    }

    /// True if its services may report the tokens of a request.
    pub fn counts_tokens(&self) -> bool {
        match self {
            // Only services of language models have request settings.
            Self::Service(kind, _) => kind.takes_settings,
            Self::Pivot {
                first,
                second,
                via: _,
            } => first.counts_tokens() || second.counts_tokens(),
            Self::Identity
            | Self::Pseudo
            | Self::Fx { .. }
            | Self::Apertium
            | Self::Command { .. } => false,
        }
    }

    /// Its `kind` in a configuration.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Identity => "identity",
            Self::Pseudo => "pseudo",
            Self::Fx { .. } => "fx",
            Self::Apertium => "apertium",
            Self::Command { .. } => "command",
            Self::Service(kind, _) => kind.name,
            Self::Pivot { .. } => "pivot",
        }
    }

    /// The folders of neural models that it reads.
    pub fn model_folders(&self) -> Vec<&Path> {
        match self {
            Self::Fx { models } => vec![models],
            Self::Pivot {
                first,
                second,
                via: _,
            } => [first.model_folders(), second.model_folders()].concat(),
            Self::Identity
            | Self::Pseudo
            | Self::Apertium
            | Self::Command { .. }
            | Self::Service(..) => Vec::new(),
        }
    }

    /// Passes the owner's instructions to an engine that takes them.
    pub fn instruct(&mut self, instructions: &str) {
        match self {
            Self::Service(kind, service) if kind.takes_settings => {
                service.settings.instructions = Some(instructions.to_owned());
            }
            Self::Pivot {
                first,
                second,
                via: _,
            } => {
                first.instruct(instructions);
                second.instruct(instructions);
            }
            Self::Identity
            | Self::Pseudo
            | Self::Fx { .. }
            | Self::Apertium
            | Self::Command { .. }
            | Self::Service(..) => {}
        }
    }

    /// Files that hold its keys.
    pub fn key_files(&self) -> Vec<&Path> {
        match self {
            Self::Identity
            | Self::Pseudo
            | Self::Fx { .. }
            | Self::Apertium
            | Self::Command { .. } => Vec::new(),
            Self::Pivot {
                first,
                second,
                via: _,
            } => [first.key_files(), second.key_files()].concat(),
            Self::Service(_, HttpService { key, settings, .. }) => {
                let key = match key {
                    ApiKey::File(path) => Some(path.as_path()),
                    ApiKey::Text(_) | ApiKey::Unset(_) => None,
                };
                key.into_iter()
                    .chain(settings.headers_file.as_deref())
                    .collect()
            }
        }
    }
}

/// The kinds of services, in the order in which messages name them.
pub fn services() -> impl Iterator<Item = &'static ServiceKind> {
    SERVICES.into_iter()
}

/// Starts an engine; programs are launched, models loaded and services asked when the first text arrives.
///
/// # Errors
/// [`EngineError::Absent`] when this build does not hold the engine, or its key cannot be had.
pub fn start(spec: &EngineSpec) -> Result<Arc<dyn Engine>, EngineError> {
    Ok(match spec {
        EngineSpec::Identity => Arc::new(IdentityEngine::new()),
        EngineSpec::Pseudo => Arc::new(Pseudo::new()),
        EngineSpec::Fx { models } => return start_fx(models),
        EngineSpec::Apertium => Arc::new(Apertium::installed()),
        EngineSpec::Command {
            program,
            arguments,
            variables,
        } => Arc::new(CommandEngine::new(program, arguments, variables)),
        EngineSpec::Service(kind, service) => return (kind.start)(service),
        EngineSpec::Pivot { first, via, second } => {
            Arc::new(Pivot::new(start(first)?, start(second)?, via.clone()))
        }
    })
}

/// Lets the neural engine load a model.
///
/// # Errors
/// A [`ModelError`] that says why the engine cannot use it.
#[cfg(feature = "fx")]
pub fn prove(files: &ModelFiles) -> Result<Proof, ModelError> {
    super::fx::prove(files)
}

/// Lets the neural engine load a model.
///
/// # Errors
/// None in this build, which has no neural engine.
#[cfg(not(feature = "fx"))]
pub fn prove(_files: &ModelFiles) -> Result<Proof, ModelError> {
    Ok(Proof::NotTried(NO_FX.into()))
}

/// Processor features that this machine lacks to run neural models; `None` if it has all.
#[cfg(feature = "fx")]
pub fn lacks_for_models() -> Option<String> {
    super::fx::lacks()
}

/// Processor features that this machine lacks to run neural models; `None` if it has all.
#[cfg(not(feature = "fx"))]
pub fn lacks_for_models() -> Option<String> {
    Some(NO_FX.into())
}

#[cfg(not(feature = "fx"))]
const NO_FX: &str = "this build has no neural engine; build Latimer with the feature `fx`";

#[cfg(feature = "fx")]
fn start_fx(models: &Path) -> Result<Arc<dyn Engine>, EngineError> {
    Ok(Arc::new(super::fx::Fx::below(models)))
}

#[cfg(not(feature = "fx"))]
fn start_fx(_models: &Path) -> Result<Arc<dyn Engine>, EngineError> {
    Err(EngineError::Absent(NO_FX.into()))
}
