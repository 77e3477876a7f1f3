//! The emulators of hosts, each started on a published folder.

use std::fs;
use std::net::TcpStream;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::api::{free_address, pause};
use crate::support::web::PATIENCE;
use crate::support::{copy, tool};

/// The emulator of a host, with all that it starts; ends with this value.
pub(super) struct Emulator {
    child: Child,
    pub(super) address: String,
    folder: TempDir,
}

impl Drop for Emulator {
    fn drop(&mut self) {
        // They start programs of their own; what is not in the group knows the same home.
        let _ = Command::new("kill")
            .args(["-KILL", "--", &format!("-{}", self.child.id())])
            .status();
        let home = format!("HOME={}", self.folder.path().display());
        for process in fs::read_dir("/proc").unwrap().flatten() {
            let environment = fs::read(process.path().join("environ")).unwrap_or_default();
            if environment
                .split(|byte| *byte == 0)
                .any(|variable| variable == home.as_bytes())
            {
                let _ = Command::new("kill")
                    .arg("-KILL")
                    .arg(process.file_name())
                    .status();
            }
        }
        let _ = self.child.wait();
    }
}

impl Emulator {
    /// Starts the emulator of a host on a published folder.
    pub(super) fn start(host: &str, published: &Path) -> Self {
        // They do not look into folders whose names begin with a dot, as those of tests do.
        let folder = tempfile::Builder::new()
            .prefix("latimer-emulator")
            .tempdir()
            .unwrap();
        let address = free_address();
        let own = folder.path();
        copy(published, &own.join("site"), &|_| true);
        let root = own.join("site").display().to_string();
        let port = address.rsplit(':').next().unwrap().to_owned();
        let (program, arguments): (&str, Vec<String>) = match host {
            "netlify" => {
                let words = "dev --offline --no-open --internal-disable-edge-functions --framework #static --port";
                (
                    "netlify",
                    words
                        .split(' ')
                        .map(str::to_owned)
                        .chain([port, "--dir".to_owned(), root])
                        .collect(),
                )
            }
            "cloudflare-pages" => {
                let words = format!(
                    "pages dev {root} --ip 127.0.0.1 --port {port} --inspector-port 0 --compatibility-date 2025-01-01"
                );
                ("wrangler", words.split(' ').map(str::to_owned).collect())
            }
            "firebase" => {
                fs::write(
                    own.join("firebase.json"),
                    firebase_config(&root, &port).to_string(),
                )
                .unwrap();
                let words = "emulators:start --only hosting --project demo-latimer";
                ("firebase", words.split(' ').map(str::to_owned).collect())
            }
            _ => (
                "swa",
                ["start", &root, "--host", "127.0.0.1", "--port", &port]
                    .map(str::to_owned)
                    .to_vec(),
            ),
        };
        let mut command = Command::new(
            tool("LATIMER_TEST_EMULATORS")
                .join(host)
                .join("node_modules/.bin")
                .join(program),
        );
        command
            .args(arguments)
            .current_dir(own)
            .env("HOME", own)
            .env("XDG_CONFIG_HOME", own)
            .env("CI", "1");
        command
            .env("WRANGLER_SEND_METRICS", "false")
            .env("DO_NOT_TRACK", "1")
            .env("NO_UPDATE_NOTIFIER", "1");
        let said = fs::File::create(own.join("said")).unwrap();
        command
            .stdin(Stdio::null())
            .stdout(said.try_clone().unwrap())
            .stderr(said)
            .process_group(0);
        let emulator = Self {
            child: command.spawn().unwrap(),
            address,
            folder,
        };
        let deadline = Instant::now() + PATIENCE;
        while !emulator.is_ready() {
            assert!(Instant::now() < deadline, "{host}: {}", emulator.said());
            pause(Duration::from_millis(200));
        }
        emulator
    }

    fn is_ready(&self) -> bool {
        TcpStream::connect(&self.address).is_ok()
    }

    fn said(&self) -> String {
        fs::read_to_string(self.folder.path().join("said")).unwrap()
    }
}

/// What publishing wrote for Firebase, and where its emulator listens.
fn firebase_config(root: &str, port: &str) -> Value {
    let text = fs::read_to_string(format!("{root}/firebase.json")).unwrap();
    let mut config: Value = serde_json::from_str(&text).unwrap();
    config["hosting"]["public"] = "site".into();
    let other = || {
        free_address()
            .rsplit(':')
            .next()
            .unwrap()
            .parse::<u16>()
            .unwrap()
    };
    let at = |port: u16| json!({ "host": "127.0.0.1", "port": port });
    config["emulators"] = json!({
        "hosting": at(port.parse().unwrap()), "hub": at(other()), "logging": at(other()), "ui": { "enabled": false }
    });
    config
}
