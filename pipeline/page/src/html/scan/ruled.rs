//! The rules of a site: lol_html reads the tags of a page alone, one after the other, and says which its selectors match.

use std::borrow::Cow;
use std::cell::RefCell;

use lol_html::html_content::Element;
use lol_html::{ElementContentHandlers, HtmlRewriter, Settings};

use super::selector::Selector;
use crate::html::rules::Rules;
use crate::html::tokens::{PageTokens, Ruled, TokenKind};

/// Where elements start of which a rule says something, and what it says.
type RuledElements = RefCell<Vec<(usize, Ruled)>>;

/// Lets lol_html take note of the elements of which the rules say something.
fn observe<'h, 's: 'h>(
    settings: Settings<'h, 's>,
    rules: &'s Rules,
    marked: &'h RuledElements,
) -> Settings<'h, 's> {
    rules
        .elements
        .iter()
        .fold(settings, |settings, (Selector { compiled, .. }, ruled)| {
            let mark = move |element: &mut Element<'_, '_>| {
                marked
                    .borrow_mut()
                    .push((element.source_location().bytes().start, *ruled));
                Ok(())
            };
            let handlers = ElementContentHandlers::default().element(mark);
            settings.append_element_content_handler((Cow::Borrowed(compiled), handlers))
        })
}

/// Writes down what the rules say of a page's elements.
pub(crate) fn mark(source: &[u8], rules: &Rules, tokens: &mut PageTokens) {
    if rules.elements.is_empty() {
        return;
    }
    let mut tags = Vec::new();
    let mut starts = Vec::new();
    for token in tokens.iter() {
        match &token.kind {
            // In XML it has an end, but here there would be no tags behind it.
            TokenKind::Start(tag) if &*tag.name == "plaintext" && tokens.is_xml() => {}
            TokenKind::Start(_) => {
                starts.push((tags.len(), token.range.start));
                tags.extend_from_slice(&source[token.range]);
            }
            TokenKind::End(name) => {
                tags.extend_from_slice(b"</");
                // As the page writes it; in XML, an element that closes itself has no end tag.
                match source[token.range].strip_prefix(b"</") {
                    Some(tag) => {
                        let is_end = |byte: &u8| byte.is_ascii_whitespace() || b"/>".contains(byte);
                        tags.extend(tag.iter().take_while(|byte| !is_end(byte)));
                    }
                    None => tags.extend_from_slice(name.as_bytes()),
                }
                tags.push(b'>');
            }
            TokenKind::Text(_) | TokenKind::Comment | TokenKind::Doctype => {}
        }
    }
    let marked = RuledElements::default();
    let settings = observe(Settings::new().with_strict(false), rules, &marked);
    let mut rewriter = HtmlRewriter::new(settings, |_: &[u8]| {});
    if rewriter.write(&tags).is_ok() {
        let _ = rewriter.end();
    }
    for (at, ruled) in marked.take() {
        if let Ok(index) = starts.binary_search_by_key(&at, |(start, _)| *start) {
            tokens.rule(starts[index].1, ruled);
        }
    }
}
