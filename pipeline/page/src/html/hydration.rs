//! What made a page: a framework that compares the page with its own state when it starts in the browser
//! ("hydration"), or a program that draws the page there.
//!
//! Such a page keeps its nodes one by one (R-I1, R-I2), and its owner is told what happens to its words (R-I3). One mark
//! alone proves nothing, because pages by hand have empty comments and elements with the id `app`: two of different kinds
//! are needed, of one framework or of those that several share.

use serde::{Deserialize, Serialize};

use super::bytes::as_text;
use super::known::HYDRATION;
use super::tokens::{PageTokens, StartTag, TextKind, TokenFilter, TokenKind};

/// How the words of a page come before its readers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rendering {
    /// They stand in the page.
    #[default]
    Static,
    /// They stand in the page, and a script compares them with its own when it starts.
    Hydrated,
    /// Scripts write them; the page itself has next to none.
    ByScripts,
}

/// What draws a page in the browser.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Framework {
    /// Next.js.
    Next,
    /// Docusaurus.
    Docusaurus,
    /// VitePress.
    VitePress,
    /// SvelteKit.
    SvelteKit,
    /// Astro with islands.
    Astro,
    /// Nuxt.
    Nuxt,
    /// Gatsby.
    Gatsby,
    /// Remix or React Router.
    Remix,
    /// Angular.
    Angular,
    /// SolidStart.
    Solid,
    /// Qwik.
    Qwik,
    /// Quasar.
    Quasar,
    /// VuePress.
    VuePress,
    /// Something made of React, Vue, Svelte or their like.
    Other,
}

impl Framework {
    /// Its name as people write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Next => "Next.js",
            Self::Docusaurus => "Docusaurus",
            Self::VitePress => "VitePress",
            Self::SvelteKit => "SvelteKit",
            Self::Astro => "Astro",
            Self::Nuxt => "Nuxt",
            Self::Gatsby => "Gatsby",
            Self::Remix => "React Router",
            Self::Angular => "Angular",
            Self::Solid => "SolidStart",
            Self::Qwik => "Qwik",
            Self::Quasar => "Quasar",
            Self::VuePress => "VuePress",
            Self::Other => "a framework",
        }
    }

    /// Whether it is made of React, which says on its root that it begins.
    pub fn is_react(self) -> bool {
        matches!(
            self,
            Self::Next | Self::Docusaurus | Self::Gatsby | Self::Remix
        )
    }

    /// Whether its pages have a router that goes by the address: only Astro's islands have none.
    pub fn has_router(self) -> bool {
        self != Self::Astro
    }
}

/// What a framework leaves in a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FrameworkSign {
    /// The id of an element that it takes over.
    Root(&'static str),
    /// The id of another element.
    Id(&'static str),
    /// The name of an element.
    Element(&'static str),
    /// The name of an attribute.
    Attribute(&'static str),
    /// Something in the address of a script.
    Address(&'static str),
    /// Something in an inline script.
    Program(&'static str),
    /// A comment, or how one begins.
    Comment(&'static str),
}

use Framework::{
    Angular, Astro, Docusaurus, Gatsby, Next, Nuxt, Other, Quasar, Qwik, Remix, Solid, SvelteKit,
};
use Framework::{VitePress, VuePress};
use FrameworkSign::{Address, Attribute, Comment, Element, Id, Program, Root};

/// The marks, each with whose it is; those of `Other` count for all.
static MARKS: [(Framework, FrameworkSign); 62] = [
    (Next, Root("__next")),
    (Next, Id("__NEXT_DATA__")),
    (Next, Address("/_next/")),
    (Next, Program("__next_f")),
    (Docusaurus, Root("__docusaurus")),
    (Docusaurus, Attribute("data-rh")),
    (
        Docusaurus,
        Id("__docusaurus-base-url-issue-banner-container"),
    ),
    (Docusaurus, Id("__docusaurus_skipToContent_fallback")),
    (VitePress, Program("__VP_HASH_MAP__")),
    (VitePress, Program("__VP_SITE_DATA__")),
    (VitePress, Id("VPContent")),
    (VitePress, Id("check-dark-mode")),
    (SvelteKit, Root("svelte")),
    (SvelteKit, Root("__sveltekit")),
    (SvelteKit, Attribute("data-sveltekit-preload-data")),
    (SvelteKit, Program("__sveltekit")),
    (SvelteKit, Address("/_app/immutable/")),
    (Astro, Element("astro-island")),
    (Astro, Program("astro-island")),
    (Astro, Comment("<!--astro:end-->")),
    (Nuxt, Root("__nuxt")),
    (Nuxt, Root("__layout")),
    (Nuxt, Id("__NUXT_DATA__")),
    (Nuxt, Program("__NUXT__")),
    (Nuxt, Address("/_nuxt/")),
    (Gatsby, Root("___gatsby")),
    (Gatsby, Root("__gatsby")),
    (Gatsby, Id("gatsby-focus-wrapper")),
    (Gatsby, Id("gatsby-script-loader")),
    (Gatsby, Address("/webpack-runtime-")),
    (Remix, Program("__remixContext")),
    (Remix, Program("__reactRouterContext")),
    (Remix, Program("__reactRouterManifest")),
    (Remix, Address("/entry.client")),
    (Angular, Attribute("ng-version")),
    (Angular, Attribute("ng-server-context")),
    (Angular, Attribute("ngh")),
    (Angular, Id("ng-state")),
    (Angular, Comment("<!--nghm-->")),
    (Angular, Element("app-root")),
    (Solid, Attribute("data-hk")),
    (Solid, Program("_$HY")),
    (Qwik, Attribute("q:container")),
    (Qwik, Comment("<!--qv ")),
    (Qwik, Attribute("q:version")),
    (Quasar, Root("q-app")),
    (VuePress, Program("__VUEPRESS")),
    (VuePress, Id("nprogress-container")),
    (Other, Root("app")),
    (Other, Root("root")),
    (Other, Attribute("data-reactroot")),
    (Other, Attribute("data-server-rendered")),
    (Other, Attribute("data-v-app")),
    // React, Vue, Svelte and Lit find their nodes again by these.
    (Other, Comment("<!--$-->")),
    (Other, Comment("<!--/$-->")),
    (Other, Comment("<!--[-->")),
    (Other, Comment("<!--]-->")),
    (Other, Comment("<!--lit-part")),
    (Other, Comment("<!--/lit-part")),
    (Other, Comment("<!--ngetn-->")),
    (Other, Comment("<!--ngtns-->")),
    // The weakest of all: pages by hand have them, too.
    (Other, Comment("<!-- -->")),
];

const _: () = assert!(
    MARKS.len() <= 64,
    "which marks a page has is a set of 64 bits"
);

/// All ids among [`MARKS`], sorted.
static IDS: [&str; 21] = [
    "VPContent",
    "__NEXT_DATA__",
    "__NUXT_DATA__",
    "___gatsby",
    "__docusaurus",
    "__docusaurus-base-url-issue-banner-container",
    "__docusaurus_skipToContent_fallback",
    "__gatsby",
    "__layout",
    "__next",
    "__nuxt",
    "__sveltekit",
    "app",
    "check-dark-mode",
    "gatsby-focus-wrapper",
    "gatsby-script-loader",
    "ng-state",
    "nprogress-container",
    "q-app",
    "root",
    "svelte",
];

/// With fewer letters than this a page whose root is empty has no words of its own.
const FEW_LETTERS: usize = 200;

/// With no more letters than this a root says that it is loading.
const LOADING: usize = 16;

/// What the marks of a page tell.
#[derive(Default)]
struct FrameworkMarks {
    /// Which of [`MARKS`] the page has, as a set of bits.
    seen: u64,
    scripts: usize,
    /// Whether a script is a module of its own, as bundlers write them: a mark beside a root, and none alone.
    module: bool,
    letters: usize,
    root: Option<Opened>,
}

/// The element that a framework takes over.
struct Opened {
    name: String,
    /// How many elements of its name are open; none when it is over.
    depth: usize,
    letters: usize,
}

/// Finds out how the words of a page come before its readers, and what draws them.
pub(crate) fn rendering(source: &[u8], tokens: &PageTokens) -> (Rendering, Option<Framework>) {
    let mut marks = FrameworkMarks::default();
    let mut hidden = false;
    let mut program = false;
    // Once the letters are enough, it does not matter any more what stands where.
    let wanted = TokenFilter {
        roles: HYDRATION,
        elements: &["script"],
        unknown: true,
        comments: true,
    };
    tokens.each_wanted(wanted, |token| {
        match &token.kind {
            TokenKind::Start(tag) => {
                program = &*tag.name == "script";
                // What is hidden counts for nothing, and then nothing counts any more.
                hidden = marks.letters < FEW_LETTERS
                    && (program
                        || matches!(&*tag.name, "style" | "title" | "noscript" | "template"));
                marks.scripts += usize::from(program);
                marks.tag(source, tag);
            }
            TokenKind::End(name) => {
                (hidden, program) = (false, false);
                marks.end(name);
            }
            TokenKind::Text(TextKind::Data) if !hidden => marks.text(&source[token.range.clone()]),
            TokenKind::Text(TextKind::Raw) if program => {
                marks.program(&source[token.range.clone()])
            }
            TokenKind::Comment => marks.comment(&source[token.range.clone()]),
            TokenKind::Text(_) | TokenKind::Doctype => {}
        }
        program || marks.letters < FEW_LETTERS
    });
    marks.verdict()
}

impl FrameworkMarks {
    fn note(&mut self, is_it: impl Fn(FrameworkSign) -> bool) {
        for (index, (_, sign)) in MARKS.iter().enumerate() {
            self.seen |= u64::from(is_it(*sign)) << index;
        }
    }

    fn tag(&mut self, source: &[u8], tag: &StartTag<'_>) {
        if let Some(root) = self
            .root
            .as_mut()
            .filter(|root| root.depth > 0 && *root.name == *tag.name)
        {
            root.depth += usize::from(!tag.self_closing);
        }
        let name = &*tag.name;
        if matches!(name, "astro-island" | "app-root") {
            self.note(|sign| {
                sign == Element(if name == "app-root" {
                    "app-root"
                } else {
                    "astro-island"
                })
            });
        }
        let is_root = name == "app-root";
        if name == "script"
            && let Some(address) = tag.value(source, "src")
        {
            self.note(|sign| matches!(sign, Address(part) if address.contains(part)));
            self.module |= tag
                .value(source, "type")
                .is_some_and(|kind| kind.trim().eq_ignore_ascii_case("module"));
        }
        if is_root {
            self.open(name);
        }
        if !tag.may(HYDRATION) {
            return;
        }
        for attribute in tag
            .attributes
            .iter()
            .filter(|attribute| attribute.known.roles & HYDRATION != 0)
        {
            if attribute.name() != "id" {
                self.note(|sign| matches!(sign, Attribute(name) if name == attribute.name()));
                continue;
            }
            let id = attribute.value(source);
            if IDS.binary_search(&&*id).is_err() {
                continue;
            }
            self.note(|sign| matches!(sign, Root(name) | Id(name) if name == id));
            if MARKS
                .iter()
                .any(|(_, sign)| matches!(sign, Root(name) if *name == id))
            {
                self.open(name);
            }
        }
    }

    fn open(&mut self, name: &str) {
        if self.root.is_none() {
            self.root = Some(Opened {
                name: name.to_owned(),
                depth: 1,
                letters: 0,
            });
        }
    }

    fn end(&mut self, name: &str) {
        if let Some(root) = self.root.as_mut().filter(|root| root.name == name) {
            root.depth = root.depth.saturating_sub(1);
        }
    }

    fn text(&mut self, text: &[u8]) {
        if self.letters < FEW_LETTERS {
            let letters = text
                .iter()
                .filter(|byte| byte.is_ascii_alphabetic() || **byte >= 0xc3)
                .count();
            self.letters += letters;
            if let Some(root) = self.root.as_mut().filter(|root| root.depth > 0) {
                root.letters += letters;
            }
        }
    }

    fn program(&mut self, text: &[u8]) {
        // What frameworks leave in programs is marked so; most programs have none of it.
        let text = as_text(text);
        if ["__", "astro-island", "_$HY"]
            .iter()
            .any(|part| text.contains(part))
        {
            self.note(|sign| matches!(sign, Program(part) if text.contains(part)));
        }
    }

    fn comment(&mut self, comment: &[u8]) {
        let comment: &[u8] = match comment {
            b"<!---->" => b"<!-- -->",
            b"<!--$?-->" | b"<!--$!-->" => b"<!--$-->",
            b"<!--[!-->" => b"<!--[-->",
            other => other,
        };
        self.note(|sign| match sign {
            Comment(whole) if whole.ends_with("-->") => comment == whole.as_bytes(),
            Comment(start) => comment.starts_with(start.as_bytes()),
            _ => false,
        });
    }

    fn verdict(&self) -> (Rendering, Option<Framework>) {
        let count = |framework: Framework| {
            let own = MARKS
                .iter()
                .enumerate()
                .filter(|(_, (whose, _))| *whose == framework);
            own.filter(|(index, _)| self.seen >> index & 1 == 1).count()
        };
        let shared = count(Other) + usize::from(self.root.is_some() && self.module);
        let best = MARKS
            .iter()
            .map(|(whose, _)| *whose)
            .filter(|whose| *whose != Other);
        let best = best
            .map(|whose| (count(whose), std::cmp::Reverse(whose)))
            .max();
        let (own, framework) = best.map_or((0, Other), |(own, whose)| {
            (own, if own > 0 { whose.0 } else { Other })
        });
        let is_framework = own + shared >= 2;
        let is_empty = self.root.as_ref().is_some_and(|root| match is_framework {
            true => root.letters == 0,
            false => root.letters <= LOADING,
        });
        if self.scripts > 0 && is_empty && self.letters < FEW_LETTERS {
            return (Rendering::ByScripts, Some(framework));
        }
        match is_framework && self.scripts > 0 {
            true => (Rendering::Hydrated, Some(framework)),
            false => (Rendering::Static, None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_those_of_the_marks() {
        let is_id = |sign: FrameworkSign| matches!(sign, Root(id) | Id(id) if IDS.binary_search(&id).is_ok());
        let ids = MARKS
            .iter()
            .filter(|(_, sign)| matches!(sign, Root(_) | Id(_)));
        assert!(IDS.is_sorted() && ids.clone().all(|(_, sign)| is_id(*sign)));
        assert_eq!(ids.count(), IDS.len());
    }
}
