//! Reads PO: a line at a time, keeping what we do not use so that it can be written back.

use std::collections::BTreeMap;
use std::path::Path;
use std::{fs, io};

use super::PoError;
use super::catalogue::{Catalogue, Foreign, PoEntry, PoKey};
use super::quoted::unquote;
use crate::page::CodedText;

/// Beginnings of the lines that a version control system writes into a file with conflicts.
const CONFLICT_MARKERS: [&str; 3] = ["<<<<<<<", "=======", ">>>>>>>"];

impl Catalogue {
    /// Reads a PO file; one that is not there yet translates nothing.
    ///
    /// # Errors
    /// A [`PoError`] when it cannot be read or is no PO.
    pub fn open(path: &Path) -> Result<Self, PoError> {
        match fs::read(path) {
            Ok(bytes) => Self::parse(&path.display().to_string(), &bytes),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self::default()),
            Err(source) => Err(PoError::Read {
                path: path.to_owned(),
                source,
            }),
        }
    }

    /// Reads a PO file; `file` is the name that errors show.
    ///
    /// # Errors
    /// A [`PoError`] for the first line that is no PO.
    pub fn parse(file: &str, bytes: &[u8]) -> Result<Self, PoError> {
        parse(file, bytes)
    }
}

/// Reads a file.
fn parse(file: &str, bytes: &[u8]) -> Result<Catalogue, PoError> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let wrong = |(line, problem): PoProblem| PoError::Line {
        file: file.to_owned(),
        line,
        problem,
    };
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let line = bytes[..error.valid_up_to()]
            .iter()
            .filter(|&&byte| byte == b'\n')
            .count()
            + 1;
        wrong((line, "this is not UTF-8; save the file as UTF-8".into()))
    })?;
    let catalogue = Catalogue {
        file: file.to_owned(),
        ..Catalogue::default()
    };
    let mut reader = PoReader {
        catalogue,
        draft: PoDraft::default(),
        obsolete: BTreeMap::new(),
    };
    for (index, line) in text.lines().enumerate() {
        reader.line(line.trim(), index + 1).map_err(wrong)?;
    }
    reader.finish().map_err(wrong)?;
    Ok(reader.catalogue)
}

/// A line and what is wrong there.
type PoProblem = (usize, String);

#[derive(Clone, Copy, PartialEq, Eq)]
enum PoField {
    Context,
    Source,
    Plural,
    Translation,
    PluralTranslation,
}

/// The entry that is being read.
#[derive(Default)]
struct PoDraft {
    entry: PoEntry,
    context: Option<String>,
    source: Option<String>,
    translated: bool,
    plural: bool,
    field: Option<PoField>,
    raw: Vec<String>,
    /// Its first line, which may be a comment's.
    line: usize,
}

struct PoReader {
    catalogue: Catalogue,
    draft: PoDraft,
    /// The obsolete entries as they stand in the file, for those that another one takes the place of.
    obsolete: BTreeMap<PoKey, Foreign>,
}

impl PoReader {
    fn line(&mut self, line: &str, number: usize) -> Result<(), PoProblem> {
        if line.is_empty() {
            return self.finish();
        }
        let (obsolete, content) = match line.strip_prefix("#~") {
            Some(rest) => (true, rest.trim_start()),
            None => (false, line),
        };
        let comment = content.starts_with('#') || (obsolete && content.starts_with('|'));
        let starts = comment || content.starts_with("msgctxt") || is_source(content);
        if self.draft.translated && (starts || obsolete != self.draft.entry.obsolete && !comment) {
            self.finish()?;
        }
        if self.draft.raw.is_empty() {
            self.draft.line = number;
        }
        self.draft.raw.push(line.to_owned());
        if comment {
            self.comment(content, obsolete);
            return Ok(());
        }
        if is_source(content) {
            self.draft.entry.line = number;
        }
        self.draft.entry.obsolete |= obsolete;
        self.field(content).map_err(|problem| (number, problem))
    }

    fn comment(&mut self, content: &str, obsolete: bool) {
        let entry = &mut self.draft.entry;
        if obsolete && content.starts_with('|') {
            entry.previous.push(format!("#{content}"));
        } else if let Some(flags) = content.strip_prefix("#,") {
            entry.flags.extend(
                flags
                    .split(',')
                    .map(|flag| flag.trim().to_owned())
                    .filter(|flag| !flag.is_empty()),
            );
        } else if content.starts_with("#|") {
            entry.previous.push(content.to_owned());
        } else if content.starts_with("#.") {
            entry.extracted.push(content.to_owned());
        } else if content.starts_with("#:") {
            entry.references.push(content.to_owned());
        } else {
            entry.comments.push(content.to_owned());
        }
    }

    fn field(&mut self, content: &str) -> Result<(), String> {
        let at = content.find('"').ok_or_else(|| unknown(content))?;
        let text = unquote(&content[at..])?;
        let field = match content[..at].trim() {
            "" => self
                .draft
                .field
                .ok_or("a string before any msgid; put msgid in front of it")?,
            "msgctxt" => PoField::Context,
            "msgid" => PoField::Source,
            "msgid_plural" => PoField::Plural,
            "msgstr" => PoField::Translation,
            word if word.starts_with("msgstr[") && word.ends_with(']') => {
                PoField::PluralTranslation
            }
            _ => return Err(unknown(content)),
        };
        self.append(field, &text)
    }

    fn append(&mut self, field: PoField, text: &str) -> Result<(), String> {
        let draft = &mut self.draft;
        draft.field = Some(field);
        match field {
            PoField::Context => draft.context.get_or_insert_default().push_str(text),
            PoField::Source => draft.source.get_or_insert_default().push_str(text),
            PoField::Translation | PoField::PluralTranslation if draft.source.is_none() => {
                return Err(
                    "msgstr without a msgid before it; add the msgid or delete this entry".into(),
                );
            }
            PoField::Translation => {
                draft.translated = true;
                draft.entry.translation.push_str(text);
            }
            PoField::Plural => draft.plural = true,
            PoField::PluralTranslation => {
                draft.plural = true;
                draft.translated = true;
            }
        }
        Ok(())
    }

    /// Takes the entry over into the catalogue.
    fn finish(&mut self) -> Result<(), PoProblem> {
        let draft = std::mem::take(&mut self.draft);
        let Some(source) = draft.source else {
            return match draft.context {
                Some(_) => Err((
                    draft.line,
                    "msgctxt without a msgid; add the msgid or delete this entry".into(),
                )),
                None => {
                    let comments = Foreign {
                        raw: draft.raw.join("\n"),
                        obsolete: false,
                        line: draft.line,
                    };
                    self.catalogue
                        .foreign
                        .extend(Some(comments).filter(|comments| !comments.raw.is_empty()));
                    Ok(())
                }
            };
        };
        if !draft.translated {
            return Err((
                draft.line,
                "msgid without a msgstr; add msgstr \"\" or delete this entry".into(),
            ));
        }
        let raw = Foreign {
            raw: draft.raw.join("\n"),
            obsolete: draft.entry.obsolete,
            line: draft.entry.line,
        };
        if draft.plural {
            self.catalogue.foreign.push(raw);
            return Ok(());
        }
        if source.is_empty() && draft.context.is_none() {
            check_charset(&draft.entry.translation).map_err(|problem| (draft.line, problem))?;
            self.catalogue.header = Some(draft.entry);
            return Ok(());
        }
        self.keep(
            PoKey {
                source: canonical(source),
                context: draft.context,
            },
            draft.entry,
            raw,
        )
    }

    /// Takes an entry in. What is in use wins over what is obsolete, and of that the last; the others are kept as they are.
    fn keep(&mut self, key: PoKey, entry: PoEntry, raw: Foreign) -> Result<(), PoProblem> {
        match self.catalogue.entries.get(&key) {
            Some(known) if !known.obsolete && !entry.obsolete => {
                let problem = format!(
                    "this text stands in line {} already; delete one of the two",
                    known.line
                );
                return Err((entry.line, problem));
            }
            Some(known) if !known.obsolete => {
                self.catalogue.foreign.push(raw);
                return Ok(());
            }
            Some(_) => self.catalogue.foreign.extend(self.obsolete.remove(&key)),
            None => {}
        }
        if entry.obsolete {
            self.obsolete.insert(key.clone(), raw);
        }
        self.catalogue.entries.insert(key, entry);
        Ok(())
    }
}

fn is_source(content: &str) -> bool {
    content.starts_with("msgid") && !content.starts_with("msgid_plural")
}

/// The notation as we write it, so that a hand-written `&` or `<g id='1'>` is found too.
fn canonical(source: String) -> String {
    CodedText::from_markup(&source).map_or(source, |text| text.to_markup())
}

fn unknown(content: &str) -> String {
    if CONFLICT_MARKERS
        .iter()
        .any(|marker| content.starts_with(marker))
    {
        return "a merge left conflict markers here; resolve the conflict and save the file"
            .to_owned();
    }
    let start: String = content.chars().take(30).collect();
    format!(
        "{start:?} is no line of a PO file; write msgctxt, msgid, msgstr or a comment that starts with #"
    )
}

fn check_charset(header: &str) -> Result<(), String> {
    let lower = header.to_ascii_lowercase();
    let Some((_, charset)) = lower.split_once("charset=") else {
        return Ok(());
    };
    let charset = charset
        .split(|c: char| c.is_whitespace() || c == ';')
        .next()
        .unwrap_or_default();
    if matches!(
        charset,
        "utf-8" | "utf8" | "us-ascii" | "ascii" | "charset" | ""
    ) {
        return Ok(());
    }
    Err(format!(
        "the header declares charset={charset}; save the file as UTF-8 with charset=UTF-8"
    ))
}
