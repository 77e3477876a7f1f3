//! What a page says of itself, and the elements that a localized page gets: its head, switchers, and what an old encoding
//! leaves to keep.

pub(crate) mod legacy;
mod open_graph;
pub(crate) mod places;
mod robots;
pub(crate) mod switchers;
mod value;
