//! What is read at the moment when somebody asks for metrics.

use super::App;
use super::api::Api;
use crate::http::access_log::AccessLog;
use crate::http::metrics::{Background, Gauges};

impl App {
    /// Everything that is counted and known, in Prometheus' text format.
    pub(crate) async fn metrics_text(&self) -> String {
        let api = match &self.api {
            Some(api) => Some(background(api).await),
            None => None,
        };
        self.metrics.text(&Gauges {
            dropped: self.access_log.as_ref().map_or(0, AccessLog::dropped),
            is_ready: self.unready().is_none(),
            store_errors: self.objects().errors(),
            api,
        })
    }
}

async fn background(api: &Api) -> Background {
    let state = api.state();
    let runs = tokio::task::spawn_blocking(move || (state.queue().ok(), state.errors())).await;
    let (runs, state_errors) = runs.unwrap_or_else(|_| (None, api.state().errors()));
    Background {
        runs,
        previews: api.previews().queue(),
        engines: api.meter().read(),
        state_errors,
    }
}
