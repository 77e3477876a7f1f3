//! Runs: builds of sites, and plans of what a build would send.
//!
//! `build.rs` is the only place that knows the order of things; each other file is a stage of it, or what stages share.

mod audited;
mod build;
mod clock;
mod context;
pub(crate) mod corpus;
pub(crate) mod deploy;
mod error;
mod journal;
pub(crate) mod memo;
pub(crate) mod memory;
mod options;
pub(crate) mod pages;
mod plan;
mod rebuild;
pub(crate) mod report;
pub(crate) mod source;
pub(crate) mod words;

pub use audited::audit;
pub use build::build;
pub use clock::{month, now};
pub(crate) use context::{Build, blocking, glossary};
pub(crate) use corpus::contents::Corpus;
pub(crate) use corpus::text_table::SiteText;
pub(crate) use deploy::sweeping::made_of;
pub use deploy::sweeping::sweep;
pub use deploy::told::tell_deployments;
pub use error::BuildError;
pub use journal::{Performed, deliver, perform, stopped};
#[doc(hidden)]
pub use memo::key::{KeyInput, KeyInputs};
pub use options::{
    BuildLimits, BuildOptions, BuildProgress, BuildStep, MOST_TERMS, MOST_WARNED, SETTLING, Stores,
    Trust,
};
pub(crate) use pages::live::Unlasting;
pub use pages::pagefind::{PagefindError, try_pagefind};
pub use plan::{FormerEngine, LocalePlan, PlanReport, PricedCost, plan};
pub use rebuild::{Rebuilt, rebuild};
pub use report::build_report::{
    ChangedTranslation, ChangedWords, DrawnKind, DrawnPage, KeptPage, LocaleReport, MOST_REFUSED,
    PageTrouble, RefusedText, Report, SearchIndex, TermCount, Warned,
};
pub use report::work::{BuildWork, RenderedVersion};
pub(crate) use source::crawl_options::{crawl_options, headers};
#[doc(hidden)]
pub use source::files::file_reader;
pub(crate) use source::sources::Sources;
pub(crate) use words::budget::limit_of_run;
pub(crate) use words::engines::RunEngines;
pub use words::limit::SendLimit;
pub(crate) use words::locales::BuildLocale;
pub(crate) use words::people::People;
pub(crate) use words::resolve::resolve_without_engine;
pub use words::shared_edits::write_edits;
pub(crate) use words::texts::LocaleTexts;
pub(crate) use words::translation_table::TranslationTable;
pub use words::word_counts::WordsBySource;
