//! Runs: builds of sites, and plans of what a build would send.
//!
//! `build.rs` is the only place that knows the order of things; each other file is a stage of it, or what stages share.

mod answers;
mod audited;
mod budget;
mod build;
mod carry;
mod clock;
mod context;
mod crawl;
mod deploy;
mod discover;
mod documents;
mod drawn_origin;
mod elsewhere;
mod engines;
mod error;
mod extract;
mod facts;
mod files;
mod guard;
mod hosts;
mod indices;
mod journal;
mod keeper;
mod kept;
mod key;
mod known_versions;
mod known_warnings;
mod limit;
mod lines;
mod live;
mod live_head;
mod memory;
mod options;
mod outcome;
mod own_files;
mod pagefind;
mod people;
mod plan;
mod policies;
mod precache;
mod publish;
mod rebuild;
mod recall;
mod references;
mod remarks;
mod report;
mod reported;
mod republish;
mod scripted;
mod search;
mod settled_table;
mod sources;
mod standing;
mod standing_texts;
mod still;
mod sweeping;
mod targets;
mod text_set;
mod text_table;
mod texts;
mod told;
mod translate;
mod version;
mod warned;
mod whole;
mod withheld;
mod work;

pub use audited::audit;
pub(crate) use budget::limit_of_run;
pub use build::build;
pub use clock::{month, now};
pub(crate) use context::{Build, blocking, glossary};
pub(crate) use crawl::{crawl_options, headers};
pub(crate) use engines::Engines;
pub use error::RunError;
pub(crate) use extract::Corpus;
#[doc(hidden)]
pub use files::file_reader;
pub use journal::{Performed, deliver, perform, stopped};
#[doc(hidden)]
pub use key::inputs;
pub use known_warnings::{MOST_TERMS, MOST_WARNED, fewer_warnings};
pub use limit::Limit;
pub(crate) use live::Unlasting;
pub use options::{BuildOptions, Progress, SETTLING, Step, Stores, Trust};
pub use pagefind::{PagefindError, try_pagefind};
pub(crate) use people::People;
pub use plan::{LocalePlan, PlanReport, PricedCost, plan};
pub use rebuild::{Rebuilt, rebuild};
pub use report::{
    Changed, ChangedWords, DrawnKind, DrawnPage, KeptPage, LocaleReport, MOST_REFUSED, Refused, Report, SearchIndex,
    TermCount, Trouble, Warned, Words,
};
pub(crate) use settled_table::SettledTable;
pub(crate) use sources::Sources;
pub(crate) use sweeping::made_of;
pub use sweeping::sweep;
pub(crate) use targets::Target;
pub(crate) use text_table::Text;
pub(crate) use texts::Texts;
pub use told::tell_deployments;
pub(crate) use translate::settle_without_engine;
pub use work::{RenderedVersion, Work};
