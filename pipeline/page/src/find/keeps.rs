//! What keeps a text of a page as it is.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use crate::html::element::ElementName;
use crate::html::rules::Rules;
use crate::html::tokens::{PageToken, TextKind};

/// What keeps a text as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keeps {
    /// The whole page asks for it.
    Page,
    TranslateNo,
    NotranslateClass,
    /// A rule of the site.
    Skip(u32),
    /// The element holds code or data.
    Element(&'static str),
    /// Its class is one that documentation generators give to code.
    CodeClass,
    /// It is the name of an icon, which a font draws.
    Icon,
    /// Readers write there.
    Editable,
    /// It is an example of the page's own language.
    Example,
    /// It is one of several letters in a row, each in an element of its own.
    Letters,
    /// It is in another language.
    Language,
    LanguageLink,
    /// It is in a switcher of ours.
    Switcher,
    Graphic,
    Formula,
    /// It is a script or a style sheet.
    Program,
    Comment,
    /// It is an expression of a template.
    Template,
    /// It is in a tag, in no attribute that holds text.
    Tag,
    Letterless,
}

/// A text that is no segment, and where it stands.
#[derive(Clone, Debug)]
pub(crate) struct KeptPlace {
    pub(crate) range: Range<usize>,
    pub(crate) kind: TextKind,
    pub(crate) element: Cow<'static, str>,
    pub(crate) keeps: Keeps,
}

impl KeptPlace {
    /// A text anywhere in a page.
    pub(crate) fn new(token: &PageToken<'_>, kind: TextKind, keeps: Keeps) -> Self {
        Self {
            range: token.range.clone(),
            kind,
            element: Cow::Borrowed("body"),
            keeps,
        }
    }
}

impl Keeps {
    /// An element whose own text is kept.
    pub(crate) fn element(name: &ElementName) -> Self {
        match name.to_cow() {
            Cow::Borrowed("textarea") => Self::Editable,
            Cow::Borrowed(name) => Self::Element(name),
            Cow::Owned(_) => Self::Element("code"),
        }
    }

    /// Whether browsers show what is kept so.
    pub(crate) fn is_shown(self) -> bool {
        match self {
            Self::Page
            | Self::TranslateNo
            | Self::NotranslateClass
            | Self::Skip(_)
            | Self::Element(_)
            | Self::CodeClass
            | Self::Editable
            | Self::Letters
            | Self::Example
            | Self::Language
            | Self::LanguageLink
            | Self::Switcher
            | Self::Template
            | Self::Formula => true,
            Self::Icon
            | Self::Graphic
            | Self::Program
            | Self::Comment
            | Self::Tag
            | Self::Letterless => false,
        }
    }
}

/// What keeps a text, said with the rules of its site.
pub(crate) struct KeepReason<'a>(pub(crate) Keeps, pub(crate) &'a Rules);

impl fmt::Display for KeepReason<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Keeps::Page => {
                out.write_str("the page has <meta name=\"google\" content=\"notranslate\">")
            }
            Keeps::TranslateNo => out.write_str("translate=\"no\""),
            Keeps::NotranslateClass => out.write_str("class=\"notranslate\""),
            Keeps::Skip(rule) => write!(out, "skip = {:?} in [site.html]", self.1.element(rule)),
            Keeps::Element(name) => write!(out, "<{name}> holds code or data"),
            Keeps::CodeClass => {
                out.write_str("its class is one that documentation generators give to code")
            }
            Keeps::Icon => out.write_str("it is the name of an icon, which a font draws"),
            Keeps::Example => out.write_str(
                "its lang attribute names the page's own language, so it is an example of it",
            ),
            Keeps::Letters => out
                .write_str("it is one of several letters in a row, each in an element of its own"),
            Keeps::Editable => out.write_str("readers write there"),
            Keeps::Language => out.write_str("its lang attribute names another language"),
            Keeps::LanguageLink => out.write_str("it is the label of a link to another language"),
            Keeps::Switcher => {
                out.write_str("it is in a language switcher, which is written for each language")
            }
            Keeps::Graphic => out.write_str("it is no text that the graphic shows"),
            Keeps::Formula => out.write_str("it is part of a formula"),
            Keeps::Program => out.write_str("it is a script, a style sheet or data for them"),
            Keeps::Comment => out.write_str("it is a comment"),
            Keeps::Template => out.write_str("it is an expression that a template fills in"),
            Keeps::Tag => out
                .write_str("it is in no attribute that holds text; `also_translate` can name one"),
            Keeps::Letterless => out.write_str("it has no letter"),
        }
    }
}
