//! From bytes to a page: finds its places.

use super::document::{Document, PageFormat, xhtml};
use super::page::{ByLocale, Declarations, InnerPage, Page, Whole};
use crate::Locale;
use crate::find::found::{InnerPlace, PageFindings};
use crate::find::language_links::LanguageLinks;
use crate::find::walk::{self, TokenizedPage};
use crate::find::{links, loaded, names, sealed, state};
use crate::head::{legacy, places, switchers};
use crate::html::encoding::Decoded;
use crate::html::hydration::Rendering;
use crate::html::limits::{ExceededLimit, LARGEST, MOST_INNER, MOST_TOKENS};
use crate::html::rules::Rules;
use crate::html::tokens::PageTokens;
use crate::html::{encoding, hydration, scan};

/// How deep pages inside values are followed.
const INNER_DEPTH: usize = 2;

/// Brings a document to UTF-8; `charset` is what the HTTP header declared.
pub(super) fn decode(format: PageFormat, bytes: &[u8], charset: Option<&str>) -> Decoded {
    match format {
        PageFormat::Xhtml => encoding::decode_xml(bytes, charset),
        PageFormat::Html
        | PageFormat::Feed
        | PageFormat::JsonFeed
        | PageFormat::Manifest
        | PageFormat::Sidebar => encoding::decode(bytes, charset),
    }
}

/// Cuts a page into tokens for whoever only reads: XHTML that is not well formed is read as HTML.
pub(super) fn cut(format: PageFormat, source: &[u8], rules: &Rules) -> PageTokens {
    let xml = if format == PageFormat::Xhtml {
        xhtml::scan(source, rules)
    } else {
        None
    };
    xml.unwrap_or_else(|| scan::scan(source, rules))
}

/// Number of bytes at the beginning of a resource that tell its type (WHATWG MIME Sniffing, section 5.2).
const SNIFFED: usize = 1445;

/// True for a page that does not begin with a tag and has bytes in its beginning that only binary data has (WHATWG MIME
/// Sniffing, section 3: binary data byte).
fn is_binary(decoded: &Decoded) -> bool {
    let bytes = &decoded.html[..decoded.html.len().min(SNIFFED)];
    let start = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let begins_with_tag = start.trim_ascii_start().starts_with(b"<");
    !begins_with_tag && bytes.iter().any(is_binary_byte)
}

fn is_binary_byte(byte: &u8) -> bool {
    matches!(byte, 0..=8 | 0x0b | 0x0e..=0x1a | 0x1c..=0x1f)
}

impl Page {
    /// Finds the places of a page; `charset` is what the HTTP header declared, `locale` the page's language.
    pub fn parse(html: &[u8], charset: Option<&str>, locale: &Locale) -> Self {
        Self::parse_with(html, charset, locale, &Rules::default())
    }

    /// Finds the places of a page whose site has rules of its own.
    pub fn parse_with(html: &[u8], charset: Option<&str>, locale: &Locale, rules: &Rules) -> Self {
        Self::parse_as(PageFormat::Html, html, charset, locale, rules)
    }

    /// Finds the places of a page in any format; one that is damaged, other than in HTML, has none.
    pub fn parse_as(
        format: PageFormat,
        bytes: &[u8],
        charset: Option<&str>,
        locale: &Locale,
        rules: &Rules,
    ) -> Self {
        let decoded = decode(format, bytes, charset);
        match format {
            _ if decoded.html.len() > LARGEST => Self::left(decoded, locale, ExceededLimit::Bytes),
            PageFormat::Html if is_binary(&decoded) => {
                Self::left(decoded, locale, ExceededLimit::Binary)
            }
            PageFormat::Html => Self::read(decoded, locale, rules, INNER_DEPTH),
            PageFormat::Xhtml => Self {
                format,
                ..Self::xhtml(decoded, locale, rules)
            },
            PageFormat::Feed
            | PageFormat::JsonFeed
            | PageFormat::Manifest
            | PageFormat::Sidebar => Self::document(format, decoded, locale, rules),
        }
    }

    fn document(format: PageFormat, decoded: Decoded, locale: &Locale, rules: &Rules) -> Self {
        let document = Document::find(&decoded.html, format, locale);
        if document.texts.inner.len() > MOST_INNER {
            return Self {
                format,
                ..Self::left(decoded, locale, ExceededLimit::Inner)
            };
        }
        Self {
            format,
            base: document.base.map(String::into_boxed_str),
            links: document.links.into(),
            declarations: Some(Box::new(Declarations {
                speech: document.speech,
                encoding: document.encoding,
                link_langs: document.link_langs,
            })),
            ..Self::assemble(decoded, document.texts, locale, rules, INNER_DEPTH)
        }
    }

    fn xhtml(decoded: Decoded, locale: &Locale, rules: &Rules) -> Self {
        match xhtml::scan(&decoded.html, rules) {
            Some(tokens) => Self::read_tokens(decoded, &tokens, locale, rules, INNER_DEPTH),
            None => Self::left(decoded, locale, ExceededLimit::Malformed),
        }
    }

    fn read(decoded: Decoded, locale: &Locale, rules: &Rules, depth: usize) -> Self {
        let tokens = scan::scan(&decoded.html, rules);
        Self::read_tokens(decoded, &tokens, locale, rules, depth)
    }

    fn read_tokens(
        decoded: Decoded,
        tokens: &PageTokens,
        locale: &Locale,
        rules: &Rules,
        depth: usize,
    ) -> Self {
        if tokens.len() > MOST_TOKENS {
            return Self::left(decoded, locale, ExceededLimit::Tokens);
        }
        let (rendering, framework) = hydration::rendering(&decoded.html, tokens);
        let languages = LanguageLinks::find(&decoded.html, tokens, locale);
        let cut = TokenizedPage {
            source: &decoded.html,
            tokens,
            languages: &languages,
        };
        let mut found = walk::find(&cut, locale, rendering != Rendering::Static);
        if let Some(excess) = found
            .excess
            .or((found.inner.len() > MOST_INNER).then_some(ExceededLimit::Inner))
        {
            return Self::left(decoded, locale, excess);
        }
        if rules.state && rendering != Rendering::Static && !tokens.is_xml() {
            state::find(&decoded.html, tokens, &mut found);
        }
        let base = links::base(&decoded.html, tokens).map(String::into_boxed_str);
        let links = links::find(&decoded.html, tokens, &languages, decoded.encoding).into();
        if depth < INNER_DEPTH {
            // A page inside a value has no head and no switcher that anybody changes.
            return Self {
                rendering,
                framework,
                base,
                links,
                ..Self::assemble(decoded, found, locale, rules, depth)
            };
        }
        Self {
            rendering,
            framework,
            base,
            links,
            whole: Some(Box::new(Whole {
                head: places::find(&decoded.html, tokens),
                switchers: switchers::find(&decoded.html, tokens, rules.switcher.as_deref()),
                legacy: legacy::find(&decoded.html, tokens, decoded.encoding),
                refuses: walk::forbids_translation(&decoded.html, tokens),
                has_letters: found.has_letters,
                inline_texts: sealed::inline_texts(tokens),
                loaded: loaded::find(&decoded.html, tokens),
                names: names::find(&decoded.html, tokens, locale).into(),
            })),
            ..Self::assemble(decoded, found, locale, rules, depth)
        }
    }

    /// A page of its texts alone.
    fn assemble(
        decoded: Decoded,
        found: PageFindings,
        locale: &Locale,
        rules: &Rules,
        depth: usize,
    ) -> Self {
        let mut first = found.units.len();
        let inner = |place: InnerPlace| {
            let html = place.html.into_bytes();
            let decoded = Decoded {
                html,
                original: None,
                encoding: encoding_rs::UTF_8,
                broken: 0,
            };
            let page = Self::read(decoded, locale, rules, depth - 1);
            let inner = InnerPage {
                value: place.value.into(),
                writing: place.writing,
                base: place.base,
                first,
                page,
            };
            first += inner.page.segment_count();
            inner
        };
        let PageFindings {
            langs,
            filtered,
            code,
            directions,
            numbers,
            ..
        } = found;
        let is_any = !(langs.is_empty() && filtered.is_empty() && code.is_empty());
        let has_any = is_any || !(directions.is_empty() && numbers.is_empty());
        let by_locale = ByLocale {
            langs,
            filtered,
            code,
            directions,
            numbers,
        };
        let places = if depth > 0 { found.inner } else { Vec::new() };
        Self {
            inner: places.into_iter().map(inner).collect(),
            units: found.units.into(),
            parts: found.parts.into(),
            options: found.options.into(),
            by_locale: has_any.then(|| Box::new(by_locale)),
            encoding: decoded.encoding,
            broken: decoded.broken,
            excess: None,
            steps: found.steps,
            rendering: Rendering::default(),
            framework: None,
            source: decoded.html.into(),
            original: decoded.original.map(Vec::into_boxed_slice),
            locale: locale.clone(),
            format: PageFormat::Html,
            base: None,
            links: Box::default(),
            declarations: None,
            whole: None,
        }
    }

    /// A page that stays as it is: what is not seen cannot be changed.
    fn left(decoded: Decoded, locale: &Locale, excess: ExceededLimit) -> Self {
        let original = decoded.original.or(Some(decoded.html));
        let decoded = Decoded {
            html: Vec::new(),
            original,
            ..decoded
        };
        let page = Self::assemble(
            decoded,
            PageFindings::default(),
            locale,
            &Rules::default(),
            0,
        );
        Self {
            excess: Some(excess),
            ..page
        }
    }
}
