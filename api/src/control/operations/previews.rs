//! Previews: ordered, looked at, followed. Whoever orders one gets a token by which they watch it.

use std::sync::LazyLock;

use pipeline::model::{Locale, PreviewId, StatusToken};
use pipeline::preview::own_site;
use pipeline::state::{PreviewCode, PreviewRecord, PreviewStage, PreviewStatus};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::sync::watch;

use super::digest;
use super::list::{List, Page};
use super::{Call, Reply, Schemas};
use crate::auth::Caller;
use crate::control::form::{RequestSchema, no_query, one, schema_of_answer};
use crate::http::error::ApiError;
use crate::http::events::{self, Update};
use crate::http::time::Time;
use crate::jobs::preview_page;
use crate::jobs::previews::open_sites;

/// The page that is to be previewed.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "PreviewRequest")]
struct Request {
    /// The page's address.
    #[schemars(extend("examples" = ["https://www.example.com/"]), length(max = 1024), regex(pattern = r"^https?://[^\s/?#@\\\x00-\x20]+([/?#][^\s\x00-\x20]*)?$"))]
    source_url: String,
    /// The page's language.
    #[schemars(extend("examples" = ["en"]), regex(pattern = "^[A-Za-z]{2,3}(-[A-Za-z]{4})?(-([A-Za-z]{2}|[0-9]{3}))?$"))]
    source_lang: String,
    /// The language wanted.
    #[schemars(extend("examples" = ["es"]), regex(pattern = "^[A-Za-z]{2,3}(-[A-Za-z]{4})?(-([A-Za-z]{2}|[0-9]{3}))?$"))]
    target_lang: String,
    /// E-mail address to notify once when the preview is ready, if the server sends mail. An unconfirmed address gets
    /// one confirmation mail instead.
    #[serde(default)]
    #[schemars(length(max = 254), extend("format" = "email"))]
    email: Option<String>,
    /// The language in which to tell.
    #[serde(default)]
    #[schemars(regex(pattern = "^[A-Za-z]{2,3}(-[A-Za-z]{4})?(-([A-Za-z]{2}|[0-9]{3}))?$"))]
    locale: Option<String>,
}

/// A preview.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Preview {
    preview_id: String,
    status: PreviewStatusWord,
    /// The part of the work that was begun last; it never goes back.
    stage: PreviewStageWord,
    /// Where the page is, once the status is `ready`.
    preview_url: String,
    /// Where its changes are told.
    stream_url: String,
    /// From when on it cannot be seen any more.
    expires_at: Time,
    /// Why there is no page, for people.
    error: Option<String>,
    error_code: Option<ErrorCode>,
    error_stage: Option<PreviewStageWord>,
    /// What may help.
    retry_hint: Option<String>,
}

/// A preview that was just ordered.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "OrderedPreview")]
struct Ordered {
    #[serde(flatten)]
    preview: Preview,
    /// What `x-preview-status-token` wants; it is told only here.
    status_token: String,
}

#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "PreviewStatus")]
enum PreviewStatusWord {
    Pending,
    Processing,
    Ready,
    Failed,
}

#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "PreviewStage")]
enum PreviewStageWord {
    FetchingPage,
    AnalyzingContent,
    Translating,
    GeneratingPreview,
    Saving,
}

#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "PreviewErrorCode")]
enum ErrorCode {
    InvalidUrl,
    BlockedHost,
    DnsFailed,
    DnsTimeout,
    PageTooLarge,
    RenderFailed,
    TranslateFailed,
    StorageFailed,
    ProcessingTimeout,
    PreviewExpired,
    Unknown,
}

static FORM: LazyLock<RequestSchema<Request>> = LazyLock::new(RequestSchema::new);

pub(super) fn schemas_of_order() -> Schemas {
    Schemas {
        query: None,
        body: Some(FORM.schema().clone()),
        answer: schema_of_answer::<Ordered>(),
    }
}

/// A preview in a list.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "ListedPreview")]
struct Listed {
    #[serde(flatten)]
    preview: Preview,
    source_url: String,
    source_lang: String,
    target_lang: String,
    created_at: Time,
}

pub(super) fn schemas_of_list() -> Schemas {
    Schemas {
        query: Some(Page::schema()),
        body: None,
        answer: schema_of_answer::<List<Listed>>(),
    }
}

pub(super) fn schemas_of_delete() -> Schemas {
    Schemas::default()
}

pub(super) fn schemas_of_one() -> Schemas {
    Schemas {
        query: None,
        body: None,
        answer: schema_of_answer::<Preview>(),
    }
}

pub(super) fn schemas_of_stream() -> Schemas {
    Schemas {
        query: None,
        body: None,
        answer: events::schema(),
    }
}

pub(super) async fn order(call: &Call<'_>) -> Result<Reply, ApiError> {
    let request = FORM.read(&call.body).map_err(|error| {
        let error = error.recoded("sourceUrl", "invalid_value", "invalid_url");
        let error = error.recoded("sourceLang", "invalid_value", "invalid_language");
        let error = error.recoded("targetLang", "invalid_value", "invalid_language");
        let error = error.recoded("email", "wrong_length", "invalid_email");
        error.recoded("locale", "invalid_value", "invalid_language")
    })?;
    request.email.as_deref().map(digest::check).transpose()?;
    call.api.take_for_host(&request.source_url)?;
    let locale = |field: &str, tag: &str| {
        Locale::parse(tag).map_err(|_| {
            one(
                field,
                "invalid_language",
                "is no language tag such as pt-BR",
            )
        })
    };
    let token = StatusToken::new();
    let now = call.now().to_keep();
    let mut preview = PreviewRecord {
        id: PreviewId::new(),
        source: locale("sourceLang", &request.source_lang)?,
        target: locale("targetLang", &request.target_lang)?,
        locale: request
            .locale
            .map(|tag| locale("locale", &tag))
            .transpose()?,
        sites: call.caller.as_ref().map(Caller::sites),
        subject: call.caller.as_ref().map(|caller| caller.subject.clone()),
        stranger: call.stranger(),
        site: None,
        source_url: request.source_url,
        email: request.email,
        token: token.hash().to_string(),
        status: PreviewStatus::Pending,
        stage: PreviewStage::FetchingPage,
        failure: None,
        attempts: 0,
        created: now,
        expires: now + call.api.settings().config.preview.ttl,
        swept: false,
        bytes: 0,
    };
    let sites = open_sites(&call.api.sites().list(), &preview);
    preview.site = own_site(&sites, &preview.source_url).map(|site| site.id.clone());
    allow_mail(call, &preview).await?;
    call.api
        .previews()
        .order(preview.clone(), call.tenant())
        .await?;
    let location = format!("/api/previews/{}", preview.id);
    let ordered = Ordered {
        preview: Preview::of(&preview),
        status_token: token.as_str().to_owned(),
    };
    Ok(Reply::ok(&ordered)?.accepted().at(Some(location)))
}

/// Counts an order of a preview with an address. A token that vouches for its subject's address needs no confirmation.
async fn allow_mail(call: &Call<'_>, preview: &PreviewRecord) -> Result<(), ApiError> {
    let Some(email) = preview
        .email
        .clone()
        .filter(|_| call.api.settings().config.mail.is_some())
    else {
        return Ok(());
    };
    call.api.take_for_mail(call.caller.as_ref(), call.client)?;
    match call
        .caller
        .as_ref()
        .filter(|caller| caller.has_address(&email))
    {
        Some(caller) => {
            let account = caller.subject.clone();
            let now = preview.created;
            call.state(move |state| state.verify_for_previews(&account, &email, now))
                .await
        }
        None => Ok(()),
    }
}

pub(super) async fn list(call: &Call<'_>) -> Result<Reply, ApiError> {
    let page = Page::of(call)?;
    let caller = call.caller()?;
    let own = (!caller.sees_everything()).then(|| caller.subject.clone());
    let previews = call.api.previews().of(own).await?;
    Reply::ok(&page.cut(previews).map(|preview| Listed {
        preview: Preview::of(&preview),
        source_lang: preview.source.to_string(),
        target_lang: preview.target.to_string(),
        created_at: Time::kept(preview.created),
        source_url: preview.source_url,
    }))
}

pub(super) async fn delete(call: &Call<'_>) -> Result<Reply, ApiError> {
    let preview = preview(call).await?;
    let caller = call.caller()?;
    if !caller.sees_everything() && preview.subject.as_deref() != Some(&caller.subject) {
        return Err(ApiError::PreviewNotFound);
    }
    call.api.previews().remove(preview.id).await?;
    Ok(Reply::nothing())
}

pub(super) async fn get(call: &Call<'_>) -> Result<Reply, ApiError> {
    no_query(call.query.as_deref())?;
    Reply::ok(&Preview::of(&preview(call).await?))
}

pub(super) async fn stream(call: &Call<'_>) -> Result<Reply, ApiError> {
    no_query(call.query.as_deref())?;
    let known = preview(call).await?;
    // What is not followed any more is over.
    let changes = match call.api.previews().follow(known.id) {
        Some(changes) => changes,
        None => watch::channel(preview(call).await?).1,
    };
    let describe = |preview: &PreviewRecord| Update {
        value: serde_json::to_value(Preview::of(preview)).unwrap_or_default(),
        end: match preview.status {
            PreviewStatus::Pending | PreviewStatus::Processing => None,
            PreviewStatus::Ready => Some("complete"),
            PreviewStatus::Failed => Some("error"),
        },
    };
    Ok(Reply::events(events::follow(
        changes,
        describe,
        &call.headers,
        call.seat()?,
    )))
}

/// The preview in the path, if it can still be seen; a caller who may not see all the sites of whoever ordered it has no
/// such preview.
async fn preview(call: &Call<'_>) -> Result<PreviewRecord, ApiError> {
    let id = call.preview_id()?;
    let preview = call
        .api
        .previews()
        .newest(id)
        .await?
        .ok_or(ApiError::PreviewNotFound)?;
    if let Some((caller, sites)) = call.caller.as_ref().zip(preview.sites.as_ref())
        && !caller.sees_all(sites)
    {
        return Err(ApiError::PreviewNotFound);
    }
    if preview.expires <= call.now().to_keep() {
        Err(ApiError::PreviewExpired)
    } else {
        Ok(preview)
    }
}

impl Preview {
    fn of(preview: &PreviewRecord) -> Self {
        let id = preview.id;
        let said = preview.failure.map(said);
        Self {
            preview_id: id.to_string(),
            status: match preview.status {
                PreviewStatus::Pending => PreviewStatusWord::Pending,
                PreviewStatus::Processing => PreviewStatusWord::Processing,
                PreviewStatus::Ready => PreviewStatusWord::Ready,
                PreviewStatus::Failed => PreviewStatusWord::Failed,
            },
            stage: preview.stage.into(),
            preview_url: format!("{}{id}", preview_page::PREFIX),
            stream_url: format!("/api/previews/{id}/stream"),
            expires_at: Time::kept(preview.expires),
            error: said.map(|(_, text, _)| text.to_owned()),
            error_code: said.map(|(code, ..)| code),
            error_stage: said.map(|_| preview.stage.into()),
            retry_hint: said.and_then(|(.., hint)| hint).map(str::to_owned),
        }
    }
}

impl From<PreviewStage> for PreviewStageWord {
    fn from(stage: PreviewStage) -> Self {
        match stage {
            PreviewStage::FetchingPage => Self::FetchingPage,
            PreviewStage::AnalyzingContent => Self::AnalyzingContent,
            PreviewStage::Translating => Self::Translating,
            PreviewStage::GeneratingPreview => Self::GeneratingPreview,
            PreviewStage::Saving => Self::Saving,
        }
    }
}

/// A failure as callers see it: code, text, and what may help. Hosts and addresses behind it are for the log.
fn said(code: PreviewCode) -> (ErrorCode, &'static str, Option<&'static str>) {
    const SOON: Option<&str> = Some("try again in a minute");
    const ADDRESS: Option<&str> = Some("check the address in a browser");
    match code {
        PreviewCode::InvalidUrl => (
            ErrorCode::InvalidUrl,
            "the address is not one of a web page",
            ADDRESS,
        ),
        PreviewCode::BlockedHost => (
            ErrorCode::BlockedHost,
            "pages of this host are not previewed here",
            None,
        ),
        PreviewCode::DnsFailed => (
            ErrorCode::DnsFailed,
            "the host of the address is not known",
            ADDRESS,
        ),
        PreviewCode::DnsTimeout => (
            ErrorCode::DnsTimeout,
            "looking up the host took too long",
            SOON,
        ),
        PreviewCode::PageTooLarge => (
            ErrorCode::PageTooLarge,
            "the page is too large for a preview",
            Some("choose a shorter page"),
        ),
        PreviewCode::RenderFailed => (
            ErrorCode::RenderFailed,
            "the address gives no HTML page",
            ADDRESS,
        ),
        PreviewCode::TranslateFailed => {
            let text =
                "the page could not be translated: no engine has these languages, or all failed";
            (
                ErrorCode::TranslateFailed,
                text,
                Some("try other languages, or again later"),
            )
        }
        PreviewCode::StorageFailed => (
            ErrorCode::StorageFailed,
            "the preview could not be stored",
            SOON,
        ),
        PreviewCode::ProcessingTimeout => {
            (ErrorCode::ProcessingTimeout, "the page took too long", SOON)
        }
        PreviewCode::PreviewExpired => (
            ErrorCode::PreviewExpired,
            "the preview's time was over before it was ready",
            Some("order it again"),
        ),
        PreviewCode::Unknown => (ErrorCode::Unknown, "something failed on our side", SOON),
    }
}
