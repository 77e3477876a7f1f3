//! translate-toolkit in a virtual environment of its own, and what it needs for each page.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use super::Cost;

const PACKAGE: &str = "translate-toolkit==3.20.4";

/// What the two conversions of a page cost.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Costs {
    pub(crate) extract: Cost,
    pub(crate) merge: Cost,
}

/// Converts all pages; a page that cannot be converted has no costs.
pub(crate) fn run(files: &[PathBuf]) -> Result<Vec<Option<Costs>>, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let python = install(&root.join("target/peers"))?;
    let mut command = Command::new(python);
    command
        .arg(root.join("benches/peers/toolkit.py"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    let mut child = command.spawn().map_err(|error| error.to_string())?;
    let mut stdin = child.stdin.take().unwrap();
    let output = std::thread::scope(|scope| {
        scope.spawn(move || {
            files
                .iter()
                .try_for_each(|file| writeln!(stdin, "{}", file.display()))
        });
        child.wait_with_output().unwrap()
    });
    let costs: Vec<Option<Costs>> = String::from_utf8_lossy(&output.stdout)
        .lines()
        .map(read)
        .collect();
    if costs.len() == files.len() {
        Ok(costs)
    } else {
        Err(format!("it ended after {} pages", costs.len()))
    }
}

fn install(folder: &Path) -> Result<PathBuf, String> {
    let python = folder.join("bin/python");
    let works = |arguments: &[&str], program: &Path| {
        Command::new(program)
            .args(arguments)
            .stdout(Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
    };
    if works(&["-c", "import translate.convert.po2html"], &python) {
        return Ok(python);
    }
    let made = works(
        &["-m", "venv", &folder.display().to_string()],
        Path::new("python3"),
    ) && works(
        &["-m", "pip", "install", "--quiet", "--no-input", PACKAGE],
        &python,
    );
    if made {
        Ok(python)
    } else {
        Err(format!("{PACKAGE} of PyPI could not be installed"))
    }
}

fn read(line: &str) -> Option<Costs> {
    let times: Option<Vec<f64>> = serde_json::from_str(line).unwrap();
    let times: Vec<Duration> = times?.into_iter().map(Duration::from_secs_f64).collect();
    let cost = |at: usize| Cost {
        cpu: times[at],
        wall: times[at + 1],
    };
    Some(Costs {
        extract: cost(0),
        merge: cost(2),
    })
}
