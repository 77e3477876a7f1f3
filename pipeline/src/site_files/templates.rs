//! The templates of switchers and notices, and those that a site puts in their place. The only file that names tera.
//!
//! Escaping goes by a template's name, and all names end in `.html`: a site's own template escapes what is put in just
//! as ours do. Every template is rendered once when it is loaded, so that a wrong one is blamed before any work begins.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

use serde::Serialize;
use tera::{Context, ErrorKind, Tera};

use super::SwitcherLink;
use super::json::script_json;
use super::words::{LanguageLabels, NotFoundWords};
use crate::config::SwitcherTemplate;
use crate::model::Locale;
pub use crate::page::MARKER;

const NOTICE: &str = "notice.html";
const NOT_FOUND: &str = "not-found.html";

macro_rules! embedded {
    ($($name:literal)*) => { [$(($name, include_str!(concat!("../../../templates/", $name)))),*] };
}

/// Ours; a site may replace each of them.
const EMBEDDED: [(&str, &str); 11] = embedded![
    "not-found.html"
    "notice.html"
    "switcher/compact.html"
    "switcher/disclosure.html"
    "switcher/globe.html"
    "switcher/headless.html"
    "switcher/inline.html"
    "switcher/links.html"
    "switcher/nav.html"
    "switcher/pill.html"
    "switcher/tabs.html"
];

/// The templates, compiled.
#[derive(Debug)]
pub struct Templates {
    tera: Tera,
    /// Where the site's own come from, by name.
    own: BTreeMap<&'static str, PathBuf>,
    labels: LanguageLabels,
}

/// Says what is wrong with a template, and where.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TemplateError {
    /// A folder or file cannot be read.
    #[error("cannot read the templates in {path}")]
    Read {
        /// The folder or file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file has the name of no template.
    #[error("{path} replaces no template; there are {}", EMBEDDED.map(|(name, _)| name).join(", "))]
    Unknown {
        /// The file.
        path: PathBuf,
    },
    /// A template cannot be compiled or rendered.
    #[error("{place}: {message}")]
    Wrong {
        /// The file, and line and column where they are known.
        place: String,
        /// What is wrong.
        message: String,
    },
    /// A switcher would not be found again.
    #[error(
        "{place}: the outermost element needs the attribute {MARKER}, by which the switcher is found again"
    )]
    Unmarked {
        /// The file.
        place: String,
    },
}

/// The language of the page that a switcher is for.
#[derive(Serialize)]
struct CurrentLanguage<'a> {
    lang: &'a str,
    dir: &'static str,
    name: &'a str,
    /// The word "Language" in this language; its name if Latimer has no words in it.
    label: &'a str,
}

/// What a headless switcher hands to scripts.
#[derive(Serialize)]
struct Headless<'a> {
    current: &'a str,
    links: &'a [SwitcherLink],
}

impl Templates {
    /// Compiles our templates.
    ///
    /// # Errors
    /// A [`TemplateError`] that names file, line and column.
    pub fn embedded() -> Result<Self, TemplateError> {
        Self::compile(BTreeMap::new(), EMBEDDED.into())
    }

    /// Compiles a site's own templates, and ours for those that it does not replace.
    ///
    /// # Errors
    /// A [`TemplateError`] that names the file, and line and column where something in it is wrong.
    pub fn load(folder: Option<&Path>) -> Result<Self, TemplateError> {
        let own = folder.map(find).transpose()?.unwrap_or_default();
        let mut texts = BTreeMap::new();
        for (name, path) in &own {
            let text = fs::read_to_string(path).map_err(|source| TemplateError::Read {
                path: path.clone(),
                source,
            })?;
            texts.insert(*name, text);
        }
        let text = |(name, ours)| (name, texts.get(name).map_or(ours, String::as_str));
        Self::compile(own, EMBEDDED.map(text).into())
    }

    fn compile(
        own: BTreeMap<&'static str, PathBuf>,
        texts: Vec<(&str, &str)>,
    ) -> Result<Self, TemplateError> {
        let mut templates = Self {
            tera: Tera::default(),
            own,
            labels: LanguageLabels::read(),
        };
        templates.tera.autoescape_on([".html"]);
        templates
            .tera
            .add_raw_templates(texts)
            .map_err(|error| templates.wrong(NOTICE, &error))?;
        templates.try_all()?;
        Ok(templates)
    }

    /// The switcher that the build puts into a page, the style sheet being in the head; nothing when there is no
    /// other language to switch to. With `keeps_place`, its links take the reader's query and fragment along (R-S13).
    ///
    /// # Errors
    /// A [`TemplateError`] when the template asks for something that there is not.
    pub fn switcher(
        &self,
        template: SwitcherTemplate,
        current: &Locale,
        links: &[SwitcherLink],
        keeps_place: bool,
    ) -> Result<String, TemplateError> {
        if links.iter().all(|link| link.current) {
            return Ok(String::new());
        }
        self.block(template, current, links, "", keeps_place)
    }

    /// The switcher as a block that somebody pastes into a page; it brings the link to its style sheet with it.
    ///
    /// # Errors
    /// A [`TemplateError`] when the template asks for something that there is not.
    pub fn snippet(
        &self,
        template: SwitcherTemplate,
        current: &Locale,
        links: &[SwitcherLink],
        style: &str,
    ) -> Result<String, TemplateError> {
        // The policy of the page that it is pasted into is not known.
        self.block(template, current, links, style, false)
    }

    /// Says to a reader of `locale` that the page is in another language.
    ///
    /// # Errors
    /// A [`TemplateError`] when the template asks for something that there is not.
    pub fn notice(&self, locale: &Locale) -> Result<String, TemplateError> {
        let mut context = Context::new();
        context.insert("lang", locale.as_str());
        context.insert("name", &locale.own_name());
        self.render(NOTICE, &context)
    }

    /// The page for what is not found in a locale; `home` is the address of its home page, and that page's title. A switcher
    /// comes with the address of its style sheet.
    ///
    /// # Errors
    /// A [`TemplateError`] when the template asks for something that there is not.
    pub fn not_found(
        &self,
        locale: &Locale,
        home: Option<&(String, String)>,
        (switcher, style): (&str, &str),
    ) -> Result<String, TemplateError> {
        let mut context = Context::new();
        context.insert("lang", locale.as_str());
        context.insert("dir", locale.direction().as_str());
        context.insert("name", &locale.own_name());
        context.insert("home", &home.map(|(address, _)| address));
        context.insert("title", &home.map(|(_, title)| title));
        context.insert("words", &NotFoundWords::of(locale));
        context.insert("switcher", switcher);
        context.insert("style", style);
        self.render(NOT_FOUND, &context)
    }

    fn block(
        &self,
        template: SwitcherTemplate,
        current: &Locale,
        links: &[SwitcherLink],
        style: &str,
        keeps_place: bool,
    ) -> Result<String, TemplateError> {
        let lang = current.as_str();
        let name = links
            .iter()
            .find(|link| link.current)
            .map_or_else(|| current.own_name(), |link| link.name.clone());
        let mut context = Context::new();
        context.insert("template", template.name());
        let label = self.labels.get(current).unwrap_or(&name);
        context.insert(
            "current",
            &CurrentLanguage {
                lang,
                dir: current.direction().as_str(),
                name: &name,
                label,
            },
        );
        context.insert("links", links);
        context.insert("style", style);
        context.insert("keeps_place", &keeps_place);
        context.insert(
            "json",
            &script_json(&Headless {
                current: lang,
                links,
            }),
        );
        self.render(&file_name(template), &context)
    }

    fn render(&self, name: &str, context: &Context) -> Result<String, TemplateError> {
        self.tera
            .render(name, context)
            .map_err(|error| self.wrong(name, &error))
    }

    /// Renders everything once.
    fn try_all(&self) -> Result<(), TemplateError> {
        let (Ok(current), Ok(other)) = (Locale::parse("en"), Locale::parse("ar")) else {
            return Ok(());
        };
        let link = |locale: &Locale| {
            SwitcherLink::new(
                locale,
                locale.own_name(),
                "/".to_owned(),
                *locale == current,
                *locale != current,
            )
        };
        let links = [link(&current), link(&other)];
        self.notice(&other)?;
        self.not_found(&other, None, ("", ""))?;
        self.not_found(&other, Some(&Default::default()), ("", ""))?;
        for template in SwitcherTemplate::ALL {
            let html = self.snippet(template, &current, &links, "/style.css")?;
            if !html.contains(MARKER) {
                return Err(TemplateError::Unmarked {
                    place: self.place(&file_name(template)),
                });
            }
        }
        Ok(())
    }

    /// The file of a template as a message names it.
    fn place(&self, name: &str) -> String {
        self.own.get(name).map_or_else(
            || format!("embedded template {name}"),
            |path| path.display().to_string(),
        )
    }

    /// An error of tera's, at the place it is about; `name` is the template that was rendered.
    fn wrong(&self, name: &str, error: &tera::Error) -> TemplateError {
        let text = error.to_string();
        let (place, message) = match error.kind() {
            ErrorKind::SyntaxError(report) | ErrorKind::RenderingError(report) => {
                let line = report.span().start_line;
                let column = report.span().start_col + 1;
                (
                    format!("{}:{line}:{column}", self.place(report.filename())),
                    report.message().to_owned(),
                )
            }
            ErrorKind::CircularExtend { tpl: name, .. }
            | ErrorKind::CircularInclude { tpl: name, .. }
            | ErrorKind::MissingParent { current: name, .. } => (self.place(name), text),
            _ => match first_report(&text) {
                Some((message, name, at)) => {
                    (format!("{}:{at}", self.place(name)), message.to_owned())
                }
                None => (self.place(name), text),
            },
        };
        TemplateError::Wrong { place, message }
    }
}

/// Message, template, line and column of what tera tells of several templates at once, which is text only.
fn first_report(text: &str) -> Option<(&str, &str, &str)> {
    let (message, rest) = text.strip_prefix("error: ")?.split_once('\n')?;
    let (name, at) = rest
        .trim_start()
        .strip_prefix("--> ")?
        .lines()
        .next()?
        .split_once(':')?;
    Some((message, name, at))
}

fn file_name(template: SwitcherTemplate) -> String {
    format!("switcher/{}.html", template.name())
}

/// The files of a folder that replace templates, by the templates' names; names that begin with a dot are not meant.
fn find(folder: &Path) -> Result<BTreeMap<&'static str, PathBuf>, TemplateError> {
    let mut own = BTreeMap::new();
    for path in entries(folder)? {
        let files = if path.is_dir() && path.ends_with("switcher") {
            entries(&path)?
        } else {
            vec![path]
        };
        for path in files {
            let is_meant = |name: &&str| {
                path.strip_prefix(folder)
                    .is_ok_and(|relative| relative == Path::new(name))
            };
            match EMBEDDED
                .map(|(name, _)| name)
                .iter()
                .find(|name| is_meant(name))
            {
                Some(name) => own.insert(*name, path),
                None => return Err(TemplateError::Unknown { path }),
            };
        }
    }
    Ok(own)
}

/// What lies in a folder, sorted, so that the same mistake is always the first.
fn entries(folder: &Path) -> Result<Vec<PathBuf>, TemplateError> {
    let read = || -> io::Result<Vec<PathBuf>> {
        let mut entries = fs::read_dir(folder)?
            .map(|entry| Ok(entry?.path()))
            .collect::<io::Result<Vec<_>>>()?;
        entries.retain(|path| {
            path.file_name()
                .is_some_and(|name| !name.as_encoded_bytes().starts_with(b"."))
        });
        entries.sort();
        Ok(entries)
    };
    read().map_err(|source| TemplateError::Read {
        path: folder.to_owned(),
        source,
    })
}

#[cfg(test)]
mod tests;
