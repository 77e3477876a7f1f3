//! What each host can do, with its limits, as its documentation said in November 2026 and as the servers and emulators that
//! can run here were seen to do.

use crate::model::{Host, RedirectBy};

/// What a host can do.
#[derive(Clone, Copy, Debug)]
pub struct Ability {
    /// The host.
    pub host: Host,
    /// Which redirects it can be told.
    pub redirects: Redirects,
    /// Whether it can answer 410.
    pub gone: bool,
    /// Whether it can send readers of `/` to their language.
    pub chooses_language: bool,
    /// Whether it puts the first folders of addresses before the tree itself.
    pub mounts: bool,
    /// The most files.
    pub files: Option<usize>,
    /// The most bytes of one file.
    pub file_bytes: Option<u64>,
    /// The most bytes of all files.
    pub bytes: Option<u64>,
    /// The most paths with headers of their own.
    pub headers: Option<usize>,
    /// Characters that no name of a file may have.
    pub no_names_with: &'static [char],
    /// Whether names that differ in case alone are one.
    pub folds_case: bool,
    /// What differs from `latimer serve` by the nature of the host, and is accepted.
    pub differs: &'static [&'static str],
}

/// Which redirects a host can be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Redirects {
    /// Any, and exact paths, so that it answers every spelling as `latimer serve` does.
    Any,
    /// A list: so many addresses, so many patterns with `*`, and so many bytes in all.
    List {
        /// The most fixed addresses.
        fixed: usize,
        /// The most patterns; 0 where the host cannot lead a folder's pages each to its own.
        patterns: usize,
        /// The most bytes of the file that holds them.
        bytes: Option<usize>,
        /// Whether it knows 307 and 308.
        keeps_method: bool,
    },
    /// None.
    None,
}

const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;

const FIRST_LANGUAGE: &str =
    "a reader of / is sent by the first language that the browser names, not by all of them";
const CASE: &str = "a language's folder in other letters (/ES/), or by its tag where it has an alias, is not found";
const ODD: &str = "an address with two slashes or an encoded slash (//, %2f) in it is read as the server reads it";
const WORDS: &str =
    "a language without a page for what is not found answers in the server's own words";
const WHOLE: &str = "redirects name scheme and host";
const VALIDATORS: &str = "entity tags, dates and Content-Length are the server's own";
const PRETTY: &str = "other spellings of an address (/about, /about/, /about.html, /about/index.html) may answer 200, redirect \
                      with another status, or not be found; a page's own address may lead to the host's spelling of it";
const SLASH: &str = "of two pages whose addresses differ in a slash at the end or in the ending alone (/press, /press/, /press.html), one may \
                     be shown at the address of the other";
const TOLD: &str = "other spellings of an address that redirects or is gone may not be found, or lead on where ours do not: the \
                    host is told of the address alone";
const TYPES: &str = "media types are the host's own where it has others (text/html without its charset, application/javascript)";
const STATUS: &str = "307 and 308 may be answered as 302, as the host's emulator does";
const QUERY: &str = "queries may be lost where an address redirects";
const CODED: &str = "an address that encodes what needs no encoding (/%61bout/) may not be found, and is not redirected";
const AT_ITSELF: &str = "the page for what is not found answers 404 at its own address, too";
const FOLDER_404: &str =
    "where the site lies below a folder of the host, what is not found is said in the host's words";
const NO_404: &str = "a language without a page for what is not found answers with the source language's, or in the host's own \
                      words where that has none";
const OUR_404: &str = "where the site has no page for what is not found, Latimer writes one, which is found at /404, too";
const SHARED: &str = "files that all languages share are found at their own address only, not below a language's folder";
const ONE_404: &str = "one page for what is not found, that of the source language; the host's own words where that has none";
const NO_HEADERS: &str = "no header of ours: caching, types and languages are the host's";
const FILE_HEADERS: &str = "single files have no headers of their own: no X-Robots-Tag (noindex) and no Link, and the \
                            host chooses types";
const BUCKET_HEADERS: &str = "files have no X-Robots-Tag (noindex) and no Link";
const NO_SCRIPTS: &str = "a reader's language is found by its tag and its language, not by its script (zh-TW finds the first of zh)";
const BROWSER_LANGUAGE: &str = "with accept_language, every reader of / is sent to the language of the browser, also from \
                                the site's own pages; /?lang=… is not";
const FOLDED: &str =
    "where addresses are folded into patterns, unknown pages of such a folder are redirected too";

const SERVER: Ability = Ability {
    host: Host::Plain,
    redirects: Redirects::Any,
    gone: true,
    chooses_language: true,
    mounts: false,
    files: None,
    file_bytes: None,
    bytes: None,
    headers: None,
    no_names_with: &['\\'],
    folds_case: false,
    differs: &[],
};

/// What a host can do where redirects are made so: CloudFront has a function for what it cannot do itself, unless
/// redirects are pages.
pub fn ability_with(host: Host, by: RedirectBy) -> Ability {
    match (host, by) {
        (Host::Cloudfront, RedirectBy::Host) => Ability {
            host,
            differs: &[NO_SCRIPTS, CASE, ODD, WORDS, BUCKET_HEADERS, VALIDATORS],
            ..SERVER
        },
        (_, RedirectBy::Host | RedirectBy::Pages) => ability(host),
    }
}

/// What a host can do by itself.
#[expect(clippy::too_many_lines, reason = "a table of hosts")]
pub fn ability(host: Host) -> Ability {
    let list = |fixed, patterns| Redirects::List {
        fixed,
        patterns,
        bytes: None,
        keeps_method: true,
    };
    let listed = Ability {
        host,
        gone: false,
        chooses_language: false,
        ..SERVER
    };
    match host {
        Host::Nginx => Ability {
            host,
            differs: &[FIRST_LANGUAGE, CASE, ODD, WORDS, VALIDATORS],
            ..SERVER
        },
        Host::Apache => Ability {
            host,
            differs: &[FIRST_LANGUAGE, CASE, ODD, WORDS, WHOLE, VALIDATORS],
            ..SERVER
        },
        Host::Caddy => Ability {
            host,
            differs: &[FIRST_LANGUAGE, CASE, ODD, WORDS, VALIDATORS],
            ..SERVER
        },
        Host::Netlify => Ability {
            redirects: list(10_000, 10_000),
            gone: true,
            chooses_language: true,
            no_names_with: &['\\', '#', '?'],
            folds_case: true,
            differs: &[
                BROWSER_LANGUAGE,
                PRETTY,
                SLASH,
                TOLD,
                SHARED,
                NO_404,
                TYPES,
                ODD,
                FOLDED,
                VALIDATORS,
            ],
            ..listed
        },
        Host::CloudflarePages => Ability {
            redirects: list(2_000, 100),
            files: Some(20_000),
            file_bytes: Some(25 * MIB),
            headers: Some(100),
            // Its own redirects to addresses without ending do not encode them.
            no_names_with: &['\\', '#', '?', '%'],
            differs: &[
                PRETTY, SLASH, TOLD, CODED, SHARED, NO_404, OUR_404, TYPES, ODD, FOLDED, VALIDATORS,
            ],
            ..listed
        },
        Host::Vercel => Ability {
            redirects: list(1_000, 1_000),
            differs: &[PRETTY, TOLD, SHARED, ONE_404, FOLDED, VALIDATORS],
            ..listed
        },
        Host::Firebase => Ability {
            redirects: list(1_000, 1_000),
            file_bytes: Some(2 * GIB),
            // Its emulator does not decode these in paths.
            no_names_with: &['\\', '#', '?'],
            differs: &[
                PRETTY, SLASH, TOLD, CODED, SHARED, ONE_404, NO_404, AT_ITSELF, FOLDER_404, TYPES,
                ODD, FOLDED, VALIDATORS,
            ],
            ..listed
        },
        Host::AzureSwa => Ability {
            redirects: Redirects::List {
                fixed: 10_000,
                patterns: 0,
                bytes: Some(20 << 10),
                keeps_method: true,
            },
            bytes: Some(250 * MIB),
            // Its emulator does not find files with these.
            no_names_with: &['\\', '#', '?', '%'],
            differs: &[
                PRETTY,
                SLASH,
                TOLD,
                CODED,
                STATUS,
                QUERY,
                SHARED,
                ONE_404,
                NO_404,
                TYPES,
                ODD,
                FILE_HEADERS,
                VALIDATORS,
            ],
            ..listed
        },
        Host::GitlabPages => Ability {
            redirects: Redirects::List {
                fixed: 1_000,
                patterns: 1_000,
                bytes: Some(64 << 10),
                keeps_method: false,
            },
            mounts: true,
            bytes: Some(GIB),
            differs: &[PRETTY, TOLD, SHARED, ONE_404, NO_HEADERS],
            ..listed
        },
        Host::GithubPages => Ability {
            redirects: Redirects::None,
            mounts: true,
            bytes: Some(GIB),
            differs: &[PRETTY, SHARED, ONE_404, NO_HEADERS],
            ..listed
        },
        Host::Cloudfront | Host::S3Website => Ability {
            redirects: Redirects::None,
            differs: &[PRETTY, SHARED, ONE_404, BUCKET_HEADERS, VALIDATORS],
            ..listed
        },
        Host::Plain => Ability {
            redirects: Redirects::None,
            differs: &[PRETTY, SHARED, ONE_404, NO_HEADERS],
            ..listed
        },
    }
}
