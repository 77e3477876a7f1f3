//! Builds of sites, and what goes with them: plans, examinations, explanations and exports.
//!
//! `build.rs` is the only place that knows the order of things; each other file is a stage of it, or what stages share.

mod budget;
mod build;
mod clock;
mod context;
mod crawl;
mod deploy;
mod documents;
mod engines;
mod error;
mod evaluate;
mod explain;
mod export;
mod extract;
mod guard;
mod journal;
mod keeper;
mod kept;
mod limit;
mod lines;
mod memory;
mod options;
mod outcome;
mod own_files;
mod people;
mod plan;
mod publish;
mod rebuild;
mod references;
mod report;
mod republish;
mod sources;
mod sweeping;
mod targets;
mod translate;
mod version;

pub use build::build;
pub use clock::month;
pub(crate) use crawl::headers;
pub use error::RunError;
pub use evaluate::{Evaluation, Examination, Mark, examine};
pub use explain::{
    Explained, Explanation, InLocale, KeptText, OutdatedText, Standing, TextOrigin, TextSource, Why, explain,
};
pub use export::{Untranslated, export_po};
pub use journal::{Performed, perform, stopped};
pub use limit::Limit;
pub use options::{BuildOptions, Progress, Step, Stores, Trust};
pub use plan::{LocalePlan, PlanReport, PricedCost, plan};
pub use rebuild::{Rebuilt, rebuild};
pub use report::{Changed, ChangedWords, KeptPage, LocaleReport, Refused, Report, TermCount, Trouble, Warned, Words};
