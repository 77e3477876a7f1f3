//! `digests.subscription.*`: one subscription for each token subject.
//!
//! What the caller's token could see is kept with it, so that a digest never tells more.

use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::frequency::FrequencyWord;
use super::{Call, Reply, Schemas};
use crate::control::form::{RequestSchema, no_query, one, schema_of_answer};
use crate::http::error::ApiError;
use crate::http::time::Time;

/// Who wants digests, and how often.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "DigestSubscriptionRequest")]
struct Request {
    /// The longest address that mail carries has 254 bytes (RFC 5321 section 4.5.3.1.3).
    #[schemars(length(max = 254), extend("format" = "email"))]
    email: String,
    frequency: FrequencyWord,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "DigestSubscriptionAnswer")]
struct Answer {
    subscription: Subscription,
}

/// The subscription of an account.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "DigestSubscription")]
struct Subscription {
    id: String,
    /// The token's subject.
    account_id: String,
    email: String,
    frequency: FrequencyWord,
    created_at: Time,
    updated_at: Time,
}

static FORM: LazyLock<RequestSchema<Request>> = LazyLock::new(RequestSchema::new);

pub(super) fn schemas() -> Schemas {
    Schemas {
        query: None,
        body: Some(FORM.schema().clone()),
        answer: schema_of_answer::<Answer>(),
    }
}

pub(super) fn schemas_of_one() -> Schemas {
    Schemas {
        query: None,
        body: None,
        answer: schema_of_answer::<Answer>(),
    }
}

pub(super) fn schemas_of_delete() -> Schemas {
    Schemas::default()
}

pub(super) async fn subscribe(call: &Call<'_>) -> Result<Reply, ApiError> {
    let wrong = |error: ApiError| error.recoded("email", "wrong_length", "invalid_email");
    let Request { email, frequency } = FORM.read(&call.body).map_err(wrong)?;
    check(&email)?;
    let caller = call.caller()?;
    let account = caller.subject.clone();
    let sites = caller.sites();
    let now = call.now().to_keep();
    let verified = caller.has_address(&email);
    let kept = call
        .state(move |state| {
            state.subscribe(&account, &email, frequency.into(), &sites, verified, now)
        })
        .await?;
    Reply::ok(&answer(&caller.subject, kept))
}

pub(super) async fn get(call: &Call<'_>) -> Result<Reply, ApiError> {
    no_query(call.query.as_deref())?;
    let account = call.caller()?.subject.clone();
    let of = account.clone();
    let kept = call.state(move |state| state.subscription(&of)).await?;
    Reply::ok(&answer(
        &account,
        kept.ok_or(ApiError::SubscriptionNotFound)?,
    ))
}

pub(super) async fn unsubscribe(call: &Call<'_>) -> Result<Reply, ApiError> {
    let account = call.caller()?.subject.clone();
    let was_there = call.state(move |state| state.unsubscribe(&account)).await?;
    if was_there {
        Ok(Reply::nothing())
    } else {
        Err(ApiError::SubscriptionNotFound)
    }
}

fn answer(account: &str, kept: pipeline::state::DigestSubscription) -> Answer {
    Answer {
        subscription: Subscription {
            // There is one for each account, so the account names it.
            id: format!("digest:{account}"),
            account_id: account.to_owned(),
            email: kept.email,
            frequency: kept.frequency.into(),
            created_at: Time::kept(kept.created),
            updated_at: Time::kept(kept.updated),
        },
    }
}

/// Refuses an `email` to which no mail could go.
pub(super) fn check(email: &str) -> Result<(), ApiError> {
    match is_address(email) {
        true => Ok(()),
        false => Err(one(
            "email",
            "invalid_email",
            "must be an address such as ana@example.com",
        )),
    }
}

/// Whether mail could go there: one `@`, a host with a dot, and nothing that would end a header or a list.
fn is_address(text: &str) -> bool {
    let Some((local, host)) = text.rsplit_once('@') else {
        return false;
    };
    let odd = |c: char| c.is_whitespace() || c.is_control() || "<>()[],;:\\\"@".contains(c);
    let dotted =
        |text: &str| !text.starts_with('.') && !text.ends_with('.') && !text.contains("..");
    let local_fits =
        !local.is_empty() && local.len() <= 64 && !local.contains(odd) && dotted(local);
    local_fits && host.contains('.') && host.split('.').all(is_label)
}

fn is_label(label: &str) -> bool {
    let edges = label.starts_with('-') || label.ends_with('-');
    !label.is_empty()
        && label.len() <= 63
        && !edges
        && label.chars().all(|c| c.is_alphanumeric() || c == '-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_told_from_other_texts() {
        let long = format!("{}@example.com", "x".repeat(65));
        for (text, expected) in [
            ("ana@example.com", true),
            ("ana.b+digest@mail.example.co", true),
            ("jürgen@bücher.example", true),
            ("ana@localhost", false),
            ("ana", false),
            ("@example.com", false),
            ("ana@", false),
            ("ana@example..com", false),
            ("ana@-example.com", false),
            (".ana@example.com", false),
            ("a b@example.com", false),
            ("ana@example.com\r\nBcc: x@y.zz", false),
            ("Ana <ana@example.com>", false),
            ("a@b@example.com", false),
            (long.as_str(), false),
        ] {
            assert_eq!(is_address(text), expected, "{text:?}");
        }
    }
}
