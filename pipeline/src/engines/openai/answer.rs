//! Reads what a language model answered: whatever stands around the JSON is passed over, whatever is in it is checked.

use serde_json::Value;

/// At how many brackets a list of texts is looked for.
const STARTS: usize = 50;

/// Why a text has no answer of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Unanswered {
    #[error("it got no answer")]
    Missing,
    #[error("it got two answers")]
    Doubled,
}

/// The texts by number, from 1 to `count`, each an answer or why there is none; nothing when there is no list of texts at
/// all.
pub(super) fn read(content: &str, count: usize) -> Option<Vec<Result<String, Unanswered>>> {
    let entries = find(content)?;
    let mut texts = vec![Err(Unanswered::Missing); count];
    for (id, text) in entries {
        let Some(slot) = id.checked_sub(1).and_then(|at| texts.get_mut(at)) else { continue };
        *slot = match slot {
            Err(Unanswered::Missing) => Ok(text),
            Ok(_) | Err(Unanswered::Doubled) => Err(Unanswered::Doubled),
        };
    }
    Some(texts)
}

/// The first list of texts in the words, with or without thoughts before it and a fence around it.
fn find(content: &str) -> Option<Vec<(usize, String)>> {
    content.match_indices(['{', '[']).take(STARTS).find_map(|(start, _)| {
        let mut values = serde_json::Deserializer::from_str(&content[start..]).into_iter::<Value>();
        let entries = entries(&values.next()?.ok()?);
        Some(entries).filter(|entries| !entries.is_empty())
    })
}

/// Numbers with their texts: from a list of entries, alone or under any one key, or from an object of both.
fn entries(value: &Value) -> Vec<(usize, String)> {
    match value {
        Value::Array(list) => list.iter().filter_map(entry).collect(),
        Value::Object(fields) => match fields.values().find(|field| field.is_array()) {
            Some(list) => entries(list),
            None => {
                fields.iter().filter_map(|(id, text)| Some((id.parse().ok()?, text.as_str()?.to_owned()))).collect()
            }
        },
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    }
}

fn entry(value: &Value) -> Option<(usize, String)> {
    let id = value.get("id")?;
    let id = id.as_u64().map(|id| id.to_string()).or(id.as_str().map(str::to_owned))?;
    Some((id.parse().ok()?, value.get("text")?.as_str()?.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_found_by_number_in_whatever_form() {
        let good = vec![Ok("uno".to_owned()), Ok("dos".to_owned())];
        for content in [
            r#"{"translations":[{"id":1,"text":"uno"},{"id":2,"text":"dos"}]}"#,
            r#"{"translations":[{"id":2,"text":"dos"},{"id":"1","text":"uno"},{"id":3,"text":"tres"}]}"#,
            "Here you are:\n```json\n[{\"id\":1,\"text\":\"uno\"},{\"id\":2,\"text\":\"dos\"}]\n```\nGood luck!",
            r#"{"1":"uno","2":"dos"}"#,
            "<think>{name} stays [so].</think> {\"translations\":[{\"id\":1,\"text\":\"uno\"},{\"id\":2,\"text\":\"dos\"}]}",
        ] {
            assert_eq!(read(content, 2), Some(good.clone()), "{content}");
        }
    }

    #[test]
    fn a_wrong_number_harms_no_other_text() {
        let content = r#"[{"id":1,"text":"a"},{"id":1,"text":"b"},{"id":1,"text":"c"},
                          {"id":0,"text":"x"},{"id":3,"text":"d"}]"#;
        let texts = read(content, 3).unwrap();
        assert_eq!(texts, [Err(Unanswered::Doubled), Err(Unanswered::Missing), Ok("d".to_owned())]);
    }

    #[test]
    fn what_is_no_list_is_refused_whole() {
        for content in ["", "I cannot do that.", "{\"translations\":[{\"id\":1,\"te", "{\"translations\":[]}", "[1, 2]"]
        {
            assert!(read(content, 1).is_none(), "{content}");
        }
    }
}
