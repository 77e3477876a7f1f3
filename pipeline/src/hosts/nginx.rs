//! nginx: a snippet that a `server` block includes. It looks names up in the tree as `PathLookup` does.
//!
//! Everything in it that comes from a site is quoted: names of pages are strangers' words.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::facts::{HostFacts, HostFile, Special};
use super::languages::LanguageRule;
use super::layout::HostSpot;
use super::place::CANONICAL;
use super::rules::{HostReply, NameStyle};
use super::writing::{HASHED, decoded, pattern, quoted};

/// The snippet; with the addresses that cannot be written in nginx's language.
pub(super) fn files(facts: &HostFacts<'_>) -> (Vec<HostFile>, Vec<String>) {
    let mut snippet = NginxSnippet {
        text: String::new(),
        unwritable: Vec::new(),
        told: BTreeSet::new(),
    };
    snippet.head(facts);
    for (at, spot) in facts.root.spots.iter().enumerate() {
        snippet.spot(facts, at, spot);
    }
    let file = HostFile {
        name: "latimer.nginx.conf".to_owned(),
        is_beside: true,
        text: snippet.text,
    };
    (vec![file], snippet.unwritable)
}

struct NginxSnippet {
    text: String,
    unwritable: Vec<String>,
    /// Paths that have a location, as nginx compares them.
    told: BTreeSet<String>,
}

impl NginxSnippet {
    fn line(&mut self, line: &str) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.text, "{line}");
    }

    fn head(&mut self, facts: &HostFacts<'_>) {
        self.line("# Written by `latimer publish`. Include it in a server block whose root is the published folder.");
        self.line("merge_slashes off;\nabsolute_redirect off;\ncharset off;\ndefault_type application/octet-stream;");
        self.line("types {");
        for (ending, kind) in facts.types() {
            if let Some(kind) = quoted(kind) {
                self.line(&format!("    {kind} {ending};"));
            }
        }
        self.line("}\nif ($request_uri ~ \"^//\") { return 400; }");
        self.line("set $latimer_language \"\";");
        if let Some(cache) = value(&facts.page_cache) {
            self.line(&format!("set $latimer_cache {cache};"));
        }
        let hashed = HASHED.replace('\\', "\\\\");
        self.line(&format!(
            "if ($uri ~ \"{hashed}\") {{ set $latimer_cache \"{}\"; }}",
            super::FOR_EVER
        ));
        self.line(
            "# What a page is called without its ending: as it was asked for, and on the disk.",
        );
        self.line(r#"if ($request_uri ~ "^(?<latimer_raw>[^?]*?)(?:/index\\.html|/|\\.html)?(?:\\?|$)") { set $latimer_asked $latimer_raw; }"#);
        self.line(
            r#"if ($uri ~ "^(?<latimer_stem>.*?)(?:/index\\.html|/|\\.html)?$") { set $latimer_name $latimer_stem; }"#,
        );
        for spot in &facts.root.spots {
            let prefix = escaped_pattern(&decoded(&spot.prefix));
            if let Some(language) = quoted(spot.locale.as_str()) {
                self.line(&format!(
                    "if ($uri ~ \"^{prefix}/(?:.*/|.*\\\\.html)?$\") {{ set $latimer_language {language}; }}"
                ));
            }
            self.wanted_language(facts, spot);
        }
        self.line("# Files that all languages share are found below the folder of each, too.");
        let folders: Vec<String> = facts
            .root
            .with_shared()
            .map(|(_, spot)| folder_pattern(spot))
            .collect();
        let folders = folders.join("|");
        for (name, of) in [
            ("latimer_shared", "$uri"),
            ("latimer_shared_name", "$latimer_name"),
        ] {
            self.line(&format!("set ${name} /_latimer/none;"));
            for (at, spot) in facts.root.with_shared() {
                let prefix = escaped_pattern(&decoded(&spot.prefix));
                let shared = decoded(&spot.shared);
                let Some(to) = value(&shared) else { continue };
                let to = to.trim_matches('"');
                self.line(&format!(
                    "if ({of} ~ \"^{prefix}(?<{name}_{at}>/(?!(?:{folders})/).+)$\") {{ set ${name} \"{to}${name}_{at}\"; }}"
                ));
            }
        }
        self.line(HEADERS);
    }

    fn spot(&mut self, facts: &HostFacts<'_>, at: usize, spot: &HostSpot<'_>) {
        let Some(folder) = quoted(&decoded(&format!("{}/", spot.prefix))) else {
            return;
        };
        if !spot.prefix.is_empty() {
            self.exact(
                &spot.prefix,
                &HostReply::Moved(format!("{}/", spot.prefix), CANONICAL),
            );
        }
        let error_page = facts.error_page(spot).and_then(|name| quoted_name(&name));
        if let Some(page) = &error_page {
            self.line(&format!(
                "location @latimer_error_{at} {{ try_files {page} =404; }}"
            ));
        }
        let told = error_page
            .map(|_| format!(" error_page 404 410 @latimer_error_{at};"))
            .unwrap_or_default();
        self.line(&format!("location @latimer_other_{at} {{{told}"));
        self.line(
            "    if (-f \"$document_root$latimer_name/index.html\") { return 308 \"$latimer_asked/$is_args$args\"; }",
        );
        self.line("    if (-f \"$document_root$latimer_name\") { return 308 \"$latimer_asked$is_args$args\"; }");
        self.line("    if (-f \"$document_root$latimer_shared_name\") { return 308 \"$latimer_asked$is_args$args\"; }");
        let page = match facts.style {
            NameStyle::Clean => "$latimer_asked",
            NameStyle::Ending => "$latimer_asked.html",
        };
        self.line(&format!(
            "    if (-f \"$document_root$latimer_name.html\") {{ return 308 \"{page}$is_args$args\"; }}\n    return 404;\n}}"
        ));
        self.line(&format!("location {folder} {{{told}"));
        let home = self.home(facts, spot, at);
        let is_home = |from: &str| home.as_deref() == Some(from);
        let own_rules = facts
            .rules
            .iter()
            .filter(|rule| rule.spot == at && !is_home(&rule.from));
        own_rules.for_each(|rule| self.exact(&rule.from, &rule.reply));
        let is_told = |special: &Special<'_>| {
            facts
                .rules
                .binary_search_by(|rule| rule.from.cmp(&special.address))
                .is_ok()
        };
        let special = facts.special_files();
        let own = special
            .iter()
            .filter(|special| special.spot == at && !is_home(&special.address));
        own.filter(|special| !is_told(special))
            .for_each(|special| self.special(special));
        let other = format!("@latimer_other_{at}");
        self.line(&format!(
            "    location ~ \"/index\\\\.html$\" {{ try_files /_latimer/none {other}; }}"
        ));
        let (clean, page) = match facts.style {
            NameStyle::Clean => (true, " $uri.html"),
            NameStyle::Ending => (false, ""),
        };
        if clean {
            self.line(&format!(
                "    location ~ \"\\\\.html$\" {{ try_files /_latimer/none {other}; }}"
            ));
        }
        self.line(&format!(
            "    location ~ \"/$\" {{ try_files \"${{uri}}index.html\" {other}; }}"
        ));
        self.line(&format!(
            "    location ~ \"[^/]$\" {{ try_files $uri{page} $latimer_shared {other}; }}\n}}"
        ));
    }

    /// What a reader of the home page wants, where the site asks: nothing for crawlers and for those who chose already.
    fn wanted_language(&mut self, facts: &HostFacts<'_>, spot: &HostSpot<'_>) {
        let Some(rule) = LanguageRule::of(facts, spot) else {
            return;
        };
        self.line("set $latimer_wanted $http_accept_language;");
        self.line("if ($args ~ \"(?:^|&)lang(?:=|&|$)\") { set $latimer_wanted \"\"; }");
        self.line(&format!(
            "if ($http_user_agent ~* \"{}\") {{ set $latimer_wanted \"\"; }}",
            rule.crawlers
        ));
        self.line("set $latimer_from \"\";");
        self.line("if ($http_referer ~* \"^https?://(?<latimer_host>[^/:]+)\") { set $latimer_from $latimer_host; }");
        self.line("if ($latimer_from = $host) { set $latimer_wanted \"\"; }");
    }

    /// Sends readers of the home page to their language, where the site wants that; gives the address whose one location
    /// this is, with all that is said about the page.
    fn home(&mut self, facts: &HostFacts<'_>, spot: &HostSpot<'_>, at: usize) -> Option<String> {
        let rule = LanguageRule::of(facts, spot)?;
        let address = format!("{}/", spot.prefix);
        let home = quoted(&decoded(&address))?;
        self.told.insert(decoded(&address));
        self.line(&format!("    location = {home} {{"));
        let special = facts.special_files();
        if let Some(said) = special
            .iter()
            .find(|special| special.address == address)
            .map(headers)
        {
            self.line(&format!("       {said}"));
        }
        for (pattern, to) in &rule.languages {
            if let Some(to) = location(to) {
                self.line(&format!(
                    "        if ($latimer_wanted ~* \"{pattern}\") {{ return 302 {to}; }}"
                ));
            }
        }
        let own = facts.rules.iter().find(|rule| rule.from == address);
        let does = own.map_or_else(
            || {
                Some(format!(
                    "try_files \"${{uri}}index.html\" @latimer_other_{at};"
                ))
            },
            |rule| does(&rule.reply),
        );
        match does {
            Some(does) => self.line(&format!("        {does}\n    }}")),
            None => self.unwritable.push(address.clone()),
        }
        Some(address)
    }

    fn exact(&mut self, from: &str, reply: &HostReply) {
        let is_new = self.told.insert(decoded(from));
        match (quoted(&decoded(from)), does(reply)) {
            (Some(from), Some(does)) if is_new => {
                self.line(&format!("    location = {from} {{ {does} }}"))
            }
            _ => self.unwritable.push(from.to_owned()),
        }
    }

    fn special(&mut self, special: &Special<'_>) {
        let address = &special.address;
        let said = headers(special);
        let is_new = self.told.insert(decoded(address));
        match (quoted(&decoded(address)), quoted_name(special.name)) {
            (Some(from), Some(name)) if is_new => {
                self.line(&format!(
                    "    location = {from} {{{said} try_files {name} =404; }}"
                ));
            }
            _ => self.unwritable.push(address.clone()),
        }
    }
}

/// What a location does; `None` where nginx has no way to write it.
fn does(reply: &HostReply) -> Option<String> {
    match reply {
        HostReply::Moved(to, status) => location(to).map(|to| format!("return {status} {to};")),
        HostReply::Gone => Some("return 410;".to_owned()),
        HostReply::NotFound => Some("return 404;".to_owned()),
        HostReply::File(name) => quoted_name(name).map(|name| format!("try_files {name} =404;")),
    }
}

/// What a location says about a file of its own; a header in it switches off those above.
fn headers(special: &Special<'_>) -> String {
    let Special {
        content_type,
        link,
        robots,
        ..
    } = special;
    let kind = content_type
        .and_then(quoted)
        .map(|kind| format!(" types {{ }} default_type {kind};"));
    let link = link
        .and_then(value)
        .map(|link| format!(" add_header Link {link};"));
    let robots = robots
        .as_deref()
        .and_then(value)
        .map(|robots| format!(" add_header X-Robots-Tag {robots};"));
    let general = if link.is_some() || robots.is_some() {
        format!(" {}", HEADERS.replace('\n', " "))
    } else {
        String::new()
    };
    format!(
        "{}{general}{}{}",
        kind.unwrap_or_default(),
        link.unwrap_or_default(),
        robots.unwrap_or_default()
    )
}

const HEADERS: &str = "add_header Cache-Control $latimer_cache;\nadd_header Content-Language $latimer_language;\n\
                       add_header X-Content-Type-Options nosniff;";

/// The folder of a language below the shared files, in a regular expression.
fn folder_pattern(spot: &HostSpot<'_>) -> String {
    let below = spot
        .prefix
        .strip_prefix(&spot.shared)
        .unwrap_or(&spot.prefix);
    escaped_pattern(decoded(below).trim_matches('/'))
}

/// A value in quotes: a dollar would begin a variable, and nothing can be put before it.
fn value(text: &str) -> Option<String> {
    quoted(text).filter(|_| !text.contains('$'))
}

/// The name of a file, from the root.
fn quoted_name(name: &str) -> Option<String> {
    value(&format!("/{name}"))
}

/// Where a redirect leads, with the query.
fn location(to: &str) -> Option<String> {
    let text = value(&to.replace('$', "%24"))?;
    Some(format!("{}$is_args$args\"", text.trim_end_matches('"')))
}

/// A path in a regular expression between quotes, where a backslash is written as two.
fn escaped_pattern(text: &str) -> String {
    pattern(text).replace('\\', "\\\\")
}
