//! What the text says after things were counted.

use std::collections::BTreeSet;

use pipeline::model::{Moment, PageSelection};
use pipeline::state::{RunKind, RunOrder, RunOrigin, RunStatus};

use super::*;

/// Checks that the text has all these lines.
#[track_caller]
fn check(text: &str, expected: &[&str]) {
    for line in expected {
        assert!(
            text.contains(&format!("{line}\n")),
            "{line} is not in:\n{text}"
        );
    }
    let is_known =
        |line: &str| line.starts_with("# HELP latimer_") || line.starts_with("# TYPE latimer_");
    assert!(
        text.lines()
            .all(|line| is_known(line) || line.split(' ').count() == 2),
        "{text}"
    );
}

#[test]
fn answers_are_counted_by_kind_status_and_time() {
    let metrics = Metrics::default();
    metrics.connected();
    metrics.count(
        RequestKind::Page,
        StatusCode::OK,
        Duration::from_micros(100),
        1000,
    );
    metrics.count(
        RequestKind::Page,
        StatusCode::NOT_FOUND,
        Duration::from_micros(101),
        10,
    );
    metrics.count(
        RequestKind::Api,
        StatusCode::TOO_MANY_REQUESTS,
        Duration::from_secs(60),
        1,
    );
    let text = metrics.text(&Gauges {
        dropped: 7,
        ..Gauges::default()
    });
    check(
        &text,
        &[
            concat!(
                "latimer_build_info{version=\"",
                env!("CARGO_PKG_VERSION"),
                "\"} 1"
            ),
            "latimer_ready 0",
            "latimer_http_requests_total{kind=\"page\",status=\"2xx\"} 1",
            "latimer_http_requests_total{kind=\"page\",status=\"4xx\"} 1",
            "latimer_http_requests_total{kind=\"api\",status=\"4xx\"} 1",
            "latimer_http_requests_total{kind=\"health\",status=\"2xx\"} 0",
            "latimer_http_request_duration_seconds_bucket{kind=\"page\",le=\"0.0001\"} 1",
            "latimer_http_request_duration_seconds_bucket{kind=\"page\",le=\"0.00025\"} 2",
            "latimer_http_request_duration_seconds_bucket{kind=\"page\",le=\"+Inf\"} 2",
            "latimer_http_request_duration_seconds_bucket{kind=\"api\",le=\"10\"} 0",
            "latimer_http_request_duration_seconds_bucket{kind=\"api\",le=\"+Inf\"} 1",
            "latimer_http_request_duration_seconds_sum{kind=\"page\"} 0.000201",
            "latimer_http_request_duration_seconds_sum{kind=\"api\"} 60",
            "latimer_http_request_duration_seconds_count{kind=\"page\"} 2",
            "latimer_http_sent_bytes_total 1011",
            "latimer_http_limited_total 1",
            "latimer_http_connections 1",
            "latimer_access_log_dropped_total 7",
        ],
    );
    metrics.disconnected();
    check(
        &metrics.text(&Gauges::default()),
        &["latimer_http_connections 0"],
    );
    assert!(
        !text.contains("latimer_runs"),
        "without an API there is no work in the background"
    );
}

#[test]
fn streams_are_counted_apart() {
    let metrics = Metrics::default();
    metrics.streaming();
    check(
        &metrics.text(&Gauges::default()),
        &["latimer_http_streams 1"],
    );
    metrics.count(
        RequestKind::Stream,
        StatusCode::OK,
        Duration::from_secs(90),
        500,
    );
    check(
        &metrics.text(&Gauges::default()),
        &[
            "latimer_http_streams 0",
            "latimer_http_requests_total{kind=\"stream\",status=\"2xx\"} 1",
            "latimer_http_stream_duration_seconds_bucket{le=\"60\"} 0",
            "latimer_http_stream_duration_seconds_bucket{le=\"300\"} 1",
            "latimer_http_stream_duration_seconds_sum 90",
            "latimer_http_request_duration_seconds_count{kind=\"api\"} 0",
        ],
    );
}

fn run(kind: RunKind, status: RunStatus, millis: u64) -> RunRecord {
    let locales = BTreeSet::new();
    let pages = PageSelection::default();
    let order = RunOrder {
        locales,
        pages,
        ..RunOrder::of(kind, RunOrigin::Api)
    };
    let began = Moment::of_millis(1000);
    let mut run = RunRecord::new(order, 0, began);
    (run.status, run.started, run.finished) = (
        status,
        Some(began),
        Some(began + Duration::from_millis(millis)),
    );
    run
}

#[test]
fn work_is_counted_by_how_it_ended() {
    let metrics = Metrics::default();
    metrics.run_ended(&run(RunKind::Build, RunStatus::Completed, 20_000));
    metrics.run_ended(&run(RunKind::Build, RunStatus::Failed, 500));
    metrics.run_ended(&run(RunKind::Render, RunStatus::Cancelled, 500));
    // One that is not over has no end to count.
    metrics.run_ended(&run(RunKind::Render, RunStatus::Queued, 0));
    metrics.preview_ended(None);
    metrics.preview_ended(Some(PreviewCode::BlockedHost));
    let engine = MeterReading {
        is_up: Some(false),
        requests: 3,
        failures: 1,
        characters: 1200,
        refusals: 2,
        time: Duration::from_millis(2500),
    };
    let background = Background {
        runs: Some(Queue {
            waiting: 4,
            working: 1,
        }),
        previews: Queue {
            waiting: 2,
            working: 0,
        },
        engines: [
            ("fx".to_owned(), engine),
            ("idle".to_owned(), MeterReading::default()),
        ]
        .into(),
        state_errors: (5, 6),
    };
    let now = Gauges {
        is_ready: true,
        store_errors: 9,
        api: Some(background.clone()),
        ..Gauges::default()
    };
    let text = metrics.text(&now);
    check(
        &text,
        &[
            "latimer_ready 1",
            "latimer_runs_total{kind=\"build\",outcome=\"ok\"} 1",
            "latimer_runs_total{kind=\"build\",outcome=\"failed\"} 1",
            "latimer_runs_total{kind=\"build\",outcome=\"timed_out\"} 0",
            "latimer_runs_total{kind=\"render\",outcome=\"cancelled\"} 1",
            "latimer_run_duration_seconds_bucket{kind=\"build\",le=\"1\"} 1",
            "latimer_run_duration_seconds_sum{kind=\"build\"} 20.5",
            "latimer_runs_waiting 4",
            "latimer_runs_working 1",
            "latimer_previews_total{outcome=\"ready\"} 1",
            "latimer_previews_total{outcome=\"blocked_host\"} 1",
            "latimer_previews_waiting 2",
            "latimer_engine_up{engine=\"fx\"} 0",
            "latimer_engine_requests_total{engine=\"fx\"} 3",
            "latimer_engine_request_failures_total{engine=\"fx\"} 1",
            "latimer_engine_request_seconds_total{engine=\"fx\"} 2.5",
            "latimer_engine_characters_total{engine=\"fx\"} 1200",
            "latimer_engine_refusals_total{engine=\"fx\"} 2",
            "latimer_engine_requests_total{engine=\"idle\"} 0",
            "latimer_state_errors_total{operation=\"read\"} 5",
            "latimer_state_errors_total{operation=\"write\"} 6",
            "latimer_store_errors_total 9",
        ],
    );
    assert!(
        !text.contains("latimer_engine_up{engine=\"idle\"}"),
        "nobody tried to start it"
    );
    let unread = Gauges {
        api: Some(Background {
            runs: None,
            ..background
        }),
        ..now
    };
    assert!(
        !metrics.text(&unread).contains("latimer_runs_waiting"),
        "what cannot be read is not 0"
    );
}
