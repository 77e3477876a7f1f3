//! Pages as a browser shows them after their scripts have run.
//!
//! The browser is a program of the owner's, spoken to over a pipe: no port is opened that another program could talk to.
//! It reaches nobody. Each request of a page stops in it and is put to us (`draw.rs`): a GET to the site's own host gets the
//! bytes that a `PageOrigin` has for it, everything else is refused. What does not pass there (workers, sockets, the browser's
//! own calls to its maker) is sent to a proxy that refuses all (`refusal.rs`), names are not looked up, and UDP is off.

mod draw;
mod error;
mod pipe;
mod refusal;
mod request;
mod start;

pub(crate) use draw::{DrawLimits, Drawing};
pub use error::BrowserError;
pub(crate) use request::{OriginAnswer, PageOrigin};
pub(crate) use start::Browser;
pub use start::try_out;
