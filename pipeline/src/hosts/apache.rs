//! Apache httpd: one `.htaccess` at the root with all rules, and one in each language's folder that names its page for what
//! is not found.
//!
//! Rules stand in the root's file alone: `RewriteEngine` in a folder's file would switch off those above it.

use std::fmt::Write;

use super::caching::FOR_EVER;
use super::facts::{HostFacts, HostFile, Special};
use super::htaccess::NAME;
use super::languages::LanguageRule;
use super::layout::HostSpot;
use super::place::CANONICAL;
use super::rules::{HostReply, NameStyle};
use super::writing::{HASHED, decoded, pattern, quoted};

/// The files; with the addresses that cannot be written in Apache's language.
pub(super) fn files(facts: &HostFacts<'_>) -> (Vec<HostFile>, Vec<String>) {
    let mut root = HtaccessText {
        text: String::new(),
        unwritable: Vec::new(),
    };
    root.head(facts);
    root.line("RewriteEngine On\nRewriteOptions AllowNoSlash");
    root.line("# What Apache asks itself was decided already.");
    root.line("RewriteCond %{ENV:REDIRECT_STATUS} !^$\nRewriteRule ^ - [L]");
    root.line("RewriteCond %{THE_REQUEST} \"^[A-Z]+ //\"\nRewriteRule ^ - [R=400,L]");
    root.line("RewriteRule \"(?:^|/)\\.(?:ht|latimer-target$)\" - [R=404,L]");
    facts
        .root
        .spots
        .iter()
        .for_each(|spot| root.home(facts, spot));
    for spot in facts
        .root
        .spots
        .iter()
        .filter(|spot| !spot.prefix.is_empty())
    {
        root.exact(
            &spot.prefix,
            &HostReply::Moved(format!("{}/", spot.prefix), CANONICAL),
        );
    }
    facts
        .rules
        .iter()
        .for_each(|rule| root.exact(&rule.from, &rule.reply));
    root.spellings(facts);
    // Rules have led to the file itself, whatever its address was.
    facts
        .special_at_home()
        .for_each(|special| root.special(&special));
    let mut files = Vec::new();
    for spot in facts
        .root
        .spots
        .iter()
        .filter(|spot| !spot.prefix.is_empty())
    {
        let Some(page) = facts
            .error_page(spot)
            .and_then(|page| quoted(&format!("/{page}")))
        else {
            continue;
        };
        let name = facts.root.name(&format!("{}/", spot.prefix), NAME);
        files.push(HostFile {
            name,
            is_beside: false,
            text: format!("ErrorDocument 404 {page}\nErrorDocument 410 {page}\n"),
        });
    }
    files.push(HostFile {
        name: NAME.to_owned(),
        is_beside: false,
        text: root.text,
    });
    (files, root.unwritable)
}

struct HtaccessText {
    text: String,
    unwritable: Vec<String>,
}

impl HtaccessText {
    fn line(&mut self, line: &str) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.text, "{line}");
    }

    fn head(&mut self, facts: &HostFacts<'_>) {
        self.line(
            "# Written by `latimer publish`. It needs `AllowOverride All`, mod_rewrite, mod_headers and mod_mime.",
        );
        self.line("Options -Indexes -MultiViews\nDirectoryIndex index.html\nDirectorySlash Off\nAddDefaultCharset Off");
        for (ending, kind) in facts.types() {
            if let Some(kind) = quoted(kind) {
                self.line(&format!("AddType {kind} .{ending}"));
            }
        }
        let first = facts.root.spots.iter().find(|spot| spot.prefix.is_empty());
        if let Some(page) = first
            .and_then(|spot| facts.error_page(spot))
            .and_then(|page| quoted(&format!("/{page}")))
        {
            self.line(&format!(
                "ErrorDocument 404 {page}\nErrorDocument 410 {page}"
            ));
        }
        self.line("Header set X-Content-Type-Options nosniff");
        if let Some(cache) = quoted(&facts.page_cache) {
            self.line(&format!("Header set Cache-Control {cache}"));
        }
        for spot in &facts.root.spots {
            let prefix = pattern(&decoded(&spot.prefix)).replace('#', "\\x23");
            if let Some(language) = quoted(spot.locale.as_str()) {
                let pages = format!("%{{REQUEST_URI}} =~ m#^{prefix}/(.*/|.*\\.html)?$#")
                    .replace('"', "\\\"");
                self.line(&format!(
                    "Header set Content-Language {language} \"expr={pages}\""
                ));
            }
        }
        self.line(&format!(
            "<FilesMatch \"{HASHED}\">\nHeader set Cache-Control \"{FOR_EVER}\"\n</FilesMatch>"
        ));
    }

    /// Sends readers of the home page to their language, where the site wants that.
    fn home(&mut self, facts: &HostFacts<'_>, spot: &HostSpot<'_>) {
        let Some(rule) = LanguageRule::of(facts, spot) else {
            return;
        };
        let home = pattern(decoded(&format!("{}/", spot.prefix)).trim_start_matches('/'));
        for (pattern, to) in &rule.languages {
            self.line("RewriteCond %{QUERY_STRING} \"!(?:^|&)lang(?:=|&|$)\"");
            self.line(&format!(
                "RewriteCond %{{HTTP_USER_AGENT}} \"!{}\" [NC]",
                rule.crawlers
            ));
            self.line("RewriteCond %{HTTP_HOST}@@%{HTTP_REFERER} \"!^([^@:]+)[^@]*@@https?://\\1(?:[:/]|$)\" [NC]");
            self.line(&format!(
                "RewriteCond %{{HTTP:Accept-Language}} \"{pattern}\" [NC]"
            ));
            if let Some(to) = substitution(to) {
                self.line(&format!("RewriteRule \"^{home}$\" {to} [R=302,L,NE]"));
            }
        }
    }

    fn exact(&mut self, from: &str, reply: &HostReply) {
        let does = match reply {
            HostReply::Moved(to, status) => {
                substitution(to).map(|to| format!("{to} [R={status},L,NE]"))
            }
            HostReply::Gone => Some("- [R=410,L]".to_owned()),
            HostReply::NotFound => Some("- [R=404,L]".to_owned()),
            // Apache takes it for an address, and decodes it once more.
            HostReply::File(name) => substitution(&format!("/{}", name.replace('%', "%25")))
                .map(|name| format!("{name} [END]")),
        };
        let path = decoded(from);
        let pattern = path
            .strip_prefix('/')
            .filter(|path| !path.chars().any(char::is_control))
            .map(rule_pattern);
        match (pattern, does) {
            (Some(pattern), Some(does)) => {
                self.line(&format!("RewriteRule \"^{pattern}$\" {does}"))
            }
            _ => self.unwritable.push(from.to_owned()),
        }
    }

    /// Leads from other spellings of a page to its own, and from a language's folder to files that all share.
    fn spellings(&mut self, facts: &HostFacts<'_>) {
        let page = match facts.style {
            NameStyle::Clean => "",
            NameStyle::Ending => ".html",
        };
        // What was asked for, without the ending, as it was written: so it needs no escaping.
        let asked =
            "RewriteCond %{THE_REQUEST} \"^[A-Z]+ ([^? ]*?)(?:/index\\.html|/|\\.html)?[? ]\"";
        if facts.style == NameStyle::Clean {
            // The file name of `/about/index.html` is `about`, as long as there is no such folder.
            self.line(
                "RewriteCond \"%{DOCUMENT_ROOT}/$1.html\" -f\nRewriteRule \"^(.*[^/])$\" %{REQUEST_URI}.html [END]",
            );
        } else {
            self.line("RewriteCond %{REQUEST_FILENAME} -f\nRewriteRule \"(?<!/)(?<!^index\\.html)(?<!/index\\.html)$\" - [END]");
        }
        if facts.style == NameStyle::Clean {
            self.line(
                "RewriteCond %{REQUEST_FILENAME} -f\nRewriteRule \"(?<!/)(?<!\\.html)$\" - [END]",
            );
        }
        let below = |spot: &HostSpot<'_>| {
            let below = spot
                .prefix
                .strip_prefix(&spot.shared)
                .unwrap_or(&spot.prefix)
                .to_owned();
            pattern(decoded(&below).trim_matches('/'))
        };
        let folders = facts
            .root
            .with_shared()
            .map(|(_, spot)| below(spot))
            .collect::<Vec<_>>()
            .join("|");
        // No page of the source is a file that the languages share.
        let page_ending = match facts.style {
            NameStyle::Clean => "\\.html",
            NameStyle::Ending => "index\\.html",
        };
        for (_, spot) in facts.root.with_shared() {
            let folder = pattern(decoded(&spot.prefix).trim_start_matches('/'));
            let Some(shared) = substitution(&decoded(&spot.shared)) else {
                continue;
            };
            let shared = shared.trim_matches('"');
            self.line(&format!("RewriteCond \"%{{DOCUMENT_ROOT}}{shared}/$1\" -f"));
            self.line(&format!(
                "RewriteRule \"^{folder}/((?!(?:{folders})/).+[^/])(?<!{page_ending})$\" \"{shared}/$1\" [END]"
            ));
        }
        self.line(
            "RewriteCond %{REQUEST_FILENAME}index.html -f\nRewriteRule \"(?:^|/)$\" %{REQUEST_URI}index.html [END]",
        );
        let stem = "RewriteRule \"^(.*?)(?:(?:^|/)index\\.html|/|\\.html)?$\"";
        self.line(&format!(
            "RewriteCond \"%{{DOCUMENT_ROOT}}/$1/index.html\" -f\n{asked}\n{stem} %1/ [R=308,L,NE]"
        ));
        self.line(&format!(
            "RewriteCond \"%{{DOCUMENT_ROOT}}/$1\" -f\n{asked}\n{stem} %1 [R=308,L,NE]"
        ));
        for (_, spot) in facts.root.with_shared() {
            let folder = pattern(decoded(&spot.prefix).trim_start_matches('/'));
            let Some(shared) = substitution(&decoded(&spot.shared)) else {
                continue;
            };
            let shared = shared.trim_matches('"');
            self.line(&format!(
                "RewriteCond \"%{{DOCUMENT_ROOT}}{shared}/$1\" -f\n{asked}"
            ));
            self.line(&format!(
                "RewriteRule \"^{folder}/((?!(?:{folders})/).+?)(?:/index\\.html|/|\\.html)$\" %1 [R=308,L,NE]"
            ));
        }
        self.line(&format!(
            "RewriteCond \"%{{DOCUMENT_ROOT}}/$1.html\" -f\n{asked}\n{stem} %1{page} [R=308,L,NE]"
        ));
        self.line(
            "# A folder without a page is nothing.\nRewriteCond %{REQUEST_FILENAME} -d\nRewriteRule ^ - [R=404,L]",
        );
    }

    fn special(&mut self, special: &Special<'_>) {
        let Special {
            name,
            content_type,
            link,
            robots,
            ..
        } = special;
        // A string in an expression has no way to write what ends it or begins a variable.
        if name
            .chars()
            .any(|c| c.is_control() || matches!(c, '\'' | '"' | '\\' | '%' | '$'))
        {
            return self.unwritable.push(special.address.clone());
        }
        let kind = content_type.and_then(quoted);
        let link = link.and_then(quoted);
        self.line(&format!("<If \"%{{REQUEST_URI}} == '/{name}'\">"));
        kind.iter()
            .for_each(|kind| self.line(&format!("ForceType {kind}")));
        link.iter()
            .for_each(|link| self.line(&format!("Header set Link {}", link.replace('%', "%%"))));
        if let Some(robots) = robots.as_deref().and_then(quoted) {
            self.line(&format!(
                "Header set X-Robots-Tag {}",
                robots.replace('%', "%%")
            ));
        }
        self.line("</If>");
    }
}

/// A path in the regular expression of a rule, which the first quote ends, whatever stands before it.
fn rule_pattern(path: &str) -> String {
    pattern(path).replace("\\\"", "\\x22")
}

/// What a rule puts in the place of a path: a dollar and a percent sign would begin a variable. `None` where the module,
/// which takes the text between the quotes as it is, has no way to write it.
fn substitution(to: &str) -> Option<String> {
    let mut text = String::new();
    for c in to.chars() {
        if matches!(c, '$' | '%' | '\\') {
            text.push('\\');
        }
        text.push(c);
    }
    (!to.chars().any(|c| c.is_control() || c == '"')).then(|| format!("\"{text}\""))
}
