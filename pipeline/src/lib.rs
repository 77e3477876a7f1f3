//! The library of Latimer: reads a site, translates it, and publishes every page in every language.
//!
//! Modules in reading order: [`model`] has the values that all others use. [`page`] is the pure core: HTML in, segments out, HTML
//! back. Each module around it owns one outside thing: [`net`] HTTP, [`crawl`] the source site, [`engines`] translation services,
//! [`state`] the database, [`store`] the object store. [`translate`] decides whose words a text gets. [`run`] alone knows the order in
//! which they act; [`inspect`] says what a build would do.
//!
//! Invariant: a failed build changes nothing that readers see, and a page that cannot be translated stays in its language.
//! `examples/build_folder.rs` in the repository builds a folder.
//!
//! ```
//! use pipeline::config::Config;
//!
//! let settings = "[[site]]\nid = \"site\"\nsource = \"public\"\nsource_locale = \"en\"\nlocales = [\"es\"]\nurl = \"https://example.com/{lang}\"";
//! let config = Config::parse(settings, "latimer.toml".as_ref(), &|_| None)?;
//! assert_eq!(config.sites[0].locales[0].as_str(), "es");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![cfg_attr(test, allow(clippy::too_many_lines, reason = "a test tells one story"))]

pub mod causes;

pub mod counted;

pub mod model;

pub mod config;

pub use ::page;

pub mod text;

pub mod threads;

pub mod open_files;

mod passing;

mod processes;

pub mod browser;

pub mod net;

pub mod engines;

pub mod translate;

pub mod exchange;

pub mod crawl;

pub mod webhooks;

pub mod mail;

pub mod state;

pub mod store;

pub mod addresses;

pub mod site_files;

pub mod hosts;

pub mod search;

pub mod targets;

pub mod run;

pub mod inspect;

pub mod preview;

pub mod bare;

pub mod models;

pub mod audit;

pub mod digest;

pub mod letters;
