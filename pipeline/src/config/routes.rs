//! The choice between engines: `prefer` and `figures`.

use super::error::ConfigError;
use super::reader::ConfigTable;
use crate::engines::{FigureError, RouteFigure, Routes};

/// Values of `prefer`; `true` puts an engine that has the pair first, `false` lets measured figures decide.
const PREFER: [(&str, bool); 2] = [("direct", true), ("figures", false)];

/// Reads `prefer` and the site's own figures.
pub(super) fn routes(table: &ConfigTable<'_>) -> Result<Routes, ConfigError> {
    let prefers_direct = table
        .get("prefer")
        .map(|field| field.one_of(&PREFER))
        .transpose()?
        .unwrap_or(false);
    let Some(field) = table.get("figures") else {
        return Ok(Routes {
            prefers_direct,
            ..Routes::default()
        });
    };
    let file = field.path()?;
    let unreadable =
        |error: FigureError| field.error(format!("{} cannot be read: {error}", file.display()));
    Ok(Routes {
        figures: RouteFigure::read_all(&file).map_err(unreadable)?,
        prefers_direct,
    })
}
