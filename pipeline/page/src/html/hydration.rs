//! What made a page: a framework that compares the page with its own state when it starts in the browser
//! ("hydration"), or a program that draws the page there.
//!
//! Such a page keeps its nodes one by one (R-I1, R-I2), and its owner is told what happens to its words (R-I3).

use super::known::HYDRATION;
use super::tokens::{Tag, TextKind, TokenKind, Tokens};

/// How the words of a page come before its readers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rendering {
    /// They stand in the page.
    #[default]
    Static,
    /// They stand in the page, and a script compares them with its own when it starts.
    Hydrated,
    /// Scripts write them; the page itself has next to none.
    ByScripts,
}

/// With fewer letters than this a page that is drawn by scripts has no words of its own.
const FEW_LETTERS: usize = 200;

/// Ids of the elements that frameworks take over.
const ROOTS: [&str; 10] =
    ["__docusaurus", "__gatsby", "___gatsby", "__layout", "__next", "__nuxt", "__sveltekit", "app", "q-app", "root"];

/// Ids that only frameworks use.
fn is_certain(id: &str) -> bool {
    id.starts_with("__")
}

/// What the marks of a page tell.
#[derive(Default)]
struct Marks {
    /// Something that only a framework writes.
    certain: bool,
    /// An element that often is a framework's.
    root: bool,
    scripts: usize,
    letters: usize,
}

/// Finds out how the words of a page come before its readers.
pub(crate) fn rendering(source: &[u8], tokens: &Tokens) -> Rendering {
    let mut marks = Marks::default();
    let mut hidden = false;
    for token in tokens.iter() {
        match &token.kind {
            TokenKind::Start(tag) => {
                hidden = matches!(&*tag.name, "script" | "style" | "title" | "noscript" | "template");
                marks.scripts += usize::from(&*tag.name == "script");
                marks.tag(source, tag);
            }
            TokenKind::End(_) => hidden = false,
            TokenKind::Text(TextKind::Data) if !hidden && marks.letters < FEW_LETTERS => {
                let text = &source[token.range.clone()];
                marks.letters += text.iter().filter(|byte| byte.is_ascii_alphabetic() || **byte >= 0xc3).count();
            }
            TokenKind::Comment => marks.certain |= is_marker(&source[token.range.clone()]),
            TokenKind::Text(_) | TokenKind::Doctype => {}
        }
    }
    let is_empty = marks.letters < FEW_LETTERS && marks.scripts > 0;
    match (marks.certain, marks.root) {
        (true, _) | (_, true) if is_empty => Rendering::ByScripts,
        (true, _) => Rendering::Hydrated,
        (false, _) => Rendering::Static,
    }
}

impl Marks {
    fn tag(&mut self, source: &[u8], tag: &Tag<'_>) {
        self.certain |= &*tag.name == "astro-island";
        if !tag.may(HYDRATION) {
            return;
        }
        for attribute in tag.attributes.iter().filter(|attribute| attribute.known.roles & HYDRATION != 0) {
            if attribute.name() != "id" {
                self.certain = true;
                continue;
            }
            let id = attribute.value(source);
            if ROOTS.contains(&&*id) || &*id == "__NEXT_DATA__" || &*id == "__NUXT_DATA__" {
                self.certain |= is_certain(&id);
                self.root = true;
            }
        }
    }
}

/// Comments by which React, Vue, Svelte and Angular find their nodes again.
fn is_marker(comment: &[u8]) -> bool {
    const MARKERS: [&[u8]; 11] = [
        b"<!-- -->",
        b"<!--$-->",
        b"<!--/$-->",
        b"<!--$?-->",
        b"<!--$!-->",
        b"<!--[-->",
        b"<!--]-->",
        b"<!--[!-->",
        b"<!---->",
        b"<!--ngetn-->",
        b"<!--ngtns-->",
    ];
    MARKERS.contains(&comment)
}
