//! Stages four and five: every page in every locale, and the deployment that makes them the site.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use bytes::Bytes;
use futures::{StreamExt, TryStreamExt, stream};

use super::extract::Corpus;
use super::report::{Refused, Report, Words};
use super::translate::Texts;
use super::{Build, RunError, Sources, Target, blocking};
use crate::addresses::{Addresses, Known};
use crate::config::{Missing, Switcher, SwitcherTemplate};
use crate::model::{Locale, PagePath, assign_names};
use crate::page::{Changes, Head, Link, Page};
use crate::publish::{self, Draft, Object, Put, Settings, Tree};
use crate::site_files::{self, SitemapPage, SwitcherLink, Templates};
use crate::store::{SourceKind, SourceRecord, Stage};

/// The media type of rendered pages.
const HTML: &str = "text/html; charset=utf-8";

/// What rendering knows about the whole site.
pub(super) struct Site<'a> {
    pub(super) corpus: &'a Corpus,
    pub(super) addresses: Addresses,
    templates: Templates,
    pub(super) texts: Vec<Texts>,
    /// Pages that are translated, by locale that is on; the source locale too where it has public addresses.
    translated: BTreeMap<Locale, BTreeSet<PagePath>>,
    /// How each of these locales is called in alternate links.
    tags: BTreeMap<Locale, String>,
    pub(super) names: BTreeMap<PagePath, String>,
    style: String,
}

/// A locale's version of a page, ready to be stored.
struct Version {
    tree: Tree,
    object: Object,
    refused: Vec<Refused>,
    locale: Locale,
}

/// What became of it.
struct Stored {
    locale: Locale,
    put: Put,
    refused: Vec<Refused>,
}

impl Build<'_> {
    pub(super) async fn publish(
        &self,
        templates: Templates,
        sources: &Sources,
        corpus: &Corpus,
        texts: Vec<Texts>,
        targets: &[Target],
        report: &mut Report,
    ) -> Result<(), RunError> {
        let site = Arc::new(self.survey(templates, sources, corpus, texts, report)?);
        let draft = Draft::begin(&self.stores.objects, &self.site.id).await?;
        self.put_pages(&site, sources, &draft, report).await?;
        self.put_documents(&site, sources, &draft, report).await?;
        self.put_files(&site, sources, &draft).await?;
        self.put_own_files(&site, sources, targets, &draft).await?;
        for texts in &site.texts {
            let tree = Tree::Locale(texts.locale.clone());
            let lacks = |path: &&PagePath| !site.is_translated(&texts.locale, path);
            corpus.pages.keys().filter(lacks).for_each(|path| draft.miss(&tree, path.clone()));
        }
        if self.site.url.is_none() {
            let why = "the public address is not known, so pages have no canonical and alternate links and there is \
                       no sitemap: set `url` to have them";
            report.notices.push(why.into());
        }
        self.step(Stage::Publish, 0, None);
        let finished = draft.finish(self.settings(&site, sources, targets)).await?;
        if self.stores.objects.is_folder() {
            publish::project_live(&self.stores.objects, &self.site.id).await?;
        }
        publish::sweep(&self.stores.objects, &self.site.id, self.options.keep_deployments).await?;
        self.sweep_sources(sources).await?;
        report.deployment = finished.deployment;
        report.deployment_id = publish::deployment_id(&self.stores.objects, &self.site.id, finished.deployment).await?;
        report.created = finished.created;
        report.written = finished.written;
        report.removed = finished.removed;
        report.unchanged = finished.unchanged;
        Ok(())
    }

    /// Works out which page exists in which locale and under which name.
    fn survey<'c>(
        &self,
        templates: Templates,
        sources: &Sources,
        corpus: &'c Corpus,
        texts: Vec<Texts>,
        report: &mut Report,
    ) -> Result<Site<'c>, RunError> {
        let mut translated = BTreeMap::new();
        for texts in &texts {
            translated.insert(texts.locale.clone(), self.translated_pages(corpus, texts, report));
        }
        let pages: BTreeSet<PagePath> = corpus.pages.keys().cloned().collect();
        let mut published = translated.clone();
        if self.site.missing == Missing::Notice {
            published.values_mut().for_each(|reachable| reachable.extend(pages.iter().cloned()));
        }
        for texts in &texts {
            let reachable = published.entry(texts.locale.clone()).or_default();
            reachable.extend(self.translated_documents(corpus, texts));
        }
        translated.insert(self.site.source_locale.clone(), pages.clone());
        let known = Known {
            files: sources.files().map(|(path, _)| path.clone()).collect(),
            redirects: sources.redirects.iter().map(|(from, redirect)| (from.clone(), redirect.to.clone())).collect(),
            published,
            pages,
        };
        Ok(Site {
            corpus,
            names: names(corpus),
            addresses: Addresses::new(self.site, known),
            templates,
            texts,
            tags: alternate_tags(translated.keys()),
            translated,
            style: site_files::switcher_style().0,
        })
    }

    /// The pages of which enough is translated; the report learns the figures.
    fn translated_pages(&self, corpus: &Corpus, texts: &Texts, report: &mut Report) -> BTreeSet<PagePath> {
        let mut sum = Words::default();
        let mut pages = BTreeSet::new();
        let by_page = report.page_words.entry(texts.locale.clone()).or_default();
        for (path, indices) in &corpus.pages {
            let words = texts.words(corpus, indices);
            sum.add(words);
            by_page.insert(path.clone(), words.into());
            if words.share() >= self.site.min_translated {
                pages.insert(path.clone());
            }
        }
        if let Some(locale) = report.locales.iter_mut().find(|locale| locale.locale == texts.locale) {
            locale.words = sum;
            locale.pages = pages.len();
            locale.missing = corpus.pages.len() - pages.len();
        }
        pages
    }

    async fn put_pages(
        &self,
        site: &Arc<Site<'_>>,
        sources: &Sources,
        draft: &Draft,
        report: &mut Report,
    ) -> Result<(), RunError> {
        let total = site.corpus.pages.len();
        let rendered = stream::iter(sources.of_kind(SourceKind::Page))
            .map(|(path, record)| self.put_page(site, path, record, draft))
            .buffered(self.options.jobs.get());
        let mut rendered = std::pin::pin!(rendered);
        let mut done = 0;
        while let Some(stored) = rendered.try_next().await? {
            for Stored { locale, put, refused } in stored {
                if let Some(report) = report.locales.iter_mut().find(|report| report.locale == locale) {
                    report.refused.extend(refused);
                    report.updated += usize::from(put == Put::Written);
                }
            }
            done += 1;
            self.step(Stage::Render, done, Some(total));
        }
        Ok(())
    }

    /// Renders a page in every locale and puts what changed.
    async fn put_page(
        &self,
        site: &Arc<Site<'_>>,
        path: &PagePath,
        record: &SourceRecord,
        draft: &Draft,
    ) -> Result<Vec<Stored>, RunError> {
        let Some(page) = self.parse(path, record).await? else { return Ok(Vec::new()) };
        let mut stored = Vec::new();
        for Version { tree, object, refused, locale } in self.versions(site, path, record, &page)? {
            stored.push(Stored { locale, put: draft.put(&tree, object).await?, refused });
        }
        Ok(stored)
    }

    fn versions(
        &self,
        site: &Site<'_>,
        path: &PagePath,
        record: &SourceRecord,
        page: &Page,
    ) -> Result<Vec<Version>, RunError> {
        let mut versions = Vec::new();
        if self.publishes_source() {
            versions.push(self.version(site, path, record, page, None)?);
        }
        for texts in &site.texts {
            if site.addresses.is_published(&texts.locale, path) {
                versions.push(self.version(site, path, record, page, Some(texts))?);
            }
        }
        Ok(versions)
    }

    /// One locale's version of a page; without texts, the source's own.
    fn version(
        &self,
        site: &Site<'_>,
        path: &PagePath,
        record: &SourceRecord,
        page: &Page,
        texts: Option<&Texts>,
    ) -> Result<Version, RunError> {
        let locale = texts.map_or(&self.site.source_locale, |texts| &texts.locale);
        let is_translated = site.is_translated(locale, path);
        let alternates =
            if record.noindex || locale.is_pseudo() || !is_translated { Vec::new() } else { site.alternates(path) };
        let notice = if is_translated { String::new() } else { site.templates.notice(locale)? };
        let canonical_of = if is_translated { locale } else { &self.site.source_locale };
        let canonical = site.addresses.public().page(canonical_of, path);
        let (style, switcher) = self.switcher(site, locale, path)?;
        let head = Head {
            canonical: canonical.as_deref(),
            alternates: &alternates,
            alone: false,
            noindex: (locale.is_pseudo() || !is_translated) && !record.noindex,
            extra: &style,
            body_start: &notice,
            body_end: &switcher,
        };
        let link = |link: &Link<'_>| site.addresses.localize(locale, path, page.base(), link);
        let indices = site.corpus.pages.get(path).map(Vec::as_slice).unwrap_or_default();
        let changes = Changes {
            speak: texts.filter(|_| is_translated).map(|texts| &texts.locale),
            head: Some(&head),
            link: texts.is_some().then_some(&link as _),
        };
        let text = |index: usize| texts.filter(|_| is_translated)?.text(*indices.get(index)?);
        let rendered = page.render(text, &changes);
        let refused = rendered.refused.iter().map(|(index, error)| Refused {
            path: path.clone(),
            source: page.segments().nth(*index).map(|segment| segment.text.to_markup()).unwrap_or_default(),
            reason: error.to_string(),
        });
        Ok(Version {
            refused: refused.collect(),
            tree: Tree::Locale(locale.clone()),
            object: Object {
                name: site.names.get(path).cloned().unwrap_or_default(),
                path: path.clone(),
                content_type: HTML.into(),
                body: Bytes::from(rendered.html),
                source: None,
                noindex: record.noindex || head.noindex,
            },
            locale: locale.clone(),
        })
    }

    /// The language switcher of a page, and the link to its style sheet.
    fn switcher(&self, site: &Site<'_>, locale: &Locale, path: &PagePath) -> Result<(String, String), RunError> {
        let Some(Switcher { template }) = self.site.switcher else { return Ok(Default::default()) };
        let html = site.templates.switcher(template, locale, &site.switcher_links(locale, path))?;
        if html.is_empty() || template == SwitcherTemplate::Headless {
            return Ok((String::new(), html));
        }
        let style = site.addresses.public().own_file(locale, locale, &site.style);
        Ok((format!("<link rel=\"stylesheet\" href=\"{style}\" />"), html))
    }

    async fn put_files(&self, site: &Site<'_>, sources: &Sources, draft: &Draft) -> Result<(), RunError> {
        let own_sitemap = self.has_sitemap(site);
        let files: Vec<(&PagePath, &SourceRecord)> = sources
            .files()
            .filter(|(path, _)| !(own_sitemap && self.publishes_source() && path.as_str() == "/sitemap.xml"))
            .collect();
        let is_page = |record: &SourceRecord| matches!(&*record.content_type, "text/html" | "application/xhtml+xml");
        let names = assign_names(files.iter().map(|(path, record)| (*path, is_page(record))));
        let names = &names;
        stream::iter(files)
            .map(|(path, record)| async move {
                let (Some(body), Some(name)) = (self.source(record).await?, names.get(path)) else { return Ok(()) };
                let object = file(name.clone(), path.clone(), &record.content_type, body);
                draft.put(&Tree::Shared, object).await?;
                Ok::<(), RunError>(())
            })
            .buffer_unordered(self.options.jobs.get())
            .try_collect()
            .await
    }

    /// Puts the switcher's style sheet and a sitemap for each locale.
    async fn put_own_files(
        &self,
        site: &Site<'_>,
        sources: &Sources,
        targets: &[Target],
        draft: &Draft,
    ) -> Result<(), RunError> {
        let (name, text) = site_files::switcher_style();
        let own_path = |name: &str| PagePath::of_file(name);
        // Also for a site without a switcher of ours: its owner may have pasted one.
        let path = own_path(&name);
        draft.put(&Tree::Shared, file(name, path, "text/css; charset=utf-8", Bytes::from(text))).await?;
        if !self.has_sitemap(site) {
            return Ok(());
        }
        let built = targets.iter().filter(|target| target.is_built() && !target.locale.is_pseudo());
        let source = self.publishes_source().then_some(&self.site.source_locale);
        for locale in built.map(|target| &target.locale).chain(source) {
            let address = |name: &str| site.addresses.public().page(locale, &own_path(name));
            for (name, xml) in site_files::sitemaps(&site.sitemap_pages(locale, sources), address) {
                let path = own_path(&name);
                let object = file(name, path, "application/xml", Bytes::from(xml));
                draft.put(&Tree::Locale(locale.clone()), object).await?;
            }
        }
        Ok(())
    }

    fn has_sitemap(&self, site: &Site<'_>) -> bool {
        self.site.url.is_some() && !site.translated.is_empty()
    }

    fn settings(&self, site: &Site<'_>, sources: &Sources, targets: &[Target]) -> Settings {
        Settings {
            source_locale: self.site.source_locale.clone(),
            locales: targets.iter().map(|target| (target.locale.clone(), target.switch)).collect(),
            aliases: self.site.aliases.clone(),
            missing: match self.site.missing {
                Missing::Source307 => publish::Missing::Source307,
                Missing::Notice => publish::Missing::Notice,
                Missing::NotFound => publish::Missing::NotFound,
                Missing::Gone => publish::Missing::Gone,
            },
            redirects: sources.redirects.clone(),
            url: self.site.url.as_ref().map(ToString::to_string),
            source_url: site.addresses.public().source_url(),
            accept_language: self.site.accept_language,
        }
    }

    /// Removes fetched bytes that no path has any more.
    async fn sweep_sources(&self, sources: &Sources) -> Result<(), RunError> {
        let (state, id) = (self.stores.state.clone(), self.site.id.clone());
        let current =
            if self.options.offline { blocking(move || state.sources(&id)).await?? } else { sources.records.clone() };
        let used: BTreeSet<String> = current.into_values().map(|record| record.name).collect();
        for name in publish::sources(&self.stores.objects, &self.site.id).await? {
            if !used.contains(&name) {
                publish::remove_source(&self.stores.objects, &self.site.id, &name).await?;
            }
        }
        Ok(())
    }
}

impl Site<'_> {
    fn is_translated(&self, locale: &Locale, path: &PagePath) -> bool {
        self.translated.get(locale).is_some_and(|pages| pages.contains(path))
    }

    /// Tag and public address of every version of a page that search engines may know.
    fn alternates(&self, path: &PagePath) -> Vec<(String, String)> {
        let versions = self.translated.iter().filter(|(locale, pages)| !locale.is_pseudo() && pages.contains(path));
        versions
            .filter_map(|(locale, _)| {
                Some((self.tags.get(locale)?.clone(), self.addresses.public().page(locale, path)?))
            })
            .collect()
    }

    /// The entries of a page's switcher: every language that is public, and the page's own.
    fn switcher_links(&self, current: &Locale, path: &PagePath) -> Vec<SwitcherLink> {
        let has_page =
            |locale: &Locale, page: &PagePath| locale == current && page == path || self.is_translated(locale, page);
        site_files::switcher_links(self.addresses.public(), self.translated.keys(), has_page, current, path)
    }

    fn sitemap_pages(&self, locale: &Locale, sources: &Sources) -> Vec<SitemapPage> {
        let indexed = |path: &PagePath| sources.records.get(path).is_some_and(|record| !record.noindex);
        let pages = self.translated.get(locale).into_iter().flatten().filter(|path| indexed(path));
        let page = |path: &PagePath| {
            let address = self.addresses.public().page(locale, path)?;
            Some(SitemapPage { address, alternates: self.alternates(path) })
        };
        pages.filter_map(page).collect()
    }
}

/// The tags of alternate links: as search engines know them, where that still tells the locales apart (R-C3).
fn alternate_tags<'a>(locales: impl Iterator<Item = &'a Locale>) -> BTreeMap<Locale, String> {
    let tags: Vec<(&Locale, String)> = locales.map(|locale| (locale, locale.search_tag())).collect();
    let is_shared = |tag: &str| tags.iter().filter(|(_, other)| other == tag).count() > 1;
    let tag = |(locale, tag): &(&Locale, String)| match is_shared(tag) {
        true => ((*locale).clone(), locale.to_string()),
        false => ((*locale).clone(), tag.clone()),
    };
    tags.iter().map(tag).collect()
}

/// The names of everything that lies in a locale's tree.
fn names(corpus: &Corpus) -> BTreeMap<PagePath, String> {
    let documents = corpus.documents.keys().map(|path| (path, false));
    assign_names(corpus.pages.keys().map(|path| (path, true)).chain(documents))
}

fn file(name: String, path: PagePath, content_type: &str, body: Bytes) -> Object {
    Object { name, path, content_type: content_type.to_owned(), body, source: None, noindex: false }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alternates_are_called_as_search_engines_know_them_r_c3() {
        for (locales, tags) in [
            (["en", "es-419", "zh-Hant-TW"], ["en", "es", "zh-Hant-TW"]),
            (["en", "es", "es-419"], ["en", "es", "es-419"]),
            (["ca", "ca-valencia", "de-1996"], ["ca", "ca-valencia", "de"]),
        ] {
            let locales = locales.map(|tag| Locale::parse(tag).unwrap());
            assert_eq!(alternate_tags(locales.iter()).into_values().collect::<Vec<_>>(), tags);
        }
    }
}
