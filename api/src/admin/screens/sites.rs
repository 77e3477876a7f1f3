//! Screens of sites: the list, an overview, pages and where their words come from.

use pipeline::page::CodedText;
use serde_json::{Value, json};

use super::super::figures::{
    AT_ONCE, LanguageWords, add_paging, add_shares, shares, texts_at, unpublished_edits,
};
use super::super::outcome::Screen;
use super::super::visit::{Visit, query};
use crate::http::error::ApiError;

/// Most texts of a page in a language that are shown.
const MOST_TEXTS: usize = 500;

pub(super) async fn list(visit: &Visit<'_>) -> Result<Screen, ApiError> {
    let mut list = visit.get("/api/sites?limit=200").await?;
    for site in list["items"].as_array_mut().into_iter().flatten() {
        add_shares(site);
    }
    Ok(Screen::new(
        "sites.html",
        "sites",
        json!({ "sites": list["items"] }),
    ))
}

pub(super) async fn overview(visit: &Visit<'_>, site: &str) -> Result<Screen, ApiError> {
    let mut about = visit.get(&format!("/api/sites/{site}")).await?;
    add_shares(&mut about);
    let deployments = visit.get(&format!("/api/sites/{site}/deployments")).await?;
    Ok(Screen::of_site(
        "site.html",
        site,
        "site",
        json!({
            "unpublished_edits": unpublished_edits(&about),
            "about": about,
            "deployments": deployments["items"],
        }),
    ))
}

pub(super) async fn pages(visit: &Visit<'_>, site: &str) -> Result<Screen, ApiError> {
    let offset: u64 = visit.parameter("offset").parse().unwrap_or_default();
    let about = visit.get(&format!("/api/sites/{site}")).await?;
    let list = visit
        .get(&format!(
            "/api/sites/{site}/pages?view=full&limit={AT_ONCE}&offset={offset}"
        ))
        .await?;
    let langs = about["locales"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|locale| locale["targetLang"].as_str());
    let langs: Vec<&str> = langs.collect();
    let mut rows = Vec::new();
    for page in list["items"].as_array().into_iter().flatten() {
        let path = page["path"].as_str().unwrap_or_default();
        let mut cells = Vec::new();
        for &lang in &langs {
            cells.push(cell(visit, site, path, lang, &page["locales"][lang]));
        }
        rows.push(json!({
            "path": path,
            "explain": explain_at(site, path),
            "failed": page["sourceStatus"] == "failed",
            "cells": cells,
        }));
    }
    let total = list["total"].as_u64().unwrap_or_default();
    let mut data = json!({
        "pages": rows,
        "total": total,
        "locales": langs,
    });
    add_paging(&mut data, offset, total);
    Ok(Screen::of_site("pages.html", site, "pages", data))
}

/// A page in a language.
fn cell(visit: &Visit<'_>, site: &str, path: &str, lang: &str, known: &Value) -> Value {
    let mut address = None;
    if known["state"] == "published" || known["state"] == "notice" {
        address = visit.reader_address(site, lang, path);
    }
    let mut shares = shares(LanguageWords::of(known), &known["toReview"]);
    if !shares.is_null() {
        let asked = [("lang", lang), ("state", "review"), ("page", path)];
        shares["texts"] = texts_at(site, &asked).into();
    }
    json!({
        "lang": lang,
        "shares": shares,
        "state": known["state"],
        "path": known["path"].as_str().unwrap_or(path),
        "address": address,
    })
}

/// Address of the screen that explains a page.
pub(super) fn explain_at(site: &str, path: &str) -> String {
    format!("/sites/{site}/pages/explain?{}", query(&[("page", path)]))
}

/// The source of the texts of a page: of those without words or to review, or of all.
pub(super) async fn explain(visit: &Visit<'_>, site: &str) -> Result<Screen, ApiError> {
    let page = visit.parameter("page");
    let answer = visit
        .get(&format!(
            "/api/sites/{site}/explanation?{}",
            query(&[("page", page)])
        ))
        .await?;
    let is_all = visit.parameter("texts") == "all";
    let mut languages = answer["languages"].clone();
    for language in languages.as_array_mut().into_iter().flatten() {
        language["shares"] = shares(LanguageWords::of_explained(language), &language["toReview"]);
        let mut shown = Vec::new();
        let mut more = 0;
        for text in language["texts"].as_array().into_iter().flatten() {
            if !is_all && !is_open(text) {
                continue;
            }
            if shown.len() < MOST_TEXTS {
                shown.push(as_read(text.clone()));
            } else {
                more += 1;
            }
        }
        language["texts"] = shown.into();
        language["more"] = more.into();
    }
    // The path of the page, however its address was typed.
    let path = answer["path"].as_str().unwrap_or(page);
    let own = explain_at(site, path);
    let about = visit.get(&format!("/api/sites/{site}")).await?;
    // A page on the web can be previewed.
    let source = about["source"]["url"].as_str();
    let from = about["sourceLocale"].as_str().unwrap_or_default();
    for language in languages.as_array_mut().into_iter().flatten() {
        let to = language["targetLang"].as_str().unwrap_or_default();
        let mut address = None;
        if language["published"] == true && language["standing"] != "off" {
            address = visit.reader_address(site, to, path);
        }
        let mut preview = None;
        if let Some(source) = source {
            let url = format!("{}{path}", source.trim_end_matches('/'));
            let asked = query(&[
                ("sourceUrl", &url),
                ("sourceLang", from),
                ("targetLang", to),
            ]);
            preview = Some(format!("/previews?{asked}#make"));
        }
        let asked = [("lang", to), ("page", path)];
        let texts = texts_at(site, &asked);
        language["textsAt"] = texts.into();
        language["address"] = address.into();
        language["preview"] = preview.into();
    }
    let data = json!({
        "answer": answer,
        "languages": languages,
        "all": is_all,
        "own": own,
        "source_lang": about["sourceLocale"],
    });
    Ok(Screen::of_site("explain.html", site, "pages", data).about(path))
}

/// True if a text has no words, or people's words for it wait.
fn is_open(text: &Value) -> bool {
    text["toReview"] == true || matches!(text["origin"].as_str(), Some("none" | "refused"))
}

/// A text of an explanation, as people read it.
fn as_read(mut text: Value) -> Value {
    for name in ["source", "target"] {
        if let Some(markup) = text[name].as_str() {
            text[name] = shown(markup).into();
        }
        if let Some(markup) = text["outdated"][name].as_str() {
            text["outdated"][name] = shown(markup).into();
        }
    }
    text
}

/// A text with codes, as people read it.
pub(super) fn shown(markup: &str) -> String {
    CodedText::from_markup(markup).map_or_else(|_| markup.to_owned(), |text| text.to_numbered())
}
