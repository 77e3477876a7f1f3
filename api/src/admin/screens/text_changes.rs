//! Screen that shows a change of several texts before it is made, and the forms that make it and undo it.

use hyper::Method;
use serde_json::{Value, json};

use super::super::figures::texts_at;
use super::super::outcome::{FormResult, Screen, VisitOutcome};
use super::super::visit::Visit;
use super::sites::shown;
use super::texts::{PARTS, text_at};
use crate::control::door::Deed;
use crate::http::error::ApiError;

/// Fields that say which texts change, and how.
const FIELDS: [&str; 8] = ["lang", "do", "state", "q", "page", "find", "with", "case"];

/// A change of several texts, as the address or a form asks for it.
struct Change<'v> {
    fields: &'v [(String, String)],
    site: &'v str,
}

impl<'v> Change<'v> {
    fn get(&self, name: &str) -> &'v str {
        let mut found = self.fields.iter().filter(|(field, _)| field == name);
        found.next().map_or("", |(_, value)| value)
    }

    /// Texts that were chosen; if there are none, all of the list change.
    fn ids(&self) -> Vec<&'v str> {
        let ids = self.fields.iter().filter(|(field, _)| field == "id");
        ids.map(|(_, id)| id.as_str()).collect()
    }

    /// Address of the list that the change is about.
    fn list(&self) -> String {
        let part = ["lang", "state", "q", "page"].map(|name| (name, self.get(name)));
        texts_at(self.site, &part)
    }

    /// The body of the request.
    fn body(&self) -> Value {
        let mut body = json!({ "action": self.get("do") });
        let ids = self.ids();
        if ids.is_empty() {
            let mut filter = json!({});
            let states = PARTS.iter().find(|(part, _)| *part == self.get("state"));
            let states = states.map_or("", |(_, states)| states);
            for (name, value) in [
                ("state", states),
                ("q", self.get("q")),
                ("page", self.get("page")),
            ] {
                if !value.is_empty() {
                    filter[name] = value.into();
                }
            }
            body["filter"] = filter;
        } else {
            body["segmentIds"] = ids.into();
        }
        if self.get("do") == "replace" {
            body["find"] = self.get("find").into();
            body["replaceWith"] = self.get("with").into();
            body["matchCase"] = (self.get("case") == "yes").into();
        }
        body
    }

    async fn perform(&self, visit: &Visit<'_>, body: Value) -> Result<Value, ApiError> {
        post(visit, self.site, self.get("lang"), "actions", body).await
    }

    /// The fields again, for the form that makes the change.
    fn hidden(&self) -> Value {
        let mut hidden = Vec::new();
        for (name, value) in self.fields {
            if FIELDS.contains(&name.as_str()) || name == "id" {
                hidden.push(json!({ "name": name, "value": value }));
            }
        }
        hidden.into()
    }
}

async fn post(
    visit: &Visit<'_>,
    site: &str,
    lang: &str,
    what: &str,
    body: Value,
) -> Result<Value, ApiError> {
    let path = format!("/api/sites/{site}/locales/{lang}/segments/{what}");
    let deed = Deed {
        method: Method::POST,
        path: &path,
        query: None,
        body: Some(body),
        seen: None,
    };
    visit.perform(deed).await.map(|done| done.value)
}

/// The change that the address asks for.
pub(super) async fn show(visit: &Visit<'_>, site: &str) -> Result<Screen, ApiError> {
    let change = Change {
        fields: &visit.query,
        site,
    };
    screen(visit, &change, None).await
}

async fn screen(
    visit: &Visit<'_>,
    change: &Change<'_>,
    refused: Option<&ApiError>,
) -> Result<Screen, ApiError> {
    let site = change.site;
    let lang = change.get("lang");
    let about = visit.get(&format!("/api/sites/{site}")).await?;
    let mut body = change.body();
    body["dryRun"] = true.into();
    let trouble = |error: &ApiError| json!({ "stale": matches!(error, ApiError::Stale(_)), "why": error.told().1 });
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
    let left = ["skipped", "refused"].map(|name| changes[name].as_u64().unwrap_or_default());
    let data = json!({
        "action": change.get("do"),
        "lang": lang,
        "source_lang": about["sourceLocale"],
        "fields": change.hidden(),
        "list": change.list(),
        "stay": left.iter().sum::<u64>(),
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
    let change = Change {
        fields: &visit.fields,
        site,
    };
    let mut body = change.body();
    body["asOf"] = change.get("as_of").into();
    match change.perform(visit, body).await {
        Ok(done) => {
            let Some(batch) = done["batchId"].as_u64() else {
                // Others were faster; the screen says what there is to do now.
                return Ok(VisitOutcome::Screen(screen(visit, &change, None).await?));
            };
            let to = change.list();
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
    post(visit, site, lang, "undo", json!({ "batchId": batch })).await?;
    let to = texts_at(site, &[("lang", lang)]);
    let done = FormResult::TextsUndone.as_str();
    Ok(VisitOutcome::Goes(format!("{to}&done={done}")))
}
