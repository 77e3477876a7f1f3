//! Webhooks in the state: the endpoints of each site, what happened to it, and what was brought to whom.
//!
//! What happens is written down in the transaction that makes it so, with one delivery for each endpoint (`outbox`), so a
//! process that ends at any moment neither forgets it nor tells of what did not happen. A site without endpoints has no
//! rows. Each row of a delivery is in the table of those that are due, or is over.

mod deliveries;
mod endpoint;
mod outbox;
mod rows;
#[cfg(test)]
mod tests;

pub use deliveries::{DeliverySlots, EndedDelivery};
pub(super) use rows::forget_all;
pub use rows::{
    AttemptRecord, DeliveryRecord, DeliveryStatus, Due, Stopped, WebhookRecord, WebhookSettings,
};
