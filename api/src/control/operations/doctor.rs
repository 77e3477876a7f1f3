//! `server.doctor.run`: what is wrong with what the configuration names. It names files of the server, so it is for whoever
//! may see all sites.

use schemars::JsonSchema;
use serde::Serialize;

use super::{Call, Reply, Schemas};
use crate::control::form::{no_query, schema_of_answer};
use crate::doctor::{self, DoctorDepth, StateAt, StoreAt};
use crate::http::error::ApiError;

/// What was looked at.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Doctor")]
struct Answer {
    findings: Vec<Finding>,
}

/// Something that was looked at.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "DoctorFinding")]
struct Finding {
    what: String,
    /// `poor` works, but not as well as it could.
    #[schemars(extend("enum" = ["good", "poor", "bad"]))]
    health: &'static str,
    /// What was seen, and what to do about it.
    found: String,
}

pub(super) fn schemas() -> Schemas {
    Schemas {
        answer: schema_of_answer::<Answer>(),
        ..Schemas::default()
    }
}

pub(super) async fn run(call: &Call<'_>) -> Result<Reply, ApiError> {
    no_query(call.query.as_deref())?;
    let settings = call.api.settings();
    let found = call.reading(move |runtime, stores, _| {
        let state = StateAt::Here(&stores.state);
        let store = StoreAt::Open(&stores.objects);
        runtime.block_on(doctor::doctor(
            &settings.config,
            store,
            state,
            DoctorDepth::Quick,
        ))
    });
    let finding = |found: doctor::DoctorFinding| Finding {
        what: found.what,
        health: found.health.as_str(),
        found: found.found,
    };
    Reply::ok(&Answer {
        findings: found.await?.into_iter().map(finding).collect(),
    })
}
