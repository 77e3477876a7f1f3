//! `latimer webhooks`: the endpoints that a site's owner has told of what happens, and what was brought to them.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use api::{shown_delivery, shown_webhook};
use clap::{Args, Subcommand};
use pipeline::counted::counted;
use pipeline::model::{Moment, SiteId};
use pipeline::net::Lookup;
use pipeline::run;
use pipeline::state::{Due, WebhookSettings};
use pipeline::webhooks::{EventType, MessageId, Sender, WebhookEvent, WebhookId, WebhookTest};
use serde_json::{Value, json};
use url::Url;

use super::place::{SiteLocation, failed};
use super::work;
use crate::address::WebAddress;
use crate::exit::{CommandFailure, ExitCode};
use crate::options::Options;
use crate::terminal;

/// The arguments of `latimer webhooks`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The site, where there are several.
    #[arg(long, global = true, value_name = "ID", value_parser = SiteId::parse)]
    site: Option<SiteId>,
    #[command(subcommand)]
    action: Action,
}

/// What is to be done.
#[derive(Debug, Subcommand)]
enum Action {
    /// Lists the endpoints.
    List,
    /// Adds an endpoint and prints its secret, which is shown only once.
    Add(New),
    /// Removes an endpoint and its pending deliveries.
    Remove(Endpoint),
    /// Sends a test message to an endpoint and prints the result.
    Test(Endpoint),
    /// Lists deliveries to an endpoint, failed ones too, newest first.
    Deliveries(Endpoint),
    /// Sends failed messages again, or one of them.
    Redeliver(Again),
}

/// An endpoint to add.
#[derive(Debug, Args)]
struct New {
    /// Where messages go: an https address.
    #[arg(value_parser = WebAddress)]
    url: Url,
    /// Event type to deliver (repeatable; default: all).
    #[arg(long = "event", value_name = "TYPE", value_parser = event)]
    events: Vec<EventType>,
    /// What it is, for people.
    #[arg(long, value_name = "TEXT", default_value = "")]
    description: String,
}

/// An endpoint that is there.
#[derive(Debug, Args)]
struct Endpoint {
    /// The endpoint, where there are several.
    #[arg(value_name = "WEBHOOK", value_parser = webhook)]
    id: Option<WebhookId>,
}

/// What is sent once more.
#[derive(Debug, Args)]
struct Again {
    #[command(flatten)]
    endpoint: Endpoint,
    /// One message, as `deliveries` names it; without it, all that did not arrive.
    #[arg(long, value_name = "ID", value_parser = message)]
    message: Option<MessageId>,
}

fn event(text: &str) -> Result<EventType, String> {
    let known = || EventType::ALL.map(EventType::as_str).join(", ");
    EventType::ALL
        .into_iter()
        .find(|kind| kind.as_str() == text)
        .ok_or_else(|| format!("it is one of {}", known()))
}

fn webhook(text: &str) -> Result<WebhookId, &'static str> {
    WebhookId::parse(text).ok_or("it is no id of an endpoint; see `latimer webhooks list`")
}

fn message(text: &str) -> Result<MessageId, &'static str> {
    MessageId::parse(text).ok_or("it is no id of a message; see `latimer webhooks deliveries`")
}

/// Does what is to be done.
pub(crate) fn run(arguments: &Arguments, options: &Options) -> Result<ExitCode, CommandFailure> {
    work::until_interrupted(async {
        let place = SiteLocation::of(arguments.site.as_ref(), options).await?;
        match &arguments.action {
            Action::List => show(
                &json!({ "items": place.webhooks().await? }),
                options,
                endpoints,
            ),
            Action::Add(new) => show(&place.add_webhook(new, options).await?, options, added),
            Action::Remove(endpoint) => {
                let id = place.endpoint(endpoint).await?;
                place.remove_webhook(id).await?;
                show(&json!({ "removed": id.to_string() }), options, |_| {
                    format!("removed {id}\n")
                })
            }
            Action::Test(endpoint) => {
                let id = place.endpoint(endpoint).await?;
                let tried = place.test_webhook(id, options).await?;
                let arrived = tried["status"] == "delivered";
                show(&tried, options, deliveries_of_one)?;
                Ok(if arrived {
                    ExitCode::Done
                } else {
                    ExitCode::Failed
                })
            }
            Action::Deliveries(endpoint) => {
                let id = place.endpoint(endpoint).await?;
                show(
                    &json!({ "items": place.deliveries(id).await? }),
                    options,
                    deliveries,
                )
            }
            Action::Redeliver(again) => {
                let id = place.endpoint(&again.endpoint).await?;
                let count = place.redeliver(id, again.message).await?;
                show(&json!({ "deliveries": count }), options, |_| {
                    let then = if options.server.is_some() {
                        "now"
                    } else {
                        "when `latimer serve` runs"
                    };
                    format!("{} sent again {then}\n", counted(count, "message"))
                })
            }
        }
    })
}

/// Prints what was found, as JSON or as these lines.
fn show(
    value: &Value,
    options: &Options,
    lines: impl FnOnce(&Value) -> String,
) -> Result<ExitCode, CommandFailure> {
    match options.json {
        true => println!("{value}"),
        false => terminal::print(&lines(value)),
    }
    Ok(ExitCode::Done)
}

fn items(list: &Value) -> &[Value] {
    list["items"].as_array().map_or(&[], Vec::as_slice)
}

fn word<'v>(value: &'v Value, name: &str) -> &'v str {
    value[name].as_str().unwrap_or_default()
}

fn endpoints(list: &Value) -> String {
    let mut text = String::new();
    for item in items(list) {
        let events: Vec<_> = item["events"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let events = if events.is_empty() {
            "everything".to_owned()
        } else {
            events.join(" ")
        };
        let _ = writeln!(
            text,
            "{} {:7} {}",
            word(item, "webhookId"),
            word(item, "status"),
            word(item, "url")
        );
        let _ = writeln!(text, "  is told of {events}");
    }
    if text.is_empty() {
        "no endpoints; add one with `latimer webhooks add URL`\n".to_owned()
    } else {
        text
    }
}

fn added(item: &Value) -> String {
    format!(
        "added {}\nsecret: {}\nIt is not shown again. Check signatures with it: docs/webhooks.md\n",
        word(item, "webhookId"),
        word(item, "secret")
    )
}

fn deliveries(list: &Value) -> String {
    let text: String = items(list).iter().map(deliveries_of_one).collect();
    if text.is_empty() {
        "nothing happened since the endpoint was added\n".to_owned()
    } else {
        text
    }
}

fn deliveries_of_one(item: &Value) -> String {
    let mut text = format!(
        "{} {:9} {} ({}, number {})\n",
        word(item, "deliveryId"),
        word(item, "status"),
        word(item, "type"),
        word(item, "happenedAt"),
        item["sequence"]
    );
    for attempt in item["attempts"].as_array().into_iter().flatten() {
        let outcome = match attempt["status"].as_u64() {
            Some(status) => status.to_string(),
            None => word(attempt, "error").to_owned(),
        };
        let _ = writeln!(
            text,
            "  {} {outcome} after {} ms",
            word(attempt, "at"),
            attempt["milliseconds"]
        );
    }
    if let Some(next) = item["nextAttemptAt"].as_str() {
        let _ = writeln!(text, "  again at {next}");
    }
    text
}

fn unknown() -> CommandFailure {
    CommandFailure::usage("the site has no such endpoint; see `latimer webhooks list`".to_owned())
}

impl SiteLocation {
    fn path(site: &str, rest: &str) -> String {
        format!("/api/sites/{site}/webhooks{rest}")
    }

    async fn webhooks(&self) -> Result<Vec<Value>, CommandFailure> {
        match self {
            Self::Here(state, site) => {
                let all = state.webhooks(site).map_err(failed)?;
                Ok(all
                    .into_iter()
                    .map(|(id, record)| shown_webhook(id, record, None))
                    .collect())
            }
            Self::There(remote, site) => {
                let list = remote.get(&Self::path(site, "")).await?;
                Ok(items(&list).to_vec())
            }
        }
    }

    /// The endpoint that is meant, or the only one.
    async fn endpoint(&self, meant: &Endpoint) -> Result<WebhookId, CommandFailure> {
        if let Some(id) = meant.id {
            return Ok(id);
        }
        match self.webhooks().await?.as_slice() {
            [only] => WebhookId::parse(word(only, "webhookId")).ok_or_else(unknown),
            [] => Err(CommandFailure::usage(
                "the site has no endpoint; add one with `latimer webhooks add URL`".to_owned(),
            )),
            _ => Err(CommandFailure::usage(
                "the site has several endpoints; name one, see `latimer webhooks list`".to_owned(),
            )),
        }
    }

    async fn add_webhook(&self, new: &New, options: &Options) -> Result<Value, CommandFailure> {
        let events: BTreeSet<EventType> = new.events.iter().copied().collect();
        match self {
            Self::Here(state, site) => {
                let allow_private = options.config()?.webhooks.allow_private;
                let refused = |reason| CommandFailure::usage(format!("{}: {reason}", new.url));
                Sender::new(allow_private, Lookup::System)
                    .accept(&new.url)
                    .map_err(refused)?;
                let url = new.url.to_string();
                let description = new.description.clone();
                let settings = WebhookSettings {
                    url,
                    description,
                    events,
                    enabled: true,
                };
                let added = state
                    .add_webhook(site, settings, run::now())
                    .map_err(failed)?;
                let (id, record) = added.ok_or_else(|| {
                    CommandFailure::usage("the site has ten endpoints".to_owned())
                })?;
                let secret = record.secret.reveal();
                Ok(shown_webhook(id, record, Some(secret)))
            }
            Self::There(remote, site) => {
                let body = json!({ "url": new.url.as_str(), "description": new.description, "events": events });
                Ok(remote.post(&Self::path(site, ""), &body).await?.value)
            }
        }
    }

    async fn remove_webhook(&self, id: WebhookId) -> Result<(), CommandFailure> {
        match self {
            Self::Here(state, site) => match state.remove_webhook(site, id).map_err(failed)? {
                true => Ok(()),
                false => Err(unknown()),
            },
            Self::There(remote, site) => remote.delete(&Self::path(site, &format!("/{id}"))).await,
        }
    }

    /// Sends a test now, from here or from the server.
    async fn test_webhook(
        &self,
        id: WebhookId,
        options: &Options,
    ) -> Result<Value, CommandFailure> {
        match self {
            Self::Here(state, site) => {
                let event = WebhookEvent::WebhookTest(WebhookTest {
                    webhook_id: id.to_string(),
                });
                let now = run::now();
                let ordinal = state
                    .tell_one(site, id, &event, now)
                    .map_err(failed)?
                    .ok_or_else(unknown)?;
                let due = Due {
                    site: site.clone(),
                    webhook: id,
                    ordinal,
                };
                let message = state
                    .message(&due, now)
                    .map_err(failed)?
                    .ok_or_else(unknown)?;
                let sender = Sender::new(options.config()?.webhooks.allow_private, Lookup::System);
                let attempt = sender.attempt(&message, now).await;
                let ended = state
                    .record_attempt(&due, &attempt, run::now())
                    .map_err(failed)?
                    .ok_or_else(unknown)?;
                Ok(shown_delivery(ended.delivery, None))
            }
            Self::There(remote, site) => Ok(remote
                .post_path(&Self::path(site, &format!("/{id}/test")))
                .await?
                .value),
        }
    }

    async fn deliveries(&self, id: WebhookId) -> Result<Vec<Value>, CommandFailure> {
        match self {
            Self::Here(state, site) => {
                let all = state.deliveries(site, id).map_err(failed)?;
                Ok(all
                    .into_iter()
                    .map(|(delivery, body)| shown_delivery(delivery, Some(body)))
                    .collect())
            }
            Self::There(remote, site) => {
                remote
                    .list(&Self::path(site, &format!("/{id}/deliveries")))
                    .await
            }
        }
    }

    /// Has messages sent once more; gives how many.
    async fn redeliver(
        &self,
        id: WebhookId,
        message: Option<MessageId>,
    ) -> Result<usize, CommandFailure> {
        let gone = || {
            CommandFailure::usage(
                "nothing of that name is kept; see `latimer webhooks deliveries`".to_owned(),
            )
        };
        match (self, message) {
            (Self::Here(state, site), Some(message)) => {
                let due = state
                    .find_delivery(site, id, message)
                    .map_err(failed)?
                    .ok_or_else(gone)?;
                state
                    .redeliver(&due, run::now())
                    .map_err(failed)?
                    .ok_or_else(gone)?;
                Ok(1)
            }
            (Self::Here(state, site), None) => state
                .redeliver_since(site, id, Moment::default(), run::now())
                .map_err(failed),
            (Self::There(remote, site), Some(message)) => {
                remote
                    .post_path(&Self::path(
                        site,
                        &format!("/{id}/deliveries/{message}/redeliver"),
                    ))
                    .await?;
                Ok(1)
            }
            (Self::There(remote, site), None) => {
                let answer = remote
                    .post(&Self::path(site, &format!("/{id}/redeliver")), &json!({}))
                    .await?;
                Ok(
                    usize::try_from(answer.value["deliveries"].as_u64().unwrap_or_default())
                        .unwrap_or(usize::MAX),
                )
            }
        }
    }
}
