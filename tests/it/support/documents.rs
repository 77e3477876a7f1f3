//! Blocks of commands and of configuration that documents show.

/// The blocks of a language in a document.
pub fn blocks<'t>(text: &'t str, language: &str) -> Vec<&'t str> {
    let opening = format!("```{language}\n");
    text.split(opening.as_str())
        .skip(1)
        .map(|rest| rest.split("```").next().unwrap().trim_end())
        .collect()
}

/// The part of a document from a heading to the next one of any level.
#[track_caller]
pub fn section<'t>(text: &'t str, heading: &str) -> &'t str {
    let (_, rest) = text
        .split_once(&format!("\n{heading}\n"))
        .unwrap_or_else(|| panic!("there is no {heading:?}"));
    rest.split("\n#").next().unwrap()
}
