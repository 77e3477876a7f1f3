//! Memo of a build: facts of earlier builds that let this one skip reading, rendering or everything.

pub(crate) mod cached_texts;
pub(in crate::run) mod carry;
pub(in crate::run) mod edited_words;
pub(in crate::run) mod key;
pub(in crate::run) mod known_versions;
pub(in crate::run) mod page_cache;
pub(in crate::run) mod shared_words;
pub(in crate::run) mod unchanged;
pub(in crate::run) mod unchanged_versions;
