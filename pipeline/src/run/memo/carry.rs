//! Carries unchanged versions over from the last deployment, without reading or rendering them.
//!
//! One key covers everything that rendering reads of a page in a locale. Rendering and the key use the same functions, so no input
//! is left out. The row of a version names the paths that its links ask about, so a new or removed page concerns only versions
//! that asked about it.
//!
//! The state has the key of each version and the fingerprint of its bytes. A version stays if its key is the same and the
//! published bytes have that fingerprint. A version with something to report has no fingerprint and is rendered each time. The
//! rows are valid whichever builder made the current deployment; `--rebuild` ignores them.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::key::{KeyBuilder, KeyInputs};
use super::known_versions::{
    self, KnownVersions, MadeVersions, NO_PRINT, RenderEnvironment, VersionReads,
};
use crate::model::{DeploymentId, Locale, PagePath, RenderCause, SegmentKey};
use crate::page::{Page, Segment};
use crate::run::context::Build;
use crate::run::error::BuildError;
use crate::run::memory::recall;
use crate::run::options::BuildOptions;
use crate::run::pages::live;
use crate::run::pages::references::SiteContext;
use crate::run::pages::spoken::SpokenText;
use crate::run::pages::version::{self, Original, VersionSpeech};
use crate::run::words::people::People;
use crate::run::words::resolve::resolve_without_engine;
use crate::run::words::word_files;
use crate::state::{SourceRecord, State};
use crate::store::{Draft, ManifestEntry, Object, Tree};
use crate::translate::{ResolvedText, TranslationOrigin};

/// What versions of this build have in common, as it is before anything of it is read.
pub(in crate::run) fn known_versions(build: &Build<'_>) -> KnownVersions {
    let made = MadeVersions::on(build.stores.state.spill_file());
    let inputs = build.options.inputs.clone();
    KnownVersions {
        inputs,
        environment: environment(build),
        made: made.into(),
        ..KnownVersions::default()
    }
}

fn environment(build: &Build<'_>) -> RenderEnvironment {
    let mut program = build.options.inputs.key();
    let mut settings = build.options.inputs.key();
    program.add_program();
    settings.add_debug(build.site);
    build
        .site
        .templates
        .iter()
        .for_each(|folder| settings.add_folder(folder, KeyBuilder::add_file));
    RenderEnvironment {
        program: program.bytes(),
        settings: settings.bytes(),
    }
}

/// Fingerprint of everything that the version of a page reads, but for what it asks of other paths.
pub(in crate::run) fn version_reads(
    build: &Build<'_>,
    site: &SiteContext<'_>,
    original: Original<'_>,
    speech: VersionSpeech<'_>,
) -> VersionReads {
    let Original {
        path,
        source: from,
        record,
    } = original;
    let locale = speech.locale();
    let corpus = site.corpus;
    let mut source = build.options.inputs.key();
    let mut words = build.options.inputs.key();
    let mut graph = build.options.inputs.key();
    let SourceRecord {
        hash,
        content_type,
        charset,
        kind,
        noindex,
        robots,
        ..
    } = record;
    source.add_debug(&(
        from.as_str(),
        hash,
        content_type,
        charset,
        kind,
        noindex,
        robots,
    ));
    source.add_debug(&(
        corpus.scripted.get(from),
        live::gets_script(build.site, corpus, locale, path),
    ));
    source.add_debug(&(
        site.served_policies(locale, path),
        corpus.parts.framed.contains(path),
    ));
    let shared = site.live.of(locale);
    words.add_debug(&shared.map(|shared| {
        (
            &shared.words.name,
            shared.documents,
            shared.renames,
            &shared.modules,
            shared.fetches,
        )
    }));
    if !speech.is_source() && !original.is_written() {
        words.add(&words_of(site, path, speech));
    }
    graph.add_debug(&version::about(build.site, site, locale, path, *noindex));
    graph.add_debug(&site.switcher_links(locale, path));
    graph.add_debug(&site.addresses.public().slugs().spelling());
    VersionReads {
        source: source.bytes(),
        words: words.bytes(),
        graph: graph.bytes(),
    }
}

/// Carries the version of a page over, where the published one was made under the same key and its bytes are there; says why
/// not where it is not.
pub(in crate::run) async fn carry_over(
    options: &BuildOptions,
    site: &SiteContext<'_>,
    path: &PagePath,
    locale: &Locale,
    reads: &VersionReads,
    draft: &Draft,
) -> Result<Result<(), RenderCause>, BuildError> {
    let tree = Tree::Locale(locale.clone());
    let name = site.name(locale, path);
    if draft
        .previous()
        .and_then(|published| published.page(&tree, path))
        .is_none()
    {
        return Ok(Err(RenderCause::New));
    }
    if options.rebuild {
        return Ok(Err(RenderCause::Rebuild));
    }
    let Some(row) = site.carry.row(locale, path) else {
        return Ok(Err(RenderCause::Unknown));
    };
    let (key, parts) = site.carry.key_among(reads, &row.asked);
    if row.key != key {
        let causes = [
            RenderCause::Version,
            RenderCause::Settings,
            RenderCause::Source,
            RenderCause::Words,
            RenderCause::Graph,
        ];
        let other = parts
            .iter()
            .zip(&row.parts)
            .zip(causes)
            .find(|((now, before), _)| now != before);
        return Ok(Err(other.map_or(RenderCause::Unknown, |(_, cause)| cause)));
    }
    if row.print == NO_PRINT {
        return Ok(Err(RenderCause::Said));
    }
    if draft
        .kept(&tree, &name)
        .is_none_or(|entry| fingerprint_of(options, entry) != row.print)
    {
        return Ok(Err(RenderCause::Unknown));
    }
    if let Some(file) = &row.file
        && !draft.keep_shared(&Tree::Shared, file).await?
    {
        return Ok(Err(RenderCause::Unknown));
    }
    draft.keep(&tree, &name).await?;
    site.carry.note(locale, path, row);
    Ok(Ok(()))
}

/// The words of a cached page, by the places of its segments: those that people and the memory have.
pub(in crate::run) async fn translate_again(
    build: &Build<'_>,
    site: &SiteContext<'_>,
    page: &Page,
    locale: &Locale,
) -> Result<Vec<ResolvedText>, BuildError> {
    let segments: Vec<Segment> = page.segments().collect();
    resolve_again(build, site, locale, &segments).await
}

/// Translations of texts of cached pages, from people and the memory.
pub(in crate::run) async fn resolve_again(
    build: &Build<'_>,
    site: &SiteContext<'_>,
    locale: &Locale,
    segments: &[Segment],
) -> Result<Vec<ResolvedText>, BuildError> {
    if segments.is_empty() {
        return Ok(Vec::new());
    }
    let keys: Vec<SegmentKey> = segments
        .iter()
        .map(|segment| segment.key(&build.site.source_locale))
        .collect();
    let memory = recall::recall(build, locale, keys.clone()).await?;
    let all = || async {
        let locales = site.texts.iter().map(|texts| &texts.locale);
        let mut people = BTreeMap::new();
        for (locale, catalogue) in word_files::catalogues(build, locales).await? {
            people.insert(locale, People::of(catalogue));
        }
        Ok::<_, BuildError>(people)
    };
    let nobody = People::default();
    let people = site
        .carry
        .people
        .get_or_try_init(all)
        .await?
        .get(locale)
        .unwrap_or(&nobody);
    let terms = site
        .texts
        .iter()
        .find(|texts| texts.locale == *locale)
        .map(|texts| Arc::clone(&texts.terms));
    let terms = terms.unwrap_or_default();
    let settled = segments.iter().zip(&keys).map(|(segment, key)| {
        // The engines asked today matter only for texts that they refused, and a page with such a text is always
        // read. A text without a translation is therefore right in every language.
        let settled =
            resolve_without_engine(segment, locale, people, memory.get(key), ("", &terms));
        if settled.origin == TranslationOrigin::None {
            ResolvedText::untouched()
        } else {
            settled
        }
    });
    Ok(settled.collect())
}

/// Keeps what the versions of this build were made of.
pub(in crate::run) async fn keep_carried(
    build: &Build<'_>,
    carry: &KnownVersions,
    deployment: DeploymentId,
) -> Result<(), BuildError> {
    // Somebody may have written to a template while it was read.
    if environment(build) != carry.environment {
        return Ok(());
    }
    let settled = known_versions::versions_record(carry, deployment);
    let made = std::mem::take(&mut *carry.made());
    let rows = carry
        .known
        .iter()
        .flat_map(|(locale, pages)| pages.keys().map(move |path| (locale, path)));
    let is_gone = |(locale, path): &(&Locale, &PagePath)| !made.has_again(locale, path);
    let gone: Vec<(Locale, PagePath)> = rows
        .filter(is_gone)
        .map(|(locale, path)| (locale.clone(), path.clone()))
        .collect();
    let id = build.site.id.clone();
    let knew_none = build.options.rebuild;
    let keep = move |state: &State| {
        let gone = (!knew_none).then_some(&*gone);
        state.keep_rendered(&id, made.rows(), gone, || {
            settled.filter(|_| made.are_all_there())
        })
    };
    build.stores.with_state(keep).await
}

/// Fingerprint of the words of a page in a locale.
fn words_of(site: &SiteContext<'_>, path: &PagePath, speech: VersionSpeech<'_>) -> [u8; 32] {
    if let Some(words) = site.corpus.cached_words(speech.locale(), path) {
        return words.key;
    }
    let indices = site.corpus.indices(path);
    let mut words = speech.words(&indices).texts().to_vec();
    // The source's own tree has as many texts, and no words for them.
    words.resize(indices.len(), SpokenText::Source);
    words_key(&site.carry.inputs, words.into_iter())
}

/// Fingerprint of the texts of a page in a locale.
pub(super) fn words_key<'t>(
    inputs: &KeyInputs,
    texts: impl Iterator<Item = SpokenText<'t>>,
) -> [u8; 32] {
    let mut key = inputs.key();
    for text in texts {
        match text {
            SpokenText::Words(text) => key.add(text.to_markup().as_bytes()),
            SpokenText::Source => key.add_debug(&()),
            SpokenText::Untranslated => key.add_debug(&false),
        }
    }
    key.bytes()
}

/// Fingerprint of a published version: its bytes, and what is sent with them.
pub(in crate::run) fn fingerprint_of(options: &BuildOptions, entry: &ManifestEntry) -> [u8; 32] {
    let headers = [entry.robots.as_deref(), entry.link.as_deref()];
    fingerprint(
        options,
        &entry.hash.spelled(),
        (&entry.content_type, &entry.path, entry.noindex, headers),
    )
}

/// The same for a version that is being made.
pub(in crate::run) fn fingerprint_of_object(options: &BuildOptions, object: &Object) -> [u8; 32] {
    let hash = blake3::hash(&object.body).to_hex();
    let headers = [object.robots.as_deref(), object.link.as_deref()];
    fingerprint(
        options,
        &hash,
        (&object.content_type, &object.path, object.noindex, headers),
    )
}

fn fingerprint(
    options: &BuildOptions,
    hash: &str,
    sent: (&str, &PagePath, bool, [Option<&str>; 2]),
) -> [u8; 32] {
    let mut key = options.inputs.key();
    key.add(hash.as_bytes());
    key.add_debug(&sent);
    key.bytes()
}
