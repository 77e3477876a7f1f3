//! The program from outside: each module runs it on sites of its own and asserts what it made, said and served.
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
