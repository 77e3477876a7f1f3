//! The log: what happens while the program works, as lines on standard error.
//!
//! Text is for people, JSON for programs that collect lines. Nobody outside can begin a line: text indents what follows
//! a line break, JSON escapes it. Only Latimer's own events are written, because libraries log whatever they are given,
//! headers with secrets among it. A line goes out in one piece, and a standard error that is closed stops nobody.

use std::fmt::{self, Debug, Write};
use std::sync::OnceLock;

use pipeline::config::{LogConfig, LogFormat, LogLevel};
use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::{Event, Subscriber};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::{self as lines, FmtContext, FormatEvent, FormatFields, FormattedFields};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::{Layer, Registry};

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
    let layer = lines::layer().with_writer(std::io::stderr).log_internal_errors(false);
    let layer = match config.format {
        LogFormat::Text => layer.event_format(Sentences).boxed(),
        LogFormat::Json => {
            std::panic::set_hook(Box::new(|panic| tracing::error!("{panic}")));
            let layer = layer.json().flatten_event(true).with_current_span(true).with_span_list(false);
            layer.with_target(false).boxed()
        }
    };
    let own = Targets::new().with_targets(OWN.map(|target| (target, level)));
    // There is no other one: it is set here only, and only once.
    let _ = tracing::subscriber::set_global_default(Registry::default().with(layer).with(own));
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
    fn format_event(&self, context: &FmtContext<'_, S, N>, mut writer: Writer<'_>, event: &Event<'_>) -> fmt::Result {
        let mut message = Message::default();
        event.record(&mut message);
        if event.metadata().target() != PLAIN {
            writer.write_str("latimer: ")?;
        }
        if let Some(span) = context.lookup_current().filter(|span| span.name() == "request") {
            let extensions = span.extensions();
            let fields = extensions.get::<FormattedFields<N>>().map_or("", |fields| fields.as_str());
            write!(writer, "request {}: ", fields.trim_start_matches("requestId="))?;
        }
        writeln!(writer, "{}", harmless(&message.0))
    }
}

#[derive(Default)]
struct Message(String);

impl Visit for Message {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        if field.name() == "message" {
            // Writing into a text cannot fail.
            let _ = write!(self.0, "{value:?}");
        }
    }
}

/// A text in which no line but the first begins at the margin, and no character moves the cursor of a terminal.
fn harmless(text: &str) -> String {
    let mut harmless = String::with_capacity(text.len());
    for (at, line) in text.split('\n').enumerate() {
        if at > 0 {
            harmless.push_str(if line.starts_with("  ") { "\n" } else { "\n  " });
        }
        for character in line.chars() {
            match character {
                '\t' => harmless.push(character),
                character if character.is_control() => harmless.extend(character.escape_default()),
                character => harmless.push(character),
            }
        }
    }
    harmless
}

#[cfg(test)]
mod tests {
    use super::harmless;

    #[test]
    fn no_text_begins_a_line_of_its_own() {
        for (text, expected) in [
            ("all is well", "all is well"),
            ("two:\n  es: Bread\n  es: Butter", "two:\n  es: Bread\n  es: Butter"),
            ("a\nlatimer: forged", "a\n  latimer: forged"),
            ("a\r\nlatimer: forged", "a\\r\n  latimer: forged"),
            ("\u{1b}[2K\rlatimer: forged\u{7}\u{9b}", "\\u{1b}[2K\\rlatimer: forged\\u{7}\\u{9b}"),
            ("مرحبا\tü", "مرحبا\tü"),
        ] {
            assert_eq!(harmless(text), expected, "{text:?}");
        }
    }
}
