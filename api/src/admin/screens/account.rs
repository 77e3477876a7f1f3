//! Screens of a person: previews, digests, access.

use std::time::SystemTime;

use pipeline::config::Config;
use pipeline::letters;
use pipeline::model::Locale;
use serde_json::{Value, json};

use super::super::outcome::{FormResult, Screen};
use super::super::visit::Visit;
use crate::http::error::ApiError;
use crate::http::time::Time;

pub(super) async fn previews(visit: &Visit<'_>) -> Result<Screen, ApiError> {
    let mut list = visit.get("/api/previews?limit=50").await?;
    for preview in list["items"].as_array_mut().into_iter().flatten() {
        // Previews are other people's HTML, so they are shown where pages are, and never here.
        let origin = visit.pages_origin();
        preview["address"] = json!(format!(
            "{origin}{}",
            preview["previewUrl"].as_str().unwrap_or_default()
        ));
    }
    let language = Some(visit.parameter("sourceLang"))
        .filter(|tag| !tag.is_empty())
        .unwrap_or("en");
    let wanted = json!({ "url": visit.parameter("sourceUrl"), "from": language, "to": visit.parameter("targetLang") });
    Ok(Screen::new(
        "previews.html",
        "previews",
        json!({ "previews": list["items"], "wanted": wanted }),
    ))
}

pub(super) async fn digest(visit: &Visit<'_>) -> Result<Screen, ApiError> {
    let answer = visit.get_if_allowed("/api/digests/subscription").await?;
    let subscription = answer.get("subscription").cloned();
    let frequency = subscription
        .as_ref()
        .and_then(|known| known["frequency"].as_str())
        .unwrap_or("weekly")
        .to_owned();
    let settings = visit.get_if_allowed("/api/digests/settings").await?;
    let mails = visit.get_if_allowed("/api/digests/mails?limit=20").await?;
    let own = settings["locale"]
        .as_str()
        .and_then(|tag| Locale::parse(tag).ok());
    let names = ["English", "Español", "العربية", "日本語"];
    let languages = letters::LANGUAGES
        .iter()
        .zip(names)
        .map(|(tag, name)| json!({ "tag": tag, "name": name }));
    let data = json!({
        "subscription": subscription,
        "frequency": frequency,
        "settings": settings,
        "mails": mails["items"],
        "languages": languages.collect::<Vec<_>>(),
        // Until somebody says otherwise, mails are in the language of this screen.
        "locale": own.map_or(visit.language, |own| letters::nearest(Some(&own))),
    });
    Ok(Screen::new("digest.html", "digest", data))
}

/// Rights of a person, and sessions; `findings` are those of `doctor` if it was just run.
pub(in crate::admin) async fn access(
    visit: &Visit<'_>,
    findings: Option<Value>,
) -> Result<Screen, ApiError> {
    let me = visit.get("/api/me").await?;
    let engines = visit.get_if_allowed("/api/engines?limit=200").await?;
    let now = SystemTime::now();
    let caller = visit.caller.as_ref().ok_or(ApiError::MissingToken)?;
    let own = visit
        .secret
        .as_deref()
        .and_then(|secret| visit.api.sessions.find(secret, now))
        .map(|session| session.id);
    let listed = visit
        .api
        .sessions
        .list(visit.only_own(caller), now)
        .into_iter();
    let sessions: Vec<Value> = listed
        .map(|session| {
            json!({
                "id": session.id,
                "subject": session.caller.subject,
                "began": Time::of(session.began),
                "used": Time::of(session.used),
                "own": own.as_deref() == Some(session.id.as_str()),
            })
        })
        .collect();
    let sees_all = caller.sees_everything() && caller.has("admin:read");
    let data = json!({
        "me": me,
        "engines": engines["items"],
        "sessions": sessions,
        "sees_all": sees_all,
        "features": sees_all.then(|| features(&visit.api.settings().config)),
        "done": findings.as_ref().map(|_| FormResult::Looked.as_str()),
        "findings": findings,
    });
    Ok(Screen::new("access.html", "access", data))
}

/// Optional features of a server, and their state in this one.
fn features(config: &Config) -> Value {
    let api = &config.api;
    let features = [
        ("api", api.jwt.is_some()),
        ("crawls", api.crawl_trigger_enabled),
        ("previews", api.preview_tokens.is_some()),
        ("mail", config.mail.is_some()),
        ("metrics", api.metrics_listen.is_some()),
        ("log", api.access_log),
    ];
    features
        .map(|(name, is_on)| json!({ "name": name, "on": is_on }))
        .into_iter()
        .collect()
}
