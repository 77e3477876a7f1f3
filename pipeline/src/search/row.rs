//! What a page says, as the state keeps it for the indexes of its language. Pure.

use super::index::Needs;
use super::sphinx::words_once;
use crate::page::{Content, Section};

/// A section: the fragments that lead into it, the one that leads to its heading, level, heading, words.
type SectionRow = (Vec<String>, Option<String>, u8, String, String);

/// What of a page indexes are made of, as JSON.
pub fn to_row(content: &Content, needs: Needs) -> Vec<u8> {
    let reduced = match needs {
        Needs::Words => Some(words_once(content)),
        Needs::Sections => None,
    };
    let Content { title, description, sections } = reduced.as_ref().unwrap_or(content);
    let section = |Section { ids, anchor, level, heading, text }: &Section| {
        (ids.clone(), anchor.clone(), *level, heading.clone(), text.clone())
    };
    let sections: Vec<SectionRow> = sections.iter().map(section).collect();
    serde_json::to_vec(&(title, description, sections)).unwrap_or_default()
}

/// What a row says; nothing where it cannot be read.
pub fn of_row(row: &[u8]) -> Option<Content> {
    let (title, description, sections): (String, String, Vec<SectionRow>) = serde_json::from_slice(row).ok()?;
    let section = |(ids, anchor, level, heading, text): SectionRow| Section { ids, anchor, level, heading, text };
    Some(Content { title, description, sections: sections.into_iter().map(section).collect() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::read_content;

    #[test]
    fn a_page_comes_back_from_its_row() {
        let content = read_content(
            b"<title>T</title><meta name=description content=D><main><h1 id=a>One</h1><p id=b>two <b>three</b> two\
              <h2>Four</h2>five</main>",
        );
        assert_eq!(of_row(&to_row(&content, Needs::Sections)).as_ref(), Some(&content));
        let words = of_row(&to_row(&content, Needs::Words)).unwrap();
        assert_eq!(words.heading(), "One");
        assert_eq!(words.sections.last().unwrap().text, "five three two");
        assert_eq!(of_row(b"{}"), None);
    }
}
