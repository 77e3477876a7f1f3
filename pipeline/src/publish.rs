//! The object store: where published pages, deployments and fetched sources lie, and the verbs that move them.
//!
//! A deployment is immutable: number `n` writes only what changed, below its own folder, and becomes the site in one
//! step, when its commit is created. What a static host would read (the live tree) is a projection of the newest
//! commit and can be made again at any time.
//!
//! ```text
//! {site}/{locale}/{name}                             live tree of a locale
//! {site}/{name}                                      live tree of what all locales share
//! {site}/_deployments/{n}.json                       the commit, created once
//! {site}/_deployments/{n}/_manifest/{tree}.json      what a tree holds, if that changed in n
//! {site}/_deployments/{n}/_manifest/_sources.json    what the pages were made of, if that changed in n
//! {site}/_deployments/{n}/{tree}/{name}[.br|.gz]     what n wrote; the shared tree is called `_assets`
//! {site}/_deployments/memory/{locale}/{hash}.jsonl.gz   what engines translated, for every builder
//! {site}/_deployments/live.json                      which deployment the live tree shows
//! {site}/_deployments/swept.json                     up to which deployment old ones were removed
//! {site}/_sources/{name}                             fetched pages
//! _previews/{id}/index.html                          the page of a preview
//! ```
//!
//! Objects come first, the commit last, the live tree and the sweep after it: a build that is killed at any line
//! leaves the old commit or the new one, and the next build ends with the same bytes as an undisturbed one.
//! One build of a site runs at a time; the state (`store.rs`) sees to that. This is the only room that names
//! `object_store`.

mod bucket;
mod commit;
mod disk;
mod draft;
mod error;
mod identity;
mod keys;
mod live;
mod memory;
mod objects;
mod patience;
mod previews;
mod published;
mod settings;
mod sources;
mod stream;
mod sweep;
mod variants;
mod verify;

pub use commit::{Commit, Encoding, Entry, Manifest, Shard, SourceIndex};
pub use draft::{Draft, Finished, Object, Put};
pub use error::PublishError;
pub use identity::deployment_id;
pub use keys::Tree;
pub use live::{Projected, project_live};
pub use memory::{MemoryFile, memory_file, memory_files, memory_locales, put_memory, remove_memory};
pub use objects::Objects;
pub use patience::PATIENCE;
pub use previews::{preview, put_preview, remove_previews};
pub use published::{Deployment, Published, deployments, latest, roll_back};
pub use settings::{Addressing, Missing, Redirect, Settings, Switch};
pub use sources::{StoredSource, put_source, remove_source, source, sources};
pub use stream::ByteStream;
pub use sweep::sweep;
pub use variants::compresses;
pub use verify::{Damage, Flaw};

#[cfg(test)]
mod tests;
