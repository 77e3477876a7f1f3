//! What mails say, in every language that has a file of words: templates with words by the page core, as the admin screen has
//! them, and then with what happened.
//!
//! A template of text has its subject on the first line. Nothing that a page says stands in a mail.

use std::sync::LazyLock;

use serde_json::{Map, Value, json};
use tera::{Context, Tera};
use url::Url;

use crate::bare::with_words;
use crate::mail::Zone;
use crate::model::{Locale, Moment};
use crate::state::{MailKind, MailRecord};

/// The languages of mails; the first one is that of the templates.
pub const LANGUAGES: [&str; 4] = ["en", "es", "ar", "ja"];
const WORDS: [(&str, &str); 3] = [
    ("es", include_str!("../../templates/mail/words/es.po")),
    ("ar", include_str!("../../templates/mail/words/ar.po")),
    ("ja", include_str!("../../templates/mail/words/ja.po")),
];

macro_rules! embedded {
    ($($name:literal)*) => { [$(($name, include_str!(concat!("../../templates/mail/", $name)))),*] };
}

const EMBEDDED: [(&str, &str); 11] = embedded![
    "confirmation.html"
    "confirmation.txt"
    "digest.html"
    "digest.txt"
    "link.html"
    "preview-confirmation.html"
    "preview-confirmation.txt"
    "preview-ready.html"
    "preview-ready.txt"
    "webhook-disabled.html"
    "webhook-disabled.txt"
];
/// What stands before a link's token in a path of this server.
pub const CONFIRM: &str = "/_latimer/confirm/";
/// The same for links to get no more.
pub const LEAVE: &str = "/_latimer/unsubscribe/";
/// Where previews are.
const PREVIEW: &str = "/_preview/";

static COMPILED: LazyLock<Vec<(&'static str, Tera)>> = LazyLock::new(|| {
    LANGUAGES
        .iter()
        .map(|language| (*language, compiled(language)))
        .collect()
});

/// Where a mail comes from and whom it is for.
#[derive(Clone, Copy, Debug)]
pub struct Setting<'a> {
    /// Where people reach this server.
    pub url: &'a Url,
    /// Where the admin screen is, if there is one.
    pub screen: Option<&'a Url>,
    /// The time zone of whoever gets it.
    pub zone: &'a Zone,
    /// One of [`LANGUAGES`].
    pub language: &'a str,
    /// What stands in the link to get no more.
    pub leave: Option<&'a str>,
}

/// What a mail says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MailContent {
    /// Its subject.
    pub subject: String,
    /// It as text.
    pub text: String,
    /// It as HTML.
    pub html: String,
}

/// A mail could not be put together.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a template failed: {0}")]
pub struct LetterError(String);

/// What the page of a link in a mail says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkPage {
    /// Asks whether mail is wanted.
    Confirm,
    /// Says that it will be sent.
    Confirmed,
    /// Asks whether no more are wanted.
    Leave,
    /// Says that no more will be sent.
    Left,
    /// Says that the link does nothing.
    Gone,
}

/// The language of [`LANGUAGES`] that is nearest to a locale.
pub fn nearest(locale: Option<&Locale>) -> &'static str {
    let primary = locale.map_or("en", |locale| {
        locale.as_str().split('-').next().unwrap_or_default()
    });
    LANGUAGES
        .into_iter()
        .find(|language| *language == primary)
        .unwrap_or(LANGUAGES[0])
}

/// Where whoever gets a mail says that they want no more.
pub fn leave_url(setting: &Setting<'_>) -> Option<Url> {
    setting.url.join(&format!("{LEAVE}{}", setting.leave?)).ok()
}

/// What a mail says.
///
/// # Errors
/// A [`LetterError`] when its template fails.
pub fn written(mail: &MailRecord, setting: &Setting<'_>) -> Result<MailContent, LetterError> {
    let at = |path: &str, name: &str| {
        let name = mail.data[name].as_str().unwrap_or_default();
        setting
            .url
            .join(&format!("{path}{name}"))
            .map(String::from)
            .unwrap_or_default()
    };
    let moment = |name: &str| {
        mail.data[name]
            .as_u64()
            .map(Moment::of_millis)
            .map_or_else(String::new, |at| setting.zone.moment(at))
    };
    let mut data = mail.data.as_object().cloned().unwrap_or_default();
    let stem = match mail.kind {
        MailKind::Digest => {
            data.insert("since".to_owned(), moment("since").into());
            data.insert("until".to_owned(), moment("until").into());
            "digest"
        }
        MailKind::Confirmation => {
            data.insert("confirm".to_owned(), at(CONFIRM, "token").into());
            "confirmation"
        }
        MailKind::PreviewConfirmation => {
            data.insert("confirm".to_owned(), at(CONFIRM, "token").into());
            "preview-confirmation"
        }
        MailKind::PreviewReady => {
            data.insert("expires".to_owned(), moment("expires").into());
            data.insert("preview".to_owned(), at(PREVIEW, "preview").into());
            "preview-ready"
        }
        MailKind::WebhookDisabled => {
            data.insert("endpoint".to_owned(), mail.data["host"].clone());
            "webhook-disabled"
        }
    };
    let more = json!({
        "account": mail.account,
        "host": setting.url.host_str(),
        "zone": setting.zone.to_string(),
        "screen": setting.screen.map(Url::as_str),
        "leave": leave_url(setting).as_ref().map(Url::as_str),
    });
    data.extend(more.as_object().cloned().unwrap_or_default());
    let text = rendered(setting.language, &format!("{stem}.txt"), &data)?;
    let html = rendered(setting.language, &format!("{stem}.html"), &data)?;
    let (subject, text) = text.split_once('\n').unwrap_or((&text, ""));
    Ok(MailContent {
        subject: subject.to_owned(),
        text: text.trim_start().to_owned(),
        html,
    })
}

/// The page of a link in a mail, in one of [`LANGUAGES`]; `previews` says that the link is about those and not about digests.
///
/// # Errors
/// A [`LetterError`] when its template fails.
pub fn link_page(
    page: LinkPage,
    previews: bool,
    email: &str,
    language: &str,
) -> Result<String, LetterError> {
    let what = match (page, previews) {
        (LinkPage::Confirm, false) => "confirm",
        (LinkPage::Confirm, true) => "confirm-previews",
        (LinkPage::Confirmed, false) => "confirmed",
        (LinkPage::Confirmed, true) => "confirmed-previews",
        (LinkPage::Leave, false) => "leave",
        (LinkPage::Leave, true) => "leave-previews",
        (LinkPage::Left, false) => "left",
        (LinkPage::Left, true) => "left-previews",
        (LinkPage::Gone, _) => "gone",
    };
    let data = Map::from_iter([
        ("what".to_owned(), what.into()),
        ("email".to_owned(), email.into()),
    ]);
    rendered(language, "link.html", &data)
}

fn rendered(
    language: &str,
    template: &str,
    data: &Map<String, Value>,
) -> Result<String, LetterError> {
    let failed =
        |error: tera::Error| LetterError(format!("{template}: {}", crate::causes::chain(&error)));
    let known = COMPILED
        .iter()
        .find(|(tag, _)| *tag == language)
        .or(COMPILED.first());
    let (_, tera) = known.ok_or_else(|| LetterError("there are no templates".to_owned()))?;
    let mut context = Context::new();
    for (name, value) in data {
        context.insert(name.clone(), value);
    }
    tera.render(template, &context).map_err(failed)
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
    let texts = EMBEDDED.map(|(name, text)| (name, localized(name, text, language, words).0));
    let mut tera = Tera::default();
    tera.autoescape_on([".html"]);
    tera.add_raw_templates(texts.iter().map(|(name, text)| (*name, text.as_str())))
        .expect("templates are templates");
    tera
}

/// A template with words, and how many of its texts have none.
fn localized(name: &str, text: &str, language: &str, words: &str) -> (String, usize) {
    if name.ends_with(".html") {
        let (text, done) = with_words(text, language, words, true);
        return (text, done.untranslated);
    }
    // Each line of text is a paragraph to the page core.
    let is_text = |line: &str| !line.is_empty() && !line.starts_with("{%");
    let line = |line: &str| {
        if is_text(line) {
            format!("<p>{line}</p>\n")
        } else {
            format!("{line}\n")
        }
    };
    let (html, done) = with_words(
        &text.lines().map(line).collect::<String>(),
        language,
        words,
        false,
    );
    let line = |line: &str| match line
        .strip_prefix("<p>")
        .and_then(|line| line.strip_suffix("</p>"))
    {
        Some(text) => format!("{text}\n"),
        // What is only for the template leaves no line.
        None if line.starts_with("{%") => line.to_owned(),
        None => format!("{line}\n"),
    };
    (html.lines().map(line).collect(), done.untranslated)
}

#[cfg(test)]
mod tests;
