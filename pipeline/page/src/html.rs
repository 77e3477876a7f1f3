//! Bytes into tokens, and values as HTML, XML and JSON write them: what a page is made of, before anybody asks what it says.

pub(crate) mod bytes;
pub(crate) mod classes;
pub(crate) mod element;
pub(crate) mod encoding;
pub(crate) mod hydration;
pub(crate) mod json;
pub(crate) mod known;
pub(crate) mod limits;
pub(crate) mod prescan;
pub(crate) mod rules;
pub(crate) mod scan;
pub(crate) mod script;
pub(crate) mod space;
pub(crate) mod span;
pub(crate) mod tags;
pub(crate) mod tokens;
pub(crate) mod writing;
