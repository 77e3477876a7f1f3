//! Localized paths in a CSV file: a page and its path in one locale, a line each.
//!
//! A page that stands there again has had the later path before: readers of it are sent on.

use std::path::Path;
use std::{fs, io};

use crate::model::PagePath;

/// What the file of one locale says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SlugFile {
    /// Each page's path.
    pub current: Vec<Slug>,
    /// Paths that a page had before.
    pub former: Vec<Slug>,
}

/// A page and a path of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slug {
    /// The line it stands in, counted from 1.
    pub line: usize,
    /// The path of the source page.
    pub source: PagePath,
    /// Its path in the locale.
    pub local: PagePath,
}

/// Says what is wrong with a file of paths, and where.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SlugsError {
    /// It cannot be read.
    #[error("cannot read the paths in {file}")]
    Read {
        /// The file.
        file: String,
        /// Why.
        source: io::Error,
    },
    /// A line is wrong.
    #[error("{file}:{line}: {problem}")]
    Line {
        /// The file.
        file: String,
        /// The line, counted from 1.
        line: usize,
        /// What is wrong, and what to write.
        problem: String,
    },
}

impl SlugFile {
    /// Reads a file; one that is not there says nothing.
    ///
    /// # Errors
    /// A [`SlugsError`] for the first line that is wrong.
    pub fn open(file: &Path) -> Result<Self, SlugsError> {
        let name = file.display().to_string();
        match fs::read(file) {
            Ok(bytes) => parse(&name, &bytes),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self::default()),
            Err(source) => Err(SlugsError::Read { file: name, source }),
        }
    }
}

fn parse(file: &str, bytes: &[u8]) -> Result<SlugFile, SlugsError> {
    let text = String::from_utf8_lossy(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes));
    let mut slugs = SlugFile::default();
    // A path holds no line end, so each line is read alone and its number is right.
    for (line, text) in (1..)
        .zip(text.lines())
        .filter(|(_, text)| !text.trim().is_empty() && !text.starts_with('#'))
    {
        let wrong = |problem: String| SlugsError::Line {
            file: file.to_owned(),
            line,
            problem,
        };
        let cells = cells(text).map_err(|error| wrong(error.to_string()))?;
        let is_header = slugs.current.is_empty() && cells.iter().all(|cell| !cell.starts_with('/'));
        match cells.as_slice() {
            _ if is_header => {}
            [source, local] => {
                let source = page(source).map_err(wrong)?;
                let local = page(local).map_err(wrong)?;
                add(
                    &mut slugs,
                    Slug {
                        line,
                        source,
                        local,
                    },
                )
                .map_err(wrong)?;
            }
            cells => {
                let count = cells.len();
                return Err(wrong(format!(
                    "{count} cells; write the page's path and its path in this language"
                )));
            }
        }
    }
    Ok(slugs)
}

fn cells(line: &str) -> Result<Vec<String>, csv::Error> {
    let reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .trim(csv::Trim::All)
        .from_reader(line.as_bytes());
    let records = reader.into_records().collect::<Result<Vec<_>, _>>()?;
    Ok(records.iter().flatten().map(str::to_owned).collect())
}

fn page(cell: &str) -> Result<PagePath, String> {
    let path = PagePath::parse(cell).map_err(|error| error.to_string())?;
    match path.query().is_some() || cell.contains('#') {
        true => Err(format!(
            "{cell:?} has a query or a fragment; write the path alone"
        )),
        false => Ok(path),
    }
}

fn add(slugs: &mut SlugFile, slug: Slug) -> Result<(), String> {
    if slug.source.as_str() == "/" || slug.local.as_str() == "/" {
        return Err("the home page of every language is /; give another page a path".to_owned());
    }
    let is_known = slugs
        .current
        .iter()
        .any(|known| known.source == slug.source);
    if let Some(other) = slugs
        .current
        .iter()
        .find(|known| known.local == slug.local && known.source != slug.source)
    {
        return Err(format!(
            "{} is the path of {} already (line {})",
            slug.local, other.source, other.line
        ));
    }
    if is_known {
        slugs.former.push(slug)
    } else {
        slugs.current.push(slug)
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_pages_and_their_paths() {
        let text =
            "path,slug\n# a note\n/about/, /quienes-somos/\n\"/a,b/\",/c/\n/about/,/sobre/\n";
        let slugs = parse("es.csv", text.as_bytes()).unwrap();
        let lines = |slugs: &[Slug]| {
            slugs
                .iter()
                .map(|slug| format!("{} {} {}", slug.line, slug.source, slug.local))
                .collect::<Vec<_>>()
        };
        assert_eq!(
            lines(&slugs.current),
            ["3 /about/ /quienes-somos/", "4 /a,b/ /c/"]
        );
        assert_eq!(lines(&slugs.former), ["5 /about/ /sobre/"]);
    }

    #[test]
    fn wrong_lines_are_named() {
        for (text, message) in [
            (
                "/a/\n",
                "es.csv:1: 1 cells; write the page's path and its path in this language",
            ),
            (
                "/a/,b\n",
                "es.csv:1: \"b\" is not a path on a site; a path starts with / and stays inside the site",
            ),
            (
                "/a/,/b/?x=1\n",
                "es.csv:1: \"/b/?x=1\" has a query or a fragment; write the path alone",
            ),
            (
                "/a/,/c/\n/b/,/c/\n",
                "es.csv:2: /c/ is the path of /a/ already (line 1)",
            ),
            (
                "/,/inicio/\n",
                "es.csv:1: the home page of every language is /; give another page a path",
            ),
        ] {
            assert_eq!(
                parse("es.csv", text.as_bytes()).unwrap_err().to_string(),
                message
            );
        }
    }
}
