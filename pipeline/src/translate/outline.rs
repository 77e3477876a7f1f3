//! Outline of a page: its title, its headings, and the neighbours of each text.

use std::collections::HashMap;
use std::sync::Arc;

use crate::engines::{Context, first_words, last_words};
use crate::page::{CodedText, Segment};
use crate::text::heading_level;

/// Rank of a text in the outline of a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct OutlineRank(u8);

impl OutlineRank {
    /// The title of a page.
    pub(crate) const TITLE: Self = Self(7);

    /// Rank by the element in which a text stands.
    pub(crate) fn of(segment: &Segment) -> Self {
        match segment.origin.as_ref() {
            "title" => Self::TITLE,
            origin => Self(heading_level(origin).unwrap_or_default()),
        }
    }

    /// Level of a heading, from 1 to 6; `None` for other texts.
    fn heading(self) -> Option<u8> {
        if (1..=6).contains(&self.0) {
            Some(self.0)
        } else {
            None
        }
    }

    /// The rank in three bits.
    pub(crate) fn bits(self) -> u8 {
        self.0
    }

    /// The rank in the lowest three bits.
    pub(crate) fn of_bits(bits: u8) -> Self {
        Self(bits & 7)
    }
}

/// Texts around a text, by number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Neighbours {
    pub(crate) title: Option<u32>,
    pub(crate) heading: Option<u32>,
    pub(crate) before: Option<u32>,
    pub(crate) after: Option<u32>,
}

impl Neighbours {
    /// Keeps the neighbours that are the same at another place of the text.
    pub(crate) fn keep(&mut self, other: Self) {
        self.title = self.title.filter(|_| self.title == other.title);
        self.heading = self.heading.filter(|_| self.heading == other.heading);
        self.before = self.before.filter(|_| self.before == other.before);
        self.after = self.after.filter(|_| self.after == other.after);
    }

    /// Excerpts of the neighbours; `None` if there are none. Titles and headings, which many texts share, are read once.
    pub(crate) fn context(
        self,
        above: &mut Above,
        text: impl Fn(u32) -> Option<CodedText>,
    ) -> Option<Arc<Context>> {
        let mut context = Context::default();
        for (number, excerpt) in [
            (self.title, &mut context.title),
            (self.heading, &mut context.heading),
        ] {
            let Some(number) = number else { continue };
            *excerpt = above
                .entry(number)
                .or_insert_with(|| filled(first_words(&text(number)?)))
                .clone();
        }
        context.before = self
            .before
            .and_then(&text)
            .and_then(|text| filled(last_words(&text)));
        context.after = self
            .after
            .and_then(&text)
            .and_then(|text| filled(first_words(&text)));
        if context.is_empty() {
            None
        } else {
            Some(Arc::new(context))
        }
    }
}

/// An excerpt; `None` if it is empty.
fn filled(words: String) -> Option<Arc<str>> {
    if words.is_empty() {
        None
    } else {
        Some(words.into())
    }
}

/// Excerpts of titles and headings, by number.
pub(crate) type Above = HashMap<u32, Option<Arc<str>>>;

/// Context of each text of a page, in the order of the page. A text that stands several times has only what is the same
/// at all of its places.
pub(crate) fn contexts_of_page(segments: &[Segment]) -> Vec<Option<Arc<Context>>> {
    let mut numbers: HashMap<String, u32> = HashMap::new();
    let mut row = Vec::with_capacity(segments.len());
    for (place, segment) in (0..).zip(segments) {
        row.push(*numbers.entry(segment.text.to_markup()).or_insert(place));
    }
    let mut outline = Outline::default();
    let mut found: HashMap<u32, Neighbours> = HashMap::new();
    for (place, (number, segment)) in row.iter().zip(segments).enumerate() {
        let rank = OutlineRank::of(segment);
        let here = outline.neighbours(&row, place, rank);
        found
            .entry(*number)
            .and_modify(|known| known.keep(here))
            .or_insert(here);
        outline.pass(*number, rank);
    }
    let mut above = Above::new();
    let mut contexts = HashMap::new();
    for (number, neighbours) in found {
        let context = neighbours.context(&mut above, |number| {
            Some(segments.get(number as usize)?.text.clone())
        });
        contexts.extend(context.map(|context| (number, context)));
    }
    row.iter()
        .map(|number| contexts.get(number).cloned())
        .collect()
}

/// Title and open headings at a place of a page.
#[derive(Debug, Default)]
pub(crate) struct Outline {
    title: Option<u32>,
    /// Open headings with their levels, in rising order.
    headings: Vec<(u8, u32)>,
}

impl Outline {
    /// Neighbours of the text at a place of a page, whose texts are `row`.
    pub(crate) fn neighbours(&self, row: &[u32], place: usize, rank: OutlineRank) -> Neighbours {
        let own = row.get(place).copied();
        let title = self.title.filter(|number| Some(*number) != own);
        let mut heading = None;
        for (level, number) in &self.headings {
            let is_other = Some(*number) != own && Some(*number) != title;
            if is_other && rank.heading().is_none_or(|own| *level < own) {
                heading = Some(*number);
            }
        }
        let known = [own, title, heading];
        let mut before = place
            .checked_sub(1)
            .and_then(|place| row.get(place).copied());
        let mut after = row.get(place.saturating_add(1)).copied();
        for beside in [&mut before, &mut after] {
            if known.contains(beside) {
                *beside = None;
            }
        }
        Neighbours {
            title,
            heading,
            before,
            after,
        }
    }

    /// Moves on past a text.
    pub(crate) fn pass(&mut self, number: u32, rank: OutlineRank) {
        if rank == OutlineRank::TITLE && self.title.is_none() {
            self.title = Some(number);
        }
        if let Some(level) = rank.heading() {
            self.headings.retain(|(above, _)| *above < level);
            self.headings.push((level, number));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Texts around each text of a page, as "title/heading/before/after".
    fn around(page: &[(u32, u8)]) -> Vec<String> {
        let row: Vec<u32> = page.iter().map(|(number, _)| *number).collect();
        let mut outline = Outline::default();
        let mut found = Vec::new();
        for (place, (number, rank)) in page.iter().enumerate() {
            let rank = OutlineRank::of_bits(*rank);
            let Neighbours {
                title,
                heading,
                before,
                after,
            } = outline.neighbours(&row, place, rank);
            let names = [title, heading, before, after]
                .map(|number| number.map_or("-".into(), |n| n.to_string()));
            found.push(names.join("/"));
            outline.pass(*number, rank);
        }
        found
    }

    #[test]
    fn texts_have_a_title_a_heading_and_neighbours_r_l19() {
        let page = [
            (0, 7),
            (1, 0),
            (2, 1),
            (3, 0),
            (4, 2),
            (5, 0),
            (6, 2),
            (7, 0),
        ];
        let expected = [
            "-/-/-/1", "0/-/-/2", "0/-/1/3", "0/2/-/4", "0/2/3/5", "0/4/-/6", "0/2/5/7", "0/6/-/-",
        ];
        assert_eq!(around(&page), expected);
    }

    #[test]
    fn a_page_by_itself_has_contexts_r_l19() {
        use crate::translate::example::plain;

        let heading = Segment {
            origin: "h1".into(),
            ..plain("Bread")
        };
        let contexts = contexts_of_page(&[heading, plain("Fresh"), plain("Daily")]);
        let [first, second, third] = contexts.try_into().unwrap();
        assert_eq!(first.unwrap().after.as_deref(), Some("Fresh"));
        let second = second.unwrap();
        assert_eq!(
            (second.heading.as_deref(), second.after.as_deref()),
            (Some("Bread"), Some("Daily"))
        );
        assert_eq!(third.unwrap().before.as_deref(), Some("Fresh"));
    }

    #[test]
    fn a_text_in_two_places_has_only_what_both_share_r_l19() {
        use crate::translate::example::plain;

        let heading = |text: &str| Segment {
            origin: "h2".into(),
            ..plain(text)
        };
        let page = [
            heading("Rye"),
            plain("Dark"),
            plain("Read more"),
            heading("Wheat"),
            plain("White"),
            plain("Read more"),
        ];
        let contexts = contexts_of_page(&page);
        assert_eq!(
            (contexts[2].as_deref(), contexts[5].as_deref()),
            (None, None)
        );
        assert_eq!(
            contexts[1]
                .as_deref()
                .and_then(|context| context.heading.as_deref()),
            Some("Rye")
        );
    }

    #[test]
    fn no_text_is_its_own_context_r_l19() {
        // The title is also the heading of the page, and a text follows itself.
        assert_eq!(
            around(&[(0, 7), (0, 1), (1, 0), (1, 0)]),
            ["-/-/-/-", "-/-/-/1", "0/-/-/-", "0/-/-/-"]
        );
    }
}
