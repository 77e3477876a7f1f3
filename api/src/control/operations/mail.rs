//! `digests.settings.*` and `digests.mails.list`: when and in which language an account gets its digests, whether its address
//! may get any, and what was sent.

use std::sync::LazyLock;

use pipeline::mail::Zone;
use pipeline::model::Locale;
use pipeline::state::{AddressRecord, Frequency, MailKind, MailRecord, MailStatus};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::list::{List, Page};
use super::{Call, Reply, Schemas};
use crate::control::form::{RequestSchema, no_query, one, schema_of_answer};
use crate::http::error::ApiError;
use crate::http::time::Time;

/// Mails of an account that are looked at.
const MOST: usize = 1_000;

/// Where and in which language digests come.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "DigestSettingsRequest")]
struct Request {
    /// A time zone such as `Europe/Madrid`; without it, the server's.
    #[serde(default)]
    #[schemars(length(max = 64))]
    timezone: Option<String>,
    /// A language; mails are in the nearest that there are words in. Without it, English.
    #[serde(default)]
    #[schemars(length(max = 35))]
    locale: Option<String>,
}

/// How an account gets its digests.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "DigestSettings")]
struct Answer {
    /// Absent where the server's counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    timezone: Option<String>,
    /// Absent where mails are in English.
    #[serde(skip_serializing_if = "Option::is_none")]
    locale: Option<String>,
    /// Whether the server sends mail.
    mailing: bool,
    address: AddressState,
    /// What the server of the address said, where it gets nothing any more.
    #[serde(skip_serializing_if = "Option::is_none")]
    refused: Option<String>,
    /// Until when the last digest that was sent says what happened.
    #[serde(skip_serializing_if = "Option::is_none")]
    told_until: Option<Time>,
}

/// Whether digests go to the address of the subscription.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "DigestAddressState")]
enum AddressState {
    /// There is no subscription, or it is off.
    Unwanted,
    /// Whoever has it was not asked yet, or did not answer.
    Unconfirmed,
    /// They do.
    Confirmed,
    /// It was refused twice in a row.
    Refused,
}

/// A mail to the account.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "Mail")]
struct Item {
    kind: Kind,
    email: String,
    status: Status,
    /// When it was written.
    created_at: Time,
    /// When it was last tried.
    #[serde(skip_serializing_if = "Option::is_none")]
    tried_at: Option<Time>,
    /// When it is tried next.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_attempt_at: Option<Time>,
    attempts: u32,
    /// What the mail server said, or why it was not asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    said: Option<String>,
}

/// What kind of mail it is.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "MailKind")]
enum Kind {
    Digest,
    Confirmation,
    PreviewConfirmation,
    PreviewReady,
    WebhookDisabled,
}

/// Where a mail stands.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "MailStatus")]
enum Status {
    /// It is to be sent.
    Waiting,
    /// It is being sent.
    Sending,
    /// The mail server took it.
    Sent,
    /// It was sent and not answered: it may have arrived, and is not sent again.
    Unknown,
    /// The mail server refused it.
    Refused,
    /// It could not be sent in time.
    Failed,
    /// It was not wanted any more.
    Dropped,
}

static FORM: LazyLock<RequestSchema<Request>> = LazyLock::new(RequestSchema::new);

pub(super) fn schemas_of_settings() -> Schemas {
    Schemas {
        answer: schema_of_answer::<Answer>(),
        ..Schemas::default()
    }
}

pub(super) fn schemas_of_update() -> Schemas {
    Schemas {
        query: None,
        body: Some(FORM.schema().clone()),
        answer: schema_of_answer::<Answer>(),
    }
}

pub(super) fn schemas_of_list() -> Schemas {
    Schemas {
        query: Some(Page::schema()),
        body: None,
        answer: schema_of_answer::<List<Item>>(),
    }
}

pub(super) async fn settings(call: &Call<'_>) -> Result<Reply, ApiError> {
    no_query(call.query.as_deref())?;
    answer(call).await
}

pub(super) async fn update(call: &Call<'_>) -> Result<Reply, ApiError> {
    let Request { timezone, locale } = FORM.read(&call.body)?;
    let zone = timezone.map(|name| name.parse::<Zone>()).transpose();
    let zone = zone.map_err(|_| {
        one(
            "timezone",
            "invalid_timezone",
            "must be a time zone such as Europe/Madrid",
        )
    })?;
    let locale = locale.map(|tag| Locale::parse(&tag)).transpose();
    let locale = locale.map_err(|_| {
        one(
            "locale",
            "invalid_locale",
            "must be a language such as es or pt-BR",
        )
    })?;
    let account = call.caller()?.subject.clone();
    call.state(move |state| {
        state.set_recipient(&account, zone.map(|zone| zone.to_string()), locale)
    })
    .await?;
    answer(call).await
}

pub(super) async fn mails(call: &Call<'_>) -> Result<Reply, ApiError> {
    let page = Page::of(call)?;
    let account = call.caller()?.subject.clone();
    let mails = call
        .state(move |state| state.mails_of(&account, MOST))
        .await?;
    Reply::ok(&page.cut(mails).map(Item::from))
}

async fn answer(call: &Call<'_>) -> Result<Reply, ApiError> {
    let account = call.caller()?.subject.clone();
    let config = call
        .api
        .settings()
        .config
        .mail
        .as_ref()
        .map(|mail| mail.confirm);
    let known = call.state(move |state| {
        let wanted = state
            .subscription(&account)?
            .filter(|known| known.frequency != Frequency::Off);
        let address = wanted
            .as_ref()
            .map(|known| state.address(&account, &known.email))
            .transpose()?;
        Ok((
            state.recipient(&account)?,
            wanted.map(|_| address.flatten()),
        ))
    });
    let (recipient, address) = known.await?;
    let stopped = |known: &AddressRecord| known.stopped.clone();
    let refused = address
        .as_ref()
        .and_then(|address| address.as_ref().and_then(stopped));
    let confirms = config.unwrap_or(true);
    let state = match &address {
        None => AddressState::Unwanted,
        Some(_) if refused.is_some() => AddressState::Refused,
        Some(known)
            if !confirms
                || known
                    .as_ref()
                    .is_some_and(|known| known.confirmed.is_some()) =>
        {
            AddressState::Confirmed
        }
        Some(_) => AddressState::Unconfirmed,
    };
    Reply::ok(&Answer {
        timezone: recipient.timezone,
        locale: recipient.locale.map(|locale| locale.to_string()),
        mailing: config.is_some(),
        address: state,
        refused,
        told_until: recipient.told.map(Time::kept),
    })
}

impl From<MailRecord> for Item {
    fn from(mail: MailRecord) -> Self {
        Self {
            kind: match mail.kind {
                MailKind::Digest => Kind::Digest,
                MailKind::Confirmation => Kind::Confirmation,
                MailKind::PreviewConfirmation => Kind::PreviewConfirmation,
                MailKind::PreviewReady => Kind::PreviewReady,
                MailKind::WebhookDisabled => Kind::WebhookDisabled,
            },
            email: mail.to,
            status: match mail.status {
                MailStatus::Waiting => Status::Waiting,
                MailStatus::Sending => Status::Sending,
                MailStatus::Sent => Status::Sent,
                MailStatus::Unknown => Status::Unknown,
                MailStatus::Refused => Status::Refused,
                MailStatus::Failed => Status::Failed,
                MailStatus::Dropped => Status::Dropped,
            },
            created_at: Time::kept(mail.created),
            tried_at: mail.tried.map(Time::kept),
            next_attempt_at: mail.next.map(Time::kept),
            attempts: mail.attempts,
            said: mail.said,
        }
    }
}
