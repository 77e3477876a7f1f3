//! Caddy 2: a snippet that a site block imports.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::caching::FOR_EVER;
use super::facts::{HostFacts, HostFile, Special};
use super::languages::LanguageRule;
use super::layout::HostSpot;
use super::place::CANONICAL;
use super::rules::{HostReply, NameStyle};
use super::writing::{self, decoded, pattern};

/// The snippet; with the addresses that cannot be written in Caddy's language.
pub(super) fn files(facts: &HostFacts<'_>) -> (Vec<HostFile>, Vec<String>) {
    let mut snippet = CaddySnippet {
        text: String::new(),
        unwritable: Vec::new(),
        told: BTreeSet::new(),
    };
    snippet.line("# Written by `latimer publish`. Import it in a site block that has a root.");
    snippet.line("handle_errors {");
    for (at, spot) in facts.root.spots.iter().enumerate().rev() {
        snippet.error_page(facts, at, spot);
    }
    snippet.line("}\nroute {");
    snippet.line("    @latimer_slashes expression `{http.request.orig_uri}.startsWith(\"//\")`\n    respond @latimer_slashes 400");
    snippet.line("    map {uri} {latimer_asked} {latimer_query} {");
    snippet.line(r#"        "~^([^?]*?)(?:/index\.html|/|\.html)?(\?.*)?$" "${1}" "${2}""#);
    snippet.line("    }\n    map {path} {latimer_name} {");
    snippet.line(r#"        "~^(.*?)(?:/index\.html|/|\.html)?$" "${1}""#);
    snippet.line("    }");
    snippet.home(facts);
    snippet.rules(facts);
    snippet.headers(facts);
    snippet.lookup(facts);
    snippet.line("}");
    let file = HostFile {
        name: "latimer.caddy".to_owned(),
        is_beside: true,
        text: snippet.text,
    };
    (vec![file], snippet.unwritable)
}

struct CaddySnippet {
    text: String,
    unwritable: Vec<String>,
    /// Paths that are told one by one, as Caddy compares them.
    told: BTreeSet<String>,
}

impl CaddySnippet {
    fn line(&mut self, line: &str) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.text, "{line}");
    }

    fn error_page(&mut self, facts: &HostFacts<'_>, at: usize, spot: &HostSpot<'_>) {
        let Some(page) = facts
            .error_page(spot)
            .and_then(|page| quoted(&format!("/{page}")))
        else {
            return;
        };
        let Some(below) = quoted(&format!("{}/*", decoded(&spot.prefix))) else {
            return;
        };
        self.line(&format!(
            "    @latimer_error_{at} path {below}\n    handle @latimer_error_{at} {{\n        rewrite * {page}"
        ));
        if let Some(kind) = facts.types().get("html").and_then(|kind| quoted(kind)) {
            self.line(&format!("        header Content-Type {kind}"));
        }
        self.line("        file_server\n    }");
    }

    /// Sends readers of the home page to their language, where the site wants that.
    fn home(&mut self, facts: &HostFacts<'_>) {
        for spot in &facts.root.spots {
            let rule = LanguageRule::of(facts, spot);
            let (Some(rule), Some(home)) = (rule, quoted(&format!("{}/", decoded(&spot.prefix))))
            else {
                continue;
            };
            for (number, (pattern, to)) in rule.languages.iter().enumerate() {
                let Some(to) = location(to) else { continue };
                self.line(&format!(
                    "    @latimer_language_{number} {{\n        path {home}\n        header_regexp Accept-Language \
                     \"(?i){pattern}\"\n        not header_regexp User-Agent \"(?i)(?:{})\"\n        not query lang=*\n        \
                     not expression `{{http.request.header.Referer}}.contains(\"://\" + {{http.request.host}})`\n    }}\n    \
                     redir @latimer_language_{number} {to} 302",
                    rule.crawlers
                ));
            }
        }
    }

    /// Addresses that are told one by one.
    fn rules(&mut self, facts: &HostFacts<'_>) {
        let mut statuses = BTreeSet::new();
        self.line("    map {path} {latimer_status} {latimer_to} {");
        for spot in facts
            .root
            .spots
            .iter()
            .filter(|spot| !spot.prefix.is_empty())
        {
            self.exact(
                &spot.prefix,
                &HostReply::Moved(format!("{}/", spot.prefix), CANONICAL),
                &mut statuses,
            );
        }
        facts
            .rules
            .iter()
            .for_each(|rule| self.exact(&rule.from, &rule.reply, &mut statuses));
        self.line("        default \"\" \"\"\n    }");
        for status in statuses {
            let does = match status {
                404 | 410 => format!("error @latimer_{status} {status}"),
                // Headers come before.
                200 => continue,
                _ => format!("redir @latimer_{status} {{latimer_to}}{{latimer_query}} {status}"),
            };
            self.line(&format!(
                "    @latimer_{status} vars {{latimer_status}} {status}\n    {does}"
            ));
        }
    }

    fn exact(&mut self, from: &str, reply: &HostReply, statuses: &mut BTreeSet<u16>) {
        let (status, to) = match reply {
            HostReply::Moved(to, status) => (*status, quoted(to)),
            HostReply::Gone => (410, quoted("")),
            HostReply::NotFound => (404, quoted("")),
            HostReply::File(name) => (200, quoted(&format!("/{name}"))),
        };
        let is_new = self.told.insert(decoded(from));
        // A tilde would begin a pattern; a path begins with a slash.
        match (quoted(&decoded(from)), to) {
            (Some(from), Some(to)) if is_new => {
                statuses.insert(status);
                self.line(&format!("        {from} \"{status}\" {to}"));
            }
            _ => self.unwritable.push(from.to_owned()),
        }
    }

    fn headers(&mut self, facts: &HostFacts<'_>) {
        self.line("    header X-Content-Type-Options nosniff");
        if let Some(cache) = quoted(&facts.page_cache) {
            self.line(&format!("    header Cache-Control {cache}"));
        }
        let hashed = facts
            .immutable()
            .filter_map(|name| quoted(&format!("/{name}")))
            .collect::<Vec<_>>();
        if !hashed.is_empty() {
            self.line(&format!(
                "    @latimer_hashed path {}",
                hashed.join(" \\\n        ")
            ));
            self.line(&format!(
                "    header @latimer_hashed Cache-Control \"{FOR_EVER}\""
            ));
        }
        for (number, (ending, kind)) in facts.types().into_iter().enumerate() {
            let Some(kind) = quoted(kind) else { continue };
            let also = if ending == "html" { " */" } else { "" };
            self.line(&format!(
                "    @latimer_type_{number} path *.{ending}{also}\n    header @latimer_type_{number} Content-Type {kind}"
            ));
        }
        for (number, spot) in facts.root.spots.iter().enumerate() {
            let prefix = pattern(&decoded(&spot.prefix));
            let Some(language) = quoted(spot.locale.as_str()) else {
                continue;
            };
            self.line(&format!(
                "    @latimer_pages_{number} path_regexp \"^{prefix}/(?:.*/|.*\\.html)?$\"\n    header @latimer_pages_{number} \
                 Content-Language {language}"
            ));
        }
        for (number, special) in facts.special_files().iter().enumerate() {
            self.special(number, special);
        }
    }

    fn special(&mut self, number: usize, special: &Special<'_>) {
        let Special {
            address,
            content_type,
            link,
            robots,
            ..
        } = special;
        let Some(path) = quoted(&decoded(address)) else {
            return self.unwritable.push(address.clone());
        };
        self.line(&format!("    @latimer_file_{number} path {path}"));
        let mut header = |name: &str, value: Option<&str>| {
            if let Some(value) = value.and_then(quoted) {
                self.line(&format!("    header @latimer_file_{number} {name} {value}"));
            }
        };
        header("Content-Type", *content_type);
        header("Link", *link);
        header("X-Robots-Tag", robots.as_deref());
    }

    /// Looks names up, and leads from other spellings of a page to its own.
    fn lookup(&mut self, facts: &HostFacts<'_>) {
        let is_clean = facts.style == NameStyle::Clean;
        let (names, page) = if is_clean {
            (" {path}.html", "")
        } else {
            ("", ".html")
        };
        let other = if is_clean { "*.html" } else { "*/index.html" };
        self.line(&format!(
            "    @latimer_found {{\n        not path */ {other} */index.html\n        file {{\n            try_files {{path}}{names}\n        \
             }}\n    }}"
        ));
        self.line("    @latimer_index {\n        path */\n        file {path}index.html\n    }");
        for (name, of) in [
            ("{latimer_common}", "{path}"),
            ("{latimer_common_name}", "{latimer_name}"),
        ] {
            self.line(&format!("    map {of} {name} {{"));
            let prefixes: Vec<&HostSpot<'_>> =
                facts.root.with_shared().map(|(_, spot)| spot).collect();
            for (spot, other) in prefixes
                .iter()
                .flat_map(|spot| prefixes.iter().map(move |other| (spot, other)))
            {
                let below = other
                    .prefix
                    .strip_prefix(&other.shared)
                    .unwrap_or(&other.prefix);
                let both = pattern(&decoded(&format!("{}{below}", spot.prefix)));
                self.line(&format!("        \"~^{both}/\" /_latimer/none"));
            }
            for spot in prefixes {
                let prefix = pattern(&decoded(&spot.prefix));
                let shared = decoded(&spot.shared);
                if let Some(shared) = quoted(&shared) {
                    let shared = shared.trim_matches('"');
                    self.line(&format!("        \"~^{prefix}(/.*)$\" \"{shared}${{1}}\""));
                }
            }
            self.line("        default /_latimer/none\n    }");
        }
        self.line(&format!(
            "    @latimer_common {{\n        not path */ {other} */index.html\n        file {{latimer_common}}\n    }}"
        ));
        self.line("    @latimer_200 vars {latimer_status} 200");
        for (matcher, file) in [
            ("200", "{latimer_to}"),
            ("found", "{http.matchers.file.relative}"),
            ("index", "{path}index.html"),
            ("common", "{latimer_common}"),
        ] {
            self.line(&format!(
                "    route @latimer_{matcher} {{\n        rewrite {file}\n        file_server {{\n            \
                 disable_canonical_uris\n        }}\n    }}"
            ));
        }
        for (number, (file, to)) in [
            ("{latimer_name}/index.html", "{latimer_asked}/".to_owned()),
            ("{latimer_name}", "{latimer_asked}".to_owned()),
            ("{latimer_common_name}", "{latimer_asked}".to_owned()),
            ("{latimer_name}.html", format!("{{latimer_asked}}{page}")),
        ]
        .into_iter()
        .enumerate()
        {
            self.line(&format!(
                "    @latimer_other_{number} file {file}\n    redir @latimer_other_{number} {to}{{latimer_query}} 308"
            ));
        }
        self.line("    error 404");
    }
}

/// A text in quotes; `None` where Caddy has no way to write it: braces would begin a placeholder.
fn quoted(text: &str) -> Option<String> {
    writing::quoted(text).filter(|_| !text.contains(['{', '}']))
}

/// Where a redirect leads, with the query.
fn location(to: &str) -> Option<String> {
    quoted(to).map(|text| format!("{}{{latimer_query}}\"", text.trim_end_matches('"')))
}
