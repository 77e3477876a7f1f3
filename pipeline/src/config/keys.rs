//! Which keys each table has, and which of the documented ones this version does not have yet.
//!
//! One table of names per TOML table, so that "unknown key" and "not in this version yet" never disagree with what
//! the readers ask for.

/// The placeholder for a locale in addresses and paths.
pub(crate) const LANG: &str = "{lang}";

/// Keys under which an address may hold a user: that of the mail server, which refuses a password itself, and arguments,
/// which mean something to programs alone.
pub(super) const MAY_HOLD_USER: [&str; 3] = ["smtp", "args", "command"];

/// The keys of one TOML table.
pub(super) struct TableKeys {
    /// The table as a message names it.
    pub(super) table: &'static str,
    /// Keys that are read.
    pub(super) known: &'static [&'static str],
    /// Keys that are documented for a later version.
    pub(super) later: &'static [&'static str],
    /// Whether any other key is taken as a name, as in `[engine.NAME]`.
    pub(super) open: bool,
}

pub(super) const ROOT: TableKeys = TableKeys {
    table: "the file's top level",
    known: &[
        "site", "engine", "store", "publish", "preview", "webhooks", "mail", "admin", "api", "log",
        "models",
    ],
    later: &["notify"],
    open: false,
};

pub(super) const SITE: TableKeys = TableKeys {
    table: "[[site]]",
    known: &[
        "id",
        "enabled",
        "source",
        "source_url",
        "source_locale",
        "locales",
        "addresses",
        "url",
        "accept_language",
        "translations",
        "memory",
        "slugs",
        "glossary",
        "max_chars",
        "max_chars_per_month",
        "x_default",
        "engine",
        "instructions",
        "figures",
        "prefer",
        "missing",
        "min_translated",
        "include",
        "exclude",
        "keep",
        "previews",
        "crawl",
        "html",
        "scripts",
        "search",
        "text",
        "checks",
        "review",
        "locale",
    ],
    later: &[],
    open: false,
};

pub(super) const CRAWL: TableKeys = TableKeys {
    table: "[site.crawl]",
    known: &[
        "max_pages",
        "concurrency",
        "delay_ms",
        "max_retry_after",
        "max_page_bytes",
        "user_agent",
        "allow_private",
        "headers_file",
        "query",
        "trust_stat",
        "changed",
        "every",
        "max_lost",
        "max_new",
    ],
    later: &[],
    open: false,
};

pub(super) const HTML: TableKeys = TableKeys {
    table: "[site.html]",
    known: &[
        "switcher",
        "templates",
        "skip",
        "also_translate",
        "translate_state",
    ],
    later: &[],
    open: false,
};

pub(super) const SCRIPTS: TableKeys = TableKeys {
    table: "[site.scripts]",
    known: &[
        "live",
        "address",
        "words",
        "discover",
        "browser",
        "env",
        "max_pages",
        "wait_ms",
        "report",
    ],
    later: &[],
    open: false,
};

pub(super) const SEARCH: TableKeys = TableKeys {
    table: "[site.search]",
    known: &["pagefind", "env"],
    later: &[],
    open: false,
};

pub(super) const TEXT: TableKeys = TableKeys {
    table: "[site.text]",
    known: &["dates", "digits", "headings", "marks", "names"],
    later: &[],
    open: false,
};

pub(super) const REVIEW: TableKeys = TableKeys {
    table: "[site.review]",
    known: &["approve"],
    later: &[],
    open: false,
};

pub(super) const CHECKS: TableKeys = TableKeys {
    table: "[site.checks]",
    known: &["numbers"],
    later: &[],
    open: false,
};

pub(super) const SWITCHER: TableKeys = TableKeys {
    table: "`switcher`",
    known: &["template", "placement"],
    later: &[],
    open: false,
};

pub(super) const LOCALES: TableKeys = TableKeys {
    table: "[site.locale]",
    known: &[],
    later: &[],
    open: true,
};

pub(super) const LOCALE: TableKeys = TableKeys {
    table: "[site.locale.…]",
    known: &[
        "alias",
        "dates",
        "digits",
        "engine",
        "exclude",
        "files",
        "headings",
        "instructions",
        "marks",
        "names",
    ],
    later: &[],
    open: false,
};

pub(super) const ENGINES: TableKeys = TableKeys {
    table: "[engine]",
    known: &[],
    later: &[],
    open: true,
};

pub(super) const ENGINE: TableKeys = TableKeys {
    table: "[engine.…]",
    known: &[
        "kind",
        "price_per_million",
        "price",
        "models",
        "program",
        "args",
        "env",
        "url",
        "key_file",
        "allow_private",
        "model",
        "region",
        "formality",
        "glossary_id",
        "timeout",
        "parallel",
        "batch",
        "examples",
        "params",
        "query",
        "auth",
        "context",
        "headers_file",
        "via",
        "engines",
    ],
    later: &[],
    open: false,
};

pub(super) const TOKEN_PRICE: TableKeys = TableKeys {
    table: "`price`",
    known: &["input", "output", "cached"],
    later: &[],
    open: false,
};

pub(super) const STORE: TableKeys = TableKeys {
    table: "[store]",
    known: &[
        "objects",
        "options",
        "state",
        "keep_deployments",
        "patience",
        "variants",
    ],
    later: &[],
    open: false,
};

pub(super) const STORE_OPTIONS: TableKeys = TableKeys {
    table: "[store.options]",
    known: &[],
    later: &[],
    open: true,
};

pub(super) const PUBLISH_ALL: TableKeys = TableKeys {
    table: "[publish]",
    known: &[],
    later: &[],
    open: true,
};

pub(super) const PUBLISH: TableKeys = TableKeys {
    table: "[publish.…]",
    known: &[
        "site",
        "kind",
        "host",
        "to",
        "layout",
        "options",
        "encoding",
        "command",
        "redirects",
        "keep",
        "page_cache",
        "after_run",
        "invalidate",
    ],
    later: &[],
    open: false,
};

pub(super) const PREVIEW: TableKeys = TableKeys {
    table: "[preview]",
    known: &[
        "engine",
        "allow_hosts",
        "allow_private",
        "max_bytes",
        "max_chars",
        "ttl",
    ],
    later: &[],
    open: false,
};

pub(super) const WEBHOOKS: TableKeys = TableKeys {
    table: "[webhooks]",
    known: &["allow_private"],
    later: &[],
    open: false,
};

pub(super) const MAIL: TableKeys = TableKeys {
    table: "[mail]",
    known: &[
        "smtp",
        "password_file",
        "from",
        "url",
        "timezone",
        "hour",
        "weekday",
        "confirm",
    ],
    later: &[],
    open: false,
};

pub(super) const ADMIN: TableKeys = TableKeys {
    table: "[admin]",
    known: &["listen", "hosts", "url"],
    later: &[],
    open: false,
};

pub(super) const MODELS: TableKeys = TableKeys {
    table: "[models]",
    known: &["registry", "attachments", "allow_private"],
    later: &[],
    open: false,
};

pub(super) const LOG: TableKeys = TableKeys {
    table: "[log]",
    known: &["format", "level"],
    later: &[],
    open: false,
};

pub(super) const API: TableKeys = TableKeys {
    table: "[api]",
    known: &[
        "listen",
        "hosts",
        "trusted_proxies",
        "access_log",
        "cache_bytes",
        "metrics_listen",
        "jwt",
        "cors_origins",
        "crawl_trigger_enabled",
        "sites_allow_private",
        "hosts_allowed",
        "preview_tokens_file",
        "preview_status_token_file",
        "limits",
        "sites",
    ],
    later: &[],
    open: false,
};

pub(super) const CALLER_SITES: TableKeys = TableKeys {
    table: "[api.sites]",
    known: &["engines", "max_bytes", "max_chars_per_month", "max_run"],
    later: &[],
    open: false,
};

pub(super) const JWT: TableKeys = TableKeys {
    table: "`jwt`",
    known: &[
        "algorithm",
        "secret_file",
        "public_key_file",
        "jwks_file",
        "issuer",
        "audience",
    ],
    later: &[],
    open: false,
};

pub(super) const LIMITS: TableKeys = TableKeys {
    table: "[api.limits]",
    known: &[
        "read",
        "write",
        "crawl_translate",
        "preview",
        "preview_host",
        "preview_mail",
        "preview_mail_all",
        "preview_status",
        "edit",
        "stream",
        "failed_logins",
        "connections",
        "open_streams",
    ],
    later: &[],
    open: false,
};

/// Every closed table, for naming the one to which a misplaced key belongs.
pub(super) const CLOSED: [&TableKeys; 25] = [
    &ROOT,
    &SITE,
    &CRAWL,
    &HTML,
    &SCRIPTS,
    &SEARCH,
    &TEXT,
    &CHECKS,
    &REVIEW,
    &SWITCHER,
    &LOCALE,
    &ENGINE,
    &TOKEN_PRICE,
    &STORE,
    &PUBLISH,
    &PREVIEW,
    &WEBHOOKS,
    &MAIL,
    &ADMIN,
    &LOG,
    &API,
    &CALLER_SITES,
    &JWT,
    &LIMITS,
    &MODELS,
];

impl TableKeys {
    /// Says why `key` is refused, or nothing when it may stand here.
    pub(super) fn refusal(&self, key: &str) -> Option<String> {
        if self.open || self.known.contains(&key) {
            return None;
        }
        if self.later.contains(&key) {
            return Some(not_yet(&format!("`{key}` in {}", self.table)));
        }
        // One letter too many or too few is a slip here, whatever other tables know.
        let is_slip = self
            .known
            .iter()
            .any(|known| strsim::damerau_levenshtein(key, known) == 1);
        let advice = match CLOSED
            .iter()
            .find(|keys| !is_slip && keys.known.contains(&key))
        {
            Some(home) => format!(
                "it belongs in {}; a table ends where the next header begins",
                home.table
            ),
            None => match nearest(key, self.known.iter().copied()) {
                Some(name) => format!("the nearest known key is `{name}`"),
                None => "nothing may stand here".to_owned(),
            },
        };
        Some(format!("unknown key `{key}` in {}; {advice}", self.table))
    }
}

/// The sentence for what is documented but not done.
pub(super) fn not_yet(what: &str) -> String {
    format!("{what} is not in this version yet; remove it")
}

/// The candidate that a mistyped word most probably means.
pub(super) fn nearest<'a>(
    word: &str,
    candidates: impl Iterator<Item = &'a str>,
) -> Option<&'a str> {
    candidates.min_by_key(|candidate| strsim::damerau_levenshtein(word, candidate))
}
