//! A host's own program, which is given a folder: an argument list and no shell.

use std::collections::VecDeque;
use std::path::Path;
use std::process::Stdio;

use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};
use tokio::sync::Mutex;

use super::error::TargetError;
use crate::processes::Group;

/// How many lines of a program that failed are shown.
const SHOWN: usize = 20;
/// The longest line that is shown, in characters.
const LONGEST: usize = 400;

/// Runs a program to its end; `{dir}` in its arguments stands for the folder. Secrets reach it by the environment, which is
/// that of this process.
pub(super) async fn run(command: &[String], folder: &Path) -> Result<(), TargetError> {
    let folder = std::path::absolute(folder).map_err(super::folder::failed("find", folder))?;
    let place = folder.to_string_lossy();
    let mut words = command.iter().map(|word| word.replace("{dir}", &place));
    let program = words.next().unwrap_or_default();
    let arguments: Vec<String> = words.collect();
    let mut group = Group::new();
    let no_program = |source| TargetError::NoProgram { program: program.clone(), source };
    let child = group.spawn(&program, &arguments, Stdio::null(), Stdio::piped()).map_err(no_program)?;
    let (out, errors) = (child.stdout.take(), child.stderr.take());
    let said = Mutex::new(VecDeque::new());
    let (status, (), ()) = tokio::join!(child.wait(), listen(out, &said), listen(errors, &said));
    let status = status.map_err(|source| TargetError::NoProgram { program: program.clone(), source })?;
    group.end().await;
    if status.success() {
        return Ok(());
    }
    let ended = status.code().map_or_else(|| "was ended by a signal".to_owned(), |code| format!("ended with {code}"));
    let said: String = said.into_inner().iter().map(|line: &String| format!("\n  {line}")).collect();
    Err(TargetError::Program { program, ended, said })
}

/// Keeps the last lines of what a program says.
async fn listen(from: Option<impl AsyncRead + Unpin>, said: &Mutex<VecDeque<String>>) {
    let Some(from) = from else { return };
    let mut lines = BufReader::new(from).split(b'\n');
    while let Ok(Some(line)) = lines.next_segment().await {
        let line = String::from_utf8_lossy(&line);
        let line: String = line.chars().filter(|c| !c.is_control()).take(LONGEST).collect();
        let mut said = said.lock().await;
        if said.len() == SHOWN {
            said.pop_front();
        }
        said.push_back(line);
    }
}
