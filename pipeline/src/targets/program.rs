//! A host's own program, which is given a folder: an argument list and no shell.

use std::path::Path;

use super::error::TargetError;
use crate::processes::{self, ProcessEnvironment, ProcessFailure};

/// Runs a program to its end; `{dir}` in its arguments stands for the folder. Secrets of the
/// host reach it by the environment, which is that of this process without Latimer's own.
pub(super) async fn run(command: &[String], folder: &Path) -> Result<(), TargetError> {
    let folder = std::path::absolute(folder).map_err(super::folder::failed("find", folder))?;
    let place = folder.to_string_lossy();
    let mut words = command.iter().map(|word| word.replace("{dir}", &place));
    let program = words.next().unwrap_or_default();
    let arguments: Vec<String> = words.collect();
    processes::run(&program, &arguments, ProcessEnvironment::AllButOurs)
        .await
        .map_err(|failure| match failure {
            ProcessFailure::Start(source) => TargetError::NoProgram { program, source },
            ProcessFailure::Ended(ended, said) => TargetError::Program {
                program,
                ended,
                said,
            },
        })
}

/// True if a host's program can be found.
pub fn is_there(program: &str) -> bool {
    processes::is_there(program)
}
