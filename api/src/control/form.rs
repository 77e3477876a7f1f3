//! Requests as their types say they are: a body or a query is checked against the very schema that the API's document
//! shows, so the document cannot promise anything else. Every field that is wrong is named, not only the first.

use std::fmt;
use std::marker::PhantomData;

use boon::{
    Compiler, Draft, ErrorKind as Kind, InstanceToken, SchemaIndex, Schemas, ValidationError,
};
use schemars::generate::SchemaSettings;
use schemars::transform::{RecursiveTransform, Transform};
use schemars::{JsonSchema, Schema};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::http::error::{ApiError, FieldError};
use crate::http::unique::Unique;

/// Longest piece of a client's own text that an answer repeats.
const LONGEST_NAME: usize = 64;
/// Most fields that are named in one answer.
const MOST_ERRORS: usize = 16;

/// A type that requests are read into.
pub(crate) struct RequestSchema<T> {
    schema: Schema,
    validator: SchemaValidator,
    read: PhantomData<fn() -> T>,
}

/// Checks values against a schema.
struct SchemaValidator {
    schemas: Schemas,
    whole: SchemaIndex,
}

/// The schema of a type that is read.
pub(crate) fn schema_of_request<T: JsonSchema>() -> Schema {
    schema::<T>(SchemaSettings::for_deserialize)
}

/// The schema of a type that is sent.
pub(crate) fn schema_of_answer<T: JsonSchema>() -> Schema {
    schema::<T>(SchemaSettings::for_serialize)
}

/// The schema of a message, with all that it has inside.
pub(crate) fn schema_of_message<T: JsonSchema>() -> Schema {
    schema::<T>(|mut settings| {
        settings.inline_subschemas = true;
        settings.for_serialize()
    })
}

fn schema<T: JsonSchema>(contract: fn(SchemaSettings) -> SchemaSettings) -> Schema {
    let settings = SchemaSettings::draft2020_12().with(|settings| settings.meta_schema = None);
    let mut schema = contract(settings)
        .into_generator()
        .into_root_schema_for::<T>();
    RecursiveTransform(absent_is_not_null).transform(&mut schema);
    RecursiveTransform(words_are_an_enum).transform(&mut schema);
    schema
}

/// Words of which some have a text are one list of words all the same: generators of clients know `enum`, and stumble
/// over a choice of constants.
fn words_are_an_enum(schema: &mut Schema) {
    let Some(Value::Array(choices)) = schema.get("oneOf") else {
        return;
    };
    let mut words = Vec::new();
    let mut texts = Vec::new();
    texts.extend(
        schema
            .get("description")
            .and_then(Value::as_str)
            .map(str::to_owned),
    );
    for choice in choices {
        match (&choice["const"], &choice["enum"]) {
            (Value::String(word), _) => {
                let text = choice["description"].as_str();
                texts.extend(text.map(|text| format!("`{word}`: {}", text.replace('\n', " "))));
                words.push(Value::from(word.as_str()));
            }
            (_, Value::Array(more)) => words.extend(more.iter().cloned()),
            _ => return,
        }
    }
    schema.remove("oneOf");
    schema.insert("type".to_owned(), Value::from("string"));
    schema.insert("enum".to_owned(), Value::Array(words));
    schema.insert("description".to_owned(), Value::from(texts.join("\n\n")));
}

/// What may be left out is left out; it is never null.
fn absent_is_not_null(schema: &mut Schema) {
    let required = schema
        .get("required")
        .and_then(Value::as_array)
        .cloned()
        .unwrap_or_default();
    let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) else {
        return;
    };
    for (_, property) in properties
        .iter_mut()
        .filter(|(name, _)| !required.contains(&Value::from(name.as_str())))
    {
        let Some(property) = property.as_object_mut() else {
            continue;
        };
        if let Some(Value::Array(types)) = property.get_mut("type") {
            types.retain(|kind| kind != "null");
            if let [only] = types.as_slice() {
                let only = only.clone();
                property.insert("type".to_owned(), only);
            }
        }
        if let Some(Value::Array(words)) = property.get_mut("enum") {
            words.retain(|word| !word.is_null());
        }
        if let Some(Value::Array(choices)) = property.get_mut("anyOf") {
            choices.retain(|choice| choice["type"] != "null");
            if let [Value::Object(only)] = choices.as_slice() {
                let only = only.clone();
                property.remove("anyOf");
                property.extend(only);
            }
        }
        property.remove("default");
    }
}

impl<T: DeserializeOwned + JsonSchema> RequestSchema<T> {
    #[expect(
        clippy::expect_used,
        reason = "schemas come from types of this crate, and every one is made in a test"
    )]
    pub(crate) fn new() -> Self {
        let schema = schema_of_request::<T>();
        let validator =
            SchemaValidator::new(schema.as_value()).expect("a type's schema is a schema");
        Self {
            schema,
            validator,
            read: PhantomData,
        }
    }

    /// The schema, for the document.
    pub(crate) fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Reads a body.
    pub(crate) fn read(&self, body: &[u8]) -> Result<T, ApiError> {
        // The text is JSON, or what is wrong with it is that a name stands twice.
        let Unique(mut value) =
            serde_json::from_slice(body).map_err(|error| match error.is_data() {
                true => one(
                    "",
                    "repeated",
                    "a name stands twice in an object of the body",
                ),
                false => one("", "malformed_json", "the body is not JSON"),
            })?;
        make_whole(&mut value);
        self.check(value, "")
    }

    /// Reads a query. Every parameter may stand once.
    pub(crate) fn query(&self, query: Option<&str>) -> Result<T, ApiError> {
        let mut members = Map::new();
        for (name, value) in form_urlencoded::parse(query.unwrap_or_default().as_bytes()) {
            let value = self.typed(&name, value.into_owned());
            if members.insert(name.to_string(), value).is_some() {
                return Err(one(
                    &format!("?{}", shown(&name)),
                    "repeated",
                    "may stand only once",
                ));
            }
        }
        self.check(Value::Object(members), "?")
    }

    /// A parameter as what its schema wants; text where it is no number.
    fn typed(&self, name: &str, text: String) -> Value {
        let wants_number = self
            .schema
            .get("properties")
            .is_some_and(|known| known[name]["type"] == "integer");
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        match text.parse::<u64>() {
            Ok(number) if wants_number && digits => Value::from(number),
            _ => Value::from(text),
        }
    }

    fn check(&self, value: Value, prefix: &str) -> Result<T, ApiError> {
        let mut errors = Vec::new();
        if let Err(error) = self.validator.check(&value) {
            each_rule(&error, &mut |broken| errors.extend(named(broken, prefix)));
        }
        if !errors.is_empty() {
            errors.truncate(MOST_ERRORS);
            return Err(ApiError::Invalid(errors));
        }
        serde_json::from_value(value)
            .map_err(|_| one(prefix, "wrong_type", "is not what it should be"))
    }
}

impl<T> fmt::Debug for RequestSchema<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Form").finish_non_exhaustive()
    }
}

impl SchemaValidator {
    fn new(schema: &Value) -> Result<Self, Box<boon::CompileError>> {
        const NAME: &str = "urn:latimer:request";
        let mut compiler = Compiler::new();
        compiler.set_default_draft(Draft::V2020_12);
        compiler.enable_format_assertions();
        compiler.add_resource(NAME, schema.clone())?;
        let mut schemas = Schemas::new();
        let whole = compiler.compile(NAME, &mut schemas)?;
        Ok(Self { schemas, whole })
    }

    fn check<'v>(&'v self, value: &'v Value) -> Result<(), Box<ValidationError<'v, 'v>>> {
        Ok(self.schemas.validate(value, self.whole)?)
    }
}

/// Shows each rule that is broken; of a choice that nothing fits, the choice and not its parts.
fn each_rule(error: &ValidationError<'_, '_>, show: &mut impl FnMut(&ValidationError<'_, '_>)) {
    let is_choice = matches!(
        error.kind,
        Kind::AnyOf | Kind::OneOf(_) | Kind::Not | Kind::Contains
    );
    match error.causes.as_slice() {
        [] => show(error),
        _ if is_choice => show(error),
        causes => causes.iter().for_each(|cause| each_rule(cause, show)),
    }
}

/// What is wrong, field by field, in the words of the interface.
fn named(error: &ValidationError<'_, '_>, prefix: &str) -> Vec<FieldError> {
    let place = dotted(&error.instance_location.tokens);
    let at = |name: &str| match place.is_empty() {
        true => format!("{prefix}{}", shown(name)),
        false => format!("{prefix}{place}.{}", shown(name)),
    };
    let here = |code: &'static str, message: String| {
        let path = format!("{prefix}{place}");
        vec![FieldError {
            message: sentence(&path, &message),
            path,
            code,
        }]
    };
    let must = |code, text: &str| here(code, format!("must {text}"));
    match &error.kind {
        Kind::AdditionalProperties { got } => got
            .iter()
            .take(MOST_ERRORS)
            .map(|name| field(at(name), "unknown_field", "is not known here"))
            .collect(),
        Kind::Required { want } => want
            .iter()
            .map(|name| field(at(name), "required", "must be there"))
            .collect(),
        Kind::MinProperties { .. } => must("required", "have at least one member"),
        Kind::Type { want, .. } => must("wrong_type", &format!("be of type {}", type_name(*want))),
        Kind::Enum { want } => {
            let words: Vec<_> = want.iter().filter_map(Value::as_str).collect();
            must("unknown_value", &format!("be one of {}", words.join(", ")))
        }
        Kind::MinLength { want, .. } => {
            must("wrong_length", &format!("have at least {want} characters"))
        }
        Kind::MaxLength { want, .. } => {
            must("wrong_length", &format!("have at most {want} characters"))
        }
        Kind::MinItems { want, .. } => must("too_few", &format!("have at least {want} entries")),
        Kind::MaxItems { want, .. } => must("too_many", &format!("have at most {want} entries")),
        Kind::Minimum { want, .. } => must("out_of_range", &format!("be at least {want}")),
        Kind::Maximum { want, .. } => must("out_of_range", &format!("be at most {want}")),
        Kind::Format {
            want: "date-time", ..
        } => must("invalid_time", "be a time such as 2026-11-21T07:00:00Z"),
        Kind::Format { want: "email", .. } => {
            must("invalid_email", "be an address such as ana@example.com")
        }
        Kind::Pattern { .. } => here("invalid_value", "is not written as it should be".to_owned()),
        Kind::AnyOf | Kind::OneOf(_) => here(
            "invalid_value",
            "is none of what may stand there".to_owned(),
        ),
        _ => here("invalid_value", "is not what it should be".to_owned()),
    }
}

/// To a schema, `3.0` is a whole number like `3`.
fn make_whole(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(make_whole),
        Value::Object(members) => members.values_mut().for_each(make_whole),
        Value::Number(number) => {
            let float = number
                .as_f64()
                .filter(|float| number.is_f64() && float.fract() == 0.0);
            // Beyond that not every whole number is one that a reader of JSON holds exactly.
            if let Some(whole) =
                float.filter(|float| (0.0..9_007_199_254_740_992.0).contains(float))
            {
                *value = Value::from(whole as u64);
            }
        }
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}

/// A place in a value, such as `summary.notes[0]`.
fn dotted(place: &[InstanceToken<'_>]) -> String {
    let mut text = String::new();
    for step in place {
        match step {
            InstanceToken::Item(index) => text.push_str(&format!("[{index}]")),
            InstanceToken::Prop(name) => {
                text.push_str(if text.is_empty() { "" } else { "." });
                text.push_str(&shown(name));
            }
        }
    }
    text
}

fn type_name(types: boon::Types) -> String {
    let mut names = types.iter();
    match (names.next(), names.next()) {
        (Some(only), None) => only.to_string(),
        _ => "another kind".to_owned(),
    }
}

fn shown(name: &str) -> String {
    name.chars().take(LONGEST_NAME).collect()
}

fn field(path: String, code: &'static str, message: &str) -> FieldError {
    FieldError {
        message: sentence(&path, message),
        path,
        code,
    }
}

fn sentence(path: &str, message: &str) -> String {
    if path.is_empty() {
        format!("the body {message}")
    } else {
        format!("`{path}` {message}")
    }
}

/// A refusal for one field.
pub(crate) fn one(path: &str, code: &'static str, message: &str) -> ApiError {
    let message = if path.is_empty() {
        message.to_owned()
    } else {
        sentence(path, message)
    };
    ApiError::Invalid(vec![FieldError {
        path: path.to_owned(),
        code,
        message,
    }])
}

impl ApiError {
    /// Gives a kind of mistake in a field, or in its entries, a code of its own.
    pub(crate) fn recoded(mut self, path: &str, kind: &str, code: &'static str) -> Self {
        let is_meant =
            |field: &FieldError| field.path.split('[').next() == Some(path) && field.code == kind;
        if let Self::Invalid(fields) = &mut self {
            fields
                .iter_mut()
                .filter(|field| is_meant(field))
                .for_each(|field| field.code = code);
        }
        self
    }
}

/// Refuses every parameter, for operations that take none.
pub(crate) fn no_query(query: Option<&str>) -> Result<(), ApiError> {
    let mut unknown =
        form_urlencoded::parse(query.unwrap_or_default().as_bytes()).take(MOST_ERRORS);
    let unknown: Vec<_> = unknown
        .by_ref()
        .map(|(name, _)| {
            field(
                format!("?{}", shown(&name)),
                "unknown_field",
                "is not known here",
            )
        })
        .collect();
    if unknown.is_empty() {
        Ok(())
    } else {
        Err(ApiError::Invalid(unknown))
    }
}
