//! What an element hands down to what it holds: translate mode, language, code, white space, locales.

use std::borrow::Cow;
use std::sync::Arc;

use super::attributes::is_version_link;
use super::keeps::Keeps;
use super::structured;
use crate::Locale;
use crate::html::classes::Meaning;
use crate::html::known::{MARKER, RULE};
use crate::html::rules::LocaleFilter;
use crate::html::tokens::{Ruled, StartTag, TagAttribute};

/// What an element hands down to what it holds.
#[derive(Clone, Debug)]
pub(crate) struct InheritedState {
    pub(crate) translate: bool,
    /// The text is in a language that is not the page's.
    pub(crate) foreign: bool,
    /// The text is code or data.
    kept: bool,
    /// What says so of each, where it is so: not translated, foreign, kept.
    says: [Keeps; 3],
    /// White space is kept.
    pub(crate) preserve: bool,
    /// The text is computer code.
    pub(crate) code: bool,
    /// What microdata or RDFa describes here has a proper name.
    pub(crate) named: bool,
    pub(crate) world: TextNamespace,
    /// The locales for which the element is there, where not all.
    pub(crate) filter: Option<Arc<LocaleFilter>>,
}

/// Whose rules say what is text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextNamespace {
    Html,
    /// Inside SVG; the flag says whether text here is shown.
    Svg(bool),
    /// Inside MathML; the flag says whether text here is prose.
    Math(bool),
}

impl InheritedState {
    /// Whether text here is text for people.
    pub(crate) fn takes_text(&self) -> bool {
        let shown = match self.world {
            TextNamespace::Html => true,
            TextNamespace::Svg(shown) | TextNamespace::Math(shown) => shown,
        };
        self.translate && !self.foreign && !self.kept && shown
    }

    /// What keeps text here as it is, if anything does.
    pub(crate) fn keeps(&self) -> Option<Keeps> {
        let [refuses, _, keeps] = self.says;
        match self.world {
            _ if !self.translate => Some(refuses),
            _ if self.kept => Some(keeps),
            _ if self.foreign => self.keeps_values(),
            TextNamespace::Html | TextNamespace::Svg(true) | TextNamespace::Math(true) => None,
            TextNamespace::Svg(false) => Some(Keeps::Graphic),
            TextNamespace::Math(false) => Some(Keeps::Formula),
        }
    }

    /// What keeps the values of attributes here as they are, if anything does.
    pub(crate) fn keeps_values(&self) -> Option<Keeps> {
        let [refuses, alien, _] = self.says;
        match (self.translate, self.foreign) {
            (false, _) => Some(refuses),
            (true, true) => Some(alien),
            (true, false) => None,
        }
    }

    /// Inherited state inside a language link: its label stays, also in an element with a `lang` of its own.
    pub(crate) fn in_language_link(&self) -> Self {
        let mut state = self.clone();
        state.refuse(Keeps::LanguageLink);
        state
    }

    /// Inherited state inside an example of the page's language.
    pub(crate) fn in_example(&self) -> Self {
        let mut state = self.clone();
        state.keep(true, Keeps::Example);
        state
    }

    fn refuse(&mut self, says: Keeps) {
        (self.translate, self.says[0]) = (false, says);
    }

    fn keep(&mut self, is_kept: bool, says: Keeps) {
        if is_kept && !self.kept {
            (self.kept, self.says[2]) = (true, says);
        }
    }

    /// Meaning of a class or of an element's name.
    fn mean(&mut self, meaning: Option<Meaning>) {
        match meaning {
            Some(Meaning::Refuse) => self.refuse(Keeps::NotranslateClass),
            Some(Meaning::Formula) => self.refuse(Keeps::Formula),
            Some(Meaning::Icon) => self.keep(true, Keeps::Icon),
            Some(Meaning::Code) => {
                if self.translate {
                    self.refuse(Keeps::CodeClass);
                }
                self.keep(true, Keeps::CodeClass);
            }
            // It is a link of the page in the middle of code.
            Some(Meaning::Prose) if self.says[0] == Keeps::CodeClass => {
                self.translate = true;
                self.kept = false;
            }
            Some(_) | None => {}
        }
    }

    /// Whether an element that stands here hands down what it gets: the usual case, in which nothing is to be made.
    /// `says` is what [`says_something`] says of its tag.
    pub(crate) fn is_kept_by(&self, tag: &StartTag<'_>, says: bool) -> bool {
        let name = &tag.name;
        let is_world = matches!(&**name, "svg" | "math");
        self.world == TextNamespace::Html
            && !says
            && tag.ruled.is_none()
            && !(name.is_kept() || name.keeps_space() || is_world)
    }

    /// What an element hands down that stands here: R-A1, R-A4, R-A5, R-A10, R-B4.
    pub(crate) fn within(
        &self,
        source: &[u8],
        tag: &StartTag<'_>,
        meant: &ElementMeaning,
        locale: &Locale,
    ) -> Self {
        let mut state = self.clone();
        let value = |name: &str| tag.value(source, name);
        let kept = self.world == TextNamespace::Html && tag.name.is_kept();
        if tag.may(RULE) {
            if !matches!(&*tag.name, "html" | "body") {
                state.filter = LocaleFilter::of(source, tag, self.filter.as_ref()).or(state.filter);
            }
            let mode = value("translate").unwrap_or(Cow::Borrowed("inherit"));
            match mode.trim() {
                mode if mode.is_empty() || mode.eq_ignore_ascii_case("yes") => {
                    state.translate = true;
                    state.kept = false;
                }
                mode if mode.eq_ignore_ascii_case("no") => state.refuse(Keeps::TranslateNo),
                _ => {
                    state.keep(kept, Keeps::element(&tag.name));
                    state.mean(meant.kind);
                }
            }
            // What is in a switcher of ours is written anew.
            if tag.has(MARKER) {
                state.refuse(Keeps::Switcher);
            }
            let is_edited = value("contenteditable")
                .is_some_and(|value| !value.trim().eq_ignore_ascii_case("false"));
            state.keep(is_edited, Keeps::Editable);
            if &*tag.name != "html"
                && let Some(lang) = value("lang")
                    .or_else(|| value("xml:lang"))
                    .filter(|lang| !lang.trim().is_empty())
            {
                state.foreign =
                    Locale::parse(lang.trim()).is_ok_and(|lang| !lang.same_language(locale));
                state.says[1] = Keeps::Language;
            }
            if let Some(types) = value("itemtype")
                .or_else(|| value("typeof"))
                .or_else(|| value("itemscope"))
            {
                let property = value("itemprop")
                    .or_else(|| value("property"))
                    .unwrap_or_default();
                state.named = structured::is_named(&types, &property);
            }
            if is_version_link(source, tag) {
                (state.foreign, state.says[1]) = (true, Keeps::LanguageLink);
            }
        } else {
            state.keep(kept, Keeps::element(&tag.name));
            state.mean(meant.kind);
        }
        state.keep(&*tag.name == "textarea", Keeps::Editable);
        match tag.ruled {
            Some(Ruled::Skip(rule)) => state.refuse(Keeps::Skip(rule)),
            Some(Ruled::Translate) => (state.translate, state.kept) = (true, false),
            None => {}
        }
        let is_code = meant.kind == Some(Meaning::Code)
            || (self.world == TextNamespace::Html && tag.name.is_code());
        state.code = state.kept && (state.code || is_code);
        state.preserve = tag.name.keeps_space() || meant.preserve.unwrap_or(state.preserve);
        state.world = match (&*tag.name, self.world) {
            ("svg", TextNamespace::Html) => TextNamespace::Svg(false),
            ("math", TextNamespace::Html) => TextNamespace::Math(false),
            ("text" | "title" | "desc", TextNamespace::Svg(_)) => TextNamespace::Svg(true),
            ("foreignobject", TextNamespace::Svg(_)) => TextNamespace::Html,
            ("style" | "script", TextNamespace::Svg(_)) => TextNamespace::Svg(false),
            ("mtext", TextNamespace::Math(_)) => TextNamespace::Math(true),
            ("annotation-xml", TextNamespace::Math(_))
                if value("encoding").is_some_and(|encoding| is_html(&encoding)) =>
            {
                TextNamespace::Html
            }
            (_, world) => world,
        };
        state
    }
}

impl Default for InheritedState {
    /// What holds where a page begins.
    fn default() -> Self {
        Self {
            translate: true,
            foreign: false,
            kept: false,
            says: [Keeps::TranslateNo, Keeps::Language, Keeps::Editable],
            preserve: false,
            code: false,
            named: false,
            world: TextNamespace::Html,
            filter: None,
        }
    }
}

/// Meaning of the class, style and name of an element.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ElementMeaning {
    /// Not translated, code, an icon or a formula.
    kind: Option<Meaning>,
    /// White space counts or not.
    preserve: Option<bool>,
}

impl ElementMeaning {
    /// Adds what one class says. What is not translated at all is nothing else.
    pub(crate) fn add(&mut self, meaning: Meaning) {
        if let Meaning::Preserve(preserve) = meaning {
            self.preserve = Some(preserve);
        } else if self.kind != Some(Meaning::Refuse) {
            self.kind = Some(meaning);
        }
    }
}

/// Searches a tag for an attribute that changes the meaning of its content. Classes and styles are read apart, for few of them do.
pub(crate) fn says_something(tag: &StartTag<'_>) -> bool {
    let says = |attribute: &TagAttribute| {
        attribute.known.roles & RULE != 0 && !matches!(attribute.known.name, "class" | "style")
    };
    tag.may(RULE) && tag.attributes.iter().any(says)
}

fn is_html(encoding: &str) -> bool {
    let encoding = encoding.trim();
    encoding.eq_ignore_ascii_case("text/html")
        || encoding.eq_ignore_ascii_case("application/xhtml+xml")
}
