//! What a page says section by section, for those who look for its words: the search indexes of a site.
//!
//! A section is a heading and what follows it up to the next one. Only the page's own content counts: what stands in its
//! `main` or `article`, without navigation, footers, buttons and whatever is not shown.

use std::ops::Range;

use crate::html::element::{ElementFlow, ElementName};
use crate::html::limits::LARGEST;
use crate::html::rules::Rules;
use crate::html::space::{collapse, is_space};
use crate::html::tokens::{PageToken, PageTokens, StartTag, TextKind, TokenKind};
use crate::html::{encoding, scan};

/// What a page says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageContent {
    /// The text of `<title>`.
    pub title: String,
    /// The description that `<meta name=description>` gives.
    pub description: String,
    /// What it says section by section; the first is what stands before any heading.
    pub sections: Vec<Section>,
}

/// A heading and what follows it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Section {
    /// The fragments that lead to it, or into it.
    pub ids: Vec<String>,
    /// The fragment that leads to its heading.
    pub anchor: Option<String>,
    /// The level of the heading, from 1 on; 0 where there is none.
    pub level: u8,
    /// The words of the heading.
    pub heading: String,
    /// The words below it.
    pub text: String,
}

impl PageContent {
    /// The first heading, or else the title.
    pub fn heading(&self) -> &str {
        let heading = self
            .sections
            .iter()
            .find(|section| !section.heading.is_empty());
        heading.map_or(&self.title, |section| &section.heading)
    }

    /// The section that a fragment leads to.
    pub fn section(&self, fragment: &str) -> Option<&Section> {
        self.sections
            .iter()
            .find(|section| section.ids.iter().any(|id| id == fragment))
    }
}

/// Reads what a page says; of one that exceeds [`LARGEST`] nothing.
pub fn read_content(html: &[u8]) -> PageContent {
    let decoded = encoding::decode(html, None);
    if decoded.html.len() > LARGEST {
        return PageContent::default();
    }
    let source = &decoded.html[..];
    let rules = Rules {
        attributes: vec!["role".into()],
        ..Rules::default()
    };
    let tokens = scan::scan(source, &rules);
    let mut reader = ContentReader {
        source,
        content: PageContent::default(),
        ids: Vec::new(),
        in_heading: false,
        skipped: None,
    };
    reader.head(&tokens);
    reader.content.sections.push(Section::default());
    let part = own_part(source, &tokens);
    tokens
        .from(part.start)
        .take(part.len())
        .for_each(|token| reader.token(&token));
    reader.finish()
}

/// Which tokens are the page's own content.
fn own_part(source: &[u8], tokens: &PageTokens) -> Range<usize> {
    let is_main = |tag: &StartTag<'_>| {
        tag.value(source, "role")
            .is_some_and(|role| role.trim() == "main")
    };
    let mut marked = None;
    let mut main = None;
    let mut article = None;
    let mut articles = 0;
    let mut body = None;
    for (index, token) in tokens.iter().enumerate() {
        let TokenKind::Start(tag) = token.kind else {
            continue;
        };
        match &*tag.name {
            "article" => {
                articles += 1;
                article = article.or(Some((index, tag.name.clone())));
            }
            "main" => main = main.or(Some((index, tag.name.clone()))),
            "body" => body = body.or(Some((index, tag.name.clone()))),
            _ => {}
        }
        if marked.is_none() && is_main(&tag) {
            marked = Some((index, tag.name));
        }
    }
    let chosen = marked
        .or(article.filter(|_| articles == 1))
        .or(main)
        .or(body);
    chosen.map_or(0..tokens.len(), |(start, name)| {
        start..end_of(tokens, start, &name)
    })
}

/// The token behind the element that begins with one.
fn end_of(tokens: &PageTokens, start: usize, name: &ElementName) -> usize {
    let mut depth = 0_usize;
    for (index, token) in (start..).zip(tokens.from(start)) {
        match token.kind {
            TokenKind::Start(tag) if tag.name == *name => depth += 1,
            TokenKind::End(end) if end == *name => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return index + 1;
                }
            }
            _ => {}
        }
    }
    tokens.len()
}

struct ContentReader<'a> {
    source: &'a [u8],
    content: PageContent,
    /// Fragments of elements in which nothing was said yet.
    ids: Vec<String>,
    in_heading: bool,
    /// The element that is passed over, and how many of its kind are open.
    skipped: Option<(ElementName, usize)>,
}

impl ContentReader<'_> {
    /// Reads title and description.
    fn head(&mut self, tokens: &PageTokens) {
        let mut in_title = false;
        for token in tokens.iter() {
            match &token.kind {
                TokenKind::Start(tag) if &*tag.name == "title" => {
                    in_title = self.content.title.is_empty()
                }
                TokenKind::Start(tag) if &*tag.name == "meta" => {
                    let value = |name: &str| tag.value(self.source, name).unwrap_or_default();
                    if value("name").eq_ignore_ascii_case("description") {
                        self.content.description = tidy(&value("content"));
                    }
                }
                TokenKind::Start(tag) if &*tag.name == "body" => break,
                TokenKind::Text(TextKind::Escapable) if in_title => {
                    self.content.title = tidy(&self.words(&token.range, TextKind::Escapable));
                    in_title = false;
                }
                _ => {}
            }
        }
    }

    fn token(&mut self, token: &PageToken<'_>) {
        if self.skips(&token.kind) {
            return;
        }
        match &token.kind {
            TokenKind::Start(tag) => self.start(tag),
            TokenKind::End(name) => {
                self.separate(name);
                self.in_heading &= level(name) == 0;
            }
            TokenKind::Text(kind @ (TextKind::Data | TextKind::Cdata)) => {
                self.text(&token.range, *kind)
            }
            TokenKind::Text(TextKind::Escapable | TextKind::Raw)
            | TokenKind::Comment
            | TokenKind::Doctype => {}
        }
    }

    /// Whether a token is passed over with the element that it stands in.
    fn skips(&mut self, kind: &TokenKind<'_>) -> bool {
        const SKIPPED: [&str; 13] = [
            "nav", "footer", "script", "style", "template", "noscript", "svg", "button", "select",
            "textarea", "iframe", "dialog", "canvas",
        ];
        match (&mut self.skipped, kind) {
            (Some((name, open)), TokenKind::Start(tag)) if tag.name == *name => *open += 1,
            (Some((name, open)), TokenKind::End(end)) if end == name => {
                *open -= 1;
                if *open == 0 {
                    self.skipped = None;
                }
            }
            (Some(_), _) => {}
            (None, TokenKind::Start(tag))
                if SKIPPED.contains(&&*tag.name) || leads_elsewhere(self.source, tag) =>
            {
                self.skipped = Some((tag.name.clone(), 1));
            }
            (None, _) => return false,
        }
        true
    }

    fn start(&mut self, tag: &StartTag<'_>) {
        self.separate(&tag.name);
        let id = ["id", "name"].into_iter().find_map(|name| {
            let is_anchor = name == "id" || &*tag.name == "a";
            tag.value(self.source, name)
                .filter(|id| is_anchor && !id.is_empty())
                .map(|id| id.into_owned())
        });
        let level = level(&tag.name);
        if level > 0 {
            let mut ids = std::mem::take(&mut self.ids);
            ids.extend(id);
            let section = Section {
                anchor: ids.last().cloned(),
                ids,
                level,
                ..Section::default()
            };
            self.content.sections.push(section);
            self.in_heading = true;
        } else if self.in_heading {
            let href = (&*tag.name == "a")
                .then(|| links_to(self.source, tag))
                .flatten();
            let section = self.section();
            section.anchor = section.anchor.take().or_else(|| id.clone());
            section.ids.extend(id.into_iter().chain(href));
        } else {
            self.ids.extend(id);
        }
    }

    fn text(&mut self, range: &Range<usize>, kind: TextKind) {
        let words = self.words(range, kind);
        if self.in_heading {
            self.section().heading.push_str(&words);
        } else if words.contains(|letter| !is_space(letter)) {
            let mut ids = std::mem::take(&mut self.ids);
            let section = self.section();
            section.ids.append(&mut ids);
            section.text.push_str(&words);
        } else {
            self.push_space();
        }
    }

    /// Words on both sides of a block or a line break are words apart.
    fn separate(&mut self, name: &ElementName) {
        if matches!(name.flow(), ElementFlow::Block) || &**name == "br" {
            self.push_space();
        }
    }

    fn push_space(&mut self) {
        let in_heading = self.in_heading;
        let section = self.section();
        let text = if in_heading {
            &mut section.heading
        } else {
            &mut section.text
        };
        if !text.is_empty() && !text.ends_with(is_space) {
            text.push(' ');
        }
    }

    fn words(&self, range: &Range<usize>, kind: TextKind) -> String {
        let raw = String::from_utf8_lossy(&self.source[range.clone()]);
        if kind == TextKind::Cdata {
            raw.into_owned()
        } else {
            htmlize::unescape(raw).into_owned()
        }
    }

    /// The section that is read.
    fn section(&mut self) -> &mut Section {
        if self.content.sections.is_empty() {
            self.content.sections.push(Section::default());
        }
        let last = self.content.sections.len() - 1;
        &mut self.content.sections[last]
    }

    fn finish(mut self) -> PageContent {
        let mut ids = std::mem::take(&mut self.ids);
        self.section().ids.append(&mut ids);
        for section in &mut self.content.sections {
            section.text = tidy(&section.text);
            section.heading = tidy(&section.heading);
            // What generators put behind a heading to link to it.
            let words = section.heading.trim_end_matches(['¶', '\u{200b}', ' ']);
            section.heading.truncate(words.len());
        }
        self.content
    }
}

/// Whether an element holds what leads elsewhere: the links behind headings, and lists of a manual's pages.
fn leads_elsewhere(source: &[u8], tag: &StartTag<'_>) -> bool {
    let class = tag.value(source, "class").unwrap_or_default();
    class
        .split_ascii_whitespace()
        .any(|class| matches!(class, "headerlink" | "toctree-wrapper"))
}

/// The fragment of its own page that a link leads to.
fn links_to(source: &[u8], tag: &StartTag<'_>) -> Option<String> {
    let href = tag.value(source, "href")?;
    href.trim()
        .strip_prefix('#')
        .filter(|fragment| !fragment.is_empty())
        .map(str::to_owned)
}

/// The level of a heading; 0 of everything else.
fn level(name: &ElementName) -> u8 {
    match &**name {
        "h1" => 1,
        "h2" => 2,
        "h3" => 3,
        "h4" => 4,
        "h5" => 5,
        "h6" => 6,
        _ => 0,
    }
}

fn tidy(text: &str) -> String {
    collapse(text.into()).trim_matches(is_space).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(html: &str) -> Vec<(String, String, String)> {
        let content = read_content(html.as_bytes());
        let said = |section: Section| (section.ids.join(","), section.heading, section.text);
        content.sections.into_iter().map(said).collect()
    }

    fn section(ids: &str, heading: &str, text: &str) -> (String, String, String) {
        (ids.into(), heading.into(), text.into())
    }

    #[test]
    fn sections_begin_at_headings_however_generators_write_them() {
        // Sphinx, MkDocs, mdBook, Docusaurus.
        for (html, expected) in [
            (
                "<body><p>x<article role=main><section id=top><span id=t></span><h1>A &amp; B<a class=headerlink \
                 href=#top>¶</a></h1><p>One<section id=in><h2>C</h2><dl><dt id=dt>f</dt></dl></section></article>y",
                vec![
                    section("", "", ""),
                    section("top,t", "A & B", "One"),
                    section("in,dt", "C", "f"),
                ],
            ),
            (
                "<main><nav>N</nav><article><h1 id=a>A</h1><p>x <code>y</code>z</p><h2 id=b>B</h2></article></main>",
                vec![
                    section("", "", ""),
                    section("a", "A", "x yz"),
                    section("b", "B", ""),
                ],
            ),
            (
                "<main><p>Before<h2 id=c><a class=header href='#c'>C</a></h2>a<br>b<nav>no</nav><script>no</script>",
                vec![section("", "", "Before"), section("c,c", "C", "a b")],
            ),
            (
                "<p>no<article>1<h2>2</article><article>3</article>",
                vec![section("", "", "no 1"), section("", "2 3", "")],
            ),
        ] {
            assert_eq!(said(html), expected, "{html}");
        }
    }

    #[test]
    fn title_and_description_are_read() {
        let content = read_content(
            b"<title> A &amp;\nB </title><meta name=Description content='C  d'><body><p>e",
        );
        assert_eq!(
            (&*content.title, &*content.description, content.heading()),
            ("A & B", "C d", "A & B")
        );
    }
}
