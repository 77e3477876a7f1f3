//! The program from outside: each module runs it on sites of its own and asserts what it made, said and served.
//!
//! | Area | Modules |
//! |---|---|
//! | Pages and their statements | `amp`, `file_names`, `fragments`, `headings`, `kept_pages`, `language_menus`, `loaded_files`, `right_to_left`, `robots`, `scripts`, `search_statements`, `statement_addresses`, `switcher`, `validity`, `written_versions` |
//! | Links and addresses | `links`, `linked`, `other_spellings`, `pretty_addresses`, `query_files`, `references`, `slugs`, `source_sitemaps` |
//! | Reading a source | `discovery`, `endless_origin`, `guard`, `language_files`, `lastmod`, `own_files`, `recrawl` |
//! | Words | `context`, `engines`, `eval`, `examples`, `facts`, `forget`, `glossary`, `models`, `models_registry`, `names`, `people`, `rubbish_engine`, `services`, `tokens` |
//! | Builds and their cost | `build`, `disk_peak`, `explain`, `growth`, `large_memory`, `merge`, `one_locale`, `outcome`, `plan`, `render`, `unchanged`, `watch` |
//! | Crashes and loss | `api_kill`, `engine_kill`, `kill`, `lost_state`, `restart`, `switch_kill`, `trouble`, `two_builders` |
//! | Search, live script, browsers | `browser`, `hydration`, `minified`, `reports`, `search` |
//! | Server | `codings`, `hostile_paths`, `hostile_requests`, `observe`, `reload`, `secrets`, `server_paths`, `shutdown` |
//! | API, admin screen, notifications | `admin`, `api`, `callers`, `clients`, `dashboard`, `mail`, `previews`, `schedule`, `schemathesis`, `segments`, `sites`, `to_review`, `webhooks`, `wire` |
//! | Publishing and operating | `doctor`, `init_hosts`, `installer`, `publish`, `years` |
//! | Command line and documents | `audit`, `command_line`, `docs`, `newcomers`, `real_pages`, `recipes`, `remote`, `wrong_inputs` |
//!
//! One program of tests, because each links everything. What needs a tool is in a module named after it (`needs_vnu`) and
//! ignored by default, what takes long in one named `nightly`; `tests/run` gets the tools and switches those on.

#![allow(
    clippy::too_many_lines,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test stops at the first surprise"
)]

mod admin;
mod amp;
mod api;
mod api_kill;
mod audit;
mod browser;
mod build;
mod callers;
mod clients;
mod codings;
mod command_line;
mod context;
mod dashboard;
mod discovery;
mod disk_peak;
mod docs;
mod doctor;
mod endless_origin;
mod engine_kill;
mod engines;
mod eval;
mod examples;
mod explain;
mod facts;
mod file_names;
mod forget;
mod fragments;
mod glossary;
mod growth;
mod guard;
mod headings;
mod hostile_paths;
mod hostile_requests;
mod hydration;
mod init_hosts;
mod installer;
mod kept_pages;
mod kill;
mod language_files;
mod language_menus;
mod large_memory;
mod lastmod;
mod linked;
mod links;
mod loaded_files;
mod lost_state;
mod mail;
mod merge;
mod minified;
mod models;
mod models_registry;
mod names;
mod newcomers;
mod observe;
mod one_locale;
mod other_spellings;
mod outcome;
mod own_files;
mod people;
mod plan;
mod pretty_addresses;
mod previews;
mod publish;
mod query_files;
mod real_pages;
mod recipes;
mod recrawl;
mod references;
mod reload;
mod remote;
mod render;
mod reports;
mod restart;
mod right_to_left;
mod robots;
mod rubbish_engine;
mod schedule;
mod schemathesis;
mod scripts;
mod search;
mod search_statements;
mod secrets;
mod segments;
mod server_paths;
mod services;
mod shutdown;
mod sites;
mod slugs;
mod source_sitemaps;
mod statement_addresses;
mod support;
mod switch_kill;
mod switcher;
mod to_review;
mod tokens;
mod trouble;
mod two_builders;
mod unchanged;
mod validity;
mod watch;
mod webhooks;
mod wire;
mod written_versions;
mod wrong_inputs;
mod years;
