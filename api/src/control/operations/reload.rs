//! `server.reload`: what SIGHUP does, for callers who may.
//!
//! The log says everything. The caller hears where the file is wrong and what is wrong there, but no path of the server.

use schemars::JsonSchema;
use serde::Serialize;

use super::{Call, Reply, Schemas};
use crate::control::form::schema_of_answer;
use crate::http::error::ApiError;
use crate::settings::ReloadError;

/// What became of it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "Reloaded")]
struct Answer {
    /// Settings that are others now and count after a restart, such as `api.listen`.
    need_restart: Vec<String>,
}

pub(super) fn schemas() -> Schemas {
    Schemas {
        answer: schema_of_answer::<Answer>(),
        ..Schemas::default()
    }
}

pub(super) async fn reload(call: &Call<'_>) -> Result<Reply, ApiError> {
    match call.app.reload().await {
        Ok(reloaded) => {
            tracing::info!("{}", reloaded.sentence());
            Reply::ok(&Answer {
                need_restart: reloaded
                    .need_restart
                    .iter()
                    .map(|name| (*name).to_owned())
                    .collect(),
            })
        }
        Err(error) => {
            tracing::error!("{error}; the settings from before hold");
            Err(refused(error))
        }
    }
}

fn refused(error: ReloadError) -> ApiError {
    match error {
        ReloadError::Wrong(error) => {
            let place = error
                .place()
                .map(|(line, column)| format!(" in line {line}, column {column}"));
            let place = place.unwrap_or_default();
            ApiError::WrongConfiguration(format!(
                "the configuration is wrong{place}: {}",
                error.message()
            ))
        }
        ReloadError::Unreadable(_) => ApiError::WrongConfiguration(
            "the configuration cannot be read; the log has the cause".to_owned(),
        ),
        ReloadError::Key(_) => ApiError::WrongConfiguration(
            "a key or token file cannot be used; the log has the cause".to_owned(),
        ),
        ReloadError::State(error) => error.into(),
        ReloadError::Broken(cause) => ApiError::Internal(cause),
    }
}
