//! Which engine to start: the parsed form of an `[engine.NAME]` table or of `--engine`, and the one place that
//! turns it into an [`Engine`].

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::engines::{Apertium, Command, Identity, Pseudo};
use super::{Engine, EngineError};

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
    },
}

/// Starts an engine; programs are launched and models loaded when the first text arrives.
///
/// # Errors
/// [`EngineError::Absent`] when this build does not hold the engine.
pub fn start(spec: &EngineSpec) -> Result<Arc<dyn Engine>, EngineError> {
    Ok(match spec {
        EngineSpec::Identity => Arc::new(Identity::new()),
        EngineSpec::Pseudo => Arc::new(Pseudo::new()),
        EngineSpec::Fx { models } => return start_fx(models),
        EngineSpec::Apertium => Arc::new(Apertium::installed()),
        EngineSpec::Command { program, arguments } => Arc::new(Command::new(program, arguments)),
    })
}

#[cfg(feature = "fx")]
fn start_fx(models: &Path) -> Result<Arc<dyn Engine>, EngineError> {
    Ok(Arc::new(super::engines::Fx::below(models)))
}

#[cfg(not(feature = "fx"))]
fn start_fx(_models: &Path) -> Result<Arc<dyn Engine>, EngineError> {
    Err(EngineError::Absent("this build has no neural engine; build Latimer with the feature `fx`".into()))
}
