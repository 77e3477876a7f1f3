//! `[[site]]`, and the tables that belong to it and have no file of their own.

mod locale_tables;
mod source;

use std::collections::BTreeMap;
use std::path::PathBuf;

use self::locale_tables::{LocaleTables, instructions, rules};
pub use self::source::SourceLocation;
use self::source::{apart, source, source_url};
use super::engine::ConfiguredEngines;
use super::manner::manner;
use super::reader::{ConfigField, ConfigTable};
use super::routes::routes;
use super::{
    ConfigError, CrawlConfig, LocaleFile, LocaleFolder, Missing, NamedEngine, OwnFiles, PathFilter,
    Scripts, SearchConfig, StoreConfig, Switcher, UrlPattern, crawl, keys, scripts, search,
    switcher,
};
use crate::engines::Routes;
use crate::model::{Direction, FileForm, LanguagePair, Locale, Manner, SiteId};
use crate::page::{self, Rules};

/// One `[[site]]`.
#[derive(Clone, Debug)]
pub struct SiteConfig {
    /// The site's name in paths and in the store; unique.
    pub id: SiteId,
    /// Whether the site is built and served at all.
    pub enabled: bool,
    /// Where the source pages come from.
    pub source: SourceLocation,
    /// The public address of the source language, without a slash at its end, so that a page's path can follow;
    /// absent when nothing says it.
    pub source_url: Option<String>,
    /// The language of the source pages.
    pub source_locale: Locale,
    /// The languages wanted, in the order of the file; canonical, unique, never the source language.
    pub locales: Vec<Locale>,
    /// What stands for a locale in addresses, where that is not the tag itself.
    pub aliases: BTreeMap<Locale, String>,
    /// How public addresses spell pages; `None` if the source decides.
    pub addresses: Option<FileForm>,
    /// Which pages have no version in a locale.
    pub excluded_in: BTreeMap<Locale, PathFilter>,
    /// Folders of files that a language has of its own.
    pub files_in: BTreeMap<Locale, LocaleFolder>,
    /// Where localized pages are found by the public; without it they are served at `/{lang}/` of any host.
    pub url: Option<UrlPattern>,
    /// Whether a reader of `/` may be sent to the locale that the browser prefers.
    pub accept_language: bool,
    /// Reviewed human translations, one PO file per locale.
    pub translations: Option<LocaleFile>,
    /// Machine translations kept as sorted text, one file per locale.
    pub memory: Option<LocaleFile>,
    /// Paths that pages have of their own, one CSV file per locale.
    pub slugs: Option<LocaleFile>,
    /// Most characters that engines may get in one run.
    pub max_chars: Option<u64>,
    /// Most characters that engines may get in a calendar month (UTC).
    pub max_chars_per_month: Option<u64>,
    /// Most bytes that its sources and published files may take in the store.
    pub max_bytes: Option<u64>,
    /// How terms are to be translated, one file for all languages.
    pub glossary: Option<PathBuf>,
    /// The language for readers of none of the others; search engines are told it as `x-default`.
    pub x_default: Option<Locale>,
    /// Who pays for what is sent for the site; nobody for a site of the file.
    pub payer: Option<Payer>,
    /// Engines in the order in which they are tried; see [`SiteConfig::engines_for`].
    pub engines: Vec<NamedEngine>,
    /// Engines of each language that overrides those of the site.
    pub engines_in: BTreeMap<Locale, Vec<NamedEngine>>,
    /// The owner's instructions for language models, such as the tone of the site.
    pub instructions: Option<String>,
    /// Instructions for each language, added to those of the site.
    pub instructions_in: BTreeMap<Locale, String>,
    /// File of the site's own benchmark figures.
    pub figures: Option<PathBuf>,
    /// Choice between direct engines and detours.
    pub routes: Routes,
    /// What a reader gets for a page that is missing in a locale.
    pub missing: Missing,
    /// Share of a page's words that must be translated for the page to exist in a locale, 0 to 1.
    pub min_translated: f64,
    /// Which paths of the source belong to the site.
    pub paths: PathFilter,
    /// Which pages are published once, as they are.
    pub keep: PathFilter,
    /// Whether pages of the site are previewed for everybody with a preview token; a bearer token for the site always
    /// gets them.
    pub previews: bool,
    /// How the source is fetched.
    pub crawl: CrawlConfig,
    /// The site's own rules for what is text.
    pub rules: Rules,
    /// What is done for pages that scripts draw.
    pub scripts: Scripts,
    /// Settings for dates, numbers, marks and names.
    pub manner: Manner,
    /// The same in languages that have settings of their own.
    pub manners: BTreeMap<Locale, Manner>,
    /// True if words that somebody saves are approved, whoever that is.
    pub approves_on_save: bool,
    /// What writes search indexes that need a program of their own.
    pub search: SearchConfig,
    /// The language switcher put into pages.
    pub switcher: Switcher,
    /// A folder of the site's own templates, which go before those that come with Latimer.
    pub templates: Option<PathBuf>,
    /// Files of this machine that are no part of a source; none for a site that is not in the file, which has no folder.
    pub own_files: OwnFiles,
}

/// Whose month counts what is sent for a site beside the site's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Payer {
    /// The subject of the token with which the site was put.
    pub subject: String,
    /// Most characters that engines may get in a month for all that the subject has.
    pub max_chars_per_month: Option<u64>,
}

impl SiteConfig {
    /// What stands for the locale in addresses: its alias, or the tag itself.
    pub fn label<'a>(&'a self, locale: &'a Locale) -> &'a str {
        self.aliases
            .get(locale)
            .map_or(locale.as_str(), String::as_str)
    }

    /// True if it has a language that is written from right to left, and the source is not.
    pub fn turns_direction(&self) -> bool {
        self.source_locale.direction() == Direction::Ltr
            && self
                .locales
                .iter()
                .any(|locale| locale.direction() == Direction::Rtl)
    }

    /// Settings for dates, numbers, marks and names in a language.
    pub fn manner_in(&self, locale: &Locale) -> Manner {
        self.manners.get(locale).copied().unwrap_or(self.manner)
    }

    /// True if the site's names are kept in machine translations into this language.
    pub fn keeps_names_in(&self, locale: &Locale) -> bool {
        let translates = |engine: &NamedEngine| engine.spec.translates();
        !self.manner_in(locale).translates_names && self.engines_for(locale).iter().any(translates)
    }

    /// The pair of its source language and a locale.
    pub fn pair_to<'a>(&'a self, locale: &'a Locale) -> LanguagePair<&'a Locale> {
        LanguagePair {
            from: &self.source_locale,
            to: locale,
        }
    }

    /// The engines for this locale in the order in which they are tried; a pseudo-locale has one of its own.
    pub fn engines_for(&self, locale: &Locale) -> Vec<NamedEngine> {
        if locale.is_pseudo() {
            return vec![NamedEngine::pseudo()];
        }
        let mut engines = self.engines_in.get(locale).unwrap_or(&self.engines).clone();
        let instructions: Vec<&str> = self
            .instructions
            .as_deref()
            .into_iter()
            .chain(self.instructions_in.get(locale).map(String::as_str))
            .collect();
        if !instructions.is_empty() {
            engines
                .iter_mut()
                .for_each(|engine| engine.spec.instruct(&instructions.join("\n")));
        }
        engines
    }

    /// The engines of the site and of its languages.
    pub fn all_engines(&self) -> impl Iterator<Item = &NamedEngine> {
        self.engines
            .iter()
            .chain(self.engines_in.values().flatten())
    }
}

/// How `addresses` is written.
const ADDRESSES: [(&str, Option<FileForm>); 3] = [
    ("auto", None),
    ("pretty", Some(FileForm::Bare)),
    ("file", Some(FileForm::Ending)),
];

/// How `missing` is written.
pub(super) const MISSING: [(&str, Missing); 4] = [
    ("source307", Missing::Source307),
    ("notice", Missing::Notice),
    ("not_found", Missing::NotFound),
    ("gone", Missing::Gone),
];

/// Share of a page's words that must be translated where nothing is said.
pub(super) const MIN_TRANSLATED: f64 = 0.5;

pub(super) fn read_all(
    root: &ConfigTable<'_>,
    engines: &ConfiguredEngines,
    store: &StoreConfig,
    own_files: &OwnFiles,
) -> Result<Vec<SiteConfig>, ConfigError> {
    let Some(field) = root.get("site") else {
        return Err(
            root.error("there is no site; add a [[site]] table, or run `latimer init`".to_owned())
        );
    };
    let tables = field
        .list()
        .map_err(|_| field.error("a site is written [[site]], in two brackets".to_owned()))?;
    let mut sites: Vec<SiteConfig> = Vec::new();
    for table in tables {
        let table = table.table(&keys::SITE)?;
        let site = read(&table, engines, own_files)?;
        apart(&table, &site.source, store)?;
        let id = table.required("id", "one")?;
        if sites.iter().any(|other| other.id == site.id) {
            return Err(id.error(format!(
                "there are two sites `{}`; give each its own id",
                site.id
            )));
        }
        if let (Some(url), Some(field)) = (&site.url, table.get("url"))
            && sites
                .iter()
                .any(|other| other.url.as_ref().is_some_and(|other| other.is_at(url)))
        {
            return Err(field.error(format!(
                "another site has the same `url`; give `{}` its own",
                site.id
            )));
        }
        sites.push(site);
    }
    Ok(sites)
}

#[expect(clippy::too_many_lines, reason = "one line for each setting of a site")]
fn read(
    table: &ConfigTable<'_>,
    engines: &ConfiguredEngines,
    own_files: &OwnFiles,
) -> Result<SiteConfig, ConfigError> {
    let id = table.required("id", "a short name, such as id = \"shop\"")?;
    let source_locale = table.required(
        "source_locale",
        "the language of the source, such as \"en\"",
    )?;
    let source_locale = locale(&source_locale)?;
    let locales = locales(table, &source_locale)?;
    let source = source(&table.required("source", "a folder or an address")?)?;
    let url = table.get("url").map(|field| pattern(&field)).transpose()?;
    let html = table.table("html", &keys::HTML)?;
    let mut rules = text_rules(html.as_ref())?;
    let x_default = x_default(table, &source_locale, &locales)?;
    let templates = html.as_ref().and_then(|html| html.get("templates"));
    let manner = manner(table)?;
    let LocaleTables {
        aliases,
        excluded_in,
        files_in,
        manners,
        engines_in,
        instructions_in,
    } = LocaleTables::read(table, &source_locale, &locales, (manner, engines))?;
    Ok(SiteConfig {
        id: SiteId::parse(id.text()?).map_err(|error| id.error(error.to_string()))?,
        enabled: table
            .get("enabled")
            .map(|field| field.flag())
            .transpose()?
            .unwrap_or(true),
        source_url: source_url(table, &source, url.as_ref())?,
        aliases,
        addresses: table
            .get("addresses")
            .map(|field| field.one_of(&ADDRESSES))
            .transpose()?
            .unwrap_or_default(),
        excluded_in,
        files_in,
        source,
        source_locale,
        locales,
        url,
        accept_language: table
            .get("accept_language")
            .map(|field| field.flag())
            .transpose()?
            .unwrap_or(false),
        translations: table
            .get("translations")
            .map(|field| LocaleFile::read(&field))
            .transpose()?,
        memory: table
            .get("memory")
            .map(|field| LocaleFile::read(&field))
            .transpose()?,
        slugs: table
            .get("slugs")
            .map(|field| LocaleFile::read(&field))
            .transpose()?,
        max_chars: characters(table, "max_chars")?,
        max_chars_per_month: characters(table, "max_chars_per_month")?,
        max_bytes: None,
        payer: None,
        glossary: table
            .get("glossary")
            .map(|field| field.path())
            .transpose()?,
        x_default,
        engines: engines.choose(table.get("engine"))?,
        engines_in,
        instructions: table
            .get("instructions")
            .map(|field| instructions(&field))
            .transpose()?,
        instructions_in,
        routes: routes(table)?,
        figures: table.get("figures").map(|field| field.path()).transpose()?,
        missing: table
            .get("missing")
            .map(|field| field.one_of(&MISSING))
            .transpose()?
            .unwrap_or(Missing::Source307),
        min_translated: table
            .get("min_translated")
            .map(|field| field.share())
            .transpose()?
            .unwrap_or(MIN_TRANSLATED),
        paths: filter(table)?,
        keep: kept(table)?,
        previews: table
            .get("previews")
            .map(|field| field.flag())
            .transpose()?
            .unwrap_or(false),
        crawl: crawl::read(table.table("crawl", &keys::CRAWL)?)?,
        scripts: scripts::read(table.table("scripts", &keys::SCRIPTS)?)?,
        manner,
        manners,
        approves_on_save: approves_on_save(table)?,
        search: search::read(table.table("search", &keys::SEARCH)?)?,
        switcher: switcher::read(html.as_ref(), &mut rules)?,
        rules,
        templates: templates.map(|field| field.path()).transpose()?,
        own_files: own_files.clone(),
    })
}

/// A number of characters that engines may get.
fn characters(table: &ConfigTable<'_>, key: &str) -> Result<Option<u64>, ConfigError> {
    let whole = |field: ConfigField<'_>| field.whole(0..=1_000_000_000_000);
    let number = table.get(key).map(whole).transpose()?;
    Ok(number.map(|number| u64::try_from(number).unwrap_or(u64::MAX)))
}

/// A locale as it must be written everywhere, because it becomes part of addresses and file names.
fn locale(field: &ConfigField<'_>) -> Result<Locale, ConfigError> {
    let text = field.text()?;
    let locale = Locale::parse_wanted(text).map_err(|error| field.error(error.to_string()))?;
    if locale.as_str() == text {
        Ok(locale)
    } else {
        Err(field.error(format!("{text:?} is written \"{locale}\"")))
    }
}

/// Reads `approve`: words are approved when they are saved, or by a person who may review.
fn approves_on_save(table: &ConfigTable<'_>) -> Result<bool, ConfigError> {
    let review = table.table("review", &keys::REVIEW)?;
    let approve = review.as_ref().and_then(|review| review.get("approve"));
    let approve = approve.map(|field| field.one_of(&[("on_save", true), ("review", false)]));
    Ok(approve.transpose()?.unwrap_or(true))
}

fn locales(table: &ConfigTable<'_>, source: &Locale) -> Result<Vec<Locale>, ConfigError> {
    let mut locales = Vec::new();
    for field in table
        .required(
            "locales",
            "the languages wanted, such as locales = [\"es\", \"fr\"]",
        )?
        .list()?
    {
        let locale = locale(&field)?;
        if locale == *source {
            return Err(field.error(format!(
                "{locale} is the source language; remove it from `locales`"
            )));
        }
        if locales.contains(&locale) {
            return Err(field.error(format!("{locale} stands in `locales` twice; remove one")));
        }
        locales.push(locale);
    }
    Ok(locales)
}

/// The language of `x-default`: one that search engines may know.
fn x_default(
    table: &ConfigTable<'_>,
    source: &Locale,
    locales: &[Locale],
) -> Result<Option<Locale>, ConfigError> {
    let Some(field) = table.get("x_default") else {
        return Ok(None);
    };
    let wanted = locale(&field)?;
    let known = wanted == *source || locales.contains(&wanted);
    if !known || wanted.is_pseudo() {
        return Err(field.must_be("the source language or one of `locales`, and no pseudo-locale"));
    }
    Ok(Some(wanted))
}

fn pattern(field: &ConfigField<'_>) -> Result<UrlPattern, ConfigError> {
    UrlPattern::parse(field.text()?).map_err(|error| field.error(error.to_string()))
}

fn kept(table: &ConfigTable<'_>) -> Result<PathFilter, ConfigError> {
    PathFilter::new(&rules(table, "keep")?, &[]).map_err(|error| table.error(error.to_string()))
}

fn filter(table: &ConfigTable<'_>) -> Result<PathFilter, ConfigError> {
    let include = rules(table, "include")?;
    let exclude = rules(table, "exclude")?;
    PathFilter::new(&include, &exclude).map_err(|error| table.error(error.to_string()))
}

/// The site's own rules for what is text; each is tried here, so that a wrong one is blamed where it stands.
fn text_rules(html: Option<&ConfigTable<'_>>) -> Result<page::Rules, ConfigError> {
    let mut rules = page::Rules::default();
    let get = |key| html.and_then(|table| table.get(key));
    let list = |key| get(key).map_or(Ok(Vec::new()), |field: ConfigField<'_>| field.list());
    for field in list("skip")? {
        rules
            .skip(field.text()?)
            .map_err(|error| field.error(error.to_string()))?;
    }
    for field in list("also_translate")? {
        rules
            .also_translate(field.text()?)
            .map_err(|error| field.error(error.to_string()))?;
    }
    if get("translate_state")
        .map(|field| field.flag())
        .transpose()?
        .unwrap_or(false)
    {
        rules.translate_state();
    }
    Ok(rules)
}
