//! What a crawl sends, and what it found beside that.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;

use super::Trap;
use crate::model::{
    AddressForms, AnswerHead, FileStat, LinkHeader, Moment, PagePath, SeenFile, SourceKind,
    SourceSitemaps,
};

/// A page or file of the site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resource {
    /// Its path; a query is not part of it.
    pub path: PagePath,
    /// What it is to us.
    pub kind: SourceKind,
    /// The media type in lower case, without parameters.
    pub content_type: String,
    /// The charset that the HTTP header declared.
    pub charset: Option<String>,
    /// The content, decompressed, otherwise as it was sent.
    pub body: Bytes,
    /// Whether a header or the page itself asks search engines to leave it out.
    pub noindex: bool,
    /// True for a fragment of HTML.
    pub fragment: bool,
    /// Addresses of its frames, as written.
    pub frames: Vec<String>,
    /// How it spells addresses.
    pub addresses: AddressForms,
    /// Statements to crawlers from the headers (`X-Robots-Tag`), joined into one.
    pub robots: Option<String>,
    /// The addresses that the headers named for it (`Link`).
    pub links: LinkHeader,
    /// The policies for content that came with it (Content-Security-Policy), as sent.
    pub policies: Vec<String>,
    /// The ETag, as sent.
    pub etag: Option<String>,
    /// The Last-Modified date, as sent.
    pub last_modified: Option<String>,
    /// What is kept of what its server said beside the content; nothing for a file of a folder.
    pub head: Option<AnswerHead>,
    /// When the content was sent, where that was not now.
    pub sent: Option<Moment>,
}

/// A path that leads to another one on the same site.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CrawlRedirect {
    /// The path that was asked for.
    pub from: PagePath,
    /// The path that the origin named instead.
    pub to: PagePath,
    /// The origin's status.
    pub status: u16,
}

/// A path that could not be had.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CrawlFailure {
    /// The path.
    pub path: PagePath,
    /// A stable code, such as `http_status` or `timeout`.
    pub code: &'static str,
    /// The reason as a sentence.
    pub reason: String,
}

/// A file of a folder that was left out although nothing excludes it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Withheld {
    /// Its path.
    pub path: PagePath,
    /// The reason.
    pub because: WithheldBecause,
}

/// Reason why a file in the source folder is not part of the site.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum WithheldBecause {
    /// A setting uses the file or its folder for Latimer itself; contains the key of the setting.
    Named(String),
    /// Files of this name or content usually hold secrets.
    Secret,
    /// The file is a program that a web server executes, such as PHP, so its bytes are not a page.
    Program,
}

/// A file of a folder that was not read, because nothing about it changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreadFile {
    /// Its path.
    pub path: PagePath,
    /// Its media type in lower case.
    pub content_type: &'static str,
    /// What is known of it.
    pub file: SeenFile,
}

/// What a crawl found beside pages and files; lists are sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Crawled {
    /// How many pages there are: those that were sent, and those that were not read.
    pub pages: usize,
    /// How many files there are, documents among them.
    pub files: usize,
    /// What was not sent, because its bytes are known.
    pub unread: Vec<UnreadFile>,
    /// What the disk said of files that were sent, where that can tell whether they change.
    pub stats: BTreeMap<PagePath, FileStat>,
    /// Redirects that stay on the site.
    pub redirects: Vec<CrawlRedirect>,
    /// What could not be had, page or file.
    pub failures: Vec<CrawlFailure>,
    /// How many paths the filter, robots.txt or a redirect that leaves the site kept out.
    pub excluded: usize,
    /// Excluded paths with control characters.
    pub with_control: BTreeSet<PagePath>,
    /// Files of a folder that were left out because they are or may be secret.
    pub withheld: Vec<Withheld>,
    /// Whether pages were left out because of `max_pages`, or files because there are very many.
    pub truncated: bool,
    /// Kinds of pages that led to nothing but more of their kind, and of which the rest was left out.
    pub traps: Vec<Trap>,
    /// Files that programs name and the crawl does not have.
    pub unfollowed: Unfollowed,
    /// Files that are no part of the site, by name: a folder's `.htaccess`, and the robots.txt of a crawled site.
    pub rules: BTreeMap<String, String>,
    /// What sitemaps said of changes.
    pub lastmods: Lastmods,
    /// The pages that sitemaps named, and what they said of them; nothing for a folder, whose sitemaps are files of it.
    pub sitemaps: SourceSitemaps,
}

/// Files that programs name and a crawl does not have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unfollowed {
    /// Files that are not there.
    pub missing: BTreeSet<PagePath>,
    /// Programs that compute the names of files, with the beginning of each name.
    pub computed: BTreeSet<(PagePath, String)>,
}

impl Unfollowed {
    /// The most entries of each kind.
    const MOST: usize = 1_000;
    /// The longest beginning of a name, in bytes.
    const LONGEST: usize = 256;

    pub(super) fn note_computed(&mut self, program: &PagePath, head: String) {
        if self.computed.len() < Self::MOST && head.len() <= Self::LONGEST {
            self.computed.insert((program.clone(), head));
        }
    }

    /// Adds what came of another address, as far as there is room.
    pub(super) fn add(&mut self, other: Self) {
        let room = Self::MOST.saturating_sub(self.missing.len());
        self.missing.extend(other.missing.into_iter().take(room));
        let room = Self::MOST.saturating_sub(self.computed.len());
        self.computed.extend(other.computed.into_iter().take(room));
    }
}

/// What sitemaps say of changes, and what came of relying on it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lastmods {
    /// The `lastmod` of each page, as written, where it can tell whether the page changes after this crawl.
    pub listed: BTreeMap<PagePath, String>,
    /// Pages that are others now although their `lastmod` is the same, among those that were asked to see that.
    pub refuted: BTreeSet<PagePath>,
    /// Where the rotation of those that are asked stands now; nothing where none was asked.
    pub turn: Option<String>,
}

impl Crawled {
    /// Counts a page or file.
    pub(super) fn count(&mut self, kind: SourceKind) {
        match kind {
            SourceKind::Page => self.pages += 1,
            SourceKind::Document | SourceKind::File => self.files += 1,
        }
    }

    /// Whether a path is of a kind of which the rest was left out: that it was not found says nothing about it.
    pub fn is_trapped(&self, path: &PagePath) -> bool {
        self.traps.iter().any(|trap| trap.matches(path))
    }

    /// Puts the lists in order, whatever the order in which things happened.
    pub(super) fn sorted(mut self) -> Self {
        self.redirects.sort();
        self.redirects.dedup();
        self.withheld.sort();
        self.failures.sort();
        self.failures.dedup();
        self
    }
}
