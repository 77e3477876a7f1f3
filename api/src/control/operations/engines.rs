//! `engines.list`: the engines that sites may name, and whether each can be started.

use std::sync::Arc;

use pipeline::engines::{EngineSpec, start};
use schemars::JsonSchema;
use serde::Serialize;

use super::line::ADMIN_READ;
use super::list::{List, Page};
use super::{Call, Reply, Schemas};
use crate::control::form::schema_of_answer;
use crate::http::error::ApiError;

/// An engine of the configuration.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Engine {
    /// What `engines` of a site may name.
    name: String,
    /// What it is: `deepl`, `apertium`, `command` and so on.
    kind: String,
    state: Readiness,
    /// What a million characters cost; for tokens with `admin:read`, where the configuration says it.
    #[serde(skip_serializing_if = "Option::is_none")]
    price_per_million: Option<f64>,
}

#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "EngineState")]
enum Readiness {
    /// It can be started and has what it needs; whether it has a language, a run or a plan tells.
    Ready,
    /// It cannot be started here: its key, its program or its models are missing. The log and `latimer doctor` say more.
    Unavailable,
}

impl Readiness {
    fn of(spec: &EngineSpec) -> Self {
        match start(spec) {
            Ok(engine) if engine.lack().is_none() => Self::Ready,
            Ok(_) | Err(_) => Self::Unavailable,
        }
    }
}

pub(super) fn schemas() -> Schemas {
    Schemas {
        query: Some(Page::schema()),
        body: None,
        answer: schema_of_answer::<List<Engine>>(),
    }
}

pub(super) async fn list(call: &Call<'_>) -> Result<Reply, ApiError> {
    let page = Page::of(call)?;
    let config = Arc::clone(&call.api.settings().config);
    let sees_all = call.caller()?.has(ADMIN_READ);
    let engines = if sees_all {
        config.engines()
    } else {
        config.engines_of_callers()
    };
    let part = page.cut(engines);
    let written = tokio::task::spawn_blocking(move || {
        part.map(|engine| Engine {
            kind: engine.spec.kind().to_owned(),
            state: Readiness::of(&engine.spec),
            price_per_million: engine.price_per_million.filter(|_| sees_all),
            name: engine.name,
        })
    });
    Reply::ok(&written.await?)
}
