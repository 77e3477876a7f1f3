//! One life of a program: from its start until it ends, falls silent, or nobody asks any more.

use std::collections::BTreeMap;
use std::process::Stdio;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{ChildStdin, ChildStdout, Command};
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, sleep_until};

use super::super::AskError;
use crate::processes::ProcessGroup;
use crate::text::excerpt;

/// The longest line that a program may write.
const LONGEST_LINE: usize = 4 << 20;
/// What is written ahead of the program's reading, at most.
const AHEAD: usize = 1 << 20;

/// A text in our notation, or why there is none.
pub(super) type CommandAnswer = Result<String, AskError>;

/// One text for the program.
pub(super) struct Question {
    pub(super) text: String,
    pub(super) from: String,
    pub(super) to: String,
    pub(super) answer: oneshot::Sender<CommandAnswer>,
}

#[derive(Serialize)]
struct CommandRequest<'a> {
    id: u64,
    text: &'a str,
    from: &'a str,
    to: &'a str,
}

/// Starts the program and the task that talks to it until one of them ends.
pub(super) fn start(
    command: Command,
    silence: Duration,
    questions: mpsc::Receiver<Question>,
) -> std::io::Result<()> {
    let mut group = ProcessGroup::new();
    let child = group.spawn(command, Stdio::piped(), Stdio::inherit())?;
    let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(std::io::Error::other("it has no standard streams"));
    };
    let life = Life {
        outstanding: BTreeMap::new(),
        asked: 0,
        unsent: Vec::new(),
        unread: Vec::new(),
        progress: Instant::now(),
        has_answered: false,
        noise: None,
    };
    // The task owns its group and ends by itself: when the program ends or falls silent, or the channel closes.
    tokio::spawn(life.live(group, input, output, questions, silence));
    Ok(())
}

struct Life {
    outstanding: BTreeMap<u64, oneshot::Sender<CommandAnswer>>,
    asked: u64,
    unsent: Vec<u8>,
    unread: Vec<u8>,
    /// When the last answer came, or the first question after a pause.
    progress: Instant,
    has_answered: bool,
    /// Excerpt of the first line, until there is an answer.
    noise: Option<String>,
}

impl Life {
    async fn live(
        mut self,
        group: ProcessGroup,
        mut input: ChildStdin,
        mut output: ChildStdout,
        mut questions: mpsc::Receiver<Question>,
        silence: Duration,
    ) {
        let reason = self
            .talk(&mut input, &mut output, &mut questions, silence)
            .await;
        let reason = match self.noise.take() {
            Some(line) => format!("{reason}; it never answered, and its first line was {line:?}"),
            None => reason,
        };
        questions.close();
        drop(input);
        group.end().await;
        for (_, answer) in std::mem::take(&mut self.outstanding) {
            let _ = answer.send(Err(AskError::Unanswered(reason.clone())));
        }
        while let Some(question) = questions.recv().await {
            let _ = question
                .answer
                .send(Err(AskError::Unanswered(reason.clone())));
        }
    }

    /// Talks until there is a reason to stop.
    async fn talk(
        &mut self,
        input: &mut ChildStdin,
        output: &mut ChildStdout,
        questions: &mut mpsc::Receiver<Question>,
        silence: Duration,
    ) -> String {
        let mut writable = true;
        loop {
            let late = self.progress + silence;
            tokio::select! {
                question = questions.recv(), if self.unsent.len() < AHEAD => match question {
                    Some(question) => self.ask(question),
                    None if self.outstanding.is_empty() => return "nobody asks any more".into(),
                    None => return "the engine was dropped".into(),
                },
                written = input.write(&self.unsent), if writable && !self.unsent.is_empty() => match written {
                    Ok(count) => { self.unsent.drain(..count); }
                    Err(_) => writable = false, // it may still answer what it has read
                },
                read = output.read_buf(&mut self.unread) => match read {
                    Ok(0) => {
                        // The last line may lack its end.
                        if !self.unread.is_empty() {
                            self.unread.push(b'\n');
                            self.read_lines();
                        }
                        return "the program ended".into();
                    }
                    Ok(_) => self.read_lines(),
                    Err(error) => return format!("the program cannot be read: {error}"),
                },
                () = sleep_until(late), if !self.outstanding.is_empty() => {
                    return format!("no answer within {} s", silence.as_secs_f32());
                }
            }
            if self.unread.len() > LONGEST_LINE {
                return format!("the program wrote a line longer than {LONGEST_LINE} bytes");
            }
        }
    }

    fn ask(&mut self, question: Question) {
        if self.outstanding.is_empty() {
            self.progress = Instant::now();
        }
        self.asked += 1;
        let line = CommandRequest {
            id: self.asked,
            text: &question.text,
            from: &question.from,
            to: &question.to,
        };
        match serde_json::to_vec(&line) {
            Ok(json) => {
                self.unsent.extend(json);
                self.unsent.push(b'\n');
                self.outstanding.insert(self.asked, question.answer);
            }
            Err(error) => drop(
                question
                    .answer
                    .send(Err(AskError::Refused(error.to_string()))),
            ),
        }
    }

    fn read_lines(&mut self) {
        while let Some(end) = self.unread.iter().position(|&byte| byte == b'\n') {
            let line: Vec<u8> = self.unread.drain(..=end).collect();
            // An id that is unknown or already answered is ignored.
            let Some((id, answer)) = parse(&line) else {
                let line = String::from_utf8_lossy(&line);
                if self.noise.is_none() && !self.has_answered && !line.trim().is_empty() {
                    self.noise = Some(excerpt(line.trim()).into_owned());
                }
                continue;
            };
            if let Some(sender) = self.outstanding.remove(&id) {
                self.progress = Instant::now();
                self.has_answered = true;
                self.noise = None;
                let _ = sender.send(answer);
            }
        }
    }
}

#[derive(Deserialize)]
struct CommandReply {
    id: Id,
    text: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Id {
    Number(u64),
    Text(String),
}

/// Reads one line; `None` when it answers nothing.
fn parse(line: &[u8]) -> Option<(u64, CommandAnswer)> {
    let whole = std::str::from_utf8(line).is_ok();
    let reply: CommandReply = serde_json::from_slice(line).ok().or_else(|| {
        let clean: String = String::from_utf8_lossy(line)
            .chars()
            .map(|c| if c.is_control() { ' ' } else { c })
            .collect();
        serde_json::from_str(clean.trim()).ok()
    })?;
    let id = match reply.id {
        Id::Number(id) => id,
        Id::Text(id) => id.trim().parse().ok()?,
    };
    let answer = match reply.text {
        Some(text) if whole => Ok(text),
        Some(_) => Err(AskError::Refused("the answer is not UTF-8".into())),
        None => Err(AskError::Refused("the answer has no text".into())),
    };
    Some((id, answer))
}
