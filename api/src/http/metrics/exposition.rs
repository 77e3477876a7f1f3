//! Prometheus' text format, version 0.0.4: families of samples, and histograms of times.

use std::fmt::{Display, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// A text in the making.
#[derive(Debug, Default)]
pub(super) struct Exposition(String);

/// How many times were no longer than each bound.
#[derive(Debug)]
pub(super) struct Histogram {
    /// Upper ends of the buckets, in microseconds.
    bounds: &'static [u64],
    /// How many took up to each bound and no less, and, last, how many took longer than all.
    buckets: Vec<AtomicU64>,
    micros: AtomicU64,
}

impl Exposition {
    /// Begins a family; its samples follow.
    pub(super) fn family(&mut self, name: &str, kind: &str, help: &str) {
        // Writing into a text cannot fail, here and below.
        let _ = writeln!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}");
    }

    /// Adds a sample.
    pub(super) fn sample(&mut self, name: &str, labels: &[(&str, &str)], value: impl Display) {
        self.0.push_str(name);
        for (at, (label, text)) in labels.iter().enumerate() {
            let before = if at == 0 { '{' } else { ',' };
            let text = text
                .replace('\\', "\\\\")
                .replace('"', "\\\"")
                .replace('\n', "\\n");
            let _ = write!(self.0, "{before}{label}=\"{text}\"");
        }
        let after = if labels.is_empty() { "" } else { "}" };
        let _ = writeln!(self.0, "{after} {value}");
    }

    /// Adds a family with a single sample.
    pub(super) fn single(&mut self, name: &str, kind: &str, help: &str, value: impl Display) {
        self.family(name, kind, help);
        self.sample(name, &[], value);
    }

    /// Adds the samples of a histogram.
    pub(super) fn histogram(&mut self, name: &str, labels: &[(&str, &str)], histogram: &Histogram) {
        let mut count = 0;
        for (at, bucket) in histogram.buckets.iter().enumerate() {
            count += bucket.load(Ordering::Relaxed);
            let bound = histogram
                .bounds
                .get(at)
                .map_or("+Inf".to_owned(), |bound| seconds(*bound).to_string());
            let labels: Vec<_> = labels
                .iter()
                .copied()
                .chain([("le", bound.as_str())])
                .collect();
            self.sample(&format!("{name}_bucket"), &labels, count);
        }
        self.sample(
            &format!("{name}_sum"),
            labels,
            seconds(histogram.micros.load(Ordering::Relaxed)),
        );
        self.sample(&format!("{name}_count"), labels, count);
    }

    /// The whole text.
    pub(super) fn finish(self) -> String {
        self.0
    }
}

impl Histogram {
    /// An empty one with these upper ends, in microseconds.
    pub(super) fn new(bounds: &'static [u64]) -> Self {
        let buckets = (0..=bounds.len()).map(|_| AtomicU64::default()).collect();
        Self {
            bounds,
            buckets,
            micros: AtomicU64::default(),
        }
    }

    /// Adds a time.
    pub(super) fn add(&self, time: Duration) {
        let micros = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        let bucket = self
            .bounds
            .iter()
            .position(|bound| micros <= *bound)
            .unwrap_or(self.bounds.len());
        if let Some(bucket) = self.buckets.get(bucket) {
            bucket.fetch_add(1, Ordering::Relaxed);
        }
        self.micros.fetch_add(micros, Ordering::Relaxed);
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "a sum of 285 years is exact enough"
)]
fn seconds(micros: u64) -> f64 {
    micros as f64 / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_engines_cannot_break_a_line() {
        let mut text = Exposition::default();
        text.sample("up", &[("engine", "a\"b\\c\nd"), ("kind", "ü")], 1);
        assert_eq!(
            text.finish(),
            "up{engine=\"a\\\"b\\\\c\\nd\",kind=\"ü\"} 1\n"
        );
    }
}
