//! Suggests terms to the owner: words that the site writes only with capitals (R-N3). Enforces none of them.

use futures::future::LocalBoxFuture;
use serde::Serialize;

use crate::config::SiteConfig;
use crate::exchange::{SuggestedLine, glossary_lines};
use crate::model::PagePath;
use crate::run::corpus::extract;
use crate::run::source::crawl;
use crate::run::{Build, BuildError, BuildOptions, BuildProgress, Stores, glossary};
use crate::store::Published;
use crate::text::{Capitals, excerpt};

/// Minimum number of texts with the word.
const LEAST: usize = 2;
/// Limit for suggestions; nobody reads more.
const MOST: usize = 200;

/// A word or several, of which an owner may make a term.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SuggestedTerm {
    /// The words.
    pub term: String,
    /// The number of texts that have it inside of a sentence.
    pub texts: usize,
    /// The first of these texts.
    pub example: String,
    /// A page with that text.
    pub path: PagePath,
}

/// Suggests terms from the texts of the last build. Leaves out terms of the glossary and names that are kept anyway.
/// Returns none for source languages that capitalize all nouns.
///
/// # Errors
/// [`BuildError::NothingStored`] before the first build.
pub fn suggest_terms<'a>(
    site: &'a SiteConfig,
    stores: &'a Stores,
    options: &'a BuildOptions,
    progress: &'a BuildProgress<'a>,
) -> LocalBoxFuture<'a, Result<Vec<SuggestedTerm>, BuildError>> {
    Box::pin(async move {
        if matches!(site.source_locale.language(), "de" | "lb") {
            return Ok(Vec::new());
        }
        let build = &Build {
            site,
            stores,
            options,
            progress,
        };
        let previous = Published::newest(&stores.objects, &site.id, None).await?;
        let sources = crawl::stored_sources(build, previous.as_ref()).await?;
        let corpus = extract::read_all(build, &sources).await?;
        let mut capitals = Capitals::default();
        for (index, text) in corpus.texts.indexed() {
            capitals.read(index, &text.segment);
        }
        capitals.frequent(LEAST);
        corpus
            .texts
            .iter()
            .for_each(|text| capitals.strike(text.segment.text.text()));
        corpus.texts.check()?;
        let glossary = glossary(site)?;
        let mut terms = Vec::new();
        for (term, found) in capitals.into_sorted() {
            if glossary.mentions(&term, &site.source_locale) || corpus.has_name(&term) {
                continue;
            }
            if let Some(text) = corpus.texts.get(found.first) {
                let example = excerpt(text.segment.text.text()).into_owned();
                terms.push(SuggestedTerm {
                    term,
                    texts: found.texts,
                    example,
                    path: text.path,
                });
            }
        }
        terms.truncate(MOST);
        Ok(terms)
    })
}

/// Formats suggested terms as glossary lines, in the columns of the site's own file or with a header.
pub fn suggested_lines(site: &SiteConfig, terms: &[SuggestedTerm]) -> String {
    let lines = terms.iter().map(|suggested| SuggestedLine {
        term: &suggested.term,
        note: format!(
            "in {} texts, such as: {}",
            suggested.texts, suggested.example
        ),
    });
    glossary_lines(
        site.glossary.as_deref(),
        (&site.source_locale, &site.locales),
        lines,
    )
}
