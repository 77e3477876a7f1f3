//! The table of the API: the name, method, path, scope and limits of each operation.

/// An operation of the API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    Document,
    CrawlTranslate,
    Serve,
    Languages,
    ListSites,
    GetSite,
    PutSite,
    DeleteSite,
    ListPages,
    ListDeployments,
    ListRuns,
    GetRun,
    ListSummaries,
    PutSummary,
    Snippets,
    Subscribe,
    NextDigest,
    OrderPreview,
    ListPreviews,
    GetPreview,
    DeletePreview,
    StreamPreview,
    StreamRun,
    CancelRun,
    AcceptSource,
    PlanRun,
    Activate,
    Usage,
    Explain,
    Export,
    Engines,
    Account,
    GetSubscription,
    Unsubscribe,
    Reload,
}

/// Which bucket a request is counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rate {
    /// Reading, by caller.
    Read,
    /// Writing, by caller.
    Write,
    /// Ordering runs, by site.
    Crawl,
    /// Ordering previews, by caller.
    Preview,
    /// Looking at previews, by caller.
    PreviewStatus,
    /// Beginning to follow something, by caller.
    Stream,
}

/// What opens an operation beside a bearer token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Key {
    Nothing,
    /// A configured token that may order previews.
    Preview,
    /// The token of the preview itself, or the configured one for all of them.
    PreviewStatus,
}

impl Key {
    /// The header it comes in.
    pub(crate) fn header(self) -> Option<&'static str> {
        match self {
            Self::Nothing => None,
            Self::Preview => Some("x-preview-token"),
            Self::PreviewStatus => Some("x-preview-status-token"),
        }
    }
}

/// A line of the table of operations.
#[derive(Debug)]
pub(crate) struct Line {
    pub(crate) operation: Operation,
    /// The operation's name in the contract.
    pub(crate) id: &'static str,
    pub(crate) method: &'static str,
    /// The path; what stands in braces is any one segment.
    pub(crate) path: &'static str,
    /// Whether everybody may, also without a token.
    pub(crate) is_public: bool,
    /// The scope that a token needs; without one, any token does.
    pub(crate) scope: Option<&'static str>,
    /// Another scope that does as well.
    pub(crate) or_scope: Option<&'static str>,
    /// Whether the token must be for all sites.
    pub(crate) all_sites: bool,
    /// What does instead of a bearer token.
    pub(crate) key: Key,
    pub(crate) rate: Rate,
    /// The status when it worked.
    pub(crate) status: u16,
    /// Whether the answer may say where what it began can be watched.
    pub(crate) gives_location: bool,
    /// Whether the answer is a stream of events.
    pub(crate) streams: bool,
    /// The largest body that is taken, in bytes; 0 where there is none.
    pub(crate) largest_body: usize,
    pub(crate) summary: &'static str,
}

/// What most lines have.
const READ: Line = Line {
    operation: Operation::Document,
    id: "",
    method: "GET",
    path: "",
    is_public: false,
    scope: Some("sites:read"),
    or_scope: None,
    all_sites: false,
    key: Key::Nothing,
    rate: Rate::Read,
    status: 200,
    gives_location: false,
    streams: false,
    largest_body: 1 << 20,
    summary: "",
};
const WRITE: Line = Line { rate: Rate::Write, ..READ };

/// The operations: method, path, scope and limit of each.
pub(crate) const OPERATIONS: [Line; 35] = [
    Line {
        operation: Operation::Document,
        id: "openapi.get",
        path: "/api/openapi.json",
        is_public: true,
        scope: None,
        summary: "Get this document.",
        ..READ
    },
    Line {
        operation: Operation::Languages,
        id: "meta.languages.list",
        path: "/api/meta/languages",
        is_public: true,
        scope: None,
        summary: "List languages with their names.",
        ..READ
    },
    Line {
        operation: Operation::ListSites,
        id: "sites.list",
        path: "/api/sites",
        summary: "List the sites that the token may see.",
        ..READ
    },
    Line {
        operation: Operation::GetSite,
        id: "sites.get",
        path: "/api/sites/{siteId}",
        summary: "Get a site.",
        ..READ
    },
    Line {
        operation: Operation::PutSite,
        id: "sites.put",
        method: "PUT",
        path: "/api/sites/{siteId}",
        scope: Some("sites:write"),
        summary: "Add a site, or replace the settings of one that was added.",
        ..WRITE
    },
    Line {
        operation: Operation::DeleteSite,
        id: "sites.delete",
        method: "DELETE",
        path: "/api/sites/{siteId}",
        scope: Some("sites:write"),
        status: 204,
        summary: "Remove a site that was added.",
        ..WRITE
    },
    Line {
        operation: Operation::ListPages,
        id: "sites.pages.list",
        path: "/api/sites/{siteId}/pages",
        summary: "List the pages of a site.",
        ..READ
    },
    Line {
        operation: Operation::ListDeployments,
        id: "sites.deployments.list",
        path: "/api/sites/{siteId}/deployments",
        summary: "List the deployments of a site, newest first.",
        ..READ
    },
    Line {
        operation: Operation::Activate,
        id: "sites.deployments.activate",
        method: "POST",
        path: "/api/sites/{siteId}/deployments/{deploymentId}/activate",
        scope: Some("deploy:write"),
        largest_body: 0,
        summary: "Make an earlier deployment the one that readers get.",
        ..WRITE
    },
    Line {
        operation: Operation::Usage,
        id: "sites.usage.get",
        path: "/api/sites/{siteId}/usage",
        summary: "Get the characters sent to engines for a site by month, and the budget left.",
        ..READ
    },
    Line {
        operation: Operation::Explain,
        id: "sites.explanation.get",
        path: "/api/sites/{siteId}/explanation",
        summary: "Get where the texts of a page come from, and why some are in the source language.",
        ..READ
    },
    Line {
        operation: Operation::Export,
        id: "locales.translations.export",
        path: "/api/sites/{siteId}/locales/{targetLang}/translations",
        summary: "Get a PO file for translators, with the translations that are there.",
        ..READ
    },
    Line {
        operation: Operation::PlanRun,
        id: "sites.plan.trigger",
        method: "POST",
        path: "/api/sites/{siteId}/plan",
        scope: Some("crawl:write"),
        rate: Rate::Crawl,
        status: 202,
        gives_location: true,
        summary: "Start a run that estimates the cost of crawling and translating, without calling an engine.",
        ..READ
    },
    Line {
        operation: Operation::CrawlTranslate,
        id: "sites.crawl_translate.trigger",
        method: "POST",
        path: "/api/sites/{siteId}/crawl-translate",
        scope: Some("crawl:write"),
        rate: Rate::Crawl,
        status: 202,
        gives_location: true,
        summary: "Start crawling and translating a site.",
        ..READ
    },
    Line {
        operation: Operation::Serve,
        id: "sites.locales.serve",
        method: "POST",
        path: "/api/sites/{siteId}/locales/{targetLang}/serve",
        scope: Some("serve:write"),
        gives_location: true,
        summary: "Enable or disable serving of a locale.",
        ..WRITE
    },
    Line {
        operation: Operation::ListRuns,
        id: "sites.runs.list",
        path: "/api/sites/{siteId}/runs",
        summary: "List the runs of a site, newest first.",
        ..READ
    },
    Line {
        operation: Operation::GetRun,
        id: "sites.runs.get",
        path: "/api/sites/{siteId}/runs/{runId}",
        summary: "Get a run.",
        ..READ
    },
    Line {
        operation: Operation::StreamRun,
        id: "sites.runs.stream",
        path: "/api/sites/{siteId}/runs/{runId}/stream",
        rate: Rate::Stream,
        streams: true,
        summary: "Follow a run until it is over.",
        ..READ
    },
    Line {
        operation: Operation::CancelRun,
        id: "sites.runs.cancel",
        method: "POST",
        path: "/api/sites/{siteId}/runs/{runId}/cancel",
        scope: Some("crawl:write"),
        largest_body: 0,
        summary: "Stop a run.",
        ..WRITE
    },
    Line {
        operation: Operation::AcceptSource,
        id: "sites.runs.accept",
        method: "POST",
        path: "/api/sites/{siteId}/runs/{runId}/accept",
        scope: Some("crawl:write"),
        rate: Rate::Crawl,
        status: 202,
        gives_location: true,
        largest_body: 0,
        summary: "Start a run that takes the source as this run saw it.",
        ..READ
    },
    Line {
        operation: Operation::ListSummaries,
        id: "sites.translationSummaries.list",
        path: "/api/sites/{siteId}/translation-summaries",
        summary: "List translation summaries of a site.",
        ..READ
    },
    Line {
        operation: Operation::PutSummary,
        id: "sites.locales.translationSummary.put",
        method: "PUT",
        path: "/api/sites/{siteId}/locales/{targetLang}/translation-summary",
        scope: Some("summary:write"),
        summary: "Store the translation summary of a locale.",
        ..WRITE
    },
    Line {
        operation: Operation::Snippets,
        id: "sites.switcherSnippets.get",
        path: "/api/sites/{siteId}/switcher-snippets",
        summary: "Get the switcher snippets of a site.",
        ..READ
    },
    Line {
        operation: Operation::Subscribe,
        id: "digests.subscription.upsert",
        method: "PUT",
        path: "/api/digests/subscription",
        scope: Some("digest:write"),
        summary: "Create or replace the digest subscription.",
        ..WRITE
    },
    Line {
        operation: Operation::NextDigest,
        id: "digests.next.get",
        path: "/api/digests/next",
        scope: Some("digest:write"),
        summary: "Get the next digest of the token's subject.",
        ..READ
    },
    Line {
        operation: Operation::GetSubscription,
        id: "digests.subscription.get",
        path: "/api/digests/subscription",
        scope: Some("digest:write"),
        summary: "Get the digest subscription of the token's subject.",
        ..READ
    },
    Line {
        operation: Operation::Unsubscribe,
        id: "digests.subscription.delete",
        method: "DELETE",
        path: "/api/digests/subscription",
        scope: Some("digest:write"),
        status: 204,
        summary: "Remove the digest subscription of the token's subject.",
        ..WRITE
    },
    Line {
        operation: Operation::OrderPreview,
        id: "previews.create",
        method: "POST",
        path: "/api/previews",
        scope: Some("preview:write"),
        key: Key::Preview,
        rate: Rate::Preview,
        status: 202,
        gives_location: true,
        largest_body: 16 << 10,
        summary: "Create a preview of a page.",
        ..READ
    },
    Line {
        operation: Operation::ListPreviews,
        id: "previews.list",
        path: "/api/previews",
        scope: Some("preview:write"),
        or_scope: Some("sites:read"),
        summary: "List the previews that the token's subject ordered, newest first.",
        ..READ
    },
    Line {
        operation: Operation::DeletePreview,
        id: "previews.delete",
        method: "DELETE",
        path: "/api/previews/{previewId}",
        scope: Some("preview:write"),
        status: 204,
        summary: "Remove a preview and its page.",
        ..WRITE
    },
    Line {
        operation: Operation::GetPreview,
        id: "previews.get",
        path: "/api/previews/{previewId}",
        or_scope: Some("preview:write"),
        key: Key::PreviewStatus,
        rate: Rate::PreviewStatus,
        summary: "Get the status of a preview.",
        ..READ
    },
    Line {
        operation: Operation::StreamPreview,
        id: "previews.stream",
        path: "/api/previews/{previewId}/stream",
        or_scope: Some("preview:write"),
        key: Key::PreviewStatus,
        rate: Rate::Stream,
        streams: true,
        summary: "Follow a preview until it is over.",
        ..READ
    },
    Line {
        operation: Operation::Account,
        id: "me.get",
        path: "/api/me",
        scope: None,
        summary: "Get the token's permissions and the limits left.",
        ..READ
    },
    Line {
        operation: Operation::Engines,
        id: "engines.list",
        path: "/api/engines",
        or_scope: Some("admin:read"),
        summary: "List the engines that sites may name.",
        ..READ
    },
    Line {
        operation: Operation::Reload,
        id: "server.reload",
        method: "POST",
        path: "/api/reload",
        scope: Some("admin:write"),
        all_sites: true,
        largest_body: 0,
        summary: "Read the server's configuration, keys, tokens and sites again.",
        ..WRITE
    },
];

/// The scopes that operations ask for, each once.
pub fn scopes() -> Vec<&'static str> {
    let mut scopes: Vec<_> = OPERATIONS.iter().flat_map(|line| [line.scope, line.or_scope]).flatten().collect();
    scopes.sort_unstable();
    scopes.dedup();
    scopes
}
