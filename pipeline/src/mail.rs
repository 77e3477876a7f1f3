//! Mail: who takes it (`Relay`), who sends it (`Mailbox`), one try to hand one over (`Mailer`), and when digests go (`Schedule`).
//!
//! A mail must never be sent twice. Connecting, TLS and the login can be repeated, and what the server answered it means;
//! where the whole mail was sent and no answer came, nobody knows, and [`MailError::Unknown`] says so.

mod mailbox;
mod mailer;
mod relay;
mod schedule;

pub use mailbox::Mailbox;
pub use mailer::{Letter, MailError, Mailer, Offered};
pub use relay::{Relay, Security};
pub use schedule::{Day, Schedule, Slot, Zone, ZoneError};
