//! `[site.locale.TAG]`: settings of single languages.

use std::collections::{BTreeMap, BTreeSet};

use super::super::engine::ConfiguredEngines;
use super::super::manner::manner_of;
use super::super::reader::{ConfigField, ConfigTable};
use super::super::{ConfigError, LocaleFolder, NamedEngine, PathFilter, keys};
use crate::model::{Locale, Manner};

/// The settings of single languages, `[site.locale.TAG]`.
#[derive(Default)]
pub(super) struct LocaleTables {
    pub(super) aliases: BTreeMap<Locale, String>,
    pub(super) excluded_in: BTreeMap<Locale, PathFilter>,
    pub(super) files_in: BTreeMap<Locale, LocaleFolder>,
    pub(super) manners: BTreeMap<Locale, Manner>,
    pub(super) engines_in: BTreeMap<Locale, Vec<NamedEngine>>,
    pub(super) instructions_in: BTreeMap<Locale, String>,
}

impl LocaleTables {
    /// Reads the tables, and makes sure that no two languages share a place.
    pub(super) fn read(
        table: &ConfigTable<'_>,
        source: &Locale,
        locales: &[Locale],
        (manner, engines): (Manner, &ConfiguredEngines),
    ) -> Result<Self, ConfigError> {
        let mut read = Self::default();
        let Some(tables) = table.table("locale", &keys::LOCALES)? else {
            return Ok(read);
        };
        let mut taken: BTreeSet<_> = [source]
            .into_iter()
            .chain(locales)
            .map(|tag| tag.as_str().to_lowercase())
            .collect();
        for field in tables.fields() {
            let Some(locale) = locales.iter().find(|locale| locale.as_str() == field.key()) else {
                return Err(field.error(format!(
                    "[site.locale.{0}] speaks of {0}, which is not in `locales`",
                    field.key()
                )));
            };
            let own = field.table(&keys::LOCALE)?;
            if own.get("exclude").is_some() {
                let filter = PathFilter::new(&[], &rules(&own, "exclude")?);
                read.excluded_in.insert(
                    locale.clone(),
                    filter.map_err(|error| own.error(error.to_string()))?,
                );
            }
            if let Some(field) = own.get("files") {
                read.files_in
                    .insert(locale.clone(), LocaleFolder::read(&field)?);
            }
            read.manners
                .insert(locale.clone(), manner_of(Some(&own), manner)?);
            if let Some(field) = own.get("engine") {
                read.engines_in
                    .insert(locale.clone(), engines.choose(Some(field))?);
            }
            if let Some(field) = own.get("instructions") {
                read.instructions_in
                    .insert(locale.clone(), instructions(&field)?);
            }
            if let Some(field) = own.get("alias") {
                read.aliases
                    .insert(locale.clone(), alias(&field, locale, &mut taken)?);
            }
        }
        Ok(read)
    }
}

/// Reads instructions, limited to a length that fits a prompt.
pub(super) fn instructions(field: &ConfigField<'_>) -> Result<String, ConfigError> {
    let text = field.text()?.trim();
    if text.is_empty() || text.chars().count() > LONGEST_INSTRUCTIONS {
        return Err(field.must_be(&format!(
            "a text of at most {LONGEST_INSTRUCTIONS} characters"
        )));
    }
    Ok(text.to_owned())
}

const LONGEST_INSTRUCTIONS: usize = 4_000;

/// The label of a locale in addresses, if no other language has it.
fn alias(
    field: &ConfigField<'_>,
    locale: &Locale,
    taken: &mut BTreeSet<String>,
) -> Result<String, ConfigError> {
    let label = field.text()?;
    let edge = label.starts_with('-') || label.ends_with('-');
    if edge
        || label.len() > 63
        || !label
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    {
        return Err(field.must_be("1 to 63 letters, digits and hyphens"));
    }
    let own = label.eq_ignore_ascii_case(locale.as_str());
    if !own && !taken.insert(label.to_ascii_lowercase()) {
        return Err(field.error(format!(
            "`{label}` stands for another language already; choose another alias"
        )));
    }
    Ok(label.to_owned())
}

/// The rules under a key; each is compiled here once so that a wrong one is blamed where it stands.
pub(super) fn rules(table: &ConfigTable<'_>, key: &str) -> Result<Vec<String>, ConfigError> {
    let Some(field) = table.get(key) else {
        return Ok(Vec::new());
    };
    let read = |rule: ConfigField<'_>| {
        let text = rule.text()?.trim().to_owned();
        PathFilter::new(&[], std::slice::from_ref(&text))
            .map_err(|error| rule.error(error.to_string()))?;
        Ok(text)
    };
    field.list()?.into_iter().map(read).collect()
}
