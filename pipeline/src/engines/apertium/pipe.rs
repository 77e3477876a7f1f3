//! One running pipeline: its stages joined by pipes, texts in, texts out, each closed by a NUL.
//!
//! `apertium -z` cannot be used (its wrapper waits for a byte after the NUL), so the stages of the mode are started
//! directly, without a shell. A text ends in an empty blank, `[]`: without it the first stage holds the last word
//! and all wait for ever. An open sentence gets a full stop, as from `apertium-destxt`, but behind an empty blank: the stages
//! misread its last word otherwise ("of the day" becomes "de el").

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{ChildStdin, ChildStdout};
use tokio::time::{Instant, sleep_until, timeout};

use crate::processes::{self, ProcessEnvironment, ProcessGroup};

/// How long the program that prints the stages of a mode may take.
const LISTING: Duration = Duration::from_secs(10);
/// The longest answer; beyond it something runs wild.
const LONGEST: usize = 1 << 20;

/// Treatment of words that a pair does not know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Unknown {
    /// Unknown words look like others.
    Plain,
    /// Unknown words get an asterisk.
    Marked,
}

impl Unknown {
    /// Option of the generator stage.
    fn option(self) -> &'static str {
        match self {
            Self::Plain => "-n",
            Self::Marked => "-g",
        }
    }
}

/// The running programs of one pair.
pub(super) struct ApertiumPipe {
    group: ProcessGroup,
    input: ChildStdin,
    output: ChildStdout,
}

impl ApertiumPipe {
    /// Starts the stages of a mode; the error is a sentence.
    pub(super) async fn start(mode: &Path, unknown: Unknown) -> Result<Self, String> {
        let mut lister = processes::command("apertium-wblank-mode", ProcessEnvironment::Named(&[]));
        let line = lister.arg("-z").arg(mode).output();
        let listed = timeout(LISTING, line)
            .await
            .map_err(|_| "apertium-wblank-mode hangs".to_owned())?;
        let listed = listed.map_err(|error| format!("cannot run apertium-wblank-mode: {error}"))?;
        Self::join(&stages(&String::from_utf8_lossy(&listed.stdout), unknown)?)
    }

    /// Starts programs so that each reads what the one before writes.
    fn join(stages: &[Vec<String>]) -> Result<Self, String> {
        let mut group = ProcessGroup::new();
        let mut input = None;
        let mut before: Option<ChildStdout> = None;
        for stage in stages {
            let Some((program, arguments)) = stage.split_first() else {
                continue;
            };
            let failed = |error: std::io::Error| format!("cannot start {program}: {error}");
            let from = match before.take() {
                Some(output) => output.try_into().map_err(failed)?,
                None => Stdio::piped(),
            };
            // Their warnings are about their own dictionaries.
            let mut command = processes::command(program, ProcessEnvironment::Named(&[]));
            command.args(arguments);
            let child = group.spawn(command, from, Stdio::null()).map_err(failed)?;
            input = input.or_else(|| child.stdin.take());
            before = child.stdout.take();
        }
        match (input, before) {
            (Some(input), Some(output)) => Ok(Self {
                group,
                input,
                output,
            }),
            (_, _) => Err("the mode names no program".into()),
        }
    }

    /// Sends texts as they are to be read by the stages and gives their answers as they write them, in order, up to the
    /// first that does not come in time.
    pub(super) async fn ask(&mut self, texts: &[String], patience: Duration) -> Vec<String> {
        let mut unsent = Vec::new();
        for text in texts {
            unsent.extend(text.bytes());
            unsent.extend(if is_open(text) {
                b"[].[]\0".as_slice()
            } else {
                b"[]\0"
            });
        }
        let mut sent = 0;
        let mut unread = Vec::new();
        let mut answers = Vec::new();
        let mut progress = Instant::now();
        while answers.len() < texts.len() && unread.len() < LONGEST {
            tokio::select! {
                written = self.input.write(&unsent[sent..]), if sent < unsent.len() => match written {
                    Ok(count) => sent += count,
                    Err(_) => break,
                },
                read = self.output.read_buf(&mut unread) => match read {
                    Ok(count) if count > 0 => {}
                    Ok(_) | Err(_) => break,
                },
                () = sleep_until(progress + patience) => break,
            }
            while let Some(end) = unread.iter().position(|&byte| byte == 0) {
                let answer: Vec<u8> = unread.drain(..=end).collect();
                let answer = String::from_utf8_lossy(&answer[..end]);
                let has_stop = texts.get(answers.len()).is_some_and(|text| is_open(text));
                answers.push(if has_stop {
                    without_stop(&answer)
                } else {
                    answer.into_owned()
                });
                progress = Instant::now();
            }
        }
        answers
    }

    /// Kills the programs and waits until they are gone.
    pub(super) async fn end(self) {
        self.group.end().await;
    }
}

/// True for a text that ends in a letter or digit, without a mark that ends its sentence.
fn is_open(text: &str) -> bool {
    text.trim_end_matches("[[/]]")
        .trim_end()
        .ends_with(char::is_alphanumeric)
}

/// An answer without the full stop that was added. The empty blank keeps the stop apart from the word: "no." is the
/// abbreviation of "number".
fn without_stop(answer: &str) -> String {
    let words = answer.trim_end().trim_end_matches("[]").trim_end();
    match words.strip_suffix('.') {
        Some(before) => format!(
            "{}{}",
            before.strip_suffix("[]").unwrap_or(before),
            &answer[words.len()..]
        ),
        None => answer.to_owned(),
    }
}

/// Stages of a mode as programs with arguments: `$1` is the treatment of unknown words, `$2` is for tracing.
fn stages(line: &str, unknown: Unknown) -> Result<Vec<Vec<String>>, String> {
    let mut stages = vec![Vec::new()];
    let mut word = String::new();
    let mut quoted = false;
    let mut started = false;
    for character in line.trim().chars().chain([' ']) {
        match character {
            '\'' => (quoted, started) = (!quoted, true),
            '|' if !quoted => stages.push(Vec::new()),
            space if space.is_whitespace() && !quoted => {
                let word = std::mem::take(&mut word);
                let stage = stages.last_mut();
                match word.as_str() {
                    "$2" => {}
                    "$1" => stage
                        .into_iter()
                        .for_each(|stage| stage.push(unknown.option().into())),
                    _ if started || !word.is_empty() => {
                        stage.into_iter().for_each(|stage| stage.push(word.clone()))
                    }
                    _ => {}
                }
                started = false;
            }
            other => word.push(other),
        }
    }
    if quoted || stages.iter().any(Vec::is_empty) {
        return Err(format!("{line:?} is no line of programs"));
    }
    Ok(stages)
}

/// Writes a text so that no character of it means anything to the stages.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len() + 8);
    for character in text.chars().filter(|&character| character != '\0') {
        if "[]{}^$/\\@<>".contains(character) {
            escaped.push('\\');
        }
        escaped.push(character);
    }
    escaped
}

/// Undoes [`escape`] and takes the empty blank away.
pub(super) fn unescape(answer: &str) -> String {
    let answer = answer.replace("[]", "");
    let mut text = String::with_capacity(answer.len());
    let mut characters = answer.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => text.extend(characters.next()),
            other => text.push(other),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_become_programs_without_a_shell() {
        let line =
            "lt-proc -z '/usr/share/a b.bin' | tagger -g $2 '/x.prob' | lt-proc $1 '/y|z.bin'\n";
        let expected: [&[&str]; 3] = [
            &["lt-proc", "-z", "/usr/share/a b.bin"],
            &["tagger", "-g", "/x.prob"],
            &["lt-proc", "-n", "/y|z.bin"],
        ];
        assert_eq!(stages(line, Unknown::Plain).unwrap(), expected);
        for wrong in ["", "a | | b", "a 'b"] {
            assert!(stages(wrong, Unknown::Plain).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn nothing_in_a_text_means_anything_to_the_stages() {
        let text = "a [b] {c} ^d$ e/f \\ g@h <i> \\[]";
        assert_eq!(unescape(&(escape(text) + "[]")), text);
        assert_eq!(escape("a\0b[]"), "ab\\[\\]");
    }

    #[tokio::test]
    async fn a_hanging_stage_costs_one_silence_and_answers_before_it_count() {
        let program = |words: &[&str]| {
            words
                .iter()
                .map(|word| (*word).to_owned())
                .collect::<Vec<String>>()
        };
        // Lets two texts pass, then hangs.
        let stage = program(&[
            "python3",
            "-c",
            "import os,time\nseen=0\nwhile seen<2:\n d=os.read(0,1); os.write(1,d); seen+=d==b'\\0'\ntime.sleep(1000)",
        ]);
        let mut pipe = ApertiumPipe::join(&[program(&["cat"]), stage]).unwrap();
        let texts = ["one", "two", "three"].map(str::to_owned);
        let began = Instant::now();
        assert_eq!(
            pipe.ask(&texts, Duration::from_secs(2)).await,
            ["one[]", "two[]"]
        );
        assert!(began.elapsed() < Duration::from_secs(8));
        pipe.end().await;
        assert!(ApertiumPipe::join(&[program(&["latimer-has-no-such-program"])]).is_err());
    }
}
