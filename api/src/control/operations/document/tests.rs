//! The document beside the table of operations, and what generators of clients need of it.

use hyper::Method;

use super::super::OPERATIONS;
use super::*;
use crate::control::route::Called;

static DOCUMENT: LazyLock<Value> = LazyLock::new(|| write(&OPERATIONS));

#[test]
fn document_and_router_name_the_same_operations() {
    let mut documented = Vec::new();
    for (path, methods) in DOCUMENT["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            let method = Method::from_bytes(method.to_ascii_uppercase().as_bytes()).unwrap();
            let called = Called::of(path, &method).unwrap();
            assert_eq!(
                (called.line.id, called.line.path),
                (operation["operationId"].as_str().unwrap(), path.as_str())
            );
            let braces = path.matches('{').count();
            let in_path = |parameter: &&Value| parameter["in"] == "path";
            assert_eq!(
                operation["parameters"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .filter(in_path)
                    .count(),
                braces,
                "{path}"
            );
            documented.push(called.line.id);
        }
    }
    let mut routed: Vec<_> = OPERATIONS.iter().map(|line| line.id).collect();
    routed.sort_unstable();
    documented.sort_unstable();
    assert_eq!(documented, routed);
}

/// Every operation of the document, with its id.
fn operations() -> impl Iterator<Item = (&'static str, &'static Value)> {
    let paths = DOCUMENT["paths"].as_object().unwrap().values();
    let all = paths.flat_map(|path| path.as_object().unwrap().values());
    all.map(|operation| (operation["operationId"].as_str().unwrap(), operation))
}

/// Calls a function with every value of the document and its place.
fn each(value: &Value, path: &str, look: &mut impl FnMut(&Value, &str)) {
    look(value, path);
    match value {
        Value::Object(members) => {
            members
                .iter()
                .for_each(|(name, value)| each(value, &format!("{path}/{name}"), look));
        }
        Value::Array(items) => items.iter().for_each(|value| each(value, path, look)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[test]
fn every_object_of_the_document_is_closed() {
    each(&DOCUMENT, "", &mut |value, path| {
        if value["type"] == "object" && value.get("properties").is_some() {
            let closed = [
                &value["additionalProperties"],
                &value["unevaluatedProperties"],
            ];
            assert!(closed.contains(&&json!(false)), "{path} is open: {value}");
        }
    });
}

#[test]
fn schemas_are_what_generators_of_clients_understand() {
    each(&DOCUMENT, "", &mut |value, path| {
        for word in ["oneOf", "const", "$defs", "$schema"] {
            assert!(value.get(word).is_none(), "{path} has {word}: {value}");
        }
        if let Some(reference) = value["$ref"].as_str() {
            let pointer = reference.strip_prefix('#').unwrap();
            assert!(
                DOCUMENT.pointer(pointer).is_some(),
                "{path} names {reference}"
            );
        }
    });
    for (id, operation) in operations() {
        let answers = operation["responses"].as_object().unwrap().values();
        let schemas = answers.flat_map(|answer| {
            answer["content"]
                .as_object()
                .into_iter()
                .flat_map(Map::values)
        });
        let body = operation["requestBody"]["content"]
            .as_object()
            .into_iter()
            .flat_map(Map::values);
        for content in schemas.chain(body).filter(|_| id != "openapi.get") {
            assert!(
                content["schema"]["$ref"].is_string(),
                "{id}: a schema has no name: {content}"
            );
        }
    }
}

#[test]
fn a_name_stands_for_one_schema() {
    let mut known: Map<String, Value> = Map::new();
    for line in &OPERATIONS {
        let Schemas {
            query,
            body,
            answer,
        } = (line.schemas)();
        for (schema, is_query) in [(query, true), (body, false), (Some(answer), false)] {
            let mut components = Components::new();
            let schema = schema.unwrap_or_default();
            // Parameters are shown one by one.
            if is_query {
                components.inline(schema)
            } else {
                components.take(schema)
            };
            for (name, schema) in components.named().as_object().unwrap() {
                let before = known.entry(name.clone()).or_insert_with(|| schema.clone());
                assert_eq!(
                    before, schema,
                    "{}: {name} is something else elsewhere",
                    line.id
                );
            }
        }
    }
}

#[test]
fn operations_have_tags_and_examples_and_the_document_says_where_they_are() {
    assert_eq!(DOCUMENT["servers"][0]["url"], "/");
    let mut tags: Vec<_> = operations()
        .map(|(_, operation)| operation["tags"][0].as_str().unwrap())
        .collect();
    tags.sort_unstable();
    tags.dedup();
    let mut told = TAGS.map(|(name, _)| name);
    told.sort_unstable();
    assert_eq!(tags, told);
    let mut ids: Vec<_> = EXAMPLES
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    for (id, operation) in operations().filter(|(id, _)| *id != "openapi.get") {
        let body = operation.pointer("/requestBody/content/application~1json");
        let answers = operation["responses"]
            .as_object()
            .unwrap()
            .iter()
            .filter(|(status, _)| status.starts_with('2'));
        let answers =
            answers.filter_map(|(_, answer)| answer.pointer("/content/application~1json"));
        for content in body.into_iter().chain(answers) {
            let mut schema = content["schema"].clone();
            schema["components"] = DOCUMENT["components"].clone();
            let mut compiler = boon::Compiler::new();
            compiler.enable_format_assertions();
            compiler
                .add_resource("urn:latimer:example", schema)
                .unwrap();
            let mut schemas = boon::Schemas::new();
            let whole = compiler
                .compile("urn:latimer:example", &mut schemas)
                .unwrap();
            let checked = schemas
                .validate(&content["example"], whole)
                .map_err(|error| error.to_string());
            assert_eq!(checked, Ok(()), "the example of {id}");
            ids.retain(|known| *known != id);
        }
    }
    assert!(ids.is_empty(), "examples of nothing: {ids:?}");
}
