//! Says on standard error how far a command is: one line rewritten at a terminal, a few plain lines elsewhere.
//!
//! With a JSON log, progress goes to the log. Nothing goes to standard output, and `--quiet` writes nothing. A terminal sees each
//! percent, and the time that is left of a long stage. A log sees each tenth and no time, so two runs write the same lines.
//! Threads may share one reporter.

use std::io::{IsTerminal, Write};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use pipeline::run::BuildStep;
use pipeline::state::Stage;

use crate::{log, terminal};

/// Says how far a command is.
#[derive(Debug)]
pub(crate) struct CommandProgress {
    style: ProgressStyle,
    last: Mutex<Option<LastProgress>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ProgressStyle {
    Silent,
    Terminal,
    Lines,
    /// Lines of the log.
    Log,
}

/// What was said last.
#[derive(Debug)]
struct LastProgress {
    stage: String,
    step: usize,
    began: Instant,
    /// Number of things that were done before: a stage that goes on after a break does not begin with none.
    first: usize,
}

/// The time after which a stage is long enough for an estimate.
const LONG: Duration = Duration::from_secs(10);

impl CommandProgress {
    /// Chooses the style by what standard error is.
    pub(crate) fn new(quiet: bool) -> Self {
        let style = match (quiet, std::io::stderr().is_terminal()) {
            (true, _) => ProgressStyle::Silent,
            (false, _) if log::is_json() => ProgressStyle::Log,
            (false, true) => ProgressStyle::Terminal,
            (false, false) => ProgressStyle::Lines,
        };
        Self {
            style,
            last: Mutex::new(None),
        }
    }

    /// Reports a step of a build.
    pub(crate) fn step(&self, step: &BuildStep<'_>) {
        let name = match step.stage {
            Stage::Crawl => "crawl",
            Stage::Extract => "read",
            Stage::Translate => "translate",
            Stage::Render => "render",
            Stage::Publish => "publish",
        };
        let stage = step
            .locale
            .map_or_else(|| name.to_owned(), |locale| format!("{name} {locale}"));
        self.report(&stage, step.done, step.total);
    }

    /// Reports that `done` of `total` things of a stage are done; the total may be unknown or still grow.
    pub(crate) fn report(&self, stage: &str, done: usize, total: Option<usize>) {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        self.say(&next(
            self.style,
            &mut last,
            stage,
            done,
            total,
            Instant::now(),
        ));
    }

    /// Says something that stays to be read.
    pub(crate) fn note(&self, line: &str) {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if self.style != ProgressStyle::Silent {
            let line = terminal::lines(line);
            self.say(&format!("{}{line}\n", end_of_line(self.style, &mut last)));
        }
    }

    /// A closed standard error is no reason to fail.
    fn say(&self, text: &str) {
        if text.is_empty() {
            return;
        }
        if self.style == ProgressStyle::Log {
            return text.lines().for_each(log::say);
        }
        let mut stream = std::io::stderr().lock();
        let _ = stream
            .write_all(text.as_bytes())
            .and_then(|()| stream.flush());
    }

    /// Ends the rewritten line, so that what follows begins a new one.
    pub(crate) fn finish(&self) {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        self.say(end_of_line(self.style, &mut last));
    }
}

fn end_of_line(style: ProgressStyle, last: &mut Option<LastProgress>) -> &'static str {
    if last.take().is_some() && style == ProgressStyle::Terminal {
        "\n"
    } else {
        ""
    }
}

/// The text for a report; empty if it would say nothing new.
fn next(
    style: ProgressStyle,
    last: &mut Option<LastProgress>,
    stage: &str,
    done: usize,
    total: Option<usize>,
    now: Instant,
) -> String {
    let per_whole = match style {
        ProgressStyle::Silent => return String::new(),
        ProgressStyle::Terminal => 100,
        ProgressStyle::Lines | ProgressStyle::Log => 10,
    };
    let step = match total {
        Some(total) => (done * per_whole).checked_div(total).unwrap_or(per_whole),
        None => done * per_whole / 1000,
    };
    let same_stage = last.as_ref().is_some_and(|last| last.stage == stage);
    if same_stage && last.as_ref().is_some_and(|last| last.step == step) {
        return String::new();
    }
    let begun = last.as_ref().filter(|_| same_stage);
    let began = begun.map_or(now, |last| last.began);
    let first = begun.map_or(done, |last| last.first);
    let before = if same_stage {
        ""
    } else {
        end_of_line(style, last)
    };
    *last = Some(LastProgress {
        stage: stage.to_owned(),
        step,
        began,
        first,
    });
    let figures = total.map_or(format!("{done}"), |total| format!("{done}/{total}"));
    match style {
        ProgressStyle::Terminal => {
            let left = total.and_then(|total| {
                time_left(
                    now - began,
                    done - first.min(done),
                    total - first.min(total),
                )
            });
            format!(
                "{before}\r{stage} {figures}{}\u{1b}[K",
                left.unwrap_or_default()
            )
        }
        ProgressStyle::Lines | ProgressStyle::Log | ProgressStyle::Silent => {
            format!("{stage} {figures}\n")
        }
    }
}

/// The time that a stage still takes if it goes on as it did; `None` in its first seconds, and without anything left to do.
fn time_left(passed: Duration, done: usize, total: usize) -> Option<String> {
    if passed < LONG || done == 0 || done >= total {
        return None;
    }
    let done = u32::try_from(done).ok()?;
    let left = u32::try_from(total).ok()? - done;
    let seconds = (passed / done * left).as_secs();
    Some(match seconds {
        0..60 => format!(", about {} s left", seconds.max(1)),
        60..3_600 => format!(", about {} min left", seconds.div_ceil(60)),
        _ => format!(
            ", about {}:{:02} h left",
            seconds / 3_600,
            seconds % 3_600 / 60
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(style: ProgressStyle, reports: &[(&str, usize, Option<usize>)], expected: &str) {
        let mut last = None;
        let now = Instant::now();
        let mut said = String::new();
        for (stage, done, total) in reports {
            said += &next(style, &mut last, stage, *done, *total, now);
        }
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
        check(ProgressStyle::Terminal, &REPORTS, expected);
    }

    #[test]
    fn long_work_says_how_much_time_is_left() {
        for (passed, done, total, said) in [
            (9, 50, 100, None),
            (10, 0, 100, None),
            (10, 50, 100, Some(", about 10 s left")),
            (60, 10, 100, Some(", about 9 min left")),
            (3_600, 1, 3, Some(", about 2:00 h left")),
            (60, 100, 100, None),
        ] {
            assert_eq!(
                time_left(Duration::from_secs(passed), done, total).as_deref(),
                said
            );
        }
        let began = Instant::now();
        let mut last = None;
        next(
            ProgressStyle::Terminal,
            &mut last,
            "read",
            100,
            Some(200),
            began,
        );
        let said = next(
            ProgressStyle::Terminal,
            &mut last,
            "read",
            150,
            Some(200),
            began + Duration::from_secs(30),
        );
        assert_eq!(said, "\rread 150/200, about 30 s left\u{1b}[K");
    }

    #[test]
    fn a_log_sees_tenths() {
        check(
            ProgressStyle::Lines,
            &REPORTS,
            "crawl 0\npages 0/200\npages 20/200\npages 200/200\n",
        );
    }

    #[test]
    fn quiet_says_nothing() {
        check(ProgressStyle::Silent, &REPORTS, "");
    }

    #[test]
    fn nothing_to_do_is_done() {
        check(
            ProgressStyle::Lines,
            &[("pages", 0, Some(0))],
            "pages 0/0\n",
        );
    }
}
