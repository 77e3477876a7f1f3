//! The words of the admin screen: its templates, in every language that has a file of words, compiled once.
//!
//! The page core puts the words in, as it does with any page; then Tera puts in what the API answered. Everything is escaped.

use std::sync::LazyLock;

use bytes::Bytes;
use http_body_util::{Either, Full};
use hyper::header::{CONTENT_LANGUAGE, CONTENT_TYPE, HeaderValue, VARY};
use hyper::{Response, StatusCode};
use pipeline::bare::with_words;
use pipeline::model::Locale;
use serde_json::{Value, json};
use tera::{Context, Kwargs, State, Tera};

use super::outcome::Screen;
use super::visit::{LANGUAGES, Visit};
use crate::http::body::Body;

const WORDS: [(&str, &str); 3] = [
    ("es", include_str!("../../../templates/admin/words/es.po")),
    ("ar", include_str!("../../../templates/admin/words/ar.po")),
    ("ja", include_str!("../../../templates/admin/words/ja.po")),
];
const STYLE: &str = include_str!("../../../templates/admin/style.css");
const SCRIPT: &str = include_str!("../../../templates/admin/live.js");

macro_rules! embedded {
    ($($name:literal)*) => { [$(($name, include_str!(concat!("../../../templates/admin/", $name)))),*] };
}

const EMBEDDED: [(&str, &str); 31] = embedded![
    "access.html"
    "audit.html"
    "change.html"
    "cost.html"
    "digest.html"
    "done.html"
    "estimate.html"
    "explain.html"
    "frame.html"
    "kind.html"
    "login.html"
    "page-state.html"
    "pages.html"
    "previews.html"
    "publish.html"
    "reports.html"
    "run.html"
    "runs.html"
    "severity.html"
    "shares.html"
    "site.html"
    "sites.html"
    "status.html"
    "target.html"
    "text-state.html"
    "text.html"
    "texts.html"
    "title.html"
    "trouble.html"
    "webhook.html"
    "webhooks.html"
];

static COMPILED: LazyLock<Vec<(&'static str, Tera)>> = LazyLock::new(|| {
    LANGUAGES
        .iter()
        .map(|language| (*language, compiled(language)))
        .collect()
});
/// The addresses of style sheet and script, by their bytes.
static STYLED: LazyLock<String> = LazyLock::new(|| format!("/style-{}.css", mark(STYLE)));
static SCRIPTED: LazyLock<String> = LazyLock::new(|| format!("/live-{}.js", mark(SCRIPT)));

/// A file beside the pages: where it is, its type and its text.
pub(super) fn file(path: &str) -> Option<(&'static str, &'static str)> {
    match path {
        path if path == *STYLED => Some(("text/css; charset=utf-8", STYLE)),
        path if path == *SCRIPTED => Some(("text/javascript; charset=utf-8", SCRIPT)),
        _ => None,
    }
}

#[expect(
    clippy::expect_used,
    reason = "the templates are part of the program, and a test compiles every one"
)]
fn compiled(language: &str) -> Tera {
    let words = WORDS
        .iter()
        .find(|(tag, _)| *tag == language)
        .map_or("", |(_, words)| words);
    let texts = EMBEDDED.map(|(name, text)| {
        (
            name,
            with_words(text, language, words, name == "frame.html").0,
        )
    });
    let mut tera = Tera::default();
    tera.autoescape_on([".html"]);
    tera.register_filter("moment", |time: String, _: Kwargs, _: &State<'_>| {
        moment(&time)
    });
    tera.register_filter("language", |tag: String, _: Kwargs, _: &State<'_>| {
        language_name(&tag)
    });
    tera.add_raw_templates(texts.iter().map(|(name, text)| (*name, text.as_str())))
        .expect("templates are templates");
    tera
}

/// What tells a file from an older one.
fn mark(text: &str) -> String {
    blake3::hash(text.as_bytes())
        .to_hex()
        .chars()
        .take(16)
        .collect()
}

/// A time as the API writes it, for people: to the second.
pub(super) fn moment(time: &str) -> String {
    match (time.get(..10), time.get(11..19)) {
        (Some(day), Some(clock)) => format!("{day} {clock} UTC"),
        _ => time.to_owned(),
    }
}

/// A language by its own name with a capital, and its tag: `Español (es)`.
fn language_name(tag: &str) -> String {
    match Locale::parse(tag) {
        Ok(locale) => {
            let name = locale.own_name();
            let mut letters = name.chars();
            let mut shown = String::new();
            if let Some(first) = letters.next() {
                shown.extend(first.to_uppercase());
            }
            format!("{shown}{} ({locale})", letters.as_str())
        }
        Err(_) => tag.to_owned(),
    }
}

/// The answer that shows a screen.
pub(super) fn page(visit: &Visit<'_>, status: StatusCode, screen: Screen) -> Response<Body> {
    let mut data = screen.data;
    let (site, tab) = screen.site.unzip();
    let frame = json!({
        "title": screen.template,
        "subject": screen.subject,
        "here": screen.here,
        "site": site,
        "tab": tab,
        "who": visit.caller.as_ref().map(|caller| caller.subject.as_str()),
        "style": *STYLED,
        "script": *SCRIPTED,
        "may": visit.allowed(site.as_deref()),
    });
    for (name, given) in [("done", "done"), ("done_of", "of")] {
        if data[name].is_null() {
            data[name] = visit.parameter(given).into();
        }
    }
    if let (Value::Object(data), Value::Object(frame)) = (&mut data, frame) {
        data.extend(frame);
    }
    let tera = COMPILED
        .iter()
        .find(|(tag, _)| *tag == visit.language)
        .map(|(_, tera)| tera);
    let rendered = tera.and_then(|tera| {
        let mut context = Context::new();
        for (name, value) in data.as_object().into_iter().flatten() {
            context.insert(name.clone(), value);
        }
        let rendered = tera.render(screen.template, &context);
        rendered
            .inspect_err(|error| tracing::error!("{}: {error}", screen.template))
            .ok()
    });
    let (status, html) = match rendered {
        Some(html) => (status, html),
        None => (
            StatusCode::INTERNAL_SERVER_ERROR,
            "something failed on our side; the log says what\n".to_owned(),
        ),
    };
    let mut response = Response::new(Either::Left(Full::from(Bytes::from(html))));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(
        CONTENT_TYPE,
        HeaderValue::from_static("text/html; charset=utf-8"),
    );
    headers.insert(CONTENT_LANGUAGE, HeaderValue::from_static(visit.language));
    headers.insert(VARY, HeaderValue::from_static("Accept-Language, Cookie"));
    response
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::admin::outcome::FormResult;

    #[test]
    fn languages_have_their_own_names() {
        for (tag, name) in [
            ("es", "Español (es)"),
            ("pt-BR", "Português (Brasil) (pt-BR)"),
            ("x", "x"),
        ] {
            assert_eq!(language_name(tag), name);
        }
    }

    /// Every form has a sentence that says what it did.
    #[test]
    fn every_result_of_a_form_has_its_sentence() {
        for (language, tera) in COMPILED.iter() {
            let mut sentences = BTreeSet::new();
            for done in FormResult::ALL {
                let mut context = Context::new();
                context.insert("done", &done.as_str());
                let sentence = tera.render("done.html", &context).unwrap();
                assert!(sentence.contains("role=\"status\""), "{language} {done:?}");
                sentences.insert(sentence);
            }
            assert_eq!(sentences.len(), FormResult::ALL.len(), "{language}");
        }
    }

    /// Every template is one in every language, and says nothing in English where there are words.
    #[test]
    fn every_template_has_its_words() {
        for (language, tera) in COMPILED.iter() {
            assert_eq!(
                tera.get_template_names().count(),
                EMBEDDED.len(),
                "{language}"
            );
        }
        for (language, words) in WORDS {
            for (name, text) in EMBEDDED {
                let (_, done) = with_words(text, language, words, name == "frame.html");
                assert_eq!(
                    (done.untranslated, done.refused),
                    (0, Vec::new()),
                    "{language} {name}"
                );
            }
        }
        let (_, frame) = EMBEDDED
            .into_iter()
            .find(|(name, _)| *name == "frame.html")
            .unwrap();
        let (arabic, _) = with_words(frame, "ar", WORDS[1].1, true);
        assert!(
            arabic.contains("<html dir=\"rtl\" lang=\"ar\">"),
            "{arabic}"
        );
    }
}
