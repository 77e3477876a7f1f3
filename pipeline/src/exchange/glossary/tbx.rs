//! TBX-Basic: the 2008 form (`martif`, `termEntry`, `langSet`, `tig` or `ntig`) and the one of 2019 (`tbx`,
//! `conceptEntry`, `langSec`, `termSec`), whose categories are attributes (DCA) or elements (DCT).
//!
//! Read is what terms are called, and which names are no longer to be used; the preferred name comes first. Entities that
//! a document declares are never expanded.

use std::collections::HashMap;

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::entry::{GlossaryEntry, GlossaryProblem};
use crate::model::Locale;

/// How good a name is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum TermStatus {
    Preferred,
    #[default]
    Usual,
    Deprecated,
}

#[derive(Default)]
struct TermName {
    text: String,
    status: TermStatus,
}

/// Reads the concepts that have a name in the source language.
pub(super) fn parse(text: &str, source: &Locale) -> Result<Vec<GlossaryEntry>, GlossaryProblem> {
    let mut reader = Reader::from_str(text);
    let mut walk = TbxWalk::default();
    let mut counted = 0;
    let mut lines = 1;
    let mut line = |at: u64| {
        let at = usize::try_from(at)
            .unwrap_or(usize::MAX)
            .clamp(counted, text.len());
        lines += text.as_bytes()[counted..at]
            .iter()
            .filter(|&&byte| byte == b'\n')
            .count();
        counted = at;
        lines
    };
    loop {
        let at = reader.buffer_position();
        match reader.read_event() {
            Err(error) => {
                return Err((
                    line(reader.error_position()),
                    format!("this is no XML: {error}"),
                ));
            }
            Ok(Event::Eof) => break,
            Ok(Event::Start(tag)) => walk.open(&tag, line(at)),
            Ok(Event::End(tag)) => walk.close(tag.local_name().as_ref(), source),
            Ok(Event::Text(part)) => walk.said.push_str(&part.decode().unwrap_or_default()),
            Ok(Event::CData(part)) => walk.said.push_str(&part.decode().unwrap_or_default()),
            Ok(Event::GeneralRef(name)) => {
                let known = name
                    .decode()
                    .ok()
                    .and_then(|name| quick_xml::escape::resolve_predefined_entity(&name));
                match (name.resolve_char_ref(), known) {
                    (Ok(Some(letter)), _) => walk.said.push(letter),
                    (_, Some(letter)) => walk.said.push_str(letter),
                    _ => {}
                }
            }
            Ok(
                Event::Empty(_)
                | Event::Comment(_)
                | Event::Decl(_)
                | Event::PI(_)
                | Event::DocType(_),
            ) => {}
        }
    }
    match walk.is_tbx {
        true => Ok(walk.entries),
        false => Err((
            1,
            "this is no TBX: it has neither <martif> nor <tbx>".to_owned(),
        )),
    }
}

#[derive(Default)]
struct TbxWalk {
    is_tbx: bool,
    entries: Vec<GlossaryEntry>,
    /// The entries by their names in the source language.
    known: HashMap<String, usize>,
    entry: GlossaryEntry,
    /// The language of the section that is open, and the names in it.
    language: String,
    names: Vec<TermName>,
    name: TermName,
    /// Whether the note that is open tells how good the name is.
    in_status: bool,
    /// The text since the last tag.
    said: String,
}

impl TbxWalk {
    fn open(&mut self, tag: &BytesStart<'_>, line: usize) {
        self.said.clear();
        match tag.local_name().as_ref() {
            b"martif" | b"tbx" => self.is_tbx = true,
            b"termEntry" | b"conceptEntry" => {
                self.entry = GlossaryEntry {
                    line,
                    ..GlossaryEntry::default()
                }
            }
            b"langSet" | b"langSec" => {
                self.language = attribute(tag, b"xml:lang").unwrap_or_default();
                self.names.clear();
            }
            b"tig" | b"ntig" | b"termSec" => self.name = TermName::default(),
            b"termNote" => {
                self.in_status = attribute(tag, b"type").as_deref() == Some("administrativeStatus")
            }
            b"administrativeStatus" => self.in_status = true,
            _ => {}
        }
    }

    fn close(&mut self, tag: &[u8], source: &Locale) {
        let said = std::mem::take(&mut self.said);
        match tag {
            b"term" => self.name.text = said.split_whitespace().collect::<Vec<_>>().join(" "),
            b"termNote" | b"administrativeStatus" if std::mem::take(&mut self.in_status) => {
                self.name.status = status(said.trim());
            }
            b"tig" | b"ntig" | b"termSec" => self.names.push(std::mem::take(&mut self.name)),
            b"langSet" | b"langSec" => self.language_ends(source),
            b"termEntry" | b"conceptEntry" => self.entry_ends(),
            _ => {}
        }
    }

    fn language_ends(&mut self, source: &Locale) {
        self.names.sort_by_key(|name| name.status);
        let good = self
            .names
            .drain(..)
            .filter(|name| name.status != TermStatus::Deprecated && !name.text.is_empty());
        let forms: Vec<String> = good.map(|name| name.text).collect();
        let Ok(locale) = Locale::parse(&self.language) else {
            return;
        };
        let is_source = source.is_in_range(locale.as_str()) || locale.is_in_range(source.as_str());
        let tag = if is_source {
            String::new()
        } else {
            locale.as_str().to_owned()
        };
        self.entry.names.push((tag, forms));
    }

    /// A name that two concepts share may become what either of them is called.
    fn entry_ends(&mut self) {
        let entry = std::mem::take(&mut self.entry);
        let own = |entry: &GlossaryEntry| {
            entry
                .names
                .iter()
                .find(|(tag, _)| tag.is_empty())
                .map(|(_, forms)| forms.clone())
        };
        let Some(forms) = own(&entry).filter(|forms| !forms.is_empty()) else {
            return;
        };
        match forms
            .iter()
            .find_map(|form| self.known.get(form))
            .and_then(|&at| self.entries.get_mut(at))
        {
            None => {
                self.known
                    .extend(forms.into_iter().map(|form| (form, self.entries.len())));
                self.entries.push(entry);
            }
            Some(other) => {
                for (tag, forms) in entry.names {
                    match other.names.iter_mut().find(|(known, _)| *known == tag) {
                        Some((_, known)) => known.extend(forms),
                        None => other.names.push((tag, forms)),
                    }
                }
                other.names.iter_mut().for_each(|(_, forms)| dedup(forms));
            }
        }
    }
}

fn dedup(forms: &mut Vec<String>) {
    let mut seen = std::collections::HashSet::new();
    forms.retain(|form| seen.insert(form.clone()));
}

fn status(said: &str) -> TermStatus {
    match said.split('-').next().unwrap_or_default() {
        "preferredTerm" | "preferred" => TermStatus::Preferred,
        "deprecatedTerm" | "supersededTerm" | "deprecated" | "superseded" => TermStatus::Deprecated,
        _ => TermStatus::Usual,
    }
}

fn attribute(tag: &BytesStart<'_>, name: &[u8]) -> Option<String> {
    let found = tag
        .attributes()
        .flatten()
        .find(|attribute| attribute.key.as_ref() == name)?;
    found
        .normalized_value(quick_xml::XmlVersion::Implicit1_0)
        .ok()
        .map(|value| value.into_owned())
}

#[cfg(test)]
mod tests {
    use super::super::tests::{locale, missed};
    use super::*;

    #[test]
    fn both_forms_of_tbx_say_the_same() {
        let old = r#"<?xml version="1.0"?><martif type="TBX-Basic" xml:lang="en"><text><body>
            <termEntry id="1"><descrip type="subjectField">web</descrip>
              <langSet xml:lang="en-US"><tig><term>web  server</term></tig></langSet>
              <langSet xml:lang="es"><tig><term>daemon</term><termNote type="administrativeStatus">deprecatedTerm-admn-sts</termNote></tig>
                <ntig><termGrp><term>servidor de web</term></termGrp></ntig>
                <tig><term>servidor &#119;eb</term><termNote type="administrativeStatus">preferredTerm-admn-sts</termNote></tig></langSet>
            </termEntry></body></text></martif>"#;
        let new = r#"<tbx style="dct" type="TBX-Basic" xml:lang="en" xmlns:basic="http://www.tbxinfo.net/ns/basic"><text><body>
            <conceptEntry id="1"><langSec xml:lang="en"><termSec><term>web server</term></termSec></langSec>
              <langSec xml:lang="es"><termSec><term>daemon</term><basic:administrativeStatus>supersededTerm-admn-sts</basic:administrativeStatus></termSec>
                <termSec><term>servidor de web</term></termSec>
                <termSec><term>servidor web</term><basic:administrativeStatus>preferredTerm-admn-sts</basic:administrativeStatus></termSec></langSec>
            </conceptEntry></body></text></tbx>"#;
        for text in [old, new] {
            let entries = parse(text, &locale("en")).unwrap();
            let miss = |translation| missed(&entries, "es-MX", "A web server", translation);
            assert_eq!(miss("Un servidor web"), [""; 0]);
            assert_eq!(miss("Un servidor de web"), [""; 0]);
            assert_eq!(miss("Un daemon"), ["web server > servidor web"]);
        }
    }

    #[test]
    fn a_name_of_two_concepts_may_become_either() {
        let entry = |target: &str| {
            format!(
                "<termEntry><langSet xml:lang='en'><tig><term>bank</term></tig></langSet>\
                 <langSet xml:lang='es'><tig><term>{target}</term></tig></langSet></termEntry>"
            )
        };
        let text = format!(
            "<martif><text><body>{}{}</body></text></martif>",
            entry("banco"),
            entry("orilla")
        );
        let entries = parse(&text, &locale("en")).unwrap();
        assert_eq!(missed(&entries, "es", "the bank", "la orilla"), [""; 0]);
        assert_eq!(missed(&entries, "es", "the bank", "el banco"), [""; 0]);
        assert_eq!(
            missed(&entries, "es", "the bank", "la silla"),
            ["bank > banco"]
        );
    }

    #[test]
    fn what_is_no_tbx_is_named_with_its_line() {
        assert_eq!(
            parse("<html></html>", &locale("en")).unwrap_err().1,
            "this is no TBX: it has neither <martif> nor <tbx>"
        );
        let (line, problem) = parse("<tbx>\n<a>\n</b></tbx>", &locale("en")).unwrap_err();
        assert!(
            line == 3 && problem.starts_with("this is no XML"),
            "{line}: {problem}"
        );
    }
}
