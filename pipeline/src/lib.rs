//! Latimer's library: a site goes in, the site in every target language comes out.
//!
//! Modules in reading order. [`model`] holds the words that everything else speaks. [`page`] is the pure core:
//! HTML in, segments out, HTML back. Around it stand thin shells that each own one outside thing: [`net`] HTTP,
//! [`crawl`] the source site, [`engines`] what translates, [`store`] the database, [`publish`] the object store.
//! [`translate`] says whose words a text gets. [`run`] is the only place that knows the order in which they act;
//! [`inspect`] says what it would do.

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
