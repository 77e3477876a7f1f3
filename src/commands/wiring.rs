//! The one place where commands meet the library: what build, serve and render hand to it and print of its answer.

use pipeline::config::Config;
use pipeline::translate::EngineSpec;

use super::{build, render, serve};
use crate::exit::{ExitCode, Failure};
use crate::options::Options;

/// Builds what is selected.
pub(super) fn build(
    config: &Config,
    selection: &build::Selection,
    arguments: &build::Arguments,
    options: &Options,
) -> Result<ExitCode, Failure> {
    let _ = (config, &selection.sites, &selection.locales, options.progress(), options.json);
    let _ = (arguments.offline, arguments.frozen, arguments.force, arguments.jobs);
    Err(Failure::failed("build is not wired yet"))
}

/// Serves the sites of a configuration until a signal says stop.
pub(super) fn serve(config: &Config, arguments: &serve::Arguments, options: &Options) -> Result<ExitCode, Failure> {
    let _ = (config, arguments.build, arguments.pages_only, options.progress());
    Err(Failure::failed("serve is not wired yet"))
}

/// Localizes a file, a stream or a folder with one engine.
pub(super) fn render(
    engine: &EngineSpec,
    arguments: &render::Arguments,
    options: &Options,
) -> Result<ExitCode, Failure> {
    let _ = (engine, &arguments.translations, &arguments.from, &arguments.to, arguments.no_head, arguments.no_links);
    let _ = (&arguments.input, &arguments.output, options.progress(), options.json);
    Err(Failure::failed("render is not wired yet"))
}
