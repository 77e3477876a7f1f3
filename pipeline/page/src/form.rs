//! Forms of HTML: documents, fragments that other pages show, and bare texts.

use crate::document::PageFormat;
use crate::html::tokens::{PageTokens, TextKind, TokenKind};

/// Words of a bare text that are kept.
const MOST_WORDS: usize = 16;

/// Elements that a bare text may have around it.
const PLAIN: [&str; 11] = [
    "b", "body", "br", "div", "head", "html", "meta", "p", "pre", "span", "title",
];

/// Elements that make a document of HTML.
const OF_DOCUMENTS: [&str; 5] = ["body", "frameset", "head", "html", "title"];

/// Form of HTML.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MarkupForm {
    /// It has elements, but neither a doctype nor `html`, `head`, `title` or `body`.
    pub is_fragment: bool,
    /// It has elements.
    pub has_elements: bool,
    /// The different words of title and body, if they are few and no markup says anything about them; of a text without any
    /// element, the first of them.
    pub bare_words: Option<Vec<String>>,
}

impl MarkupForm {
    /// Tells the form of HTML. XML is taken for a document.
    pub(crate) fn of(format: PageFormat, source: &[u8], tokens: &PageTokens) -> Self {
        let mut form = Self::default();
        if format != PageFormat::Html {
            return form;
        }
        let mut is_document = false;
        let mut is_plain = true;
        let mut words: Vec<String> = Vec::new();
        for token in tokens.iter() {
            match &token.kind {
                TokenKind::Start(tag) => {
                    form.has_elements = true;
                    is_document |= OF_DOCUMENTS.contains(&&*tag.name);
                    is_plain &= PLAIN.contains(&&*tag.name);
                }
                TokenKind::Doctype => is_document = true,
                TokenKind::Text(TextKind::Data | TextKind::Escapable) if is_plain => {
                    add_words(&source[token.range], &mut words);
                }
                TokenKind::End(_) | TokenKind::Text(_) | TokenKind::Comment => {}
            }
            if is_document && (!is_plain || words.len() > MOST_WORDS) {
                break;
            }
        }
        form.is_fragment = form.has_elements && !is_document;
        let is_bare = is_plain && (!form.has_elements || words.len() <= MOST_WORDS);
        words.truncate(MOST_WORDS);
        form.bare_words = is_bare.then_some(words);
        form
    }
}

/// Adds the words of a text, each once.
fn add_words(text: &[u8], words: &mut Vec<String>) {
    for word in String::from_utf8_lossy(text).split_whitespace() {
        if words.len() > MOST_WORDS {
            return;
        }
        if !words.iter().any(|known| known == word) {
            words.push(word.to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rules;
    use crate::parse::cut;

    fn form(html: &str) -> MarkupForm {
        let tokens = cut(PageFormat::Html, html.as_bytes(), &Rules::default());
        MarkupForm::of(PageFormat::Html, html.as_bytes(), &tokens)
    }

    #[test]
    fn elements_without_a_document_are_a_fragment_r_s19() {
        for (html, expected) in [
            ("<ul class=menu><li><a href=/>Start</a></ul>", true),
            ("\u{feff}<!-- menu -->\n<p>News</p>", true),
            ("<style>p { color: red }</style><p>News", true),
            ("<template><title>inside</title></template>", false),
            ("<!doctype html><p>News", false),
            ("<HTML><p>News", false),
            ("<title>News</title><p>News", false),
            ("<p>News</p><body>", false),
            ("<frameset cols=50%,50%><frame src=a></frameset>", false),
            ("just words", false),
            ("", false),
        ] {
            assert_eq!(form(html).is_fragment, expected, "{html}");
        }
    }

    #[test]
    fn few_words_without_markup_are_bare_r_s19() {
        let words = |html: &str| form(html).bare_words;
        assert_eq!(
            words("<html><head><title>a1.html</title></head><body>a1 a1.html</body></html>")
                .unwrap(),
            ["a1.html", "a1"]
        );
        assert_eq!(words("<p>Bread <a href=/>and</a> tea"), None);
        assert_eq!(words(&"word ".repeat(40)).unwrap(), ["word"]);
        let many: String = (0..40).map(|word| format!("w{word} ")).collect();
        assert_eq!(words(&many).unwrap().len(), MOST_WORDS);
        assert_eq!(words(&format!("<p>{many}")), None);
        assert_eq!(words("").unwrap(), [""; 0]);
    }
}
