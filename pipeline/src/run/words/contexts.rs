//! Context of texts, for engines that take it: the title of the page, the heading above, the texts before and after.
//!
//! A text in several places gets only the context that is the same in all of them. So no page changes the translations
//! of another (R-L19), and the order of pages does not matter.

use std::collections::HashMap;
use std::sync::Arc;

use crate::engines::Context;
use crate::model::{LanguagePair, Locale, PagePath};
use crate::run::corpus::contents::Corpus;
use crate::run::corpus::indices::Indices;
use crate::run::corpus::other_ranks::OtherRanks;
use crate::run::corpus::text_set::TextSet;
use crate::translate::{Above, Chain, Neighbours, Outline};

/// Neighbours of texts, by their index.
#[derive(Default)]
pub(super) struct Contexts(HashMap<usize, Neighbours>);

impl Contexts {
    /// Neighbours of the texts to translate, if an engine takes context.
    pub(in crate::run) fn for_engines(
        corpus: &Corpus,
        open: &TextSet,
        chain: &Chain,
        pair: LanguagePair<&Locale>,
    ) -> Self {
        if chain.takes_context(pair) {
            Self::of(corpus, open)
        } else {
            Self::default()
        }
    }

    fn of(corpus: &Corpus, texts: &TextSet) -> Self {
        let mut contexts = Self::default();
        for (path, indices) in corpus.pages.iter().chain(&corpus.documents) {
            contexts.add(corpus, texts, (Some(path), indices));
        }
        for indices in corpus.found.values() {
            contexts.add(corpus, texts, (None, indices));
        }
        contexts
    }

    /// Adds the texts of a page or of a script. Texts that scripts put into a page have no path.
    fn add(
        &mut self,
        corpus: &Corpus,
        texts: &TextSet,
        (path, indices): (Option<&PagePath>, &Indices),
    ) {
        // Pages that were not read may have the text, too, with unknown neighbours.
        let is_wanted = |index: u32| {
            let index = index as usize;
            texts.contains(index) && !corpus.cached_texts.read.contains(index)
        };
        let row = indices.to_vec();
        if !row.iter().copied().any(is_wanted) {
            return;
        }
        let other_ranks = path
            .map(|path| corpus.other_ranks.of(path))
            .unwrap_or_default();
        let mut outline = Outline::default();
        for (place, &index) in row.iter().enumerate() {
            let rank = OtherRanks::at(other_ranks, place)
                .unwrap_or_else(|| corpus.texts.rank(index as usize));
            if is_wanted(index) {
                let here = outline.neighbours(&row, place, rank);
                self.0
                    .entry(index as usize)
                    .and_modify(|known| known.keep(here))
                    .or_insert(here);
            }
            outline.pass(index, rank);
        }
    }

    /// Context of a text; `None` if its places have nothing in common.
    pub(in crate::run) fn get(
        &self,
        corpus: &Corpus,
        above: &mut Above,
        index: usize,
    ) -> Option<Arc<Context>> {
        let text = |index: u32| {
            corpus
                .texts
                .get(index as usize)
                .map(|text| text.segment.text)
        };
        self.0.get(&index)?.context(above, text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Page;
    use crate::run::corpus::text_table::{KnownTexts, TextTable};
    use crate::run::options::BuildLimits;
    use crate::state::State;

    /// Contexts of all texts of a site, as "text: title/heading/before/after".
    fn contexts(pages: &[(&str, &str)], cached: &[usize]) -> Vec<String> {
        let locale = Locale::parse("en").unwrap();
        let mut corpus = Corpus {
            texts: TextTable::beside(&State::in_memory().unwrap(), BuildLimits::default()),
            ..Corpus::default()
        };
        let mut known = KnownTexts::default();
        for (name, html) in pages {
            let path = PagePath::of_file(name);
            let segments = Page::parse(html.as_bytes(), None, &locale)
                .segments()
                .collect();
            let indices = corpus.take_page(&mut known, &locale, &path, segments);
            corpus.pages.insert(path, indices);
        }
        corpus.cached_texts.read = cached.iter().copied().collect();
        let open: TextSet = (0..corpus.texts.len()).collect();
        let contexts = Contexts::of(&corpus, &open);
        let mut shown = Vec::new();
        for (index, text) in corpus.texts.indexed() {
            let context = contexts
                .get(&corpus, &mut Above::new(), index)
                .map(|context| (*context).clone())
                .unwrap_or_default();
            let Context {
                title,
                heading,
                before,
                after,
            } = context;
            let words = [title, heading, before, after]
                .map(|words| words.map_or("-".to_owned(), |words| words.to_string()));
            shown.push(format!("{}: {}", text.segment.text.text(), words.join("/")));
        }
        shown
    }

    #[test]
    fn texts_of_several_pages_have_what_these_have_in_common_r_l19() {
        let nav = "<nav><a href=/>Home</a> <a href=/blog>News</a></nav>";
        let index = format!("<title>Bakery</title>{nav}<h1>Bread</h1><p>Fresh</p><p>Read more</p>");
        let blog = format!(
            "<title>Blog</title>{nav}<h1>News</h1><p>Ignore all</p><p>Read more</p><p>Bye</p>"
        );
        let found = contexts(&[("index.html", &index), ("blog.html", &blog)], &[]);
        assert_eq!(
            found,
            [
                "Bakery: -/-/-/Home",
                "Home: -/-/-/News",
                // On the blog, it is the heading, too.
                "News: -/-/-/-",
                "Bread: Bakery/-/News/Fresh",
                "Fresh: Bakery/Bread/-/Read more",
                "Read more: -/-/-/-",
                "Blog: -/-/-/Home",
                "Ignore all: Blog/News/-/Read more",
                "Bye: Blog/News/Read more/-",
            ]
        );
    }

    #[test]
    fn texts_of_pages_that_were_not_read_have_no_context_r_l19() {
        let found = contexts(
            &[(
                "index.html",
                "<title>Bakery</title><h1>Bread</h1><p>Fresh</p>",
            )],
            &[2],
        );
        assert_eq!(
            found,
            [
                "Bakery: -/-/-/Bread",
                "Bread: Bakery/-/-/Fresh",
                "Fresh: -/-/-/-"
            ]
        );
    }
}
