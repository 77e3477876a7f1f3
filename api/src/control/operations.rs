//! What the operations do, once it is known who asks and that they may.
//!
//! Writes are durable before they are answered. The database blocks, so it works on the blocking pool. Each operation
//! has a file with the types of what it takes and gives; the document is made of those types.

mod accept;
mod account;
mod audit;
mod call;
mod crawl;
mod deliveries;
mod deployments;
mod digest;
mod doctor;
mod document;
mod engines;
mod explanation;
mod export;
mod frequency;
mod languages;
mod line;
mod list;
mod locale_words;
mod mail;
mod next_digest;
mod ordered;
mod pages;
mod percent;
mod plan;
mod previews;
mod publish;
mod reload;
mod reports;
mod runs;
mod segments;
mod serve;
mod settings;
mod site;
mod sites;
mod snippets;
mod summary;
mod table;
mod usage;
mod webhooks;

pub(crate) use call::{Call, Content, Reply, Schemas};
pub use deliveries::shown_delivery;
pub(crate) use line::{Key, Line, Rate, Version};
pub(crate) use percent::percent;
pub(crate) use table::OPERATIONS;
pub use table::scopes;
pub use webhooks::shown_webhook;
