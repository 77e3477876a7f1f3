//! Programs that Latimer starts: what they get of its environment, and groups of processes that die as one, so that whatever
//! a program has started goes with it.

mod environment;

use std::collections::VecDeque;
use std::pin::pin;
use std::process::Stdio;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};
use tokio::process::{Child, Command};
use tokio::sync::Mutex;
use tokio::time::timeout;

pub(crate) use environment::{ProcessEnvironment, is_there};

/// How long a killed process may take to be gone.
const GRACE: Duration = Duration::from_secs(2);
/// How many lines of a program that failed are shown.
const SHOWN: usize = 20;
/// The longest line that is shown, in characters.
const LONGEST: usize = 400;

/// A program with what it is given of the environment. Nothing is started in another way.
pub(crate) fn command(program: &str, environment: ProcessEnvironment<'_>) -> Command {
    let mut command = Command::new(environment::find(program));
    command
        .arg0(program)
        .env_clear()
        .envs(environment.variables())
        .env("LC_ALL", "C.UTF-8")
        .kill_on_drop(true);
    command
}

/// The processes of one pipeline. Dropping it kills them; [`ProcessGroup::end`] also waits until they are gone.
pub(crate) struct ProcessGroup {
    leader: Option<Pid>,
    children: Vec<Child>,
}

impl ProcessGroup {
    pub(crate) fn new() -> Self {
        Self {
            leader: None,
            children: Vec::new(),
        }
    }

    /// Starts one more process of the group; the first one leads it. Its input and output are as given.
    pub(crate) fn spawn(
        &mut self,
        mut command: Command,
        input: Stdio,
        errors: Stdio,
    ) -> std::io::Result<&mut Child> {
        let group = self
            .leader
            .map_or(0, |leader| leader.as_raw_nonzero().get());
        let child = command
            .process_group(group)
            .stdin(input)
            .stdout(Stdio::piped())
            .stderr(errors)
            .spawn()?;
        if self.leader.is_none() {
            self.leader = child
                .id()
                .and_then(|id| i32::try_from(id).ok())
                .and_then(Pid::from_raw);
        }
        self.children.push(child);
        let last = self.children.len() - 1;
        Ok(&mut self.children[last])
    }

    fn kill(&mut self) {
        // Gone already is as good as killed.
        if let Some(leader) = self.leader.take() {
            let _ = kill_process_group(leader, Signal::KILL);
        }
    }

    /// Kills the group and waits until its processes are reaped, so that none stays behind as a zombie.
    pub(crate) async fn end(mut self) {
        self.kill();
        for child in &mut self.children {
            let _ = child.start_kill();
            let _ = timeout(GRACE, child.wait()).await;
        }
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Why a program did not do what it was asked to.
#[derive(Debug)]
pub(crate) enum ProcessFailure {
    /// It could not be started.
    Start(std::io::Error),
    /// It failed: how it ended, and its last lines, each after a line break.
    Ended(String, String),
}

/// Runs a program to its end, which gets nothing to read. Dropping the future kills it.
pub(crate) async fn run(
    program: &str,
    arguments: &[String],
    environment: ProcessEnvironment<'_>,
) -> Result<(), ProcessFailure> {
    let mut group = ProcessGroup::new();
    let mut command = command(program, environment);
    command.args(arguments);
    let child = group
        .spawn(command, Stdio::null(), Stdio::piped())
        .map_err(ProcessFailure::Start)?;
    let out = child.stdout.take();
    let errors = child.stderr.take();
    let said = Mutex::new(VecDeque::new());
    let status = {
        let mut heard = pin!(async { tokio::join!(listen(out, &said), listen(errors, &said)) });
        tokio::select! {
            _ = &mut heard => child.wait().await,
            // What it left running may hold its outputs open for ever, and is ended with the group.
            status = child.wait() => {
                let _ = timeout(GRACE, heard).await;
                status
            }
        }
    };
    let status = status.map_err(ProcessFailure::Start)?;
    group.end().await;
    if status.success() {
        return Ok(());
    }
    let ended = status.code().map_or_else(
        || "was ended by a signal".to_owned(),
        |code| format!("ended with {code}"),
    );
    Err(ProcessFailure::Ended(
        ended,
        said.into_inner()
            .iter()
            .map(|line: &String| format!("\n  {line}"))
            .collect(),
    ))
}

/// Keeps the last lines of what a program says.
async fn listen(from: Option<impl AsyncRead + Unpin>, said: &Mutex<VecDeque<String>>) {
    let Some(from) = from else { return };
    let mut lines = BufReader::new(from).split(b'\n');
    while let Ok(Some(line)) = lines.next_segment().await {
        let line = String::from_utf8_lossy(&line);
        let line: String = line
            .chars()
            .filter(|c| !c.is_control())
            .take(LONGEST)
            .collect();
        let mut said = said.lock().await;
        if said.len() == SHOWN {
            said.pop_front();
        }
        said.push_back(line);
    }
}
