//! What is counted, and how Prometheus reads it.
//!
//! Counting happens at every request, so it is nothing but relaxed atomics: the histogram of the usual client
//! library takes a lock. The text format is small enough to be written here. Labels come from closed sets and from the
//! configuration file, so that no caller can make the text grow.

mod exposition;
mod work;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use hyper::StatusCode;
use pipeline::state::{PreviewCode, Queue, RunRecord};
use pipeline::translate::MeterReading;

use exposition::{Exposition, Histogram};
use work::WorkMetrics;

/// What a request was for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RequestKind {
    Page,
    Api,
    Health,
    /// An answer that goes on as long as there is something to tell.
    Stream,
}

const KINDS: [(RequestKind, &str); 4] = [
    (RequestKind::Page, "page"),
    (RequestKind::Api, "api"),
    (RequestKind::Health, "health"),
    (RequestKind::Stream, "stream"),
];
const CLASSES: [&str; 5] = ["1xx", "2xx", "3xx", "4xx", "5xx"];
/// Upper ends of the buckets, in microseconds: from a tenth of a millisecond to ten seconds.
const BOUNDS: &[u64] = &[
    100, 250, 500, 1_000, 2_500, 5_000, 10_000, 50_000, 100_000, 500_000, 1_000_000, 10_000_000,
];
/// The same for streams: from a second to a day.
const STREAM_BOUNDS: &[u64] = &[
    1_000_000,
    10_000_000,
    60_000_000,
    300_000_000,
    900_000_000,
    3_600_000_000,
    21_600_000_000,
    86_400_000_000,
];

/// Everything that is counted.
#[derive(Debug)]
pub(crate) struct Metrics {
    requests: [[AtomicU64; CLASSES.len()]; KINDS.len()],
    durations: [Histogram; KINDS.len()],
    bytes: AtomicU64,
    limited: AtomicU64,
    connections: AtomicU64,
    streams: AtomicU64,
    work: WorkMetrics,
}

/// What is not counted here and is as it is when somebody reads.
#[derive(Clone, Debug, Default)]
pub(crate) struct Gauges {
    /// Lines that the access log had no room for.
    pub(crate) dropped: u64,
    pub(crate) is_ready: bool,
    /// Requests to the store that failed.
    pub(crate) store_errors: u64,
    /// What only a server with an API has.
    pub(crate) api: Option<Background>,
}

/// How the work in the background stands.
#[derive(Clone, Debug, Default)]
pub(crate) struct Background {
    /// Absent when the state could not be read.
    pub(crate) runs: Option<Queue>,
    pub(crate) previews: Queue,
    pub(crate) engines: BTreeMap<String, MeterReading>,
    /// How often reading and writing the state failed.
    pub(crate) state_errors: (u64, u64),
}

impl Default for Metrics {
    fn default() -> Self {
        let durations = KINDS.map(|(kind, _)| {
            Histogram::new(if kind == RequestKind::Stream {
                STREAM_BOUNDS
            } else {
                BOUNDS
            })
        });
        let (requests, bytes, limited, connections, streams, work) = Default::default();
        Self {
            requests,
            durations,
            bytes,
            limited,
            connections,
            streams,
            work,
        }
    }
}

impl Metrics {
    /// Counts an answer that is over.
    pub(crate) fn count(
        &self,
        kind: RequestKind,
        status: StatusCode,
        duration: Duration,
        bytes: u64,
    ) {
        let class = usize::from(status.as_u16() / 100).clamp(1, CLASSES.len()) - 1;
        add(&self.requests[kind as usize][class], 1);
        self.durations[kind as usize].add(duration);
        add(&self.bytes, bytes);
        if status == StatusCode::TOO_MANY_REQUESTS {
            add(&self.limited, 1);
        }
        if kind == RequestKind::Stream {
            self.streams.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// Counts a stream that begins; [`Self::count`] tells its end.
    pub(crate) fn streaming(&self) {
        add(&self.streams, 1);
    }

    /// Counts a connection more.
    pub(crate) fn connected(&self) {
        add(&self.connections, 1);
    }

    /// Counts a connection less.
    pub(crate) fn disconnected(&self) {
        self.connections.fetch_sub(1, Ordering::Relaxed);
    }

    /// Counts a run that ended.
    pub(crate) fn run_ended(&self, run: &RunRecord) {
        self.work.run(run);
    }

    /// Counts a preview that ended, without a page for a reason.
    pub(crate) fn preview_ended(&self, failure: Option<PreviewCode>) {
        self.work.preview(failure);
    }

    /// Everything, in Prometheus' text format.
    pub(crate) fn text(&self, now: &Gauges) -> String {
        let mut text = Exposition::default();
        let name = "latimer_build_info";
        let version = env!("CARGO_PKG_VERSION");
        text.family(name, "gauge", "The version of Latimer that runs.");
        text.sample(name, &[("version", version)], 1);
        text.single(
            "latimer_ready",
            "gauge",
            "Whether requests are welcome.",
            u8::from(now.is_ready),
        );
        self.write_http(&mut text, now.dropped);
        let help = "Requests to the object store that failed for good.";
        text.single(
            "latimer_store_errors_total",
            "counter",
            help,
            now.store_errors,
        );
        if let Some(background) = &now.api {
            self.work.write(&mut text);
            background.write(&mut text);
        }
        text.finish()
    }

    fn write_http(&self, text: &mut Exposition, dropped: u64) {
        let name = "latimer_http_requests_total";
        text.family(name, "counter", "Requests answered.");
        for (kind, kind_name) in KINDS {
            for (class, count) in CLASSES.iter().zip(&self.requests[kind as usize]) {
                text.sample(name, &[("kind", kind_name), ("status", class)], get(count));
            }
        }
        let name = "latimer_http_request_duration_seconds";
        text.family(
            name,
            "histogram",
            "Time from a request's head to the end of its answer; streams stand apart.",
        );
        for (kind, kind_name) in KINDS
            .into_iter()
            .filter(|(kind, _)| *kind != RequestKind::Stream)
        {
            text.histogram(name, &[("kind", kind_name)], &self.durations[kind as usize]);
        }
        let name = "latimer_http_stream_duration_seconds";
        text.family(
            name,
            "histogram",
            "Time from a request's head to the end of its stream.",
        );
        text.histogram(name, &[], &self.durations[RequestKind::Stream as usize]);
        for (name, kind, help, value) in [
            (
                "latimer_http_streams",
                "gauge",
                "Streams that are open.",
                get(&self.streams),
            ),
            (
                "latimer_http_sent_bytes_total",
                "counter",
                "Bytes sent as bodies of answers.",
                get(&self.bytes),
            ),
            (
                "latimer_http_limited_total",
                "counter",
                "Requests refused because there were too many.",
                get(&self.limited),
            ),
            (
                "latimer_http_connections",
                "gauge",
                "Connections that are open.",
                get(&self.connections),
            ),
            (
                "latimer_access_log_dropped_total",
                "counter",
                "Lines that the access log had no room for.",
                dropped,
            ),
        ] {
            text.single(name, kind, help, value);
        }
    }
}

impl Background {
    fn write(&self, text: &mut Exposition) {
        for (thing, help, queue) in [
            ("latimer_runs", "Runs", self.runs.unwrap_or_default()),
            ("latimer_previews", "Previews", self.previews),
        ] {
            // A figure that is not known is not 0.
            if thing == "latimer_runs" && self.runs.is_none() {
                continue;
            }
            text.single(
                &format!("{thing}_waiting"),
                "gauge",
                &format!("{help} that wait."),
                queue.waiting,
            );
            text.single(
                &format!("{thing}_working"),
                "gauge",
                &format!("{help} that are worked on."),
                queue.working,
            );
        }
        self.write_engines(text);
        let name = "latimer_state_errors_total";
        text.family(
            name,
            "counter",
            "Reads and writes of the state that failed.",
        );
        text.sample(name, &[("operation", "read")], self.state_errors.0);
        text.sample(name, &[("operation", "write")], self.state_errors.1);
    }

    fn write_engines(&self, text: &mut Exposition) {
        type Value = fn(&MeterReading) -> Option<f64>;
        #[expect(
            clippy::cast_precision_loss,
            reason = "engines get fewer than 2^52 characters"
        )]
        let figures: [(&str, &str, &str, Value); 6] = [
            (
                "latimer_engine_up",
                "gauge",
                "Whether the engine could be started the last time.",
                |engine| engine.is_up.map(|is_up| f64::from(u8::from(is_up))),
            ),
            (
                "latimer_engine_requests_total",
                "counter",
                "Requests to the engine, new tries too.",
                |engine| Some(engine.requests as f64),
            ),
            (
                "latimer_engine_request_failures_total",
                "counter",
                "Requests to the engine that failed.",
                |engine| Some(engine.failures as f64),
            ),
            (
                "latimer_engine_request_seconds_total",
                "counter",
                "Time that the engine took to answer.",
                |engine| Some(engine.time.as_secs_f64()),
            ),
            (
                "latimer_engine_characters_total",
                "counter",
                "Characters that the engine got.",
                |engine| Some(engine.characters as f64),
            ),
            (
                "latimer_engine_refusals_total",
                "counter",
                "Translations of the engine that were refused.",
                |engine| Some(engine.refusals as f64),
            ),
        ];
        for (name, kind, help, value) in figures {
            if self.engines.is_empty() {
                continue;
            }
            text.family(name, kind, help);
            for (engine, reading) in &self.engines {
                if let Some(value) = value(reading) {
                    text.sample(name, &[("engine", engine)], value);
                }
            }
        }
    }
}

fn add(counter: &AtomicU64, value: u64) {
    counter.fetch_add(value, Ordering::Relaxed);
}

fn get(counter: &AtomicU64) -> u64 {
    counter.load(Ordering::Relaxed)
}

#[cfg(test)]
mod tests;
