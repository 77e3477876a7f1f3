//! The installer of releases, on a release of this program for this machine.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use tempfile::TempDir;

use crate::support::{Ran, clean, files, repository};

/// Programs that the installer needs on any system, except those that fetch and those that check sums.
const TOOLS: [&str; 15] = [
    "awk", "cat", "chmod", "cp", "gzip", "mkdir", "mktemp", "mv", "rm", "rmdir", "sed", "sh",
    "tar", "tr", "uname",
];

const PROGRAM: &str = env!("CARGO_BIN_EXE_latimer");

/// The files of a release, packed once; tests that change them work on a copy.
fn release() -> &'static Path {
    static RELEASE: OnceLock<PathBuf> = OnceLock::new();
    RELEASE.get_or_init(pack_this_program)
}

fn pack_this_program() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("release");
    let _ = fs::remove_dir_all(&folder);
    // Without its symbols the program of a debug build is packed in a fifth of the time.
    let stripped = TempDir::new().unwrap();
    let program = stripped.path().join("latimer");
    assert!(
        Command::new("strip")
            .arg("-o")
            .arg(&program)
            .arg(PROGRAM)
            .status()
            .unwrap()
            .success()
    );
    pack(&program, &folder);
    folder
}

fn pack(program: &Path, folder: &Path) {
    let mut pack = Command::new(repository().join("tests/package"));
    pack.arg("--pack")
        .args([program, folder])
        .env("LATIMER_REPOSITORY", "https://host.example/we/latimer/");
    let packed = ran(&mut pack);
    assert_eq!(packed.code, 0, "{}", packed.stderr);
}

/// A copy of the release that a test may spoil.
struct Copy(TempDir);

impl Copy {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        for name in ["SHA256SUMS", &archive_name()] {
            fs::copy(release().join(name), folder.path().join(name)).unwrap();
        }
        Self(folder)
    }

    fn path(&self) -> &str {
        self.0.path().to_str().unwrap()
    }
}

fn archive_name() -> String {
    let names = fs::read_dir(release())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names
        .into_iter()
        .find(|name| name.ends_with(".tar.gz"))
        .unwrap()
}

/// A place to install to, and the installer.
struct Machine {
    folder: TempDir,
}

impl Machine {
    fn new() -> Self {
        Self {
            folder: TempDir::new().unwrap(),
        }
    }

    fn bin(&self) -> PathBuf {
        self.folder.path().join("home/.local/bin")
    }

    fn command(&self) -> Command {
        let mut command = Command::new("sh");
        clean(&mut command);
        let temporary = self.folder.path().join("tmp");
        fs::create_dir_all(&temporary).unwrap();
        command
            .arg(repository().join("install.sh"))
            .current_dir(self.folder.path());
        command
            .env("HOME", self.folder.path().join("home"))
            .env("TMPDIR", temporary);
        command
    }

    fn install(&self, arguments: &[&str]) -> Ran {
        ran(self.command().args(arguments))
    }

    /// Checks that nothing was installed, and that no temporary file is left.
    #[track_caller]
    fn is_empty(&self) {
        assert_eq!(
            files(self.folder.path()).into_keys().collect::<Vec<_>>(),
            [""; 0]
        );
        assert!(!self.bin().exists());
    }

    /// A folder for `PATH` with these programs of the system, and with scripts in place of others.
    fn path_with(&self, tools: &[&str], scripts: &[(&str, &str)]) -> PathBuf {
        let path = self.folder.path().join("path");
        fs::create_dir(&path).unwrap();
        for tool in tools {
            let found = ran(Command::new("sh").args(["-c", &format!("command -v {tool}")]));
            let found = String::from_utf8(found.stdout).unwrap();
            std::os::unix::fs::symlink(found.trim(), path.join(tool)).unwrap();
        }
        for (name, script) in scripts {
            let file = path.join(name);
            fs::write(&file, format!("#!/bin/sh\n{script}\n")).unwrap();
            fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o755))
                .unwrap();
        }
        path
    }
}

fn ran(command: &mut Command) -> Ran {
    let output = command.stdin(Stdio::null()).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    Ran {
        code: output.status.code().unwrap_or(-1),
        stdout: output.stdout,
        stderr,
    }
}

#[test]
fn a_release_is_installed_from_a_folder() {
    let machine = Machine::new();
    let done = machine.install(&["--from", release().to_str().unwrap()]);
    assert_eq!(done.code, 0, "{}", done.stderr);
    let said = String::from_utf8(done.stdout).unwrap();
    assert!(
        said.contains("installed latimer ") && said.contains("is not in PATH"),
        "{said}"
    );
    let version = ran(Command::new(machine.bin().join("latimer")).arg("--version"));
    assert!(
        String::from_utf8(version.stdout)
            .unwrap()
            .starts_with("latimer ")
    );
    let names: Vec<String> = files(machine.folder.path()).into_keys().collect();
    assert_eq!(names, ["home/.local/bin/latimer"]);
}

#[test]
fn an_older_program_is_replaced_and_kept_when_the_sum_is_wrong() {
    let machine = Machine::new();
    let copy = Copy::new();
    let folder = machine.folder.path().join("own");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("latimer"), "older").unwrap();
    let archive = copy.0.path().join(archive_name());
    let whole = fs::read(&archive).unwrap();
    fs::write(&archive, &whole[..whole.len() / 2]).unwrap();
    let arguments = ["--from", copy.path(), "--to", folder.to_str().unwrap()];
    machine
        .install(&arguments)
        .failed(1, &["the SHA-256 sum of latimer-", "Nothing was installed"]);
    assert_eq!(fs::read(folder.join("latimer")).unwrap(), b"older");
    fs::write(&archive, whole).unwrap();
    assert_eq!(machine.install(&arguments).code, 0);
    assert!(fs::metadata(folder.join("latimer")).unwrap().len() > 1 << 20);
    assert_eq!(
        files(machine.folder.path()).into_keys().collect::<Vec<_>>(),
        ["own/latimer"]
    );
}

#[test]
fn a_wrong_sum_leaves_nothing() {
    let machine = Machine::new();
    let copy = Copy::new();
    let archive = copy.0.path().join(archive_name());
    let mut bytes = fs::read(&archive).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&archive, bytes).unwrap();
    machine
        .install(&["--from", copy.path()])
        .failed(1, &["and should be", "Nothing was installed"]);
    machine.is_empty();
}

/// The sum is that of the list, and the archive was made so: such a release is broken, and stays where it is.
#[test]
fn a_program_that_does_not_start_is_not_installed() {
    let machine = Machine::new();
    let folder = TempDir::new().unwrap();
    let program = folder.path().join("broken");
    fs::write(&program, "\u{7f}ELF but no more").unwrap();
    let packed = folder.path().join("release");
    pack(&program, &packed);
    let said = ["cannot run the program", "Nothing was installed"];
    machine
        .install(&["--from", packed.to_str().unwrap()])
        .failed(1, &said);
    assert_eq!(
        files(machine.folder.path()).into_keys().collect::<Vec<_>>(),
        [""; 0]
    );
}

#[test]
fn a_machine_without_a_program_is_named() {
    let from = release().to_str().unwrap();
    for (uname, said) in [
        (
            "case $1 in -s) echo Haiku ;; *) echo x86_64 ;; esac",
            "there is no program for Haiku, only for Linux and macOS",
        ),
        (
            "case $1 in -s) echo Linux ;; *) echo riscv64 ;; esac",
            "for riscv64 processors, only for x86_64 and aarch64",
        ),
        (
            "case $1 in -s) echo Darwin ;; *) echo arm64 ;; esac",
            "this release has no program for aarch64-macos",
        ),
    ] {
        let machine = Machine::new();
        let path = machine.path_with(
            &[&TOOLS[..14], &["sha256sum"]].concat(),
            &[("uname", uname)],
        );
        let done = ran(machine.command().args(["--from", from]).env("PATH", &path));
        done.failed(1, &[said, "cargo install --path ."]);
        assert!(!machine.bin().exists());
    }
}

#[test]
fn missing_tools_are_named_before_anything_is_fetched() {
    let address = ["--from", "https://host.example/latimer"];
    let folder = ["--from", release().to_str().unwrap()];
    for (tools, arguments, said) in [
        (&[][..], folder, "neither sha256sum nor shasum"),
        (&["sha256sum"][..], address, "neither curl nor wget"),
    ] {
        let machine = Machine::new();
        let path = machine.path_with(&[&TOOLS[..], tools].concat(), &[]);
        ran(machine.command().args(arguments).env("PATH", &path)).failed(1, &[said]);
        assert!(!machine.bin().exists());
    }
}

#[test]
fn wrong_arguments_are_refused() {
    for (arguments, said) in [
        (&[][..], "LATIMER_REPOSITORY is not set"),
        (&["--form", "x"][..], "there is no option --form"),
        (&["--to"][..], "--to needs a value"),
        (
            &["--from", "x", "--version", "1.0.0"][..],
            "leave one of them out",
        ),
    ] {
        let machine = Machine::new();
        machine.install(arguments).failed(2, &[said]);
        machine.is_empty();
    }
    let machine = Machine::new();
    machine
        .install(&["--from", "missing"])
        .failed(1, &["cannot read missing/SHA256SUMS"]);
    ran(machine.command().env("LATIMER_REPOSITORY", "we/latimer"))
        .failed(2, &["is not an address"]);
    ran(machine
        .command()
        .env_remove("HOME")
        .args(["--from", "missing"]))
    .failed(2, &["HOME is not set"]);
    machine.is_empty();
}

/// As `curl … | sh` may get it: a script that was cut on the way must not do half of the work.
#[test]
fn an_installer_that_was_cut_off_does_nothing() {
    let text = fs::read_to_string(repository().join("install.sh")).unwrap();
    let machine = Machine::new();
    let folder = TempDir::new().unwrap();
    let ends = text.match_indices('\n').map(|(at, _)| at);
    for end in ends.filter(|end| *end < text.trim_end().len()) {
        let file = folder.path().join("cut.sh");
        fs::write(&file, &text[..=end]).unwrap();
        let mut cut = Command::new("sh");
        cut.arg(&file)
            .args(["--from", release().to_str().unwrap()])
            .env("HOME", machine.folder.path().join("home"));
        ran(&mut cut);
        assert!(!machine.bin().exists(), "{}", &text[..end]);
    }
}

#[test]
fn a_release_says_its_sums_and_its_address() {
    let sums = fs::read_to_string(release().join("SHA256SUMS")).unwrap();
    let listed: Vec<&str> = sums
        .lines()
        .map(|line| line.split_once("  ").unwrap().1)
        .collect();
    assert_eq!(listed, ["install.sh", &archive_name()]);
    let checked = ran(Command::new("sha256sum")
        .args(["--check", "--strict", "SHA256SUMS"])
        .current_dir(release()));
    assert_eq!(checked.code, 0, "{}", checked.stderr);
    let installer = fs::read_to_string(release().join("install.sh")).unwrap();
    assert!(
        installer.contains("\nrepository=${LATIMER_REPOSITORY-https://host.example/we/latimer}\n")
    );
    let ours = fs::read_to_string(repository().join("install.sh")).unwrap();
    assert!(ours.contains("\nrepository=${LATIMER_REPOSITORY-}\n"));
}

mod needs_curl {
    use super::*;

    /// A project's releases, as hosts of projects give them out.
    struct Host {
        child: std::process::Child,
        address: String,
        _folder: TempDir,
    }

    impl Host {
        fn start() -> Self {
            let folder = TempDir::new().unwrap();
            let releases = folder.path().join("we/latimer/releases");
            for place in ["latest/download", "download/v0.1.0"] {
                let place = releases.join(place);
                fs::create_dir_all(place.parent().unwrap()).unwrap();
                std::os::unix::fs::symlink(release(), place).unwrap();
            }
            let mut server = Command::new("python3");
            server
                .args(["-u", "-m", "http.server", "--bind", "127.0.0.1", "0"])
                .current_dir(folder.path());
            let mut child = server
                .stdout(Stdio::piped())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            let mut said = String::new();
            BufReader::new(child.stdout.take().unwrap())
                .read_line(&mut said)
                .unwrap();
            let port = said
                .split("port ")
                .nth(1)
                .and_then(|rest| rest.split(' ').next())
                .unwrap();
            Self {
                child,
                address: format!("http://127.0.0.1:{port}/we/latimer"),
                _folder: folder,
            }
        }
    }

    impl Drop for Host {
        fn drop(&mut self) {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }

    #[test]
    #[ignore = "needs curl"]
    fn a_release_is_fetched_from_the_address_of_the_project() {
        let host = Host::start();
        for arguments in [&[][..], &["--version", "0.1.0"], &["--version", "v0.1.0"]] {
            let machine = Machine::new();
            let done = ran(machine
                .command()
                .args(arguments)
                .env("LATIMER_REPOSITORY", &host.address));
            assert_eq!(done.code, 0, "{}", done.stderr);
            assert!(machine.bin().join("latimer").exists());
        }
        let machine = Machine::new();
        let from = format!("{}/releases/latest/download/", host.address);
        assert_eq!(machine.install(&["--from", &from]).code, 0);
        let machine = Machine::new();
        let missing = ran(machine
            .command()
            .args(["--version", "9.9.9"])
            .env("LATIMER_REPOSITORY", &host.address));
        missing.failed(
            1,
            &[
                "404",
                "cannot fetch",
                "/releases/download/v9.9.9/SHA256SUMS",
            ],
        );
        machine.is_empty();
    }
}
