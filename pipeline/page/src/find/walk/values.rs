//! What the walk takes from the attributes of a tag: texts, languages, and what an `<option>` sends.

use super::PageWalk;
use crate::Locale;
use crate::find::attributes::{AttributeContext, class_of};
use crate::find::found::InnerPlace;
use crate::find::inherit::InheritedState;
use crate::find::keeps::Keeps;
use crate::find::option::OptionValue;
use crate::find::prompt;
use crate::find::template;
use crate::find::unit::TextUnit;
use crate::html::known::TEXT;
use crate::html::space::trim;
use crate::html::span::short;
use crate::html::tokens::{PageToken, StartTag, TagAttribute, TextKind, TokenKind};
use crate::html::writing::{self, ValueWriting};
use crate::text::coded::has_letter;
use crate::text::segment::TextClass;

impl PageWalk<'_> {
    /// Notes a `lang` that changes with the text (R-B4).
    pub(super) fn lang(&mut self, tag: &StartTag<'_>, state: &InheritedState) {
        if &*tag.name == "html" || !state.takes_text() {
            return;
        }
        for attribute in ["lang", "xml:lang"]
            .iter()
            .filter_map(|name| tag.attribute(name))
        {
            let value = attribute.value(self.source);
            if Locale::parse(value.trim()).is_ok_and(|lang| lang.same_language(self.locale))
                && let Some(range) = attribute.value.clone()
            {
                self.found
                    .langs
                    .push((range, ValueWriting::Attribute(attribute.quote(self.source))));
            }
        }
    }

    pub(super) fn attributes(&mut self, tag: &StartTag<'_>, state: &InheritedState) {
        if !tag.may(TEXT) {
            return;
        }
        if let Some(keeps) = state.keeps_values() {
            if self.kept.is_some() {
                self.keep_values(tag, self.surroundings(state), keeps);
            }
            return;
        }
        let around = self.surroundings(state);
        for attribute in tag
            .attributes
            .iter()
            .filter(|attribute| attribute.known.roles & TEXT != 0)
        {
            if (&*tag.name, attribute.name()) == ("iframe", "srcdoc") {
                let writing = ValueWriting::Attribute(attribute.quote(self.source));
                let html = attribute.value(self.source).into_owned();
                let inner = |value| InnerPlace {
                    value,
                    writing,
                    html,
                    base: None,
                };
                self.found.inner.extend(attribute.value.clone().map(inner));
            }
            let class = class_of(self.source, tag, attribute, around);
            let class =
                class.or_else(|| self.is_prompt(tag, attribute).then_some(TextClass::Label));
            let Some(class) = class else { continue };
            let Some(value) = attribute.value.clone() else {
                continue;
            };
            let range = trim(self.source, value);
            let writing = ValueWriting::Attribute(attribute.quote(self.source));
            let text = writing::text_of(&self.source[range.clone()], writing);
            if !text.is_some_and(|text| {
                has_words(&text) && !(attribute.name() == "title" && is_reference(&text))
            }) {
                continue;
            }
            // Scripts show the tags in it as tags.
            if class == TextClass::Label && text_holds_tags(&attribute.value(self.source)) {
                let html = attribute.value(self.source).into_owned();
                let value = attribute.value.clone();
                self.found.inner.extend(value.map(|value| InnerPlace {
                    value,
                    writing,
                    html,
                    base: None,
                }));
                continue;
            }
            let name = match class {
                TextClass::Prose => ["name", "property", "itemprop"]
                    .iter()
                    .find_map(|name| tag.value(self.source, name)),
                TextClass::Label => None,
            };
            let origin = format!(
                "{} {}",
                tag.name,
                name.as_deref().unwrap_or(attribute.name())
            );
            self.found.push_value(TextUnit::value(
                range,
                writing,
                class,
                origin,
                state.filter.clone(),
            ));
        }
    }

    fn surroundings(&self, state: &InheritedState) -> AttributeContext {
        AttributeContext {
            is_named: state.named,
            is_indifferent: self.form == Some(true),
        }
    }

    /// Whether a value is what an old search box says until somebody writes into it. A framework compares values.
    fn is_prompt(&mut self, tag: &StartTag<'_>, attribute: &TagAttribute) -> bool {
        let is_candidate = !self.keeps_nodes && self.prompts < prompt::MOST;
        let is_candidate = is_candidate && prompt::is_candidate(self.source, tag, attribute);
        if !is_candidate {
            return false;
        }
        self.prompts += 1;
        self.found.steps += self.tokens.len() as u64;
        prompt::is_nobodys(self.source, self.tokens, &attribute.value(self.source))
    }

    /// Takes note of attributes that would hold text elsewhere.
    fn keep_values(&mut self, tag: &StartTag<'_>, around: AttributeContext, keeps: Keeps) {
        for attribute in tag.attributes {
            let is_text = class_of(self.source, tag, attribute, around).is_some();
            if let Some(range) = attribute.value.clone().filter(|_| is_text) {
                self.keep(&range, TextKind::Escapable, Some(keeps));
            }
        }
    }

    /// Takes note of an `<option>` without `value`; gives the number of the one that a tag is or stands in.
    pub(super) fn option(
        &mut self,
        index: usize,
        token: &PageToken<'_>,
        tag: &StartTag<'_>,
    ) -> Option<u32> {
        if &*tag.name != "option" || tag.has("value") {
            return self.stack.last().and_then(|open| open.option);
        }
        let mut texts = Vec::new();
        for token in self.tokens.from(index + 1) {
            match &token.kind {
                TokenKind::Text(TextKind::Data) => texts.push(token.range.clone()),
                TokenKind::Start(tag) if matches!(&*tag.name, "option" | "optgroup") => break,
                TokenKind::End(name)
                    if matches!(&**name, "option" | "optgroup" | "select" | "datalist") =>
                {
                    break;
                }
                TokenKind::Start(_)
                | TokenKind::End(_)
                | TokenKind::Text(_)
                | TokenKind::Comment
                | TokenKind::Doctype => {}
            }
        }
        let number = short(self.found.options.len());
        self.found.options.push(OptionValue::read(
            self.source,
            token.range.start + 1 + tag.name.len(),
            &texts,
        ));
        Some(number)
    }
}

/// Searches for a letter outside of expressions (R-K5).
fn has_words(text: &str) -> bool {
    let mut at = 0;
    for expression in template::expressions(text) {
        if text.get(at..expression.start).is_some_and(has_letter) {
            return true;
        }
        at = expression.end;
    }
    text.get(at..).is_some_and(has_letter)
}

/// Recognizes the title of a link to something in code: its full name, or what Javadoc writes, such as `class in java.lang`
/// (R-K1).
fn is_reference(title: &str) -> bool {
    const KINDS: [&str; 14] = [
        "annotation",
        "annotation class",
        "annotation interface",
        "class",
        "class or interface",
        "enum",
        "enum class",
        "error",
        "exception",
        "exception class",
        "interface",
        "record",
        "record class",
        "type parameter",
    ];
    match title.split_once(" in ") {
        Some((kind, name)) => KINDS.contains(&kind) && !name.contains(char::is_whitespace),
        None => is_identifier(title),
    }
}

/// Recognizes the full name of something in code, such as `packaging.version.Version`.
fn is_identifier(text: &str) -> bool {
    let is_part = |part: &str| {
        part.len() > 1
            && part
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    let parts: Vec<&str> = text
        .split(['.', ':'])
        .filter(|part| !part.is_empty())
        .collect();
    parts.len() > 1 && !text.ends_with(['.', ':']) && parts.into_iter().all(is_part)
}

/// Recognizes the value of a tooltip that is written with tags, such as `<em>New</em> here` (R-M1).
fn text_holds_tags(value: &str) -> bool {
    value.match_indices("</").any(|(at, _)| {
        let name: String = value[at + 2..]
            .chars()
            .take_while(char::is_ascii_alphanumeric)
            .collect();
        !name.is_empty()
            && value[at + 2 + name.len()..].starts_with('>')
            && value[..at].contains(&format!("<{name}"))
    })
}
