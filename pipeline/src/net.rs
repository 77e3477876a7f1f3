//! HTTP from inside: the one client for pages, files and archives, with every guard on it.
//!
//! The crawl, the audit, previews, models and engines all ask the outside world through what stands here: addresses are
//! checked before anything connects (`address.rs`), answers are bounded after decompression, what may pass is tried again,
//! and a host that asks to wait is left alone. What is fetched is bytes with a type here; what they mean is for others to say.

mod address;
mod answer;
mod bounds;
mod decode;
mod download;
mod fetch;
mod fetch_error;
mod gate;
mod post;
mod retry;

pub(crate) use address::{AddressGuard, GuardedResolver};
pub use address::{Lookup, LookupFunction};
pub use answer::Fetched;
pub(crate) use answer::OversizePolicy;
pub(crate) use bounds::is_below;
pub(crate) use decode::unpack;
pub use download::{DownloadProgress, Downloader, Proxy};
pub use fetch::{FetchOptions, Fetcher};
pub use fetch_error::FetchError;
pub(crate) use post::{PostOptions, Poster};
pub(crate) use retry::retry_after;
