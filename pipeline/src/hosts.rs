//! What the addresses of a site answer, and how hosts that Latimer does not run are told. Pure.
//!
//! `place` is the law: what `latimer serve` answers. `layout` says where everything lies in a host's tree, `rules` which
//! addresses need to be told because the tree alone would answer otherwise, and one file for each host writes that in the
//! host's own form. What a host can do, with its limits, stands in one table (`table`); what it cannot do ends
//! publishing before anything is sent.

mod apache;
mod caching;
mod caddy;
mod check;
mod cloudfront;
mod facts;
mod htaccess;
mod htaccess_lines;
mod joined;
mod json_files;
mod languages;
mod layout;
mod listed;
mod nginx;
mod not_found;
mod place;
mod redirects_file;
mod rules;
mod table;
mod writing;

pub use caching::{FOR_EVER, is_html, never_changes};
pub use check::{Cannot, RULE_FILES, host_files};
pub use facts::{HostFacts, HostFile, HostTexts};
pub use joined::can_be_joined;
pub use languages::CRAWLERS;
pub use layout::{HostRoot, HostSpot, Layout, PlacedFile};
pub use place::{CANONICAL, File, HostAnswer, LanguageAddresses, SOURCE, host_and_path};
pub use rules::{HostReply, HostRule, RuleReason, rules};
pub use table::{Ability, Redirects, ability, ability_with};
