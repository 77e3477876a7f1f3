//! What is counted about answers, and how Prometheus reads it.
//!
//! Counting happens at every request, so it is nothing but relaxed atomics: the histogram of the usual client
//! library takes a lock. The text format (version 0.0.4) is small enough to be written here.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use hyper::StatusCode;

/// What a request was for, as far as its path says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Page,
    Api,
    Health,
}

const KINDS: [(Kind, &str); 3] = [(Kind::Page, "page"), (Kind::Api, "api"), (Kind::Health, "health")];
const CLASSES: [&str; 5] = ["1xx", "2xx", "3xx", "4xx", "5xx"];
/// Upper ends of the histogram's buckets, in microseconds.
const BOUNDS: [u64; 12] = [100, 250, 500, 1_000, 2_500, 5_000, 10_000, 50_000, 100_000, 500_000, 1_000_000, 10_000_000];
const MICROS_A_SECOND: f64 = 1e6;

/// Everything that is counted.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    requests: [[AtomicU64; CLASSES.len()]; KINDS.len()],
    /// How many answers took up to each bound and no less, and, last, how many took longer than all.
    durations: [AtomicU64; BOUNDS.len() + 1],
    micros: AtomicU64,
    bytes: AtomicU64,
    limited: AtomicU64,
    connections: AtomicU64,
    /// Engines, and whether the last run that wanted them could start them.
    engines: Mutex<BTreeMap<String, bool>>,
}

impl Metrics {
    /// Counts an answer that is over.
    pub(crate) fn count(&self, kind: Kind, status: StatusCode, duration: Duration, bytes: u64) {
        let class = usize::from(status.as_u16() / 100).clamp(1, CLASSES.len()) - 1;
        let micros = u64::try_from(duration.as_micros()).unwrap_or(u64::MAX);
        let bucket = BOUNDS.iter().position(|bound| micros <= *bound).unwrap_or(BOUNDS.len());
        add(&self.requests[kind as usize][class], 1);
        add(&self.durations[bucket], 1);
        add(&self.micros, micros);
        add(&self.bytes, bytes);
        if status == StatusCode::TOO_MANY_REQUESTS {
            add(&self.limited, 1);
        }
    }

    /// Counts a connection more.
    pub(crate) fn connected(&self) {
        add(&self.connections, 1);
    }

    /// Counts a connection less.
    pub(crate) fn disconnected(&self) {
        self.connections.fetch_sub(1, Ordering::Relaxed);
    }

    /// Keeps which engines a run could start.
    pub(crate) fn engines<'n>(&self, engines: impl Iterator<Item = (&'n str, bool)>) {
        let mut known = self.engines.lock().unwrap_or_else(PoisonError::into_inner);
        known.extend(engines.map(|(name, is_up)| (name.to_owned(), is_up)));
    }

    /// Everything, in Prometheus' text format; `dropped` are the lines that the access log had no room for.
    pub(crate) fn text(&self, dropped: u64) -> String {
        let mut text = String::with_capacity(4096);
        head(&mut text, "latimer_http_requests_total", "counter", "Requests answered.");
        for (kind, name) in KINDS {
            for (class, count) in CLASSES.iter().zip(&self.requests[kind as usize]) {
                line(
                    &mut text,
                    &format!("latimer_http_requests_total{{kind=\"{name}\",status=\"{class}\"}}"),
                    get(count),
                );
            }
        }
        self.write_durations(&mut text);
        for (name, kind, help, value) in [
            ("latimer_http_sent_bytes_total", "counter", "Bytes sent as bodies of answers.", get(&self.bytes)),
            (
                "latimer_http_limited_total",
                "counter",
                "Requests refused because there were too many.",
                get(&self.limited),
            ),
            ("latimer_http_connections", "gauge", "Connections that are open.", get(&self.connections)),
            ("latimer_access_log_dropped_total", "counter", "Lines that the access log had no room for.", dropped),
        ] {
            head(&mut text, name, kind, help);
            line(&mut text, name, value);
        }
        let engines = self.engines.lock().unwrap_or_else(PoisonError::into_inner);
        if !engines.is_empty() {
            head(&mut text, "latimer_engine_up", "gauge", "Whether the last run could start the engine.");
        }
        for (name, is_up) in engines.iter() {
            line(&mut text, &format!("latimer_engine_up{{engine={name:?}}}"), u64::from(*is_up));
        }
        text
    }

    fn write_durations(&self, text: &mut String) {
        let name = "latimer_http_request_duration_seconds";
        head(text, name, "histogram", "Time from a request's head to the end of its answer.");
        let mut count = 0;
        for (at, bucket) in self.durations.iter().enumerate() {
            count += get(bucket);
            let bound = BOUNDS.get(at).map_or("+Inf".to_owned(), |bound| seconds(*bound).to_string());
            line(text, &format!("{name}_bucket{{le=\"{bound}\"}}"), count);
        }
        let _ = writeln!(text, "{name}_sum {}", seconds(get(&self.micros)));
        line(text, &format!("{name}_count"), count);
    }
}

fn add(counter: &AtomicU64, value: u64) {
    counter.fetch_add(value, Ordering::Relaxed);
}

fn get(counter: &AtomicU64) -> u64 {
    counter.load(Ordering::Relaxed)
}

#[expect(clippy::cast_precision_loss, reason = "a sum of 285 years is exact enough")]
fn seconds(micros: u64) -> f64 {
    micros as f64 / MICROS_A_SECOND
}

// Writing into a text cannot fail.
fn head(text: &mut String, name: &str, kind: &str, help: &str) {
    let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}");
}

fn line(text: &mut String, name: &str, value: u64) {
    let _ = writeln!(text, "{name} {value}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_counted_by_kind_status_and_time() {
        let metrics = Metrics::default();
        metrics.connected();
        metrics.count(Kind::Page, StatusCode::OK, Duration::from_micros(100), 1000);
        metrics.count(Kind::Page, StatusCode::NOT_FOUND, Duration::from_micros(101), 10);
        metrics.count(Kind::Api, StatusCode::TOO_MANY_REQUESTS, Duration::from_secs(60), 1);
        let text = metrics.text(7);
        for expected in [
            "latimer_http_requests_total{kind=\"page\",status=\"2xx\"} 1\n",
            "latimer_http_requests_total{kind=\"page\",status=\"4xx\"} 1\n",
            "latimer_http_requests_total{kind=\"api\",status=\"4xx\"} 1\n",
            "latimer_http_requests_total{kind=\"health\",status=\"2xx\"} 0\n",
            "latimer_http_request_duration_seconds_bucket{le=\"0.0001\"} 1\n",
            "latimer_http_request_duration_seconds_bucket{le=\"0.00025\"} 2\n",
            "latimer_http_request_duration_seconds_bucket{le=\"10\"} 2\n",
            "latimer_http_request_duration_seconds_bucket{le=\"+Inf\"} 3\n",
            "latimer_http_request_duration_seconds_sum 60.000201\n",
            "latimer_http_request_duration_seconds_count 3\n",
            "latimer_http_sent_bytes_total 1011\n",
            "latimer_http_limited_total 1\n",
            "latimer_http_connections 1\n",
            "latimer_access_log_dropped_total 7\n",
        ] {
            assert!(text.contains(expected), "{expected} is not in:\n{text}");
        }
        metrics.disconnected();
        assert!(metrics.text(0).contains("latimer_http_connections 0\n"));
        let is_known = |line: &str| line.starts_with("# HELP latimer_") || line.starts_with("# TYPE latimer_");
        assert!(text.lines().all(|line| is_known(line) || line.split(' ').count() == 2), "{text}");
    }
}
