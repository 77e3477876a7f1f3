//! Says on standard error how far a command is: one line rewritten at a terminal, a few plain lines elsewhere.
//!
//! Where the log is JSON, its lines go there. Never on standard output, never with `--quiet`, and without a clock: a terminal sees each percent, a log each
//! tenth, so two runs write the same lines. Threads may share one reporter.

use std::io::{IsTerminal, Write};
use std::sync::{Mutex, PoisonError};

use pipeline::run::Step;
use pipeline::store::Stage;

use crate::{log, terminal};

/// Says how far a command is.
#[derive(Debug)]
pub(crate) struct Progress {
    style: Style,
    last: Mutex<Option<Last>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    Silent,
    Terminal,
    Lines,
    /// Lines of the log.
    Log,
}

/// What was said last.
#[derive(Debug)]
struct Last {
    stage: String,
    step: usize,
}

impl Progress {
    /// Chooses the style by what standard error is.
    pub(crate) fn new(quiet: bool) -> Self {
        let style = match (quiet, std::io::stderr().is_terminal()) {
            (true, _) => Style::Silent,
            (false, _) if log::is_json() => Style::Log,
            (false, true) => Style::Terminal,
            (false, false) => Style::Lines,
        };
        Self { style, last: Mutex::new(None) }
    }

    /// Reports a step of a build.
    pub(crate) fn step(&self, step: &Step<'_>) {
        let name = match step.stage {
            Stage::Crawl => "crawl",
            Stage::Extract => "read",
            Stage::Translate => "translate",
            Stage::Render => "render",
            Stage::Publish => "publish",
        };
        let stage = step.locale.map_or_else(|| name.to_owned(), |locale| format!("{name} {locale}"));
        self.report(&stage, step.done, step.total);
    }

    /// Reports that `done` of `total` things of a stage are done; the total may be unknown or still grow.
    pub(crate) fn report(&self, stage: &str, done: usize, total: Option<usize>) {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        self.say(&next(self.style, &mut last, stage, done, total));
    }

    /// Says something that stays to be read.
    pub(crate) fn note(&self, line: &str) {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if self.style != Style::Silent {
            let line = terminal::lines(line);
            self.say(&format!("{}{line}\n", end_of_line(self.style, &mut last)));
        }
    }

    /// A closed standard error is no reason to fail.
    fn say(&self, text: &str) {
        if text.is_empty() {
            return;
        }
        if self.style == Style::Log {
            return text.lines().for_each(log::say);
        }
        let mut stream = std::io::stderr().lock();
        let _ = stream.write_all(text.as_bytes()).and_then(|()| stream.flush());
    }

    /// Ends the rewritten line, so that what follows begins a new one.
    pub(crate) fn finish(&self) {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        self.say(end_of_line(self.style, &mut last));
    }
}

fn end_of_line(style: Style, last: &mut Option<Last>) -> &'static str {
    if last.take().is_some() && style == Style::Terminal { "\n" } else { "" }
}

/// What to write for a report; empty when it would say nothing new.
fn next(style: Style, last: &mut Option<Last>, stage: &str, done: usize, total: Option<usize>) -> String {
    let per_whole = match style {
        Style::Silent => return String::new(),
        Style::Terminal => 100,
        Style::Lines | Style::Log => 10,
    };
    let step = match total {
        Some(total) => (done * per_whole).checked_div(total).unwrap_or(per_whole),
        None => done * per_whole / 1000,
    };
    let same_stage = last.as_ref().is_some_and(|last| last.stage == stage);
    if same_stage && last.as_ref().is_some_and(|last| last.step == step) {
        return String::new();
    }
    let before = if same_stage { "" } else { end_of_line(style, last) };
    *last = Some(Last { stage: stage.to_owned(), step });
    let figures = total.map_or(format!("{done}"), |total| format!("{done}/{total}"));
    match style {
        Style::Terminal => format!("{before}\r{stage} {figures}\u{1b}[K"),
        Style::Lines | Style::Log | Style::Silent => format!("{stage} {figures}\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(style: Style, reports: &[(&str, usize, Option<usize>)], expected: &str) {
        let mut last = None;
        let said: String =
            reports.iter().map(|(stage, done, total)| next(style, &mut last, stage, *done, *total)).collect();
        assert_eq!(said, expected);
    }

    const REPORTS: [(&str, usize, Option<usize>); 7] = [
        ("crawl", 0, None),
        ("crawl", 1, None),
        ("pages", 0, Some(200)),
        ("pages", 1, Some(200)),
        ("pages", 2, Some(200)),
        ("pages", 20, Some(200)),
        ("pages", 200, Some(200)),
    ];

    #[test]
    fn a_terminal_sees_one_line_a_stage() {
        let expected = "\rcrawl 0\u{1b}[K\n\rpages 0/200\u{1b}[K\rpages 2/200\u{1b}[K\rpages 20/200\u{1b}[K\
                        \rpages 200/200\u{1b}[K";
        check(Style::Terminal, &REPORTS, expected);
    }

    #[test]
    fn a_log_sees_tenths() {
        check(Style::Lines, &REPORTS, "crawl 0\npages 0/200\npages 20/200\npages 200/200\n");
    }

    #[test]
    fn quiet_says_nothing() {
        check(Style::Silent, &REPORTS, "");
    }

    #[test]
    fn nothing_to_do_is_done() {
        check(Style::Lines, &[("pages", 0, Some(0))], "pages 0/0\n");
    }
}
