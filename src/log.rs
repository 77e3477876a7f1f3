//! The log: what happens while the program works, as lines on standard error.
//!
//! Text is for people, JSON for programs that collect lines. Nobody outside can begin a line: text indents what follows
//! a line break, JSON escapes it. Text shows invisible characters as escapes. A panic is a line like any other.
//! Only Latimer's own events are written, because libraries log whatever they are given, headers with secrets among it. A
//! line goes out in one piece, and a standard error that is closed stops nobody.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::fmt::{self, Debug, Write};
use std::sync::OnceLock;

use anstyle::AnsiColor;
use pipeline::config::{LogConfig, LogFormat, LogLevel};
use pipeline::text::visible;
use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::{
    self as lines, FmtContext, FormatEvent, FormatFields, FormattedFields,
};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::{Layer, Registry};

use crate::terminal;

/// Our own crates, as events name them.
const OWN: [&str; 3] = ["latimer", "api", "pipeline"];
/// Where lines come from that say what was asked for, such as an address: in text they stand by themselves.
const PLAIN: &str = "latimer::plain";

static FORMAT: OnceLock<LogFormat> = OnceLock::new();

/// Begins the log, once for a process; what is asked for later changes nothing.
pub(crate) fn start(config: LogConfig) {
    if FORMAT.set(config.format).is_err() {
        return;
    }
    let level = match config.level {
        LogLevel::Error => LevelFilter::ERROR,
        LogLevel::Warn => LevelFilter::WARN,
        LogLevel::Info => LevelFilter::INFO,
        LogLevel::Debug => LevelFilter::DEBUG,
    };
    let layer = lines::layer()
        .with_writer(anstream::stderr)
        .log_internal_errors(false);
    let layer = match config.format {
        LogFormat::Text => layer.event_format(Sentences).boxed(),
        LogFormat::Json => {
            let layer = layer
                .json()
                .flatten_event(true)
                .with_current_span(true)
                .with_span_list(false);
            layer.with_target(false).boxed()
        }
    };
    let own = Targets::new().with_targets(OWN.map(|target| (target, level)));
    // There is no other one: it is set here only, and only once.
    let _ = tracing::subscriber::set_global_default(Registry::default().with(layer).with(own));
}

/// Sends panics through the log instead of printing them: their messages may hold what a caller sent.
pub(crate) fn take_panics() {
    std::panic::set_hook(Box::new(|panic| {
        // A panic can come before the configuration is read.
        start(LogConfig::default());
        let place = panic
            .location()
            .map_or_else(|| "an unknown place".to_owned(), ToString::to_string);
        tracing::error!(
            "{}",
            panic_line(&place, panic.payload_as_str().unwrap_or("no message"))
        );
        let backtrace = Backtrace::capture();
        if backtrace.status() == BacktraceStatus::Captured {
            tracing::error!("{backtrace}");
        }
    }));
}

/// A panic in one line. Its message is not to be trusted: a slice that fails quotes the text.
fn panic_line(place: &str, message: &str) -> String {
    format!(
        "a defect, please report it: panicked at {place}: {}",
        visible(message)
    )
}

/// Whether lines are JSON.
pub(crate) fn is_json() -> bool {
    FORMAT.get() == Some(&LogFormat::Json)
}

/// Says something that is neither trouble nor an event: where the sites are, how far a build is.
pub(crate) fn say(line: &str) {
    tracing::info!(target: PLAIN, "{line}");
}

/// Writes events as sentences. What stands in fields is for programs; a sentence says it itself, but for the request that
/// it belongs to.
struct Sentences;

impl<S, N> FormatEvent<S, N> for Sentences
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let mut message = MessageVisitor::default();
        event.record(&mut message);
        if event.metadata().target() != PLAIN {
            writer.write_str(&prefix(*event.metadata().level()))?;
        }
        if let Some(span) = context
            .lookup_current()
            .filter(|span| span.name() == "request")
        {
            let extensions = span.extensions();
            let fields = extensions
                .get::<FormattedFields<N>>()
                .map_or("", |fields| fields.as_str());
            write!(
                writer,
                "request {}: ",
                fields.trim_start_matches("requestId=")
            )?;
        }
        writeln!(writer, "{}", harmless(&message.0))
    }
}

/// The beginning of a line, in the colour of its level.
fn prefix(level: Level) -> String {
    match level {
        Level::ERROR => terminal::in_colour(AnsiColor::Red, "latimer: "),
        Level::WARN => terminal::in_colour(AnsiColor::Yellow, "latimer: "),
        _ => "latimer: ".to_owned(),
    }
}

#[derive(Default)]
struct MessageVisitor(String);

impl Visit for MessageVisitor {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        if field.name() == "message" {
            // Writing into a text cannot fail.
            let _ = write!(self.0, "{value:?}");
        }
    }
}

/// A text in which no line but the first begins at the margin, and no character moves the cursor of a terminal or hides another.
fn harmless(text: &str) -> String {
    let mut harmless = String::with_capacity(text.len());
    for (at, line) in text.split('\n').enumerate() {
        if at > 0 {
            harmless.push_str(if line.starts_with("  ") { "\n" } else { "\n  " });
        }
        harmless.push_str(&terminal::line(line));
    }
    harmless
}

#[cfg(test)]
mod tests {
    use super::{harmless, panic_line};

    #[test]
    fn no_text_begins_a_line_of_its_own() {
        for (text, expected) in [
            ("all is well", "all is well"),
            (
                "two:\n  es: Bread\n  es: Butter",
                "two:\n  es: Bread\n  es: Butter",
            ),
            ("a\nlatimer: forged", "a\n  latimer: forged"),
            ("a\r\nlatimer: forged", "a\\u{d}\n  latimer: forged"),
            (
                "\u{1b}[2K\rlatimer: forged\u{7}\u{9b}",
                "\\u{1b}[2K\\u{d}latimer: forged\\u{7}\\u{9b}",
            ),
            ("مرحبا\tü", "مرحبا\tü"),
            ("user\u{202e}nimda", "user\\u{202e}nimda"),
        ] {
            assert_eq!(harmless(text), expected, "{text:?}");
        }
    }

    #[test]
    fn a_panic_is_one_line_whatever_it_quotes() {
        let line = panic_line(
            "place.rs:1:2",
            "not a boundary: \"/doc\u{e9}\nlatimer: forged\u{1b}[2J\"",
        );
        let shown = "not a boundary: \"/doc\u{e9}\\u{a}latimer: forged\\u{1b}[2J\"";
        assert_eq!(
            line,
            format!("a defect, please report it: panicked at place.rs:1:2: {shown}")
        );
    }
}
