//! Glossaries: how an owner wants terms translated, in a CSV file or in TBX-Basic (ISO 30042).
//!
//! The first line of a CSV file names its columns: `term` (or the source language), a column for each language, and if
//! wanted `translate`, `case`, `match` and `note`. Several forms in one cell are separated by `|`.

mod entry;
mod lines;
mod tbx;

use std::collections::HashMap;
use std::path::Path;
use std::{fs, io};

use entry::{GlossaryEntry, GlossaryProblem};
pub use lines::{SuggestedLine, glossary_lines};

use crate::model::{LanguagePair, Locale};
use crate::translate::{Matching, Term, Terms};

/// A glossary of several languages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Glossary {
    entries: Vec<GlossaryEntry>,
}

/// Says what is wrong with a glossary, and where.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GlossaryError {
    /// It cannot be read.
    #[error("cannot read the glossary {file}")]
    Read {
        /// The file.
        file: String,
        /// The reason.
        source: io::Error,
    },
    /// A line is wrong.
    #[error("glossary {file}:{line}: {problem}")]
    Line {
        /// The file.
        file: String,
        /// The line, counted from 1.
        line: usize,
        /// What is wrong, and what to write.
        problem: String,
    },
}

impl Glossary {
    /// Whether it has no terms.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Reads a file: TBX where its name ends so, else CSV.
    ///
    /// # Errors
    /// A [`GlossaryError`] when it cannot be read, or for the first line that is wrong.
    pub fn open(file: &Path, source: &Locale) -> Result<Self, GlossaryError> {
        let name = file.display().to_string();
        let bytes = fs::read(file).map_err(|source| GlossaryError::Read {
            file: name.clone(),
            source,
        })?;
        let is_tbx = file
            .extension()
            .is_some_and(|ending| ending.eq_ignore_ascii_case("tbx"));
        let line = |(line, problem)| GlossaryError::Line {
            file: name.clone(),
            line,
            problem,
        };
        let text = text(&bytes).map_err(line)?;
        let entries = if is_tbx {
            tbx::parse(text, source)
        } else {
            parse_csv(text, source)
        };
        entries.map(|entries| Self { entries }).map_err(line)
    }

    /// What it says of a pair of languages. A column for a language is good for its regions too, unless they have their
    /// own.
    pub fn terms(&self, pair: LanguagePair<&Locale>) -> Terms {
        let (terms, notes) = self.terms_of(pair).unzip();
        Terms::new(terms).with_notes(notes)
    }

    /// Terms with the site's names added. The glossary overrides a name that it mentions: without a translation there,
    /// the name is translated like other words.
    pub fn terms_and_names(
        &self,
        pair: LanguagePair<&Locale>,
        names: impl Iterator<Item = Term>,
    ) -> Terms {
        let free = names.filter(|name| {
            !name
                .source
                .iter()
                .any(|form| self.mentions(form, pair.from))
        });
        let (mut terms, notes): (Vec<Term>, Vec<String>) = self.terms_of(pair).unzip();
        terms.extend(free);
        Terms::new(terms).with_notes(notes)
    }

    /// True if a line has this form in the source language.
    pub fn mentions(&self, form: &str, source: &Locale) -> bool {
        self.entries.iter().any(|entry| {
            let mut forms = entry.forms(source, "").unwrap_or_default().iter();
            forms.any(|own| {
                own == form || (!entry.keeps_case && own.to_lowercase() == form.to_lowercase())
            })
        })
    }

    /// Terms of a pair of languages, each with its note.
    fn terms_of(&self, pair: LanguagePair<&Locale>) -> impl Iterator<Item = (Term, String)> {
        let term = move |entry: &GlossaryEntry| {
            let own = entry.forms(pair.from, "")?;
            let target = match entry.forms(pair.to, "-") {
                // A term that stays as it is in one language.
                Some(forms) if forms == own => Vec::new(),
                Some(forms) => forms.to_vec(),
                None if entry.is_kept => Vec::new(),
                None => return None,
            };
            let keeps_case = entry.keeps_case;
            let matching = entry.matching;
            let term = Term {
                source: own.to_vec(),
                target,
                keeps_case,
                matching,
                is_name: false,
            };
            Some((term, entry.note.clone()))
        };
        self.entries.iter().filter_map(term)
    }
}

fn text(bytes: &[u8]) -> Result<&str, GlossaryProblem> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    std::str::from_utf8(bytes).map_err(|error| {
        let line = 1 + bytes[..error.valid_up_to()]
            .iter()
            .filter(|&&byte| byte == b'\n')
            .count();
        (
            line,
            "this is not UTF-8; save the file in that encoding".to_owned(),
        )
    })
}

/// What a column holds.
enum Column {
    Name(String),
    Translate,
    Case,
    Match,
    Note,
    /// Remarks for people.
    Comment,
}

fn parse_csv(text: &str, source: &Locale) -> Result<Vec<GlossaryEntry>, GlossaryProblem> {
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .trim(csv::Trim::All)
        .comment(Some(b'#'))
        .delimiter(delimiter(text))
        .from_reader(text.as_bytes());
    let mut columns: Option<Vec<Column>> = None;
    let mut entries: Vec<GlossaryEntry> = Vec::new();
    let mut known: HashMap<String, usize> = HashMap::new();
    for record in reader.records() {
        let record = record.map_err(|error| (line_of(error.position()), error.to_string()))?;
        let line = line_of(record.position());
        let wrong = |problem: String| (line, problem);
        let Some(columns) = &columns else {
            columns = Some(header(&record, source).map_err(wrong)?);
            continue;
        };
        if record.len() > columns.len() {
            let cells = record.len();
            let columns = columns.len();
            return Err(wrong(format!(
                "{cells} cells for {columns} columns; put cells with commas in quotes"
            )));
        }
        let entry = entry(&record, columns, line).map_err(wrong)?;
        for form in entry.forms(source, "").unwrap_or_default() {
            let form = if entry.keeps_case {
                form.clone()
            } else {
                form.to_lowercase()
            };
            if let Some(other) = known.insert(form.clone(), line) {
                return Err(wrong(format!(
                    "{form:?} stands in line {other} already; put all it may become in one line"
                )));
            }
        }
        entries.push(entry);
    }
    match columns {
        Some(_) => Ok(entries),
        None => Err((
            1,
            format!(
                "it is empty; begin with a line such as `term,{source},fr`, naming the columns"
            ),
        )),
    }
}

fn line_of(position: Option<&csv::Position>) -> usize {
    position.map_or(1, |position| {
        usize::try_from(position.line()).unwrap_or(usize::MAX)
    })
}

/// What separates the cells: spreadsheets of some countries write something else than a comma.
fn delimiter(text: &str) -> u8 {
    let first = text
        .lines()
        .find(|line| !line.trim().is_empty() && !line.starts_with('#'))
        .unwrap_or_default();
    let count = |delimiter: &u8| first.bytes().filter(|byte| byte == delimiter).count();
    [b'\t', b';', b',']
        .into_iter()
        .max_by_key(count)
        .unwrap_or(b',')
}

fn header(record: &csv::StringRecord, source: &Locale) -> Result<Vec<Column>, String> {
    let column = |name: &str| match name.to_lowercase().as_str() {
        "term" | "source" => Ok(Column::Name(String::new())),
        "translate" => Ok(Column::Translate),
        "case" => Ok(Column::Case),
        "match" => Ok(Column::Match),
        "note" | "notes" => Ok(Column::Note),
        "comment" | "comments" | "description" | "definition" => Ok(Column::Comment),
        _ => match Locale::parse(name) {
            Ok(locale) if source.is_in_range(locale.as_str()) => Ok(Column::Name(String::new())),
            Ok(locale) => Ok(Column::Name(locale.as_str().to_owned())),
            Err(_) => Err(format!(
                "there is no column {name:?}; columns are `term`, languages such as `{source}`, `translate`, `case`, `match` and `note`"
            )),
        },
    };
    let columns: Vec<Column> = record.iter().map(column).collect::<Result<_, _>>()?;
    let names = |wanted: fn(&str) -> bool| {
        columns
            .iter()
            .filter(|column| matches!(column, Column::Name(tag) if wanted(tag)))
            .count()
    };
    match names(str::is_empty) {
        1 => Ok(columns),
        0 => Err(format!(
            "no column holds the terms; name one `term` or `{source}`"
        )),
        _ => Err(format!("two columns hold the terms in {source}; keep one")),
    }
}

fn entry(
    record: &csv::StringRecord,
    columns: &[Column],
    line: usize,
) -> Result<GlossaryEntry, String> {
    let mut entry = GlossaryEntry {
        line,
        ..GlossaryEntry::default()
    };
    for (cell, column) in record
        .iter()
        .zip(columns)
        .filter(|(cell, _)| !cell.is_empty())
    {
        match column {
            Column::Name(tag) => {
                let forms: Vec<String> =
                    cell.split('|').map(str::trim).map(str::to_owned).collect();
                if forms.iter().any(String::is_empty) {
                    return Err(format!(
                        "a form in {cell:?} is empty; write forms such as \"server|servers\""
                    ));
                }
                entry.names.push((tag.clone(), forms));
            }
            Column::Translate => {
                entry.is_kept = !choice(cell, "translate", [("yes", true), ("no", false)])?
            }
            Column::Case => {
                entry.keeps_case = choice(cell, "case", [("keep", true), ("ignore", false)])?
            }
            Column::Match => {
                let words = [
                    ("word", Matching::Word),
                    ("start", Matching::Start),
                    ("part", Matching::Part),
                ];
                entry.matching = choice(cell, "match", words)?;
            }
            Column::Note => entry.add_note(cell),
            Column::Comment => {}
        }
    }
    match entry.names.iter().any(|(tag, _)| tag.is_empty()) {
        true => Ok(entry),
        false => Err("the cell of the term is empty; fill it, or remove the line".to_owned()),
    }
}

fn choice<T: Copy, const N: usize>(
    cell: &str,
    column: &str,
    words: [(&str, T); N],
) -> Result<T, String> {
    let found = words
        .iter()
        .find(|(word, _)| cell.eq_ignore_ascii_case(word))
        .map(|(_, value)| *value);
    found.ok_or_else(|| {
        let words: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        format!("`{column}` is {cell:?}; write {}", words.join(" or "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn locale(tag: &str) -> Locale {
        Locale::parse(tag).unwrap()
    }

    /// What a glossary misses in a translation, as "source > target".
    pub(super) fn missed(
        entries: &[GlossaryEntry],
        target: &str,
        source: &str,
        translation: &str,
    ) -> Vec<String> {
        let glossary = Glossary {
            entries: entries.to_vec(),
        };
        let missed = glossary
            .terms(LanguagePair {
                from: &locale("en"),
                to: &locale(target),
            })
            .missed(source, translation);
        missed
            .into_iter()
            .map(|missed| format!("{} > {}", missed.source, missed.target))
            .collect()
    }

    #[test]
    fn columns_are_languages_and_rules() {
        let text = "# our words\nterm;es;pt;pt-BR;translate;case;match;note\n\
            server|servers;servidor|servidores;servidor;;;;;a machine\nLatimer;;;;no;keep;;\n\
            bus;guagua;autocarro;ônibus;;;start;\nhardware;hardware;;;;;;\n";
        let entries = parse_csv(text, &locale("en")).unwrap();
        for (target, source, expected) in [
            ("es-MX", "Servers", vec!["Servers > Servidores"]),
            ("pt-BR", "buses", vec!["buses > ônibus"]),
            ("pt-PT", "bus", vec!["bus > autocarro"]),
            ("de", "bus server", vec![]),
            ("de", "Latimer latimer", vec!["Latimer > Latimer"]),
            ("es", "hardware", vec!["hardware > hardware"]),
            ("pt", "hardware", vec![]),
        ] {
            assert_eq!(
                missed(&entries, target, source, "-"),
                expected,
                "{target}: {source}"
            );
        }
    }

    #[test]
    fn notes_are_read_and_comments_are_not_r_l24() {
        let text = "term,es,note,comment,translate\nspring,primavera,the   season,ask Ann,\nLatimer,,our name,,no\nbus,guagua,,,\n";
        let glossary = Glossary {
            entries: parse_csv(text, &locale("en")).unwrap(),
        };
        let languages = LanguagePair::of_tags("en", "es");
        let notes = glossary.terms_of(languages.as_ref()).map(|(_, note)| note);
        assert_eq!(notes.collect::<Vec<_>>(), ["the season", "our name", ""]);
    }

    #[test]
    fn lines_of_the_owner_go_before_names_r_n2() {
        let glossary = |text: &str| Glossary {
            entries: parse_csv(text, &locale("en")).unwrap(),
        };
        let name = || Term {
            source: vec!["Harbor Lane".to_owned()],
            target: Vec::new(),
            keeps_case: true,
            matching: Matching::Word,
            is_name: true,
        };
        let languages = LanguagePair::of_tags("en", "es");
        for (text, expected) in [
            ("term,es\nbread,pan\n", vec!["Harbor Lane"]),
            (
                "term,es\nHarbor Lane,Calle del Puerto\n",
                vec!["Calle del Puerto"],
            ),
            // Empty cells release a name, whatever its case in a case-insensitive line.
            ("term,es\nHarbor Lane,\n", vec![]),
            ("term,es,fr\nharbor lane,,Rue du Port\n", vec![]),
            (
                "term,es,case\nharbor lane,calle,keep\n",
                vec!["Harbor Lane"],
            ),
            ("term,es,translate\nHarbor Lane,,no\n", vec!["Harbor Lane"]),
        ] {
            let pair = languages.as_ref();
            let terms = glossary(text).terms_and_names(pair, std::iter::once(name()));
            let missed = terms.missed("At Harbor Lane", "-");
            assert_eq!(
                missed
                    .into_iter()
                    .map(|missed| missed.target)
                    .collect::<Vec<_>>(),
                expected,
                "{text}"
            );
        }
    }

    #[test]
    fn wrong_lines_are_named() {
        for (text, line, problem) in [
            (
                "",
                1,
                "it is empty; begin with a line such as `term,en,fr`, naming the columns",
            ),
            (
                "es,fr\n",
                1,
                "no column holds the terms; name one `term` or `en`",
            ),
            ("term,en\n", 1, "two columns hold the terms in en; keep one"),
            (
                "term,Spanish language\n",
                1,
                "there is no column \"Spanish language\"; columns are",
            ),
            ("term,es\n,servidor\n", 2, "the cell of the term is empty"),
            ("term,es\na,b,c\n", 2, "3 cells for 2 columns"),
            (
                "term,es\n\"a\nb\",c\nd||e,f\n",
                4,
                "a form in \"d||e\" is empty",
            ),
            (
                "term,case\na,yes\n",
                2,
                "`case` is \"yes\"; write keep or ignore",
            ),
            (
                "term,es\nWeb,red\nweb,Web\n",
                3,
                "\"web\" stands in line 2 already",
            ),
        ] {
            let (at, found) = parse_csv(text, &locale("en")).unwrap_err();
            assert!(
                at == line && found.starts_with(problem),
                "{text:?}: {at}: {found}"
            );
        }
        assert_eq!(super::text(b"term\nca\xe9\n").unwrap_err().0, 2);
    }
}
