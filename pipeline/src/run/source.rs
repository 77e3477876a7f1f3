//! Source of a build: the crawl, what it kept from earlier ones, and the guard that judges it.

pub(in crate::run) mod address_spelling;
pub(in crate::run) mod answers;
pub(in crate::run) mod claimed;
pub(crate) mod crawl;
pub(in crate::run) mod crawl_options;
pub(in crate::run) mod discover;
pub(in crate::run) mod drawings;
pub(in crate::run) mod drawn_origin;
pub(in crate::run) mod files;
pub(in crate::run) mod guard;
pub(in crate::run) mod other_builders;
pub(in crate::run) mod query_files;
pub(in crate::run) mod reported;
pub(in crate::run) mod source_sitemaps;
pub(in crate::run) mod sources;
pub(in crate::run) mod spelling;
pub(in crate::run) mod unfollowed;
pub(in crate::run) mod withheld;
