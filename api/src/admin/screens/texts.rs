//! Screens of texts: a list to search, of one language or of all, and one text.

use hyper::Method;
use pipeline::model::SegmentKey;
use pipeline::page::{CodeKind, CodedText, InlineCode, TextError};
use serde_json::{Value, json};

use super::super::figures::{AT_ONCE, add_paging, texts_at, unpublished_edits};
use super::super::outcome::{FormResult, Screen, VisitOutcome};
use super::super::visit::{Visit, first, query};
use super::sites::{explain_at, shown};
use crate::control::door::Deed;
use crate::control::form::one as one_field;
use crate::http::error::ApiError;

/// The list of all languages, in addresses.
const ALL: &str = "all";
/// Parts of the list by state: the word in addresses, and the states of the API.
const PARTS: [(&str, &str); 5] = [
    ("review", "draft,outdated,refused"),
    ("untranslated", "untranslated,rejected"),
    ("machine", "machine"),
    ("people", "approved,locked"),
    ("untouched", "untouched"),
];
/// Most letters of a text in the title of its screen.
const LONGEST_TITLE: usize = 40;

/// Prefix of API errors about the translation. The screen strips it, because its form has only this field.
const FIELD: &str = "`translation` ";

/// Filters of the list, from the query of an address or from a form.
pub(super) struct Wanted<'v> {
    pub(super) lang: &'v str,
    part: &'v str,
    pub(super) words: &'v str,
    pub(super) page: &'v str,
}

impl<'v> Wanted<'v> {
    pub(super) fn of(fields: &'v [(String, String)]) -> Self {
        Self {
            lang: first(fields, "lang"),
            part: first(fields, "state"),
            words: first(fields, "q"),
            page: first(fields, "page"),
        }
    }

    /// Address of the list in a language, with the same words and page.
    fn address(&self, site: &str, lang: &str, part: &str) -> String {
        texts_at(
            site,
            &[
                ("lang", lang),
                ("state", part),
                ("q", self.words),
                ("page", self.page),
            ],
        )
    }

    /// Address of this list.
    pub(super) fn own_address(&self, site: &str) -> String {
        self.address(site, self.lang, self.part)
    }

    /// States of the API; empty for all.
    pub(super) fn states(&self) -> &'static str {
        let part = PARTS.iter().find(|(part, _)| *part == self.part);
        part.map_or("", |(_, states)| states)
    }

    /// The query of the API for a part of the list.
    fn asked(&self, offset: u64) -> String {
        query(&[
            ("state", self.states()),
            ("q", self.words),
            ("page", self.page),
            ("limit", &AT_ONCE.to_string()),
            ("offset", &offset.to_string()),
        ])
    }
}

/// Address of a text in a language.
pub(super) fn text_at(site: &str, lang: &str, id: &str) -> String {
    format!("/sites/{site}/texts/{id}?{}", query(&[("lang", lang)]))
}

/// The list of texts.
pub(super) async fn list(visit: &Visit<'_>, site: &str) -> Result<Screen, ApiError> {
    let about = visit.get(&format!("/api/sites/{site}")).await?;
    let langs = languages(&about);
    let mut wanted = Wanted::of(&visit.query);
    if wanted.lang.is_empty() {
        wanted.lang = langs.first().copied().unwrap_or(ALL);
    }
    let offset: u64 = visit.parameter("offset").parse().unwrap_or_default();
    let choices = langs.iter().map(|lang| {
        json!({
            "lang": lang,
            "address": wanted.address(site, lang, wanted.part),
            "here": *lang == wanted.lang,
        })
    });
    let is_all = wanted.lang == ALL;
    let mut data = json!({
        "choices": choices.collect::<Vec<_>>(),
        "all_languages": wanted.address(site, ALL, wanted.part),
        "is_all": is_all,
        "lang": wanted.lang,
        "part": wanted.part,
        "q": wanted.words,
        "page": wanted.page,
        "source_lang": about["sourceLocale"],
        "everything": Wanted { words: "", page: "", ..wanted }.address(site, wanted.lang, ""),
    });
    let found = part(visit, site, &wanted, offset).await;
    let mut found = match found {
        // The one next step is a build, and the screen says so.
        Err(ApiError::NotPublished) => {
            data["unpublished"] = true.into();
            Value::Null
        }
        // The form keeps the filters that the API refused.
        Err(error @ ApiError::Invalid(_)) => {
            data["trouble"] = error.told().1.into();
            Value::Null
        }
        found => found?,
    };
    for text in found["items"].as_array_mut().into_iter().flatten() {
        *text = read(text.take());
        if is_all {
            for of_language in text["languages"].as_array_mut().into_iter().flatten() {
                *of_language = read(of_language.take());
            }
            text["cells"] = cells(site, &langs, text);
        } else {
            let id = text["segmentId"].as_str().unwrap_or_default();
            text["address"] = text_at(site, wanted.lang, id).into();
        }
        let page = text["page"].as_str().map(|page| explain_at(site, page));
        text["explain"] = page.into();
        let others = text["pages"].as_u64().unwrap_or_default().saturating_sub(1);
        text["others"] = others.into();
    }
    let total = found["total"].as_u64().unwrap_or_default();
    data["tabs"] = tabs(&wanted, site, &found["counts"]);
    data["texts"] = found["items"].take();
    data["total"] = total.into();
    add_paging(&mut data, offset, total);
    data["unpublished_edits"] = unpublished_edits(&about).into();
    data["undo"] = visit.parameter("batch").into();
    data["this"] = wanted.own_address(site).into();
    let subject = if is_all { "" } else { wanted.lang };
    Ok(Screen::of_site("texts.html", site, "texts", data).about(subject))
}

/// The part of the list that begins behind a number of texts.
async fn part(
    visit: &Visit<'_>,
    site: &str,
    wanted: &Wanted<'_>,
    offset: u64,
) -> Result<Value, ApiError> {
    let asked = wanted.asked(offset);
    let path = match wanted.lang {
        ALL => format!("/api/sites/{site}/segments?{asked}"),
        lang => format!("/api/sites/{site}/locales/{lang}/segments?{asked}"),
    };
    visit.get(&path).await
}

/// Cells of a text, one for each language of the site, in its order.
fn cells(site: &str, langs: &[&str], text: &Value) -> Value {
    let id = text["segmentId"].as_str().unwrap_or_default();
    let mut cells = Vec::new();
    for lang in langs {
        let known = text["languages"].as_array().into_iter().flatten();
        let known = known.clone().find(|known| known["targetLang"] == *lang);
        cells.push(json!({
            "lang": lang,
            "known": known,
            "address": known.map(|_| text_at(site, lang, id)),
        }));
    }
    cells.into()
}

/// The parts of the list with their numbers, which only the list of one language has.
fn tabs(wanted: &Wanted<'_>, site: &str, counts: &Value) -> Value {
    let mut tabs = serde_json::Map::new();
    let mut all = 0;
    for (part, states) in PARTS {
        let of_state = states
            .split(',')
            .map(|state| counts[state].as_u64().unwrap_or_default());
        let count: u64 = of_state.sum();
        all += count;
        tabs.insert(part.to_owned(), tab(wanted, site, part, count));
    }
    tabs.insert("all".to_owned(), tab(wanted, site, "", all));
    tabs.into()
}

fn tab(wanted: &Wanted<'_>, site: &str, part: &str, count: u64) -> Value {
    json!({
        "address": wanted.address(site, wanted.lang, part),
        "here": wanted.part == part,
        "count": count,
    })
}

fn languages(about: &Value) -> Vec<&str> {
    let locales = about["locales"].as_array().into_iter().flatten();
    locales
        .filter_map(|locale| locale["targetLang"].as_str())
        .collect()
}

/// A text or what a language has for it, with its codes as people read them.
fn read(mut text: Value) -> Value {
    for name in ["source", "translation", "carriedFrom"] {
        if let Some(markup) = text[name].as_str() {
            text[name] = shown(markup).into();
        }
    }
    for name in ["translation", "former"] {
        if let Some(markup) = text["waiting"][name].as_str() {
            text["waiting"][name] = shown(markup).into();
        }
    }
    text
}

/// A save that was refused.
pub(super) struct RefusedSave<'v> {
    /// The words as the visitor typed them.
    typed: &'v str,
    error: &'v ApiError,
}

/// One text in a language, to read and to edit.
pub(super) async fn one(
    visit: &Visit<'_>,
    site: &str,
    id: &str,
    refused: Option<RefusedSave<'_>>,
) -> Result<Screen, ApiError> {
    let lang = match visit.field("lang") {
        "" => visit.parameter("lang"),
        lang => lang,
    };
    if SegmentKey::parse(id).is_none() {
        return Err(ApiError::SegmentNotFound);
    }
    let about = visit.get(&format!("/api/sites/{site}")).await?;
    let mut text = visit
        .get(&format!("/api/sites/{site}/locales/{lang}/segments/{id}"))
        .await?;
    text = read(text);
    for page in text["onPages"].as_array_mut().into_iter().flatten() {
        for name in ["previous", "next"] {
            if let Some(markup) = page[name].as_str() {
                page[name] = shown(markup).into();
            }
        }
        let path = page["path"].as_str().unwrap_or_default();
        let address = visit.reader_address(site, lang, path);
        let explain = explain_at(site, path);
        page["address"] = address.into();
        page["explain"] = explain.into();
    }
    let named = text["onPages"].as_array().map_or(0, Vec::len);
    let named = u64::try_from(named).unwrap_or(u64::MAX);
    for edit in text["history"].as_array_mut().into_iter().flatten() {
        edit["markup"] = edit["translation"].take();
        edit["translation"] = shown(edit["markup"].as_str().unwrap_or_default()).into();
    }
    let mut typed = text["waiting"]["translation"].clone();
    if typed.is_null() {
        typed = text["translation"].clone();
    }
    let mut trouble = Value::Null;
    if let Some(refused) = refused {
        typed = refused.typed.into();
        trouble = json!({
            "stale": matches!(refused.error, ApiError::Stale(_)),
            "why": refused.error.told().1.trim_start_matches(FIELD),
        });
    }
    let more = text["pages"]
        .as_u64()
        .unwrap_or_default()
        .saturating_sub(named);
    let others = languages(&about)
        .into_iter()
        .map(|other| json!({ "lang": other, "address": text_at(site, other, id), "here": other == lang }));
    let others: Vec<Value> = others.collect();
    let title: String = text["source"]
        .as_str()
        .unwrap_or_default()
        .chars()
        .take(LONGEST_TITLE)
        .collect();
    let data = json!({
        "text": text,
        "own": text_at(site, lang, id),
        "typed": typed,
        "unpublished_edits": unpublished_edits(&about),
        "trouble": trouble,
        "lang": lang,
        "choices": others,
        "more": more,
        "source_lang": about["sourceLocale"],
    });
    Ok(Screen::of_site("text.html", site, "texts", data).about(&format!("{title} ({lang})")))
}

/// Saves the words of a form. Words that are refused stay in the form, with the reason.
pub(in crate::admin) async fn save(
    visit: &Visit<'_>,
    site: &str,
    id: &str,
) -> Result<VisitOutcome, ApiError> {
    let lang = visit.field("lang");
    let restored = shown(visit.field("markup"));
    let typed = match visit.field("do") {
        "restore" => &restored,
        _ => visit.field("words"),
    };
    let path = format!("/api/sites/{site}/locales/{lang}/segments/{id}");
    let known = visit.get(&path).await?;
    let body = match visit.field("do") {
        "clear" => Ok(json!({ "state": "untranslated" })),
        "approve" => Ok(json!({ "state": "approved" })),
        "lock" => Ok(json!({ "state": "locked" })),
        "reject" => Ok(json!({ "state": "rejected" })),
        "restore" => Ok(json!({ "translation": visit.field("markup") })),
        _ => markup_of(typed, &known).map(|words| json!({ "translation": words })),
    };
    let done = match body {
        Ok(body) => {
            let deed = Deed {
                method: Method::PUT,
                path: &path,
                query: None,
                body: Some(body),
                seen: Some(visit.field("seen")),
            };
            visit.perform(deed).await.map(drop)
        }
        Err(error) => Err(one_field(
            "translation",
            "markup_mismatch",
            &error.to_string(),
        )),
    };
    match done {
        Ok(()) => {
            let done = FormResult::WordsSaved.as_str();
            Ok(VisitOutcome::Goes(format!(
                "{}&done={done}",
                text_at(site, lang, id)
            )))
        }
        Err(error @ (ApiError::Stale(_) | ApiError::Invalid(_) | ApiError::SegmentLocked)) => {
            let refused = RefusedSave {
                typed,
                error: &error,
            };
            let screen = one(visit, site, id, Some(refused)).await?;
            Ok(VisitOutcome::Screen(screen))
        }
        Err(error) => Err(error),
    }
}

/// Converts typed words to the notation of the API; `known` has the codes of the text.
fn markup_of(typed: &str, known: &Value) -> Result<String, TextError> {
    let mut codes = Vec::new();
    for code in known["codes"].as_array().into_iter().flatten() {
        let kind = if code["kind"] == "paired" {
            CodeKind::Paired
        } else {
            CodeKind::Void
        };
        codes.push(InlineCode::new(
            kind,
            code["element"].as_str().unwrap_or_default(),
        ));
    }
    // A form ends its lines with CR LF (HTML, "Constructing the entry list"); texts have no line ends of their own.
    let typed = typed.trim().replace("\r\n", "\n");
    if typed.is_empty() {
        return Err(TextError::Empty);
    }
    CodedText::from_numbered(&typed, &codes).map(|words| words.to_markup())
}
