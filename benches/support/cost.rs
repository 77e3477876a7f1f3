//! What programs cost.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

/// Seconds of processor time, and the most memory in KiB.
pub(crate) type Cost = (f64, u64);

/// Measures a program, user and system time together; `None` if it fails or is not installed. A build that refused some
/// translations (exit code 6) counts as a success.
pub(crate) fn cost(folder: &Path, command: &[&str]) -> Option<Cost> {
    let timed =
        "TIMEFORMAT='%U %S'; time \"$@\" >/dev/null 2>&1; code=$?; [ $code = 0 ] || [ $code = 6 ]";
    let mut bash = Command::new("bash");
    let bash = bash
        .args(["-c", timed, "bash"])
        .args(command)
        .current_dir(folder)
        .env("LC_ALL", "C");
    let child = bash
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .ok()?;
    let id = child.id();
    let waiting = thread::spawn(move || child.wait_with_output());
    let mut most = 0;
    while !waiting.is_finished() {
        most = most.max(peak(id).unwrap_or_default());
        thread::park_timeout(Duration::from_millis(5));
    }
    let output = waiting
        .join()
        .unwrap()
        .ok()
        .filter(|output| output.status.success())?;
    let said = String::from_utf8(output.stderr).ok()?;
    Some((
        said.split_whitespace()
            .map(|seconds| seconds.parse::<f64>().unwrap())
            .sum(),
        most,
    ))
}

/// The most memory that the program of a shell has taken so far, in KiB.
fn peak(shell: u32) -> Option<u64> {
    let child = fs::read_to_string(format!("/proc/{shell}/task/{shell}/children")).ok()?;
    let status =
        fs::read_to_string(format!("/proc/{}/status", child.split_whitespace().next()?)).ok()?;
    status.lines().find_map(|line| {
        line.strip_prefix("VmHWM:")?
            .split_whitespace()
            .next()?
            .parse()
            .ok()
    })
}
