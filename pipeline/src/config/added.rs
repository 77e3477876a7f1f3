//! Sites that are not in the file: what a caller of the API says becomes a [`SiteConfig`] here, by the rules that hold for
//! the file.
//!
//! A caller names things and never defines them: engines are those of the file, and there is no way to say a path of this
//! machine, a program, a key or a template. Whether such sites may lie in private networks the file says.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::site::{MIN_TRANSLATED, MISSING};
use super::{
    Config, CrawlConfig, Missing, OwnFiles, PathFilter, Payer, Scripts, SearchConfig, SiteConfig,
    SourceLocation, Switcher, UrlPattern,
};
use crate::engines::Routes;
use crate::model::{Locale, Manner, SiteId, base_address};
use crate::page::Rules;

/// The most patterns of paths that a caller may give to a site.
const MOST_PATTERNS: usize = 400;

/// The most bytes in all of them: compiling takes time in proportion to them, 200 KB took a second.
const MOST_PATTERN_BYTES: usize = 16 << 10;

/// A site's settings as they were sent; texts that nobody checked yet.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SiteSettings {
    /// Where its source pages are, on the web.
    pub source_url: String,
    /// The language of the source pages.
    pub source_locale: String,
    /// The languages wanted.
    pub target_langs: Vec<String>,
    /// Where localized pages are found by the public.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Paths of the source that belong to the site; none means all.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub include: Vec<String>,
    /// Paths that do not.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub exclude: Vec<String>,
    /// Engines of the file by their names; none means the usual ones.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub engines: Vec<String>,
    /// What a reader gets for a page that is missing, as the file writes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
    /// Share of a page's words that must be translated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_translated: Option<f64>,
    /// Most characters that engines may get for it in a month, below what the file allows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_chars_per_month: Option<u64>,
    /// The subject of the token with which this was sent; sites from before have none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
}

/// Says which setting cannot be used, and why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{field}` {message}")]
pub struct SettingError {
    /// The setting, such as `targetLangs[1]`.
    pub field: String,
    /// The kind of mistake.
    pub fault: SettingFault,
    /// The mistake, for people.
    pub message: String,
}

/// Kinds of mistakes in a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingFault {
    /// It is no address.
    Address,
    /// It is no language, or not one that may stand there.
    Language,
    /// The file has no such engine, or has it not for callers.
    Engine,
    /// It is at a host that sites may not have.
    Host,
    /// It would take a suffix under which anybody can have a name.
    Suffix,
    /// It is not written as it should be.
    Value,
}

impl Config {
    /// A site that is not in the file.
    ///
    /// # Errors
    /// A [`SettingError`] for the first setting that cannot be used.
    pub fn added_site(
        &self,
        id: &SiteId,
        settings: &SiteSettings,
    ) -> Result<SiteConfig, SettingError> {
        let source = base_address(&settings.source_url).map_err(|_| {
            let message = "must be an http:// or https:// address without user, query or fragment";
            error("sourceUrl", SettingFault::Address, message)
        })?;
        let source_locale = locale("sourceLocale", &settings.source_locale)?;
        let pattern = |text: &String| {
            UrlPattern::parse(text)
                .map_err(|fault| error("url", SettingFault::Address, &fault.to_string()))
        };
        let url = settings.url.as_ref().map(pattern).transpose()?;
        check_patterns(settings)?;
        let paths = PathFilter::new(&settings.include, &settings.exclude);
        Ok(SiteConfig {
            id: id.clone(),
            enabled: true,
            source_url: Some(source.origin().ascii_serialization()),
            source: SourceLocation::Web(source),
            locales: locales(&settings.target_langs, &source_locale)?,
            source_locale,
            aliases: BTreeMap::new(),
            addresses: None,
            excluded_in: BTreeMap::new(),
            files_in: BTreeMap::new(),
            url,
            accept_language: false,
            translations: None,
            memory: None,
            slugs: None,
            glossary: None,
            max_chars: None,
            max_chars_per_month: least(
                settings.max_chars_per_month,
                self.api.sites.max_chars_per_month,
            ),
            max_bytes: Some(self.api.sites.max_bytes),
            payer: self.payer(settings.owner.as_deref()),
            x_default: None,
            engines_in: BTreeMap::new(),
            instructions: None,
            instructions_in: BTreeMap::new(),
            figures: None,
            routes: Routes::default(),
            engines: self.for_callers(self.engines_named(&settings.engines)?),
            missing: missing(settings.missing.as_deref())?,
            min_translated: share(settings.min_translated)?,
            keep: PathFilter::default(),
            paths: paths.map_err(|fault| {
                error(
                    blamed(settings, &fault.pattern),
                    SettingFault::Value,
                    &fault.to_string(),
                )
            })?,
            previews: false,
            crawl: CrawlConfig {
                allow_private: self.api.sites_allow_private,
                ..CrawlConfig::default()
            },
            rules: Rules::default(),
            scripts: Scripts::default(),
            manner: Manner::default(),
            manners: BTreeMap::new(),
            approves_on_save: true,
            search: SearchConfig::default(),
            switcher: Switcher::default(),
            templates: None,
            own_files: OwnFiles::default(),
        })
    }

    /// Who pays for what a caller orders.
    pub fn payer(&self, subject: Option<&str>) -> Option<Payer> {
        let max_chars_per_month = self.api.sites.max_chars_per_month;
        subject.map(|subject| Payer {
            subject: subject.to_owned(),
            max_chars_per_month,
        })
    }

    /// Checks that settings stay within what the file allows to callers. A site that was put before it allowed less stays,
    /// with less.
    ///
    /// # Errors
    /// A [`SettingError`] for the first setting that does not.
    pub fn check_allowed(&self, settings: &SiteSettings) -> Result<(), SettingError> {
        let allows = |name: &String| {
            self.api
                .sites
                .engines
                .as_ref()
                .is_none_or(|allowed| allowed.contains(name))
        };
        if let Some(index) = settings.engines.iter().position(|name| !allows(name)) {
            let message = "is no engine of this server for sites that callers add";
            return Err(error(
                &format!("engines[{index}]"),
                SettingFault::Engine,
                message,
            ));
        }
        match (
            settings.max_chars_per_month,
            self.api.sites.max_chars_per_month,
        ) {
            (Some(wanted), Some(most)) if wanted > most => {
                let message =
                    format!("may be at most {most}, which the owner of this server allows");
                Err(error("maxCharsPerMonth", SettingFault::Value, &message))
            }
            _ => Ok(()),
        }
    }

    /// Those of a site's engines that callers may use; the ones that the file allows where none of them is.
    fn for_callers(&self, mut engines: Vec<super::NamedEngine>) -> Vec<super::NamedEngine> {
        let Some(allowed) = &self.api.sites.engines else {
            return engines;
        };
        engines.retain(|engine| allowed.contains(&engine.name));
        if engines.is_empty() {
            allowed
                .iter()
                .filter_map(|name| self.engines.find(name))
                .collect()
        } else {
            engines
        }
    }

    fn engines_named(&self, names: &[String]) -> Result<Vec<super::NamedEngine>, SettingError> {
        if names.is_empty() {
            return Ok(self.engines.usual());
        }
        let find = |(index, name): (usize, &String)| {
            let unknown = || {
                error(
                    &format!("engines[{index}]"),
                    SettingFault::Engine,
                    "is no engine of this server",
                )
            };
            self.engines.find(name).ok_or_else(unknown)
        };
        names.iter().enumerate().map(find).collect()
    }
}

fn least(one: Option<u64>, other: Option<u64>) -> Option<u64> {
    one.into_iter().chain(other).min()
}

fn locale(field: &str, text: &str) -> Result<Locale, SettingError> {
    Locale::parse_wanted(text)
        .map_err(|wrong| error(field, SettingFault::Language, &format!("is wrong: {wrong}")))
}

/// The languages, each once, in the order in which they were sent.
fn locales(tags: &[String], source: &Locale) -> Result<Vec<Locale>, SettingError> {
    let mut locales = Vec::new();
    for (index, tag) in tags.iter().enumerate() {
        let field = format!("targetLangs[{index}]");
        let locale = locale(&field, tag)?;
        if locale == *source {
            return Err(error(
                &field,
                SettingFault::Language,
                "is the source language",
            ));
        }
        if !locales.contains(&locale) {
            locales.push(locale);
        }
    }
    Ok(locales)
}

fn missing(word: Option<&str>) -> Result<Missing, SettingError> {
    let Some(word) = word else {
        return Ok(Missing::Source307);
    };
    let known = MISSING
        .iter()
        .find(|(known, _)| *known == word)
        .map(|(_, missing)| *missing);
    known.ok_or_else(|| {
        error(
            "missing",
            SettingFault::Value,
            "is not one of source307, notice, not_found and gone",
        )
    })
}

fn share(number: Option<f64>) -> Result<f64, SettingError> {
    let share = number.unwrap_or(MIN_TRANSLATED);
    let is_share = (0.0..=1.0).contains(&share);
    is_share.then_some(share).ok_or_else(|| {
        error(
            "minTranslated",
            SettingFault::Value,
            "must be a number from 0 to 1",
        )
    })
}

/// Refuses more patterns than are compiled for a caller, before the first one is.
fn check_patterns(settings: &SiteSettings) -> Result<(), SettingError> {
    let mut count = 0;
    let mut bytes = 0;
    for (field, patterns) in [
        ("include", &settings.include),
        ("exclude", &settings.exclude),
    ] {
        count += patterns.len();
        bytes += patterns.iter().map(String::len).sum::<usize>();
        if count > MOST_PATTERNS || bytes > MOST_PATTERN_BYTES {
            let message = format!(
                "has too many patterns: `include` and `exclude` together may have {MOST_PATTERNS}, in {MOST_PATTERN_BYTES} bytes; \
                 name folders instead of single pages"
            );
            return Err(error(field, SettingFault::Value, &message));
        }
    }
    Ok(())
}

/// The list in which a pattern stands.
fn blamed(settings: &SiteSettings, pattern: &String) -> &'static str {
    if settings.include.contains(pattern) {
        "include"
    } else {
        "exclude"
    }
}

fn error(field: &str, fault: SettingFault, message: &str) -> SettingError {
    SettingError {
        field: field.to_owned(),
        fault,
        message: message.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    const FILE: &str = "[[site]]\nid = \"a\"\nsource = \"s\"\nsource_locale = \"en\"\nlocales = [\"es\"]\n\
                        [engine.mine]\nkind = \"command\"\nprogram = \"p\"\n";

    fn settings() -> SiteSettings {
        SiteSettings {
            source_url: "https://www.example.com/".to_owned(),
            source_locale: "en".to_owned(),
            target_langs: vec!["es".to_owned(), "PT-br".to_owned(), "pt-BR".to_owned()],
            ..SiteSettings::default()
        }
    }

    #[test]
    fn added_site_is_like_one_of_the_file_that_says_the_same() {
        let same = "[[site]]\nid = \"b\"\nsource = \"https://www.example.com/\"\nsource_locale = \"en\"\n\
                    locales = [\"es\", \"pt-BR\"]\n";
        let config = Config::parse(
            &format!("{FILE}{same}"),
            Path::new("/x/latimer.toml"),
            &|_| None,
        )
        .unwrap();
        let added = config
            .added_site(&SiteId::parse("b").unwrap(), &settings())
            .unwrap();
        let of_file = SiteConfig {
            max_bytes: Some(4 << 30),
            ..config.sites[1].clone()
        };
        assert_eq!(format!("{added:?}"), format!("{of_file:?}"));
    }

    #[test]
    fn wrong_settings_are_blamed() {
        let config = Config::parse(FILE, Path::new("/x/latimer.toml"), &|_| None).unwrap();
        let texts = |texts: &[&str]| {
            texts
                .iter()
                .map(|&text| text.to_owned())
                .collect::<Vec<_>>()
        };
        let check = |field: &str, fault: SettingFault, change: &dyn Fn(&mut SiteSettings)| {
            let mut settings = settings();
            change(&mut settings);
            let error = config
                .added_site(&SiteId::parse("b").unwrap(), &settings)
                .unwrap_err();
            assert_eq!((error.field.as_str(), error.fault), (field, fault));
        };
        for address in [
            "ftp://a.example/",
            "source",
            "/etc",
            "https://u:p@a.example/",
            "https://a.example/?q",
            "",
        ] {
            check("sourceUrl", SettingFault::Address, &|settings| {
                settings.source_url = address.to_owned()
            });
        }
        check("sourceLocale", SettingFault::Language, &|settings| {
            settings.source_locale = "e_n".to_owned()
        });
        check("targetLangs[1]", SettingFault::Language, &|settings| {
            settings.target_langs = texts(&["es", "en"])
        });
        check("url", SettingFault::Address, &|settings| {
            settings.url = Some("https://a.example".to_owned())
        });
        check("engines[1]", SettingFault::Engine, &|settings| {
            settings.engines = texts(&["mine", "rm -rf"])
        });
        check("exclude", SettingFault::Value, &|settings| {
            settings.exclude = texts(&["/a["])
        });
        let long = |count: usize| vec!["/a".repeat(50); count];
        check("include", SettingFault::Value, &|settings| {
            settings.include = long(164)
        });
        check("exclude", SettingFault::Value, &|settings| {
            (settings.include, settings.exclude) = (long(100), long(64));
        });
        check("exclude", SettingFault::Value, &|settings| {
            settings.exclude = vec!["/a".to_owned(); 401]
        });
        check("missing", SettingFault::Value, &|settings| {
            settings.missing = Some("x".to_owned())
        });
        check("minTranslated", SettingFault::Value, &|settings| {
            settings.min_translated = Some(1.5)
        });
    }
}
