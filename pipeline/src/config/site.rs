//! `[[site]]` and the tables that belong to it.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use url::Url;

use super::engine::Engines;
use super::error::ConfigError;
use super::keys::{self, LANG};
use super::reader::{Field, Table};
use super::{
    Allowance, CrawlConfig, LocaleFile, Missing, Objects, PathFilter, Placement, SiteConfig, Source, StoreConfig,
    Switcher, SwitcherTemplate, UrlPattern,
};
use crate::model::{Locale, PageParameters, SiteId};
use crate::page;

/// How `missing` is written.
pub(super) const MISSING: [(&str, Missing); 4] = [
    ("source307", Missing::Source307),
    ("notice", Missing::Notice),
    ("not_found", Missing::NotFound),
    ("gone", Missing::Gone),
];

/// How `switcher.placement` is written, where it is not the id of an element.
const PLACEMENTS: [(&str, Placement); 3] =
    [("body-end", Placement::BodyEnd), ("body-start", Placement::BodyStart), ("none", Placement::Nowhere)];

/// Share of a page's words that must be translated where nothing is said.
pub(super) const MIN_TRANSLATED: f64 = 0.5;

pub(super) fn read_all(
    root: &Table<'_>,
    engines: &Engines,
    store: &StoreConfig,
) -> Result<Vec<SiteConfig>, ConfigError> {
    let Some(field) = root.get("site") else {
        return Err(root.error("there is no site; add a [[site]] table, or run `latimer init`".to_owned()));
    };
    let tables = field.list().map_err(|_| field.error("a site is written [[site]], in two brackets".to_owned()))?;
    let mut sites: Vec<SiteConfig> = Vec::new();
    for table in tables {
        let table = table.table(&keys::SITE)?;
        let site = read(&table, engines)?;
        apart(&table, &site.source, store)?;
        let id = table.required("id", "one")?;
        if sites.iter().any(|other| other.id == site.id) {
            return Err(id.error(format!("there are two sites `{}`; give each its own id", site.id)));
        }
        if let (Some(url), Some(field)) = (&site.url, table.get("url"))
            && sites.iter().any(|other| other.url.as_ref().is_some_and(|other| other.is_at(url)))
        {
            return Err(field.error(format!("another site has the same `url`; give `{}` its own", site.id)));
        }
        sites.push(site);
    }
    Ok(sites)
}

fn read(table: &Table<'_>, engines: &Engines) -> Result<SiteConfig, ConfigError> {
    let id = table.required("id", "a short name, such as id = \"shop\"")?;
    let source_locale = table.required("source_locale", "the language of the source, such as \"en\"")?;
    let source_locale = locale(&source_locale)?;
    let locales = locales(table, &source_locale)?;
    let source = source(&table.required("source", "a folder or an address")?)?;
    let url = table.get("url").map(|field| pattern(&field)).transpose()?;
    let html = table.table("html", &keys::HTML)?;
    let mut rules = text_rules(html.as_ref())?;
    let x_default = x_default(table, &source_locale, &locales)?;
    let templates = html.as_ref().and_then(|html| html.get("templates"));
    Ok(SiteConfig {
        id: SiteId::parse(id.text()?).map_err(|error| id.error(error.to_string()))?,
        enabled: table.get("enabled").map(|field| field.flag()).transpose()?.unwrap_or(true),
        source_url: source_url(table, &source, url.as_ref())?,
        aliases: aliases(table, &source_locale, &locales)?,
        source,
        source_locale,
        locales,
        url,
        accept_language: table.get("accept_language").map(|field| field.flag()).transpose()?.unwrap_or(false),
        translations: table.get("translations").map(|field| locale_file(&field)).transpose()?,
        memory: table.get("memory").map(|field| locale_file(&field)).transpose()?,
        slugs: table.get("slugs").map(|field| locale_file(&field)).transpose()?,
        max_chars: characters(table, "max_chars")?,
        max_chars_per_month: characters(table, "max_chars_per_month")?,
        payer: None,
        glossary: table.get("glossary").map(|field| field.path()).transpose()?,
        x_default,
        engines: engines.choose(table.get("engine"))?,
        missing: table.get("missing").map(|field| field.one_of(&MISSING)).transpose()?.unwrap_or(Missing::Source307),
        min_translated: table.get("min_translated").map(|field| field.share()).transpose()?.unwrap_or(MIN_TRANSLATED),
        paths: filter(table)?,
        previews: table.get("previews").map(|field| field.flag()).transpose()?.unwrap_or(false),
        crawl: crawl(table.table("crawl", &keys::CRAWL)?)?,
        switcher: switcher(html.as_ref(), &mut rules)?,
        rules,
        templates: templates.map(|field| field.path()).transpose()?,
    })
}

/// A number of characters that engines may get.
fn characters(table: &Table<'_>, key: &str) -> Result<Option<u64>, ConfigError> {
    let whole = |field: Field<'_>| field.whole(0..=1_000_000_000_000);
    let number = table.get(key).map(whole).transpose()?;
    Ok(number.map(|number| u64::try_from(number).unwrap_or(u64::MAX)))
}

/// A locale as it must be written everywhere, because it becomes part of addresses and file names.
fn locale(field: &Field<'_>) -> Result<Locale, ConfigError> {
    let text = field.text()?;
    let locale = Locale::parse(text).map_err(|error| field.error(error.to_string()))?;
    if locale.as_str() == text { Ok(locale) } else { Err(field.error(format!("{text:?} is written \"{locale}\""))) }
}

fn locales(table: &Table<'_>, source: &Locale) -> Result<Vec<Locale>, ConfigError> {
    let mut locales = Vec::new();
    for field in table.required("locales", "the languages wanted, such as locales = [\"es\", \"fr\"]")?.list()? {
        let locale = locale(&field)?;
        if locale == *source {
            return Err(field.error(format!("{locale} is the source language; remove it from `locales`")));
        }
        if locales.contains(&locale) {
            return Err(field.error(format!("{locale} stands in `locales` twice; remove one")));
        }
        locales.push(locale);
    }
    Ok(locales)
}

/// The language of `x-default`: one that search engines may know.
fn x_default(table: &Table<'_>, source: &Locale, locales: &[Locale]) -> Result<Option<Locale>, ConfigError> {
    let Some(field) = table.get("x_default") else { return Ok(None) };
    let wanted = locale(&field)?;
    let known = wanted == *source || locales.contains(&wanted);
    if !known || wanted.is_pseudo() {
        return Err(field.must_be("the source language or one of `locales`, and no pseudo-locale"));
    }
    Ok(Some(wanted))
}

fn source(field: &Field<'_>) -> Result<Source, ConfigError> {
    if field.text()?.contains("://") { address(field).map(Source::Web) } else { field.path().map(Source::Folder) }
}

/// Refuses a store inside a source folder or around it: a build would take its own output for pages.
fn apart(table: &Table<'_>, source: &Source, store: &StoreConfig) -> Result<(), ConfigError> {
    let Source::Folder(folder) = source else { return Ok(()) };
    let inside = match &store.objects {
        Objects::Folder(objects) => objects.starts_with(folder) || folder.starts_with(objects),
        Objects::Url(_) => false,
    };
    if inside || store.state.starts_with(folder) {
        let source = table.required("source", "a folder or an address")?;
        return Err(source.error("the store and this source folder lie in one another; move one of them".to_owned()));
    }
    Ok(())
}

fn address(field: &Field<'_>) -> Result<Url, ConfigError> {
    let url = field.text().ok().and_then(web_address);
    url.ok_or_else(|| field.must_be("an http:// or https:// address without query or fragment"))
}

/// An address on the web without query or fragment.
pub(super) fn web_address(text: &str) -> Option<Url> {
    let url = Url::parse(text).ok()?;
    let is_plain = matches!(url.scheme(), "http" | "https") && url.query().is_none() && url.fragment().is_none();
    is_plain.then_some(url)
}

/// What is written, else the crawled host, else the pattern without its language. Page paths count from the host.
fn source_url(table: &Table<'_>, source: &Source, url: Option<&UrlPattern>) -> Result<Option<String>, ConfigError> {
    Ok(match (table.get("source_url"), source) {
        (Some(field), _) => Some(address(&field)?.as_str().trim_end_matches('/').to_owned()),
        (None, Source::Web(url)) => Some(url.origin().ascii_serialization()),
        (None, Source::Folder(_)) => url.map(UrlPattern::source),
    })
}

fn pattern(field: &Field<'_>) -> Result<UrlPattern, ConfigError> {
    UrlPattern::parse(field.text()?).map_err(|error| field.error(error.to_string()))
}

fn locale_file(field: &Field<'_>) -> Result<LocaleFile, ConfigError> {
    let pattern = field.text()?;
    if !pattern.contains(LANG) {
        return Err(field.must_be(&format!("a path with {LANG} in it, one file per locale")));
    }
    Ok(LocaleFile { pattern: pattern.to_owned(), folder: field.folder().to_path_buf() })
}

fn filter(table: &Table<'_>) -> Result<PathFilter, ConfigError> {
    let include = rules(table, "include")?;
    let exclude = rules(table, "exclude")?;
    PathFilter::new(&include, &exclude).map_err(|error| table.error(error.to_string()))
}

/// The rules under a key; each is compiled here once so that a wrong one is blamed where it stands.
fn rules(table: &Table<'_>, key: &str) -> Result<Vec<String>, ConfigError> {
    let Some(field) = table.get(key) else { return Ok(Vec::new()) };
    let read = |rule: Field<'_>| {
        let text = rule.text()?.trim().to_owned();
        PathFilter::new(&[], std::slice::from_ref(&text)).map_err(|error| rule.error(error.to_string()))?;
        Ok(text)
    };
    field.list()?.into_iter().map(read).collect()
}

/// The longest that a site can be given for `Retry-After`.
const LONGEST_WAIT: Duration = Duration::from_secs(24 * 60 * 60);
const WAIT: &str = "a time such as \"30s\", \"5min\" or \"2h\", at most 24 hours";

fn crawl(table: Option<Table<'_>>) -> Result<CrawlConfig, ConfigError> {
    let get = |key| table.as_ref().and_then(|table| table.get(key));
    let whole = |key, range, default| get(key).map_or(Ok(default), |field: Field<'_>| field.whole(range));
    let usual = CrawlConfig::default();
    let delay = whole("delay_ms", 0..=600_000, 0)?;
    Ok(CrawlConfig {
        max_pages: whole("max_pages", 1..=10_000_000, usual.max_pages)?,
        concurrency: whole("concurrency", 1..=256, usual.concurrency)?,
        delay: Duration::from_millis(u64::try_from(delay).unwrap_or(u64::MAX)),
        max_retry_after: get("max_retry_after")
            .map_or(Ok(usual.max_retry_after), |field| field.time(LONGEST_WAIT, WAIT))?,
        max_page_bytes: whole("max_page_bytes", 1..=page::LARGEST, usual.max_page_bytes)?,
        user_agent: match get("user_agent") {
            Some(field) => header_value(&field)?.to_owned(),
            None => usual.user_agent,
        },
        allow_private: get("allow_private").map(|field| field.flag()).transpose()?.unwrap_or(usual.allow_private),
        headers_file: get("headers_file").map(|field| field.path()).transpose()?,
        query: get("query").map_or_else(|| Ok(PageParameters::default()), |field| parameters(&field))?,
        max_lost: get("max_lost").map_or(Ok(usual.max_lost), |field| Allowance::read(&field))?,
        max_new: get("max_new").map_or(Ok(usual.max_new), |field| Allowance::read(&field))?,
    })
}

fn parameters(field: &Field<'_>) -> Result<PageParameters, ConfigError> {
    let name = |field: &Field<'_>| {
        let name = field.text()?.trim();
        let is_name = !name.is_empty() && !name.contains(['&', '=', '?', '#', '*']);
        is_name.then(|| name.to_owned()).ok_or_else(|| field.must_be("names of parameters such as \"page\""))
    };
    Ok(PageParameters::new(field.list()?.iter().map(name).collect::<Result<Vec<_>, _>>()?))
}

fn header_value<'a>(field: &Field<'a>) -> Result<&'a str, ConfigError> {
    let text = field.text()?;
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) { Ok(text) } else { Err(field.must_be("plain ASCII text")) }
}

/// The site's own rules for what is text; each is tried here, so that a wrong one is blamed where it stands.
fn text_rules(html: Option<&Table<'_>>) -> Result<page::Rules, ConfigError> {
    let mut rules = page::Rules::default();
    let get = |key| html.and_then(|table| table.get(key));
    let list = |key| get(key).map_or(Ok(Vec::new()), |field: Field<'_>| field.list());
    for field in list("skip")? {
        rules.skip(field.text()?).map_err(|error| field.error(error.to_string()))?;
    }
    for field in list("also_translate")? {
        rules.also_translate(field.text()?).map_err(|error| field.error(error.to_string()))?;
    }
    if get("translate_state").map(|field| field.flag()).transpose()?.unwrap_or(false) {
        rules.translate_state();
    }
    Ok(rules)
}

/// The switcher; an element that waits for it becomes one of the page's rules.
fn switcher(html: Option<&Table<'_>>, rules: &mut page::Rules) -> Result<Switcher, ConfigError> {
    let table = html.map(|table| table.table("switcher", &keys::SWITCHER)).transpose()?.flatten();
    let get = |key| table.as_ref().and_then(|table| table.get(key));
    let usual = Switcher::default();
    let templates = SwitcherTemplate::ALL.map(|template| (template.name(), template));
    let template = get("template").map(|field| field.one_of(&templates)).transpose()?.unwrap_or(usual.template);
    let placement = match get("placement") {
        Some(field) => placement(&field, rules)?,
        None => usual.placement,
    };
    Ok(Switcher { template, placement })
}

fn placement(field: &Field<'_>, rules: &mut page::Rules) -> Result<Placement, ConfigError> {
    let text = field.text()?;
    if let Some((_, placement)) = PLACEMENTS.iter().find(|(word, _)| *word == text) {
        return Ok(*placement);
    }
    let id = text.strip_prefix('#').filter(|id| !id.is_empty() && !id.contains(char::is_whitespace));
    let wanted = || field.must_be("\"body-end\", \"body-start\", \"none\" or the id of an element, \"#languages\"");
    rules.put_switcher_into(id.ok_or_else(wanted)?);
    Ok(Placement::Waiting)
}

/// Reads `[site.locale.X]` and makes sure that no two languages share a place.
fn aliases(table: &Table<'_>, source: &Locale, locales: &[Locale]) -> Result<BTreeMap<Locale, String>, ConfigError> {
    let mut aliases = BTreeMap::new();
    let Some(tables) = table.table("locale", &keys::LOCALES)? else { return Ok(aliases) };
    let mut taken: BTreeSet<_> = [source].into_iter().chain(locales).map(|tag| tag.as_str().to_lowercase()).collect();
    for field in tables.fields() {
        let Some(locale) = locales.iter().find(|locale| locale.as_str() == field.key()) else {
            return Err(field.error(format!("[site.locale.{0}] speaks of {0}, which is not in `locales`", field.key())));
        };
        let Some(alias) = field.table(&keys::LOCALE)?.get("alias") else { continue };
        let label = alias.text()?;
        let edge = label.starts_with('-') || label.ends_with('-');
        if edge || label.len() > 63 || !label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') {
            return Err(alias.must_be("1 to 63 letters, digits and hyphens"));
        }
        let own = label.eq_ignore_ascii_case(locale.as_str());
        if !own && !taken.insert(label.to_ascii_lowercase()) {
            return Err(alias.error(format!("`{label}` stands for another language already; choose another alias")));
        }
        aliases.insert(locale.clone(), label.to_owned());
    }
    Ok(aliases)
}
