//! A program that translates: JSON lines `{"id","text","from","to"}` in, `{"id","text"}` out, in any order.
//!
//! The program is ours to start and theirs to write, so nothing it does may hurt: what is outstanding fails together
//! after 10 s without an answer or when the program ends; it is restarted at most three times and then given up for
//! the life of this engine, so that the time lost to a hanging one is bounded. Lines that are no answer are ignored,
//! the first of two answers counts. Its standard error is ours, so that its author can see what it says.

mod life;

use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use tokio::sync::{mpsc, oneshot};

use self::life::{CommandAnswer, Question};
use super::{
    AskError, Caps, Engine, EngineAnswer, EngineError, EnginePlace, EngineRequest, Markup,
    TranslationUnit,
};
use crate::model::{LanguagePair, Locale};
use crate::page::CodedText;
use crate::processes::{self, ProcessEnvironment};

/// How long a program with something to do may stay silent.
const SILENCE: Duration = Duration::from_secs(10);
/// How often a program is started: once, and again three times.
const STARTS: u32 = 4;
/// Questions that wait for the program to read them.
const QUEUE: usize = 64;

/// The engine that asks a program.
pub(super) struct CommandEngine {
    program: String,
    arguments: Vec<String>,
    /// Variables of the environment that it is given beside the usual ones.
    variables: Vec<String>,
    silence: Duration,
    caps: Caps,
    state: Mutex<CommandState>,
}

/// The running program, if any. The task behind `questions` ends with its channel or its program, whichever is first.
#[derive(Default)]
struct CommandState {
    starts: u32,
    questions: Option<mpsc::Sender<Question>>,
}

impl CommandEngine {
    pub(super) fn new(program: &str, arguments: &[String], variables: &[String]) -> Self {
        let caps = Caps {
            markup: Markup::Codes,
            unit: TranslationUnit::Block,
            max_items: 32,
            max_chars: 100_000,
            parallel: 4,
            place: EnginePlace::LocalProcess,
            deterministic: false,
            billed: false,
        };
        let state = Mutex::default();
        let arguments = arguments.to_vec();
        let variables = variables.to_vec();
        Self {
            program: program.to_owned(),
            arguments,
            variables,
            silence: SILENCE,
            caps,
            state,
        }
    }

    /// The same with another patience, so that tests need not wait.
    #[cfg(test)]
    pub(super) fn with_silence(mut self, silence: Duration) -> Self {
        self.silence = silence;
        self
    }

    /// The channel to the running program, which is started if it is not running.
    fn questions(&self) -> Result<mpsc::Sender<Question>, EngineError> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(questions) = state
            .questions
            .as_ref()
            .filter(|questions| !questions.is_closed())
        {
            return Ok(questions.clone());
        }
        if state.starts == STARTS {
            return Err(EngineError::Absent(format!(
                "{} was restarted {} times and is given up; run it by hand to see why it ends",
                self.program,
                STARTS - 1
            )));
        }
        state.starts += 1;
        let (sender, receiver) = mpsc::channel(QUEUE);
        let mut command =
            processes::command(&self.program, ProcessEnvironment::Named(&self.variables));
        command.args(&self.arguments);
        life::start(command, self.silence, receiver).map_err(|error| {
            EngineError::Absent(format!("cannot start {}: {error}", self.program))
        })?;
        state.questions = Some(sender.clone());
        Ok(sender)
    }
}

#[async_trait]
impl Engine for CommandEngine {
    fn caps(&self) -> &Caps {
        &self.caps
    }

    /// The program's name and a hash of its arguments: they may hold a key, and paths differ between machines.
    fn fingerprint(&self, _pair: LanguagePair<&Locale>) -> String {
        let name = Path::new(&self.program)
            .file_name()
            .map(|name| name.to_string_lossy())
            .unwrap_or_default();
        let hash = blake3::hash(self.arguments.join("\0").as_bytes()).to_hex();
        if self.arguments.is_empty() {
            format!("command {name}")
        } else {
            format!("command {name} {}", &hash[..8])
        }
    }

    fn lack(&self) -> Option<String> {
        let program = &self.program;
        if processes::is_there(program) {
            return None;
        }
        Some(format!(
            "there is no program {program}; install it, or write its whole path in `program`"
        ))
    }

    async fn translate(
        &self,
        request: EngineRequest<'_>,
    ) -> Result<Vec<Result<EngineAnswer, AskError>>, EngineError> {
        let questions = self.questions()?;
        let mut answers = Vec::with_capacity(request.asks.len());
        for ask in request.asks {
            let (sender, receiver) = oneshot::channel();
            let from = request.pair.from.to_string();
            let to = request.pair.to.to_string();
            let question = Question {
                text: ask.text.to_markup(),
                from,
                to,
                answer: sender,
            };
            // A program that has ended drops the question, and with it the sender: `receiver` tells below.
            let _ = questions.send(question).await;
            answers.push(receiver);
        }
        let mut done = Vec::with_capacity(answers.len());
        for answer in answers {
            let ended = || AskError::Unanswered("the program ended before it was asked".into());
            done.push(read(answer.await.unwrap_or_else(|_| Err(ended()))));
        }
        Ok(done)
    }
}

fn read(answer: CommandAnswer) -> Result<EngineAnswer, AskError> {
    Ok(EngineAnswer {
        text: CodedText::from_markup(&answer?)?,
        links: None,
    })
}

#[cfg(test)]
mod tests;
