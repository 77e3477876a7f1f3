//! Webhooks: what a site's owner is told of, how it is signed, when it is tried again, and the request itself.
//!
//! Signatures, headers and secrets follow Standard Webhooks 1.0. What is told is written down by the state, in the
//! transaction that changes what it tells of; nothing here knows of the state.

mod event;
mod names;
mod schedule;
mod secret;
mod send;

pub use event::{
    BudgetExceeded, Deployed, DisabledBecause, EventLocale, EventType, LocaleSwitched,
    PreviewEnded, ReviewNeeded, RunEnded, RunError, Said, Suspect, Told, WebhookDisabled,
    WebhookEvent, WebhookTest,
};
pub use names::{MessageId, WebhookId};
pub use schedule::{MOST_TRIES, pause};
pub use secret::WebhookSecret;
pub use send::{AttemptError, DeliveryAttempt, Sender, WebhookMessage};

pub(crate) use event::{cut_paths, time};
