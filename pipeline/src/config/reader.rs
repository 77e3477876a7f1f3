//! Reads typed values out of a TOML document and blames the right line when one is wrong.
//!
//! A [`ConfigTable`] exists only after its keys were checked against [`TableKeys`]; a [`ConfigField`] knows its span. Nothing here
//! knows what a setting means.

use std::ops::{Range, RangeInclusive};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::error::ConfigError;
use super::keys::{self, TableKeys, nearest};
use crate::model::has_user;

/// The document with everything needed to read it and to complain about it.
pub(super) struct ConfigReader<'a> {
    text: &'a str,
    file: &'a Path,
    environment: &'a dyn Fn(&str) -> Option<String>,
}

/// A table whose keys are all known.
pub(super) struct ConfigTable<'a> {
    reader: &'a ConfigReader<'a>,
    table: &'a DeTable<'a>,
    span: Range<usize>,
    name: &'static str,
}

/// One value, its key and its place.
pub(super) struct ConfigField<'a> {
    reader: &'a ConfigReader<'a>,
    key: &'a str,
    value: &'a Spanned<DeValue<'a>>,
}

/// A text anywhere in a document.
pub(super) struct WrittenText<'a> {
    /// The key of the table in which it stands; empty at the top.
    pub(super) table: &'a str,
    pub(super) key: &'a str,
    pub(super) text: &'a str,
    span: Range<usize>,
}

/// Every text of a document, those of lists by the key of the list.
pub(super) fn texts_of<'a>(document: &'a DeTable<'_>) -> Vec<WrittenText<'a>> {
    let mut texts = Vec::new();
    collect_texts("", document, &mut texts);
    texts
}

fn collect_texts<'a>(table: &'a str, values: &'a DeTable<'_>, texts: &mut Vec<WrittenText<'a>>) {
    for (key, value) in values {
        collect_value(table, key.get_ref(), value, texts);
    }
}

/// A value as JSON; `None` for dates, which JSON lacks.
fn json_of(value: &DeValue<'_>) -> Option<serde_json::Value> {
    use serde_json::Value;
    Some(match value {
        DeValue::String(text) => Value::String(text.to_string()),
        DeValue::Boolean(flag) => Value::Bool(*flag),
        DeValue::Integer(_) => Value::Number(value.as_integer()?.to_string().parse().ok()?),
        DeValue::Float(_) => Value::Number(value.as_float()?.to_string().parse().ok()?),
        DeValue::Array(values) => values
            .iter()
            .map(|value| json_of(value.get_ref()))
            .collect::<Option<Vec<_>>>()?
            .into(),
        DeValue::Table(values) => {
            let member = |(key, value): (&toml::Spanned<_>, &toml::Spanned<DeValue<'_>>)| {
                let key: &std::borrow::Cow<'_, str> = key.get_ref();
                Some((key.to_string(), json_of(value.get_ref())?))
            };
            Value::Object(values.iter().map(member).collect::<Option<_>>()?)
        }
        DeValue::Datetime(_) => return None,
    })
}

fn collect_value<'a>(
    table: &'a str,
    key: &'a str,
    value: &'a Spanned<DeValue<'_>>,
    texts: &mut Vec<WrittenText<'a>>,
) {
    match value.get_ref() {
        DeValue::String(text) => texts.push(WrittenText {
            table,
            key,
            text,
            span: value.span(),
        }),
        DeValue::Table(values) => collect_texts(key, values, texts),
        DeValue::Array(values) => {
            for value in values.iter() {
                collect_value(table, key, value, texts);
            }
        }
        DeValue::Integer(_) | DeValue::Float(_) | DeValue::Boolean(_) | DeValue::Datetime(_) => {}
    }
}

impl<'a> ConfigReader<'a> {
    pub(super) fn new(
        text: &'a str,
        file: &'a Path,
        environment: &'a dyn Fn(&str) -> Option<String>,
    ) -> Self {
        Self {
            text,
            file,
            environment,
        }
    }

    /// Parses the document.
    pub(super) fn document(&self) -> Result<DeTable<'a>, ConfigError> {
        let document = DeTable::parse(self.text).map_err(|error| {
            let span = error.span().unwrap_or_default();
            self.error(&span, format!("this is not TOML: {}", error.message()))
        })?;
        let document = document.into_inner();
        self.refuse_users(&document)?;
        Ok(document)
    }

    /// Refuses addresses with a user part under every key, known or not: nothing of them may reach a message or the state.
    fn refuse_users(&self, document: &DeTable<'_>) -> Result<(), ConfigError> {
        for WrittenText {
            key, text, span, ..
        } in texts_of(document)
        {
            if has_user(text) && !keys::MAY_HOLD_USER.contains(&key) {
                return Err(self.error(
                    &span,
                    format!(
                        "`{key}` holds a user or a password, which would be printed and stored; write the address without it \
                         (a site's login goes into `headers_file` in [site.crawl], an engine's key into `key_file`)"
                    ),
                ));
            }
        }
        Ok(())
    }

    /// The table at the top of the document.
    pub(super) fn root(
        &'a self,
        document: &'a DeTable<'a>,
    ) -> Result<ConfigTable<'a>, ConfigError> {
        ConfigTable::new(self, document, 0..0, &keys::ROOT)
    }

    /// An error at a place of the file.
    pub(super) fn error(&self, span: &Range<usize>, message: String) -> ConfigError {
        ConfigError::at(self.file, self.text, span, message)
    }

    /// An environment variable, if it is set and not empty.
    pub(super) fn environment(&self, name: &str) -> Option<String> {
        (self.environment)(name).filter(|value| !value.is_empty())
    }

    /// An error about the value of an environment variable.
    pub(super) fn environment_error(&self, name: &str, value: &str, wanted: &str) -> ConfigError {
        let says = if has_user(value) {
            format!("holds a user or a password; it must be {wanted}, without them")
        } else {
            format!("is {value:?}; it must be {wanted}")
        };
        ConfigError::elsewhere(self.file, format!("the environment variable {name} {says}"))
    }

    /// Resolves a path against the file's folder.
    pub(super) fn resolve(&self, path: &str) -> PathBuf {
        self.folder().join(path)
    }

    /// The file's folder.
    pub(super) fn folder(&self) -> &'a Path {
        self.file.parent().unwrap_or(Path::new(""))
    }

    /// The path that the variable names, else the one that was written, else the default.
    pub(super) fn path_or_environment(
        &self,
        written: Option<&str>,
        variable: &str,
        default: &str,
    ) -> PathBuf {
        let path = self.environment(variable);
        self.resolve(path.as_deref().or(written).unwrap_or(default))
    }
}

impl<'a> ConfigTable<'a> {
    fn new(
        reader: &'a ConfigReader<'a>,
        table: &'a DeTable<'a>,
        span: Range<usize>,
        allowed: &'static TableKeys,
    ) -> Result<Self, ConfigError> {
        let refused = table
            .keys()
            .filter_map(|key| Some((key.span(), allowed.refusal(key.get_ref())?)));
        match refused.min_by_key(|(span, _)| span.start) {
            Some((span, message)) => Err(reader.error(&span, message)),
            None => Ok(Self {
                reader,
                table,
                span,
                name: allowed.table,
            }),
        }
    }

    /// The document this table is part of.
    pub(super) fn reader(&self) -> &'a ConfigReader<'a> {
        self.reader
    }

    /// The value of a key.
    pub(super) fn get(&self, key: &str) -> Option<ConfigField<'a>> {
        let (key, value) = self.table.get_key_value(key)?;
        Some(ConfigField {
            reader: self.reader,
            key: key.get_ref(),
            value,
        })
    }

    /// The value of a key that must be there; `wanted` says what to write.
    pub(super) fn required(&self, key: &str, wanted: &str) -> Result<ConfigField<'a>, ConfigError> {
        self.get(key)
            .ok_or_else(|| self.error(format!("{} has no `{key}`; add {wanted}", self.name)))
    }

    /// Every key and value, in the order of the file.
    pub(super) fn fields(&self) -> Vec<ConfigField<'a>> {
        let mut fields: Vec<_> = self
            .table
            .iter()
            .map(|(key, value)| {
                (
                    key.span().start,
                    ConfigField {
                        reader: self.reader,
                        key: key.get_ref(),
                        value,
                    },
                )
            })
            .collect();
        fields.sort_by_key(|(start, _)| *start);
        fields.into_iter().map(|(_, field)| field).collect()
    }

    /// The table under a key, its keys checked.
    pub(super) fn table(
        &self,
        key: &str,
        allowed: &'static TableKeys,
    ) -> Result<Option<ConfigTable<'a>>, ConfigError> {
        self.get(key).map(|field| field.table(allowed)).transpose()
    }

    /// An error about the table as a whole.
    pub(super) fn error(&self, message: String) -> ConfigError {
        self.reader.error(&self.span, message)
    }
}

impl<'a> ConfigField<'a> {
    /// The key as written.
    pub(super) fn key(&self) -> &'a str {
        self.key
    }

    /// The folder against which paths are resolved.
    pub(super) fn folder(&self) -> &'a Path {
        self.reader.folder()
    }

    /// An error about this value.
    pub(super) fn error(&self, message: String) -> ConfigError {
        self.reader.error(&self.value.span(), message)
    }

    /// An error about this value that says what it must be.
    pub(super) fn must_be(&self, wanted: &str) -> ConfigError {
        self.error(format!("`{}` must be {wanted}", self.key))
    }

    /// A string that is not empty.
    pub(super) fn text(&self) -> Result<&'a str, ConfigError> {
        self.value
            .get_ref()
            .as_str()
            .filter(|text| !text.is_empty())
            .ok_or_else(|| self.must_be("a text in quotes"))
    }

    /// A string that parses; `wanted` describes one.
    pub(super) fn parse<T: FromStr>(&self, wanted: &str) -> Result<T, ConfigError> {
        let text = self.value.get_ref().as_str().unwrap_or_default();
        text.parse().map_err(|_| self.must_be(wanted))
    }

    /// A path, resolved against the file's folder.
    pub(super) fn path(&self) -> Result<PathBuf, ConfigError> {
        Ok(self.reader.resolve(self.path_text()?))
    }

    /// A path as written. `~` is refused: it would be a folder of that name beside the file.
    pub(super) fn path_text(&self) -> Result<&'a str, ConfigError> {
        let text = self.text()?;
        if text == "~" || text.starts_with("~/") {
            return Err(self.must_be(
                "a path from the root or from this file's folder; `~` stands for no home here",
            ));
        }
        Ok(text)
    }

    /// `true` or `false`.
    pub(super) fn flag(&self) -> Result<bool, ConfigError> {
        self.value
            .get_ref()
            .as_bool()
            .ok_or_else(|| self.must_be("true or false"))
    }

    /// A whole number inside the range.
    pub(super) fn whole(&self, range: RangeInclusive<usize>) -> Result<usize, ConfigError> {
        let number = self.value.get_ref().as_integer();
        number
            .and_then(|number| usize::from_str_radix(number.as_str(), number.radix()).ok())
            .filter(|number| range.contains(number))
            .ok_or_else(|| {
                self.must_be(&format!(
                    "a whole number from {} to {}",
                    range.start(),
                    range.end()
                ))
            })
    }

    /// A number from 0 to 1.
    pub(super) fn share(&self) -> Result<f64, ConfigError> {
        self.number()
            .filter(|share| *share <= 1.0)
            .ok_or_else(|| self.must_be("a number from 0 to 1"))
    }

    /// A number of something, such as money.
    pub(super) fn amount(&self) -> Result<f64, ConfigError> {
        self.number()
            .ok_or_else(|| self.must_be("a number, 0 or more"))
    }

    /// A finite number that is not negative.
    fn number(&self) -> Option<f64> {
        let value = self.value.get_ref();
        let text = value
            .as_float()
            .map(|float| float.as_str())
            .or(value.as_integer().map(|whole| whole.as_str()));
        text.and_then(|text| text.parse().ok())
            .filter(|number: &f64| number.is_finite() && *number >= 0.0)
    }

    /// A time such as `90s`, `10m`, `72h` or `7d`, from a second to the longest.
    pub(super) fn time(&self, longest: Duration, wanted: &str) -> Result<Duration, ConfigError> {
        let text = self.text()?;
        let (number, unit) = text.split_at(
            text.find(|c: char| !c.is_ascii_digit())
                .unwrap_or(text.len()),
        );
        let seconds = match unit {
            "s" => 1,
            "m" | "min" => 60,
            "h" => 60 * 60,
            "d" => 24 * 60 * 60,
            _ => return Err(self.must_be(wanted)),
        };
        let time = number
            .parse()
            .ok()
            .and_then(|number: u64| number.checked_mul(seconds))
            .map(Duration::from_secs);
        time.filter(|time| (Duration::from_secs(1)..=longest).contains(time))
            .ok_or_else(|| self.must_be(wanted))
    }

    /// One of a closed set of words.
    pub(super) fn one_of<T: Copy>(&self, words: &[(&str, T)]) -> Result<T, ConfigError> {
        let text = self.value.get_ref().as_str().unwrap_or_default();
        words
            .iter()
            .find(|(word, _)| *word == text)
            .map(|(_, value)| *value)
            .ok_or_else(|| {
                let words: Vec<_> = words.iter().map(|(word, _)| format!("{word:?}")).collect();
                self.must_be(&words.join(" or "))
            })
    }

    /// The values of a list.
    pub(super) fn list(&self) -> Result<Vec<ConfigField<'a>>, ConfigError> {
        let array = self
            .value
            .get_ref()
            .as_array()
            .ok_or_else(|| self.must_be("a list in square brackets"))?;
        Ok(array
            .iter()
            .map(|value| ConfigField {
                reader: self.reader,
                key: self.key,
                value,
            })
            .collect())
    }

    /// The values of a list, or the one value that stands there without brackets.
    pub(super) fn one_or_more(&self) -> Result<Vec<ConfigField<'a>>, ConfigError> {
        if self.value.get_ref().is_str() {
            return Ok(vec![ConfigField {
                reader: self.reader,
                key: self.key,
                value: self.value,
            }]);
        }
        self.list()
    }

    /// The names of variables of the environment.
    pub(super) fn variables(&self) -> Result<Vec<String>, ConfigError> {
        let mut names = Vec::new();
        for field in self.list()? {
            let name = field.text()?;
            if name.contains(['=', '\0']) {
                return Err(
                    field.must_be("names of variables of the environment, such as [\"HTTPS_PROXY\"], not their values")
                );
            }
            names.push(name.to_owned());
        }
        Ok(names)
    }

    /// A text, number or truth value as text, for settings that are handed on.
    pub(super) fn scalar(&self) -> Result<String, ConfigError> {
        let value = self.value.get_ref();
        let text = value
            .as_str()
            .map(str::to_owned)
            .or(value.as_bool().map(|flag| flag.to_string()));
        text.or(value.as_integer().map(|whole| whole.to_string()))
            .ok_or_else(|| self.must_be("a text, a whole number, true or false"))
    }

    /// Reads a table of values to be passed on as JSON.
    pub(super) fn json(&self) -> Result<serde_json::Value, ConfigError> {
        match self.value.get_ref() {
            value @ DeValue::Table(_) => json_of(value).ok_or_else(|| {
                self.must_be("a table of texts, numbers, truth values, lists and tables")
            }),
            _ => Err(self.must_be("a table, such as { temperature = 0.2 }")),
        }
    }

    /// A table, its keys checked.
    pub(super) fn table(
        &self,
        allowed: &'static TableKeys,
    ) -> Result<ConfigTable<'a>, ConfigError> {
        match self.value.get_ref().as_table() {
            Some(table) => ConfigTable::new(self.reader, table, self.value.span(), allowed),
            None => Err(self.error(format!("{} must be a table", allowed.table))),
        }
    }

    /// An error that names the candidate nearest to a mistyped word.
    pub(super) fn nearest_error(
        &self,
        message: &str,
        word: &str,
        candidates: &[&str],
    ) -> ConfigError {
        let advice = nearest(word, candidates.iter().copied()).unwrap_or_default();
        self.error(format!("{message}; the nearest is `{advice}`"))
    }
}
