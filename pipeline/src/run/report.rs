//! Report of a build: what it found, and how it ended.

pub(in crate::run) mod build_report;
pub(in crate::run) mod derived_rows;
pub(in crate::run) mod named;
pub(in crate::run) mod outcome;
pub(in crate::run) mod work;
