//! What a page gets into its head for the live script.

use std::cell::OnceCell;

use serde::Serialize;

use super::references::SiteContext;
use crate::model::{Locale, PagePath};
use crate::page::{Framework, LivePair, Page};
use crate::run::context::Build;
use crate::site_files::{self, OwnScript};

/// What a page tells the script.
#[derive(Serialize)]
struct LiveBlock<'a> {
    /// The page's path in the source, and its own.
    path: String,
    own: String,
    /// Where the paths of the source begin, those of the locale, and those that a local server has for it.
    from: String,
    to: String,
    local: String,
    mask: bool,
    /// Whether the framework says when it begins.
    waits: bool,
    documents: bool,
    /// Whether a search fetches its index from where the source's paths begin.
    index: bool,
    /// The site's own rules, each behind a comma.
    skip: String,
    /// The element that loads the whole script, for a page that needs the one about addresses only below a prefix.
    #[serde(skip_serializing_if = "Option::is_none")]
    whole: Option<String>,
    /// Language and direction: the attribute, what the source says, and what the page says.
    speech: [(&'static str, &'a str, &'a str); 2],
    #[serde(flatten)]
    pairs: LivePairTexts<'a>,
}

/// The texts of a page, each as it stands there and in the source; in full where the white space around it differs.
#[derive(Default, Serialize)]
struct LivePairTexts<'a> {
    texts: Vec<Vec<&'a str>>,
    values: Vec<Vec<&'a str>>,
}

/// What goes into a page for the live script.
#[derive(Default)]
pub(super) struct LiveHead {
    /// A file of its own that holds the words of the page.
    words: OnceCell<OwnScript>,
}

impl LiveHead {
    /// The elements that bring the script into a page of a locale.
    pub(in crate::run) fn make(
        &self,
        build: &Build<'_>,
        site: &SiteContext<'_>,
        locale: &Locale,
        (path, page): (&PagePath, &Page),
        pairs: &[LivePair],
    ) -> String {
        let Some(shared) = site.live.of(locale) else {
            return String::new();
        };
        let public = site.addresses.public();
        let source = &build.site.source_locale;
        let home = PagePath::of_file("index.html");
        let root = |locale: &Locale| {
            let whole = public.path(locale, &home);
            whole[..=whole.rfind('/').unwrap_or_default()].to_owned()
        };
        let framework = site
            .corpus
            .scripted
            .get(path)
            .and_then(|scripted| scripted.framework);
        let mut block = LiveBlock {
            path: public.path(source, path),
            own: public.path(locale, path),
            from: root(source),
            to: root(locale),
            local: format!("/{}/", build.site.label(locale)),
            mask: build.site.scripts.mask && framework.is_some_and(Framework::has_router),
            waits: framework.is_some_and(Framework::is_react),
            documents: shared.documents,
            index: shared.fetches,
            skip: build
                .site
                .rules
                .skipped()
                .map(|selector| format!(",{selector}"))
                .collect(),
            whole: None,
            speech: [
                ("lang", source.language(), locale.as_str()),
                (
                    "dir",
                    source.direction().as_str(),
                    locale.direction().as_str(),
                ),
            ],
            pairs: LivePairTexts::of(pairs),
        };
        let address = |file: &OwnScript| public.own_file(locale, locale, &file.name);
        let load = |file: &OwnScript| file.element(&address(file));
        // Where nothing about addresses can differ, nobody needs their script, but for a look at the page on this machine.
        let is_there = (&block.from, &block.path) == (&block.to, &block.own);
        let needs_addresses = shared.documents || shared.renames || (block.mask && !is_there);
        let whole = load(site_files::addressed_script());
        let script = if needs_addresses {
            whole.clone()
        } else {
            load(site_files::live_script())
        };
        block.whole = (block.mask && !needs_addresses).then_some(whole);
        let mut head = site_files::live_block(&block);
        let mut own = String::new();
        if head.len() > build.site.scripts.words {
            let pairs = std::mem::take(&mut block.pairs);
            head = site_files::live_block(&block);
            own = load(self.words.get_or_init(|| OwnScript::of_page(&pairs)));
        }
        let report = if build.site.scripts.report {
            load(site_files::report_script())
        } else {
            String::new()
        };
        // Of several maps on a page, older browsers take the first alone.
        let has_modules = block.mask && !shared.modules.is_empty() && !page.may_map_imports();
        let modules = if has_modules {
            site_files::import_map(&shared.modules)
        } else {
            String::new()
        };
        modules + &head + &own + &load(&shared.words) + &report + &script
    }

    /// The file that the page brought with it.
    pub(super) fn into_file(self) -> Option<OwnScript> {
        self.words.into_inner()
    }
}

impl<'a> LivePairTexts<'a> {
    fn of(pairs: &'a [LivePair]) -> Self {
        let mut all = Self::default();
        for pair in pairs {
            let source = pair.source.as_str();
            let target = pair.target.as_str();
            let bare = source.trim();
            let shown = target.trim();
            let around = |whole: &'a str, words: &'a str| whole.split_once(words);
            let mut said = vec![shown, bare];
            if around(source, bare) != around(target, shown) {
                said.push(source);
            }
            if pair.is_attribute {
                &mut all.values
            } else {
                &mut all.texts
            }
            .push(said);
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_trimmed_where_both_have_the_same_space_around() {
        let pair = |source: &str, target: &str| LivePair {
            source: source.into(),
            target: target.into(),
            is_attribute: false,
        };
        let pairs = [pair(" Home ", " Casa "), pair("of ", " de")];
        assert_eq!(
            LivePairTexts::of(&pairs).texts,
            [vec!["Casa", "Home"], vec!["de", "of", "of "]]
        );
    }
}
