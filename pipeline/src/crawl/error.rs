//! Why nothing at all could be crawled.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::model::{begins_with_host, likely_scheme, without_user};
use crate::net::FetchError;

/// Says why nothing at all could be crawled.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CrawlError {
    /// The start page cannot be had, and nothing else was found.
    #[error(
        "cannot crawl {}: {reason} ({code}); check that the address opens in a browser on this machine",
        without_user(url)
    )]
    Unreachable {
        /// The start page.
        url: String,
        /// The failure's code.
        code: &'static str,
        /// The failure's reason.
        reason: String,
    },
    /// robots.txt does not let us in.
    #[error(
        "cannot crawl {}: robots.txt of the site forbids it to {agent:?}; allow it there, or change user_agent",
        without_user(url)
    )]
    Forbidden {
        /// The start page.
        url: String,
        /// Our User-Agent.
        agent: String,
    },
    /// Without an answer for robots.txt a site counts as forbidden (RFC 9309 section 2.3.1.4).
    #[error(
        "cannot crawl {}: {reason}; while robots.txt fails the whole site counts as forbidden, so try again later",
        without_user(url)
    )]
    RobotsFailed {
        /// The address of robots.txt.
        url: String,
        /// What happened.
        reason: String,
    },
    /// The start page redirects to another site.
    #[error(
        "cannot crawl {}: it redirects to another site, {}; if that is intended, use that address as the source",
        without_user(from),
        without_user(to)
    )]
    Moved {
        /// The start page.
        from: String,
        /// Where it leads.
        to: String,
    },
    /// The start page was reached, but neither it nor any other page or file belongs to the crawl.
    #[error(
        "crawled {} and found nothing to take: {excluded} paths are left out; check include, exclude and robots.txt",
        without_user(source_name)
    )]
    Nothing {
        /// The address or folder.
        source_name: String,
        /// How many paths were left out.
        excluded: usize,
    },
    /// The folder cannot be read.
    #[error("cannot read the folder {}: {reason}; {}", folder.display(), advice(folder))]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// The HTTP client cannot be set up as configured.
    #[error(transparent)]
    Fetcher(#[from] FetchError),
    /// Whoever takes the pages has gone.
    #[error("the crawl was stopped because nobody takes its pages any more")]
    Stopped,
    /// The scheduler ended before everything was fetched; a defect, and never silent.
    #[error(
        "the crawl ended with {left} addresses not fetched; this is a defect in Latimer, please report it"
    )]
    Unfinished {
        /// How many addresses are left.
        left: usize,
    },
}

/// The next step for a folder that cannot be read.
fn advice(folder: &Path) -> String {
    if folder.is_file() {
        return "it is a file; name the folder that it is in".to_owned();
    }
    let mut names = [Some(folder.as_os_str()), folder.file_name()]
        .into_iter()
        .flatten()
        .filter_map(OsStr::to_str);
    match names.find(|name| begins_with_host(name) && !folder.exists()) {
        Some(name) => {
            let scheme = likely_scheme(name);
            format!(
                "check the path and its permissions; a site on the network is source = \"{scheme}://{name}\""
            )
        }
        None => "check the path and its permissions".to_owned(),
    }
}
