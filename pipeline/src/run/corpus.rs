//! Corpus of a build: the texts of all pages, each different one once, and facts about the pages.

pub(in crate::run) mod asked_texts;
pub(in crate::run) mod canonical;
pub(in crate::run) mod contents;
pub(in crate::run) mod elsewhere;
pub(crate) mod extract;
pub(in crate::run) mod facts;
pub(in crate::run) mod foreign_versions;
pub(in crate::run) mod hosts;
pub(in crate::run) mod indices;
pub(in crate::run) mod kept_names;
pub(in crate::run) mod language_folders;
pub(in crate::run) mod names;
pub(in crate::run) mod other_ranks;
pub(in crate::run) mod page_notices;
pub(in crate::run) mod parts;
pub(in crate::run) mod policies;
pub(in crate::run) mod relations;
pub(in crate::run) mod scripted;
pub(in crate::run) mod search_tags;
pub(in crate::run) mod singles;
pub(crate) mod stored_texts;
pub(in crate::run) mod text_set;
pub(in crate::run) mod text_table;
pub(in crate::run) mod written;
