//! `[site.search]`: search in every language.

use super::ConfigError;
use super::reader::ConfigTable;

/// What writes the search indexes that Latimer cannot write itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchConfig {
    /// Pagefind and its options; empty where its indexes stay as they are.
    pub pagefind: Vec<String>,
    /// Variables of the environment that Pagefind is given beside the usual ones.
    pub variables: Vec<String>,
}

/// Reads the table.
pub(super) fn read(table: Option<ConfigTable<'_>>) -> Result<SearchConfig, ConfigError> {
    let get = |key| table.as_ref().and_then(|table| table.get(key));
    let variables = get("env")
        .map(|field| field.variables())
        .transpose()?
        .unwrap_or_default();
    let Some(field) = get("pagefind") else {
        return Ok(SearchConfig::default());
    };
    let wanted = "pagefind = [\"pagefind\"], the program and its options";
    let pagefind: Vec<String> = field
        .list()?
        .iter()
        .map(|part| part.text().map(str::to_owned))
        .collect::<Result<_, _>>()?;
    if pagefind.first().is_none_or(String::is_empty) {
        return Err(field.error(format!("`pagefind` names no program; write {wanted}")));
    }
    let ours = [
        "-s",
        "--site",
        "--output-path",
        "--output-subdir",
        "--serve",
    ];
    if let Some(option) = pagefind
        .iter()
        .find(|word| ours.contains(&word.split('=').next().unwrap_or_default()))
    {
        return Err(field.error(format!(
            "`{option}` is up to Latimer, which gives Pagefind a folder; leave it out"
        )));
    }
    Ok(SearchConfig {
        pagefind,
        variables,
    })
}
