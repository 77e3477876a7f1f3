//! The object store: where published pages, deployments and fetched sources lie, and the verbs that move them.
//!
//! A deployment is immutable: its files and manifests lie under the hash of their bytes, and it becomes the site in one
//! step, when its commit is created. What a static host would read (the live tree) is a projection of the newest
//! commit and can be made again at any time.
//!
//! ```text
//! {site}/{locale}/{name}                             live tree of a locale
//! {site}/{name}                                      live tree of what all locales share
//! {site}/_deployments/{n}.json                       the commit, created once
//! {site}/_deployments/objects/{2 hex}/{hash}         bytes of files, and of their compressed variants
//! {site}/_deployments/shards/{hash}                  parts of what a tree holds, and which; what a deployment was made of
//! {site}/_deployments/switches/{n}.json              which languages are switched on or off, created once
//! {site}/_deployments/draft-{id}.json                a draft that writes, or was cut off
//! {site}/_deployments/dropped-{n}.json               a commit that was dropped, in a bucket, for a day
//! {site}/_deployments/damaged.json                   which objects a check found to have wrong bytes
//! {site}/_deployments/memory/{locale}/{hash}.jsonl.gz   what engines translated, for every builder
//! {site}/_deployments/edits/{locale}/{hash}.jsonl.gz    what people edited on the screen and over the API, for every builder
//! {site}/_deployments/targets/{name}.json            what lies at a host that the site was brought to
//! {site}/_deployments/targets/{name}.partial.jsonl   what a publishing at work may have changed there
//! {site}/_deployments/targets/{name}.lock            who publishes there now
//! {site}/_deployments/live.json                      which deployment the live tree shows
//! {site}/_deployments/swept.json                     up to which deployment old ones were removed
//! {site}/_deployments/.lock, .sweep.lock, .live.lock who works here, on a disk
//! {site}/_sources/{name}                             fetched pages
//! _previews/{id}/index.html                          the page of a preview
//! ```
//!
//! A copy of bytes that a draft keeps apart is called `{hash}-{draft}`.
//!
//! Several builders may work on one site, each with a state of its own. Objects come first, the commit last, the live
//! tree and the sweep after it: a build that is killed at any line leaves the old commit or the new one, and the next
//! build ends with the same site as an undisturbed one. Objects are the same for whoever writes them, no draft
//! deletes anything, and of two commits with one number the store takes the first; the other builder begins again on
//! top of it. What a sweep deletes is named by nobody, and either nobody works there or it is a day old. This is the
//! only room that names `object_store`.

mod ahead;
mod base;
mod bucket;
mod by_name;
mod commit;
mod content_hash;
mod damage;
mod disk;
mod draft;
mod entry;
mod error;
mod history;
mod identity;
mod inventory;
mod keys;
mod listed;
mod listing;
mod live;
mod lock;
mod manifest;
mod media_type;
mod objects;
mod outside;
mod patience;
mod previews;
mod published;
mod quota;
mod reading;
mod record;
mod root;
mod row_files;
mod settings;
mod sources;
mod stream;
mod sweep;
mod switches;
mod switching;
mod tables;
mod targets;
mod tree;
mod tried;
mod variants;
mod verify;
mod warm;

pub use ahead::Ahead;
pub use by_name::ByName;
pub use commit::{Commit, Shard, SourceIndex};
pub use content_hash::ContentHash;
pub use damage::{Damage, FileFlaw};
pub use draft::{Draft, FinishedDraft, Object, Put};
pub use entry::{Encoding, Encodings, ManifestEntry, Variant};
pub use error::StoreError;
pub use history::{Deployment, deployments, roll_back};
pub use identity::deployment_id;
pub use inventory::note_damage;
pub use keys::RowKind;
pub use listing::latest;
pub use live::{Projected, project_live};
pub use lock::Lock;
pub use manifest::{Manifest, ManifestFiles};
pub use media_type::MediaType;
pub use objects::Objects;
pub use outside::{BucketFile, FileAttributes, Outside};
pub use patience::PATIENCE;
pub use previews::{preview, put_preview, remove_previews};
pub use published::{Published, SiteStanding, source_index, source_index_bytes};
pub use row_files::{RowFile, put_row_file, remove_row_files, row_file, row_files, row_locales};
pub use settings::{Addressing, Missing, ServingSettings, ServingSwitch, SiteRedirect};
pub use sources::{
    StoredSource, put_source, remove_source, remove_unfinished_sources, source, sources,
};
pub use stream::ByteStream;
pub use sweep::{Sweep, sweep};
pub use switches::Switches;
pub use switching::{mend_switches, turn_switch};
pub use targets::{SentFile, TargetLock, TargetRecord, TargetStore};
pub use tree::Tree;
pub use tried::StoreAccess;
pub use variants::compresses;
pub use warm::Warm;

#[cfg(test)]
mod tests;
