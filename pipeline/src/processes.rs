//! A group of processes that dies as one: whatever a program has started goes with it.

use std::process::Stdio;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::process::{Child, Command};
use tokio::time::timeout;

/// How long a killed process may take to be gone.
const GRACE: Duration = Duration::from_secs(2);

/// The processes of one pipeline. Dropping it kills them; [`Group::end`] also waits until they are gone.
pub(crate) struct Group {
    leader: Option<Pid>,
    children: Vec<Child>,
}

impl Group {
    pub(crate) fn new() -> Self {
        Self { leader: None, children: Vec::new() }
    }

    /// Starts one more process of the group; the first one leads it. Its input and output are as given.
    pub(crate) fn spawn(
        &mut self,
        program: &str,
        arguments: &[String],
        input: Stdio,
        errors: Stdio,
    ) -> std::io::Result<&mut Child> {
        let group = self.leader.map_or(0, |leader| leader.as_raw_nonzero().get());
        let mut command = Command::new(program);
        command.args(arguments).env("LC_ALL", "C.UTF-8").kill_on_drop(true).process_group(group);
        let child = command.stdin(input).stdout(Stdio::piped()).stderr(errors).spawn()?;
        if self.leader.is_none() {
            self.leader = child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
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

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}
