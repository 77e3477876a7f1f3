//! `[engine.NAME]` tables, the engines that need no table, and the `--engine` option.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::error::ConfigError;
use super::keys;
use super::reader::{ConfigField, ConfigTable};
use super::service;
use crate::engines::{EngineSpec, ServiceKind, TokenPrice, TokenUsage, services};
use crate::model::Locale;

/// An engine and the name under which the configuration and reports know it.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedEngine {
    /// The name of its table, or its kind.
    pub name: String,
    /// What to start.
    pub spec: EngineSpec,
    /// What a million characters cost, in whatever money; absent when nobody said it.
    pub price_per_million: Option<f64>,
    /// Prices of a million tokens, in any currency; `None` if the configuration has none.
    pub token_price: Option<TokenPrice>,
}

impl NamedEngine {
    /// An engine without a price.
    pub fn unpriced(name: &str, spec: EngineSpec) -> Self {
        Self {
            name: name.to_owned(),
            spec,
            price_per_million: None,
            token_price: None,
        }
    }

    /// Price of sent characters, or of the tokens counted for them; `None` without a price, or if the price is per
    /// token and no tokens were counted.
    #[expect(
        clippy::cast_precision_loss,
        reason = "a build has fewer than 2^52 characters"
    )]
    pub fn price_of(&self, characters: u64, tokens: &TokenUsage) -> Option<f64> {
        match (self.token_price, self.price_per_million) {
            (Some(price), _) => tokens.named().map(|tokens| price.of(&tokens)),
            (None, Some(price)) => Some(price * characters as f64 / 1e6),
            (None, None) => None,
        }
    }

    pub(crate) fn pseudo() -> Self {
        Self::unpriced("pseudo", EngineSpec::Pseudo)
    }
}

/// Engines by name: those with a table and those that need none.
#[derive(Clone, Debug)]
pub(super) struct ConfiguredEngines(BTreeMap<String, NamedEngine>);

/// What an engine is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EngineKind {
    Plain(Plain),
    Command,
    Pivot,
    Service(&'static ServiceKind),
}

/// The kinds that need no table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Plain {
    Identity,
    Pseudo,
    Fx,
    Apertium,
}

/// The kinds that are no services, with their names, in the order in which they stand in messages.
const KINDS: [(&str, EngineKind); 6] = [
    ("identity", EngineKind::Plain(Plain::Identity)),
    ("pseudo", EngineKind::Plain(Plain::Pseudo)),
    ("fx", EngineKind::Plain(Plain::Fx)),
    ("apertium", EngineKind::Plain(Plain::Apertium)),
    ("command", EngineKind::Command),
    ("pivot", EngineKind::Pivot),
];

impl EngineKind {
    fn of(name: &str) -> Option<Self> {
        all_kinds()
            .find(|(known, _)| *known == name)
            .map(|(_, kind)| kind)
    }

    /// What a table of this kind says at least, where it cannot do without one.
    fn wanted(self) -> Option<String> {
        match self {
            Self::Plain(_) => None,
            Self::Command => Some("program = \"…\"".to_owned()),
            Self::Pivot => Some("via = \"…\" and engines = [\"…\", \"…\"]".to_owned()),
            Self::Service(kind) => Some(service::wanted(kind)),
        }
    }

    /// The keys that mean something to this kind, beside those of every engine.
    fn own_keys(self) -> Vec<&'static str> {
        match self {
            Self::Plain(Plain::Fx) => vec!["models"],
            Self::Plain(Plain::Identity | Plain::Pseudo | Plain::Apertium) => Vec::new(),
            Self::Command => vec!["program", "args", "env"],
            Self::Pivot => vec!["via", "engines"],
            Self::Service(kind) => service::own_keys(kind),
        }
    }
}

impl Plain {
    fn spec(self, models: &Path) -> EngineSpec {
        match self {
            Self::Identity => EngineSpec::Identity,
            Self::Pseudo => EngineSpec::Pseudo,
            Self::Fx => EngineSpec::Fx {
                models: models.to_path_buf(),
            },
            Self::Apertium => EngineSpec::Apertium,
        }
    }
}

/// All kinds with their names.
fn all_kinds() -> impl Iterator<Item = (&'static str, EngineKind)> {
    KINDS
        .into_iter()
        .chain(services().map(|kind| (kind.name, EngineKind::Service(kind))))
}

/// The kinds that need no table, by name.
fn plain_kinds() -> impl Iterator<Item = (&'static str, Plain)> {
    KINDS.into_iter().filter_map(|(name, kind)| match kind {
        EngineKind::Plain(plain) => Some((name, plain)),
        EngineKind::Command | EngineKind::Pivot | EngineKind::Service(_) => None,
    })
}

/// The engines that are tried when a site names none; each says itself when it lacks a pair.
const DEFAULT: [&str; 2] = ["fx", "apertium"];

/// Reads all engine tables; `models` is the folder of neural models where a table names none.
pub(super) fn read_all(
    root: &ConfigTable<'_>,
    models: &Path,
) -> Result<ConfiguredEngines, ConfigError> {
    let usual = |(name, plain): (&str, Plain)| {
        (
            name.to_owned(),
            NamedEngine::unpriced(name, plain.spec(models)),
        )
    };
    let mut engines: BTreeMap<_, _> = plain_kinds().map(usual).collect();
    if let Some(tables) = root.table("engine", &keys::ENGINES)? {
        // What is made of others comes after them.
        let is_pivot = |field: &&ConfigField<'_>| {
            field.table(&keys::ENGINE).is_ok_and(|table| {
                table
                    .get("kind")
                    .is_some_and(|kind| kind.text().is_ok_and(|kind| kind == "pivot"))
            })
        };
        let fields = tables.fields();
        let (pivots, others): (Vec<_>, Vec<_>) = fields.iter().partition(is_pivot);
        for field in others.into_iter().chain(pivots) {
            let name = field.key();
            let table = field.table(&keys::ENGINE)?;
            let price_per_million = table
                .get("price_per_million")
                .map(|field| field.amount())
                .transpose()?;
            let spec = read(name, &table, models, &engines)?;
            let token_price = table
                .get("price")
                .map(|field| token_price(&field, &table, &spec))
                .transpose()?;
            engines.insert(
                name.to_owned(),
                NamedEngine {
                    name: name.to_owned(),
                    spec,
                    price_per_million,
                    token_price,
                },
            );
        }
    }
    Ok(ConfiguredEngines(engines))
}

impl ConfiguredEngines {
    /// The engines that a site names, or the default ones.
    pub(super) fn choose(
        &self,
        named: Option<ConfigField<'_>>,
    ) -> Result<Vec<NamedEngine>, ConfigError> {
        let Some(named) = named else {
            return Ok(self.usual());
        };
        let engines: Vec<_> = named
            .one_or_more()?
            .iter()
            .map(|name| self.resolve(name))
            .collect::<Result<_, _>>()?;
        if engines.is_empty() {
            Err(named.must_be("the name of an engine, or several in a list"))
        } else {
            Ok(engines)
        }
    }

    /// The engines of a site that names none.
    pub(super) fn usual(&self) -> Vec<NamedEngine> {
        DEFAULT.iter().filter_map(|name| self.find(name)).collect()
    }

    pub(super) fn find(&self, name: &str) -> Option<NamedEngine> {
        self.0.get(name).cloned()
    }

    pub(super) fn all(&self) -> Vec<NamedEngine> {
        self.0.values().cloned().collect()
    }

    pub(super) fn resolve(&self, field: &ConfigField<'_>) -> Result<NamedEngine, ConfigError> {
        let name = field.text()?;
        if let Some(engine) = self.find(name) {
            return Ok(engine);
        }
        if let Some(advice) = wants_table(name) {
            return Err(field.error(format!("{advice}, and write NAME here")));
        }
        let known: Vec<_> = self.0.keys().map(String::as_str).collect();
        Err(field.nearest_error(&format!("there is no engine `{name}`"), name, &known))
    }
}

/// Says why `--engine` names no engine, and what to write.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EngineOptionError {
    /// A command without its program.
    #[error("`command:` is followed by a program and its arguments")]
    NoProgram,
    /// A pivot is never named.
    #[error("two engines make a pivot by themselves; give both with an --engine each")]
    Pivot,
    /// A service needs more than its kind.
    #[error(
        "the engine `{0}` needs a table in latimer.toml; this option takes no keys and addresses"
    )]
    NeedsTable(String),
    /// There is no such kind.
    #[error("there is no engine `{name}`; write one of {} or command:PROGRAM", known.join(", "))]
    Unknown {
        /// What was written.
        name: String,
        /// The kinds that there are.
        known: Vec<&'static str>,
    },
}

/// Parses what follows `--engine`: a kind, or `command:PROGRAM ARGUMENT…`, split on spaces without a shell.
///
/// # Errors
/// An [`EngineOptionError`] that says what may be written.
pub fn engine_from_option(text: &str, models: &Path) -> Result<EngineSpec, EngineOptionError> {
    if let Some(line) = text.strip_prefix("command:") {
        let mut words = line.split_whitespace().map(str::to_owned);
        let program = words.next().ok_or(EngineOptionError::NoProgram)?;
        return Ok(EngineSpec::Command {
            program,
            arguments: words.collect(),
            variables: Vec::new(),
        });
    }
    match EngineKind::of(text) {
        Some(EngineKind::Plain(plain)) => Ok(plain.spec(models)),
        Some(EngineKind::Pivot) => Err(EngineOptionError::Pivot),
        Some(EngineKind::Service(_)) => Err(EngineOptionError::NeedsTable(text.to_owned())),
        Some(EngineKind::Command) | None => {
            let known = plain_kinds().map(|(name, _)| name).collect();
            Err(EngineOptionError::Unknown {
                name: text.to_owned(),
                known,
            })
        }
    }
}

/// What to write for a kind that says too little by itself.
fn wants_table(name: &str) -> Option<String> {
    let wanted = EngineKind::of(name)?.wanted()?;
    Some(format!(
        "`{name}` needs a table: add [engine.NAME] with kind = \"{name}\" and {wanted}"
    ))
}

fn read(
    engine: &str,
    table: &ConfigTable<'_>,
    models: &Path,
    known: &BTreeMap<String, NamedEngine>,
) -> Result<EngineSpec, ConfigError> {
    let field = table.required("kind", "one, such as kind = \"command\"")?;
    let name = field.text()?;
    let Some(kind) = EngineKind::of(name) else {
        let names: Vec<_> = all_kinds().map(|(name, _)| name).collect();
        return Err(field.nearest_error(
            &format!("there is no engine kind `{name}`"),
            name,
            &names,
        ));
    };
    let means_something = |key: &str| {
        ["kind", "price_per_million", "price"].contains(&key) || kind.own_keys().contains(&key)
    };
    if let Some(stray) = table
        .fields()
        .iter()
        .find(|field| !means_something(field.key()))
    {
        return Err(stray.error(format!(
            "`{}` means nothing to an engine of kind `{name}`; remove it",
            stray.key()
        )));
    }
    match kind {
        EngineKind::Plain(plain) => {
            let models = table
                .get("models")
                .map(|field| field.path())
                .transpose()?
                .unwrap_or(models.to_path_buf());
            Ok(plain.spec(&models))
        }
        EngineKind::Command => command(table),
        EngineKind::Pivot => pivot(table, known),
        EngineKind::Service(kind) => service::read(kind, engine, table),
    }
}

/// Reads the prices of tokens, for engines that count them.
fn token_price(
    field: &ConfigField<'_>,
    engine: &ConfigTable<'_>,
    spec: &EngineSpec,
) -> Result<TokenPrice, ConfigError> {
    if !spec.counts_tokens() {
        return Err(field.error(format!(
            "`price` is per token, and an engine of kind `{}` counts none; write price_per_million, the price of a million \
             characters",
            spec.kind()
        )));
    }
    if engine.get("price_per_million").is_some() {
        return Err(field.error(
            "`price` and `price_per_million` are two prices for the same texts; remove one of them"
                .to_owned(),
        ));
    }
    let table = field.table(&keys::TOKEN_PRICE)?;
    let input = table
        .required(
            "input",
            "the price of a million tokens of requests, such as input = 0.4",
        )?
        .amount()?;
    let output = table
        .required(
            "output",
            "the price of a million tokens of answers, such as output = 1.6",
        )?
        .amount()?;
    let cached = table
        .get("cached")
        .map(|field| field.amount())
        .transpose()?
        .unwrap_or(input);
    Ok(TokenPrice {
        input,
        output,
        cached,
    })
}

fn command(table: &ConfigTable<'_>) -> Result<EngineSpec, ConfigError> {
    let program = table.required(
        "program",
        "the program to start, such as program = \"./translate.py\"",
    )?;
    let arguments = match table.get("args") {
        Some(field) => field
            .list()?
            .iter()
            .map(|one| one.text().map(str::to_owned))
            .collect::<Result<_, _>>()?,
        None => Vec::new(),
    };
    let variables = table
        .get("env")
        .map_or(Ok(Vec::new()), |field| field.variables())?;
    Ok(EngineSpec::Command {
        program: program_path(&program)?,
        arguments,
        variables,
    })
}

fn pivot(
    table: &ConfigTable<'_>,
    known: &BTreeMap<String, NamedEngine>,
) -> Result<EngineSpec, ConfigError> {
    let via = table.required("via", "the language in between, such as via = \"pt\"")?;
    let via = Locale::parse_wanted(via.text()?).map_err(|error| via.error(error.to_string()))?;
    let field = table.required(
        "engines",
        "the two engines, such as engines = [\"fx\", \"apertium\"]",
    )?;
    let spec = |field: &ConfigField<'_>| {
        let name = field.text()?;
        let names: Vec<_> = known.keys().map(String::as_str).collect();
        let found = known
            .get(name)
            .filter(|engine| !matches!(engine.spec, EngineSpec::Pivot { .. }));
        let missing = || {
            field.nearest_error(
                &format!("there is no engine `{name}` to go through"),
                name,
                &names,
            )
        };
        found
            .map(|engine| Box::new(engine.spec.clone()))
            .ok_or_else(missing)
    };
    match field.list()?.as_slice() {
        [first, second] => Ok(EngineSpec::Pivot {
            first: spec(first)?,
            via,
            second: spec(second)?,
        }),
        _ => Err(field.must_be("two engines: the one that translates first, and the other")),
    }
}

/// A program named with a slash is a file beside the configuration; without one the system looks it up.
fn program_path(field: &ConfigField<'_>) -> Result<String, ConfigError> {
    let text = field.text()?;
    if !text.contains('/') {
        return Ok(text.to_owned());
    }
    let path: PathBuf = field.path()?;
    path.into_os_string()
        .into_string()
        .map_err(|_| field.must_be("a path in UTF-8"))
}
