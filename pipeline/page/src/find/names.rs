//! Proper names that a page states outside its sentences (R-N2): in its head, logo, structured data and package
//! commands.
//!
//! This module only collects candidates. The builder decides which are names, for the whole site.

use std::borrow::Cow;

use super::structured;
use crate::Locale;
use crate::html::bytes::as_text;
use crate::html::space::collapse;
use crate::html::tokens::{PageTokens, StartTag, TextKind, TokenKind};

/// The place of a name in a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NameSource {
    /// Site name in the head (`og:site_name`, `application-name`).
    Head,
    /// Words of the logo, or the project name above a manual.
    Logo,
    /// JSON-LD name of an organization, a person, a brand or the site.
    Data,
    /// Author in the head.
    Author,
    /// Package that a command installs.
    Package,
}

/// A name, as a page writes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageName {
    /// The name, with single spaces.
    pub name: String,
    /// Its place.
    pub source: NameSource,
}

/// Limit in characters; longer candidates are sentences.
const LONGEST: usize = 64;
/// Limit for one page; a list of a thousand authors says nothing about the site.
const MOST: usize = 40;
/// Limit for elements that may be a logo, from the top of a page: logos precede the text.
const MOST_TOP: usize = 600;
/// Limit for the tokens of a logo.
const FAR: usize = 64;
/// Limit for code elements that are searched for commands.
const MOST_CODE: usize = 400;
/// Limit for the tokens of a command.
const COMMAND_TOKENS: usize = 48;
/// Limit for the bytes of a command.
const COMMAND_BYTES: usize = 400;

/// Names of the site or its author by the `name` or `property` of `<meta>`.
const META: [(&str, NameSource); 6] = [
    ("og:site_name", NameSource::Head),
    ("application-name", NameSource::Head),
    ("apple-mobile-web-app-title", NameSource::Head),
    ("author", NameSource::Author),
    ("article:author", NameSource::Author),
    ("dc.creator", NameSource::Author),
];

/// Finds the names of a page.
pub(crate) fn find(source: &[u8], tokens: &PageTokens, locale: &Locale) -> Vec<PageName> {
    let mut names = PageNames(Vec::new());
    for tag in tokens.tags("meta") {
        names.of_meta(source, &tag);
    }
    for (index, token) in tokens.numbered_tags(&["script"]) {
        let TokenKind::Start(tag) = &token.kind else {
            continue;
        };
        if !structured::is_json_ld(source, tag) {
            continue;
        }
        if let Some(text) = tokens
            .get(index + 1)
            .filter(|next| next.kind == TokenKind::Text(TextKind::Raw))
        {
            let found = structured::names(source, &text.range, structured::writing(tokens), locale);
            found
                .into_iter()
                .for_each(|name| names.add(&name, NameSource::Data));
        }
    }
    let top = [
        "a", "div", "span", "p", "h1", "h2", "strong", "b", "header", "li", "td",
    ];
    for (index, token) in tokens.numbered_tags(&top).take(MOST_TOP) {
        let TokenKind::Start(tag) = &token.kind else {
            continue;
        };
        if let Some(kind) = logo_kind(source, tag) {
            names.of_logo(source, tokens, (index, tag), kind);
        }
    }
    for (index, token) in tokens.numbered_tags(&["pre", "code"]).take(MOST_CODE) {
        let TokenKind::Start(tag) = &token.kind else {
            continue;
        };
        let end = end_of_code(tokens, index, tag).unwrap_or(source.len());
        let start = token.range.end;
        if !may_install(&source[start..end.clamp(start, source.len().min(start + COMMAND_BYTES))]) {
            continue;
        }
        for package in packages(&code(source, tokens, index, tag)) {
            names.add(&package, NameSource::Package);
        }
    }
    names.0
}

/// Kinds of elements that hold the site's name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LogoKind {
    /// A logo only if the element is a link to the home page or contains one.
    Linked,
    /// The name of a project above its manual (Doxygen, mdBook).
    Project,
}

/// Recognizes a logo by class and id.
fn logo_kind(source: &[u8], tag: &StartTag<'_>) -> Option<LogoKind> {
    let mut linked = None;
    for attribute in tag
        .attributes
        .iter()
        .filter(|attribute| matches!(attribute.name(), "class" | "id" | "rel"))
    {
        if !attribute
            .value
            .clone()
            .is_some_and(|value| may_be_logo(&source[value]))
        {
            continue;
        }
        let value = attribute.value(source);
        for word in value.split_ascii_whitespace().map(str::to_ascii_lowercase) {
            if matches!(word.as_str(), "projectname" | "menu-title") {
                return Some(LogoKind::Project);
            }
            let plain: String = word
                .chars()
                .filter(|sign| !matches!(sign, '-' | '_'))
                .collect();
            let last = word.rsplit(['-', '_']).next().unwrap_or_default();
            let is_named = [
                "sitetitle",
                "sitename",
                "navbarbrand",
                "navbartitle",
                "sidebarbrand",
            ];
            let is_logo = matches!(last, "logo" | "brand" | "branding")
                || is_named.iter().any(|name| plain.contains(name));
            if is_logo || (attribute.name() == "rel" && word == "home") {
                linked = Some(LogoKind::Linked);
            }
        }
    }
    linked
}

/// Cheap pre-check for the classes of a logo: most elements have others.
fn may_be_logo(value: &[u8]) -> bool {
    const PARTS: [&[u8]; 5] = [b"bran", b"home", b"logo", b"name", b"titl"];
    value.windows(4).any(|four| {
        let may_begin = matches!(
            four[0].to_ascii_lowercase(),
            b'b' | b'h' | b'l' | b'n' | b't'
        );
        may_begin && PARTS.iter().any(|part| four.eq_ignore_ascii_case(part))
    })
}

/// Recognizes an address of a home page, as a page writes it.
fn is_home(address: &str) -> bool {
    let address = address.trim().split(['#', '?']).next().unwrap_or_default();
    let path = match address.split_once("://") {
        Some((_, rest)) => rest.split_once('/').map_or("", |(_, path)| path),
        None => address,
    };
    let path = path
        .trim_end_matches("index.html")
        .trim_end_matches("index.htm");
    path.split('/').all(|part| matches!(part, "" | "." | ".."))
}

struct PageNames(Vec<PageName>);

impl PageNames {
    fn add(&mut self, name: &str, source: NameSource) {
        let name = collapse(Cow::Owned(name.replace('\u{a0}', " ")))
            .trim()
            .to_owned();
        let is_name = (2..=LONGEST).contains(&name.len())
            && name.contains(char::is_alphabetic)
            && !name.contains("://");
        let found = PageName { name, source };
        if is_name && self.0.len() < MOST && !self.0.contains(&found) {
            self.0.push(found);
        }
    }

    fn of_meta(&mut self, source: &[u8], tag: &StartTag<'_>) {
        let Some(key) = tag
            .value(source, "property")
            .or_else(|| tag.value(source, "name"))
        else {
            return;
        };
        let known = META
            .iter()
            .find(|(name, _)| key.trim().eq_ignore_ascii_case(name));
        if let (Some(&(_, kind)), Some(name)) = (known, tag.value(source, "content")) {
            self.add(&name, kind);
        }
    }

    /// Takes the words of a logo, or the alternative text of its image if it has no words.
    fn of_logo(
        &mut self,
        source: &[u8],
        tokens: &PageTokens,
        (index, outer): (usize, &StartTag<'_>),
        kind: LogoKind,
    ) {
        let mut words = String::new();
        let mut described: Option<Cow<'_, str>> = None;
        let mut leads_home = kind == LogoKind::Project;
        let mut depth = 0_usize;
        let mut graphics = 0_usize;
        for token in tokens.from(index).take(FAR) {
            match &token.kind {
                TokenKind::Start(tag) => {
                    depth += usize::from(tag.name == outer.name);
                    graphics += usize::from(&*tag.name == "svg" && !tag.self_closing);
                    if &*tag.name == "a" {
                        leads_home |= tag
                            .value(source, "href")
                            .is_some_and(|address| is_home(&address));
                        described = described.or_else(|| {
                            tag.value(source, "aria-label")
                                .or(tag.value(source, "title"))
                        });
                    }
                    if &*tag.name == "img" {
                        described = tag
                            .value(source, "alt")
                            .filter(|alt| !alt.trim().is_empty())
                            .or(described);
                    }
                }
                TokenKind::End(name) => {
                    graphics = graphics.saturating_sub(usize::from(&**name == "svg"));
                    depth = depth.saturating_sub(usize::from(*name == outer.name));
                    if depth == 0 {
                        break;
                    }
                }
                TokenKind::Text(TextKind::Data) if graphics == 0 && words.len() <= LONGEST => {
                    words.push_str(&htmlize::unescape(as_text(&source[token.range.clone()])));
                }
                TokenKind::Text(_) | TokenKind::Comment | TokenKind::Doctype => {}
            }
        }
        if !leads_home {
            return;
        }
        let name = match described {
            Some(described) if words.trim().is_empty() => without_logo(&described).to_owned(),
            Some(_) | None => words,
        };
        self.add(&name, NameSource::Logo);
    }
}

/// Alternative text without the words that describe the image, such as "logo".
fn without_logo(described: &str) -> &str {
    let described = described.trim();
    let cut = described.len().saturating_sub(" logo".len());
    match described.get(cut..) {
        Some(end) if end.eq_ignore_ascii_case(" logo") => described[..cut].trim_end(),
        Some(_) | None => described,
    }
}

/// The byte at which an element with code ends, if that is near.
fn end_of_code(tokens: &PageTokens, index: usize, outer: &StartTag<'_>) -> Option<usize> {
    let mut near = tokens.from(index + 1).take(COMMAND_TOKENS);
    let end =
        near.find(|token| matches!(&token.kind, TokenKind::End(name) if *name == outer.name))?;
    Some(end.range.start)
}

/// Cheap pre-check for an install command: manuals have thousands of code elements.
fn may_install(code: &[u8]) -> bool {
    (0..code.len()).any(|at| {
        let rest = &code[at..];
        match rest[0] {
            b'i' => rest.starts_with(b"inst"),
            b'r' => rest.starts_with(b"requ"),
            b'n' => rest.starts_with(b"npm"),
            b'a' => rest.starts_with(b"add"),
            _ => false,
        }
    })
}

/// The text of an element with code, from its beginning.
fn code(source: &[u8], tokens: &PageTokens, index: usize, outer: &StartTag<'_>) -> String {
    let mut text = String::new();
    for token in tokens.from(index + 1).take(COMMAND_TOKENS) {
        match &token.kind {
            TokenKind::End(name) if *name == outer.name => break,
            // Docusaurus ends each line of code with an element.
            TokenKind::Start(tag) if matches!(&*tag.name, "br" | "div" | "li" | "tr") => {
                text.push('\n')
            }
            TokenKind::Text(TextKind::Data) if text.len() < COMMAND_BYTES => {
                let end = token.range.end.min(token.range.start + COMMAND_BYTES);
                text.push_str(&htmlize::unescape(String::from_utf8_lossy(
                    &source[token.range.start..end],
                )));
            }
            TokenKind::Start(_)
            | TokenKind::End(_)
            | TokenKind::Text(_)
            | TokenKind::Comment
            | TokenKind::Doctype => {}
        }
    }
    text
}

/// Package managers with their install subcommands.
const INSTALLERS: [(&str, &[&str]); 13] = [
    ("pip", &["install"]),
    ("pip3", &["install"]),
    ("pipx", &["install"]),
    ("uv", &["add", "install"]),
    ("poetry", &["add"]),
    ("conda", &["install"]),
    ("npm", &["install", "i", "add"]),
    ("pnpm", &["install", "add"]),
    ("yarn", &["add"]),
    ("gem", &["install"]),
    ("cargo", &["add", "install"]),
    ("brew", &["install"]),
    ("composer", &["require"]),
];

/// Options whose next word is their value.
const WITH_VALUE: [&str; 8] = [
    "-r",
    "-c",
    "-i",
    "-t",
    "-F",
    "--version",
    "--features",
    "--index-url",
];

/// The names of packages that the commands in a text install.
fn packages(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in text.lines().filter(|line| line.contains(' ')) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let starts = words.windows(2).position(|pair| {
            let [program, verb] = pair else { return false };
            INSTALLERS
                .iter()
                .any(|(name, verbs)| name == program && verbs.contains(verb))
        });
        let Some(start) = starts else { continue };
        let mut arguments = words.iter().skip(start + 2);
        while let Some(argument) = arguments.next() {
            match *argument {
                "&&" | "||" | "|" | ";" | "#" | "\\" => break,
                option if WITH_VALUE.contains(&option) => drop(arguments.next()),
                option if option.starts_with('-') => {}
                named => found.extend(package(named)),
            }
        }
    }
    found
}

/// The name in an argument such as `"furo[doc]>=2024"`; `None` for paths and addresses.
fn package(argument: &str) -> Option<String> {
    let plain = argument.trim_matches(['"', '\'', '`', ',', ';']);
    let scope = usize::from(plain.starts_with('@'));
    let end = plain[scope..]
        .find(['[', '=', '<', '>', '~', '!', '^', '@', ':'])
        .map_or(plain.len(), |end| end + scope);
    let name = &plain[..end];
    let mut parts = name[scope..].split('/');
    let is_whole = parts.clone().count() == 1 + scope
        && parts.all(|part| !part.is_empty() && part.chars().all(is_of_package));
    let is_file = name.ends_with(".txt") || name.ends_with(".whl") || name.starts_with('.');
    let is_example = matches!(
        name.to_ascii_lowercase().as_str(),
        "package" | "packages" | "package-name" | "name"
    );
    if is_whole && !is_file && !is_example {
        Some(name.to_owned())
    } else {
        None
    }
}

fn is_of_package(sign: char) -> bool {
    sign.is_ascii_alphanumeric() || matches!(sign, '-' | '_' | '.')
}

#[cfg(test)]
mod tests;
