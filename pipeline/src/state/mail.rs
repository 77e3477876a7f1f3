//! Mail in the state: who gets it (`recipients`), which addresses may get it (`addresses`), and what was written (`outbox`).
//!
//! A mail is written down in the transaction that makes its reason so, and marked before it is sent (`posting`): whatever was
//! being sent when a process ended is unknown afterwards, and is never sent again. Only a server that can send has anything
//! written down.

mod addresses;
mod outbox;
mod posting;
mod recipients;
mod rows;
mod switch;
#[cfg(test)]
mod tests;

pub use addresses::MailLink;
pub(super) use addresses::{forget_unconfirmed, subscribed};
pub use posting::NextMail;
pub use recipients::Recipient;
pub use rows::{AddressRecord, MailKind, MailRecord, MailStatus};
