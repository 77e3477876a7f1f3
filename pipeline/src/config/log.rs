//! `[log]`: how the log is written, and how much of it.

use super::error::ConfigError;
use super::keys;
use super::reader::ConfigTable;

/// `[log]`: the lines on standard error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LogConfig {
    /// How lines are written.
    pub format: LogFormat,
    /// What is written.
    pub level: LogLevel,
}

/// How lines of the log are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LogFormat {
    /// Sentences.
    #[default]
    Text,
    /// A JSON object a line.
    Json,
}

/// The least that is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LogLevel {
    /// What failed.
    Error,
    /// Also what needs somebody's eye.
    Warn,
    /// Also what happens.
    #[default]
    Info,
    /// Also each request to the API.
    Debug,
}

const FORMATS: [(&str, LogFormat); 2] = [("text", LogFormat::Text), ("json", LogFormat::Json)];
const LEVELS: [(&str, LogLevel); 4] = [
    ("error", LogLevel::Error),
    ("warn", LogLevel::Warn),
    ("info", LogLevel::Info),
    ("debug", LogLevel::Debug),
];

pub(super) fn read(root: &ConfigTable<'_>) -> Result<LogConfig, ConfigError> {
    let Some(table) = root.table("log", &keys::LOG)? else {
        return Ok(LogConfig::default());
    };
    Ok(LogConfig {
        format: table
            .get("format")
            .map(|field| field.one_of(&FORMATS))
            .transpose()?
            .unwrap_or_default(),
        level: table
            .get("level")
            .map(|field| field.one_of(&LEVELS))
            .transpose()?
            .unwrap_or_default(),
    })
}
