//! Builds that are killed at any moment, among other changes.

use std::io::Read as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::{Chance, build};

/// Names the site that another process builds.
const SITE: &str = "LATIMER_KILLED_SITE";
/// Said where a build begins.
const BEGINS: &str = "begins\n";

/// How builds of other processes ended.
#[derive(Debug, Default)]
pub(super) struct Kills {
    cut_off: AtomicU64,
    done: AtomicU64,
}

impl Kills {
    /// Builds a site in a process of its own, which is killed at any moment of the time that such a build takes.
    pub(super) fn kill(&self, root: &Path, usual: Duration, chance: &mut Chance) {
        let test = std::env::current_exe().unwrap();
        let mut command = Command::new(test);
        command.args([
            "incremental::kills::builds_a_site_that_is_named",
            "--exact",
            "--nocapture",
        ]);
        let mut child = command
            .env(SITE, root)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut said = child.stdout.take().unwrap();
        // What the harness says before the test begins ends with it.
        let mut seen = Vec::new();
        let mut byte = [0];
        while !seen.ends_with(BEGINS.as_bytes()) && said.read(&mut byte).unwrap() == 1 {
            seen.push(byte[0]);
        }
        let end = Instant::now() + usual.mul_f64(chance.below(1000) as f64 / 1000.0);
        while let Some(left) = end.checked_duration_since(Instant::now()) {
            thread::park_timeout(left);
        }
        child.kill().unwrap();
        // One that came to its end has a code, whatever it was.
        let ended = if child.wait().unwrap().code().is_some() {
            &self.done
        } else {
            &self.cut_off
        };
        ended.fetch_add(1, Ordering::Relaxed);
    }

    /// How many were killed before they were done.
    pub(super) fn cut_off(&self) -> u64 {
        self.cut_off.load(Ordering::Relaxed)
    }
}

/// Of itself it has nothing to do: the processes that others kill run it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn builds_a_site_that_is_named() {
    let Some(root) = std::env::var_os(SITE) else {
        return;
    };
    print!("{BEGINS}");
    build(Path::new(&root), false).await.0.unwrap();
}
