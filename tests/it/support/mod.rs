//! What the end-to-end tests share: a site in a folder of its own, and the program run on it.
//!
//! Every test works on a copy, so tests may run at the same time and leave nothing behind. Nothing of the
//! environment that would change what the program does reaches it.

#![allow(
    dead_code,
    unreachable_pub,
    reason = "each test file uses the part it needs"
)]

pub mod api;
pub mod documents;
#[path = "../../../pipeline/page/tests/it/laws/judge.rs"]
pub mod judge;
pub mod model;
pub mod nginx;
pub mod origin;
pub mod pages;
pub mod recorder;
pub mod registry;
pub mod rented;
pub mod s3;
pub mod web;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// The files of a folder by their names relative to it.
pub type Files = BTreeMap<String, Vec<u8>>;

/// An engine that is a program of its own: it puts a mark before the first word of a text, and needs no network.
pub const MARKING: &str = r#"
[engine.marking]
kind = "command"
program = "sed"
args = ["-u", 's/"text":"/"text":"¡/']
"#;

/// A site in a folder of its own.
pub struct Site {
    folder: TempDir,
}

/// What a run of the program did.
pub struct Ran {
    pub code: i32,
    pub stdout: Vec<u8>,
    pub stderr: String,
}

impl Site {
    /// A copy of a fixture, without what a build may have left there.
    pub fn fixture(name: &str) -> Self {
        let site = Self {
            folder: TempDir::new().unwrap(),
        };
        let from = repository().join("fixtures/sites").join(name);
        copy(&from, site.folder.path(), &|name| {
            !matches!(name, "dist" | ".latimer")
        });
        site
    }

    /// A site `site` in English with these pages in `source`, and what else its table is to say.
    pub fn new(keys: &str, pages: &[(&str, &str)]) -> Self {
        let site = Self {
            folder: TempDir::new().unwrap(),
        };
        site.configure(keys);
        pages
            .iter()
            .for_each(|(name, html)| site.write(&format!("source/{name}"), html));
        site
    }

    /// Writes the configuration of a site made by [`Site::new`] anew.
    pub fn configure(&self, keys: &str) {
        let fixed = "[[site]]\nid = \"site\"\nsource = \"source\"\nsource_locale = \"en\"\n";
        self.write("latimer.toml", &format!("{fixed}{keys}\n"));
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Replaces one piece of a file, which must be there.
    pub fn edit(&self, name: &str, from: &str, to: &str) {
        let text = self.read(name);
        assert!(text.contains(from), "{name} has no {from:?}");
        self.write(name, &text.replacen(from, to, 1));
    }

    /// Removes what a build made, stored or learnt; memory files stay.
    pub fn forget(&self) {
        for name in ["dist", ".latimer"] {
            fs::remove_dir_all(self.path(name)).unwrap();
        }
    }

    /// The whole objects folder.
    pub fn objects(&self) -> Files {
        files(&self.path("dist"))
    }

    /// Runs the program in the site's folder.
    pub fn run(&self, arguments: &[&str]) -> Ran {
        latimer(self.folder(), arguments, b"")
    }

    /// Builds and gives the report of the one site; the exit code must be `code`.
    #[track_caller]
    pub fn build(&self, arguments: &[&str], code: i32) -> Value {
        let ran = self.run(&[&["build", "--json", "--quiet"], arguments].concat());
        assert_eq!(ran.code, code, "{}", ran.stderr);
        ran.json()["sites"][0].clone()
    }
}

/// Where `tests/run` put a tool, which it says in this variable. Tests that need one are in modules named after it
/// (`needs_vnu`) and ignored by default.
#[track_caller]
pub fn tool(variable: &str) -> PathBuf {
    let place = std::env::var_os(variable);
    place
        .unwrap_or_else(|| panic!("{variable} says where it is; tests/run sets it"))
        .into()
}

/// How often a test does what it does: `usual`, or what the variable says; `tests/run --nightly` sets it.
pub fn at_strength(variable: &str, usual: u32) -> u32 {
    std::env::var(variable).map_or(usual, |often| often.parse().expect("a number"))
}

impl Ran {
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}", self.stderr))
    }

    /// Checks the exit code and that standard error names all of these.
    #[track_caller]
    pub fn failed(&self, code: i32, said: &[&str]) {
        assert_eq!(self.code, code, "{}", self.stderr);
        said.iter().for_each(|said| {
            assert!(
                self.stderr.contains(said),
                "{said:?} is not in: {}",
                self.stderr
            )
        });
    }
}

/// The program, ready to run in a folder.
pub fn command(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_latimer"));
    clean(&mut command);
    command.current_dir(folder);
    command
}

/// Keeps from a command what would change what the program does.
pub fn clean(command: &mut Command) {
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("LATIMER_")) {
        command.env_remove(name);
    }
    // A registry of models on this machine is not asked by way of a proxy.
    command
        .env("NO_PROXY", "127.0.0.1")
        .env("no_proxy", "127.0.0.1");
}

/// Runs the program with something on its standard input.
pub fn latimer(folder: &Path, arguments: &[&str], input: &[u8]) -> Ran {
    let mut command = command(folder);
    command
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let output = std::thread::scope(|scope| {
        // A program that takes no input may close it before everything is written.
        scope.spawn(move || std::io::Write::write_all(&mut stdin, input));
        child.wait_with_output().unwrap()
    });
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    Ran {
        code: output.status.code().unwrap_or(-1),
        stdout: output.stdout,
        stderr,
    }
}

/// The locale's part of a report.
#[track_caller]
pub fn locale<'a>(report: &'a Value, locale: &str) -> &'a Value {
    let locales = report["locales"].as_array().unwrap();
    locales
        .iter()
        .find(|report| report["locale"] == locale)
        .unwrap_or_else(|| panic!("no {locale} in {report}"))
}

/// The pages that a locale keeps in an older version.
#[track_caller]
pub fn kept<'a>(report: &'a Value, tag: &str) -> &'a [Value] {
    locale(report, tag)["keptPages"].as_array().unwrap()
}

/// Requests to engines in a whole build.
pub fn engine_calls(report: &Value) -> u64 {
    report["locales"]
        .as_array()
        .unwrap()
        .iter()
        .map(|locale| locale["engineCalls"].as_u64().unwrap())
        .sum()
}

pub fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every file below a folder; links to folders are not followed.
pub fn files(folder: &Path) -> Files {
    let mut found = Files::new();
    collect(folder, "", &mut found);
    found
}

fn collect(folder: &Path, prefix: &str, found: &mut Files) {
    for entry in
        fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
    {
        let entry = entry.unwrap();
        let name = format!("{prefix}{}", entry.file_name().to_str().unwrap());
        if entry.file_type().unwrap().is_dir() {
            collect(&entry.path(), &format!("{name}/"), found);
        } else if entry.path().is_file() {
            let bytes = fs::read(entry.path()).unwrap();
            found.insert(
                name.clone(),
                if is_commit(&name) {
                    without_chance(&bytes)
                } else {
                    bytes
                },
            );
        }
    }
}

/// Whether a file of an objects folder is the commit of a deployment.
fn is_commit(name: &str) -> bool {
    let (folder, file) = name.rsplit_once('/').unwrap_or(("", name));
    folder.ends_with("_deployments")
        && file
            .strip_suffix(".json")
            .is_some_and(|stem| stem.parse::<u64>().is_ok())
}

/// A commit without what tells it from that of another builder; all else is the same for the same site.
fn without_chance(commit: &[u8]) -> Vec<u8> {
    let Ok(Value::Object(mut commit)) = serde_json::from_slice(commit) else {
        return commit.to_vec();
    };
    commit.retain(|key, _| key != "draft" && key != "fence");
    serde_json::to_vec(&commit).unwrap()
}

/// Copies the entries of a folder that are wanted by name, and all that lies below them.
pub fn copy(from: &Path, to: &Path, wanted: &dyn Fn(&str) -> bool) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let name = entry.file_name();
        if !wanted(name.to_str().unwrap()) {
            continue;
        }
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &to.join(&name), &|_| true);
        } else {
            fs::copy(entry.path(), to.join(&name)).unwrap();
        }
    }
}

/// Fails with the names of the files that differ, not with their bytes.
#[track_caller]
pub fn assert_same(found: &Files, expected: &Files) {
    let names: std::collections::BTreeSet<&String> = found.keys().chain(expected.keys()).collect();
    let other: Vec<&&String> = names
        .iter()
        .filter(|name| found.get(**name) != expected.get(**name))
        .collect();
    assert!(
        other.is_empty(),
        "{} files differ: {:?}",
        other.len(),
        &other[..other.len().min(12)]
    );
}
