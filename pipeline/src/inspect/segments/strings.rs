//! Many short texts in one piece of memory.

/// Texts by their number.
#[derive(Debug, Default)]
pub(super) struct Strings {
    bytes: String,
    /// The end of each text.
    ends: Vec<usize>,
}

impl Strings {
    pub(super) fn push(&mut self, text: &str) {
        self.bytes.push_str(text);
        self.ends.push(self.bytes.len());
    }

    /// A text; empty if there is none of this number.
    pub(super) fn get(&self, index: usize) -> &str {
        self.span(index)
            .and_then(|span| self.bytes.get(span))
            .unwrap_or_default()
    }

    fn span(&self, index: usize) -> Option<std::ops::Range<usize>> {
        let end = *self.ends.get(index)?;
        let begin = match index.checked_sub(1) {
            Some(before) => *self.ends.get(before)?,
            None => 0,
        };
        Some(begin..end)
    }

    /// Calls `each` with the number of every text that contains `wanted`, in their order.
    pub(super) fn search(&self, wanted: &str, mut each: impl FnMut(usize)) {
        let finder = memchr::memmem::Finder::new(wanted);
        let mut from = 0;
        while let Some(rest) = self.bytes.as_bytes().get(from..)
            && let Some(found) = finder.find(rest)
        {
            let at = from + found;
            let index = self.ends.partition_point(|end| *end <= at);
            let Some(span) = self.span(index) else { return };
            if at + wanted.len() <= span.end {
                each(index);
                from = span.end;
            } else {
                // A match across the end of a text is none.
                from = at + 1;
            }
        }
    }

    /// Bytes of memory.
    pub(super) fn memory(&self) -> usize {
        self.bytes.capacity() + self.ends.capacity() * size_of::<usize>()
    }

    /// Gives back memory that no text needs.
    pub(super) fn shrink(&mut self) {
        self.bytes.shrink_to_fit();
        self.ends.shrink_to_fit();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_search_finds_the_texts_that_contain_it(texts in prop::collection::vec("[abß]{0,5}", 0..20), wanted in "[abß]{1,3}") {
            let mut strings = Strings::default();
            texts.iter().for_each(|text| strings.push(text));
            let mut found = Vec::new();
            strings.search(&wanted, |index| found.push(index));
            let contains = |index: &usize| texts[*index].contains(&wanted);
            prop_assert_eq!(found, (0..texts.len()).filter(contains).collect::<Vec<_>>());
            for (index, text) in texts.iter().enumerate() {
                prop_assert_eq!(strings.get(index), text);
            }
        }
    }
}
