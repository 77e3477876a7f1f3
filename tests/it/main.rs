//! The program from outside: each module runs it on sites of its own and asserts what it made, said and served.
//!
//! One program of tests, because each links everything. What needs a tool is in a module named after it (`needs_vnu`) and
//! ignored by default, what takes long in one named `nightly`; `tests/run` gets the tools and switches those on.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops at the first surprise")]

mod admin;
mod api;
mod api_kill;
mod audit;
mod browser;
mod build;
mod callers;
mod clients;
mod command_line;
mod dashboard;
mod discovery;
mod disk_peak;
mod docs;
mod doctor;
mod endless_origin;
mod engine_kill;
mod engines;
mod eval;
mod explain;
mod glossary;
mod growth;
mod guard;
mod hostile_paths;
mod hostile_requests;
mod hydration;
mod init_hosts;
mod kill;
mod large_memory;
mod lastmod;
mod links;
mod lost_state;
mod mail;
mod merge;
mod models;
mod observe;
mod outcome;
mod own_files;
mod people;
mod plan;
mod previews;
mod publish;
mod real_pages;
mod recipes;
mod recrawl;
mod references;
mod reload;
mod remote;
mod render;
mod reports;
mod restart;
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
mod support;
mod switch_kill;
mod switcher;
mod trouble;
mod two_builders;
mod unchanged;
mod validity;
mod watch;
mod webhooks;
