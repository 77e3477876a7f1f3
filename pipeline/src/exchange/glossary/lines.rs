//! Suggested terms as lines of a CSV file, to be pasted into a glossary.

use std::path::Path;

use super::{Column, delimiter, header, text};
use crate::model::Locale;

/// A word that is suggested as a term.
#[derive(Clone, Debug)]
pub struct SuggestedLine<'t> {
    /// The word.
    pub term: &'t str,
    /// The reason.
    pub note: String,
}

/// Writes case-sensitive terms that are not translated. Uses the columns of `file` if that is a CSV glossary; otherwise
/// writes a header with one column for each language.
pub fn glossary_lines<'t>(
    file: Option<&Path>,
    (source, locales): (&Locale, &[Locale]),
    lines: impl Iterator<Item = SuggestedLine<'t>>,
) -> String {
    let own = file.and_then(|file| columns_of(file, source));
    let mut written = Vec::new();
    let (sign, columns) = match own {
        Some(own) => own,
        None => {
            let languages = locales.iter().map(|locale| locale.as_str());
            let names: Vec<&str> = ["term"]
                .into_iter()
                .chain(languages)
                .chain(["translate", "case", "match", "comment"])
                .collect();
            write_row(&mut written, b',', &names);
            let languages = locales
                .iter()
                .map(|locale| Column::Name(locale.as_str().to_owned()));
            let columns = std::iter::once(Column::Name(String::new())).chain(languages);
            (
                b',',
                columns
                    .chain([
                        Column::Translate,
                        Column::Case,
                        Column::Match,
                        Column::Comment,
                    ])
                    .collect(),
            )
        }
    };
    // Without a column for it, a term stays in languages whose own word for it is the same.
    let says_kept = columns
        .iter()
        .any(|column| matches!(column, Column::Translate));
    for SuggestedLine { term, note } in lines {
        let row: Vec<&str> = columns
            .iter()
            .map(|column| match column {
                Column::Name(language) if language.is_empty() || !says_kept => term,
                Column::Translate => "no",
                Column::Case => "keep",
                // Notes go to language models; this one quotes a page.
                Column::Comment => note.as_str(),
                Column::Name(_) | Column::Match | Column::Note => "",
            })
            .collect();
        write_row(&mut written, sign, &row);
    }
    String::from_utf8_lossy(&written).into_owned()
}

fn write_row(into: &mut Vec<u8>, sign: u8, cells: &[&str]) {
    let mut writer = csv::WriterBuilder::new()
        .delimiter(sign)
        .from_writer(Vec::new());
    // Writing to memory cannot fail.
    if writer.write_record(cells).is_ok()
        && let Ok(mut row) = writer.into_inner()
    {
        into.append(&mut row);
    }
}

/// The separator and the columns of a glossary in CSV.
fn columns_of(file: &Path, source: &Locale) -> Option<(u8, Vec<Column>)> {
    if file
        .extension()
        .is_some_and(|ending| ending.eq_ignore_ascii_case("tbx"))
    {
        return None;
    }
    let bytes = std::fs::read(file).ok()?;
    let text = text(&bytes).ok()?;
    let sign = delimiter(text);
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .trim(csv::Trim::All)
        .comment(Some(b'#'))
        .delimiter(sign)
        .from_reader(text.as_bytes());
    let first = reader.records().next()?.ok()?;
    Some((sign, header(&first, source).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn locale(tag: &str) -> Locale {
        Locale::parse(tag).unwrap()
    }

    fn check(glossary: Option<&str>, name: &str, expected: &str) {
        let folder = tempfile::TempDir::new().unwrap();
        let file = folder.path().join(name);
        if let Some(text) = glossary {
            std::fs::write(&file, text).unwrap();
        }
        let lines = [SuggestedLine {
            term: "Aeropress",
            note: "in 2 texts, such as: an \"Aeropress\", too".into(),
        }];
        let source = locale("en");
        let locales = [locale("es"), locale("pt-BR")];
        assert_eq!(
            glossary_lines(Some(&file), (&source, &locales), lines.into_iter()),
            expected
        );
        // The lines are a glossary.
        let whole = glossary
            .filter(|text| !text.starts_with('<'))
            .unwrap_or_default()
            .to_owned()
            + expected;
        let entries = super::super::parse_csv(&whole, &source).unwrap();
        assert!(
            entries
                .last()
                .is_some_and(|entry| entry.names[0].1 == ["Aeropress"]),
            "{whole}"
        );
    }

    #[test]
    fn suggestions_fit_the_glossary_r_n3() {
        let note = "\"in 2 texts, such as: an \"\"Aeropress\"\", too\"";
        let plain =
            format!("term,es,pt-BR,translate,case,match,comment\nAeropress,,,no,keep,,{note}\n");
        check(None, "terms.csv", &plain);
        check(Some("<tbx/>"), "terms.tbx", &plain);
        check(
            Some("term,es,comment\n"),
            "terms.csv",
            &format!("Aeropress,Aeropress,{note}\n"),
        );
        check(
            Some("# our words\ncomment;translate;en;es\n"),
            "terms.csv",
            &format!("{};no;Aeropress;\n", note),
        );
        check(
            Some("term\tcase\tes\n"),
            "terms.csv",
            "Aeropress\tkeep\tAeropress\n",
        );
    }
}
