//! Where something else may stand in a page: its texts, from the walk through its elements to units of parts, and its links.

pub(crate) mod addresses_in_values;
pub(crate) mod attributes;
pub(crate) mod block;
mod foreign;
pub(crate) mod found;
pub(crate) mod inherit;
pub(crate) mod inline_links;
pub(crate) mod keeps;
mod language_label;
pub(crate) mod language_links;
mod language_names;
pub(crate) mod link_place;
pub(crate) mod links;
mod meta_links;
pub(crate) mod option;
pub(crate) mod part;
mod prompt;
pub(crate) mod script_addresses;
pub(crate) mod sealed;
pub(crate) mod stack;
pub(crate) mod state;
pub(crate) mod structured;
pub(crate) mod structured_links;
mod template;
pub(crate) mod unit;
pub(crate) mod value;
pub(crate) mod walk;
