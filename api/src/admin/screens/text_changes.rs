//! Screen that shows a change of several texts before it is made, and the forms that make it and undo it.

use serde_json::{Value, json};

use super::super::figures::texts_at;
use super::super::outcome::{FormResult, Screen, VisitOutcome};
use super::super::visit::{Visit, first};
use super::sites::shown;
use super::texts::{Wanted, text_at};
use crate::http::error::ApiError;

/// Fields of the form that makes a change, beside the version of the texts.
const FIELDS: [&str; 9] = [
    "lang", "do", "state", "q", "page", "id", "find", "with", "case",
];

/// A change of several texts, as an address or a form asks for it.
struct TextChange<'v> {
    fields: &'v [(String, String)],
    /// The list that the texts are of.
    wanted: Wanted<'v>,
    site: &'v str,
}

impl<'v> TextChange<'v> {
    fn of(fields: &'v [(String, String)], site: &'v str) -> Self {
        Self {
            fields,
            wanted: Wanted::of(fields),
            site,
        }
    }

    /// The body of the request: the chosen texts, or all of the list if none is chosen.
    fn body(&self) -> Value {
        let action = first(self.fields, "do");
        let mut body = json!({ "action": action });
        let mut ids = Vec::new();
        for (name, value) in self.fields {
            if name == "id" {
                ids.push(value.as_str());
            }
        }
        if ids.is_empty() {
            let mut filter = json!({});
            for (name, value) in [
                ("state", self.wanted.states()),
                ("q", self.wanted.words),
                ("page", self.wanted.page),
            ] {
                if !value.is_empty() {
                    filter[name] = value.into();
                }
            }
            body["filter"] = filter;
        } else {
            body["segmentIds"] = ids.into();
        }
        if action == "replace" {
            body["find"] = first(self.fields, "find").into();
            body["replaceWith"] = first(self.fields, "with").into();
            body["matchCase"] = (first(self.fields, "case") == "yes").into();
        }
        body
    }

    async fn perform(&self, visit: &Visit<'_>, body: Value) -> Result<Value, ApiError> {
        let site = self.site;
        let lang = self.wanted.lang;
        let path = format!("/api/sites/{site}/locales/{lang}/segments/actions");
        Ok(visit.post(&path, Some(body)).await?.value)
    }

    /// The fields again, for the form that makes the change.
    fn hidden(&self) -> Value {
        let mut hidden = Vec::new();
        for (name, value) in self.fields {
            if FIELDS.contains(&name.as_str()) {
                hidden.push(json!({ "name": name, "value": value }));
            }
        }
        hidden.into()
    }
}

/// A refused change for its screen.
fn trouble(error: &ApiError) -> Value {
    json!({ "stale": matches!(error, ApiError::Stale(_)), "why": error.told().1 })
}

/// The change that the address asks for.
pub(super) async fn show(visit: &Visit<'_>, site: &str) -> Result<Screen, ApiError> {
    let change = TextChange::of(&visit.query, site);
    screen(visit, &change, None).await
}

async fn screen(
    visit: &Visit<'_>,
    change: &TextChange<'_>,
    refused: Option<&ApiError>,
) -> Result<Screen, ApiError> {
    let site = change.site;
    let lang = change.wanted.lang;
    let about = visit.get(&format!("/api/sites/{site}")).await?;
    let mut body = change.body();
    body["dryRun"] = true.into();
    let mut told = refused.map(trouble);
    let mut changes = match change.perform(visit, body).await {
        Err(error @ ApiError::Invalid(_)) => {
            told = Some(trouble(&error));
            Value::Null
        }
        changes => changes?,
    };
    for list in ["examples", "unchanged"] {
        for text in changes[list].as_array_mut().into_iter().flatten() {
            for name in ["source", "before", "after"] {
                if let Some(markup) = text[name].as_str() {
                    text[name] = shown(markup).into();
                }
            }
            let id = text["segmentId"].as_str().unwrap_or_default();
            text["address"] = text_at(site, lang, id).into();
        }
    }
    let mut stay = 0;
    for name in ["skipped", "refused"] {
        stay += changes[name].as_u64().unwrap_or_default();
    }
    let data = json!({
        "action": first(change.fields, "do"),
        "lang": lang,
        "source_lang": about["sourceLocale"],
        "fields": change.hidden(),
        "list": change.wanted.own_address(site),
        "stay": stay,
        "changes": changes,
        "trouble": told,
    });
    Ok(Screen::of_site("change.html", site, "texts", data).about(lang))
}

/// Makes the change of a form, if the texts are as its screen showed them.
pub(in crate::admin) async fn change(
    visit: &Visit<'_>,
    site: &str,
) -> Result<VisitOutcome, ApiError> {
    let change = TextChange::of(&visit.fields, site);
    let mut body = change.body();
    body["asOf"] = first(change.fields, "as_of").into();
    match change.perform(visit, body).await {
        Ok(done) => {
            let Some(batch) = done["batchId"].as_u64() else {
                // Others were faster; the screen says what there is to do now.
                return Ok(VisitOutcome::Screen(screen(visit, &change, None).await?));
            };
            let to = change.wanted.own_address(site);
            let done = FormResult::TextsChanged.as_str();
            Ok(VisitOutcome::Goes(format!(
                "{to}&done={done}&batch={batch}"
            )))
        }
        Err(error @ (ApiError::Stale(_) | ApiError::Invalid(_))) => {
            let screen = screen(visit, &change, Some(&error)).await?;
            Ok(VisitOutcome::Screen(screen))
        }
        Err(error) => Err(error),
    }
}

/// Undoes a batch.
pub(in crate::admin) async fn undo(
    visit: &Visit<'_>,
    site: &str,
) -> Result<VisitOutcome, ApiError> {
    let lang = visit.field("lang");
    let batch: u64 = visit.field("batch").parse().unwrap_or_default();
    let path = format!("/api/sites/{site}/locales/{lang}/segments/undo");
    visit.post(&path, Some(json!({ "batchId": batch }))).await?;
    let to = texts_at(site, &[("lang", lang)]);
    let done = FormResult::TextsUndone.as_str();
    Ok(VisitOutcome::Goes(format!("{to}&done={done}")))
}
