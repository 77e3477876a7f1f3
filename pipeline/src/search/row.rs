//! Serialized search text of a page, as the state caches it. Pure.

use super::index::Needs;
use super::sphinx::words_once;
use crate::page::{PageContent, Section};

/// Serialized section: its ids, the anchor of its heading, level, heading, text.
type SectionRow = (Vec<String>, Option<String>, u8, String, String);

/// Serializes the text that indexes need as JSON.
pub fn to_row(content: &PageContent, needs: Needs) -> Vec<u8> {
    let reduced = match needs {
        Needs::Words => Some(words_once(content)),
        Needs::Sections => None,
    };
    let PageContent {
        title,
        description,
        sections,
    } = reduced.as_ref().unwrap_or(content);
    let sections: Vec<SectionRow> = sections.iter().map(to_section_row).collect();
    serde_json::to_vec(&(title, description, sections)).unwrap_or_default()
}

/// Parses a row; `None` if it is malformed.
pub fn of_row(row: &[u8]) -> Option<PageContent> {
    let (title, description, sections): (String, String, Vec<SectionRow>) =
        serde_json::from_slice(row).ok()?;
    Some(PageContent {
        title,
        description,
        sections: sections.into_iter().map(of_section_row).collect(),
    })
}

fn to_section_row(section: &Section) -> SectionRow {
    let Section {
        ids,
        anchor,
        level,
        heading,
        text,
    } = section.clone();
    (ids, anchor, level, heading, text)
}

fn of_section_row((ids, anchor, level, heading, text): SectionRow) -> Section {
    Section {
        ids,
        anchor,
        level,
        heading,
        text,
    }
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
        assert_eq!(
            of_row(&to_row(&content, Needs::Sections)).as_ref(),
            Some(&content)
        );
        let words = of_row(&to_row(&content, Needs::Words)).unwrap();
        assert_eq!(words.heading(), "One");
        assert_eq!(words.sections.last().unwrap().text, "five three two");
        assert_eq!(of_row(b"{}"), None);
    }
}
