//! Words of a build: a translation for each text of the corpus, from people, the memory and engines.

pub(in crate::run) mod budget;
pub(in crate::run) mod contexts;
pub(in crate::run) mod costs;
pub(in crate::run) mod engines;
pub(in crate::run) mod fill;
pub(in crate::run) mod known_warnings;
pub(in crate::run) mod language_plan;
pub(in crate::run) mod limit;
pub(crate) mod locales;
pub(in crate::run) mod missing;
pub(in crate::run) mod page_sets;
pub(in crate::run) mod people;
pub(in crate::run) mod pricing;
pub(in crate::run) mod remarks;
pub(crate) mod resolve;
pub(in crate::run) mod routes;
pub(crate) mod shared_edits;
pub(in crate::run) mod texts;
pub(crate) mod translate;
pub(in crate::run) mod translation_table;
pub(in crate::run) mod warned;
pub(in crate::run) mod word_counts;
pub(crate) mod word_files;
